# SPDX-License-Identifier: MIT
"""A region of interest: some launches timed, the others functional, on one memory."""
import os
import tempfile
import unittest

from wavetank_tests import WAVETANK, ProgramTest, execute, main, on_wavetank, program_path, protocol_names

SORT = [program_path("workloads", "bitonic_sort"), "--size", "4096"]  # 78 launches of one kernel
RADIX = [program_path("workloads", "radix_sort"), "--size", "1024"]   # four times count_digits, scan_counts, permute


class Region(ProgramTest):
    def run_chosen(self, program, *options, settings=()):
        result = on_wavetank(program, options=options, settings=settings)
        self.assert_passed(result, options)
        return result.statistics

    def test_results_are_right_under_every_protocol(self):
        """What timed launches left in caches reaches functional ones, and no stale line comes back."""
        for protocol in protocol_names():
            statistics = self.run_chosen(SORT, "--timed-kernels", "2-3,40,76-", settings=["gpu.protocol=" + protocol])
            self.assertEqual(statistics["untimed"]["timed"], [[2, 3], [40, 40], [76, 78]], protocol)
            self.assertEqual(statistics["run"]["launches"], 6)
            self.run_chosen(SORT, "--timed-kernels", "2-3,40,76-", "--warm-caches", settings=["gpu.protocol=" + protocol])

    def test_names_and_numbers_choose(self):
        statistics = self.run_chosen(RADIX, "--timed-kernels", "count_digits,permute:2-3,12")
        self.assertEqual([kernel["name"] for kernel in statistics["kernels"]],
                         ["count_digits"] * 2 + ["permute"] + ["count_digits", "permute", "count_digits", "permute"])
        self.assertEqual(statistics["untimed"]["timed"], [[1, 1], [4, 4], [6, 7], [9, 10], [12, 12]])
        self.assertEqual({kernel["name"]: kernel["launches"] for kernel in statistics["untimed"]["kernels"]},
                         {"count_digits": 0, "scan_counts": 4, "permute": 1})

    def test_instructions_are_all_counted_once(self):
        whole = self.run_chosen(RADIX)
        part = self.run_chosen(RADIX, "--timed-kernels", "3-5")
        self.assertEqual(part["run"]["instructions"], sum(kernel["instructions"] for kernel in whole["kernels"][2:5]))
        self.assertEqual(part["run"]["instructions"] + part["untimed"]["instructions"], whole["run"]["instructions"])
        self.assertEqual(part["untimed"]["launches"], 9)
        self.assertEqual(part["run"]["kernel_time_ns"], sum(k["end_ns"] - k["start_ns"] for k in part["kernels"]))

    def test_all_chosen_is_the_whole_run(self):
        whole, chosen = self.run_chosen(RADIX), self.run_chosen(RADIX, "--timed-kernels", "1-")
        self.assertEqual(chosen["kernels"], whole["kernels"])
        self.assertEqual(chosen["run"], whole["run"])
        self.assertNotIn("untimed", whole)

    def test_what_no_launch_was_is_said(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for options, said in ((["--timed-kernels", "count_digit,5"], ["timed launches: no kernel 'count_digit' was launched", "did you mean 'count_digits'?"]),
                              (["--timed-kernels", "1,permute:5-"], ["timed launches: there is no launch 5 of permute: there were 4"]),
                              (["--fast-forward", "12"], ["timed launches: there is no launch 13: there were 12"]),
                              (["--timeline", os.path.join(folder.name, "t.pftrace"), "--timeline-detail", "kernel=scan,group=0"],
                               ["--timeline-detail: no kernel 'scan' was launched"])):
            with self.subTest(options=options):
                result = on_wavetank(RADIX, options=["--quiet", *options])
                self.assert_passed(result, options)
                for words in said:
                    self.assertIn(words, result.errors)
                self.assertLessEqual(result.errors.count("wavetank: "), 1)
        result = on_wavetank(RADIX, options=["--quiet", "--timed-kernels", "count_digits,permute:4-,12"])
        self.assertNotIn("timed launches", result.errors)

    def test_fast_forward_leaves_out_the_first(self):
        statistics = self.run_chosen(SORT, "--fast-forward", "70")
        self.assertEqual(statistics["untimed"]["timed"], [[71, 78]])
        self.assertEqual(statistics["untimed"]["timed_launches"], "71-")

    def test_caches_are_cold_or_warm(self):
        """A launch in the middle: warm it takes about what it takes in the whole run, cold it misses."""
        whole = self.run_chosen(SORT)["kernels"][39]
        cold = self.run_chosen(SORT, "--timed-kernels", "40")["kernels"][0]
        warm = self.run_chosen(SORT, "--timed-kernels", "40", "--warm-caches")["kernels"][0]
        self.assertEqual(cold["metrics"]["l2.hit_ratio"], 0)
        self.assertGreater(warm["metrics"]["l2.hit_ratio"], 0.99)
        self.assertLess(abs(warm["cycles"] / whole["cycles"] - 1), 0.05)
        self.assertGreater(cold["cycles"], 1.2 * warm["cycles"])

    def test_without_a_launch_to_time_the_table_says_so(self):
        result = execute([WAVETANK, "run", "--timed-kernels", "no_such_kernel", "--", *RADIX])
        self.assert_passed(result, "none chosen")
        self.assertIn("timed launches: none of 12 (no_such_kernel)", result.errors)

    def test_private_memory_and_printf_work_in_both(self):
        """Scratch and the print buffer belong to both models at once."""
        features = [program_path("tests", "programs", "features")]
        self.run_chosen(features, "--timed-kernels", "1-3,8,20-22")


class Refusals(ProgramTest):
    def refused(self, *options):
        result = execute([WAVETANK, "run", *options, "--", "true"])
        self.assertEqual(result.status, 2, options)
        return result.errors

    def test_a_selection_that_is_none(self):
        for selection in ("", "0", "3-2", "scan:0", "scan:", ":3", "1,,2", "4-x", "99999999999999999999"):
            self.assertIn("no choice of launches", self.refused("--timed-kernels", selection))

    def test_what_does_not_go_together(self):
        self.assertIn("one of them", self.refused("--timed-kernels", "a", "--fast-forward", "2"))
        self.assertIn("--warm-caches without", self.refused("--warm-caches"))
        self.assertIn("not a number of launches", self.refused("--fast-forward", "x"))
        for option in ("--timed-kernels", "--fast-forward"):
            self.assertIn("need the timed model", self.refused("--model", "functional", option, "3"))


if __name__ == "__main__":
    unittest.TestCase.maxDiff = None
    main()
