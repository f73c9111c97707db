#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Are programs right on the smallest, an odd and the largest machine under every protocol, with shared and private caches?

A directory has to tell the caches of all compute units apart, scalar and instruction caches too: 768 of them at the most.
WAVETANK and WAVETANK_BUILD as in ../programs/wavetank_tests.py.
"""
import concurrent.futures
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "programs"))
from wavetank_tests import WAVETANK, execute, on_wavetank, program_path  # noqa: E402

UNITS = (1, 205, 256)
SHARED = (1, 4)
PROGRAMS = (["workloads/reduction", "--small"], ["tests/programs/features", "atomics"])


def run(job):
    protocol, units, shared, (program, *arguments) = job
    result = on_wavetank([program_path(program), *arguments], timeout=200, settings=[
        "gpu.protocol=" + protocol, "gpu.compute_units=%d" % units, "gpu.units_per_shared_cache=%d" % shared])
    return job, result


def main():
    protocols = [line.split()[0] for line in execute([WAVETANK, "list", "protocols"]).output.splitlines()]
    assert "moesi" in protocols, protocols
    # Both programs on each number of units, by turns with shared and private caches.
    jobs = [(protocol, units, shared, PROGRAMS[(i + j + k) % 2]) for i, protocol in enumerate(protocols)
            for j, units in enumerate(UNITS) for k, shared in enumerate(SHARED)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for job, result in pool.map(run, jobs):
            if result.status != 0:
                failed += 1
                print("%s, %d units, %d to a scalar cache, %s: %s" % (*job[:3], " ".join(job[3]), result.report()), flush=True)
    print("%d runs, %d failures" % (len(jobs), failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
