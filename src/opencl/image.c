/* SPDX-License-Identifier: MIT */
/*
 * Images as objects. What a kernel is given is the address of the descriptor, 32-bit words that
 * src/builtin/image.h reads too:
 *
 *     0     2      3       4              5          6      7       8      9       10
 *     |base |bytes |format |element shift |row pitch |width |height |depth |layers |slice pitch
 *     11     12
 *     |order |type
 *
 * Elements lie at base + x << element shift + y * row pitch + (z or layer) * slice pitch.
 */
#include "opencl/image.h"

#include <stdlib.h>

#include "base/bits.h"

enum { DESCRIPTOR_WORDS = 16, DESCRIPTOR_ALIGN_BYTES = 64 };

static unsigned shift_of(uint32_t power_of_two)
{
    return (unsigned)__builtin_ctz(power_of_two);
}

static void write_descriptor(const struct _cl_mem *memory)
{
    const struct image *image = memory->image;
    const uint32_t words[DESCRIPTOR_WORDS] = {
        (uint32_t)memory->addr,
        (uint32_t)(memory->addr >> 32),
        (uint32_t)memory->bytes,
        image_format_word(&image->format),
        shift_of(image->element_bytes),
        (uint32_t)image->row_pitch,
        (uint32_t)image->width,
        (uint32_t)image->height,
        (uint32_t)image->depth,
        (uint32_t)image->layers,
        (uint32_t)image->slice_pitch,
        image->format.image_channel_order,
        image->format.image_channel_data_type,
    };

    machine_write(session_machine(), image->descriptor, words, sizeof words, TRANSFER_UNTIMED);
}

void image_release(struct image *image)
{
    machine_free(session_machine(), image->descriptor);
    if (image->buffer != NULL)
        object_drop(&image->buffer->object);
    free(image);
}

/* ---- Making ---- */

struct image_request {
    cl_context context;
    cl_mem_flags flags;
    const cl_image_format *format;
    const cl_image_desc *description;
    void *host_pointer;
};

static cl_int check_bytes(const struct image *image)
{
    struct device_facts facts;

    if (!session_facts(&facts))
        return CL_OUT_OF_RESOURCES;
    if (image_bytes(image) <= device_max_allocation(&facts) && image_bytes(image) <= INT32_MAX)
        return CL_SUCCESS;
    return refusal(CL_MEM_OBJECT_ALLOCATION_FAILURE, NULL,
                   "an image of %zu bytes; it has at most %llu (CL_DEVICE_MAX_MEM_ALLOC_SIZE) and "
                   "less than 2 GB",
                   image_bytes(image), (unsigned long long)device_max_allocation(&facts));
}

static cl_int check_request(const struct image_request *request, struct image *image)
{
    cl_int status;

    if (!object_is(request->context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    status = memory_check_flags(request->flags);
    if (status == CL_SUCCESS)
        status = image_describe(image, request->format, request->description,
                                request->host_pointer != NULL);
    if (status != CL_SUCCESS)
        return status;
    if (image->buffer == NULL)
        return memory_check_host_pointer(request->flags, request->host_pointer);
    if (image->buffer->context != request->context)
        return refusal(CL_INVALID_CONTEXT, NULL, "buffer and image are of different contexts");
    if (request->host_pointer != NULL)
        return refusal(CL_INVALID_HOST_PTR, NULL, "an image on a buffer has no host_ptr");
    return memory_check_window_flags(image->buffer, request->flags);
}

static cl_int image_make(const struct image_request *request, cl_mem *place)
{
    struct machine *machine = session_machine();
    struct image *image = allocate(1, sizeof *image);
    cl_int status = check_request(request, image);

    if (status == CL_SUCCESS)
        status = check_bytes(image);
    if (status == CL_SUCCESS) {
        image->descriptor = machine_allocate(machine, DESCRIPTOR_WORDS * sizeof(uint32_t),
                                             DESCRIPTOR_ALIGN_BYTES, "image descriptor");
        status = image->descriptor != 0 ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE;
    }
    if (status == CL_SUCCESS && image->buffer == NULL)
        status = memory_create(request->context, request->flags, image_bytes(image),
                               request->host_pointer, "image", place);
    else if (status == CL_SUCCESS)
        *place = memory_window(image->buffer, request->flags, 0, image_bytes(image));
    if (status != CL_SUCCESS) {
        if (image->descriptor != 0)
            machine_free(machine, image->descriptor);
        free(image);
        return status;
    }
    if (image->buffer != NULL)
        object_use(&image->buffer->object);
    (*place)->image = image;
    write_descriptor(*place);
    return CL_SUCCESS;
}

cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags,
                                 const cl_image_format *format, const cl_image_desc *description,
                                 void *host_pointer, cl_int *status_place)
{
    struct image_request request = {context, flags, format, description, host_pointer};
    cl_mem memory = NULL;
    cl_int status;

    driver_enter();
    status = image_make(&request, &memory);
    return driver_return_object(status_place, status, memory);
}

cl_mem CL_API_CALL clCreateImageWithProperties(cl_context context,
                                               const cl_mem_properties *properties,
                                               cl_mem_flags flags, const cl_image_format *format,
                                               const cl_image_desc *description, void *host_pointer,
                                               cl_int *status_place)
{
    struct image_request request = {context, flags, format, description, host_pointer};
    cl_mem memory = NULL;
    cl_int status;

    driver_enter();
    if (object_is(context, OBJECT_CONTEXT) && properties != NULL && properties[0] != 0)
        status = CL_INVALID_PROPERTY; /* none is defined for images */
    else
        status = image_make(&request, &memory);
    if (status == CL_SUCCESS)
        memory->properties = properties_copy(properties);
    return driver_return_object(status_place, status, memory);
}

/* ---- As OpenCL 1.1 had it: what is wrong with sizes and pitches is the size's fault ---- */

static cl_int make_old(struct image_request *request, const cl_image_desc *description,
                       cl_mem *place)
{
    cl_int status;

    request->description = description;
    status = image_make(request, place);
    return status == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : status;
}

cl_mem CL_API_CALL clCreateImage2D(cl_context context, cl_mem_flags flags,
                                   const cl_image_format *format, size_t width, size_t height,
                                   size_t row_pitch, void *host_pointer, cl_int *status_place)
{
    struct image_request request = {context, flags, format, NULL, host_pointer};
    cl_image_desc description = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                 .image_width = width,
                                 .image_height = height,
                                 .image_row_pitch = row_pitch};
    cl_mem memory = NULL;
    cl_int status;

    driver_enter();
    status = make_old(&request, &description, &memory);
    return driver_return_object(status_place, status, memory);
}

cl_mem CL_API_CALL clCreateImage3D(cl_context context, cl_mem_flags flags,
                                   const cl_image_format *format, size_t width, size_t height,
                                   size_t depth, size_t row_pitch, size_t slice_pitch,
                                   void *host_pointer, cl_int *status_place)
{
    struct image_request request = {context, flags, format, NULL, host_pointer};
    cl_image_desc description = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                 .image_width = width,
                                 .image_height = height,
                                 .image_depth = depth,
                                 .image_row_pitch = row_pitch,
                                 .image_slice_pitch = slice_pitch};
    cl_mem memory = NULL;
    cl_int status;

    driver_enter();
    status = make_old(&request, &description, &memory);
    return driver_return_object(status_place, status, memory);
}

/* ---- Queries ---- */

/* A size that the image's type has not is 0. */
static cl_int image_info(const struct image *image, cl_image_info name, const struct query *query)
{
    bool is_3d = image->type == CL_MEM_OBJECT_IMAGE3D, is_array = image_is_array(image);
    bool is_flat =
        image->type == CL_MEM_OBJECT_IMAGE2D || image->type == CL_MEM_OBJECT_IMAGE2D_ARRAY || is_3d;

    switch (name) {
    case CL_IMAGE_FORMAT:
        return answer_bytes(query, &image->format, sizeof image->format);
    case CL_IMAGE_ELEMENT_SIZE:
        return answer_size(query, image->element_bytes);
    case CL_IMAGE_ROW_PITCH:
        return answer_size(query, image->row_pitch);
    case CL_IMAGE_SLICE_PITCH:
        return answer_size(query, is_3d || is_array ? image->slice_pitch : 0);
    case CL_IMAGE_WIDTH:
        return answer_size(query, image->width);
    case CL_IMAGE_HEIGHT:
        return answer_size(query, is_flat ? image->height : 0);
    case CL_IMAGE_DEPTH:
        return answer_size(query, is_3d ? image->depth : 0);
    case CL_IMAGE_ARRAY_SIZE:
        return answer_size(query, is_array ? image->layers : 0);
    case CL_IMAGE_BUFFER:
        return answer_pointer(query, image->buffer);
    case CL_IMAGE_NUM_MIP_LEVELS:
    case CL_IMAGE_NUM_SAMPLES:
        return answer_uint(query, 0);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clGetImageInfo(cl_mem memory, cl_image_info name, size_t size, void *value,
                                  size_t *size_return)
{
    struct query query = {size, value, size_return};
    cl_int status = CL_INVALID_MEM_OBJECT;

    driver_enter();
    if (object_is(memory, OBJECT_MEMORY) && memory->image != NULL)
        status = image_info(memory->image, name, &query);
    return driver_return(status);
}
