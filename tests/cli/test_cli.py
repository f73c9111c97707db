#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The command line: exit statuses, suggestions, help, what a program is given, and `diff` on small files.

Usage: test_cli.py WAVETANK. The programs that it runs are shell scripts: no OpenCL is needed.
"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

WAVETANK = None


def wavetank(*words, variables=None, folder=None):
    kept = ("WAVETANK_GPUS", "WAVETANK_CLANG", "WAVETANK_LIBCLC")
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith("WAVETANK_") or key in kept}
    environment["LC_ALL"] = "C"
    environment.update(variables or {})
    return subprocess.run([WAVETANK, *words], env=environment, cwd=folder, text=True, timeout=120,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


class Case(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = os.path.realpath(self.temporary.name)
        # Only the driver's path is looked at: nothing here loads it.
        self.driver = self.write("driver.so", "")
        self.scratch = os.path.join(self.folder, "tmp")
        os.mkdir(self.scratch)

    def tearDown(self):
        self.assertEqual(os.listdir(self.scratch), [], "temporary files are left behind")
        self.temporary.cleanup()

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as stream:
            stream.write(text)
        return path

    def run_shell(self, script, *options, variables=None):
        """`wavetank run OPTIONS -- sh -c SCRIPT`"""
        return wavetank("run", *options, "--", "sh", "-c", script,
                        variables={"WAVETANK_DRIVER": self.driver, "TMPDIR": self.scratch, **(variables or {})},
                        folder=self.folder)


# What the driver writes at a process's first kernel.
RAN_ONE = "echo 1.0 kernel k >>$WAVETANK_STATUS_FILE; "


class Run(Case):
    def test_no_kernel_is_status_3_where_one_is_required(self):
        self.assertEqual(self.run_shell("exit 0").returncode, 0)
        result = self.run_shell("exit 0", "--require-kernels")
        self.assertEqual(result.returncode, 3)
        self.assertIn("no kernel of sh ran on Wavetank", result.stderr)
        self.assertEqual(self.run_shell(RAN_ONE, "--require-kernels").returncode, 0)

    def test_the_status_is_the_programs_own(self):
        self.assertEqual(self.run_shell("exit 5").returncode, 5)
        self.assertEqual(self.run_shell(RAN_ONE + "exit 0").returncode, 0)
        self.assertEqual(self.run_shell(RAN_ONE + "exit 7").returncode, 7)
        self.assertEqual(self.run_shell("kill -SEGV $$").returncode, 128 + signal.SIGSEGV)

    def test_a_child_of_the_program_may_run_the_kernels(self):
        result = self.run_shell("(" + RAN_ONE + ") & true & wait", "--require-kernels")
        self.assertEqual(result.returncode, 0)

    def test_no_descriptor_needs_to_reach_a_child(self):
        # Python closes all but 0, 1 and 2.
        child = "import subprocess; subprocess.run(['sh', '-c', '%s'])" % RAN_ONE
        result = wavetank("run", "--require-kernels", "--", sys.executable, "-c", child,
                          variables={"WAVETANK_DRIVER": self.driver, "TMPDIR": self.scratch})
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_output_and_arguments_pass_through(self):
        result = wavetank("run", "--", "printf", "%s|", "--gpu", "a b", "",
                          variables={"WAVETANK_DRIVER": self.driver, "TMPDIR": self.scratch})
        self.assertEqual(result.stdout, "--gpu|a b||")
        result = wavetank("run", "printf", "%s|", "--help",
                          variables={"WAVETANK_DRIVER": self.driver, "TMPDIR": self.scratch})
        self.assertEqual(result.stdout, "--help|")

    def test_a_program_that_cannot_start(self):
        variables = {"WAVETANK_DRIVER": self.driver, "TMPDIR": self.scratch}
        result = wavetank("run", "--", "no-such-program", variables=variables)
        self.assertEqual(result.returncode, 127)
        self.assertIn("cannot run no-such-program", result.stderr)
        self.assertEqual(wavetank("run", "--", self.folder, variables=variables).returncode, 126)

    def test_the_loader_sees_wavetank_alone(self):
        result = self.run_shell("ls $OCL_ICD_VENDORS; cat $OCL_ICD_VENDORS/*.icd",
                                variables={"OCL_ICD_FILENAMES": "other.so"})
        self.assertEqual(result.stdout.split(), ["wavetank.icd", self.driver])

    def test_with_platforms_adds_the_others(self):
        vendors = os.path.join(self.folder, "vendors")
        os.mkdir(vendors)
        for name in ("pocl.icd", "wavetank.icd", "readme.txt"):
            with open(os.path.join(vendors, name), "w") as stream:
                stream.write("lib" + name + "\n")
        result = self.run_shell("cat $OCL_ICD_VENDORS/*", "--with-platforms",
                                variables={"OCL_ICD_VENDORS": vendors})
        self.assertEqual(sorted(result.stdout.split()), sorted([self.driver, "libpocl.icd"]))
        self.assertEqual(len(os.listdir(vendors)), 3)

    def test_options_become_variables(self):
        result = self.run_shell(
            "env", "--gpu", "hd7970", "-o", "l1.mshr_entries=32", "-o", "l1.ways=2",
            "--model=functional", "--json", "out-%p.json", "--quiet", "--max-cycles", "1000",
            "--trace-instructions", "kernel=a,wave=0", "--trace-file", "trace.txt", "--no-progress",
            "--host-pointers", "copy", "--build-options", "-g -DN='a b'")
        expected = {
            "WAVETANK_GPU": "hd7970",
            "WAVETANK_MODEL": "functional",
            "WAVETANK_JSON": self.folder + "/out-%p.json",
            "WAVETANK_QUIET": "1",
            "WAVETANK_MAX_CYCLES": "1000",
            "WAVETANK_TRACE": "kernel=a,wave=0",
            "WAVETANK_TRACE_FILE": self.folder + "/trace.txt",
            "WAVETANK_PROGRESS": "0",
            "WAVETANK_HOST_POINTERS": "copy",
            "WAVETANK_BUILD_OPTIONS": "-g -DN='a b'",
            "WAVETANK_SIGINT": "1",
        }
        lines = result.stdout.split("\n")
        for name, value in expected.items():
            self.assertIn(name + "=" + value, lines)
        self.assertIn("WAVETANK_SET=l1.mshr_entries=32\nl1.ways=2\n", result.stdout)
        self.assertIn("-- sh -c env", result.stdout)  # WAVETANK_COMMAND

    def test_mistakes_are_found_before_the_program_starts(self):
        mistakes = [
            (["-o", "l1.mshr_entrys=3"], "did you mean 'l1.mshr_entries'"),
            (["-o", "l1.mshr_entries"], "path=value"),
            (["-o", "l1.mshr_entries=0"], "outside 1 to"),
            (["-o", "l1.mshr_entries=many"], "not a whole number"),
            (["--gpu", "hd7971"], "hd7970"),
            (["--model", "quick"], "'timed' and 'functional'"),
            (["--max-cycles", "ten"], "not a number of cycles"),
            (["--host-pointers", "map"], "'refresh' or 'copy'"),
            (["--build-options", "-w -cl-fast-relaxed"], "--build-options: unknown build option '-cl-fast-relaxed'"),
            (["--jsn", "x"], "did you mean '--json'"),
            (["--json", "no/such/folder/x.json"], "No such file"),
            (["--quiet=yes"], "takes no value"),
            (["--trace-file", "x"], "--trace-instructions"),
        ]
        for options, message in mistakes:
            with self.subTest(options=options):
                result = self.run_shell("touch started", *options)
                self.assertEqual(result.returncode, 2)
                self.assertIn(message, result.stderr)
                self.assertFalse(os.path.exists(os.path.join(self.folder, "started")))

    def test_a_value_may_be_missing(self):
        result = wavetank("run", "--gpu")
        self.assertEqual(result.returncode, 2)
        self.assertIn("lacks its value", result.stderr)
        result = wavetank("run")
        self.assertEqual(result.returncode, 2)
        self.assertIn("lacks the program", result.stderr)

    def test_print_config(self):
        result = wavetank("run", "--print-config", "-o", "l1.mshr_entries=33")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"mshr_entries: 33 .*command line")
        path = self.write("again.yaml", result.stdout)
        again = wavetank("run", "--print-config", "--gpu", path)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertRegex(again.stdout, r"mshr_entries: 33 .*again.yaml:")

    def test_no_driver(self):
        result = wavetank("run", "--", "true", variables={"WAVETANK_DRIVER": "/no/such/driver.so"})
        self.assertEqual(result.returncode, 2)
        self.assertIn("WAVETANK_DRIVER", result.stderr)

    def start(self, script):
        environment = dict(os.environ, WAVETANK_DRIVER=self.driver, TMPDIR=self.scratch)
        process = subprocess.Popen([WAVETANK, "run", "--", "sh", "-c", script], env=environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def test_signals_to_wavetank_reach_the_program(self):
        process = self.start("trap 'echo got it; exit 9' TERM; echo ready; while :; do sleep 0.05; done")
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=30)
        self.assertEqual((output, process.returncode), ("got it\n", 9))

    def test_a_program_that_a_signal_ends(self):
        process = self.start("echo ready; exec sleep 60")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)

    def test_ctrl_c_waits_for_the_program(self):
        # As a terminal does: to the whole group.
        process = self.start("trap 'sleep 0.3; echo reported; exit 130' INT; echo ready; while :; do sleep 0.05; done")
        os.killpg(process.pid, signal.SIGINT)
        output, _ = process.communicate(timeout=30)
        self.assertIn("reported\n", output)
        self.assertEqual(process.returncode, 130)


class Help(Case):
    def test_overview(self):
        for words in (["--help"], ["-h"], ["help"]):
            result = wavetank(*words)
            self.assertEqual(result.returncode, 0)
            for name in ("run", "list", "explain", "disasm", "diff", "help", "version"):
                self.assertRegex(result.stdout, r"\n  %s +\w" % name)
        result = wavetank()
        self.assertEqual((result.returncode, result.stdout), (2, ""))

    def test_each_subcommand_explains_itself(self):
        for name in ("run", "list", "explain", "disasm", "diff", "help", "version"):
            result = wavetank(name, "--help")
            self.assertEqual(result.returncode, 0)
            self.assertTrue(result.stdout.startswith("wavetank " + name))
            self.assertEqual(result.stdout, wavetank("help", name).stdout)

    def test_run_help_names_every_option(self):
        text = wavetank("run", "--help").stdout
        for option in ("--gpu", "-o", "--model", "--json", "--quiet", "--max-cycles", "--print-config",
                       "--trace-instructions", "--trace-memory", "--trace-file", "--with-platforms", "--no-progress", "--host-pointers",
                       "--require-kernels", "--build-options", "--coverage"):
            self.assertRegex(text, r"\n  %s( |\n)" % option)

    def test_unknown_subcommand(self):
        result = wavetank("rnu")
        self.assertEqual(result.returncode, 2)
        self.assertIn("did you mean `wavetank run`", result.stderr)

    def test_version(self):
        result = wavetank("--version")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"^wavetank \d+\.\d+")
        self.assertEqual(result.stdout, wavetank("version").stdout)


def names(what):
    result = wavetank("list", what)
    if result.returncode != 0:
        raise AssertionError(result.stderr)
    return [line.split()[0] for line in result.stdout.splitlines()]


class Explain(Case):
    def test_lists(self):
        self.assertIn("hd7970", names("gpus"))
        self.assertIn("si", names("protocols"))
        self.assertIn("none", names("transactional-memory"))
        self.assertIn("drop_dirty_byte", names("breaks"))
        self.assertIn("l1.mshr_entries", names("parameters"))
        self.assertIn("cu.l1.load_hits", names("statistics"))
        self.assertIn("l1.hit_ratio", names("metrics"))
        result = wavetank("list", "gpu")
        self.assertEqual(result.returncode, 2)
        self.assertIn("did you mean `wavetank list gpus`", result.stderr)
        self.assertIn("gpus|workloads|protocols|", wavetank("list").stderr)

    def test_a_name_is_declared_once(self):
        for what in ("parameters", "statistics", "metrics"):
            found = names(what)
            self.assertEqual(len(found), len(set(found)))

    def test_a_component(self):
        result = wavetank("explain", "l1", "-o", "l1.mshr_entries=31")
        self.assertEqual(result.returncode, 2)  # options stand before names
        result = wavetank("explain", "-o", "l1.mshr_entries=31", "l1")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"^l1: .*cache")
        self.assertRegex(result.stdout, r"l1\.mshr_entries +31 entries")
        self.assertIn("cu.l1.load_hits", result.stdout)
        self.assertIn("l1.hit_ratio", result.stdout)
        self.assertNotIn("l2.", result.stdout)

    def test_a_parameter(self):
        result = wavetank("explain", "l1.mshr_entries")
        self.assertEqual(result.returncode, 0)
        for word in ("value", "default", "range", "hd7970", "entries"):
            self.assertIn(word, result.stdout)

    def test_a_statistic_by_level_by_place_and_by_its_end(self):
        for word in ("cu.l1.load_hits", "cu3.l1.load_hits", "l1.load_hits"):
            result = wavetank("explain", word)
            self.assertEqual(result.returncode, 0)
            self.assertIn("cu.l1.load_hits (statistic)", result.stdout)
            self.assertIn("cu0.l1 to cu31.l1", result.stdout)

    def test_values_that_are_names(self):
        for word, kind in (("si", "coherence protocol"), ("none", "transactional memory system"),
                           ("drop_dirty_byte", "deliberate fault")):
            result = wavetank("explain", word)
            self.assertEqual(result.returncode, 0)
            self.assertRegex(result.stdout, r"(?m)^%s \(%s\): " % (word, kind))
            self.assertRegex(result.stdout, r"set it   wavetank run -o [\w.]+=%s\n" % word)

    def words_of(self, path):
        return re.findall(r"(?m)^  (?:values|      )   ([\w-]+) ", wavetank("explain", path).stdout)

    def test_which_words_may_a_parameter_be(self):
        texts = re.findall(r"(?m)^(\w+\.\w+) +([a-z][\w-]*) ", wavetank("list", "parameters").stdout)
        worded = {path: words for path, _ in texts for words in [self.words_of(path)] if words}
        self.assertEqual({path for path, _ in texts}, set(worded))
        self.assertLess({"gpu.protocol", "gpu.transactional_memory", "l1.replacement", "address.rule", "kilotm.history"}, set(worded))
        self.assertLess({"lru", "random"}, set(worded["l1.replacement"]))
        for path, known in worded.items():
            group, name = path.split(".")
            for word in known:
                self.assertEqual(wavetank("explain", "-o", "%s=%s" % (path, word), path).returncode, 0)
            message = "%s: there is no '%sx'\n  hint: did you mean '%s'? known are: %s\n" % (
                path, known[-1], known[-1], ", ".join(known))
            file = self.write("other.yaml", "inherit: hd7970\n%s:\n  %s: %sx\n" % (group, name, known[-1]))
            for options in (["-o", "%s=%sx" % (path, known[-1])], ["--gpu", file]):
                result = wavetank("explain", *options, path)
                self.assertEqual(result.returncode, 2)
                self.assertTrue(result.stderr.endswith(message), result.stderr)
        for value in ("", "nothing_like_it"):
            self.assertRegex(wavetank("explain", "-o", "l1.replacement=" + value, "l1.ways").stderr, "hint: known are: lru, ")

    def test_which_parameter_was_meant(self):
        for path, meant in (("l1.mshrs", "l1.mshr_entries"), ("l2.mshrs", "l2.mshr_entries"), ("l1.wags", "l1.ways"),
                            ("dram.channels", "address.channels_per_slice"), ("dramm.banks", "dram.banks"), ("banks", "dram.banks"),
                            ("l1.zzz", None), ("no.such", None)):
            group, _, name = path.rpartition(".")
            file = self.write("other.yaml", "inherit: hd7970\n%s:\n  %s: 4\n" % (group, name))
            for options in (["-o", path + "=4"], ["--gpu", file]) if group else (["-o", path + "=4"],):
                hint = "did you mean '%s'?" % meant if meant else "`wavetank list parameters` prints them all"
                result = wavetank("explain", *options, "l1.ways")
                self.assertEqual(result.returncode, 2)
                self.assertTrue(result.stderr.endswith("there is no parameter '%s'\n  hint: %s\n" % (path, hint)), result.stderr)

    def test_a_protocol_is_its_tables(self):
        for name in names("protocols"):
            text = wavetank("explain", "protocol", name).stdout
            self.assertTrue(text.startswith("# Protocol `%s`\n" % name))
            drawing = wavetank("explain", "protocol", "--dot", name).stdout
            self.assertEqual(drawing, wavetank("explain", "--dot", "protocol", name).stdout)
            self.assertIn("wavetank explain protocol " + name, wavetank("explain", name).stdout)
            # Each arrow is a row that names another state, and each such row is in an arrow.
            roles = re.split(r"\n## ", text)[1:]
            for role in (role for role in roles if not role.startswith("Its own messages")):
                title = role.split("\n")[0]
                table = role[role.index("\n| %s |" % title) + 1:].split("\n\n")[0].splitlines()
                states = [cell.strip() for cell in table[0].split("|")[2:-1]]
                rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table[2:]]
                moves = {(state, cell.split("**")[1], row[0]) for row in rows for state, cell in zip(states, row[1:])
                         if "→" in cell}
                cluster = drawing.split('label="%s";' % title)[1].split("\n  }")[0]
                labels = dict(re.findall(r'(?m)^    (r\d_\d+) \[label="(\w+)"', cluster))
                drawn = {(labels[start], labels[end], event)
                         for start, end, events in re.findall(r'(r\d_\d+) -> (r\d_\d+) \[label="([^"]+)"', cluster)
                         for event in events.split("\\n")}
                self.assertEqual(drawn, moves, (name, title))
                self.assertTrue(moves)

    def test_protocols_that_are_none(self):
        for words, hint in ((["mosi"], "did you mean 'moesi'"), ([], "list protocols"), (["si", "--dot"], "before names")):
            result = wavetank("explain", "protocol", *words)
            self.assertEqual(result.returncode, 2)
            self.assertIn(hint, result.stderr)
        self.assertIn("protocols alone", wavetank("explain", "--dot", "l1").stderr)

    def test_help_names_what_there_is(self):
        text = wavetank("explain", "--help").stdout.split("WHAT is")[1]
        for word in re.findall(r"[(,]\s*([a-z][\w.]+)(?=[,)])", text):
            self.assertEqual(wavetank("explain", word).returncode, 0, word)

    def test_a_metric(self):
        result = wavetank("explain", "vmem.latency_cycles")
        self.assertEqual(result.returncode, 0)
        self.assertIn("formula  cu.load_latency.sum / cu.load_latency.count", result.stdout)

    def test_unknown_names(self):
        result = wavetank("explain", "l1.hit_ratoi")
        self.assertEqual(result.returncode, 2)
        self.assertIn("did you mean 'l1.hit_ratio'", result.stderr)
        self.assertEqual(wavetank("explain").returncode, 2)
        self.assertIn("stall_set_cycles", wavetank("explain", "stall_set").stdout)  # a part of a name

    def test_formulas_name_statistics_of_the_real_machine(self):
        statistics, metrics = set(names("statistics")), names("metrics")
        known = statistics | set(metrics) | {"kernel.cycles", "kernel.ns", "kernel.instructions"}
        for line in wavetank("explain", *metrics).stdout.splitlines():
            if not line.startswith("  formula"):
                continue
            for word in re.findall(r"[a-z][\w.]*", line.replace("  formula", "", 1)):
                self.assertIn(re.sub(r"\.(sum|count)$", "", word), known, line)


KERNEL = """
__kernel void twice(__global float *data, int count)
{
    int i = get_global_id(0);
    if (i < count)
        data[i] *= SCALE;
}
"""


class Disassemble(Case):
    def test_a_kernel(self):
        path = self.write("kernel.cl", KERNEL)
        result = wavetank("disasm", path, "-DSCALE=2", "-g", variables={"WAVETANK_CACHE": self.folder})
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("kernel twice", result.stdout)
        self.assertRegex(result.stdout, r"vector registers \d+, scalar registers \d+")
        self.assertRegex(result.stdout, r"\n  [0-9a-f]{6}  bf810000 +s_endpgm")
        self.assertRegex(result.stdout, r"v_(add|mul)_f32")
        self.assertRegex(result.stdout, r"; .*kernel.cl:6\n")

    def test_mistakes(self):
        path = self.write("kernel.cl", KERNEL)
        variables = {"WAVETANK_CACHE": self.folder}
        result = wavetank("disasm", path, variables=variables)
        self.assertEqual(result.returncode, 2)
        self.assertIn("SCALE", result.stderr)
        result = wavetank("disasm", "--kernel", "twcie", path, "-DSCALE=2", variables=variables)
        self.assertEqual(result.returncode, 2)
        self.assertIn("did you mean 'twice'", result.stderr)
        self.assertEqual(wavetank("disasm", "no-such-file.cl").returncode, 2)
        for empty in ("/dev/null", self.write("function.cl", "int one(void) { return 1; }\n")):
            result = wavetank("disasm", empty, variables=variables)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn("%s: there is no kernel in it" % empty, result.stderr)
        self.assertEqual(wavetank("disasm").returncode, 2)


def statistics(loads, seconds):
    return {"format": "wavetank statistics 1", "run": {"sums": {"cu.l1.loads": loads}},
            "kernels": [{"name": "k", "cycles": 7}], "simulator": {"process_seconds": seconds}}


def line(group, wavefront, sequence, registers, kernel="saxpy"):
    return "%s %d:0:0 %d %d 0x%012x v_add_f32 v2, v3, v4 ; %s\n" % (kernel, group, wavefront, sequence,
                                                                  sequence * 4, registers)


class Diff(Case):
    def diff(self, a, b):
        return wavetank("diff", self.write("a", a), self.write("b", b))

    def test_statistics(self):
        first = json.dumps(statistics(5, 1.0))
        self.assertEqual(self.diff(first, json.dumps(statistics(5, 2.0), indent=1)).returncode, 0)
        result = self.diff(first, json.dumps(statistics(6, 1.0)))
        self.assertEqual(result.returncode, 1)
        self.assertIn("first difference: run / sums / cu.l1.loads", result.stdout)
        self.assertRegex(result.stdout, r"(?s)a: 5\n.*b: 6\n")

    def test_a_kernel_more(self):
        more = statistics(5, 1.0)
        more["kernels"].append({"name": "other"})
        result = self.diff(json.dumps(statistics(5, 1.0)), json.dumps(more))
        self.assertEqual(result.returncode, 1)
        self.assertIn("kernels / 1 (other)", result.stdout)

    def test_members_of_one_file_only(self):
        for place in ([], ["run"], ["run", "sums"], ["kernels", 0]):
            more = statistics(5, 1.0)
            inner = more
            for key in place:
                inner = inner[key]
            inner["new"] = 7
            less = json.dumps(statistics(5, 1.0))
            for a, b in ((less, json.dumps(more)), (json.dumps(more), less)):
                with self.subTest(place=place, a=a):
                    result = self.diff(a, b)
                    self.assertEqual(result.returncode, 1)
                    self.assertRegex(result.stdout, r"first difference: .*new\n")
                    self.assertIn("(nothing)", result.stdout)
                    self.assertIn("1 values differ", result.stdout)

    def test_files_of_two_kinds(self):
        kinds = {"a statistics file (JSON)": json.dumps(statistics(5, 1.0)), "an instruction trace": line(0, 0, 0, "v2=0"),
                 "neither a statistics file nor an instruction trace": "name,value\n1,2\n", "empty": ""}
        statistics_file = kinds.pop("a statistics file (JSON)")
        for kind, text in kinds.items():
            for swapped in (False, True):
                with self.subTest(kind=kind, swapped=swapped):
                    result = self.diff(*((text, statistics_file) if swapped else (statistics_file, text)))
                    self.assertEqual(result.returncode, 2)
                    self.assertIn("/%s is %s" % ("a" if swapped else "b", kind), result.stderr)
                    self.assertIn("/%s is a statistics file (JSON)" % ("b" if swapped else "a"), result.stderr)

    def test_traces_in_another_order(self):
        a = line(0, 0, 0, "v2=0") + line(0, 0, 1, "v2=1") + line(1, 0, 0, "v2=2") + line(10, 0, 0, "v2=3")
        b = line(10, 0, 0, "v2=3") + line(1, 0, 0, "v2=2") + line(0, 0, 1, "v2=1") + line(0, 0, 0, "v2=0")
        self.assertEqual(self.diff(a, b).returncode, 0)

    def test_cycles_are_not_compared(self):
        a, b = line(0, 0, 0, "v2=0 @1200"), line(0, 0, 0, "v2=0 @31")
        self.assertEqual(self.diff(a, b).returncode, 0)
        self.assertEqual(self.diff(a, line(0, 0, 0, "v2=0")).returncode, 0)
        self.assertEqual(self.diff(a, line(0, 0, 0, "v2=01200")).returncode, 1)

    def test_a_register_differs(self):
        a = line(0, 0, 0, "v2=0") + line(3, 1, 0, "v2=0") + line(3, 1, 1, "v2=1")
        b = line(3, 1, 0, "v2=0") + line(3, 1, 1, "v2=9") + line(0, 0, 0, "v2=0")
        result = self.diff(a, b)
        self.assertEqual(result.returncode, 1)
        self.assertIn("saxpy, group 3:0:0, wavefront 1, instruction 1", result.stdout)
        self.assertIn("- saxpy 3:0:0 1 1", result.stdout)
        self.assertIn("v2=9", result.stdout)

    def test_launches_are_told_apart(self):
        one, two = line(0, 0, 0, "v2=1"), line(0, 0, 0, "v2=2")
        self.assertEqual(self.diff(one + two, one + two).returncode, 0)
        result = self.diff(one + two, two + one)  # not the same: the order of launches counts
        self.assertEqual(result.returncode, 1)
        result = self.diff(one + two, one + one)
        self.assertIn("launch 2 of it", result.stdout)

    def test_an_instruction_is_missing(self):
        a = line(0, 0, 0, "v2=0") + line(0, 0, 1, "v2=1")
        result = self.diff(a, line(0, 0, 0, "v2=0"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("instruction 1", result.stdout)
        self.assertIn("not in", result.stdout)

    def test_what_is_no_such_file(self):
        for a, b in (("{", "{}"), ("{}", line(0, 0, 0, "")), ("hello\n", line(0, 0, 0, ""))):
            self.assertEqual(self.diff(a, b).returncode, 2)
        self.assertEqual(wavetank("diff", "/no/such/file", "/no/such/file").returncode, 2)
        self.assertEqual(wavetank("diff", "one").returncode, 2)

    def test_empty_traces_are_the_same(self):
        self.assertEqual(self.diff("", "").returncode, 0)


if __name__ == "__main__":
    WAVETANK = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
