#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mad_sat of longs of every width, against Python's integers."""
import sys

import numpy

from builtin_support import WIDTHS, Session, name_of

COUNT = 16 * 60
MAD_SAT = """
__kernel void mad_sat_of_NAME(__global const long *a, __global const long *b, __global const long *c, __global long *out)
{
    int i = get_global_id(0);
    vstoreWIDTH(mad_sat(vloadWIDTH(i, a), vloadWIDTH(i, b), vloadWIDTH(i, c)), i, out);
}
"""
EDGES = [0, 1, -1, 2, 3, 2**63 - 1, -2**63, 2**62, -2**62, 2**32, 2**31, -2**31, 2**63 - 2, 1 - 2**63]


def sources(template):
    for width in WIDTHS:
        name = name_of("", width) or "1"
        text = template.replace("NAME", name).replace("WIDTH", str(width) if width > 1 else "")
        for pointer in "a", "b", "c":
            text = text.replace("vload(i, %s)" % pointer, "%s[i]" % pointer)
        yield text.replace("vstore(", "out[i] = (").replace("), i, out);", "));") if width == 1 else text


def run(session, program, kernel, width, *arrays):
    session.run(getattr(program, "%s_of_%s" % (kernel, name_of("", width) or "1")), (COUNT // width,), (20,), *arrays)


def some_longs(random):
    edges = numpy.array(EDGES, numpy.int64)[random.integers(0, len(EDGES), COUNT)]
    wide = random.integers(-2**63, 2**63 - 1, COUNT, numpy.int64) >> random.integers(0, 63, COUNT)
    return numpy.where(random.integers(0, 2, COUNT) == 0, edges, wide)


def check_mad_sat(session, random):
    program = session.build("".join(sources(MAD_SAT)))
    for width in WIDTHS:
        a, b, c = (some_longs(random) for _ in range(3))
        out = numpy.full(COUNT, 77, numpy.int64)
        run(session, program, "mad_sat", width, a, b, c, out)
        exact = [max(-2**63, min(2**63 - 1, int(x) * int(y) + int(z))) for x, y, z in zip(a, b, c)]
        session.expect("mad_sat(%s)" % name_of("long", width), out, numpy.array(exact, numpy.int64))


def main():
    session = Session(sys.argv[1])
    random = numpy.random.default_rng(4)
    check_mad_sat(session, random)
    session.finish(len(WIDTHS) * COUNT)


main()
