/* SPDX-License-Identifier: MIT */
/*
 * Memory that goes away or moves while arrays in it are linked. With libgpuvm-preload.so the links
 * end before; without it, what the kernel tells is noticed. This program is run with the shim and
 * without.
 */
#include "rig.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void need_shim(void)
{
    if (!contract_has_shim())
        contract_skip("needs libgpuvm-preload.so");
}

static void need_news(const struct rig *rig)
{
    if (rig->is_svm || (contract_is_rung("segv-mem") && !contract_has_shim()))
        contract_skip("this rung is not told of munmap");
}

static const size_t sizes[] = {100, 5000, 70000, 300000, (size_t)5 << 20};
#define SIZES (sizeof sizes / sizeof sizes[0])

/* Everything in the block is ordinary memory: what is written is read, and no array is left. */
static void expect_ordinary(void *block, size_t nbytes, unsigned arrays)
{
    unsigned char *bytes = block;
    size_t wrong = 0;

    memset(bytes, 0x5c, nbytes);
    for (size_t i = 0; i < nbytes; i++)
        wrong += bytes[i] != 0x5c;
    expect_equal(wrong, 0);
    expect_equal(contract_stat(GPUVM_STAT_ARRAYS), arrays);
}

/* free of arrays that a device owns; the allocator gives the memory out again at once. */
static void test_free(const struct setting *setting)
{
    struct rig rig;

    need_shim();
    rig_start(&rig, setting, 0);
    for (int round = 0; round < SCALED(20); round++)
        for (size_t i = 0; i < SIZES; i++) {
            size_t words = WORDS(sizes[i]);
            struct array array;
            void *again;

            array_make(&array, &rig, contract_allocate(words * 4), words);
            if (round & 1)
                array_run(&array, rig.devices - 1, GPUVM_READ_WRITE);
            if (round & 2)
                array_check_device(&array, 0);
            rig_wait(&rig);
            free(array.host);
            expect_equal(contract_stat(GPUVM_STAT_ARRAYS), 0);
            array_drop(&array);
            again = round & 4 ? calloc(words, 4) : contract_allocate(words * 4);
            for (size_t word = 0; round & 4 && word < words; word++)
                expect_equal(((uint32_t *)again)[word], 0);
            expect_ordinary(again, words * 4, 0);
            array_make(&array, &rig, again, words); /* may be linked anew */
            array_run(&array, 0, GPUVM_READ_WRITE);
            array_end(&array);
            free(again);
        }
    rig_stop(&rig);
}

/* Several arrays in one block; one that lies in the middle of it. */
static void test_free_of_several(const struct setting *setting)
{
    size_t words = 200000;
    struct rig rig;
    struct array arrays[3], survivor;
    uint32_t *block;

    need_shim();
    rig_start(&rig, setting, 0);
    array_make(&survivor, &rig, contract_allocate(400000), 100000);
    block = contract_allocate(words * 4 * 4);
    for (int i = 0; i < 3; i++) {
        array_make(&arrays[i], &rig, block + 100 + words * (size_t)i, words - 50);
        array_run(&arrays[i], 0, GPUVM_READ_WRITE);
    }
    array_run(&survivor, 0, GPUVM_READ_WRITE);
    rig_wait(&rig);
    free(block);
    expect_equal(contract_stat(GPUVM_STAT_ARRAYS), 1);
    array_end(&survivor);
    for (int i = 0; i < 3; i++)
        array_drop(&arrays[i]);
    rig_stop(&rig);
}

/* The content survives, whether the block moves, grows or shrinks. */
static void test_realloc(const struct setting *setting)
{
    struct rig rig;

    need_shim();
    rig_start(&rig, setting, 0);
    for (int round = 0; round < 6; round++)
        for (size_t i = 0; i < SIZES; i++) {
            size_t words = WORDS(sizes[i]), kept = round & 1 ? words / 2 : words;
            size_t new_words = round & 1 ? words / 2 : words * 3;
            struct array array;
            uint32_t *moved;

            array_make(&array, &rig, contract_allocate(words * 4), words);
            array_run(&array, rig.devices - 1, GPUVM_READ_WRITE);
            if (round & 2)
                array_write(&array, words / 3, words / 8);
            rig_wait(&rig);
            moved = round & 4 ? reallocarray(array.host, new_words, 4)
                              : realloc(array.host, new_words * 4);
            expect(moved != NULL);
            expect_bytes(moved, array.model, kept * 4);
            expect_ordinary(moved, new_words * 4, 0);
            array_drop(&array);
            free(moved);
        }
    rig_stop(&rig);
}

static void test_munmap(const struct setting *setting)
{
    size_t page_bytes = contract_page_bytes(), pages = 64, page_words = page_bytes / 4;

    need_shim();
    for (int part = 0; part < 3; part++) { /* all of an array; its first half; its last */
        struct rig rig;
        struct array array, before;
        char *map = contract_map(pages * 2 * page_bytes), *host = map + pages * page_bytes;

        rig_start(&rig, setting, 0);
        array_make(&before, &rig, map, pages * page_words);
        array_make(&array, &rig, host, pages * page_words);
        array_run(&array, 0, GPUVM_READ_WRITE);
        array_run(&before, 0, GPUVM_READ_WRITE);
        rig_wait(&rig);
        if (part == 0)
            expect_equal(munmap(host, pages * page_bytes), 0);
        else if (part == 1)
            expect_equal(munmap(host, pages / 2 * page_bytes), 0);
        else
            expect_equal(munmap(host + pages / 2 * page_bytes, pages / 2 * page_bytes), 0);
        expect_equal(contract_stat(GPUVM_STAT_ARRAYS), 1);
        if (part > 0) {
            size_t kept = part == 1 ? pages / 2 : 0;

            expect_bytes(host + kept * page_bytes, array.model + kept * page_words,
                         pages / 2 * page_bytes);
            expect_ordinary(host + kept * page_bytes, pages / 2 * page_bytes, 1);
        }
        array_end(&before);
        array_drop(&array);
        rig_stop(&rig);
    }
}

static void test_mremap(const struct setting *setting)
{
    size_t nbytes = 64 * contract_page_bytes();

    need_shim();
    for (int kind = 0; kind < 3; kind++) { /* grows; shrinks; goes where told */
        struct rig rig;
        struct array array;
        size_t new_bytes = kind == 1 ? nbytes / 2 : nbytes * 4,
               kept = kind == 1 ? nbytes / 2 : nbytes;
        void *target = contract_map(new_bytes), *moved;

        rig_start(&rig, setting, 0);
        array_make(&array, &rig, contract_map(nbytes), WORDS(nbytes));
        array_run(&array, 0, GPUVM_READ_WRITE);
        rig_wait(&rig);
        moved = kind == 2
                    ? mremap(array.host, nbytes, new_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, target)
                    : mremap(array.host, nbytes, new_bytes, kind == 1 ? 0 : MREMAP_MAYMOVE);
        expect(moved != MAP_FAILED);
        expect_bytes(moved, array.model, kept);
        expect_ordinary(moved, new_bytes, 0);
        array_drop(&array);
        rig_stop(&rig);
    }
}

/* Without the shim: userfaultfd tells of memory that is unmapped. */
static void test_unmap_is_noticed(const struct setting *setting)
{
    size_t nbytes = 512 * contract_page_bytes();
    double start_s = contract_seconds();
    struct rig rig;
    struct array array, other;
    void *again;

    if (contract_has_shim())
        contract_skip("for programs without libgpuvm-preload.so");
    rig_start(&rig, setting, 0);
    if (contract_is_rung("segv-mem") || rig.is_svm)
        contract_skip("this rung is not told of munmap");
    array_make(&array, &rig, contract_map(nbytes), WORDS(nbytes));
    array_make(&other, &rig, contract_map(nbytes), WORDS(nbytes));
    array_run(&array, 0, GPUVM_READ_WRITE);
    array_run(&other, 0, GPUVM_READ_WRITE);
    rig_wait(&rig);
    expect_equal(munmap(array.host, nbytes), 0);
    while (contract_stat(GPUVM_STAT_UNMAPPED_ARRAYS) == 0 && contract_seconds() - start_s < 20)
        sched_yield();
    expect_equal(contract_stat(GPUVM_STAT_UNMAPPED_ARRAYS), 1);
    expect_equal(contract_stat(GPUVM_STAT_ARRAYS), 1);
    expect_equal(gpuvm_kernel_begin(array.host, 0, GPUVM_READ_ONLY), GPUVM_EHOSTPTR);
    again = mmap(array.host, nbytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    expect(again == array.host);
    expect_ordinary(again, nbytes, 1);
    array_drop(&array);
    array_make(&array, &rig, again, WORDS(nbytes));
    array_run(&array, 0, GPUVM_READ_WRITE);
    array_end(&array);
    array_end(&other);
    rig_stop(&rig);
}

/* The same addresses anew, if no other mapping got them. */
static void *map_again(void *host, size_t nbytes)
{
    void *again;

    expect_equal(munmap(host, nbytes), 0);
    again = mmap(host, nbytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    return again == host ? again : contract_map(nbytes);
}

/* Memory that is unmapped and mapped anew may be linked at once, to the same device or another. */
static void test_linked_again_at_once(const struct setting *setting)
{
    size_t nbytes = 64 * contract_page_bytes();
    struct rig rig;
    void *host;

    rig_start(&rig, setting, 0);
    need_news(&rig);
    host = contract_map(nbytes);
    for (unsigned round = 0; round < SCALED(400); round++) {
        unsigned device = round / 2 % rig.devices;
        struct array array;
        void *buffer;

        array_make(&array, &rig, host, WORDS(nbytes));
        array_run(&array, device, GPUVM_READ_WRITE);
        rig_wait(&rig);
        host = map_again(host, nbytes);
        array_drop(&array);
        if (round % 2 == 0)
            continue;
        buffer = fake_allocate(rig.fakes[device], nbytes);
        expect_equal(gpuvm_link(host, nbytes, device, buffer, GPUVM_ON_HOST), 0);
        expect_equal(gpuvm_kernel_begin(host, device, GPUVM_WRITE_ONLY), 0);
        expect_equal(gpuvm_kernel_end(host, device), 0);
        host = map_again(host, nbytes);
        fake_release(rig.fakes[device], buffer);
    }
    expect_equal(munmap(host, nbytes), 0);
    rig_stop(&rig);
}

#define READ_US 20000.0

static void *unlink_first(void *argument)
{
    expect_equal(gpuvm_unlink(argument, 0), 0);
    return NULL;
}

/* A link that waits for another thread's last unlink of the same array makes a new one. */
static void test_linked_while_unlinked(const struct setting *setting)
{
    size_t nbytes = 64 * contract_page_bytes();
    struct rig rig;

    rig_start(&rig, setting, 0);
    for (uint32_t round = 0; round < SCALED(20); round++) {
        void *host = contract_map(nbytes);
        struct array array;
        pthread_t thread;

        array_fill(&array, &rig, host, WORDS(nbytes), round);
        array_link(&array, 0);
        array_run(&array, 0, GPUVM_READ_WRITE);
        rig_wait(&rig);
        fake_slow_reads(rig.fakes[0], READ_US);
        expect_equal(pthread_create(&thread, NULL, unlink_first, host), 0);
        usleep((useconds_t)READ_US / 4); /* it waits for the data by now */
        array_link(&array, 1);
        expect_equal(pthread_join(thread, NULL), 0);
        fake_slow_reads(rig.fakes[0], 0);
        array.links &= ~1u;
        array_run(&array, 1, GPUVM_READ_WRITE);
        array_end(&array);
        expect_equal(munmap(host, nbytes), 0);
    }
    rig_stop(&rig);
}

static void *fork_once(void *unused)
{
    pid_t child = fork();

    if (child == 0)
        _exit(0);
    expect(child > 0 && waitpid(child, NULL, 0) == child);
    return NULL;
}

/* While a fork brings an array's data to the host, its memory is unmapped. Another array gets the
 * addresses, and nothing of the old one's data. */
static void test_linked_while_forked(const struct setting *setting)
{
    size_t nbytes = 64 * contract_page_bytes();
    struct rig rig;

    rig_start(&rig, setting, 0);
    need_news(&rig);
    for (uint32_t round = 0; round < SCALED(6); round++) {
        void *host = contract_map(nbytes), *again;
        struct array old, fresh;
        pthread_t thread;

        array_fill(&old, &rig, host, WORDS(nbytes), 2 * round);
        array_link(&old, 0);
        array_run(&old, 0, GPUVM_READ_WRITE);
        rig_wait(&rig);
        fake_slow_reads(rig.fakes[0], 5 * READ_US);
        expect_equal(pthread_create(&thread, NULL, fork_once, NULL), 0);
        usleep((useconds_t)READ_US / 4);
        again = map_again(host, nbytes);
        array_fill(&fresh, &rig, again, WORDS(nbytes), 2 * round + 1);
        array_link(&fresh, 1);
        array_run(&fresh, 1, GPUVM_WRITE_ONLY);
        expect_equal(pthread_join(thread, NULL), 0);
        fake_slow_reads(rig.fakes[0], 0);
        array_check(&fresh);
        array_end(&fresh);
        array_drop(&old);
        expect_equal(munmap(again, nbytes), 0);
    }
    rig_stop(&rig);
}

/* While a fork has the array, half of it is unmapped: what is left has the data, and can be
 * written.
 */
static void test_half_unmapped_while_forked(const struct setting *setting)
{
    size_t nbytes = 64 * contract_page_bytes(), words = WORDS(nbytes);
    struct rig rig;

    rig_start(&rig, setting, 0);
    need_news(&rig);
    for (int round = 0; round < SCALED(6); round++) {
        bool is_tracked = round % 2;
        uint32_t *host = contract_map(nbytes);
        struct array array;
        pthread_t thread;

        array_make(&array, &rig, host, words);
        array_run(&array, 0, is_tracked ? GPUVM_READ_ONLY : GPUVM_READ_WRITE);
        rig_wait(&rig);
        fake_slow_reads(rig.fakes[0], READ_US);
        expect_equal(pthread_create(&thread, NULL, fork_once, NULL), 0);
        usleep((useconds_t)READ_US / 4);
        expect_equal(munmap(host, nbytes / 2), 0);
        expect_equal(pthread_join(thread, NULL), 0);
        fake_slow_reads(rig.fakes[0], 0);
        expect_bytes(host + words / 2, array.model + words / 2, nbytes / 2);
        memset(host + words / 2, 0x5c, nbytes / 2);
        expect_equal(gpuvm_is_linked(host + words / 2, nbytes / 2), 0);
        array_drop(&array);
        expect_equal(munmap(host + words / 2, nbytes / 2), 0);
    }
    rig_stop(&rig);
}

static void *fork_cancelled(void *unused)
{
    expect_equal(pthread_cancel(pthread_self()), 0);
    return fork_once(unused);
}

/* Waiting for news inside fork is no place of cancellation: the next fork would wait for ever. */
static void test_fork_cancelled(const struct setting *setting)
{
    size_t nbytes = 64 * contract_page_bytes();
    struct rig rig;
    struct array array;
    pthread_t thread;
    char *host = contract_map(nbytes);

    rig_start(&rig, setting, 0);
    need_news(&rig);
    array_make(&array, &rig, host, WORDS(nbytes));
    array_run(&array, 0, GPUVM_READ_WRITE);
    rig_wait(&rig);
    fake_slow_reads(rig.fakes[0], 10 * READ_US);
    expect_equal(munmap(host, nbytes / 2), 0); /* the rest is brought back meanwhile */
    expect_equal(pthread_create(&thread, NULL, fork_cancelled, NULL), 0);
    expect_equal(pthread_join(thread, NULL), 0);
    fork_once(NULL);
    array_drop(&array);
    rig_stop(&rig);
}

/* The shim must not slow down, or change, what has nothing to do with arrays. */
static void test_others_memory(const struct setting *setting)
{
    static void *blocks[1000];
    struct rig rig;
    struct array array;

    rig_start(&rig, setting, 0);
    array_make(&array, &rig, contract_allocate(400000), 100000);
    for (uint32_t round = 0; round < SCALED(20000); round++) {
        uint32_t slot = rig_mix(round, 1) % 1000, nbytes = rig_mix(round, 2) % 3000;

        if (round % 3 == 0)
            blocks[slot] = realloc(blocks[slot], nbytes + 1);
        else {
            free(blocks[slot]);
            blocks[slot] = malloc(nbytes);
        }
        if (round % 1000 == 0)
            array_run(&array, 0, GPUVM_READ_WRITE);
    }
    expect_equal(contract_stat(GPUVM_STAT_ARRAYS), 1);
    expect_equal(contract_stat(GPUVM_STAT_PAGEFAULTS), 0);
    for (int i = 0; i < 1000; i++)
        free(blocks[i]);
    array_end(&array);
    rig_stop(&rig);
}

static const struct test tests[] = {
    {"free", test_free, ON_ALL},
    {"free_of_several", test_free_of_several, ON_ANY_ONE},
    {"realloc", test_realloc, ON_ALL},
    {"munmap", test_munmap, ON_ANY_ONE},
    {"mremap", test_mremap, ON_ANY_ONE},
    {"unmap_is_noticed", test_unmap_is_noticed, ON_ANY_ONE},
    {"linked_again_at_once", test_linked_again_at_once, ON_ALL},
    {"linked_while_unlinked", test_linked_while_unlinked, ON_TWO},
    {"linked_while_forked", test_linked_while_forked, ON_TWO},
    {"half_unmapped_while_forked", test_half_unmapped_while_forked, ON_ANY_ONE},
    {"fork_cancelled", test_fork_cancelled, ON_ONE},
    {"others_memory", test_others_memory, ON_ANY_ONE},
};

CONTRACT_MAIN(tests)
