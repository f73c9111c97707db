/* SPDX-License-Identifier: MIT */
/*
 * What the fuzzer's kernels compute, in C: the model and the fake device run this; device_opencl.c
 * says the same in OpenCL C. Arrays are 32-bit words and up to three bytes after the last. The
 * recurrences do not converge, so an old value never turns into the right one.
 */
#ifndef TESTS_FUZZ_KERNELS_H
#define TESTS_FUZZ_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kernel_kind {
    KERNEL_UPDATE,  /* x = x * 1664525 + index + seed */
    KERNEL_COMBINE, /* the same, plus a word of a second array, which is only read */
    KERNEL_FILL,    /* x = f(index + seed), for every byte: reads nothing */
    KERNEL_KINDS,
};

struct kernel_call {
    enum kernel_kind kind;
    size_t first, end; /* words of the target; FILL: all */
    bool has_tail;     /* and the bytes after the last word */
    uint32_t seed;
};

/* source: for KERNEL_COMBINE, at least one byte. */
void kernel_apply(const struct kernel_call *call, unsigned char *target, size_t target_bytes,
                  const unsigned char *source, size_t source_bytes);

/* Depends on every byte, its place and the seed. */
uint32_t kernel_checksum(const unsigned char *data, size_t bytes, uint32_t seed);

#endif
