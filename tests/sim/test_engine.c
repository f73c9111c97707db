/* SPDX-License-Identifier: MIT */
/* Questions about the simulator's kernel: when does a message arrive, who sleeps, what can order
 * change? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "base/random.h"
#include "sim/component.h"
#include "sim/debug.h"
#include "sim/engine.h"
#include "sim/port.h"
#include "sim/registry.h"

/* A source sends `total` numbered messages as fast as its port lets it; a sink takes one in every
 * `pace` cycles. */
struct source {
    struct component component;
    struct port *port;
    uint32_t latency, sent, total;
    uint64_t first_sent_at;
};

struct sink {
    struct component component;
    struct port *port;
    uint32_t pace, taken;
    uint64_t first_at, last_at;
    uint64_t not_before; /* the next cycle in which it may take */
};

static bool source_tick(struct component *component)
{
    struct source *source = container_of(component, struct source, component);

    if (source->sent == source->total || !port_has_room(source->port, 1))
        return false;
    if (source->sent == 0)
        source->first_sent_at = component->clock->engine->now;
    memcpy(port_reserve(source->port, source->latency), &source->sent, sizeof source->sent);
    source->sent++;
    return true;
}

static bool sink_tick(struct component *component)
{
    struct sink *sink = container_of(component, struct sink, component);
    uint64_t cycle = component_cycle(component);
    const void *message = port_peek(sink->port);
    uint32_t number;

    if (message == NULL)
        return false;
    if (cycle < sink->not_before) {
        component_wake_at(component, sink->not_before);
        return false;
    }
    memcpy(&number, message, sizeof number);
    assert_int_equal(number, sink->taken);
    if (sink->taken++ == 0)
        sink->first_at = component->clock->engine->now;
    sink->last_at = cycle;
    sink->not_before = cycle + sink->pace;
    port_take(sink->port);
    return true;
}

static const struct component_operations source_operations = {.tick = source_tick};
static const struct component_operations sink_operations = {.tick = sink_tick};

struct pair {
    struct engine engine;
    struct source source;
    struct sink sink;
    struct port port;
};

static void pair_init(struct pair *pair, uint64_t source_khz, uint64_t sink_khz, uint32_t capacity,
                      uint32_t latency, uint32_t total, uint32_t pace)
{
    struct clock_domain *first, *second;

    memset(pair, 0, sizeof *pair);
    engine_init(&pair->engine);
    first = engine_add_domain(&pair->engine, "source", source_khz);
    second = source_khz == sink_khz ? first : engine_add_domain(&pair->engine, "sink", sink_khz);
    component_init(&pair->source.component, &source_operations, first, "source");
    component_init(&pair->sink.component, &sink_operations, second, "sink");
    port_init(&pair->port, "messages", &pair->source.component, &pair->sink.component, latency,
              capacity, sizeof(uint32_t));
    pair->source.port = pair->sink.port = &pair->port;
    pair->source.latency = latency;
    pair->source.total = total;
    pair->sink.pace = pace;
}

static void pair_finish(struct pair *pair)
{
    port_finish(&pair->port);
    component_finish(&pair->source.component);
    component_finish(&pair->sink.component);
    engine_finish(&pair->engine);
}

/* A message sent in cycle 1 with latency 5 is seen in cycle 6, not before. */
static void arrives_after_its_latency(void **state)
{
    struct pair pair;

    pair_init(&pair, 925000, 925000, 4, 5, 1, 1);
    engine_start(&pair.engine);
    assert_int_equal(engine_run(&pair.engine, UINT64_MAX), ENGINE_IDLE);
    assert_int_equal(pair.sink.taken, 1);
    assert_int_equal(pair.sink.first_at - pair.source.first_sent_at,
                     5 * pair.engine.domains[0].period);
    pair_finish(&pair);
}

/* Latency 3: a slot is taken for 3 cycles under way and for 3 while its credit comes back. So 6 slots
 * keep a message a cycle moving: 100 messages end at cycle 1 + 3 + 99. With 5 slots, of every 6
 * cycles 5 have one, the last being the fifth of the twentieth such period. */
static void full_rate_needs_twice_the_latency(void **state)
{
    struct pair pair;

    pair_init(&pair, 925000, 925000, 6, 3, 100, 1);
    engine_start(&pair.engine);
    engine_run(&pair.engine, UINT64_MAX);
    assert_int_equal(pair.sink.last_at, 1 + 3 + 99);
    pair_finish(&pair);

    pair_init(&pair, 925000, 925000, 5, 3, 100, 1);
    engine_start(&pair.engine);
    engine_run(&pair.engine, UINT64_MAX);
    assert_int_equal(pair.sink.last_at, 1 + 3 + 4 + 19 * 6);
    pair_finish(&pair);
}

/* One slot, two clocks. The second message goes at the sender's first edge at which the credit is
 * there. It arrives at the receiver's first edge thereafter. */
static void credits_meet_exact_edges(void **state)
{
    struct pair pair;
    uint64_t sent;

    pair_init(&pair, 925000, 1375000, 1, 2, 2, 1);
    engine_start(&pair.engine);
    engine_run(&pair.engine, UINT64_MAX);
    assert_int_equal(pair.sink.taken, 2);
    sent = (pair.sink.first_at + 2 * UINT64_C(55) + 54) / 55 * 55;
    assert_int_equal(pair.sink.last_at, (sent + 2 * UINT64_C(55) + 36) / 37);
    pair_finish(&pair);
}

static void slow_receiver_holds_the_sender_back(void **state)
{
    struct pair pair;

    pair_init(&pair, 925000, 925000, 2, 1, 50, 7);
    engine_start(&pair.engine);
    assert_int_equal(engine_run(&pair.engine, UINT64_MAX), ENGINE_IDLE);
    assert_int_equal(pair.sink.taken, 50);
    assert_int_equal(pair.sink.last_at, 2 + 49 * 7);
    pair_finish(&pair);
}

/* 925 and 1375 MHz: the unit divides both; an arrival is the receiver's first edge at or after the
 * sum. */
static void clocks_meet_at_exact_edges(void **state)
{
    struct pair pair;
    uint64_t arrival;

    pair_init(&pair, 925000, 1375000, 4, 2, 1, 1);
    engine_start(&pair.engine);
    assert_int_equal(pair.engine.domains[0].period, 55);
    assert_int_equal(pair.engine.domains[1].period, 37);
    engine_run(&pair.engine, UINT64_MAX);
    arrival = pair.source.first_sent_at + 2 * UINT64_C(55);
    assert_int_equal(pair.sink.first_at, (arrival + 36) / 37 * 37);
    pair_finish(&pair);
}

/* Latency 5000 reaches beyond the wheel. */
static void distant_arrivals_are_kept(void **state)
{
    struct pair pair;

    pair_init(&pair, 925000, 1375000, 8, 5000, 20, 3);
    engine_start(&pair.engine);
    assert_int_equal(engine_run(&pair.engine, UINT64_MAX), ENGINE_IDLE);
    assert_int_equal(pair.sink.taken, 20);
    assert_true(pair.engine.instants < 1000);
    pair_finish(&pair);
}

static void limit_stops_the_run(void **state)
{
    struct pair pair;

    pair_init(&pair, 925000, 925000, 4, 3, 1000000, 1);
    engine_start(&pair.engine);
    assert_int_equal(engine_run(&pair.engine, 500), ENGINE_LIMIT);
    assert_int_equal(pair.engine.domains[0].cycle, 500);
    pair_finish(&pair);
}

struct marks {
    struct engine *engine;
    uint64_t every, count, last, until;
};

static void at_mark(void *context)
{
    struct marks *marks = context;

    marks->count++;
    assert_int_equal(marks->engine->domains[0].cycle, marks->last + marks->every);
    marks->last += marks->every;
    engine_set_mark(marks->engine, marks->last + marks->every <= marks->until
                                       ? marks->last + marks->every
                                       : UINT64_MAX);
}

/* Also where nothing happens for long, and where two clocks have different edges. */
static void marks_are_met_and_move_nothing(void **state)
{
    static const struct {
        uint32_t latency, pace;
    } shapes[] = {{3, 1}, {700, 3}, {5000, 40}};

    for (unsigned i = 0; i < ARRAY_COUNT(shapes); i++) {
        struct pair plain, marked;
        struct marks marks = {.engine = &marked.engine, .every = 7, .until = UINT64_MAX - 7};

        pair_init(&plain, 925000, 1375000, 8, shapes[i].latency, 300, shapes[i].pace);
        pair_init(&marked, 925000, 1375000, 8, shapes[i].latency, 300, shapes[i].pace);
        engine_start(&plain.engine);
        engine_start(&marked.engine);
        marked.engine.at_mark = at_mark;
        marked.engine.mark_context = &marks;
        engine_set_mark(&marked.engine, marks.every);
        assert_int_equal(engine_run(&plain.engine, UINT64_MAX), ENGINE_IDLE);
        assert_int_equal(engine_run(&marked.engine, UINT64_MAX), ENGINE_IDLE);
        assert_int_equal(marked.sink.taken, 300);
        assert_int_equal(marked.sink.first_at, plain.sink.first_at);
        assert_int_equal(marked.sink.last_at, plain.sink.last_at);
        assert_int_equal(marked.engine.now, plain.engine.now);
        assert_int_equal(marked.engine.instants, plain.engine.instants);
        assert_int_equal(marks.count, (marked.engine.domains[0].cycle - 1) / marks.every);
        pair_finish(&plain);
        pair_finish(&marked);
    }
}

/* A mark at or behind the limit is not met: time stays where the run stopped. */
static void limit_comes_before_later_marks(void **state)
{
    struct pair pair;
    struct marks marks = {.engine = &pair.engine, .every = 100, .until = UINT64_MAX - 100};

    pair_init(&pair, 925000, 925000, 4, 3, 1000000, 1);
    engine_start(&pair.engine);
    pair.engine.at_mark = at_mark;
    pair.engine.mark_context = &marks;
    engine_set_mark(&pair.engine, 100);
    assert_int_equal(engine_run(&pair.engine, 500), ENGINE_LIMIT);
    assert_int_equal(marks.count, 4);
    assert_int_equal(pair.engine.domains[0].cycle, 500);
    pair_finish(&pair);
}

/* A ring of relays with random latencies and paces. The digest of the relays' histories must not
 * depend on the order of ticking nor on sleep. */
enum { RING = 37, TOKENS = 90 };
struct relay {
    struct component component;
    struct port input;
    struct port *output;
    struct random random;
    uint64_t digest, not_before;
};
struct token {
    uint32_t number, hops;
};

static bool relay_tick(struct component *component)
{
    struct relay *relay = container_of(component, struct relay, component);
    const struct token *token = port_peek(&relay->input);
    struct token *next;
    uint64_t cycle = component_cycle(component);

    if (token == NULL)
        return false;
    if (cycle < relay->not_before) {
        component_wake_at(component, relay->not_before);
        return false;
    }
    if (token->hops > 0 && !port_has_room(relay->output, 1))
        return false;
    relay->digest = (relay->digest ^ (cycle << 20) ^ token->number) * UINT64_C(0x100000001b3);
    if (token->hops == 0) {
        port_take(&relay->input);
        return true;
    }
    next = port_reserve(relay->output,
                     relay->output->latency_cycles + (uint32_t)random_below(&relay->random, 40));
    *next = (struct token){.number = token->number, .hops = token->hops - 1};
    relay->not_before = cycle + 1 + random_below(&relay->random, 3);
    port_take(&relay->input);
    return true;
}

static const struct component_operations relay_operations = {.tick = relay_tick};

static uint64_t ring_digest(uint64_t order_seed, bool sleep)
{
    static struct relay relays[RING];
    struct engine engine;
    struct clock_domain *domains[2];
    uint64_t digest = 0;

    memset(relays, 0, sizeof relays);
    engine_init(&engine);
    engine.order_seed = order_seed;
    engine.sleep = sleep;
    domains[0] = engine_add_domain(&engine, "core", 925000);
    domains[1] = engine_add_domain(&engine, "memory", 1375000);
    for (unsigned i = 0; i < RING; i++) {
        component_init(&relays[i].component, &relay_operations, domains[i % 3 == 0], "relay");
        relays[i].random.state = i;
    }
    for (unsigned i = 0; i < RING; i++) {
        unsigned next = (i + 1) % RING;

        port_init(&relays[next].input, "tokens", &relays[i].component, &relays[next].component, 1 + i % 5,
                  2 + i % 3, sizeof(struct token));
        relays[i].output = &relays[next].input;
    }
    engine_start(&engine);
    for (uint32_t i = 0; i < TOKENS; i++) { /* fewer tokens than slots: the ring cannot clog */
        struct port *port = &relays[i % RING].input;

        if (port->count + 1 < port->capacity)
            *(struct token *)port_reserve(port, port->latency_cycles) = (struct token){.number = i, .hops = 300};
    }
    assert_int_equal(engine_run(&engine, UINT64_MAX), ENGINE_IDLE);
    for (unsigned i = 0; i < RING; i++) {
        digest = (digest ^ relays[i].digest) * UINT64_C(0x100000001b3);
        port_finish(&relays[i].input);
        component_finish(&relays[i].component);
    }
    digest ^= engine.now;
    engine_finish(&engine);
    return digest;
}

static void order_and_sleep_change_nothing(void **state)
{
    uint64_t digest = ring_digest(0, true);

    for (uint64_t seed = 1; seed < 6; seed++)
        assert_int_equal(ring_digest(seed, true), digest);
    assert_int_equal(ring_digest(0, false), digest);
    assert_int_equal(ring_digest(7, false), digest);
}

#define SAMPLE_STATISTICS(X)                                                                       \
    X(COUNTER, hits, "accesses", "hits")                                                           \
    X(HISTOGRAM, latency, "cycles", "latency")
struct sample_statistics {
    SAMPLE_STATISTICS(STATISTIC_FIELD)
};
#define SAMPLE_ROW(...) STATISTIC_ROW(struct sample_statistics, __VA_ARGS__)
static const struct statistic sample_statistics[] = {SAMPLE_STATISTICS(SAMPLE_ROW)};

static void changes_are_what_was_added(void **state)
{
    struct sample_statistics values[3] = {{0}};
    struct registry registry = {0};
    struct snapshot before, after;
    struct changes changes = {0};
    const uint32_t words = sizeof values[0] / 8;
    const uint32_t hits = offsetof(struct sample_statistics, hits) / 8;
    const uint32_t sum =
        (offsetof(struct sample_statistics, latency) + offsetof(struct histogram, sum)) / 8;

    for (unsigned i = 0; i < ARRAY_COUNT(values); i++)
        registry_add(&registry, "cu0.l1", "cache", sample_statistics,
                     ARRAY_COUNT(sample_statistics), &values[i], sizeof values[i]);
    values[0].hits = values[1].hits = 3;
    snapshot_take(&before, &registry);
    values[0].hits = 10;
    histogram_add(&values[2].latency, 100, 2);
    changes_take(&changes, &before, &registry);
    assert_int_equal(changes.count, 4); /* hits; count, sum and a bucket of the histogram */
    assert_int_equal(changes.list[0].word, hits);
    assert_int_equal(changes.list[0].value, 7);
    assert_int_equal(changes.list[2].word, 2 * words + sum);
    assert_int_equal(changes.list[2].value, 200);
    for (unsigned i = 1; i < changes.count; i++)
        assert_true(changes.list[i - 1].word < changes.list[i].word);
    snapshot_take(&after, &registry); /* `before` is the present now */
    assert_int_equal(snapshot_digest(&after, &registry), snapshot_digest(&before, &registry));
    values[1].hits++;
    assert_true(snapshot_digest(&after, &registry) == snapshot_digest(&before, &registry));
    changes_take(&changes, &before, &registry);
    assert_int_equal(changes.count, 1);
    assert_int_equal(changes.list[0].value, 1);
    assert_true(snapshot_digest(&after, &registry) != snapshot_digest(&before, &registry));
    for (uint32_t i = 0; i < 3 * words; i++) { /* each word by itself */
        ((uint64_t *)(void *)&values[i / words])[i % words] += i + 1;
        changes_take(&changes, &before, &registry);
        assert_int_equal(changes.count, 1);
        assert_int_equal(changes.list[0].word, i);
        assert_int_equal(changes.list[0].value, i + 1);
    }
    changes_take(&changes, &before, &registry);
    assert_int_equal(changes.count, 0);
    changes_finish(&changes);
    snapshot_finish(&before);
    snapshot_finish(&after);
    registry_finish(&registry);
}

static void unknown_faults_are_named(void **state)
{
    struct diagnosis diagnosis;
    uint64_t set;

    assert_true(debug_parse("ignore_glc,drop_dirty_byte", &set, &diagnosis));
    assert_true(debug_breaks(set, IGNORE_GLC) && debug_breaks(set, DROP_DIRTY_BYTE));
    assert_false(debug_parse("ignore_gcl", &set, &diagnosis));
    assert_non_null(strstr(diagnosis.hint, "ignore_glc"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrives_after_its_latency),
        cmocka_unit_test(full_rate_needs_twice_the_latency),
        cmocka_unit_test(slow_receiver_holds_the_sender_back),
        cmocka_unit_test(clocks_meet_at_exact_edges),
        cmocka_unit_test(credits_meet_exact_edges),
        cmocka_unit_test(distant_arrivals_are_kept),
        cmocka_unit_test(limit_stops_the_run),
        cmocka_unit_test(marks_are_met_and_move_nothing),
        cmocka_unit_test(limit_comes_before_later_marks),
        cmocka_unit_test(order_and_sleep_change_nothing),
        cmocka_unit_test(changes_are_what_was_added),
        cmocka_unit_test(unknown_faults_are_named),
    };

    return cmocka_run_group_tests_name("sim", tests, NULL, NULL);
}
