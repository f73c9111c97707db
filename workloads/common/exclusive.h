/* SPDX-License-Identifier: MIT */
/* For hosts of programs whose kernels include exclusive.cl. Here are the options that choose how
 * critical sections over global memory are kept apart. Here are also the paper's sizes (Fung et al.,
 * "Hardware Transactional Memory for GPU Architectures", MICRO 2011, Table 2). */
#ifndef EXCLUSIVE_H
#define EXCLUSIVE_H

#include "workload.h"

enum { EXCLUSIVE_TRANSACTION, EXCLUSIVE_SERIAL, EXCLUSIVE_FINE };

#define EXCLUSIVE_OPTIONS(version, paper)                                                          \
    {"version", "tm|serial|fine", "how critical sections are kept apart", (version), 0, 0},        \
    {                                                                                              \
        "paper", NULL, "the sizes of Fung et al. (MICRO 2011), whatever else says", (paper), 0, 0  \
    }

/* Of struct workload: its options, and its sizes. */
#define EXCLUSIVE_WORKLOAD(choices, what, usual, small, highest)                                   \
    .size_help = (what), .options = (choices), .option_count = sizeof(choices) / sizeof *(choices), \
    .size = (usual), .size_small = (small), .size_min = 1, .size_max = (highest),               \
    .iterations = 1, .seed = 1

#endif
