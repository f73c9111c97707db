/* SPDX-License-Identifier: MIT */
/* The parameters of the system `serial_global`. */
#ifndef TM_SERIAL_GLOBAL_H
#define TM_SERIAL_GLOBAL_H

#include "sim/declare.h"

#define SERIAL_GLOBAL_PARAMETERS(X)                                                                \
    X(NUMBER, handover_cycles, "cycles", 1, 1, 10000,                                              \
      "from the token's return until it is sent to the next wavefront, besides its two journeys")

struct serial_global_parameters {
    SERIAL_GLOBAL_PARAMETERS(PARAMETER_FIELD)
};
extern const struct parameter serial_global_parameters[];
extern const uint32_t serial_global_parameter_count;

#endif
