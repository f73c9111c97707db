#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does `wavetank tune` find the best point of a grid, and for how much? Prints a table.

Usage: test_tune.py WAVETANK SOURCE_FOLDER [--long]; --long takes ten programs instead of two.
"""
import os
import re
import sys
import unittest

sys.dont_write_bytecode = True
from lab import Lab  # noqa: E402

AXES = {"l1.mshr_entries": [8, 32, 2], "l1.ways": [4, 16], "crossbar.width_bytes": [16, 64, 32, 8]}
SHORT = ["matrix_transpose", "reduction"]
LONG = SHORT + ["vector_add", "prefix_sum", "black_scholes", "dwt_haar_1d", "simple_convolution", "sobel_filter",
                "quasi_random_sequence", "dct"]
NEAR, MOST_SPENT = 1.02, 0.40
PROGRAMS = SHORT


class Tune(Lab):
    def tune(self, *words):
        axes = [word for name, values in AXES.items() for word in ("--axis", "%s=%s" % (name, ",".join(map(str, values))))]
        return self.command("tune", *axes, *words)

    def grid(self, program):
        """The cycles of all points."""
        lines = ["workload: %s" % program, "axes:"] + ["  %s: %s" % axis for axis in AXES.items()]
        self.good("sweep", self.plan("\n".join(lines) + "\n"), "-o", self.path("r.db"), "--quiet")
        cycles = [int(row[0]) for row in self.rows(self.path("r.db"), "SELECT r.cycles FROM runs r"
                                                                      " WHERE r.workload = '%s' ORDER BY run" % program)]
        self.assertEqual(len(cycles), 24)
        return cycles

    def test_the_best_point_is_found(self):
        print("%-22s %9s %9s %8s %7s  points within 2 %%" % ("program", "best", "found", "slower", "spent"))
        found_all = 0
        for program in PROGRAMS:
            cycles = self.grid(program)
            result = self.tune("--workload", program, "--quiet")
            self.assertEqual(result.returncode, 0, result.stderr)
            best = min(cycles)
            found = int(re.search(r"^(\d+) cycles", result.stdout, re.M).group(1))
            spent = int(re.search(r"simulated (\d+) cycles", result.stdout).group(1)) / sum(cycles)
            print("%-22s %9d %9d %6.2f %% %5.1f %%  %d" % (program, best, found, 100 * (found / best - 1), 100 * spent,
                                                           sum(other <= NEAR * best for other in cycles)), flush=True)
            self.assertIn(found, cycles, "the cycles that it prints are those of a point")
            self.assertLessEqual(spent, MOST_SPENT, program)
            found_all += found <= NEAR * best
        self.assertGreaterEqual(found_all, len(PROGRAMS) - len(PROGRAMS) // 10)

    def test_the_point_that_it_prints_has_the_cycles_that_it_prints(self):
        words = ["tune", "--axis", "l1.mshr_entries=2,16", "-o", "l1.ways=8", "--quiet"]
        program = os.path.join(os.path.dirname(os.path.realpath(self.WAVETANK)), "../../workloads/vector_add")
        outputs = [self.good(*words, "--workload", "vector_add", "--", "--size", "8192"),
                   self.good(*words, "--", program, "--size", "8192")]
        self.assertEqual(outputs[0], outputs[1])
        self.assertEqual(outputs[0].splitlines()[0], "-o l1.mshr_entries=16")
        self.good("run", "--quiet", "--json", self.path("x.json"), "-o", "l1.mshr_entries=16", "-o", "l1.ways=8",
                  "--workload", "vector_add", "--", "--size", "8192")
        import json
        with open(self.path("x.json")) as stream:
            self.assertTrue(outputs[0].splitlines()[1].startswith("%d cycles" % json.load(stream)["run"]["cycles"]))
        self.assertIn("sure: all others were run", outputs[0])

    def test_what_is_wrong_is_told(self):
        for words, message in ((["--axis", "l1.ways=4"], "lacks the program"), (["--", "true"], "lacks axes"),
                               (["--axis", "l1.wags=4", "--", "true"], "did you mean 'l1.ways'"),
                               (["--axis", "l1.ways", "--", "true"], "a parameter and its values"),
                               (["--axis", "l1.ways=4,0", "--", "true"], "l1.ways: 0 is outside")):
            result = self.command("tune", *words)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assert_one_message(result, message)
        result = self.command("tune", "--axis", "l1.ways=4,8", "--", "false")
        self.assertEqual(result.returncode, 1)
        self.assertIn("the first point", result.stderr)


if __name__ == "__main__":
    if "--long" in sys.argv:
        sys.argv.remove("--long")
        PROGRAMS = LONG
    Lab.SOURCE = os.path.abspath(sys.argv.pop(2))
    Lab.WAVETANK = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
