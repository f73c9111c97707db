# SPDX-License-Identifier: MIT
"""piglit's programs and generated tests of OpenCL, as its own list names them (`piglit run cl`)."""
import ast
import glob
import gzip
import os
import re
import xml.etree.ElementTree

from case import CRASH, FAIL, LATE, PASS, SKIP, make_case

CLIENTS = ("piglit",)
HOMES = glob.glob("/usr/lib/*/piglit")

OUTCOMES = {"pass": PASS, "fail": FAIL, "skip": SKIP, "warn": FAIL, "crash": CRASH}


def read_result(status, output):
    """piglit's programs end with a line of JSON. A warning is a failure: the check was not passed."""
    found = re.findall(r'PIGLIT: \{"result": "(\w+)"', output)
    if status is None:
        return {"": LATE}
    if not found or status < 0 or status > 128:
        return {"": CRASH}
    return {"": OUTCOMES.get(found[-1], FAIL)}


def command_of(test, home):
    options = {option.get("name"): ast.literal_eval(option.get("value")) for option in test.iter("option")}
    if "filename" in options:
        return [os.path.join(home, "bin", "cl-program-tester"), options["filename"]]
    return [os.path.join(home, "bin", options["command"][0]), *options["command"][1:]]


def cases(_folder):
    if not HOMES:
        return None
    home = HOMES[0]
    with gzip.open(os.path.join(home, "tests", "cl.xml.gz")) as stream:
        tests = xml.etree.ElementTree.parse(stream).getroot().findall("Test")
    return [make_case("piglit", test.get("name"), command_of(test, home), folder=home, read=read_result,
                      environment={"PIGLIT_SOURCE_DIR": home}, timeout=180)
            for test in tests]
