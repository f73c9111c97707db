#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a user sees whose program is wrong: who did what, where, and the exit status. Also programs that are right and
unusual: many launches, threads, forks. WAVETANK and WAVETANK_BUILD as in ../programs/wavetank_tests.py.
"""
import glob
import json
import os
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs"))
from wavetank_tests import MODELS, WAVETANK, ProgramTest, execute, main, on_wavetank, program_path  # noqa: E402

PROGRAM = program_path("tests", "machine", "user_errors")


class Access(ProgramTest):
    """An access that no buffer holds ends the kernel; the program gets an OpenCL error (and ends with 2)."""

    def check(self, mistake, *words):
        errors = []
        for model in MODELS:
            result = on_wavetank([PROGRAM, mistake], model)
            self.assertEqual(result.status, 2, result.report())
            for word in words + ("work-group 0:0:0, wavefront 0", "error: clWaitForEvents"):
                self.assertIn(word, result.errors)
            errors.append(result.errors)
        self.assertEqual(errors[0], errors[1])
        return errors[0]

    def test_store(self):
        text = self.check("store", ".cl:6: kernel far,", "buffer_store_dword", "lane 5, stores 4 bytes at 0x5500",
                          "%d bytes past the end of buffer 0 (1024 bytes)" % (4 * 2**28 - 1024))
        self.assertNotIn("hint", text)

    def test_store_before_the_buffer(self):
        self.check("before", "lane 5, stores 4 bytes", "32 bytes before buffer 0 (1024 bytes)")

    def test_load(self):
        self.check("load", ".cl:10: kernel far_read,", "buffer_load_dword", "lane 1, loads 4 bytes",
                   "bytes past the end of buffer 0 (1024 bytes)")

    def test_scalar_load(self):
        self.check("scalar_load", ".cl:14: kernel far_uniform,", "s_load_dword", "past the end of buffer 0 (1024 bytes)")

    def test_without_g_the_message_tells_of_it(self):
        text = self.check("store_without_g", "kernel far,", "hint: build the program with -g")
        self.assertNotIn(".cl:", text)


class Endless(ProgramTest):
    def test_the_cycle_limit_ends_it_with_a_report(self):
        for mistake in ("endless", "circles", "divided_barrier"):
            for model in MODELS:
                result = execute([WAVETANK, "run", "--model", model, "--max-cycles", "50000", "--", PROGRAM, mistake],
                                 timeout=100)
                self.assertEqual(result.status, 124, result.report())
                self.assertIn("NOT FINISHED: launch 1", result.output + result.errors)
                self.assertIn("cycle limit after 0 of 1 work-groups", result.output + result.errors)

    def test_a_wavefront_that_ended_is_not_awaited(self):
        for model in MODELS:
            self.assert_passed(on_wavetank([PROGRAM, "missing_barrier"], model), model)

    def test_nothing_moves(self):
        """The watchdog: a memory slower than its patience."""
        result = on_wavetank([PROGRAM, "right"], settings=["dram.model=fixed", "dram.fixed_cycles=100000",
                                                          "sim.stall_cycles=1000"])
        self.assertEqual(result.status, 2, result.report())
        for word in ("who waits for whom", "cu0 ", "1 waiting for instructions", "instruction0", "1 lines on their way",
                     "fits made no progress for 1000 cycles", "sim.stall_cycles"):
            self.assertIn(word, result.errors)
        # the culprit: what the memory has sent and nothing else waits for
        self.assertRegex(result.errors, r"on the way:\n  dram\d+ to l2_\d+: 1 replies, the first arrives in \d+ core cycles\n")

    def test_nothing_moves_names_the_culprit_in_each_memory_model(self):
        for settings, place in ((["dram.reply_cycles=10000"], r"  dram\d+ to l2_\d+: 1 replies, the first arrives in \d+ core"),
                                (["dram.request_cycles=10000"], r"  dram\d+ +1 reads and 0 writes queued\n")):
            result = on_wavetank([PROGRAM, "right"], settings=["sim.stall_cycles=1000", *settings])
            self.assertEqual(result.status, 2, result.report())
            self.assertRegex(result.errors, place)


class Build(ProgramTest):
    def check(self, mistake, *words):
        result = on_wavetank([PROGRAM, mistake])
        self.assertEqual(result.status, 2, result.report())
        self.assertIsNone(result.statistics and result.statistics["kernels"] or None)
        for word in words:
            self.assertIn(word, result.errors)
        return result.errors

    def test_wrong_source(self):
        text = self.check("wrong_source", ".cl:3:14: error: use of undeclared identifier 'undeclared_name'",
                          "    out[0] = undeclared_name;", "CL_BUILD_PROGRAM_FAILURE")
        self.assertEqual(text.count("use of undeclared identifier"), 1, text)

    def test_what_the_library_lacks(self):
        self.check("unknown_function", "no_such_function is used and defined nowhere", "in unknown",
                   "hint: neither the program, nor what is linked with it, nor OpenCL C as this device has it defines it")
        self.check("image", "read_imagef", "hint: images are not supported")

    def test_unknown_option(self):
        self.check("unknown_option", "unknown build option '-no-such-option'", "CL_INVALID_BUILD_OPTIONS")

    def test_too_much_local_memory(self):
        text = self.check("large_local", "local memory (48000) exceeds limit (32768) in 'large'")
        self.assertEqual(text.count("exceeds limit"), 1, text)

    def test_launches_that_cannot_be(self):
        self.check("large_group", "CL_INVALID_WORK_ITEM_SIZE", "wavetank: clEnqueueNDRangeKernel: kernel ", "at most 256")
        self.check("uneven_group", "CL_INVALID_WORK_GROUP_SIZE", "is no multiple of the local size")
        self.check("no_kernel", "CL_INVALID_KERNEL_NAME", "the program has no such kernel, but: ")


class Unusual(ProgramTest):
    def test_local_memory_has_limits_as_in_the_hardware(self):
        for model in MODELS:  # stores beyond are dropped: wrong results, and no error
            self.assertEqual(on_wavetank([PROGRAM, "local_far"], model).status, 1)

    def test_the_largest_values_are_read_back(self):
        """What is written, `wavetank diff` reads; and such a patience does not end at once."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "statistics.json")
            result = execute([WAVETANK, "run", "--quiet", "--json", path, "-o", "sim.stall_cycles=%d" % (2**53 - 1),
                              "-o", "sim.order_seed=%d" % (2**53 - 1), "-o", "gpu.core_khz=999983",
                              "--max-cycles", str(2**63), "--", PROGRAM, "right"])
            self.assert_passed(result, "largest")
            result = execute([WAVETANK, "diff", path, path])
            self.assert_passed(result, "diff")
        result = on_wavetank([PROGRAM, "right"], settings=["sim.stall_cycles=18446744073709551615"])
        self.assertEqual(result.status, 2)
        self.assertIn("outside 1000 to 9007199254740991", result.errors)

    def test_hundreds_of_launches(self):
        start = time.monotonic()
        result = on_wavetank([PROGRAM, "many", "400"])
        self.assert_passed(result, "many")
        self.assertEqual(len(result.statistics["kernels"]), 400)
        self.assertEqual(result.statistics["run"]["instructions"],
                         sum(kernel["instructions"] for kernel in result.statistics["kernels"]))
        self.assertLess(time.monotonic() - start, 60)

    def test_resident_wavefronts_all_get_on(self):
        """Forty wavefronts of a compute unit spin until a younger one has stored; more than the queue has entries."""
        for entries in (32, 1):
            result = on_wavetank([PROGRAM, "turns"], settings=["gpu.compute_units=1", "cu.vmem_entries=%d" % entries],
                                 options=["--max-cycles", "20000000"])
            self.assert_passed(result, "%d entries" % entries)

    def test_threads(self):
        for model in MODELS:
            result = on_wavetank([PROGRAM, "threads"], model)
            self.assert_passed(result, model)
            self.assertEqual(len(result.statistics["kernels"]), 80)

    def run_forked(self, how):
        with tempfile.TemporaryDirectory() as folder:
            result = execute([WAVETANK, "run", "--quiet", "--json", os.path.join(folder, "%p.json"), "--", PROGRAM, how])
            self.assert_passed(result, how)
            found = []
            for path in glob.glob(os.path.join(folder, "*")):
                with open(path, encoding="utf-8") as stream:
                    found.append(len(json.load(stream)["kernels"]))
            return found

    def test_a_child_that_does_nothing_reports_nothing(self):
        self.assertEqual(self.run_forked("fork"), [1])

    def test_a_child_with_a_device_of_its_own_reports_too(self):
        self.assertEqual(self.run_forked("fork_first"), [1, 1])

    def test_a_crash_is_the_programs(self):
        result = on_wavetank([PROGRAM, "crash"])
        self.assertEqual(result.status, 128 + 11)
        self.assertIn("was ended by signal 11 (", result.errors)


if __name__ == "__main__":
    unittest.TestCase.maxDiff = None
    main()
