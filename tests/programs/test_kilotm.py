#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The programs with transactions on global memory are right under kilotm, however little its parts hold, and its oracle finds nothing.

    test_kilotm.py            some programs on each machine
    WAVETANK_LONG=1 ...       all programs on each machine, with each limit on 1, 8 and 30 cores, and the other systems there; prints how
                              many attempts were doomed, and for how long
"""
import os
import unittest

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
CORES = (1, 8, 30)
LIMITS = (1, 2, 4, 8, 16, 0)
OTHERS = ("ideal_global", "serial_global")
QUICK = ("global_hash_table", "global_barnes_hut")


class Kilotm(ProgramTest):
    def run_program(self, name, settings, system="kilotm"):
        result = on_wavetank([program_path("workloads/" + name), "--version", "tm", "--small"], "timed",
                             ("gpu.transactional_memory=" + system, "sim.check_transactions=1", *settings), timeout=900)
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
                        self.say(name, machine, sums)

    def say(self, name, machine, sums):
        print("%s, %s: %d attempts, %d doomed; the longest ran on for %d cycles, and ended after %d" % (
            name, machine, sums["tm.oracle.attempts"], sums["tm.oracle.doomed"],
            sums["tm.oracle.doomed_ran_longest"], sums["tm.oracle.doomed_longest"]), flush=True)

    @unittest.skipUnless(IS_LONG, "minutes: make test-long")
    def test_right_under_every_system_and_limit(self):
        ways = [("kilotm", ("kilotm.warps_per_core=%d" % limit,)) for limit in LIMITS] + [(system, ()) for system in OTHERS]
        for name in programs("EXCLUSIVE_OPTIONS"):
            for cores in CORES:
                for system, settings in ways:
                    machine = "%s, %d cores" % (", ".join((system, *settings)), cores)
                    with self.subTest(program=name, machine=machine):
                        sums = self.run_program(name, ("gpu.compute_units=%d" % cores, *settings), system)
                        self.assertGreater(sums["tm.oracle.commits"], 0)
                        self.say(name, machine, sums)


if __name__ == "__main__":
    main()
