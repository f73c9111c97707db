/* SPDX-License-Identifier: MIT */
/*
 * One round of PageRank, by pulling: a vertex's rank is what its neighbours give it. `gift` is a
 * vertex's rank over its degree. A task is CHUNK vertices, a work-item each at a time.
 */
#include "stealing.cl"

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
rank_all(QUEUE_PARAMETERS, __global const uint *rows, __global const uint *columns,
         __global const float *part, __global const float *gift, __global float *rank,
         __global float *next_gift, uint vertices, float base, float damping)
{
    OPEN_QUEUES(queues);

    FOR_EACH_TASK(queues, task, {
        for (uint i = get_local_id(0); i < CHUNK; i += GROUP) {
            uint vertex = task * CHUNK + i;

            if (vertex < vertices) {
                uint end = rows[vertex + 1];
                float sum = 0.0f;

                for (uint arc = rows[vertex]; arc < end; arc++)
                    sum += gift[columns[arc]];
                sum = fma(damping, sum, base);
                rank[vertex] = sum;
                next_gift[vertex] = sum * part[vertex];
            }
        }
    });
}
