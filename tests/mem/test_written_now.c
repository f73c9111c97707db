/* SPDX-License-Identifier: MIT */
/* Bytes that are written in no time, while an instant closes, are seen by every load that reads after it, wherever their
 * line is: in L2, in an MSHR, on its way to memory or back, in a channel, in memory. Stores that keep all bytes lose none,
 * of ordinary stores neither: node 0 stores to each line's last word, where nothing is written in no time. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "system.h"

enum {
    LINES = 8,
    SETS = 2,
    STRIDE = 4096,
    NODES = 4,
    REQUESTS = 600,
    BURST = 4,
    LAST_WRITE = 30000,
    LAST_LOADS = 60000,
    LAST_WORD = 60,
    MAX_WRITES = LAST_WRITE
};

/* In the order of time; `value` is that of all its bytes. It happens in a cycle from the first to the last. */
struct write {
    uint64_t first, last, mask;
    uint32_t line;
    unsigned char value;
};

/* Writes in one cycle of three. */
struct writer {
    struct component component;
    struct system *system;
    struct random random;
    struct write writes[MAX_WRITES], stores[REQUESTS]; /* the second: node 0's */
    uint32_t count, store_count;
};

/* Four lines for each of two sets of one way. */
static uint64_t line_offset(uint32_t line)
{
    return (line % SETS) * LINE_BYTES + (uint64_t)(line / SETS) * STRIDE;
}

static uint64_t some_words(struct random *random)
{
    uint64_t mask = 0;

    for (unsigned word = 0; word < LINE_BYTES / 4; word++)
        if (random_below(random, 3) == 0)
            mask |= UINT64_C(0xf) << (4 * word);
    return mask;
}

static bool writer_tick(struct component *component)
{
    struct writer *writer = container_of(component, struct writer, component);

    if (random_below(&writer->random, 3) == 0)
        component_ask_close(component);
    return component_cycle(component) < LAST_WRITE;
}

static void writer_close(struct component *component)
{
    struct writer *writer = container_of(component, struct writer, component);
    struct write *write = &writer->writes[writer->count++];
    struct address_place place;
    unsigned char data[LINE_BYTES];
    uint64_t addr;

    *write = (struct write){.first = component_cycle(component),
                            .last = component_cycle(component),
                            .mask = some_words(&writer->random) & low_mask(LAST_WORD),
                            .line = (uint32_t)random_below(&writer->random, LINES),
                            .value = (unsigned char)(writer->count % 251 + 1)};
    memset(data, write->value, sizeof data);
    addr = writer->system->buffer + line_offset(write->line);
    place = address_place(&writer->system->map, addr);
    cache_write_now(&writer->system->slices[place.slice], addr, write->mask, data);
    dram_write_now(&writer->system->channels[place.channel], addr, write->mask, data);
}

static const struct component_operations operations = {.tick = writer_tick, .close = writer_close};

/* All nodes turn to the same lines at about the same time. */
static void add_requests(struct system *system, uint32_t node)
{
    struct random random = {.state = node + 1}, lines = {.state = 99};
    struct message *message;
    uint32_t line = 0;

    system->agents[node].is_serial = true;
    for (uint32_t i = 0; i < REQUESTS; i++) {
        bool is_store = random_below(&random, 4) == 0;

        if ((i + node) % BURST == 0)
            line = (uint32_t)random_below(&lines, LINES);
        message = system_add(system, node, is_store ? MESSAGE_STORE : MESSAGE_LOAD,
                             line_offset(line), 4, 0);
        message->mask = some_words(&random) | 0xf;
        message->glc = true;
        message->rmw = is_store ? MESSAGE_KEEPS : 0;
        memset(message->data, 0xff, sizeof message->data); /* no byte has this value */
        if (node != 0 || !is_store || random_below(&random, 2) == 0)
            continue;
        message->rmw = 0;
        message->mask = UINT64_C(0xf) << LAST_WORD;
        memset(message->data + LAST_WORD, (int)(i % 250 + 1), 4);
    }
    for (line = 0; line < LINES; line++)
        system_add(system, node, MESSAGE_LOAD, line_offset(line), LINE_BYTES, LAST_LOADS)->glc =
            true;
}

static uint32_t line_of(const struct writer *writer, const struct message *message)
{
    uint64_t offset = message->addr - writer->system->buffer;

    return (uint32_t)(offset % STRIDE / LINE_BYTES + offset / STRIDE * SETS);
}

static void note_stores(struct writer *writer, const struct agent *agent)
{
    for (uint32_t i = 0; i < agent->count; i++) {
        const struct message *message = &agent->script[i];

        if (message->kind == MESSAGE_STORE && message->rmw == 0)
            writer->stores[writer->store_count++] =
                (struct write){.first = agent->sent_at[i],
                               .last = agent->answered_at[i],
                               .mask = message->mask,
                               .line = line_of(writer, message),
                               .value = message->data[LAST_WORD]};
    }
}

/* The byte had this value in some instant from the first to the last of these. */
static bool had_value(const struct writer *writer, uint32_t line, unsigned byte,
                      unsigned char value, uint64_t first, uint64_t last)
{
    const struct write *writes = byte < LAST_WORD ? writer->writes : writer->stores;
    uint32_t count = byte < LAST_WORD ? writer->count : writer->store_count;
    bool is_old = value == 0;

    for (uint32_t i = 0; i < count && writes[i].first <= last; i++) {
        if (writes[i].line != line || (writes[i].mask >> byte & 1) == 0)
            continue;
        if (writes[i].last < first)
            is_old = writes[i].value == value;
        else if (writes[i].value == value)
            return true;
    }
    return is_old;
}

static void check_answers(const struct writer *writer, const struct agent *agent)
{
    for (uint32_t i = 0; i < agent->count; i++) {
        const struct message *asked = &agent->script[i];
        uint64_t mask = asked->mask;

        if (asked->kind != MESSAGE_LOAD)
            continue;
        for_each_bit(byte, mask) assert_true(had_value(writer, line_of(writer, asked), byte,
                                                       agent->answers[i].data[byte],
                                                       agent->sent_at[i], agent->answered_at[i]));
    }
}

static uint64_t run(uint64_t memory_khz, uint64_t seed)
{
    struct system_options options;
    struct writer *writer = calloc(1, sizeof *writer);
    uint64_t digest;

    system_defaults(&options);
    options.l2.size_kb = options.l2.ways = 1;
    options.nodes = NODES;
    options.l2.forward_cycles = 20; /* long on the way */
    options.memory_khz = memory_khz;
    options.order_seed = seed;
    writer->system = system_create(&options);
    writer->random.state = 7;
    component_init(&writer->component, &operations, writer->system->core, "writer");
    for (uint32_t i = 0; i < options.nodes; i++)
        add_requests(writer->system, i);
    system_run(writer->system);
    note_stores(writer, &writer->system->agents[0]);
    assert_true(writer->count > LAST_WRITE / 4 && writer->store_count > REQUESTS / 16);
    for (uint32_t i = 0; i < options.nodes; i++)
        check_answers(writer, &writer->system->agents[i]);
    digest = system_digest(writer->system);
    component_finish(&writer->component);
    system_destroy(writer->system);
    free(writer);
    return digest;
}

static void what_is_written_now_is_seen(void **state)
{
    (void)state;
    run(1000000, 0);
    assert_int_equal(run(1375000, 3),
                     run(1375000, 0)); /* nor does the order of components matter */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_written_now_is_seen)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
