# SPDX-License-Identifier: MIT
"""Kernels with transactions are right, or stop with a named fault at their line: never silently wrong."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs"))
from wavetank_tests import ProgramTest, main, on_wavetank, program_path  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "kernels.cl")
INCLUDE = os.path.join(HERE, "..", "..", "include", "wavetank")
SYSTEMS = ("localtm", "serial", "ideal")
AGAIN = "left behind differently"
UNEVEN = "equal in all lanes, and it is not"
TWICE = [0] * 8 + [1] * 8


def each(value):
    return lambda words, items: all(word == value for word in words[:items])


# kernel: n, items of a group, groups, what the words must be
RIGHT = {
    "kept": (8, 64, 1, lambda words, items: sorted(words[:64]) == sorted(i // 8 for i in range(64))),
    "truth_kept": (8, 64, 4, lambda words, items: sum(words[:256]) == 128 and words[1000] == 128),
    "uniform_kept": (3, 64, 1, lambda words, items: sorted(words[:64]) == list(range(64))),
    "counted": (8, 256, 4, lambda words, items: words[1000] == 1024),
    "queued": (8, 64, 1, each(1)),
    "crossed": (50, 256, 1, lambda words, items: words[:3] == [2, 2, 0]),
    "owner_again": (1, 64, 1, each(6)),
    "wide": (8, 64, 1, each(8 + 100 * 8 + 10000 * 8 + 1000000 * 128)),
    "registers": (8, 64, 1, each(9)),
    "locked": (3, 128, 1, each(384)),
    "loops_inside": (8, 64, 1, each(1)),
    "uniform_computed": (3, 64, 1, lambda words, items: sorted(words[:64]) == [i * 3 + i // 2 for i in range(64)]),
    "counted_here": (8, 64, 1, each(64)),
}
# kernel: n, items, the fault's words, whether it stops in the line with FAULT, systems
FAULTS = {
    "truth_left": (8, 64, AGAIN, False, ("localtm", "serial")),
    "uniform_left": (3, 64, UNEVEN, False, ("localtm", "serial")),
    "private_store": (8, 64, "a store to private memory", True, ("localtm", "serial")),
    "ends_inside": (8, 64, "ends in an open transaction", False, ("localtm", "serial")),
    "barrier_inside": (8, 128, "a barrier in a transaction", True, ("localtm", "serial")),
    "two_commits": (8, 64, "only part of the transaction's lanes", False, ("localtm",)),
    "two_sides": (8, 64, AGAIN, False, ("localtm",)),
    "no_begin": (8, 64, "a commit without a begin", True, ("localtm", "serial")),
    "large": (8, 64, "14336 bytes of the program's would fit", False, ("localtm",)),
}


def fault_line(kernel):
    """The line of the kernel with FAULT."""
    with open(SOURCE, encoding="ascii") as stream:
        lines = stream.read().split("\n")
    start = next(i for i, line in enumerate(lines) if re.match(r"KERNEL\(\d+\) %s\(" % kernel, line))
    return next(i for i in range(start, len(lines)) if "FAULT" in lines[i]) + 1


class Kernels(ProgramTest):
    def run_kernel(self, kernel, n, items, groups, *settings, model="timed"):
        command = [program_path("tests/tm/kernel"), SOURCE, kernel, str(n), str(items), str(groups), "-g -I " + INCLUDE]
        return on_wavetank(command, model, settings, options=("--max-cycles", "5000000"), timeout=100)

    def words(self, kernel, *settings, model="timed"):
        n, items, groups, _ = RIGHT[kernel]
        result = self.run_kernel(kernel, n, items, groups, *settings, model=model)
        self.assert_passed(result, "%s %s %s" % (kernel, settings, model))
        return [int(word) for word in result.output.split()]

    def assert_right(self, kernel, *settings, model="timed"):
        words = self.words(kernel, *settings, model=model)
        self.assertTrue(RIGHT[kernel][3](words, RIGHT[kernel][1]), "%s %s: %s" % (kernel, settings, words[:64]))

    def test_right_on_every_system(self):
        for kernel in RIGHT:
            for system in SYSTEMS:
                with self.subTest(kernel=kernel, system=system):
                    self.assert_right(kernel, "gpu.transactional_memory=" + system)

    def test_right_on_the_functional_model(self):
        for kernel in RIGHT:
            with self.subTest(kernel=kernel):
                self.assert_right(kernel, model="functional")

    def test_faults_are_named(self):
        for kernel, (n, items, wanted, is_at_line, systems) in FAULTS.items():
            for system in systems:
                with self.subTest(kernel=kernel, system=system):
                    result = self.run_kernel(kernel, n, items, 1, "gpu.transactional_memory=" + system)
                    self.assertNotEqual(result.status, 0, result.report())
                    self.assertIn(wanted, result.errors)
                    if kernel != "large":  # no instruction of it has run
                        self.assertRegex(result.errors, r"\.cl:\d+: kernel %s, work-group" % kernel)
                    if is_at_line:
                        self.assertIn(".cl:%d:" % fault_line(kernel), result.errors)

    def test_old_stores_that_still_wait(self):
        self.assert_right("queued", "gpu.transactional_memory=localtm", "cu.lds_write_cycles=30")

    def test_readings_of_the_paper_that_are_right(self):
        for setting in ("localtm.bloom_index=word", "localtm.tell_reads=1", "localtm.attempts_before_group=1",
                        "localtm.attempts_before_group=0", "localtm.filter_bits=64", "localtm.search=scan"):
            for kernel in ("kept", "crossed", "wide", "owner_again"):
                with self.subTest(kernel=kernel, setting=setting):
                    self.assert_right(kernel, "gpu.transactional_memory=localtm", setting)

    def test_a_stale_owner_undoes_a_committed_write(self):
        words = self.words("owner_again", "gpu.transactional_memory=localtm", "localtm.owner_valid=0")
        self.assertIn(1, words[:64])  # 6 is right

    def test_the_oracle_finds_nothing_where_there_is_nothing(self):
        for kernel in RIGHT:
            for system in SYSTEMS:
                if kernel not in ("truth_kept", "locked"):
                    self.assert_right(kernel, "gpu.transactional_memory=" + system, "sim.check_transactions=1")

    def test_the_oracle_names_both_accesses(self):
        n, items, _, _ = RIGHT["owner_again"]
        for setting in ("localtm.owner_valid=0", "debug.break=tm_commit_marked"):
            result = self.run_kernel("owner_again", n, items, 1, "gpu.transactional_memory=localtm", setting,
                                     "sim.check_transactions=1")
            self.assertNotEqual(result.status, 0)
            self.assertRegex(result.errors, r"kernels?[-\w]*\.cl:\d+|program-\w+\.cl:\d+")
            self.assertRegex(result.errors, r"in the serial replay; the other access is '.*' at offset 0x\w+ \(.*\.cl:\d+\)")

    def test_a_plain_access_meets_a_transaction(self):
        result = self.run_kernel("weak", 8, 128, 1, "gpu.transactional_memory=localtm", "sim.check_transactions=1")
        self.assertIn("weak isolation: a plain load meets a store that has not committed", result.errors)

    def test_neither_sleep_nor_order_matters(self):
        for kernel in ("kept", "crossed", "wide", "queued"):
            for system in SYSTEMS:
                system = "gpu.transactional_memory=" + system
                runs = [self.words(kernel, system, *more) for more in ((), ("sim.sleep=0",), ("sim.order_seed=7",))]
                self.assertEqual(runs[0], runs[1])
                self.assertEqual(runs[0], runs[2])

    def test_what_is_left_out_is_missed(self):
        for fault, kernel in (("tm_keep_stores", "wide"), ("tm_commit_marked", "kept"), ("tm_forget_filter", "kept"),
                              ("tm_keep_registers", "registers")):
            with self.subTest(fault=fault):
                words = self.words(kernel, "gpu.transactional_memory=localtm", "debug.break=" + fault)
                self.assertFalse(RIGHT[kernel][3](words, RIGHT[kernel][1]), words[:64])


if __name__ == "__main__":
    main()
