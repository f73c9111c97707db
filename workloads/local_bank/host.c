/* SPDX-License-Identifier: MIT */
/* Transfers between accounts in local memory. The check is exact: sums do not depend on the order,
 * but a lost transfer changes a balance. */
#include <stdio.h>

#include "critical.h"
#include "local_bank.cl.h"

enum { GROUP = CRITICAL_GROUP };

/* The kernel's: what a number of the sequence becomes. */
static cl_uint mix(cl_uint x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/* All balances of one group, by making its transfers one after the other. */
static void balances_of_group(cl_uint *balance, cl_uint accounts, cl_uint first, cl_uint count,
                              cl_uint seed)
{
    for (cl_uint i = 0; i < accounts; i++)
        balance[i] = 1000;
    for (cl_uint i = 0; i < count; i++) {
        cl_uint random = mix(seed + first + i), from = random % accounts;
        cl_uint to = (from + 1 + (random >> 8) % (accounts - 1)) % accounts;

        balance[from] -= 1 + (random >> 24);
        balance[to] += 1 + (random >> 24);
    }
}

int main(int argc, char **argv)
{
    uint64_t version = VERSION_FINE, accounts = 256, transfers = 4;
    const struct workload_option options[] = {
        CRITICAL_OPTION(&version),
        {"accounts", "N", "of each group", &accounts, 2, 2048},
        {"transfers", "N", "of each work-item", &transfers, 1, 1000},
    };
    struct workload workload = {.name = "local_bank",
                                .summary = "Transfers between accounts in local memory.",
                                .size_help = "work-groups, a bank each",
                                .options = options,
                                .option_count = sizeof options / sizeof options[0],
                                .size = 512,
                                .size_small = 5,
                                .size_min = 1,
                                .size_max = 16384,
                                .iterations = 1,
                                .seed = 1};
    char build_options[120];

    workload_parse(&workload, argc, argv);
    snprintf(build_options, sizeof build_options,
             "-D GROUP=%d -D VERSION=%u -D ACCOUNTS=%u -D TRANSFERS=%u", GROUP, (unsigned)version,
             (unsigned)accounts, (unsigned)transfers);
    workload_open(&workload, kernel_source, build_options);
    size_t count = workload.size * accounts;
    cl_uint seed = (cl_uint)workload.seed, each = GROUP * (cl_uint)transfers;
    cl_kernel kernel = workload_own_kernel(&workload, "transfer_all");
    cl_mem buffer = workload_own_buffer(&workload, count * sizeof(cl_uint), NULL);
    cl_uint *found = workload_own_memory(&workload, count, sizeof *found);
    cl_uint *expected = workload_own_memory(&workload, count, sizeof *expected);
    bool right = true;

    for (size_t group = 0; group < workload.size; group++)
        balances_of_group(expected + group * accounts, (cl_uint)accounts, (cl_uint)group * each,
                          each, seed);
    workload_arguments(kernel, "bu", buffer, seed);
    for (uint64_t i = 0; i < workload.iterations; i++) {
        workload_run_items(&workload, kernel, workload.size * GROUP, GROUP);
        workload_read(&workload, buffer, found, count * sizeof *found);
        right = right && workload_is_equal("balance", found, expected, count);
    }
    int status = workload_verdict(&workload, right, found, count * sizeof *found);

    workload_close(&workload);
    return status;
}
