/* SPDX-License-Identifier: MIT */
/* What a move did, in words, a line each: added to world->story where that is set. */
#ifndef VERIFY_STORY_H
#define VERIFY_STORY_H

#include "verify/world.h"

/* Begins a line: the controller does something, with a message (NULL: none). */
void story_stimulus(struct world *world, uint32_t who, const struct message *message,
                    const char *does);
/* The same of a request that the traffic offers. */
void story_request(struct world *world, uint32_t who, const struct message *message);
void story_eviction(struct world *world, uint32_t who, uint64_t addr);
/* The row that it went through; and each output. */
void story_row(struct world *world, uint32_t who, const struct step *step);
void story_output(struct world *world, uint32_t who, const struct output *output);

#endif
