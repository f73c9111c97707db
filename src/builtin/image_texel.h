/* SPDX-License-Identifier: MIT */
/*
 * Elements from memory, and what they mean (OpenCL C 6.15.15.7; OpenCL 8.3). An element is loaded
 * as it lies there, into the low bytes of four words, the rest zero. Several are loaded before any
 * is looked at.
 */
#ifndef BUILTIN_IMAGE_TEXEL_H
#define BUILTIN_IMAGE_TEXEL_H

#include "builtin/image.h"

#define EACH_1(DO) DO(0)
#define EACH_2(DO) DO(0) DO(1)
#define EACH_4(DO) EACH_2(DO) DO(2) DO(3)
#define EACH_8(DO) EACH_4(DO) DO(4) DO(5) DO(6) DO(7)

/* ---- Loading ---- */

#define LOAD_1(i)                                                                                  \
    raw[i] = (uint4)(__builtin_amdgcn_raw_buffer_load_b8(buffer, at[i], 0, 0), 0, 0, 0);
#define LOAD_2(i)                                                                                  \
    raw[i] = (uint4)(__builtin_amdgcn_raw_buffer_load_b16(buffer, at[i], 0, 0), 0, 0, 0);
#define LOAD_4(i)                                                                                  \
    raw[i] = (uint4)(__builtin_amdgcn_raw_buffer_load_b32(buffer, at[i], 0, 0), 0, 0, 0);
#define LOAD_8(i) raw[i] = (uint4)(__builtin_amdgcn_raw_buffer_load_b64(buffer, at[i], 0, 0), 0, 0);
#define LOAD_16(i) raw[i] = __builtin_amdgcn_raw_buffer_load_b128(buffer, at[i], 0, 0);

#define LOAD_TEXELS(count)                                                                         \
    HELPER void texels_load_##count(image_descriptor image, const uint *at, uint4 *raw)            \
    {                                                                                              \
        __amdgpu_buffer_rsrc_t buffer = image_buffer(image);                                       \
                                                                                                   \
        switch (image[IMAGE_ELEMENT_SHIFT]) {                                                      \
        case 0:                                                                                    \
            EACH_##count(LOAD_1) break;                                                            \
        case 1:                                                                                    \
            EACH_##count(LOAD_2) break;                                                            \
        case 2:                                                                                    \
            EACH_##count(LOAD_4) break;                                                            \
        case 3:                                                                                    \
            EACH_##count(LOAD_8) break;                                                            \
        default:                                                                                   \
            EACH_##count(LOAD_16) break;                                                           \
        }                                                                                          \
    }

/* ---- Channels ---- */

HELPER uint4 texel_bytes(uint4 raw)
{
    return (uint4)(raw.x & 0xff, raw.x >> 8 & 0xff, raw.x >> 16 & 0xff, raw.x >> 24);
}

HELPER uint4 texel_shorts(uint4 raw)
{
    return (uint4)(raw.x & 0xffff, raw.x >> 16, raw.y & 0xffff, raw.y >> 16);
}

HELPER int4 texel_signed_bytes(uint4 raw)
{
    return as_int4((uint4)(raw.x << 24, raw.x << 16, raw.x << 8, raw.x)) >> 24;
}

HELPER int4 texel_signed_shorts(uint4 raw)
{
    return as_int4((uint4)(raw.x << 16, raw.x, raw.y << 16, raw.y)) >> 16;
}

/* Each of these is to be multiplied by the type's scale. */
HELPER float4 texel_unorm8(uint4 raw)
{
    return __builtin_convertvector(texel_bytes(raw), float4);
}

HELPER float4 texel_unorm16(uint4 raw)
{
    return __builtin_convertvector(texel_shorts(raw), float4);
}

HELPER float4 texel_snorm8(uint4 raw)
{
    return __builtin_convertvector(MAX(texel_signed_bytes(raw), (int4)-127), float4);
}

HELPER float4 texel_snorm16(uint4 raw)
{
    return __builtin_convertvector(MAX(texel_signed_shorts(raw), (int4)-32767), float4);
}

HELPER float4 texel_half(uint4 raw)
{
    return __builtin_convertvector(__builtin_astype(raw.xy, half4), float4);
}

HELPER float4 texel_float(uint4 raw)
{
    return as_float4(raw);
}

/* Channels in the format's order to a color; those that it has not are zero until now. */
#define COLOR_OF(vector)                                                                           \
    HELPER vector texel_color(image_descriptor image, vector v)                                    \
    {                                                                                              \
        switch (image[IMAGE_ORDER]) {                                                              \
        case CLK_RGBA:                                                                             \
            return v;                                                                              \
        case CLK_BGRA:                                                                             \
            return v.zyxw;                                                                         \
        case CLK_ARGB:                                                                             \
            return v.yzwx;                                                                         \
        case CLK_A:                                                                                \
            return (vector)(0, 0, 0, v.x);                                                         \
        case CLK_INTENSITY:                                                                        \
            return v.xxxx;                                                                         \
        case CLK_LUMINANCE:                                                                        \
            return (vector)(v.xxx, 1);                                                             \
        default: /* R, RG */                                                                       \
            return (vector)(v.xyz, 1);                                                             \
        }                                                                                          \
    }

COLOR_OF(float4)
COLOR_OF(int4)
COLOR_OF(uint4)

/* ---- Colors of integers: of one element ---- */

HELPER int4 texel_int(image_descriptor image, uint4 raw)
{
    switch (image[IMAGE_TYPE]) {
    case CLK_SIGNED_INT8:
        return texel_signed_bytes(raw);
    case CLK_SIGNED_INT16:
        return texel_signed_shorts(raw);
    default:
        return as_int4(raw);
    }
}

HELPER uint4 texel_uint(image_descriptor image, uint4 raw)
{
    switch (image[IMAGE_TYPE]) {
    case CLK_UNSIGNED_INT8:
        return texel_bytes(raw);
    case CLK_UNSIGNED_INT16:
        return texel_shorts(raw);
    default:
        return raw;
    }
}

/* ---- Colors of floats: a sum of elements with weights ---- */

#define WEIGH(convert, i) +weight[i] * convert(raw[i])
#define WEIGH_UNORM8(i) WEIGH(texel_unorm8, i)
#define WEIGH_UNORM16(i) WEIGH(texel_unorm16, i)
#define WEIGH_SNORM8(i) WEIGH(texel_snorm8, i)
#define WEIGH_SNORM16(i) WEIGH(texel_snorm16, i)
#define WEIGH_HALF(i) WEIGH(texel_half, i)
#define WEIGH_FLOAT(i) WEIGH(texel_float, i)

#define SUM_TEXELS(count)                                                                          \
    HELPER float4 texels_sum_##count(image_descriptor image, const uint4 *raw,                     \
                                     const float *weight)                                          \
    {                                                                                              \
        switch (image[IMAGE_TYPE]) {                                                               \
        case CLK_UNORM_INT8:                                                                       \
            return (EACH_##count(WEIGH_UNORM8)) * (1.0f / 255);                                    \
        case CLK_UNORM_INT16:                                                                      \
            return (EACH_##count(WEIGH_UNORM16)) * (1.0f / 65535);                                 \
        case CLK_SNORM_INT8:                                                                       \
            return (EACH_##count(WEIGH_SNORM8)) * (1.0f / 127);                                    \
        case CLK_SNORM_INT16:                                                                      \
            return (EACH_##count(WEIGH_SNORM16)) * (1.0f / 32767);                                 \
        case CLK_HALF_FLOAT:                                                                       \
            return EACH_##count(WEIGH_HALF);                                                       \
        default:                                                                                   \
            return EACH_##count(WEIGH_FLOAT);                                                      \
        }                                                                                          \
    }

#define TEXELS(count) LOAD_TEXELS(count) SUM_TEXELS(count)

TEXELS(1)
TEXELS(2)
TEXELS(4)
TEXELS(8)

#endif
