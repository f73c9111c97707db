#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`wavetank explain FILE.json` says of a saved run what the run itself printed, and more.

Usage: test_explain.py WAVETANK WORKLOADS_FOLDER
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

WAVETANK, WORKLOADS = "", ""
FOLDER = os.path.dirname(os.path.abspath(__file__))
ODD, README = os.path.join(FOLDER, "odd.yaml"), os.path.join(FOLDER, "..", "..", "README.md")


def call(*words):
    return subprocess.run([WAVETANK, *words], capture_output=True, text=True, check=False)


class Explain(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "run.json")

    def simulate(self, *options):
        """What the run printed, from the first kernel to the limit."""
        done = call("run", *options, "--json", self.path, "--", os.path.join(WORKLOADS, "reduction"), "--size", "20000")
        self.assertEqual(done.returncode, 0, done.stderr)
        return re.search(r"^kernel .*^limit [^\n]*\n", done.stdout + done.stderr, re.M | re.S)[0]

    def explain(self):
        done = call("explain", self.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_a_saved_run_prints_what_the_run_printed(self):
        for options in ((), ("--json-kernels", "sum"), ("--gpu", ODD, "-o", "l1.mshr_entries=8")):
            printed = re.sub(r"set by the user:.*\n", "", self.simulate(*options))
            self.assertIn(printed, self.explain(), options)

    def test_the_json_has_the_line_s_limit_and_its_evidence(self):
        for options in ((), ("--gpu", ODD, "-o", "dram.model=fixed")):
            line = re.search(r"^limit +(.*)$", self.simulate(*options), re.M)[1]
            with open(self.path, encoding="utf-8") as stream:
                limit = json.load(stream)["run"]["limit"]
            self.assertTrue(line.startswith("%s: %s, %.0f %% of wavefronts' time" % (
                limit["name"], limit["what"], 100 * limit["parts"][limit["name"]]["time"])), line)
            self.assertTrue(line.endswith("; try " + limit["try"]), line)
            self.assertGreaterEqual(len(limit["evidence"]), 2)
            for fact in limit["evidence"]:
                wait = re.fullmatch("accesses wait (.*)", fact["what"])
                if wait:
                    self.assertIn("%.0f %% " % (100 * fact["ratio"]), line.split("accesses wait")[1])
                    self.assertIn(wait[1], line)
                elif "ratio" in fact:
                    self.assertIn(", %s %.0f %%" % (fact["what"], 100 * fact["ratio"]), line)
                else:
                    self.assertIn(fact["what"], line)
            self.assertEqual(limit["name"], max(limit["parts"], key=lambda name: limit["parts"][name]["gain"]))

    def test_the_functional_model_has_no_limit(self):
        done = call("run", "--model", "functional", "--json", self.path, "--", os.path.join(WORKLOADS, "reduction"), "--size", "20000")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path, encoding="utf-8") as stream:
            self.assertNotIn("limit", json.load(stream)["run"])

    def test_the_readme_s_line_is_the_run_s(self):
        done = call("run", "--gpu", "hd7970", "--", os.path.join(WORKLOADS, "matrix_transpose"), "--size", "512")
        line = re.search(r"^limit .*$", done.stdout + done.stderr, re.M)[0]
        with open(README, encoding="utf-8") as stream:
            self.assertIn(" ".join(line.split()), " ".join(stream.read().split()))

    def test_peaks_are_the_machine_s(self):
        self.simulate("--gpu", ODD)
        text = self.explain()
        with open(self.path, encoding="utf-8") as stream:
            run = json.load(stream)["run"]
        rows = {title: numbers.split() for title, numbers in re.findall(r"^(operations a cycle|bytes a cycle, memory) +(.*) %$", text, re.M)}
        self.assertEqual(float(rows["operations a cycle"][1]), 6 * 2 * 16)  # units, SIMDs, lanes
        self.assertAlmostEqual(float(rows["operations a cycle"][0]) / run["metrics"]["kernel.opc"], 1, delta=0.01)
        self.assertAlmostEqual(float(rows["bytes a cycle, memory"][1]), 3 * 16 * 1000 / 925, delta=0.1)  # channels, a half burst
        self.assertAlmostEqual(float(rows["bytes a cycle, memory"][0]) / (run["metrics"]["dram.bytes"] / run["cycles"]), 1, delta=0.01)

    def test_what_is_no_report_is_refused(self):
        for content, words in (("", "run.json"), ('{"a": 1}', "no report of a run"), ('{"configuration": {"model": "functional"}}', "timed model")):
            with open(self.path, "w", encoding="utf-8") as stream:
                stream.write(content)
            done = call("explain", self.path)
            self.assertEqual(done.returncode, 2, content)
            self.assertIn(words, done.stderr)
            self.assertIn("wavetank run --json", done.stderr)
        self.assertEqual(call("explain", self.path + "/nothing.json").returncode, 2)


if __name__ == "__main__":
    WAVETANK, WORKLOADS = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
