#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does the limit of MSHRs that adapts move toward the better number in each phase of a program (phases.c)?

Usage: judge.py WAVETANK PROGRAM [WINDOW]

First each phase with each fixed number, for those that are best (as good to one in 64, which is what the limit takes for a tie); then
the program with the limit, whose choice, the mean of all L1s, is printed as a time series. It is an error if, in a phase, the limit ends
farther from the best numbers than it began, or the last launches are no faster than the first. Other speeds are printed, and nothing is
asked of them.
"""
import json
import math
import os
import subprocess
import sys
import tempfile

GPU = "hd7970-m2s"
# Else the transposition waits for local memory, and 256 entries are hardly worse for it than the best number.
SETTINGS = ["cu.lds_block_bytes=0", "cu.group_on_one_simd=0"]
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
PHASES = {"transpose": 8, "sum": 16}  # launches
ROUNDS = 2
EVERY = 4000  # cycles of an interval


def run(wavetank, program, settings, *words, sample=()):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.json")
        settings = [word for setting in SETTINGS + settings for word in ("-o", setting)]
        done = subprocess.run([wavetank, "run", "--quiet", "--gpu", GPU, *settings, *sample, "--json", path, "--", program, *words],
                              check=False, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)
        with open(path, encoding="utf-8") as stream:
            return json.load(stream)


def sweep(wavetank, program):
    """Cycles of a launch by phase and number of entries; the second launch, since the first finds cold caches."""
    cycles = {name: {} for name in PHASES}
    for entries in SIZES:
        result = run(wavetank, program, ["l1.mshr_entries=%d" % entries], "--iterations", "1", "--transposes", "2", "--sums", "2")
        for kernel in result["kernels"]:
            cycles[kernel["name"]][entries] = kernel["cycles"]
        print("%4d entries: %s" % (entries, ", ".join("%s %d" % (name, cycles[name][entries]) for name in PHASES)), flush=True)
    return cycles


def phases_of(result):
    """(name, launches' cycles, limits of its intervals) of each phase."""
    phases, place = [], {}
    for number, kernel in enumerate(result["kernels"], 1):
        if not phases or phases[-1][0] != kernel["name"]:
            phases.append((kernel["name"], [], []))
        phases[-1][1].append(kernel["cycles"])
        place[number] = phases[-1]
    for launch, _, _, _, limit in result["samples"]["intervals"]:
        place[launch][2].append(limit)
    return phases


def best_of(cycles):
    """The least and the most entries that are as good as the best."""
    good = [entries for entries in SIZES if cycles[entries] <= min(cycles.values()) * 65 / 64]
    return good[0], good[-1]


def distance(value, best):
    """In doublings."""
    return max(0, math.log2(best[0] / value), math.log2(value / best[1]))


def mean(values):
    return sum(values) / len(values)


def main():
    wavetank, program = sys.argv[1:3]
    cycles = sweep(wavetank, program)
    best = {name: best_of(cycles[name]) for name in PHASES}
    limit = ["l1.mshr_entries=256", "l1.mshr_limit=adaptive"] + ["l1.mshr_window=" + window for window in sys.argv[3:4]]
    words = ["--iterations", str(ROUNDS)] + [word for name, count in PHASES.items() for word in ("--%ss" % name, str(count))]
    result = run(wavetank, program, limit, *words, sample=("--sample", "%d:l1.mshr_limit_mean" % EVERY))
    over_best, over_256, wrong = [], [], 0
    for name, launches, limits in phases_of(result):
        quarter = max(1, len(limits) // 4)
        began, ended = mean(limits[:1]), mean(limits[-quarter:])
        over_best.append(min(cycles[name].values()) / mean(launches))
        over_256.append(cycles[name][256] / mean(launches))
        print("%s: best %d to %d; limit every %d cycles: %s" % (name, *best[name], EVERY, " ".join("%.0f" % value for value in limits)))
        print("  first %.1f, last quarter %.1f; the first launch %d cycles, the last quarter %d" % (
            began, ended, launches[0], mean(launches[-len(launches) // 4:])))
        print("  all launches %d: %.3f of the best's speed, %.3f of 256's" % (mean(launches), over_best[-1], over_256[-1]))
        wrong += distance(ended, best[name]) > distance(began, best[name]) or mean(launches[-len(launches) // 4:]) >= launches[0]
    for what, ratios in (("each phase's best", over_best), ("256 entries", over_256)):
        print("geometric mean of its speed over that with %s: %.3f" % (what, math.exp(mean([math.log(ratio) for ratio in ratios]))))
    return 1 if wrong else 0


sys.exit(main())
