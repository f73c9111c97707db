/* SPDX-License-Identifier: MIT */
/* For hosts of programs whose kernels include critical.cl: the option that chooses the way in which
 * critical sections are kept apart. Its value is what VERSION is in the kernel. */
#ifndef CRITICAL_H
#define CRITICAL_H

#include "workload.h"

enum {
    VERSION_TRANSACTION,
    VERSION_SERIAL,
    VERSION_FINE,
    VERSION_COARSE,
    /* A work-group of these programs: the most that share local memory on the HD 7970. */
    CRITICAL_GROUP = 256
};

#define CRITICAL_OPTION(version)                                                                   \
    {                                                                                              \
        "version", "tm|serial|fine|coarse", "how critical sections are kept apart", (version), 0, 0 \
    }

#endif
