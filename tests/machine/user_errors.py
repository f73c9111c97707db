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
        text = self.check("store", ".cl:6: kernel far,", "buffer_store_dword", "lane 5 (work-item 5:0:0), stores 4 bytes at 0x5500",
                          "%d bytes past the end of buffer 0 (1024 bytes)" % (4 * 2**28 - 1024))
        self.assertNotIn("hint", text)

    def test_store_before_the_buffer(self):
        self.check("before", "lane 5 (work-item 5:0:0), stores 4 bytes", "32 bytes before buffer 0 (1024 bytes)")

    def test_load(self):
        self.check("load", ".cl:10: kernel far_read,", "buffer_load_dword", "lane 1 (work-item 1:0:0), loads 4 bytes",
                   "bytes past the end of buffer 0 (1024 bytes)")

    def test_scalar_load(self):
        self.check("scalar_load", ".cl:14: kernel far_uniform,", "s_load_dword", "past the end of buffer 0 (1024 bytes)")

    def test_pointers_to_nowhere(self):
        """One wild pointer for the wavefront, by an instruction with a descriptor of it; one a lane; a scalar load."""
        self.check("wild_negative", ".cl:5: kernel wild,", "lane 0 (work-item 0:0:0), stores 4 bytes at 0xfffffffffffffffc",
                   "past the end of buffer 0 (1024 bytes)")
        self.check("wild_hidden", ".cl:5: kernel wild,", "stores 4 bytes at 0x1550000001000,")
        self.check("wild_lanes", ".cl:9: kernel wild_lanes,", "lane 0 (work-item 0:0:0), stores 4 bytes at 0xffffffffffffff80,")
        self.check("wild_high_lanes", ".cl:9: kernel wild_lanes,", "stores 4 bytes at 0x1550000001000,")
        self.check("wild_load", ".cl:13: kernel wild_load,", "(work-items from 0:0:0 on) loads 4 bytes at 0xfffffffffffffffc,")

    def test_memory_of_the_driver_is_no_buffer(self):
        for mistake in ("wild_code", "wild_packet"):
            self.check(mistake, ".cl:5: kernel wild,", "in memory that belongs to no buffer (code of a program)",
                       "bytes before buffer 0 (1024 bytes)")

    def test_an_atomic_that_is_not_aligned(self):
        self.check("odd_atomic", ".cl:19: kernel odd_atomic,", "buffer_atomic_add_x2", "lane 0 (work-item 0:0:0), updates 8 bytes",
                   "at offset 4 of buffer 0 (1024 bytes): an atomic of 8 bytes needs an address that is a multiple of 8")

    def test_without_g_the_message_tells_of_it(self):
        text = self.check("store_without_g", "kernel far,", "hint: `wavetank run --build-options -g` names the source line",
                          "with `--out-of-bounds zero` the kernel goes on")
        self.assertNotIn(".cl:", text)

    def test_what_the_hint_says_can_be_done(self):
        result = on_wavetank([PROGRAM, "store_without_g"], options=["--build-options", "-g"])
        self.assertIn(".cl:", result.errors)
        result = on_wavetank([PROGRAM, "store_without_g"], options=["--out-of-bounds", "zero"])
        self.assertIn(" accesses outside all buffers", result.errors)
        self.assertNotEqual(result.status, 2)


class Bounds(ProgramTest):
    """To the byte on the functional model, by page on the timed one, and what the options change."""

    def run_with(self, mistake, model, *options):
        return on_wavetank([PROGRAM, mistake], model, options=list(options))

    def assert_fault(self, result, *words):
        self.assertEqual(result.status, 2, result.report())
        for word in words:
            self.assertIn(word, result.errors)

    def test_the_functional_model_sees_the_first_word_behind_a_buffer(self):
        self.assert_fault(self.run_with("behind", "functional"), "kernel behind,",
                          "right behind the end of buffer 0 (1024 bytes)")
        self.assert_passed(self.run_with("behind", "timed"), "a page is what the timed model looks at")

    def test_exact_bounds_are_the_same_on_both(self):
        errors = []
        for model in MODELS:
            result = self.run_with("behind", model, "--exact-bounds")
            self.assert_fault(result, "right behind the end of buffer 0 (1024 bytes)")
            errors.append(result.errors)
        self.assertEqual(errors[0], errors[1])

    def test_a_byte_counts(self):
        for model in MODELS:
            self.assertEqual(self.run_with("last_byte", model, "--exact-bounds").status, 1)  # runs; its result is not 1
            self.assert_fault(self.run_with("behind_last_byte", model, "--exact-bounds"), "kernel bytes,", "loads 1 bytes",
                              "right behind the end of buffer 0 (1021 bytes)")

    def test_zero_lets_the_program_go_on(self):
        """Work-item 5 and 9 load 0, two stores vanish: out[0] is 1, as the program asks."""
        ends = []
        for model in MODELS:
            result = self.run_with("behind", model, "--exact-bounds", "--out-of-bounds=zero")
            self.assert_passed(result, model)
            ends.append([line for line in result.errors.splitlines() if "buffer 0" in line or "accesses outside" in line])
            self.assertEqual(len(ends[-1]), 2, result.errors)
        self.assertEqual(ends[0], ends[1])
        self.assertIn(".cl:24: kernel behind,", ends[0][0])
        self.assertIn("kernel behind: 4 accesses outside all buffers, launches with such: 1", ends[0][1])

    def test_zero_at_wild_pointers(self):
        for model in MODELS:
            for mistake, accesses in (("wild_negative", 64), ("wild_hidden", 64), ("wild_load", 1), ("wild_lanes", 64)):
                result = self.run_with(mistake, model, "--out-of-bounds", "zero")
                self.assertEqual(result.status, 1, result.report())  # it ends; its result is not 1
                self.assertIn(": %d accesses outside all buffers" % accesses, result.errors)

    def test_zero_says_nothing_where_there_is_nothing(self):
        for model in MODELS:
            result = self.run_with("right", model, "--out-of-bounds=zero", "--exact-bounds")
            self.assert_passed(result, model)
            self.assertNotIn("outside", result.errors)

    def test_an_atomic_that_is_not_aligned_is_a_fault_all_the_same(self):
        for model in MODELS:
            self.assert_fault(self.run_with("odd_atomic", model, "--out-of-bounds=zero"), "is a multiple of 8")

    def test_a_wrong_choice(self):
        result = execute([WAVETANK, "run", "--out-of-bounds", "ignore", "--", PROGRAM, "right"])
        self.assertEqual(result.status, 2, result.report())
        self.assertIn("the choices are 'fault' and 'zero'", result.errors)


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
        for word in ("who waits for whom", "cu0 ", "1 waiting for instructions", "instruction0", "1 outstanding misses",
                     "fits made no progress for 1000 cycles", "sim.stall_cycles"):
            self.assertIn(word, result.errors)
        # the culprit: what the memory has sent and nothing else waits for
        self.assertRegex(result.errors, r"in flight:\n  dram\d+ to l2_\d+: 1 replies, the first arrives in \d+ core cycles\n")

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

    def once_said_once_logged(self, text, words):
        """By the driver in a line of its own, and in the log, which this program prints."""
        said = [line for line in text.splitlines() if words in line]
        self.assertEqual([line.startswith("wavetank: clBuildProgram: ") for line in said], [True, False], text)

    def test_wrong_source(self):
        text = self.check("wrong_source", ".cl:3:14: error: use of undeclared identifier 'undeclared_name'",
                          "    out[0] = undeclared_name;", "CL_BUILD_PROGRAM_FAILURE")
        self.once_said_once_logged(text, "use of undeclared identifier")

    def test_what_the_library_lacks(self):
        self.check("unknown_function", "no_such_function is used and defined nowhere", "in unknown",
                   "hint: neither the program, nor what is linked with it, nor OpenCL C as this device has it defines it")

    def test_an_image_is_no_number(self):
        self.check("image", "clSetKernelArg: kernel image: argument 1 (image2d_t picture) has 8 bytes, not 4", "CL_INVALID_ARG_SIZE")

    def test_unknown_option(self):
        self.check("unknown_option", "unknown build option '-no-such-option'", "CL_INVALID_BUILD_OPTIONS")

    def test_too_much_local_memory(self):
        text = self.check("large_local", "local memory (48000) exceeds limit (32768) in 'large'")
        self.once_said_once_logged(text, "exceeds limit")

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

    def test_the_limit_is_the_granule_that_a_card_grants(self):
        """192 bytes are declared, 256 granted: words up to the 64th are there, the next ones are not."""
        for model in MODELS:
            self.assert_passed(on_wavetank([PROGRAM, "granule"], model), model)
            self.assert_passed(on_wavetank([PROGRAM, "granule_end"], model), model)
            self.assertEqual(on_wavetank([PROGRAM, "behind_granule"], model).status, 1)
            self.assertEqual(on_wavetank([PROGRAM, "granule_end"], model, settings=["cu.lds_granule_bytes=64"]).status, 1)

    def test_a_stencil_of_doubles(self):
        for model in MODELS:
            self.assert_passed(on_wavetank([PROGRAM, "stencil"], model), model)
            self.assert_passed(on_wavetank([PROGRAM, "stencil"], model, options=["--exact-bounds"]), model)

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
