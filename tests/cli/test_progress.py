#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How far a kernel is: on a terminal a line that is rewritten, and at SIGUSR1 one line, anywhere.

Usage: test_progress.py WAVETANK WORKLOADS, the latter being the folder of the workloads.
"""
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
import unittest

WAVETANK = WORKLOADS = None
WAIT_SECONDS = 120  # for what comes soon; a bound, not an expectation
LINE = re.compile(r"wavetank: transpose_tiled (\d+) %, about \d+ (s|min|h) left")
REWRITTEN = "\r\x1b[K"


class Progress(unittest.TestCase):
    def start(self, stream, *options):
        """A kernel of some 20 s."""
        environment = {key: value for key, value in os.environ.items()
                       if key not in ("WAVETANK_PROGRESS", "WAVETANK_QUIET")}
        program = [os.path.join(WORKLOADS, "matrix_transpose"), "--size", "4096"]
        process = subprocess.Popen([WAVETANK, "run", *options, "--", *program], env=environment, stdout=subprocess.DEVNULL,
                                   stderr=stream, stdin=subprocess.DEVNULL)
        os.close(stream)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def read(self, descriptor, is_enough, seconds=WAIT_SECONDS):
        """What comes until it is enough, or the time is over."""
        text, end = "", time.monotonic() + seconds
        while not is_enough(text) and time.monotonic() < end:
            if select.select([descriptor], [], [], 0.1)[0]:
                text += os.read(descriptor, 4096).decode()
        return text

    def stop(self, process):
        process.terminate()
        self.assertEqual(process.wait(WAIT_SECONDS), 128 + signal.SIGTERM)

    def on_terminal(self, *options):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        return ours, self.start(theirs, *options)

    def test_a_terminal_has_a_line_that_goes_on(self):
        ours, process = self.on_terminal()
        start = time.monotonic()
        text = self.read(ours, lambda text: len({found[0] for found in LINE.findall(text)}) > 1)
        self.assertGreater(time.monotonic() - start, 2)
        lines = text.split(REWRITTEN)
        self.assertEqual(lines[0], "", "something stands before the line")
        self.assertNotIn("\n", text)
        percent = [int(found[0]) for found in LINE.findall(text)]
        self.assertEqual(percent, sorted(percent))
        self.assertGreater(percent[-1], percent[0])
        self.stop(process)

    def test_it_can_be_left_out(self):
        for option in ("--no-progress", "--quiet"):
            ours, process = self.on_terminal(option)
            self.assertEqual(self.read(ours, lambda text: False, 4), "")
            self.stop(process)

    def ask(self, process, descriptor):
        process.send_signal(signal.SIGUSR1)
        return self.read(descriptor, lambda text: "\n" in text)

    def test_who_asks_gets_a_line_anywhere(self):
        ours, theirs = os.pipe()
        self.addCleanup(os.close, ours)
        process = self.start(theirs)
        self.assertEqual(self.read(ours, lambda text: False, 2), "")
        text = self.ask(process, ours)
        while text == "wavetank: no kernel is running\n":
            time.sleep(0.2)
            text = self.ask(process, ours)
        for _ in range(2):
            self.assertRegex(text, r"\Awavetank: transpose_tiled \d+ %, .*\n\Z")
            text = self.ask(process, ours)
        self.assertEqual(self.read(ours, lambda text: False, 1), "")
        self.stop(process)


if __name__ == "__main__":
    WAVETANK, WORKLOADS = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()
