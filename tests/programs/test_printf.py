#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""printf in kernels: what it prints, in which order, and what is said when its buffer is full."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

from wavetank_tests import MODELS, POCL, WAVETANK, ProgramTest, execute, has_pocl, main, on_wavetank

PROGRAM = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "printf_program.py")]

EXPECTED = {
    "flags": "  001|2       |+3| 4|0x5|06|00000007|8\n   1.500|2.50e+00  |+3.5|4.|-0005.2500|0x1p-1\n",
    "integers": "-2 254 -3 65533 7 4000000000 -1099511627776 9223372036854775808 8000000000000000 BEEF 100\n",
    "reals": "7.500000 7.500000e+00 7.5 7.100000 7.100000E+00 7.1 7.100 7.1000000000\ninf -inf INF\n",
    "constants": "0.100000000000000 0.1 3.333333333333e-01\n",
    "vectors": "1.000000,2.000000,3.000000,4.500000 -1,7 a,b,c\n-1,2,-3,4 1,-2,3,-4,5,-6,7,-8 1099511627776,-1\n"
               "255,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15| 1.00, 2.00, 3.00, 4.00|0.500000,7.000000\n",
    "short_vectors": "-1,7 255,7 1,-2,3 -4,5 65535,1,7\n",
    "strings": "literal: with colon|     right|left      |cu|x|    y|%\n1234123456781231234567\n|ends with a backslash \\\n"
               "\ttab \"quotes\" 100% \\ end\nnothing\nkept in constant memory, yes\n",
    "backslashes": "C:\\new\\table 7 \\72 \\\\n\n",
    "formats": "once 7\nseven 1f\n",
    "odd": "%d %s\n%k 7\n%v5d\ntoo many 1\n(null)\nend %\n",
    "helper": "depth 0 of 7\ndepth 1 of 7\ndepth 2 of 7\ndepth 3 of 7\ndeep\n",
    "unoptimised": "7 ok\n8 ok\n9 ok\n",
    "linked": "first 7\nsecond module\nthird 4\n16\n",
}
# Where PoCL 3.1 prints something else: constants and doubles as floats, no vectors beyond its own reading of C.
UNLIKE_POCL = ("reals", "constants", "odd")


def divergent():
    lines = []
    for i in range(70):
        if i % 3 == 0:
            lines.append("%d is a multiple of three" % i)
        elif i % 7 == 1:
            lines.append("%d leaves one: %f" % (i, i * 0.375))
        lines += ["%d.%d" % (i, n) for n in range(i % 4)]
    return lines


# In the order of work-groups, work-items and calls.
ORDERED = {
    "divergent": divergent(),
    "groups": ["%d %d %d" % (group, item, n) for group in range(1000) for item in range(4) for n in range(2)],
    "three_dimensions": ["%d %d %d" % (x + gx * 2, gy, z) for gy in range(3) for gx in range(2)
                         for z in range(2) for x in range(2)],
    "barrier": [line for group in range(4) for line in ("start %d" % group, "sum 128")],
}


def cases_of(output):
    """Name of a case -> what stands below it."""
    parts = re.split(r"^== (.*)\n", output, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


class Printf(ProgramTest):
    def run_cases(self, *names, model="functional", settings=()):
        result = on_wavetank(PROGRAM + ["Wavetank", *names], model, settings=settings)
        self.assert_passed(result, "%s on %s" % (names, model))
        return cases_of(result.output), result.errors

    def test_what_is_printed(self):
        for model in MODELS:
            found, _ = self.run_cases(*EXPECTED, model=model)
            for name, text in EXPECTED.items():
                self.assertEqual(found[name], text, "%s on %s" % (name, model))

    @unittest.skipUnless(has_pocl(), "no PoCL to compare with")
    def test_as_pocl_prints(self):
        names = [name for name in EXPECTED if name not in UNLIKE_POCL]
        found = cases_of(execute(PROGRAM + [POCL, *names]).output)
        for name in names:
            self.assertEqual(found[name], EXPECTED[name], name)

    def test_pointers(self):
        found, _ = self.run_cases("pointers")
        self.assertRegex(found["pointers"], r"^1\n0x[0-9a-f]+000\n$")

    def test_order_of_the_functional_model(self):
        found, _ = self.run_cases(*ORDERED)
        for name, lines in ORDERED.items():
            self.assertEqual(found[name].splitlines(), lines, name)

    def test_order_of_the_timed_model(self):
        """Simulated time: calls of a work-item in turn, and never before a barrier what comes behind it."""
        found, _ = self.run_cases(*ORDERED, model="timed")
        for name, lines in ORDERED.items():
            self.assertEqual(sorted(found[name].splitlines()), sorted(lines), name)
        place = {line: number for number, line in enumerate(found["groups"].splitlines())}
        for group in range(1000):
            for item in range(4):
                self.assertLess(place["%d %d 0" % (group, item)], place["%d %d 1" % (group, item)])
        self.assertLess(place["0 3 0"], place["0 0 1"])  # the items of a wavefront print together
        again, _ = self.run_cases(*ORDERED, model="timed")
        self.assertTrue(again == found, "the same run printed in another order")

    def test_a_full_buffer_is_said(self):
        for model in MODELS:
            found, errors = self.run_cases("lines", "helper", model=model, settings=["gpu.printf_bytes=2050"])
            lines = found["lines"].splitlines()
            # A call takes 12 bytes of header, 4 of the format's number and 4 of its argument; there are 2,048.
            self.assertEqual(len(lines), 2048 // 20)
            self.assertEqual(len(set(lines)), len(lines))
            self.assertEqual(re.findall(r"wavetank: k: (\d+) printf calls found no room \((\d+) bytes\)", errors),
                             [(str(1000 - len(lines)), str((1000 - len(lines)) * 20))])
            self.assertIn("-o gpu.printf_bytes=", errors)
            self.assertEqual(found["helper"], EXPECTED["helper"])  # the next launch has all of it again

    def test_a_launch_prints_nothing_of_the_one_before(self):
        """Where its own records end because one more did not fit, another launch's may stand."""
        for model in MODELS:
            found, _ = self.run_cases("small", "large", model=model, settings=["gpu.printf_bytes=2048"])
            self.assertEqual(found["small"], "small\n" * (2048 // 16))
            self.assertEqual(len(found["large"].splitlines()), 2048 // (16 + 64))
            self.assertNotIn("small", found["large"])

    def test_nothing_is_said_when_all_fits(self):
        _, errors = self.run_cases("lines", settings=["gpu.printf_bytes=%d" % (1000 * 20)])
        self.assertNotIn("found no room", errors)

    def test_a_kernel_that_faults(self):
        """What it printed before is there in the functional model; the timed one says that it is lost."""
        result = on_wavetank(PROGRAM + ["Wavetank", "fault"], "functional")
        self.assertNotEqual(result.status, 0)
        self.assertEqual(cases_of(result.output)["fault"], "before the fault\n")
        result = on_wavetank(PROGRAM + ["Wavetank", "fault"], "timed")
        self.assertIn("what it may have printed is lost", result.errors)

    def test_between_what_the_program_prints(self):
        """Also when the output is a file, whose buffer is written when it is full."""
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out")
            with open(path, "w", encoding="utf-8") as stream:
                subprocess.run([WAVETANK, "run", "--quiet", "--model", "functional", "--", *PROGRAM, "Wavetank", "helper",
                                "unoptimised"], stdout=stream, check=True, timeout=300, env=environment)
            with open(path, encoding="utf-8") as stream:
                self.assertEqual(stream.read(), "== helper\n" + EXPECTED["helper"] + "== unoptimised\n" +
                                 EXPECTED["unoptimised"] + "== end\n")


if __name__ == "__main__":
    main()
