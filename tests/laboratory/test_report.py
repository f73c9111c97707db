#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The report: what the page shows, in a browser, and the figures as files.

Usage: test_report.py WAVETANK SOURCE_FOLDER
"""
import cmath
import colorsys
import glob
import json
import math
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

sys.dont_write_bytecode = True
from browser import Browser  # noqa: E402
from lab import Lab  # noqa: E402

MOST_BYTES = 3 << 20  # of the page without data
PLAN = """
title: "Some <b>figures</b> & </script> of each kind"
axes:
  workload: [vector_add, dct]
  l1.mshr_entries: [4, 16, 64]
arguments: --small
sample: "200:l1.mshr_mean"
baseline: { l1.mshr_entries: 64 }
derived: { speedup: { formula: "base(kernel.cycles) / kernel.cycles", unit: ratio } }
claims:
  A1: { sentence: "Fewer are slower.", figure: bars, values: { most: "max(speedup)" }, holds: "most <= 1" }
  A2: { sentence: "All are equal.", holds: "min(speedup) == max(speedup)" }
figures:
  bars: { kind: bars, x: workload, y: speedup, color: l1.mshr_entries }
  lines: { kind: lines, x: l1.mshr_entries, y: "kernel.cycles / 1000", color: workload }
  scatter: { kind: scatter, x: l1.mshr_mean, y: vmem.latency_cycles, color: workload }
  histogram: { kind: histogram, y: cu.load_latency, row: workload, where: "l1.mshr_entries == 64" }
  stack: { kind: stack, x: l1.mshr_entries, y: "issue.*_ratio", color: workload }
  latency: { kind: stack, x: workload, y: "cu.load_stack.* !*.cycles !*.instructions", per: cu.load_stack.instructions,
             where: "l1.mshr_entries == 4" }
  time: { kind: time, y: l1.mshr_mean, color: l1.mshr_entries, row: workload }
"""
# How many marks of what sort each figure has, from its rows: bars and points one each, a line one a color.
MARKS = {"bars": ("mark-rect", 6), "lines": ("mark-symbol", 6), "scatter": ("mark-symbol", 6), "time": ("mark-line", 6)}
# A stack as large as they get: panels for two axes, all parts of a latency, long names. `draw` shows it.
LARGE = """
window.large = parts => {
  const workloads = ["matrix_transpose", "breadth_first_search", "dct", "reduction"], mshrs = ["4", "16", "64"];
  return {name: "large", title: "large", kind: "stack", x: "workload", y: "cu.load_stack.* !*.cycles !*.instructions", unit: "",
    color: "l1.mshr_entries", per: "cu.load_stack.instructions", row: "l1.ways", xOrder: workloads, colorOrder: mshrs, rowOrder: ["1", "2"],
    rows: workloads.flatMap(x => mshrs.flatMap(color => ["1", "2"].flatMap(row => parts.map((part, y) => ({x, color, row, part, y: y * 3})))))};
};
window.draw = figure => {
  const place = document.querySelector("#explore .chart");
  return vegaEmbed(place, Figures.spec(figure, "light", place.clientWidth), {actions: false, renderer: "svg"}).then(() => true);
};
// Pairs of texts whose boxes, turned as they are, have a point in common.
window.overlaps = chart => {
  const boxes = [...chart.querySelectorAll("svg text")].filter(text => text.textContent.trim() && getComputedStyle(text).opacity !== "0").map(text => {
    const box = text.getBBox(), matrix = text.getScreenCTM(), at = (x, y) => new DOMPoint(x, y).matrixTransform(matrix);
    const right = box.x + box.width, top = box.y + 2, bottom = box.y + box.height - 2;
    return {text: text.textContent, corners: [at(box.x, top), at(right, top), at(right, bottom), at(box.x, bottom)]};
  });
  const apart = (a, b) => [a, b].some(({corners}) => corners.some((corner, i) => {
    const next = corners[(i + 1) % 4], x = next.y - corner.y, y = corner.x - next.x;
    const range = box => box.corners.map(point => point.x * x + point.y * y);
    return Math.max(...range(a)) <= Math.min(...range(b)) || Math.max(...range(b)) <= Math.min(...range(a));
  }));
  return boxes.flatMap((a, i) => boxes.slice(i + 1).filter(b => !apart(a, b)).map(b => a.text + " | " + b.text));
};
window.cut = chart => [...chart.querySelectorAll("svg text")].filter(text => {
  const box = text.getBoundingClientRect(), frame = chart.getBoundingClientRect();
  return text.textContent.includes("…") || box.left < frame.left - 1 || box.right > frame.right + 1;
}).map(text => text.textContent);
window.legend = chart => Object.fromEntries([...chart.querySelectorAll(".role-legend-entry .role-scope > g > g")].map(entry =>
  [entry.querySelector(".role-legend-label text").textContent, entry.querySelector(".role-legend-symbol path").getAttribute("fill")]));
"""


class Report(Lab):
    database = None

    @classmethod
    def setUpClass(cls):
        cls.profile = tempfile.TemporaryDirectory()
        cls.browser = Browser(cls.profile.name)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        shutil.rmtree(cls.profile.name, ignore_errors=True)

    def setUp(self):
        super().setUp()
        self.browser.errors.clear()
        self.browser.requests.clear()

    def sweep(self):
        """Once for all tests."""
        if self.database is None:
            self.good("sweep", self.plan(PLAN), "-o", self.path("r.db"))
            type(self).database = os.path.join(self.profile.name, "r.db")
            shutil.copy(self.path("r.db"), self.database)
        else:
            shutil.copy(self.database, self.path("r.db"))

    def report(self, *words):
        self.sweep()
        self.good("report", self.path("r.db"), "-o", self.path("r.html"), *words)
        return self.path("r.html")

    def open(self, path, **more):
        self.browser.open(path, **more)
        self.assert_quiet()

    def assert_quiet(self):
        self.assertEqual(self.browser.errors, [])
        self.assertEqual(self.browser.requests, [], "the page asks for something from a network")

    def texts(self, selector):
        return self.browser.evaluate("[...document.querySelectorAll(%s)].map(element => element.textContent)"
                                     % json.dumps(selector))

    def csv(self, table):
        """What the table's button saves."""
        return self.browser.evaluate("""new Promise(resolve => {
            const before = URL.createObjectURL;
            URL.createObjectURL = blob => { blob.text().then(resolve); URL.createObjectURL = before; return "data:,"; };
            document.getElementById("%s-csv").click(); })""" % table)

    def test_the_page(self):
        page = self.report()
        self.open(page)
        self.assertIn("Some <b>figures</b> & </script> of each kind", self.texts("h1"))
        claims = self.texts(".claim")
        self.assertTrue(any(claim.startswith("A1 holds: Fewer are slower. most = 1") for claim in claims), claims)
        self.assertTrue(any(claim.startswith("A2 does not hold") for claim in claims), claims)
        self.assertEqual(len(self.texts("#figure-bars .claim")), 1, "a claim stands beside its figure")
        for name, (mark, count) in MARKS.items():
            self.assertEqual(self.browser.evaluate("document.querySelectorAll('#figure-%s .chart .%s.role-mark path').length"
                                                   % (name, mark)), count, name)
        for name in ("histogram", "stack"):
            self.assertGreater(self.browser.evaluate(
                "document.querySelectorAll('#figure-%s .chart .mark-rect.role-mark path').length" % name), 8, name)
        self.assertEqual(len(self.texts("#points tbody tr")), 6)
        limit = MOST_BYTES + self.browser.evaluate("document.getElementById('data').textContent.length")
        self.assertLess(os.path.getsize(page), limit)

    def test_bars_are_as_high_as_their_values(self):
        self.open(self.report())
        heights = self.browser.evaluate(
            "[...document.querySelectorAll('#figure-bars .chart .mark-rect.role-mark path')].map(path => path.getBBox().height)")
        values = [float(row[0]) for row in self.rows(self.path("r.db"),
                  "SELECT value FROM derived WHERE name = 'speedup' ORDER BY number")]
        for height, value in zip(heights, values):
            self.assertAlmostEqual(height / max(heights), value / max(values), delta=0.01)

    def test_stacks_are_as_high_as_what_they_divide(self):
        self.open(self.report())
        latencies = self.rows(self.path("r.db"), """SELECT c.value * 1.0 / n.value FROM counters c JOIN counters n USING (run, kernel)
            WHERE c.name = 'cu.load_stack.cycles' AND n.name = 'cu.load_stack.instructions' AND kernel = 0 AND run IN (1, 4)
            ORDER BY run""")
        for figure, expected in (("stack", [1] * 6), ("latency", [float(row[0]) for row in latencies])):
            rows = self.browser.evaluate("data.plans[0].figures.find(figure => figure.name === '%s').rows" % figure)
            sums = {}
            for row in rows:
                sums[row["point"]] = sums.get(row["point"], 0) + row["y"]
            self.assertEqual(len(sums), len(expected))
            for found, value in zip([sums[point] for point in sorted(sums)], expected):
                self.assertAlmostEqual(found, value, delta=1e-6 * value, msg=figure)

    # ---- Can it be read? ----

    def parts(self):
        return [row[0] for row in self.rows(self.path("r.db"), "SELECT path FROM names WHERE path LIKE 'cu.load_stack.%'"
                " AND path NOT LIKE '%.cycles' AND path NOT LIKE '%.instructions' ORDER BY name")]

    def large(self, parts=None):
        self.browser.evaluate(LARGE + "draw(large(%s))" % json.dumps(parts or self.parts()))
        return self.browser.evaluate("legend(document.querySelector('#explore .chart'))")

    def hue(self, color):
        drawn = self.browser.evaluate("(context => { context.fillStyle = %s; return context.fillStyle; })("
                                      "document.createElement('canvas').getContext('2d'))" % json.dumps(color))
        return 360 * colorsys.rgb_to_hls(*(int(drawn[at:at + 2], 16) / 255 for at in (1, 3, 5)))[0]

    def test_do_parts_of_a_stack_have_colors_of_their_own(self):
        self.open(self.report())
        for parts in (self.parts(), ["a.part%d" % number for number in range(40)], ["a.%d" % number for number in range(15)]):
            colors = self.large(parts)
            self.assertEqual(len(parts) - 1, len(colors), "all but the first, which is 0")
            self.assertEqual(len(set(colors.values())), len(colors), colors)
            marks = self.browser.evaluate("[...document.querySelectorAll('#explore .mark-rect.role-mark path')].map(path =>"
                                          " path.getAttribute('fill'))")
            self.assertEqual(set(marks), set(colors.values()))

    def test_do_parts_of_one_place_have_colors_of_one_hue(self):
        self.open(self.report())
        hues = {}
        for part, color in self.large().items():
            place = {"probes": "l2", "in": "return"}.get(part.split("_")[0], part.split("_")[0])
            hues.setdefault(place, []).append(self.hue(color))
        self.assertEqual(sorted(hues), ["dram", "l1", "l2", "network", "return"])
        middles = {place: cmath.phase(sum(cmath.rect(1, math.radians(hue)) for hue in found)) for place, found in hues.items()}
        away = lambda a, b: abs(math.degrees(cmath.phase(cmath.rect(1, a - b))))  # noqa: E731
        for place, found in hues.items():
            self.assertLess(max(away(math.radians(hue), middles[place]) for hue in found), 20, place)
            for other in set(hues) - {place}:
                self.assertGreater(away(middles[place], middles[other]), 35, (place, other))

    def test_are_parts_that_are_zero_left_out(self):
        self.open(self.report())
        self.browser.evaluate(LARGE)
        for figure, per_point in (("latency", "cu.load_stack."), ("stack", "issue.")):
            rows = self.browser.evaluate("data.plans[0].figures.find(figure => figure.name === '%s').rows" % figure)
            names = {row["part"][len(per_point):] for row in rows if row["y"]}
            self.assertLess(len(names), len({row["part"] for row in rows}), "the example has such parts")
            self.assertEqual(set(self.browser.evaluate("legend(document.querySelector('#figure-%s'))" % figure)), names)

    def test_do_words_overlap_or_leave_the_page(self):
        page = self.report()
        for width in (1200, 420):
            self.open(page, width=width)
            self.large()
            for place in self.browser.evaluate("[...document.querySelectorAll('[id]:has(> div > .chart), #explore')].map(at => at.id)"):
                at = "document.querySelector('#%s .chart')" % place
                self.assertEqual(self.browser.evaluate("overlaps(%s)" % at), [], (width, place))
                self.assertEqual(self.browser.evaluate("cut(%s)" % at), [], (width, place))
            self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), width)

    def test_is_it_whole_on_paper(self):
        self.open(self.report(), width=700)
        self.browser.call("Emulation.setEmulatedMedia", media="print")
        self.addCleanup(self.browser.call, "Emulation.setEmulatedMedia", media="")
        style = "[...document.querySelectorAll(%r)].map(element => getComputedStyle(element)[%r])"
        shown = self.browser.evaluate("[...document.querySelectorAll('button, select, input')].filter(one => one.offsetParent).length")
        self.assertEqual(shown, 0, "there is nothing to press on paper")
        self.assertEqual(set(self.browser.evaluate(style % ("h2, h3", "breakAfter"))), {"avoid"})
        self.assertEqual(set(self.browser.evaluate(style % (".figure, tr", "breakInside"))), {"avoid"})
        for place in ("main", ".scroll", ".chart"):
            self.assertEqual(self.browser.evaluate("[...document.querySelectorAll(%r)].filter(at => at.scrollWidth > at.clientWidth + 1 ||"
                                                   " at.getBoundingClientRect().right > 700 || at.scrollHeight > at.clientHeight + 1).length"
                                                   % place), 0, place + " is cut")

    def test_filters_and_sorting(self):
        self.open(self.report())
        self.browser.choose("points-filter", "dct")
        self.assertEqual(len(self.texts("#points tbody tr")), 3)
        self.browser.choose("points-filter", "dct l1.mshr_entries>10")
        self.assertEqual(len(self.texts("#points tbody tr")), 2)
        self.browser.choose("points-filter", "")
        for _ in range(2):
            self.browser.evaluate("[...document.querySelectorAll('#points th')].find(head => head.textContent.startsWith("
                                  "'kernel.cycles')).click()")
        cycles = [row[0] for row in self.rows(self.path("r.db"), "SELECT cycles FROM runs ORDER BY cycles DESC")]
        self.assertEqual([text.replace(",", "") for text in self.texts("#points td:nth-last-child(2)")], cycles)
        self.browser.choose("points-add", "l1.hit_ratio")
        self.assertIn("l1.hit_ratio", self.texts("#points th"))
        lines = self.csv("points").splitlines()
        self.assertEqual(lines[0], "point,workload,l1.mshr_entries,status,speedup,kernel.cycles,kernel.ipc,l1.hit_ratio")
        self.assertEqual([line.split(",")[5] for line in lines[1:]], cycles)
        self.assert_quiet()

    def test_explorer_and_comparison(self):
        self.open(self.report())
        for kind, over, of in (("lines", "l1.mshr_entries", "kernel.ipc"), ("scatter", "l1.mpki", "kernel.ipc"),
                               ("stack", "workload", "issue.vm_ratio"), ("histogram", "workload", "cu.load_latency")):
            for identity, value in (("explore-kind", kind), ("explore-x", over), ("explore-y", of)):
                self.browser.choose(identity, value)
            self.browser.wait("document.querySelectorAll('#explore .chart .role-mark path').length > 3")
        self.browser.choose("compare-b", "3")
        self.browser.choose("compare-filter", "statistic=kernel.cycles")
        a, b = (int(row[0]) for row in self.rows(self.path("r.db"), "SELECT cycles FROM runs WHERE run IN (1, 3) ORDER BY run"))
        row = self.csv("compare").splitlines()[1].split(",")
        self.assertEqual(row[:3], ["kernel.cycles", str(a), str(b)])
        self.assertAlmostEqual(float(row[4]), 100 * (b - a) / a)
        self.assert_quiet()

    def test_light_and_dark(self):
        page = self.report()
        grounds = []
        for dark in (False, True):
            self.open(page, dark=dark)
            grounds.append(self.browser.evaluate("getComputedStyle(document.body).backgroundColor"))
            self.browser.screenshot(self.path("page.png"))
            self.assertGreater(os.path.getsize(self.path("page.png")), 20000)
        self.browser.evaluate("document.getElementById('theme').click()")
        grounds.append(self.browser.evaluate("getComputedStyle(document.body).backgroundColor"))
        self.assertEqual(grounds, ["rgb(255, 255, 255)", "rgb(13, 17, 23)", "rgb(255, 255, 255)"])
        self.assert_quiet()

    def test_figures_as_files(self):
        self.report("--svg", self.path("figures"))
        names = sorted(os.path.basename(name) for name in glob.glob(self.path("figures/*")))
        self.assertEqual(names, ["plan-%s.svg" % name for name in ("bars", "histogram", "latency", "lines", "scatter",
                                                              "stack", "time")])
        self.assertEqual(os.listdir(self.path("figures")).count(".data"), 0)
        for name, (mark, count) in MARKS.items():
            root = xml.etree.ElementTree.parse(self.path("figures/plan-%s.svg" % name)).getroot()
            groups = [group for group in root.iter("{http://www.w3.org/2000/svg}g")
                      if mark in group.get("class", "").split() and "role-mark" in group.get("class")]
            self.assertEqual(sum(len(list(group)) for group in groups), count, name)

    def test_a_thousand_runs(self):
        """Copies of a few runs: the page opens and answers as quickly as a reader expects."""
        seeds = 167
        self.sweep()
        plan = PLAN.replace("arguments:", "seeds: %d\narguments:" % seeds)
        with sqlite3.connect(self.path("r.db")) as base:
            base.execute("UPDATE plans SET text = ?", (plan,))
            for seed in range(1, seeds + 1):
                base.execute("INSERT INTO axes SELECT plan, number + ?, run + ?, axis, value FROM axes WHERE axis <> 'seed'"
                             " AND number <= 6", (6 * seed, 6 * seed))
                base.execute("INSERT INTO axes SELECT plan, number + ?, run + ?, 'seed', ? FROM plan_points WHERE number <= 6",
                             (6 * seed, 6 * seed, seed))
                base.execute("INSERT INTO plan_points SELECT plan, number + ?, run + ? FROM plan_points WHERE number <= 6",
                             (6 * seed, 6 * seed))
                base.execute("INSERT INTO points SELECT run + ?, key || ? FROM points WHERE run <= 6", (6 * seed, seed))
                base.execute("INSERT INTO runs SELECT run + ?, key || ?, status, message, exit_status, gpu, model, workload,"
                             " program, arguments, launches, cycles, instructions, kernel_time_ns, time_ns, wavetank, clang,"
                             " libclc FROM runs WHERE run <= 6", (6 * seed, seed))
                base.execute("INSERT INTO statistic_values SELECT name, run + ?, kernel, value, buckets FROM statistic_values"
                             " WHERE run <= 6", (6 * seed,))
            for name in ("runs", "hosts", "kernels", "parameters", "statistic_values", "axes", "plan_points"):
                base.execute("DELETE FROM %s WHERE run <= 6" % name)
        self.good("report", self.path("r.db"), "-o", self.path("r.html"))
        began = time.monotonic()
        self.open(self.path("r.html"))
        opened = time.monotonic() - began
        self.assertEqual(self.texts("#points-count"), ["1002 of 1002 rows"])
        began = time.monotonic()
        self.browser.choose("points-filter", "seed=100")
        self.assertEqual(len(self.texts("#points tbody tr")), 6)
        filtered = time.monotonic() - began
        print("1,002 runs: open in %.1f s, filtered in %.2f s, %.1f MB" % (
            opened, filtered, os.path.getsize(self.path("r.html")) / 1e6))
        self.assertLess(opened, 30)
        self.assertLess(filtered, 5)

    def test_the_example_in_python(self):
        """Debian's Python has pandas and matplotlib."""
        self.good("sweep", self.smoke(), "-o", self.path("s.db"))
        result = subprocess.run(["/usr/bin/python3", os.path.join(self.SOURCE, "experiments", "smoke.py"), self.path("s.db"),
                                 self.path("x.pdf")], env=dict(self.environment(), HOME=self.folder), text=True,
                                capture_output=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        expected = self.rows(self.path("s.db"), "SELECT round(value, 3) FROM derived WHERE number IN (1, 2, 3, 4) ORDER BY number")
        line = next(line for line in result.stdout.splitlines() if line.startswith("matrix_transpose"))
        self.assertEqual([float(word) for word in line.split()[1:]], [float(row[0]) for row in expected])
        self.assertGreater(os.path.getsize(self.path("x.pdf")), 5000)

    def test_nothing_to_show(self):
        self.command("sweep", self.plan("program: 'false'\n"), "-o", self.path("r.db"))
        self.good("report", self.path("r.db"), "-o", self.path("r.html"))
        self.open(self.path("r.html"))
        self.assertIn("1 points failed", self.texts("summary"))
        self.assert_one_message(self.command("report", self.path("r.db"), "-o", self.path("nosuch/r.html")), "nosuch/r.html")


if __name__ == "__main__":
    Lab.SOURCE = os.path.abspath(sys.argv.pop(2))
    Lab.WAVETANK = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
