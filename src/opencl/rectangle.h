/* SPDX-License-Identifier: MIT */
/*
 * Boxes of region[2] slices of region[1] rows of region[0] bytes, in a memory object or in host
 * memory. The commands that move them are clEnqueueReadBufferRect and its kin, and those on images.
 */
#ifndef OPENCL_RECTANGLE_H
#define OPENCL_RECTANGLE_H

#include "opencl/driver.h"

/* Where a box lies in linear memory. */
struct box {
    size_t origin[3];              /* bytes, rows, slices */
    size_t row_pitch, slice_pitch; /* bytes */
};

/* The first byte of a row of the box. */
size_t box_offset(const struct box *box, size_t row, size_t slice);
/* Whether the last byte of the box lies in `bytes`. */
bool box_fits(const struct box *box, const size_t region[3], size_t bytes);
/* Whether two boxes of one size and pitch, `distance` bytes apart, share a byte. */
bool boxes_overlap(int64_t distance, const size_t region[3], const struct box *box);

/* Read: to target_pointer. Write: from source_pointer. Copy: from `source`. Boxes lie in their
 * objects, and source and target of a copy do not overlap. */
struct rectangle_move {
    cl_command_type type;
    struct wait_list waits;
    cl_mem memory, source;
    struct box box, other; /* in `memory`; in `source` or host memory */
    size_t region[3];      /* bytes, rows, slices; none is 0 */
    unsigned char *target_pointer;
    const unsigned char *source_pointer;
};

/* Makes a command of it and submits that. */
cl_int rectangle_submit(cl_command_queue queue, const struct rectangle_move *move, bool is_blocking,
                        cl_event *event);

#endif
