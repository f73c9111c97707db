/* SPDX-License-Identifier: MIT */
/*
 * A counter that its owner, one work-group, and others raise under a lock. The owner takes and gives the lock with the scope that is
 * its own, the others with remote operations. Every one is counted; a lost one shows that two were inside at once or that the
 * counter was old.
 *
 * state: lock, and on lines of their own the counter and the tries that gave up
 */
#include "wavetank/scopes.cl.h"

#define POLL_LIMIT 20000
#define COUNTER 64
#define GIVEN_UP 128

bool own(volatile __global atomic_uint *lock)
{
    for (uint polls = 0; polls < POLL_LIMIT; polls++) {
        uint expected = 0;
        if (atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire,
                                                    memory_order_relaxed, WAVETANK_OWNER_SCOPE))
            return true;
    }
    return false;
}

bool take_remotely(volatile __global atomic_uint *lock)
{
    for (uint polls = 0; polls < POLL_LIMIT; polls++) {
        uint expected = 0;
        if (wavetank_remote_compare_exchange_acquire(lock, &expected, 1))
            return true;
    }
    return false;
}

__kernel void raise(__global uint *state, uint times)
{
    volatile __global atomic_uint *lock = (volatile __global atomic_uint *)state;
    bool is_owner = get_group_id(0) == 0;

    if (get_local_id(0) != 0)
        return;
    for (uint i = 0; i < times; i++) {
        if (!(is_owner ? own(lock) : take_remotely(lock))) {
            atomic_fetch_add_explicit(lock + GIVEN_UP, 1, memory_order_relaxed, memory_scope_device);
            continue;
        }
        state[COUNTER]++;
        if (is_owner)
            atomic_store_explicit(lock, 0, memory_order_release, WAVETANK_OWNER_SCOPE);
        else
            wavetank_remote_store_release(lock, 0);
    }
}

/* One of each, on 32 objects. */
__kernel void each(volatile __global atomic_uint *a, volatile __global atomic_int *b,
                   __global uint *out)
{
    uint expected = 5;
    int signed_expected = 7;

    out[0] = wavetank_remote_load_acquire(a);
    wavetank_remote_store_release(a + 1, 11);
    out[1] = wavetank_remote_exchange_acquire(a + 2, 12);
    out[2] = wavetank_remote_fetch_add_release(a + 3, 3);
    out[3] = wavetank_remote_fetch_sub_acquire_release(a + 4, 1);
    out[4] = wavetank_remote_fetch_or_acquire(a + 5, 8);
    out[5] = wavetank_remote_fetch_xor_release(a + 6, 3);
    out[6] = wavetank_remote_fetch_and_acquire_release(a + 7, 3);
    out[7] = wavetank_remote_fetch_min_acquire(a + 8, 2);
    out[8] = wavetank_remote_fetch_max_release(a + 9, 100);
    out[9] = wavetank_remote_compare_exchange_acquire_release(a + 5, &expected, 50);
    out[10] = expected;
    out[11] = wavetank_remote_compare_exchange_release(b, &signed_expected, -9);
    out[12] = (uint)signed_expected;
    out[13] = (uint)wavetank_remote_fetch_min_acquire_release(b + 1, -4);
}
