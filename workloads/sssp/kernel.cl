/* SPDX-License-Identifier: MIT */
/*
 * One round of shortest paths from a source (Bellman and Ford), by pulling. A vertex's distance is the
 * least of its own and of its neighbours' plus the way. A task is CHUNK vertices, a work-item each at
 * a time; one that finds a shorter way says so in `changed`.
 */
#include "stealing.cl"

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
relax_all(QUEUE_PARAMETERS, __global const uint *rows, __global const uint *columns,
          __global const uint *weights, __global const uint *distance, __global uint *next_distance,
          volatile __global atomic_uint *changed, uint vertices)
{
    OPEN_QUEUES(queues);

    FOR_EACH_TASK(queues, task, {
        for (uint i = get_local_id(0); i < CHUNK; i += GROUP) {
            uint vertex = task * CHUNK + i;

            if (vertex < vertices) {
                uint end = rows[vertex + 1], old = distance[vertex], least = old;

                for (uint arc = rows[vertex]; arc < end; arc++)
                    least = min(least, add_sat(distance[columns[arc]], weights[arc]));
                next_distance[vertex] = least;
                if (least != old)
                    atomic_store_explicit(changed, 1, memory_order_relaxed,
                                          memory_scope_device);
            }
        }
    });
}
