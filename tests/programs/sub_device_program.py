#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Launches the same kernel on the whole device and on parts of it, by equal parts and by counts, for the platform whose name
contains the argument. Prints what each computed."""
import sys

import numpy
import pyopencl

SOURCE = """
__kernel void spin(__global uint *out)
{
    uint x = get_global_id(0);
    for (uint i = 0; i < 200; i++)
        x = x * 1664525 + 1013904223;
    out[get_global_id(0)] = x;
}
"""
ITEMS = 40 * 256  # what four compute units hold at once


def launch(name, devices):
    context = pyopencl.Context(devices)
    program = pyopencl.Program(context, SOURCE).build()
    for place, device in enumerate(devices):
        queue = pyopencl.CommandQueue(context, device)
        buffer = pyopencl.Buffer(context, pyopencl.mem_flags.READ_WRITE, 4 * ITEMS)
        program.spin(queue, (ITEMS,), (256,), buffer)
        out = numpy.zeros(ITEMS, numpy.uint32)
        pyopencl.enqueue_copy(queue, out, buffer)
        print(name, place, out.sum(dtype=numpy.uint64))


def main():
    platform = [p for p in pyopencl.get_platforms() if sys.argv[1] in p.name][0]
    device = platform.get_devices()[0]
    way = pyopencl.device_partition_property
    launch("whole", [device])
    launch("equally", device.create_sub_devices([way.EQUALLY, max(1, device.max_compute_units // 2)])[:2])
    launch("counts", device.create_sub_devices([way.BY_COUNTS, 1, 1])[:2])


main()
