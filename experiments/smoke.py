#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""An example of plots of one's own: a database of results, pandas and matplotlib.

    build/wavetank sweep experiments/smoke.yaml -o results.db
    experiments/smoke.py results.db speedups.pdf

Needs Debian's python3-pandas and python3-matplotlib.
"""
import sqlite3
import sys

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as pyplot  # noqa: E402
import pandas  # noqa: E402

database = sqlite3.connect("file:%s?mode=ro" % sys.argv[1], uri=True)

# One row a point: its axes side by side, and what is asked of its run.
axes = pandas.read_sql("SELECT run, axis, value FROM axes", database).pivot_table(
    index="run", columns="axis", values="value", aggfunc="first")
wanted = pandas.read_sql("SELECT run, name, value FROM statistics WHERE kernel = 0 AND name IN"
                         " ('kernel.cycles', 'l1.mshr_mean', 'vmem.latency_cycles')", database)
points = axes.join(wanted.pivot(index="run", columns="name", values="value"))

cycles = points.pivot_table(index="workload", columns=["l1.mshr_entries", "l1.ways"], values="kernel.cycles")
speedups = cycles.rdiv(cycles[(64, 4)], axis=0)
print(speedups.round(3).to_string())

axis = speedups.plot.bar(rot=0, figsize=(7, 3.5))
axis.set_ylabel("speedup over 64 MSHRs, 4 ways")
axis.legend(title="MSHRs, ways", ncol=2)
pyplot.tight_layout()
pyplot.savefig(sys.argv[2])
