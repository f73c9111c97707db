/* SPDX-License-Identifier: MIT */
/* The last events, in a ring; written as CSV on demand. Recording one is an atomic increment and a
 * store of 48 bytes. */
#ifndef GPUVM_TRACE_H
#define GPUVM_TRACE_H

#include "context.h"

enum trace_kind {
    TRACE_BEGIN, /* offset: flags */
    TRACE_END,
    TRACE_LINK,
    TRACE_UNLINK,
    TRACE_READ_FAULT, /* offset: of the window; bytes: of the window; ns: service */
    TRACE_WRITE_FAULT,
    TRACE_TRACKING_FAULT,
    TRACE_TO_DEVICE, /* offset: of the first piece; bytes: of all */
    TRACE_FROM_DEVICE,
    TRACE_REVOKE,
    TRACE_REFUSED,
};

/* Starts recording if GPUVM_TRACE is set or GPUVM_STAT was given. No memory: nothing is recorded.
 */
void trace_open(struct context *context);
/* Writes the file that GPUVM_TRACE names, and frees the ring. */
void trace_close(struct context *context);

void trace_record(struct context *context, enum trace_kind kind, const struct array *array,
                  size_t offset, size_t bytes, unsigned device, uint64_t ns);

static inline void trace_event(struct context *context, enum trace_kind kind,
                               const struct array *array, size_t offset, size_t bytes,
                               unsigned device, uint64_t ns)
{
    if (context->trace)
        trace_record(context, kind, array, offset, bytes, device, ns);
}

/* 0 or GPUVM_ERROR (errno). */
int trace_write(struct context *context, const char *path);

#endif
