/* SPDX-License-Identifier: MIT */
/*
 * Each work-item has SAMPLES samples. A sample falls into three different bins in local memory, and
 * counts only if none of the three is full. All are looked at and raised, or none, as one critical
 * section. A bin is full at LIMIT. With a lock for each bin a work-item takes three, in the order of
 * the bins. It gives back what it has where it does not get the next.
 *
 * Which samples count depends on their order; that none is half counted does not.
 */
#include "critical.cl"

static inline uint mix(uint x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/* Three different bins, in ascending order. */
static inline uint3 bins_of(uint random)
{
    uint a = random % BINS;
    uint b = (a + 1 + (random >> 8) % (BINS / 2 - 1)) % BINS;
    uint c = (a + BINS / 2 + (random >> 16) % (BINS / 2)) % BINS;
    uint low = min(a, min(b, c)), high = max(a, max(b, c));

    return (uint3)(low, a + b + c - low - high, high);
}

static inline uint count(local_words bin, uint3 at)
{
    uint x = bin[at.x], y = bin[at.y], z = bin[at.z];
    uint counts = x < LIMIT && y < LIMIT && z < LIMIT;

    if (counts) {
        bin[at.x] = x + 1;
        bin[at.y] = y + 1;
        bin[at.z] = z + 1;
    }
    return counts;
}

#if VERSION == VERSION_FINE
static uint count_alone(local_words bin, local_words locks, uint item, uint3 at)
{
    uint counts = 0;

    for (;;) {
        uint done = lock_try(locks + at.x);
        if (done) {
            done = lock_try(locks + at.y);
            if (done) {
                done = lock_try(locks + at.z);
                if (done) {
                    counts = count(bin, at);
                    lock_release(locks + at.z);
                }
                lock_release(locks + at.y);
            }
            lock_release(locks + at.x);
        }
        MEET(done);
        if (done)
            break;
    }
    return counts;
}
#else
static uint count_alone(local_words bin, local_words locks, uint item, uint3 at)
{
    uint counts = 0;

    CRITICAL(item, locks, counts, { counts = count(bin, at); });
    return counts;
}
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
count_all(__global uint *bins, __global uint *counted, uint seed)
{
    __local uint bin[BINS];
    __local uint locks[BINS];
    uint item = get_local_id(0), group = get_group_id(0);

    for (uint i = item; i < BINS; i += GROUP)
        bin[i] = locks[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < SAMPLES; i++) {
        uint sample = (group * GROUP + item) * SAMPLES + i;

        counted[sample] = count_alone(bin, locks, item, bins_of(mix(seed + sample)));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < BINS; i += GROUP)
        bins[group * BINS + i] = bin[i];
}
