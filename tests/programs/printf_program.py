#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kernels that print, one case after the other, on the platform whose name contains the first argument; the others name
cases (all). Before each case stands a line with its name."""
import os
import sys

import numpy

os.environ["PYOPENCL_NO_CACHE"] = "1"
import pyopencl  # noqa: E402

# name: source, global size, local size
CASES = {
    "flags": (r"""__kernel void k(__global int *a) {
        printf("%5.3d|%-8d|%+d|% d|%#x|%#o|%08d|%i\n", 1, 2, 3, 4, 5, 6, 7, 8);
        printf("%8.3f|%-10.2e|%+g|%#.0f|%010.4f|%a\n", 1.5f, 2.5f, 3.5f, 4.0f, -5.25f, 0.5f); }""", 1, 1),
    "integers": (r"""__kernel void k(__global int *a) {
        char c = -2; uchar uc = 254; short s = -3; ushort us = 65533; long l = -(1L << 40); ulong ul = 1UL << 63;
        printf("%hhd %hhu %hd %hu %d %u %ld %lu %lx %X %o\n", c, uc, s, us, a[0], 4000000000u, l, ul, ul, 48879, 64); }""",
                 1, 1),
    "reals": (r"""__kernel void k(__global int *a) {
        float f = a[0] + 0.5f; double d = a[0] + 0.1;
        printf("%f %e %g %F %E %G %.3f %.10f\n", f, f, f, d, d, d, d, d);
        printf("%f %f %F\n", f / 0.0f, -f / 0.0f, f / 0.0f); }""", 1, 1),
    "constants": (r"""__kernel void k(__global int *a) { printf("%.15f %.15g %.12e\n", 0.1, 0.1, 1.0 / 3); }""", 1, 1),
    "vectors": (r"""__kernel void k(__global int *a) {
        printf("%v4hlf %v2hld %v3hlx\n", (float4)(1, 2, 3, 4.5f), (int2)(-1, a[0]), (uint3)(10, 11, 12));
        printf("%v4hhd %v8hd %v2ld\n", (char4)(-1, 2, -3, 4), (short8)(1, -2, 3, -4, 5, -6, 7, -8), (long2)(1L << 40, -1));
        printf("%v16hhu|%5.2v4hlf|%v2lf\n", (uchar16)(255, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
               (float4)(1, 2, 3, 4), (double2)(0.5, a[0])); }""", 1, 1),
    "short_vectors": (r"""__kernel void k(__global int *a) {
        printf("%v2hhd %v2hhu %v3hhd %v2hd %v3hu\n", (char2)(-1, a[0]), (uchar2)(255, a[0]), (char3)(1, -2, 3),
               (short2)(-4, 5), (ushort3)(65535, 1, a[0])); }""", 1, 1),
    "strings": (r"""__constant char kept[] = "kept in constant memory";
        __kernel void k(__global int *a) {
        printf("%s|%10s|%-10s|%.2s|%c|%5c|%%\n", "literal: with colon", "right", "left", "cut", 'x', 'y');
        printf("%s%s%s%s%s\n", "1234", "12345678", "", "123", "1234567");
        printf("%s|%s\n", "", "ends with a backslash \\");
        printf("\ttab \"quotes\" 100%% \\ end\n");
        printf("nothing\n");
        printf("%s, %s\n", kept, a[0] ? "yes" : "no"); }""", 1, 1),
    "backslashes": (r"""__kernel void k(__global int *a) { printf("C:\\new\\table %d \\72 \\\\n\n", a[0]); }""", 1, 1),
    "pointers": (r"""__kernel void k(__global int *a) { printf("%d\n", printf("") == 0); printf("%p\n", a); }""", 1, 1),
    "formats": (r"""void say(__constant char *format, int x) { printf(format, x); }
        __kernel void k(__global int *a) { say("once %d\n", a[0]); say(a[0] == 7 ? "seven %x\n" : "not %x\n", 31); }""", 1, 1),
    "odd": (r"""__kernel void k(__global int *a) {
        printf("%d %s\n"); printf("%k %d\n", a[0]); printf("%v5d\n", a[0]); printf("too many %d\n", 1, 2, 3);
        printf("%s\n", (__constant char *)0); printf("end %"); printf("\n"); }""", 1, 1),
    "helper": (r"""void tell(int depth, __global int *a) { printf("depth %d of %d\n", depth, a[0]); if (depth > 2) printf("deep\n"); }
        __kernel void k(__global int *a) { for (int i = 0; i < 4; i++) tell(i, a); }""", 1, 1),
    "divergent": (r"""__kernel void k(__global int *a) {
        int i = get_global_id(0);
        if (i % 3 == 0) printf("%d is a multiple of three\n", i);
        else if (i % 7 == 1) printf("%d leaves one: %f\n", i, i * 0.375f);
        for (int n = 0; n < i % 4; n++) printf("%d.%d\n", i, n); }""", 70, 35),
    "groups": (r"""__kernel void k(__global int *a) {
        for (int n = 0; n < 2; n++)
            printf("%d %d %d\n", (int)get_group_id(0), (int)get_local_id(0), n); }""", 4000, 4),
    "three_dimensions": (r"""__kernel void k(__global int *a) {
        printf("%d %d %d\n", (int)get_global_id(0), (int)get_global_id(1), (int)get_global_id(2)); }""", (4, 3, 2), (2, 1, 2)),
    "barrier": (r"""__kernel void k(__global int *a) {
        __local int sum;
        if (get_local_id(0) == 0) { sum = 0; printf("start %d\n", (int)get_group_id(0)); }
        barrier(CLK_LOCAL_MEM_FENCE);
        atomic_add(&sum, 1);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) == 77) printf("sum %d\n", sum); }""", 512, 128),
    "unoptimised": (r"""__kernel void k(__global int *a) { for (int i = 0; i < 3; i++) printf("%d %s\n", i + a[0], "ok"); }""", 1, 1),
    "lines": (r"""__kernel void k(__global int *a) { printf("line %d\n", (int)get_global_id(0)); }""", 1000, 50),
    "small": (r"""__kernel void k(__global int *a) { printf("small\n"); }""", 1000, 50),
    "large": (r"""__kernel void k(__global int *a) { printf("%v8lf\n", (double8)(get_global_id(0))); }""", 1000, 50),
    "fault": (r"""__kernel void k(__global int *a) { printf("before the fault\n"); a[1L << 33] = 1; printf("after\n"); }""", 1, 1),
}
LINKED = [r"""int other(int x); __kernel void k(__global int *a) { printf("first %d\n", a[0]); printf("%d\n", other(4)); }""",
          r"""int other(int x) { printf("second %s\n", "module"); printf("third %d\n", x); return x * x; }"""]


def sizes(size):
    return size if isinstance(size, tuple) else (size,)


def main():
    device = [p for p in pyopencl.get_platforms() if sys.argv[1] in p.name][0].get_devices()[0]
    context = pyopencl.Context([device])
    queue = pyopencl.CommandQueue(context)
    memory = pyopencl.Buffer(context, pyopencl.mem_flags.COPY_HOST_PTR, hostbuf=numpy.full(4, 7, numpy.int32))
    for name in sys.argv[2:] or [case for case in CASES if case != "fault"] + ["linked"]:
        print("== %s" % name, flush=True)
        if name == "linked":
            parts = [pyopencl.Program(context, source).compile() for source in LINKED]
            program, size = pyopencl.link_program(context, parts), (1, 1)
        else:
            source, *size = CASES[name]
            options = ["-w"] + (["-cl-opt-disable"] if name == "unoptimised" else [])
            program = pyopencl.Program(context, source).build(options=options)
        program.k(queue, sizes(size[0]), sizes(size[1]), memory)
        queue.finish()
    print("== end", flush=True)


main()
