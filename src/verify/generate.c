/* SPDX-License-Identifier: MIT */
/* Random programs. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/random.h"
#include "verify/random_tester.h"

enum { BURST = 24, HOT_WORDS = 3, STORES_MAX = 250, ADDITIONS_MAX = 4096 };

struct generator {
    const struct episode *episode;
    struct program *program;
    struct random random;
    uint8_t *owner;   /* of each word: the node that may store to it */
    uint16_t *stores; /* to each byte so far */
    uint32_t added[PROGRAM_COUNTERS];
    uint32_t hot; /* line of most accesses for a while */
};

static uint64_t generator_draw(struct generator *generator, uint64_t bound)
{
    return random_below(&generator->random, bound);
}

static void generator_emit(struct generator *generator, struct operation operation)
{
    operation.steps = (uint8_t)generator_draw(generator, 12);
    program_add(generator->program, &operation);
}

static uint32_t l1s_of(const struct episode *episode)
{
    return episode->nodes - episode->scalars;
}

static void deal_words(struct generator *generator)
{
    uint32_t nodes = l1s_of(generator->episode);

    for (uint32_t i = 0; i < generator->episode->words; i++) {
        if (i % 16 == 0 && generator_draw(generator, 4) == 0) { /* a whole line to one */
            memset(generator->owner + i, (int)generator_draw(generator, nodes), 16);
            i += 15;
            continue;
        }
        generator->owner[i] = (uint8_t)generator_draw(generator, nodes);
    }
}

static bool is_counter(uint64_t offset)
{
    return offset < PROGRAM_COUNTERS * LINE_BYTES && offset % LINE_BYTES >= LINE_BYTES - 4;
}

/* 1 to 16 bytes, aligned or not; what lies beyond the line is the next line's. */
static uint64_t draw_run(struct generator *generator, uint64_t *beyond)
{
    static const uint8_t sizes[] = {1, 2, 4, 8, 12, 16};
    unsigned size = sizes[generator_draw(generator, ARRAY_COUNT(sizes))];
    unsigned first = (unsigned)generator_draw(generator, LINE_BYTES);

    if (generator_draw(generator, 2) == 0)
        first = first / size * size;
    *beyond = first + size > LINE_BYTES ? low_mask(first + size - LINE_BYTES) : 0;
    return low_mask(size) << first;
}

static uint64_t draw_mask(struct generator *generator, uint64_t *beyond)
{
    *beyond = 0;
    switch (generator_draw(generator, 6)) {
    case 0:
        return UINT64_MAX;
    case 1:
        return UINT64_C(0xf) << generator_draw(generator, HOT_WORDS) * 4;
    case 2:
    case 3:
        return draw_run(generator, beyond);
    default:
        return random_next(&generator->random) & random_next(&generator->random);
    }
}

/* The first word that lies in the mask whole; 0: there is none. */
static uint64_t whole_word(uint64_t mask)
{
    for (unsigned i = 0; i < LINE_BYTES; i += 4)
        if ((mask >> i & 0xf) == 0xf)
            return UINT64_C(0xf) << i;
    return 0;
}

static void emit_store(struct generator *generator, struct operation operation)
{
    for (unsigned i = 0; i < LINE_BYTES; i++) {
        uint32_t offset = operation.offset + i;

        if (generator->owner[offset / 4] != operation.node || is_counter(offset) ||
            generator->stores[offset] >= STORES_MAX)
            operation.mask &= ~(UINT64_C(1) << i);
    }
    if (operation.mask == 0)
        return;
    operation.kind = OPERATION_STORE;
    if (generator_draw(generator, 2) == 0 && whole_word(operation.mask) != 0) {
        operation.kind = OPERATION_SWAP;
        operation.mask = whole_word(operation.mask);
        operation.returns = generator_draw(generator, 2) == 0;
    }
    for (uint64_t set = operation.mask; set != 0; set &= set - 1)
        generator->stores[operation.offset + lowest_bit(set)]++;
    generator_emit(generator, operation);
}

static void emit_load(struct generator *generator, struct operation operation)
{
    if (operation.offset < PROGRAM_COUNTERS * LINE_BYTES && operation.mask >> 60 != 0)
        operation.mask |= UINT64_C(0xf) << 60; /* a counter is loaded whole */
    if (operation.mask != 0)
        generator_emit(generator, operation);
}

static void emit_access(struct generator *generator, uint8_t node)
{
    const struct episode *episode = generator->episode;
    uint32_t lines = episode->words / 16;
    uint32_t line = generator_draw(generator, 4) == 0 ? (uint32_t)generator_draw(generator, lines)
                                                      : generator->hot;
    bool is_load = node >= l1s_of(episode) || generator_draw(generator, 2) == 0;
    struct operation operation = {
        .kind = OPERATION_LOAD, .node = node, .offset = line * LINE_BYTES};
    uint64_t beyond;

    operation.mask = draw_mask(generator, &beyond);
    operation.glc =
        (node < l1s_of(episode) || episode->protocol->roles[ROLE_INSTRUCTION] == NULL) &&
        generator_draw(generator, 4) == 0;
    operation.slc = node < l1s_of(episode) && generator_draw(generator, 8) == 0;
    operation.scope =
        operation.glc ? SCOPE_DEVICE : (uint8_t)generator_draw(generator, SCOPE_DEVICE);
    operation.order =
        operation.glc ? (uint8_t)generator_draw(generator, 4) : (uint8_t)ORDER_RELAXED;
    for (; operation.mask != 0 && operation.offset < lines * LINE_BYTES;
         operation.offset += LINE_BYTES, operation.mask = beyond, beyond = 0)
        if (is_load)
            emit_load(generator, operation);
        else
            emit_store(generator, operation);
}

static void emit_addition(struct generator *generator, uint8_t node)
{
    uint32_t which = (uint32_t)generator_draw(generator, PROGRAM_COUNTERS);

    if (generator->added[which]++ < ADDITIONS_MAX)
        generator_emit(generator, (struct operation){.kind = OPERATION_ADD,
                                                     .node = node,
                                                     .offset = which * LINE_BYTES,
                                                     .mask = UINT64_C(0xf) << 60,
                                                     .scope = SCOPE_DEVICE +
                                                              (uint8_t)generator_draw(generator, 2),
                                                     .order = (uint8_t)generator_draw(generator, 4),
                                                     .returns = generator_draw(generator, 2) == 0});
}

/* Where a protocol tells them apart, some are for the work-group, and some acquires are releases
 * too. */
static void emit_whole(struct generator *generator, uint8_t kind, uint8_t node)
{
    const struct protocol *protocol = generator->episode->protocol;
    struct operation operation = {.kind = kind, .node = node};

    if (protocol->flushes_before_releases && node < l1s_of(generator->episode)) {
        operation.scope = generator_draw(generator, 8) == 0 ? SCOPE_WORK_GROUP : SCOPE_DEVICE;
        if (kind == OPERATION_ACQUIRE && generator_draw(generator, 4) == 0)
            operation.order = ORDER_ACQUIRE_RELEASE;
    }
    generator_emit(generator, operation);
}

static void emit_something(struct generator *generator)
{
    const struct episode *episode = generator->episode;
    uint8_t node = (uint8_t)generator_draw(generator, episode->nodes);
    uint64_t what = generator_draw(generator, 32);

    if (generator_draw(generator, BURST) == 0)
        generator->hot = (uint32_t)generator_draw(generator, episode->words / 16);
    if (what < 4)
        emit_whole(generator, OPERATION_ACQUIRE, node);
    else if (what == 4 || (episode->protocol->flushes_at_release && what % 8 == 0))
        emit_whole(generator, OPERATION_RELEASE, node);
    else if (what < 8 && node < l1s_of(episode))
        emit_addition(generator, node);
    else
        emit_access(generator, node);
}

/* The host writes bytes that often end about a line's start. */
static void emit_host(struct generator *generator)
{
    uint32_t bytes = generator->episode->words * 4;
    uint32_t first = (uint32_t)generator_draw(generator, bytes), count;

    count = (uint32_t)generator_draw(generator, bytes - first);
    if (generator_draw(generator, 2) == 0 && count > 2 * LINE_BYTES)
        count -= (first + count) % LINE_BYTES - (uint32_t)generator_draw(generator, 3);
    if (first + count > bytes)
        count = bytes - first;
    for (uint32_t i = first; i < first + count; i++)
        if (generator->stores[i] >= STORES_MAX)
            count = i - first;
    for (uint32_t i = first; i < first + count; i++)
        generator->stores[i]++;
    generator_emit(generator,
                   (struct operation){.kind = OPERATION_HOST, .offset = first, .count = count});
}

static void emit_phase(struct generator *generator)
{
    deal_words(generator);
    if (generator_draw(generator, 2) == 0)
        generator_emit(generator, (struct operation){.kind = OPERATION_COUNTERS});
    for (uint32_t i = 0; i < generator->episode->requests; i++)
        emit_something(generator);
    if (generator_draw(generator, 2) == 0) /* while the L1s have lines */
        generator_emit(generator, (struct operation){.kind = OPERATION_CLEAN});
    if (generator_draw(generator, 2) == 0)
        emit_host(generator);
    if (generator_draw(generator, 4) == 0)
        generator_emit(generator, (struct operation){.kind = OPERATION_KERNEL});
    generator_emit(generator, (struct operation){.kind = OPERATION_SETTLE});
}

void program_generate(struct program *program, const struct episode *episode)
{
    struct generator generator = {
        .episode = episode, .program = program, .random = {episode->seed}};

    program->l1 = episode->l1;
    program->l2 = episode->l2;
    program->nodes = episode->nodes;
    program->scalars = episode->scalars;
    program->instructions = episode->instructions;
    program->slices = episode->slices;
    program->words = episode->words;
    program->schedule = episode->seed ^ 0x5eed;
    generator.owner = allocate(episode->words, sizeof *generator.owner);
    generator.stores = allocate(episode->words * 4, sizeof *generator.stores);
    for (uint32_t phase = 0; phase < episode->phases; phase++) {
        emit_phase(&generator);
        if (phase % 2 == 1 || phase + 1 == episode->phases)
            emit_host(&generator);
    }
    free(generator.owner);
    free(generator.stores);
}

/* ---- Machines: one-way caches and single MSHRs first, where most waits for most ---- */

#define SHAPE(...) ((struct controller_shape){__VA_ARGS__})
#define TINY SHAPE(.sets = 1, .ways = 1, .mshr_entries = 1, .waiting_entries = 1)
#define SMALL SHAPE(.sets = 2, .ways = 2, .mshr_entries = 2, .waiting_entries = 4)
#define WALKING                                                                                    \
    SHAPE(.sets = 2, .ways = 2, .mshr_entries = 4, .waiting_entries = 8, .walk_lines = 1)
#define ROOMY SHAPE(.sets = 16, .ways = 4, .mshr_entries = 16, .waiting_entries = 64)
#define TINY_L2 SHAPE(.sets = 2, .ways = 1, .mshr_entries = 1, .waiting_entries = 1)
#define SMALL_L2 SHAPE(.sets = 2, .ways = 2, .mshr_entries = 3, .waiting_entries = 6)
#define BUSY SHAPE(.sets = 1, .ways = 2, .mshr_entries = 4, .waiting_entries = 16)
#define APART SHAPE(.sets = 1, .ways = 2, .mshr_entries = 4, .waiting_entries = 16, .splits = true)
#define APART_L2                                                                                   \
    SHAPE(.sets = 2, .ways = 2, .mshr_entries = 4, .waiting_entries = 32, .splits = true)
#define BUSY_L2 SHAPE(.sets = 2, .ways = 1, .mshr_entries = 4, .waiting_entries = 32)

struct episode episode_of(const struct protocol *protocol, unsigned which, uint64_t seed)
{
    const struct {
        struct controller_shape l1, l2;
        uint32_t words;
    } sizes[RANDOM_SIZES] = {
        {TINY, TINY_L2, 16 * 4},  {SMALL, SMALL_L2, 16 * 8}, {WALKING, SMALL_L2, 16 * 8},
        {TINY, SMALL_L2, 16 * 8}, {SMALL, TINY_L2, 16 * 16}, {ROOMY, ROOMY, 16 * 64},
        {BUSY, BUSY_L2, 16 * 4},  {APART, APART_L2, 16 * 4},
    };
    uint32_t nodes = 1 + (uint32_t)(seed % 4);
    bool has_scalar = protocol->roles[ROLE_SCALAR] != NULL && nodes > 1 && seed / 4 % 2 != 0;
    bool has_instruction =
        protocol->roles[ROLE_INSTRUCTION] != NULL && nodes > 2 && seed / 8 % 2 != 0;

    return (struct episode){.protocol = protocol,
                            .l1 = sizes[which].l1,
                            .l2 = sizes[which].l2,
                            .nodes = nodes,
                            .scalars = (uint32_t)has_scalar + has_instruction,
                            .instructions = has_instruction,
                            .slices = 1 + (uint32_t)(seed % 2),
                            .words = sizes[which].words,
                            .phases = 6,
                            .requests = 150,
                            .seed = seed * 7919 + which};
}
