/* SPDX-License-Identifier: MIT */
/* Transfers between bank accounts in global memory. The check is exact: sums do not depend on the
 * order, but a lost transfer changes a balance. */
#include <stdio.h>

#include "exclusive.h"
#include "global_atm.cl.h"

enum { GROUP = 192, PAPER_GROUPS = 120, PAPER_TRANSFERS = 122880, PAPER_ACCOUNTS = 1000000 };

/* The kernel's: what a number of the sequence becomes. */
static cl_uint mix(cl_uint x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/* Every 16th account is closed: nothing leaves it. */
static void open_accounts(cl_uint *account, cl_uint accounts)
{
    for (cl_uint i = 0; i < accounts; i++) {
        account[2 * i] = 1000;
        account[2 * i + 1] = i % 16 != 7;
    }
}

static void make_transfers(cl_uint *account, cl_uint accounts, cl_uint transfers, cl_uint seed)
{
    for (cl_uint i = 0; i < transfers; i++) {
        cl_uint random = mix(seed + i), from = random % accounts;
        cl_uint to = (from + 1 + mix(random) % (accounts - 1)) % accounts;
        cl_uint amount = account[2 * from + 1] != 0 ? 1 + (random >> 24) : 0;

        account[2 * from] -= amount;
        account[2 * to] += amount;
    }
}

int main(int argc, char **argv)
{
    uint64_t version = EXCLUSIVE_FINE, paper = 0, accounts = 100000, transfers = 5;
    const struct workload_option options[] = {
        EXCLUSIVE_OPTIONS(&version, &paper),
        {"accounts", "N", "how many there are", &accounts, 2, 100000000},
        {"transfers", "N", "of each work-item", &transfers, 1, 1000},
    };
    struct workload workload = {
        .name = "global_atm",
        .summary = "Transfers between bank accounts in global memory.",
        EXCLUSIVE_WORKLOAD(options, "work-groups of 192 work-items", 40, 4, 16384)};
    char build_options[80];

    workload_parse(&workload, argc, argv);
    if (paper != 0) {
        workload.size = PAPER_GROUPS;
        accounts = PAPER_ACCOUNTS;
    }
    snprintf(build_options, sizeof build_options, "-D GROUP=%d -D VERSION=%u -D ACCOUNTS=%u", GROUP,
             (unsigned)version, (unsigned)accounts);
    workload_open(&workload, kernel_source, build_options);
    size_t words = 2 * accounts, bytes = words * sizeof(cl_uint);
    cl_uint seed = (cl_uint)workload.seed;
    cl_uint count = (cl_uint)(paper != 0 ? PAPER_TRANSFERS : workload.size * GROUP * transfers);
    cl_uint *found = workload_own_memory(&workload, words, sizeof *found);
    cl_uint *expected = workload_own_memory(&workload, words, sizeof *expected);
    cl_kernel kernel = workload_own_kernel(&workload, "transfer_all");
    cl_mem locks = workload_own_buffer(&workload, accounts * sizeof(cl_uint), found);
    cl_mem buffer = workload_own_buffer(&workload, bytes, NULL);
    bool right = true;

    open_accounts(expected, (cl_uint)accounts);
    make_transfers(expected, (cl_uint)accounts, count, seed);
    workload_arguments(kernel, "bbuu", buffer, locks, seed, count);
    for (uint64_t i = 0; i < workload.iterations; i++) {
        open_accounts(found, (cl_uint)accounts);
        workload_write(&workload, buffer, found, bytes);
        workload_run_items(&workload, kernel, workload.size * GROUP, GROUP);
        workload_read(&workload, buffer, found, bytes);
        right = right && workload_is_equal("account", found, expected, words);
    }
    int status = workload_verdict(&workload, right, found, bytes);

    workload_close(&workload);
    return status;
}
