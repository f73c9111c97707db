/* SPDX-License-Identifier: MIT */
/*
 * Message passing between work-groups as OpenCL C 3.0 has it. Each work-group waits until the one before it has stored its block and
 * said so, reads the block, and stores its own. Blocks are plain memory, each with a word for each work-item; only the flags are
 * atomics. Before it waits a work-group looks at the block, so that an old copy may lie in a cache.
 *
 * message_fences is the same as programs of OpenCL 1 have it, whose atomics have no order and which take a fence to order all memory.
 *
 * state: [0] words of blocks that were found old  [1] work-groups that gave up waiting
 */
#define POLL_LIMIT 100000

bool wait_for(volatile __global atomic_uint *flag, uint round, memory_order order)
{
    for (uint polls = 0; polls < POLL_LIMIT; polls++)
        if (atomic_load_explicit(flag, order, memory_scope_device) >= round)
            return true;
    return false;
}

#define PASS(name, store_order, load_order)                                                        \
    __kernel void name(__global uint *blocks, volatile __global atomic_uint *flags,                \
                       volatile __global atomic_uint *state, uint round)                           \
    {                                                                                              \
        __local uint is_there;                                                                     \
        uint group = get_group_id(0), item = get_local_id(0), size = get_local_size(0);            \
        __global uint *block = blocks + group * size + item;                                       \
                                                                                                   \
        if (group > 0) {                                                                           \
            uint before = *(block - size);                                                         \
            if (item == 0) {                                                                       \
                is_there = wait_for(flags + group - 1, round, load_order);                         \
                if (!is_there)                                                                     \
                    atomic_fetch_add_explicit(state + 1, 1, memory_order_relaxed,                  \
                                              memory_scope_device);                                \
            }                                                                                      \
            work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                        \
            if (before >= round * 1000 + group ||                                                  \
                (is_there && *(block - size) != round * 1000 + group - 1))                         \
                atomic_fetch_add_explicit(state, 1, memory_order_relaxed, memory_scope_device);    \
        }                                                                                          \
        *block = round * 1000 + group;                                                             \
        work_group_barrier(CLK_GLOBAL_MEM_FENCE);                                                  \
        if (item == 0)                                                                             \
            atomic_store_explicit(flags + group, round, store_order, memory_scope_device);         \
    }

PASS(message, memory_order_release, memory_order_acquire)
PASS(message_relaxed, memory_order_relaxed, memory_order_relaxed)

__kernel void message_fences(__global uint *blocks, volatile __global uint *flags,
                             volatile __global uint *state, uint round)
{
    __local uint is_there;
    uint group = get_group_id(0), item = get_local_id(0), size = get_local_size(0);
    __global uint *block = blocks + group * size + item;

    if (group > 0) {
        uint before = *(block - size);

        if (item == 0) {
            is_there = 0;
            for (uint polls = 0; polls < POLL_LIMIT && !is_there; polls++)
                is_there = atomic_or(flags + group - 1, 0) >= round;
            if (!is_there)
                atomic_inc(state + 1);
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (before >= round * 1000 + group ||
            (is_there && *(block - size) != round * 1000 + group - 1))
            atomic_inc(state);
    }
    *block = round * 1000 + group;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0)
        atomic_xchg(flags + group, round);
}
