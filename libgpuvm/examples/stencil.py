#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Heat in a plate: a kernel averages each cell's neighbours, the host heats one cell between two kernels and looks at another.

    PYTHONPATH=$(pkg-config --variable=pythondir gpuvm) python3 stencil.py [SIZE [STEPS]]

Two numpy arrays are the plate, now and next. Only the rows that the host touches come back from the device; at the end the
whole plate is compared with the same computed by numpy, in whole numbers, so bit by bit.
"""
import sys

import gpuvm
import numpy
import pyopencl

SOURCE = """
kernel void spread(global const int *now, global int *next, int size)
{
    int x = get_global_id(0), y = get_global_id(1), i = y * size + x;
    if (x == 0 || y == 0 || x == size - 1 || y == size - 1)
        next[i] = now[i];
    else
        next[i] = (now[i - 1] + now[i + 1] + now[i - size] + now[i + size]) / 4;
}
"""


def by_numpy(now):
    result = now.copy()
    result[1:-1, 1:-1] = (now[1:-1, :-2] + now[1:-1, 2:] + now[:-2, 1:-1] + now[2:, 1:-1]) // 4
    return result


def main():
    size, steps = (int(text) for text in (sys.argv[1:] + ["512", "20"][len(sys.argv) - 1:])[:2])
    device = pyopencl.get_platforms()[0].get_devices()[0]
    context = pyopencl.Context([device])
    queue = pyopencl.CommandQueue(context)
    spread = pyopencl.Program(context, SOURCE).build().spread
    gpuvm.init([queue])

    now = gpuvm.array(numpy.arange(size * size).reshape(size, size) % 1000, numpy.int32)
    following = gpuvm.zeros((size, size), numpy.int32)
    expected = now.copy()
    buffers = {id(plate): gpuvm.share(plate, queue).buffer for plate in (now, following)}
    before = gpuvm.stat("bytes_from_device")
    for k in range(steps):
        with gpuvm.kernel(reads=[now], overwrites=[following]):
            spread(queue, (size, size), None, buffers[id(now)], buffers[id(following)], numpy.int32(size))
        now, following = following, now
        now[size // 2, size // 2] = 100000 + k
        expected = by_numpy(expected)
        expected[size // 2, size // 2] = 100000 + k
        if now[size // 2, 5] != expected[size // 2, 5]:
            raise SystemExit(f"step {k}: {now[size // 2, 5]} where {expected[size // 2, 5]} is expected")
    moved = gpuvm.stat("bytes_from_device") - before
    is_right = bool((now == expected).all())
    print(f"{size} x {size}, {steps} steps, rung {gpuvm.stat('rung')}: {'as by numpy' if is_right else 'WRONG'}, "
          f"{moved / steps / now.nbytes:.3f} of a plate came back a step")
    gpuvm.finish()
    return 0 if is_right else 1


sys.exit(main())
