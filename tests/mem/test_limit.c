/* SPDX-License-Identifier: MIT */
/* Does the adaptive limit find how many entries are best, and follow when that changes? */
#include "cmocka_all.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "mem/limit.h"
#include "system.h"

enum { ENTRIES = 64 };

/* ---- The policy alone: answers in a window as a function of the limit ---- */

static uint64_t up_to_16(uint32_t limit)
{
    return 100 * (limit < 16 ? limit : 16);
}

static uint64_t worse_above_4(uint32_t limit)
{
    return limit <= 4 ? 100 * limit : 400 - 4 * limit;
}

static uint64_t all_alike(uint32_t limit)
{
    (void)limit;
    return 1000;
}

static uint64_t more_is_better(uint32_t limit)
{
    return 100 * (uint64_t)limit;
}

/* The limit that most of the last windows have had. */
static uint32_t settles_at(struct limit_memory *memory, uint64_t (*answers)(uint32_t limit))
{
    uint32_t limit = memory->best == 0 ? ENTRIES : memory->best, counts[ENTRIES + 1] = {0};
    uint32_t max = 1;

    for (unsigned window = 0; window < 60; window++) {
        limit = limit_policy_find("adaptive")->next(memory, ENTRIES, answers(limit));
        assert_in_range(limit, 1, ENTRIES);
        if (window >= 30)
            counts[limit]++;
    }
    for (uint32_t i = 1; i <= ENTRIES; i++)
        if (counts[i] > counts[max])
            max = i;
    return max;
}

static void it_finds_the_best_of_each_curve(void **state)
{
    struct limit_memory memory = {0};

    (void)state;
    assert_int_equal(settles_at(&memory, up_to_16), 16);
    assert_int_equal(settles_at(&memory, worse_above_4), 4);
    assert_int_equal(settles_at(&memory, more_is_better), ENTRIES);
    assert_int_equal(settles_at(&memory, all_alike), 1); /* ties to fewer */
    assert_int_equal(settles_at(&memory, up_to_16), 16);
}

/* Each rung below costs 2.5 in a hundred: no tie. */
static uint64_t falls_slowly(uint32_t limit)
{
    return 1000 - 25 * (uint64_t)(6 - (63 - __builtin_clzll(limit)));
}

static void small_losses_are_seen(void **state)
{
    struct limit_memory memory = {0};

    (void)state;
    assert_int_equal(settles_at(&memory, falls_slowly), ENTRIES);
}

/* ---- With caches: a phase of loads from memory, which is far, then one from L2, which is near. The
 * link to the L1 carries a line in four cycles. ---- */

enum { PHASES = 4, LOADS = 4000, NEAR_LINES = 1024, WARM = 20000, SYSTEM_ENTRIES = 256 };

/* The other node has brought the near lines into L2; no L1 has room for them. */
static void add_warming(struct system *system)
{
    for (uint32_t i = 0; i < NEAR_LINES; i++)
        system_add(system, 1, MESSAGE_LOAD, i * 64, 4, 0);
}

static void add_phase(struct system *system, unsigned phase)
{
    struct agent *agent = &system->agents[0];

    agent->count = agent->sent = agent->answered = 0; /* what was there has been answered */
    memset(agent->answered_at, 0, sizeof agent->answered_at);
    for (uint32_t i = 0; i < LOADS; i++)
        system_add(system, 0, MESSAGE_LOAD,
                   (uint64_t)(phase % 2 == 0 ? NEAR_LINES + phase * LOADS + i : i % NEAR_LINES) *
                       64,
                   4, WARM);
}

static void set_options(struct system_options *options, uint64_t entries)
{
    system_defaults(options);
    options->nodes = 2;
    options->slices = 4;
    options->crossbar.width_bytes = 16;
    strcpy(options->dram.model, "fixed");
    options->dram.fixed_cycles = 300;
    options->crossbar.latency_cycles = 4;
    options->l2.reply_cycles = 8;
    options->l2.size_kb = 256; /* the near lines stay */
    options->l1.mshr_entries = entries;
}

/* Cycles of one phase with all entries usable. */
static uint64_t cycles_of(unsigned phase, uint64_t entries)
{
    struct system_options options;
    struct system *system;
    uint64_t cycles;

    set_options(&options, entries);
    system = system_create(&options);
    add_warming(system);
    add_phase(system, phase);
    system_run(system);
    cycles = system->agents[0].answered_at[LOADS - 1] - WARM;
    system_destroy(system);
    return cycles;
}

/* A phase with each fixed number of entries. */
struct sweep {
    uint64_t entries; /* the fewest with which it takes at most one in 32 more than at its best */
    uint64_t min_cycles, cycles_with_all;
};

static struct sweep sweep_of(unsigned phase)
{
    struct sweep sweep = {.min_cycles = UINT64_MAX};
    uint64_t cycles[SYSTEM_ENTRIES + 1];

    for (uint64_t entries = 1; entries <= SYSTEM_ENTRIES; entries *= 2) {
        cycles[entries] = cycles_of(phase, entries);
        if (cycles[entries] < sweep.min_cycles)
            sweep.min_cycles = cycles[entries];
    }
    sweep.cycles_with_all = cycles[SYSTEM_ENTRIES];
    for (sweep.entries = 1; cycles[sweep.entries] > sweep.min_cycles + sweep.min_cycles / 32;)
        sweep.entries *= 2;
    return sweep;
}

struct outcome {
    uint64_t cycles, digest, changes;
    uint64_t phase_cycles[PHASES];
    uint32_t at_end[PHASES]; /* the limit when the phase's last load was answered */
};

static struct outcome run_adaptive(bool is_sleepless)
{
    struct system_options options;
    struct outcome outcome;
    struct system *system;
    uint64_t began = WARM;

    set_options(&options, SYSTEM_ENTRIES);
    options.is_sleepless = is_sleepless;
    strcpy(options.l1.mshr_limit, "adaptive");
    options.l1.mshr_window = 1000;
    system = system_create(&options);
    add_warming(system);
    for (unsigned phase = 0; phase < PHASES; phase++) {
        add_phase(system, phase);
        system_run(system);
        outcome.at_end[phase] = system->l1s[0].entries.limit.memory.best;
        outcome.phase_cycles[phase] = system->agents[0].answered_at[LOADS - 1] - began;
        began += outcome.phase_cycles[phase];
    }
    outcome.digest = system_digest(system);
    outcome.cycles = system->agents[0].answered_at[LOADS - 1];
    outcome.changes = system->l1s[0].controller.statistics.mshr_limit_changes;
    assert_int_equal(system->l1s[0].controller.statistics.mshr_limit.count,
                     system->l1s[0].controller.statistics.mshr_occupancy.count);
    system_destroy(system);
    return outcome;
}

/* Geometric means over the phases, for the reader: nothing is asked of them. */
static void tell_speeds(const struct outcome *outcome, const struct sweep *sweeps)
{
    double over_best = 1, over_all = 1;

    for (unsigned phase = 0; phase < PHASES; phase++) {
        const struct sweep *sweep = &sweeps[phase % 2];

        print_message("phase %u: %u cycles, %u with the best fixed number, %u with %u\n", phase,
                      (unsigned)outcome->phase_cycles[phase], (unsigned)sweep->min_cycles,
                      (unsigned)sweep->cycles_with_all, SYSTEM_ENTRIES);
        over_best *= (double)sweep->min_cycles / (double)outcome->phase_cycles[phase];
        over_all *= (double)sweep->cycles_with_all / (double)outcome->phase_cycles[phase];
    }
    print_message("geometric mean of its speed: %.3f of each phase's best, %.3f of %u entries\n",
                  pow(over_best, 1.0 / PHASES), pow(over_all, 1.0 / PHASES), SYSTEM_ENTRIES);
}

static void it_follows_the_phases(void **state)
{
    struct sweep sweeps[2] = {sweep_of(0), sweep_of(1)};
    uint64_t far = sweeps[0].entries, near = sweeps[1].entries;
    struct outcome outcome = run_adaptive(false);

    (void)state;
    print_message("best: %u from memory, %u from L2; limits:", (unsigned)far, (unsigned)near);
    for (unsigned phase = 0; phase < PHASES; phase++)
        print_message(" %u", outcome.at_end[phase]);
    print_message("; %u changes, %u cycles\n", (unsigned)outcome.changes, (unsigned)outcome.cycles);
    tell_speeds(&outcome, sweeps);
    assert_true(far >= 4 * near);
    for (unsigned phase = 0; phase < PHASES; phase++)
        if (phase % 2 == 0)
            assert_true(outcome.at_end[phase] >= far / 2);
        else
            assert_in_range(outcome.at_end[phase], near / 2, 2 * near);
}

static void sleep_is_unobservable(void **state)
{
    struct outcome asleep = run_adaptive(false), awake = run_adaptive(true);

    (void)state;
    assert_int_equal(asleep.cycles, awake.cycles);
    assert_int_equal(asleep.digest, awake.digest);
}

/* A window decides at its end, and only if anything was answered in it. */
static void windows_end_by_the_clock(void **state)
{
    struct entry_limit limit;

    (void)state;
    entry_limit_init(&limit, limit_policy_find("adaptive"), ENTRIES, 100);
    limit.answers = 5;
    assert_false(entry_limit_tick(&limit, 99));
    assert_int_equal(limit.answers, 5);
    assert_true(entry_limit_tick(&limit, 100));
    assert_int_equal(limit.answers, 0);
    assert_int_equal(limit.ends, 200);
    assert_false(entry_limit_tick(&limit, 450)); /* nothing was answered */
    assert_int_equal(limit.ends, 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"limit/it_finds_the_best_of_each_curve", it_finds_the_best_of_each_curve, NULL, NULL,
         NULL},
        {"limit/small_losses_are_seen", small_losses_are_seen, NULL, NULL, NULL},
        {"limit/it_follows_the_phases", it_follows_the_phases, NULL, NULL, NULL},
        {"limit/windows_end_by_the_clock", windows_end_by_the_clock, NULL, NULL, NULL},
        {"limit/sleep_is_unobservable", sleep_is_unobservable, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
