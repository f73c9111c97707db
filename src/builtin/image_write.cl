/* SPDX-License-Identifier: MIT */
/*
 * write_imagef, write_imagei, write_imageui and write_imageh (OpenCL C 6.15.15.6; OpenCL 8.3).
 * Floats go to the nearest of a format's values, of two as near to the even one. What is written
 * outside the image is lost, where the specification leaves it open.
 */
#include "builtin/image.h"

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

/* The color's components in the order of the format's channels. */
#define CHANNELS_OF(vector)                                                                        \
    HELPER vector image_channels(image_descriptor image, vector color)                             \
    {                                                                                              \
        switch (image[IMAGE_ORDER]) {                                                              \
        case CLK_BGRA:                                                                             \
            return color.zyxw;                                                                     \
        case CLK_ARGB:                                                                             \
            return color.wxyz;                                                                     \
        case CLK_A:                                                                                \
            return color.wwww;                                                                     \
        default:                                                                                   \
            return color;                                                                          \
        }                                                                                          \
    }

CHANNELS_OF(float4)
CHANNELS_OF(int4)
CHANNELS_OF(uint4)

/* ---- Packing ---- */

HELPER uint4 pack_bytes(uint4 v)
{
    v &= 0xff;
    return (uint4)(v.x | v.y << 8 | v.z << 16 | v.w << 24, 0, 0, 0);
}

HELPER uint4 pack_shorts(uint4 v)
{
    v &= 0xffff;
    return (uint4)(v.x | v.y << 16, v.z | v.w << 16, 0, 0);
}

/* NaN becomes the lower end or 0, whichever is larger. */
HELPER uint4 pack_normal(float4 v, float low, float high)
{
    float4 nearest = __builtin_elementwise_roundeven(v * high);
    float4 inside = MIN(MAX(v == v ? nearest : (float4)0.0f, (float4)low), (float4)high);

    return as_uint4(__builtin_convertvector(inside, int4));
}

HELPER uint4 pack_float(image_descriptor image, float4 v)
{
    switch (image[IMAGE_TYPE]) {
    case CLK_UNORM_INT8:
        return pack_bytes(pack_normal(v, 0.0f, 255.0f));
    case CLK_UNORM_INT16:
        return pack_shorts(pack_normal(v, 0.0f, 65535.0f));
    case CLK_SNORM_INT8:
        return pack_bytes(pack_normal(v, -128.0f, 127.0f));
    case CLK_SNORM_INT16:
        return pack_shorts(pack_normal(v, -32768.0f, 32767.0f));
    case CLK_HALF_FLOAT:
        return (uint4)(__builtin_astype(__builtin_convertvector(v, half4), uint2), 0, 0);
    default:
        return as_uint4(v);
    }
}

HELPER uint4 pack_int(image_descriptor image, int4 v)
{
    switch (image[IMAGE_TYPE]) {
    case CLK_SIGNED_INT8:
        return pack_bytes(as_uint4(MIN(MAX(v, (int4)-128), (int4)127)));
    case CLK_SIGNED_INT16:
        return pack_shorts(as_uint4(MIN(MAX(v, (int4)-32768), (int4)32767)));
    default:
        return as_uint4(v);
    }
}

HELPER uint4 pack_uint(image_descriptor image, uint4 v)
{
    switch (image[IMAGE_TYPE]) {
    case CLK_UNSIGNED_INT8:
        return pack_bytes(MIN(v, (uint4)255));
    case CLK_UNSIGNED_INT16:
        return pack_shorts(MIN(v, (uint4)65535));
    default:
        return v;
    }
}

/* ---- Storing ---- */

HELPER void texel_store(image_descriptor image, uint at, uint4 raw)
{
    __amdgpu_buffer_rsrc_t buffer = image_buffer(image);

    switch (image[IMAGE_ELEMENT_SHIFT]) {
    case 0:
        __builtin_amdgcn_raw_buffer_store_b8((uchar)raw.x, buffer, at, 0, 0);
        break;
    case 1:
        __builtin_amdgcn_raw_buffer_store_b16((ushort)raw.x, buffer, at, 0, 0);
        break;
    case 2:
        __builtin_amdgcn_raw_buffer_store_b32(raw.x, buffer, at, 0, 0);
        break;
    case 3:
        __builtin_amdgcn_raw_buffer_store_b64(raw.xy, buffer, at, 0, 0);
        break;
    default:
        __builtin_amdgcn_raw_buffer_store_b128(raw, buffer, at, 0, 0);
        break;
    }
}

#define WRITE_AS(name, vector, pack, access, kind, type, coordinates)                              \
    INLINE void name(access type image, coordinates c, vector color)                               \
    {                                                                                              \
        image_descriptor d = DESCRIPTOR(image);                                                    \
                                                                                                   \
        texel_store(d, OFFSET_##kind(d, c), pack(d, image_channels(d, color)));                    \
    }

#define WRITE(access, kind, type, coordinates)                                                     \
    WRITE_AS(write_imagef, float4, pack_float, access, kind, type, coordinates)                    \
    WRITE_AS(write_imagei, int4, pack_int, access, kind, type, coordinates)                        \
    WRITE_AS(write_imageui, uint4, pack_uint, access, kind, type, coordinates)                     \
    INLINE void write_imageh(access type image, coordinates c, half4 color)                        \
    {                                                                                              \
        write_imagef(image, c, __builtin_convertvector(color, float4));                            \
    }

#define WRITE_ONLY(kind, type, coordinates) WRITE(write_only, kind, type, coordinates)
#define READ_WRITE(kind, type, coordinates) WRITE(read_write, kind, type, coordinates)

FOR_IMAGES(WRITE_ONLY)
FOR_IMAGES(READ_WRITE)

#define WRITE_DEPTH(access, kind, type, coordinates)                                               \
    INLINE void write_imagef(access type image, coordinates c, float depth)                        \
    {                                                                                              \
        image_descriptor d = DESCRIPTOR(image);                                                    \
                                                                                                   \
        texel_store(d, OFFSET_##kind(d, c), pack_float(d, (float4)depth));                         \
    }

#define DEPTH_WRITE_ONLY(kind, type, coordinates) WRITE_DEPTH(write_only, kind, type, coordinates)
#define DEPTH_READ_WRITE(kind, type, coordinates) WRITE_DEPTH(read_write, kind, type, coordinates)

FOR_DEPTH_IMAGES(DEPTH_WRITE_ONLY)
FOR_DEPTH_IMAGES(DEPTH_READ_WRITE)
