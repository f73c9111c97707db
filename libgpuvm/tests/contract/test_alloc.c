/* SPDX-License-Identifier: MIT */
/* gpuvm_alloc and its kin, and the preload library's malloc: arrays without edges. */
#include "rig.h"

#include <stdlib.h>
#include <string.h>

#define KERNELS 5

static size_t round_up(size_t nbytes)
{
    size_t page = contract_page_bytes();
    return (nbytes + page - 1) / page * page;
}

static void skip_unwatched(const struct rig *rig)
{
    if (rig->is_svm || contract_is_rung("eager"))
        contract_skip("nothing is watched here");
}

/* No byte moves for a use whose data the host does not touch, whatever its length. */
static void use_untouched(struct rig *rig, void *host, size_t nbytes)
{
    struct array array;
    struct gpuvm_array_info info;
    unsigned long long bytes = 0;

    array_make(&array, rig, host, WORDS(nbytes));
    expect_equal(gpuvm_array_info(host, &info), 0);
    expect_equal(info.pages * info.page_bytes, round_up(nbytes));
    expect_equal(info.eager, 0);
    for (int i = 0; i < KERNELS; i++) {
        if (i == 1)
            bytes = contract_stat(GPUVM_STAT_BYTES_FROM_DEVICE) +
                    contract_stat(GPUVM_STAT_BYTES_TO_DEVICE);
        array_run(&array, 0, GPUVM_READ_WRITE);
    }
    expect_equal(contract_stat(GPUVM_STAT_BYTES_FROM_DEVICE) +
                     contract_stat(GPUVM_STAT_BYTES_TO_DEVICE),
                 bytes);
    array_check_part(&array, array.words - 2, 2);
    for (int i = 0; i < KERNELS; i++) {
        array_write(&array, array.words - 1, 1);
        array_run(&array, i % rig->devices, GPUVM_READ_WRITE);
        array_check_part(&array, i % 2 ? 0 : array.words - 1, 1);
    }
    array_check_device(&array, 0);
    expect_equal(gpuvm_host_begin(host, nbytes, GPUVM_WRITE_ONLY), 0);
    array_write(&array, 0, array.words);
    array_run(&array, 0, GPUVM_READ_WRITE);
    array_end(&array);
}

/* Lengths that end anywhere in a page, that leave room for the seal, and whole pages. */
static const size_t lengths[] = {8, 4084, 4096, 8192, 9000, 53504, 65536, 3000000, 4194304};
#define LENGTHS (sizeof lengths / sizeof lengths[0])

static void test_no_edges(const struct setting *setting)
{
    struct rig rig;
    rig_start(&rig, setting, 0);
    skip_unwatched(&rig);
    for (size_t i = 0; i < LENGTHS; i++) {
        char *host = gpuvm_alloc(lengths[i]);
        expect(host != NULL && (uintptr_t)host % contract_page_bytes() == 0);
        expect(lengths[i] < 2 << 20 || (uintptr_t)host % (2 << 20) == 0);
        use_untouched(&rig, host, lengths[i]);
        gpuvm_free(host);
    }
    rig_stop(&rig);
}

/* What is in the same block after an array is the program's own: no page that it shares is
 * taken. */
static void test_part_of_block(const struct setting *setting)
{
    struct rig rig;
    struct array array;
    rig_start(&rig, setting, 0);
    char *block = gpuvm_alloc(70000);
    memset(block, 7, 70000);
    array_make(&array, &rig, block, WORDS(68000));
    for (int i = 0; i < 3; i++) {
        array_run(&array, 0, GPUVM_READ_WRITE);
        for (size_t at = 68000; at < 70000; at++)
            expect_equal(block[at], 7);
        block[68000 + i] = 7;
        array_check(&array);
    }
    array_end(&array);
    gpuvm_free(block);
    rig_stop(&rig);
}

static void test_realloc(const struct setting *setting)
{
    struct rig rig;
    struct array array;
    rig_start(&rig, setting, 0);
    expect(gpuvm_alloc(0) == NULL && gpuvm_alloc(SIZE_MAX - 5) == NULL);
    gpuvm_free(NULL);
    char *block = gpuvm_realloc(NULL, 30000);
    array_make(&array, &rig, block, WORDS(30000));
    array_run(&array, 0, GPUVM_READ_WRITE);
    rig_wait(&rig);
    uint32_t *larger = gpuvm_realloc(block, 90000); /* the device had the data */
    expect(larger != NULL && (uintptr_t)larger % contract_page_bytes() == 0);
    expect_bytes(larger, array.model, 30000);
    expect_equal(gpuvm_is_linked(larger, 90000), 0);
    expect_equal(contract_stat(GPUVM_STAT_ARRAYS), 0);
    array_drop(&array);
    array_make(&array, &rig, larger, WORDS(90000));
    array_run(&array, 0, GPUVM_READ_WRITE);
    gpuvm_free(larger); /* while it is linked */
    expect_equal(contract_stat(GPUVM_STAT_ARRAYS), 0);
    rig_wait(&rig);
    array_drop(&array);
    expect(gpuvm_realloc(gpuvm_alloc(10), 0) == NULL);
    rig_stop(&rig);
    larger = gpuvm_realloc(gpuvm_alloc(10), 20); /* without the library, too */
    expect(larger != NULL);
    gpuvm_free(larger);
}

/* Only what the old block holds is copied: what follows it may not even be there. */
static void test_realloc_large(const struct setting *setting)
{
    char *block = gpuvm_alloc(5000);
    memset(block, 9, 5000);
    block = gpuvm_realloc(block, (size_t)1 << 30);
    expect(block != NULL && block[0] == 9 && block[4999] == 9);
    gpuvm_free(block);
}

/* Arrays that are copied whole are compared with what the device was given, if they are small. */
static void test_unchanged_edges(const struct setting *setting)
{
    static const size_t sizes[] = {100000, (size_t)128 << 10, ((size_t)128 << 10) + 4, 300000};
    struct rig rig;
    rig_start(&rig, setting, 0);
    if (!contract_is_rung("eager"))
        contract_skip("large arrays are watched here");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct array array;
        array_make(&array, &rig, contract_map(sizes[i]), WORDS(sizes[i]));
        array_check_device(&array, 0);
        fake_reset_totals(rig.fakes[0]);
        array_check_device(&array, 0);
        expect_equal(fake_totals(rig.fakes[0]).bytes_to_device, i < 2 ? 0 : sizes[i]);
        array_end(&array);
    }
    rig_stop(&rig);
}

/* One transfer of edges in the _many calls; arrays that are only read cost none. */
static void test_edges_of_many(const struct setting *setting)
{
    enum { COUNT = 3 };
    struct rig rig;
    struct array arrays[COUNT];
    void *hosts[COUNT];
    const int flags[COUNT] = {GPUVM_READ_ONLY, GPUVM_READ_WRITE, GPUVM_READ_WRITE};
    rig_start(&rig, setting, 0);
    skip_unwatched(&rig);
    for (int i = 0; i < COUNT; i++) {
        hosts[i] = (char *)contract_map(300000) + 20;
        array_make(&arrays[i], &rig, hosts[i], WORDS(200000));
    }
    for (int i = 0; i < KERNELS; i++) {
        if (i == 1)
            fake_reset_totals(rig.fakes[0]);
        expect_equal(gpuvm_kernel_begin_many(COUNT, hosts, 0, flags), 0);
        for (int k = 0; k < COUNT; k++)
            array_launch(&arrays[k], 0, flags[k]);
        expect_equal(gpuvm_kernel_end_many(COUNT, hosts, 0), 0);
    }
    struct fake_totals totals = fake_totals(rig.fakes[0]);
    expect_equal(totals.transfers_to_device, 0);
    expect_equal(totals.transfers_from_device, setting->has_reach ? 0 : KERNELS - 1);
    fake_reset_totals(rig.fakes[0]);
    for (int i = 0; i < KERNELS; i++)
        array_run(&arrays[0], 0, GPUVM_READ_ONLY);
    totals = fake_totals(rig.fakes[0]);
    expect_equal(totals.transfers_to_device + totals.transfers_from_device, 0);
    for (int i = 0; i < COUNT; i++)
        array_end(&arrays[i]);
    rig_stop(&rig);
}

/* ---- The preload library's malloc ---- */

static bool begins_page(const void *pointer)
{
    return (uintptr_t)pointer % contract_page_bytes() == 0;
}

static void test_malloc(const struct setting *setting)
{
    struct rig rig;
    if (!contract_has_shim())
        contract_skip("needs libgpuvm-preload.so");
    rig_start(&rig, setting, 0);
    skip_unwatched(&rig);
    for (size_t i = 0; i < LENGTHS; i++) {
        char *host = malloc(lengths[i]);
        if (lengths[i] >= 8192) {
            expect(begins_page(host));
            use_untouched(&rig, host, lengths[i]);
        }
        free(host);
    }
    rig_stop(&rig);
}

static void test_calloc_realloc(const struct setting *setting)
{
    if (!contract_has_shim())
        contract_skip("needs libgpuvm-preload.so");
    for (int round = 0; round < 3; round++) {
        char *block = malloc(50000);
        memset(block, 1, 50000);
        free(block);
        block = calloc(10, 5000);
        expect(begins_page(block));
        for (int i = 0; i < 50000; i++)
            expect_equal(block[i], 0);
        for (size_t nbytes = 50000; nbytes < 3000000; nbytes = nbytes * 3 / 2) {
            block[nbytes / 2] = 3;
            block = realloc(block, nbytes);
            expect(begins_page(block) && block[nbytes / 2] == 3);
        }
        block[100] = 4;
        block = realloc(block, 200);
        expect_equal(block[100], 4);
        block = realloc(block, 20000);
        expect(begins_page(block) && block[100] == 4);
        free(block);
    }
}

static const struct test tests[] = {
    {"no_edges", test_no_edges, ON_ALL},
    {"part_of_block", test_part_of_block, ON_ALL},
    {"realloc", test_realloc, ON_ANY_ONE},
    {"edges_of_many", test_edges_of_many, ON_ANY_ONE},
    {"realloc_large", test_realloc_large, ON_ONE},
    {"unchanged_edges", test_unchanged_edges, ON_ONE},
    {"malloc", test_malloc, ON_ANY_ONE},
    {"calloc_realloc", test_calloc_realloc, ON_ONE},
};

CONTRACT_MAIN(tests)
