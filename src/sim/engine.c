/* SPDX-License-Identifier: MIT */
#include "sim/engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/random.h"
#include "sim/component.h"

struct far_wake {
    uint64_t cycle;
    uint32_t index;
};

void engine_init(struct engine *engine)
{
    memset(engine, 0, sizeof *engine);
    engine->sleep = true;
    engine->stall_cycles = 1000000;
    engine->mark = UINT64_MAX;
}

void engine_finish(struct engine *engine)
{
    for (uint32_t i = 0; i < engine->domain_count; i++) {
        struct clock_domain *domain = &engine->domains[i];

        free(domain->components);
        free(domain->wheel);
        free(domain->awake);
        free(domain->far);
    }
    memset(engine, 0, sizeof *engine);
}

struct clock_domain *engine_add_domain(struct engine *engine, const char *name,
                                       uint64_t frequency_khz)
{
    struct clock_domain *domain = &engine->domains[engine->domain_count];

    check(engine->domain_count < ENGINE_MAX_DOMAINS, "more than %d clock domains",
          ENGINE_MAX_DOMAINS);
    check(!engine->started && frequency_khz > 0, "domain %s added late or without a clock", name);
    engine->domain_count++;
    domain->engine = engine;
    domain->name = name;
    domain->frequency_khz = frequency_khz;
    domain->far_min = UINT64_MAX;
    return domain;
}

void component_init(struct component *component, const struct component_operations *operations,
                    struct clock_domain *clock, const char *path)
{
    check(!clock->engine->started, "component %s was added after the start", path);
    component->operations = operations;
    component->clock = clock;
    component->path = copy_string(path);
    component->number = clock->component_count++;
    component->index = component->number;
    clock->components =
        reallocate(clock->components, clock->component_count, sizeof *clock->components);
    clock->components[component->number] = component;
}

static bool is_built_before(const struct component *a, const struct component *b)
{
    return a->clock != b->clock ? a->clock < b->clock : a->number < b->number;
}

/* Into its place by construction, so that it does not matter who asked first. */
void component_ask_close(struct component *component)
{
    struct engine *engine = component->clock->engine;
    uint32_t place;

    if (component->closes)
        return;
    check(engine->closing_count < ENGINE_MAX_CLOSING, "more than %d components close an instant",
          ENGINE_MAX_CLOSING);
    component->closes = true;
    for (place = engine->closing_count++;
         place > 0 && is_built_before(component, engine->closing[place - 1]); place--)
        engine->closing[place] = engine->closing[place - 1];
    engine->closing[place] = component;
}

void component_finish(struct component *component)
{
    free(component->path);
    component->path = NULL;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* The unit is one period of the least common multiple of all frequencies. */
static void set_periods(struct engine *engine)
{
    uint64_t multiple = 1;

    for (uint32_t i = 0; i < engine->domain_count; i++) {
        uint64_t frequency = engine->domains[i].frequency_khz;

        multiple = multiple / common_divisor(multiple, frequency) * frequency;
    }
    for (uint32_t i = 0; i < engine->domain_count; i++)
        engine->domains[i].period = multiple / engine->domains[i].frequency_khz;
}

static void order_permute(struct clock_domain *domain, uint64_t seed)
{
    struct random random = {.state = seed};

    for (uint32_t i = domain->component_count; i > 1; i--) {
        uint32_t other = (uint32_t)random_below(&random, i);
        struct component *swapped = domain->components[i - 1];

        domain->components[i - 1] = domain->components[other];
        domain->components[other] = swapped;
    }
}

static void start_domain(struct clock_domain *domain)
{
    domain->words = (domain->component_count + 63) / 64;
    if (domain->words == 0)
        domain->words = 1;
    domain->wheel = allocate((size_t)WHEEL_CYCLES * domain->words, sizeof *domain->wheel);
    domain->awake = allocate(domain->words, sizeof *domain->awake);
    domain->far_capacity = 64 * domain->component_count + 64;
    domain->far = allocate(domain->far_capacity, sizeof *domain->far);
    if (domain->engine->order_seed != 0)
        order_permute(domain, domain->engine->order_seed);
    domain->next = UINT64_MAX;
    for (uint32_t i = 0; i < domain->component_count; i++) {
        domain->components[i]->index = i;
        component_wake(domain->components[i]);
    }
}

void engine_start(struct engine *engine)
{
    check(!engine->started, "the engine was started twice");
    set_periods(engine);
    engine->started = true;
    for (uint32_t i = 0; i < engine->domain_count; i++)
        start_domain(&engine->domains[i]);
}

static void enter_wheel(struct clock_domain *domain, uint32_t index, uint64_t cycle)
{
    uint32_t slot = (uint32_t)(cycle % WHEEL_CYCLES);

    domain->wheel[(size_t)slot * domain->words + index / 64] |= UINT64_C(1) << (index % 64);
    domain->filled[slot / 64] |= UINT64_C(1) << (slot % 64);
}

static void enter_far(struct clock_domain *domain, uint32_t index, uint64_t cycle)
{
    for (uint32_t i = 0; i < domain->far_count; i++)
        if (domain->far[i].index == index && domain->far[i].cycle == cycle)
            return;
    check(domain->far_count < domain->far_capacity, "domain %s: too many distant wake-ups",
          domain->name);
    domain->far[domain->far_count++] = (struct far_wake){.cycle = cycle, .index = index};
    if (cycle < domain->far_min)
        domain->far_min = cycle;
}

void component_wake_at(struct component *component, uint64_t cycle)
{
    struct clock_domain *domain = component->clock;

    if (cycle <= domain->cycle)
        cycle = domain->cycle + 1;
    if (cycle < domain->next)
        domain->next = cycle;
    if (cycle - domain->cycle < WHEEL_CYCLES)
        enter_wheel(domain, component->index, cycle);
    else
        enter_far(domain, component->index, cycle);
}

/* Moves what has come within the wheel's reach out of the list of distant wake-ups. */
static void bring_near(struct clock_domain *domain)
{
    uint32_t kept = 0;

    domain->far_min = UINT64_MAX;
    for (uint32_t i = 0; i < domain->far_count; i++) {
        struct far_wake wake = domain->far[i];

        if (wake.cycle - domain->cycle < WHEEL_CYCLES) {
            enter_wheel(domain, wake.index, wake.cycle);
            continue;
        }
        if (wake.cycle < domain->far_min)
            domain->far_min = wake.cycle;
        domain->far[kept++] = wake;
    }
    domain->far_count = kept;
}

/* The first filled slot after the current cycle, as a cycle; UINT64_MAX when the wheel is empty. */
static uint64_t next_in_wheel(const struct clock_domain *domain)
{
    uint64_t cycle = domain->cycle + 1;
    uint32_t start = (uint32_t)(cycle % WHEEL_CYCLES);
    uint32_t word = start / 64;
    uint64_t mask = domain->filled[word] & (UINT64_MAX << (start % 64));

    for (uint32_t i = 0; i <= WHEEL_CYCLES / 64; i++) {
        if (mask != 0) {
            uint32_t slot = word * 64 + lowest_bit(mask);

            return cycle + (slot + WHEEL_CYCLES - start) % WHEEL_CYCLES;
        }
        word = (word + 1) % (WHEEL_CYCLES / 64);
        mask = domain->filled[word];
    }
    return UINT64_MAX;
}

static void find_next(struct clock_domain *domain)
{
    uint64_t near = next_in_wheel(domain);

    domain->next = near < domain->far_min ? near : domain->far_min;
}

/* Takes the set of components awake at `cycle` out of the wheel. */
static void begin_edge(struct clock_domain *domain, uint64_t cycle)
{
    uint32_t slot = (uint32_t)(cycle % WHEEL_CYCLES);
    uint64_t *set = &domain->wheel[(size_t)slot * domain->words];

    if (domain->far_min != UINT64_MAX && domain->far_min - cycle < WHEEL_CYCLES)
        bring_near(domain);
    memcpy(domain->awake, set, domain->words * sizeof *set);
    memset(set, 0, domain->words * sizeof *set);
    domain->filled[slot / 64] &= ~(UINT64_C(1) << (slot % 64));
    if (!domain->engine->sleep)
        for (uint32_t i = 0; i < domain->component_count; i++)
            domain->awake[i / 64] |= UINT64_C(1) << (i % 64);
    domain->next = UINT64_MAX; /* ticks may bring it forward; find_next makes it whole */
}

static void tick_awake(struct engine *engine, struct clock_domain *domain)
{
    uint32_t next = (uint32_t)((domain->cycle + 1) % WHEEL_CYCLES);

    for (uint32_t word = 0; word < domain->words; word++) {
        uint64_t set = domain->awake[word], stays = 0;

        for_each_bit(bit, set)
        {
            struct component *component = domain->components[word * 64 + bit];

            engine->ticks++;
            stays |= (uint64_t)component->operations->tick(component) << bit;
        }
        if (stays == 0)
            continue;
        engine->progress_at = engine->now;
        domain->wheel[(size_t)next * domain->words + word] |= stays;
        domain->filled[next / 64] |= UINT64_C(1) << (next % 64);
    }
    find_next(domain);
}

/* The next instant at which some domain has work; UINT64_MAX: none ever. */
static uint64_t next_instant(const struct engine *engine)
{
    uint64_t min = UINT64_MAX;

    for (uint32_t i = 0; i < engine->domain_count; i++) {
        const struct clock_domain *domain = &engine->domains[i];

        if (domain->next != UINT64_MAX && domain->next * domain->period < min)
            min = domain->next * domain->period;
    }
    return min;
}

static void close_instant(struct engine *engine)
{
    for (uint32_t i = 0; i < engine->closing_count; i++) {
        engine->closing[i]->closes = false;
        engine->closing[i]->operations->close(engine->closing[i]);
    }
    engine->closing_count = 0;
}

static void run_instant(struct engine *engine, uint64_t instant)
{
    bool ticks[ENGINE_MAX_DOMAINS] = {false};

    engine->now = instant;
    engine->instants++;
    for (uint32_t i = 0; i < engine->domain_count; i++) {
        struct clock_domain *domain = &engine->domains[i];

        ticks[i] = domain->next != UINT64_MAX && domain->next * domain->period == instant;
        domain->cycle =
            instant / domain->period; /* also of those that sleep: wake-ups count from it */
        if (ticks[i])
            begin_edge(domain, domain->cycle);
    }
    for (uint32_t i = 0; i < engine->domain_count; i++)
        if (ticks[i])
            tick_awake(engine, &engine->domains[i]);
    if (engine->closing_count != 0)
        close_instant(engine);
}

/* Without sleep a component is always due: every domain has work at its very next edge. */
static void keep_awake(struct engine *engine)
{
    for (uint32_t i = 0; i < engine->domain_count; i++)
        engine->domains[i].next = engine->domains[i].cycle + 1;
}

static bool is_idle(const struct engine *engine)
{
    for (uint32_t i = 0; i < engine->domain_count; i++) {
        struct clock_domain copy = engine->domains[i];

        find_next(&copy);
        if (copy.next != UINT64_MAX)
            return false;
    }
    return true;
}

static void set_time(struct engine *engine, uint64_t now)
{
    engine->now = now;
    for (uint32_t i = 0; i < engine->domain_count; i++)
        engine->domains[i].cycle = now / engine->domains[i].period;
}

/* In units; UINT64_MAX where they do not suffice. */
static uint64_t units_of(const struct engine *engine, uint64_t cycles)
{
    uint64_t period = engine->domains[0].period;

    return cycles > UINT64_MAX / period ? UINT64_MAX : cycles * period;
}

void engine_set_mark(struct engine *engine, uint64_t cycle)
{
    engine->mark = units_of(engine, cycle);
}

/* Time stands where it stood before, for those that wake up count from it. */
static void reach_mark(struct engine *engine)
{
    uint64_t now = engine->now, cycles[ENGINE_MAX_DOMAINS];

    for (uint32_t i = 0; i < engine->domain_count; i++)
        cycles[i] = engine->domains[i].cycle;
    set_time(engine, engine->mark);
    engine->mark = UINT64_MAX;
    engine->at_mark(engine->mark_context);
    engine->now = now;
    for (uint32_t i = 0; i < engine->domain_count; i++)
        engine->domains[i].cycle = cycles[i];
}

enum engine_outcome engine_run(struct engine *engine, uint64_t limit)
{
    uint64_t end, patience;

    check(engine->started, "the engine was not started");
    end = units_of(engine, limit);
    patience = units_of(engine, engine->stall_cycles);
    engine->stop_requested = false;
    engine->progress_at = engine->now;
    for (;;) {
        uint64_t instant;

        if (!engine->sleep && !is_idle(engine))
            keep_awake(engine);
        instant = next_instant(engine);
        if (instant == UINT64_MAX) {
            set_time(engine, engine->progress_at); /* needless wake-ups must not move time */
            return ENGINE_IDLE;
        }
        if (instant > end)
            return ENGINE_LIMIT;
        if (instant - engine->progress_at > patience)
            return ENGINE_STALLED;
        while (instant > engine->mark)
            reach_mark(engine);
        run_instant(engine, instant);
        if (engine->stop_requested)
            return ENGINE_STOPPED;
        if ((engine->instants & 4095) != 0)
            continue;
        if (engine->interrupt != NULL && *engine->interrupt != 0)
            return ENGINE_INTERRUPTED;
        if (engine->beat != NULL)
            engine->beat(engine->beat_context);
    }
}

void engine_stop(struct engine *engine)
{
    engine->stop_requested = true;
}

void engine_explain(const struct engine *engine, struct text *text)
{
    for (uint32_t i = 0; i < engine->domain_count; i++) {
        const struct clock_domain *domain = &engine->domains[i];

        text_add(text, "%s clock, cycle %llu:\n", domain->name, (unsigned long long)domain->cycle);
        for (uint32_t j = 0; j < domain->component_count; j++) {
            const struct component *component = domain->components[j];
            struct text line = {0};

            if (component->operations->explain != NULL)
                component->operations->explain(component, &line);
            if (line.length > 0)
                text_add(text, "  %-20s %s\n", component->path, text_chars(&line));
            text_finish(&line);
        }
    }
}

uint64_t engine_nanoseconds(const struct engine *engine)
{
    const struct clock_domain *domain = &engine->domains[0];
    unsigned __int128 units_per_second =
        (unsigned __int128)domain->period * domain->frequency_khz * 1000;

    return (uint64_t)((unsigned __int128)engine->now * 1000000000 / units_per_second);
}

void engine_skip(struct engine *engine, uint64_t units)
{
    check(next_instant(engine) == UINT64_MAX, "time was skipped while a message was in flight");
    set_time(engine, engine->now + units);
}
