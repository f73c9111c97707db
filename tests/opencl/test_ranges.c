/* SPDX-License-Identifier: MIT */
/*
 * Where the bytes of a command lie, and how many bytes it is charged for. Tested are rectangles
 * with random pitches and origins beside a model in host memory, and overlaps beside a search
 * of every byte. So are sub-buffers under maps, and fills at their limits.
 */
#include <stdio.h>
#include <unistd.h>

#include "support.h"

enum { BYTES = 4096, ROUNDS = 300, SEED = 20240917 };

static uint64_t random_state = SEED;

static size_t random_below(size_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(random_state >> 33) % limit;
}

/* ---- Rectangles ---- */

struct box {
    size_t origin[3], row_pitch, slice_pitch;
};

static size_t box_byte(const struct box *box, size_t x, size_t y, size_t z)
{
    return box->origin[0] + x + (box->origin[1] + y) * box->row_pitch +
           (box->origin[2] + z) * box->slice_pitch;
}

static size_t box_end(const struct box *box, const size_t region[3])
{
    return box_byte(box, region[0] - 1, region[1] - 1, region[2] - 1) + 1;
}

/* Pitches at times as tight as the region allows, which may be said with 0. */
static struct box random_box(const size_t region[3])
{
    struct box box;

    box.row_pitch = region[0] + random_below(3) * random_below(8);
    box.slice_pitch = (region[1] + random_below(3)) * box.row_pitch;
    for (int axis = 0; axis < 3; axis++)
        box.origin[axis] = random_below(4);
    return box;
}

static size_t said_row_pitch(const struct box *box, const size_t region[3])
{
    return box->row_pitch == region[0] && random_below(2) == 0 ? 0 : box->row_pitch;
}

static size_t said_slice_pitch(const struct box *box, const size_t region[3])
{
    return box->slice_pitch == region[1] * box->row_pitch && random_below(2) == 0
               ? 0
               : box->slice_pitch;
}

static void copy_box(unsigned char *to, const struct box *to_box, const unsigned char *from,
                     const struct box *from_box, const size_t region[3])
{
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            for (size_t x = 0; x < region[0]; x++)
                to[box_byte(to_box, x, y, z)] = from[box_byte(from_box, x, y, z)];
}

static void random_bytes(unsigned char *bytes)
{
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (unsigned char)random_below(256);
}

static cl_mem buffer_of(const unsigned char *bytes)
{
    cl_int status;
    cl_mem buffer =
        clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, BYTES, (void *)(uintptr_t)bytes, &status);

    assert_status(CL_SUCCESS);
    return buffer;
}

static void must_hold(cl_mem buffer, const unsigned char *expected)
{
    unsigned char bytes[BYTES];

    assert_success(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, BYTES, bytes, 0, NULL, NULL));
    assert_memory_equal(bytes, expected, BYTES);
}

static void a_round_of_rectangles(void)
{
    const size_t region[3] = {1 + random_below(20), 1 + random_below(5), 1 + random_below(4)};
    struct box box = random_box(region), other = random_box(region);
    unsigned char model[BYTES], host[BYTES], model_host[BYTES], model_other[BYTES];
    cl_mem buffer, target;

    random_bytes(model);
    random_bytes(host);
    random_bytes(model_other);
    memcpy(model_host, host, BYTES);
    buffer = buffer_of(model);
    target = buffer_of(model_other);
    assert_success(clEnqueueReadBufferRect(
        queue, buffer, CL_TRUE, box.origin, other.origin, region, said_row_pitch(&box, region),
        said_slice_pitch(&box, region), said_row_pitch(&other, region),
        said_slice_pitch(&other, region), host, 0, NULL, NULL));
    copy_box(model_host, &other, model, &box, region);
    assert_memory_equal(host, model_host, BYTES);
    random_bytes(host);
    assert_success(clEnqueueWriteBufferRect(
        queue, buffer, CL_TRUE, box.origin, other.origin, region, said_row_pitch(&box, region),
        said_slice_pitch(&box, region), said_row_pitch(&other, region),
        said_slice_pitch(&other, region), host, 0, NULL, NULL));
    copy_box(model, &box, host, &other, region);
    must_hold(buffer, model);
    assert_success(clEnqueueCopyBufferRect(
        queue, buffer, target, box.origin, other.origin, region, said_row_pitch(&box, region),
        said_slice_pitch(&box, region), said_row_pitch(&other, region),
        said_slice_pitch(&other, region), 0, NULL, NULL));
    copy_box(model_other, &other, model, &box, region);
    must_hold(target, model_other);
    clReleaseMemObject(buffer);
    clReleaseMemObject(target);
}

static void rectangles_are_where_the_model_has_them(void **state)
{
    print_message("seed %d\n", SEED);
    for (int round = 0; round < ROUNDS; round++)
        a_round_of_rectangles();
}

/* A buffer that ends with the last byte of the box, and one that is a byte short. */
static void rectangles_end_where_the_buffer_does(void **state)
{
    unsigned char host[BYTES];

    for (int round = 0; round < 60; round++) {
        const size_t region[3] = {1 + random_below(20), 1 + random_below(5), 1 + random_below(4)};
        const size_t zero[3] = {0, 0, 0};
        struct box box = random_box(region);
        size_t end = box_end(&box, region);

        for (size_t less = 0; less < 2 && end > less; less++) {
            cl_int status;
            cl_mem buffer = clCreateBuffer(context, 0, end - less, NULL, &status);

            assert_int_equal(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, box.origin, zero,
                                                     region, box.row_pitch, box.slice_pitch, 0, 0,
                                                     host, 0, NULL, NULL),
                             less == 0 ? CL_SUCCESS : CL_INVALID_VALUE);
            clReleaseMemObject(buffer);
        }
    }
}

static void pitches_are_checked(void **state)
{
    const size_t zero[3] = {0, 0, 0}, region[3] = {4, 2, 2};
    const struct {
        size_t row_pitch, slice_pitch;
        cl_int status;
    } cases[] = {{4, 8, CL_SUCCESS},       {8, 16, CL_SUCCESS},      {8, 24, CL_SUCCESS},
                 {3, 8, CL_INVALID_VALUE}, {8, 8, CL_INVALID_VALUE}, /* less than its rows */
                 {8, 20, CL_INVALID_VALUE}};                         /* no multiple */
    unsigned char bytes[BYTES] = {0};
    cl_mem buffer = buffer_of(bytes);

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, zero, zero, region,
                                                 cases[i].row_pitch, cases[i].slice_pitch, 0, 0,
                                                 bytes, 0, NULL, NULL),
                         cases[i].status);
        assert_int_equal(clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, zero, zero, region, 0, 0,
                                                  cases[i].row_pitch, cases[i].slice_pitch, bytes,
                                                  0, NULL, NULL),
                         cases[i].status);
    }
    clReleaseMemObject(buffer);
}

/* ---- Overlaps ---- */

static bool share_a_byte(const struct box *one, const struct box *other, const size_t region[3])
{
    unsigned char is_used[BYTES] = {0};

    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            for (size_t x = 0; x < region[0]; x++)
                is_used[box_byte(one, x, y, z)] = 1;
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            for (size_t x = 0; x < region[0]; x++)
                if (is_used[box_byte(other, x, y, z)])
                    return true;
    return false;
}

static void overlaps_are_those_of_the_bytes(void **state)
{
    unsigned char bytes[BYTES] = {0};
    cl_mem buffer = buffer_of(bytes);
    unsigned overlapping = 0;

    print_message("seed %d\n", SEED);
    for (int round = 0; round < 3000; round++) {
        const size_t region[3] = {1 + random_below(6), 1 + random_below(3), 1 + random_below(3)};
        struct box from = random_box(region), to = from;
        bool is_overlap;

        for (int axis = 0; axis < 3; axis++)
            to.origin[axis] = random_below(axis == 0 ? 24 : 4);
        is_overlap = share_a_byte(&from, &to, region);
        overlapping += is_overlap;
        assert_int_equal(clEnqueueCopyBufferRect(queue, buffer, buffer, from.origin, to.origin,
                                                 region, from.row_pitch, from.slice_pitch,
                                                 from.row_pitch, from.slice_pitch, 0, NULL, NULL),
                         is_overlap ? CL_MEM_COPY_OVERLAP : CL_SUCCESS);
    }
    assert_success(clFinish(queue));
    assert_in_range(overlapping, 300, 2700); /* both happen */
    clReleaseMemObject(buffer);
}

static void copies_may_touch(void **state)
{
    unsigned char bytes[BYTES] = {0};
    cl_mem buffer = buffer_of(bytes);

    for (size_t from = 0; from <= 24; from++)
        assert_int_equal(clEnqueueCopyBuffer(queue, buffer, buffer, from, 12, 8, 0, NULL, NULL),
                         from <= 4 || from >= 20 ? CL_SUCCESS : CL_MEM_COPY_OVERLAP);
    assert_success(clFinish(queue));
    clReleaseMemObject(buffer);
}

/* ---- Sub-buffers ---- */

static cl_mem part_of(cl_mem buffer, cl_mem_flags flags, size_t origin, size_t bytes)
{
    const cl_buffer_region region = {origin, bytes};
    cl_int status;
    cl_mem part = clCreateSubBuffer(buffer, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);

    assert_status(CL_SUCCESS);
    return part;
}

static cl_uint map_count(cl_mem buffer)
{
    cl_uint count;

    assert_success(clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    return count;
}

static void a_part_is_mapped_where_it_lies(void **state)
{
    unsigned char model[BYTES], *whole, *mapped;
    cl_mem buffer, part;
    cl_int status;

    random_bytes(model);
    buffer = buffer_of(model);
    part = part_of(buffer, 0, 512, 1024);
    whole =
        clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, BYTES, 0, NULL, NULL, &status);
    mapped = clEnqueueMapBuffer(queue, part, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 100, 50, 0, NULL,
                                NULL, &status);
    assert_status(CL_SUCCESS);
    assert_ptr_equal(mapped, whole + 612);
    assert_memory_equal(mapped, model + 612, 50);
    assert_int_equal(map_count(part), 1);
    assert_int_equal(map_count(buffer), 1);
    memset(whole, 0, 612); /* beside what was mapped for writing: stays here */
    memset(mapped, 1, 50);
    memset(model + 612, 1, 50);
    memset(whole + 662, 0, BYTES - 662);
    assert_success(clEnqueueUnmapMemObject(queue, part, mapped, 0, NULL, NULL));
    must_hold(buffer, model);
    assert_int_equal(clEnqueueUnmapMemObject(queue, part, whole, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_success(clEnqueueUnmapMemObject(queue, buffer, whole, 0, NULL, NULL));
    assert_success(clFinish(queue));
    clReleaseMemObject(part);
    clReleaseMemObject(buffer);
}

static void a_part_says_where_it_is(void **state)
{
    static unsigned char memory[BYTES];
    cl_int status;
    cl_mem_flags flags;
    void *pointer;
    cl_mem buffer =
        clCreateBuffer(context, CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY,
                       BYTES, memory, &status);
    cl_mem part = part_of(buffer, 0, 512, 1024);

    assert_success(clGetMemObjectInfo(part, CL_MEM_HOST_PTR, sizeof pointer, &pointer, NULL));
    assert_ptr_equal(pointer, memory + 512);
    assert_success(clGetMemObjectInfo(part, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
    assert_int_equal(flags, CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY);
    clReleaseMemObject(part);
    part = part_of(buffer, CL_MEM_HOST_NO_ACCESS, 512, 1024);
    assert_success(clGetMemObjectInfo(part, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
    assert_int_equal(flags, CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS);
    clReleaseMemObject(part);
    clReleaseMemObject(buffer);
}

static void parts_may_be_filled_and_copied(void **state)
{
    unsigned char model[BYTES];
    cl_mem buffer, part;
    short pattern = 0x7b7b;

    random_bytes(model);
    buffer = buffer_of(model);
    part = part_of(buffer, 0, 1024, 512);
    assert_success(clEnqueueFillBuffer(queue, part, &pattern, 2, 10, 20, 0, NULL, NULL));
    memset(model + 1034, 0x7b, 20);
    assert_success(clEnqueueCopyBuffer(queue, buffer, part, 3, 100, 200, 0, NULL, NULL));
    memcpy(model + 1124, model + 3, 200);
    assert_success(clEnqueueCopyBuffer(queue, part, buffer, 11, 4000, 30, 0, NULL, NULL));
    memcpy(model + 4000, model + 1035, 30);
    must_hold(buffer, model);
    assert_int_equal(clEnqueueFillBuffer(queue, part, &pattern, 2, 500, 14, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueCopyBuffer(queue, buffer, part, 1100, 80, 20, 0, NULL, NULL),
                     CL_MEM_COPY_OVERLAP); /* the same bytes by two names */
    clReleaseMemObject(part);
    clReleaseMemObject(buffer);
}

/* ---- Fills, and nothing ---- */

static void patterns_have_their_limits(void **state)
{
    unsigned char model[BYTES], pattern[256];
    cl_mem buffer;

    random_bytes(model);
    for (int i = 0; i < 256; i++)
        pattern[i] = (unsigned char)(i + 1);
    buffer = buffer_of(model);
    assert_success(clEnqueueFillBuffer(queue, buffer, pattern, 128, 256, 384, 0, NULL, NULL));
    for (int i = 0; i < 3; i++)
        memcpy(model + 256 + 128 * i, pattern, 128);
    must_hold(buffer, model);
    assert_int_equal(clEnqueueFillBuffer(queue, buffer, pattern, 256, 0, 512, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueFillBuffer(queue, buffer, pattern, 8, 0, 12, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueFillBuffer(queue, buffer, pattern, 8, 4, 8, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueFillBuffer(queue, buffer, pattern, 0, 0, 8, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    must_hold(buffer, model);
    clReleaseMemObject(buffer);
}

static void nothing_may_be_moved(void **state)
{
    unsigned char model[BYTES], byte = 7;
    cl_mem buffer;
    cl_int status;

    random_bytes(model);
    buffer = buffer_of(model);
    assert_success(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 0, &byte, 0, NULL, NULL));
    assert_success(clEnqueueReadBuffer(queue, buffer, CL_TRUE, BYTES, 0, &byte, 0, NULL, NULL));
    assert_success(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 5, 0, &byte, 0, NULL, NULL));
    assert_success(clEnqueueFillBuffer(queue, buffer, &byte, 1, 5, 0, 0, NULL, NULL));
    assert_int_equal(byte, 7);
    must_hold(buffer, model);
    assert_int_equal(
        clEnqueueReadBuffer(queue, buffer, CL_TRUE, BYTES + 1, 0, &byte, 0, NULL, NULL),
        CL_INVALID_VALUE);
    assert_null(
        clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 0, 0, NULL, NULL, &status));
    assert_status(CL_INVALID_VALUE);
    clReleaseMemObject(buffer);
}

/* ---- What is charged ---- */

static char charged[1024];

/* What the fake machine says that transfers cost, while the queue empties. */
static void finish_and_listen(void)
{
    char path[] = "/tmp/wavetank-test-ranges-XXXXXX";
    int file = mkstemp(path), saved = dup(STDERR_FILENO);
    ssize_t length;

    assert_true(file >= 0);
    unlink(path);
    setenv("FAKE_MACHINE_LOG", "1", 1);
    dup2(file, STDERR_FILENO);
    clFinish(queue);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    unsetenv("FAKE_MACHINE_LOG");
    length = pread(file, charged, sizeof charged - 1, 0);
    charged[length > 0 ? length : 0] = '\0';
    close(saved);
    close(file);
}

static void must_be_charged(const char *line)
{
    if (strstr(charged, line) == NULL)
        fail_msg("'%s' is not in: %s", line, charged);
}

static void a_command_is_charged_for_its_bytes(void **state)
{
    const size_t zero[3] = {0, 0, 0}, region[3] = {4, 3, 2};
    unsigned char bytes[BYTES] = {0};
    cl_mem buffer = buffer_of(bytes), other = buffer_of(bytes);
    cl_int status;
    void *mapped;

    if (getenv("FAKE_MACHINE") == NULL)
        skip();
    clEnqueueReadBufferRect(queue, buffer, CL_FALSE, zero, zero, region, 8, 32, 0, 0, bytes, 0,
                            NULL, NULL);
    finish_and_listen();
    must_be_charged("fake: 24 bytes pageable\n");
    clEnqueueWriteBufferRect(queue, buffer, CL_FALSE, zero, zero, region, 8, 32, 0, 0, bytes, 0,
                             NULL, NULL);
    finish_and_listen();
    must_be_charged("fake: 24 bytes pageable\n");
    clEnqueueCopyBufferRect(queue, buffer, other, zero, zero, region, 8, 32, 0, 0, 0, NULL, NULL);
    finish_and_listen();
    must_be_charged("fake: 48 bytes on device\n"); /* read and written */
    mapped =
        clEnqueueMapBuffer(queue, buffer, CL_FALSE, CL_MAP_WRITE, 8, 100, 0, NULL, NULL, &status);
    finish_and_listen();
    must_be_charged("fake: 100 bytes pageable\n");
    clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL);
    finish_and_listen();
    must_be_charged("fake: 100 bytes pageable\n");
    clReleaseMemObject(buffer);
    clReleaseMemObject(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rectangles_are_where_the_model_has_them),
        cmocka_unit_test(rectangles_end_where_the_buffer_does),
        cmocka_unit_test(pitches_are_checked),
        cmocka_unit_test(overlaps_are_those_of_the_bytes),
        cmocka_unit_test(copies_may_touch),
        cmocka_unit_test(a_part_is_mapped_where_it_lies),
        cmocka_unit_test(a_part_says_where_it_is),
        cmocka_unit_test(parts_may_be_filled_and_copied),
        cmocka_unit_test(patterns_have_their_limits),
        cmocka_unit_test(nothing_may_be_moved),
        cmocka_unit_test(a_command_is_charged_for_its_bytes),
    };

    return cmocka_run_group_tests_name("opencl/ranges", tests, support_start, support_stop);
}
