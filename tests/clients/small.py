# SPDX-License-Identifier: MIT
"""Small clients: clinfo, which asks for all that can be asked, and clpeak, which measures a device."""
import re
import shutil

from case import CRASH, FAIL, PASS, SKIP, ending, make_case

CLIENTS = ("clinfo", "clpeak")
# What clpeak measures, by its option. Its work grows with the device: one compute unit and little memory are enough. Without
# --compute-*, of which each kernel is thousands of millions of instructions on any device.
PEAKS = ("--global-bandwidth", "--transfer-bandwidth", "--kernel-latency")
SMALL = ("gpu.compute_units=1", "gpu.memory_mb=64")


def read_clinfo(status, output):
    """Every query must be answered: clinfo writes the error's name where the value would stand."""
    if status != 0:
        return {"": ending(status)}
    return {"": FAIL if re.search(r"CL_INVALID_VALUE|CL_INVALID_DEVICE|<error", output) else PASS}


def read_clpeak(status, output):
    """A number behind each row, and no row without one."""
    if status != 0:
        return {"": ending(status)}
    rows = re.findall(r"^\s+[\w() ]+ : (.*)$", output, re.MULTILINE)
    numbers = [row for row in rows if re.match(r"[0-9.]+", row)]
    if "No double precision support" in output:
        return {"": SKIP}
    return {"": CRASH if not rows else PASS if numbers else FAIL}


def cases(_folder):
    found = []
    if shutil.which("clinfo"):
        for name, options in (("all", []), ("raw", ["--raw"]), ("list", ["-l"])):
            found.append(make_case("clinfo", name, ["clinfo", *options], read=read_clinfo, quick=True, timeout=60))
    if shutil.which("clpeak"):
        for option in PEAKS:
            found.append(make_case("clpeak", option[2:], ["clpeak", option], read=read_clpeak, settings=SMALL, timeout=900))
    return found
