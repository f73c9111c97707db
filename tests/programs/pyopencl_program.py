#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An OpenCL program in Python, for the platform whose name contains the argument: buffers and their copies, fills and
maps, builds and their errors, kernels of several kinds, events. Prints a line per part; status 1 at the first wrong one."""
import hashlib
import sys

import numpy
import pyopencl

SOURCE = """
__kernel void scale(__global const float *input, __global float *output, float factor, int shift)
{
    int i = get_global_id(0);
    output[i] = input[i] * factor + (float)(i << shift) + OFFSET;
}

__kernel void histogram(__global const uchar *input, __global uint *bins, __local uint *local_bins)
{
    uint i = get_local_id(0);
    local_bins[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&local_bins[input[get_global_id(0)]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[i], local_bins[i]);
}

__kernel void mandelbrot(__global ushort *output, float left, float top, float step, ushort most)
{
    float a = left + get_global_id(0) * step, b = top - get_global_id(1) * step, x = 0, y = 0;
    ushort n = 0;
    for (; n < most && x * x + y * y < 4.0f; n++) {
        float next = x * x - y * y + a;
        y = 2.0f * x * y + b;
        x = next;
    }
    output[get_global_id(1) * get_global_size(0) + get_global_id(0)] = n;
}
"""


def part(name, right, data=None):
    """Prints a part's verdict and a digest of its data."""
    digest = "" if data is None else " " + hashlib.sha256(data.tobytes()).hexdigest()[:16]
    print("%s: %s%s" % (name, "passed" if right else "FAILED", digest))
    if not right:
        sys.exit(1)


class Session:
    def __init__(self, platform_name):
        matches = [p for p in pyopencl.get_platforms() if platform_name in p.name]
        if not matches:
            sys.exit("no platform named " + platform_name)
        self.device = matches[0].get_devices()[0]
        self.context = pyopencl.Context([self.device])
        self.queue = pyopencl.CommandQueue(
            self.context, properties=pyopencl.command_queue_properties.PROFILING_ENABLE
        )
        self.program = pyopencl.Program(self.context, SOURCE).build(options=["-DOFFSET=0.5f"])

    def buffer(self, array):
        flags = pyopencl.mem_flags.READ_WRITE | pyopencl.mem_flags.COPY_HOST_PTR
        return pyopencl.Buffer(self.context, flags, hostbuf=array)


def check_device(session):
    device = session.device
    part("device", bool(device.name) and device.global_mem_size > 0 and device.max_work_group_size >= 64)


def check_kernel(session):
    values = (numpy.arange(1000, dtype=numpy.float32) - 500) / 4
    result = numpy.empty_like(values)
    source, target = session.buffer(values), session.buffer(result)
    event = session.program.scale(
        session.queue, values.shape, None, source, target, numpy.float32(2), numpy.int32(1)
    )
    pyopencl.enqueue_copy(session.queue, result, target)
    expected = values * 2 + (numpy.arange(1000) << 1).astype(numpy.float32) + numpy.float32(0.5)
    part("kernel", numpy.array_equal(result, expected), result)
    profile = event.profile
    part("profiling", profile.queued <= profile.submit <= profile.start <= profile.end)


def check_transfers(session):
    values = numpy.arange(4096, dtype=numpy.uint32)
    first, second = session.buffer(values), session.buffer(numpy.zeros_like(values))
    pyopencl.enqueue_copy(session.queue, second, first, byte_count=8192, src_offset=4096, dst_offset=100)
    back = numpy.empty_like(values)
    pyopencl.enqueue_copy(session.queue, back, second)
    expected = numpy.zeros_like(values)
    expected[25 : 25 + 2048] = values[1024 : 1024 + 2048]
    part("copy", numpy.array_equal(back, expected), back)

    pyopencl.enqueue_fill_buffer(session.queue, second, numpy.uint16(0xBEEF), 6, 1000)
    pyopencl.enqueue_copy(session.queue, back, second)
    expected.view(numpy.uint16)[3:503] = 0xBEEF
    part("fill", numpy.array_equal(back, expected), back)

    rows = numpy.zeros((8, 16), dtype=numpy.uint32)
    pyopencl.enqueue_copy(session.queue, rows, first, buffer_origin=(64, 3, 0), host_origin=(16, 2, 0),
                          region=(32, 5, 1), buffer_pitches=(256,), host_pitches=(64,))
    expected = numpy.zeros_like(rows)
    expected[2:7, 4:12] = values.reshape(64, 64)[3:8, 16:24]
    part("rectangle", numpy.array_equal(rows, expected), rows)


def check_map(session):
    buffer = session.buffer(numpy.arange(256, dtype=numpy.uint32))
    flags = pyopencl.map_flags.READ | pyopencl.map_flags.WRITE
    view, _ = pyopencl.enqueue_map_buffer(session.queue, buffer, flags, 0, (256,), numpy.uint32)
    right = numpy.array_equal(view, numpy.arange(256))
    view[10:20] = 7
    view.base.release(session.queue)
    back = numpy.empty(256, dtype=numpy.uint32)
    pyopencl.enqueue_copy(session.queue, back, buffer)
    expected = numpy.arange(256, dtype=numpy.uint32)
    expected[10:20] = 7
    part("map", right and numpy.array_equal(back, expected), back)


def check_local(session):
    values = (numpy.arange(2048) * 37 % 251).astype(numpy.uint8)
    bins = numpy.zeros(256, dtype=numpy.uint32)
    source, target = session.buffer(values), session.buffer(bins)
    session.program.histogram(session.queue, values.shape, (256,), source, target, pyopencl.LocalMemory(1024))
    pyopencl.enqueue_copy(session.queue, bins, target)
    part("local", numpy.array_equal(bins, numpy.bincount(values, minlength=256)), bins)


def check_two_dimensions(session):
    shape, most = (48, 40), 60
    image = numpy.zeros((shape[1], shape[0]), dtype=numpy.uint16)
    target = session.buffer(image)
    session.program.mandelbrot(session.queue, shape, (16, 8), target, numpy.float32(-2), numpy.float32(1.25),
                               numpy.float32(0.0625), numpy.uint16(most))
    pyopencl.enqueue_copy(session.queue, image, target)
    inside = image[20, 32]  # the origin is in the set, the corner is not
    part("two_dimensions", inside == most and image[0, 0] < 3 and 100 < (image == most).sum() < 1000)


def check_errors(session):
    try:
        pyopencl.Program(session.context, "__kernel void f() { undeclared = 1; }").build()
        part("build_error", False)
    except pyopencl.RuntimeError as error:
        part("build_error", "undeclared" in str(error))
    try:
        pyopencl.Kernel(session.program, "no_such_kernel")
        part("kernel_error", False)
    except pyopencl.LogicError:
        part("kernel_error", True)


def main():
    session = Session(sys.argv[1])
    check_device(session)
    check_kernel(session)
    check_transfers(session)
    check_map(session)
    check_local(session)
    check_two_dimensions(session)
    check_errors(session)


main()
