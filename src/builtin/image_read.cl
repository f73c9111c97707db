/* SPDX-License-Identifier: MIT */
/*
 * read_imagef, read_imagei, read_imageui and read_imageh (OpenCL C 6.15.15.2 to 6.15.15.5).
 *
 * An element outside the image is the border color, also without a sampler and with
 * CLK_ADDRESS_NONE, where the specification leaves it open. Integers are not filtered.
 */
#include "builtin/image_sample.h"

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

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
        return texel_load(d, OFFSET_##kind(d, c));                                                 \
    }                                                                                              \
                                                                                                   \
    INLINE int4 read_imagei(access type image, coordinates c)                                      \
    {                                                                                              \
        image_descriptor d = DESCRIPTOR(image);                                                    \
                                                                                                   \
        return as_int4(texel_load(d, OFFSET_##kind(d, c)));                                        \
    }                                                                                              \
                                                                                                   \
    INLINE uint4 read_imageui(access type image, coordinates c)                                    \
    {                                                                                              \
        image_descriptor d = DESCRIPTOR(image);                                                    \
                                                                                                   \
        return as_uint4(texel_load(d, OFFSET_##kind(d, c)));                                       \
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
        return as_int4(texel_load(d, nearest_##kind(d, SAMPLER_WORD(sampler), c)));                \
    }                                                                                              \
                                                                                                   \
    INLINE uint4 read_imageui(access type image, sampler_t sampler, coordinates c)                 \
    {                                                                                              \
        image_descriptor d = DESCRIPTOR(image);                                                    \
                                                                                                   \
        return as_uint4(texel_load(d, nearest_##kind(d, SAMPLER_WORD(sampler), c)));               \
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
        return texel_load(d, nearest_##kind(d, SAMPLER_WORD(sampler), c));                         \
    }                                                                                              \
                                                                                                   \
    INLINE float4 read_imagef(access type image, sampler_t sampler, floats c)                      \
    {                                                                                              \
        image_descriptor d = DESCRIPTOR(image);                                                    \
        sampler_word word = SAMPLER_WORD(sampler);                                                 \
                                                                                                   \
        if ((word & SAMPLER_LINEAR) != 0)                                                          \
            return linear_##kind(d, word, c);                                                      \
        return texel_load(d, nearest_##kind(d, word, c));                                          \
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
                                                                                                   \
        return texel_load(d, OFFSET_##kind(d, c)).x;                                               \
    }

#define DEPTH_READ_ONLY(kind, type, ints) READ_DEPTH(read_only, kind, type, ints)
#define DEPTH_READ_WRITE(kind, type, ints) READ_DEPTH(read_write, kind, type, ints)

FOR_DEPTH_IMAGES(DEPTH_READ_ONLY)
FOR_DEPTH_IMAGES(DEPTH_READ_WRITE)

#define SAMPLE_DEPTH(kind, type, ints, floats)                                                     \
    INLINE float read_imagef(read_only type image, sampler_t sampler, ints c)                      \
    {                                                                                              \
        image_descriptor d = DESCRIPTOR(image);                                                    \
                                                                                                   \
        return texel_load(d, nearest_##kind(d, SAMPLER_WORD(sampler), c)).x;                       \
    }                                                                                              \
                                                                                                   \
    INLINE float read_imagef(read_only type image, sampler_t sampler, floats c)                    \
    {                                                                                              \
        image_descriptor d = DESCRIPTOR(image);                                                    \
        sampler_word word = SAMPLER_WORD(sampler);                                                 \
                                                                                                   \
        if ((word & SAMPLER_LINEAR) != 0)                                                          \
            return linear_##kind(d, word, c).x;                                                    \
        return texel_load(d, nearest_##kind(d, word, c)).x;                                        \
    }

SAMPLE_DEPTH(2D, image2d_depth_t, int2, float2)
SAMPLE_DEPTH(2D_ARRAY, image2d_array_depth_t, int4, float4)
