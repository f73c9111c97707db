/* SPDX-License-Identifier: MIT */
/*
 * Fetch: its messages. What has arrived is in gpu/wavefront.h.
 *
 *     instruction buffers with room ─► send ─► instruction cache ─► receive ─► instruction buffers
 */
#ifndef GPU_FRONT_END_H
#define GPU_FRONT_END_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/declare.h"

#define FRONT_END_PARAMETERS(X)                                                                    \
    X(NUMBER, fetch_bytes, "bytes", 32, 8, 64, "bytes of one fetch (a power of two)")              \
    X(NUMBER, buffer_bytes, "bytes", 64, 16, 512, "instruction buffer of a wavefront")             \
    X(NUMBER, fetch_request_cycles, "cycles", 1, 1, 1000, "to the instruction cache")

struct front_end_parameters {
    FRONT_END_PARAMETERS(PARAMETER_FIELD)
};

#define FRONT_END_STATISTICS(X)                                                                    \
    X(COUNTER, fetches, "fetches", "fetches sent to the instruction cache")                        \
    X(COUNTER, fetches_discarded, "fetches", "fetched blocks that a taken branch had made useless")

struct front_end_statistics {
    FRONT_END_STATISTICS(STATISTIC_FIELD)
};

struct boundary;
struct port;
struct wavefronts;

struct front_end {
    const struct front_end_parameters *parameters;
    struct front_end_statistics *statistics;
    struct wavefronts *waves;
    struct boundary *boundary;
    struct port *requests, *replies;
    uint32_t turn; /* slot after the one that fetched last */
    bool is_blocked;
};

/* Borrows all but itself. */
void front_end_init(struct front_end *front_end, const struct front_end_parameters *parameters,
                    struct front_end_statistics *statistics, struct wavefronts *waves,
                    struct boundary *boundary);
void front_end_connect(struct front_end *front_end, struct port *requests, struct port *replies);
void front_end_receive(struct front_end *front_end);
/* One fetch. */
void front_end_send(struct front_end *front_end);
/* The next cycle with something to do; NEVER: none, or a port wakes us. */
uint64_t front_end_next(const struct front_end *front_end);

#endif
