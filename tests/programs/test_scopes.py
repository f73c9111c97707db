#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The machine with scoped caches (apu64): what it is, that programs are right on it, and work stealing in all scenarios."""
import os
import re

from test_workloads import cases
from wavetank_tests import ProgramTest, main, on_wavetank, program_path

APU = ["--gpu", "apu64"]
# Which protocol a scenario of stealing.cl runs on: remote operations are those of rsp and srsp.
SCENARIOS = (("base", "qr"), ("scope", "qr"), ("steal", "qr"), ("remote", "rsp"), ("remote", "srsp"))
GRAPHS = ("pagerank", "sssp", "mis")


class Machine(ProgramTest):
    def test_it_is_the_machine_of_table_1(self):
        result = on_wavetank([program_path("workloads", "vector_add"), "--small"], options=APU)
        self.assert_passed(result, "apu64")
        of = {name: parameter["value"] for name, parameter in result.statistics["configuration"]["parameters"].items()}
        slices = of["address.slices"]
        self.assertEqual((of["gpu.compute_units"], of["cu.simds"] * of["cu.wavefronts_per_simd"], of["cu.issue_order"]),
                         (64, 40, "oldest_first"))
        self.assertEqual((of["l1.size_kb"], of["l1.ways"], of["l1.reply_cycles"], of["scoped.l1_sfifo_entries"]), (16, 16, 4, 16))
        self.assertEqual((of["l2.size_kb"], of["l2.ways"], of["l2.reply_cycles"], of["scoped.l2_sfifo_entries"], slices), (512, 16, 24, 24, 1))
        self.assertEqual((of["instruction.size_kb"], of["instruction.ways"], of["gpu.units_per_shared_cache"]), (32, 8, 4))
        self.assertEqual((slices * of["address.channels_per_slice"], of["gpu.memory_khz"], of["gpu.protocol"]), (8, 500000, "qr"))
        self.assertEqual(of["dram.burst_bytes"], of["dram.burst_cycles"] * 2 * 8, "64 pins, two beats a cycle")

    def test_its_own_numbers_do_not_follow_the_card(self):
        """What it inherits may change with what is known of the card; what its paper or its results hang on may not."""
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "gpus", "apu64.yaml")
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
        for section, name in (("l1", "set_index"), ("l2", "set_index"), ("cu", "issue_order"), ("address", "rule")):
            self.assertRegex(text, r"\n%s:\n(  .*\n)*  %s: \{ value: \w+, source: \"" % (section, name))

    def test_programs_are_right_on_it(self):
        done = set()
        for name, arguments, _ in cases():
            if name in done or "--small" not in arguments:
                continue
            if name.startswith("global_") and "WAVETANK_LONG" not in os.environ:  # locks that spin
                continue
            done.add(name)
            with self.subTest(name):
                program = [program_path("workloads", name), *arguments, "--verbose"]
                right, result = on_wavetank(program, "functional"), on_wavetank(program, options=APU)
                self.assert_passed(result, name)
                self.assertEqual(result.lines("checksum"), right.lines("checksum"))
        self.assertGreater(len(done), 15)


class Stealing(ProgramTest):
    """Each task once, which the programs check, and the right result, with a work-group for each compute unit."""

    def check(self, name, units, scenario, protocol, *settings):
        what = "%s %s under %s on %d units %s" % (name, scenario, protocol, units, settings)
        size = "2000" if units < 64 else "1000"
        program = [program_path("workloads", name), "--size", size, "--chunk", "16", "--scenario", scenario,
                   "--groups", str(units), "--verbose", *([] if name == "mis" else ["--rounds", "1"])]
        result = on_wavetank(program, options=APU, settings=["gpu.compute_units=%d" % units, "gpu.protocol=" + protocol, *settings])
        self.assert_passed(result, what)
        groups = [result.statistics["kernels"][0]["places"].get("cu%d.groups" % unit) for unit in range(units)]
        self.assertEqual(groups, [1] * units, "a work-group on each compute unit")
        stolen = int(re.search(r"done, (\d+) of them stolen", result.output).group(1))
        if name == "mis" and units < 64:  # routers' chunks are uneven
            self.assertEqual(stolen > 0, scenario in ("steal", "remote"), what)

    def test_few_and_many_units(self):
        for units in (8, 128):
            for name in GRAPHS:
                for scenario, protocol in SCENARIOS:
                    if units == 128 and name == "mis" and scenario == "remote" and "WAVETANK_LONG" not in os.environ:
                        continue  # some 80,000 remote operations that ask 127 L1s each
                    with self.subTest(name, units=units, scenario=scenario, protocol=protocol):
                        self.check(name, units, scenario, protocol)

    def test_the_units_between(self):
        for units in (16, 64):
            for name in GRAPHS:
                with self.subTest(name, units=units):
                    self.check(name, units, "remote", "srsp")

    def test_an_l2_without_a_bound(self):
        self.check("mis", 64, "remote", "srsp", "scoped.l2_sfifo_entries=0")


class Statistics(ProgramTest):
    """What scoped operations cost, as the statistics have it."""

    def sums(self, scenario, protocol, *settings):
        program = [program_path("workloads", "mis"), "--size", "2000", "--chunk", "16", "--scenario", scenario, "--groups", "16"]
        result = on_wavetank(program, options=APU, settings=["gpu.compute_units=16", "gpu.protocol=" + protocol, *settings])
        self.assert_passed(result, scenario)
        return result.statistics["run"]["sums"]

    def test_remote_operations(self):
        rsp, srsp = self.sums("remote", "rsp"), self.sums("remote", "srsp")
        for of, name in ((rsp, "rsp"), (srsp, "srsp")):
            l1 = {key[len("cu.l1.coherence."):]: value for key, value in of.items() if key.startswith("cu.l1.coherence.")}
            self.assertGreater(l1["held_remote_cycles"], 16 * l1["remote_operations"], name)
            self.assertEqual(l1["held_cycles"] > l1["held_remote_cycles"], l1["promoted_acquires"] > 0, name)
            self.assertLess(l1["held_cycles"], of["cu.busy_cycles"])
            self.assertLessEqual(l1["sfifo_met"], 16 * l1["sfifo_entered"])
            self.assertGreater(l1["sfifo_entered"], l1["local_releases"])
            self.assertEqual(l1["probes"], of["l2.coherence.probes_sent"])
            self.assertEqual(of["l2.coherence.broadcasts"] * 15, l1["probes"])
            self.assertGreater(of["l2.coherence.lock_wait_cycles"], 16 * of["l2.coherence.lock_waits"])
            self.assertGreaterEqual(l1["lines_written"], l1["lines_written_for_probes"] + l1["sfifo_overflows"], name)
            self.assertEqual(l1["lines_written"], of["l2.coherence.lines_from_l1s"], name)
            self.assertGreaterEqual(l1["probes"], l1["probe_flushes"], name)
            self.assertGreater(l1["lines_written_for_probes"], 0, name)
            self.assertGreater(l1["misses_after_acquire"], 0, name)
            self.assertGreater(of["cu.l1.lines_invalidated"], l1["misses_after_acquire"], name)
            self.assertGreater(l1["remote_operations"], 7 * 16, "more than one for each group and launch")
        for lost in ("lines_written_for_probes", "probe_flushes", "misses_after_acquire"):
            self.assertGreater(rsp["cu.l1.coherence." + lost], srsp["cu.l1.coherence." + lost], lost)
        self.assertGreater(srsp["cu.l1.coherence.promoted_acquires"], 0)
        promotions = srsp["cu.l1.coherence.promotions"] - srsp["cu.l1.coherence.promotions_unused"]
        self.assertGreaterEqual(promotions, srsp["cu.l1.coherence.promoted_acquires"])
        self.assertEqual(rsp["cu.l1.coherence.promotions"], 0)
        self.assertGreater(rsp["cu.l1.probe_walk_cycles"], 4 * srsp["cu.l1.probe_walk_cycles"])

    def test_scopes_save_waiting(self):
        base, scope = self.sums("base", "qr"), self.sums("scope", "qr")
        self.assertGreater(base["cu.scoped_operations"], scope["cu.scoped_operations"], "fences complete those of the device")
        self.assertLess(scope["cu.scoped_cycles"], 0.25 * base["cu.scoped_cycles"])
        self.assertGreater(base["cu.l1.coherence.held_cycles"], 0)
        self.assertEqual(base["cu.l1.coherence.held_remote_cycles"], 0)
        self.assertEqual(scope["cu.l1.coherence.held_cycles"], 0)


if __name__ == "__main__":
    main()
