/* SPDX-License-Identifier: MIT */
/*
 * The ways of moving data that the matrix-vector benchmark compares, in pairs. One is libgpuvm's;
 * the other is what one would write by hand for a host that touches the same data between two
 * kernels. Each of the two is an *arm* with arrays and buffers of its own.
 */
#ifndef BENCH_ARMS_H
#define BENCH_ARMS_H

#include "device.h"

#include <stdint.h>

/* What the host does with the arrays between two kernels. Writes depend on what is read: lost data
 * shows in the results. */
enum touch {
    TOUCH_NONE,
    TOUCH_VECTOR,       /* reads the first word of x */
    TOUCH_MATRIX_READ,  /* reads a word in the middle of A */
    TOUCH_MATRIX_WRITE, /* changes a word in the middle of A */
    TOUCH_PARTLY,       /* changes the first, the middle and the last word of each array */
    TOUCH_READ_ALL,     /* reads a word of each page of all arrays */
    TOUCH_CHANGE_ALL,   /* changes a word of each page of all arrays */
    TOUCH_COUNT,
};

/* How the hand-written program moves data. */
enum reference {
    REFERENCE_STAY,      /* all data stay on the device */
    REFERENCE_PAGE,      /* ... but the touched page comes down before the host touches it */
    REFERENCE_PAGE_BOTH, /* ... and goes up again, changed */
    REFERENCE_DOWN_X,    /* x' comes down after each kernel */
    REFERENCE_DOWN,      /* all arrays come down after each kernel */
    REFERENCE_INPUTS,    /* A, x, b go up before, x' comes down after each kernel */
    REFERENCE_FULL,      /* all arrays go up before and come down after each kernel */
};

/* What libgpuvm is to reach against its reference. */
enum bound {
    BOUND_NONE,
    BOUND_UNTOUCHED, /* G1: within 1 % */
    BOUND_FALSE,     /* G3: within 5 % of the same page moved by hand */
    BOUND_ALL,       /* G2: within 5 % of full copy */
    BOUND_PARTLY,    /* at least 2.5 times as fast */
};

/* How libgpuvm is told that the kernel uses the arrays. */
enum use {
    USE_READ_WRITE, /* all of them */
    USE_READ_ONLY,  /* A, x, b; x' READ_WRITE */
    USE_WRITE_ONLY, /* A, x, b READ_ONLY, x' WRITE_ONLY */
    USE_BY_HAND,    /* not at all: the same by hand twice, which shows what the method cannot tell
                       apart */
};

struct pair {
    const char *name;
    const char *reference_name;
    enum touch touch;
    enum use use;
    enum calls { CALLS_EACH, CALLS_MANY } calls; /* one of the paper's for each array, or _many */
    enum arrays { ARRAYS_MALLOC, ARRAYS_ALLOC } arrays; /* whose memory: malloc's, gpuvm_alloc's */
    enum reference reference;
    enum bound bound;
};

extern const struct pair pairs[];
extern const unsigned pair_count;

/* Rows of the paper's tables, and what moved; each a mean over the iterations of one burst. Times
 * in microseconds. */
enum row {
    ROW_TOTAL,
    ROW_DEVICE,   /* kernels */
    ROW_COPIES,   /* transfers */
    ROW_OVERHEAD, /* commands and the library's calls, less the two above */
    ROW_SIGNALS,  /* serving faults, less the transfers in it */
    ROW_OTHER,    /* the rest: the host's own touching */
    ROW_FAULTS,
    ROW_BYTES_UP,
    ROW_BYTES_DOWN,
    ROW_TRANSFERS_UP,
    ROW_TRANSFERS_DOWN,
    ROW_COUNT,
};

extern const char *const row_names[ROW_COUNT];

struct arm {
    const struct pair *pair;
    bool is_reference;
    float *a, *x, *x1, *b;
    enum arrays arrays;
    struct matvec_job buffers;
    bool is_matrix_lent; /* buffers.a is the other side's */
    unsigned iterations; /* done so far */
    uint64_t seen;       /* digest of all words that touches have read */
};

/*
 * is_aligned: gpuvm_alloc's arrays, whatever the pair says. The library must be initialised with
 * the device as number 0. other: the pair's other side, opened before and closed after this one, or
 * NULL. Where nothing ever writes the matrix both have it in one buffer. How the pages of 16 MB lie
 * in the caches makes a kernel some per cent faster or slower for a whole run. That is more than
 * what is measured.
 */
void arm_open(struct arm *arm, struct bench_device *device, const struct pair *pair,
              bool is_reference, bool is_aligned, const struct arm *other);
/* warm_up iterations that are not timed, then `iterations` that are. */
void arm_burst(struct arm *arm, struct bench_device *device, unsigned warm_up, unsigned iterations,
               double rows[ROW_COUNT]);
/* Brings all data to the host and compares with the same computed on the host alone. Whether all
 * bits agree. */
bool arm_check(struct arm *arm, struct bench_device *device);
void arm_close(struct arm *arm, struct bench_device *device);

#endif
