/* SPDX-License-Identifier: MIT */
/*
 * Functions of a whole work-group (OpenCL C 3.0, 6.15.16): a scan in each wavefront, then each
 * wavefront's total through local memory. Sums of floating-point numbers are taken in the same order
 * in every run.
 *
 * Nothing here knows how many lanes a wavefront has. A wavefront's slot is its first work-item / 32.
 * One of more than 32 work-items marks the slot behind its own as empty.
 */
#include "builtin/wave.h"

__local ulong *__wavetank_group_slots(void); /* group_slots.c */

enum { WAVE_SLOTS = 32, PRESENT = WAVE_SLOTS, SHARED = 2 * WAVE_SLOTS };

static inline uint wave_slot(void)
{
    return (uint)(get_local_linear_id() - wave_lane()) / 32;
}

static inline uint slot_count(void)
{
    return (uint)((group_items() + 31) / 32);
}

/* Called by every lane: the wavefront's value, given by its first. */
static inline void wavefront_tell(ulong bits)
{
    __local ulong *slots = __wavetank_group_slots();
    uint slot = wave_slot();
    bool is_wide = wave_count() > 32;

    if (wave_lane() == 0) {
        slots[slot] = bits;
        slots[PRESENT + slot] = true;
        if (is_wide)
            slots[PRESENT + slot + 1] = false;
    }
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
}

/* The slots may be written again. */
static inline void end_telling(void)
{
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
}

static inline bool all_of(bool predicate)
{
    __local const ulong *slots = __wavetank_group_slots();
    bool is_all = true;

    wavefront_tell(__builtin_amdgcn_ballot_w64(!predicate) == 0);
    for (uint i = 0; i < slot_count(); i++)
        is_all = is_all && (!slots[PRESENT + i] || slots[i] != 0);
    end_telling();
    return is_all;
}

OVERLOAD int work_group_all(int predicate)
{
    return all_of(predicate != 0);
}

OVERLOAD int work_group_any(int predicate)
{
    return !all_of(predicate == 0);
}

#define BROADCAST(type)                                                                            \
    static inline type broadcast_##type(type value, size_t item)                                   \
    {                                                                                              \
        __local ulong *slots = __wavetank_group_slots();                                           \
                                                                                                   \
        if (get_local_linear_id() == item)                                                         \
            slots[SHARED] = wave_bits_##type(value);                                               \
        work_group_barrier(CLK_LOCAL_MEM_FENCE);                                                   \
        value = wave_of_bits_##type(slots[SHARED]);                                                \
        end_telling();                                                                             \
        return value;                                                                              \
    }                                                                                              \
    OVERLOAD type work_group_broadcast(type value, size_t x)                                       \
    {                                                                                              \
        return broadcast_##type(value, x);                                                         \
    }                                                                                              \
    OVERLOAD type work_group_broadcast(type value, size_t x, size_t y)                             \
    {                                                                                              \
        return broadcast_##type(value, y * get_local_size(0) + x);                                 \
    }                                                                                              \
    OVERLOAD type work_group_broadcast(type value, size_t x, size_t y, size_t z)                   \
    {                                                                                              \
        return broadcast_##type(value, (z * get_local_size(1) + y) * get_local_size(0) + x);       \
    }
FOR_GROUP_TYPES(BROADCAST)

/* In *before what wavefronts before this one have together, if there are any; the value of all. */
#define FUNCTIONS(type, name, COMBINE, identity)                                                   \
    WAVE_SCAN(type, name, COMBINE, identity)                                                       \
    static inline type combine_##name##_##type(type total, __private type *before)                 \
    {                                                                                              \
        __local const ulong *slots = __wavetank_group_slots();                                     \
        uint own = wave_slot();                                                                    \
        type all = identity;                                                                       \
                                                                                                   \
        wavefront_tell(wave_bits_##type(total));                                                             \
        for (uint i = 0; i < slot_count(); i++) {                                                  \
            if (i == own)                                                                          \
                *before = all;                                                                     \
            if (slots[PRESENT + i])                                                                \
                all = i == 0 ? wave_of_bits_##type(slots[i])                                       \
                             : COMBINE(all, wave_of_bits_##type(slots[i]));                        \
        }                                                                                          \
        end_telling();                                                                             \
        return all;                                                                                \
    }                                                                                              \
    OVERLOAD type work_group_reduce_##name(type value)                                             \
    {                                                                                              \
        type before, others;                                                                       \
                                                                                                   \
        value = wave_scan_##name##_##type(value, &before);                                         \
        return combine_##name##_##type(wave_read_##type(value, wave_count() - 1), &others);        \
    }                                                                                              \
    OVERLOAD type work_group_scan_inclusive_##name(type value)                                     \
    {                                                                                              \
        type before, others;                                                                       \
                                                                                                   \
        value = wave_scan_##name##_##type(value, &before);                                         \
        combine_##name##_##type(wave_read_##type(value, wave_count() - 1), &others);               \
        return wave_slot() == 0 ? value : COMBINE(others, value);                                  \
    }                                                                                              \
    OVERLOAD type work_group_scan_exclusive_##name(type value)                                     \
    {                                                                                              \
        type before, others;                                                                       \
                                                                                                   \
        value = wave_scan_##name##_##type(value, &before);                                         \
        combine_##name##_##type(wave_read_##type(value, wave_count() - 1), &others);               \
        if (wave_slot() == 0)                                                                      \
            return before;                                                                         \
        return wave_lane() == 0 ? others : COMBINE(others, before);                                \
    }
FOR_OPERATIONS(FUNCTIONS)

/* Half precision: through single, rounded once. */
#define HALF(name)                                                                                 \
    OVERLOAD half work_group_##name(half value)                                                     \
    {                                                                                              \
        return (half)work_group_##name((float)value);                                               \
    }
HALF(reduce_add) HALF(reduce_min) HALF(reduce_max)
HALF(scan_inclusive_add) HALF(scan_inclusive_min) HALF(scan_inclusive_max)
HALF(scan_exclusive_add) HALF(scan_exclusive_min) HALF(scan_exclusive_max)

OVERLOAD half work_group_broadcast(half value, size_t x)
{
    return as_half((short)broadcast_int(as_short(value), x));
}

OVERLOAD half work_group_broadcast(half value, size_t x, size_t y)
{
    return as_half((short)broadcast_int(as_short(value), y * get_local_size(0) + x));
}

OVERLOAD half work_group_broadcast(half value, size_t x, size_t y, size_t z)
{
    return as_half((short)broadcast_int(
        as_short(value), (z * get_local_size(1) + y) * get_local_size(0) + x));
}
