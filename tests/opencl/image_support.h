/* SPDX-License-Identifier: MIT */
/* Small images of every kind, for the tests of images. */
#ifndef IMAGE_SUPPORT_H
#define IMAGE_SUPPORT_H

#include "support.h"

enum { WIDTH = 7, HEIGHT = 5, DEPTH = 3, LAYERS = 4 };

static const cl_image_format bytes_4 = {CL_RGBA, CL_UNSIGNED_INT8};

static cl_image_desc describe(cl_mem_object_type type)
{
    cl_image_desc description = {.image_type = type, .image_width = WIDTH};

    if (type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
        type == CL_MEM_OBJECT_IMAGE3D)
        description.image_height = HEIGHT;
    if (type == CL_MEM_OBJECT_IMAGE3D)
        description.image_depth = DEPTH;
    if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
        description.image_array_size = LAYERS;
    return description;
}

static cl_mem make_image(cl_mem_object_type type, cl_mem_flags flags, void *host_pointer)
{
    cl_image_desc description = describe(type);
    cl_int status;
    cl_mem image = clCreateImage(context, flags, &bytes_4, &description, host_pointer, &status);

    assert_status(CL_SUCCESS);
    return image;
}

#endif
