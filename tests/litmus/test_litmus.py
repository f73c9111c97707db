#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Litmus tests under every protocol: no forbidden outcome, and the weak ones that a protocol must be able to show. The verdicts
are data (verdicts); which protocols there are, the command line says."""
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs"))
from wavetank_tests import (POCL, WAVETANK, ProgramTest, execute, has_pocl, main,  # noqa: E402
                            on_wavetank, program_path)

LITMUS = program_path("tests", "litmus", "litmus")
MESSAGE = program_path("tests", "litmus", "message")
REMOTE = program_path("tests", "litmus", "remote")
CACHES = program_path("tests", "litmus", "caches")
SCOPED = program_path("tests", "litmus", "scoped")
UNITS = "gpu.compute_units=4"
# What must not change a verdict: few misses at a time, and few lines, so that copies leave again.
STRAITS = (("l1.mshr_entries=1",), ("l2.mshr_entries=1",), ("l1.size_kb=1", "l1.ways=1", "l1.mshr_entries=2"))
# Runs on real threads until one in which each reader saw its message.
PATIENCE = 8


def protocols():
    return [line.split()[0] for line in execute([WAVETANK, "list", "protocols"]).output.splitlines() if line]


class Litmus(ProgramTest):
    def check(self, words, settings=(), size="40", model="timed"):
        result = on_wavetank([LITMUS, *words, "--size", size], model, settings=settings)
        print(result.output, file=sys.stderr)
        self.assert_passed(result, " ".join(settings))
        self.assertRegex(result.output, r"litmus: [1-9]\d+ run, 0 failed\n")

    def test_each_protocol_shows_what_it_may_and_must(self):
        for name in protocols():
            with self.subTest(name):
                result = execute([WAVETANK, "verify", "--litmus", name])
                print(result.output, file=sys.stderr)
                self.assert_passed(result, name)
                self.assertRegex(result.output, r"litmus: [1-9]\d+ run, 0 failed\n")

    def test_verify_runs_no_fault_of_the_tables(self):
        result = execute([WAVETANK, "verify", "--litmus", "--break", "any", protocols()[0]])
        self.assertEqual(result.status, 2)
        self.assertIn("--litmus runs a protocol as it is", result.errors)

    def test_small_caches_and_few_mshr(self):
        for name in protocols():
            for settings in STRAITS:
                with self.subTest(name, settings=settings):
                    self.check([], ["gpu.protocol=" + name, UNITS, *settings], "12")

    def test_functional_has_no_forbidden_outcome(self):
        self.check([], [UNITS], "12", "functional")


class Message(ProgramTest):
    """A program in standard C11 atomics; on PoCL too, which is no simulator of ours."""

    def test_each_protocol_passes_messages(self):
        for name in protocols():
            for settings in ((), ("l1.mshr_entries=1",), ("l1.size_kb=1", "l1.ways=1")):
                with self.subTest(name, settings=settings):
                    required = [] if settings else ["protocol=" + name]
                    result = on_wavetank([MESSAGE, *required], settings=["gpu.protocol=" + name, UNITS, *settings])
                    self.assert_passed(result, name)
                    self.assertIn("message: passed, 0 words old, 0 messages not seen\n", result.output)

    def test_fences_of_the_device_serve_old_programs(self):
        """mem_fence and atomics without an order: old words under nmoesi, whose fences are of the work-group, and none otherwise."""
        for name in protocols():
            for scope in ("work-group", "device") if name == "nmoesi" else ("work-group",):
                with self.subTest(name, scope=scope):
                    settings = ["gpu.protocol=" + name, UNITS, "nmoesi.fence_scope=" + scope]
                    result = on_wavetank([MESSAGE], settings=settings)
                    self.assert_passed(result, name)
                    found = re.search(r"message_fences: passed, (\d+) words old, 0 messages not seen\n", result.output)
                    self.assertTrue(found, result.report())
                    self.assertEqual(int(found[1]) > 0, name == "nmoesi" and scope == "work-group", result.output)

    def test_functional(self):
        self.assert_passed(on_wavetank([MESSAGE], "functional"), "functional")

    @unittest.skipUnless(has_pocl(), "PoCL is not here")
    def test_pocl(self):
        """A busy machine may keep the sender's thread waiting for longer than a reader does; a word is never old."""
        for _ in range(PATIENCE):
            result = execute([MESSAGE, "--platform", POCL])
            self.assertRegex(result.output, r"message: \w+, 0 words old,", result.report())
            if "message: passed, 0 words old, 0 messages not seen\n" in result.output:
                break
        self.assert_passed(result, POCL)


class Remote(ProgramTest):
    """Atomics of remote scope, on every protocol and on PoCL."""

    def test_each_protocol(self):
        for name in protocols():
            with self.subTest(name):
                self.assert_passed(on_wavetank([REMOTE], settings=["gpu.protocol=" + name, UNITS]), name)

    @unittest.skipUnless(has_pocl(), "PoCL is not here")
    def test_pocl(self):
        self.assert_passed(execute([REMOTE, "--platform", POCL]), POCL)


class Scoped(ProgramTest):
    """A message in standard atomics between work-groups on different compute units: of device scope it is right under each protocol,
    of work-group scope it is stale or never seen where an L1 keeps what is its work-group's (the verdicts say where it must be)."""

    def counts(self, result, kernel):
        found = re.search(kernel + r": passed, (\d+) words old, (\d+) messages not seen", result.output)
        self.assertTrue(found, result.report())
        return tuple(int(number) for number in found.groups())

    def test_each_protocol(self):
        for name in protocols():
            with self.subTest(name):
                result = on_wavetank([SCOPED, "protocol=" + name], settings=["gpu.protocol=" + name, UNITS])
                self.assert_passed(result, name)
                self.assertEqual(self.counts(result, "tell_device"), (0, 0))

    def test_the_machine_with_scoped_caches(self):
        result = on_wavetank([SCOPED, "protocol=qr"], settings=[UNITS], options=["--gpu", "apu64"])
        self.assert_passed(result, "qr")
        self.assertEqual(self.counts(result, "tell_device"), (0, 0))
        old, unseen = self.counts(result, "tell_group")
        self.assertTrue(old > 0 and unseen > 0, result.output)

    def test_functional_sees_every_message(self):
        result = on_wavetank([SCOPED], "functional")
        self.assert_passed(result, "functional")
        self.assertEqual(self.counts(result, "tell_group"), (0, 0))

    @unittest.skipUnless(has_pocl(), "PoCL is not here")
    def test_pocl(self):
        result = execute([SCOPED, "--platform", POCL])
        self.assert_passed(result, POCL)
        self.assertEqual(self.counts(result, "tell_device"), (0, 0))


class CheckRelease(ProgramTest):
    """--check-release: what a program that says releases and acquires never shows, and one without them does."""

    def test_a_missing_acquire_is_counted_and_named(self):
        result = on_wavetank([MESSAGE], settings=[UNITS], options=["--check-release", "--build-options", "-g"])
        self.assert_passed(result, "message")
        line = r"kernel message_relaxed, work-group \d+:0:0, .* 'buffer_load_dword .* loads an old byte at 0x\w+: "
        self.assertRegex(result.errors, line + r"compute unit \d+ stored another \d+ cycles before, at \S+\.cl:\d+")
        self.assertRegex(result.errors, r"kernel message_relaxed: \d+ bytes loaded older than another compute unit's store")
        self.assertNotIn("kernel message:", result.errors)
        self.assertNotIn("kernel message,", result.errors)
        counted = [(kernel["name"], kernel["sums"]["cu.old_bytes"] > 0) for kernel in result.statistics["kernels"]]
        self.assertEqual(counted, [("message", False)] * 4 + [("message_relaxed", True)] * 4 + [("message_fences", False)] * 4)

    def test_the_functional_model_has_nothing_to_check(self):
        result = on_wavetank([MESSAGE], "functional", options=["--check-release"])
        self.assertNotEqual(result.status, 0)
        self.assertIn("--check-release needs the timed model", result.errors)

    def test_it_costs_no_cycles(self):
        plain, checked = (on_wavetank([MESSAGE], settings=[UNITS], options=options).statistics
                          for options in ([], ["--check-release"]))
        self.assertEqual([k["cycles"] for k in plain["kernels"]], [k["cycles"] for k in checked["kernels"]])


class Judge(ProgramTest):
    """The judge itself: a protocol that leaves out an invalidation is caught, and so is one that shows nothing weak."""

    def test_a_fault_shows_as_a_forbidden_outcome(self):
        result = on_wavetank([LITMUS, "mp_device", "mp_fences"], settings=[UNITS, "debug.break=keep_l1_at_acquire"])
        self.assertEqual(result.status, 1, result.report())
        self.assertRegex(result.output, r"mp_device: forbidden on compute units, FAILED")
        self.assertRegex(result.output, r"\n  1 0 0 0 +\d+  forbidden\n")

    def test_what_is_required_and_not_seen_is_an_error(self):
        """The functional model has no old copies."""
        result = on_wavetank([LITMUS, "mp_group_acquire", "protocol=" + protocols()[0]], "functional", settings=[UNITS])
        self.assertEqual(result.status, 1, result.report())
        self.assertIn("1 0 . . was not seen, and is required".replace(" ", ""), result.output.replace(" ", ""))

    def test_the_table_knows_the_protocols(self):
        """A name that no protocol has would require nothing, in silence."""
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "verdicts"), encoding="utf-8") as stream:
            named = {name for line in stream for name in re.findall(r" required (.*)", line)}
        self.assertLessEqual({name for names in named for name in names.split()}, set(protocols()))


class Caches(ProgramTest):
    """A copy in L1 is old until a fence, a GLC load or a new kernel: data lives in the caches."""

    def test_timed_reads_the_old_word_without_a_fence(self):
        result = on_wavetank([CACHES])
        self.assert_passed(result, "timed")
        self.assertIn("first 0, without a fence 0, past L1 1005, after a fence 1005", result.output)

    def test_each_protocol_passes_all_else(self):
        """What a copy in L1 shows without a fence is the protocol's own; the rest is asked of each."""
        for name in protocols():
            result = on_wavetank([CACHES], settings=["gpu.protocol=" + name])
            if result.status != 0:
                result = on_wavetank([CACHES, "--expect-fresh"], settings=["gpu.protocol=" + name])
            self.assert_passed(result, name)

    def test_functional_has_no_caches(self):
        self.assert_passed(on_wavetank([CACHES, "--expect-fresh"], "functional"), "functional")


if __name__ == "__main__":
    main()
