# SPDX-License-Identifier: MIT
"""Programs with very many launches: what they keep in memory, and what stands of them in the JSON file."""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs"))
from wavetank_tests import MODELS, WAVETANK, ProgramTest, execute, main, on_wavetank, program_path  # noqa: E402

PROGRAM = program_path("tests/machine/launches")
FIRST = 1000  # launches with an object of their own


def grown_kb(result):
    return int(result.output.split("grown by ")[1].split()[0])


class Launches(ProgramTest):
    def assert_balanced(self, statistics, launches):
        """The parts are the whole, in launches, instructions and each sum that is a plain count."""
        parts = statistics["kernels"] + statistics.get("kernel_sums", [])
        run = statistics["run"]
        self.assertEqual(run["launches"], launches)
        self.assertEqual(sum(part.get("launches", 1) for part in parts), launches)
        for name in ("cycles", "instructions"):
            self.assertEqual(sum(part[name] for part in parts), run[name], name)
        for name, value in run["sums"].items():
            if isinstance(value, int):
                self.assertEqual(sum(part["sums"].get(name, 0) for part in parts), value, name)

    def test_a_hundred_thousand(self):
        """Kept: little. The file: small. Both are bounds on size, so they hold on a busy machine."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "statistics.json")
            result = execute([WAVETANK, "run", "--quiet", "--json", path, "--", PROGRAM, "100000"])
            self.assert_passed(result, "100000")
            self.assertLess(grown_kb(result), 100 * 1024)
            self.assertLess(os.path.getsize(path), 50 * 1024 * 1024)
            with open(path, encoding="utf-8") as stream:
                statistics = json.load(stream)
        self.assertEqual(len(statistics["kernels"]), FIRST)
        self.assert_balanced(statistics, 100000)
        self.assertEqual(result.errors.count("added up by kernel"), 1)
        self.assertIn("--json-kernels all", result.errors)

    def test_the_first_have_objects_and_the_others_are_sums(self):
        for model in MODELS:
            result = on_wavetank([PROGRAM, str(FIRST), "3"], model)
            self.assertEqual(len(result.statistics["kernels"]), FIRST)
            self.assertNotIn("kernel_sums", result.statistics)
            self.assertEqual(result.errors, "")
            result = on_wavetank([PROGRAM, str(FIRST + 8), "3"], model)
            self.assertEqual(len(result.statistics["kernels"]), FIRST)
            self.assertEqual({kernel["name"]: kernel["launches"] for kernel in result.statistics["kernel_sums"]},
                             {"empty_0": 2, "empty_1": 3, "empty_2": 3})
            self.assert_balanced(result.statistics, FIRST + 8)

    def test_choices(self):
        for choice, objects, sums in (("all", FIRST + 2, 0), ("sum", 0, 2), ("none", 0, 0)):
            result = on_wavetank([PROGRAM, str(FIRST + 2), "2"], "functional", options=["--json-kernels", choice])
            self.assert_passed(result, choice)
            self.assertEqual(len(result.statistics["kernels"]), objects, choice)
            self.assertEqual(len(result.statistics.get("kernel_sums", [])), sums, choice)
            self.assertEqual(result.statistics["run"]["launches"], FIRST + 2)
            self.assertEqual(result.errors, "")
            if choice != "none":
                self.assert_balanced(result.statistics, FIRST + 2)
        result = on_wavetank([PROGRAM, "1"], options=["--json-kernels", "some"])
        self.assertEqual(result.status, 2)
        self.assertIn("--json-kernels some: there is no such choice", result.errors)


if __name__ == "__main__":
    main()
