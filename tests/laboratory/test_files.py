#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which files decide about a sweep's points: no result of a file that was edited is taken for a new one's.

Usage: test_files.py WAVETANK SOURCE_FOLDER WORKLOADS
"""
import os
import sys
import unittest

sys.dont_write_bytecode = True
from lab import Lab  # noqa: E402

SCRIPT = """
import os, subprocess, sys
# A run of its own is what a point needs; what follows decides about nothing.
def run():
    sys.exit(subprocess.run([os.environ["VECTOR_ADD"], "--small"]).returncode)
%s
if __name__ == "__main__":
    run()
"""


class Files(Lab):
    def environment(self):
        return dict(super().environment(), VECTOR_ADD=self.WORKLOAD)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as stream:
            stream.write(text)

    def sweep(self, plan=None, status=0):
        result = self.command("sweep", plan or self.path("plan.yaml"), "-o", self.path("r.db"))
        self.assertEqual(result.returncode, status, result.stderr)
        return result.stderr

    def runs_anew(self, plan=None):
        """How many points of the plan have no result yet; runs them."""
        text = self.sweep(plan)
        known = text.split(" were there already")
        done = int(text.split(" points done")[0].rsplit(" ", 1)[-1])
        return done - (int(known[0].rsplit("(", 1)[-1]) if len(known) > 1 else 0)

    def check_decides(self, name, text="changed\n"):
        """Of the plan, which has been swept, a file's content decides about the one point."""
        with open(self.path(name)) as stream:
            before = stream.read()
        self.write(name, before + "\n# " + text)
        self.assertEqual(self.runs_anew(), 1, name + " was edited, and the old result kept")
        self.write(name, before)
        self.assertEqual(self.runs_anew(), 0, name + " is as it was")

    def script_plan(self, script="", words=""):
        self.write("x.py", SCRIPT % script)
        self.plan("program: '%s x.py %s'\n" % (sys.executable, words))

    # ---- What decides ----

    def test_is_an_edited_script_run_again(self):
        self.script_plan()
        self.assertEqual(self.runs_anew(), 1)
        self.check_decides("x.py")

    def test_is_a_script_that_is_itself_the_program(self):
        self.write("lib.py", "")
        self.write("bench", "#!%s\n" % sys.executable + SCRIPT % "import lib")
        os.chmod(self.path("bench"), 0o755)
        self.plan("program: ./bench\n")
        self.assertEqual(self.runs_anew(), 1)
        self.check_decides("lib.py")

    def test_are_files_that_arguments_name(self):
        self.write("data.txt", "1")
        self.write("more.txt", "2")
        self.write("seed.txt", "3")
        self.script_plan(words="data.txt --more=more.txt")
        with open(self.path("plan.yaml"), "a") as stream:
            stream.write("arguments: '256 seed.txt . /dev/null'\n")
        self.assertEqual(self.runs_anew(), 1)
        for name in ("data.txt", "more.txt", "seed.txt"):
            self.check_decides(name)

    def test_are_modules_that_scripts_import(self):
        names = ("a.py", "b.py", "c.py", "d.py", "deep.py", "late.py", "next.py", "top.py", "pack/__init__.py", "pack/inner.py", "pack/near.py",
                 "pack/far.py", "pack/sub/__init__.py", "pack/sub/leaf.py")
        for name in names:
            self.write(name, "")
        self.write("d.py", "import deep  # import e\n")
        self.write("pack/inner.py", "from . import near\nfrom .near import *\nimport top, pack.sub.leaf\n")
        self.write("pack/sub/leaf.py", "from ..far import __name__\n")
        self.write("e.py", "")
        self.write("c.py", "one = two = 0\n")
        self.script_plan("import a, os.path as p, b\nfrom c import (one,\n  two); import next\nfrom pack import (\n  inner)\n"
                         "import os; import d as late_d\ndef f():\n    import late\n'import e'  # import e\n")
        self.assertEqual(self.runs_anew(), 1)
        for name in names:
            self.check_decides(name)
        self.write("e.py", "changed")
        self.assertEqual(self.runs_anew(), 0, "what a comment or a string imports is not imported")

    def test_are_modules_that_import_each_other(self):
        self.write("a.py", "import b\n")
        self.write("b.py", "import a\n")
        self.script_plan("import a")
        self.assertEqual(self.runs_anew(), 1)
        self.check_decides("b.py")

    def test_are_kernels_that_scripts_name(self):
        names = ("kernel.cl", "below/plain.h", "below/beside.h", "text.h", "quote.cl")
        for name in names + ("note.txt",):
            self.write(name, "")
        self.write("below/plain.h", "#include \"beside.h\"\n")
        self.write("kernel.cl", "// 3\" wide\n#include \"below/plain.h\"\n")
        self.script_plan("NAME = 'kernel.cl'; OTHER = r'a\\'b' + \"quote.cl\"\n"
                         "TEXT = '''\n#include \"text.h\"\n'''\nLOG = 'note.txt'\n")
        self.assertEqual(self.runs_anew(), 1)
        for name in names:
            self.check_decides(name)
        self.write("note.txt", "changed")
        self.assertEqual(self.runs_anew(), 0, "a script may well write it")

    def test_are_modules_beside_a_script_elsewhere(self):
        self.write("code/x.py", SCRIPT % "import lib\nK = 'k.cl', 'here.cl'")
        self.write("code/lib.py", "")
        self.write("code/k.cl", "")
        self.write("here.cl", "")
        self.write("lib.py", "")
        self.plan("program: '%s code/x.py'\n" % sys.executable)
        self.assertEqual(self.runs_anew(), 1)
        self.check_decides("code/lib.py")
        self.check_decides("code/k.cl")
        self.check_decides("here.cl")
        self.write("lib.py", "changed")
        self.assertEqual(self.runs_anew(), 0, "Python takes the one beside the script")

    # ---- What does not ----

    def test_where_files_lie_does_not_matter(self):
        self.write("data.txt", "1")
        self.script_plan("import os", "data.txt")
        self.assertEqual(self.runs_anew(), 1)
        os.rename(self.path("x.py"), self.path("there.py"))
        os.symlink("there.py", self.path("x.py"))
        self.assertEqual(self.runs_anew(), 0)
        os.utime(self.path("data.txt"))
        self.assertEqual(self.runs_anew(), 0)

    OUTPUT = "open(sys.argv[1], 'w').write(sys.argv[2] + str(os.getpid()))"

    def output_plan(self, more=""):
        self.write("x.py", SCRIPT % self.OUTPUT)
        self.plan("program: '%s x.py {out}.txt {n}'\naxes: { n: [1, 2], out: [a, b] }\n%s" % (sys.executable, more))

    def test_is_it_said_that_a_run_writes_what_an_argument_names(self):
        self.output_plan()
        text = self.sweep()
        self.assertIn("changed while points ran, which the next sweep runs again: a.txt, b.txt\n", text)
        self.assertIn("hint: name what programs write under `outputs:`", text)

    def test_are_outputs_no_inputs(self):
        self.output_plan()
        self.assertEqual(self.runs_anew(), 4)
        self.output_plan("outputs: ['{out}.txt']\n")
        self.assertEqual(self.runs_anew(), 0, "the first sweep saw no such files either")
        text = self.sweep()
        self.assertNotIn("changed while", text)
        self.assertNotIn("a.txt", text)
        self.output_plan("outputs: [a.txt]\n")
        self.assertEqual(self.runs_anew(), 2, "b.txt is an input of two points")

    def test_is_an_edit_while_points_run_told(self):
        self.script_plan("open(__file__, 'a').write('# edited')")
        self.assertIn("changed while points ran, which the next sweep runs again: x.py\n", self.sweep())

    # ---- What is said ----

    def test_which_files_are_they(self):
        self.write("lib.py", "")
        self.write("read.txt", "")
        self.script_plan("import lib", "data.txt")
        with open(self.path("plan.yaml"), "a") as stream:
            stream.write("files: [read.txt]\n")
        said = "points are known by the content of %s, x.py, lib.py, read.txt\n" % os.path.realpath(sys.executable)
        self.assertIn(said, self.sweep())
        self.assertIn(said, self.command("sweep", self.path("plan.yaml"), "--list").stderr)
        quiet = self.command("sweep", self.path("plan.yaml"), "-o", self.path("r.db"), "--quiet")
        self.assertEqual(quiet.stderr, "")
        for number in range(20):
            self.write("data%d.txt" % number, "")
        self.plan("workload: vector_add\narguments: '--small'\nfiles: [%s]\n" % ", ".join("data%d.txt" % n for n in range(20)))
        self.assertIn("by the content of data0.txt, data1.txt, data2.txt, data3.txt, data4.txt, data5.txt, data6.txt,"
                      " data7.txt and 12 more\n", self.sweep())
        self.assertIn(", data19.txt\n", self.command("sweep", self.path("plan.yaml"), "--list").stderr)
        self.plan("workload: vector_add\narguments: '--small'\n")
        self.assertNotIn("known by", self.sweep())

    def test_what_is_wrong_with_outputs(self):
        result = self.command("sweep", self.plan("workload: vector_add\noutputs: a.txt\n"), "-o", self.path("r.db"))
        self.assertEqual(result.returncode, 2)
        self.assert_one_message(result, "plan.yaml:2", "outputs: a list of paths was expected here")


if __name__ == "__main__":
    Files.WORKLOAD = os.path.join(os.path.abspath(sys.argv.pop(3)), "vector_add")
    Lab.SOURCE = os.path.abspath(sys.argv.pop(2))
    Lab.WAVETANK = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
