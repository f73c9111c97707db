#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The same plan through Slurm, on a cluster of one node that is started for it.

Usage: test_slurm.py WAVETANK SOURCE_FOLDER
"""
import os
import sys
import unittest

sys.dont_write_bytecode = True
import slurm  # noqa: E402
from lab import Lab  # noqa: E402


class ThroughSlurm(Lab):
    @classmethod
    def setUpClass(cls):
        cls.cluster = slurm.Slurm()

    @classmethod
    def tearDownClass(cls):
        cls.cluster.close()

    def environment(self):
        environment = super().environment()
        environment.update(SLURM_CONF=self.cluster.path("slurm.conf"))
        return environment

    def submit(self, plan, *words):
        return self.command("sweep", plan, "-o", self.path("results.db"), "--slurm", "--wait", *words)

    def logs(self):
        text = ""
        for name in os.listdir(self.path("results.db.parts")):
            if name.endswith(".log"):
                with open(self.path("results.db.parts/" + name)) as stream:
                    text += stream.read()
        return text

    def test_the_merged_database_is_that_of_a_plain_sweep(self):
        result = self.submit(self.smoke(), "--tasks", "3", "--", "--time=5")
        self.assertEqual(result.returncode, 0, result.stderr + self.logs())
        self.assertIn("12 points done, 0 failed, 0 open", result.stderr)
        self.assertEqual(sorted(name for name in os.listdir(self.path("results.db.parts")) if name.endswith(".db")),
                         ["%d-of-3.db" % task for task in (1, 2, 3)])
        self.good("sweep", self.smoke(), "-o", self.path("plain.db"))
        self.assertEqual(self.content(self.path("results.db")), self.content(self.path("plain.db")))
        self.assertEqual(self.good("judge", self.path("results.db")), self.good("judge", self.path("plain.db")))
        again = self.submit(self.smoke())
        self.assertNotIn("job", again.stderr, "nothing is submitted for what is there")

    def test_what_failed_is_submitted_again(self):
        plan = self.plan("axes: { program: ['./first', './second'] }\narguments: --small\nfiles: []\n")
        workload = os.path.join(os.path.dirname(os.path.realpath(self.WAVETANK)), "../../workloads/vector_add")
        for name, lines in (("first", "exec %s --small" % workload), ("second", "exit 3")):
            with open(self.path(name), "w") as stream:
                stream.write("#!/bin/sh\n%s\n" % lines)
            os.chmod(self.path(name), 0o755)
        result = self.submit(plan, "--tasks", "2")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("1 points done, 1 failed, 0 open", result.stderr)
        self.assertIn("1 tasks", self.submit(plan).stderr)

    def test_what_sbatch_refuses_is_told(self):
        result = self.submit(self.smoke(), "--", "--partition=nosuch")
        self.assertEqual(result.returncode, 2)
        self.assertIn("sbatch refused", result.stderr)


if __name__ == "__main__":
    Lab.SOURCE = os.path.abspath(sys.argv.pop(2))
    Lab.WAVETANK = os.path.abspath(sys.argv.pop(1))
    reason = slurm.reason_against()
    if reason == "slurmd needs root":
        print("skipped: " + reason)
        sys.exit(77)
    assert reason is None, reason
    unittest.main(verbosity=1)
