#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every function of the tables, called with every type and width, against numpy.

  table_program.py PLATFORM [quick] [only=NAME,...] [type=T,...]

quick: of each name and type the scalar and one width, which turns from name to name."""
import sys
import time

from builtin_support import Session
from table import ITEMS, judge
from values import arguments_of
import table_math
import table_other

ROWS = table_math.ROWS + table_other.ROWS
MOST_SHOWN = 3


def widths_of(row, place, is_quick):
    if not is_quick:
        return row.widths
    return sorted({row.widths[0], row.widths[1 + place % (len(row.widths) - 1)]}) if len(row.widths) > 1 else row.widths


def calls_of(row, place, is_quick, scalars):
    chosen = []
    for scalar in (scalar for scalar in row.types if scalar in scalars):
        for width in widths_of(row, place, is_quick):
            calls = list(row.calls(scalar, width))
            if is_quick and width != row.widths[0] and len(calls) > 2:  # pointers: one space
                calls = [calls[place % len(calls)]]
            chosen += calls
    return chosen


def show(call, verdicts, given):
    for wrong, got, wanted in verdicts:
        for place in wrong.nonzero()[0][:MOST_SHOWN]:
            each = [None if values is None else values[min(place * len(values) // len(got), len(values) - 1)] for values in given]
            print("  [%d] of %s: %r, should be %r" % (place, [None if e is None else e.item() for e in each], got[place].item(), wanted[place]))


def source_of(calls):
    return "".join(call.source() for call in calls)


def check(session, calls):
    """Builds and runs the calls of a row; returns how many results were judged."""
    program = session.build(source_of(calls), ["-cl-std=" + calls[0].row.language])
    count = 0
    for call in calls if not session.folder else ():
        given = arguments_of(call, call.items())
        verdicts = judge(call.row, call, call.run(session, program, given), given)
        count += sum(len(wrong) for wrong, _, _ in verdicts)
        if any(wrong.any() for wrong, _, _ in verdicts):
            session.failures += 1
            print("%s: %d of %d wrong" % (call.kernel, sum(wrong.sum() for wrong, _, _ in verdicts), ITEMS))
            show(call, verdicts, given)
    return count


def main():
    words = [word for word in sys.argv[2:] if "=" not in word]
    chosen = dict(word.split("=") for word in sys.argv[2:] if "=" in word)
    names = chosen.get("only", "").split(",") if "only" in chosen else None
    scalars = chosen["type"].split(",") if "type" in chosen else ["half", "float", "double", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"]
    session = Session(sys.argv[1])
    checks = 0
    for place, row in enumerate(ROWS):
        if names is not None and row.name not in names and row.section not in names:
            continue
        calls = calls_of(row, place, "quick" in words, scalars)
        begin = time.time()
        if calls:
            checks += check(session, calls) or 1
        if "slow" in words and time.time() - begin > 0.5:
            print("%s: %.1f s" % (row.name, time.time() - begin))
    session.finish(checks)


if __name__ == "__main__":
    main()
