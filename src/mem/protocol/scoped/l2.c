/* SPDX-License-Identifier: MIT */
#include "mem/protocol/scoped/l2.h"

#include <stddef.h>

const struct protocol_state l2_states[L2_STATES] = {
    [L2_I] = {"I", "not here", 0},
    [L2_V] = {"V", "valid bytes, none dirty", STATE_READABLE},
    [L2_D] = {"D", "some bytes dirty", STATE_READABLE | STATE_DIRTY},
    [L2_F] = {"F", "way held, line on its way; bytes may be dirty",
              STATE_TRANSIENT | STATE_READABLE | STATE_DIRTY},
    [L2_K] = {"K", "not here, L1s are asked for a remote operation", STATE_TRANSIENT},
};

const struct protocol_event l2_events[L2_PAPER_EVENTS] = {
    [L2_LOAD_HIT] = {"LOAD_HIT", "load of valid bytes, SLC = 0"},
    [L2_LOAD_MISS] = {"LOAD_MISS", "load of a byte that is not here, nothing on its way"},
    [L2_LOAD_SLC] = {"LOAD_SLC", "load from memory of a line that is here"},
    [L2_LOAD_MERGE] = {"LOAD_MERGE", "load of a line on its way"},
    [L2_STORE] = {"STORE", "store"},
    [L2_STORE_THROUGH] = {"STORE_THROUGH", "store with SLC, or the host's"},
    [L2_ATOMIC] = {"ATOMIC", "read-modify-write of valid bytes"},
    [L2_ATOMIC_MISS] = {"ATOMIC_MISS", "the same, bytes missing, nothing on its way"},
    [L2_WRITE_BACK] = {"WRITE_BACK", "dirty bytes of an L1"},
    [L2_WAIT] = {"WAIT", "request that must come after what the line waits for"},
    [L2_FILL_CLEAN] = {"FILL_CLEAN", "line from memory, no byte dirty"},
    [L2_FILL_DIRTY] = {"FILL_DIRTY", "the same, some bytes dirty: they stay"},
    [L2_FILL_PAST] = {"FILL_PAST", "the same, for the host alone"},
    [L2_HOST_READ_HIT] = {"HOST_READ_HIT", "the host reads valid bytes"},
    [L2_HOST_READ_MISS] = {"HOST_READ_MISS", "the host reads a line that is not here"},
    [L2_FLUSH] = {"FLUSH", "dirty bytes go to memory"},
    [L2_WALK] = {"WALK", "a line's turn to be written to memory"},
    [L2_REPLACE] = {"REPLACE", "the way is needed"},
    [L2_REMOTE] = {"REMOTE", "remote operation: the other L1s are asked first"},
    [L2_DONE] = {"DONE", "an L1 has done its part, others have not yet"},
    [L2_DONE_LAST] = {"DONE_LAST", "all have"},
    [L2_PUBLISH_STORE] = {"PUBLISH_STORE", "remote release by a store: done before L1s are told"},
    [L2_PUBLISH_ATOMIC] = {"PUBLISH_ATOMIC", "the same by a read-modify-write, bytes valid"},
    [L2_TOLD_LAST] = {"TOLD_LAST", "all L1s have been told of it"},
};

#define ROW(...) STATISTIC_ROW(struct scoped_l2_statistics, __VA_ARGS__)
const struct statistic scoped_l2_statistics[] = {SCOPED_L2_STATISTICS(ROW)};

const struct protocol_field scoped_l2_fields[] = {
    {"sfifo", offsetof(struct scoped_l2, fifo), sizeof(uint64_t), FIELD_STATE}, {NULL, 0, 0, FIELD_STATE}};

static uint64_t sfifo_entries(const struct step *step)
{
    const struct scoped_parameters *parameters = controller_parameters(step->controller);

    return parameters->l2_sfifo_entries;
}

/* ---- Actions ---- */

static void take_way(struct step *step)
{
    struct mshr *lock = step->mshr;

    step->mshr = NULL;
    verb_reserve_way.perform(step);
    step->mshr = lock;
}

static void fifo_push(struct step *step)
{
    struct sfifo *fifo = &scoped_l2_of(step)->fifo;

    if (sfifo_entries(step) == 0 || sfifo_has(fifo, step->addr))
        return;
    sfifo_push(fifo, step->addr);
    if (fifo->count <= sfifo_entries(step))
        return;
    scoped_l2_count(step)->sfifo_overflows++;
    step_start_walk(step, (struct walk_terms){.is_silent = true});
}

static void fifo_pop(struct step *step)
{
    sfifo_remove(&scoped_l2_of(step)->fifo, step->addr);
}

static void write_through(struct step *step)
{
    struct message *message = step_output(step, OUTPUT_DOWN);

    message->kind = MESSAGE_WRITE;
    message->source = controller_node(step->controller);
}

/* A line that leaves an L1 by itself, not for a probe, while it is locked. The L1 may have released
 * it after its answer, and what came before that is not here. */
static void note_write_back(struct step *step)
{
    struct message *first = NULL;

    scoped_l2_count(step)->lines_from_l1s++;
    if (step->message->remote)
        return;
    if (step->mshr == NULL)
        first = controller_to_replay(step->controller, step->addr);
    else if (mshr_has_stalled(step->mshr))
        first = mshr_waiting(step->controller, step->mshr);
    if (first == NULL || !first->remote)
        return;
    if (first->acks == MARK_GRANTED)
        first->acks = MARK_NONE;
    else if (step->mshr != NULL && step->mshr->acks > 0)
        first->acks = MARK_ASKS_AGAIN;
}

const struct protocol_action
    l2_take_way = {.name = "take_way", .perform = take_way, .needs = NEEDS_WAY},
    l2_push = {.name = "push", .perform = fifo_push, .needs = NEEDS_WALK},
    l2_pop = {.name = "pop", .perform = fifo_pop},
    l2_write_through = {.name = "write_to_memory",
                        .perform = write_through,
                        .down = 1,
                        .down_channel = CHANNEL_WRITE_BACK},
    l2_note_write_back = {.name = "note_write_back", .perform = note_write_back};

/* ---- Events ---- */

static bool mask_covers(uint64_t have, uint64_t want)
{
    return (want & ~have) == 0;
}

static uint8_t classify_load(const struct step *step)
{
    bool slc = step->message->slc;
    bool is_host = step->message->kind == MESSAGE_HOST_READ;
    const struct mshr *mshr = step->mshr;

    if (step->line != NULL && !slc && mask_covers(step->line->valid, step->message->mask))
        return is_host ? L2_HOST_READ_HIT : L2_LOAD_HIT;
    if (mshr != NULL)
        return slc || mshr->filled || mshr->overtaken ? L2_WAIT : L2_LOAD_MERGE;
    if (is_host && step->line == NULL)
        return L2_HOST_READ_MISS;
    return slc && step->line != NULL ? L2_LOAD_SLC : L2_LOAD_MISS;
}

/* A line that is here takes a store at any time. Under a fill its bytes are dirty and stay, and
 * what has joined the fill is answered from the MSHR, as it was before. */
static uint8_t classify_store(const struct step *step)
{
    bool through = step->message->slc || step->message->kind == MESSAGE_HOST_WRITE;

    if (step->mshr != NULL && (through || step->line == NULL))
        return L2_WAIT;
    return through ? L2_STORE_THROUGH : L2_STORE;
}

static uint8_t classify_atomic(const struct step *step)
{
    if (step->line != NULL && mask_covers(step->line->valid, step->message->mask))
        return L2_ATOMIC;
    return step->mshr != NULL ? L2_WAIT : L2_ATOMIC_MISS;
}

uint8_t scoped_classify_l2_request(const struct step *step)
{
    if (step->mshr != NULL && mshr_has_stalled(step->mshr))
        return L2_WAIT;
    switch (step->message->kind) {
    case MESSAGE_LOAD:
    case MESSAGE_HOST_READ:
        return classify_load(step);
    case MESSAGE_ATOMIC:
        return classify_atomic(step);
    default:
        return classify_store(step);
    }
}

static uint8_t classify_fill(const struct step *step)
{
    if (step->line == NULL)
        return L2_FILL_PAST;
    return step->line->dirty != 0 ? L2_FILL_DIRTY : L2_FILL_CLEAN;
}

uint8_t scoped_classify_l2(const struct step *step, enum protocol_stimulus stimulus)
{
    if (stimulus == STIMULUS_REPLACE)
        return L2_REPLACE;
    if (stimulus == STIMULUS_WALK)
        return L2_WALK;
    switch (step->message->kind) {
    case MESSAGE_LOAD:
    case MESSAGE_HOST_READ:
    case MESSAGE_STORE:
    case MESSAGE_HOST_WRITE:
    case MESSAGE_ATOMIC:
        return scoped_classify_l2_request(step);
    case SCOPED_WRITE_BACK:
        return L2_WRITE_BACK;
    case MESSAGE_READ_REPLY:
        return classify_fill(step);
    case MESSAGE_FLUSH:
        return L2_FLUSH;
    default:
        return L2_PAPER_EVENTS; /* stopped by the mechanism */
    }
}

enum walk_choice scoped_choose_l2_walk(const struct step *step, uint64_t *addr)
{
    const struct sfifo *fifo = &scoped_l2_of(step)->fifo;

    if (step->message->kind == MESSAGE_FLUSH)
        return WALK_IN_ORDER;
    *addr = fifo->lines[0];
    return fifo->count > sfifo_entries(step) ? WALK_LINE : WALK_OVER;
}
