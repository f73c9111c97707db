/* SPDX-License-Identifier: MIT */
/*
 * A queue of tasks in local memory that all work-items of a group take from and add to. A task is a
 * range of LEAVES leaves. One of several leaves is split, and its halves are added; one of a single
 * leaf is worked on. Taking and adding are critical sections. The group goes round until every leaf is
 * done; a round's take may find the queue empty. The fine-grained version has a lock for each end: a
 * task is stored before the count of tasks is raised.
 *
 * A task is first << 16 | count, never 0. The queue has room for all tasks that ever are, 2 LEAVES - 1.
 */
#include "critical.cl"

enum { HEAD, TAIL, DONE, COUNTERS };

static inline uint take(local_words queue, local_words counters)
{
    uint head = counters[HEAD], task = 0;

    if (head != counters[TAIL]) {
        task = queue[head];
        counters[HEAD] = head + 1;
    }
    return task;
}

static inline void add_halves(local_words queue, local_words counters, uint task)
{
    uint first = task >> 16, count = task & 0xffff, part = count / 2, tail = counters[TAIL];

    queue[tail] = first << 16 | part;
    queue[tail + 1] = (first + part) << 16 | (count - part);
    counters[TAIL] = tail + 2;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
work_all(__global uint *times, __global uint *rounds)
{
    __local uint queue[2 * LEAVES];
    __local uint counters[COUNTERS];
    __local uint worked[LEAVES];
    __local uint locks[2]; /* of taking, of adding */
    uint item = get_local_id(0), round = 0;

    for (uint i = item; i < LEAVES; i += GROUP)
        worked[i] = 0;
    if (item == 0) {
        queue[0] = LEAVES;
        counters[HEAD] = counters[DONE] = 0;
        counters[TAIL] = 1;
        locks[0] = locks[1] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (;;) {
        uint task = 0, kept = 0;

        CRITICAL(item, LOCK_OF(locks, 0), task, { task = take(queue, counters); });
        uint is_leaf = (task & 0xffff) == 1, splits = task != 0 && !is_leaf;
        if (is_leaf) {
            atomic_inc(&worked[task >> 16]);
            atomic_inc(&counters[DONE]);
        }
        CRITICAL(item, LOCK_OF(locks, 1), kept, {
            if (splits)
                add_halves(queue, counters, task);
        });
        round++;
        barrier(CLK_LOCAL_MEM_FENCE);
        uint done = counters[DONE];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (done == LEAVES)
            break;
    }
    for (uint i = item; i < LEAVES; i += GROUP)
        times[get_group_id(0) * LEAVES + i] = worked[i];
    if (item == 0)
        rounds[get_group_id(0)] = round;
}
