/* SPDX-License-Identifier: MIT */
/* A crossbar between mocks: latency, width, fairness, no head-of-line blocking, order. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "mem/crossbar.h"

enum { NODES = 70, MAX_SENT = 512, MAX_GOT = 8192 };

struct node { /* sender and receiver at once */
    struct component component;
    struct port out, in;
    struct message script[MAX_SENT];
    uint32_t count, sent;
    uint64_t sent_at[MAX_SENT];
    bool is_deaf; /* never takes */
    struct {
        uint16_t source;
        uint32_t number;
        uint64_t cycle;
    } got[MAX_GOT];
    uint32_t got_count;
};

struct bed {
    struct engine engine;
    struct clock_domain *clock;
    struct crossbar crossbar;
    struct node nodes[NODES];
    uint32_t count;
};

static bool node_tick(struct component *component)
{
    struct node *node = container_of(component, struct node, component);
    const struct message *message = node->is_deaf ? NULL : port_peek(&node->in);
    bool progress = false;

    if (message != NULL) {
        node->got[node->got_count].source = message->source;
        node->got[node->got_count].number = message->transaction;
        node->got[node->got_count++].cycle = component_cycle(component);
        port_take(&node->in);
        progress = true;
    }
    if (node->sent < node->count && port_has_room(&node->out, 1)) {
        memcpy(port_reserve(&node->out, 1), &node->script[node->sent], sizeof *message);
        node->sent_at[node->sent++] = component_cycle(component);
        progress = true;
    }
    return progress;
}

static const struct component_operations node_operations = {.tick = node_tick};

/* `shared`: ends of an input and of an output. */
static struct bed *bed_create_shared(uint32_t nodes, uint64_t width, uint64_t latency,
                                     uint64_t entries, uint32_t shared)
{
    const struct crossbar_shape shape = {nodes, shared, nodes, shared};
    struct bed *bed = calloc(1, sizeof *bed);
    struct crossbar_parameters parameters = {.width_bytes = width,
                                             .latency_cycles = latency,
                                             .queue_entries = entries,
                                             .header_bytes = 8};

    bed->count = nodes;
    engine_init(&bed->engine);
    bed->clock = engine_add_domain(&bed->engine, "core", 1000000);
    crossbar_init(&bed->crossbar, "crossbar", bed->clock, &parameters, protocol_find("si"), &shape);
    for (uint32_t i = 0; i < nodes; i++) {
        struct node *node = &bed->nodes[i];

        component_init(&node->component, &node_operations, bed->clock, "node");
        port_init(&node->out, "out", &node->component, &bed->crossbar.component, 1, 4,
                  sizeof(struct message));
        port_init(&node->in, "in", &bed->crossbar.component, &node->component, (uint32_t)latency,
                  2 * (uint32_t)latency + 2, sizeof(struct message));
        crossbar_connect_input(&bed->crossbar, &node->out);
        crossbar_connect_output(&bed->crossbar, &node->in);
    }
    return bed;
}

static struct bed *bed_create(uint32_t nodes, uint64_t width, uint64_t latency, uint64_t entries)
{
    return bed_create_shared(nodes, width, latency, entries, 1);
}

static void bed_destroy(struct bed *bed)
{
    for (uint32_t i = 0; i < bed->count; i++) {
        port_finish(&bed->nodes[i].out);
        port_finish(&bed->nodes[i].in);
        component_finish(&bed->nodes[i].component);
    }
    crossbar_finish(&bed->crossbar);
    engine_finish(&bed->engine);
    free(bed);
}

static void add(struct bed *bed, uint32_t from, uint32_t to, unsigned payload_bytes)
{
    struct node *node = &bed->nodes[from];
    struct message *message = &node->script[node->count];

    message->kind = payload_bytes > 0 ? MESSAGE_LOAD_REPLY : MESSAGE_LOAD;
    message->mask = low_mask(payload_bytes == 0 ? 64 : payload_bytes);
    message->source = (uint16_t)from;
    message->destination = (uint16_t)to;
    message->transaction = node->count++;
}

static void run(struct bed *bed)
{
    engine_start(&bed->engine);
    check(engine_run(&bed->engine, UINT64_MAX) == ENGINE_IDLE, "the run did not end");
}

static void unloaded_latency(void **state)
{
    struct bed *bed = bed_create(4, 64, 13, 8);

    (void)state;
    add(bed, 0, 3, 64);
    run(bed);
    assert_int_equal(bed->nodes[3].got_count, 1);
    assert_int_equal(bed->nodes[3].got[0].cycle - bed->nodes[0].sent_at[0],
                     1 + 13); /* a wire of 1 */
    assert_int_equal(bed->crossbar.statistics.bytes, 72);
    assert_int_equal(bed->crossbar.statistics.payload_bytes, 64);
    bed_destroy(bed);
}

/* n bytes over a link of w take n / w cycles, rounded up, and at least one. */
static void width_sets_the_pace(void **state)
{
    static const struct {
        unsigned payload, width, cycles;
    } cases[] = {{64, 64, 1}, {64, 32, 2}, {64, 16, 4}, {33, 32, 2}, {32, 32, 1}, {0, 16, 1}};

    (void)state;
    for (unsigned i = 0; i < ARRAY_COUNT(cases); i++) {
        struct bed *bed = bed_create(2, cases[i].width, 5, 64);

        for (unsigned j = 0; j < 100; j++)
            add(bed, 0, 1, cases[i].payload);
        run(bed);
        assert_int_equal(bed->nodes[1].got[99].cycle - bed->nodes[1].got[0].cycle,
                         99 * cases[i].cycles);
        assert_int_equal(bed->crossbar.statistics.link_busy_cycles, 100 * cases[i].cycles);
        bed_destroy(bed);
    }
}

/* To many outputs in turn, from one input: its own link is the narrow one. Every message takes its
 * cycles of that, and of its output's. */
static void an_input_sends_one_at_a_time(void **state)
{
    enum { LATENCY = 5, EACH = 20, OUTPUTS = 4, CYCLES = 4 };
    struct bed *bed = bed_create(1 + OUTPUTS, 16, LATENCY, 64);
    uint64_t first, last = 0;

    (void)state;
    for (unsigned i = 0; i < EACH * OUTPUTS; i++)
        add(bed, 0, 1 + i % OUTPUTS, 64);
    run(bed);
    first = bed->nodes[1].got[0].cycle;
    for (uint32_t node = 1; node <= OUTPUTS; node++) {
        assert_int_equal(bed->nodes[node].got_count, EACH);
        for (uint32_t i = 0; i < EACH; i++)
            assert_int_equal((bed->nodes[node].got[i].cycle - first) % CYCLES, 0);
        if (bed->nodes[node].got[EACH - 1].cycle > last)
            last = bed->nodes[node].got[EACH - 1].cycle;
    }
    assert_int_equal(last - first, (EACH * OUTPUTS - 1) * CYCLES);
    bed_destroy(bed);
}

/* All inputs want one output: each gets every n-th turn, also the sparse ones of a wide crossbar.
 */
static void contended_output_is_fair(void **state)
{
    static const uint32_t senders[] = {0, 1, 5, 64, 69};
    struct bed *bed = bed_create(NODES, 64, 4, 16);
    uint32_t last[NODES] = {0};

    (void)state;
    for (unsigned i = 0; i < ARRAY_COUNT(senders); i++)
        for (unsigned j = 0; j < 200; j++)
            add(bed, senders[i], 7, 64);
    run(bed);
    assert_int_equal(bed->nodes[7].got_count, 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t source = bed->nodes[7].got[i].source;

        if (i >= 20)
            assert_int_equal(i - last[source], ARRAY_COUNT(senders));
        last[source] = i;
    }
    assert_int_equal(bed->nodes[7].got[999].cycle - bed->nodes[7].got[0].cycle, 999);
    bed_destroy(bed);
}

/* A permutation goes through at full rate: every link busy in every cycle. */
static void permutation_at_full_rate(void **state)
{
    struct bed *bed = bed_create(16, 64, 4, 16);

    (void)state;
    for (uint32_t i = 0; i < 16; i++)
        for (unsigned j = 0; j < 100; j++)
            add(bed, i, (i * 5 + 3) % 16, 64);
    run(bed);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(bed->nodes[i].got[99].cycle - bed->nodes[i].got[0].cycle, 99);
    bed_destroy(bed);
}

/* Output 1 takes nothing; what goes to output 2 passes what waits for 1, from the same input. */
static void no_head_of_line_blocking(void **state)
{
    struct bed *bed = bed_create(3, 64, 4, 16);

    (void)state;
    bed->nodes[1].is_deaf = true;
    for (unsigned i = 0; i < 14; i++)
        add(bed, 0, 1, 64);
    for (unsigned i = 0; i < 50; i++)
        add(bed, 0, 2, 64);
    engine_start(&bed->engine);
    engine_run(&bed->engine, UINT64_MAX);
    assert_int_equal(bed->nodes[2].got_count, 50);
    bed_destroy(bed);
}

/* One pair of ends stays in order. */
static void check_pairs(uint32_t shared)
{
    struct bed *bed = bed_create_shared(8, 32, 3, 4, shared);
    uint32_t next[8][8];

    memset(next, 0xff, sizeof next);
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t j = 0; j < 200; j++)
            add(bed, i, (i * 7 + j * j) % 8, (i + j) % 3 * 32);
    run(bed);
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t j = 0; j < bed->nodes[i].got_count; j++) {
            uint32_t source = bed->nodes[i].got[j].source, number = bed->nodes[i].got[j].number;

            assert_true(next[i][source] == UINT32_MAX || number > next[i][source]);
            next[i][source] = number;
        }
    assert_int_equal(bed->crossbar.statistics.messages, 8 * 200);
    bed_destroy(bed);
}

static void pairs_stay_in_order(void **state)
{
    (void)state;
    check_pairs(1);
    check_pairs(3);
}

/* Ends that share an input have one link together, and equal parts of it; likewise at an output. */
static void ends_share_an_input(void **state)
{
    struct bed *bed = bed_create_shared(6, 64, 4, 8, 3);
    uint64_t min = UINT64_MAX, max = 0;

    (void)state;
    for (uint32_t i = 0; i < 3; i++)
        for (unsigned j = 0; j < 100; j++)
            add(bed, i, 3 + i, 64);
    run(bed);
    for (uint32_t i = 0; i < 3; i++) {
        const struct node *node = &bed->nodes[3 + i];

        assert_int_equal(node->got_count, 100);
        if (node->got[0].cycle < min)
            min = node->got[0].cycle;
        if (node->got[99].cycle > max)
            max = node->got[99].cycle;
        for (uint32_t j = 10; j < 90; j++)
            assert_int_equal(node->got[j].cycle - node->got[j - 1].cycle, 3);
    }
    assert_int_equal(max - min, 299);
    assert_true(bed->crossbar.statistics.contended_messages > 200);
    bed_destroy(bed);
}

/* An end that takes nothing holds up what is behind its messages in one queue, no other input's. */
static void a_full_end_lets_others_by(void **state)
{
    struct bed *bed = bed_create_shared(6, 64, 4, 8, 2);

    (void)state;
    bed->nodes[0].is_deaf = true;
    for (unsigned i = 0; i < 20; i++)
        add(bed, 2, 0, 64);
    for (unsigned i = 0; i < 50; i++)
        add(bed, 4, 1, 64);
    engine_start(&bed->engine);
    assert_int_equal(engine_run(&bed->engine, UINT64_MAX), ENGINE_IDLE);
    assert_int_equal(bed->nodes[1].got_count, 50);
    bed_destroy(bed);
}

/* To a node that takes nothing: what fits into its end, into the input, and before the crossbar. */
static void an_input_holds_its_entries(void **state)
{
    enum { LATENCY = 3, AT_THE_END = 2 * LATENCY + 2, BEFORE = 4 };

    (void)state;
    for (uint32_t entries = 1; entries <= 5; entries++) {
        struct bed *bed = bed_create(2, 64, LATENCY, entries);

        bed->nodes[1].is_deaf = true;
        for (unsigned i = 0; i < 30; i++)
            add(bed, 0, 1, 64);
        run(bed);
        assert_int_equal(bed->nodes[0].sent, AT_THE_END + entries + BEFORE);
        bed_destroy(bed);
    }
}

/* The queues' occupancy, added up over the cycles, is what the messages waited together; none is
 * counted once it has gone, and a page of a machine that stands still says how many there are. */
static void who_waits_is_counted_until_it_goes(void **state)
{
    enum { LATENCY = 3, EACH = 10, SLOTS = 16 };

    (void)state;
    for (unsigned is_deaf = 0; is_deaf < 2; is_deaf++) {
        struct bed *bed = bed_create(3, 8, LATENCY, SLOTS);
        struct component *crossbar = &bed->crossbar.component;
        const struct node *taker = &bed->nodes[2];
        struct text text = {0};
        uint64_t waited = 0;

        bed->nodes[2].is_deaf = is_deaf;
        for (unsigned i = 0; i < 2 * EACH; i++)
            add(bed, i % 2, 2, 64);
        run(bed);
        crossbar->operations->settle(crossbar);
        for (uint32_t i = 0; i < taker->got_count; i++)
            waited += taker->got[i].cycle - LATENCY -
                      (bed->nodes[taker->got[i].source].sent_at[taker->got[i].number] + 1);
        crossbar->operations->explain(crossbar, &text);
        if (is_deaf) {
            assert_string_equal(text_chars(&text), "12 messages wait for an output");
        } else {
            assert_int_equal(taker->got_count, 2 * EACH);
            assert_int_equal(bed->crossbar.statistics.queued.sum, waited);
            assert_int_equal(text.length, 0);
        }
        text_finish(&text);
        bed_destroy(bed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"crossbar/unloaded_latency", unloaded_latency, NULL, NULL, NULL},
        {"crossbar/width_sets_the_pace", width_sets_the_pace, NULL, NULL, NULL},
        {"crossbar/an_input_sends_one_at_a_time", an_input_sends_one_at_a_time, NULL, NULL, NULL},
        {"crossbar/contended_output_is_fair", contended_output_is_fair, NULL, NULL, NULL},
        {"crossbar/permutation_at_full_rate", permutation_at_full_rate, NULL, NULL, NULL},
        {"crossbar/no_head_of_line_blocking", no_head_of_line_blocking, NULL, NULL, NULL},
        {"crossbar/pairs_stay_in_order", pairs_stay_in_order, NULL, NULL, NULL},
        {"crossbar/ends_share_an_input", ends_share_an_input, NULL, NULL, NULL},
        {"crossbar/an_input_holds_its_entries", an_input_holds_its_entries, NULL, NULL, NULL},
        {"crossbar/who_waits_is_counted_until_it_goes", who_waits_is_counted_until_it_goes, NULL,
         NULL, NULL},
        {"crossbar/a_full_end_lets_others_by", a_full_end_lets_others_by, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
