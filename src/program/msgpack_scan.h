/* SPDX-License-Identifier: MIT */
/* Is a MessagePack value worth unpacking? msgpack-c allocates what a header promises, so a damaged
 * length must be found before. Source: the MessagePack specification, "Formats". */
#ifndef PROGRAM_MSGPACK_SCAN_H
#define PROGRAM_MSGPACK_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the bytes begin with one complete value that promises no more elements than bytes are
 * there. */
bool msgpack_is_plausible(const void *bytes, size_t count);

#endif
