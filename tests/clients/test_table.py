# SPDX-License-Identifier: MIT
"""What the table of clients makes of outcomes, and how outcomes are read."""
import os
import tempfile
import unittest

import clblast
import pyopencl_tests
import table
from case import CRASH, FAIL, LATE, PASS, SKIP, by_lines, ending, is_bad


def entry(wavetank, pocl):
    return {"Wavetank": {"checks": wavetank}, "PoCL": {"checks": pocl}}


class Table(unittest.TestCase):
    def compare(self, wavetank, pocl, reasons=(), client="c"):
        return table.compare({client: {"case": entry(wavetank, pocl)}}, list(reasons))

    def test_what_is_a_difference(self):
        counts, differences = self.compare({"a": PASS, "b": FAIL, "c": PASS, "d": SKIP, "e": CRASH}, {"a": PASS, "b": PASS, "c": FAIL, "d": SKIP, "e": FAIL})
        self.assertEqual(dict(counts["c"]), {"both": 1, "pocl": 1, "wavetank": 1, "neither": 2})
        self.assertEqual([(d.check, d.reason) for d in differences], [("b", None), ("c", None)])
        self.assertEqual(len(table.complaints(counts, differences)), 2)

    def test_a_check_that_is_not_there_has_not_passed(self):
        counts, differences = self.compare({"a": PASS}, {"a": PASS, "b": PASS})
        self.assertEqual([(d.check, d.wavetank) for d in differences], [("b", "absent")])

    def test_what_was_not_reached_is_counted_apart(self):
        counts, differences = self.compare({"a": PASS, "ends": LATE}, {"a": PASS, "b": PASS})
        self.assertEqual((dict(counts["c"]), differences), ({"both": 1, "open": 1, "open, ours pass": 0}, []))
        counts, differences = table.compare({"c": {"case": {"Wavetank": {"checks": {"": PASS}}}}}, [])
        self.assertEqual((dict(counts["c"]), differences), ({"open": 1, "open, ours pass": 1}, []))
        self.assertEqual(table.complaints(counts, differences), ["c: 1 checks were not reached"])

    def test_reasons(self):
        reasons = [["c", "ca*", "b", "so it is"]]
        counts, differences = self.compare({"b": FAIL}, {"b": PASS}, reasons)
        self.assertEqual([d.reason for d in differences], ["so it is"])
        self.assertEqual(table.complaints(counts, differences), [])
        self.assertIsNone(table.reason_of(reasons, "c", "ca", "other"))
        self.assertTrue(all(len(reason) == 4 for reason in table.read_reasons()))

    def test_the_bound_for_piglit_holds_with_reasons_too(self):
        cases = {str(i): entry({"": PASS if i else FAIL}, {"": PASS}) for i in range(100)}
        counts, differences = table.compare({"piglit": cases}, [["*", "*", "*", "a reason"]])
        self.assertEqual(table.complaints(counts, differences), [])
        cases["1"] = cases["0"]
        counts, differences = table.compare({"piglit": cases}, [["*", "*", "*", "a reason"]])
        self.assertIn("98.00 %", "".join(table.complaints(counts, differences)))

    def test_the_page(self):
        results = {"c": {"case": entry({"a": PASS, "b": FAIL}, {"a": PASS, "b": PASS})}}
        results["c"]["case"]["Wavetank"]["outside"] = "loads 4 bytes"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "clients.md")
            table.write(path, results, *table.compare(results, [["c", "case", "b", "the reason"]]))
            with open(path, encoding="utf-8") as stream:
                text = stream.read()
        for line in ("| c | 1 | 0 | 1 | 0 | 0 | 0 |", "| c | 1 | `case b` | fail | pass | the reason |", "| c | `case` | loads 4 bytes |"):
            self.assertIn(line + "\n", text)


class Reading(unittest.TestCase):
    def test_endings(self):
        self.assertEqual([ending(status) for status in (0, 1, -11, 134, None)], [PASS, FAIL, CRASH, CRASH, LATE])
        self.assertTrue(is_bad({"a": PASS, "b": CRASH}))
        self.assertFalse(is_bad({"a": PASS, "b": SKIP}))

    def test_lines(self):
        read = by_lines(r"^(?P<name>.+) (?P<outcome>pass|fail)$")
        self.assertEqual(read(1, "a b pass\nc fail\nnoise\n"), {"a b": PASS, "c": FAIL})
        self.assertEqual(read(-11, "a pass\n"), {"a": PASS, "ends": CRASH})
        self.assertEqual(read(0, ""), {"ends": FAIL})

    def test_pytest(self):
        text = "x/test_a.py::test_b[<context factory for <pyopencl.Device 'd' on 'p'>>-int-3] PASSED [ 5%]\n" \
               "x/test_a.py::test_c FAILED [ 9%]\nx/test_a.py::test_d SKIPPED (why) [ 9%]\n"
        self.assertEqual(pyopencl_tests.read_pytest(1, text), {"test_b(int-3)": PASS, "test_c": FAIL, "test_d": SKIP})
        self.assertEqual(pyopencl_tests.read_pytest(139, "")["ends"], CRASH)

    def test_clblast(self):
        text = "* Starting tests for the \x1b[1m'SDOT'\x1b[0m routine. Legend:\n* Testing \x1b[1m'regular behaviour'\x1b[0m for \x1b[1m'default'\x1b[0m:\n" \
               "   Pass rate \x1b[1m 97.2%\x1b[0m: 35 passed / 0 skipped / 1 failed\n* Starting tests for the 'HDOT' routine.\n* All tests skipped: x\n"
        self.assertEqual(clblast.read_tests(1, text), {"SDOT: regular behaviour, default": FAIL, "HDOT": SKIP})


if __name__ == "__main__":
    unittest.main()
