/* SPDX-License-Identifier: MIT */
/* The roles of NMOESI; instruction caches have the role that MOESI has for them. */
#ifndef MEM_PROTOCOL_NMOESI_ROLES_H
#define MEM_PROTOCOL_NMOESI_ROLES_H

#include "mem/protocol.h"

extern const struct protocol_role nmoesi_l1, nmoesi_scalar, nmoesi_directory;

#endif
