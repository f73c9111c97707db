/* SPDX-License-Identifier: MIT */
/* Parameters of the scoped protocols: QR, RSP, sRSP. */
#ifndef MEM_PROTOCOL_SCOPED_PARAMETERS_H
#define MEM_PROTOCOL_SCOPED_PARAMETERS_H

#include "sim/declare.h"

enum { SCOPED_ENTRIES_MAX = 32 };

#define SCOPED_PARAMETERS(X)                                                                       \
    X(NUMBER, l1_sfifo_entries, "entries", 16, 1, SCOPED_ENTRIES_MAX,                             \
      "of an L1's FIFO of dirty lines; the oldest is written back when there are more")            \
    X(NUMBER, l2_sfifo_entries, "entries", 0, 0, SCOPED_ENTRIES_MAX,                              \
      "the same of an L2 slice, toward memory; 0: no bound, and no FIFO")                          \
    X(NUMBER, release_entries, "entries", 16, 1, SCOPED_ENTRIES_MAX,                              \
      "srsp: objects of which an L1 remembers its latest release (LR-TBL)")                        \
    X(NUMBER, promotion_entries, "entries", 16, 1, SCOPED_ENTRIES_MAX,                            \
      "srsp: objects whose next acquire an L1 promotes (PA-TBL); beyond that it promotes all")     \
    X(NUMBER, skips_own_release, "", 0, 0, 1,                                                      \
      "srsp: 1: a remote acquire whose own L1 remembers a release of the object asks no other L1")

struct scoped_parameters {
    SCOPED_PARAMETERS(PARAMETER_FIELD)
};
extern const struct parameter scoped_parameters[];
extern const uint32_t scoped_parameter_count;

#endif
