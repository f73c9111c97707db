/* SPDX-License-Identifier: MIT */
/*
 * From coordinates and a sampler to elements (OpenCL 8.1 and 8.2). Along each axis these are the
 * element nearest to a coordinate, or the two around it with the weight of the second.
 *
 * Where the specification leaves a case undefined (repetition without normalized coordinates,
 * CLK_ADDRESS_NONE outside the image), it is as with CLK_ADDRESS_CLAMP. A coordinate that is no
 * number is 0.
 */
#ifndef BUILTIN_IMAGE_SAMPLE_H
#define BUILTIN_IMAGE_SAMPLE_H

#include "builtin/image.h"

#define SAMPLER_NORMALIZED 1
#define SAMPLER_ADDRESS 0xe
#define SAMPLER_LINEAR 0x20

/* Far outside every image, and an int still when an image's size is added. */
#define FARTHEST 0x1p30f

typedef uint sampler_word;

#define SAMPLER_WORD(sampler) ((uint)__builtin_astype(sampler, ulong))

HELPER bool sampler_repeats(sampler_word sampler)
{
    return (sampler & SAMPLER_NORMALIZED) != 0 && (sampler & SAMPLER_ADDRESS) == CLK_ADDRESS_REPEAT;
}

HELPER bool sampler_mirrors(sampler_word sampler)
{
    return (sampler & SAMPLER_NORMALIZED) != 0 &&
           (sampler & SAMPLER_ADDRESS) == CLK_ADDRESS_MIRRORED_REPEAT;
}

HELPER bool sampler_clamps_to_edge(sampler_word sampler)
{
    return (sampler & SAMPLER_ADDRESS) == CLK_ADDRESS_CLAMP_TO_EDGE;
}

/* The coordinate in elements: what repeats, within the image. */
HELPER float axis_place(float s, float size, sampler_word sampler)
{
    if (sampler_repeats(sampler))
        return (s - __builtin_elementwise_floor(s)) * size;
    if (sampler_mirrors(sampler))
        return __builtin_elementwise_abs(s - 2.0f * __builtin_elementwise_roundeven(0.5f * s)) *
               size;
    return (sampler & SAMPLER_NORMALIZED) != 0 ? s * size : s;
}

/* A place to an element; of what is no number, 0. */
HELPER int axis_element(float place)
{
    return (int)MIN(MAX(place == place ? __builtin_elementwise_floor(place) : 0.0f, -FARTHEST),
                    FARTHEST);
}

/* Where an element is outside: the one that stands for it, or outside it stays. */
HELPER int axis_wrap(int i, int size, sampler_word sampler)
{
    if (sampler_repeats(sampler))
        return i < 0 ? i + size : i >= size ? i - size : i;
    if (sampler_mirrors(sampler) || sampler_clamps_to_edge(sampler))
        return MIN(MAX(i, 0), size - 1);
    return i;
}

HELPER int axis_nearest(float s, int size, sampler_word sampler)
{
    return axis_wrap(axis_element(axis_place(s, size, sampler)), size, sampler);
}

/* Integer coordinates are elements already. */
HELPER int axis_nearest(int i, int size, sampler_word sampler)
{
    return sampler_clamps_to_edge(sampler) ? MIN(MAX(i, 0), size - 1) : i;
}

struct axis {
    int element[2];
    float weight[2];
};

HELPER struct axis axis_linear(float s, int size, sampler_word sampler)
{
    float place = axis_place(s, size, sampler) - 0.5f;
    float fraction = place - __builtin_elementwise_floor(place);
    int first = axis_element(place);
    struct axis axis = {{axis_wrap(first, size, sampler), axis_wrap(first + 1, size, sampler)},
                        {1.0f - fraction, fraction}};

    return axis;
}

HELPER int axis_layer(image_descriptor image, float layer)
{
    return image_layer(image,
                       (int)__builtin_elementwise_roundeven(MIN(MAX(layer, 0.0f), FARTHEST)));
}

HELPER int axis_layer(image_descriptor image, int layer)
{
    return image_layer(image, layer);
}

/* ---- Nearest: the offset of the one element ---- */

#define NEAREST(scalar, vector2, vector4)                                                          \
    HELPER uint nearest_1D(image_descriptor image, sampler_word sampler, scalar c)                 \
    {                                                                                              \
        return image_offset(image, axis_nearest(c, image[IMAGE_WIDTH], sampler));                  \
    }                                                                                              \
                                                                                                   \
    HELPER uint nearest_1D_ARRAY(image_descriptor image, sampler_word sampler, vector2 c)          \
    {                                                                                              \
        return image_offset(image, axis_nearest(c.x, image[IMAGE_WIDTH], sampler), 0,              \
                            axis_layer(image, c.y), IMAGE_LAYERS);                                 \
    }                                                                                              \
                                                                                                   \
    HELPER uint nearest_2D(image_descriptor image, sampler_word sampler, vector2 c)                \
    {                                                                                              \
        return image_offset(image, axis_nearest(c.x, image[IMAGE_WIDTH], sampler),                 \
                            axis_nearest(c.y, image[IMAGE_HEIGHT], sampler));                      \
    }                                                                                              \
                                                                                                   \
    HELPER uint nearest_2D_ARRAY(image_descriptor image, sampler_word sampler, vector4 c)          \
    {                                                                                              \
        return image_offset(image, axis_nearest(c.x, image[IMAGE_WIDTH], sampler),                 \
                            axis_nearest(c.y, image[IMAGE_HEIGHT], sampler),                       \
                            axis_layer(image, c.z), IMAGE_LAYERS);                                 \
    }                                                                                              \
                                                                                                   \
    HELPER uint nearest_3D(image_descriptor image, sampler_word sampler, vector4 c)                \
    {                                                                                              \
        return image_offset(image, axis_nearest(c.x, image[IMAGE_WIDTH], sampler),                 \
                            axis_nearest(c.y, image[IMAGE_HEIGHT], sampler),                       \
                            axis_nearest(c.z, image[IMAGE_DEPTH], sampler), IMAGE_DEPTH);          \
    }

NEAREST(float, float2, float4)
NEAREST(int, int2, int4)

/* ---- Linear: the sum of 2, 4 or 8 elements with weights ---- */

#define SUM_2(PART) (PART(0) + PART(1))
#define SUM_4(PART) (SUM_2(PART) + PART(2) + PART(3))
#define SUM_8(PART) (SUM_4(PART) + PART(4) + PART(5) + PART(6) + PART(7))

HELPER float4 linear_row(image_descriptor image, struct axis x, int layer)
{
#define PART(i)                                                                                    \
    x.weight[i] * texel_load(image, image_offset(image, x.element[i], 0, layer, IMAGE_LAYERS))
    return SUM_2(PART);
#undef PART
}

HELPER float4 linear_rectangle(image_descriptor image, struct axis x, struct axis y, int layer)
{
#define PART(i)                                                                                    \
    x.weight[i & 1] * y.weight[i >> 1] *                                                           \
        texel_load(image,                                                                          \
                   image_offset(image, x.element[i & 1], y.element[i >> 1], layer, IMAGE_LAYERS))
    return SUM_4(PART);
#undef PART
}

HELPER float4 linear_box(image_descriptor image, struct axis x, struct axis y, struct axis z)
{
#define PART(i)                                                                                    \
    x.weight[i & 1] * y.weight[i >> 1 & 1] * z.weight[i >> 2] *                                    \
        texel_load(image, image_offset(image, x.element[i & 1], y.element[i >> 1 & 1],             \
                                       z.element[i >> 2], IMAGE_DEPTH))
    return SUM_8(PART);
#undef PART
}

#define AXIS(c, word) axis_linear(c, image[word], sampler)

HELPER float4 linear_1D(image_descriptor image, sampler_word sampler, float c)
{
    return linear_row(image, AXIS(c, IMAGE_WIDTH), 0);
}

HELPER float4 linear_1D_ARRAY(image_descriptor image, sampler_word sampler, float2 c)
{
    return linear_row(image, AXIS(c.x, IMAGE_WIDTH), axis_layer(image, c.y));
}

HELPER float4 linear_2D(image_descriptor image, sampler_word sampler, float2 c)
{
    return linear_rectangle(image, AXIS(c.x, IMAGE_WIDTH), AXIS(c.y, IMAGE_HEIGHT), 0);
}

HELPER float4 linear_2D_ARRAY(image_descriptor image, sampler_word sampler, float4 c)
{
    return linear_rectangle(image, AXIS(c.x, IMAGE_WIDTH), AXIS(c.y, IMAGE_HEIGHT),
                            axis_layer(image, c.z));
}

HELPER float4 linear_3D(image_descriptor image, sampler_word sampler, float4 c)
{
    return linear_box(image, AXIS(c.x, IMAGE_WIDTH), AXIS(c.y, IMAGE_HEIGHT),
                      AXIS(c.z, IMAGE_DEPTH));
}

#endif
