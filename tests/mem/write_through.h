/* SPDX-License-Identifier: MIT */
/* A second protocol, to show that the tables are all there is to one. Both levels write through,
 * nothing is ever dirty, and stores do not allocate. */
#ifndef TESTS_MEM_WRITE_THROUGH_H
#define TESTS_MEM_WRITE_THROUGH_H

#include "mem/protocol.h"

/* Kinds of its own: a request, the last kind of all, that an upper cache answers at once. */
enum { WRITE_THROUGH_PONG = MESSAGE_PROTOCOL, WRITE_THROUGH_PING };

extern const struct protocol protocol_write_through;

#endif
