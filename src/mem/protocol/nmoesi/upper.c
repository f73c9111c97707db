/* SPDX-License-Identifier: MIT */
#include "mem/protocol/nmoesi/upper.h"

#include <string.h>

#include "mem/bytes.h"
#include "mem/protocol/nmoesi/statistics.h"

#define UPPER(...) STATISTIC_ROW(struct nmoesi_upper_statistics, __VA_ARGS__)
const struct statistic nmoesi_upper_statistics[] = {NMOESI_UPPER_STATISTICS(UPPER)};

static struct nmoesi_upper_statistics *statistics_of(const struct step *step)
{
    return controller_statistics(step->controller);
}

static unsigned count_of(uint64_t mask)
{
    return (unsigned)__builtin_popcountll(mask);
}

/* ---- Requests and fills ---- */

static void ask_again(struct step *step)
{
    moesi_ask(step, NMOESI_REFETCH);
    statistics_of(step)->refetches++;
}

static void ask_for_n(struct step *step)
{
    moesi_ask(step, NMOESI_GETN);
}

static void ask_leave_for_n(struct step *step)
{
    moesi_ask(step, NMOESI_UPGRADE_N);
    statistics_of(step)->leaves_to_store++;
}

static void fill_aside(struct step *step)
{
    memcpy(step->mshr->data, step->message->data, LINE_BYTES);
    step->mshr->filled_mask = LINE_MASK;
}

/* An acquire has passed, whose walk may not have come here yet: what it will cut is old already. */
static void fill_past(struct step *step)
{
    step->line->valid = step->line->dirty;
    fill_aside(step);
}

static void fill_both(struct step *step)
{
    verb_fill_line.perform(step);
    fill_aside(step);
}

/* Loads that waited behind the store may be answered when a release has made it clean, and an
 * acquire invalid. */
static void store_aside(struct step *step)
{
    copy_masked(step->mshr->data, step->message->data, step->message->mask);
}

static void reply_from_both(struct step *step)
{
    struct message *reply;

    verb_reply.perform(step);
    reply = &step->outputs[step->output_count - 1].message;
    copy_masked(reply->data, step->mshr->data, ~step->line->valid);
}

/* ---- Non-coherent bytes ---- */

static void send_dirty(struct step *step, uint8_t kind)
{
    moesi_tell(step, kind, step->line->dirty, step->line);
    controller_await(step->controller);
}

static void write_released(struct step *step)
{
    statistics_of(step)->released_lines++;
    statistics_of(step)->released_bytes += count_of(step->line->dirty);
    send_dirty(step, NMOESI_WRITE_N);
    step->line->dirty = 0;
}

static void put_dirty(struct step *step)
{
    statistics_of(step)->puts_n++;
    statistics_of(step)->put_n_bytes += count_of(step->line->dirty);
    send_dirty(step, NMOESI_PUT_N);
}

static void cut_clean(struct step *step)
{
    statistics_of(step)->acquired_lines += step->line->valid != step->line->dirty;
    step->line->valid = step->line->dirty;
}

static void count_local(struct step *step)
{
    statistics_of(step)->local_fences += step->message->order == ORDER_ACQUIRE_RELEASE;
}

static void tell_disowned(struct step *step)
{
    statistics_of(step)->disowns++;
    moesi_tell(step, NMOESI_DISOWN, 0, NULL);
}

static void tell_kept(struct step *step)
{
    upper_statistics(step)->probes_share++;
    moesi_tell(step, MOESI_SHARED, 0, NULL);
}

/* ---- Walks ---- */

static void start_acquire(struct step *step, bool releases)
{
    struct nmoesi_l1 *l1 = controller_data(step->controller);

    if (l1 != NULL)
        l1->acquire_releases = releases;
    verb_new_epoch.perform(step);
    if (releases)
        step_start_walk(step, (struct walk_terms){.awaits = true});
    else
        verb_start_walk.perform(step);
}

static void walk_acquire(struct step *step)
{
    start_acquire(step, false);
}

static void acquire_and_release(struct step *step)
{
    start_acquire(step, true);
}

static void walk_release(struct step *step)
{
    step_start_walk(step, (struct walk_terms){.awaits = true});
}

#define DOWN_REQUEST .down = 1, .down_channel = CHANNEL_REQUEST
#define WALK .up = 1, .up_channel = CHANNEL_RESPONSE, .needs = NEEDS_WALK
const struct protocol_action
    nmoesi_refetch = {.name = "refetch", .perform = ask_again, DOWN_REQUEST},
    nmoesi_getn = {.name = "getn", .perform = ask_for_n, DOWN_REQUEST},
    nmoesi_upgrade_n = {.name = "upgrade_n", .perform = ask_leave_for_n, DOWN_REQUEST},
    nmoesi_fill = {.name = "fill_line", .perform = fill_both},
    nmoesi_fill_past = {.name = "fill_mshr", .perform = fill_past},
    nmoesi_aside = {.name = "store_aside", .perform = store_aside},
    nmoesi_reply = {.name = "reply",
                    .perform = reply_from_both,
                    .up = 1,
                    .up_channel = CHANNEL_RESPONSE,
                    .uses_line = true},
    nmoesi_cut = {.name = "cut_clean", .perform = cut_clean},
    nmoesi_write_n = {.name = "write_n", .perform = write_released, DOWN_REQUEST},
    nmoesi_put_n = {.name = "put_n", .perform = put_dirty, DOWN_REQUEST},
    nmoesi_local = {.name = "count_local", .perform = count_local},
    nmoesi_disown = {.name = "disown", .perform = tell_disowned, DOWN_REQUEST},
    nmoesi_keep = {.name = "tell_shared",
                   .perform = tell_kept,
                   .down = 1,
                   .down_channel = CHANNEL_RESPONSE},
    nmoesi_acquire = {.name = "acquire", .perform = walk_acquire, WALK},
    nmoesi_acquire_release = {.name = "acquire_release", .perform = acquire_and_release, WALK},
    nmoesi_release = {.name = "release", .perform = walk_release, WALK};
