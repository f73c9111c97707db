/* SPDX-License-Identifier: MIT */
/*
 * Of all orders of the L1s that are alike, the minimum of their fingerprints is the state's. Only
 * orders are tried in which the L1s' own parts ascend, each seen with itself as node 0 and all
 * others as node 1.
 */
#include "verify/fingerprint.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"

/* ---- A part ---- */

struct mixer {
    uint64_t hash;
    uint64_t values; /* set of those that bytes of lines have */
};

static uint64_t mix_one(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* No two numbers give the same. The constants are those of splitmix64 (Steele, Lea and Flood, Fast
 * Splittable Pseudorandom Number Generators, OOPSLA 2014). */
static uint64_t mix_fully(uint64_t number)
{
    number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
    return number ^ number >> 31;
}

static void mixer_add(void *context, const void *bytes, size_t count)
{
    struct mixer *mixer = context;
    const unsigned char *from = bytes;
    uint64_t hash = mixer->hash;

    if (count == 1) {
        mixer->values |= UINT64_C(1) << *from % 64;
        mixer->hash = mix_one(hash, *from);
        return;
    }
    for (; count >= 8; count -= 8, from += 8) {
        uint64_t word;

        memcpy(&word, from, 8);
        hash = mix_one(hash, word);
    }
    for (; count > 0; count--)
        hash = mix_one(hash, *from++);
    mixer->hash = hash;
}

static const struct mixer empty = {.hash = UINT64_C(0x2545f4914f6cdd1d)};

/* What a thing gives to the sum at its place. */
static uint64_t term_of(const struct mixer *mixer, uint32_t place)
{
    return mix_fully(mixer->hash + (place + 1) * UINT64_C(0xd1342543de82ef95));
}

static bool is_empty_fifo(const struct world *world, uint32_t part)
{
    return part >= world_part_fifo(world, 0) &&
           world_fifo(world, part - world_part_fifo(world, 0))->count == 0;
}

static void part_look(const struct world *world, const struct naming *naming, uint32_t part,
                      struct part_terms *terms)
{
    struct mixer mixer = empty;
    const struct form form = {.add = mixer_add,
                              .context = &mixer,
                              .names = naming->renames ? &naming->l1s : NULL,
                              .units = naming->renames ? &naming->units : NULL,
                              .same_bytes = world->traffic->same_bytes};

    terms->known |= UINT64_C(1) << part;
    terms->terms[part] = terms->values[part] = 0;
    if (is_empty_fifo(world, part))
        return;
    world_encode_part(world, part, &form);
    terms->terms[part] = term_of(&mixer, world_part_named(world, part, &naming->l1s));
    terms->values[part] = mixer.values;
}

/* ---- Parts ---- */

struct sum {
    uint64_t hash, values;
};

static void sum_add(struct sum *sum, const struct world *world, const struct naming *naming,
                    uint64_t parts, struct part_terms *terms)
{
    uint64_t unknown = parts & ~terms->known;

    for_each_bit(part, unknown) part_look(world, naming, part, terms);
    for_each_bit(part, parts)
    {
        sum->hash += terms->terms[part];
        sum->values |= terms->values[part];
    }
}

static struct sum parts_sum(const struct world *world, struct naming *naming, uint64_t parts)
{
    struct sum sum = {0, 0};

    sum_add(&sum, world, naming, parts & ~world->touched, &naming->base);
    sum_add(&sum, world, naming, parts & world->touched, &naming->now);
    return sum;
}

static struct naming *naming_create(const struct world *world, const uint8_t *names)
{
    struct naming *naming = allocate(1, sizeof *naming);

    naming->l1s.count = world->shape.l1s;
    naming->units.count = FIRST_UNIT + world->shape.l1s;
    for (uint32_t i = 0; i < world->shape.l1s; i++) {
        naming->renames |= names[i] != i;
        naming->l1s.of[i] = names[i];
        naming->units.of[FIRST_UNIT + i] = (uint16_t)(FIRST_UNIT + names[i]);
    }
    return naming;
}

/* `names`: of each L1. */
static struct naming *naming_of(struct fingerprints *fingerprints, const uint8_t *names)
{
    uint32_t key = 0;

    for (uint32_t i = 0; i < fingerprints->world->shape.l1s; i++)
        key |= (uint32_t)names[i] << 2 * i;
    if (fingerprints->namings[key] == NULL) {
        fingerprints->namings[key] = naming_create(fingerprints->world, names);
        fingerprints->used[fingerprints->used_count++] = (uint16_t)key;
    }
    return fingerprints->namings[key];
}

/* ---- A state ---- */

enum { PLACE_TRAFFIC = WORLD_MAX_PARTS, PLACE_COMMON = PLACE_TRAFFIC + WORLD_MAX_L1S };

static struct mixer traffic_mix(const struct world *world, uint32_t l1)
{
    const struct traffic *traffic = world->traffic;
    struct mixer mixer = empty;
    const struct form form = {
        .add = mixer_add, .context = &mixer, .same_bytes = traffic->same_bytes};

    traffic->encode(traffic, l1, &form);
    return mixer;
}

static uint64_t traffic_term(const struct fingerprints *fingerprints, uint32_t l1, uint32_t name)
{
    const struct mixer mixer = {.hash = fingerprints->traffic[l1]};

    return term_of(&mixer, PLACE_TRAFFIC + name);
}

/* What the L1 has of its own, whatever its number is. */
static uint64_t l1_signature(struct fingerprints *fingerprints, uint32_t l1)
{
    const struct world *world = fingerprints->world;
    uint8_t names[WORLD_MAX_L1S];

    for (uint32_t i = 0; i < world->shape.l1s; i++)
        names[i] = i != l1;
    return parts_sum(world, naming_of(fingerprints, names), fingerprints->own_parts[l1]).hash +
           traffic_term(fingerprints, l1, 0);
}

struct ordering {
    struct fingerprints *fingerprints;
    uint64_t signatures[WORLD_MAX_L1S]; /* by L1 */
    uint32_t l1s[WORLD_MAX_L1S];        /* by name */
    uint64_t min;
    uint64_t values;         /* of bytes of lines */
    uint32_t tried, reached; /* orders; of them, those that gave the minimum */
};

static void names_swap(uint32_t *a, uint32_t *b)
{
    uint32_t kept = *a;

    *a = *b;
    *b = kept;
}

static void try_order(struct ordering *ordering)
{
    struct fingerprints *fingerprints = ordering->fingerprints;
    const struct world *world = fingerprints->world;
    uint8_t names[WORLD_MAX_L1S];
    struct sum sum;

    for (uint32_t i = 0; i < world->shape.l1s; i++)
        names[ordering->l1s[i]] = (uint8_t)i;
    sum = parts_sum(world, naming_of(fingerprints, names), fingerprints->parts);
    for (uint32_t i = 0; i < world->shape.l1s; i++)
        sum.hash += traffic_term(fingerprints, ordering->l1s[i], i);
    if (ordering->tried++ == 0 || sum.hash < ordering->min) {
        ordering->min = sum.hash;
        ordering->reached = 0;
    }
    ordering->reached += sum.hash == ordering->min;
    ordering->values = sum.values;
}

/* All orders of names from `at` on in which signatures ascend, as they do now. */
static void try_orders(struct ordering *ordering, uint32_t at)
{
    uint32_t *l1s = ordering->l1s, count = ordering->fingerprints->world->shape.l1s;

    if (at == count) {
        try_order(ordering);
        return;
    }
    for (uint32_t i = at; i < count; i++) {
        if (ordering->signatures[l1s[i]] != ordering->signatures[l1s[at]])
            break;
        names_swap(&l1s[at], &l1s[i]);
        try_orders(ordering, at + 1);
        names_swap(&l1s[at], &l1s[i]);
    }
}

/* The L1s from `first` on, which are alike, by signature; returns how many orders they have. */
static uint32_t sort_l1s(struct ordering *ordering, uint32_t first)
{
    uint32_t orders = 1;

    for (uint32_t i = first; i < ordering->fingerprints->world->shape.l1s; i++) {
        ordering->signatures[i] = l1_signature(ordering->fingerprints, i);
        orders *= i - first + 1;
        for (uint32_t j = i; j > first && ordering->signatures[ordering->l1s[j]] <
                                              ordering->signatures[ordering->l1s[j - 1]];
             j--)
            names_swap(&ordering->l1s[j], &ordering->l1s[j - 1]);
    }
    return orders;
}

struct fingerprint fingerprint_of(struct fingerprints *fingerprints)
{
    const struct world *world = fingerprints->world;
    const struct traffic *traffic = world->traffic;
    struct ordering ordering = {.fingerprints = fingerprints};
    uint32_t l1s = world->shape.l1s, orders = 1;
    uint32_t first = fingerprints->tells_l1s_apart ? l1s : traffic->first_alike(traffic);
    const struct mixer common = traffic_mix(world, TRAFFIC_COMMON);
    uint8_t fading = traffic->fading == NULL ? 0 : traffic->fading(traffic);

    for (uint32_t i = 0; i < fingerprints->used_count; i++)
        fingerprints->namings[fingerprints->used[i]]->now.known = 0;
    for (uint32_t i = 0; i < l1s; i++) {
        ordering.l1s[i] = i;
        fingerprints->traffic[i] = traffic_mix(world, i).hash;
    }
    if (first + 1 < l1s) {
        orders = sort_l1s(&ordering, first);
        try_orders(&ordering, first);
    } else {
        try_order(&ordering);
    }
    return (struct fingerprint){.hash = mix_fully(ordering.min + term_of(&common, PLACE_COMMON)),
                                .alike = orders / ordering.reached,
                                .has_faded =
                                    fading != 0 && (ordering.values >> fading % 64 & 1) == 0};
}

/* ---- Building ---- */

void fingerprints_init(struct fingerprints *fingerprints, const struct world *world,
                       bool tells_l1s_apart)
{
    memset(fingerprints, 0, sizeof *fingerprints);
    fingerprints->world = world;
    fingerprints->tells_l1s_apart = tells_l1s_apart;
    fingerprints->parts = low_mask(world->part_count) & ~(UINT64_C(1) << world_part_traffic(world));
    for (uint32_t i = 0; i < world->shape.l1s; i++)
        fingerprints->own_parts[i] = world_parts_of(world, i);
}

void fingerprints_finish(struct fingerprints *fingerprints)
{
    for (uint32_t i = 0; i < fingerprints->used_count; i++)
        free(fingerprints->namings[fingerprints->used[i]]);
    memset(fingerprints, 0, sizeof *fingerprints);
}

void fingerprints_begin(struct fingerprints *fingerprints, uint64_t changed)
{
    for (uint32_t i = 0; i < fingerprints->used_count; i++)
        fingerprints->namings[fingerprints->used[i]]->base.known &= ~changed;
}
