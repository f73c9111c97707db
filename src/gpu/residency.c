/* SPDX-License-Identifier: MIT */
#include "gpu/residency.h"

#include <string.h>

#include "base/bits.h"
#include "base/check.h"

void residency_init(struct residency *residency, const struct compute_unit_parameters *parameters)
{
    memset(residency, 0, sizeof *residency);
    residency->parameters = parameters;
    residency->free_slots = low_mask(compute_unit_slots(parameters));
    residency->free_groups = low_mask(GPU_MAX_GROUPS);
    residency->free_barriers = (uint32_t)parameters->barriers;
    for (unsigned i = 0; i < parameters->simds; i++) {
        residency->free_vector[i] = (uint32_t)parameters->vector_registers;
        residency->free_scalar[i] = (uint32_t)parameters->scalar_registers;
    }
}

static uint32_t granules_of(const struct residency *residency, uint32_t bytes)
{
    return (uint32_t)(compute_unit_granted_lds(residency->parameters, bytes) /
                      residency->parameters->lds_granule_bytes);
}

static bool is_used(const struct residency *residency, uint32_t granule)
{
    return (residency->used_granules[granule / 64] >> (granule % 64) & 1) != 0;
}

/* The first run of `count` free granules, or -1. */
static int find_run(const struct residency *residency, uint32_t count)
{
    uint32_t total =
        (uint32_t)(residency->parameters->lds_bytes / residency->parameters->lds_granule_bytes);
    uint32_t length = 0;

    if (count == 0)
        return 0;
    for (uint32_t i = 0; i < total; i++) {
        length = is_used(residency, i) ? 0 : length + 1;
        if (length == count)
            return (int)(i + 1 - count);
    }
    return -1;
}

static void mark_run(struct residency *residency, uint32_t first, uint32_t count, bool used)
{
    for (uint32_t i = first; i < first + count; i++) {
        uint64_t bit = UINT64_C(1) << (i % 64);

        if (used)
            residency->used_granules[i / 64] |= bit;
        else
            residency->used_granules[i / 64] &= ~bit;
    }
}

/* Takes slots for `count` wavefronts on the first SIMD in turn that has them and the registers. */
static bool take_slots_of_simd(struct residency *residency, const struct launch *launch,
                               uint32_t count, uint8_t *wavefronts, uint64_t *taken)
{
    uint32_t per_simd = (uint32_t)residency->parameters->wavefronts_per_simd;
    uint32_t simds = (uint32_t)residency->parameters->simds;

    for (uint32_t i = 0; i < simds; i++) {
        uint32_t simd = (residency->next_simd + i) % simds;
        uint64_t slots = residency->free_slots & low_mask(per_simd) << (simd * per_simd);

        if (count_bits(slots) < count ||
            residency->free_vector[simd] < count * launch->vector_registers ||
            residency->free_scalar[simd] < count * launch->scalar_registers)
            continue;
        for (uint32_t k = 0; k < count; k++, slots &= slots - 1) {
            wavefronts[k] = (uint8_t)lowest_bit(slots);
            *taken |= UINT64_C(1) << wavefronts[k];
        }
        residency->free_slots &= ~*taken;
        residency->free_vector[simd] -= count * launch->vector_registers;
        residency->free_scalar[simd] -= count * launch->scalar_registers;
        residency->next_simd = (simd + 1) % simds;
        return true;
    }
    return false;
}

static bool shares_simd(const struct compute_unit_parameters *parameters,
                        const struct launch *launch)
{
    return parameters->group_on_one_simd != 0 &&
           launch->wave_count <= parameters->wavefronts_per_simd &&
           launch->wave_count * launch->vector_registers <= parameters->vector_registers &&
           launch->wave_count * launch->scalar_registers <= parameters->scalar_registers;
}

static bool take_slots(struct residency *residency, const struct launch *launch,
                       struct group_launch *place, uint64_t *slots)
{
    uint32_t together = shares_simd(residency->parameters, launch) ? launch->wave_count : 1;

    *slots = 0;
    for (uint32_t i = 0; i < launch->wave_count; i += together)
        if (!take_slots_of_simd(residency, launch, together, &place->wavefronts[i], slots))
            return false;
    return true;
}

/* Works on the residency itself; the caller keeps a copy in case there is no room. */
static bool take_all(struct residency *residency, const struct launch *launch,
                     struct group_launch *place)
{
    uint32_t granules = granules_of(residency, launch->lds_bytes);
    int first = find_run(residency, granules);
    bool has_barrier = launch->wave_count > 1;
    struct resident_group *group;
    uint64_t slots;

    if (first < 0 || launch->wave_count > GPU_MAX_GROUP_WAVES || residency->free_groups == 0 ||
        (has_barrier && residency->free_barriers == 0) ||
        !take_slots(residency, launch, place, &slots))
        return false;
    place->slot = lowest_bit(residency->free_groups);
    place->lds_base = (uint32_t)first * (uint32_t)residency->parameters->lds_granule_bytes;
    mark_run(residency, (uint32_t)first, granules, true);
    residency->free_groups &= residency->free_groups - 1;
    residency->free_barriers -= has_barrier;
    group = &residency->groups[place->slot];
    *group = (struct resident_group){
        slots,      launch->vector_registers, launch->scalar_registers, (uint32_t)first, granules,
        has_barrier};
    return true;
}

/* Cheap answers first: most of the time a compute unit is full because it has no slots left. */
static bool may_fit(const struct residency *residency, const struct launch *launch)
{
    return count_bits(residency->free_slots) >= launch->wave_count &&
           (launch->wave_count <= 1 || residency->free_barriers > 0);
}

bool residency_place(struct residency *residency, const struct launch *launch,
                     struct group_launch *place)
{
    struct residency copy;

    if (!may_fit(residency, launch))
        return false;
    copy = *residency;
    if (take_all(residency, launch, place))
        return true;
    *residency = copy;
    return false;
}

bool residency_has_room(const struct residency *residency, const struct launch *launch)
{
    struct residency copy;
    struct group_launch place;

    if (!may_fit(residency, launch))
        return false;
    copy = *residency;
    return take_all(&copy, launch, &place);
}

uint32_t residency_groups(const struct compute_unit_parameters *parameters,
                          const struct launch *launch)
{
    struct residency residency;
    struct group_launch place;
    uint32_t count = 0;

    residency_init(&residency, parameters);
    while (take_all(&residency, launch, &place)) /* when it fails, it is not used any more */
        count++;
    return count;
}

void residency_release(struct residency *residency, uint32_t slot)
{
    struct resident_group *group = &residency->groups[slot];
    uint32_t per_simd = (uint32_t)residency->parameters->wavefronts_per_simd;
    uint64_t slots = group->slots;

    check(slots != 0 && (residency->free_groups >> slot & 1) == 0, "work-group slot %u is free",
          slot);
    residency->free_slots |= slots;
    residency->free_groups |= UINT64_C(1) << slot;
    residency->free_barriers += group->has_barrier;
    for_each_bit(wavefront, slots)
    {
        residency->free_vector[wavefront / per_simd] += group->vector;
        residency->free_scalar[wavefront / per_simd] += group->scalar;
    }
    mark_run(residency, group->first_granule, group->granules, false);
}
