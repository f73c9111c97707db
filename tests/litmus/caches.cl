/* SPDX-License-Identifier: MIT */
/*
 * Small kernels that each rest on one duty of the memory system. The host side (caches.c) says which. Orders and scopes are those of
 * standard atomics and fences. PLAIN is an ordinary load that clang can neither merge nor move, FRESH one of device scope (GLC).
 */
#define SPIN_LIMIT 20000
#define FRESH(place) atomic_load_explicit(place, memory_order_relaxed, memory_scope_device)
#define PUT(place, value) atomic_store_explicit(place, value, memory_order_relaxed, memory_scope_device)
#define ADD(place, value) atomic_fetch_add_explicit(place, value, memory_order_relaxed, memory_scope_device)
#define FENCE(order) atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, order, memory_scope_device)

uint PLAIN(__global atomic_uint *place)
{
    __asm__ volatile("" : : : "memory");
    return *(__global uint *)place;
}

void put_plain(__global atomic_uint *place, uint value)
{
    *(__global uint *)place = value;
    __asm__ volatile("" : : : "memory");
}

uint zero_by_lane(void)
{
    uint zero; /* clang must not know that lanes agree */
    __asm__ volatile("v_mov_b32 %0, 0" : "=v"(zero));
    return zero;
}

/* Waits until the word is not 0; an atomic, so that only L2 is asked. */
void wait_for(__global atomic_uint *flag, uint zero)
{
    for (uint n = 0; n < SPIN_LIMIT; n++)
        if (ADD(flag, zero) != 0)
            return;
}

/*
 * Group 0 warms its L1 with 64 words, lets group 1 store new ones, and looks again: without a fence, past the L1 (if asked
 * to), after a fence. shared: 64 words, then flags on lines of their own. results: four sets of 64 words.
 */
__kernel void stale_word(__global atomic_uint *shared, __global uint *results, uint zero,
                         uint past_l1)
{
    uint i = get_local_id(0);
    __global atomic_uint *word = shared + i;
    __global atomic_uint *ready = shared + 256 + zero_by_lane(), *done = ready + 256;

    if (get_group_id(0) == 0) {
        results[i] = PLAIN(word);
        FENCE(memory_order_release);
        if (i == 0)
            ADD(ready, 1);
        wait_for(done, zero);
        results[64 + i] = PLAIN(word);
        results[128 + i] = past_l1 ? FRESH(word) : 0;
        FENCE(memory_order_acquire);
        results[192 + i] = PLAIN(word);
    } else if (get_group_id(0) == 1) {
        wait_for(ready, zero);
        PUT(word, 1000 + i);
        FENCE(memory_order_release);
        if (i == 0)
            ADD(done, 1);
    }
}

/* Every group reads all `count` words and adds them up, by vector loads. */
__kernel void sum_all(__global const uint *words, __global uint *sums, uint count)
{
    uint sum = 0;

    for (uint i = get_local_id(0); i < count; i += get_local_size(0))
        sum += words[i];
    sums[get_global_id(0)] = sum;
}

/* The same by scalar loads: index and trip count are the same for all lanes. */
__kernel void sum_uniform(__global const uint *restrict words, __global uint *restrict sums,
                          uint count)
{
    uint sum = 0;

    for (uint i = 0; i < count; i++)
        sum += words[i];
    sums[get_global_id(0)] = sum;
}

/* words[i * step] = i * factor + 1 */
__kernel void put_sequence(__global uint *words, uint factor, uint step)
{
    uint i = get_global_id(0);

    words[i * step] = i * factor + 1;
}

__kernel void put_vectors(__global uint4 *words, uint factor)
{
    uint i = get_global_id(0);

    words[i] = (uint4)(4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3) * factor + 1;
}

__kernel void copy_words(__global const uint *from, __global uint *to)
{
    to[get_global_id(0)] = from[get_global_id(0)];
}

/* Each lane reads its word, every other one stores to it, each reads it again. */
__kernel void own_store(__global atomic_uint *words, __global uint *results)
{
    uint i = get_global_id(0);
    __global atomic_uint *word = words + i;
    uint before = PLAIN(word);

    if (i & 1)
        put_plain(word, before + 100);
    results[i] = PLAIN(word);
}

/* The last wavefront comes late to the barrier; the others read what it brings. */
__kernel void late_wavefront(__global uint *results)
{
    __local volatile uint word;
    uint i = get_local_id(0), last = get_local_size(0) - 1;

    if (i == last)
        word = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i / 64 == last / 64)
        for (uint n = 0; n < 500; n++)
            __asm__ volatile("s_nop 7");
    if (i == last)
        word = 77;
    barrier(CLK_LOCAL_MEM_FENCE);
    results[get_global_id(0)] = word;
}

/* The address of every lane's word is known in all lanes before the store. */
__kernel void some_lanes(__global uint *words)
{
    uint i = get_global_id(0);
    __global uint *word = words + i;

    __asm__ volatile("" : "+v"(word));
    if ((i * 7 & 4) != 0)
        *word = 5000 + i;
}

/* Many stores at the very end of each wavefront. */
__kernel void last_stores(__global uint *words)
{
    uint i = get_global_id(0), step = get_global_size(0);

    for (uint n = 0; n < 8; n++)
        words[(n * step + i) * 17 % (8 * step)] = i + n;
}

/* The store is the last instruction but one, or is left out: otherwise the same. */
__kernel void one_store(__global uint *word, uint stores)
{
    if (get_local_id(0) < stores)
        *word = 1234;
}

/* Each lane's word, loaded, waited for and stored with 1 added. The sleep lets the argument arrive even if nothing waits. */
__kernel void load_and_use(__global uint *words)
{
    uint i = get_local_id(0);

    __asm__ volatile("s_sleep 100" : "+s"(words));
    words[256 + i] = words[i] + 1;
}
