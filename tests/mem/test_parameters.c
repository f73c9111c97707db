/* SPDX-License-Identifier: MIT */
/* Each declared parameter of the memory system moves a result, in the expected direction, in a
 * named experiment. */
#include "cmocka_all.h"

#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "system.h"

/* ---- Experiments: each gives the cycles that some traffic takes ---- */

static uint64_t end_of(struct system *system)
{
    uint64_t last = 0;

    system_run(system);
    for (uint32_t node = 0; node < system->options.nodes; node++)
        for (uint32_t i = 0; i < system->agents[node].count; i++)
            if (system->agents[node].answered_at[i] > last)
                last = system->agents[node].answered_at[i];
    system_destroy(system);
    return last;
}

/* One load after the other, of lines that are nowhere. */
static uint64_t chase(const struct system_options *options)
{
    struct system *system = system_create(options);

    system->agents[0].is_serial = true;
    for (uint32_t i = 0; i < 20; i++)
        system_add(system, 0, MESSAGE_LOAD, 4096 * i, 4, 0);
    return end_of(system);
}

/* The same lines of one bank and ever other rows. */
static uint64_t chase_rows(const struct system_options *options)
{
    struct system *system = system_create(options);

    system->agents[0].is_serial = true;
    for (uint32_t i = 0; i < 20; i++)
        system_add(system, 0, MESSAGE_LOAD, 65536 * i, 4, 0);
    return end_of(system);
}

/* Two nodes stream through memory. */
static uint64_t stream(const struct system_options *options)
{
    struct system *system = system_create(options);

    for (uint32_t i = 0; i < 1500; i++)
        system_add(system, i % 2, MESSAGE_LOAD, 64 * i, 64, 0);
    return end_of(system);
}

/* Loads all over, in one bank's rows and others. */
static uint64_t scatter(const struct system_options *options)
{
    struct system *system = system_create(options);
    struct random random = {.state = 5};

    for (uint32_t i = 0; i < 1500; i++)
        system_add(system, i % 2, MESSAGE_LOAD, 64 * random_below(&random, 65536), 64, 0);
    return end_of(system);
}

/* Loads and stores that miss in L2, with what it must write back. */
static uint64_t mixed(const struct system_options *options)
{
    struct system *system = system_create(options);
    struct random random = {.state = 6};

    for (uint32_t i = 0; i < 3000; i++)
        system_add(system, i % 2, i % 4 < 2 ? MESSAGE_STORE : MESSAGE_LOAD,
                   64 * random_below(&random, 32768), 64, 0);
    return end_of(system);
}

/* The second of two passes over 24 KB of lines, by one node. */
static uint64_t two_passes(const struct system_options *options)
{
    struct system *system = system_create(options);

    for (uint32_t i = 0; i < 2 * 384; i++)
        system_add(system, 0, MESSAGE_LOAD, 64 * (i % 384), 4, 0);
    return end_of(system);
}

/* The same over eight lines of one set of a 64-set cache. */
static uint64_t one_set(const struct system_options *options)
{
    struct system *system = system_create(options);

    system->agents[0].is_serial = true;
    for (uint32_t i = 0; i < 64; i++)
        system_add(system, 0, MESSAGE_LOAD, 4096 * (i % 8), 4, 0);
    return end_of(system);
}

/* Sixteen loads of each of some lines at once. */
static uint64_t merging(const struct system_options *options)
{
    struct system *system = system_create(options);

    for (uint32_t i = 0; i < 1024; i++)
        system_add(system, 0, MESSAGE_LOAD, 64 * (i / 16) + 4 * (i % 16), 4, 0);
    return end_of(system);
}

/* Both nodes load warm lines of L2, of two channels. */
static uint64_t warm_l2(const struct system_options *options)
{
    struct system *system = system_create(options);

    for (uint32_t i = 0; i < 1024; i++)
        system_add(system, i % 2, MESSAGE_LOAD, 64 * (i % 512) ^ 256 * (i % 2), 64, 0);
    for (uint32_t i = 0; i < 2048; i++)
        system_add(system, i % 2, MESSAGE_LOAD, 64 * (i % 512) ^ 256 * (i / 512 % 2), 64, 0);
    return end_of(system);
}

/* An invalidation after each load. */
static uint64_t acquiring(const struct system_options *options)
{
    struct system *system = system_create(options);

    system->agents[0].is_serial = true;
    for (uint32_t i = 0; i < 40; i++) {
        struct message *message =
            system_add(system, 0, i % 2 ? MESSAGE_INVALIDATE : MESSAGE_LOAD, 0, 4, 0);

        if (i % 2)
            message->addr = message->mask = 0;
    }
    return end_of(system);
}

/* Eight nodes load much from one channel, and then a little from the other: when do they have the
 * latter? */
static uint64_t hot_channel(const struct system_options *options)
{
    struct system *system = system_create(options);
    uint64_t last = 0;

    for (uint32_t node = 0; node < 8; node++)
        for (uint32_t i = 0; i < 40; i++)
            system_add(system, node, MESSAGE_LOAD,
                       64 * (i % 4) + 512 * (i / 4) + (i < 30 ? 0 : 256), 64, 0);
    system_run(system);
    for (uint32_t node = 0; node < 8; node++)
        for (uint32_t i = 30; i < 40; i++)
            if (system->agents[node].answered_at[i] > last)
                last = system->agents[node].answered_at[i];
    system_destroy(system);
    return last;
}

/* When has a node handed over all its stores, to an L2 that can take one fill at a time? */
static uint64_t handing_over(const struct system_options *options)
{
    struct system_options copy = *options;
    struct system *system;
    uint64_t last;

    copy.l2.mshr_entries = 1;
    copy.crossbar.queue_entries = 4;
    system = system_create(&copy);
    for (uint32_t i = 0; i < 100; i++)
        system_add(system, 0, i < 4 ? MESSAGE_LOAD : MESSAGE_STORE, 512 * i, 4, 0);
    system_run(system);
    last = system->agents[0].sent_at[99];
    system_destroy(system);
    return last;
}

/* A power-of-two stride. */
static uint64_t stride(const struct system_options *options)
{
    struct system *system = system_create(options);

    for (uint32_t i = 0; i < 1024; i++)
        system_add(system, i % 2, MESSAGE_LOAD, 2048 * i, 4, 0);
    return end_of(system);
}

/* One load of another row meets all lines of a row of its bank: how long does it wait? (Blocks of a
 * bank of a channel are 8 KB apart, eight of them make a row.) */
static uint64_t starving(const struct system_options *options)
{
    struct system *system = system_create(options);
    uint64_t latency;

    for (uint32_t i = 0; i < 32; i++)
        system_add(system, 1, MESSAGE_LOAD, 64 * (i % 4) + 8192 * (i / 4), 64, 0);
    system_add(system, 0, MESSAGE_LOAD, 65536, 64, 8);
    system_run(system);
    latency = system_latency(system, 0, 0);
    system_destroy(system);
    return latency;
}

/* ---- The list ---- */

#define AT(part, name) offsetof(struct system_options, part.name)

struct experiment {
    const char *name;
    uint32_t offset;
    uint64_t low, high;
    uint64_t (*cycles)(const struct system_options *options);
    bool is_better; /* the higher value takes fewer cycles */
};

static const struct experiment experiments[] = {
    {"l1.size_kb", AT(l1, size_kb), 16, 32, two_passes, true},
    {"l1.ways", AT(l1, ways), 4, 16, one_set, true},
    {"l1.mshr_entries", AT(l1, mshr_entries), 2, 64, stream, true},
    {"l1.waiting_entries", AT(l1, waiting_entries), 2, 256, merging, true},
    {"l1.request_slots", AT(l1, request_slots), 2, 32, handing_over, true},
    {"l2.request_slots", AT(l2, request_slots), 2, 64, handing_over, true},
    {"l1.reply_cycles", AT(l1, reply_cycles), 10, 50, chase, false},
    {"l1.forward_cycles", AT(l1, forward_cycles), 2, 30, chase, false},
    {"l1.walk_lines_per_cycle", AT(l1, walk_lines_per_cycle), 4, 32, acquiring, true},
    {"l2.size_kb", AT(l2, size_kb), 16, 128, warm_l2, true},
    {"l2.ports", AT(l2, ports), 1, 2, warm_l2, true},
    {"l2.mshr_entries", AT(l2, mshr_entries), 2, 64, stream, true},
    {"l2.waiting_entries", AT(l2, waiting_entries), 2, 64, stream, true},
    {"l2.reply_cycles", AT(l2, reply_cycles), 10, 50, chase, false},
    {"l2.forward_cycles", AT(l2, forward_cycles), 2, 30, chase, false},
    {"crossbar.width_bytes", AT(crossbar, width_bytes), 8, 64, warm_l2, true},
    {"crossbar.latency_cycles", AT(crossbar, latency_cycles), 4, 40, chase, false},
    {"crossbar.queue_entries", AT(crossbar, queue_entries), 2, 64, hot_channel, true},
    {"dram.burst_bytes", AT(dram, burst_bytes), 16, 64, stream, true},
    {"dram.burst_cycles", AT(dram, burst_cycles), 1, 2, chase, false},
    {"dram.banks", AT(dram, banks), 4, 16, scatter, true},
    {"dram.bank_groups", AT(dram, bank_groups), 1, 4, stream, true},
    {"dram.row_bytes", AT(dram, row_bytes), 256, 2048, stream, true},
    {"dram.read_entries", AT(dram, read_entries), 1, 64, scatter, true},
    {"dram.request_cycles", AT(dram, request_cycles), 5, 50, chase, false},
    {"dram.reply_cycles", AT(dram, reply_cycles), 5, 50, chase, false},
    {"dram.tcl", AT(dram, tcl), 10, 40, chase, false},
    {"dram.twl", AT(dram, twl), 2, 60, mixed, false},
    {"dram.trcdr", AT(dram, trcdr), 10, 40, chase_rows, false},
    {"dram.trcdw", AT(dram, trcdw), 10, 80, mixed, false},
    {"dram.trp", AT(dram, trp), 10, 60, chase_rows, false},
    {"dram.tras", AT(dram, tras), 20, 56, scatter, false},
    {"dram.trc", AT(dram, trc), 56, 400, scatter, false},
    {"dram.trrd", AT(dram, trrd), 2, 30, scatter, false},
    {"dram.tfaw", AT(dram, tfaw), 20, 150, scatter, false},
    {"dram.tccds", AT(dram, tccds), 2, 4, stream, false},
    {"dram.tccdl", AT(dram, tccdl), 2, 6, stream, false},
    {"dram.twr", AT(dram, twr), 5, 150, mixed, false},
    {"dram.twtr", AT(dram, twtr), 2, 150, mixed, false},
    {"dram.trtp", AT(dram, trtp), 2, 150, scatter, false},
    {"dram.trtw", AT(dram, trtw), 4, 150, mixed, false},
    {"dram.trefi", AT(dram, trefi), 400, 3000, stream, true},
    {"dram.trfc", AT(dram, trfc), 20, 900, stream, false},
};

static void numbers_move_results(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ARRAY_COUNT(experiments); i++) {
        const struct experiment *e = &experiments[i];
        struct system_options options;
        uint64_t low, high;

        system_defaults(&options);
        if (e->cycles == mixed)
            options.l2.size_kb = 16;
        if (e->cycles == hot_channel) {
            options.nodes = 8;
        }
        memcpy((char *)&options + e->offset, &e->low, sizeof e->low);
        low = e->cycles(&options);
        memcpy((char *)&options + e->offset, &e->high, sizeof e->high);
        high = e->cycles(&options);
        if (e->is_better ? high >= low : high <= low)
            fail_msg("%s: %llu cycles at %llu, %llu at %llu", e->name, (unsigned long long)low,
                     (unsigned long long)e->low, (unsigned long long)high,
                     (unsigned long long)e->high);
    }
}

static void models_and_rules_move_results(void **state)
{
    struct system_options options;
    uint64_t gddr5, fixed, tahiti, modulo;

    (void)state;
    system_defaults(&options);
    gddr5 = scatter(&options);
    strcpy(options.dram.model, "fixed");
    options.dram.fixed_cycles = 20;
    fixed = scatter(&options);
    assert_true(fixed < gddr5);
    options.dram.fixed_cycles = 400;
    assert_true(chase(&options) > 20 * 400);

    system_defaults(&options);
    options.slices = 6;
    options.rule = "tahiti";
    tahiti = stride(&options);
    options.rule = "modulo";
    modulo = stride(&options);
    assert_true(modulo < tahiti); /* 2 KB: two channels of twelve, against three */
    options.slices = 5;           /* ten channels: five are met */
    assert_true(stride(&options) < modulo);
}

/* Row hits pass an old request until it has reached the cap; writes are drained in larger or
 * smaller batches. */
static void policies_move_results(void **state)
{
    struct system_options options;
    uint64_t patient, eager, large, small;

    (void)state;
    system_defaults(&options);
    options.dram.age_cap_cycles = 60;
    eager = starving(&options);
    options.dram.age_cap_cycles = 100000;
    patient = starving(&options);
    assert_true(eager < patient);
    system_defaults(&options);
    options.l2.size_kb = 16;
    options.dram.drain_above = 40;
    options.dram.drain_below = 8;
    large = mixed(&options);
    options.dram.drain_above = 9;
    small = mixed(&options);
    assert_true(large < small); /* the bus turns round less often */
    options.dram.drain_above = 40;
    options.dram.drain_below = 39;
    assert_true(large < mixed(&options));
    options.dram.drain_above = 2;
    options.dram.drain_below = 1;
    options.dram.write_entries = 2;
    small = mixed(&options);
    assert_true(large < small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"parameters/numbers_move_results", numbers_move_results, NULL, NULL, NULL},
        {"parameters/models_and_rules_move_results", models_and_rules_move_results, NULL, NULL,
         NULL},
        {"parameters/policies_move_results", policies_move_results, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
