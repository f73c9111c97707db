/* SPDX-License-Identifier: MIT */
/* What the mechanism's files share (tags, MSHRs, waiting messages, steps, walks, verbs), and no
 * protocol may see. */
#ifndef MEM_CONTROLLER_PRIVATE_H
#define MEM_CONTROLLER_PRIVATE_H

#include <string.h>

#include "mem/controller.h"

#define NO_WAY UINT32_MAX

/* The protocol's own data of the element begins at zero. */
static inline void data_clear(const struct protocol_data *declared, unsigned char *data,
                              uint32_t index)
{
    if (declared->bytes > 0)
        memset(data + (size_t)index * declared->bytes, 0, declared->bytes);
}

/* controller_find, whose set is remembered for the steps about the same address. */
struct line *controller_look(struct controller *controller, uint64_t addr);

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

static inline bool controller_is_request(const struct controller *controller,
                                         const struct message *message)
{
    return (controller->request_kinds >> message->kind & 1) != 0;
}

/* A request of a compute unit about a line: what admission is about. */
static inline bool controller_is_access(const struct controller *controller,
                                        const struct message *message)
{
    return controller_is_request(controller, message) && !message_is_about_all(message) &&
           message->requester.unit != REQUESTER_HOST;
}

/* Whether an access that came in is not done: the entries of those that were answered count for as
 * long as they are held. */
static inline bool controller_has_outstanding(const struct controller *controller)
{
    return controller->state->entries_used > 0 || controller->state->waiting_used > 0;
}

/* Whether the step's request takes an entry with this row, apart from an MSHR. */
bool entry_is_wanted(const struct step *step, const struct controller_row *row);
void entry_begin(struct controller *controller);
/* After the step: the entry goes with the message, or ends. */
void entry_settle(struct step *step);
void entry_end(struct controller *controller);

/* Whether the step's request must wait for an entry apart; and that. */
bool entry_must_be_waited_for(const struct step *step, const struct controller_row *row);
void entry_wait(struct step *step);
/* The waiting request that may go next, if an entry is free; NO_INDEX: none. It leaves its queue
 * before its step, and either goes back or has gone. */
uint16_t entry_candidate(struct controller *controller);
void entry_candidate_goes(struct controller *controller);
void entry_candidate_stays(struct controller *controller, uint16_t index);
void entry_candidate_went(struct controller *controller);

/* A new MSHR for the address, in the hash table, with the entry that the message carries or a new
 * one. At its end (mshr_release) the way is let go, and what stalled behind it looks again. */
struct mshr *mshr_take(struct controller *controller, uint64_t addr);
/* The same of the write-back buffer. */
struct mshr *mshr_take_eviction(struct controller *controller, uint64_t addr);
void mshr_release(struct controller *controller, struct mshr *mshr);

/* The message has waited for the MSHR's miss: its journey takes over that of the miss. */
static inline void controller_join_miss(const struct controller *controller,
                                        const struct message *message, uint16_t index)
{
    struct journey *journey = message_journey(message);

    if (journey != NULL && controller->journeys != NULL)
        journey_join(journey, &controller->journeys[index], controller_part_other(controller));
}

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

/* The step, prepared for a message; then its event, its row and what that needs. False: the message
 * stalls. */
void controller_begin(struct controller *controller, struct step *step,
                      const struct message *message);
bool controller_make_plan(struct step *step, struct controller_plan *plan, uint16_t replaying);

/* The row of step->event in the line's state; stops the run when there is none. */
const struct controller_row *controller_row(const struct step *step);
void controller_run_row(struct step *step, const struct controller_row *row);

/* The step's stimulus replaced by another one for a while: a victim, a line of a walk (NULL: it is
 * not here). */
static inline void step_aim(struct step *step, struct line *line, uint64_t addr)
{
    step->message = NULL;
    step->line = line;
    step->addr = addr;
    if (line == NULL)
        step->mshr = controller_find_mshr(step->controller, addr);
    else
        step->mshr = line->mshr == NO_INDEX ? NULL : &step->controller->mshrs[line->mshr];
}

/* The victim's STIMULUS_REPLACE step, its outputs into this step. */
void controller_replace(struct step *step, struct line *victim);

/* Turns a copy of the step's message into its answer, without data. */
void step_make_reply(const struct step *step, struct message *reply);

#endif
