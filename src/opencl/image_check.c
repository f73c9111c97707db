/* SPDX-License-Identifier: MIT */
/* Whether what a program says of an image makes sense. */
#include "base/bits.h"
#include "opencl/image.h"

/* Which sizes of the description a type has, and how large they may be; 0: it has none. */
static const struct image_shape {
    cl_mem_object_type type;
    size_t width, height, depth, layers;
} shapes[] = {
    {CL_MEM_OBJECT_IMAGE1D, IMAGE_WIDTH_MAX, 0, 0, 0},
    {CL_MEM_OBJECT_IMAGE1D_BUFFER, IMAGE_BUFFER_MAX, 0, 0, 0},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, IMAGE_WIDTH_MAX, 0, 0, IMAGE_LAYERS_MAX},
    {CL_MEM_OBJECT_IMAGE2D, IMAGE_WIDTH_MAX, IMAGE_WIDTH_MAX, 0, 0},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, IMAGE_WIDTH_MAX, IMAGE_WIDTH_MAX, 0, IMAGE_LAYERS_MAX},
    {CL_MEM_OBJECT_IMAGE3D, IMAGE_DEPTH_MAX, IMAGE_DEPTH_MAX, IMAGE_DEPTH_MAX, 0},
};

static const struct image_shape *find_shape(cl_mem_object_type type)
{
    for (size_t i = 0; i < ARRAY_COUNT(shapes); i++)
        if (shapes[i].type == type)
            return &shapes[i];
    return NULL;
}

static cl_int take_size(size_t *place, const char *what, size_t size, size_t max)
{
    *place = max == 0 ? 1 : size;
    if (max == 0 || (size > 0 && size <= max))
        return CL_SUCCESS;
    return refusal(size == 0 ? CL_INVALID_IMAGE_DESCRIPTOR : CL_INVALID_IMAGE_SIZE, NULL,
                   "the image's %s is %zu; it may be 1 to %zu", what, size, max);
}

static cl_int take_sizes(struct image *image, const struct image_shape *shape,
                         const cl_image_desc *description)
{
    cl_int status = take_size(&image->width, "width", description->image_width, shape->width);

    if (status == CL_SUCCESS)
        status = take_size(&image->height, "height", description->image_height, shape->height);
    if (status == CL_SUCCESS)
        status = take_size(&image->depth, "depth", description->image_depth, shape->depth);
    if (status == CL_SUCCESS)
        status =
            take_size(&image->layers, "array size", description->image_array_size, shape->layers);
    return status;
}

/* A pitch is the program's only with memory of its own, and then it may leave it open. */
static cl_int take_pitches(struct image *image, const cl_image_desc *description, bool has_memory)
{
    size_t row = image->width * image->element_bytes, slice;
    bool has_slices = image->type == CL_MEM_OBJECT_IMAGE3D || image_is_array(image);

    if (!has_memory && (description->image_row_pitch != 0 || description->image_slice_pitch != 0))
        return refusal(CL_INVALID_IMAGE_DESCRIPTOR, NULL,
                       "an image without memory of the host's takes no pitches: they are 0");
    image->row_pitch = description->image_row_pitch != 0 ? description->image_row_pitch : row;
    if (image->row_pitch < row || image->row_pitch % image->element_bytes != 0 ||
        image->row_pitch >= IMAGE_PITCH_MAX)
        if (image->type != CL_MEM_OBJECT_IMAGE1D_BUFFER)
            return refusal(CL_INVALID_IMAGE_DESCRIPTOR, NULL,
                           "a row pitch of %zu bytes for rows of %zu; it is at least that, a "
                           "multiple of the element's %u bytes, and less than %d",
                           image->row_pitch, row, image->element_bytes, IMAGE_PITCH_MAX);
    slice = image->row_pitch * image->height;
    image->slice_pitch =
        has_slices && description->image_slice_pitch != 0 ? description->image_slice_pitch : slice;
    if (image->slice_pitch < slice || image->slice_pitch % image->row_pitch != 0 ||
        description->image_slice_pitch > UINT32_MAX)
        return refusal(CL_INVALID_IMAGE_DESCRIPTOR, NULL,
                       "a slice pitch of %zu bytes for slices of %zu; it is at least that, a "
                       "multiple of the row pitch, and less than 4 GB",
                       image->slice_pitch, slice);
    return CL_SUCCESS;
}

static cl_int check_buffer(const struct image *image, cl_mem buffer)
{
    bool may_have =
        image->type == CL_MEM_OBJECT_IMAGE1D_BUFFER || image->type == CL_MEM_OBJECT_IMAGE2D;

    if (buffer == NULL && image->type != CL_MEM_OBJECT_IMAGE1D_BUFFER)
        return CL_SUCCESS;
    if (!may_have || !object_is(buffer, OBJECT_MEMORY) || buffer->image != NULL)
        return refusal(CL_INVALID_IMAGE_DESCRIPTOR, NULL,
                       "1D images from a buffer and 2D images take a buffer, no image, and other "
                       "images none");
    return CL_SUCCESS;
}

cl_int image_describe(struct image *image, const cl_image_format *format,
                      const cl_image_desc *description, bool has_host_pointer)
{
    const struct image_shape *shape;
    cl_int status = image_format_check(description != NULL ? description->image_type : 0, format);

    if (status != CL_SUCCESS)
        return status;
    shape = description != NULL ? find_shape(description->image_type) : NULL;
    if (shape == NULL || description->num_mip_levels != 0 || description->num_samples != 0)
        return refusal(CL_INVALID_IMAGE_DESCRIPTOR, NULL,
                       "the description is NULL, its type is none of images, or it has mip levels "
                       "or samples");
    image->type = shape->type;
    image->format = *format;
    image->element_bytes = image_format_bytes(format);
    image->buffer = description->mem_object;
    status = check_buffer(image, image->buffer);
    if (status == CL_SUCCESS)
        status = take_sizes(image, shape, description);
    if (status == CL_SUCCESS)
        status = take_pitches(image, description, has_host_pointer || image->buffer != NULL);
    if (status != CL_SUCCESS || image->buffer == NULL || image_bytes(image) <= image->buffer->bytes)
        return status;
    return refusal(CL_INVALID_IMAGE_SIZE, NULL, "an image of %zu bytes on a buffer of %zu",
                   image_bytes(image), image->buffer->bytes);
}

size_t image_bytes(const struct image *image)
{
    return image->slice_pitch * image->depth * image->layers;
}

cl_int image_check(cl_command_queue queue, cl_mem memory)
{
    if (!object_is(memory, OBJECT_MEMORY) || memory->image == NULL)
        return refusal(CL_INVALID_MEM_OBJECT, NULL, "the image is none, or was released");
    if (memory->context != queue->context)
        return refusal(CL_INVALID_CONTEXT, NULL, "image and queue are of different contexts");
    return CL_SUCCESS;
}

cl_int image_box(cl_mem memory, const size_t *origin, const size_t *region, struct box *box,
                 size_t bytes[static 3])
{
    const struct image *image = memory->image;
    bool is_1d_array = image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    const size_t sizes[3] = {image->width, is_1d_array ? image->layers : image->height,
                             is_1d_array ? 1 : image->depth * image->layers};

    if (origin == NULL || region == NULL)
        return refusal(CL_INVALID_VALUE, NULL, "origin or region is NULL");
    for (unsigned axis = 0; axis < 3; axis++)
        if (region[axis] == 0 || origin[axis] > sizes[axis] ||
            region[axis] > sizes[axis] - origin[axis])
            return refusal(
                CL_INVALID_VALUE, NULL,
                "a region of (%zu, %zu, %zu) at (%zu, %zu, %zu) is empty or ends outside "
                "the image of (%zu, %zu, %zu)",
                region[0], region[1], region[2], origin[0], origin[1], origin[2], sizes[0],
                sizes[1], sizes[2]);
    *box = (struct box){{origin[0] * image->element_bytes, is_1d_array ? 0 : origin[1],
                         is_1d_array ? origin[1] : origin[2]},
                        image->row_pitch,
                        image->slice_pitch};
    bytes[0] = region[0] * image->element_bytes;
    bytes[1] = is_1d_array ? 1 : region[1];
    bytes[2] = is_1d_array ? region[1] : region[2];
    return CL_SUCCESS;
}
