/* SPDX-License-Identifier: MIT */
/* What the L1 of the scoped protocols does. */
#include "mem/protocol/scoped/l1.h"

#include <string.h>

#define ROW(...) STATISTIC_ROW(struct scoped_l1_statistics, __VA_ARGS__)
const struct statistic scoped_l1_statistics[] = {SCOPED_L1_STATISTICS(ROW)};

static bool is_probe(unsigned kind)
{
    return kind >= SCOPED_PROBE_ACQUIRE && kind <= SCOPED_PROBE_BOTH;
}

/* Whether the step is a remote operation's of another L1, or a line's turn because of one. */
static bool is_for_probe(const struct step *step)
{
    return is_probe(step->message != NULL ? step->message->kind
                                          : controller_walk_kind(step->controller));
}

/* ---- Lines ---- */

static void write_dirty(struct step *step)
{
    struct scoped_l1_statistics *statistics = scoped_l1_count(step);
    uint64_t mask = step->line->dirty;
    struct message *message;

    if (mask == 0)
        return;
    message = step_output(step, OUTPUT_DOWN);
    memset(message, 0, sizeof *message);
    message->kind = SCOPED_WRITE_BACK;
    message->addr = step->addr;
    message->mask = mask;
    message->remote = is_for_probe(step);
    message->source = controller_node(step->controller);
    memcpy(message->data, step->line->data, LINE_BYTES);
    step->line->dirty = 0;
    controller_await(step->controller);
    ++*scoped_in_flight(step);
    statistics->lines_written++;
    statistics->bytes_written += (unsigned)__builtin_popcountll(mask);
    statistics->lines_written_for_probes += is_for_probe(step);
}

static void line_written(struct step *step)
{
    verb_awaited.perform(step);
    --*scoped_in_flight(step);
}

static void line_forget(struct step *step)
{
    step->line->valid = step->line->dirty = 0;
}

static void merge_fill(struct step *step)
{
    uint64_t dirty = step->line->dirty;

    step->line->dirty |= step->mshr->filled_mask; /* stored here before the miss, perhaps written back */
    verb_fill_line.perform(step);
    step->line->dirty = dirty;
}

static void overtake_line(struct step *step)
{
    step->mshr->overtaken = true;
    line_forget(step);
}

static void note_miss(struct step *step)
{
    scoped_l1_count(step)->misses_after_acquire += controller_lost(step) == LOSS_ACQUIRE;
}

/* ---- The FIFO ---- */

static void begin_silent_walk(struct step *step, bool awaits)
{
    step_start_walk(step, (struct walk_terms){.is_silent = true, .awaits = awaits});
}

void scoped_enter(struct step *step)
{
    struct sfifo *fifo = &scoped_l1_of(step)->fifo;

    scoped_l1_count(step)->sfifo_entered++;
    scoped_l1_count(step)->sfifo_met += fifo->count;
    sfifo_push(fifo, step->addr);
}

void scoped_shed(struct step *step)
{
    const struct scoped_l1 *l1 = scoped_l1_of(step);
    const struct scoped_parameters *parameters = scoped_parameters_of(step);
    bool is_full = l1->fifo.count > parameters->l1_sfifo_entries;

    if (!is_full && l1->releases.count <= parameters->release_entries)
        return;
    scoped_l1_count(step)->sfifo_overflows += is_full;
    begin_silent_walk(step, false);
}

static void fifo_push(struct step *step)
{
    struct sfifo *fifo = &scoped_l1_of(step)->fifo;

    if (!sfifo_has(fifo, step->addr))
        scoped_enter(step);
    scoped_l1_count(step)->local_releases +=
        message_releases(step->message) && step->message->scope == SCOPE_WORK_GROUP;
    scoped_shed(step);
}

static void fifo_pop(struct step *step)
{
    struct scoped_l1 *l1 = scoped_l1_of(step);
    bool is_over = l1->releases.count > scoped_parameters_of(step)->release_entries;
    uint64_t place = sfifo_remove(&l1->fifo, step->addr);

    if (place != NO_PLACE)
        release_left(&l1->releases, place, l1->remembers_left != 0 && !is_over);
}

/* ---- Accesses in L2 ---- */

static void begin_access(struct step *step)
{
    step->mshr->acks++;
    scoped_l1_of(step)->in_l2++;
    scoped_l1_count(step)->device_operations++;
    scoped_l1_count(step)->remote_operations += step->message->remote;
}

static void end_access(struct step *step)
{
    step->mshr->acks--;
    scoped_l1_of(step)->in_l2--;
}

static void begin_hold(struct step *step)
{
    struct scoped_l1 *l1 = scoped_l1_of(step);

    l1->is_held = 1;
    l1->is_held_remotely = step->message->remote;
    l1->held_since = controller_cycle(step->controller);
}

static void release_hold(struct step *step)
{
    struct scoped_l1 *l1 = scoped_l1_of(step);
    uint64_t cycles = controller_cycle(step->controller) - l1->held_since;

    l1->is_held = 0;
    scoped_l1_count(step)->held_cycles += cycles;
    scoped_l1_count(step)->held_remote_cycles += l1->is_held_remotely != 0 ? cycles : 0;
}

static bool keeps_lines(const struct step *step)
{
    return (controller_breaks(step->controller) >> DEBUG_BREAK_KEEP_L1_AT_ACQUIRE & 1) != 0 &&
           step->message->requester.unit < REQUESTER_KERNEL;
}

void scoped_forget_lines(struct step *step)
{
    struct scoped_l1 *l1 = scoped_l1_of(step);

    scoped_l1_count(step)->acquires++;
    if (keeps_lines(step))
        return;
    if (l1->remembers_left != 0) /* the others leave with the FIFO, when what came before has */
        memset(&l1->releases, 0, sizeof l1->releases);
    scoped_l1_count(step)->promotions_unused += l1->promotions.count;
    memset(&l1->promotions, 0, sizeof l1->promotions);
    verb_new_epoch.perform(step);
    controller_drop_clean(step->controller);
}

/* Its own L1 has the object's local sharer, who is taken for the only one (section 4.2). */
static bool asks_none(const struct step *step)
{
    const struct scoped_l1 *l1 = scoped_l1_of(step);

    return (l1->remembers_left != 0 || scoped_parameters_of(step)->skips_own_release != 0) &&
           step->message->remote && step->message->order == ORDER_ACQUIRE &&
           release_find(&l1->releases, step->addr) >= 0;
}

static void flush_prepare(struct step *step)
{
    scoped_l1_count(step)->flushes++;
    scoped_l1_of(step)->asks_none = asks_none(step);
    if (message_acquires(step->message)) {
        begin_hold(step);
        scoped_forget_lines(step);
    }
    begin_silent_walk(step, true);
}

static void mark_ready(struct step *step)
{
    struct message *waiting = step_waiting(step);

    waiting->acks = MARK_PREPARED;
    if (scoped_l1_of(step)->asks_none == 0)
        return;
    waiting->remote = false;
    scoped_l1_of(step)->asks_none = 0;
    scoped_l1_count(step)->remote_skips++;
}

static void l1_flush(struct step *step)
{
    scoped_l1_count(step)->flushes++;
    step_start_walk(step, (struct walk_terms){.awaits = true});
}

static void note_local_atomic(struct step *step)
{
    scoped_l1_count(step)->local_atomics++;
    scoped_l1_count(step)->local_acquires += message_acquires(step->message);
}

#define WRITES .down = 1, .down_channel = CHANNEL_WRITE_BACK
const struct protocol_action
    scoped_write_dirty = {.name = "write_dirty", .perform = write_dirty, WRITES},
    scoped_push = {.name = "push", .perform = fifo_push, .needs = NEEDS_WALK},
    scoped_pop = {.name = "pop", .perform = fifo_pop},
    scoped_forget = {.name = "forget", .perform = line_forget},
    scoped_merge_fill = {.name = "merge_fill", .perform = merge_fill},
    scoped_overtake_line = {.name = "overtake_line", .perform = overtake_line},
    scoped_begin = {.name = "begin_access", .perform = begin_access},
    scoped_end = {.name = "end_access", .perform = end_access},
    scoped_release_hold = {.name = "release_hold", .perform = release_hold},
    scoped_written = {.name = "written", .perform = line_written},
    scoped_local_atomic = {.name = "note_atomic", .perform = note_local_atomic},
    scoped_note_miss = {.name = "note_miss", .perform = note_miss},
    scoped_prepare = {.name = "prepare", .perform = flush_prepare, .needs = NEEDS_WALK},
    scoped_mark_ready = {.name = "mark_ready", .perform = mark_ready},
    scoped_forget_all = {.name = "forget_all", .perform = scoped_forget_lines},
    scoped_flush = {.name = "flush",
                    .perform = l1_flush,
                    .up = 1,
                    .up_channel = CHANNEL_RESPONSE,
                    .needs = NEEDS_WALK};
