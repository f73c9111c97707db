/* SPDX-License-Identifier: MIT */
/*
 * Of all orders of the L1s that are alike, the minimum of their fingerprints is the state's. Only
 * orders are tried in which the L1s' own parts ascend, each seen with itself as node 0 and all
 * others as node 1.
 */
#include "verify/fingerprint.h"

#include <string.h>

struct mixer {
    uint64_t hash;
    uint64_t values[4]; /* set of those that bytes of lines have */
};

static uint64_t mix_one(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

static void mixer_add(void *context, const void *bytes, size_t count)
{
    struct mixer *mixer = context;
    const unsigned char *from = bytes;
    uint64_t hash = mixer->hash;

    if (count == 1) {
        mixer->values[*from / 64] |= UINT64_C(1) << *from % 64;
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

static uint64_t mixer_finish(const struct mixer *mixer)
{
    return (mixer->hash ^ mixer->hash >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
}

/* Of compute units, from those of their L1s. */
static struct node_names units_of(const struct node_names *l1s)
{
    struct node_names units = {.count = FIRST_UNIT + l1s->count};

    for (uint32_t i = 0; i < l1s->count; i++)
        units.of[FIRST_UNIT + i] = (uint16_t)(FIRST_UNIT + l1s->of[i]);
    return units;
}

static const struct mixer empty = {.hash = UINT64_C(0x2545f4914f6cdd1d)};

/* `l1s`: which L1 has each name. */
static uint64_t world_hash(const struct world *world, const struct node_names *names,
                           const uint32_t *l1s, bool *has_faded)
{
    const struct traffic *traffic = world->traffic;
    struct mixer mixer = empty;
    uint8_t fading;
    const struct node_names units =
        names != NULL ? units_of(names) : (struct node_names){.count = 0};
    const struct form form = {.add = mixer_add,
                              .context = &mixer,
                              .names = names,
                              .units = &units,
                              .same_bytes = traffic->same_bytes};

    world_encode(world, &form);
    fading = traffic->fading == NULL ? 0 : traffic->fading(traffic);
    *has_faded = fading != 0 && (mixer.values[fading / 64] >> fading % 64 & 1) == 0;
    for (uint32_t i = 0; i < world->shape.l1s; i++)
        traffic->encode(traffic, l1s[i], &form);
    traffic->encode(traffic, TRAFFIC_COMMON, &form);
    return mixer_finish(&mixer);
}

/* What the L1 has of its own, whatever its number is. */
static uint64_t l1_signature(const struct world *world, uint32_t l1)
{
    const struct traffic *traffic = world->traffic;
    struct node_names names = {.count = world->shape.l1s}, units;
    struct mixer mixer = empty;
    const struct form form = {.add = mixer_add,
                              .context = &mixer,
                              .names = &names,
                              .units = &units,
                              .same_bytes = traffic->same_bytes};

    for (uint32_t i = 0; i < world->shape.l1s; i++)
        names.of[i] = i != l1;
    units = units_of(&names);
    world_encode_l1(world, l1, &form);
    traffic->encode(traffic, l1, &form);
    return mixer_finish(&mixer);
}

struct ordering {
    const struct world *world;
    uint64_t signatures[WORLD_MAX_L1S]; /* by L1 */
    uint32_t l1s[WORLD_MAX_L1S];        /* by name */
    uint64_t min;
    uint32_t tried, reached; /* orders; of them, those that gave the minimum */
    bool has_faded;
};

static void names_swap(uint32_t *a, uint32_t *b)
{
    uint32_t kept = *a;

    *a = *b;
    *b = kept;
}

static void try_order(struct ordering *ordering)
{
    struct node_names names = {.count = ordering->world->shape.l1s};
    uint64_t hash;

    for (uint32_t i = 0; i < names.count; i++)
        names.of[ordering->l1s[i]] = (uint16_t)i;
    hash = world_hash(ordering->world, &names, ordering->l1s, &ordering->has_faded);
    if (ordering->tried++ == 0 || hash < ordering->min) {
        ordering->min = hash;
        ordering->reached = 0;
    }
    ordering->reached += hash == ordering->min;
}

/* All orders of names from `at` on in which signatures ascend, as they do now. */
static void try_orders(struct ordering *ordering, uint32_t at)
{
    uint32_t *l1s = ordering->l1s;

    if (at == ordering->world->shape.l1s) {
        try_order(ordering);
        return;
    }
    for (uint32_t i = at; i < ordering->world->shape.l1s; i++) {
        if (ordering->signatures[l1s[i]] != ordering->signatures[l1s[at]])
            break;
        names_swap(&l1s[at], &l1s[i]);
        try_orders(ordering, at + 1);
        names_swap(&l1s[at], &l1s[i]);
    }
}

struct fingerprint fingerprint_of(const struct world *world, bool tells_l1s_apart)
{
    struct ordering ordering = {.world = world};
    uint32_t l1s = world->shape.l1s;
    uint32_t first = tells_l1s_apart ? l1s : world->traffic->first_alike(world->traffic);
    uint32_t orders = 1;

    for (uint32_t i = 0; i < l1s; i++)
        ordering.l1s[i] = i;
    if (first + 1 >= l1s) {
        ordering.min = world_hash(world, NULL, ordering.l1s, &ordering.has_faded);
        return (struct fingerprint){ordering.min, 1, ordering.has_faded};
    }
    for (uint32_t i = first; i < l1s; i++) {
        ordering.signatures[i] = l1_signature(world, i);
        orders *= i - first + 1;
        for (uint32_t j = i; j > first && ordering.signatures[ordering.l1s[j]] <
                                              ordering.signatures[ordering.l1s[j - 1]];
             j--)
            names_swap(&ordering.l1s[j], &ordering.l1s[j - 1]);
    }
    try_orders(&ordering, first);
    return (struct fingerprint){ordering.min, orders / ordering.reached, ordering.has_faded};
}
