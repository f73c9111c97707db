#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sweeps: what is in the database afterwards, whatever happened meanwhile.

Usage: test_sweep.py WAVETANK SOURCE_FOLDER WORKLOADS
"""
import glob
import os
import random
import resource
import signal
import shutil
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
from lab import Lab  # noqa: E402

SMALL = """
workload: vector_add
axes:
  size: [256, 512]
  l1.mshr_entries: [16, 32]
arguments: "--size {size}"
"""


class Sweep(Lab):
    def sweep(self, plan, *options, database="r.db", **more):
        return self.command("sweep", plan, "-o", self.path(database), *options, **more)

    def small(self, **more):
        database = self.path(more.get("database", "r.db"))
        result = self.sweep(self.plan(SMALL), **more)
        self.assertEqual(result.returncode, 0, result.stderr)
        return database

    def tearDown(self):
        self.assertEqual(os.listdir(self.scratch), [], "temporary files are left behind")

    # ---- What a sweep does ----

    def test_every_point_runs_once(self):
        database = self.small()
        self.assertEqual(self.rows(database, "SELECT workload, arguments, status FROM runs ORDER BY run"),
                         [["vector_add", "--size %d" % size, "done"] for size in (256, 256, 512, 512)])
        self.assertEqual(self.rows(database, "SELECT r.arguments, p.value FROM runs r JOIN parameters p ON p.run = r.run"
                                             " WHERE p.path = 'l1.mshr_entries' ORDER BY r.run"),
                         [["--size 256", "16"], ["--size 256", "32"], ["--size 512", "16"], ["--size 512", "32"]])
        self.assertEqual(self.rows(database, "SELECT axis, value FROM axes WHERE number = 3 ORDER BY axis"),
                         [["l1.mshr_entries", "16"], ["size", "512"]])
        before = self.rows(database, "SELECT * FROM hosts")
        again = self.sweep(self.plan(SMALL))
        self.assertIn("4 points done (4 were there already)", again.stderr)
        self.assertEqual(self.rows(database, "SELECT * FROM hosts"), before, "nothing was run again")

    def test_rows_are_what_the_run_said(self):
        import json
        database = self.small()
        self.good("run", "--quiet", "--json", self.path("x.json"), "-o", "l1.mshr_entries=16", "--workload", "vector_add",
                  "--", "--size", "512")
        with open(self.path("x.json")) as stream:
            run = json.load(stream)["run"]
        rows = dict(self.rows(database, "SELECT name, value FROM statistics WHERE run = 3 AND kernel = 0"))
        self.assertEqual(rows["kernel.cycles"], str(run["cycles"]))
        for name, part in run["limit"]["parts"].items():
            self.assertAlmostEqual(float(rows["limit.%s.gain" % name]), part["gain"])
        for name, value in run["metrics"].items():
            self.assertEqual(rows[name], "" if value is None else rows[name])
            if value is not None:
                self.assertAlmostEqual(float(rows[name]), value, delta=abs(value) * 1e-9)
        for name, value in run["sums"].items():
            if isinstance(value, dict):
                self.assertEqual(rows[name + ".sum"], str(value["sum"]))
                total = self.rows(database, "SELECT coalesce(sum(count), 0) FROM histograms WHERE run = 3 AND kernel = 0"
                                            " AND name = '%s'" % name)
                self.assertEqual(total, [[str(value["count"])]])
            else:
                self.assertEqual(rows[name], str(value))

    def test_what_changes_a_result_is_run_again(self):
        database = self.small()
        self.plan(SMALL.replace("l1.mshr_entries: [16, 32]", "l1.mshr_entries: [32, 64]"))
        result = self.sweep(self.path("plan.yaml"))
        self.assertIn("4 points done (2 were there already)", result.stderr)
        self.plan(SMALL.replace("axes:", "parameters: { sim.sleep: 0 }\naxes:"))
        self.assertIn("(4 were there already)", self.sweep(self.path("plan.yaml")).stderr)
        self.plan(SMALL.replace("axes:", "parameters: { l2.ways: 8 }\naxes:"))
        self.assertNotIn("there already", self.sweep(self.path("plan.yaml")).stderr)
        self.assertEqual(self.rows(database, "SELECT count(*) FROM runs"), [["10"]])

    def test_own_programs_are_known_by_their_content(self):
        shutil.copy(os.path.join(self.WORKLOADS, "vector_add"), self.path("mine"))
        shutil.copy(os.path.join(self.WORKLOADS, "vector_add"), self.path("other"))
        plan = self.plan("axes: { program: ['./mine --size 256', './other --size 256'] }\n")
        self.assertEqual(self.sweep(plan).returncode, 0)
        self.assertEqual(self.rows(self.path("r.db"), "SELECT program FROM runs"), [["./mine --size 256"]],
                         "two files of one content are one point")
        with open(self.path("other"), "ab") as stream:
            stream.write(b"another")
        self.assertIn("2 points done (1 were there already)", self.sweep(plan).stderr)

    def test_seeds_filters_and_named_values(self):
        plan = self.plan("""
workload: reduction
axes:
  machine:
    small: { gpu.compute_units: 4, parameters: { l1: { ways: 4 } } }
    large: { gpu.compute_units: 8 }
  size: [256, 1024]
filters: ["not (machine == 'large' and size < 1000)"]
seeds: [7, 9]
arguments: "--size {size}"
""")
        self.assertEqual(self.sweep(plan).returncode, 0)
        self.assertEqual([row[0] for row in self.rows(self.path("r.db"), "SELECT arguments FROM runs ORDER BY run")],
                         ["--size %d --seed %d" % (size, seed) for size in (256, 1024, 1024) for seed in (7, 9)])
        self.assertEqual([row[0] for row in self.rows(self.path("r.db"),
                          "SELECT value FROM parameters WHERE path = 'gpu.compute_units' ORDER BY run")],
                         ["4"] * 4 + ["8"] * 2)

    def test_a_point_that_fails_stops_no_other(self):
        database = self.path("r.db")
        plan = self.plan("""
axes:
  program: ['sh -c "echo in trouble >&2; exit 3"', 'sh -c "kill -SEGV $$"', './mine', 'true']
arguments: "--size 256"
""")
        shutil.copy(os.path.join(self.WORKLOADS, "vector_add"), self.path("mine"))
        result = self.sweep(plan)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("1 points done, 3 failed", result.stderr)
        rows = self.rows(database, "SELECT status, exit_status, cycles IS NULL, message FROM runs ORDER BY run")
        self.assertEqual([row[:3] for row in rows], [["failed", "3", "1"], ["failed", "139", "1"], ["done", "0", "0"],
                                                     ["failed", "3", "1"]])
        self.assertIn("in trouble", rows[0][3])
        self.assertIn("signal 11", rows[1][3])
        self.assertIn("no kernel", rows[3][3])
        self.assertEqual(self.rows(database, "SELECT count(*) FROM statistics WHERE run <> 3"), [["0"]])

    def test_a_point_that_does_not_end_is_stopped(self):
        plan = self.plan("timeout_seconds: 1\nprogram: 'sleep 1000'\naxes: { l1.ways: [4] }\n")
        result = self.sweep(plan)
        self.assertEqual(result.returncode, 1)
        self.assertIn("stopped after 1 seconds", result.stderr)

    # ---- Ends of all kinds ----

    def start(self, *words):
        process = subprocess.Popen([self.WAVETANK, *words], env=self.environment(), cwd=self.folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        return process

    def wait_for_store(self, process, database):
        """SQLite's journal is there while a transaction is under way. That of the plan comes before those of points."""
        time.sleep(0.2)
        while process.poll() is None and not os.path.exists(database + "-journal"):
            time.sleep(0.0005)

    def runs_of_this_test(self):
        found = 0
        for name in glob.glob("/proc/[0-9]*/environ"):
            try:
                with open(name, "rb") as stream:
                    found += ("TMPDIR=" + self.scratch).encode() in stream.read()
            except OSError:
                pass
        return found

    def test_killed_ten_times(self):
        """The content is that of an undisturbed sweep."""
        killed, whole = self.path("killed.db"), self.path("whole.db")
        seed = random.randrange(1 << 30)
        draw = random.Random(seed)
        began = time.monotonic()
        self.good("sweep", self.smoke(), "-o", whole)
        span = time.monotonic() - began
        kills = 0
        for attempt in range(10):
            process = self.start("sweep", self.smoke(), "-o", killed)
            if attempt % 2 == 0:
                self.wait_for_store(process, killed)
                time.sleep(draw.random() * 0.03)
            else:
                time.sleep(draw.random() * span / 10)
            kills += process.poll() is None
            process.send_signal(signal.SIGKILL)
            process.wait()
            if attempt % 3 == 0 and os.path.exists(killed) and os.path.getsize(killed):
                done = self.rows(killed, "SELECT count(*) FROM runs")
                stored = self.rows(killed, "SELECT count(DISTINCT run) FROM statistics")
                self.assertEqual(done, stored, "seed %d: half a point is there" % seed)
        self.assertGreaterEqual(kills, 4, "seed %d: the sweep was over before it was killed" % seed)
        self.good("sweep", self.smoke(), "-o", killed)
        self.assertEqual(self.content(killed), self.content(whole), "seed %d" % seed)
        for _ in range(100):
            if self.runs_of_this_test() == 0:
                break
            time.sleep(0.1)
        self.assertEqual(self.runs_of_this_test(), 0, "programs outlive a sweep that was killed")

    def test_interrupted(self):
        process = self.start("sweep", self.smoke(), "-o", self.path("r.db"))
        time.sleep(0.7)
        process.send_signal(signal.SIGTERM)
        self.assertIn(process.wait(60), (128 + signal.SIGTERM, 0))
        self.assertEqual(self.rows(self.path("r.db"), "SELECT count(*) FROM runs WHERE status = 'failed'"), [["0"]])
        self.assertEqual(self.rows(self.path("r.db"), "SELECT count(*) FROM work"), [["0"]])

    def test_two_sweeps_share_a_database(self):
        both, alone = self.path("both.db"), self.path("alone.db")
        first = self.start("sweep", self.smoke(), "-o", both, "-j", "1")
        second = self.start("sweep", self.smoke(), "-o", both, "-j", "1")
        self.assertEqual([first.wait(200), second.wait(200)], [0, 0])
        self.good("sweep", self.smoke(), "-o", alone)
        self.assertEqual(self.content(both), self.content(alone))

    def test_shards_merge_to_the_whole(self):
        plan, whole = self.plan(SMALL), self.small(database="whole.db")
        for shard in (3, 1, 2):
            self.good("sweep", plan, "-o", self.path("part%d.db" % shard), "--shard", "%d/3" % shard)
        self.assertEqual(self.rows(self.path("part1.db"), "SELECT run FROM runs ORDER BY run"), [["1"], ["4"]])
        parts = [self.path("part%d.db" % shard) for shard in (2, 3, 1)]
        self.good("merge", self.path("merged.db"), *parts)
        self.good("merge", self.path("merged.db"), *parts)
        self.assertEqual(self.content(self.path("merged.db")), self.content(whole))
        self.assertEqual(self.rows(self.path("merged.db"), "SELECT count(*) FROM hosts"), [["4"]])

    def test_known_points_are_left_out(self):
        plan, database = self.plan(SMALL), self.small()
        result = self.sweep(plan, "--known", database, database="more.db")
        self.assertIn("(4 were there already)", result.stderr)
        self.assertEqual(self.rows(self.path("more.db"), "SELECT count(*) FROM runs"), [["0"]])

    # ---- What is wrong is told, and nothing is lost ----

    def test_a_full_disk(self):
        whole = self.small(database="whole.db")
        database = self.path("r.db")
        self.good("sweep", self.plan(SMALL), "-o", database, "--shard", "1/4")
        limit = os.path.getsize(database) + 8192
        result = self.sweep(self.plan(SMALL), "-j", "1", preexec_fn=lambda: (
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))))
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertIn("the same command goes on", result.stderr)
        self.assertEqual(result.stderr.count("hint"), 1, result.stderr)
        self.assertEqual(self.rows(database, "SELECT run, status FROM runs")[0], ["1", "done"])
        self.assertEqual(self.sweep(self.plan(SMALL)).returncode, 0)
        self.assertEqual(self.content(database), self.content(whole))

    def test_a_disk_that_is_really_full(self):
        disk = self.path("disk")
        os.mkdir(disk)
        if os.getuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", disk],
                                              capture_output=True).returncode != 0:
            self.skipTest("a small disk cannot be mounted")
        try:
            result = self.sweep(self.plan(SMALL), database="disk/r.db")
            self.assertEqual(result.returncode, 5, result.stderr)
            self.assertIn("full", result.stderr)
            self.assertEqual(result.stderr.count("hint"), 1, result.stderr)
        finally:
            subprocess.run(["umount", disk], check=True)

    def test_a_folder_that_cannot_be_written(self):
        result = self.sweep(self.plan(SMALL), database="nosuch/r.db")
        self.assertEqual(result.returncode, 2)
        self.assert_one_message(result, "nosuch/r.db")
        if os.getuid() != 0:
            os.mkdir(self.path("fixed"), 0o500)
            result = self.sweep(self.plan(SMALL), database="fixed/r.db")
        else:
            os.mkdir(self.path("fixed"))
            if subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", self.path("fixed")],
                              capture_output=True).returncode != 0:
                self.skipTest("a read-only folder cannot be made")
            try:
                result = self.sweep(self.plan(SMALL), database="fixed/r.db")
            finally:
                subprocess.run(["umount", self.path("fixed")], check=True)
        self.assertEqual(result.returncode, 2)
        self.assert_one_message(result, "cannot be written")

    def test_a_damaged_database(self):
        database = self.small()
        with open(database, "r+b") as stream:
            for page in range(2, os.path.getsize(database) // 4096):
                stream.seek(page * 4096)
                stream.write(b"\xff" * 64)
        with open(database, "rb") as stream:
            before = stream.read()
        for words in (["sweep", self.plan(SMALL), "-o", database], ["query", database, "SELECT 1"],
                      ["merge", self.path("new.db"), database], ["merge", database, database]):
            result = self.command(*words)
            self.assertIn(result.returncode, (2, 5), words)
            self.assert_one_message(result, "damaged")
        with open(database, "rb") as stream:
            self.assertEqual(stream.read(), before, "a damaged file is left as it is")
        for content in (b"no database at all" * 100, before[:5000]):
            with open(database, "wb") as stream:
                stream.write(content)
            self.assert_one_message(self.sweep(self.plan(SMALL)), "r.db")
            with open(database, "rb") as stream:
                self.assertEqual(stream.read(), content)

    def test_another_kind_of_database(self):
        import sqlite3
        with sqlite3.connect(self.path("r.db")) as other:
            other.execute("CREATE TABLE runs (mine)")
        self.assert_one_message(self.sweep(self.plan(SMALL)), "no database of Wavetank's results")

    def test_what_is_wrong_with_a_plan(self):
        cases = {
            "axes: { workloads: [dct] }": ["plan.yaml:1", "no axis 'workloads'", "did you mean 'workload'"],
            "workload: dct\naxes: { l1.mshr_entris: [1] }": ["plan.yaml:2", "l1.mshr_entris", "did you mean 'l1.mshr_entries'"],
            "workload: dct\naxes: { l1.ways: [0] }": ["plan.yaml:2", "l1.ways: 0 is outside"],
            "workload: dct\naxes: { l1.replacement: [lru, mruu] }": ["plan.yaml:2", "l1.replacement: there is no 'mruu'", "lru, fifo, random"],
            "workload: dcd": ["plan.yaml:1", "dcd", "did you mean 'dct'"],
            "program: ./nosuch": ["plan.yaml:1", "no program ./nosuch"],
            "gpu: nosuch\nworkload: dct": ["nosuch"],
            "axes: { l1.ways: [4] }": ["no program"],
            "workload: dct\naxes: { l1.ways: [] }": ["plan.yaml:2", "l1.ways has no value"],
            "workload: dct\naxes: { l1.ways: [4, 4] }": ["stands there twice"],
            "workload: dct\naxis: { l1.ways: [4] }": ["plan.yaml:2", "did you mean 'axes'"],
            "workload: dct\naxes: { l1.ways: [4] }\nfilters: ['l1.ways > 4']": ["leave no point"],
            "workload: dct\naxes: { l1.ways: [4] }\nfilters: ['l1.way > 4']": ["plan.yaml:3", "did you mean 'l1.ways'"],
            "workload: dct\naxes: { l1.ways: [4] }\nfilters: ['l1.ways >']": ["plan.yaml:3", "formula"],
            "program: 'true'\nseeds: 3": ["{seed}"],
            "workload: dct\nclaims: { C: { sentence: x } }": ["lacks its 'holds'"],
            "workload: dct\nderived: { x: 'speed + 1' }": ["speed", "no axis, quantity"],
            "workload: [dct, reduction]": ["lists of values belong under `axes:`"],
            "workload: 'dct": ["not YAML"],
            "": ["nothing"],
        }
        for text, words in cases.items():
            with self.subTest(text=text):
                result = self.sweep(self.plan(text))
                self.assertEqual(result.returncode, 2)
                self.assert_one_message(result, *words)
                self.assertFalse(os.path.exists(self.path("r.db")))

    def test_query(self):
        database = self.small()
        self.assertEqual(self.good("query", database, "SELECT 'a,\"b\"' AS x, 1.5 AS y, NULL AS z", "--csv"),
                         'x,y,z\n"a,""b""",1.5,\n')
        self.assertIn("no such column", self.command("query", database, "SELECT nosuch FROM runs").stderr)
        result = self.command("query", database, "DELETE FROM runs")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(self.rows(database, "SELECT count(*) FROM runs"), [["4"]])


if __name__ == "__main__":
    Sweep.WORKLOADS = os.path.abspath(sys.argv.pop(3))
    Lab.SOURCE = os.path.abspath(sys.argv.pop(2))
    Lab.WAVETANK = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
