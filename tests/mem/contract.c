/* SPDX-License-Identifier: MIT */
#include "contract.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"

enum {
    COUNTERS = 2,
    EXPECTED = 2048,
    MOST_STORES = 250,
    MOST_ADDED = 4096,
    BURST = 24,
    HOT_WORDS = 3
};

/* What one node knows of a byte, or of a counter, which is one thing to it. */
struct view {
    uint32_t floor;       /* the least that its next load may see */
    uint32_t seen;        /* what its latest load (by order of sending) saw */
    uint32_t seen_number; /* that load's number; 0: none yet */
};

struct thing {
    uint32_t sent, answered; /* stores, or additions */
};

struct expectation {
    bool is_open;
    uint8_t kind;
    uint32_t node, number;
    uint64_t mask;
    uint32_t floor[LINE_BYTES]; /* by byte of the line; a counter's at its first */
    uint32_t sent[LINE_BYTES];  /* STORE: the number of this store */
};

struct run {
    const struct episode *episode;
    struct bench *bench;
    struct random random;
    uint32_t bytes;
    uint8_t *owner;               /* per word */
    struct thing *things;         /* per byte; a counter's at its first */
    struct view *views;           /* [node][byte] */
    struct expectation *expected; /* by requester.entry */
    bool returned[COUNTERS][MOST_ADDED];
    uint32_t open, number;
    uint64_t hot; /* line of most accesses for a while */
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

/* ---- Values ---- */

/* The value that a byte has after so many stores: other for each byte of the buffer, so that a byte
 * that went astray is seen. */
static unsigned char value_after(uint64_t offset, uint32_t stores)
{
    return (unsigned char)(stores * 167 + offset * 89 + (offset >> 6) * 31);
}

static uint32_t stores_of(uint64_t offset, unsigned char value)
{
    return (unsigned char)((value - value_after(offset, 0)) * 23); /* 23 * 167 = 1 modulo 256 */
}

/* Counters are the last words of the first lines, whose other words are data. */
static uint64_t counter_offset(uint32_t which)
{
    return which * LINE_BYTES + LINE_BYTES - 4;
}

static bool is_counter(uint64_t offset)
{
    return offset < COUNTERS * LINE_BYTES && offset % LINE_BYTES >= LINE_BYTES - 4;
}

static struct view *view_of(struct run *run, uint32_t node, uint64_t offset)
{
    return &run->views[(uint64_t)node * run->bytes + offset];
}

/* ---- Replies ---- */

static void raise(uint32_t *value, uint32_t least)
{
    if (*value < least)
        *value = least;
}

/* One byte, or a counter, of a load's reply. */
static void check_seen(struct run *run, const struct expectation *expected, uint64_t offset,
                       uint32_t seen)
{
    struct view *view = view_of(run, expected->node, offset);
    uint64_t addr = run->bench->buffer + offset;

    if (seen > run->things[offset].sent)
        complain(run, "a load saw what no store has written", addr);
    if (seen < expected->floor[offset % LINE_BYTES])
        complain(run, "a load saw what was too old", addr);
    if (expected->number < view->seen_number) {
        if (seen > view->seen)
            complain(run, "a later load saw what was older", addr);
        return;
    }
    if (seen < view->seen)
        complain(run, "a load saw what was older than an earlier load's", addr);
    view->seen = seen;
    view->seen_number = expected->number;
}

static void check_load(struct run *run, const struct expectation *expected,
                       const struct message *reply)
{
    uint64_t line = reply->addr - run->bench->buffer;

    if ((expected->mask & ~reply->mask) != 0)
        complain(run, "bytes missing from a reply", reply->addr);
    for (uint64_t set = expected->mask; set != 0; set &= set - 1) {
        uint64_t offset = line + lowest_bit(set);

        if (!is_counter(offset))
            check_seen(run, expected, offset, stores_of(offset, reply->data[lowest_bit(set)]));
        else if (offset % 4 == 0)
            check_seen(run, expected, offset, message_word(reply, offset));
    }
}

static void check_sum(struct run *run, const struct expectation *expected,
                      const struct message *reply)
{
    uint64_t offset = reply->addr - run->bench->buffer + lowest_bit(expected->mask);
    uint32_t before;

    run->things[offset].answered++;
    if (reply->mask == 0)
        return;
    before = message_word(reply, offset);
    if (before >= run->things[offset].sent || run->returned[offset / LINE_BYTES][before])
        complain(run, "an atomic returned a sum that is not its own", reply->addr);
    else
        run->returned[offset / LINE_BYTES][before] = true;
    check_seen(run, expected, offset, before);
}

static void note_answered(struct run *run, const struct expectation *expected, uint64_t line)
{
    for (uint64_t set = expected->mask; set != 0; set &= set - 1) {
        uint64_t offset = line + lowest_bit(set);

        if (!is_counter(offset))
            raise(&run->things[offset].answered, expected->sent[lowest_bit(set)]);
    }
}

static void check_reply(void *context, uint32_t node, const struct message *reply)
{
    struct run *run = context;
    struct expectation *expected = &run->expected[reply->requester.entry];
    uint64_t line = reply->addr - run->bench->buffer;

    if (reply->requester.entry >= EXPECTED || !expected->is_open || expected->node != node ||
        reply->kind != expected->kind + 1) {
        complain(run, "an answer to nothing", reply->addr);
        return;
    }
    expected->is_open = false;
    run->open--;
    if (reply->kind == MESSAGE_LOAD_REPLY)
        check_load(run, expected, reply);
    if (reply->kind == MESSAGE_ATOMIC_REPLY && is_counter(line + lowest_bit(expected->mask)))
        check_sum(run, expected, reply);
    else if (reply->kind == MESSAGE_ATOMIC_REPLY && reply->mask != 0)
        check_load(run, expected, reply);
    if (reply->kind == MESSAGE_STORE_REPLY || reply->kind == MESSAGE_ATOMIC_REPLY)
        note_answered(run, expected, line);
}

/* ---- Requests ---- */

static struct expectation *expect(struct run *run, uint32_t node, struct message *message)
{
    struct expectation *expected;

    message->requester.entry = run->bench->next_entry++;
    expected = &run->expected[message->requester.entry];
    check(message->requester.entry < EXPECTED, "too many requests");
    expected->is_open = true;
    expected->kind = message->kind;
    expected->node = node;
    expected->number = ++run->number;
    expected->mask = message->mask;
    run->open++;
    return expected;
}

static void send_load(struct run *run, uint32_t node, struct message *message)
{
    uint64_t line = message->addr - run->bench->buffer;
    struct expectation *expected = expect(run, node, message);

    for (unsigned i = 0; i < LINE_BYTES; i++) {
        uint64_t offset = line + i;

        expected->floor[i] = view_of(run, node, offset)->floor;
        if (run->owner[offset / 4] == node && !is_counter(offset))
            expected->floor[i] = run->things[offset].sent;
        if (message->glc || message->slc)
            raise(&expected->floor[i], run->things[offset].answered);
    }
    pump_send(&run->bench->pump, node, message);
}

/* The first word that lies in the mask whole; 0: there is none. */
static uint64_t whole_word(uint64_t mask)
{
    for (unsigned i = 0; i < LINE_BYTES; i += 4)
        if ((mask >> i & 0xf) == 0xf)
            return UINT64_C(0xf) << i;
    return 0;
}

/* A store by an atomic: the word is exchanged for the new one. */
static void make_swap(struct run *run, struct message *message)
{
    message->kind = MESSAGE_ATOMIC;
    message->mask = whole_word(message->mask);
    message->rmw = RMW_SWAP;
    message->word_bytes = 4;
    message->returns = random_below(&run->random, 2) == 0;
}

static void send_store(struct run *run, uint32_t node, struct message *message)
{
    uint64_t line = message->addr - run->bench->buffer;
    struct expectation *expected;

    for (unsigned i = 0; i < LINE_BYTES; i++)
        if (run->owner[(line + i) / 4] != node || is_counter(line + i) ||
            run->things[line + i].sent >= MOST_STORES)
            message->mask &= ~(UINT64_C(1) << i);
    if (message->mask == 0)
        return;
    if (random_below(&run->random, 2) == 0 && whole_word(message->mask) != 0)
        make_swap(run, message);
    expected = expect(run, node, message);
    if (message->kind == MESSAGE_ATOMIC) /* its own word, as it left it */
        for (unsigned i = 0; i < LINE_BYTES; i++)
            expected->floor[i] = run->things[line + i].sent;
    for (uint64_t set = message->mask; set != 0; set &= set - 1) {
        unsigned byte = lowest_bit(set);

        expected->sent[byte] = ++run->things[line + byte].sent;
        message->data[byte] = value_after(line + byte, expected->sent[byte]);
    }
    pump_send(&run->bench->pump, node, message);
}

static void send_access(struct run *run, uint32_t node)
{
    uint64_t lines = run->episode->words / 16;
    uint64_t line =
        random_below(&run->random, 4) == 0 ? random_below(&run->random, lines) : run->hot;
    bool is_load = random_below(&run->random, 2) == 0;
    struct message message = bench_request(run->bench, is_load ? MESSAGE_LOAD : MESSAGE_STORE,
                                           line * LINE_BYTES, LINE_BYTES);

    switch (random_below(&run->random, 4)) { /* all of the line that is allowed, a word, or bytes */
    case 0:
        break;
    case 1:
        message.mask = UINT64_C(0xf) << random_below(&run->random, HOT_WORDS) * 4;
        break;
    default:
        message.mask &= random_next(&run->random) & random_next(&run->random);
    }
    if (line < COUNTERS && (message.mask >> 60) != 0)
        message.mask |= UINT64_C(0xf) << 60; /* a counter is loaded whole */
    if (message.mask == 0)
        return;
    message.glc = random_below(&run->random, 4) == 0;
    message.slc = random_below(&run->random, 8) == 0;
    if (is_load)
        send_load(run, node, &message);
    else
        send_store(run, node, &message);
}

static void send_atomic(struct run *run, uint32_t node)
{
    uint64_t offset = counter_offset((uint32_t)random_below(&run->random, COUNTERS));
    struct message message = bench_request(run->bench, MESSAGE_ATOMIC, offset, 4);
    struct expectation *expected = expect(run, node, &message);
    struct view *view = view_of(run, node, offset);

    check(run->things[offset].sent < MOST_ADDED, "too many additions");
    message.rmw = RMW_ADD;
    message.word_bytes = 4;
    message.returns = random_below(&run->random, 2) == 0;
    message_set_word(&message, offset, 1);
    expected->floor[offset % LINE_BYTES] = run->things[offset].answered; /* done where all see it */
    raise(&expected->floor[offset % LINE_BYTES], view->floor);
    run->things[offset].sent++;
    pump_send(&run->bench->pump, node, &message);
}

static void send_whole(struct run *run, uint32_t node, uint8_t kind)
{
    struct message message = bench_request(run->bench, kind, 0, 0);

    message.addr = 0;
    message.mask = 0;
    expect(run, node, &message);
    if (kind == MESSAGE_INVALIDATE)
        for (uint64_t offset = 0; offset < run->bytes; offset++)
            raise(&view_of(run, node, offset)->floor, run->things[offset].answered);
    pump_send(&run->bench->pump, node, &message);
}

/* ---- Phases ---- */

static void deal_words(struct run *run)
{
    uint32_t nodes = run->episode->nodes;

    for (uint32_t i = 0; i < run->episode->words; i++) {
        if (i % 16 == 0 && random_below(&run->random, 4) == 0) { /* a whole line to one */
            memset(run->owner + i, (int)random_below(&run->random, nodes), 16);
            i += 15;
            continue;
        }
        run->owner[i] = (uint8_t)random_below(&run->random, nodes);
    }
}

static void settle(struct run *run)
{
    pump_run(&run->bench->pump);
    if (run->open != 0)
        complain(run, "a request without reply", run->bench->buffer);
}

/* A counter is stored as it is: so a line of which L2 has only that word can come to be. */
static void store_counters(struct run *run)
{
    for (uint32_t i = 0; i < COUNTERS; i++) {
        struct message message = bench_request(run->bench, MESSAGE_STORE, counter_offset(i), 4);

        message_set_word(&message, counter_offset(i), run->things[counter_offset(i)].sent);
        expect(run, 0, &message);
        message.mask = UINT64_C(0xf) << 60;
        pump_send(&run->bench->pump, 0, &message);
    }
    settle(run);
}

static void send_something(struct run *run)
{
    uint32_t node = (uint32_t)random_below(&run->random, run->episode->nodes);
    uint64_t what = random_below(&run->random, 32);

    if (random_below(&run->random, BURST) == 0)
        run->hot = random_below(&run->random, run->episode->words / 16);

    if (what < 4)
        send_whole(run, node, MESSAGE_INVALIDATE);
    else if (what == 4)
        send_whole(run, node, MESSAGE_FLUSH);
    else if (what < 8)
        send_atomic(run, node);
    else
        send_access(run, node);
}

static void run_phase(struct run *run)
{
    const struct episode *episode = run->episode;

    deal_words(run);
    if (random_below(&run->random, 2) == 0)
        store_counters(run);
    for (uint32_t i = 0; i < episode->requests; i++) {
        send_something(run);
        for (uint64_t steps = random_below(&run->random, 12); steps > 0; steps--)
            pump_step(&run->bench->pump);
    }
    settle(run);
    if (random_below(&run->random, 4) == 0)
        pump_kernel_start(&run->bench->pump);
    for (uint32_t node = 0; node < episode->nodes; node++) /* the words get other owners */
        send_whole(run, node, MESSAGE_INVALIDATE);
    settle(run);
}

/* The host reads all of it, and writes some. */
static void host_turn(struct run *run)
{
    unsigned char *bytes = malloc(run->bytes);
    uint64_t first = random_below(&run->random, run->bytes), count;
    struct pump *pump = &run->bench->pump;

    pump_host_read(pump, run->bench->buffer, bytes, run->bytes);
    for (uint32_t i = 0; i < run->bytes; i++) {
        uint32_t seen = is_counter(i) ? (uint32_t)bytes[i] : stores_of(i, bytes[i]);
        uint32_t sent = run->things[i & ~3u].sent >> i % 4 * 8;

        if (seen != (is_counter(i) ? sent & 0xff : run->things[i].sent))
            complain(run, "the host read the wrong byte", run->bench->buffer + i);
    }
    count = random_below(&run->random, run->bytes - first);
    if (random_below(&run->random, 2) == 0 &&
        count > 2 * LINE_BYTES) /* ends about a line's start */
        count -= (first + count) % LINE_BYTES - random_below(&run->random, 3);
    for (uint64_t i = first; i < first + count; i++)
        if (!is_counter(i) && run->things[i].sent < MOST_STORES) {
            run->things[i].answered = ++run->things[i].sent;
            bytes[i] = value_after(i, run->things[i].sent);
        }
    pump_host_write(pump, run->bench->buffer + first, bytes + first, count);
    for (uint32_t node = 0; node < run->episode->nodes; node++) /* copies are dropped or updated */
        for (uint64_t i = first; i < first + count; i++)
            if (!is_counter(i))
                raise(&view_of(run, node, i)->floor, run->things[i].answered);
    free(bytes);
}

static void start(struct run *run)
{
    for (uint64_t i = 0; i < run->bytes; i++)
        if (!is_counter(i))
            *(unsigned char *)backing_host(&run->bench->backing, run->bench->buffer + i) =
                value_after(i, 0);
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
    struct run *run = allocate(1, sizeof *run);
    bool is_right;

    bench_init(bench, &options);
    run->episode = episode;
    run->bench = bench;
    run->why = why;
    run->bytes = episode->words * 4;
    run->random.state = episode->seed;
    run->owner = allocate(episode->words, 1);
    run->things = allocate(run->bytes, sizeof *run->things);
    run->views = allocate((size_t)run->bytes * episode->nodes, sizeof *run->views);
    run->expected = allocate(EXPECTED, sizeof *run->expected);
    bench->pump.reply = check_reply;
    bench->pump.context = run;
    bench->pump.is_random = true;
    bench->pump.random.state = episode->seed ^ 0x5eed;
    start(run);
    for (uint32_t phase = 0; phase < episode->phases && !run->is_wrong; phase++) {
        run_phase(run);
        if (!run->is_wrong && (phase % 2 == 1 || phase + 1 == episode->phases))
            host_turn(run);
    }
    is_right = !run->is_wrong;
    bench_finish(bench);
    free(bench);
    free(run->owner);
    free(run->things);
    free(run->views);
    free(run->expected);
    free(run);
    return is_right;
}
