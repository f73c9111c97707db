/* SPDX-License-Identifier: MIT */
/* Many arrays at once: small ones, unaligned ones, and more page-aligned ones than the kernel has
 * mappings for. */
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>

/* A sanitizer makes each allocation dear. */
#define SCALE (IS_SANITIZED ? 10 : 1)

static void run_two(struct array *a, struct array *b, unsigned device)
{
    void *hosts[2] = {a->host, b->host};
    int flags[2] = {GPUVM_READ_WRITE, GPUVM_READ_ONLY};

    expect_equal(gpuvm_kernel_begin_many(2, hosts, device, flags), 0);
    array_launch(a, device, GPUVM_READ_WRITE);
    array_launch(b, device, GPUVM_READ_ONLY);
    expect_equal(gpuvm_kernel_end_many(2, hosts, device), 0);
}

/* Links all at once, uses all, compares all, unlinks in another order. */
static void use(struct rig *rig, struct array *arrays, size_t count, char **hosts, size_t nbytes)
{
    for (size_t i = 0; i < count; i++)
        array_make(&arrays[i], rig, hosts[i], WORDS(nbytes));
    expect_equal(contract_stat(GPUVM_STAT_ARRAYS), count);
    for (size_t i = 0; i < count; i++) {
        if (i % 16 == 0)
            run_two(&arrays[i], &arrays[count - 1 - i], i % rig->devices);
        else
            array_run(&arrays[i], i % rig->devices, GPUVM_READ_WRITE);
        if (i % 512 == 0)
            rig_wait(rig);
    }
    rig_wait(rig);
    for (size_t i = 0; i < count; i += 3)
        array_check(&arrays[i]);
    for (size_t i = 0; i < count; i += 5)
        array_write(&arrays[i], arrays[i].words / 2, 3);
    for (size_t i = 0; i < count; i += 4)
        array_check_device(&arrays[i], 0);
}

static void end(struct array *arrays, size_t count)
{
    for (size_t i = 0; i < count; i++)
        array_end(&arrays[i * 7919 % count]);
    expect_equal(contract_stat(GPUVM_STAT_ARRAYS), 0);
}

static void use_allocated(const struct setting *setting, size_t count, size_t nbytes)
{
    struct rig rig;
    struct array *arrays = contract_allocate(count * sizeof *arrays);
    char **hosts = contract_allocate(count * sizeof *hosts);

    rig_start(&rig, setting, 0);
    for (size_t i = 0; i < count; i++)
        hosts[i] = contract_allocate(nbytes);
    use(&rig, arrays, count, hosts, nbytes);
    expect(rig.is_svm || contract_stat(GPUVM_STAT_EAGER_ARRAYS) == 0);
    expect_equal(contract_stat(GPUVM_STAT_PAGEFAULTS), 0); /* they are all edge */
    end(arrays, count);
    for (size_t i = 0; i < count; i++)
        free(hosts[i]);
    free(hosts);
    free(arrays);
    rig_stop(&rig);
}

static void test_10000_of_256(const struct setting *setting)
{
    use_allocated(setting, 10000 / SCALE, 256);
}

static void test_10000_of_10000(const struct setting *setting)
{
    use_allocated(setting, 10000 / SCALE, 10000);
}

static void test_50000_of_10000(const struct setting *setting)
{
    use_allocated(setting, 50000 / SCALE, 10000);
}

static long limit_on_mappings(void)
{
    long limit = 65530;
    FILE *file = fopen("/proc/sys/vm/max_map_count", "r");

    if (file != NULL) {
        if (fscanf(file, "%ld", &limit) != 1)
            limit = 65530;
        fclose(file);
    }
    return limit;
}

/*
 * Two pages each, with a page between them: watched one by one they need two mappings each, more
 * than the kernel has. The rest is copied eagerly, and the data are right.
 */
static void test_50000_aligned(const struct setting *setting)
{
    size_t count = 50000 / SCALE, page_bytes = contract_page_bytes(), eager;
    struct rig rig;
    struct array *arrays = contract_allocate(count * sizeof *arrays);
    char **hosts = contract_allocate(count * sizeof *hosts);
    char *map = contract_map(count * 3 * page_bytes);

    rig_start(&rig, setting, 0);
    for (size_t i = 0; i < count; i++)
        hosts[i] = map + 3 * i * page_bytes;
    use(&rig, arrays, count, hosts, 2 * page_bytes);
    eager = contract_stat(GPUVM_STAT_EAGER_ARRAYS);
    printf("  %zu of %zu arrays are copied eagerly; the kernel allows %ld mappings\n", eager, count,
           limit_on_mappings());
    if (!rig.is_svm && limit_on_mappings() < (long)count * 3 / 2)
        expect(eager > 0);
    expect(rig.is_svm || eager < count);
    free(contract_allocate(1)); /* the program can still have memory */
    expect(contract_map((size_t)1 << 20) != NULL);
    end(arrays, count);
    expect_equal(contract_stat(GPUVM_STAT_EAGER_ARRAYS), 0);
    array_make(&arrays[0], &rig, hosts[0], WORDS(2 * page_bytes)); /* there is room again */
    array_run(&arrays[0], 0, GPUVM_READ_WRITE);
    array_check(&arrays[0]);
    expect(rig.is_svm || contract_stat(GPUVM_STAT_EAGER_ARRAYS) == 0);
    array_end(&arrays[0]);
    free(hosts);
    free(arrays);
    rig_stop(&rig);
}

static const struct test tests[] = {
    {"10000_of_256", test_10000_of_256, ON_ALL},
    {"10000_of_10000", test_10000_of_10000, ON_TWO | ON_ONE_REACH},
    {"50000_of_10000", test_50000_of_10000, ON_ONE},
    {"50000_aligned", test_50000_aligned, ON_ONE},
};

CONTRACT_MAIN(tests)
