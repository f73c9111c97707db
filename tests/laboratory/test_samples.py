#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Time series: they add up to the run, they move nothing, and they reach the database.

Usage: test_samples.py WAVETANK SOURCE_FOLDER
"""
import json
import os
import sys
import unittest

sys.dont_write_bytecode = True
from lab import Lab  # noqa: E402

PLAN = """
axes:
  workload: [reduction, dct]
  gpu.protocol: [si, moesi]
arguments: --small
sample: "300:cu.l1.loads,kernel.instructions,l1.hit_ratio"
figures: { loads: { kind: time, y: cu.l1.loads, color: gpu.protocol, row: workload } }
"""
FIRST_VALUE = 4  # of an interval's list: launch, kernel, start and cycles stand before


class Samples(Lab):
    def statistics(self, *words):
        self.good("run", "--quiet", "--json", self.path("run.json"), *words)
        with open(self.path("run.json")) as stream:
            run = json.load(stream)
        del run["simulator"]
        return run, run.pop("samples", None)

    def names(self, run):
        """All counters, and of each histogram two."""
        for name, value in run["run"]["sums"].items():
            yield from [name + ".sum", name + ".count"] if isinstance(value, dict) else [name]

    def check_sums(self, run, samples):
        for index, name in enumerate(samples["statistics"]):
            total = sum(interval[FIRST_VALUE + index] for interval in samples["intervals"])
            sums, _, part = run["run"]["sums"], *name.rpartition(".")[1:]
            expected = sums[name] if name in sums else sums[name.rpartition(".")[0]][part]
            self.assertEqual(total, expected, name)

    def check_intervals(self, run, samples):
        at = 0
        for launch, kernel, start, cycles, *_ in samples["intervals"]:
            self.assertEqual(start, at)
            self.assertEqual(samples["kernels"][kernel], run["kernels"][launch - 1]["name"])
            at += cycles
        self.assertEqual(at, run["run"]["cycles"])
        lengths = {}
        for launch, _, _, cycles, *_ in samples["intervals"]:
            lengths.setdefault(launch, []).append(cycles)
        for launch, cycles in lengths.items():
            self.assertEqual(set(cycles[:-1]) | {samples["every_cycles"]}, {samples["every_cycles"]}, launch)
            self.assertTrue(0 < cycles[-1] <= samples["every_cycles"], launch)
            self.assertEqual(sum(cycles), run["kernels"][launch - 1]["cycles"])

    def test_samples_add_up_and_move_nothing(self):
        for program, more in (("reduction", []), ("matrix_transpose", ["-o", "gpu.protocol=moesi"]),
                              ("histogram", ["-o", "l1.mshr_limit=adaptive"]), ("local_hash_table", [])):
            words = [*more, "--workload", program, "--", "--small"]
            plain, _ = self.statistics(*words)
            asked = "97:" + ",".join(self.names(plain))
            sampled, samples = self.statistics("--sample", asked, *words)
            self.assertEqual(plain, sampled, program)
            self.check_sums(plain, samples)
            self.check_intervals(plain, samples)
            self.assertGreater(len(samples["intervals"]), 5)
            with self.subTest("sleep and order"):
                again = self.statistics("--sample", asked, "-o", "sim.sleep=0", "-o", "sim.order_seed=5", *words)[1]
                self.assertEqual(samples, again)

    def test_an_occupancy_counts_each_cycle_of_its_interval(self):
        run, samples = self.statistics("--sample", "250:cu.wavefronts.count,cu7.l1.mshr_occupancy.count", "--workload", "dct",
                                       "--", "--small")
        for interval in samples["intervals"][:-1]:
            self.assertEqual(interval[FIRST_VALUE:], [250 * 32, 250])

    def test_what_is_wrong_is_said_first(self):
        program = ["--workload", "dct", "--", "--small"]
        for words, message in ((["--json", "s.json", "--sample", "100:cu.l1.lods"], "did you mean 'cu.l1.loads'?"),
                               (["--json", "s.json", "--sample", "often"], "number of cycles"),
                               (["--sample", "100"], "--json"),
                               (["--json", "s.json", "--sample", "100", "--model", "functional"], "timed model")):
            result = self.command("run", *words, *program)
            self.assertEqual(result.returncode, 2, words)
            self.assert_one_message(result, message)

    def test_the_database_and_its_merge(self):
        plan, view = self.plan(PLAN), "SELECT r.key, s.* FROM samples s JOIN runs r ON r.run = s.run ORDER BY key, name, sample"
        self.good("sweep", plan, "-o", self.path("r.db"), "--no-progress")
        found = self.rows(self.path("r.db"), """SELECT r.workload, count(*), sum(value) = (SELECT value FROM statistics s
            WHERE s.run = samples.run AND s.name = samples.name AND kernel = 0), max(cycle + samples.cycles) = r.cycles
            FROM samples JOIN runs r ON r.run = samples.run WHERE name <> 'l1.hit_ratio' GROUP BY samples.run, name""")
        self.assertEqual(len(found), 8)
        self.assertTrue(all(row[2:] == ["1", "1"] and int(row[1]) > 5 for row in found), found)
        for part in "12":
            self.good("sweep", plan, "-o", self.path(part + ".db"), "--shard", part + "/2", "--no-progress")
        self.good("merge", self.path("m.db"), self.path("2.db"), self.path("1.db"))
        self.assertEqual([row[:1] + row[2:] for row in self.rows(self.path("m.db"), view)],
                         [row[:1] + row[2:] for row in self.rows(self.path("r.db"), view)])


if __name__ == "__main__":
    Lab.SOURCE = os.path.abspath(sys.argv.pop(2))
    Lab.WAVETANK = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
