/* SPDX-License-Identifier: MIT */
/* Each work-item makes transfers between two of ACCOUNTS accounts in global memory. It reads three words of the two
 * (whether the account is open, and both balances) and writes both balances. */
#include "exclusive.cl"

static inline uint mix(uint x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/* An account: its balance, and 1 while it is open. */
static inline void move(global_words accounts, uint from, uint to, uint amount)
{
    uint source = accounts[2 * from], target = accounts[2 * to];

    if (accounts[2 * from + 1] != 0) {
        accounts[2 * from] = source - amount;
        accounts[2 * to] = target + amount;
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
transfer_all(global_words accounts, global_words locks, uint seed, uint transfers)
{
    uint item = get_global_id(0), items = get_global_size(0);

    for (uint i = item; i < transfers; i += items) {
        uint random = mix(seed + i), from = random % ACCOUNTS, kept = 0;
        uint to = (from + 1 + mix(random) % (ACCOUNTS - 1)) % ACCOUNTS, amount = 1 + (random >> 24);

        EXCLUSIVE_PAIR(locks, from, to, kept, { move(accounts, from, to, amount); });
    }
}
