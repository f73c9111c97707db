/* SPDX-License-Identifier: MIT */
/*
 * Images as the device sees them. An image is the address of a descriptor in constant memory; a
 * sampler is a word in a pointer's place. The driver writes the descriptor (src/opencl/image.c):
 *
 *     0     2      3       4              5          6      7       8      9       10
 *     |base |bytes |format |element shift |row pitch |width |height |depth |layers |slice pitch
 *     11     12
 *     |order |type
 *
 * The first four words are a buffer descriptor, and formatted buffer instructions move elements
 * from and to colors: kernels do not ask what format an image has. An element outside the image has
 * an offset beyond `bytes`, so that stores do nothing and loads give channels of zero. Of these the
 * border color is made as of others (OpenCL C 6.15.15.1.2: alpha is 1 where the format has none).
 */
#ifndef BUILTIN_IMAGE_H
#define BUILTIN_IMAGE_H

#include "builtin/builtin.h"

typedef __constant uint *image_descriptor;

#define IMAGE_ELEMENT_SHIFT 4
#define IMAGE_ROW_PITCH 5
#define IMAGE_WIDTH 6
#define IMAGE_HEIGHT 7
#define IMAGE_DEPTH 8
#define IMAGE_LAYERS 9
#define IMAGE_SLICE_PITCH 10
#define IMAGE_ORDER 11
#define IMAGE_TYPE 12

/* The language's min and max, of two values of one type: without asking libclc. */
#define MIN(a, b) __builtin_elementwise_min(a, b)
#define MAX(a, b) __builtin_elementwise_max(a, b)

#define DESCRIPTOR(image) __builtin_astype(image, image_descriptor)

#define OUTSIDE 0xffffffffu

/* All of it vanishes into the kernels that use it: descriptors and samplers are constants or
 * scalars there. Until then helpers are functions, so that the library holds each once
 * (meson.build). */
#define HELPER static inline INLINE

HELPER __amdgpu_buffer_rsrc_t image_buffer(image_descriptor image)
{
    return *(__constant __amdgpu_buffer_rsrc_t *)image;
}

/* ---- Formatted loads and stores; clang has LLVM's intrinsics by name only ---- */

float4 load_format(__amdgpu_buffer_rsrc_t buffer, uint at, uint scalar_offset,
                   int flags) __asm("llvm.amdgcn.raw.ptr.buffer.load.format.v4f32");
void store_format(float4 color, __amdgpu_buffer_rsrc_t buffer, uint at, uint scalar_offset,
                  int flags) __asm("llvm.amdgcn.raw.ptr.buffer.store.format.v4f32");

/* Of integer formats the components are integers, whatever the type. */
HELPER float4 texel_load(image_descriptor image, uint at)
{
    return load_format(image_buffer(image), at, 0, 0);
}

HELPER void texel_store(image_descriptor image, uint at, float4 color)
{
    store_format(color, image_buffer(image), at, 0, 0);
}

/* ---- Where an element is ---- */

/* The offset of an element, or OUTSIDE. Sizes that a kind of image has not are 1, and its
 * coordinates 0; `slices` is IMAGE_DEPTH or IMAGE_LAYERS. LLVM would make a branch of a choice
 * between offsets, which costs more than their bits set. A pitch of rows has at most 24 bits, and
 * so have rows that are inside. */
HELPER uint outside_unless(bool is_inside)
{
    return is_inside ? 0 : OUTSIDE;
}

HELPER uint row_offset(image_descriptor image, int y)
{
    return ((uint)y & 0xffffff) * (image[IMAGE_ROW_PITCH] & 0xffffff);
}

HELPER uint image_offset(image_descriptor image, int x)
{
    uint offset = (uint)x << image[IMAGE_ELEMENT_SHIFT];

    return offset | outside_unless((uint)x < image[IMAGE_WIDTH]);
}

HELPER uint image_offset(image_descriptor image, int x, int y)
{
    uint offset = ((uint)x << image[IMAGE_ELEMENT_SHIFT]) + row_offset(image, y);
    bool is_inside = ((uint)x < image[IMAGE_WIDTH]) & ((uint)y < image[IMAGE_HEIGHT]);

    return offset | outside_unless(is_inside);
}

HELPER uint image_offset(image_descriptor image, int x, int y, int z, uint slices)
{
    uint offset = ((uint)x << image[IMAGE_ELEMENT_SHIFT]) + row_offset(image, y) +
                  (uint)z * image[IMAGE_SLICE_PITCH];
    bool is_inside = ((uint)x < image[IMAGE_WIDTH]) & ((uint)y < image[IMAGE_HEIGHT]) &
                     ((uint)z < image[slices]);

    return offset | outside_unless(is_inside);
}

/* A layer outside is the nearest that there is. */
HELPER int image_layer(image_descriptor image, int layer)
{
    return MIN(MAX(layer, 0), (int)image[IMAGE_LAYERS] - 1);
}

/* ---- Kinds of images: how coordinates find the element ---- */

#define OFFSET_1D(image, c) image_offset(image, c)
#define OFFSET_1D_BUFFER(image, c) image_offset(image, c)
#define OFFSET_1D_ARRAY(image, c) image_offset(image, (c).x, 0, (c).y, IMAGE_LAYERS)
#define OFFSET_2D(image, c) image_offset(image, (c).x, (c).y)
#define OFFSET_2D_ARRAY(image, c) image_offset(image, (c).x, (c).y, (c).z, IMAGE_LAYERS)
#define OFFSET_3D(image, c) image_offset(image, (c).x, (c).y, (c).z, IMAGE_DEPTH)

/* DO(kind, type, integer coordinates) */
#define FOR_IMAGES(DO)                                                                             \
    DO(1D, image1d_t, int)                                                                         \
    DO(1D_BUFFER, image1d_buffer_t, int)                                                           \
    DO(1D_ARRAY, image1d_array_t, int2)                                                            \
    DO(2D, image2d_t, int2)                                                                        \
    DO(2D_ARRAY, image2d_array_t, int4)                                                            \
    DO(3D, image3d_t, int4)

/* Depth images have one channel, and their colors are no vectors. */
#define FOR_DEPTH_IMAGES(DO)                                                                       \
    DO(2D, image2d_depth_t, int2)                                                                  \
    DO(2D_ARRAY, image2d_array_depth_t, int4)

#endif
