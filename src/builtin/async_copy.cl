/* SPDX-License-Identifier: MIT */
/*
 * Copies by all work-items of a work-group (OpenCL C 6.15.11): each moves every n-th element. The
 * copy is made at once; its event is the one given, and waiting for any is a barrier.
 */
#include "builtin/builtin.h"

#define COPY(type, to, from)                                                                       \
    OVERLOAD event_t async_work_group_strided_copy(to type *target, const from type *source,       \
                                                   size_t count, size_t stride, event_t event)     \
    {                                                                                              \
        size_t step = get_local_size(0) * get_local_size(1) * get_local_size(2);                   \
                                                                                                   \
        for (size_t i = get_local_linear_id(); i < count; i += step)                               \
            target[i * to##_STRIDE] = source[i * from##_STRIDE];                                   \
        return event;                                                                              \
    }                                                                                              \
                                                                                                   \
    OVERLOAD event_t async_work_group_copy(to type *target, const from type *source, size_t count, \
                                           event_t event)                                          \
    {                                                                                              \
        return async_work_group_strided_copy(target, source, count, 1, event);                     \
    }

/* The stride is that of global memory (6.15.11): elements of it, whichever way the copy goes. */
#define __global_STRIDE stride
#define __local_STRIDE 1

#define COPIES(type) COPY(type, __local, __global) COPY(type, __global, __local)
#define COPIES_OF(type) FOR_WIDTHS_OF(COPIES, type)

FOR_TYPES(COPIES_OF)

OVERLOAD void wait_group_events(int count, __private event_t *events)
{
    (void)count;
    (void)events;
    work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
