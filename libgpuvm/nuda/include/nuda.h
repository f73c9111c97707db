/* SPDX-License-Identifier: MIT */
/*
 * What code made by nudacc calls. A loop with `#pragma nuda parallel for` became a kernel in OpenCL
 * C and a call of nuda_run. That runs it on a device, on plain arrays. Programs do not call it by
 * hand.
 *
 * A kernel's parameters are, in this order:
 * - for each array `global T *base, ulong offset`: the device's buffer of the whole block, and
 *   where the program's pointer points into it, in bytes
 * - for each value the value
 * - for each dimension a ulong, its count of iterations
 *
 * Global sizes may be rounded up, so the kernel tests get_global_id(d) < count of d. It has no
 * barrier, and no local memory.
 */
#ifndef NUDA_H
#define NUDA_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NUDA_API __attribute__((visibility("default")))

/* What a parameter is in the program: a scalar or struct that is passed by value, or a plain
 * pointer. */
enum nuda_kind { NUDA_VALUE, NUDA_ARRAY };

/* What the kernel does with an array. NUDA_WRITE: it writes some elements and reads none; those
 * that it does not write keep their values. NUDA_OVERWRITE: it reads none, and writes every byte
 * of as many elements, from the pointer on, as the loop has iterations. */
enum nuda_use { NUDA_READ = 1, NUDA_WRITE = 2, NUDA_READ_WRITE = 3, NUDA_OVERWRITE = 6 };

struct nuda_parameter {
    enum nuda_kind kind;
    enum nuda_use use; /* of an array */
    size_t size;       /* bytes of the value, or of an element */
    const char *name;  /* as in the source, for messages */
};

/* One pragma; static in the program. Texts and parameters must live as long as the program. */
struct nuda_loop {
    const char *file; /* where the loop is, and in which function, for messages */
    int line;
    const char *function;
    const char *kernel;  /* the kernel's name in source */
    const char *source;  /* OpenCL C, whole, with the functions that it calls */
    const char *options; /* for the device's compiler */
    unsigned dimensions; /* 1 to 3; dimension 0 is the innermost loop */
    size_t block[3];     /* the work-group's size; 0: the run time chooses */
    unsigned parameters; /* at most 64 */
    const struct nuda_parameter *parameter;
    void *state; /* the run time's own; NULL at first */
};

/*
 * Runs the loop on the device, and returns true, or returns false: the caller must run it on the
 * host.
 * - count[d]: iterations in dimension d, any of them may be 0
 * - values[i]: the address of parameter i's value, or of its pointer
 * - array_bytes[i]: bytes of the array from the pointer on, by its type (a global array, or a
 *   parameter that is one), 0: unknown
 *
 * Returns before the device has ended; arrays may be touched at once. Some failures end the program
 * with a message that names the loop, and status 1. They are an array in memory that cannot be used
 * (a stack, unknown memory), a full device, or one that fails. Any thread, several at once.
 */
NUDA_API bool nuda_run(struct nuda_loop *loop, const size_t count[], void *const values[],
                       const size_t array_bytes[]);

#ifdef __cplusplus
}
#endif

#endif
