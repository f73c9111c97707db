/* SPDX-License-Identifier: MIT */
/* Devices that cannot: no memory for a buffer, commands that fail, no host memory. Then they can
 * again. */
#include "rig.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define BYTES 300000u
#define SMALL_BYTES 5000u

/* ---- Buffers on demand ---- */

/* user of the allocator: the devices, and an array that collect may unlink. */
struct pool {
    struct rig *rig;
    struct array *garbage;
    unsigned allocated, released, collected;
};

static void *allocate(void *user, unsigned idev, size_t nbytes)
{
    struct pool *pool = user;
    void *buffer = fake_allocate(pool->rig->fakes[idev], nbytes);

    pool->allocated += buffer != NULL;
    return buffer;
}

static void release(void *user, unsigned idev, void *devbuf)
{
    struct pool *pool = user;

    pool->released++;
    fake_release(pool->rig->fakes[idev], devbuf);
}

/* A runtime's garbage collector would find that an array is dead, and unlink it. */
static int collect(void *user, unsigned idev, size_t nbytes)
{
    struct pool *pool = user;

    pool->collected++;
    if (pool->garbage == NULL)
        return 0;
    expect_equal(gpuvm_unlink(pool->garbage->host, idev), 0);
    pool->garbage = NULL;
    return 1;
}

static void set_allocators(struct pool *pool)
{
    struct gpuvm_allocator allocator = {allocate, release, collect, pool};

    for (unsigned i = 0; i < pool->rig->devices; i++)
        expect_equal(gpuvm_set_allocator(i, &allocator), 0);
}

static void link_lazily(struct array *array, struct rig *rig, uint32_t seed)
{
    array_fill(array, rig, contract_map(BYTES), WORDS(BYTES), seed);
    for (unsigned i = 0; i < rig->devices; i++)
        expect_equal(gpuvm_link(array->host, BYTES, i, NULL, GPUVM_ON_HOST), 0);
}

static void unlink_lazily(struct array *array)
{
    rig_wait(array->rig);
    for (unsigned i = 0; i < array->rig->devices; i++)
        expect_equal(gpuvm_unlink(array->host, i), 0);
    array_check(array);
    array_drop(array);
}

static void test_on_demand(const struct setting *setting)
{
    struct rig rig;
    struct pool pool = {.rig = &rig};
    struct array array;

    rig_start(&rig, setting, 0);
    set_allocators(&pool);
    link_lazily(&array, &rig, 5);
    expect_equal(pool.allocated, 0);
    for (unsigned i = 0; i < rig.devices; i++) {
        array_run(&array, i, GPUVM_READ_WRITE);
        expect(pool.allocated == i + 1);
    }
    array_run(&array, 0, GPUVM_READ_WRITE);
    array_check(&array);
    expect(gpuvm_xlate(array.host, 0) != NULL);
    expect_equal(pool.released, 0);
    unlink_lazily(&array);
    expect_equal(pool.released, pool.allocated);

    link_lazily(&array, &rig, 6);
    pool.allocated = 0;
    expect(gpuvm_xlate(array.host, 0) != NULL); /* makes it, too */
    expect(pool.allocated == 1);
    expect_equal(gpuvm_finish(), 0);
    for (unsigned i = 0; i < rig.devices; i++)
        expect_equal(fake_totals(rig.fakes[i]).buffers, 0);
    array_check(&array);
    array_drop(&array);
    rig_destroy(&rig);
}

static void test_out_of_device_memory(const struct setting *setting)
{
    struct rig rig;
    struct pool pool = {.rig = &rig};
    struct array array;

    rig_start(&rig, setting, 0);
    set_allocators(&pool);
    link_lazily(&array, &rig, 9);
    for (int round = 0; round < 3; round++) {
        fake_inject(rig.fakes[0], FAKE_FAIL_ALLOCATE, 0);
        expect_equal(gpuvm_kernel_begin(array.host, 0, GPUVM_READ_WRITE), GPUVM_EDEVALLOC);
        expect_equal(pool.collected, 1 + 2 * round);
        expect_equal(gpuvm_kernel_end(array.host, 0), GPUVM_ESTATE);
        array_check(&array);
        array_write(&array, 10, 20);
        fake_inject(rig.fakes[0], FAKE_FAIL_ALLOCATE, 0);
        expect(gpuvm_xlate(array.host, 0) == NULL);
        expect_equal(pool.collected, 2 + 2 * round);
    }
    array_run(&array, 0, GPUVM_READ_WRITE);
    array_check(&array);
    unlink_lazily(&array);
    expect_equal(pool.allocated, 1);
    expect_equal(pool.released, 1);
    rig_stop(&rig);
}

/* collect unlinks an array that only the device has: its data come back, its buffer makes room. */
static void test_collect(const struct setting *setting)
{
    struct rig rig;
    struct pool pool = {.rig = &rig};
    struct array garbage, array;

    rig_start(&rig, setting, 0);
    set_allocators(&pool);
    link_lazily(&garbage, &rig, 3);
    link_lazily(&array, &rig, 4);
    array_run(&garbage, 0, GPUVM_READ_WRITE);
    rig_wait(&rig);
    pool.garbage = &garbage;
    fake_inject(rig.fakes[0], FAKE_FAIL_ALLOCATE, 0);
    array_run(&array, 0, GPUVM_READ_WRITE);
    expect_equal(pool.collected, 1);
    expect_equal(pool.released, 1);
    array_check(&garbage);
    array_check(&array);
    if (rig.devices > 1)
        expect_equal(gpuvm_unlink(garbage.host, 1), 0);
    array_drop(&garbage);
    unlink_lazily(&array);
    rig_stop(&rig);
}

/* begin_many is all or nothing here, too. */
static void test_many_out_of_memory(const struct setting *setting)
{
    struct rig rig;
    struct pool pool = {.rig = &rig};
    struct array arrays[3];
    void *hosts[3];
    int flags[3] = {GPUVM_READ_WRITE, GPUVM_READ_ONLY, GPUVM_WRITE_ONLY};

    rig_start(&rig, setting, 0);
    set_allocators(&pool);
    for (uint32_t i = 0; i < 3; i++) {
        link_lazily(&arrays[i], &rig, i);
        hosts[i] = arrays[i].host;
    }
    for (unsigned failing = 0; failing < 3; failing++) {
        fake_inject(rig.fakes[0], FAKE_FAIL_ALLOCATE, 0); /* one more buffer is made each time */
        expect_equal(gpuvm_kernel_begin_many(3, hosts, 0, flags), GPUVM_EDEVALLOC);
        for (int i = 0; i < 3; i++)
            expect_equal(gpuvm_kernel_end(hosts[i], 0), GPUVM_ESTATE);
        if (failing < 2)
            expect(gpuvm_xlate(hosts[failing], 0) != NULL);
    }
    expect_equal(gpuvm_kernel_begin_many(3, hosts, 0, flags), 0);
    for (int i = 0; i < 3; i++)
        array_launch(&arrays[i], 0, flags[i]);
    expect_equal(gpuvm_kernel_end_many(3, hosts, 0), 0);
    for (int i = 0; i < 3; i++)
        unlink_lazily(&arrays[i]);
    rig_stop(&rig);
}

/* ---- Commands that fail ---- */

static void make_kinds(struct array *arrays, struct rig *rig)
{
    array_make(&arrays[0], rig, contract_map(BYTES), WORDS(BYTES));
    array_make(&arrays[1], rig, (char *)contract_map(BYTES) + 20, WORDS(BYTES) - 10);
    array_make(&arrays[2], rig, (char *)contract_map(SMALL_BYTES) + 20, WORDS(SMALL_BYTES) - 10);
}

static void test_failed_write(const struct setting *setting)
{
    struct rig rig;
    struct array arrays[3];

    rig_start(&rig, setting, 0);
    if (rig.is_direct)
        contract_skip("on svm nothing is written to a device");
    make_kinds(arrays, &rig);
    for (int i = 0; i < 3; i++) {
        struct array *array = &arrays[i];

        for (int round = 0; round < 3; round++) {
            fake_inject(rig.fakes[0], FAKE_FAIL_WRITE, 0);
            expect_equal(gpuvm_kernel_begin(array->host, 0, GPUVM_READ_WRITE), GPUVM_ERROR);
            expect_equal(gpuvm_kernel_end(array->host, 0), GPUVM_ESTATE);
            array_write(array, 3, 5);
        }
        array_run(array, 0, GPUVM_READ_WRITE);
        array_end(array);
    }
    rig_stop(&rig);
}

/* The array stays begun, or linked, and nothing is lost. */
static void test_failed_read(const struct setting *setting)
{
    struct rig rig;
    struct array arrays[3];

    rig_start(&rig, setting, 0);
    if (rig.is_direct)
        contract_skip("on svm nothing is read from a device");
    make_kinds(arrays, &rig);
    for (int i = 0; i < 3; i++) {
        struct array *array = &arrays[i];

        expect_equal(gpuvm_kernel_begin(array->host, 0, GPUVM_READ_WRITE), 0);
        array_launch(array, 0, GPUVM_READ_WRITE);
        rig_wait(&rig);
        if (i > 0) { /* edges come back at the end */
            fake_inject(rig.fakes[0], FAKE_FAIL_READ, 0);
            expect_equal(gpuvm_kernel_end(array->host, 0), GPUVM_ERROR);
            expect_equal(gpuvm_unlink(array->host, 0), GPUVM_ESTATE);
        }
        expect_equal(gpuvm_kernel_end(array->host, 0), 0);
        if (i < 2) { /* the interior comes at unlink */
            unsigned last = rig.devices - 1;

            if (rig.devices > 1)
                expect_equal(gpuvm_unlink(array->host, last), 0);
            fake_inject(rig.fakes[0], FAKE_FAIL_READ, 0);
            expect_equal(gpuvm_unlink(array->host, 0), GPUVM_ERROR);
            expect_equal(contract_stat(GPUVM_STAT_ARRAYS), (unsigned)(3 - i));
            expect_equal(gpuvm_unlink(array->host, 0), 0);
            array_check(array);
            array_drop(array);
        } else {
            array_end(array);
        }
    }
    rig_stop(&rig);
}

static void test_failed_host_begin(const struct setting *setting)
{
    struct rig rig;
    struct array array;

    rig_start(&rig, setting, 0);
    if (rig.is_direct)
        contract_skip("on svm nothing is read from a device");
    array_make(&array, &rig, contract_map(BYTES), WORDS(BYTES));
    array_run(&array, 0, GPUVM_READ_WRITE);
    rig_wait(&rig);
    fake_inject(rig.fakes[0], FAKE_FAIL_READ, 0);
    expect_equal(gpuvm_host_begin(array.host, BYTES, GPUVM_READ_WRITE), GPUVM_ERROR);
    expect_equal(gpuvm_host_begin(array.host, BYTES, GPUVM_READ_WRITE), 0);
    array_check(&array);
    expect_equal(gpuvm_host_end(array.host, BYTES), 0);
    array_end(&array);
    rig_stop(&rig);
}

/* ---- No host memory ---- */

/* What the process has mapped now. */
static rlim_t mapped_bytes(void)
{
    char line[256];
    unsigned long kib = 0;
    FILE *file = fopen("/proc/self/status", "r");

    expect(file != NULL);
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "VmSize: %lu", &kib) == 1)
            break;
    fclose(file);
    expect(kib > 0);
    return (rlim_t)kib * 1024;
}

/* Calls fail with ESALLOC and nothing else, and work again when there is memory. */
static void test_no_host_memory(const struct setting *setting)
{
    enum { COUNT = 4000 };
    static char *hosts[COUNT];
    static void *buffers[COUNT];
    struct rlimit before, tight;
    struct rig rig;
    struct array array;
    unsigned linked = 0, refused = 0;
    int error;

    if (IS_SANITIZED)
        contract_skip("a sanitizer maps memory of its own");
    rig_start(&rig, setting, 0);
    array_make(&array, &rig, contract_map((size_t)64 << 20), WORDS((size_t)64 << 20));
    for (int i = 0; i < COUNT; i++) {
        hosts[i] = contract_map(4 * contract_page_bytes());
        buffers[i] = fake_allocate(rig.fakes[0], 2 * contract_page_bytes());
    }
    expect_equal(getrlimit(RLIMIT_AS, &before), 0);
    tight = before;
    tight.rlim_cur = mapped_bytes() + contract_page_bytes() * 16;
    expect_equal(setrlimit(RLIMIT_AS, &tight), 0);
    error = gpuvm_kernel_begin(array.host, 0, GPUVM_READ_WRITE);
    expect(error == 0 || error == GPUVM_ESALLOC);
    if (error == 0)
        expect_equal(gpuvm_kernel_end(array.host, 0), 0);
    for (int i = 0; i < COUNT; i++) {
        error = gpuvm_link(hosts[i], 2 * contract_page_bytes(), 0, buffers[i], GPUVM_ON_HOST);
        expect(error == 0 || error == GPUVM_ESALLOC);
        refused += error != 0;
    }
    expect_equal(setrlimit(RLIMIT_AS, &before), 0);
    linked = COUNT - refused;
    expect_equal(contract_stat(GPUVM_STAT_ARRAYS), linked + 1);
    for (int i = 0; i < COUNT; i++) {
        error = gpuvm_link(hosts[i], 2 * contract_page_bytes(), 0, buffers[i], GPUVM_ON_HOST);
        expect(error == 0 || error == GPUVM_ELINK);
        expect_equal(gpuvm_unlink(hosts[i], 0), 0);
        fake_release(rig.fakes[0], buffers[i]);
    }
    array_run(&array, 0, GPUVM_READ_WRITE);
    array_end(&array);
    rig_stop(&rig);
}

/* ---- A device that fails for a while: touches end with a signal, and later ones do not ---- */

static atomic_bool is_failing;
static struct gpuvm_device_ops failing_ops;
static const struct gpuvm_device_ops *real_ops;
static sigjmp_buf out;

static int read_or_fail(void *device, const struct gpuvm_segment *segments, size_t count)
{
    return atomic_load(&is_failing) || real_ops->read(device, segments, count);
}

static void leave(int number)
{
    siglongjmp(out, 1);
}

static bool can_touch(struct array *array)
{
    if (sigsetjmp(out, 1))
        return false;
    (void)*(volatile uint32_t *)array->host;
    return true;
}

static void test_transient_failure(const struct setting *setting)
{
    struct sigaction action = {.sa_handler = leave};
    struct rig rig;
    struct array array;
    struct gpuvm_device device;

    if (IS_SANITIZED)
        contract_skip("a sanitizer has handlers of its own");
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGSEGV, &action, NULL);
    rig_make(&rig, setting);
    if (rig.is_svm)
        contract_skip("on svm nothing is read from a device");
    device = *fake_device(rig.fakes[0]);
    real_ops = device.ops;
    failing_ops = *real_ops;
    failing_ops.read = read_or_fail;
    device.ops = &failing_ops;
    rig.handles[0] = &device;
    rig_init(&rig, 0);
    array_make(&array, &rig, contract_map(BYTES), WORDS(BYTES));
    array_run(&array, 0, GPUVM_READ_WRITE);
    atomic_store(&is_failing, true);
    expect(!can_touch(&array));
    expect(!can_touch(&array));
    atomic_store(&is_failing, false);
    for (int i = 0; i < 100 && !can_touch(&array); i++)
        usleep(20000);
    expect(can_touch(&array));
    array_check(&array);
    array_end(&array);
    rig_stop(&rig);
}

static const struct test tests[] = {
    {"on_demand", test_on_demand, ON_ALL},
    {"out_of_device_memory", test_out_of_device_memory, ON_ALL},
    {"collect", test_collect, ON_ALL},
    {"many_out_of_memory", test_many_out_of_memory, ON_ALL},
    {"failed_write", test_failed_write, WITHOUT_REACH},
    {"failed_read", test_failed_read, WITHOUT_REACH},
    {"failed_host_begin", test_failed_host_begin, WITHOUT_REACH},
    {"transient_failure", test_transient_failure, ON_ONE},
    {"no_host_memory", test_no_host_memory, ON_ANY_ONE},
};

CONTRACT_MAIN(tests)
