/* SPDX-License-Identifier: MIT */
/*
 * Prompt moves: deliveries that may be made at once, before any other move, since whatever could
 * come between goes the same way before as after. The search makes them as part of the move that
 * came before. That leaves out the states in which they wait, and orders that lead to the same.
 * These are persistent sets (Godefroid, Partial-Order Methods for the Verification of Concurrent
 * Systems, LNCS 1032, 1996). For starts that may as well come later, just before their end, see
 * Lipton (Reduction, CACM 18, 1975).
 *
 * at an L1      responses; what they answer; stretches of walks, whose start can be later; probes
 *               of a line of which it has no readable copy
 * at a slice    answers to probes; what ends a transaction; probes that it sends; answers of a line
 *               that no L1 has; second lookups of a line that is nowhere
 *
 * Requests for a line of which an L1 has nothing are the contrary: they may as well be sent later.
 * So they are sent when their slice takes them, in one move (world->sends_late). Whatever comes
 * between goes the same way without them: the L1 asks for nothing else, and answers probes of that
 * line alike. Where lines are evicted at any time, a request that would send another line away is
 * left out. It goes as the eviction, and then the request.
 *
 * Each prompt move is a delivery, so that deliveries alone lead from what is left out to what is
 * not. What is judged is judged no less strictly for coming earlier: what an L1 is told, and what
 * is published.
 * Only where each L1 has one request at once. What depends on the order of two lines in a FIFO
 * needs more. The slice has a way and an MSHR for each line. The L1 has one way: while it waits for
 * a line, it has no other.
 */
#ifndef VERIFY_PROMPT_H
#define VERIFY_PROMPT_H

#include "verify/world.h"

/* A prompt move for which there is room. False: there is none. */
bool prompt_find(const struct world *world, struct move *move);

#endif
