#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Is the limit that a run names the one whose relief helps most? tests/limits.yaml says what that means.

Usage: judge.py WAVETANK BUILD_FOLDER RESULTS_FOLDER [options]
    --workloads NAME,...  --machines NAME,...   these only
    --generated FILE      kernels of a list made by generate.py instead of the workloads
    --kernels NAME,...    of these those
    --jobs N              runs at a time
    --fresh               forgets what RESULTS_FOLDER has

Prints a table: the limit named, the gain when it is relieved, the best other gain. Runs that RESULTS_FOLDER has already are not made
again, so a change of the rules alone needs none. Status 0: right in 90 % of the cases.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
from plan import Plan  # noqa: E402

WANTED = 0.90
# A part that did nothing, or entries of which one was always free, cannot limit: relieved, the run is the same to the cycle, and is not
# made. The statistics that say so: all are 0.
IDLE = {"lds": ["cu.instructions_lds"], "scalar": ["cu.instructions_smem"], "address": ["cu.instructions_vmem"],
        "l1_ports": ["cu.instructions_vmem"], "l1_ways": ["cu.l1.load_misses"], "dram": ["dram.reads", "dram.writes"],
        "vmem_entries": ["cu.wavefront_time.queue_vmem"], "l1_mshr": ["cu.l1.mshr_full_cycles", "cu.l1.stall_waiting_cycles"],
        "l2_mshr": ["l2.mshr_full_cycles", "l2.stall_waiting_cycles"]}


class CannotRun(Exception):
    """The machine has too little of something for the program."""


class Case:
    """A program on a machine."""
    def __init__(self, name, machine, gpu, program):
        self.name, self.machine, self.gpu, self.program = name, machine, gpu, program

    def key(self, settings):
        return " ".join([self.machine, os.path.basename(self.program[0]), *self.program[1:], "|", *settings])


class Results:
    """Cycles of runs, kept in a file; a base run's statistics in one of their own."""
    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        self.folder, self.path, self.cycles = folder, os.path.join(folder, "cycles.txt"), {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as stream:
                self.cycles = {key: int(count) for key, count in (line.rstrip("\n").rsplit("\t", 1) for line in stream)}

    def add(self, key, cycles):
        self.cycles[key] = cycles
        with open(self.path, "a", encoding="utf-8") as stream:
            stream.write("%s\t%d\n" % (key, cycles))

    def statistics_path(self, case):
        return os.path.join(self.folder, "%s.%s.json" % (case.name, case.machine))


class Judge:
    def __init__(self, wavetank, folder, jobs):
        self.wavetank, self.results, self.plan = wavetank, Results(folder), Plan(wavetank)
        self.settings = {machine: self.plan.settings(machine) for machine in self.plan.machines}
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)

    def simulate(self, case, settings, path):
        command = [self.wavetank, "run", "--quiet", "--gpu", case.gpu, "--json-kernels", "sum", "--json", path]
        for setting in settings:
            command += ["-o", setting]
        done = subprocess.run(command + ["--", *case.program], capture_output=True, text=True, check=False)
        if any(word in done.stderr for word in ("CL_OUT_OF_RESOURCES", "CL_INVALID_WORK_GROUP_SIZE", "cannot run here:")):
            raise CannotRun()
        if done.returncode != 0:
            raise SystemExit("%s: status %d\n%s%s" % (case.key(settings), done.returncode, done.stdout[-500:], done.stderr[-2000:]))
        with open(path, encoding="utf-8") as stream:
            return json.load(stream)["run"]

    def base(self, case):
        path = self.results.statistics_path(case)
        if case.key([]) in self.results.cycles and os.path.exists(path):
            with open(path, encoding="utf-8") as stream:
                return json.load(stream)["run"]
        run = self.simulate(case, [], path)
        self.results.add(case.key([]), run["cycles"])
        return run

    def relieved(self, case, relief):
        """Cycles with it relieved."""
        key = case.key(self.settings[case.machine][relief])
        if key not in self.results.cycles:
            path = os.path.join(self.results.folder, "%s.%s.%s.part" % (case.name, case.machine, relief))
            self.results.add(key, self.simulate(case, self.settings[case.machine][relief], path)["cycles"])
            os.remove(path)
        return self.results.cycles[key]

    def gains(self, case):
        """Of each relief."""
        base = self.base(case)
        useful = [relief for relief, settings in self.settings[case.machine].items()
                  if settings and any(base["sums"][name] > 0 for name in IDLE.get(relief, ["cu.fetches"]))]
        found = dict.fromkeys(self.plan.reliefs, 0.0)
        for relief in useful:
            found[relief] = base["cycles"] / self.relieved(case, relief) - 1
        return found

    def named(self, case):
        """What the run's statistics are explained by."""
        text = subprocess.run([self.wavetank, "explain", self.results.statistics_path(case)], capture_output=True, text=True,
                              check=True).stdout
        return re.search(r"^limit +(?:(no single limit)|(\w+))", text, re.M)[0].split(None, 1)[1]

    def row(self, case):
        gains, named = self.gains(case), self.named(case)
        best = max(gains, key=gains.get)
        if named == "no single limit":
            return Row(case, named, 0.0, best, gains[best], gains[best] < self.plan.text["right"]["gain"])
        others = {relief: gain for relief, gain in gains.items() if relief != named}
        other = max(others, key=others.get)
        is_right = gains[named] >= self.plan.text["right"]["share"] * gains[best] and gains[named] > 0
        return Row(case, named, gains[named], other, others[other], is_right)

    def rows(self, cases):
        for case, future in [(case, self.pool.submit(self.row, case)) for case in cases]:
            try:
                row = future.result()
            except CannotRun:
                print("-      %-28s %-8s cannot run there" % (case.name, case.machine), flush=True)
                continue
            print(row, flush=True)
            yield row


class Row:
    def __init__(self, case, named, gain, other, other_gain, is_right):
        self.case, self.named, self.gain, self.other, self.other_gain, self.is_right = case, named, gain, other, other_gain, is_right

    def __str__(self):
        return "%-5s  %-28s %-8s %-16s %5.1f %%   %-13s %5.1f %%" % (
            "right" if self.is_right else "WRONG", self.case.name, self.case.machine, self.named, 100 * self.gain, self.other,
            100 * self.other_gain)


def chosen(known, words):
    if words is None:
        return list(known)
    unknown = [word for word in words.split(",") if word not in known]
    if unknown:
        raise SystemExit("not known: %s" % ", ".join(unknown))
    return words.split(",")


def cases_of(judge, options, build):
    machines = chosen(judge.plan.machines, options.machines)
    if options.generated is None:
        programs = {name: [os.path.join(build, "workloads", name), *judge.plan.workloads[name]]
                    for name in chosen(judge.plan.workloads, options.workloads)}
    else:
        with open(options.generated, encoding="utf-8") as stream:
            lines = [line.split() for line in stream if line.strip() and not line.startswith("#")]
        listed = {name: [os.path.join(build, "tests", "limits", "generated"), *words] for name, *words in lines}
        programs = {name: listed[name] for name in chosen(listed, options.kernels)}
    return [Case(name, machine, judge.plan.machines[machine], program) for name, program in programs.items() for machine in machines]


def main():
    parser = argparse.ArgumentParser()
    for name in ("wavetank", "build", "results"):
        parser.add_argument(name)
    for name in ("--workloads", "--machines", "--generated", "--kernels"):
        parser.add_argument(name)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--fresh", action="store_true")
    options = parser.parse_args()
    if options.fresh:
        shutil.rmtree(options.results, ignore_errors=True)
    judge = Judge(options.wavetank, options.results, options.jobs)
    print("       %-28s %-8s %-16s %-9s %s" % ("program", "machine", "limit", "relieved", "best other"))
    rows = list(judge.rows(cases_of(judge, options, options.build)))
    right = sum(row.is_right for row in rows)
    print("right in %d of %d cases (%.0f %%)" % (right, len(rows), 100 * right / len(rows)))
    return 0 if right >= WANTED * len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
