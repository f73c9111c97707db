/* SPDX-License-Identifier: MIT */
/*
 * The threads that serve faults. They run wherever the program may: a device's driver, which may
 * start threads of its own on them, finds the program's processors. A driver that takes its time
 * must not keep other faults waiting.
 */
#include "rig.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BYTES ((size_t)16 << 20)
#define PAUSE_US 60
#define PATIENCE_S 20

/* The fake device's read, with a look at who calls it. */
static struct gpuvm_device_ops watched;
static const struct gpuvm_device_ops *plain;
static cpu_set_t home; /* this process's processors */
static atomic_uint narrow_reads;
static void *_Atomic slow_buffer; /* reads of it wait for progress */
static atomic_uint progress, impatient_reads;

static bool wait_for_progress(void)
{
    unsigned start = atomic_load(&progress);
    double end = contract_seconds() + PATIENCE_S;
    while (atomic_load(&progress) - start < 200)
        if (contract_seconds() > end)
            return false;
    return true;
}

static int watched_read(void *device, const struct gpuvm_segment *segments, size_t count)
{
    cpu_set_t mine;
    sched_getaffinity(0, sizeof mine, &mine);
    if (gettid() != getpid())
        atomic_fetch_add(&narrow_reads, !CPU_EQUAL(&mine, &home));
    if (segments[0].devbuf == atomic_load(&slow_buffer) && !wait_for_progress())
        atomic_fetch_add(&impatient_reads, 1);
    return plain->read(device, segments, count);
}

static void start(struct rig *rig, struct gpuvm_device *device, const struct setting *setting)
{
    rig_make(rig, setting);
    if (rig->is_svm)
        contract_skip("on svm nothing faults");
    sched_getaffinity(0, sizeof home, &home);
    *device = *(struct gpuvm_device *)rig->handles[0];
    plain = device->ops;
    watched = *plain;
    watched.read = watched_read;
    device->ops = &watched;
    rig->handles[0] = device;
    rig_init(rig, 0);
}

static void need_two_processors(void)
{
    cpu_set_t mine;
    if (sched_getaffinity(0, sizeof mine, &mine) || CPU_COUNT(&mine) < 2)
        contract_skip("there is one processor: a thread has nowhere else to be");
}

/* How many threads but this one may run on one processor alone. */
static unsigned narrow_threads(void)
{
    unsigned count = 0;
    DIR *tasks = opendir("/proc/self/task");
    expect(tasks != NULL);
    for (struct dirent *entry; (entry = readdir(tasks)) != NULL;) {
        cpu_set_t its;
        int thread = atoi(entry->d_name);
        if (thread > 0 && thread != gettid() && !sched_getaffinity(thread, sizeof its, &its))
            count += CPU_COUNT(&its) == 1;
    }
    closedir(tasks);
    return count;
}

static void pause_awake(double us)
{
    double end = contract_seconds() + us * 1e-6;
    while (contract_seconds() < end)
        ;
}

/* Touches pages far from each other, each a fault, a while apart: no thread comes to the processor
 * of this one. */
static void expect_not_followed(struct array *array)
{
    size_t page_words = contract_page_bytes() / sizeof(uint32_t);
    uint64_t random = 1;
    for (int round = 0; round < SCALED(20); round++) {
        array_run(array, 0, GPUVM_READ_WRITE);
        rig_wait(array->rig);
        for (int i = 0; i < 100; i++) {
            array_check_part(array, rig_random(&random) % (array->words / page_words) * page_words,
                             1);
            pause_awake(PAUSE_US);
            if (i % 20 == 19)
                expect_equal(narrow_threads(), 0);
        }
    }
}

static void test_keeps_processors(const struct setting *setting)
{
    struct rig rig;
    struct gpuvm_device device;
    struct array array;
    cpu_set_t one;

    need_two_processors();
    start(&rig, &device, setting);
    array_make(&array, &rig, contract_map(BYTES), WORDS(BYTES));
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    expect_equal(sched_setaffinity(0, sizeof one, &one), 0);
    expect_not_followed(&array);
    expect_equal(atomic_load(&narrow_reads), 0);
    array_end(&array);
    rig_stop(&rig);
}

static atomic_bool is_over;

/* Faults as fast as they are served. */
static void *hammer(void *argument)
{
    struct array *array = argument;
    size_t page_words = contract_page_bytes() / sizeof(uint32_t);
    uint64_t random = 7;
    while (!atomic_load(&is_over)) {
        array_run(array, 0, GPUVM_READ_WRITE);
        rig_wait(array->rig);
        for (int i = 0; i < 100; i++) {
            array_check_part(array, rig_random(&random) % (array->words / page_words) * page_words,
                             1);
            atomic_fetch_add(&progress, 1);
        }
    }
    return NULL;
}

static void test_slow_driver_delays_no_other(const struct setting *setting)
{
    struct rig rig;
    struct gpuvm_device device;
    struct array slow, quick;
    pthread_t thread;

    start(&rig, &device, setting);
    array_make(&slow, &rig, contract_map(BYTES), WORDS(BYTES));
    array_make(&quick, &rig, contract_map(BYTES), WORDS(BYTES));
    expect_equal(pthread_create(&thread, NULL, hammer, &quick), 0);
    for (int i = 0; i < SCALED(20) && atomic_load(&impatient_reads) == 0; i++) {
        atomic_store(&slow_buffer, NULL);
        array_run(&slow, 0, GPUVM_READ_WRITE);
        expect(wait_for_progress());
        atomic_store(&slow_buffer, slow.buffers[0]);
        array_check_part(&slow, slow.words / 2, 1);
    }
    atomic_store(&slow_buffer, NULL);
    atomic_store(&is_over, true);
    pthread_join(thread, NULL);
    expect_equal(atomic_load(&impatient_reads), 0);
    array_end(&quick);
    array_end(&slow);
    rig_stop(&rig);
}

static const struct test tests[] = {
    {"service threads keep the program's processors", test_keeps_processors, ON_ANY_ONE},
    {"a slow driver delays no other", test_slow_driver_delays_no_other, ON_ONE},
};

CONTRACT_MAIN(tests)
