#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Copies by a work-group, of every type and width, in both directions, dense and strided, awaited one at a time and
several at once, by groups of one, two and three dimensions."""
import sys

import numpy

from builtin_support import SCALARS, WIDTHS, Session, name_of, pyopencl, slots

COPIES = """
__kernel void copy_TYPE(__global const TYPE *in, __global TYPE *out, __local TYPE *room, uint count, uint stride)
{
    __local volatile uint busy;

    for (uint i = 0; i < get_local_linear_id(); i++)
        busy = i; /* so that wavefronts come one after the other */
    event_t event = async_work_group_copy(room, in, count, 0);
    wait_group_events(1, &event);
    event = async_work_group_copy(out, room, count, 0);
    wait_group_events(1, &event);
    out += count;
    for (uint i = get_local_linear_id(); i < count; i += 256)
        out[i] = room[count - 1 - i]; /* what another has copied */
    barrier(CLK_LOCAL_MEM_FENCE);
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
STRIDE = 3


def expected(values, count):
    """What stands in `out`, which began as zeros."""
    out = numpy.zeros((count * (3 + STRIDE),) + values.shape[1:], values.dtype)
    out[:count] = values[:count]
    out[count : 2 * count] = values[count - 1 :: -1]
    out[2 * count : 2 * count + count * STRIDE : STRIDE] = values[: count * STRIDE : STRIDE]
    out[2 * count + count * STRIDE :] = values[1 : count + 1]
    return out


def main():
    session = Session(sys.argv[1])
    types = [(scalar, width) for scalar in SCALARS for width in WIDTHS]
    program = session.build("".join(COPIES.replace("TYPE", name_of(*one)) for one in types), ["-cl-std=CL3.0"])
    random = numpy.random.default_rng(1)
    checks = 0
    for place, (scalar, width) in enumerate(types):
        bytes_each = slots(width) * numpy.dtype(SCALARS[scalar]).itemsize
        count = min(300, 30000 // (2 * bytes_each))
        values = random.integers(0, 120, (count * STRIDE, slots(width))).astype(SCALARS[scalar])
        out = numpy.zeros((count * (3 + STRIDE), slots(width)), values.dtype)
        size = ((256,), (16, 16), (4, 8, 8))[place % 3]
        room = pyopencl.LocalMemory(2 * count * bytes_each)
        session.run(getattr(program, "copy_" + name_of(scalar, width)), size, size, values, out, room,
                    numpy.uint32(count), numpy.uint32(STRIDE))
        session.expect(name_of(scalar, width), out[:, :width], expected(values, count)[:, :width])
        checks += 1
    session.finish(checks)


main()
