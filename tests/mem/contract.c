/* SPDX-License-Identifier: MIT */
#include "contract.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"

enum { COUNTERS = 2, EXPECTED = 65536 };

struct expectation {
    bool is_open, is_counter;
    uint64_t mask;
    unsigned char data[LINE_BYTES];
};

struct run {
    const struct episode *episode;
    struct bench *bench;
    struct random random;
    unsigned char *reference; /* words * 4 bytes */
    uint8_t *owner;           /* per word: node, or nodes: everybody may load */
    uint32_t counters[COUNTERS];
    uint32_t added[COUNTERS];
    struct expectation *expected; /* by requester.entry */
    uint32_t open;
    struct text *why;
    bool is_wrong;
};

static void complain(struct run *run, const char *what, uint64_t addr)
{
    if (!run->is_wrong)
        text_add(run->why, "seed %llu: %s at offset %llu", (unsigned long long)run->episode->seed,
                 what, (unsigned long long)(addr - run->bench->buffer));
    run->is_wrong = true;
}

static void check_reply(void *context, uint32_t node, const struct message *reply)
{
    struct run *run = context;
    struct expectation *expected = &run->expected[reply->requester.entry];

    (void)node;
    if (!expected->is_open) {
        complain(run, "a second reply", reply->addr);
        return;
    }
    expected->is_open = false;
    run->open--;
    if (reply->kind == MESSAGE_LOAD_REPLY) {
        if ((expected->mask & ~reply->mask) != 0)
            complain(run, "bytes missing from a reply", reply->addr);
        for (uint64_t set = expected->mask; set != 0; set &= set - 1)
            if (reply->data[lowest_bit(set)] != expected->data[lowest_bit(set)])
                complain(run, "a load saw the wrong byte", reply->addr + lowest_bit(set));
    }
    if (reply->kind == MESSAGE_ATOMIC_REPLY && expected->is_counter && reply->mask != 0) {
        uint32_t offset = lowest_bit(expected->mask);
        uint32_t which = expected->data[0];

        if (message_word(reply, offset) >= run->added[which])
            complain(run, "an atomic returned a count not yet reached", reply->addr + offset);
    }
}

/* Offset of a counter: the last words of the region's first lines, which others use as well. */
static uint64_t counter_offset(uint32_t which)
{
    return which * LINE_BYTES + LINE_BYTES - 4;
}

static bool is_counter(uint32_t word)
{
    for (uint32_t i = 0; i < COUNTERS; i++)
        if (word * 4 == counter_offset(i))
            return true;
    return false;
}

static void send(struct run *run, uint32_t node, struct message *message)
{
    uint16_t entry = (uint16_t)(run->bench->next_entry++);
    struct expectation *expected = &run->expected[entry];

    check(!expected->is_open, "too many requests");
    message->requester.entry = entry;
    expected->is_open = true;
    expected->is_counter = false;
    expected->mask = message->mask;
    run->open++;
    if (message->kind == MESSAGE_LOAD)
        memcpy(expected->data, run->reference + (message->addr - run->bench->buffer), LINE_BYTES);
    pump_send(&run->bench->pump, node, message);
}

/* The bytes of the line that the node may store (or load). */
static uint64_t allowed(const struct run *run, uint32_t node, uint64_t line, bool is_load)
{
    uint64_t mask = 0;

    for (uint32_t i = 0; i < LINE_BYTES / 4; i++) {
        uint32_t word = (uint32_t)(line * LINE_BYTES / 4 + i), owner = run->owner[word];

        if (!is_counter(word) && (owner == node || (is_load && owner == run->episode->nodes)))
            mask |= UINT64_C(0xf) << 4 * i;
    }
    return mask;
}

static void send_access(struct run *run, uint32_t node)
{
    uint64_t lines = run->episode->words / 16, line = random_below(&run->random, lines);
    bool is_load = random_below(&run->random, 2) == 0;
    uint64_t mask = allowed(run, node, line, is_load);
    struct message message = bench_request(run->bench, is_load ? MESSAGE_LOAD : MESSAGE_STORE,
                                           line * LINE_BYTES, LINE_BYTES);

    if (random_below(&run->random, 4) != 0) /* else as much of the line as is allowed */
        mask &= random_next(&run->random) & random_next(&run->random);
    if (mask == 0)
        return;
    message.mask = mask;
    message.glc = random_below(&run->random, 4) == 0;
    message.slc = run->episode->has_slc && random_below(&run->random, 8) == 0;
    if (!is_load)
        for (uint64_t set = mask; set != 0; set &= set - 1) {
            unsigned byte = lowest_bit(set);

            message.data[byte] = (unsigned char)random_next(&run->random);
            run->reference[line * LINE_BYTES + byte] = message.data[byte];
        }
    send(run, node, &message);
}

static void send_atomic(struct run *run, uint32_t node)
{
    uint32_t which = (uint32_t)random_below(&run->random, COUNTERS);
    uint64_t offset = counter_offset(which);
    struct message message = bench_request(run->bench, MESSAGE_ATOMIC, offset, 4);

    message.rmw = RMW_ADD;
    message.word_bytes = 4;
    message.returns = random_below(&run->random, 2) == 0;
    message_set_word(&message, offset, 1);
    run->added[which]++;
    send(run, node, &message);
    run->expected[message.requester.entry].is_counter = true;
    run->expected[message.requester.entry].data[0] = (unsigned char)which;
}

static void send_acquire(struct run *run, uint32_t node)
{
    struct message message = bench_request(run->bench, MESSAGE_INVALIDATE, 0, 0);

    message.addr = 0;
    message.mask = 0;
    send(run, node, &message);
}

static void deal_words(struct run *run)
{
    uint32_t nodes = run->episode->nodes;

    for (uint32_t i = 0; i < run->episode->words; i++) {
        if (i % 16 == 0 && random_below(&run->random, 4) == 0) { /* a whole line to one */
            uint8_t owner = (uint8_t)random_below(&run->random, nodes);

            memset(run->owner + i, owner, 16);
            i += 15;
            continue;
        }
        run->owner[i] = (uint8_t)random_below(&run->random, nodes + 1);
    }
}

static void settle(struct run *run)
{
    pump_run(&run->bench->pump);
    if (run->open != 0)
        complain(run, "a request without reply", run->bench->buffer);
}

static void run_phase(struct run *run)
{
    const struct episode *episode = run->episode;

    deal_words(run);
    for (uint32_t i = 0; i < episode->requests; i++) {
        uint32_t node = (uint32_t)random_below(&run->random, episode->nodes);
        uint64_t what = random_below(&run->random, 16);

        if (what == 0)
            send_acquire(run, node);
        else if (what < 3)
            send_atomic(run, node);
        else
            send_access(run, node);
        for (uint64_t steps = random_below(&run->random, 12); steps > 0; steps--)
            pump_step(&run->bench->pump);
    }
    settle(run);
    for (uint32_t node = 0; node < episode->nodes; node++)
        send_acquire(run, node);
    settle(run);
}

/* The host reads all of it, and writes some. */
static void host_turn(struct run *run)
{
    uint32_t bytes = run->episode->words * 4;
    unsigned char *seen = malloc(bytes);
    uint64_t first = random_below(&run->random, bytes), count;

    for (uint32_t i = 0; i < COUNTERS; i++) {
        memcpy(run->reference + counter_offset(i), &run->added[i], 4);
    }
    pump_host_read(&run->bench->pump, run->bench->buffer, seen, bytes);
    for (uint32_t i = 0; i < bytes; i++)
        if (seen[i] != run->reference[i])
            complain(run, "the host read the wrong byte", run->bench->buffer + i);
    count = random_below(&run->random, bytes - first) / 4;
    for (uint64_t i = first; i < first + count; i++)
        if (!is_counter((uint32_t)(i / 4)))
            run->reference[i] = (unsigned char)random_next(&run->random);
    pump_host_write(&run->bench->pump, run->bench->buffer + first, run->reference + first, count);
    free(seen);
}

bool episode_run(const struct episode *episode, struct text *why)
{
    struct bench_options options = {.protocol = episode->protocol,
                                    .l1s = episode->nodes,
                                    .slices = episode->slices,
                                    .l1 = episode->l1,
                                    .l2 = episode->l2,
                                    .breaks = episode->breaks};
    struct bench *bench = malloc(sizeof *bench);
    struct run run = {.episode = episode, .bench = bench, .why = why};

    bench_init(bench, &options);
    run.random.state = episode->seed;
    run.reference = allocate(episode->words, 4);
    run.owner = allocate(episode->words, 1);
    run.expected = allocate(EXPECTED, sizeof *run.expected);
    bench->pump.reply = check_reply;
    bench->pump.context = &run;
    bench->pump.is_random = true;
    bench->pump.random.state = episode->seed ^ 0x5eed;
    for (uint32_t phase = 0; phase < episode->phases && !run.is_wrong; phase++) {
        run_phase(&run);
        if (!run.is_wrong && (phase % 3 == 2 || phase + 1 == episode->phases))
            host_turn(&run);
    }
    bench_finish(bench);
    free(bench);
    free(run.reference);
    free(run.owner);
    free(run.expected);
    return !run.is_wrong;
}
