#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Copies by a work-group, of every type and width, in both directions, dense and strided, awaited one at a time and
several at once, by groups of one, two and three dimensions."""
import sys

import numpy
import pyopencl

from builtin_support import SCALARS, WIDTHS, Session, name_of, slots

COPIES = """
__kernel void copy_TYPE(__global const TYPE *in, __global TYPE *out, __local TYPE *room, uint count, uint stride)
{
    event_t event = async_work_group_copy(room, in, count, 0);
    wait_group_events(1, &event);
    event = async_work_group_copy(out, room, count, 0);
    wait_group_events(1, &event);
    out += count;

    event_t events[2];
    events[0] = async_work_group_strided_copy(room, in, count, stride, 0);
    events[1] = async_work_group_copy(room + count, in + 1, count, events[0]);
    wait_group_events(2, events);
    events[0] = async_work_group_strided_copy(out, room, count, stride, 0);
    events[1] = async_work_group_copy(out + count * stride, room + count, count, events[0]);
    wait_group_events(2, events);
    prefetch(in, count);
}
"""
COUNT, STRIDE = 37, 3


def expected(values):
    """What stands in `out`, which began as zeros."""
    out = numpy.zeros((COUNT * (2 + STRIDE),) + values.shape[1:], values.dtype)
    out[:COUNT] = values[:COUNT]
    out[COUNT : COUNT + COUNT * STRIDE : STRIDE] = values[: COUNT * STRIDE : STRIDE]
    out[COUNT + COUNT * STRIDE :] = values[1 : COUNT + 1]
    return out


def main():
    session = Session(sys.argv[1])
    types = [(scalar, width) for scalar in SCALARS for width in WIDTHS]
    program = session.build("".join(COPIES.replace("TYPE", name_of(*one)) for one in types))
    random = numpy.random.default_rng(1)
    checks = 0
    for place, (scalar, width) in enumerate(types):
        values = random.integers(0, 120, (COUNT * STRIDE, slots(width))).astype(SCALARS[scalar])
        out = numpy.zeros((COUNT * (2 + STRIDE), slots(width)), values.dtype)
        size = ((64,), (8, 8), (2, 3, 4))[place % 3]
        room = pyopencl.LocalMemory(2 * COUNT * slots(width) * values.dtype.itemsize)
        session.run(getattr(program, "copy_" + name_of(scalar, width)), size, size, values, out, room,
                    numpy.uint32(COUNT), numpy.uint32(STRIDE))
        session.expect(name_of(scalar, width), out[:, :width], expected(values)[:, :width])
        checks += 1
    session.finish(checks)


main()
