/* SPDX-License-Identifier: MIT */
/* What a kernel may ask about an image (OpenCL C 6.15.15.8). */
#include "builtin/image.h"

#define ASK(name, result, access, type, word)                                                      \
    INLINE result name(access type image)                                                          \
    {                                                                                              \
        return DESCRIPTOR(image)[word];                                                            \
    }

#define ASK_ALL(access, type)                                                                      \
    ASK(get_image_width, int, access, type, IMAGE_WIDTH)                                           \
    ASK(get_image_channel_data_type, int, access, type, IMAGE_TYPE)                                \
    ASK(get_image_channel_order, int, access, type, IMAGE_ORDER)

#define ASK_FLAT(access, type)                                                                     \
    ASK(get_image_height, int, access, type, IMAGE_HEIGHT)                                         \
    INLINE int2 get_image_dim(access type image)                                                   \
    {                                                                                              \
        return (int2)(DESCRIPTOR(image)[IMAGE_WIDTH], DESCRIPTOR(image)[IMAGE_HEIGHT]);            \
    }

#define ASK_SOLID(access)                                                                          \
    ASK(get_image_height, int, access, image3d_t, IMAGE_HEIGHT)                                    \
    ASK(get_image_depth, int, access, image3d_t, IMAGE_DEPTH)                                      \
    INLINE int4 get_image_dim(access image3d_t image)                                              \
    {                                                                                              \
        return (int4)(DESCRIPTOR(image)[IMAGE_WIDTH], DESCRIPTOR(image)[IMAGE_HEIGHT],             \
                      DESCRIPTOR(image)[IMAGE_DEPTH], 0);                                          \
    }

#define ASK_DEPTH(access, type) ASK_ALL(access, type) ASK_FLAT(access, type)

#define ASK_ACCESS(access)                                                                         \
    ASK_ALL(access, image1d_t)                                                                     \
    ASK_ALL(access, image1d_buffer_t)                                                              \
    ASK_ALL(access, image1d_array_t)                                                               \
    ASK_ALL(access, image2d_t)                                                                     \
    ASK_ALL(access, image2d_array_t)                                                               \
    ASK_ALL(access, image3d_t)                                                                     \
    ASK_FLAT(access, image2d_t)                                                                    \
    ASK_FLAT(access, image2d_array_t)                                                              \
    ASK_DEPTH(access, image2d_depth_t)                                                             \
    ASK_DEPTH(access, image2d_array_depth_t)                                                       \
    ASK(get_image_array_size, size_t, access, image2d_array_depth_t, IMAGE_LAYERS)                 \
    ASK_SOLID(access)                                                                              \
    ASK(get_image_array_size, size_t, access, image1d_array_t, IMAGE_LAYERS)                       \
    ASK(get_image_array_size, size_t, access, image2d_array_t, IMAGE_LAYERS)

ASK_ACCESS(read_only)
ASK_ACCESS(write_only)
ASK_ACCESS(read_write)
