#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Profiles by source line reach the database and the page, and add up to the runs' statistics.

Usage: test_profile.py WAVETANK SOURCE_FOLDER
"""
import json
import os
import sqlite3
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from browser import Browser  # noqa: E402
from lab import Lab  # noqa: E402

PLAN = """
axes: { workload: [matrix_transpose, histogram] }
arguments: --small
profile: true
"""
# A column of the profile, and the counters that it is the sum of.
SUMS = {
    "instructions": "cu.instructions_%",
    "load_lanes": "cu.load_lanes",
    "load_accesses": "cu.load_accesses",
    "store_accesses": "cu.store_accesses",
    "atomic_accesses": "cu.atomic_accesses",
    "l1_hits": "cu.l1.load_hits",
    "lds_cycles": "cu.lds_cycles",
    "time_%": "cu.wavefront_time.%",
    "latency_dram": "cu.%_stack.dram",
}
PER_RUN = "SELECT run, sum(value) FROM %s WHERE name LIKE '%s' %s GROUP BY run HAVING sum(value) > 0 ORDER BY run"


class Profile(Lab):
    database = None

    def sweep(self):
        """Once for all tests: a database with two runs."""
        if Profile.database is None:
            self.good("sweep", self.plan(PLAN), "-o", self.path("r.db"), "--no-progress")
            with open(self.path("r.db"), "rb") as stream:
                Profile.database = stream.read()
        with open(self.path("r.db"), "wb") as stream:
            stream.write(Profile.database)
        return self.path("r.db")

    def test_sums(self):
        path, seen = self.sweep(), 0
        for column, counters in SUMS.items():
            lines = self.rows(path, PER_RUN % ("profile", column, ""))
            self.assertEqual(lines, self.rows(path, PER_RUN % ("counters", counters, "AND kernel = 0")), column)
            seen += len(lines)
        self.assertGreater(seen, 10)
        kernels = "SELECT DISTINCT run, %s FROM %s ORDER BY 1, 2"
        self.assertEqual(self.rows(path, kernels % ("kernel", "profile")), self.rows(path, kernels % ("name", "kernels")))
        self.assertEqual(self.rows(path, "SELECT count(*) FROM profile WHERE source LIKE '%tile[y][x] = %' AND name = 'load_lanes'"), [["1"]])

    def test_merge(self):
        view = "SELECT r.workload, p.entry, kernel, file, line, source, name, value FROM profile p JOIN runs r USING (run) ORDER BY 1, 2, 7"
        path, plan = self.sweep(), self.plan(PLAN)
        self.good("sweep", plan, "-o", self.path("2.db"), "--shard", "2/2", "--no-progress")
        self.good("merge", self.path("m.db"), self.path("2.db"), path)
        self.assertEqual(self.rows(self.path("m.db"), view), self.rows(path, view))

    def test_a_run_that_is_made_again(self):
        path, view = self.sweep(), "SELECT * FROM profile ORDER BY run, entry, name"
        before = self.rows(path, view)
        with sqlite3.connect(path) as base:
            base.execute("UPDATE runs SET status = 'failed' WHERE run = 1")
        self.good("sweep", self.plan(PLAN), "-o", path, "--no-progress")
        self.assertEqual(self.rows(path, view), before)

    def test_a_database_of_the_form_before(self):
        """It is read as it is; what is written to it has profiles."""
        path = self.sweep()
        with sqlite3.connect(path) as base:
            for name in ("profile_lines", "profile_values", "profile_columns"):
                base.execute("DROP TABLE " + name)
            base.execute("DROP VIEW profile")
            base.execute("DELETE FROM runs WHERE run = 1")
            base.execute("PRAGMA user_version = 2")
        self.good("report", path, "-o", self.path("r.html"))
        self.good("merge", self.path("m.db"), path)
        self.assertEqual(self.rows(self.path("m.db"), "SELECT count(*) FROM profile"), [["0"]])
        self.good("sweep", self.plan(PLAN), "-o", path, "--no-progress")
        self.assertEqual(self.rows(path, "SELECT DISTINCT run FROM profile"), [["1"]])
        with sqlite3.connect(path) as base:
            self.assertEqual(base.execute("PRAGMA user_version").fetchone(), (3,))
            base.execute("PRAGMA user_version = 4")
        self.assertIn("another version", self.command("report", path, "-o", self.path("r.html")).stderr)

    def test_without_one(self):
        plan = PLAN.replace("true", "false").replace(", histogram", "")
        self.good("sweep", self.plan(plan), "-o", self.path("n.db"), "--no-progress")
        self.assertEqual(self.rows(self.path("n.db"), "SELECT count(*) FROM profile"), [["0"]])
        self.assertIn("profile: it is true or false", self.command(
            "sweep", self.plan(PLAN.replace("true", "yes")), "-o", self.path("n.db")).stderr)

    def test_the_page(self):
        path = self.sweep()
        self.good("report", path, "-o", self.path("r.html"))
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            browser = Browser(folder)
            try:
                browser.open(self.path("r.html"))
                self.check_page(browser, path)
                if os.environ.get("WAVETANK_SCREENSHOT"):
                    browser.screenshot(os.environ["WAVETANK_SCREENSHOT"])
                self.assertEqual(browser.errors + browser.requests, [])
            finally:
                browser.close()

    def check_page(self, browser, path):
        cells = """[...document.querySelectorAll("#profile tbody tr")].map(row => [...row.cells].map(cell => cell.textContent))"""
        heads = browser.evaluate("""[...document.querySelectorAll("#profile th")].map(head => head.textContent)""")
        for number in (2, 1):
            browser.choose("profile-point", str(number))
            rows = [dict(zip(heads, row)) for row in browser.evaluate(cells)]
            expected = self.rows(path, "SELECT line, source, value FROM profile WHERE run = %d AND name = 'instructions' AND value > 0"
                                 " ORDER BY entry" % number)
            self.assertEqual([[row["line"], row["source"], row["instructions"].replace(",", "")] for row in rows if row["instructions"] != "0"],
                             expected)
            self.assertAlmostEqual(sum(float(row["time %"]) for row in rows), 100, delta=0.2)
        load = next(row for row in rows if "tile[y][x] = " in row["source"])
        self.assertEqual((load["lanes"], load["mostly"].split()[0], load["waits"].split()[0]), ("64", "vm", "dram"), json.dumps(load))


if __name__ == "__main__":
    Lab.SOURCE = os.path.abspath(sys.argv.pop(2))
    Lab.WAVETANK = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
