# SPDX-License-Identifier: MIT
"""Transactions in global memory, of several work-groups and compute units: right under each system that isolates it."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs"))
from wavetank_tests import ProgramTest, execute, main, on_wavetank, program_path, protocol_names, WAVETANK  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "global.cl")
INCLUDE = os.path.join(HERE, "..", "..", "include", "wavetank")
SMALL = ("gpu.compute_units=4",)


def wide(words):
    pairs = [words[2 * i] | words[2 * i + 1] << 32 for i in range(8)]
    text = b"".join(word.to_bytes(4, "little") for word in words)
    return (pairs == [32 * ((1 << 40) + 1)] * 8 and words[64:96] == [32, 64, 96, 128] * 8 and list(text[800:808]) == [32] * 8
            and words[300:303] == [512, 768, 256])


def is_list(words, n):
    seen, node = set(), words[n]
    while node != 0 and node not in seen:
        seen.add(node)
        node = words[node]
    return node == 0 and seen == set(range(64, 320))


def is_raised(words, n, items):
    expected = [0] * 976
    for item in range(items):
        for k in range(n):
            first = (item * 7 + k * 13) % 61
            for line in (first, (first + 1 + (item * 5 + k * 3) % 59) % 61):
                expected[16 * line + item % 16] += 1
    return words[:976] == expected


# kernel: n, items of a group, groups, what the words must be
RIGHT = {
    "counters": (5, 64, 8, lambda words: words[:5] == [205, 206, 205, 204, 204]),
    "tickets": (7, 64, 4, lambda words: words[0] == 256 and words[64:320] == [7] * 256 and words[320:] == [0] * 1728),
    "wide": (8, 64, 4, wide),
    "own": (7, 64, 4, lambda words: words[:256] == [0x70007] * 256 and words[1024:1280] == [0x70007] * 256),
    "list": (3, 64, 4, lambda words: is_list(words, 3)),
    "afterwards": (9, 256, 4, lambda words: words[:1024] == [10] * 1024
                   and all(word in (909, 910) for word in words[1024:])),
}
RIGHT["pairs"] = (8, 64, 16, lambda words: is_raised(words, 8, 1024))
RIGHT["own_atomic"] = (7, 64, 4, lambda words: words[:256] == [12] * 256 and words[512:768] == [12] * 256)
# Those whose cost is asked about.
COST = {
    "stores": (20, 64, 1, lambda words: words[:1280] == [20] * 1280),
    "turns": (3, 64, 1, lambda words: words[0] == 192),
    "behind": (5, 64, 4, lambda words: words[0] == 256 and words[16:1040:16] == [20] * 64),
    "lines": (6, 64, 4, lambda words: words[:256] == [6] * 256),
}
# `hidden` is for a system whose commits all see at one time.
AT_ONCE = {
    "watched": (60, 64, 6, lambda words: words[0] == 60 and words[512:896] == [0] * 384 and any(words[1088:1408])),
    "twice": (60, 64, 4, lambda words: words[0] == 60 and words[512:768] == [0] * 256),
    "hidden": (7, 64, 4, lambda words: words[0] == 7 and words[256] == 7 and not any(words[1024:1280]) and min(words[1600:1792]) > 2),
}
KERNELS = dict(RIGHT, **COST, **AT_ONCE)
AT_EXECUTION = ("gpu.transactional_memory=ideal_global", "ideal_global.stores_at=execution")
TINY = ("l2.size_kb=1", "l2.ways=1", "address.rule=modulo", "address.slices=1", "address.channels_per_slice=1", "gpu.compute_units=4")


def systems():
    """Those that isolate global memory."""
    return [line.split()[0] for line in execute([WAVETANK, "list", "transactional-memory"]).output.splitlines()
            if "global memory" in line]


class Global(ProgramTest):
    def run_kernel(self, kernel, *settings, model="timed", options=()):
        n, items, groups, _ = KERNELS[kernel]
        command = [program_path("tests/tm/kernel"), SOURCE, kernel, str(n), str(items), str(groups), "-g -I " + INCLUDE]
        return on_wavetank(command, model, settings, options=("--max-cycles", "20000000", *options), timeout=100)

    def words(self, kernel, *settings, model="timed"):
        result = self.run_kernel(kernel, *settings, model=model)
        self.assert_passed(result, "%s %s %s" % (kernel, settings, model))
        return [int(word) for word in result.output.split()]

    def assert_right(self, kernel, *settings, model="timed"):
        words = self.words(kernel, *settings, model=model)
        self.assertTrue(KERNELS[kernel][3](words), "%s %s: %s" % (kernel, settings, words[:64]))

    def test_right_on_every_system(self):
        for kernel in RIGHT:
            for system in systems():
                with self.subTest(kernel=kernel, system=system):
                    self.assert_right(kernel, "gpu.transactional_memory=" + system, *SMALL)

    def test_right_with_a_limit(self):
        for kernel in RIGHT:
            for system in ("ideal_global", "kilotm"):
                with self.subTest(kernel=kernel, system=system):
                    self.assert_right(kernel, "gpu.transactional_memory=" + system, system + ".warps_per_core=1", *SMALL)

    def test_right_with_stores_at_execution(self):
        for kernel in (*RIGHT, *AT_ONCE):
            for machine in (SMALL, TINY, (*TINY, "si.store_fetches=1")):
                with self.subTest(kernel=kernel, machine=machine):
                    self.assert_right(kernel, *AT_EXECUTION, "sim.check_transactions=1", *machine)

    def cost(self, kernel, *settings):
        """Cycles and sums of a run that is right."""
        result = self.run_kernel(kernel, *settings)
        self.assert_passed(result, "%s %s" % (kernel, settings))
        self.assertTrue(KERNELS[kernel][3]([int(word) for word in result.output.split()]), "%s %s" % (kernel, settings))
        return result.statistics["kernels"][0]

    def sums(self, kernel, *settings):
        return self.cost(kernel, *settings)["sums"]

    def test_what_stores_at_execution_cost(self):
        """Each attempt's, those of aborted ones too, and no commit waits for them."""
        one = ("gpu.compute_units=1", "ideal_global.warps_per_core=1")
        at_commit = self.sums("tickets", "gpu.transactional_memory=ideal_global", "ideal_global.stores_at=commit", *one)
        at_execution = self.sums("tickets", *AT_EXECUTION, *one)
        outside = at_commit["cu.l1.stores"] - at_commit["cu.ideal_global.stores"]
        self.assertEqual(at_execution["cu.tm_attempts"], 4 * 64 * 65 // 2)
        self.assertEqual(at_execution["cu.l1.stores"], outside + 4 * 16 * (4 + 3 + 2 + 1))  # an access for each quarter with lanes
        self.assertEqual(at_execution["l2.stores"], at_execution["cu.l1.stores"])
        self.assertEqual(at_execution["cu.ideal_global.stores"], 0)
        self.assertEqual(at_execution["cu.tm.lane_cycles_committing"], at_commit["cu.tm.lane_cycles_committing"])
        atomics = self.sums("wide", *AT_EXECUTION, *SMALL)["cu.ideal_global.stores"]
        self.assertGreaterEqual(atomics, 4)

    def test_no_begin_commit_or_restart_waits_for_stores_at_execution(self):
        """However far away L2 is. What a program waits for itself (a volatile store) is its own affair."""
        far = ("crossbar.latency_cycles=500", "gpu.compute_units=1")
        for kernel in ("stores", "turns"):
            at_commit = self.cost(kernel, "gpu.transactional_memory=ideal_global", "ideal_global.stores_at=commit", *far)
            near, away = self.cost(kernel, *AT_EXECUTION, far[1]), self.cost(kernel, *AT_EXECUTION, *far)
            self.assertEqual(away["sums"]["cu.tm.lane_cycles_committing"], near["sums"]["cu.tm.lane_cycles_committing"])
            self.assertLess(away["cycles"], at_commit["cycles"])
            if kernel == "stores":  # which loads nothing: code and the last store alone wait for L2
                self.assertLess(away["cycles"] - near["cycles"], KERNELS[kernel][0] * 500)

    def test_atomics_store_unless_their_lane_aborts_there(self):
        sums = self.cost("behind", *AT_EXECUTION, "gpu.compute_units=2")["sums"]  # each lane's atomic has a line of its own
        self.assertGreater(sums["cu.ideal_global.failed_at_access"], 0)
        self.assertEqual(sums["cu.ideal_global.stores"], sums["cu.tm_attempts"] - sums["cu.ideal_global.failed_at_access"])
        for latency in (2, 500):  # who has ended has stored
            sums = self.cost("lines", *AT_EXECUTION, "gpu.compute_units=2", "crossbar.latency_cycles=%d" % latency)["sums"]
            self.assertEqual((sums["cu.ideal_global.stores"], sums["l2.stores"]), (16, 16))

    def test_old_bytes_can_be_looked_for(self):
        """--check-release: what a transaction has stored at its execution is no value that others must find."""
        for kernel in ("tickets", "hidden"):
            result = self.run_kernel(kernel, *AT_EXECUTION, *SMALL, options=("--check-release",))
            self.assert_passed(result, kernel)
            self.assertEqual(result.statistics["kernels"][0]["sums"]["cu.old_bytes"], 0)

    def test_stores_at_execution_are_for_si(self):
        for settings, words in ((("ideal_global.stores_at=never",), "there is no 'never'"), (("gpu.protocol=moesi",), "it runs with si")):
            result = self.run_kernel("own", *AT_EXECUTION, *settings)
            self.assertNotEqual(result.status, 0)
            self.assertIn(words, result.errors)

    def test_one_at_a_time_meets_none_of_its_own(self):
        """One compute unit, one wavefront in transactions: only lanes of one wavefront conflict."""
        aborts = []
        for limit in ("1", "0"):
            result = self.run_kernel("tickets", "gpu.transactional_memory=ideal_global", "ideal_global.warps_per_core=" + limit, "gpu.compute_units=1")
            self.assert_passed(result, limit)
            aborts.append(result.statistics["kernels"][0]["sums"]["cu.tm_aborts"])
        self.assertEqual(aborts[0], 4 * 64 * 63 // 2)  # of 64 lanes with one ticket one commits at a time
        self.assertGreater(aborts[1], aborts[0])

    def test_right_under_every_protocol(self):
        for protocol in protocol_names():
            for system in systems():
                for kernel in ("counters", "afterwards"):
                    with self.subTest(kernel=kernel, system=system, protocol=protocol):
                        settings = ("gpu.transactional_memory=" + system, "gpu.protocol=" + protocol, *SMALL)
                        result = self.run_kernel(kernel, *settings)
                        if "gpu.transactional_memory: %s " % system in result.errors:
                            self.assertNotEqual(protocol, "si")  # all run with that; this one is refused by name
                        else:
                            self.assert_right(kernel, *settings)

    def test_neither_sleep_nor_order_matters(self):
        for kernel in ("counters", "list", "wide"):
            for system in [*systems(), "ideal_global at execution"]:
                runs = []
                for more in ((), ("sim.sleep=0",), ("sim.order_seed=7",)):
                    settings = AT_EXECUTION if " " in system else ("gpu.transactional_memory=" + system,)
                    result = self.run_kernel(kernel, *settings, *more, *SMALL)
                    self.assert_passed(result, "%s %s %s" % (kernel, system, more))
                    runs.append((result.output, result.statistics["kernels"]))
                self.assertEqual(runs[0], runs[1])
                self.assertEqual(runs[0], runs[2])

    def test_who_looks_without_a_transaction_sees_the_same_in_every_order(self):
        """What is written in no time is there from the next cycle on, and not earlier for who happens to tick later."""
        seen = [self.words("watched", *AT_EXECUTION, "sim.order_seed=%d" % seed, "gpu.compute_units=6") for seed in (0, 5, 77)]
        self.assertEqual(seen[0], seen[1])
        self.assertEqual(seen[0], seen[2])

    def test_what_is_left_out_is_missed(self):
        for fault, system in (("tm_share_token", "serial_global"), ("tm_skip_validation", "ideal_global")):
            with self.subTest(fault=fault):
                words = self.words("counters", "gpu.transactional_memory=" + system, "debug.break=" + fault, *SMALL)
                self.assertFalse(RIGHT["counters"][3](words), words[:8])

    def test_the_oracle_finds_nothing_where_there_is_nothing(self):
        for kernel in RIGHT:
            for system in systems():
                with self.subTest(kernel=kernel, system=system):
                    self.assert_right(kernel, "gpu.transactional_memory=" + system, "sim.check_transactions=1", *SMALL)

    def test_wrong_without_a_system(self):
        for kernel in ("counters", "tickets", "list"):
            self.assertFalse(RIGHT[kernel][3](self.words(kernel, "gpu.transactional_memory=none", *SMALL)))

    def test_right_on_the_functional_model(self):
        for kernel in RIGHT:
            with self.subTest(kernel=kernel):
                self.assert_right(kernel, model="functional")


if __name__ == "__main__":
    main()
