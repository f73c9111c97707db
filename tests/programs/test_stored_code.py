#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Code that is kept on disk, by pyopencl, by Wavetank and by programs, is not used where a build would make other code."""
import glob
import os
import shutil
import sys
import tempfile
import unittest

from wavetank_tests import BUILD, WAVETANK, execute, main

PROGRAM = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "stored_program.py")]


@unittest.skipIf(execute([sys.executable, "-c", "import numpy, pyopencl"]).status, "no pyopencl")
class StoredCodeTest(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = place.name

    def run_program(self, *words, options=(), **files):
        environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(self.folder, "cache"), **files)
        environment.pop("WAVETANK_CACHE", None)
        command = [WAVETANK, "run", "--quiet", *options, "--", *PROGRAM, *words]
        return execute(command, environment=environment)

    def in_store(self):
        """How many binaries pyopencl keeps, and how many Wavetank does."""
        return [len(glob.glob(os.path.join(self.folder, "cache", place), recursive=True))
                for place in ("pyopencl/**/binary", "wavetank/*.co")]

    def wrapper(self, name, path):
        """Another program, which does the same."""
        script = os.path.join(self.folder, name)
        with open(script, "w", encoding="utf-8") as stream:
            stream.write("#!/bin/sh\nexec %s \"$@\"\n" % path)
        os.chmod(script, 0o755)
        return script

    def changes(self):
        backend = os.path.join(BUILD, "src/backend/wavetank-backend")
        builtins = os.path.join(self.folder, "builtins.bc")
        shutil.copy(os.path.join(BUILD, "src/builtin/builtins.bc"), builtins)
        return [
            {"options": ["--build-options", "-DK=3"]},
            {"options": ["--build-options", "-DK=2"]},
            {"options": ["--profile=" + os.path.join(self.folder, "profile")]},
            {"options": ["-o", "gpu.wavefront_lanes=32"]},
            {"WAVETANK_CLANG": self.wrapper("clang", shutil.which("clang-22") or shutil.which("clang"))},
            {"WAVETANK_BACKEND": self.wrapper("backend", backend)},
            {"WAVETANK_BUILTINS": builtins},
        ]

    def test_each_change_of_what_makes_code_is_built_afresh(self):
        seen = set()
        for change, expected in zip([{}, *self.changes()], (1, 3, 2, 1, 1, 1, 1, 1)):
            before = self.in_store()
            first, second = self.run_program(**change), self.run_program(**change)
            self.assertEqual(first.status, 0, first.report())
            version, kept, plain = first.output.split()
            self.assertEqual([int(kept), int(plain)], [expected, expected], change)
            self.assertEqual(second.output, first.output)
            self.assertNotIn(version, seen, change)
            seen.add(version)
            after = self.in_store()
            self.assertEqual([after[0] - before[0], after[1] - before[1]], [1, 2], change)
        before = self.in_store()
        again = self.run_program()
        self.assertEqual(again.output.split()[1:], ["1", "1"])
        self.assertEqual(self.in_store(), before, "nothing has changed, and it was built again")

    def test_a_binary_of_another_compiler_is_refused_and_one_of_this_runs(self):
        path = os.path.join(self.folder, "program.bin")
        self.run_program("save", path)
        same = self.run_program("load", path)
        self.assertEqual((same.status, same.output.split()), (0, ["1"]), same.report())
        self.assertNotIn("made from a binary", same.errors)
        backend = self.wrapper("backend", os.path.join(BUILD, "src/backend/wavetank-backend"))
        other = self.run_program("load", path, WAVETANK_BACKEND=backend)
        self.assertIn("INVALID_BINARY", other.errors)
        self.assertIn("made by another build of the compiler", other.errors)
        with open(path, "r+b") as stream:
            stream.truncate(os.path.getsize(path) - 48)
        elsewhere = self.run_program("load", path, WAVETANK_BACKEND=backend)
        self.assertEqual(elsewhere.output.split(), ["1"], elsewhere.report())

    def test_a_line_says_where_added_options_do_not_reach_a_binary(self):
        path = os.path.join(self.folder, "program.bin")
        self.run_program("save", path)
        added = self.run_program("load", path, options=["--build-options", "-DK=3"])
        self.assertEqual(added.output.split(), ["1"])
        self.assertIn("--build-options and --profile's -g do nothing to it", added.errors)
        self.run_program("save", path, options=["--build-options", "-DK=3"])
        left = self.run_program("load", path)
        self.assertEqual(left.output.split(), ["3"])
        self.assertIn("added to an earlier run are in it", left.errors)

    def test_a_failed_build_is_said_with_its_first_error_and_that_no_kernel_ran(self):
        failed = self.run_program("save", os.devnull, options=["--build-options", "-DK=unheard_of"])
        self.assertNotEqual(failed.status, 0)
        self.assertRegex(failed.errors, r"wavetank: clBuildProgram: program-\w+\.cl:\d+: use of undeclared identifier")
        self.assertEqual(failed.errors.count("wavetank: clBuildProgram"), 1, failed.errors)
        self.assertIn("ran on Wavetank\n  hint: a program of it could not be built", failed.errors)
        self.assertNotIn("no kernel", self.run_program("load", os.devnull).errors)


if __name__ == "__main__":
    main()
