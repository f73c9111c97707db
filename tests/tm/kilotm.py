# SPDX-License-Identifier: MIT
"""KILO TM leaves in global memory what it must, whatever the machine and its limits; what is left out of it is missed."""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs"))
from wavetank_tests import WAVETANK, ProgramTest, execute, main, on_wavetank, program_path  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "kilotm.cl")
INCLUDE = os.path.join(HERE, "..", "..", "include", "wavetank")
WORD = 0xffffffff
ITEMS = 64


def mix(a, b):
    x = (a * 0x9e3779b9 ^ b * 0x85ebca6b) & WORD
    x ^= x >> 15
    x = x * 0x2c1b3c6d & WORD
    return x ^ x >> 13


def transfer(words, n, items):
    accounts = [0] * n
    for item in range(items):
        for k in range(3):
            accounts[mix(item, 2 * k) % n] -= k + 1
            accounts[mix(item, 2 * k + 1) % n] += k + 1
    return words[:n] == [account & WORD for account in accounts]


def chain(words, at, next_of, limit):
    elements = []
    while at != 0 and len(elements) <= limit:
        elements.append(at - 1)
        at = words[next_of(at)]
    return elements


def insert(words, n, items):
    chains = [chain(words, words[head], lambda at: n + at - 1, items) for head in range(n)]
    return (sorted(sum(chains, [])) == list(range(items)) and
            all(mix(item, 7) % n == head for head, elements in enumerate(chains) for item in elements))


def in_order(words, n, items):
    keys = [mix(item, n) for item in chain(words, words[0], lambda at: at, items)]
    return len(keys) == items and keys == sorted(keys)


def widths(words, n, items):
    raw = struct.pack("<%dI" % len(words), *words)
    longs = struct.unpack_from("<%dQ" % n, raw, 512)
    return (words[:n] == [2 * items] * n and all(byte == items % 256 for byte in raw[256:256 + n]) and
            all(value == items * 0x100000001 for value in longs))


def together(words, n, items):
    return words[:2] == [items, items]


# kernel: n, work-groups, whether the words are right
KERNELS = {
    "transfer": (16, 8, transfer),
    "insert": (24, 8, insert),
    "many": (100, 24, insert),
    "sorted": (5, 2, in_order),
    "widths": (5, 3, widths),
    "doomed": (9, 3, together),
}
MACHINES = {
    "one": ("gpu.compute_units=1",),
    "eight": ("gpu.compute_units=8",),
    "all": (),
    "no limit": ("kilotm.warps_per_core=0",),
    "one wavefront": ("kilotm.warps_per_core=1",),
    "one channel": ("address.rule=modulo", "address.slices=1", "address.channels_per_slice=1", "gpu.compute_units=4"),
    "few credits": ("kilotm.credits=64", "gpu.compute_units=8", "kilotm.ring_entries=512", "kilotm.warps_per_core=0"),
    "small history": ("kilotm.history_entries=4", "kilotm.history_ways=1", "kilotm.bloom_buckets=4", "kilotm.warps_per_core=0"),
    "watched": ("kilotm.watchdog_cycles=3000", "kilotm.warps_per_core=0"),
    "perfect history": ("kilotm.history=perfect", "kilotm.warps_per_core=0"),
    "perfect history of one channel": ("kilotm.history=perfect", "kilotm.warps_per_core=0", "address.rule=modulo", "address.slices=1",
                                       "address.channels_per_slice=1"),
    "array of signatures": ("kilotm.history=bloom_array", "kilotm.signature_bits=4", "kilotm.warps_per_core=0"),
    "short buffers": ("kilotm.set_words=1", "kilotm.warps_per_core=0"),
    "few buffers": ("kilotm.set_buffers=8", "kilotm.log_kb=1"),
    "few buffers for all": ("kilotm.set_buffers=40", "kilotm.set_scheme=all"),
    "buffers of accessed entries": ("kilotm.set_buffers=6", "kilotm.set_scheme=accessed", "kilotm.warps_per_core=0"),
    "narrow wavefronts": ("gpu.wavefront_lanes=32", "kilotm.credits=32", "kilotm.warps_per_core=0", "gpu.compute_units=4"),
    "limit by lanes": ("kilotm.lanes_per_core=100",),
    "validation always hits": ("kilotm.validation_always_hits=1", "l2.size_kb=2", "l2.ways=1"),
    "small log cache": ("kilotm.log_kb=1", "kilotm.log_ways=2", "kilotm.log_block_cycles=3"),
    "commit IDs at once": ("kilotm.commit_id_cycles=0", "kilotm.warps_per_core=0"),
    "slow units": ("kilotm.unit_cycles=3", "kilotm.commit_id_cycles=40", "kilotm.backoff_cycles=0"),
}
WHOLE = ("one", "all", "no limit")  # the others run one kernel: transfers, but for these
ONE = {"array of signatures": "insert", "perfect history of one channel": "many", "few buffers": "sorted", "small log cache": "sorted", "watched": "sorted", "short buffers": "insert", "one wavefront": "sorted"}
NO_PROGRESS = "no progress"
# deliberate fault: kernel, machine, the words that name what was seen, or None: the words left are wrong
BREAKS = {
    "kilo_skip_validation": ("transfer", "all", None),
    "kilo_skip_hazard": ("transfer", "all", None),
    "kilo_skip_revalidation": ("transfer", "all", None),
    "kilo_revalidate_early": ("transfer", "all", None),
    "kilo_late_rcid": ("transfer", "no limit", None),
    "kilo_pass_first": ("transfer", "all", None),
    "kilo_forget_evicted": ("insert", "small history", None),
    "kilo_lose_skip": ("insert", "all", NO_PROGRESS),
    "kilo_miss_own_writes": ("transfer", "all", None),
    "kilo_ignore_fail": ("transfer", "all", NO_PROGRESS),
}


class Kilotm(ProgramTest):
    def run_kernel(self, kernel, *settings, model="timed"):
        n, groups, _ = KERNELS[kernel]
        command = [program_path("tests/tm/kernel"), SOURCE, "insert" if kernel == "many" else kernel, str(n), str(ITEMS), str(groups), "-g -I " + INCLUDE]
        return on_wavetank(command, model, settings, options=("--max-cycles", "30000000"), timeout=200)

    def words(self, kernel, *settings, model="timed"):
        result = self.run_kernel(kernel, *settings, model=model)
        self.assert_passed(result, "%s %s %s" % (kernel, settings, model))
        return [int(word) for word in result.output.split()]

    def is_right(self, kernel, words):
        n, groups, check = KERNELS[kernel]
        return check(words, n, groups * ITEMS)

    def assert_right(self, kernel, *settings):
        words = self.words(kernel, "gpu.transactional_memory=kilotm", *settings)
        self.assertTrue(self.is_right(kernel, words), "%s %s: %s" % (kernel, settings, words[:64]))

    def test_right_on_every_machine(self):
        for name, settings in MACHINES.items():
            for kernel in sorted(KERNELS.keys() - {"many"}) if name in WHOLE else (ONE.get(name, "transfer"),):
                with self.subTest(kernel=kernel, machine=name):
                    self.assert_right(kernel, *settings)

    def test_neither_sleep_nor_order_matters(self):
        for machine in ("few credits", "commit IDs at once"):
            runs = []
            for more in ((), ("sim.sleep=0",), ("sim.order_seed=7",), ("sim.order_seed=777",)):
                result = self.run_kernel("transfer", "gpu.transactional_memory=kilotm", *MACHINES[machine], *more)
                self.assert_passed(result, str(more))
                runs.append((result.output, result.statistics["kernels"]))
            for other in runs[1:]:
                self.assertEqual(runs[0], other, machine)

    def test_the_oracle_finds_nothing(self):
        for kernel in ("widths", "doomed"):  # the first writes words twice: no other may load what is between
            self.assert_right(kernel, "sim.check_transactions=1", *MACHINES["eight"])

    def test_a_doomed_attempt_ends(self):
        result = self.run_kernel("doomed", "gpu.transactional_memory=kilotm", "sim.check_transactions=1", *MACHINES["watched"])
        self.assert_passed(result, "doomed")
        sums = result.statistics["kernels"][0]["sums"]
        self.assertGreater(sums["cu.kilotm.aborts_by_watchdog"], 0)
        self.assertGreater(sums["tm.oracle.doomed_ran_longest"], 0)
        self.assertGreaterEqual(sums["tm.oracle.doomed_longest"], sums["tm.oracle.doomed_ran_longest"])

    def test_validation_that_always_hits(self):
        for always in (0, 1):
            result = self.run_kernel("insert", "gpu.transactional_memory=kilotm", "kilotm.validation_always_hits=%d" % always,
                                     "l2.size_kb=1", "l2.ways=1", "kilotm.log_kb=1", "kilotm.warps_per_core=0")
            self.assert_passed(result, str(always))
            sums = result.statistics["kernels"][0]["sums"]
            self.assertEqual(sums["l2.channel_loads"] == sums["l2.channel_load_hits"], always == 1)
            self.assertEqual(sums.get("l2.channel_ideal_hits", 0) > 0, always == 1)
            self.assertLess(sums.get("l2.channel_ideal_hits", 0), sums["l2.channel_loads"])

    def test_a_load_waits_for_the_filter_once_its_lane_has_written(self):
        cycles = {(kernel, wait): self.run_kernel(kernel, "gpu.transactional_memory=kilotm", "gpu.compute_units=1", "kilotm.warps_per_core=1",
                                                  "kilotm.filter_cycles=%d" % wait).statistics["kernels"][0]["cycles"]
                  for kernel in ("widths", "insert") for wait in (0, 400)}
        loads = 4 * KERNELS["widths"][0] - 1  # of an attempt, all but the first
        self.assertGreater(cycles["widths", 400], cycles["widths", 0] + 400 * loads)
        self.assertEqual(cycles["insert", 400], cycles["insert", 0], "it loads first, and stores then")

    def test_a_load_begins_after_the_filter(self):
        """Though it waits for memory: a filter beside its way would cost nothing here."""
        loads, wait, cycles = 16, 40, {}
        for kernel in ("asked", "not_asked"):
            for filter_cycles in (0, wait):
                command = [program_path("tests/tm/kernel"), SOURCE, kernel, str(loads), str(ITEMS), "1", "-g -I " + INCLUDE]
                result = on_wavetank(command, "timed", ("gpu.transactional_memory=kilotm", "gpu.compute_units=1",
                                                        "kilotm.filter_cycles=%d" % filter_cycles))
                self.assert_passed(result, kernel)
                self.assertEqual([int(word) for word in result.output.split()[1984:]], [loads] * ITEMS)
                cycles[kernel, filter_cycles] = result.statistics["kernels"][0]["cycles"]
        self.assertGreater(cycles["asked", 0], 100 * loads)
        self.assertAlmostEqual(cycles["asked", wait] - cycles["asked", 0], loads * wait, delta=wait)
        self.assertEqual(cycles["not_asked", wait], cycles["not_asked", 0])

    def test_registers_that_a_restart_needs(self):
        """Of each lane those that it reads before it writes them, counted beside the oracle alone."""
        for kernel, each in (("keeps_none", 0), ("keeps_three", 3), ("keeps_half", 0.5), ("keeps_none_written_first", 0), ("keeps_two_then_none", 1)):
            for checks in (1, 0):
                command = [program_path("tests/tm/kernel"), SOURCE, kernel, "3", str(ITEMS), "2", "-g -I " + INCLUDE]
                result = on_wavetank(command, "timed", ("gpu.transactional_memory=kilotm", "sim.check_transactions=%d" % checks))
                self.assert_passed(result, kernel)
                sums = result.statistics["kernels"][0]["sums"]
                self.assertEqual(sums["cu.tm.kept_vector_registers"], each * sums["cu.tm_commits"] * checks, kernel)
                self.assertEqual(sums["cu.tm_commits"] % (2 * ITEMS), 0)

    def test_the_machine_has_its_cards_bandwidth(self):
        """102.4 GB/s: 8 channels of 8 bytes, twice in each cycle of 800 MHz; and a column command as often as the data goes."""
        def value(path):
            return int(execute([WAVETANK, "explain", "--gpu", "fx5800", path]).output.splitlines()[1].split()[1])
        channels = value("address.slices") * value("address.channels_per_slice")
        per_second = value("gpu.memory_khz") * 1000 / value("dram.burst_cycles")
        self.assertEqual(channels * value("dram.burst_bytes") * per_second, 102.4e9)
        self.assertEqual(value("dram.tccds"), value("dram.burst_cycles"))
        self.assertEqual(value("dram.tccdl"), value("dram.burst_cycles"))

    def test_storage(self):
        """The paper's 6.4.3: 1,920 entries of 10 bytes, 3 and 2 kB of history, 500 buffers of 64 bytes."""
        def bytes_of(*settings):
            options = [word for setting in settings for word in ("-o", setting)]
            output = execute([WAVETANK, "explain", "--gpu", "fx5800", *options, "kilotm"]).output
            return {line[2:38].strip(): int(line.split()[-2]) for line in output.splitlines() if line.endswith(" bytes") and line.startswith("  ")}
        paper = bytes_of("kilotm.set_words=8", "kilotm.set_buffers=500")
        self.assertEqual(paper, {
            "ring": 19200, "last writer history: table": 3072, "last writer history: recency filter": 2048,
            "buffers of read and write sets": 32000, "in all": 19200 + 3072 + 2048 + 32000,
            "all commit units": 8 * 56320, "log cache": 49152, "logs, in device memory": 256 * 2 * 32 * 256})
        signatures = bytes_of("kilotm.history=bloom_array", "kilotm.warps_per_core=4", "kilotm.signature_bits=256", "kilotm.set_scheme=all", "kilotm.set_words=8")
        self.assertEqual(signatures["ring"], 38400)
        self.assertEqual(signatures["signatures of reads and of writes"], 3840 * 2 * 32)
        self.assertEqual(signatures["buffers of read and write sets"], 3840 * 2 * 64)
        self.assertEqual(bytes_of("kilotm.credits=100")["ring"], 30000)
        self.assertEqual(bytes_of("kilotm.lanes_per_core=48")["ring"], 14400)

    def test_faults_are_named(self):
        for settings, words in ((("kilotm.log_rows=8",), "kilotm.log_rows"), (("kilotm.credits=32",), "too few for a wavefront"),
                                (("kilotm.credits=64", "kilotm.ring_entries=100"), "could overflow"),
                                (("kilotm.lanes_per_core=63",), "too few for a wavefront"), (("kilotm.commit_id_cycles=1",), "a way there and back takes 2"),
                                (("kilotm.credits=31", "gpu.wavefront_lanes=32"), "too few for a wavefront of 32 lanes"), (("kilotm.set_scheme=none",), "there is no 'none'"),
                                (("gpu.protocol=moesi",), "kilotm stores at L2"), (("kilotm.history=none",), "there is no 'none'")):
            with self.subTest(settings=settings):
                result = self.run_kernel("sorted", "gpu.transactional_memory=kilotm", *settings)
                self.assertNotEqual(result.status, 0)
                self.assertIn(words, result.errors)

    def test_what_is_left_out_is_missed(self):
        for fault, (kernel, machine, words) in BREAKS.items():
            with self.subTest(fault=fault):
                result = self.run_kernel(kernel, "gpu.transactional_memory=kilotm", "debug.break=" + fault,
                                         "sim.stall_cycles=200000", *MACHINES[machine])
                if words is None:
                    self.assert_passed(result, fault)
                    self.assertFalse(self.is_right(kernel, [int(word) for word in result.output.split()]))
                else:
                    self.assertNotEqual(result.status, 0)
                    self.assertIn(words, result.errors)


if __name__ == "__main__":
    main()
