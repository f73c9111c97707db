#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The microbenchmarks show the machine that gpus/hd7970.yaml describes: sizes of the caches, rates of the SIMDs, banks of the
local memory, and the channel rule. Bounds are the closed forms plus what a loop around the operation may cost."""
import re

from wavetank_tests import ProgramTest, main, on_wavetank, program_path

PROGRAM = program_path("workloads", "microbenchmarks")


class Microbenchmarks(ProgramTest):
    def rows(self, name, settings=()):
        """The table of one benchmark: label -> numbers."""
        result = on_wavetank([PROGRAM, name], settings=settings)
        self.assert_passed(result, name)
        table = {}
        for line in result.output.splitlines():
            label, *columns = re.split(r"\s{2,}", line.strip())
            numbers = [float(n) for column in columns for n in re.findall(r"^\d+\.\d+", column)]
            if numbers:
                table[label] = numbers
        self.assertTrue(table, result.output)
        self.parameters = result.statistics["configuration"]["parameters"]
        return table

    def parameter(self, path):
        """What the machine of the latest table was built with."""
        return self.parameters[path]["value"]

    def assert_between(self, value, least, most, what):
        self.assertTrue(least <= value <= most, "%s is %g, not within %g to %g" % (what, value, least, most))

    def test_a_name_that_is_none(self):
        result = on_wavetank([PROGRAM, "latency", "latencies"])
        self.assertNotEqual(result.status, 0)
        self.assertIn("there is no 'latencies'; there are: latency strides", result.output + result.errors)

    def test_latency_steps_at_the_cache_sizes(self):
        table = self.rows("latency")
        vector = {int(label.split()[0]): numbers[0] for label, numbers in table.items()}
        scalar = {int(label.split()[0]): numbers[1] for label, numbers in table.items()}
        for ladder in (vector, scalar):
            # one level, one latency: 16 KB of L1 (or scalar cache), 768 KB of L2
            self.assert_between(max(ladder[k] for k in (4, 8, 16)), ladder[4], ladder[4] * 1.02, "up to 16 KB")
            self.assert_between(max(ladder[k] for k in (32, 128, 512, 768)), ladder[32] * 0.98, ladder[32] * 1.05, "up to 768 KB")
            self.assertGreater(ladder[32], ladder[16] + 40)
            self.assertGreater(min(ladder[k] for k in (1024, 4096, 16384)), ladder[512] + 60)
        self.assertLess(scalar[4], vector[4])

    def test_latency_steps_move_with_the_cache_size(self):
        table = self.rows("latency", ["l1.size_kb=8"])
        vector = {int(label.split()[0]): numbers[0] for label, numbers in table.items()}
        self.assertGreater(vector[16], vector[8] + 40)

    def test_vector_rates(self):
        table = self.rows("arithmetic")
        # cycles a wavefront occupies its SIMD: its class, and of the loop around each eight operations at most two issue
        # slots (8 cycles) that other wavefronts do not fill
        for label, count, kind in (
            ("float multiply-add", 1, "full"),
            ("int add and xor (2)", 2, "full"),
            ("int multiply", 1, "quarter"),
            ("float reciprocal", 1, "quarter"),
            ("double add", 1, "double_add"),
            ("double multiply-add", 1, "double_multiply"),
        ):
            cycles = count * self.parameter("cu.%s_cycles" % kind)
            self.assert_between(table[label][1], cycles, cycles + 8 / 8, label)

    def test_local_memory_conflicts(self):
        table = self.rows("local_memory")
        # 32 banks, two passes a wavefront: stride s meets 32 / gcd(s, 32) of them
        for stride, cycles in ((1, 2), (2, 4), (3, 2), (4, 8), (8, 16), (16, 32), (17, 2), (32, 64), (33, 2)):
            self.assert_between(table["%d words" % stride][0], cycles * 0.97, cycles * 1.35, "stride %d" % stride)

    def test_power_of_two_strides_meet_few_channels(self):
        table = self.rows("channels")
        whole = table["stride 256 bytes"][0]
        # 2 KB and more in powers of two: 2 of 12 channels; 6 KB: one of them
        self.assertLess(table["stride 2048 bytes"][0], whole / 3)
        self.assertLess(table["stride 4096 bytes"][0], whole / 3)
        self.assertLess(table["stride 6144 bytes"][0], whole / 6)
        self.assertGreater(table["stride 512 bytes"][0], whole / 3)

    def check_strides(self, settings):
        table = self.rows("strides", settings)
        cycles = [table["%d bytes" % stride][0] for stride in (4, 8, 16, 32, 64, 128, 256)]
        self.assertEqual(cycles, sorted(cycles))
        # 64 lanes on lines of their own: as many lines a cycle as the vector memory unit sends and the L1 looks up, unless
        # the addresses take longer
        rate = min(self.parameter("l1.ports"), self.parameter("cu.vmem_requests_per_cycle"))
        least = max(64 / rate, self.parameter("cu.load_cycles"))
        self.assert_between(cycles[-1], least * 0.98, least * 1.05, "256 bytes apart")

    def test_lanes_that_meet_more_lines_take_longer(self):
        self.check_strides([])
        self.check_strides(["l1.ports=1"])
        self.check_strides(["l1.ports=2", "cu.vmem_requests_per_cycle=2"])


if __name__ == "__main__":
    main()
