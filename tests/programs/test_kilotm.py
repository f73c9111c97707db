#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The programs with transactions on global memory are right under kilotm, however little its parts hold, and its oracle finds nothing.

    test_kilotm.py            some programs on each machine
    WAVETANK_LONG=1 ...       all programs on each machine; prints how many attempts were doomed, and for how long
"""
import os

from test_transactions import programs
from wavetank_tests import ProgramTest, main, on_wavetank, program_path

IS_LONG = os.environ.get("WAVETANK_LONG") == "1"
MACHINES = {
    "1 core": ("gpu.compute_units=1",),
    "8 cores": ("gpu.compute_units=8",),
    "30 cores": ("gpu.compute_units=30",),
    "no limit": ("kilotm.warps_per_core=0",),
    "tiny ring, smallest credits": ("kilotm.credits=64", "kilotm.ring_entries=512", "gpu.compute_units=8"),
    "tiny buffers": ("kilotm.set_words=2", "kilotm.set_buffers=64"),
    "tiny history": ("kilotm.history_entries=4", "kilotm.history_ways=1", "kilotm.bloom_buckets=4"),
}
QUICK = ("global_hash_table", "global_barnes_hut")


class Kilotm(ProgramTest):
    def run_program(self, name, settings):
        result = on_wavetank([program_path("workloads/" + name), "--version", "tm", "--small"], "timed",
                             ("gpu.transactional_memory=kilotm", "sim.check_transactions=1", *settings), timeout=900)
        self.assert_passed(result, "%s %s" % (name, settings))
        return result.statistics["run"]["sums"]

    def test_right_however_little_there_is(self):
        names = list(programs("EXCLUSIVE_OPTIONS"))
        self.assertLessEqual(set(QUICK), set(names))
        for name in names if IS_LONG else QUICK:
            for machine, settings in MACHINES.items():
                with self.subTest(program=name, machine=machine):
                    sums = self.run_program(name, settings)
                    self.assertGreater(sums["tm.oracle.commits"], 0)
                    if IS_LONG:
                        print("%s, %s: %d attempts, %d doomed; the longest ran on for %d cycles, and ended after %d" % (
                            name, machine, sums["tm.oracle.attempts"], sums["tm.oracle.doomed"],
                            sums["tm.oracle.doomed_ran_longest"], sums["tm.oracle.doomed_longest"]), flush=True)


if __name__ == "__main__":
    main()
