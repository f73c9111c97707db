/* SPDX-License-Identifier: MIT */
/*
 * read_imagef, read_imagei, read_imageui and read_imageh (OpenCL C 6.15.15.2 to 6.15.15.5).
 *
 * An element outside the image is the border color, also without a sampler and with
 * CLK_ADDRESS_NONE, where the specification leaves it open. Integers are not filtered.
 */
#include "builtin/image_sample.h"

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

HELPER uint4 texel_at(image_descriptor image, uint at)
{
    uint4 raw;

    texels_load_1(image, &at, &raw);
    return raw;
}

HELPER float4 color_float(image_descriptor image, uint4 raw)
{
    float weight = 1.0f;

    return texel_color(image, texels_sum_1(image, &raw, &weight));
}

HELPER int4 color_int(image_descriptor image, uint4 raw)
{
    return texel_color(image, texel_int(image, raw));
}

HELPER uint4 color_uint(image_descriptor image, uint4 raw)
{
    return texel_color(image, texel_uint(image, raw));
}

HELPER half4 color_half(float4 color)
{
    return __builtin_convertvector(color, half4);
}

/* ---- Without a sampler ---- */

#define READ(access, kind, type, coordinates)                                                      \
    INLINE float4 read_imagef(access type image, coordinates c)                                    \
    {                                                                                              \
        image_descriptor d = DESCRIPTOR(image);                                                    \
                                                                                                   \
        return color_float(d, texel_at(d, OFFSET_##kind(d, c)));                                   \
    }                                                                                              \
                                                                                                   \
    INLINE int4 read_imagei(access type image, coordinates c)                                      \
    {                                                                                              \
        image_descriptor d = DESCRIPTOR(image);                                                    \
                                                                                                   \
        return color_int(d, texel_at(d, OFFSET_##kind(d, c)));                                     \
    }                                                                                              \
                                                                                                   \
    INLINE uint4 read_imageui(access type image, coordinates c)                                    \
    {                                                                                              \
        image_descriptor d = DESCRIPTOR(image);                                                    \
                                                                                                   \
        return color_uint(d, texel_at(d, OFFSET_##kind(d, c)));                                    \
    }                                                                                              \
                                                                                                   \
    INLINE half4 read_imageh(access type image, coordinates c)                                     \
    {                                                                                              \
        return color_half(read_imagef(image, c));                                                  \
    }

#define READ_ONLY(kind, type, coordinates) READ(read_only, kind, type, coordinates)
#define READ_WRITE(kind, type, coordinates) READ(read_write, kind, type, coordinates)

FOR_IMAGES(READ_ONLY)
FOR_IMAGES(READ_WRITE)

/* ---- With a sampler ---- */

#define SAMPLE_INTEGERS(access, kind, type, coordinates)                                           \
    INLINE int4 read_imagei(access type image, sampler_t sampler, coordinates c)                   \
    {                                                                                              \
        image_descriptor d = DESCRIPTOR(image);                                                    \
                                                                                                   \
        return color_int(d, texel_at(d, nearest_##kind(d, SAMPLER_WORD(sampler), c)));             \
    }                                                                                              \
                                                                                                   \
    INLINE uint4 read_imageui(access type image, sampler_t sampler, coordinates c)                 \
    {                                                                                              \
        image_descriptor d = DESCRIPTOR(image);                                                    \
                                                                                                   \
        return color_uint(d, texel_at(d, nearest_##kind(d, SAMPLER_WORD(sampler), c)));            \
    }                                                                                              \
                                                                                                   \
    INLINE half4 read_imageh(access type image, sampler_t sampler, coordinates c)                  \
    {                                                                                              \
        return color_half(read_imagef(image, sampler, c));                                         \
    }

#define SAMPLE(access, kind, type, ints, floats)                                                   \
    INLINE float4 read_imagef(access type image, sampler_t sampler, ints c)                        \
    {                                                                                              \
        image_descriptor d = DESCRIPTOR(image);                                                    \
                                                                                                   \
        return color_float(d, texel_at(d, nearest_##kind(d, SAMPLER_WORD(sampler), c)));           \
    }                                                                                              \
                                                                                                   \
    INLINE float4 read_imagef(access type image, sampler_t sampler, floats c)                      \
    {                                                                                              \
        image_descriptor d = DESCRIPTOR(image);                                                    \
        sampler_word word = SAMPLER_WORD(sampler);                                                 \
                                                                                                   \
        if ((word & SAMPLER_LINEAR) != 0)                                                          \
            return texel_color(d, linear_##kind(d, word, c));                                      \
        return color_float(d, texel_at(d, nearest_##kind(d, word, c)));                            \
    }                                                                                              \
                                                                                                   \
    SAMPLE_INTEGERS(access, kind, type, ints)                                                      \
    SAMPLE_INTEGERS(access, kind, type, floats)

SAMPLE(read_only, 1D, image1d_t, int, float)
SAMPLE(read_only, 1D_ARRAY, image1d_array_t, int2, float2)
SAMPLE(read_only, 2D, image2d_t, int2, float2)
SAMPLE(read_only, 2D_ARRAY, image2d_array_t, int4, float4)
SAMPLE(read_only, 3D, image3d_t, int4, float4)

/* ---- Depth images ---- */

#define READ_DEPTH(access, kind, type, ints)                                                       \
    INLINE float read_imagef(access type image, ints c)                                            \
    {                                                                                              \
        image_descriptor d = DESCRIPTOR(image);                                                    \
        uint4 raw = texel_at(d, OFFSET_##kind(d, c));                                              \
        float weight = 1.0f;                                                                       \
                                                                                                   \
        return texels_sum_1(d, &raw, &weight).x;                                                   \
    }

#define DEPTH_READ_ONLY(kind, type, ints) READ_DEPTH(read_only, kind, type, ints)
#define DEPTH_READ_WRITE(kind, type, ints) READ_DEPTH(read_write, kind, type, ints)

FOR_DEPTH_IMAGES(DEPTH_READ_ONLY)
FOR_DEPTH_IMAGES(DEPTH_READ_WRITE)

#define SAMPLE_DEPTH(kind, type, ints, floats)                                                     \
    INLINE float read_imagef(read_only type image, sampler_t sampler, ints c)                      \
    {                                                                                              \
        image_descriptor d = DESCRIPTOR(image);                                                    \
        uint4 raw = texel_at(d, nearest_##kind(d, SAMPLER_WORD(sampler), c));                      \
        float weight = 1.0f;                                                                       \
                                                                                                   \
        return texels_sum_1(d, &raw, &weight).x;                                                   \
    }                                                                                              \
                                                                                                   \
    INLINE float read_imagef(read_only type image, sampler_t sampler, floats c)                    \
    {                                                                                              \
        image_descriptor d = DESCRIPTOR(image);                                                    \
        sampler_word word = SAMPLER_WORD(sampler);                                                 \
        float weight = 1.0f;                                                                       \
        uint4 raw;                                                                                 \
                                                                                                   \
        if ((word & SAMPLER_LINEAR) != 0)                                                          \
            return linear_##kind(d, word, c).x;                                                    \
        raw = texel_at(d, nearest_##kind(d, word, c));                                             \
        return texels_sum_1(d, &raw, &weight).x;                                                   \
    }

SAMPLE_DEPTH(2D, image2d_depth_t, int2, float2)
SAMPLE_DEPTH(2D_ARRAY, image2d_array_depth_t, int4, float4)
