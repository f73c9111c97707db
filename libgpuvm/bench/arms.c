/* SPDX-License-Identifier: MIT */
/* One arm of the matrix-vector benchmark: its arrays, an iteration by libgpuvm or by hand, and
 * where the time went. */
#include "arms.h"

#include "common.h"
#include "gpuvm.h"

#include <stdlib.h>
#include <string.h>

/* The unit of touching; a larger page of the machine is then touched more than once. */
#define PAGE_BYTES 4096
#define STRIDE_WORDS (PAGE_BYTES / sizeof(float))

enum { MATRIX, INPUT, OFFSET, OUTPUT, ARRAYS };

const char *const row_names[ROW_COUNT] = {
    "total_us", "device_us", "copies_us",  "overhead_us",  "signals_us",     "other_us",
    "faults",   "bytes_up",  "bytes_down", "transfers_up", "transfers_down",
};

/* ---- The host's touches ---- */

static uint64_t digest_word(uint64_t digest, float word)
{
    uint32_t bits;
    memcpy(&bits, &word, sizeof(bits));
    return (digest ^ bits) * 0x100000001B3u;
}

static uint64_t digest_words(uint64_t digest, const float *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        digest = digest_word(digest, words[i]);
    }
    return digest;
}

static void see(struct arm *arm, const volatile float *word)
{
    arm->seen = digest_word(arm->seen, *word);
}

/* The next value in the range that the arithmetic allows. */
static void change(struct arm *arm, volatile float *word, float limit)
{
    float value = *word;
    arm->seen = digest_word(arm->seen, value);
    *word = value + 1 == limit ? 0 : value + 1;
}

static void touch_array(struct arm *arm, float *array, size_t count, float limit, enum touch touch)
{
    if (touch == TOUCH_PARTLY) {
        change(arm, &array[0], limit);
        change(arm, &array[count / 2], limit);
        change(arm, &array[count - 1], limit);
        return;
    }
    for (size_t i = 0; i < count; i += STRIDE_WORDS) {
        if (touch == TOUCH_CHANGE_ALL) {
            change(arm, &array[i], limit);
        } else {
            see(arm, &array[i]);
        }
    }
}

static void touch_host(struct arm *arm, unsigned n)
{
    size_t size = (size_t)n * n;
    switch (arm->pair->touch) {
    case TOUCH_NONE:
        break;
    case TOUCH_VECTOR:
        see(arm, &arm->x[0]);
        break;
    case TOUCH_MATRIX_READ:
        see(arm, &arm->a[size / 2]);
        break;
    case TOUCH_MATRIX_WRITE:
        change(arm, &arm->a[size / 2], MATVEC_LARGEST_COEFFICIENT + 1);
        break;
    default:
        touch_array(arm, arm->a, size, MATVEC_LARGEST_COEFFICIENT + 1, arm->pair->touch);
        touch_array(arm, arm->x, n, MATVEC_MODULUS, arm->pair->touch);
        touch_array(arm, arm->b, n, MATVEC_MODULUS, arm->pair->touch);
        touch_array(arm, arm->x1, n, MATVEC_MODULUS, arm->pair->touch);
        break;
    }
}

/* ---- One iteration ---- */

static void iterate_gpuvm(struct arm *arm, struct bench_device *device)
{
    void *hosts[ARRAYS] = {arm->a, arm->x, arm->b, arm->x1};
    enum use use = arm->pair->use;
    int input = use == USE_READ_WRITE ? GPUVM_READ_WRITE : GPUVM_READ_ONLY;
    int output = use == USE_WRITE_ONLY ? GPUVM_WRITE_ONLY : GPUVM_READ_WRITE;
    const int flags[ARRAYS] = {input, input, input, output};
    if (arm->pair->calls == CALLS_MANY) {
        gpuvm_must(gpuvm_kernel_begin_many(ARRAYS, hosts, 0, flags), "gpuvm_kernel_begin_many");
        device->operations->launch(device, &arm->buffers);
        gpuvm_must(gpuvm_kernel_end_many(ARRAYS, hosts, 0), "gpuvm_kernel_end_many");
        return;
    }
    for (int i = 0; i < ARRAYS; i++) {
        gpuvm_must(gpuvm_kernel_begin(hosts[i], 0, flags[i]), "gpuvm_kernel_begin");
    }
    device->operations->launch(device, &arm->buffers);
    for (int i = 0; i < ARRAYS; i++) {
        gpuvm_must(gpuvm_kernel_end(hosts[i], 0), "gpuvm_kernel_end");
    }
}

static void upload(struct arm *arm, struct bench_device *device)
{
    size_t vector = device->n * sizeof(float);
    const struct matvec_job *buffers = &arm->buffers;
    const struct bench_device_operations *operations = device->operations;
    operations->write(device, buffers->a, 0, arm->a, vector * device->n);
    operations->write(device, buffers->x, 0, arm->x, vector);
    operations->write(device, buffers->b, 0, arm->b, vector);
}

static void download(struct arm *arm, struct bench_device *device)
{
    size_t vector = device->n * sizeof(float);
    const struct matvec_job *buffers = &arm->buffers;
    const struct bench_device_operations *operations = device->operations;
    operations->read(device, buffers->a, 0, arm->a, vector * device->n);
    operations->read(device, buffers->x, 0, arm->x, vector);
    operations->read(device, buffers->b, 0, arm->b, vector);
}

/* The page that the host touches. */
struct page {
    void *buffer;
    size_t offset, bytes;
    char *host;
};

static struct page touched_page(struct arm *arm, unsigned n)
{
    size_t vector = n * sizeof(float), word = (size_t)n * n / 2 / STRIDE_WORDS * STRIDE_WORDS;
    if (arm->pair->touch == TOUCH_VECTOR) {
        return (struct page){.buffer = arm->buffers.x,
                             .bytes = vector < PAGE_BYTES ? vector : PAGE_BYTES,
                             .host = (char *)arm->x};
    }
    return (struct page){.buffer = arm->buffers.a,
                         .offset = word * sizeof(float),
                         .bytes = PAGE_BYTES,
                         .host = (char *)(arm->a + word)};
}

static bool moves_page(enum reference reference)
{
    return reference == REFERENCE_PAGE || reference == REFERENCE_PAGE_BOTH;
}

/* Before the host touches it. */
static void fetch_by_hand(struct arm *arm, struct bench_device *device)
{
    if (arm->is_reference && moves_page(arm->pair->reference)) {
        struct page page = touched_page(arm, device->n);
        device->operations->read(device, page.buffer, page.offset, page.host, page.bytes);
        device->operations->finish(device);
    }
}

static void iterate_by_hand(struct arm *arm, struct bench_device *device)
{
    size_t vector = device->n * sizeof(float);
    const struct matvec_job *buffers = &arm->buffers;
    const struct bench_device_operations *operations = device->operations;
    enum reference reference = arm->pair->reference;
    if (reference == REFERENCE_INPUTS || reference == REFERENCE_FULL) {
        upload(arm, device);
    }
    if (reference == REFERENCE_FULL) {
        operations->write(device, buffers->x1, 0, arm->x1, vector);
    }
    if (reference == REFERENCE_PAGE_BOTH) {
        struct page page = touched_page(arm, device->n);
        operations->write(device, page.buffer, page.offset, page.host, page.bytes);
    }
    operations->launch(device, buffers);
    if (reference == REFERENCE_DOWN || reference == REFERENCE_FULL) {
        download(arm, device);
    }
    if (reference != REFERENCE_STAY && !moves_page(reference)) {
        operations->read(device, buffers->x1, 0, arm->x1, vector);
    }
    operations->finish(device);
}

/* The seconds that commands took; what the host touched is outside. */
static double iterate(struct arm *arm, struct bench_device *device)
{
    double start = now_seconds();
    fetch_by_hand(arm, device);
    double seconds = now_seconds() - start;
    touch_host(arm, device->n);
    arm->buffers.iteration = arm->iterations;
    start = now_seconds();
    if (arm->is_reference) {
        iterate_by_hand(arm, device);
    } else {
        iterate_gpuvm(arm, device);
        device->operations->finish(device); /* as by hand: gpuvm_kernel_end need not have waited */
    }
    seconds += now_seconds() - start;
    float *vector = arm->x;
    arm->x = arm->x1;
    arm->x1 = vector;
    void *buffer = arm->buffers.x;
    arm->buffers.x = arm->buffers.x1;
    arm->buffers.x1 = buffer;
    arm->iterations++;
    return seconds;
}

/* ---- A burst of iterations ---- */

struct statistics {
    double copy_seconds, host_copy_seconds, fault_seconds;
    unsigned long long faults, bytes_up, bytes_down, transfers_up, transfers_down;
};

static struct statistics take_statistics(void)
{
    struct statistics taken;
    gpuvm_must(gpuvm_stat(GPUVM_STAT_COPY_TIME, &taken.copy_seconds), "gpuvm_stat");
    gpuvm_must(gpuvm_stat(GPUVM_STAT_HOST_COPY_TIME, &taken.host_copy_seconds), "gpuvm_stat");
    gpuvm_must(gpuvm_stat(GPUVM_STAT_PAGEFAULT_TIME, &taken.fault_seconds), "gpuvm_stat");
    gpuvm_must(gpuvm_stat(GPUVM_STAT_PAGEFAULTS, &taken.faults), "gpuvm_stat");
    gpuvm_must(gpuvm_stat(GPUVM_STAT_BYTES_TO_DEVICE, &taken.bytes_up), "gpuvm_stat");
    gpuvm_must(gpuvm_stat(GPUVM_STAT_BYTES_FROM_DEVICE, &taken.bytes_down), "gpuvm_stat");
    gpuvm_must(gpuvm_stat(GPUVM_STAT_TRANSFERS_TO_DEVICE, &taken.transfers_up), "gpuvm_stat");
    gpuvm_must(gpuvm_stat(GPUVM_STAT_TRANSFERS_FROM_DEVICE, &taken.transfers_down), "gpuvm_stat");
    return taken;
}

/* Bytes and commands of the hand-written program, which are known without counting. */
static void count_by_hand(const struct arm *arm, unsigned n, double rows[ROW_COUNT])
{
    double vector = n * sizeof(float);
    double all = vector * n + 3 * vector;
    switch (arm->pair->reference) {
    case REFERENCE_STAY:
        break;
    case REFERENCE_PAGE_BOTH:
        rows[ROW_BYTES_UP] = PAGE_BYTES;
        rows[ROW_TRANSFERS_UP] = 1;
        rows[ROW_BYTES_DOWN] = PAGE_BYTES;
        rows[ROW_TRANSFERS_DOWN] = 1;
        break;
    case REFERENCE_PAGE:
        rows[ROW_BYTES_DOWN] = PAGE_BYTES;
        rows[ROW_TRANSFERS_DOWN] = 1;
        break;
    case REFERENCE_INPUTS:
        rows[ROW_BYTES_UP] = all - vector;
        rows[ROW_TRANSFERS_UP] = 3;
        rows[ROW_BYTES_DOWN] = vector;
        rows[ROW_TRANSFERS_DOWN] = 1;
        break;
    case REFERENCE_DOWN_X:
        rows[ROW_BYTES_DOWN] = vector;
        rows[ROW_TRANSFERS_DOWN] = 1;
        break;
    case REFERENCE_FULL:
        rows[ROW_BYTES_UP] = all;
        rows[ROW_TRANSFERS_UP] = 4;
        rows[ROW_BYTES_DOWN] = all;
        rows[ROW_TRANSFERS_DOWN] = 4;
        break;
    case REFERENCE_DOWN:
        rows[ROW_BYTES_DOWN] = all;
        rows[ROW_TRANSFERS_DOWN] = 4;
        break;
    }
}

void arm_burst(struct arm *arm, struct bench_device *device, unsigned warm_up, unsigned iterations,
               double rows[ROW_COUNT])
{
    for (unsigned i = 0; i < warm_up; i++) {
        iterate(arm, device);
    }
    device->operations->finish(device);
    device->operations->take_times(device);
    struct statistics before = take_statistics();
    double command_seconds = 0;
    double start = now_seconds();
    for (unsigned i = 0; i < iterations; i++) {
        command_seconds += iterate(arm, device);
    }
    double total_seconds = now_seconds() - start;
    struct statistics after = take_statistics();
    struct device_times device_times = device->operations->take_times(device);

    double microseconds = 1e6 / iterations;
    double host_copy_seconds = after.host_copy_seconds - before.host_copy_seconds;
    double fault_seconds = after.fault_seconds - before.fault_seconds;
    double copy_seconds = arm->is_reference || device->sees_all_copies
                              ? device_times.copy_seconds
                              : after.copy_seconds - before.copy_seconds;
    for (int i = 0; i < ROW_COUNT; i++) {
        rows[i] = 0;
    }
    /* Commands, and copies for faults, less what the device says that it worked. */
    double overhead_seconds =
        command_seconds + host_copy_seconds - device_times.kernel_seconds - copy_seconds;
    rows[ROW_TOTAL] = microseconds * total_seconds;
    rows[ROW_DEVICE] = microseconds * device_times.kernel_seconds;
    rows[ROW_COPIES] = microseconds * copy_seconds;
    rows[ROW_OVERHEAD] = microseconds * overhead_seconds;
    rows[ROW_SIGNALS] = microseconds * fault_seconds;
    rows[ROW_OTHER] =
        microseconds * (total_seconds - command_seconds - host_copy_seconds - fault_seconds);
    if (arm->is_reference) {
        count_by_hand(arm, device->n, rows);
        return;
    }
    rows[ROW_FAULTS] = (double)(after.faults - before.faults) / iterations;
    rows[ROW_BYTES_UP] = (double)(after.bytes_up - before.bytes_up) / iterations;
    rows[ROW_BYTES_DOWN] = (double)(after.bytes_down - before.bytes_down) / iterations;
    rows[ROW_TRANSFERS_UP] = (double)(after.transfers_up - before.transfers_up) / iterations;
    rows[ROW_TRANSFERS_DOWN] = (double)(after.transfers_down - before.transfers_down) / iterations;
}

/* ---- Life and check ---- */

static float *make_array(size_t nbytes, enum arrays arrays)
{
    if (arrays == ARRAYS_ALLOC) {
        float *array = gpuvm_alloc(nbytes);
        if (!array) {
            fail("no memory for %zu bytes", nbytes);
        }
        return array;
    }
    /* One in 256 would begin with a page by chance, and then be treated otherwise than its like. */
    float *array = allocate_or_fail(nbytes);
    float *other = (uintptr_t)array % PAGE_BYTES ? NULL : allocate_or_fail(nbytes);
    if (other) {
        free(array);
    }
    return other ? other : array;
}

/* The same numbers in every arm. */
static void fill(float *words, size_t count, unsigned limit, uint32_t seed)
{
    uint32_t state = seed;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        words[i] = (float)((state >> 16) % limit);
    }
}

static void make_arrays(struct arm *arm, unsigned n, enum arrays arrays)
{
    size_t vector = n * sizeof(float);
    arm->arrays = arrays;
    arm->a = make_array(vector * n, arrays);
    arm->x = make_array(vector, arrays);
    arm->b = make_array(vector, arrays);
    arm->x1 = make_array(vector, arrays);
    fill(arm->a, (size_t)n * n, MATVEC_LARGEST_COEFFICIENT + 1, 1);
    fill(arm->x, n, MATVEC_MODULUS, 2);
    fill(arm->b, n, MATVEC_MODULUS, 3);
    fill(arm->x1, n, MATVEC_MODULUS, 4);
}

static void free_arrays(struct arm *arm)
{
    void (*give_back)(void *) = arm->arrays == ARRAYS_ALLOC ? gpuvm_free : free;
    give_back(arm->a);
    give_back(arm->x);
    give_back(arm->b);
    give_back(arm->x1);
}

static bool writes_matrix(enum touch touch)
{
    return touch != TOUCH_NONE && touch != TOUCH_VECTOR && touch != TOUCH_MATRIX_READ &&
           touch != TOUCH_READ_ALL;
}

void arm_open(struct arm *arm, struct bench_device *device, const struct pair *pair,
              bool is_reference, bool is_aligned, const struct arm *other)
{
    size_t vector = device->n * sizeof(float);
    const struct bench_device_operations *operations = device->operations;
    *arm = (struct arm){.pair = pair, .is_reference = is_reference || pair->use == USE_BY_HAND};
    make_arrays(arm, device->n, is_aligned ? ARRAYS_ALLOC : pair->arrays);
    struct matvec_job *buffers = &arm->buffers;
    arm->is_matrix_lent = other && !writes_matrix(pair->touch);
    buffers->a =
        arm->is_matrix_lent ? other->buffers.a : operations->allocate(device, vector * device->n);
    buffers->x = operations->allocate(device, vector);
    buffers->b = operations->allocate(device, vector);
    buffers->x1 = operations->allocate(device, vector);
    if (arm->is_reference) {
        upload(arm, device);
        operations->write(device, buffers->x1, 0, arm->x1, vector);
        operations->finish(device);
        return;
    }
    gpuvm_must(gpuvm_link(arm->a, vector * device->n, 0, buffers->a, GPUVM_ON_HOST), "gpuvm_link");
    gpuvm_must(gpuvm_link(arm->x, vector, 0, buffers->x, GPUVM_ON_HOST), "gpuvm_link");
    gpuvm_must(gpuvm_link(arm->b, vector, 0, buffers->b, GPUVM_ON_HOST), "gpuvm_link");
    gpuvm_must(gpuvm_link(arm->x1, vector, 0, buffers->x1, GPUVM_ON_HOST), "gpuvm_link");
}

static uint64_t digest_arrays(const struct arm *arm, unsigned n)
{
    uint64_t digest = digest_words(0xCBF29CE484222325u, arm->a, (size_t)n * n);
    digest = digest_words(digest, arm->x, n);
    digest = digest_words(digest, arm->b, n);
    return digest_words(digest, arm->x1, n);
}

struct expected {
    unsigned n, iterations;
    bool is_known, is_columns;
    uint64_t digest, seen;
};

/* The same touches and kernels on plain arrays; kept, since most arms share it with another. */
static const struct expected *expect(const struct arm *arm, const struct bench_device *device)
{
    static struct expected known[TOUCH_COUNT];
    struct expected *expected = &known[arm->pair->touch];
    if (expected->is_known && expected->n == device->n && expected->iterations == arm->iterations &&
        expected->is_columns == device->is_columns) {
        return expected;
    }
    struct arm plain = {.pair = arm->pair};
    make_arrays(&plain, device->n, ARRAYS_MALLOC);
    for (unsigned i = 0; i < arm->iterations; i++) {
        touch_host(&plain, device->n);
        matvec_compute(device, i, plain.x1, plain.a, plain.x, plain.b);
        float *vector = plain.x;
        plain.x = plain.x1;
        plain.x1 = vector;
    }
    *expected = (struct expected){.n = device->n,
                                  .iterations = arm->iterations,
                                  .is_known = true,
                                  .is_columns = device->is_columns,
                                  .digest = digest_arrays(&plain, device->n),
                                  .seen = plain.seen};
    free_arrays(&plain);
    return expected;
}

bool arm_check(struct arm *arm, struct bench_device *device)
{
    enum reference reference = arm->pair->reference;
    bool stays = arm->is_reference && (reference == REFERENCE_STAY || moves_page(reference));
    if (stays) {
        size_t vector = device->n * sizeof(float);
        download(arm, device);
        device->operations->read(device, arm->buffers.x1, 0, arm->x1, vector);
        device->operations->finish(device);
    }
    const struct expected *expected = expect(arm, device);
    return digest_arrays(arm, device->n) == expected->digest && arm->seen == expected->seen;
}

void arm_close(struct arm *arm, struct bench_device *device)
{
    if (!arm->is_reference) {
        gpuvm_must(gpuvm_unlink(arm->a, 0), "gpuvm_unlink");
        gpuvm_must(gpuvm_unlink(arm->x, 0), "gpuvm_unlink");
        gpuvm_must(gpuvm_unlink(arm->b, 0), "gpuvm_unlink");
        gpuvm_must(gpuvm_unlink(arm->x1, 0), "gpuvm_unlink");
    }
    device->operations->take_times(device);
    if (!arm->is_matrix_lent) {
        device->operations->release(device, arm->buffers.a);
    }
    device->operations->release(device, arm->buffers.x);
    device->operations->release(device, arm->buffers.b);
    device->operations->release(device, arm->buffers.x1);
    free_arrays(arm);
}
