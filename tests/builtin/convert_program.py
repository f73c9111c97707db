#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""convert_T between all pairs of types, in all roundings, with and without _sat, at every width, against Python's own
arithmetic. An element out of range (without _sat) may become anything, but the same at every width, whatever stands
beside it. The arguments: a platform's name, and which types to convert from."""
import math
import sys

import numpy

from builtin_support import SCALARS, WIDTHS, Session, name_of

ROUNDINGS = ("", "_rte", "_rtz", "_rtp", "_rtn")
FLOATS = ("half", "float", "double")
GROUPS = 24  # of 16 elements
LARGEST_DENORMAL, LEAST_NORMAL = float.fromhex("0x1.fffffcp-127"), 2.0**-126  # of single precision

CALL = "    vstoreW(convert_TARGETFORM(vloadW(0, in + 16 * i)), 0, out + 16 * (PLACE * n + i));\n"
HEAD = """
__kernel void NAME(__global const FROM *in, __global TARGET *out, int n)
{
    int i = get_global_id(0);
"""


def forms(target):
    return [("_sat" if saturates else "") + rounding for rounding in ROUNDINGS
            for saturates in ((False,) if target in FLOATS else (False, True))]


def widths_of(source):
    """All where the functions are our own; libclc makes the others alike."""
    return WIDTHS if source in FLOATS else (1, 3)


def kernel_of(source, target):
    text = HEAD.replace("NAME", "%s_%s" % (source, target)).replace("FROM", source).replace("TARGET", target)
    place = 0
    for form in forms(target):
        for width in widths_of(source):
            call = CALL.replace("TARGET", name_of(target, width)).replace("FORM", form).replace("PLACE", str(place))
            if width == 1:
                call = "    out[16 * (%d * n + i)] = convert_%s%s(in[16 * i]);\n" % (place, target, form)
            text += call.replace("vstoreW", "vstore%d" % width).replace("vloadW", "vload%d" % width)
            place += 1
    return text + "}\n"


def values_of(source, random):
    kind = SCALARS[source]
    if source not in FLOATS:
        bounds = numpy.iinfo(kind)
        edges = [v for v in [0, 1, -1] + [s * (1 << b) + d for b in (7, 8, 15, 16, 24, 31, 32, 53, 63, 64) for s in (1, -1)
                                         for d in (-1, 0, 1)] if bounds.min <= v <= bounds.max]
        rest = [int(random.integers(bounds.min, bounds.max, dtype=kind, endpoint=True)) >> int(random.integers(0, 40))
                for _ in range(16 * GROUPS - len(edges))]
        return numpy.array(edges + rest, kind)
    edges = [300.7, 511, 512, 721, -0.5, 0.5, 1.5, 2.5, -1.5, -2.5, 0.49999997, -0.0, math.inf, -math.inf, math.nan, 1e30, -1e30,
             1e-30, 16777217.0, 4294967295.0, 4294967296.0, -4294967296.0, 1.8446744073709552e19, 9.223372036854775e18]
    edges += [s * ((1 << b) + d) for b in (7, 8, 15, 16, 31, 32) for s in (1, -1) for d in (-1.5, -1, -0.5, 0, 0.5, 1)]
    if source == "double":
        edges += [s * v for s in (1, -1) for v in (LARGEST_DENORMAL, 1e-40, 1e-300, 0.5 * (LARGEST_DENORMAL + LEAST_NORMAL),
                                                   LEAST_NORMAL, LEAST_NORMAL * (1 + 2.0**-40))]
    rest = [float(random.normal()) * 2.0 ** float(random.integers(-3, 40)) for _ in range(16 * GROUPS - len(edges))]
    result = numpy.array(edges + rest)
    random.shuffle(result)
    return result.astype(kind)


def rounded(value, form):
    if "_rte" in form:
        return numpy.rint(value)
    return math.ceil(value) if "_rtp" in form else math.floor(value) if "_rtn" in form else math.trunc(value)


def to_integer(value, target, form):
    """None: anything goes. To 8 and 16 bits: the low bits of the conversion to 32."""
    bounds = numpy.iinfo(SCALARS[target])
    value = value.item()
    if isinstance(value, float) and bounds.bits < 32 and "_sat" not in form:
        low = to_integer(SCALARS["double"](value), "int", "_sat" + form) & ((1 << bounds.bits) - 1)
        return low - (1 << bounds.bits) if low > bounds.max else low
    if isinstance(value, float):
        if math.isnan(value):
            return 0 if "_sat" in form else None
        value = int(rounded(value, form)) if math.isfinite(value) else int(math.copysign(1 << 70, value))
    if "_sat" in form:
        return min(max(value, bounds.min), bounds.max)
    return value if bounds.min <= value <= bounds.max else None


def to_float(value, target, form):
    kind, exact = SCALARS[target], value.item()
    near = kind(value)
    if isinstance(exact, float) and not (math.isfinite(exact) and math.isfinite(near)):
        return near if not math.isfinite(exact) else None
    compared = int(near) if isinstance(exact, int) and math.isfinite(near) else float(near)
    infinity, zero = kind(math.inf), kind(0)
    if "_rtz" in form and abs(compared) > abs(exact):
        near = numpy.nextafter(near, zero)
    if "_rtp" in form and compared < exact:
        near = numpy.nextafter(near, infinity)
    if "_rtn" in form and compared > exact:
        near = numpy.nextafter(near, -infinity)
    if target == "float" and abs(near) < LEAST_NORMAL:
        return kind(math.copysign(0, near))  # denormals are flushed
    return near


def wrapped(value, target):
    """Integer to integer, out of range: the low bits."""
    return numpy.array([value.item() & ((1 << 64) - 1)], numpy.uint64).astype(SCALARS[target])[0]


def check_pair(session, program, source, target, values):
    table = forms(target)
    out = numpy.zeros(len(table) * len(widths_of(source)) * 16 * GROUPS, SCALARS[target])
    session.run(getattr(program, "%s_%s" % (source, target)), (GROUPS,), (8,), values, out, numpy.int32(GROUPS))
    out = out.reshape(len(table), len(widths_of(source)), GROUPS, 16)
    for place, form in enumerate(table):
        convert = to_float if target in FLOATS else to_integer
        wanted = [convert(value, target, form) for value in values]
        if source not in FLOATS and target not in FLOATS:
            wanted = [wrapped(v, target) if w is None else w for v, w in zip(values, wanted)]
        known = numpy.array([w is not None for w in wanted]).reshape(GROUPS, 16)
        exact = numpy.array([0 if w is None else w for w in wanted], SCALARS[target]).reshape(GROUPS, 16)
        for which, width in enumerate(widths_of(source)):
            got = out[place, which, :, :width]
            exact = numpy.where(known, exact, out[place, -1])  # what anything became, at the greatest width
            name = "convert_%s%s(%s)" % (name_of(target, width), form, name_of(source, width))
            session.expect(name, numpy.nan_to_num(got, nan=99) if target in FLOATS else got,
                           numpy.nan_to_num(exact[:, :width], nan=99) if target in FLOATS else exact[:, :width])
    return len(table) * len(widths_of(source))


def check_packing(session):
    """The low byte of the 32-bit conversion, whatever the neighbours are."""
    program = session.build("""__kernel void k(__global const float4 *in, __global uchar4 *out)
    {
        float4 v = in[0];
        __global uchar *single = (__global uchar *)(out + 2);

        out[0] = convert_uchar4(v);
        out[1] = (uchar4)((uchar)v.x, (uchar)v.y, (uchar)v.z, (uchar)v.w);
        for (int i = 0; i < 4; i++)
            single[i] = ((__global const float *)in)[i];
        out[3] = (uchar4)(convert_uchar(v.x), convert_uchar_sat(v.y), v.z, (char)v.w);
    }""")
    values, out = numpy.array([300.7, 511, 512, 721], numpy.float32), numpy.zeros(16, numpy.uint8)
    session.run(program.k, (1,), (1,), values, out)
    for place, name in enumerate(("function", "casts", "stores", "mixed")):
        session.expect(name, out[4 * place : 4 * place + 4], numpy.array([44, 255, 0, 209], numpy.uint8))
    return 4


def main():
    session = Session(sys.argv[1])
    random = numpy.random.default_rng(5)
    checks = check_packing(session)
    numpy.seterr(all="ignore")
    for source in sys.argv[2:]:
        values = values_of(source, random)
        program = session.build("".join(kernel_of(source, target) for target in SCALARS))
        for target in SCALARS:
            checks += check_pair(session, program, source, target, values)
    session.finish(checks)


main()
