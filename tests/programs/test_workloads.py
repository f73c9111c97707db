#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The example programs give right results timed and functional, the same in both, and what they give on PoCL."""
import unittest

from wavetank_tests import POCL, ProgramTest, execute, has_pocl, main, program_path

# name, arguments, whether every device must give the same bits
CASES = [
    ("vector_add", "--size 10000", True),
    ("vector_add", "--size 63 --seed 7", True),
    ("matrix_transpose", "--size 128", True),
    ("matrix_transpose", "--size 50 --columns 77 --padding 0", True),
    ("matrix_transpose", "--size 64 --columns 100 --naive", True),
    ("matrix_multiplication", "--size 96", True),
    ("matrix_multiplication", "--size 37", True),
    ("matrix_multiplication", "--size 48 --naive", True),
    ("reduction", "--size 70000 --iterations 2", True),
    ("reduction", "--size 1", True),
    ("black_scholes", "--size 4096", False),
    ("black_scholes", "--size 1003 --seed 3", False),
]


class Workloads(ProgramTest):
    def check(self, name, arguments, is_exact):
        program = [program_path("workloads", name), *arguments.split(), "--verbose"]
        results = self.run_models(program)
        checksum = results["timed"].lines("checksum")
        self.assertEqual(len(checksum), 1)
        self.assertEqual(checksum, results["functional"].lines("checksum"))
        self.assertEqual(results["timed"].kernels(), results["functional"].kernels())
        if has_pocl():
            pocl = execute(program + ["--platform", POCL])
            self.assert_passed(pocl, "PoCL")
            if is_exact:
                self.assertEqual(checksum, pocl.lines("checksum"))


def case_method(case):
    return lambda self: self.check(*case)


for index, one in enumerate(CASES):
    words = one[1].replace("--", "").replace(" ", "_")
    setattr(Workloads, "test_%02d_%s_%s" % (index, one[0], words), case_method(one))


class Refusals(ProgramTest):
    def test_mistakes_end_with_status_2(self):
        program = program_path("workloads", "vector_add")
        for arguments in (["--size", "0"], ["--size"], ["--sise", "4"], ["--platform", "No such"]):
            self.assertEqual(execute([program, *arguments]).status, 2, arguments)

    def test_help_names_every_option(self):
        output = execute([program_path("workloads", "matrix_transpose"), "--help"]).output
        for option in ("--size", "--iterations", "--seed", "--device", "--platform", "--verbose", "--padding"):
            self.assertIn(option, output)


if __name__ == "__main__":
    unittest.TestCase.maxDiff = None
    main()
