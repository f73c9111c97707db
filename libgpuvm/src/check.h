/* SPDX-License-Identifier: MIT */
/*
 * GPUVM_CHECK: reports incorrect sharing on stderr, by array, thread and place in the program. Then
 * a kernel's use makes the host's pages inaccessible from begin on. Edges are compared with copies.
 * What a kernel may only read is digested before and after.
 *
 * What a device has at the end of a use that wrote is digested then and when it is next needed.
 *
 * Leaves out who wrote to an edge during a kernel (found at its end), and a write that leaves an
 * edge's bytes as they were. Leaves out a kernel that leaves bytes of a GPUVM_WRITE_ONLY array
 * unwritten.
 */
#ifndef GPUVM_CHECK_H
#define GPUVM_CHECK_H

#include "array.h"

/* This thread, at the caller of the public function. */
struct site check_site(void *return_address);
#define HERE check_site(__builtin_return_address(0))

/* Reports one misuse; the array may be NULL. offset: a byte of the array, or -1. here: may be
 * empty. */
void check_report(struct context *context, const char *kind, struct array *array, struct link *link,
                  ptrdiff_t offset, struct site here);

/* A fault came, on a service thread; the faulting one waits. */
void check_touch(struct array *array, const struct fault *fault, size_t page);

/* A use has begun: takes copies and digests, takes pages from the host. 0 or an error of a
 * transfer. */
int check_begin(struct array *array, struct link *link);
/* A use that wrote has ended: digests what the device has. Before the next use, and before data
 * come from there: compares, to find work that went on after the end. Returns 0 or an error of a
 * transfer. */
int check_ended(struct array *array, struct link *link);
int check_after_end(struct array *array, struct link *link, bool is_fault);
/* A use is about to end: compares. */
int check_end(struct array *array, struct link *link, struct site here);

#endif
