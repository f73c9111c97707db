#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program whose kernel writes K. Prints the driver's version, what the kernel wrote when pyopencl's store of binaries
took part, and when it did not. With `save FILE` it keeps its binary; `load FILE` runs the binary instead."""
import sys
import warnings

import numpy
import pyopencl

SOURCE = "#ifndef K\n#define K 1\n#endif\n__kernel void write(__global int *a) { a[0] = K; }\n"


def result_of(context, program):
    queue = pyopencl.CommandQueue(context)
    result = numpy.zeros(1, numpy.int32)
    buffer = pyopencl.Buffer(context, pyopencl.mem_flags.READ_WRITE, result.nbytes)
    program.write(queue, (1,), None, buffer)
    pyopencl.enqueue_copy(queue, result, buffer)
    return result[0]


def main():
    warnings.simplefilter("ignore")
    device = next(p for p in pyopencl.get_platforms() if "Wavetank" in p.name).get_devices()[0]
    context = pyopencl.Context([device])
    action = sys.argv[1] if len(sys.argv) > 1 else ""
    if action == "load":
        with open(sys.argv[2], "rb") as stream:
            stored = pyopencl.Program(context, [device], [stream.read()]).build()
        print(result_of(context, stored))
        return
    plain = pyopencl.Program(context, SOURCE).build(cache_dir=False)
    if action == "save":
        with open(sys.argv[2], "wb") as stream:
            stream.write(plain.get_info(pyopencl.program_info.BINARIES)[0])
        return
    kept = pyopencl.Program(context, SOURCE).build()
    print(device.driver_version, result_of(context, kept), result_of(context, plain))


main()
