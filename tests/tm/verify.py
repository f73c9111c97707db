# SPDX-License-Identifier: MIT
"""`wavetank verify tm` finds nothing wrong with each system that promises anything, and each deliberate fault of one by name."""
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs"))
from wavetank_tests import WAVETANK, execute, main  # noqa: E402

TRANSACTIONS = os.environ.get("WAVETANK_TM_TRANSACTIONS", "4000")
CONFLICT = "a transaction for which its work-group has stopped met a conflict"
REPLAY = "in the serial replay"
OWN = "did not read what it had stored"
STANDSTILL = "nothing moves any more"
# What is drawn besides would only make them slow.
KILOTM = ("kilotm.warps_per_core=0", "sim.stall_cycles=200000", "kilotm.credits=0", "kilotm.commit_id_cycles=2", "kilotm.set_words=0",
          "kilotm.set_buffers=0", "kilotm.log_kb=48", "kilotm.history=lwh", "crossbar.latency_cycles=16")
# deliberate fault, the system, more settings, the words that name what was seen
BREAKS = [
    ("tm_keep_stores", "localtm", (), REPLAY),
    ("tm_forget_filter", "localtm", (), REPLAY),
    ("tm_commit_marked", "localtm", (), REPLAY),
    ("tm_keep_filter", "localtm", (), CONFLICT),
    ("tm_run_others", "localtm", ("localtm.attempts_before_group=0",), CONFLICT),
    ("tm_share_token", "serial", (), REPLAY),
    ("tm_skip_validation", "ideal", (), REPLAY),
    ("tm_share_token", "serial_global", (), REPLAY),
    ("tm_skip_validation", "ideal_global", (), REPLAY),
    ("tm_forget_table", "ideal_global", (), REPLAY),
    ("tm_skip_validation", "ideal_global", ("ideal_global.stores_at=execution",), REPLAY),
    ("tm_forget_table", "ideal_global", ("ideal_global.stores_at=execution",), REPLAY),
    ("tm_keep_stores", "localtm,kilotm", (), REPLAY),
    ("kilo_skip_validation", "localtm,kilotm", KILOTM[2:], REPLAY),
    ("tm_skip_validation", "ideal,ideal_global", (), REPLAY),
    ("kilo_skip_validation", "kilotm", KILOTM, REPLAY),
    ("kilo_skip_hazard", "kilotm", KILOTM, REPLAY),
    ("kilo_skip_revalidation", "kilotm", KILOTM, REPLAY),
    ("kilo_revalidate_early", "kilotm", KILOTM, REPLAY),
    ("kilo_late_rcid", "kilotm", KILOTM, REPLAY),
    ("kilo_pass_first", "kilotm", KILOTM, REPLAY),
    ("kilo_forget_evicted", "kilotm", KILOTM + ("kilotm.history_entries=4", "kilotm.history_ways=1"), REPLAY),
    ("kilo_miss_own_writes", "kilotm", KILOTM, OWN),
    ("kilo_lose_skip", "kilotm", KILOTM, STANDSTILL),
    ("kilo_ignore_fail", "kilotm", KILOTM, STANDSTILL),
    ("kilo_stop_watchdog", "kilotm", KILOTM[2:], "a doomed attempt ran on for"),
]


def systems():
    listed = subprocess.run([WAVETANK, "list", "transactional-memory"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [line.split()[0] for line in listed.splitlines() if line.strip()]


def verify(system, *settings, transactions=TRANSACTIONS, shrink=True, more=()):
    options = ([] if shrink else ["--no-shrink"]) + list(more) + [word for setting in settings for word in ("-o", setting)]
    return execute([WAVETANK, "verify", "tm", system, "--transactions", transactions, *options], timeout=3000)


class Verify(unittest.TestCase):
    def test_what_is_only_slow_is_no_fault(self):
        """250 work-items want four words across a network of 300 cycles: a tenth of the limit would not do."""
        result = verify("kilotm", "crossbar.latency_cycles=300", "gpu.compute_units=4", "kilotm.warps_per_core=1",
                        transactions="1", more=("--seed", "1285"))
        self.assertEqual(result.status, 0, result.report())
        self.assertIn("3500 transactions in 1 programs", result.output)

    def test_systems_keep_their_promises(self):
        for system in systems():
            with self.subTest(system=system):
                result = verify(system)
                self.assertEqual(result.status, int(system == "none"), result.report())

    def test_with_many_settings(self):
        """A pair of systems draws the most; each of as many again is taken."""
        result = verify("localtm,kilotm", *["cu.simd_lanes=16"] * 40, "kilotm.log_rows=0", transactions="1")
        self.assertEqual(result.status, 2, result.report())
        self.assertIn("kilotm.log_rows: 0 is outside", result.output + result.errors)
        result = verify("localtm,kilotm", *["cu.simd_lanes=16"] * 40, transactions="1")
        self.assertEqual(result.status, 0, result.report())

    def test_with_commit_ids_at_once(self):
        result = verify("kilotm", "kilotm.commit_id_cycles=0")
        self.assertEqual(result.status, 0, result.report())

    def test_with_stores_at_execution(self):
        """Lines that hardly stay in L2, so that what is written in no time has to find them elsewhere."""
        for more in ((), ("l2.size_kb=1", "l2.ways=1", "address.rule=modulo", "address.slices=1", "address.channels_per_slice=1")):
            result = verify("ideal_global", "ideal_global.stores_at=execution", *more)
            self.assertEqual(result.status, 0, result.report())

    def test_pairs_keep_their_promises(self):
        for pair in ("localtm,kilotm", "ideal,kilotm", "localtm,ideal_global", "serial,serial_global"):
            with self.subTest(pair=pair):
                result = verify(pair)
                self.assertEqual(result.status, 0, result.report())
                self.assertRegex(result.output, r"programs \(seeds 1 to \d+\), no fault")

    def test_breaks_are_found(self):
        for fault, system, settings, words in BREAKS:
            with self.subTest(fault=fault, system=system):
                result = verify(system, "debug.break=" + fault, *settings, transactions="60000", shrink=system == "localtm")
                self.assertNotEqual(result.status, 0)
                self.assertIn(words, result.output + result.errors)
                if "a fault" in result.output:  # no check of the simulator's own
                    self.assertRegex(result.output, r"made smaller in [1-9]\d* runs" if system == "localtm" else "made smaller in 0 runs")

    def test_an_owner_byte_alone_is_found(self):
        result = verify("localtm", "localtm.owner_valid=0", transactions="60000")
        self.assertEqual(result.status, 1)
        self.assertRegex(result.output, r"\(program-\w+\.cl:\d+\)|program-\w+\.cl:\d+")

    def test_mistakes(self):
        for words in (["nothing"], [], ["localtm", "serial"], ["localtm", "-o", "localtm.search=blind"]):
            result = execute([WAVETANK, "verify", "tm", *words])
            self.assertEqual(result.status, 2, result.report())


if __name__ == "__main__":
    main()
