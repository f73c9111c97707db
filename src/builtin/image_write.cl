/* SPDX-License-Identifier: MIT */
/*
 * write_imagef, write_imagei, write_imageui and write_imageh (OpenCL C 6.15.15.6; OpenCL 8.3).
 * The store converts: floats go to the nearest of a format's values, of two as near to the even one
 * (src/isa/gcn/memory_format.c). What is written outside the image is lost, where the specification
 * leaves it open.
 */
#include "builtin/image.h"

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define WRITE_AS(name, vector, access, kind, type, coordinates)                                    \
    INLINE void name(access type image, coordinates c, vector color)                               \
    {                                                                                              \
        image_descriptor d = DESCRIPTOR(image);                                                    \
                                                                                                   \
        texel_store(d, OFFSET_##kind(d, c), as_float4(color));                                     \
    }

#define WRITE(access, kind, type, coordinates)                                                     \
    WRITE_AS(write_imagef, float4, access, kind, type, coordinates)                                \
    WRITE_AS(write_imagei, int4, access, kind, type, coordinates)                                  \
    WRITE_AS(write_imageui, uint4, access, kind, type, coordinates)                                \
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
        texel_store(d, OFFSET_##kind(d, c), (float4)depth);                                        \
    }

#define DEPTH_WRITE_ONLY(kind, type, coordinates) WRITE_DEPTH(write_only, kind, type, coordinates)
#define DEPTH_READ_WRITE(kind, type, coordinates) WRITE_DEPTH(read_write, kind, type, coordinates)

FOR_DEPTH_IMAGES(DEPTH_WRITE_ONLY)
FOR_DEPTH_IMAGES(DEPTH_READ_WRITE)
