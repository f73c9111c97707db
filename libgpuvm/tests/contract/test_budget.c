/* SPDX-License-Identifier: MIT */
/* Device memory as a cache: a working set of four times the budget, and which buffers go. */
#include "rig.h"

#include <pthread.h>
#include <stdlib.h>

#define ARRAYS 12
#define BYTES ((size_t)300000)
#define ROUNDS 150

/* Devices that have no more memory than the budget, and arrays whose buffers the library makes. */
static void start(struct rig *rig, const struct setting *setting, size_t budget)
{
    struct gpuvm_allocator allocator = fake_allocator;

    rig_start(rig, setting, 0);
    if (rig->is_direct)
        contract_skip("there are no buffers");
    allocator.user = rig->fakes;
    for (unsigned i = 0; i < rig->devices; i++) {
        expect_equal(gpuvm_set_allocator(i, &allocator), 0);
        expect_equal(gpuvm_set_budget(i, budget), 0);
    }
}

/* Kept until the end, so that it is no leak. */
static void *allocate(void)
{
    __attribute__((used)) static void *blocks[64];
    static unsigned count;
    return blocks[count++ % 64] = gpuvm_alloc(BYTES);
}

static void make(struct array *array, struct rig *rig, void *host, size_t nbytes, uint32_t seed)
{
    array_fill(array, rig, host, WORDS(nbytes), seed);
    for (unsigned i = 0; i < rig->devices; i++) {
        array->links |= 1u << i;
        expect_equal(gpuvm_link(host, nbytes, i, NULL, GPUVM_ON_HOST), 0);
    }
}

static void check_within(struct rig *rig, size_t budget)
{
    for (unsigned i = 0; i < rig->devices; i++)
        expect_at_most(fake_totals(rig->fakes[i]).buffer_bytes, budget);
}

/* Uses of one to three arrays in random order, with touches of parts by the host. */
static void test_four_times(const struct setting *setting)
{
    static const int uses[] = {GPUVM_READ_ONLY, GPUVM_READ_WRITE, GPUVM_WRITE_ONLY};
    size_t budget = ARRAYS * BYTES / 4;
    struct rig rig;
    struct array arrays[ARRAYS];
    uint64_t state = 1;

    start(&rig, setting, budget);
    for (uint32_t i = 0; i < ARRAYS; i++) {
        void *host = i % 3 ? (char *)contract_allocate(BYTES + 64) + i : allocate();
        make(&arrays[i], &rig, (void *)((uintptr_t)host & ~(uintptr_t)3), BYTES, i + 1);
    }
    for (int round = 0; round < SCALED(ROUNDS); round++) {
        unsigned device = rig_random(&state) % rig.devices, count = 1 + rig_random(&state) % 3;
        unsigned first = rig_random(&state) % ARRAYS;
        void *hosts[3];
        int flags[3];
        for (unsigned i = 0; i < count; i++) {
            hosts[i] = arrays[(first + i) % ARRAYS].host;
            flags[i] = uses[rig_random(&state) % 3];
        }
        rig_wait(&rig);
        expect_equal(gpuvm_kernel_begin_many(count, hosts, device, flags), 0);
        for (unsigned i = 0; i < count; i++)
            array_launch(&arrays[(first + i) % ARRAYS], device, flags[i]);
        expect_equal(gpuvm_kernel_end_many(count, hosts, device), 0);
        check_within(&rig, budget);
        struct array *touched = &arrays[rig_random(&state) % ARRAYS];
        size_t word = rig_random(&state) % (touched->words - 8);
        array_check_part(touched, word, 8);
        array_write(touched, word, 8);
    }
    expect(contract_stat(GPUVM_STAT_EVICTIONS) > SCALED(ROUNDS) / 4);
    for (int i = 0; i < ARRAYS; i++)
        array_end(&arrays[i]);
    check_within(&rig, 0);
    rig_stop(&rig);
}

/* Of two that fit, the one goes that was used before the other, wherever it lies. */
static void test_least_recent(const struct setting *setting)
{
    struct rig rig;
    struct array arrays[3];

    start(&rig, setting, 2 * BYTES + 100);
    for (int older = 0; older < 2; older++) {
        unsigned long long gone = contract_stat(GPUVM_STAT_EVICTIONS);
        for (uint32_t i = 0; i < 3; i++)
            make(&arrays[i], &rig, allocate(), BYTES, i + 1);
        array_run(&arrays[!older], 0, GPUVM_READ_WRITE);
        array_run(&arrays[older], 0, GPUVM_READ_WRITE);
        array_run(&arrays[!older], 0, GPUVM_READ_WRITE);
        expect_equal(contract_stat(GPUVM_STAT_EVICTIONS), gone);
        array_run(&arrays[2], 0, GPUVM_READ_WRITE); /* the older goes */
        expect_equal(contract_stat(GPUVM_STAT_EVICTIONS), gone + 1);
        array_run(&arrays[!older], 0, GPUVM_READ_WRITE);
        expect_equal(contract_stat(GPUVM_STAT_EVICTIONS), gone + 1);
        for (int i = 0; i < 3; i++)
            array_end(&arrays[i]);
    }
    rig_stop(&rig);
}

/* A use that does not fit is refused. */
static void test_too_much(const struct setting *setting)
{
    struct rig rig;
    struct array arrays[3];
    void *hosts[3];
    const int flags[3] = {GPUVM_READ_ONLY, GPUVM_READ_ONLY, GPUVM_READ_ONLY};

    start(&rig, setting, 2 * BYTES + 100);
    for (uint32_t i = 0; i < 3; i++) {
        hosts[i] = allocate();
        make(&arrays[i], &rig, hosts[i], BYTES, i + 1);
    }
    expect_equal(gpuvm_kernel_begin_many(3, hosts, 0, flags), GPUVM_EDEVALLOC);
    expect_equal(gpuvm_kernel_begin(hosts[0], 0, GPUVM_READ_WRITE), 0);
    expect_equal(gpuvm_kernel_begin(hosts[1], 0, GPUVM_READ_WRITE), 0);
    expect_equal(gpuvm_kernel_begin(hosts[2], 0, GPUVM_READ_WRITE), GPUVM_EDEVALLOC);
    expect_equal(gpuvm_kernel_end(hosts[0], 0), 0);
    expect_equal(gpuvm_kernel_end(hosts[1], 0), 0);
    expect_equal(gpuvm_set_budget(0, 0), 0); /* no limit any more */
    expect_equal(gpuvm_kernel_begin_many(3, hosts, 0, flags), 0);
    expect_equal(gpuvm_kernel_end_many(3, hosts, 0), 0);
    for (int i = 0; i < 3; i++) {
        array_check(&arrays[i]);
        array_end(&arrays[i]);
    }
    rig_stop(&rig);
}

struct worker {
    struct array *arrays;
    unsigned number;
};

static void *work(void *argument)
{
    struct worker *worker = argument;
    for (int i = 0; i < SCALED(60); i++) {
        struct array *array = &worker->arrays[worker->number * 4 + (unsigned)i % 4];
        expect_equal(gpuvm_kernel_begin(array->host, 0, GPUVM_READ_WRITE), 0);
        array_launch(array, 0, GPUVM_READ_WRITE);
        expect_equal(gpuvm_kernel_end(array->host, 0), 0);
        array_check_part(array, (size_t)i * 100, 4);
        array_write(array, (size_t)i * 100, 4);
    }
    return NULL;
}

/* Threads that evict each other's arrays. */
static void test_threads(const struct setting *setting)
{
    enum { THREADS = 2 };
    struct rig rig;
    struct array arrays[4 * THREADS];
    pthread_t threads[THREADS];
    struct worker workers[THREADS];

    start(&rig, setting, 3 * BYTES);
    for (uint32_t i = 0; i < 4 * THREADS; i++)
        make(&arrays[i], &rig, allocate(), BYTES, i + 1);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){arrays, i};
        expect_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    check_within(&rig, 3 * BYTES);
    for (int i = 0; i < 4 * THREADS; i++)
        array_end(&arrays[i]);
    rig_stop(&rig);
}

static const struct test tests[] = {
    {"four_times", test_four_times, ON_ALL},
    {"least_recent", test_least_recent, ON_ANY_ONE},
    {"too_much", test_too_much, ON_ANY_ONE},
    {"threads", test_threads, ON_ANY_ONE},
};

CONTRACT_MAIN(tests)
