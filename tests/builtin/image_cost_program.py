#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kernels of one wavefront that read one element a work-item and write one, to count their instructions.

  image_cost_program.py PLATFORM

`plain` has no image; `write`, `read` and `copy` follow for each of the formats that have floats."""
import sys

import numpy

from builtin_support import Session, pyopencl

SOURCE = """
kernel void plain(global const float4 *in, global float4 *out)
{ int i = get_global_id(0); out[i] = in[i]; }
kernel void read(read_only image2d_t in, global float4 *out)
{ int i = get_global_id(0); out[i] = read_imagef(in, (int2)(i, 0)); }
kernel void write(global const float4 *in, write_only image2d_t out)
{ int i = get_global_id(0); write_imagef(out, (int2)(i, 0), in[i]); }
kernel void copy(read_only image2d_t in, write_only image2d_t out)
{ int2 at = (int2)(get_global_id(0), 0); write_imagef(out, at, read_imagef(in, at)); }
"""
POINTS = 64
ARGB = 0x10B7  # pyopencl has no name for it


def main(platform):
    session = Session(platform)
    program, flags = session.build(SOURCE), pyopencl.mem_flags
    buffers = [pyopencl.Buffer(session.context, flags.READ_WRITE, 16 * POINTS) for _ in range(2)]
    pyopencl.enqueue_fill_buffer(session.queue, buffers[0], numpy.float32(0.5), 0, 16 * POINTS)
    program.plain(session.queue, (POINTS,), (POINTS,), *buffers)
    orders, types = pyopencl.channel_order, pyopencl.channel_type
    for order in (orders.RGBA, orders.BGRA, ARGB, orders.R, orders.RG, orders.A, orders.INTENSITY, orders.LUMINANCE):
        for kind in (types.UNORM_INT8, types.SNORM_INT8, types.UNORM_INT16, types.SNORM_INT16, types.HALF_FLOAT, types.FLOAT):
            if order in (orders.BGRA, ARGB) and kind not in (types.UNORM_INT8, types.SNORM_INT8):
                continue
            images = [pyopencl.Image(session.context, flags.READ_WRITE, pyopencl.ImageFormat(order, kind), shape=(POINTS, 1))
                      for _ in range(2)]
            program.write(session.queue, (POINTS,), (POINTS,), buffers[0], images[0])
            program.read(session.queue, (POINTS,), (POINTS,), images[0], buffers[1])
            program.copy(session.queue, (POINTS,), (POINTS,), *images)
    session.queue.finish()


if __name__ == "__main__":
    main(sys.argv[1])
