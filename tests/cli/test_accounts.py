#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The books balance: on real runs each access is counted once at each level, and what one level sends the next one gets.

Usage: test_accounts.py WAVETANK WORKLOADS, the latter being the folder of the example programs.
"""
import json
import os
import re
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


class Coverage(unittest.TestCase):
    """--coverage counts what the statistics count."""
    def run_it(self, *options):
        return subprocess.run([WAVETANK, "run", "--quiet", *options, "--", os.path.join(WORKLOADS, "reduction"), "--small"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def rows(self, *options):
        """{(cache, state, event): times}, and how many were used of how many as it says itself."""
        result = self.run_it("--coverage", *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = re.findall(r"^  (\w+) +(\w+) +(\w+) +(\d+)$", result.stderr, re.M)
        said = re.search(r"^(\d+) of (\d+) rows used$", result.stderr, re.M)
        return {tuple(row[:3]): int(row[3]) for row in rows}, tuple(map(int, said.groups()))

    def test_rows_are_counted_for_every_protocol(self):
        listed = subprocess.run([WAVETANK, "list", "protocols"], stdout=subprocess.PIPE, text=True, check=True).stdout
        for protocol in [line.split()[0] for line in listed.splitlines() if line]:
            with self.subTest(protocol):
                rows, said = self.rows("-o", "gpu.protocol=" + protocol)
                self.assertEqual(said, (sum(times > 0 for times in rows.values()), len(rows)))
                self.assertEqual({cache for cache, _, _ in rows}, {"L1", "scalar", "instruction", "L2"})
                self.assertGreater(said[0], 0)

    def test_they_are_the_statistics(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "stats.json")
            rows, _ = self.rows("--json", path, "-o", "gpu.protocol=si", *SMALL)
            with open(path) as stream:
                sums = json.load(stream)["run"]["sums"]

        def times(cache, *events):
            return sum(count for (name, _, event), count in rows.items() if name == cache and event in events)

        for cache, prefix in (("L1", "cu.l1"), ("scalar", "scalar"), ("instruction", "instruction")):
            self.assertEqual(times(cache, "FILL"), sums[prefix + ".fills"], cache)
            self.assertEqual(times(cache, "FILL_OVERTAKEN"), sums[prefix + ".overtaken_fills"], cache)
            self.assertEqual(times(cache, "REPLACE"), sums[prefix + ".evictions"], cache)
            self.assertGreater(times(cache, "FILL"), 0)
        self.assertEqual(times("L2", "FILL_CLEAN", "FILL_DIRTY"), sums["l2.fills"])
        self.assertEqual(times("L2", "REPLACE"), sums["l2.evictions"])
        self.assertGreater(sums["l2.evictions"], 0)

    def test_only_on_request_and_on_the_timed_model(self):
        self.assertNotIn("rows used", self.run_it().stderr)
        refused = self.run_it("--coverage", "--model", "functional")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("--coverage needs the timed model", refused.stderr)


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
        # Each cycle of each resident wavefront is spent in one way. (One that has ended is not resident while its work-group goes on.)
        times = [name for name in sums if name.startswith("cu.wavefront_time.")]
        self.assertEqual(total(*times) - sums["cu.wavefront_time.group"], sums["cu.wavefronts"]["sum"])
        # What a wait's shadow covers was work.
        self.assertLessEqual(total("cu.hidden_vmem_cycles", "cu.hidden_lds_cycles", "cu.hidden_smem_cycles"),
                             total("cu.wavefront_time.go", "cu.wavefront_time.fetch"))
        # Units are busy at most all the time, and each instruction has one latency.
        self.assertTrue(sums["cu.instructions_valu"] <= sums["cu.valu_cycles"] <= simds * unit_cycles)
        self.assertTrue(sums["cu.instructions_smem"] <= sums["cu.smem_cycles"] <= unit_cycles)
        self.assertEqual(sums["cu.lds_latency"]["count"], sums["cu.instructions_lds"])
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
