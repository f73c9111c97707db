/* SPDX-License-Identifier: MIT */
/* The random tester's reference: what each answer may say. */
#include <string.h>

#include "base/bits.h"
#include "verify/random_run.h"

void run_complain(struct run *run, enum verify_check check, const char *what, uint64_t offset)
{
    fault_note(run->fault, check, "%s, at byte %u of line %u", what,
               (unsigned)(offset % LINE_BYTES), (unsigned)(offset / LINE_BYTES));
}

/* One byte, or a counter, of a load's reply. */
static void check_seen(struct run *run, const struct expectation *expected, uint64_t offset,
                       uint32_t seen)
{
    struct view *view = run_view(run, expected->node, offset);

    if (seen > run->things[offset].sent)
        run_complain(run, VERIFY_READ, "a load saw what no store has written", offset);
    if (seen < expected->floor[offset % LINE_BYTES])
        run_complain(run, VERIFY_READ, "a load saw what was too old", offset);
    if (expected->number < view->seen_number) {
        if (seen > view->seen)
            run_complain(run, VERIFY_READ, "a later load saw what was older", offset);
        return;
    }
    if (seen < view->seen)
        run_complain(run, VERIFY_READ, "a load saw what was older than an earlier load's", offset);
    view->seen = seen;
    view->seen_number = expected->number;
}

static uint32_t word_at(const struct message *message, uint64_t offset)
{
    uint32_t word;

    memcpy(&word, message->data + offset % LINE_BYTES, sizeof word);
    return word;
}

static void check_load(struct run *run, const struct expectation *expected,
                       const struct message *reply)
{
    uint64_t line = reply->addr - run->buffer;

    if ((expected->mask & ~reply->mask) != 0)
        run_complain(run, VERIFY_ANSWER, "bytes missing from a reply", line);
    for (uint64_t set = expected->mask; set != 0; set &= set - 1) {
        uint64_t offset = line + lowest_bit(set);

        if (!run_is_counter(offset))
            check_seen(run, expected, offset, run_stores_of(offset, reply->data[lowest_bit(set)]));
        else if (offset % 4 == 0)
            check_seen(run, expected, offset, word_at(reply, offset));
    }
}

static void check_sum(struct run *run, const struct expectation *expected,
                      const struct message *reply)
{
    uint64_t offset = reply->addr - run->buffer + lowest_bit(expected->mask);
    uint32_t before;

    run->things[offset].answered++;
    run->things[offset].published++;
    if (reply->mask == 0)
        return;
    before = word_at(reply, offset);
    if (before >= run->things[offset].sent || before >= RUN_ADDED_MAX ||
        run->returned[offset / LINE_BYTES][before])
        run_complain(run, VERIFY_READ, "an atomic returned a sum that is not its own", offset);
    else
        run->returned[offset / LINE_BYTES][before] = true;
    check_seen(run, expected, offset, before);
}

static void note_answered(struct run *run, const struct expectation *expected, uint64_t line)
{
    bool publishes = expected->kind == MESSAGE_ATOMIC || run->tester->promise.publishes_stores;

    for (uint64_t set = expected->mask; set != 0; set &= set - 1) {
        struct thing *thing = &run->things[line + lowest_bit(set)];

        if (run_is_counter(line + lowest_bit(set)))
            continue;
        run_raise(&thing->answered, expected->sent[lowest_bit(set)]);
        if (publishes)
            run_raise(&thing->published, expected->sent[lowest_bit(set)]);
    }
}

static void note_released(struct run *run, struct expectation *expected)
{
    for (uint32_t i = 0; expected->publishes != NULL && i < run->bytes; i++)
        run_raise(&run->things[i].published, expected->publishes[i]);
}

void run_check_reply(void *context, uint32_t node, const struct message *reply)
{
    struct run *run = context;
    struct expectation *expected = &run->expected[reply->requester.entry];
    uint64_t line = reply->addr - run->buffer;

    if (reply->requester.entry >= run->expected_count || !expected->is_open ||
        expected->node != node || reply->kind != expected->kind + 1) {
        run_complain(run, VERIFY_ANSWER, "an answer to nothing", 0);
        return;
    }
    expected->is_open = false;
    run->open--;
    if (reply->kind == MESSAGE_LOAD_REPLY)
        check_load(run, expected, reply);
    if (reply->kind == MESSAGE_ATOMIC_REPLY && run_is_counter(line + lowest_bit(expected->mask)))
        check_sum(run, expected, reply);
    else if (reply->kind == MESSAGE_ATOMIC_REPLY && reply->mask != 0)
        check_load(run, expected, reply);
    if (reply->kind == MESSAGE_STORE_REPLY || reply->kind == MESSAGE_ATOMIC_REPLY)
        note_answered(run, expected, line);
    if (reply->kind == MESSAGE_FLUSH_REPLY || reply->kind == MESSAGE_INVALIDATE_REPLY)
        note_released(run, expected);
}
