#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the latency stack names is what bounds a program: relieving it helps, relieving something else does not. The README's
showcase, matrix_transpose of 512 rows. The trace of accesses adds up to the stacks."""
import os
import tempfile
import unittest

from wavetank_tests import ProgramTest, main, on_wavetank, program_path, stacks

TRANSPOSE = ["workloads", "matrix_transpose"]


class Showcase(ProgramTest):
    def measure(self, *settings):
        """(cycles, the load stack's parts as shares)"""
        result = on_wavetank([program_path(*TRANSPOSE), "--size", "512"], settings=settings)
        self.assert_passed(result, settings)
        kernel, = result.statistics["kernels"]
        stack = stacks(kernel["sums"])["load"]
        return kernel["cycles"], {part: cycles / stack["cycles"] for part, cycles in stack["parts"].items()}

    def test_links_wait_for_memory(self):
        cycles, parts = self.measure()
        self.assertEqual(max(parts, key=parts.get), "network_queue", parts)
        fast, relieved = self.measure("gpu.memory_khz=2750000")
        self.assertLess(fast, 0.75 * cycles)
        self.assertLess(relieved["network_queue"], parts["network_queue"])
        spread, relieved = self.measure("address.rule=modulo")
        self.assertLess(spread, 0.9 * cycles)
        self.assertLess(relieved["network_queue"], parts["network_queue"])
        self.assertLess(self.measure("dram.model=fixed")[0], 0.95 * cycles)
        for setting in ("crossbar.width_bytes=128", "l2.mshr_entries=512", "cu.vmem_entries=64"):
            self.assertGreater(self.measure(setting)[0], 0.99 * cycles, setting)

    def test_the_part_that_is_named_is_what_bounds(self):
        modulo_sets = "l1.set_index=modulo"  # rows fall into two of them
        cycles, parts = self.measure(modulo_sets)
        self.assertEqual(max(parts, key=parts.get), "l1_set", parts)
        self.assertGreater(parts["l1_set"], 0.4)
        relieved, parts = self.measure(modulo_sets, "l1.ways=16")
        self.assertLess(relieved, 0.75 * cycles)
        self.assertLess(parts["l1_set"], 0.2)
        modulo, _ = self.measure(modulo_sets, "address.rule=modulo")
        self.assertLess(relieved, modulo)
        same, parts = self.measure(modulo_sets, "l1.mshr_entries=256")
        self.assertAlmostEqual(same / cycles, 1, delta=0.01)
        self.assertGreater(parts["l1_set"], 0.4)


class Access:
    """A line of the trace of accesses."""
    def __init__(self, line):
        words = line.split()
        self.kernel, self.group, self.wave, self.sequence = words[1], words[2], int(words[3]), int(words[4])
        self.unit, self.kind, self.address, self.start = int(words[6]), words[7], int(words[9], 0), int(words[11])
        self.is_last = words[-1] == "last"
        self.ends = [(part, int(cycle)) for part, cycle in (word.split("@") for word in words[12:] if "@" in word)]

    def parts(self):
        before = self.start
        for part, end in self.ends:
            yield part, end - before
            before = end


class Trace(ProgramTest):
    def trace(self, selection):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace")
            result = on_wavetank([program_path("workloads", "reduction"), "--size", "20000"],
                                 options=["--trace-memory", selection, "--trace-file", path])
            self.assert_passed(result, selection)
            with open(path, encoding="ascii") as stream:
                return result.statistics, [Access(line) for line in stream]

    def test_the_trace_adds_up_to_the_statistics(self):
        statistics, accesses = self.trace("all")
        counted = {}
        instructions = {}
        for access in accesses:
            self.assertTrue(all(cycles > 0 for _, cycles in access.parts()))
            if access.is_last:
                instructions[access.kind] = instructions.get(access.kind, 0) + 1
                for part, cycles in access.parts():
                    counted[access.kind, part] = counted.get((access.kind, part), 0) + cycles
        sums = statistics["run"]["sums"]
        for kind, stack in stacks(sums).items():
            self.assertEqual(instructions.get(kind, 0), stack["instructions"])
            self.assertEqual(sum(access.kind == kind for access in accesses), sums["cu.%s_accesses" % kind])
            for part, cycles in stack["parts"].items():
                self.assertEqual(counted.get((kind, part), 0), cycles, (kind, part))
        self.assertGreater(instructions["load"], 0)

    def test_what_is_chosen_is_traced(self):
        _, accesses = self.trace("all")
        some = accesses[len(accesses) // 2]
        for selection, is_chosen in (
                ("cu=%d" % some.unit, lambda a: a.unit == some.unit),
                ("kernel=%s,wave=%d" % (some.kernel, some.wave), lambda a: (a.kernel, a.wave) == (some.kernel, some.wave)),
                ("group=%s" % some.group, lambda a: a.group == some.group),
                ("address=0x%x-0x%x" % (some.address + 63, some.address + 64),
                 lambda a: a.address in (some.address, some.address + 64))):
            _, chosen = self.trace(selection)
            self.assertEqual([vars(a) for a in chosen], [vars(a) for a in accesses if is_chosen(a)], selection)
            self.assertTrue(0 < len(chosen) < len(accesses), selection)


if __name__ == "__main__":
    main()
