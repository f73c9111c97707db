#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Claims: what is computed of results, what the verdict is, and what is said when there is none.

Usage: test_judge.py WAVETANK SOURCE_FOLDER
"""
import json
import math
import os
import sys
import unittest

sys.dont_write_bytecode = True
from lab import Lab  # noqa: E402

PLAN = """
workload: vector_add
axes:
  size: [256, 16384]
  l1.mshr_entries: [1, 64]
arguments: "--size {size}"
baseline: { size: 256, l1.mshr_entries: 64 }
derived:
  speedup: { formula: "base(kernel.cycles) / kernel.cycles", baseline: { l1.mshr_entries: 64 } }
  ratio: "base(kernel.cycles) / kernel.cycles"
  half: "speedup / 2"
claims:
"""


class Judge(Lab):
    def judge(self, claims, status=0, plan=PLAN):
        self.good("sweep", self.plan(plan + claims), "-o", self.path("r.db"))
        result = self.command("judge", self.path("r.db"))
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result

    def cycles(self):
        """By size and entries, from the runs themselves."""
        rows = self.rows(self.path("r.db"), "SELECT r.arguments, p.value, r.cycles FROM runs r JOIN parameters p"
                                            " ON p.run = r.run AND p.path = 'l1.mshr_entries'")
        return {(row[0].split()[1], row[1]): int(row[2]) for row in rows}

    def derived(self, name):
        return [float(row[0]) for row in self.rows(self.path("r.db"), "SELECT value FROM derived WHERE name = '%s'"
                                                                      " ORDER BY number" % name)]

    def test_quantities_are_what_they_say(self):
        output = self.judge("""
  C1: { sentence: one, holds: "g > 0", values: {
    g: "geomean(speedup where l1.mshr_entries == 1)", least: "min(half)", all: "count(1)" } }""").stdout
        cycles = self.cycles()
        points = [("256", "1"), ("256", "64"), ("16384", "1"), ("16384", "64")]
        speedups = [cycles[size, "64"] / cycles[size, entries] for size, entries in points]
        self.assertLess(speedups[2], 0.9, "the example is no example")
        for found, expected in zip(self.derived("speedup"), speedups):
            self.assertAlmostEqual(found, expected)
        for found, point in zip(self.derived("ratio"), points):
            self.assertAlmostEqual(found, cycles["256", "64"] / cycles[point])
        self.assertIn("g = %.4g, least = %.4g, all = 4;" % (math.sqrt(speedups[0] * speedups[2]), min(speedups) / 2),
                      output)

    def test_verdicts(self):
        output = self.judge("""
  C1: { sentence: first, holds: "min(speedup) > 0", partly: "1 > 2" }
  C2: { sentence: second, holds: "min(speedup) > 1", partly: "max(speedup) >= 1", source: "a book" }
  C3: { sentence: third, holds: "min(speedup) > 1", partly: "max(speedup) > 1" }
  C4: { sentence: fourth, holds: "min(speedup) > 1" }""").stdout
        self.assertEqual(output.splitlines(), ['C1 holds: "first"', 'C2 holds partly: "second" (a book)',
                                               'C3 does not hold: "third"', 'C4 does not hold: "fourth"'])

    def test_what_cannot_be_judged(self):
        output = self.judge("""
  C1: { sentence: a, holds: "one(kernel.cycels where size == 256) > 1" }
  C2: { sentence: b, holds: "mean(kernel.cycles where size == 7) > 1" }
  C3: { sentence: c, holds: "one(kernel.cycles) > 1" }
  C4: { sentence: d, holds: "1 == 1", values: { x: "1 / 0" } }""", status=1).stdout
        self.assertEqual(output.splitlines(), [
            "C1 cannot be judged: no run has a statistic 'kernel.cycels'; \"a\"",
            "C2 cannot be judged: mean(): there is no such point; \"b\"",
            "C3 cannot be judged: one(): one() is of one point, and there are several; \"c\"",
            "C4 holds: x is not defined; \"d\""])

    def test_missing_points_are_not_left_out(self):
        plan = self.plan(PLAN + '\n  C1: { sentence: a, holds: "mean(kernel.cycles) > 0" }')
        self.good("sweep", plan, "-o", self.path("r.db"), "--shard", "1/2")
        result = self.command("judge", self.path("r.db"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot be judged: kernel.cycles has no value at waiting point 256, 64", result.stdout)

    def test_when_claims_were_made(self):
        first = '\n  C1: { sentence: a, holds: "mean(kernel.cycles) > 0" }'
        self.assertEqual(self.judge(first).stderr, "")
        self.assertEqual(self.judge(first + "\n# a remark\n").stderr, "")
        self.assertIn("recorded after its first run", self.judge(first.replace("> 0", "> 1")).stderr)
        self.assertEqual(self.judge(first).stderr, "")
        # Both to the millisecond: a run of a second's fraction comes after what was recorded before it, and before what came later.
        dates = self.rows(self.path("r.db"), "SELECT recorded FROM plans UNION ALL SELECT started FROM hosts")
        for date, in dates:
            self.assertRegex(date, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertTrue(any(not date.endswith(".000Z") for date, in dates[-4:]))

    def test_are_claims_new_when_what_they_are_computed_from_is(self):
        claim = '\n  C1: { sentence: a, holds: "x > 0", values: { x: "mean(speedup)" } }'
        self.assertEqual(self.judge(claim).stderr, "")
        for old, new in (("baseline: { l1.mshr_entries: 64 } }", "baseline: { l1.mshr_entries: 1 } }"),
                         ("baseline: { l1.mshr_entries: 64 } }", "baseline: { size: 256 } }"),
                         ("baseline: { size: 256, l1.mshr_entries: 64 }", "baseline: { size: 256 }"),
                         ("speedup / 2", "speedup / 3"), ("mean(speedup)", "max(speedup)"), ("sentence: a", "sentence: b")):
            self.assertIn(old, PLAN + claim)
            changed = self.judge(claim.replace(old, new), plan=PLAN.replace(old, new))
            self.assertIn("recorded after its first run", changed.stderr, new)
        self.assertEqual(self.judge(claim).stderr, "", "the first claims came first still")

    def test_no_claims(self):
        self.good("sweep", self.plan("workload: vector_add\narguments: --small\n"), "-o", self.path("r.db"))
        self.assert_one_message(self.command("judge", self.path("r.db")), "no claims")

    def test_several_plans_stand_apart(self):
        claims = PLAN + '\n  C1: { sentence: a, holds: "min(kernel.cycles) > 0" }'
        self.good("sweep", self.plan("title: First\n" + claims, "first.yaml"), "-o", self.path("r.db"))
        self.assertNotIn("plan ", self.good("judge", self.path("r.db")))
        self.good("sweep", self.plan("title: Second\n" + claims.replace("C1", "C2"), "second.yaml"), "-o", self.path("r.db"))
        self.assertEqual(self.good("judge", self.path("r.db")).splitlines(),
                         ["plan first: First", 'C1 holds: "a"', "plan second: Second", 'C2 holds: "a"'])


class Inherit(Lab):
    """A plan that is another, but for what it says itself."""

    PARENT = """title: Parent
workload: vector_add
arguments: "--small"
parameters: { l2.ways: 8 }
axes:
  l1.mshr_entries: [1, 64]
claims:
  C1: { sentence: a, holds: "max(kernel.cycles) > 0" }
  # A remark, and another plan's end.
"""

    def values(self, path):
        return [row[0] for row in self.rows(self.path("r.db"), "SELECT value FROM parameters WHERE path = '%s' ORDER BY run" % path)]

    def test_what_it_does_not_say_is_the_others(self):
        os.mkdir(self.path("plans"))
        self.plan(self.PARENT, "plans/parent.yaml")
        heir = self.plan('title: "Heir"\ninherit: plans/parent.yaml\nl1.ways: 8', "heir.yaml")
        refused = self.command("sweep", heir, "-o", self.path("r.db"))
        self.assert_one_message(refused, "l1.ways", "heir.yaml:3")
        heir = self.plan("inherit: plans/parent.yaml\nparameters: { l1.ways: 8 }", "heir.yaml")
        self.good("sweep", heir, "-o", self.path("r.db"))
        self.assertEqual(self.values("l1.mshr_entries"), ["1", "64"])
        self.assertEqual(self.values("l1.ways"), ["8", "8"])
        self.assertEqual(self.values("l2.ways"), ["16", "16"], "a section is inherited whole or not at all")
        self.assertEqual(self.good("judge", self.path("r.db")), 'C1 holds: "a"\n')
        self.assertEqual(self.rows(self.path("r.db"), "SELECT name, title FROM plans"), [["heir", "Parent"]])

    def test_results_keep_what_was_inherited(self):
        self.plan(self.PARENT, "parent.yaml")
        self.good("sweep", self.plan("inherit: parent.yaml\ntitle: Heir\n", "heir.yaml"), "-o", self.path("r.db"))
        os.remove(self.path("parent.yaml"))
        self.assertEqual(self.good("judge", self.path("r.db")), 'C1 holds: "a"\n')

    def test_through_a_third(self):
        self.plan(self.PARENT, "first.yaml")
        self.plan("inherit: first.yaml\naxes: { l1.mshr_entries: [2] }\n", "second.yaml")
        third = self.plan("inherit: second.yaml\nparameters: { l1.ways: 2 }\n", "third.yaml")
        self.good("sweep", third, "-o", self.path("r.db"))
        self.assertEqual((self.values("l1.mshr_entries"), self.values("l1.ways")), (["2"], ["2"]))

    FORMS = {
        "block": "inherit: parent.yaml\nparameters:\n  l1.ways: 8\n",
        "no end of line": "inherit: parent.yaml\nparameters:\n  l1.ways: 8",
        "braces": "{inherit: parent.yaml, parameters: {l1.ways: 8}}",
        "braces on lines, a comma too many": "{\n  inherit: parent.yaml,\n  parameters: {l1.ways: 8}, # the last\n}\n",
        "ended by dots": "inherit: parent.yaml\nparameters:\n  l1.ways: 8\n...\n",
        "begun and ended": "--- # a plan\ninherit: parent.yaml\nparameters:\n  l1.ways: 8\n...\n# a remark\n",
        "indented": "  inherit: parent.yaml\n  parameters:\n    l1.ways: 8\n  # a remark\n",
        "Windows": "\ufeffinherit: parent.yaml\r\nparameters:\r\n  l1.ways: 8\r\n",
        "letters of two bytes": "{title: ÄÖÜ\u2028ß, inherit: parent.yaml, parameters: {l1.ways: 8}}\n",
        "an alias": "timeout_seconds: &ways 8\ninherit: parent.yaml\nparameters:\n  l1.ways: *ways\n",
    }

    def test_in_every_form_of_yaml(self):
        claims = 'claims:\n  C1: { sentence: "it\'s \\"so\\"\\tä\\x07", holds: "max(kernel.cycles) > 0" }\n'
        entries = "axes:\n  l1.mshr_entries: &few [1, 64]\n  l2.mshr_entries: *few\n"
        parents = {"block": self.PARENT, "braces": '{workload: vector_add, arguments: "--small", axes: {l1.mshr_entries: [1, 64]}}\n',
                   "dots": "workload: vector_add\narguments: >-\n  --small\naxes: {l1.mshr_entries: [1, 64]}\n...\n",
                   "aliases": "workload: vector_add\narguments: --small\n" + entries + claims}
        for parent, text in parents.items():
            self.plan(text, "parent.yaml")
            for form, heir in self.FORMS.items():
                with self.subTest(parent=parent, heir=form):
                    listed = self.good("sweep", self.plan(heir, "heir.yaml"), "-o", self.path("none.db"), "--list")
                    self.assertEqual(listed.count("l1.ways=8"), 4 if parent == "aliases" else 2, listed)
                    self.assertEqual(listed.count("l1.mshr_entries=64"), 2 if parent == "aliases" else 1, listed)

    def test_what_is_inherited_says_the_same(self):
        sentence = "it's \"so\"\t\u00e4\u2028#: {[,"
        self.plan("workload: vector_add\narguments: --small\nclaims: {C1: {holds: 1 > 0, sentence: %s}}\n" % json.dumps(sentence), "parent.yaml")
        self.good("sweep", self.plan("inherit: parent.yaml\n", "heir.yaml"), "-o", self.path("r.db"))
        inherited = self.good("judge", self.path("r.db"))
        self.good("sweep", self.path("parent.yaml"), "-o", self.path("p.db"))
        self.assertEqual(inherited, self.good("judge", self.path("p.db")))
        self.assertIn('it\'s "so"', inherited)

    def test_what_is_not_known_is_refused(self):
        self.plan(self.PARENT, "parent.yaml")
        for text, line, words in (
                ("inherit: parent.yaml\n---\ntitle: another\n", 3, "more text behind"),
                ("inherit: parent.yaml\n...\ntitle: another\n", 3, "more text behind"),
                ("inherit: parent.yaml\n...\n]\n", 3, "more text behind"),
                ("inherit: parent.yaml\naxis: {}\n", 2, "did you mean 'axes'"),
                ("inherit: parent.yaml\nseeds: 2\nseeds: 3\n", 3, "the first is in line 2")):
            heir = self.plan(text, "heir.yaml")
            self.assert_one_message(self.command("sweep", heir, "-o", self.path("r.db")), "heir.yaml:%d" % line, words)
            through = self.plan("inherit: heir.yaml\n", "through.yaml")
            self.assert_one_message(self.command("sweep", through, "-o", self.path("r.db")), "heir.yaml:%d" % line, words)

    def test_what_holds_itself_is_refused(self):
        laughs = "title: a\nclaims:\n  a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
            "  %s: &%s [%s]\n" % (name, name, ", ".join(["*" + before] * 10)) for before, name in zip("abcdefgh", "bcdefghi"))
        for text in ("claims: &a\n  b: *a\n", laughs):
            self.plan(text, "parent.yaml")
            refused = self.command("sweep", self.plan("inherit: parent.yaml\n", "heir.yaml"), "-o", self.path("r.db"))
            self.assert_one_message(refused, "parent.yaml:", "holds itself")

    def refused_at_once(self, plan):
        before = os.times().children_user
        result = self.command("sweep", plan, "-o", self.path("r.db"))
        self.assertLess(os.times().children_user - before, 1)
        return result

    def test_depth_is_told_at_once(self):
        for text in ("claims: " + "[" * 100000, "claims: " + "{a: " * 100000, "claims:\n" + "- " * 100000):
            refused = self.refused_at_once(self.plan("title: a\n" + text, "deep.yaml"))
            self.assert_one_message(refused, "deep.yaml:", "more than 32 lists")

    def test_too_many_points_are_told_at_once(self):
        axes = "".join("  p%d: %s\n" % (i, list(range(50))) for i in range(8))
        refused = self.refused_at_once(self.plan("workload: vector_add\naxes:\n" + axes))
        self.assert_one_message(refused, "plan.yaml:6", "axis p3", "1000000 combinations")

    def test_what_is_wrong(self):
        missing = self.plan("inherit: nothing.yaml\n", "a.yaml")
        self.assert_one_message(self.command("sweep", missing, "-o", self.path("r.db")), "nothing.yaml", "No such file")
        itself = self.plan("inherit: b.yaml\n", "b.yaml")
        self.assert_one_message(self.command("sweep", itself, "-o", self.path("r.db")), "b.yaml:1", "comes to itself")
        several = self.plan("inherit: [a.yaml, b.yaml]\n", "c.yaml")
        self.assert_one_message(self.command("sweep", several, "-o", self.path("r.db")), "c.yaml:1", "a file was expected")


class Experiments(Lab):
    def test_each_plan_has_points(self):
        folder = os.path.join(self.SOURCE, "experiments")
        plans = [os.path.join(path, name) for path, _, names in os.walk(folder) for name in names if name.endswith(".yaml")]
        self.assertGreaterEqual(len(plans), 3)
        for plan in plans:
            listed = self.good("sweep", plan, "-o", self.path("none.db"), "--list")
            # What explains a result compares a few points.
            least = 2 if os.path.basename(os.path.dirname(plan)) == "why" else 12
            self.assertGreaterEqual(len(listed.splitlines()), least, plan)


if __name__ == "__main__":
    Lab.SOURCE = os.path.abspath(sys.argv.pop(2))
    Lab.WAVETANK = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
