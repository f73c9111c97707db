/* SPDX-License-Identifier: MIT */
/* The roles of MOESI, and what its files share. NMOESI uses the read-only ones too. */
#ifndef MEM_PROTOCOL_MOESI_ROLES_H
#define MEM_PROTOCOL_MOESI_ROLES_H

#include "mem/protocol.h"

#define EVENT(event) (UINT64_C(1) << (event))
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

extern const struct protocol_role moesi_l1, moesi_scalar, moesi_instruction, moesi_directory;

#endif
