#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tgamma of every type and width, within the 16 ulp that OpenCL C allows (and as many of Python's gamma), and at its edges:
poles, zeros with a sign, the last finite result."""
import math
import sys

import numpy

from builtin_support import SCALARS, WIDTHS, Session, name_of

ULPS = 32
COUNT = 16 * 60
KERNEL = """
__kernel void NAME(__global const SCALAR *in, __global SCALAR *out)
{
    int i = get_global_id(0);
    vstoreWIDTH(tgamma(vloadWIDTH(i, in)), i, out);
}
"""
EDGES = [0.0, -0.0, -1.0, -2.0, -33.0, -1e10, -200.5, -201.5, -1e6 - 0.5, -1e6 - 1.5, 34.5, 35.5, 171.5, 172.0, 1e30, 1e-20, -1e-20,
         math.inf, -math.inf, math.nan, 1.0, 2.0, 3.0, 0.5, -0.5, -34.25, -34.5, -35.5, -36.5, -40.5, -41.5, -100.5, -170.5, -184.5]


def exact(value):
    if value == 0:
        return math.copysign(math.inf, value)
    if math.isnan(value) or value == -math.inf or (value < 0 and value == math.floor(value)):
        return math.nan
    if value < -184:
        return -0.0 if math.floor(value) % 2 else 0.0
    return math.gamma(value) if value < 171.6 else math.inf


def is_right(got, value, kind):
    wanted = kind(exact(float(value)))
    if math.isnan(wanted):
        return math.isnan(got)
    if not math.isfinite(wanted) or wanted == 0 or abs(wanted) < numpy.finfo(kind).tiny:
        small = wanted == 0 or abs(wanted) < numpy.finfo(kind).tiny
        return math.copysign(1, got) == math.copysign(1, wanted) and (
            abs(got) < numpy.finfo(kind).tiny if small else got == wanted)
    return abs(float(got) - float(wanted)) <= ULPS * float(numpy.spacing(abs(wanted)))


def main():
    session = Session(sys.argv[1])
    numpy.seterr(all="ignore")
    random = numpy.random.default_rng(3)
    checks = 0
    for scalar, low in (("float", -45), ("double", -186)):
        kind = SCALARS[scalar]
        values = numpy.concatenate([EDGES, random.uniform(low, -low, COUNT // 2), random.uniform(-4, 4, COUNT)])[:COUNT].astype(kind)
        program = session.build("".join(KERNEL.replace("NAME", "of_" + name_of(scalar, width)).replace("SCALAR", scalar)
                                        .replace("WIDTH", str(width) if width > 1 else "") for width in WIDTHS)
                                .replace("vstore(tgamma(vload(i, in)), i, out)", "out[i] = tgamma(in[i])"))
        for width in WIDTHS:
            out = numpy.full(COUNT, 77, kind)
            session.run(getattr(program, "of_" + name_of(scalar, width)), (COUNT // width,), (20,), values, out)
            wrong = [i for i in range(COUNT) if not is_right(out[i], values[i], kind)]
            session.expect("tgamma(%s)" % name_of(scalar, width), out[wrong], numpy.array([exact(float(values[i])) for i in wrong], kind))
            checks += COUNT
    session.finish(checks)


main()
