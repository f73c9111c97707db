#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs with critical sections are right as transactions, under every system for the memory that they lie in."""
import os
import unittest

from wavetank_tests import WAVETANK, ProgramTest, execute, main, program_path

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def programs(option="CRITICAL_OPTION"):
    folder = os.path.join(SOURCES, "workloads")
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name, "host.c")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as stream:
                if option in stream.read():
                    yield name


def systems(memory="local memory"):
    listed = execute([WAVETANK, "list", "transactional-memory"]).output
    return [line.split()[0] for line in listed.splitlines() if memory in line]


def run(system, name, *arguments, options=()):
    return execute([WAVETANK, "run", "--quiet", "-o", "gpu.transactional_memory=" + system, *options, "--workload", name, "--",
                    "--version", "tm", *arguments])


class Transactions(ProgramTest):
    def test_there_are_programs_and_systems(self):
        self.assertGreaterEqual(len(list(programs())), 6)
        self.assertGreaterEqual(len(systems()), 2)

    def test_each_program_is_right_under_each_system(self):
        for system in systems():
            for name in programs():
                with self.subTest(system=system, program=name):
                    self.assert_passed(run(system, name, "--size", "2"), name)

    def test_groups_that_share_a_compute_unit_are_right(self):
        for name in programs():
            with self.subTest(program=name):
                self.assert_passed(run("localtm", name, "--size", "6", options=("-o", "gpu.compute_units=1")), name)

    def test_without_transactional_memory_they_are_wrong(self):
        for name in programs():
            with self.subTest(program=name):
                self.assertEqual(run("none", name, "--size", "2").status, 1)

    def test_programs_on_global_memory(self):
        names = list(programs("EXCLUSIVE_OPTIONS"))
        self.assertGreaterEqual(len(names), 2)
        for name in names:
            for system in systems("global memory"):
                with self.subTest(system=system, program=name):
                    self.assert_passed(run(system, name, "--size", "1"), name)
            with self.subTest(program=name):
                self.assertEqual(run("none", name, "--small").status, 1)

    def test_every_number_of_entries(self):
        for entries in (2, 4, 8, 16, 32, 64, 128, 256):
            self.assert_passed(run("localtm", "local_hash_table", "--size", "1", "--entries", str(entries)), str(entries))


if __name__ == "__main__":
    unittest.TestCase.maxDiff = None
    main()
