#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs OpenCL programs of Debian's packages on Wavetank and on PoCL, through the system's ICD loader.

    clients.py WAVETANK BUILD --results FILE [--client NAME] [--match TEXT] [--platform NAME] [--again] [--jobs N]
    clients.py WAVETANK BUILD --results FILE --write docs/clients.md
    clients.py WAVETANK BUILD --quick

FILE keeps the results: a run that was ended goes on where it was. What another build of Wavetank, another PoCL or another command has
left there is run again; --again runs all that is named again. --write makes the table of what FILE holds, and fails where a check passes
on one platform alone, or was not finished, and reasons.txt says no reason. --quick is what a change must pass: a part of the cases, on
Wavetank alone; each must pass, or reasons.txt must say why not. Clients that are not installed are left out, and told of.

Where a client or a platform keeps what it has compiled is a folder of BUILD, clients-cache, one for each build of a platform.
"""
import argparse
import concurrent.futures
import os
import sys
import time

import clblast
import clfft
import hashcat
import piglit
import programs
import pyopencl_tests
import small
import state
import table
from case import PLATFORMS, run_case

MODULES = (small, pyopencl_tests, clblast, clfft, programs, hashcat, piglit)


def tell(case, platform, found):
    bad = {name: outcome for name, outcome in found["checks"].items() if outcome not in ("pass", "skip")}
    if bad or "outside" in found:
        print(platform, case.client, case.name, bad, found.get("outside", ""), flush=True)


class Progress:
    """A line for each case that has ended. How long the rest takes is told by the limits of time: a case with a longer one takes longer."""

    def __init__(self, jobs):
        self.begin, self.count, self.ended = time.monotonic(), len(jobs), 0
        self.done, self.all = 0, sum(case.timeout for case, _ in jobs)

    def tell(self, case, platform, found):
        self.ended += 1
        self.done += case.timeout
        spent = time.monotonic() - self.begin
        print("%d of %d, %d min, about %d min more: %s %s %s: %d checks, %d s" %
              (self.ended, self.count, spent / 60, spent / 60 * (self.all / self.done - 1), platform, case.client, case.name,
               len(found["checks"]), found["seconds"]), flush=True)


def run_all(jobs, options, caches, take):
    """Runs (case, platform) pairs, those with the longest limits first, and gives `take` what run_case gave of each."""
    wavetank = os.path.abspath(options.wavetank)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        pending = {pool.submit(run_case, case, platform, wavetank, caches[platform]): (case, platform)
                   for case, platform in sorted(jobs, key=lambda job: -job[0].timeout)}
        try:
            for done in concurrent.futures.as_completed(pending):
                case, platform = pending[done]
                take(case, platform, done.result())
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def all_cases(options):
    for module in MODULES:
        if options.quick and module is programs:
            continue
        cases = module.cases(options.build)
        if not cases:
            print("clients: not installed: %s" % ", ".join(module.CLIENTS))
        yield from cases or []


def quick(options):
    """The status: 0 when each check passes, is skipped or has its reason."""
    bad, reasons, counts = [], table.read_reasons(), []

    def take(case, _platform, found):
        counts.append(len(found["checks"]))
        bad.extend("%s: %s %s: %s\n%s" % (case.client, case.name, check, outcome, found.get("output", ""))
                   for check, outcome in found["checks"].items()
                   if outcome not in ("pass", "skip") and table.reason_of(reasons, case.client, case.name, check) is None)

    jobs = [(case, "Wavetank") for case in all_cases(options) if case.quick and options.client in (None, case.client)]
    run_all(jobs, options, state.caches(options.build, state.identities(options.build), False), take)
    print("\n".join(bad + ["%d checks, %d of them wrong" % (sum(counts), len(bad))]))
    return 1 if bad or not counts else 0


def write(path, results):
    counts, differences = table.compare(results, table.read_reasons())
    table.write(path, results, counts, differences)
    complaints = table.complaints(counts, differences)
    print("\n".join(complaints + ["%s: %d differences, %d complaints" % (path, len(differences), len(complaints))]))
    return 1 if complaints else 0


def is_chosen(options, case, platform):
    return options.client in (None, case.client) and options.match in case.name and options.platform in (None, platform)


def run(options):
    """Runs what is asked for and not there yet, then makes the table if that is asked for."""
    cases, identity_of = list(all_cases(options)), state.identities(options.build)
    results = state.load(options.results, identity_of, cases)
    jobs = [(case, platform) for case in cases for platform in PLATFORMS
            if is_chosen(options, case, platform) and (options.again or platform not in results[case.client][case.name])]
    progress = Progress(jobs)

    def take(case, platform, found):
        results[case.client][case.name][platform] = dict(found, of=state.mark(case))
        state.store(options.results, identity_of, results)
        progress.tell(case, platform, found)
        tell(case, platform, found)

    run_all(jobs, options, state.caches(options.build, identity_of, True), take)
    return write(options.write, results) if options.write else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wavetank")
    parser.add_argument("build")
    parser.add_argument("--results")
    parser.add_argument("--client")
    parser.add_argument("--match", default="")
    parser.add_argument("--platform", choices=PLATFORMS)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--again", action="store_true", help="what FILE holds too")
    parser.add_argument("--write")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if options.quick:
        return quick(options)
    if not options.results:
        parser.error("--results FILE or --quick")
    return run(options)


if __name__ == "__main__":
    sys.exit(main())
