#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The books balance: on real runs each access is counted once at each level, and what one level sends the next one gets.

Usage: test_accounts.py WAVETANK WORKLOADS, the latter being the folder of the example programs.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

WAVETANK = WORKLOADS = None

# Small caches and queues, so that evictions, merges, replays and stalls happen.
SMALL = ["-o", "l1.size_kb=4", "-o", "l1.mshr_entries=4", "-o", "l2.size_kb=4", "-o", "l2.mshr_entries=8",
         "-o", "gpu.compute_units=8"]
RUNS = [("vector_add", []), ("matrix_transpose", []), ("reduction", []), ("matrix_multiplication", SMALL),
        ("matrix_transpose", SMALL)]
CACHES = ("cu.l1", "scalar", "instruction", "l2")


def run(workload, options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "stats.json")
        result = subprocess.run([WAVETANK, "run", "--json", path, *options, "--", os.path.join(WORKLOADS, workload)],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if result.returncode != 0:
            raise AssertionError("%s: status %d\n%s%s" % (workload, result.returncode, result.stdout, result.stderr))
        with open(path) as stream:
            return json.load(stream)


class Accounts(unittest.TestCase):
    def check(self, sums, metrics, cycles, instructions, simds=4, turn_cycles=4, launches=1):
        def total(*names):
            return sum(sums[name] for name in names)

        kinds = [name for name in sums if name.startswith("cu.instructions_")]
        self.assertEqual(total(*kinds), instructions)
        # Each turn of each SIMD is issued, internal, or stalled for one reason. (Of a launch's first and last turn_cycles, some SIMDs have a turn.)
        unit_cycles = sums["cu.wavefronts"]["count"]
        self.assertLessEqual(abs(metrics["issue.slots"] * turn_cycles - unit_cycles * simds),
                             0 if simds == turn_cycles else launches * simds * turn_cycles * unit_cycles / cycles)
        self.assertGreaterEqual(unit_cycles, cycles)
        for cache in CACHES:
            self.assertEqual(total(cache + ".load_hits", cache + ".load_misses", cache + ".load_merges"),
                             sums[cache + ".loads"], cache)
        # Compute unit to upper caches
        self.assertEqual(sums["cu.load_accesses"], sums["cu.l1.loads"])
        self.assertEqual(sums["cu.store_accesses"], sums["cu.l1.stores"])
        self.assertEqual(sums["cu.atomic_accesses"], sums["cu.l1.atomics"])
        self.assertEqual(sums["cu.smem_accesses"], sums["scalar.loads"])
        self.assertEqual(sums["cu.fetches"], sums["instruction.loads"])
        # Upper caches to L2: every load miss, store and atomic is one request, and has one response
        self.assertEqual(total(*[cache + ".load_misses" for cache in CACHES[:3]]), sums["l2.loads"])
        self.assertEqual(sums["cu.l1.stores"], sums["l2.stores"])
        self.assertEqual(sums["cu.l1.atomics"], sums["l2.atomics"])
        requests = total("l2.loads", "l2.stores", "l2.atomics")
        self.assertEqual(sums["crossbar.requests.messages"], requests)
        self.assertEqual(sums["crossbar.responses.messages"], requests)
        # L2 to memory
        self.assertEqual(total("l2.load_misses", "l2.atomic_misses"), sums["dram.reads"])
        self.assertEqual(sums["l2.write_backs"], sums["dram.writes"])
        self.assertEqual(sums["l2.write_back_bytes"], sums["dram.write_bytes"])
        self.assertEqual(total("dram.row_hits", "dram.row_misses", "dram.row_conflicts"),
                         total("dram.reads", "dram.writes"))

    def test_books_balance(self):
        for workload, options in RUNS:
            with self.subTest(workload=workload, options=options):
                found = run(workload, options)
                whole = found["run"]
                self.check(whole["sums"], whole["metrics"], whole["cycles"], whole["instructions"])
                for kernel in found["kernels"]:
                    self.check(kernel["sums"], kernel["metrics"], kernel["cycles"], kernel["instructions"])

    def test_kernels_add_up_to_the_run(self):
        found = run("reduction", [])
        self.assertGreater(len(found["kernels"]), 1)
        for name, value in found["run"]["sums"].items():
            parts = [kernel["sums"][name] for kernel in found["kernels"]]
            if isinstance(value, int):
                self.assertEqual(sum(parts), value, name)
            else:
                self.assertEqual(sum(part["sum"] for part in parts), value["sum"], name)

    def test_small_caches_have_something_to_count(self):
        self.assertGreater(run("matrix_transpose", SMALL)["run"]["sums"]["l2.write_backs"], 0)
        sums = run("matrix_multiplication", SMALL)["run"]["sums"]
        for name in ("cu.l1.evictions", "cu.l1.load_merges", "cu.l1.stall_mshr_cycles", "l2.evictions"):
            self.assertGreater(sums[name], 0, name)


if __name__ == "__main__":
    WORKLOADS = os.path.abspath(sys.argv.pop(2))
    WAVETANK = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
