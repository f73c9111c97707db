/* SPDX-License-Identifier: MIT */
/* Parameters of SI. */
#ifndef MEM_PROTOCOL_SI_PARAMETERS_H
#define MEM_PROTOCOL_SI_PARAMETERS_H

#include "sim/declare.h"

#define SI_PARAMETERS(X)                                                                           \
    X(NUMBER, store_fetches, "", 0, 0, 1,                                                          \
      "1: a store that misses in L2 holds its way and an MSHR until memory has answered; 0: it "   \
      "goes nowhere")

struct si_parameters {
    SI_PARAMETERS(PARAMETER_FIELD)
};
extern const struct parameter si_parameters[];
extern const uint32_t si_parameter_count;

#endif
