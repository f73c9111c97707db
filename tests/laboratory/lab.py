# SPDX-License-Identifier: MIT
"""What the laboratory's tests share: a folder for each, and the command."""
import csv
import io
import os
import subprocess
import tempfile
import unittest

WAIT_SECONDS = 200


class Lab(unittest.TestCase):
    WAVETANK = SOURCE = None

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = os.path.realpath(self.temporary.name)
        self.scratch = os.path.join(self.folder, "tmp")
        os.mkdir(self.scratch)
        self.addCleanup(self.temporary.cleanup)

    def path(self, name):
        return os.path.join(self.folder, name)

    def environment(self):
        kept = ("WAVETANK_GPUS", "WAVETANK_CLANG", "WAVETANK_LIBCLC", "WAVETANK_CACHE")
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith("WAVETANK_") or key in kept}
        environment.update(LC_ALL="C", TMPDIR=self.scratch, ASAN_OPTIONS="detect_leaks=0")
        return environment

    def command(self, *words, **more):
        return subprocess.run([self.WAVETANK, *words], env=self.environment(), text=True, cwd=self.folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=WAIT_SECONDS, **more)

    def good(self, *words, **more):
        result = self.command(*words, **more)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def plan(self, text, name="plan.yaml"):
        with open(self.path(name), "w") as stream:
            stream.write(text)
        return self.path(name)

    def smoke(self):
        return os.path.join(self.SOURCE, "experiments", "smoke.yaml")

    def rows(self, database, sql):
        return list(csv.reader(io.StringIO(self.good("query", database, sql, "--csv"))))[1:]

    def content(self, database):
        """All that does not depend on the host."""
        return [self.good("query", database, sql, "--csv") for sql in (
            "SELECT * FROM runs ORDER BY run",
            "SELECT * FROM statistics ORDER BY run, kernel, name",
            "SELECT * FROM kernels ORDER BY run, kernel",
            "SELECT * FROM parameters ORDER BY run, path",
            "SELECT * FROM axes ORDER BY plan, number, axis",
            "SELECT * FROM histograms ORDER BY run, kernel, name, low")]

    def assert_one_message(self, result, *words):
        """One message, with what it should say, and perhaps a hint; no more."""
        lines = result.stderr.splitlines()
        self.assertTrue(lines and lines[0].startswith("wavetank: "), result.stderr)
        self.assertTrue(all(line.startswith("  hint: ") for line in lines[1:]) and len(lines) <= 2, result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)
