/* SPDX-License-Identifier: MIT */
/*
 * One round of a maximal independent set with fixed priorities (Luby). An undecided vertex is out if a
 * neighbour is in, and in if no neighbour that is not out has a higher priority. A task is CHUNK
 * vertices, a work-item each at a time; one that stays undecided says so in `undecided`.
 */
#include "stealing.cl"

enum { UNDECIDED, IN, OUT };

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
decide_all(QUEUE_PARAMETERS, __global const uint *rows, __global const uint *columns,
           __global const uint *priority, __global const uint *state, __global uint *next_state,
           volatile __global atomic_uint *undecided, uint vertices)
{
    OPEN_QUEUES(queues);

    FOR_EACH_TASK(queues, task, {
        for (uint i = get_local_id(0); i < CHUNK; i += GROUP) {
            uint vertex = task * CHUNK + i;

            if (vertex < vertices) {
                uint end = rows[vertex + 1], mine = state[vertex], own = priority[vertex];
                uint is_undecided = mine == UNDECIDED, is_highest = is_undecided, has_in = 0;

                for (uint arc = is_undecided ? rows[vertex] : end; arc < end && !has_in; arc++) {
                    uint other = columns[arc], theirs = state[other];

                    has_in = theirs == IN;
                    if (theirs == UNDECIDED && priority[other] > own)
                        is_highest = 0;
                }
                if (is_undecided)
                    mine = has_in ? OUT : is_highest ? IN : UNDECIDED;
                next_state[vertex] = mine;
                if (mine == UNDECIDED)
                    atomic_store_explicit(undecided, 1, memory_order_relaxed,
                                          memory_scope_device);
            }
        }
    });
}
