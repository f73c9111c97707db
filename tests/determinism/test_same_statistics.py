#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does tools/same-statistics see what has changed, and only that? Usage: test_same_statistics.py SCRIPT"""
import copy
import json
import os
import subprocess
import sys
import tempfile
import unittest

DOCUMENT = {
    "configuration": {"parameters": {"l1.ways": {"value": 4, "origin": "a.yaml:3"}}},
    "kernels": [{"cycles": 100, "sums": {"cu.l1": {"loads": 7, "latency": {"buckets": [1, 2]}}}}],
    "simulator": {"process": 17},
}


class SameStatistics(unittest.TestCase):
    def compare(self, change):
        """Status and output of a comparison with the document after the change."""
        new = copy.deepcopy(DOCUMENT)
        change(new)
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("old.json", "new.json")]
            for path, document in zip(paths, (DOCUMENT, new)):
                with open(path, "w", encoding="utf-8") as stream:
                    json.dump(document, stream)
            done = subprocess.run([SCRIPT, "compare", *paths], check=False, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_equal_but_for_the_run(self):
        def change(document):
            document["simulator"]["process"] = 18
            document["configuration"]["parameters"]["l1.ways"]["origin"] = "b.yaml:9"

        status, output = self.compare(change)
        self.assertEqual(status, 0, output)
        self.assertIn("0 differences, 0 new keys", output)

    def test_new_keys_are_no_difference(self):
        status, output = self.compare(lambda document: document["kernels"][0]["sums"]["cu.l1"].update(hits=3))
        self.assertEqual(status, 0, output)
        self.assertIn("new: kernels.sums.cu.l1.hits", output)

    def test_values_lost_keys_and_parameters_are(self):
        for change, expected in (
            (lambda document: document["kernels"][0].update(cycles=101), "kernels.0.cycles: 101, was 100"),
            (lambda document: document["kernels"][0]["sums"]["cu.l1"]["latency"]["buckets"].reverse(), "buckets.1: 1, was 2"),
            (lambda document: document["kernels"][0]["sums"]["cu.l1"].pop("loads"), "loads: gone, was 7"),
            (lambda document: document["configuration"]["parameters"]["l1.ways"].update(value=8), "l1.ways: 8, was 4"),
        ):
            status, output = self.compare(change)
            self.assertEqual(status, 1, output)
            self.assertIn(expected, output)


if __name__ == "__main__":
    SCRIPT = sys.argv.pop(1)
    unittest.main()
