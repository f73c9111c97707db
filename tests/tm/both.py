# SPDX-License-Identifier: MIT
"""Two systems at once, one for local and one for global memory: transactions on both are atomic in both."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs"))
from wavetank_tests import ProgramTest, main, on_wavetank, program_path  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "both.cl")
INCLUDE = os.path.join(HERE, "..", "..", "include", "wavetank")
PAIRS = ("localtm,serial_global", "localtm,ideal_global", "localtm,kilotm", "serial,serial_global", "ideal,serial_global",
         "ideal,ideal_global", "ideal,kilotm")
GROUPS, ITEMS = 4, 128
ALL = GROUPS * ITEMS


def tickets(words, n):
    return all(sorted(words[256 + ITEMS * group:256 + ITEMS * (group + 1)]) == list(range(n, n + ITEMS))
               for group in range(GROUPS))


# kernel: n, whether the words are right
KERNELS = {
    "transfer": (5, lambda words, n: sum(words[:n]) == 2 * ALL and words[256:256 + 8 * GROUPS] == [1000 - ITEMS // 4] * 8 * GROUPS),
    "local_ticket": (9, tickets),
    "global_ticket": (9, lambda words, n: words[0] == ALL
                      and sorted(words[256:256 + ALL]) == sorted(list(range(n, n + ITEMS)) * GROUPS)),
    "in_step": (3, lambda words, n: words[0] == 0 and words[64:64 + 4 * GROUPS] == [n * ITEMS // 4] * 4 * GROUPS
                and words[256:256 + 4 * GROUPS] == [n * ITEMS // 4] * 4 * GROUPS),
}


class Both(ProgramTest):
    def run_kernel(self, kernel, *settings, model="timed"):
        n, _ = KERNELS[kernel]
        command = [program_path("tests/tm/kernel"), SOURCE, kernel, str(n), str(ITEMS), str(GROUPS), "-g -I " + INCLUDE]
        return on_wavetank(command, model, ("gpu.compute_units=2",) + settings, options=("--max-cycles", "20000000"), timeout=200)

    def is_right(self, kernel, *settings, model="timed"):
        result = self.run_kernel(kernel, *settings, model=model)
        self.assert_passed(result, "%s %s" % (kernel, settings))
        n, check = KERNELS[kernel]
        return check([int(word) for word in result.output.split()], n), result

    def test_right_on_all_pairs(self):
        for pair in PAIRS:
            for kernel in KERNELS:
                with self.subTest(kernel=kernel, pair=pair):
                    self.assertTrue(self.is_right(kernel, "gpu.transactional_memory=" + pair)[0])

    def test_right_on_the_functional_model(self):
        for kernel in KERNELS:
            self.assertTrue(self.is_right(kernel, model="functional")[0], kernel)

    def test_the_oracles_find_nothing(self):
        for pair in PAIRS:
            for kernel in ("local_ticket", "global_ticket"):
                with self.subTest(kernel=kernel, pair=pair):
                    self.assertTrue(self.is_right(kernel, "gpu.transactional_memory=" + pair, "sim.check_transactions=1")[0])

    def test_neither_sleep_nor_order_matters(self):
        for pair in ("localtm,kilotm", "kilotm,localtm", "ideal,ideal_global"):
            runs = []
            for more in ((), ("sim.sleep=0",), ("sim.order_seed=7",)):
                right, result = self.is_right("in_step", "gpu.transactional_memory=" + pair, *more)
                self.assertTrue(right, (pair, more))
                runs.append((result.output, result.statistics["kernels"]))
            self.assertEqual(runs[0], runs[1])
            self.assertEqual(runs[0], runs[2])

    def run_table(self, pair, *more):
        command = [program_path("workloads/local_hash_table"), "--version", "tm", "--size", "2", "--entries", "8", "--table", "both"]
        return on_wavetank(command, "timed", ("gpu.compute_units=2", "gpu.transactional_memory=" + pair, "sim.check_transactions=1") + more, timeout=200)

    def test_a_table_in_both(self):
        for pair in ("localtm,kilotm", "ideal,ideal_global"):
            result = self.run_table(pair)
            self.assert_passed(result, pair)
            self.assertGreater(result.statistics["kernels"][0]["sums"]["cu.tm_aborts"], 0)
        for fault in ("tm_keep_stores", "kilo_skip_validation"):
            result = self.run_table("localtm,kilotm", "debug.break=" + fault)
            self.assertNotEqual(result.status, 0, fault)
            self.assertIn("in the serial replay", result.errors)

    def test_refusals(self):
        for pair, words in (("serial,kilotm", "serial cannot undo what a lane has stored, and kilotm may abort it"),
                            ("ideal_global,serial", "serial cannot undo"), ("kilotm,serial_global", "are for the same memory"),
                            ("localtm,serial", "are for the same memory")):
            result = self.run_kernel("transfer", "gpu.transactional_memory=" + pair)
            self.assertNotEqual(result.status, 0)
            self.assertIn(words, result.errors)

    def test_one_system_is_not_enough(self):
        for kernel, system in (("transfer", "localtm"), ("in_step", "ideal_global")):
            self.assertFalse(self.is_right(kernel, "gpu.transactional_memory=" + system)[0], system)


if __name__ == "__main__":
    main()
