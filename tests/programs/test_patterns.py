#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The programs of the thesis access memory as the kernels of AMD's SDK of the same names do:
tools/access-patterns says what is compared, sdk_patterns.tsv holds the counts of these kernels."""
import os
import sys
import unittest

from wavetank_tests import BUILD, execute, main

FOLDER = os.path.dirname(os.path.abspath(__file__))
TOOL = os.path.join(FOLDER, "..", "..", "tools", "access-patterns")
ROWS = os.path.join(FOLDER, "sdk_patterns.tsv")


def run_tool(*words):
    return execute([sys.executable, TOOL, "--build", BUILD, *words])


def programs():
    with open(ROWS, encoding="utf-8") as stream:
        rows = [line.split("\t") for line in stream if not line.startswith("#")]
    return sorted({row[0] for row in rows[1:]})


class Patterns(unittest.TestCase):
    def check(self, program):
        result = run_tool("check", program)
        self.assertEqual(result.status, 0, result.report())

    def test_another_kernel_of_the_same_work_is_told_apart(self):
        """matrix_transpose does the same with stores of whole lines."""
        result = run_tool("check", "--run", "matrix_transpose", "thesis_matrix_transpose")
        self.assertEqual(result.status, 1, result.report())
        for words in ("store_lines is 4,", "store_bytes is 64,"):
            self.assertIn(words, result.output)
        self.assertNotIn("load", result.output)


for name in programs():
    setattr(Patterns, "test_" + name, lambda self, name=name: self.check(name))


if __name__ == "__main__":
    main()
