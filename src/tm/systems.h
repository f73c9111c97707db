/* SPDX-License-Identifier: MIT */
/* The systems that list.c lists; nobody else needs their names. */
#ifndef TM_SYSTEMS_H
#define TM_SYSTEMS_H

#include "tm/tm.h"

extern const struct tm_system tm_none;

#endif
