#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Deliberate faults: for each `debug.break` a check that passes without it and fails with it."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs"))
from wavetank_tests import ProgramTest, main, on_wavetank, program_path  # noqa: E402

CACHES = program_path("tests", "litmus", "caches")
LITMUS = program_path("tests", "litmus", "litmus")

# fault, the program that must notice, settings of both runs
TABLE = [
    ("keep_l1_at_acquire", [CACHES, "stale_word", "--without-glc"], ()),
    ("keep_l1_at_kernel", [CACHES, "next_kernel"], ()),
    ("keep_l1_at_end", [CACHES, "next_kernel"], ("gpu.protocol=nmoesi",)),
    ("keep_scalar_at_kernel", [CACHES, "next_kernel_scalar"], ()),
    ("keep_line_at_store", [CACHES, "own_store"], ()),
    ("drop_dirty_byte", [CACHES, "write_back"], ()),
    ("drop_write_back", [CACHES, "write_back"], ()),
    ("merge_over_dirty", [CACHES, "partial_lines"], ()),
    ("ignore_glc", [CACHES, "stale_word"], ()),
    ("host_skips_l2", [CACHES, "host_transfers"], ()),
    ("ignore_waitcnt", [CACHES, "load_and_use"], ()),
    ("ignore_barrier", [CACHES, "barrier_waits"], ()),
    ("store_all_lanes", [CACHES, "some_lanes"], ()),
    ("end_without_stores", [CACHES, "end_waits"], ()),
]
MAX_CYCLES = ["--max-cycles", "20000000"]


class Breaks(ProgramTest):
    def check(self, fault, program, settings):
        whole = on_wavetank(program, settings=settings, options=MAX_CYCLES)
        self.assert_passed(whole, "without the fault")
        broken = on_wavetank(
            program, settings=[*settings, "debug.break=" + fault], options=MAX_CYCLES
        )
        self.assertEqual(broken.status, 1, fault + " must give wrong results: " + broken.report())


def fault_method(row):
    return lambda self: self.check(*row)


for one in TABLE:
    setattr(Breaks, "test_" + one[0], fault_method(one))


if __name__ == "__main__":
    main()
