/* SPDX-License-Identifier: MIT */
/* What the mechanism's files share (tags, MSHRs, waiting messages, steps, walks, verbs), and no
 * protocol may see. */
#ifndef MEM_CONTROLLER_PRIVATE_H
#define MEM_CONTROLLER_PRIVATE_H

#include <string.h>

#include "mem/controller.h"

#define NO_WAY UINT32_MAX

/* The protocol's own data of the element begins at zero. */
static inline void data_clear(const struct protocol_data *declared, unsigned char *data, uint32_t index)
{
    if (declared->bytes > 0)
        memset(data + (size_t)index * declared->bytes, 0, declared->bytes);
}

/* The way that a new line of the address would get (its line may be a victim), or NO_WAY.
 * Remembered until the step ends. */
uint32_t controller_find_way(struct controller *controller, uint64_t addr);

/* MSHRs, and behind them the entries of the write-back buffer. */
static inline uint32_t controller_entries(const struct controller *controller)
{
    return controller->shape.mshr_entries + controller->shape.eviction_entries;
}

/* The scarcest of what a message may lack. */
static inline enum stall_cause controller_shortage(const struct controller *controller)
{
    if (!controller_has_mshr(controller))
        return STALL_MSHR;
    return controller_can_wait(controller) ? STALL_SET : STALL_WAITING;
}

/* A new MSHR for the address, in the hash table; and its end: the way is let go, what stalled
 * behind it looks again. */
struct mshr *mshr_take(struct controller *controller, uint64_t addr);
/* The same of the write-back buffer. */
struct mshr *mshr_take_eviction(struct controller *controller, uint64_t addr);
void mshr_release(struct controller *controller, struct mshr *mshr);

/* A place in the pool for the step's message (a replayed one keeps its own); the caller links it.
 */
uint16_t waiting_put(struct step *step);
void waiting_free(struct controller *controller, uint16_t index);
void queue_append(struct controller *controller, uint16_t *first, uint16_t *last, uint16_t index);

uint16_t queue_pop(struct controller *controller, uint16_t *first, uint16_t *last);

/* The free way holds a line of the address from now on, STATE_INVALID so far. */
void line_begin(struct controller *controller, uint32_t way, uint64_t addr);
/* A request uses a line that is here: replacement is told. */
static inline void line_use(struct controller *controller, struct line *line)
{
    if (controller->shape.replacement->use != NULL)
        controller->shape.replacement->use(line, &controller->state->replacement);
}
/* The way becomes free. */
void line_release(struct controller *controller, struct line *line);

/* The row of step->event in the line's state; stops the run when there is none. */
const struct controller_row *controller_row(const struct step *step);
void controller_run_row(struct step *step, const struct controller_row *row);

/* The victim's STIMULUS_REPLACE step, its outputs into this step. */
void controller_replace(struct step *step, struct line *victim);

/* A stretch of the walk in progress, its outputs (at most `down` DOWN) into this step. */
void controller_walk_some(struct step *step, uint32_t down);

/* Turns a copy of the step's message into its answer, without data. */
void step_make_reply(const struct step *step, struct message *reply);

#endif
