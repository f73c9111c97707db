/* SPDX-License-Identifier: MIT */
/* The parameters of the system `serial`. */
#ifndef TM_SERIAL_H
#define TM_SERIAL_H

#include "sim/declare.h"

#define SERIAL_PARAMETERS(X)                                                                       \
    X(NUMBER, handover_cycles, "cycles", 1, 1, 10000,                                              \
      "from the end of a transaction to the begin of the next in its work-group")

struct serial_parameters {
    SERIAL_PARAMETERS(PARAMETER_FIELD)
};
extern const struct parameter serial_parameters[];
extern const uint32_t serial_parameter_count;

#endif
