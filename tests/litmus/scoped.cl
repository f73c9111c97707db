/* SPDX-License-Identifier: MIT */
/*
 * Message passing between pairs of work-groups in standard OpenCL C 3.0 atomics, of the work-group's scope and of the device's. The even
 * work-group of a pair stores a block of plain words and tells so by a release of the flag. The odd one acquires the flag and reads the
 * block. With the scope of the work-group that is a race: the two are none. The listener has looked at the block before. In every second
 * pair it asks for the flag at once, and again until it gives up. In the others it asks for the first time after a pause. In it the
 * teller stores so much else that its first stores leave its cache.
 *
 * state: [0] words of blocks that were found old  [1] listeners that gave up
 */
#define LINES 64
#define LINE_WORDS 16

void pause(uint turns)
{
    for (volatile uint i = 0; i < turns; i++)
        ;
}

#define TELL(name, scope, polls)                                                                   \
    __kernel void name(__global uint *blocks, volatile __global atomic_uint *flags,                \
                       volatile __global atomic_uint *state, __global uint *others, uint round)    \
    {                                                                                              \
        __local uint is_there;                                                                     \
        uint pair = get_group_id(0) / 2, item = get_local_id(0), size = get_local_size(0);         \
        __global uint *word = blocks + pair * size + item;                                         \
        volatile __global atomic_uint *flag = flags + pair * LINE_WORDS;                           \
                                                                                                   \
        if (get_group_id(0) % 2 == 0) {                                                            \
            pause(200);                                                                            \
            *word = round;                                                                         \
            work_group_barrier(CLK_GLOBAL_MEM_FENCE);                                              \
            if (item == 0)                                                                         \
                atomic_store_explicit(flag, round, memory_order_release, scope);                   \
            for (uint i = 0; i < LINES; i++)                                                       \
                others[((pair * LINES + i) * size + item) * LINE_WORDS / size] = round;            \
        } else {                                                                                   \
            uint before = *word;                                                                   \
                                                                                                   \
            if (pair % 2 == 1)                                                                     \
                pause(3000 + before);                                                              \
            if (item == 0) {                                                                       \
                is_there = 0;                                                                      \
                for (uint i = 0; i < polls && !is_there; i++)                                      \
                    is_there = atomic_load_explicit(flag, memory_order_acquire, scope) == round;   \
                if (!is_there)                                                                     \
                    atomic_fetch_add_explicit(state + 1, 1, memory_order_relaxed,                  \
                                              memory_scope_device);                                \
            }                                                                                      \
            work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                        \
            if (is_there && *word != round)                                                        \
                atomic_fetch_add_explicit(state, 1, memory_order_relaxed, memory_scope_device);    \
        }                                                                                          \
    }

TELL(tell_group, memory_scope_work_group, 2000)
TELL(tell_device, memory_scope_device, 1000000)
