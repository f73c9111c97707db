#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs OpenCL programs of Debian's packages on Wavetank and on PoCL, through the system's ICD loader.

    clients.py WAVETANK BUILD --results FILE [--client NAME] [--match TEXT] [--platform NAME] [--missing] [--jobs N]
    clients.py WAVETANK BUILD --results FILE --write docs/clients.md
    clients.py WAVETANK BUILD --quick

With --results what is run replaces what FILE holds of it, so that a part can be run again. --write makes the table of what FILE holds, and
fails where a check passes on one platform alone and reasons.txt says no reason. --quick is what a change must pass: a part of the
cases, on Wavetank alone; each must pass, or reasons.txt must say why not. Clients that are not installed are left out, and told of.
"""
import argparse
import concurrent.futures
import json
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
import table
from case import PLATFORMS, is_bad, run_case

MODULES = (small, pyopencl_tests, clblast, clfft, programs, hashcat, piglit)
STORE_SECONDS = 10


def load(path):
    if path and os.path.exists(path):
        with open(path, encoding="utf-8") as stream:
            return json.load(stream)
    return {}


def store(path, results):
    with open(path + ".part", "w", encoding="utf-8") as stream:
        json.dump(results, stream, indent=0, sort_keys=True)
    os.replace(path + ".part", path)


def tell(case, platform, found):
    bad = {name: outcome for name, outcome in found["checks"].items() if outcome not in ("pass", "skip")}
    if bad or "outside" in found:
        print(platform, case.client, case.name, bad, found.get("outside", ""), flush=True)


def run_all(jobs, wavetank, results, path, workers):
    """Runs (case, platform) pairs; results[client][case][platform] is what run_case gives."""
    last = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        pending = {pool.submit(run_case, case, platform, wavetank): (case, platform) for case, platform in jobs}
        for done in concurrent.futures.as_completed(pending):
            case, platform = pending[done]
            results.setdefault(case.client, {}).setdefault(case.name, {})[platform] = done.result()
            tell(case, platform, done.result())
            if path and time.monotonic() - last > STORE_SECONDS:
                store(path, results)
                last = time.monotonic()
    if path:
        store(path, results)


def all_cases(options):
    for module in MODULES:
        if (options.client and options.client not in module.CLIENTS) or (options.quick and module is programs):
            continue
        cases = module.cases(options.build)
        if not cases:
            print("clients: not installed: %s" % ", ".join(module.CLIENTS))
        yield from cases or []


def quick(options, wavetank):
    """The status: 0 when each check passes, is skipped or has its reason."""
    results, reasons, count = {}, table.read_reasons(), 0
    run_all([(case, "Wavetank") for case in all_cases(options) if case.quick], wavetank, results, None, options.jobs)
    bad = []
    for client, cases in results.items():
        for case, entry in cases.items():
            checks = entry["Wavetank"]["checks"]
            count += len(checks)
            bad += ["%s: %s %s: %s\n%s" % (client, case, check, outcome, entry["Wavetank"].get("output", ""))
                    for check, outcome in checks.items()
                    if outcome not in ("pass", "skip") and table.reason_of(reasons, client, case, check) is None]
    print("\n".join(bad + ["%d checks, %d of them wrong" % (count, len(bad))]))
    return 1 if bad or count == 0 else 0


def write(path, results):
    counts, differences = table.compare(results, table.read_reasons())
    table.write(path, results, counts, differences)
    complaints = table.complaints(counts, differences)
    print("\n".join(complaints + ["%s: %d differences, %d complaints" % (path, len(differences), len(complaints))]))
    return 1 if complaints else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wavetank")
    parser.add_argument("build")
    parser.add_argument("--results")
    parser.add_argument("--client")
    parser.add_argument("--match", default="")
    parser.add_argument("--platform", choices=PLATFORMS)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--missing", action="store_true", help="leave out what FILE holds")
    parser.add_argument("--write")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    wavetank = os.path.abspath(options.wavetank)
    if options.quick:
        return quick(options, wavetank)
    if not options.results:
        parser.error("--results FILE or --quick")
    results = load(options.results)
    if options.write:
        return write(options.write, results)
    run_all([(case, platform) for case in all_cases(options) for platform in PLATFORMS
             if options.client in (None, case.client) and options.match in case.name and options.platform in (None, platform)
             and not (options.missing and platform in results.get(case.client, {}).get(case.name, {}))],
            wavetank, results, options.results, options.jobs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
