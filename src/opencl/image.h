/* SPDX-License-Identifier: MIT */
/*
 * Images and samplers. An image is a memory object whose elements lie row by row in device memory,
 * as the host would lay them out. The card's tiled layouts and its texture units are not modelled.
 * A kernel gets the address of a descriptor, which lies in device memory too; a sampler is a word.
 * What reads both is src/builtin/image*.cl.
 *
 * Source: Khronos, "The OpenCL Specification" 3.0 (unified), chapter 5.3 and 5.7.
 */
#ifndef OPENCL_IMAGE_H
#define OPENCL_IMAGE_H

#include "opencl/driver.h"
#include "opencl/rectangle.h"

enum {
    IMAGE_READ_ARGUMENTS = 128,
    IMAGE_WRITE_ARGUMENTS = 64,
    IMAGE_SAMPLERS = 16,
    IMAGE_WIDTH_MAX = 16384, /* and the height of 2D images */
    IMAGE_DEPTH_MAX = 2048,  /* of 3D images each size */
    IMAGE_LAYERS_MAX = 2048,
    IMAGE_BUFFER_MAX = 1 << 27,   /* elements */
    IMAGE_PITCH_MAX = 1 << 24,    /* bytes, and less */
    IMAGE_ELEMENT_BYTES_MAX = 16, /* every element's size is a power of two */
    IMAGE_COLOR_BYTES = 16
};

/* ---- Formats (image_format.c) ---- */

/* CL_SUCCESS, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR or CL_IMAGE_FORMAT_NOT_SUPPORTED. */
cl_int image_format_check(cl_mem_object_type image_type, const cl_image_format *format);
/* Bytes of an element of a supported format. */
uint32_t image_format_bytes(const cl_image_format *format);
/* Word 3 of a buffer descriptor, with which the card's formatted loads and stores convert. */
uint32_t image_format_word(const cl_image_format *format);
/* The element that write_imagef, write_imagei or write_imageui makes of a color, whichever goes
 * with the format: four floats, ints or uints. */
void image_format_pack(const cl_image_format *format, const void *color,
                       unsigned char element[static IMAGE_ELEMENT_BYTES_MAX]);

/* ---- Objects (image.c, image_check.c) ---- */

struct image {
    cl_mem_object_type type;
    cl_image_format format;
    uint32_t element_bytes;
    size_t width, height, depth, layers; /* 1 where the type has none */
    size_t row_pitch, slice_pitch;       /* bytes; slice: also of a layer */
    cl_mem buffer;                       /* used: what it was made from; NULL */
    uint64_t descriptor;                 /* its address on the device */
};

/* Fills in what description and format say, but for descriptor; says why they are wrong. */
cl_int image_describe(struct image *image, const cl_image_format *format,
                      const cl_image_desc *description, bool has_host_pointer);
/* From the first byte to the last. */
size_t image_bytes(const struct image *image);
/* Gives back what a memory object has as an image. */
void image_release(struct image *image);

/* Checks of an image argument of an enqueue call. */
cl_int image_check(cl_command_queue queue, cl_mem memory);
/* An origin and a region of a call: where that lies in the image, and its bytes, rows and slices.
 */
cl_int image_box(cl_mem memory, const size_t *origin, const size_t *region, struct box *box,
                 size_t bytes[static 3]);
static inline bool image_is_array(const struct image *image)
{
    return image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY || image->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

/* ---- Samplers (sampler.c) ---- */

struct _cl_sampler {
    struct object object;
    cl_context context;
    cl_bool is_normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
    cl_ulong *properties; /* as given, or NULL */
};

/* What a kernel gets: OpenCL C's CLK_ values. */
uint64_t sampler_word(const struct _cl_sampler *sampler);

#endif
