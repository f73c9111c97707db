#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that come through the ICD loader from elsewhere: a pyopencl program and clinfo."""
import os
import sys
import unittest

from wavetank_tests import MODELS, POCL, WAVETANK, ProgramTest, execute, has_pocl, main

PROGRAM = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "pyopencl_program.py")]


def has_module(name):
    return execute([sys.executable, "-c", "import " + name]).status == 0


class Pyopencl(ProgramTest):
    @unittest.skipUnless(has_module("pyopencl"), "python3-pyopencl is not installed")
    def test_program(self):
        results = self.run_models(PROGRAM + ["Wavetank"])
        outputs = [results[model].output for model in MODELS]
        self.assertEqual(outputs[0], outputs[1])
        self.assertEqual(results["timed"].kernels(), results["functional"].kernels())
        if has_pocl():
            pocl = execute(PROGRAM + [POCL])
            self.assert_passed(pocl, "PoCL")
            self.assertEqual(outputs[0], pocl.output)


class Clinfo(ProgramTest):
    def clinfo(self, *arguments):
        result = execute([WAVETANK, "run", "--quiet", "--", "clinfo", *arguments])
        self.assert_passed(result, "clinfo")  # though it runs no kernel
        return result

    def test_lists_one_platform_and_device(self):
        output = self.clinfo("-l").output
        self.assertIn("Wavetank", output)
        self.assertEqual(output.count("Platform #"), 1)
        self.assertEqual(output.count("Device #"), 1)

    def test_answers_every_query(self):
        output = self.clinfo().output
        for wanted in ("OpenCL 3.0", "GPU", "Max compute units", "Max work group size"):
            self.assertIn(wanted, output)
        self.assertNotIn("CL_INVALID", output)

    def test_device_is_the_one_configured(self):
        values = {}
        for line in self.clinfo("--raw").output.splitlines():
            words = line.split()
            for index, word in enumerate(words[:-1]):
                if word.startswith("CL_DEVICE_"):
                    values[word] = words[index + 1]
        self.assertEqual(values["CL_DEVICE_MAX_COMPUTE_UNITS"], "32")
        self.assertEqual(values["CL_DEVICE_MAX_CLOCK_FREQUENCY"], "925")
        self.assertEqual(values["CL_DEVICE_LOCAL_MEM_SIZE"], "32768")
        self.assertEqual(values["CL_DEVICE_MAX_WORK_GROUP_SIZE"], "256")

    def test_other_platforms_on_request(self):
        if not has_pocl():
            self.skipTest("no other platform is installed")
        result = execute([WAVETANK, "run", "--quiet", "--with-platforms", "--", "clinfo", "-l"])
        self.assertIn("Wavetank", result.output)
        self.assertIn(POCL, result.output)


if __name__ == "__main__":
    main()
