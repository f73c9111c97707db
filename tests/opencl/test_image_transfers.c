/* SPDX-License-Identifier: MIT */
/* The commands that move elements of images, and maps. */
#include "image_support.h"

static const size_t origin[3] = {0, 0, 0};

static size_t size_of(cl_mem image, cl_image_info name)
{
    size_t value = 77, size;

    assert_success(clGetImageInfo(image, name, sizeof value, &value, &size));
    assert_int_equal(size, sizeof value);
    return value;
}

/* ---- Moving ---- */

static void count_up(unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 251);
}

/* A box of a 3D image through pitches of the host's. */
static void boxes_go_there_and_back(void **state)
{
    enum { ROW = 40, SLICE = 4 * ROW };
    const size_t whole[3] = {WIDTH, HEIGHT, DEPTH}, at[3] = {2, 1, 1}, region[3] = {4, 3, 2};
    unsigned char all[DEPTH][HEIGHT][WIDTH][4], box[2][4][ROW], back[DEPTH][HEIGHT][WIDTH][4];
    cl_mem image = make_image(CL_MEM_OBJECT_IMAGE3D, 0, NULL);

    count_up(&all[0][0][0][0], sizeof all);
    assert_success(
        clEnqueueWriteImage(queue, image, CL_FALSE, origin, whole, 0, 0, all, 0, NULL, NULL));
    memset(box, 0xee, sizeof box);
    assert_success(
        clEnqueueReadImage(queue, image, CL_TRUE, at, region, ROW, SLICE, box, 0, NULL, NULL));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 3; y++) {
            assert_memory_equal(box[z][y], all[z + 1][y + 1][2], 16);
            assert_int_equal(box[z][y][16], 0xee);
            assert_int_equal(box[z][3][y], 0xee); /* between the slices */
        }
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 3; y++)
            memset(box[z][y], 16 * z + y, 16);
    assert_success(
        clEnqueueWriteImage(queue, image, CL_TRUE, at, region, ROW, SLICE, box, 0, NULL, NULL));
    assert_success(
        clEnqueueReadImage(queue, image, CL_TRUE, origin, whole, 0, 0, back, 0, NULL, NULL));
    for (int z = 0; z < DEPTH; z++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) {
                bool is_in = z >= 1 && y >= 1 && y < 4 && x >= 2 && x < 6;

                assert_int_equal(back[z][y][x][3], is_in ? 16 * (z - 1) + y - 1 : all[z][y][x][3]);
            }
    clReleaseMemObject(image);
}

/* In calls, a layer of a 1D array is what a row is elsewhere. */
static void layers_of_lines_are_rows(void **state)
{
    const size_t at[3] = {3, 1, 0}, region[3] = {2, 2, 1};
    unsigned char all[LAYERS][WIDTH][4], box[2][2][4];
    cl_mem image;

    count_up(&all[0][0][0], sizeof all);
    image = make_image(CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_COPY_HOST_PTR, all);
    assert_success(clEnqueueReadImage(queue, image, CL_TRUE, at, region, 0, 0, box, 0, NULL, NULL));
    assert_memory_equal(box[0], all[1][3], 8);
    assert_memory_equal(box[1], all[2][3], 8);
    clReleaseMemObject(image);
}

static void regions_are_checked(void **state)
{
    const size_t beyond[3] = {WIDTH, HEIGHT + 1, 1}, empty[3] = {WIDTH, 0, 1},
                 deep[3] = {WIDTH, HEIGHT, 2}, far[3] = {SIZE_MAX, 0, 0}, one[3] = {1, 1, 1},
                 whole[3] = {WIDTH, HEIGHT, 1};
    unsigned char all[2 * WIDTH * HEIGHT * 4];
    cl_mem image = make_image(CL_MEM_OBJECT_IMAGE2D, 0, NULL), buffer = make_buffer(NULL, 8);

#define READ(origin, region, row, slice)                                                           \
    clEnqueueReadImage(queue, image, CL_TRUE, origin, region, row, slice, all, 0, NULL, NULL)
    assert_int_equal(READ(origin, beyond, 0, 0), CL_INVALID_VALUE);
    assert_int_equal(READ(origin, empty, 0, 0), CL_INVALID_VALUE);
    assert_int_equal(READ(origin, deep, 0, 0), CL_INVALID_VALUE);
    assert_int_equal(READ(far, one, 0, 0), CL_INVALID_VALUE);
    assert_int_equal(READ(NULL, one, 0, 0), CL_INVALID_VALUE);
    assert_int_equal(READ(origin, whole, WIDTH * 4 - 1, 0), CL_INVALID_VALUE);
    assert_int_equal(READ(origin, whole, 0, WIDTH * HEIGHT * 4), CL_INVALID_VALUE); /* no slices */
    assert_success(READ(origin, whole, WIDTH * 4 + 1, 0));
#undef READ
    assert_int_equal(
        clEnqueueReadImage(queue, image, CL_TRUE, origin, one, 0, 0, NULL, 0, NULL, NULL),
        CL_INVALID_VALUE);
    assert_int_equal(
        clEnqueueReadImage(queue, buffer, CL_TRUE, origin, one, 0, 0, all, 0, NULL, NULL),
        CL_INVALID_MEM_OBJECT);
    assert_int_equal(clEnqueueReadBuffer(queue, image, CL_TRUE, 0, 4, all, 0, NULL, NULL),
                     CL_INVALID_MEM_OBJECT);
    assert_int_equal(clEnqueueFillImage(queue, image, NULL, origin, one, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    clReleaseMemObject(image);
    clReleaseMemObject(buffer);
}

static void copies_between_images_and_buffers(void **state)
{
    const size_t at[3] = {1, 2, 0}, region[3] = {3, 2, 1}, to[3] = {4, 3, 1}, across[3] = {2, 3, 0};
    unsigned char all[HEIGHT][WIDTH][4], back[HEIGHT][WIDTH][4], tight[64];
    cl_mem flat, solid = make_image(CL_MEM_OBJECT_IMAGE3D, 0, NULL), other, buffer;
    const cl_image_format halves = {CL_RG, CL_HALF_FLOAT};
    cl_image_desc description = describe(CL_MEM_OBJECT_IMAGE2D);
    cl_int status;

    count_up(&all[0][0][0], sizeof all);
    flat = make_image(CL_MEM_OBJECT_IMAGE2D, CL_MEM_COPY_HOST_PTR, all);
    buffer = make_buffer(NULL, 64);
    assert_success(clEnqueueCopyImage(queue, flat, solid, at, to, region, 0, NULL, NULL));
    assert_success(clEnqueueCopyImageToBuffer(queue, solid, buffer, to, region, 20, 0, NULL, NULL));
    assert_success(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 64, tight, 0, NULL, NULL));
    assert_memory_equal(tight + 20, all[2][1], 12);
    assert_memory_equal(tight + 32, all[3][1], 12);
    assert_success(
        clEnqueueCopyBufferToImage(queue, buffer, flat, 20, origin, region, 0, NULL, NULL));
    assert_success(clEnqueueReadImage(queue, flat, CL_TRUE, origin,
                                      (const size_t[]){WIDTH, HEIGHT, 1}, 0, 0, back, 0, NULL,
                                      NULL));
    assert_memory_equal(back[0][0], all[2][1], 12);
    assert_memory_equal(back[1][0], all[3][1], 12);
    assert_memory_equal(back[1][3], all[1][3], 16);
    assert_int_equal(clEnqueueCopyImage(queue, flat, flat, at, across, region, 0, NULL, NULL),
                     CL_MEM_COPY_OVERLAP);
    assert_int_equal(
        clEnqueueCopyImageToBuffer(queue, flat, buffer, at, region, 256 - 20, 0, NULL, NULL),
        CL_INVALID_VALUE);
    other = clCreateImage(context, 0, &halves, &description, NULL, &status);
    assert_int_equal(clEnqueueCopyImage(queue, flat, other, at, at, region, 0, NULL, NULL),
                     CL_IMAGE_FORMAT_MISMATCH);
    clReleaseMemObject(flat);
    clReleaseMemObject(solid);
    clReleaseMemObject(other);
    clReleaseMemObject(buffer);
}

/* Boxes of one image that touch share no element; those that reach one further do. */
static void boxes_that_touch_do_not_overlap(void **state)
{
    const size_t region[3] = {2, 2, 1}, low[3] = {1, 1, 1};
    cl_mem image = make_image(CL_MEM_OBJECT_IMAGE3D, 0, NULL);

    for (int axis = 0; axis < 3; axis++) {
        size_t high[3] = {1, 1, 1};

        high[axis] += region[axis];
        assert_success(clEnqueueCopyImage(queue, image, image, low, high, region, 0, NULL, NULL));
        assert_success(clEnqueueCopyImage(queue, image, image, high, low, region, 0, NULL, NULL));
        high[axis]--;
        assert_int_equal(clEnqueueCopyImage(queue, image, image, low, high, region, 0, NULL, NULL),
                         CL_MEM_COPY_OVERLAP);
        assert_int_equal(clEnqueueCopyImage(queue, image, image, high, low, region, 0, NULL, NULL),
                         CL_MEM_COPY_OVERLAP);
    }
    assert_success(clFinish(queue));
    clReleaseMemObject(image);
}

/* A color becomes an element as write_image* makes one. */
static void fills_convert_the_color(void **state)
{
    static const float color[4] = {0.5f, -0.25f, 2.0f, 1.0f / 3};
    static const float zeros[4] = {0.0f, -0.0f};
    static const cl_int ints[4] = {300, -300, 5, -5};
    static const struct {
        cl_image_format format;
        const void *color;
        unsigned bytes;
        unsigned char element[8];
    } cases[] = {
        {{CL_RGBA, CL_UNORM_INT8}, color, 4, {128, 0, 255, 85}}, /* 127.5 to the even one */
        {{CL_BGRA, CL_UNORM_INT8}, color, 4, {255, 0, 128, 85}},
        {{CL_ARGB, CL_UNORM_INT8}, color, 4, {85, 128, 0, 255}},
        {{CL_A, CL_UNORM_INT8}, color, 1, {85}},
        {{CL_RG, CL_SNORM_INT8}, color, 2, {64, 0xe0}}, /* 63.5, -31.75 */
        {{CL_RG, CL_UNORM_INT16}, color, 4, {0x00, 0x80, 0, 0}},
        {{CL_RGBA, CL_HALF_FLOAT}, color, 8, {0, 0x38, 0, 0xb4, 0, 0x40, 0x55, 0x35}},
        {{CL_RG, CL_HALF_FLOAT}, zeros, 4, {0, 0, 0, 0x80}},
        {{CL_RG, CL_FLOAT}, color, 8, {0, 0, 0, 0x3f, 0, 0, 0x80, 0xbe}},
        {{CL_RGBA, CL_SIGNED_INT8}, ints, 4, {127, 0x80, 5, 0xfb}},
        {{CL_RG, CL_SIGNED_INT16}, ints, 4, {0x2c, 1, 0xd4, 0xfe}},
        {{CL_RG, CL_UNSIGNED_INT8}, ints, 2, {255, 255}},
    };
    const size_t at[3] = {1, 1, 0}, region[3] = {2, 3, 1}, whole[3] = {WIDTH, HEIGHT, 1};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned char back[WIDTH * HEIGHT * 8];
        cl_image_desc description = describe(CL_MEM_OBJECT_IMAGE2D);
        cl_int status;
        cl_mem image = clCreateImage(context, 0, &cases[i].format, &description, NULL, &status);
        unsigned bytes = cases[i].bytes;
        float zero[4] = {0};

        assert_success(clEnqueueFillImage(queue, image, zero, origin, whole, 0, NULL, NULL));
        assert_success(clEnqueueFillImage(queue, image, cases[i].color, at, region, 0, NULL, NULL));
        assert_success(
            clEnqueueReadImage(queue, image, CL_TRUE, origin, whole, 0, 0, back, 0, NULL, NULL));
        assert_memory_equal(back + (WIDTH + 1) * bytes, cases[i].element, bytes);
        assert_memory_equal(back + (3 * WIDTH + 2) * bytes, cases[i].element, bytes);
        assert_int_equal(back[(WIDTH + 3) * bytes], 0);
        assert_int_equal(back[bytes], 0);
        clReleaseMemObject(image);
    }
}

/* ---- Mapping ---- */

/* Another box may be changed while one is mapped: its bytes stay. */
static void maps_move_their_box_alone(void **state)
{
    const size_t at[3] = {1, 1, 0}, region[3] = {2, 3, 1}, beside[3] = {4, 2, 0},
                 one[3] = {1, 1, 1};
    unsigned char all[HEIGHT][WIDTH][4], *mapped, element[4];
    const cl_uint color[4] = {9, 9, 9, 9};
    cl_mem image;
    size_t row = 0, slice = 7;
    cl_int status;

    count_up(&all[0][0][0], sizeof all);
    image = make_image(CL_MEM_OBJECT_IMAGE2D, CL_MEM_COPY_HOST_PTR, all);
    mapped = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, at, region, &row,
                               &slice, 0, NULL, NULL, &status);
    assert_status(CL_SUCCESS);
    assert_int_equal(slice, 0);
    for (int y = 0; y < 3; y++) {
        assert_memory_equal(mapped + (size_t)y * row, all[y + 1][1], 8);
        memset(mapped + (size_t)y * row, 0x50 + y, 8);
    }
    assert_success(clEnqueueFillImage(queue, image, color, beside, one, 0, NULL, NULL));
    assert_success(clEnqueueUnmapMemObject(queue, image, mapped, 0, NULL, NULL));
    assert_success(
        clEnqueueReadImage(queue, image, CL_TRUE, beside, one, 0, 0, element, 0, NULL, NULL));
    assert_int_equal(element[0], 9);
    assert_success(clEnqueueReadImage(queue, image, CL_TRUE, (const size_t[]){2, 3, 0}, one, 0, 0,
                                      element, 0, NULL, NULL));
    assert_int_equal(element[0], 0x52);
    assert_null(clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, at, region, NULL, &slice, 0,
                                  NULL, NULL, &status));
    assert_status(CL_INVALID_VALUE);
    clReleaseMemObject(image);
}

static void host_memory_is_where_maps_are(void **state)
{
    enum { ROW = 48 };
    const size_t at[3] = {2, 1, 1}, region[3] = {3, 2, 2};
    unsigned char memory[DEPTH * HEIGHT * ROW], *mapped;
    cl_image_desc description = describe(CL_MEM_OBJECT_IMAGE3D);
    const cl_uint color[4] = {1, 2, 3, 4};
    size_t row, slice;
    cl_int status;
    cl_mem image;

    count_up(memory, sizeof memory);
    description.image_row_pitch = ROW;
    image = clCreateImage(context, CL_MEM_USE_HOST_PTR, &bytes_4, &description, memory, &status);
    assert_status(CL_SUCCESS);
    assert_int_equal(size_of(image, CL_IMAGE_ROW_PITCH), ROW);
    assert_int_equal(size_of(image, CL_IMAGE_SLICE_PITCH), ROW * HEIGHT);
    assert_success(clEnqueueFillImage(queue, image, color, at, region, 0, NULL, NULL));
    mapped = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, at, region, &row, &slice, 0,
                               NULL, NULL, &status);
    assert_ptr_equal(mapped, memory + 2 * 4 + ROW + HEIGHT * ROW);
    assert_int_equal(row, ROW);
    assert_int_equal(slice, ROW * HEIGHT);
    assert_int_equal(mapped[slice + row + 2 * 4 + 3], 4);
    assert_success(clEnqueueUnmapMemObject(queue, image, mapped, 0, NULL, NULL));
    clReleaseMemObject(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_go_there_and_back),
        cmocka_unit_test(layers_of_lines_are_rows),
        cmocka_unit_test(regions_are_checked),
        cmocka_unit_test(copies_between_images_and_buffers),
        cmocka_unit_test(boxes_that_touch_do_not_overlap),
        cmocka_unit_test(fills_convert_the_color),
        cmocka_unit_test(maps_move_their_box_alone),
        cmocka_unit_test(host_memory_is_where_maps_are),
    };

    return cmocka_run_group_tests(tests, support_start, support_stop);
}
