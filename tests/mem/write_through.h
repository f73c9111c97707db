/* SPDX-License-Identifier: MIT */
/* A second protocol, to show that the tables are all there is to one: both levels write through,
 * nothing is ever dirty, and stores do not allocate. */
#ifndef TESTS_MEM_WRITE_THROUGH_H
#define TESTS_MEM_WRITE_THROUGH_H

#include "mem/protocol.h"

extern const struct protocol protocol_write_through;

#endif
