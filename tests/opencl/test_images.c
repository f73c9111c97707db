/* SPDX-License-Identifier: MIT */
/* Images and samplers as objects: what may be made, and what they say of themselves. What
 * kernels see of them is tests/builtin/image_program.py's. */
#include "image_support.h"

static cl_int status_of(cl_mem_flags flags, const cl_image_format *format,
                        const cl_image_desc *description, void *host_pointer)
{
    cl_int status = 1;
    cl_mem image = clCreateImage(context, flags, format, description, host_pointer, &status);

    assert_true((image != NULL) == (status == CL_SUCCESS));
    if (image != NULL)
        clReleaseMemObject(image);
    return status;
}

static size_t size_of(cl_mem image, cl_image_info name)
{
    size_t value = 77, size;

    assert_success(clGetImageInfo(image, name, sizeof value, &value, &size));
    assert_int_equal(size, sizeof value);
    return value;
}

/* The least that a full profile may have ("OpenCL 3.0", table of device queries). */
static void images_are_as_large_as_they_must_be(void **state)
{
    static const struct {
        cl_device_info name;
        cl_ulong min;
    } images[] = {
        {CL_DEVICE_IMAGE_SUPPORT, CL_TRUE},          {CL_DEVICE_MAX_READ_IMAGE_ARGS, 128},
        {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 64},        {CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 64},
        {CL_DEVICE_IMAGE2D_MAX_WIDTH, 16384},        {CL_DEVICE_IMAGE2D_MAX_HEIGHT, 16384},
        {CL_DEVICE_IMAGE3D_MAX_WIDTH, 2048},         {CL_DEVICE_IMAGE3D_MAX_HEIGHT, 2048},
        {CL_DEVICE_IMAGE3D_MAX_DEPTH, 2048},         {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 65536},
        {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 2048},      {CL_DEVICE_IMAGE_PITCH_ALIGNMENT, 1},
        {CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, 1}, {CL_DEVICE_MAX_SAMPLERS, 16}};

    for (size_t i = 0; i < sizeof images / sizeof images[0]; i++) {
        cl_ulong value = 0; /* some are 32 bits long */

        assert_success(clGetDeviceInfo(device, images[i].name, sizeof value, &value, NULL));
        assert_true(value >= images[i].min);
    }
}

/* ---- Formats ---- */

/* "The OpenCL Specification" 3.0, 5.3.2.1: the least for versions 1.2 and 3.0. */
static void formats_that_must_be_there_are(void **state)
{
    static const cl_channel_type types[] = {
        CL_UNORM_INT8,    CL_UNORM_INT16,    CL_SIGNED_INT8,    CL_SIGNED_INT16, CL_SIGNED_INT32,
        CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT,   CL_FLOAT};
    static const cl_mem_flags uses[] = {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE,
                                        CL_MEM_KERNEL_READ_AND_WRITE};
    cl_image_format formats[128];

    for (cl_mem_object_type type = CL_MEM_OBJECT_IMAGE2D; type <= CL_MEM_OBJECT_IMAGE1D_BUFFER;
         type++)
        for (size_t use = 0; use < 4; use++) {
            cl_uint count = 0;
            unsigned rgba = 0, red = 0, bgra = 0;

            assert_success(
                clGetSupportedImageFormats(context, uses[use], type, 128, formats, &count));
            assert_in_range(count, 1, 128);
            for (cl_uint i = 0; i < count; i++)
                for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
                    bool is_type = formats[i].image_channel_data_type == types[t];

                    rgba += is_type && formats[i].image_channel_order == CL_RGBA;
                    red += is_type && formats[i].image_channel_order == CL_R;
                    bgra += is_type && types[t] == CL_UNORM_INT8 &&
                            formats[i].image_channel_order == CL_BGRA;
                }
            assert_int_equal(rgba, 10);
            assert_int_equal(red, 10);
            assert_int_equal(bgra, 1);
        }
    assert_int_equal(clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_BUFFER, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(
        clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_IMAGE2D, 0, formats, NULL),
        CL_INVALID_VALUE);
    assert_int_equal(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
                                                CL_MEM_OBJECT_IMAGE2D, 0, NULL, NULL),
                     CL_INVALID_VALUE);
}

static void every_format_that_is_listed_can_be_had(void **state)
{
    cl_image_format formats[128];
    cl_uint count;

    for (cl_mem_object_type type = CL_MEM_OBJECT_IMAGE2D; type <= CL_MEM_OBJECT_IMAGE1D_ARRAY;
         type++) {
        cl_image_desc description = describe(type);

        assert_success(
            clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, type, 128, formats, &count));
        for (cl_uint i = 0; i < count; i++)
            assert_success(status_of(0, &formats[i], &description, NULL));
    }
}

static void formats_are_checked(void **state)
{
    cl_image_desc flat = describe(CL_MEM_OBJECT_IMAGE2D), line = describe(CL_MEM_OBJECT_IMAGE1D);
    const cl_image_format no_type = {CL_RGBA, 0x1234}, no_order = {7, CL_FLOAT},
                          gray_int = {CL_INTENSITY, CL_SIGNED_INT8},
                          wide_bgra = {CL_BGRA, CL_FLOAT}, rgb = {CL_RGB, CL_UNORM_INT8},
                          packed = {CL_RGB, CL_UNORM_SHORT_565}, srgb = {CL_sRGBA, CL_UNORM_INT8},
                          depth = {CL_DEPTH, CL_FLOAT};

    assert_int_equal(status_of(0, NULL, &flat, NULL), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    assert_int_equal(status_of(0, &no_type, &flat, NULL), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    assert_int_equal(status_of(0, &no_order, &flat, NULL), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    assert_int_equal(status_of(0, &gray_int, &flat, NULL), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    assert_int_equal(status_of(0, &wide_bgra, &flat, NULL), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    assert_int_equal(status_of(0, &rgb, &flat, NULL), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    assert_int_equal(status_of(0, &packed, &flat, NULL), CL_IMAGE_FORMAT_NOT_SUPPORTED);
    assert_int_equal(status_of(0, &srgb, &flat, NULL), CL_IMAGE_FORMAT_NOT_SUPPORTED);
    assert_int_equal(status_of(0, &depth, &line, NULL), CL_IMAGE_FORMAT_NOT_SUPPORTED);
    assert_success(status_of(0, &depth, &flat, NULL));
}

/* ---- Making ---- */

static void descriptions_are_checked(void **state)
{
    cl_image_desc bad = describe(CL_MEM_OBJECT_IMAGE2D);
    unsigned char memory[4096] = {0};

    assert_int_equal(status_of(0, &bytes_4, NULL, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    bad.image_type = CL_MEM_OBJECT_BUFFER;
    assert_int_equal(status_of(0, &bytes_4, &bad, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    bad = describe(CL_MEM_OBJECT_IMAGE2D);
    bad.image_height = 0;
    assert_int_equal(status_of(0, &bytes_4, &bad, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    bad.image_height = 16385;
    assert_int_equal(status_of(0, &bytes_4, &bad, NULL), CL_INVALID_IMAGE_SIZE);
    bad = describe(CL_MEM_OBJECT_IMAGE3D);
    bad.image_depth = 2049;
    assert_int_equal(status_of(0, &bytes_4, &bad, NULL), CL_INVALID_IMAGE_SIZE);
    bad = describe(CL_MEM_OBJECT_IMAGE2D);
    bad.num_mip_levels = 2;
    assert_int_equal(status_of(0, &bytes_4, &bad, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    bad = describe(CL_MEM_OBJECT_IMAGE2D);
    bad.image_row_pitch = 32; /* without memory */
    assert_int_equal(status_of(0, &bytes_4, &bad, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    assert_success(status_of(CL_MEM_COPY_HOST_PTR, &bytes_4, &bad, memory));
    bad.image_row_pitch = 24; /* less than a row */
    assert_int_equal(status_of(CL_MEM_COPY_HOST_PTR, &bytes_4, &bad, memory),
                     CL_INVALID_IMAGE_DESCRIPTOR);
    bad.image_row_pitch = 30; /* no multiple of an element */
    assert_int_equal(status_of(CL_MEM_COPY_HOST_PTR, &bytes_4, &bad, memory),
                     CL_INVALID_IMAGE_DESCRIPTOR);
    bad = describe(CL_MEM_OBJECT_IMAGE3D);
    bad.image_slice_pitch = HEIGHT * WIDTH * 4 - 28;
    assert_int_equal(status_of(CL_MEM_USE_HOST_PTR, &bytes_4, &bad, memory),
                     CL_INVALID_IMAGE_DESCRIPTOR);
    bad = describe(CL_MEM_OBJECT_IMAGE1D_BUFFER);
    assert_int_equal(status_of(0, &bytes_4, &bad, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
}

static void flags_and_pointers_are_checked(void **state)
{
    cl_image_desc description = describe(CL_MEM_OBJECT_IMAGE2D);
    unsigned char memory[WIDTH * HEIGHT * 4] = {0};
    cl_int status;

    assert_int_equal(status_of(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &bytes_4, &description, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(status_of(0, &bytes_4, &description, memory), CL_INVALID_HOST_PTR);
    assert_int_equal(status_of(CL_MEM_COPY_HOST_PTR, &bytes_4, &description, NULL),
                     CL_INVALID_HOST_PTR);
    description.image_width = description.image_height = 16384;
    assert_int_equal(status_of(0, &(cl_image_format){CL_RGBA, CL_FLOAT}, &description, NULL),
                     CL_MEM_OBJECT_ALLOCATION_FAILURE);
    assert_null(clCreateImage2D(context, 0, &bytes_4, 0, 4, 0, NULL, &status));
    assert_status(CL_INVALID_IMAGE_SIZE);
    assert_null(clCreateImage3D(context, 0, &bytes_4, 4, 4, 0, 0, 0, NULL, &status));
    assert_status(CL_INVALID_IMAGE_SIZE);
}

static void an_image_knows_itself(void **state)
{
    static const struct {
        cl_mem_object_type type;
        size_t height, depth, layers, slice;
    } kinds[] = {{CL_MEM_OBJECT_IMAGE1D, 0, 0, 0, 0},
                 {CL_MEM_OBJECT_IMAGE1D_ARRAY, 0, 0, LAYERS, WIDTH * 4},
                 {CL_MEM_OBJECT_IMAGE2D, HEIGHT, 0, 0, 0},
                 {CL_MEM_OBJECT_IMAGE2D_ARRAY, HEIGHT, 0, LAYERS, WIDTH * HEIGHT * 4},
                 {CL_MEM_OBJECT_IMAGE3D, HEIGHT, DEPTH, 0, WIDTH * HEIGHT * 4}};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        cl_mem image = make_image(kinds[i].type, CL_MEM_READ_ONLY, NULL);
        cl_mem_object_type type;
        cl_image_format format;
        size_t size;

        assert_success(clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof type, &type, NULL));
        assert_int_equal(type, kinds[i].type);
        assert_success(clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof format, &format, &size));
        assert_int_equal(format.image_channel_order, CL_RGBA);
        assert_int_equal(format.image_channel_data_type, CL_UNSIGNED_INT8);
        assert_int_equal(size_of(image, CL_IMAGE_ELEMENT_SIZE), 4);
        assert_int_equal(size_of(image, CL_IMAGE_WIDTH), WIDTH);
        assert_int_equal(size_of(image, CL_IMAGE_HEIGHT), kinds[i].height);
        assert_int_equal(size_of(image, CL_IMAGE_DEPTH), kinds[i].depth);
        assert_int_equal(size_of(image, CL_IMAGE_ARRAY_SIZE), kinds[i].layers);
        assert_int_equal(size_of(image, CL_IMAGE_ROW_PITCH), WIDTH * 4);
        assert_int_equal(size_of(image, CL_IMAGE_SLICE_PITCH), kinds[i].slice);
        clReleaseMemObject(image);
    }
}

/* ---- On buffers ---- */

static void images_are_windows_on_buffers(void **state)
{
    int values[64], element;
    cl_buffer_region part = {0, 256};
    cl_mem buffer, window, line, flat, associated;
    cl_image_desc description = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 64};
    const cl_uint color[4] = {77};
    const cl_image_format words = {CL_R, CL_SIGNED_INT32};
    const size_t last[3] = {63, 0, 0}, one[3] = {1, 1, 1}, corner[3] = {2, 3, 0};
    cl_int status;

    for (int i = 0; i < 64; i++)
        values[i] = i;
    buffer = make_buffer(values, 64);
    window = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &status);
    description.buffer = window;
    line = clCreateImage(context, 0, &words, &description, NULL, &status);
    assert_status(CL_SUCCESS);
    assert_success(clGetMemObjectInfo(line, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof associated,
                                      &associated, NULL));
    assert_ptr_equal(associated, window);
    assert_success(clGetImageInfo(line, CL_IMAGE_BUFFER, sizeof associated, &associated, NULL));
    assert_ptr_equal(associated, window);
    assert_success(clEnqueueFillImage(queue, line, color, last, one, 0, NULL, NULL));
    read_ints(buffer, values, 64);
    assert_int_equal(values[63], 77);
    description = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D,
                                  .image_width = 5,
                                  .image_height = 8,
                                  .image_row_pitch = 32,
                                  .buffer = buffer};
    flat = clCreateImage(context, 0, &words, &description, NULL, &status);
    assert_status(CL_SUCCESS);
    assert_success(
        clEnqueueReadImage(queue, flat, CL_TRUE, corner, one, 0, 0, &element, 0, NULL, NULL));
    assert_int_equal(element, 3 * 8 + 2);
    description.image_height = 9;
    assert_int_equal(status_of(0, &words, &description, NULL), CL_INVALID_IMAGE_SIZE);
    assert_int_equal(status_of(CL_MEM_COPY_HOST_PTR, &words, &description, values),
                     CL_INVALID_IMAGE_SIZE);
    clReleaseMemObject(buffer); /* the images hold it */
    clReleaseMemObject(window);
    assert_success(
        clEnqueueReadImage(queue, line, CL_TRUE, last, one, 0, 0, &element, 0, NULL, NULL));
    assert_int_equal(element, 77);
    clReleaseMemObject(line);
    clReleaseMemObject(flat);
}

/* ---- Samplers ---- */

static cl_uint sampler_number(cl_sampler sampler, cl_sampler_info name)
{
    cl_uint value = 77;

    assert_success(clGetSamplerInfo(sampler, name, sizeof value, &value, NULL));
    return value;
}

static void samplers_are_three_choices(void **state)
{
    const cl_sampler_properties given[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR,
                                           CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_REPEAT, 0},
                                twice[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR,
                                           CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
    cl_sampler_properties back[5];
    cl_sampler sampler;
    cl_int status;

    sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &status);
    assert_status(CL_SUCCESS);
    assert_int_equal(sampler_number(sampler, CL_SAMPLER_NORMALIZED_COORDS), CL_FALSE);
    assert_int_equal(sampler_number(sampler, CL_SAMPLER_ADDRESSING_MODE), CL_ADDRESS_CLAMP);
    assert_int_equal(sampler_number(sampler, CL_SAMPLER_FILTER_MODE), CL_FILTER_NEAREST);
    assert_success(clRetainSampler(sampler));
    assert_int_equal(sampler_number(sampler, CL_SAMPLER_REFERENCE_COUNT), 2);
    assert_success(clReleaseSampler(sampler));
    assert_success(clReleaseSampler(sampler));
    assert_int_equal(clReleaseSampler(sampler), CL_INVALID_SAMPLER);
    sampler = clCreateSamplerWithProperties(context, given, &status);
    assert_status(CL_SUCCESS);
    assert_int_equal(sampler_number(sampler, CL_SAMPLER_NORMALIZED_COORDS), CL_TRUE);
    assert_int_equal(sampler_number(sampler, CL_SAMPLER_ADDRESSING_MODE), CL_ADDRESS_REPEAT);
    assert_success(clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, sizeof back, back, NULL));
    assert_memory_equal(back, given, sizeof back);
    clReleaseSampler(sampler);
    assert_null(clCreateSamplerWithProperties(context, twice, &status));
    assert_status(CL_INVALID_VALUE);
    assert_null(clCreateSampler(context, CL_FALSE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, &status));
    assert_status(CL_INVALID_VALUE);
    assert_null(clCreateSampler(context, CL_TRUE, 5, CL_FILTER_NEAREST, &status));
    assert_status(CL_INVALID_VALUE);
    assert_null(clCreateSampler(context, CL_TRUE, CL_ADDRESS_NONE, 5, &status));
    assert_status(CL_INVALID_VALUE);
}

/* ---- As arguments ---- */

static const char source[] =
    "kernel void look(read_only image2d_t from, sampler_t s, write_only image2d_t to, int n) { }\n";

static void arguments_are_checked(void **state)
{
    const char *text = source;
    cl_int status;
    cl_program built = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    cl_mem readable = make_image(CL_MEM_OBJECT_IMAGE2D, CL_MEM_READ_ONLY, NULL),
           writable = make_image(CL_MEM_OBJECT_IMAGE2D, CL_MEM_WRITE_ONLY, NULL),
           solid = make_image(CL_MEM_OBJECT_IMAGE3D, 0, NULL), buffer = make_buffer(NULL, 4),
           none = NULL;
    cl_sampler sampler =
        clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &status);
    cl_kernel kernel;

    assert_success(clBuildProgram(built, 1, &device, "", NULL, NULL));
    kernel = clCreateKernel(built, "look", &status);
    assert_success(clSetKernelArg(kernel, 0, sizeof readable, &readable));
    assert_int_equal(clSetKernelArg(kernel, 0, sizeof readable, &writable), CL_INVALID_ARG_VALUE);
    assert_int_equal(clSetKernelArg(kernel, 2, sizeof readable, &readable), CL_INVALID_ARG_VALUE);
    assert_int_equal(clSetKernelArg(kernel, 0, sizeof solid, &solid), CL_INVALID_ARG_VALUE);
    assert_int_equal(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_INVALID_MEM_OBJECT);
    assert_int_equal(clSetKernelArg(kernel, 0, sizeof none, &none), CL_INVALID_MEM_OBJECT);
    assert_int_equal(clSetKernelArg(kernel, 0, 4, &readable), CL_INVALID_ARG_SIZE);
    assert_success(clSetKernelArg(kernel, 1, sizeof sampler, &sampler));
    assert_int_equal(clSetKernelArg(kernel, 1, sizeof none, &none), CL_INVALID_SAMPLER);
    assert_int_equal(clSetKernelArg(kernel, 1, 4, &sampler), CL_INVALID_ARG_SIZE);
    clReleaseKernel(kernel);
    clReleaseProgram(built);
    clReleaseSampler(sampler);
    clReleaseMemObject(readable);
    clReleaseMemObject(writable);
    clReleaseMemObject(solid);
    clReleaseMemObject(buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_are_as_large_as_they_must_be),
        cmocka_unit_test(formats_that_must_be_there_are),
        cmocka_unit_test(every_format_that_is_listed_can_be_had),
        cmocka_unit_test(formats_are_checked),
        cmocka_unit_test(descriptions_are_checked),
        cmocka_unit_test(flags_and_pointers_are_checked),
        cmocka_unit_test(an_image_knows_itself),
        cmocka_unit_test(images_are_windows_on_buffers),
        cmocka_unit_test(samplers_are_three_choices),
        cmocka_unit_test(arguments_are_checked),
    };

    return cmocka_run_group_tests(tests, support_start, support_stop);
}
