# SPDX-License-Identifier: MIT
"""Kernels that never end are told about, with the lines at which they stand; long ones that get on are not.

The watch goes by the processor time of the simulating thread, so a busy machine makes these tests slower and nothing else.
"""
import os
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs"))
from wavetank_tests import MODELS, WAVETANK, ProgramTest, execute, main, on_wavetank, program_path  # noqa: E402

PROGRAM = program_path("tests/machine/standstill")
WATCH_MS = 120
SAID = re.compile(r"^wavetank: kernel (\w+): no progress to be seen for ([\d.]+) s of host time: (.*)$", re.M)


def command(model, words, *options):
    return [WAVETANK, "run", "--quiet", "--model", model, "-o", "sim.watch_ms=%d" % WATCH_MS, "--max-cycles",
            "150000000", *options, "--", PROGRAM, *words]


class Standstill(ProgramTest):
    def until_told(self, model, words, times=1, options=()):
        """Runs until the watch has spoken so often, then interrupts; what stood on standard error. Never without end."""
        with subprocess.Popen(command(model, words, *options), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            lines = []
            try:
                for line in process.stderr:
                    lines.append(line)
                    if len(SAID.findall("".join(lines))) == times:
                        break
                process.send_signal(signal.SIGINT)
                lines.append(process.communicate(timeout=100)[1])
            finally:
                process.kill()
        self.assertEqual(process.returncode, 130, "".join(lines))
        return "".join(lines)

    def assert_told(self, words, kernel, *wanted, options=()):
        for model in MODELS:
            text = self.until_told(model, words, options=options)
            said = SAID.search(text)
            self.assertIsNotNone(said, text)
            self.assertEqual(said[1], kernel)
            for word in wanted:
                self.assertRegex(said[3], word, model)
            # the page at Ctrl-C names the same places
            page = text[said.end():]
            self.assertIn("wavetank: kernel %s: " % kernel, page)
            self.assertIn("its wavefronts stand at\n  ", page)

    def test_a_lock_within_a_wavefront(self):
        self.assert_told(["spin"], "spin", "^0 of 1 work-groups ended", r"1 wavefront at [\w-]+\.cl:[567], (running|waiting for)")

    def test_an_endless_loop(self):
        self.assert_told(["endless"], "endless", r"1 wavefront at [\w-]+\.cl:1[45], (running|waiting)")

    def test_a_store_of_what_was_there(self):
        self.assert_told(["same"], "same", r"1 wavefront at [\w-]+\.cl:2[01], ")

    def test_groups_that_wait_for_later_ones(self):
        self.assert_told(["later", "50"], "later", "^0 of 50 work-groups ended, 34 wait until others end",
                         r"\d+ wavefronts at [\w-]+\.cl:2[67], ",
                         options=["-o", "gpu.compute_units=1", "-o", "cu.wavefronts_per_simd=4", "-o", "functional.groups=16"])

    def test_every_resident_wavefront_is_counted_once(self):
        """Also where they stand at different instructions of a line."""
        for model in MODELS:
            text = self.until_told(model, ["two", "50"], options=["-o", "gpu.compute_units=1", "-o", "cu.wavefronts_per_simd=4",
                                                                  "-o", "functional.groups=16"])
            found = re.findall(r"(\d+) wavefronts? at [\w-]+\.cl:(\d+)", SAID.search(text)[3])
            self.assertEqual(sum(int(count) for count, _ in found), 16, text)
            self.assertEqual({line for _, line in found}, {"50"}, text)

    def test_intervals_grow(self):
        times = [float(seconds) for _, seconds, _ in SAID.findall(self.until_told("functional", ["endless"], 3))]
        self.assertEqual(len(times), 3)
        self.assertGreaterEqual(times[0], 0.1)
        self.assertGreaterEqual(times[1], 0.2)  # 240 ms, with one digit
        self.assertGreaterEqual(times[2], 0.4)

    def test_long_kernels_that_get_on_are_not_told_about(self):
        """Each takes several times the watch's patience: one changes its buffer, one ends work-groups."""
        few = ["-o", "gpu.compute_units=1", "-o", "cu.wavefronts_per_simd=1", "-o", "functional.groups=4"]
        for model, counts in (("functional", ("40000", "12000")), ("timed", ("3000", "600"))):
            for kernel, count in zip(("counts", "groups"), counts):
                result = execute(command(model, [kernel, count], *few))
                self.assert_passed(result, kernel)
                self.assertEqual(result.errors, "", "%s %s" % (model, kernel))

    def test_nothing_is_told_when_not_asked_for(self):
        for model in MODELS:
            result = on_wavetank([PROGRAM, "endless"], model, ["sim.watch_ms=0"], ["--max-cycles", "5000000"])
            self.assertEqual(result.status, 124, result.report())
            self.assertEqual(SAID.findall(result.errors), [])
            self.assertIn("its wavefronts stand at", result.errors)  # the page of a launch that was stopped


if __name__ == "__main__":
    main()
