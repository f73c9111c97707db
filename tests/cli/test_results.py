#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a run leaves, however it ends: its files are whole or the status says that they are not, and nothing stays behind.

Usage: test_results.py WAVETANK ENDINGS, the latter being the program of endings.c.
"""
import contextlib
import glob
import json
import os
import pty
import resource
import select
import signal
import subprocess
import sys
import tempfile
import termios
import time
import unittest

WAVETANK = ENDINGS = None
WAIT_SECONDS = 120  # for what comes soon; a bound, not an expectation
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that starts tests in the background ignores it for them


def wait_until(what, condition):
    end = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError("this did not come: " + what)


class Case(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = os.path.realpath(self.temporary.name)
        self.scratch = os.path.join(self.folder, "tmp")
        os.mkdir(self.scratch)
        self.results = os.path.join(self.folder, "results")
        os.mkdir(self.results)
        self.json = os.path.join(self.results, "x.json")

    def tearDown(self):
        self.assertEqual(os.listdir(self.scratch), [], "temporary files are left behind")
        self.assertEqual(glob.glob(self.results + "/*.part"), [], "unfinished files are left behind")
        self.temporary.cleanup()

    def environment(self, variables=()):
        kept = ("WAVETANK_GPUS", "WAVETANK_CLANG", "WAVETANK_LIBCLC", "WAVETANK_CACHE")
        environment = {key: value for key, value in os.environ.items()
                       if not key.startswith("WAVETANK_") or key in kept}
        environment.update(variables, LC_ALL="C", TMPDIR=self.scratch, ASAN_OPTIONS="detect_leaks=0")
        return environment

    def command(self, steps, options, model, program):
        return [WAVETANK, "run", "--model", model, *options, "--", *(program or [ENDINGS]), *steps]

    def run_steps(self, *steps, options=(), model="functional", program=None, variables=(), **more):
        return subprocess.run(self.command(steps, options, model, program), env=self.environment(variables), text=True,
                              timeout=WAIT_SECONDS, cwd=self.folder,
                              **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                                 **more})

    def with_json(self, *steps, options=(), **more):
        return self.run_steps(*steps, options=["--quiet", "--json", self.json, *options], **more)

    def start(self, *steps, options=(), model="functional", program=None):
        process = subprocess.Popen(self.command(steps, options, model, program), env=self.environment(), text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   cwd=self.folder, start_new_session=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process

    def program_seconds(self, word):
        """A shell's child that has come to its end meanwhile has none."""
        total = 0
        for program in self.processes(word):
            if not self.is_wavetank(program):
                with contextlib.suppress(OSError), open("/proc/%d/stat" % program) as stream:
                    total += int(stream.read().rsplit(")", 1)[1].split()[11])
        return total / os.sysconf("SC_CLK_TCK")

    def wait_for_time(self, start, word):
        wait_until("time in the endless kernel", lambda: self.program_seconds(word) > start + 0.2)

    def wait_for_endless(self, process, word="endless"):
        """After "ready" nothing but the kernel without end takes the program's time."""
        self.assertEqual(process.stdout.readline(), "ready\n")
        self.wait_for_time(self.program_seconds(word), word)

    def processes(self, word):
        """Of this test: those with `word` among their arguments and our folder in their environment."""
        found = []
        for path in glob.glob("/proc/[0-9]*"):
            try:
                with open(path + "/cmdline", "rb") as stream:
                    arguments = stream.read().split(b"\0")
                with open(path + "/environ", "rb") as stream:
                    variables = stream.read()
            except OSError:
                continue
            if any(word.encode() in argument for argument in arguments) and self.scratch.encode() in variables:
                found.append(int(os.path.basename(path)))
        return found

    def is_wavetank(self, process):
        return os.path.realpath("/proc/%d/exe" % process) == os.path.realpath(WAVETANK)

    def load(self, path=None):
        with open(path or self.json) as stream:
            return json.load(stream)

    def launches(self, path=None):
        return self.load(path)["run"]["launches"]


class Endings(Case):
    def test_the_statistics_are_whole_however_the_program_ends(self):
        endings = [("exit=0", 0), ("exit=3", 3), ("_exit=0", 0), ("_exit=6", 6), ("quick_exit=2", 2), ("abort", 134),
                   ("crash", 139), ("exec=true", 0), ("kill=9", 137), ("kill=15", 143), ("kill=1", 129), ("kill=2", 130)]
        for step, status in endings:
            for model in ("functional", "timed"):
                with self.subTest(step=step, model=model):
                    result = self.with_json("run=2", step, model=model)
                    self.assertEqual(result.returncode, status, result.stderr)
                    self.assertEqual(self.launches(), 2)
                    self.assertEqual([kernel["name"] for kernel in self.load()["kernels"]], ["add", "add"])
                    self.assertEqual(os.listdir(self.results), ["x.json"])

    def test_what_is_kept_is_what_the_end_would_have_written(self):
        other = os.path.join(self.folder, "other.json")
        for model in ("functional", "timed"):
            for steps in (["run=2"], ["run", "read"], ["context", "read"], ["run", "fault", "read"]):
                with self.subTest(model=model, steps=steps):
                    self.run_steps(*steps, "exit=0", model=model, options=["--quiet", "--json", other])
                    self.with_json(*steps, "_exit=0", model=model)
                    result = subprocess.run([WAVETANK, "diff", other, self.json], stdout=subprocess.PIPE,
                                            stderr=subprocess.STDOUT, text=True)
                    self.assertEqual(result.returncode, 0, result.stdout)

    def test_the_table_is_printed_however_the_program_ends(self):
        for step in ("exit=0", "_exit=0", "abort", "exec=true", "kill=9"):
            with self.subTest(step=step):
                result = self.run_steps("run=2", step)
                self.assertRegex(result.stderr, r"\nadd +2 ")
                self.assertEqual(result.stderr.count("functional model"), 1)

    def test_what_came_last_is_there_or_the_status_says_that_it_is_not(self):
        """So many short launches that not each can be kept."""
        result = self.with_json("tiny=3000", "_exit=0")
        if result.returncode == 0:
            self.assertEqual(self.launches(), 3000)
        else:
            self.assertEqual(result.returncode, 5)
            self.assertIn("x.json: not whole", result.stderr)
            self.assertLess(self.launches(), 3000)
        statistics = self.load()
        parts = statistics["kernels"] + statistics.get("kernel_sums", [])
        self.assertEqual(sum(part.get("launches", 1) for part in parts), statistics["run"]["launches"])

    def test_a_kernel_that_is_cut_short_is_said(self):
        for steps in (["run", "say=ready", "endless"], ["context", "say=ready", "batch"]):
            with self.subTest(steps=steps):
                process = self.start(*steps, options=["--quiet", "--json", self.json])
                self.wait_for_endless(process, steps[-1])
                for child in self.processes(steps[-1]):
                    if not self.is_wavetank(child):
                        os.kill(child, signal.SIGKILL)
                _, errors = process.communicate(timeout=WAIT_SECONDS)
                self.assertEqual(process.returncode, 137)
                self.assertIn("x.json: not whole", errors)
                self.assertEqual(self.launches(), 1)

    def test_nothing_is_left_when_wavetank_is_killed(self):
        # A shell between them, which does not die by itself.
        process = self.start(options=["--quiet", "--json", self.json],
                             program=["sh", "-c", "%s run say=ready sleep; true" % ENDINGS])
        self.assertEqual(process.stdout.readline(), "ready\n")
        self.assertGreaterEqual(len(self.processes("sleep")), 3)
        process.kill()
        process.wait()
        wait_until("the end of all processes", lambda: not self.processes("sleep"))
        wait_until("the end of the folder", lambda: not os.listdir(self.scratch))
        self.assertEqual(self.launches(), 1)

    def test_the_program_dies_with_its_guard(self):
        """The process between `wavetank run` and the program."""
        process = self.start("run", "say=ready", "sleep", options=["--quiet"])
        self.assertEqual(process.stdout.readline(), "ready\n")
        guards = [child for child in self.processes("sleep") if self.is_wavetank(child) and child != process.pid]
        self.assertEqual(len(guards), 1)
        os.kill(guards[0], signal.SIGKILL)
        process.communicate(timeout=WAIT_SECONDS)
        self.assertEqual(process.returncode, 128 + signal.SIGKILL)
        wait_until("the end of all processes", lambda: not self.processes("sleep"))

    def test_a_group_that_is_killed_leaves_nothing(self):
        """As a batch system's last means, which `timeout --signal=KILL` has too."""
        process = self.start("run", "say=ready", "sleep", options=["--quiet", "--json", self.json])
        self.assertEqual(process.stdout.readline(), "ready\n")
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        wait_until("the end of all processes", lambda: not self.processes("sleep"))
        wait_until("the end of the folder", lambda: not os.listdir(self.scratch))

    def test_a_process_that_still_runs_is_said(self):
        script = "mkfifo ready; %s run say=ready sleep >ready 2>&1 & read line <ready; echo $line" % ENDINGS
        result = self.with_json(program=["sh", "-c", script])
        for child in self.processes("sleep"):
            os.kill(child, signal.SIGKILL)
        self.assertEqual((result.returncode, result.stdout), (5, "ready\n"), result.stderr)
        self.assertIn("x.json: not whole: the program has ended, and left a process that still runs", result.stderr)
        self.assertEqual(self.launches(), 1)

    def test_what_was_dropped_is_said_however_the_program_ends(self):
        for end in ("exit=0", "_exit=0", "abort", "kill=9"):
            result = self.run_steps("fault", end, options=["--quiet", "--out-of-bounds=zero"])
            self.assertIn("an access outside all buffers (loads give 0", result.stderr, end)

    def test_a_fork_that_still_runs_its_first_kernel_is_said(self):
        script = "%s run fork say=ready endless & until [ -e go ]; do sleep 0.02; done" % ENDINGS
        process = self.start(options=["--quiet", "--json", self.json], program=["sh", "-c", script])
        self.wait_for_endless(process)
        with open(os.path.join(self.folder, "go"), "w"):
            pass
        process.wait(timeout=WAIT_SECONDS)
        for child in self.processes("endless"):
            os.kill(child, signal.SIGKILL)
        _, errors = process.communicate(timeout=WAIT_SECONDS)
        self.assertEqual(process.returncode, 5, errors)
        self.assertRegex(errors, r"x.json\.\d+: not written: the program has ended, and left a process that still runs")

    def test_a_program_left_in_the_background_goes_on(self):
        done = os.path.join(self.folder, "done")
        result = self.run_steps(program=["sh", "-c", "(sleep 1; echo done >%s) >/dev/null 2>&1 &" % done])
        self.assertEqual(result.returncode, 0)
        wait_until("the child that was left", lambda: os.path.exists(done))


class Signals(Case):
    def test_a_signal_ends_a_kernel_with_its_report(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            for model in ("functional", "timed"):
                with self.subTest(signal=number, model=model):
                    process = self.start("run", "say=ready", "endless", options=["--json", self.json], model=model)
                    self.wait_for_endless(process)
                    process.send_signal(number)
                    _, errors = process.communicate(timeout=WAIT_SECONDS)
                    self.assertEqual(process.returncode, 128 + number, errors)
                    self.assertRegex(errors, r"(?s)wavefronts stand at.*NOT FINISHED: launch 2, endless: interrupted")
                    outcomes = [(kernel["name"], kernel["outcome"]) for kernel in self.load()["kernels"]]
                    self.assertEqual(outcomes, [("add", "done"), ("endless", "interrupted")])

    def test_a_key_at_a_terminal(self):
        """Ctrl-C goes to all processes in the foreground; and the one in the background may print at the end."""
        for key, number in ((b"\x03", signal.SIGINT), (b"\x1c", signal.SIGQUIT)):
            with self.subTest(key=key):
                process, terminal = pty.fork()
                if process == 0:
                    attributes = termios.tcgetattr(0)
                    attributes[3] |= termios.TOSTOP
                    termios.tcsetattr(0, termios.TCSANOW, attributes)
                    steps = ["run", "say=ready", "endless"]
                    os.execve(WAVETANK, self.command(steps, ["--json", self.json], "functional", None),
                              self.environment())
                with open(terminal, "rb+", buffering=0) as stream:
                    self.wait_for_line(stream, b"ready")
                    self.wait_for_time(self.program_seconds("endless"), "endless")
                    stream.write(key)
                    output = self.read_terminal(stream)
                self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), 128 + number, output)
                self.assertRegex(output, r"\nadd +1 ")  # printed by the process, or by `wavetank run` for it
                self.assertEqual(self.launches(), 2 if number == signal.SIGINT else 1)

    @staticmethod
    def wait_for_line(stream, line):
        read = b""
        while line not in read:
            read += stream.read(1)

    @staticmethod
    def read_terminal(stream):
        output = b""
        while select.select([stream], [], [], WAIT_SECONDS)[0]:
            try:
                read = stream.read(65536)
            except OSError:  # the other end is closed
                break
            if not read:
                break
            output += read
        return output.decode().replace("\r\n", "\n")

    def test_a_signal_ends_a_program_that_computes_by_itself(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            with self.subTest(signal=number):
                process = self.start("run=2", "say=ready", "sleep", options=["--json", self.json])
                self.assertEqual(process.stdout.readline(), "ready\n")
                process.send_signal(number)
                _, errors = process.communicate(timeout=WAIT_SECONDS)
                self.assertEqual(process.returncode, 128 + number, errors)
                self.assertRegex(errors, r"\nadd +2 ")
                self.assertEqual(self.launches(), 2)

    def test_a_signal_to_all_processes_lets_each_finish(self):
        """The program ends first, while others have yet to write: as with Ctrl-C, `timeout` and batch limits."""
        script = "%s run say=one endless & %s run say=two endless; true" % (ENDINGS, ENDINGS)
        process = self.start(options=["--quiet", "--json", self.json], program=["sh", "-c", script])
        self.assertEqual(sorted(process.stdout.readline() for _ in range(2)), ["one\n", "two\n"])
        self.wait_for_time(self.program_seconds("endless"), "endless")
        executable = os.path.realpath(ENDINGS)
        computing = [child for child in self.processes("endless") if os.path.realpath("/proc/%d/exe" % child) == executable]
        self.assertEqual(len(computing), 2)
        for child in computing:
            os.kill(child, signal.SIGSTOP)
        os.killpg(process.pid, signal.SIGTERM)
        shell = os.path.realpath("/bin/sh")
        wait_until("the end of the program", lambda: not [child for child in self.processes("endless")
                                                          if os.path.realpath("/proc/%d/exe" % child) == shell])
        for child in computing:
            os.kill(child, signal.SIGCONT)
        _, errors = process.communicate(timeout=WAIT_SECONDS)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, errors)
        self.assertNotIn("not whole", errors)
        self.assertNotIn("written:", errors)
        self.assertNotIn("cannot write", errors)
        paths = sorted(glob.glob(self.json + "*"))
        self.assertEqual([self.launches(path) for path in paths], [2, 2], errors)

    def test_a_signal_while_not_all_is_kept(self):
        """The program has a second to come back to the driver, and does not; or it ends by itself meanwhile."""
        for number, wait in ((signal.SIGTERM, "sleep"), (signal.SIGINT, "sleep"), (signal.SIGTERM, "nap")):
            with self.subTest(signal=number, wait=wait):
                process = self.start("tiny=2000", "say=ready", wait, options=["--quiet", "--json", self.json])
                self.assertEqual(process.stdout.readline(), "ready\n")
                process.send_signal(number)
                _, errors = process.communicate(timeout=WAIT_SECONDS)
                self.assertEqual(process.returncode, 128 + number, errors)
                self.assertEqual("not whole" in errors, self.launches() < 2000)

    def test_a_handler_of_the_program_stays(self):
        process = self.start("run", "handler", "say=ready", "endless", options=["--quiet", "--json", self.json])
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate(timeout=WAIT_SECONDS)
        self.assertEqual(output, "handled\n")
        self.assertEqual(process.returncode, 7, errors)

    def test_a_signal_that_is_ignored_stays_so(self):
        process = self.start(options=["--quiet"],
                             program=["sh", "-c", "trap '' HUP; exec %s run say=ready endless" % ENDINGS])
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=WAIT_SECONDS)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)


class Processes(Case):
    def test_a_fork_has_two_whole_results(self):
        for steps, launches in ((["run", "fork", "run"], [2, 2]), (["fork", "run"], [1, 1]),
                                (["run", "fork", "run", "_exit=0"], [2, 2])):
            with self.subTest(steps=steps):
                result = self.with_json(*steps)
                self.assertEqual(result.returncode, 0, result.stderr)
                paths = sorted(glob.glob(self.json + "*"))
                self.assertEqual([self.launches(path) for path in paths], launches)
                self.assertEqual(len({self.load(path)["simulator"]["process"] for path in paths}), 2)
                other = paths[1]
                self.assertEqual(other, "%s.%d" % (self.json, self.load(other)["simulator"]["process"]))
                self.assertIn("writes its statistics to %s: another process of this run has %s" % (other, self.json),
                              result.stderr)
                for path in paths:
                    os.unlink(path)

    def test_a_name_for_each_process(self):
        result = self.run_steps("run", "fork", "run", options=["--quiet", "--json", self.results + "/%p.json"])
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        names = sorted(os.listdir(self.results))
        self.assertEqual(names, sorted("%d.json" % self.load(os.path.join(self.results, name))["simulator"]["process"]
                                       for name in names))
        self.assertEqual(len(names), 2)

    def test_one_program_after_another_in_one_process(self):
        result = self.with_json("run=2", "self=run")
        self.assertEqual(result.returncode, 0, result.stderr)
        paths = sorted(glob.glob(self.json + "*"))
        self.assertEqual([self.launches(path) for path in paths], [2, 1])

    def test_who_runs_nothing_takes_no_name(self):
        for first in ("look", "context"):
            with self.subTest(first=first):
                result = self.with_json(program=["sh", "-c", "%s %s; exec %s run" % (ENDINGS, first, ENDINGS)])
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.assertEqual(os.listdir(self.results), ["x.json"])
                self.assertEqual(self.launches(), 1)

    def test_traces(self):
        trace = os.path.join(self.results, "trace")
        options = ["--quiet", "--trace-instructions", "all", "--trace-file", trace]
        self.assertEqual(self.run_steps("run", options=options).returncode, 0)
        with open(trace) as stream:
            alone = stream.read()
        self.assertIn("s_endpgm", alone)
        for steps, files in ((["run", "_exit=0"], 1), (["run", "abort"], 1), (["fork", "run"], 2), (["run", "exec=true"], 1)):
            with self.subTest(steps=steps):
                self.run_steps(*steps, options=options)
                paths = glob.glob(trace + "*")
                self.assertEqual(len(paths), files)
                for path in paths:
                    with open(path) as stream:
                        self.assertEqual(stream.read(), alone)
                    os.unlink(path)


class Files(Case):
    def write_old(self):
        with open(self.json, "w") as stream:
            stream.write("yesterday's")

    def test_no_file_of_an_earlier_run_stays(self):
        self.write_old()
        self.assertEqual(self.with_json(program=["no-such-program"]).returncode, 127)
        self.assertEqual(os.listdir(self.results), [])
        self.write_old()
        self.assertEqual(self.with_json("run", options=["-o", "l1.no_such=1"]).returncode, 2)
        self.assertEqual(os.listdir(self.results), [])

    def test_a_file_that_a_variable_names(self):
        self.write_old()
        result = self.run_steps("run", "_exit=0", variables={"WAVETANK_JSON": self.json, "WAVETANK_QUIET": "1"})
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(self.launches(), 1)
        result = self.run_steps("run", variables={"WAVETANK_JSON": self.results})
        self.assertEqual(result.returncode, 2)

    def test_a_run_without_kernels_has_statistics_of_nothing(self):
        for steps, program, status in ((["look"], None, 0), (["context"], None, 0), (["look", "_exit=0"], None, 0),
                                       (["context", "exec=true"], None, 0), (["exit=3"], None, 3), (["crash"], None, 139),
                                       ([], ["true"], 0)):
            for name in (self.json, self.results + "/%p.json"):
                with self.subTest(steps=steps, name=name):
                    self.write_old()
                    result = self.run_steps(*steps, program=program, options=["--json", name])
                    self.assertEqual(result.returncode, status, result.stderr)
                    if status < 128:
                        self.assertEqual(result.stderr, "")
                    paths = glob.glob(self.results + "/[0-9]*") if "%p" in name else [self.json]
                    self.assertEqual(len(paths), 1)
                    for path in paths:
                        self.assertEqual(self.launches(path), 0)
                        self.assertEqual(self.load(path)["kernels"], [])
                        os.unlink(path)

    def assert_refused(self, path, words):
        started = os.path.join(self.folder, "started")
        for option in (["--json", path], ["--trace-instructions", "all", "--trace-file", path]):
            with self.subTest(option=option):
                result = self.run_steps(options=option, program=["touch", started])
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(path, result.stderr)
                self.assertIn(words, result.stderr)
                self.assertEqual(result.stderr.count("wavetank: "), 1, result.stderr)
                self.assertFalse(os.path.exists(started))

    def test_what_cannot_be_written_is_refused_at_the_start(self):
        self.write_old()
        self.assert_refused(self.results, "this is a folder")
        self.assert_refused(self.json + "/x.json", "Not a directory")
        self.assert_refused("no/such/folder/x.json", "No such file or directory")
        self.assert_refused("/proc/x.json", "cannot write there")
        self.assert_refused("two\nlines", "no name for a file")
        result = self.run_steps("run", options=["--json", "x", "--trace-instructions", "all", "--trace-file", "x"])
        self.assertEqual(result.returncode, 2)
        self.assertIn("--json and --trace-file name the same file", result.stderr)

    def limited(self, size, *steps, **more):
        return self.with_json(*steps, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)), **more)

    def test_a_limit_on_the_size_of_files(self):
        result = self.limited(1000, "run")
        self.assertEqual(result.returncode, 2)
        self.assertIn("File too large", result.stderr)
        # Room for the attempt at the start, and not for the statistics. The program is not harmed.
        for ending, status in (("exit=0", 5), ("exit=9", 9), ("_exit=0", 5)):
            with self.subTest(ending=ending):
                result = self.limited(20000, "run", "say=alive", ending)
                self.assertEqual(result.returncode, status, result.stderr)
                self.assertEqual(result.stdout, "alive\n")
                self.assertIn("x.json", result.stderr)
                self.assertEqual(os.listdir(self.results), [])

    def test_a_full_disk(self):
        disk = os.path.join(self.folder, "disk")
        os.mkdir(disk)
        self.assertEqual(self.with_json("run", model="timed").returncode, 0)
        size = os.path.getsize(self.json) * 4 // 5 // 4096 * 4096  # room for what is written first, and not for all
        if os.getuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%d" % size, "tmpfs", disk],
                                              stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("no small disk can be mounted here")
        try:
            self.fill(disk, size)
        finally:
            subprocess.run(["umount", disk], check=True)

    def fill(self, disk, size):
        self.json = os.path.join(disk, "x.json")
        for ending in ("exit=0", "_exit=0"):
            result = self.with_json("run", ending, model="timed")  # its statistics are larger
            self.assertEqual(result.returncode, 5, result.stderr)
            self.assertIn("x.json", result.stderr)
            self.assertEqual(os.listdir(disk), [])
        with open(os.path.join(disk, "full"), "wb") as stream:
            stream.write(bytes(size))
        self.assert_refused(self.json, "No space left on device")

    def test_a_full_device(self):
        result = self.run_steps("run", options=["--quiet", "--json", "/dev/full"])
        self.assertEqual(result.returncode, 5)
        self.assertIn("/dev/full: No space left on device", result.stderr)
        for ending, status in (("exit=0", 5), ("_exit=0", 5), ("exit=7", 7)):
            result = self.run_steps("run=3", ending, options=["--quiet", "--trace-instructions", "all", "--trace-file",
                                                              "/dev/full"])
            self.assertEqual(result.returncode, status, result.stderr)
            self.assertEqual(result.stderr.count("cannot write the instruction trace to /dev/full: No space left"), 1,
                             result.stderr)

    def test_a_pipe_and_standard_output(self):
        for ending in ("exit=0", "_exit=0"):
            result = self.run_steps("run", ending, options=["--quiet", "--json", "/dev/stdout"])
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(json.loads(result.stdout)["run"]["launches"], 1)

    def test_standard_output_that_is_a_file(self):
        """A name of what is open already, as /dev/stdout is, stays, and what is printed there and the statistics are both whole."""
        links = {"out": "/proc/self/fd/1", "by_another": "out"}
        for name, target in links.items():
            os.symlink(target, os.path.join(self.folder, name))
        for name in links:
            for ending in ("exit=0", "_exit=0"):
                with tempfile.TemporaryFile(mode="w+") as stream:
                    command = [WAVETANK, "run", "--quiet", "--json", os.path.join(self.folder, name), "--",
                               ENDINGS, "say=before", "run", "say=after", ending]
                    self.assertEqual(subprocess.run(command, stdout=stream, check=False).returncode, 0)
                    stream.seek(0)
                    text = stream.read()
                begin = text.index("{")
                statistics, length = json.JSONDecoder().raw_decode(text[begin:])
                self.assertEqual(statistics["run"]["launches"], 1)
                self.assertEqual((text[:begin] + text[begin + length:]).split(), ["before", "after"])
                self.assertEqual(os.readlink(os.path.join(self.folder, name)), links[name])

    def test_a_link_is_replaced_and_not_followed(self):
        other = os.path.join(self.folder, "other")
        with open(other, "w") as stream:
            stream.write("mine")
        os.symlink(other, self.json)
        self.assertEqual(self.with_json("run", "_exit=0").returncode, 0)
        self.assertFalse(os.path.islink(self.json))
        self.assertEqual(self.launches(), 1)
        with open(other) as stream:
            self.assertEqual(stream.read(), "mine")

    def test_closed_descriptors(self):
        def close():
            for i in range(3):
                os.close(i)
        for ending in ("exit=0", "_exit=0"):
            for options in ([], ["--quiet"]):
                with self.subTest(ending=ending, options=options):
                    trace = os.path.join(self.results, "trace")
                    all_options = ["--json", self.json, "--trace-instructions", "all", "--trace-file", trace, *options]
                    result = self.run_steps("run", ending, options=all_options, preexec_fn=close)
                    self.assertEqual(result.returncode, 0)
                    self.assertEqual(self.launches(), 1)
                    with open(trace) as stream:
                        for line in stream:
                            self.assertTrue(line.startswith("add "), line)

    def test_a_program_that_closes_what_it_does_not_know(self):
        other = os.path.join(self.folder, "other")
        with open(other, "w") as stream:
            stream.write("mine")
        result = self.with_json("run", "close", "open=" + other, "run=40")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(self.launches(), 41)
        with open(other) as stream:
            self.assertEqual(stream.read(), "mine")

    def test_a_reader_that_went_away(self):
        """`wavetank run ... 2>&1 | head`: the table has no reader, and the file is written all the same."""
        reader, writer = os.pipe()
        os.close(reader)
        try:
            self.run_steps("run", options=["--json", self.json], stderr=writer)
        finally:
            os.close(writer)
        self.assertEqual(self.launches(), 1)


class Status(Case):
    def test_a_kernel_that_failed(self):
        result = self.run_steps("fault", options=["--quiet"])
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn("kernel fault failed", result.stderr)
        self.assertEqual(self.run_steps("fault", "_exit=0", options=["--quiet"]).returncode, 4)
        self.assertEqual(self.run_steps("fault", "exit=6", options=["--quiet"]).returncode, 6)
        self.assertEqual(self.with_json("run", "fault").returncode, 4)
        self.assertEqual([kernel["outcome"] for kernel in self.load()["kernels"]], ["done", "failed"])

    def test_no_kernel(self):
        for steps, program in ((["look"], None), (["context"], None), ([], ["true"])):
            with self.subTest(steps=steps):
                result = self.run_steps(*steps, program=program)
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                result = self.run_steps(*steps, program=program, options=["--require-kernels"])
                self.assertEqual(result.returncode, 3)
                self.assertIn("ran on Wavetank", result.stderr)
                # Who has found the driver needs no hint how to find it.
                self.assertEqual("ICD loader" in result.stderr, program is not None)
        self.assertEqual(self.run_steps("exit=5", options=["--require-kernels"]).returncode, 5)
        self.assertEqual(self.run_steps("run", options=["--require-kernels"]).returncode, 0)

    def test_a_trace_of_nothing(self):
        trace = os.path.join(self.results, "trace")
        for options in (["--trace-file", trace], []):
            for selection in ("kernel=nosuch", "group=77", "kernel=add,wave=15"):
                with self.subTest(selection=selection):
                    result = self.run_steps("run", options=["--quiet", "--trace-instructions", selection, *options])
                    self.assertEqual(result.returncode, 5)
                    self.assertIn("--trace-instructions %s selected no instruction" % selection, result.stderr)
        options = ["--trace-instructions", "all", "--trace-file", trace]
        self.assertEqual(self.run_steps("look", options=options).returncode, 0)
        self.assertEqual(os.path.getsize(trace), 0)

    def test_help_has_each_status(self):
        text = subprocess.run([WAVETANK, "run", "--help"], stdout=subprocess.PIPE, text=True).stdout
        table = text.split("Exit status:")[1]
        for status in ("128 + N", "2 ", "3 ", "4 ", "5 ", "124 ", "126 ", "127"):
            self.assertIn(status, table)


if __name__ == "__main__":
    # A shell starts its background jobs with these ignored, and what ignores them at its start is not ended by them.
    for number in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL if number == signal.SIGQUIT else signal.default_int_handler)
    ENDINGS = os.path.abspath(sys.argv.pop(2))
    WAVETANK = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
