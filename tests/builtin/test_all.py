#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every built-in function of OpenCL C 1.2 and of 3.0's features that the device reports: none is left out of the tests, and what
they call gives what the specification says. WAVETANK_LONG=1: every type at every width."""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "programs"))
sys.path.insert(0, HERE)
from names import NAMES, NAMES_3_0  # noqa: E402
import test_builtins  # noqa: E402
from test_builtins import CLANG, EXTENSIONS, NM  # noqa: E402
from wavetank_tests import ProgramTest, execute, main, on_wavetank  # noqa: E402

LONG = bool(os.environ.get("WAVETANK_LONG"))
# What each program calls of these is another's business: images have kinds and formats for types, printf has formats.
ELSEWHERE = re.compile(r"(read|write)_image|get_image_|printf|amd_|^_Z\d+convert_")
# clang declares these of a signed object and an unsigned operand, or the other way; the specification does not.
MIXED = re.compile(r"^_Z\d+atomic_fetch_\w+VU7_Atomic(lm|ml)")
PROGRAMS = {"table": [], "memory": [], "group": [], "atomic": [], "async": [], "saturate": [], "math": [], "convert": [
    "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double"]}


def called_in(path):
    """The functions that a source calls and does not define, by their mangled names."""
    with open(path, encoding="utf-8") as stream:
        options = stream.readline()[2:].split()
    bitcode = path + ".bc"
    result = execute([CLANG, "--no-default-config", "-target", "amdgcn-amd-amdhsa", "-mcpu=tahiti", "-x", "cl", "-cl-std=CL1.2",
                      "-nogpulib", "-Xclang", EXTENSIONS, "-w", "-emit-llvm", "-O0", "-c", path, "-o", bitcode, *options])
    if result.status:
        raise AssertionError("%s: %s" % (path, result.errors[:2000]))
    lines = execute([NM, "--undefined-only", bitcode]).output.splitlines()
    return {line.split()[-1] for line in lines if line}


def plain(mangled):
    match = re.match(r"_Z(\d+)", mangled)
    return mangled[match.end() : match.end() + int(match.group(1))] if match else mangled


class Complete(ProgramTest):
    maxDiff = None

    """From the sources that the programs would build, without running them."""

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            environment = dict(os.environ, WAVETANK_TEST_SOURCES=folder)
            for name, arguments in PROGRAMS.items():
                execute([os.environ["WAVETANK"], "run", "--quiet", "--model", "functional", "--", sys.executable,
                         os.path.join(HERE, name + "_program.py"), "Wavetank", *arguments], environment=environment)
            sources = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                cls.called = set().union(*pool.map(called_in, sources))
        cls.names = {plain(name) for name in cls.called}

    def test_every_name_of_the_specification(self):
        for section, names in list(NAMES.items()) + list(NAMES_3_0.items()):
            if section not in ("image", "half", "print"):
                self.assertEqual([name for name in names if name not in self.names], [], section)

    def test_image_functions_are_in_their_program(self):
        with open(os.path.join(HERE, "image_program.py"), encoding="utf-8") as stream:
            text = stream.read()
        for name in NAMES["image"]:
            self.assertIn(re.sub(r"(image)(f|i|ui)$", r"\1S", name) + "(", text)
        for name in NAMES["half"]:
            self.assertIn(name + "(", text)

    def test_every_overload_that_clang_declares(self):
        """Each type, width and address space: of what is declared, nothing is left uncalled."""
        with tempfile.TemporaryDirectory() as folder:
            declared = test_builtins.Names.declared(self, folder, "-cl-std=CL3.0")
        uncalled = sorted(name for name in declared - self.called if not ELSEWHERE.search(name) and not MIXED.search(name))
        self.assertEqual(uncalled, [], "%d overloads" % len(uncalled))
        self.assertGreater(len(declared & self.called), 5000)


class Results(ProgramTest):
    def check(self, name, *arguments):
        program = os.path.join(HERE, name + "_program.py")
        result = on_wavetank([sys.executable, program, "Wavetank", *arguments], "functional", timeout=3000)
        self.assert_passed(result, name)
        self.assertRegex(result.output, r"^\d+ checks, 0 failed\n$")

    def test_functions_of_the_tables(self):
        self.check("table", *([] if LONG else ["quick"]))

    def test_loads_and_stores(self):
        self.check("memory", *([] if LONG else ["quick"]))

    def test_functions_of_groups_and_old_atomics(self):
        self.check("group")


if __name__ == "__main__":
    if subprocess.run([sys.executable, "-c", "import pyopencl, mpmath"], capture_output=True, check=False).returncode:
        sys.exit(77)
    main()
