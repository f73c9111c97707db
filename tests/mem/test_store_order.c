/* SPDX-License-Identifier: MIT */
/* store_order=program: in which order an L1 of MOESI and NMOESI takes its accesses, what other
 * compute units see of that, and what it costs. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "bench.h"
#include "mem/protocol/moesi/parameters.h"
#include "mem/protocol/nmoesi/parameters.h"
#include "system.h"

enum { LINE = 128, OTHER = 256 }; /* of two slices */

static const uint64_t forgotten = UINT64_C(1) << DEBUG_BREAK_FORGET_STORE_ORDER;

/* Of that name and order; it lives until the next call for the name. */
static const struct protocol *protocol_with(const char *name, const char *order)
{
    static struct moesi_parameters moesi;
    static struct nmoesi_parameters nmoesi = {.fence_scope = "work-group"};
    static struct protocol made[2];
    unsigned which = strcmp(name, "moesi") != 0;

    strcpy(moesi.store_order, order);
    strcpy(nmoesi.store_order, order);
    made[which] = *protocol_find(name);
    made[which].parameters = which == 0 ? (const void *)&moesi : &nmoesi;
    return &made[which];
}

static struct bench *create(const char *name, const char *order, uint64_t breaks)
{
    struct bench_options options = {
        .protocol = protocol_with(name, order), .l1s = 2, .slices = 2, .breaks = breaks};
    struct bench *bench = malloc(sizeof *bench);

    bench_init(bench, &options);
    return bench;
}

static void destroy(struct bench *bench)
{
    bench_finish(bench);
    free(bench);
}

/* ---- What waits ---- */

enum { LOAD, PLAIN, COHERENT, ATOMIC };

static struct message access_of(struct bench *bench, unsigned what, uint64_t offset)
{
    static const uint8_t kinds[] = {MESSAGE_LOAD, MESSAGE_STORE, MESSAGE_STORE, MESSAGE_ATOMIC};
    struct message message = bench_request(bench, kinds[what], offset, 4);

    message.glc = what == COHERENT;
    if (what == ATOMIC) {
        message.rmw = RMW_ADD;
        message.word_bytes = 4;
    }
    return message;
}

/* Whether an L1 that has asked for a line for `first` takes `second` to a line that it may write. */
static bool takes(const char *name, const char *order, unsigned first, unsigned second,
                  uint64_t offset)
{
    struct bench *bench = create(name, order, 0);
    struct controller *l1 = &bench->uppers[0];
    struct message message = access_of(bench, COHERENT, OTHER);
    struct step step;
    bool is_taken;

    bench_do(bench, 0, &message);
    message = access_of(bench, first, LINE);
    assert_int_equal(controller_step(l1, &message, &step), STEP_DONE);
    message = access_of(bench, second, offset);
    is_taken = controller_step(l1, &message, &step) == STEP_DONE;
    assert_true(is_taken || l1->stall_cause == STALL_ORDER);
    destroy(bench);
    return is_taken;
}

/* Of MOESI a store waits for everything and everything for it; one to its line joins it. */
static void all_stores_of_moesi_wait(void **state)
{
    (void)state;
    for (unsigned second = LOAD; second <= ATOMIC; second++)
        for (unsigned first = LOAD; first <= ATOMIC; first++) {
            bool is_store = first != LOAD || second != LOAD;

            assert_true(takes("moesi", "line", first, second, OTHER));
            assert_int_equal(takes("moesi", "program", first, second, OTHER), !is_store);
            assert_int_equal(takes("moesi", "program", first, second, LINE),
                             !is_store || (first != LOAD && second != LOAD));
        }
}

/* Of NMOESI coherent ones alone: plain stores wait for them, and not for each other or loads. */
static void coherent_stores_of_nmoesi_wait(void **state)
{
    (void)state;
    for (unsigned second = LOAD; second <= ATOMIC; second++)
        for (unsigned first = LOAD; first <= ATOMIC; first++) {
            bool is_ordered = first >= COHERENT || second >= COHERENT;

            assert_true(takes("nmoesi", "line", first, second, OTHER));
            assert_int_equal(takes("nmoesi", "program", first, second, OTHER), !is_ordered);
        }
    assert_true(takes("nmoesi", "program", COHERENT, ATOMIC, LINE));
    assert_false(takes("nmoesi", "program", COHERENT, PLAIN, LINE));
}

/* ---- What others see ---- */

static void send(struct bench *bench, uint32_t node, unsigned what, uint64_t offset)
{
    struct message message = access_of(bench, what, offset);

    message_set_word(&message, offset, 1);
    pump_send(&bench->pump, node, &message);
}

static uint32_t load_beside(struct bench *bench, uint64_t offset)
{
    send(bench, 1, LOAD, offset);
    for (;;) {
        uint32_t before = bench->reply_count;

        assert_true(pump_step(&bench->pump));
        if (bench->reply_count > before && bench->replies[before].kind == MESSAGE_LOAD + 1)
            return message_word(&bench->replies[before], offset);
    }
}

/* One L1 stores to a line that another has and then to one of its own, without waiting between.
 * Who sees the second store: does it see the first, in each of many orders of messages? */
static bool stores_are_seen_in_order(const char *order, uint64_t breaks)
{
    bool is_right = true;

    for (uint64_t seed = 1; seed <= 1000 && is_right; seed++) {
        struct bench *bench = create("moesi", order, breaks);

        bench_store(bench, 0, OTHER, 0);
        bench_load(bench, 1, LINE);
        bench->reply_count = 0;
        bench->pump.is_random = true;
        bench->pump.random.state = seed;
        send(bench, 0, PLAIN, LINE);
        send(bench, 0, PLAIN, OTHER);
        while (load_beside(bench, OTHER) == 0)
            bench->reply_count = 0;
        is_right &= load_beside(bench, LINE) == 1;
        pump_run(&bench->pump);
        destroy(bench);
    }
    return is_right;
}

static void stores_become_visible_in_program_order(void **state)
{
    (void)state;
    assert_true(stores_are_seen_in_order("program", 0));
    assert_false(stores_are_seen_in_order("line", 0)); /* nothing promises it there */
    assert_false(stores_are_seen_in_order("program", forgotten));
}

/* ---- Time ---- */

/* Cycles from the first to the last answer of so many accesses of an L1 to lines of their own. */
static uint64_t span_of(const char *order, const char *admission, uint8_t kind, uint32_t count,
                        uint64_t breaks)
{
    struct system_options options;
    struct system *system;
    uint64_t span;

    system_defaults(&options);
    strcpy(options.dram.model, "fixed");
    strcpy(options.l1.admission, admission);
    options.protocol = protocol_with("moesi", order);
    options.slices = 1;
    options.breaks = breaks;
    system = system_create(&options);
    for (uint32_t i = 0; i < count; i++)
        system_add(system, 0, kind, 64 * i, 4, 0);
    system_run(system);
    span = system->agents[0].answered_at[count - 1] - system->agents[0].answered_at[0];
    system_destroy(system);
    return span;
}

/* From a store's lookup to its line's arrival: unloaded, less the hops from and to the agent. */
static uint64_t miss_cycles(void)
{
    struct system_options options;

    system_defaults(&options);
    return options.l1.forward_cycles + 2 * options.crossbar.latency_cycles +
           options.l2.reply_cycles + options.l2.forward_cycles + options.dram.fixed_cycles;
}

/* Misses of stores follow each other; those of loads do not. Where entries are held until answers
 * have left, those cycles count too. */
static void stores_miss_one_after_the_other(void **state)
{
    struct system_options options;
    uint64_t miss = miss_cycles();

    (void)state;
    system_defaults(&options);
    assert_int_equal(span_of("program", "misses", MESSAGE_STORE, 8, 0), 7 * miss);
    assert_true(span_of("line", "misses", MESSAGE_STORE, 8, 0) < miss);
    assert_true(span_of("program", "misses", MESSAGE_LOAD, 8, 0) < miss);
    assert_true(span_of("program", "misses", MESSAGE_STORE, 8, forgotten) < miss);
    for (unsigned i = 1; admissions[i] != NULL; i++)
        assert_int_equal(span_of("program", admissions[i]->name, MESSAGE_STORE, 8, 0),
                         7 * (miss + options.l1.reply_cycles));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"store_order/all_stores_of_moesi_wait", all_stores_of_moesi_wait, NULL, NULL, NULL},
        {"store_order/coherent_stores_of_nmoesi_wait", coherent_stores_of_nmoesi_wait, NULL, NULL,
         NULL},
        {"store_order/stores_become_visible_in_program_order",
         stores_become_visible_in_program_order, NULL, NULL, NULL},
        {"store_order/stores_miss_one_after_the_other", stores_miss_one_after_the_other, NULL, NULL,
         NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
