/* SPDX-License-Identifier: MIT */
/* The parameters that systems declare, each under its system's name: one row here for a system that
 * has any. The configuration reads them as localtm.NAME. */
#ifndef TM_PARAMETERS_H
#define TM_PARAMETERS_H

#include "sim/declare.h"
#include "tm/ideal_global.h"
#include "tm/kilotm.h"
#include "tm/localtm.h"
#include "tm/serial.h"
#include "tm/serial_global.h"

/* name, what stands in front of its parameters */
#define TM_PARAMETER_GROUPS(X)                                                                     \
    X(ideal_global, "transactional memory ideal_global: without overheads")                        \
    X(kilotm, "transactional memory kilotm: KILO TM")                                              \
    X(localtm, "transactional memory localtm: GPU-LocalTM")                                        \
    X(serial, "transactional memory serial: one transaction at a time")                            \
    X(serial_global, "transactional memory serial_global: one transaction at a time")

#define TM_PARAMETER_GROUP(name, help) struct name##_parameters name;
struct tm_parameters {
    TM_PARAMETER_GROUPS(TM_PARAMETER_GROUP)
};
#undef TM_PARAMETER_GROUP

/* The declared defaults. */
void tm_defaults(struct tm_parameters *parameters);

#endif
