/* SPDX-License-Identifier: MIT */
/* Which error each call gives for each wrong argument and state; the values of the constants. */
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES 40000u
#define JUNK 0x40000000

/* A program for the original was compiled with these numbers. */
_Static_assert(GPUVM_OPENCL == 1 && GPUVM_CUDA == 2, "kinds of devices");
_Static_assert(GPUVM_ON_HOST == 4 && GPUVM_ON_DEVICE == 8, "link");
_Static_assert(GPUVM_READ_ONLY == 0x10 && GPUVM_WRITE_ONLY == 0x20 && GPUVM_READ_WRITE == 0x30,
               "uses");
_Static_assert(GPUVM_STAT == 0x40 && GPUVM_WRITER_SIG_BLOCK == 0x200, "options");
_Static_assert(GPUVM_UNLINK_NO_SYNC_BACK == 0x400, "options");
_Static_assert(GPUVM_THREADS_BEFORE_INIT == 0x80 && GPUVM_THREADS_AFTER_INIT == 0x100, "pre_init");
_Static_assert(GPUVM_ALL_DEVICES == ~0u, "all devices");
_Static_assert(GPUVM_ERROR == -1 && GPUVM_ESALLOC == -2 && GPUVM_ENULL == -3, "errors");
_Static_assert(GPUVM_EARG == -4 && GPUVM_ETWICE == -5 && GPUVM_ERANGE == -6, "errors");
_Static_assert(GPUVM_ELINK == -7 && GPUVM_EHOSTPTR == -8 && GPUVM_EDEVALLOC == -9, "errors");
_Static_assert(GPUVM_EPROT == -10 && GPUVM_ENOLINK == -11 && GPUVM_ESTATE == -12, "errors");
_Static_assert(GPUVM_EAPI == -13, "errors");
_Static_assert(GPUVM_STAT_ENABLED == 1 && GPUVM_STAT_NDEVS == 2 && GPUVM_STAT_COPY_TIME == 3,
               "statistics");
_Static_assert(GPUVM_STAT_PAGEFAULTS == 4 && GPUVM_STAT_HOST_COPY_TIME == 5, "statistics");
_Static_assert(GPUVM_STAT_PAGEFAULT_TIME == 6, "statistics");

/* Before gpuvm_init, and after gpuvm_finish. */
static void expect_stopped(void *host)
{
    void *hosts[1] = {host};
    int flags[1] = {GPUVM_READ_WRITE}, value;
    struct gpuvm_array_info info;
    struct gpuvm_allocator allocator = fake_allocator;

    expect_equal(gpuvm_library_exists(), 1);
    expect_equal(gpuvm_link(host, BYTES, 0, host, GPUVM_ON_HOST), GPUVM_ESTATE);
    expect_equal(gpuvm_unlink(host, 0), GPUVM_ESTATE);
    expect(gpuvm_xlate(host, 0) == NULL);
    expect_equal(gpuvm_kernel_begin(host, 0, GPUVM_READ_WRITE), GPUVM_ESTATE);
    expect_equal(gpuvm_kernel_end(host, 0), GPUVM_ESTATE);
    expect_equal(gpuvm_kernel_begin_many(1, hosts, 0, flags), GPUVM_ESTATE);
    expect_equal(gpuvm_kernel_end_many(1, hosts, 0), GPUVM_ESTATE);
    expect_equal(gpuvm_host_begin(host, BYTES, GPUVM_READ_WRITE), GPUVM_ESTATE);
    expect_equal(gpuvm_host_end(host, BYTES), GPUVM_ESTATE);
    expect_equal(gpuvm_stat(GPUVM_STAT_ENABLED, &value), GPUVM_ESTATE);
    expect_equal(gpuvm_array_info(host, &info), GPUVM_ESTATE);
    expect_equal(gpuvm_set_allocator(0, &allocator), GPUVM_ESTATE);
    expect_equal(gpuvm_trace_write("/dev/null"), GPUVM_ESTATE);
    expect_equal(gpuvm_finish(), GPUVM_ESTATE);
}

static void test_stopped(const struct setting *setting)
{
    struct rig rig;
    void *host = contract_map(BYTES);

    expect_stopped(host);
    for (int round = 0; round < 3; round++) {
        struct array array;

        rig_start(&rig, setting, 0);
        array_make(&array, &rig, host, WORDS(BYTES));
        array_run(&array, 0, GPUVM_READ_WRITE);
        expect_equal(gpuvm_finish(), 0); /* brings the data back */
        rig_wait(&rig);
        array_check(&array);
        array_drop(&array);
        rig_destroy(&rig);
        expect_stopped(host);
    }
}

static void test_pre_init(const struct setting *setting)
{
    struct rig rig;

    expect_equal(gpuvm_pre_init(0), GPUVM_EARG);
    expect_equal(gpuvm_pre_init(GPUVM_THREADS_BEFORE_INIT | GPUVM_THREADS_AFTER_INIT), GPUVM_EARG);
    expect_equal(gpuvm_pre_init(GPUVM_STAT), GPUVM_EARG);
    expect_equal(gpuvm_pre_init(GPUVM_THREADS_AFTER_INIT), GPUVM_ESTATE);
    expect_equal(gpuvm_pre_init(GPUVM_THREADS_BEFORE_INIT), 0);
    expect_equal(gpuvm_pre_init(GPUVM_THREADS_BEFORE_INIT), 0);
    expect_equal(gpuvm_pre_init(GPUVM_THREADS_AFTER_INIT), 0);
    expect_equal(gpuvm_pre_init(GPUVM_THREADS_AFTER_INIT), GPUVM_ETWICE);
    rig_start(&rig, setting, 0);
    expect_equal(gpuvm_pre_init(GPUVM_THREADS_AFTER_INIT), GPUVM_ESTATE);
    rig_stop(&rig);
}

static void test_init(const struct setting *setting)
{
    struct rig rig;
    void *none[RIG_DEVICES] = {NULL, NULL};

    rig_make(&rig, setting);
    expect_equal(gpuvm_init(rig.devices, NULL, GPUVM_OPS), GPUVM_ENULL);
    expect_equal(gpuvm_init(rig.devices, none, GPUVM_OPS), GPUVM_ENULL);
    expect_equal(gpuvm_init(0, rig.handles, GPUVM_OPS), GPUVM_EARG);
    expect_equal(gpuvm_init(rig.devices, rig.handles, GPUVM_OPS | JUNK), GPUVM_EARG);
    expect_equal(gpuvm_init(rig.devices, rig.handles, GPUVM_OPS | GPUVM_READ_ONLY), GPUVM_EARG);
    /* Bits beside GPUVM_RUNG_MASK name no rung. */
    expect_equal(gpuvm_init(rig.devices, rig.handles, GPUVM_OPS | 0x40000), GPUVM_EARG);
    expect_equal(gpuvm_init(rig.devices, rig.handles, GPUVM_CUDA), GPUVM_EAPI);
    expect(gpuvm_init(rig.devices, rig.handles, GPUVM_STAT) < 0);               /* of no kind */
    expect(gpuvm_init(rig.devices, rig.handles, GPUVM_OPS | GPUVM_OPENCL) < 0); /* of two */
    expect_stopped(none);
    rig_init(&rig, GPUVM_STAT | GPUVM_WRITER_SIG_BLOCK | GPUVM_UNLINK_NO_SYNC_BACK);
    expect_equal(gpuvm_init(rig.devices, rig.handles, GPUVM_OPS), GPUVM_ETWICE);
    rig_stop(&rig);
}

/* The environment wins over a flag; a name that is none is refused. */
static void test_forced_rung(const struct setting *setting)
{
    const char *was = getenv("GPUVM_BACKEND"), *used = NULL;
    char name[32] = "", *rung = was != NULL ? name : NULL;
    struct rig rig;
    int error;

    rig_make(&rig, setting);
    snprintf(name, sizeof name, "%s", was != NULL ? was : "");
    static const char *const wrong[] = {"nonsense", "uffd-move-sigbus", "uffd-copy-sigbus"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        setenv("GPUVM_BACKEND", wrong[i], 1);
        error = gpuvm_init(rig.devices, rig.handles, GPUVM_OPS);
        expect_equal(error, GPUVM_EARG);
    }
    if (rung == NULL)
        unsetenv("GPUVM_BACKEND");
    else
        setenv("GPUVM_BACKEND", rung, 1);
    rig_init(&rig, rung != NULL ? GPUVM_RUNG_SVM : GPUVM_RUNG_SEGV_MEM);
    expect_equal(gpuvm_stat(GPUVM_STAT_RUNG, &used), 0);
    expect(used != NULL && strcmp(used, rung != NULL ? rung : "segv-mem") == 0);
    rig_stop(&rig);
}

static void test_link(const struct setting *setting)
{
    struct rig rig;
    char *host = contract_map(4 * BYTES);
    void *buffer;

    rig_start(&rig, setting, 0);
    buffer = fake_allocate(rig.fakes[0], BYTES);
    expect_equal(gpuvm_link(NULL, BYTES, 0, buffer, GPUVM_ON_HOST), GPUVM_ENULL);
    if (!rig.is_svm)
        expect_equal(gpuvm_link(host, BYTES, 0, NULL, GPUVM_ON_HOST), GPUVM_ENULL);
    expect_equal(gpuvm_link(host, 0, 0, buffer, GPUVM_ON_HOST), GPUVM_EARG);
    expect_equal(gpuvm_link(host, BYTES, rig.devices, buffer, GPUVM_ON_HOST), GPUVM_EARG);
    expect_equal(gpuvm_link(host, BYTES, GPUVM_ALL_DEVICES, buffer, GPUVM_ON_HOST), GPUVM_EARG);
    expect_equal(gpuvm_link(host, BYTES, 0, buffer, 0), GPUVM_EARG);
    expect_equal(gpuvm_link(host, BYTES, 0, buffer, GPUVM_ON_HOST | GPUVM_ON_DEVICE), GPUVM_EARG);
    expect_equal(gpuvm_link(host, BYTES, 0, buffer, GPUVM_ON_HOST | JUNK), GPUVM_EARG);
    expect_equal(gpuvm_link(host, BYTES, 0, buffer, GPUVM_ON_HOST | GPUVM_READ_ONLY), GPUVM_EARG);
    expect(gpuvm_link(host, SIZE_MAX - 100, 0, buffer, GPUVM_ON_HOST) <
           0); /* past the end of memory */
    expect_equal(contract_stat(GPUVM_STAT_ARRAYS), 0);

    /* The original wanted the kind of device here too. */
    expect_equal(gpuvm_link(host, BYTES, 0, buffer, GPUVM_ON_HOST | GPUVM_OPS), 0);
    /* So is memory that was freed while it was linked, and given out again. */
    expect_equal(gpuvm_link(host, BYTES, 0, buffer, GPUVM_ON_HOST), GPUVM_ELINK);
    expect_equal(gpuvm_link(host, BYTES / 2, 0, buffer, GPUVM_ON_HOST), GPUVM_ERANGE);
    if (rig.devices > 1)
        expect_equal(gpuvm_link(host, BYTES, 1, buffer, GPUVM_ON_DEVICE), GPUVM_ETWICE);
    expect_equal(contract_stat(GPUVM_STAT_ARRAYS), 1);
    expect_equal(gpuvm_unlink(host, 0), 0);
    expect_equal(contract_stat(GPUVM_STAT_ARRAYS), 0);
    fake_release(rig.fakes[0], buffer);
    rig_stop(&rig);
}

static void test_overlap(const struct setting *setting)
{
    static const struct {
        unsigned start, end; /* relative to an array from BYTES to 2 * BYTES */
    } overlapping[] = {
        {1, BYTES + 1},         {2 * BYTES - 1, 3 * BYTES}, {0, 3 * BYTES},
        {BYTES, BYTES + 1},     {BYTES + 1, 2 * BYTES},     {BYTES, 2 * BYTES - 1},
        {BYTES - 1, 2 * BYTES}, {BYTES, 2 * BYTES + 1},     {BYTES + 5, 2 * BYTES - 5}};
    unsigned device = setting->devices - 1;
    struct rig rig;
    struct array before, middle, after;
    char *host = contract_map(4 * BYTES);
    void *buffer;

    rig_start(&rig, setting, 0);
    buffer = fake_allocate(rig.fakes[device], 3 * BYTES);
    array_make(&middle, &rig, host + BYTES, WORDS(BYTES));
    for (size_t i = 0; i < sizeof overlapping / sizeof overlapping[0]; i++) {
        unsigned start = overlapping[i].start, end = overlapping[i].end;

        expect_equal(gpuvm_link(host + start, end - start, device, buffer, GPUVM_ON_HOST),
                     GPUVM_ERANGE);
    }
    array_make(&before, &rig, host, WORDS(BYTES)); /* neighbours are no overlap */
    array_make(&after, &rig, host + 2 * BYTES, WORDS(BYTES));
    array_run(&middle, device, GPUVM_READ_WRITE);
    array_check(&before);
    array_check(&after);
    array_end(&after);
    array_end(&middle);
    array_end(&before);
    fake_release(rig.fakes[device], buffer);
    rig_stop(&rig);
}

static void test_unlink(const struct setting *setting)
{
    struct rig rig;
    struct array array;
    char *host = contract_map(BYTES), other;

    rig_start(&rig, setting, 0);
    array_fill(&array, &rig, host, WORDS(BYTES), 1);
    array_link(&array, 0);
    expect_equal(gpuvm_unlink(NULL, 0), 0);
    expect_equal(gpuvm_unlink(&other, 0), GPUVM_EHOSTPTR);
    expect_equal(gpuvm_unlink(host + BYTES, 0), GPUVM_EHOSTPTR);
    expect_equal(gpuvm_unlink(host, rig.devices), GPUVM_EARG);
    if (rig.devices > 1)
        expect_equal(gpuvm_unlink(host, 1), 0); /* not linked there */
    expect_equal(contract_stat(GPUVM_STAT_ARRAYS), 1);
    expect_equal(gpuvm_kernel_begin(host, 0, GPUVM_READ_WRITE), 0);
    expect_equal(gpuvm_unlink(host, 0), GPUVM_ESTATE);
    array_launch(&array, 0, GPUVM_READ_WRITE);
    expect_equal(gpuvm_kernel_end(host, 0), 0);
    expect_equal(gpuvm_unlink(host + BYTES / 2, 0), 0);
    expect_equal(gpuvm_unlink(host, 0), GPUVM_EHOSTPTR);
    rig_wait(&rig);
    array_check(&array);
    array_drop(&array);
    rig_stop(&rig);
}

static void test_kernel_begin(const struct setting *setting)
{
    static const int wrong[] = {0,   GPUVM_READ_WRITE | JUNK, GPUVM_ON_HOST, GPUVM_STAT,
                                0x8, GPUVM_READ_ONLY | 0x1};
    struct rig rig;
    struct array array;
    char *host = contract_map(BYTES);

    rig_start(&rig, setting, 0);
    array_fill(&array, &rig, host, WORDS(BYTES), 1);
    expect_equal(gpuvm_kernel_begin(host, 0, GPUVM_READ_ONLY), GPUVM_EHOSTPTR);
    array_link(&array, 0);
    expect_equal(gpuvm_kernel_begin(NULL, 0, GPUVM_READ_ONLY), GPUVM_ENULL);
    expect_equal(gpuvm_kernel_begin(host, rig.devices, GPUVM_READ_ONLY), GPUVM_EARG);
    expect_equal(gpuvm_kernel_begin(host + BYTES, 0, GPUVM_READ_ONLY), GPUVM_EHOSTPTR);
    expect_equal(gpuvm_kernel_begin(host - 1, 0, GPUVM_READ_ONLY), GPUVM_EHOSTPTR);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        expect_equal(gpuvm_kernel_begin(host, 0, wrong[i]), GPUVM_EARG);
    if (rig.devices > 1) {
        expect_equal(gpuvm_kernel_begin(host, 1, GPUVM_READ_ONLY), GPUVM_ENOLINK);
        expect_equal(gpuvm_kernel_end(host, 1), GPUVM_ENOLINK);
        expect(gpuvm_xlate(host, 1) == NULL);
    }
    expect_equal(gpuvm_kernel_end(host, 0), GPUVM_ESTATE); /* none of them has begun */
    expect_equal(gpuvm_kernel_end(NULL, 0), GPUVM_ENULL);
    expect_equal(gpuvm_kernel_end(host, rig.devices), GPUVM_EARG);
    expect_equal(gpuvm_kernel_end_after(NULL, 0, 0, NULL), GPUVM_ENULL);
    expect_equal(gpuvm_kernel_end(host + BYTES, 0), GPUVM_EHOSTPTR);
    expect(gpuvm_xlate(host, 0) == (rig.is_direct ? host : array.buffers[0]));
    expect(gpuvm_xlate(host + BYTES - 1, 0) == gpuvm_xlate(host, 0));
    expect(gpuvm_xlate(host + BYTES, 0) == NULL);
    expect(gpuvm_xlate(NULL, 0) == NULL && gpuvm_xlate(host, rig.devices) == NULL);
    array_end(&array);
    rig_stop(&rig);
}

static void test_many(const struct setting *setting)
{
    struct rig rig;
    struct array a, b;
    char *host = contract_map(4 * BYTES), *stranger = host + 3 * BYTES;
    int flags[3] = {GPUVM_READ_WRITE, GPUVM_READ_ONLY, GPUVM_READ_WRITE};
    void *hosts[3] = {host, host + 2 * BYTES, stranger}, *same[2] = {host, host + 8};

    rig_start(&rig, setting, 0);
    array_make(&a, &rig, host, WORDS(BYTES));
    array_make(&b, &rig, host + 2 * BYTES, WORDS(BYTES));
    expect_equal(gpuvm_kernel_begin_many(3, hosts, 0, flags), GPUVM_EHOSTPTR);
    expect_equal(gpuvm_kernel_end(a.host, 0), GPUVM_ESTATE); /* none was begun */
    expect_equal(gpuvm_kernel_end(b.host, 0), GPUVM_ESTATE);
    expect_equal(gpuvm_kernel_begin_many(2, NULL, 0, flags), GPUVM_ENULL);
    expect_equal(gpuvm_kernel_begin_many(2, hosts, 0, NULL), GPUVM_ENULL);
    expect_equal(gpuvm_kernel_begin_many(2, hosts, rig.devices, flags), GPUVM_EARG);
    expect_equal(gpuvm_kernel_end_many(2, NULL, 0), GPUVM_ENULL);
    expect_equal(gpuvm_kernel_begin_many(2, same, 0, flags), GPUVM_EARG);
    expect_equal(gpuvm_kernel_end(a.host, 0), GPUVM_ESTATE);
    flags[1] = JUNK;
    expect_equal(gpuvm_kernel_begin_many(2, hosts, 0, flags), GPUVM_EARG);
    expect_equal(gpuvm_kernel_end(a.host, 0), GPUVM_ESTATE);
    flags[1] = GPUVM_READ_ONLY;

    expect_equal(gpuvm_kernel_begin_many(2, hosts, 0, flags), 0);
    array_launch(&a, 0, GPUVM_READ_WRITE);
    array_launch(&b, 0, GPUVM_READ_ONLY);
    expect_equal(gpuvm_kernel_end_many(3, hosts, 0), GPUVM_EHOSTPTR);
    expect_equal(gpuvm_kernel_end_many(2, hosts, 0), 0);
    expect_equal(gpuvm_kernel_end_many(2, hosts, 0), GPUVM_ESTATE);
    array_end(&a);
    array_end(&b);
    rig_stop(&rig);
}

static void test_host_begin(const struct setting *setting)
{
    struct rig rig;
    struct array array;
    char *host = contract_map(BYTES);

    rig_start(&rig, setting, 0);
    array_make(&array, &rig, host, WORDS(BYTES));
    expect_equal(gpuvm_host_begin(NULL, BYTES, GPUVM_READ_WRITE), GPUVM_ENULL);
    expect_equal(gpuvm_host_begin(host, BYTES, 0), GPUVM_EARG);
    expect_equal(gpuvm_host_begin(host, BYTES, JUNK), GPUVM_EARG);
    expect_equal(gpuvm_host_end(NULL, BYTES), GPUVM_ENULL);
    expect_equal(gpuvm_host_begin(&rig, sizeof rig, GPUVM_READ_WRITE), 0); /* in no array */
    expect_equal(gpuvm_host_end(&rig, sizeof rig), 0);
    array_end(&array);
    rig_stop(&rig);
}

static void *allocate_none(void *user, unsigned idev, size_t nbytes)
{
    return NULL;
}

static void release_none(void *user, unsigned idev, void *devbuf) {}

static void test_set_allocator(const struct setting *setting)
{
    struct gpuvm_allocator allocator = {allocate_none, release_none, NULL, NULL}, broken;
    struct rig rig;
    char *host = contract_map(BYTES);

    rig_start(&rig, setting, 0);
    expect_equal(gpuvm_set_allocator(0, NULL), GPUVM_ENULL);
    expect_equal(gpuvm_set_allocator(rig.devices, &allocator), GPUVM_EARG);
    broken = allocator;
    broken.allocate = NULL;
    expect_equal(gpuvm_set_allocator(0, &broken), GPUVM_ENULL);
    broken = allocator;
    broken.release = NULL;
    expect_equal(gpuvm_set_allocator(0, &broken), GPUVM_ENULL);
    expect_equal(gpuvm_set_allocator(0, &allocator), 0);
    expect_equal(gpuvm_link(host, BYTES, 0, NULL, GPUVM_ON_HOST), 0);
    expect_equal(gpuvm_kernel_begin(host, 0, GPUVM_READ_WRITE), GPUVM_EDEVALLOC);
    expect_equal(gpuvm_kernel_end(host, 0), GPUVM_ESTATE);
    expect_equal(gpuvm_unlink(host, 0), 0);
    rig_stop(&rig);
}

static void test_strerror(const struct setting *setting)
{
    const char *unknown = gpuvm_strerror(-1000);

    expect(strcmp(gpuvm_strerror(0), "success") == 0);
    expect(unknown != NULL && *unknown != '\0' && gpuvm_strerror(1) != NULL);
    for (int error = GPUVM_EAPI; error <= 0; error++) {
        const char *text = gpuvm_strerror(error);

        expect(text != NULL && *text != '\0' && strcmp(text, unknown) != 0);
        for (int other = GPUVM_EAPI; other < error; other++)
            expect(strcmp(text, gpuvm_strerror(other)) != 0);
    }
}

static const struct test tests[] = {
    {"stopped", test_stopped, ON_ALL},
    {"pre_init", test_pre_init, ON_ONE},
    {"init", test_init, ON_ALL},
    {"forced_rung", test_forced_rung, ON_ONE},
    {"link", test_link, ON_ALL},
    {"overlap", test_overlap, ON_ALL},
    {"unlink", test_unlink, ON_ALL},
    {"kernel_begin", test_kernel_begin, ON_ALL},
    {"many", test_many, ON_ALL},
    {"host_begin", test_host_begin, ON_ALL},
    {"set_allocator", test_set_allocator, ON_ALL},
    {"strerror", test_strerror, ON_ONE},
};

CONTRACT_MAIN(tests)
