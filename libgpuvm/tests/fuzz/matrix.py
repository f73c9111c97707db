#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the fuzzer on every rung, as root and as nobody, with and without huge pages, on PoCL and on the fake device.

What the kernel can do is found out here, without the library, so that a rung that the library refuses although the kernel
has it is a failure. A cell that did not run for another reason is one too.
"""

import argparse
import ctypes
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

RUNGS = ["svm", "uffd-move", "uffd-copy", "uffd-move-user", "uffd-copy-user", "segv-mem"]
NOBODY = 65534
REFUSED = 77  # the fuzzer's exit status for a rung that the library refuses
USERFAULTFD = {"x86_64": 323, "aarch64": 282}  # the system call's number
USER_MODE_ONLY = 1
API_IOCTL = 0xC018AA3F  # UFFDIO_API
API_VERSION = 0xAA
FEATURE_WRITE_PROTECT = 1 << 0  # UFFD_FEATURE_PAGEFAULT_FLAG_WP
FEATURE_MOVE = 1 << 16  # UFFD_FEATURE_MOVE
PR_SET_DUMPABLE = 4


@dataclass
class Device:
    """A column of the matrix: the fuzzer's arguments and PoCL's devices."""

    name: str
    arguments: list
    pocl_devices: str = ""


DEVICES = [
    Device("PoCL 1", ["--device", "opencl", "--devices", "1"], "pthread"),
    Device("PoCL 2", ["--device", "opencl", "--devices", "2"], "pthread pthread"),
    Device("fake 1", ["--device", "fake", "--devices", "1"]),
    Device("fake 2", ["--device", "fake", "--devices", "2"]),
    Device("fake 3", ["--device", "fake", "--devices", "3"]),
    Device("fake 4", ["--device", "fake", "--devices", "4"]),
    Device("fake 2 reach", ["--device", "fake", "--devices", "2", "--reach"]),
]


@dataclass
class Cell:
    rung: str
    user: str
    has_huge_pages: bool
    device: Device
    seed: int


# ---- What the kernel can do -------------------------------------------------------------------


def become_nobody():
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def descriptor_features(flags):
    """The features of a userfaultfd opened with these flags; a string: why there is none."""
    libc = ctypes.CDLL(None, use_errno=True)
    number = USERFAULTFD.get(platform.machine())
    if number is None:
        return "the system call's number on this machine is not known"
    descriptor = -1
    try:
        with open("/dev/userfaultfd", "rb+", buffering=0) as device:
            descriptor = libc.ioctl(device.fileno(), 0xAA00, os.O_CLOEXEC | flags)  # USERFAULTFD_IOC_NEW
    except OSError:
        pass
    if descriptor < 0:
        descriptor = libc.syscall(number, os.O_CLOEXEC | flags)
    if descriptor < 0:
        return f"userfaultfd: {os.strerror(ctypes.get_errno())}"
    request = (ctypes.c_uint64 * 3)(API_VERSION, 0, 0)
    error = libc.ioctl(descriptor, ctypes.c_ulong(API_IOCTL), request)
    os.close(descriptor)
    return "UFFDIO_API failed" if error else int(request[1])


def memory_force():
    """Whether /proc/self/mem writes through protection; a string: why not."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    size = os.sysconf("SC_PAGESIZE")
    page = libc.mmap(None, ctypes.c_size_t(size), 0, 0x22, -1, ctypes.c_long(0))  # private, anonymous, PROT_NONE
    try:
        with open("/proc/self/mem", "rb+", buffering=0) as memory:
            os.pwrite(memory.fileno(), b"x", page)
    except OSError as error:
        return f"/proc/self/mem does not write to protected pages: {error.strerror}"
    return 1


def kernel_answers():
    """What the current user gets of the kernel: features, or why not."""
    return {"full": descriptor_features(0), "user": descriptor_features(USER_MODE_ONLY), "memory": memory_force()}


def answers_as(user):
    """kernel_answers of a child that is that user."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        if user == "nobody" and os.getuid() == 0:
            become_nobody()
            ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1)  # a change of user closes /proc/self, a new program opens it
        os.write(writer, json.dumps(kernel_answers()).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        text = stream.read()
    os.waitpid(child, 0)
    return json.loads(text)


def lacking(rung, answers):
    """Why the kernel cannot serve a rung for the user with these answers; None: it can."""
    if rung == "svm":
        return None
    if rung == "segv-mem":
        return None if answers["memory"] == 1 else answers["memory"]
    features = answers["user" if rung.endswith("-user") else "full"]
    if isinstance(features, str):
        sysctl = "/proc/sys/vm/unprivileged_userfaultfd"
        value = open(sysctl, encoding="ascii").read().strip() if os.path.exists(sysctl) else "absent"
        return f"{features} (vm.unprivileged_userfaultfd is {value})"
    if not features & FEATURE_WRITE_PROTECT:
        return "no write-protection (Linux 5.7)"
    if "move" in rung and not features & FEATURE_MOVE:
        return f"no UFFDIO_MOVE (Linux 6.8; this is {platform.release()})"
    return None


# ---- Cells ------------------------------------------------------------------------------------


def environment_of(cell, home):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("GPUVM_", "POCL_"))}
    cache = os.path.join(home, f"pocl-{cell.user}")
    environment.update({"HOME": home, "POCL_CACHE_DIR": cache})
    if cell.device.pocl_devices:
        environment["POCL_DEVICES"] = cell.device.pocl_devices
    return environment


def run_fuzzer(cell, options, home):
    """Exit status and output. The fuzzer's children end with it."""
    command = [os.path.join(home, "fuzz"), "--rung", cell.rung, *cell.device.arguments]
    command += ["--seconds", str(options.seconds), "--seed", str(cell.seed), "--threads", str(options.threads)]
    if not cell.has_huge_pages:
        command.append("--no-huge")
    is_changing = cell.user == "nobody" and os.getuid() == 0
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=home,
                               env=environment_of(cell, home), preexec_fn=become_nobody if is_changing else None,
                               start_new_session=True)
    try:
        output, _ = process.communicate(timeout=options.seconds + 300)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        output += "\nended: it took too long"
    return process.returncode, output


def judge(cell, answers, status, output):
    """(verdict, operations, text): verdict is passed, failed or skipped."""
    found = re.search(r"^operations (\d+)$", output, re.MULTILINE)
    operations = int(found.group(1)) if found else 0
    reason = lacking(cell.rung, answers[cell.user])
    if cell.rung == "svm" and cell.device.name.startswith("PoCL"):  # its devices do not see host memory
        if status == REFUSED:
            return "passed", 0, "ok: refused, as it must be"
        return "failed", operations, "FAIL: not refused"
    if status == REFUSED and reason:
        return "skipped", 0, f"refused: the kernel lacks it: {reason}"
    if status == REFUSED:
        return "failed", 0, "FAIL: refused although the kernel has it"
    if status != 0 or operations == 0:
        return "failed", operations, f"FAIL: exit status {status}"
    if reason:
        return "failed", operations, f"FAIL: ran, but the kernel lacks it: {reason}"
    return "passed", operations, "ok"


def run_cell(cell, options, home, answers, printing):
    if cell.user == "root" and os.getuid() != 0:
        verdict, operations, text, output = "skipped", 0, "not started as root", ""
    else:
        status, output = run_fuzzer(cell, options, home)
        verdict, operations, text = judge(cell, answers, status, output)
    pages = "huge" if cell.has_huge_pages else "small"
    with printing:
        print(f"{cell.rung:<15} {cell.user:<7} {pages:<6} {cell.device.name:<13} {operations:>9}  {text}")
        if verdict == "failed":
            print("    " + "\n    ".join(output.rstrip().splitlines()[-45:]))
        sys.stdout.flush()
    return verdict


def copy_for_all(path):
    """The fuzzer where every user can run it, and caches that every user can write to."""
    home = tempfile.mkdtemp(prefix="gpuvm-matrix-")
    os.chmod(home, 0o755)
    shutil.copy(path, os.path.join(home, "fuzz"))
    os.chmod(os.path.join(home, "fuzz"), 0o755)
    for user in ("root", "nobody"):
        cache = os.path.join(home, f"pocl-{user}")
        os.mkdir(cache)
        os.chmod(cache, 0o777)
    return home


def select_cells(options):
    cells = []
    for rung in RUNGS:
        for user in ("root", "nobody"):
            for has_huge_pages in (True, False):
                for device in DEVICES:
                    cells.append(Cell(rung, user, has_huge_pages, device, options.seed + len(cells)))
    return [cell for cell in cells if options.only in f"{cell.rung} {cell.user} {cell.device.name}"
            and cell.rung in options.rungs and cell.device.name in options.devices]


def list_of(choices):
    """A parser of a list with commas, each a choice."""
    def parse(text):
        unknown = [name for name in text.split(",") if name not in choices]
        if unknown:
            raise argparse.ArgumentTypeError(f"no {unknown[0]!r} among {', '.join(choices)}")
        return text.split(",")
    return parse


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("fuzz", help="path of the fuzzer's program")
    parser.add_argument("--seconds", type=float, default=2, help="for each cell (default 2)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="cells at a time (default: processors)")
    parser.add_argument("--threads", type=int, default=1, help="the fuzzer's threads in each cell (default 1)")
    parser.add_argument("--seed", type=int, default=int(time.time()) % 1000000,
                        help="of the first cell, one more for each further (default: the clock)")
    names = [device.name for device in DEVICES]
    parser.add_argument("--rungs", type=list_of(RUNGS), default=RUNGS, help="only these, with commas (default: all)")
    parser.add_argument("--devices", type=list_of(names), default=names, help="only these, with commas (default: all)")
    parser.add_argument("--only", default="", help="only cells whose rung, user and device contain this text")
    return parser.parse_args()


def run_matrix(options, home):
    answers = {user: answers_as(user) for user in ("root", "nobody")}
    printing = threading.Lock()
    print(f"seed {options.seed}, Linux {platform.release()}")
    print(f"{'rung':<15} {'user':<7} {'pages':<6} {'device':<13} {'checked':>9}  result", flush=True)
    with ThreadPoolExecutor(options.jobs) as pool:
        return list(pool.map(lambda cell: run_cell(cell, options, home, answers, printing), select_cells(options)))


def main():
    options = read_arguments()
    home = copy_for_all(options.fuzz)
    try:
        verdicts = run_matrix(options, home)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    counts = {verdict: verdicts.count(verdict) for verdict in ("passed", "failed", "skipped")}
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] or not verdicts else 0


if __name__ == "__main__":
    sys.exit(main())
