/* SPDX-License-Identifier: MIT */
/* One call that moves data between a file and memory, as the wrappers in file.c and socket.c
 * describe it. */
#ifndef PRELOAD_TRANSFER_H
#define PRELOAD_TRANSFER_H

#include "preload.h"

#include <sys/types.h>
#include <sys/uio.h>

struct transfer {
    int fd;
    const struct iovec *pieces;
    int count;
    bool fills; /* the kernel writes to the memory */
    bool has_offset;
    off64_t offset;
    const struct preload_library *library; /* from here on: transfer.c's */
    bool is_begun;
};

/* Before the call; is_always: the buffers must be ready, for the call cannot be made twice. */
void transfer_prepare(struct transfer *transfer, bool is_always);

/* After it, with its result and errno: gives the result to return. */
ssize_t transfer_finish(struct transfer *transfer, ssize_t result);

#endif
