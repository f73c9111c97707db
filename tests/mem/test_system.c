/* SPDX-License-Identifier: MIT */
/* The memory system with its clocks: latencies and bandwidths in closed form, and that neither
 * sleep nor order can be seen. */
#include "cmocka_all.h"

#include <string.h>

#include "base/bits.h"
#include "system.h"

/* ---- Latency ---- */

static uint64_t l1_hit(const struct system_options *o)
{
    return o->request_cycles + o->l1.reply_cycles;
}

/* To L2 and back, around what L2 takes. */
static uint64_t network(const struct system_options *o)
{
    return o->l1.forward_cycles + 2 * o->crossbar.latency_cycles + o->l2.reply_cycles;
}

/* A closed bank: activate, two column commands of one bank group, the second's data. */
static uint64_t dram_miss(const struct system_options *o)
{
    const struct dram_parameters *d = &o->dram;

    return d->request_cycles + d->trcdr + d->tccdl + d->tcl + 2 + d->reply_cycles;
}

static void check_latencies(const struct system_options *options)
{
    struct system *system = system_create(options);

    system->agents[0].is_serial = system->agents[1].is_serial = true;
    system_add(system, 0, MESSAGE_LOAD, 0, 4, 0);    /* from memory */
    system_add(system, 0, MESSAGE_LOAD, 8, 4, 0);    /* L1 hit */
    system_add(system, 1, MESSAGE_LOAD, 0, 4, 2000); /* L2 hit */
    system_run(system);
    assert_int_equal(system_latency(system, 0, 1), l1_hit(options));
    assert_int_equal(system_latency(system, 1, 0), l1_hit(options) + network(options));
    assert_int_equal(system_latency(system, 0, 0), l1_hit(options) + network(options) +
                                                       options->l2.forward_cycles +
                                                       dram_miss(options));
    system_destroy(system);
}

static void unloaded_latencies(void **state)
{
    struct system_options options;

    (void)state;
    system_defaults(&options);
    check_latencies(&options);
    options.l1.reply_cycles = 31;
    options.l1.forward_cycles = 7;
    options.l2.reply_cycles = 43;
    options.l2.forward_cycles = 11;
    options.crossbar.latency_cycles = 5;
    options.dram.request_cycles = 9;
    options.dram.reply_cycles = 21;
    options.dram.trcdr = 13;
    options.dram.tcl = 19;
    check_latencies(&options);
}

/* Two clocks: the same sum, each part rounded up to an edge of the clock that it enters. */
static void unloaded_latency_two_clocks(void **state)
{
    struct system_options options;
    struct system *system;
    uint64_t core_cycles, memory_cycles, latency;

    (void)state;
    system_defaults(&options);
    options.core_khz = 925000;
    options.memory_khz = 1375000;
    system = system_create(&options);
    system_add(system, 0, MESSAGE_LOAD, 0, 4, 0);
    system_run(system);
    latency = system_latency(system, 0, 0);
    core_cycles = l1_hit(&options) + network(&options) + options.l2.forward_cycles;
    memory_cycles = dram_miss(&options) * 925 / 1375;
    assert_in_range(latency, core_cycles + memory_cycles, core_cycles + memory_cycles + 2);
    system_destroy(system);
}

static void fixed_memory(void **state)
{
    struct system_options options;
    struct system *system;

    (void)state;
    system_defaults(&options);
    strcpy(options.dram.model, "fixed");
    options.dram.fixed_cycles = 123;
    system = system_create(&options);
    system_add(system, 0, MESSAGE_LOAD, 0, 4, 0);
    system_run(system);
    assert_int_equal(system_latency(system, 0, 0),
                     l1_hit(&options) + network(&options) + options.l2.forward_cycles + 123);
    system_destroy(system);
}

/* ---- Bandwidth ---- */

/* Cycles from the first to the last answer of a node. */
static uint64_t span(const struct agent *agent)
{
    uint64_t first = UINT64_MAX, last = 0;

    for (uint32_t i = 0; i < agent->count; i++) {
        if (agent->answered_at[i] < first)
            first = agent->answered_at[i];
        if (agent->answered_at[i] > last)
            last = agent->answered_at[i];
    }
    return last - first;
}

/* L1 hits stream at one line a cycle. */
static void l1_streams_a_line_a_cycle(void **state)
{
    struct system_options options;
    struct system *system;

    (void)state;
    system_defaults(&options);
    system = system_create(&options);
    for (uint32_t i = 0; i < 32; i++)
        system_add(system, 0, MESSAGE_LOAD, 64 * i, 64, 0);
    system_run(system);
    for (uint32_t i = 0; i < 256; i++)
        system_add(system, 0, MESSAGE_LOAD, 64 * (i % 32), 64, 0);
    system_run(system);
    assert_int_equal(system->agents[0].answered_at[32 + 255] - system->agents[0].answered_at[32],
                     255);
    system_destroy(system);
}

/* Lines that are in L2, from one node. Its one link carries a line a cycle, or half of one when it
 * is half as wide. */
static uint64_t l2_stream_cycles(uint64_t width_bytes)
{
    struct system_options options;
    struct system *system;
    uint64_t cycles;

    system_defaults(&options);
    options.crossbar.width_bytes = width_bytes;
    options.l1.mshr_entries = 256; /* never the limit */
    options.l1.waiting_entries = 256;
    system = system_create(&options);
    for (uint32_t i = 0; i < 256; i++)
        system_add(system, 1, MESSAGE_LOAD, 64 * i, 64, 0);
    for (uint32_t i = 0; i < 256; i++)
        system_add(system, 0, MESSAGE_LOAD, 64 * i, 64, 20000);
    system_run(system);
    cycles = span(&system->agents[0]);
    system_destroy(system);
    return cycles;
}

static void crossbar_width_limits(void **state)
{
    (void)state;
    assert_in_range(l2_stream_cycles(64), 255, 258);
    assert_in_range(l2_stream_cycles(32), 2 * 255, 2 * 255 + 4);
    assert_in_range(l2_stream_cycles(16), 4 * 255, 4 * 255 + 8);
}

/* With n MSHRs and latency L, n lines in L cycles. */
static void mshrs_limit(void **state)
{
    (void)state;
    for (uint64_t entries = 1; entries <= 8; entries *= 2) {
        struct system_options options;
        struct system *system;
        uint64_t latency, expected;

        system_defaults(&options);
        strcpy(options.dram.model, "fixed");
        options.l1.mshr_entries = entries;
        system = system_create(&options);
        for (uint32_t i = 0; i < 256; i++)
            system_add(system, 0, MESSAGE_LOAD, 64 * i, 4, 0);
        system_run(system);
        /* An entry is free again when its fill has come: the hop from and to the agent is not in
         * it. */
        latency = network(&options) + options.l2.forward_cycles + options.dram.fixed_cycles;
        expected = 256 * latency / entries;
        assert_in_range(span(&system->agents[0]), expected * 95 / 100, expected * 105 / 100);
        assert_true(system->l1s[0].controller.statistics.stall_mshr_cycles > expected * 9 / 10);
        system_destroy(system);
    }
}

/* Streaming reads through both channels: two bursts of two cycles a line, less what refresh takes.
 */
static void memory_streams_near_its_peak(void **state)
{
    struct system_options options;
    struct system *system;
    uint64_t cycles = 0;

    (void)state;
    system_defaults(&options);
    options.nodes = 4;
    options.l1.mshr_entries = 256;
    options.l1.waiting_entries = 256;
    system = system_create(&options);
    for (uint32_t i = 0; i < 4096; i++)
        system_add(system, i / 4 % 4, MESSAGE_LOAD, 64 * i, 64, 0);
    system_run(system);
    for (uint32_t node = 0; node < 4; node++)
        cycles = span(&system->agents[node]) > cycles ? span(&system->agents[node]) : cycles;
    assert_in_range(cycles, 2048 * 4, 2048 * 4 * 115 / 100);
    system_destroy(system);
}

/* ---- Determinism ---- */

static void add_random_traffic(struct system *system, uint64_t seed)
{
    struct random random = {.state = seed};

    for (uint32_t node = 0; node < system->options.nodes; node++) {
        uint64_t cycle = 0;

        for (uint32_t i = 0; i < 600; i++) {
            static const uint8_t kinds[] = {MESSAGE_LOAD,  MESSAGE_LOAD,   MESSAGE_LOAD,
                                            MESSAGE_STORE, MESSAGE_ATOMIC, MESSAGE_LOAD};
            uint8_t kind = kinds[random_below(&random, 6)];
            uint64_t offset = 4 * random_below(&random, 8192);
            struct message *message;

            if (random_below(&random, 50) == 0)
                kind = MESSAGE_INVALIDATE;
            message = system_add(system, node, kind, offset, 4, cycle);
            message->glc = random_below(&random, 4) == 0;
            message->rmw = RMW_ADD;
            message->word_bytes = 4;
            message->returns = true;
            message->data[offset % 64] = (unsigned char)i;
            if (kind == MESSAGE_INVALIDATE)
                message->addr = message->mask = 0;
            cycle += random_below(&random, 8) == 0 ? random_below(&random, 400) : 0;
        }
    }
}

struct result {
    uint64_t digest, now, values;
};

/* `tight`: small caches, with the so-many'th way of admission; 0: as usual. */
static struct result run_traffic(bool is_sleepless, uint64_t order_seed, bool two_clocks,
                                 unsigned tight)
{
    struct system_options options;
    struct system *system;
    struct result result = {0};

    system_defaults(&options);
    options.nodes = 8;
    options.slices = 3;
    options.is_sleepless = is_sleepless;
    options.order_seed = order_seed;
    if (two_clocks) {
        options.core_khz = 925000;
        options.memory_khz = 1375000;
    }
    if (tight) {
        strcpy(options.l1.admission, admissions[tight - 1]->name);
        strcpy(options.l2.admission, admissions[tight - 1]->name);
        options.l1.merging = tight % 2;
        options.l2.merging = 1;
        options.l1.size_kb = 1;
        options.l1.mshr_entries = 2;
        options.l1.waiting_entries = 3;
        options.l2.size_kb = 4;
        options.l2.ways = 2;
        options.l2.mshr_entries = 3;
        options.l2.waiting_entries = 4;
        options.l1.walk_lines_per_cycle = 2;
        options.crossbar.queue_entries = 2;
        options.dram.read_entries = 2;
        options.dram.write_entries = 4;
        options.dram.drain_above = 3;
        options.dram.drain_below = 1;
    }
    system = system_create(&options);
    add_random_traffic(system, 42);
    system_run(system);
    result.digest = system_digest(system);
    result.now = system->engine.now;
    for (uint32_t node = 0; node < options.nodes; node++)
        for (uint32_t i = 0; i < system->agents[node].count; i++)
            result.values = result.values * 31 + system->agents[node].answered_at[i] +
                            system->agents[node].answers[i].data[0];
    system_destroy(system);
    return result;
}

static void sleep_and_order_are_unobservable(void **state)
{
    (void)state;
    for (unsigned tight = 0; tight == 0 || admissions[tight - 1] != NULL; tight++)
        for (unsigned two_clocks = 0; two_clocks < 2; two_clocks++) {
            struct result normal = run_traffic(false, 0, two_clocks, tight);

            for (unsigned variant = 1; variant < 6; variant++) {
                struct result other =
                    run_traffic(variant % 2 == 1, variant / 2 * 77, two_clocks, tight);

                assert_int_equal(other.now, normal.now);
                assert_int_equal(other.values, normal.values);
                assert_int_equal(other.digest, normal.digest);
            }
        }
}

/* Loads are hits, misses and merges, and nothing twice; what goes down is what misses. */
static void counts_add_up(void **state)
{
    struct system_options options;
    struct system *system;
    uint64_t loads = 0, stores = 0, atomics = 0, misses = 0, sent[MESSAGE_KINDS] = {0};

    (void)state;
    system_defaults(&options);
    options.nodes = 8;
    options.slices = 3;
    options.l1.size_kb = 1;
    options.l1.mshr_entries = 2;
    options.l1.waiting_entries = 3;
    options.l2.size_kb = 4;
    options.l2.mshr_entries = 2;
    options.l2.waiting_entries = 3;
    system = system_create(&options);
    add_random_traffic(system, 7);
    system_run(system);
    for (uint32_t node = 0; node < options.nodes; node++) {
        const struct cache_statistics *s = &system->l1s[node].controller.statistics;

        assert_int_equal(s->loads, s->load_hits + s->load_misses + s->load_merges);
        assert_int_equal(s->fills + s->overtaken_fills, s->load_misses);
        assert_int_equal(s->miss_latency.count, s->load_misses);
        loads += s->loads;
        stores += s->stores;
        atomics += s->atomics;
        misses += s->load_misses;
        for (uint32_t i = 0; i < system->agents[node].count; i++)
            sent[system->agents[node].script[i].kind]++;
    }
    assert_int_equal(loads, sent[MESSAGE_LOAD]);
    assert_int_equal(stores, sent[MESSAGE_STORE]);
    assert_int_equal(atomics, sent[MESSAGE_ATOMIC]);
    for (uint32_t i = 0; i < options.slices; i++) {
        const struct cache_statistics *s = &system->slices[i].controller.statistics;

        assert_int_equal(s->loads, s->load_hits + s->load_misses + s->load_merges);
        misses -= s->loads;
        stores -= s->stores;
        atomics -= s->atomics;
        assert_int_equal(s->load_misses + s->atomic_misses,
                         system->channels[2 * i].statistics.reads +
                             system->channels[2 * i + 1].statistics.reads);
        assert_int_equal(s->write_backs, system->channels[2 * i].statistics.writes +
                                             system->channels[2 * i + 1].statistics.writes);
    }
    assert_int_equal(misses, 0);
    assert_int_equal(stores, 0);
    assert_int_equal(atomics, 0);
    system_destroy(system);
}

/* What the L1s' transient states lasted, by their names; `entries` too. */
static uint64_t transient_cycles(const struct system *system, uint64_t *entries)
{
    uint64_t cycles = 0;

    *entries = 0;
    for (uint32_t node = 0; node < system->options.nodes; node++) {
        const struct state_times *times = &system->l1s[node].controller.state_times;

        for (uint32_t i = 0; i < times->count; i++) {
            *entries += times->counts[2 * i];
            cycles += times->counts[2 * i + 1];
        }
    }
    return cycles;
}

/* Each miss is a line in transient states, from its lookup to its fill. Under every protocol whose
 * lines are not held for anything else, what they lasted is what misses did. */
static void transient_states_last_as_long_as_misses(void **state)
{
    static const char *const names[] = {"si", "moesi", "nmoesi"};

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct system_options options;
        struct system *system;
        uint64_t misses = 0, cycles = 0, entries;

        system_defaults(&options);
        options.protocol = protocol_find(names[i]);
        options.nodes = 8;
        options.slices = 3;
        options.l1.size_kb = 1;
        options.l2.size_kb = 4;
        system = system_create(&options);
        add_random_traffic(system, 7);
        system_run(system);
        for (uint32_t node = 0; node < options.nodes; node++) {
            misses += system->l1s[node].controller.statistics.miss_latency.count;
            cycles += system->l1s[node].controller.statistics.miss_latency.sum;
        }
        assert_true(misses > 1000);
        assert_int_equal(transient_cycles(system, &entries), cycles);
        assert_true(entries >= misses); /* a probe may take a copy in mid-upgrade: SM, then IM */
        system_destroy(system);
    }
}

/* One load: IS in the L1 for its whole miss; in L2 F from the lookup to memory's answer. */
static void a_load_is_in_is(void **state)
{
    struct system_options options;
    struct system *system;
    const struct state_times *l1, *l2;
    uint64_t entries, miss;

    (void)state;
    system_defaults(&options);
    options.protocol = protocol_find("moesi");
    options.slices = 1;
    system = system_create(&options);
    system_add(system, 0, MESSAGE_LOAD, 0, 4, 0);
    system_run(system);
    l1 = &system->l1s[0].controller.state_times;
    l2 = &system->slices[0].controller.state_times;
    miss = system->l1s[0].controller.statistics.miss_latency.sum;
    assert_string_equal(l1->statistics[0].name, "is_entries");
    assert_string_equal(l1->statistics[1].name, "is_cycles");
    assert_int_equal(l1->counts[0], 1);
    assert_int_equal(l1->counts[1], miss);
    assert_int_equal(transient_cycles(system, &entries), miss);
    assert_int_equal(entries, 1);
    assert_string_equal(l2->statistics[0].name, "f_entries");
    assert_int_equal(l2->counts[0], 1);
    assert_int_equal(l2->counts[1],
                     system->slices[0].controller.statistics.miss_latency.sum);
    assert_true(l2->counts[1] > 0 && l2->counts[1] < miss);
    system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"system/unloaded_latencies", unloaded_latencies, NULL, NULL, NULL},
        {"system/unloaded_latency_two_clocks", unloaded_latency_two_clocks, NULL, NULL, NULL},
        {"system/fixed_memory", fixed_memory, NULL, NULL, NULL},
        {"system/l1_streams_a_line_a_cycle", l1_streams_a_line_a_cycle, NULL, NULL, NULL},
        {"system/crossbar_width_limits", crossbar_width_limits, NULL, NULL, NULL},
        {"system/mshrs_limit", mshrs_limit, NULL, NULL, NULL},
        {"system/memory_streams_near_its_peak", memory_streams_near_its_peak, NULL, NULL, NULL},
        {"system/sleep_and_order_are_unobservable", sleep_and_order_are_unobservable, NULL, NULL,
         NULL},
        {"system/counts_add_up", counts_add_up, NULL, NULL, NULL},
        {"system/transient_states_last_as_long_as_misses", transient_states_last_as_long_as_misses,
         NULL, NULL, NULL},
        {"system/a_load_is_in_is", a_load_is_in_is, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
