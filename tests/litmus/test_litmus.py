#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Litmus tests: no forbidden outcome, and on the timed machine the weak ones that real caches show."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs"))
from wavetank_tests import ProgramTest, main, on_wavetank, program_path  # noqa: E402

LITMUS = program_path("tests", "litmus", "litmus")
CACHES = program_path("tests", "litmus", "caches")


class Litmus(ProgramTest):
    def test_timed_shows_weak_and_no_forbidden_outcomes(self):
        result = on_wavetank([LITMUS, "--observe"])
        print(result.output, file=sys.stderr)
        self.assert_passed(result, "timed")

    def test_small_caches_and_few_mshr(self):
        for setting in ("l1.mshr_entries=1", "l2.mshr_entries=1"):
            self.assert_passed(on_wavetank([LITMUS, "--size", "20"], settings=[setting]), setting)

    def test_functional_has_no_forbidden_outcome(self):
        self.assert_passed(on_wavetank([LITMUS, "--size", "20"], "functional"), "functional")


class Caches(ProgramTest):
    """A copy in L1 is old until a fence, a GLC load or a new kernel: data lives in the caches."""

    def test_timed_reads_the_old_word_without_a_fence(self):
        result = on_wavetank([CACHES])
        self.assert_passed(result, "timed")
        self.assertIn("first 0, without a fence 0, past L1 1005, after a fence 1005", result.output)

    def test_functional_has_no_caches(self):
        self.assert_passed(on_wavetank([CACHES, "--expect-fresh"], "functional"), "functional")


if __name__ == "__main__":
    main()
