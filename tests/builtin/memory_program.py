#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Vector loads and stores (6.12.7): vloadN and vstoreN of every type, width and address space, from addresses aligned to the
element alone; vload_half, vloada_half, vstore_half and vstorea_half of every width, in every rounding, of floats and doubles.

  memory_program.py PLATFORM [quick]"""
import sys

import numpy

from builtin_support import SCALARS, Session, name_of, slots

WIDTHS = (2, 3, 4, 8, 16)
ITEMS = 16
SPACES = ("global", "local", "private", "constant")
ROUNDINGS = ("", "_rte", "_rtz", "_rtp", "_rtn")

# Element 1 is the first, so that a vector is not aligned; local and private memory are filled and emptied by one item each.
LOAD = """
kernel void load_TYPE_WIDTH_SPACE(ARRAY const TYPE *in, global TARGET *out)
{
    int i = get_global_id(0);
    ROOM
    VALUE v = CALL;
    STORE
}
"""
ROOM = """SPACE TYPE room[COUNT];
    if (LEADER)
        for (int k = 0; k < COUNT; k++)
            room[k] = in[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    SPACE const TYPE *from = room;"""
SAVE = """
kernel void save_TYPE_WIDTH_SPACE_FORM(global const VALUE1 *in, global TYPE *out)
{
    int i = get_global_id(0);
    VALUE v = VECTOR;
    ROOM
}
"""
SAVE_ROOM = """SPACE TYPE room[COUNT];
    for (int k = 0; k < COUNT; k++)
        room[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    CALL
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < STEP; k++)
        out[SKIP + i * STEP + k] = room[SKIP + i * STEP + k];"""


def fill(text, **words):
    for name in sorted(words, key=len, reverse=True):
        text = text.replace(name, str(words[name]))
    return text


def room_of(space, template, **words):
    if space in ("local", "private"):
        return fill(template, SPACE=space, LEADER="get_local_id(0) == 0" if space == "local" else "true", **words)
    return ""


class Loads:
    """One function of one type and width, in one address space."""

    def __init__(self, scalar, width, space, function, target=None, aligned=False, skip=1):
        self.scalar, self.width, self.space, self.function = scalar, width, space, function
        self.target = target or scalar
        self.step = slots(width) if aligned else width
        self.skip = 0 if aligned else skip
        self.kernel = "load_%s_%d_%s" % (function, width, space)
        self.kernel = "load_%s_%s_%d_%s" % (scalar, function, width, space)

    def source(self):
        pointer = "from" if self.space in ("local", "private") else "in"
        call = "%s(i, %s + %d)" % (self.function, pointer, self.skip)
        text = fill(LOAD, TYPE_WIDTH_SPACE=self.kernel[5:], ARRAY="constant" if self.space == "constant" else "global",
                    ROOM=room_of(self.space, ROOM, TYPE=self.scalar, COUNT=ITEMS * self.step + self.skip),
                    VALUE=name_of(self.target, self.width), CALL=call, TARGET=self.target,
                    STORE=" ".join("out[i * %d + %d] = v%s;" % (self.width, k, ".s%x" % k if self.width > 1 else "")
                                   for k in range(self.width)))
        return text.replace("TYPE", self.scalar)

    def check(self, session, program, random):
        values = some(random, self.scalar, ITEMS * self.step + self.skip)
        out = numpy.zeros(ITEMS * self.width, SCALARS[self.target])
        session.run(getattr(program, self.kernel), (ITEMS,), (ITEMS,), values, out)
        with numpy.errstate(invalid="ignore"):
            wanted = values[self.skip :].reshape(ITEMS, self.step)[:, : self.width].astype(SCALARS[self.target]).ravel()
        session.expect(self.kernel, quiet(out), quiet(wanted))


class Stores:
    def __init__(self, scalar, width, space, function, source=None, aligned=False, form=""):
        self.scalar, self.width, self.space, self.function, self.form = scalar, width, space, function, form
        self.source_type = source or scalar
        self.step = slots(width) if aligned else width
        self.skip = 0 if aligned else 1
        self.kernel = "save_%s_%s_%d_%s" % (self.source_type, function, width, space)

    def source(self):
        pointer = "room" if self.space in ("local", "private") else "out"
        call = "%s(v, i, %s + %d);" % (self.function, pointer, self.skip)
        vector = "in[i]" if self.width == 1 else "(%s)(%s)" % (
            name_of(self.source_type, self.width), ", ".join("in[i * %d + %d]" % (self.width, k) for k in range(self.width)))
        return fill(SAVE, TYPE_WIDTH_SPACE_FORM=self.kernel[5:], VALUE1=self.source_type, VALUE=name_of(self.source_type, self.width),
                    VECTOR=vector, ROOM=room_of(self.space, SAVE_ROOM, TYPE=self.scalar, COUNT=ITEMS * self.step + self.skip,
                                                CALL=call, STEP=self.step, SKIP=self.skip) or call, TYPE=self.scalar)

    def check(self, session, program, random):
        values = some(random, self.source_type, ITEMS * self.width)
        out = numpy.zeros(ITEMS * self.step + self.skip, SCALARS[self.scalar])
        session.run(getattr(program, self.kernel), (ITEMS,), (ITEMS,), values, out)
        wanted = numpy.zeros((ITEMS, self.step), SCALARS[self.scalar])
        wanted[:, : self.width] = rounded(values, self.form, self.scalar).reshape(ITEMS, self.width)
        session.expect(self.kernel, quiet(out), quiet(numpy.concatenate([numpy.zeros(self.skip, wanted.dtype), wanted.ravel()])))


def quiet(values):
    """One NaN for all."""
    return numpy.where(numpy.isnan(values), values.dtype.type(numpy.nan), values) if values.dtype.kind == "f" else values


def some(random, scalar, count):
    kind = SCALARS[scalar]
    if numpy.dtype(kind).kind != "f":
        information = numpy.iinfo(kind)
        return random.integers(information.min, information.max, count, dtype=kind, endpoint=True)
    sizes = 2.0 ** random.integers(-26, 17, count)  # half's denormals and what is too large for it among them
    values = (random.choice([-1, 1], count) * random.uniform(1, 2, count) * sizes).astype(kind)
    edges = [0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 65504, 65519, 65520, 65535, -65520, 2.0**-24, 2.0**-25, 3 * 2.0**-25,
             -(2.0**-25), 2.0**-14, 1 + 2.0**-11, 1 + 3 * 2.0**-11, -1 - 2.0**-11, 2.0**-26]
    with numpy.errstate(over="ignore"):
        values[::2] = random.choice(numpy.array(edges, kind), len(values[::2]))
    return values


def rounded(values, form, scalar):
    """As vstore_half's forms do; plain is to nearest."""
    kind = SCALARS[scalar]
    if values.dtype == kind:
        return values
    with numpy.errstate(all="ignore"):
        near = values.astype(kind)
        wide, exact = near.astype(values.dtype), values
        up, down = numpy.nextafter(near, kind(numpy.inf)), numpy.nextafter(near, kind(-numpy.inf))
        if form == "_rtp":
            return numpy.where(wide < exact, up, near)
        if form == "_rtn":
            return numpy.where(wide > exact, down, near)
        if form == "_rtz":
            return numpy.where(numpy.abs(wide) > numpy.abs(exact), numpy.nextafter(near, kind(0)), near)
    return near


def all_plain():
    for scalar in SCALARS:
        for width in WIDTHS:
            for space in SPACES:
                yield Loads(scalar, width, space, "vload%d" % width)
            for space in SPACES[:3]:
                yield Stores(scalar, width, space, "vstore%d" % width)


def all_halves():
    for width in (1,) + WIDTHS:
        number = str(width) if width > 1 else ""
        for a in ("", "a") if width > 1 else ("",):
            for space in SPACES:
                yield Loads("half", width, space, "vload%s_half%s" % (a, number), "float", bool(a))
            for form in ROUNDINGS:
                for source in ("float", "double"):
                    for space in SPACES[:3]:
                        yield Stores("half", width, space, "vstore%s_half%s%s" % (a, number, form), source, bool(a), form)


def main():
    session = Session(sys.argv[1])
    random = numpy.random.default_rng(6)
    cases = list(all_plain()) + list(all_halves())
    if "quick" in sys.argv[2:]:
        cases = cases[::5] + [case for case in all_halves() if case.space == "global" and case.width in (1, 3)]
    for first in range(0, len(cases), 60):
        chosen = {case.kernel: case for case in cases[first : first + 60]}
        program = session.build("".join(case.source() for case in chosen.values()))
        for case in chosen.values():
            case.check(session, program, random)
    session.finish(len(cases))


main()
