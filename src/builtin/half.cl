/* SPDX-License-Identifier: MIT */
/*
 * To half precision in a direction (OpenCL C 6.2.3, 6.12.7, cl_khr_fp16): to nearest, and from
 * there one step where that went the other way. The functions of libclc lose what is below the
 * least denormal.
 */
#include "builtin/builtin.h"

/* The next half in a direction, whose sign is given; x is not an infinity of that sign. */
static inline half half_beside(half x, bool is_up)
{
    ushort bits = as_ushort(x), magnitude = bits & 0x7fff;
    bool is_negative = bits >> 15;

    if (magnitude == 0)
        return as_half((ushort)(is_up ? 0x0001 : 0x8001));
    return as_half((ushort)(is_negative == is_up ? bits - 1 : bits + 1));
}

#define ROUND(from)                                                                                \
    static inline half half_of_##from##_rte(from x) { return (half)x; }                            \
    static inline half half_of_##from##_rtp(from x)                                                \
    {                                                                                              \
        half near = (half)x;                                                                       \
                                                                                                   \
        return (from)near < x ? half_beside(near, true) : near;                                    \
    }                                                                                              \
    static inline half half_of_##from##_rtn(from x)                                                \
    {                                                                                              \
        half near = (half)x;                                                                       \
                                                                                                   \
        return (from)near > x ? half_beside(near, false) : near;                                   \
    }                                                                                              \
    static inline half half_of_##from##_rtz(from x)                                                \
    {                                                                                              \
        return x < 0 ? half_of_##from##_rtp(x) : half_of_##from##_rtn(x);                          \
    }
ROUND(float)
ROUND(double)

/* ---- Conversions ---- */

#define CONVERT_1(from, form, x) half_of_##from##form(x)
#define CONVERT_2(from, form, x) CONVERT_1(from, form, x.s0), CONVERT_1(from, form, x.s1)
#define CONVERT_3(from, form, x) CONVERT_2(from, form, x), CONVERT_1(from, form, x.s2)
#define CONVERT_4(from, form, x) CONVERT_2(from, form, x.lo), CONVERT_2(from, form, x.hi)
#define CONVERT_8(from, form, x) CONVERT_4(from, form, x.lo), CONVERT_4(from, form, x.hi)
#define CONVERT_16(from, form, x) CONVERT_8(from, form, x.lo), CONVERT_8(from, form, x.hi)

#define CONVERT(width, from, form)                                                                 \
    OVERLOAD half##width convert_half##width##form(from##width x)                                  \
    {                                                                                              \
        return (half##width)(CONVERT_##width(from, form, x));                                      \
    }
#define CONVERTS(from, form)                                                                       \
    OVERLOAD half convert_half##form(from x) { return half_of_##from##form(x); }                   \
    CONVERT(2, from, form) CONVERT(3, from, form) CONVERT(4, from, form) CONVERT(8, from, form)    \
    CONVERT(16, from, form)
#define CONVERT_FORMS(from)                                                                        \
    CONVERTS(from, _rte) CONVERTS(from, _rtz) CONVERTS(from, _rtp) CONVERTS(from, _rtn)
CONVERT_FORMS(float)
CONVERT_FORMS(double)

/* ---- Stores: every width, aligned to the element or (vstorea) to the vector ---- */

#define ELEMENTS_2 2
#define ELEMENTS_3 4
#define ELEMENTS_4 4
#define ELEMENTS_8 8
#define ELEMENTS_16 16

#define STORE(width, from, form, space)                                                            \
    OVERLOAD void vstore_half##width##form(from##width x, size_t offset, space half *place)        \
    {                                                                                              \
        half##width rounded = (half##width)(CONVERT_##width(from, form, x));                       \
                                                                                                   \
        vstore##width(as_short##width(rounded), offset, (space short *)place);                     \
    }                                                                                              \
    OVERLOAD void vstorea_half##width##form(from##width x, size_t offset, space half *place)       \
    {                                                                                              \
        half##width rounded = (half##width)(CONVERT_##width(from, form, x));                       \
                                                                                                   \
        vstore##width(as_short##width(rounded), 0,                                                 \
                      (space short *)place + offset * ELEMENTS_##width);                           \
    }
#define STORES(from, form, space)                                                                  \
    OVERLOAD void vstore_half##form(from x, size_t offset, space half *place)                      \
    {                                                                                              \
        ((space short *)place)[offset] = as_short(half_of_##from##form(x));                        \
    }                                                                                              \
    STORE(2, from, form, space) STORE(3, from, form, space) STORE(4, from, form, space)            \
    STORE(8, from, form, space) STORE(16, from, form, space)
#define STORE_FORMS(from, space)                                                                   \
    STORES(from, _rtz, space) STORES(from, _rtp, space) STORES(from, _rtn, space)
#define STORE_SPACES(from)                                                                         \
    STORE_FORMS(from, private) STORE_FORMS(from, local) STORE_FORMS(from, global)
STORE_SPACES(float)
STORE_SPACES(double)
