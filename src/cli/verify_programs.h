/* SPDX-License-Identifier: MIT */
/* `wavetank verify --programs`: tiny programs through everything that a small machine can do. */
#ifndef CLI_VERIFY_PROGRAMS_H
#define CLI_VERIFY_PROGRAMS_H

#include <stdint.h>

#include "mem/protocol.h"

/* Explores each program that the protocol's scopes can run, and prints a line for each; stops at
 * the first forbidden outcome, and tells its shortest path. Gives the exit status. */
int verify_programs(const struct protocol *protocol, const char *name, uint64_t most_states);

#endif
