/* SPDX-License-Identifier: MIT */
/* The systems that list.c lists; their names are needed nowhere else. */
#ifndef TM_SYSTEMS_H
#define TM_SYSTEMS_H

#include "tm/tm.h"

extern const struct tm_system tm_none, tm_serial, tm_serial_global, tm_ideal, tm_ideal_global,
    tm_localtm, tm_kilotm;

#endif
