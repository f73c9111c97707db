/* SPDX-License-Identifier: MIT */
#include "mem/protocol.h"

extern const struct protocol protocol_si;

const struct protocol *const protocols[] = {&protocol_si, NULL};
