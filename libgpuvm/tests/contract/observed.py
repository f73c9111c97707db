#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program with libgpuvm under valgrind, and in gdb with a breakpoint: right values, no hang, no report."""
import os
import shutil
import subprocess
import sys

LIMIT_S = 120


def run(command):
    environment = {key: value for key, value in os.environ.items() if key != "GPUVM_BACKEND"}
    try:
        return subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, -1, f"still running after {LIMIT_S} s")


def main():
    program = sys.argv[1]
    results = []

    def check(what, ran, *wanted):
        is_right = ran.returncode == 0 and all(text in ran.stdout for text in wanted)
        results.append(is_right)
        if not is_right:
            print(f"FAILED: {what}: wanted {wanted}, got {ran.returncode}\n{ran.stdout}")

    check("alone", run([program]), " 21 20\n")
    if shutil.which("valgrind"):
        check("valgrind", run(["valgrind", "-q", "--error-exitcode=9", "--leak-check=full", program]), "eager 21 20\n")
    else:
        print("no valgrind here")
    if shutil.which("gdb") and "ptrace" in run(["gdb", "-q", "-nx", "-batch", "-ex", "run", program]).stdout:
        print("gdb may not trace here")
    elif shutil.which("gdb"):
        check("gdb", run(["gdb", "-q", "-nx", "-batch", "-ex", "break look", "-ex", "run", "-ex", "print a[100000]",
                          "-ex", "continue", program]), "$1 = 20\n", "eager 21 20\n", "exited normally")
    else:
        print("no gdb here")
    print(f"{sum(results)} passed, {results.count(False)} failed")
    return 0 if all(results) else 1


sys.exit(main())
