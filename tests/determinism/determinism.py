#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Is what a run prints a fact about the simulated machine alone?

The same command is run in ways that must not matter (twice, from another directory, without address randomisation, with
components ticking in another order, with sleep off, with plain C lane loops, with malloc's memory filled, built by another
compiler), and the JSON files are
compared byte for byte after the `simulator` object, the only one that may differ, was cut out.

    determinism.py WAVETANK WORKLOAD [its arguments] [--other WAVETANK_OF_ANOTHER_BUILD] [--set PATH=VALUE]
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile


SETTINGS = []  # of --set: in every run


def run(wavetank, workload, arguments, folder, name, options=(), prefix=(), directory=None, environment=()):
    """Runs the workload and returns the bytes of its statistics without the `simulator` object."""
    path = os.path.join(folder, name + ".json")
    command = [*prefix, wavetank, "run", "--quiet", "--json", path, *SETTINGS, *options, "--", workload, *arguments]
    result = subprocess.run(command, cwd=directory or folder, stdin=subprocess.DEVNULL,
                            env={**os.environ, **dict(environment)},
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {result.returncode}\n{result.stdout}")
    with open(path, encoding="utf-8") as stream:
        data = json.load(stream)
    if not data.get("kernels"):
        sys.exit(f"{name}: no kernel in {path}")
    data.pop("simulator")
    return json.dumps(data, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wavetank")
    parser.add_argument("workload")
    parser.add_argument("arguments", nargs="*")
    parser.add_argument("--other", help="wavetank of a build by another compiler")
    parser.add_argument("--set", action="append", default=[], metavar="PATH=VALUE",
                        help="a parameter of the machine in every run; may be repeated")
    options, workload_options = parser.parse_known_args()
    options.arguments += workload_options
    for setting in options.set:
        SETTINGS.extend(("-o", setting))
    wavetank = os.path.abspath(options.wavetank)
    workload = os.path.abspath(options.workload)
    failed = 0
    checked = 0
    with tempfile.TemporaryDirectory() as folder:
        first = run(wavetank, workload, options.arguments, folder, "first")
        variants = {
            "again": {},
            "from another directory": {"directory": "/"},
            "in another order": {"options": ("-o", "sim.order_seed=12345")},
            "in a third order": {"options": ("-o", "sim.order_seed=777")},
            "without sleep": {"options": ("-o", "sim.sleep=0")},
            "with plain lane loops": {"options": ("-o", "sim.generic_lanes=1")},
            "with malloc filling what it gives": {"environment": {"MALLOC_PERTURB_": "85"}},
        }
        if subprocess.run(["setarch", "-R", "true"], check=False).returncode == 0:
            variants["without address randomisation"] = {"prefix": ("setarch", "-R")}
        for name, how in variants.items():
            checked += 1
            if run(wavetank, workload, options.arguments, folder, name, **how) != first:
                failed += 1
                print(f"{name}: differs; compare {folder}")
        checked += 1
        if run(wavetank, workload, options.arguments, folder, "control",
               options=("-o", "l1.reply_cycles=21")) == first:
            failed += 1
            print("another machine gives the same statistics: this comparison sees nothing")
        if options.other:
            checked += 1
            if run(os.path.abspath(options.other), workload, options.arguments, folder,
                   "other compiler") != first:
                failed += 1
                print("built by another compiler: differs")
    print(f"{checked - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
