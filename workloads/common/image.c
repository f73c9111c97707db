/* SPDX-License-Identifier: MIT */
/* Images and samplers of the example programs. */
#include <stdio.h>

#include "workload.h"

static cl_image_desc describe(const size_t sizes[3])
{
    return (cl_image_desc){.image_type =
                               sizes[2] > 0 ? CL_MEM_OBJECT_IMAGE3D : CL_MEM_OBJECT_IMAGE2D,
                           .image_width = sizes[0],
                           .image_height = sizes[1],
                           .image_depth = sizes[2]};
}

static void region_of(const size_t sizes[3], size_t region[3])
{
    region[0] = sizes[0];
    region[1] = sizes[1];
    region[2] = sizes[2] > 0 ? sizes[2] : 1;
}

cl_mem workload_own_image(struct workload *workload, cl_channel_order order, cl_channel_type type,
                          const size_t sizes[3], const void *initial)
{
    const cl_image_format format = {order, type};
    const cl_image_desc description = describe(sizes);
    const size_t origin[3] = {0, 0, 0};
    size_t region[3];
    cl_int status;
    cl_mem image =
        clCreateImage(workload->context, CL_MEM_READ_WRITE, &format, &description, NULL, &status);

    workload_check(status, "clCreateImage");
    workload_own_object(workload, image);
    region_of(sizes, region);
    if (initial != NULL)
        workload_check(clEnqueueWriteImage(workload->queue, image, CL_TRUE, origin, region, 0, 0,
                                           initial, 0, NULL, NULL),
                       "clEnqueueWriteImage");
    return image;
}

void workload_read_image(const struct workload *workload, cl_mem image, const size_t sizes[3],
                         void *elements)
{
    const size_t origin[3] = {0, 0, 0};
    size_t region[3];

    region_of(sizes, region);
    workload_check(clEnqueueReadImage(workload->queue, image, CL_TRUE, origin, region, 0, 0,
                                      elements, 0, NULL, NULL),
                   "clEnqueueReadImage");
}

cl_sampler workload_sampler(const struct workload *workload, bool is_normalized,
                            cl_addressing_mode addressing, cl_filter_mode filter)
{
    cl_int status;
    cl_sampler sampler =
        clCreateSampler(workload->context, is_normalized, addressing, filter, &status);

    workload_check(status, "clCreateSampler");
    return sampler;
}
