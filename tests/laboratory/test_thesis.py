#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The metrics of experiments/thesis/m2s.yaml on a program small enough to count by hand: 1,024 sums of two vectors.

Its 16 wavefronts have 64 active lanes each. One executes 7 vector operations, 2 vector loads and a store, 8 scalar operations, 5 scalar
loads and a branch; each of its loads meets 4 lines that nothing else asks for.

Usage: test_thesis.py WAVETANK SOURCE_FOLDER
"""
import os
import sys
import unittest

sys.dont_write_bytecode = True
from lab import Lab  # noqa: E402

PLAN = """inherit: %s
axes:
  workload: { vector_add: { workload: vector_add, arguments: "--size 1024" } }
  protocol:
    si: { gpu.protocol: si, l2.merging: 1 }
    nmoesi: { gpu.protocol: nmoesi, l2.merging: 0 }
    moesi: { gpu.protocol: moesi, l2.merging: 0 }
  mshr:
    # Fewer than the names say, so that the three differ in time.
    16: { l1.mshr_entries: 8 }
    32: { l1.mshr_entries: 16 }
    256: { l1.mshr_entries: 4 }
claims:
  M: { sentence: all are there, holds: "count(1) == 9" }
figures:
  time: { kind: lines, x: mshr, y: kernel.cycles }
"""
WAVEFRONTS = 16
LANES = 64
VECTOR_LOADS = WAVEFRONTS * 2 * 4  # accesses
SCALAR_LOADS = WAVEFRONTS * 5
OPERATIONS = WAVEFRONTS * ((7 + 2 + 1) * LANES + 8 + 5 + 1)


class Metrics(Lab):
    def numbers(self, sql):
        return {name: float(value) for name, value in self.rows(self.path("r.db"), sql) if value != ""}

    def test_metrics(self):
        parent = os.path.join(self.SOURCE, "experiments", "thesis", "m2s.yaml")
        self.good("sweep", self.plan(PLAN % parent), "-o", self.path("r.db"))
        for run in range(1, 10):
            count = self.numbers("SELECT name, value FROM statistics WHERE kernel = 0 AND kind <> 'metric' AND run = %d" % run)
            found = self.numbers("SELECT name, value FROM derived WHERE run = %d" % run)
            self.check(count, found)
        self.check_bases()

    def check(self, count, found):
        # Loads of the scalar caches count as L1's; which of them hit, missed and joined is a matter of time.
        self.assertEqual((count["cu.l1.load_misses"], count["cu.l1.load_hits"], count["cu.l1.load_merges"]), (VECTOR_LOADS, 0, 0))
        hits, misses, joined = (count["scalar.load_" + what] for what in ("hits", "misses", "merges"))
        self.assertEqual(hits + misses + joined, SCALAR_LOADS)
        self.assertAlmostEqual(found["hit_ratio"], hits / (VECTOR_LOADS + SCALAR_LOADS - joined))
        self.assertAlmostEqual(found["mpki"], (VECTOR_LOADS + misses) * 1000 / OPERATIONS)
        self.assertAlmostEqual(found["combined_l1"], joined / (VECTOR_LOADS + SCALAR_LOADS))
        self.assertAlmostEqual(found["combined_l2"], count["l2.load_merges"] / count["l2.loads"])
        self.assertAlmostEqual(found["l2_mpki"], count["l2.load_misses"] * 1000 / OPERATIONS)
        # All lanes are active: a vector instruction weighs 64 scalar loads.
        vector = count["cu.load_latency.sum"] + count["cu.store_latency.sum"]
        scalar = count["cu.smem_latency.sum"]
        self.assertAlmostEqual(found["latency"], (LANES * vector + scalar) / (LANES * WAVEFRONTS * 3 + SCALAR_LOADS))

    def check_bases(self):
        """Figure 7.7 has two: MOESI with 256 MSHRs, and MOESI's best."""
        cycles = {(protocol, size): int(value) for protocol, size, value in self.rows(
            self.path("r.db"), "SELECT p.value, m.value, r.cycles FROM axes p, axes m, runs r WHERE p.axis = 'protocol' AND m.axis ="
                               " 'mshr' AND p.number = m.number AND r.run = p.run")}
        best = min(cycles["moesi", size] for size in ("16", "32", "256"))
        names = {"over_moesi": lambda size: cycles["moesi", size], "over_moesi_256": lambda _: cycles["moesi", "256"],
                 "over_moesi_best": lambda _: best, "over_nmoesi": lambda size: cycles["nmoesi", size]}
        self.assertEqual(len(cycles), 9)
        self.assertEqual(len({cycles["moesi", size] for size in ("16", "32", "256")}), 3, "the example is no example")
        for name, base in names.items():
            rows = self.rows(self.path("r.db"), "SELECT p.value, m.value, d.value FROM axes p, axes m, derived d WHERE p.axis ="
                                                " 'protocol' AND m.axis = 'mshr' AND p.number = m.number AND d.number = p.number"
                                                " AND d.name = '%s'" % name)
            self.assertEqual(len(rows), 9)
            for protocol, size, value in rows:
                self.assertAlmostEqual(float(value), base(size) / cycles[protocol, size], msg=name)


if __name__ == "__main__":
    Lab.SOURCE = os.path.abspath(sys.argv.pop(2))
    Lab.WAVETANK = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
