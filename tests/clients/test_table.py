# SPDX-License-Identifier: MIT
"""What the table of clients makes of outcomes, how outcomes are read, and which results of an earlier run are taken."""
import os
import tempfile
import unittest
from unittest import mock

import case as case_module
import clblast
import pyopencl_tests
import state
import table
from case import CRASH, FAIL, LATE, PASS, SKIP, by_lines, ending, is_bad, make_case, run_case


def entry(wavetank, pocl):
    return {"Wavetank": {"checks": wavetank, "limit": 60}, "PoCL": {"checks": pocl, "limit": 60}}


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

    def test_what_was_not_finished_is_no_pass_and_needs_a_reason(self):
        late, ended = {"a": PASS, "ends": LATE}, {"a": PASS, "b": PASS, "c": FAIL}
        outcome = "not finished within 60 s of processor time"
        counts, differences = self.compare(late, ended)
        self.assertEqual(dict(counts["c"]), {"both": 1, "open": 3, "open, ours pass": 0})
        self.assertEqual([(d.check, d.wavetank, d.pocl) for d in differences],
                         [("b", outcome, PASS), ("c", outcome, FAIL), ("ends", outcome, "absent")])
        self.assertEqual(len(table.complaints(counts, differences)), 3)
        counts, differences = self.compare(ended, late)
        self.assertEqual(dict(counts["c"]), {"both": 1, "open": 3, "open, ours pass": 1})
        self.assertEqual(len(table.complaints(counts, differences)), 3)
        self.assertEqual(table.complaints(*self.compare(ended, late, [["c", "case", "*", "its compiler"]])), [])
        counts, differences = self.compare({"": LATE}, {"": LATE})
        self.assertEqual(len(table.complaints(counts, differences)), 1)

    def test_what_did_not_run(self):
        for case in ({}, {"Wavetank": {"checks": {"": PASS}, "limit": 60}}):
            counts, differences = table.compare({"c": {"case": case}}, [["*", "*", "*", "a reason"]])
            self.assertEqual((dict(counts["c"]), differences), ({"not run": 1}, []))
            self.assertEqual(table.complaints(counts, differences), ["c: 1 cases did not run on both"])

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
        with open(table.CONFORMANCE, encoding="utf-8") as stream:
            self.assertTrue(text.endswith(stream.read()), "what was run by hand is lost")
        for line in ("| c | 1 | 0 | 1 | 0 | 0 | 0 |", "| c | 1 | `case b` | fail | pass | the reason |", "| c | `case` | loads 4 bytes |"):
            self.assertIn(line + "\n", text)


class Results(unittest.TestCase):
    """A run that was ended goes on where it was."""
    platforms = {"Wavetank": "1", "PoCL": "2"}

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "results.json")
        self.case = make_case("c", "case", ["true"])
        state.store(self.path, self.platforms, {"c": {"case": {platform: {"of": state.mark(self.case)} for platform in self.platforms}}})

    def kept(self, case, **platforms):
        return sorted(state.load(self.path, dict(self.platforms, **platforms), [case])["c"][case.name])

    def test_what_was_run_is_kept(self):
        self.assertEqual(self.kept(self.case), ["PoCL", "Wavetank"])

    def test_another_build_or_case_runs_again(self):
        self.assertEqual(self.kept(self.case, Wavetank="3"), ["PoCL"])
        self.assertEqual(self.kept(self.case, PoCL="3"), ["Wavetank"])
        self.assertEqual(self.kept(self.case._replace(name="other")), [])
        self.assertEqual(self.kept(self.case._replace(command=["false"])), [])
        self.assertEqual(self.kept(self.case._replace(timeout=1)), [])

    def test_without_a_file_all_is_to_run(self):
        os.remove(self.path)
        self.assertEqual(self.kept(self.case), [])

    def test_what_is_compiled_is_of_one_build(self):
        first = state.caches(self.folder.name, self.platforms, True)
        second = state.caches(self.folder.name, dict(self.platforms, Wavetank="3"), True)
        self.assertEqual(first["PoCL"], second["PoCL"])
        self.assertEqual([os.path.isdir(folder) for folder in (first["Wavetank"], first["PoCL"], second["Wavetank"])], [False, True, True])

    def checks(self, *words):
        return run_case(make_case("c", "case", ["sh", "-c", *words], timeout=1), "PoCL", "", self.folder.name)["checks"][""]

    def test_a_case_that_takes_too_much_processor_time(self):
        self.assertEqual(self.checks("while :; do :; done"), LATE)
        self.assertEqual(self.checks("sh -c 'while :; do :; done'; true"), LATE)

    def test_a_case_that_waits_is_not_late(self):
        self.assertEqual(self.checks("sleep 2"), PASS)

    def test_a_case_that_does_nothing_any_more(self):
        with mock.patch.object(case_module, "IDLE_SECONDS", 1):
            self.assertEqual(self.checks("sleep 60"), LATE)


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

    def test_parts_of_pyopencl_have_each_function_once(self):
        text = "def test_a(x):\n    def test_inner():\n        pass\n\n\ntest_b = made(1)\n" + "".join("def test_%d():\n    pass\n" % n for n in range(9))
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(pyopencl_tests, "HOME", folder):
            with open(os.path.join(folder, "test_array.py"), "w", encoding="utf-8") as stream:
                stream.write(text)
            parts = pyopencl_tests.parts_of("array")
        self.assertEqual([name for name, _ in parts], ["test_array, part %d" % n for n in (1, 2, 3)])
        self.assertEqual([word.split("::")[1] for _, words in parts for word in words], ["test_a", "test_b", *("test_%d" % n for n in range(9))])

    def test_clblast(self):
        text = "* Starting tests for the \x1b[1m'SDOT'\x1b[0m routine. Legend:\n* Testing \x1b[1m'regular behaviour'\x1b[0m for \x1b[1m'default'\x1b[0m:\n" \
               "   Pass rate \x1b[1m 97.2%\x1b[0m: 35 passed / 0 skipped / 1 failed\n* Starting tests for the 'HDOT' routine.\n* All tests skipped: x\n"
        self.assertEqual(clblast.read_tests(1, text), {"SDOT: regular behaviour, default": FAIL, "HDOT": SKIP})


if __name__ == "__main__":
    unittest.main()
