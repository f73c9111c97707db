/* SPDX-License-Identifier: MIT */
/*
 * Each work-item makes TRANSFERS transfers between two of ACCOUNTS accounts in local memory. A
 * transfer reads both balances and writes both, as one critical section. With locks of its own for
 * each account it takes two, the lower account's first. It gives back the first where it does not
 * get the second.
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

static inline void move(local_words balance, uint from, uint to, uint amount)
{
    uint source = balance[from], target = balance[to];

    balance[from] = source - amount;
    balance[to] = target + amount;
}

#if VERSION == VERSION_FINE
static void transfer(local_words balance, local_words locks, uint item, uint from, uint to,
                     uint amount)
{
    local_words low = locks + min(from, to), high = locks + max(from, to);

    for (;;) {
        uint done = lock_try(low);
        if (done) {
            done = lock_try(high);
            if (done) {
                move(balance, from, to, amount);
                lock_release(high);
            }
            lock_release(low);
        }
        MEET(done);
        if (done)
            break;
    }
}
#else
static void transfer(local_words balance, local_words locks, uint item, uint from, uint to,
                     uint amount)
{
    uint kept = 0;

    CRITICAL(item, locks, kept, { move(balance, from, to, amount); });
}
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
transfer_all(__global uint *balances, uint seed)
{
    __local uint balance[ACCOUNTS];
    __local uint locks[ACCOUNTS];
    uint item = get_local_id(0), group = get_group_id(0);

    for (uint i = item; i < ACCOUNTS; i += GROUP) {
        balance[i] = 1000;
        locks[i] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < TRANSFERS; i++) {
        uint random = mix(seed + (group * GROUP + item) * TRANSFERS + i);
        uint from = random % ACCOUNTS;
        uint to = (from + 1 + (random >> 8) % (ACCOUNTS - 1)) % ACCOUNTS;

        transfer(balance, locks, item, from, to, 1 + (random >> 24));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < ACCOUNTS; i += GROUP)
        balances[group * ACCOUNTS + i] = balance[i];
}
