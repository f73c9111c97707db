/* SPDX-License-Identifier: MIT */
/* Images and samplers: not modelled. The device says so (CL_DEVICE_IMAGE_SUPPORT), and the calls
 * answer as the specification has it then. */
#include "opencl/driver.h"

static const char no_images[] = "images are not modelled (CL_DEVICE_IMAGE_SUPPORT is false)";
static const char no_samplers[] = "samplers are not modelled (CL_DEVICE_IMAGE_SUPPORT is false)";

cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags,
                                 const cl_image_format *format, const cl_image_desc *description,
                                 void *host_pointer, cl_int *status_place)
{
    return refuse_in_context(__func__, context, no_images, CL_INVALID_OPERATION, status_place);
}

cl_mem CL_API_CALL clCreateImageWithProperties(cl_context context,
                                               const cl_mem_properties *properties,
                                               cl_mem_flags flags, const cl_image_format *format,
                                               const cl_image_desc *description, void *host_pointer,
                                               cl_int *status_place)
{
    return refuse_in_context(__func__, context, no_images, CL_INVALID_OPERATION, status_place);
}

cl_mem CL_API_CALL clCreateImage2D(cl_context context, cl_mem_flags flags,
                                   const cl_image_format *format, size_t image_width,
                                   size_t image_height, size_t image_row_pitch, void *host_pointer,
                                   cl_int *status_place)
{
    return refuse_in_context(__func__, context, no_images, CL_INVALID_OPERATION, status_place);
}

cl_mem CL_API_CALL clCreateImage3D(cl_context context, cl_mem_flags flags,
                                   const cl_image_format *format, size_t image_width,
                                   size_t image_height, size_t image_depth, size_t image_row_pitch,
                                   size_t image_slice_pitch, void *host_pointer,
                                   cl_int *status_place)
{
    return refuse_in_context(__func__, context, no_images, CL_INVALID_OPERATION, status_place);
}

cl_int CL_API_CALL clGetImageInfo(cl_mem image, cl_image_info name, size_t size, void *value,
                                  size_t *size_return)
{
    return refuse(__func__, no_images, CL_INVALID_MEM_OBJECT);
}

cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool is_blocking,
                                      const size_t *origin, const size_t *region, size_t row_pitch,
                                      size_t slice_pitch, void *pointer, cl_uint count,
                                      const cl_event *events, cl_event *event)
{
    return refuse_in_queue(__func__, queue, no_images, CL_INVALID_OPERATION);
}

cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool is_blocking,
                                       const size_t *origin, const size_t *region,
                                       size_t input_row_pitch, size_t input_slice_pitch,
                                       const void *pointer, cl_uint count, const cl_event *events,
                                       cl_event *event)
{
    return refuse_in_queue(__func__, queue, no_images, CL_INVALID_OPERATION);
}

cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *fill_color,
                                      const size_t *origin, const size_t *region, cl_uint count,
                                      const cl_event *events, cl_event *event)
{
    return refuse_in_queue(__func__, queue, no_images, CL_INVALID_OPERATION);
}

cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue queue, cl_mem source, cl_mem target,
                                      const size_t *source_origin, const size_t *target_origin,
                                      const size_t *region, cl_uint count, const cl_event *events,
                                      cl_event *event)
{
    return refuse_in_queue(__func__, queue, no_images, CL_INVALID_OPERATION);
}

cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem source, cl_mem target,
                                              const size_t *source_origin, const size_t *region,
                                              size_t target_offset, cl_uint count,
                                              const cl_event *events, cl_event *event)
{
    return refuse_in_queue(__func__, queue, no_images, CL_INVALID_OPERATION);
}

cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem source, cl_mem target,
                                              size_t source_offset, const size_t *target_origin,
                                              const size_t *region, cl_uint count,
                                              const cl_event *events, cl_event *event)
{
    return refuse_in_queue(__func__, queue, no_images, CL_INVALID_OPERATION);
}

void *CL_API_CALL clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool is_blocking,
                                    cl_map_flags map_flags, const size_t *origin,
                                    const size_t *region, size_t *image_row_pitch,
                                    size_t *image_slice_pitch, cl_uint count,
                                    const cl_event *events, cl_event *event, cl_int *status_place)
{
    cl_int status = refuse_in_queue(__func__, queue, no_images, CL_INVALID_OPERATION);

    if (status_place != NULL)
        *status_place = status;
    return NULL;
}

/* There are none, which is an answer. */
cl_int CL_API_CALL clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                                              cl_mem_object_type image_type, cl_uint capacity,
                                              cl_image_format *image_formats,
                                              cl_uint *num_image_formats)
{
    if (!object_is_live(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (image_type < CL_MEM_OBJECT_IMAGE2D || image_type > CL_MEM_OBJECT_IMAGE1D_BUFFER ||
        (capacity == 0 && image_formats != NULL))
        return CL_INVALID_VALUE;
    if (num_image_formats != NULL)
        *num_image_formats = 0;
    return CL_SUCCESS;
}

cl_sampler CL_API_CALL clCreateSampler(cl_context context, cl_bool normalized_coords,
                                       cl_addressing_mode addressing_mode,
                                       cl_filter_mode filter_mode, cl_int *status_place)
{
    return refuse_in_context(__func__, context, no_samplers, CL_INVALID_OPERATION, status_place);
}

cl_sampler CL_API_CALL clCreateSamplerWithProperties(
    cl_context context, const cl_sampler_properties *sampler_properties, cl_int *status_place)
{
    return refuse_in_context(__func__, context, no_samplers, CL_INVALID_OPERATION, status_place);
}

cl_int CL_API_CALL clRetainSampler(cl_sampler sampler)
{
    return refuse(__func__, no_samplers, CL_INVALID_SAMPLER);
}

cl_int CL_API_CALL clReleaseSampler(cl_sampler sampler)
{
    return refuse(__func__, no_samplers, CL_INVALID_SAMPLER);
}

cl_int CL_API_CALL clGetSamplerInfo(cl_sampler sampler, cl_sampler_info name, size_t size,
                                    void *value, size_t *size_return)
{
    return refuse(__func__, no_samplers, CL_INVALID_SAMPLER);
}
