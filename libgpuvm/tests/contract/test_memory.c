/* SPDX-License-Identifier: MIT */
/* Arrays in every kind of memory that a program has. */
#include "rig.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATIC_WORDS SCALED(60000)
#define HUGE_BYTES ((size_t)2 << 20)

static uint32_t in_bss[STATIC_WORDS];
static uint32_t in_data[STATIC_WORDS] = {1, 2, 3};

/* Both sides use the array, whole and in part, in every order. */
static void exercise(struct rig *rig, void *host, size_t words)
{
    struct array array;

    array_make(&array, rig, host, words);
    for (unsigned round = 0; round < SCALED(6); round++) {
        array_run(&array, round % rig->devices, GPUVM_READ_WRITE);
        if (round & 1)
            array_check_part(&array, words / 2, words / 7);
        array_check_device(&array, rig->devices - 1);
        array_write(&array, words / 3, words / 9);
        array_check_device(&array, 0);
        array_run(&array, 0, GPUVM_WRITE_ONLY);
        if (round & 2)
            array_check(&array);
        array_write(&array, 0, words);
        array_run(&array, 0, GPUVM_READ_WRITE);
    }
    array_end(&array);
}

static void test_static(const struct setting *setting)
{
    struct rig rig;

    rig_start(&rig, setting, 0);
    exercise(&rig, in_bss, STATIC_WORDS);
    exercise(&rig, in_data, STATIC_WORDS);
    exercise(&rig, in_bss + 5, 300);
    rig_stop(&rig);
}

static void *use_stack(void *argument)
{
    volatile uint32_t guard_before = 0x12345678;
    uint32_t words[STATIC_WORDS];
    volatile uint32_t guard_after = 0x87654321;

    exercise(argument, words, STATIC_WORDS);
    exercise(argument, words + 3, 500);
    expect(guard_before == 0x12345678 && guard_after == 0x87654321);
    return NULL;
}

/* The main thread's stack, which grows, and another's. */
static void test_stack(const struct setting *setting)
{
    pthread_t thread;
    struct rig rig;

    rig_start(&rig, setting, 0);
    use_stack(&rig);
    expect_equal(pthread_create(&thread, NULL, use_stack, &rig), 0);
    expect_equal(pthread_join(thread, NULL), 0);
    rig_stop(&rig);
}

static void test_heap(const struct setting *setting)
{
    struct rig rig;
    void *blocks[SCALED(60)];

    rig_start(&rig, setting, 0);
    for (size_t i = 0; i < SCALED(60); i++)
        blocks[i] = contract_allocate(i * i * 97 + 4); /* from the heap's break and from mappings */
    for (size_t i = 0; i < SCALED(60); i++)
        exercise(&rig, blocks[i], WORDS(i * i * 97 + 4));
    for (size_t i = 0; i < SCALED(60); i++)
        free(blocks[i]);
    rig_stop(&rig);
}

/* Sizes and offsets around the page's, whatever its size. */
static void test_page_sizes(const struct setting *setting)
{
    size_t page_words = contract_page_bytes() / 4;
    struct rig rig;
    uint32_t *map = contract_map(64 * contract_page_bytes());

    rig_start(&rig, setting, 0);
    for (size_t pages = 1; pages < 40; pages = pages * 3 + 1)
        for (size_t offset = 0; offset < 3; offset++) {
            exercise(&rig, map + offset, pages * page_words);
            exercise(&rig, map + page_words - offset, pages * page_words + offset);
            exercise(&rig, map + page_words - offset, pages * page_words - 1);
        }
    rig_stop(&rig);
}

/* Another process has the same pages: the library may not take them away, so all is copied eagerly.
 */
static void test_shared(const struct setting *setting)
{
    size_t words = 100000;
    struct shared {
        sem_t to_child, to_parent;
    } *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint32_t *host =
        mmap(NULL, words * 8, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint32_t *expected = host + words;
    struct rig rig;
    struct array array;
    int status;
    pid_t child;

    expect(shared != MAP_FAILED && host != MAP_FAILED);
    sem_init(&shared->to_child, 1, 0);
    sem_init(&shared->to_parent, 1, 0);
    child = fork();
    if (child == 0) {
        for (int round = 0; round < 5; round++) {
            sem_wait(&shared->to_child);
            if (memcmp(host, expected, words * 4) != 0)
                _exit(1);
            sem_post(&shared->to_parent);
        }
        _exit(42);
    }
    rig_start(&rig, setting, 0);
    array_make(&array, &rig, host, words);
    for (int round = 0; round < 5; round++) {
        array_write(&array, 0, words / 2);
        array_run(&array, 0, GPUVM_READ_WRITE);
        rig_wait(&rig);
        memcpy(expected, array.model, words * 4);
        sem_post(&shared->to_child);
        sem_wait(&shared->to_parent);
        if (round % 2)
            array_check(&array);
    }
    array_end(&array);
    expect_equal(waitpid(child, &status, 0), child);
    expect(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    exercise(&rig, host, words);
    rig_stop(&rig);
}

static int open_file(size_t nbytes)
{
    char path[] = "/tmp/gpuvm-contract-XXXXXX";
    int fd = mkstemp(path);

    expect(fd >= 0);
    unlink(path);
    expect_equal(ftruncate(fd, (off_t)nbytes), 0);
    return fd;
}

/* Not watched, after a kernel that wrote; svm has nothing to watch. */
static bool is_copied_whole(struct rig *rig, void *host, size_t words)
{
    struct gpuvm_array_info info;
    struct array array;
    array_make(&array, rig, host, words);
    array_run(&array, 0, GPUVM_READ_WRITE);
    expect_equal(gpuvm_array_info(host, &info), 0);
    array_end(&array);
    return info.eager || rig->is_svm;
}

/* Private: the file does not change. Shared: it gets what kernels made. */
static void test_file(const struct setting *setting)
{
    size_t nbytes = 50 * contract_page_bytes(), words = WORDS(nbytes);
    uint32_t *zeros = contract_allocate(nbytes);
    struct rig rig;

    memset(zeros, 0, nbytes);
    rig_start(&rig, setting, 0);
    for (int kind = 0; kind < 2; kind++) {
        int fd = open_file(nbytes);
        uint32_t *host =
            mmap(NULL, nbytes, PROT_READ | PROT_WRITE, kind ? MAP_SHARED : MAP_PRIVATE, fd, 0);
        uint32_t *in_file = mmap(NULL, nbytes, PROT_READ, MAP_SHARED, fd, 0);

        expect(host != MAP_FAILED && in_file != MAP_FAILED);
        expect_equal(is_copied_whole(&rig, host, words),
                     kind == 1 || !contract_is_rung("segv-mem"));
        exercise(&rig, host, words);
        expect_bytes(in_file, kind ? host : zeros, nbytes);
        expect_equal(munmap(host, nbytes), 0);
        expect_equal(munmap(in_file, nbytes), 0);
        close(fd);
    }
    rig_stop(&rig);
}

/* Pages of a file that were never touched: the device's first use finds what is in the file. */
static void test_file_untouched(const struct setting *setting)
{
    size_t nbytes = 50 * contract_page_bytes();
    int fd = open_file(nbytes);
    uint32_t *content = contract_allocate(nbytes), *host;
    struct rig rig;
    struct array array = {0};

    for (uint32_t i = 0; i < WORDS(nbytes); i++)
        content[i] = rig_mix(i, 9);
    expect_equal(pwrite(fd, content, nbytes, 0), nbytes);
    host = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    expect(host != MAP_FAILED);
    rig_start(&rig, setting, 0);
    array.rig = &rig;
    array.host = host;
    array.model = content;
    array.words = WORDS(nbytes);
    for (unsigned i = 0; i < rig.devices; i++)
        array_link(&array, i);
    array_check_device(&array, 0);
    array_check_part(&array, 5000, 10);
    array_run(&array, 0, GPUVM_READ_WRITE);
    array_check(&array);
    array_end(&array);
    rig_stop(&rig);
}

/* Memory that was never touched is zeros on the device, too, and the host's first touch of it is
 * served. */
static void test_never_touched(const struct setting *setting)
{
    size_t page_words = contract_page_bytes() / 4;
    struct rig rig;

    rig_start(&rig, setting, 0);
    for (int kind = 0; kind < 3; kind++) {
        size_t words = kind == 0 ? 700 * page_words : 1000000;
        struct array array = {.rig = &rig, .words = words};
        void *host;

        if (kind == 1 && IS_SANITIZED) /* its malloc writes to what it gives */
            continue;

        array.host = kind == 0   ? contract_map(words * 4)
                     : kind == 1 ? malloc(words * 4)
                                 : calloc(words, 4);
        array.model = calloc(words, 4);
        expect(array.host != NULL && array.model != NULL);
        for (unsigned i = 0; i < rig.devices; i++)
            array_link(&array, i);
        if (kind == 1)
            array_check_part(&array, 500000, 100);
        array_check_device(&array, 0);
        array_write(&array, 20000, 50);
        array_check(&array);
        array_run(&array, rig.devices - 1, GPUVM_READ_WRITE);
        host = kind == 0 ? NULL : array.host;
        array_end(&array);
        free(host);
    }
    rig_stop(&rig);
}

/* The program drops pages while they are its own: they are zeros then. */
static void test_dropped(const struct setting *setting)
{
    size_t nbytes = 100 * contract_page_bytes(), part = 40 * contract_page_bytes();
    struct rig rig;
    struct array array;

    rig_start(&rig, setting, 0);
    array_make(&array, &rig, contract_map(nbytes), WORDS(nbytes));
    for (int round = 0; round < 4; round++) {
        array_run(&array, 0, GPUVM_READ_WRITE);
        array_write(&array, 0, array.words); /* now it is the host's */
        expect_equal(madvise((char *)array.host + part, part, MADV_DONTNEED), 0);
        memset((char *)array.model + part, 0, part);
        if (round % 2)
            array_check_part(&array, WORDS(part) + 20, 30);
        array_check_device(&array, 0);
        array_check(&array);
    }
    array_end(&array);
    rig_stop(&rig);
}

static void need_userfaultfd(void)
{
    if (!contract_is_rung("uffd-move") && !contract_is_rung("uffd-copy") &&
        !contract_is_rung("uffd-move-user") && !contract_is_rung("uffd-copy-user"))
        contract_skip("this rung is not told of it");
}

/* The same while a device has them too: what it has is old then, for all devices. */
static void test_dropped_while_shared(const struct setting *setting)
{
    size_t nbytes = 100 * contract_page_bytes(), part = 40 * contract_page_bytes();
    struct rig rig;
    struct array array;

    rig_start(&rig, setting, 0);
    need_userfaultfd();
    array_make(&array, &rig, contract_map(nbytes), WORDS(nbytes));
    array_check_device(&array, 0);
    expect_equal(madvise((char *)array.host + part, part, MADV_DONTNEED), 0);
    memset((char *)array.model + part, 0, part);
    for (unsigned i = 2; i-- > 0;) {
        expect_equal(gpuvm_kernel_begin(array.host, i, GPUVM_READ_ONLY), 0);
        array_launch(&array, i, GPUVM_READ_ONLY);
    }
    for (unsigned i = 0; i < 2; i++)
        expect_equal(gpuvm_kernel_end(array.host, i), 0);
    array_check(&array);
    array_end(&array);
    rig_stop(&rig);
}

/* What the host says that it overwrites is not fetched, and shows no other array's bytes. */
static void test_not_fetched(const struct setting *setting)
{
    size_t nbytes = 100 * contract_page_bytes();
    struct rig rig;
    struct array array, other;

    rig_start(&rig, setting, 0);
    if (rig.is_svm || contract_is_rung("eager"))
        contract_skip("nothing is watched here");
    array_make(&array, &rig, contract_map(nbytes), WORDS(nbytes));
    array_make(&other, &rig, contract_map(nbytes), WORDS(nbytes));
    array_run(&array, 0, GPUVM_READ_WRITE);
    array_run(&other, 0, GPUVM_READ_WRITE);
    rig_wait(&rig);
    array_check_part(&other, 20000, 5);
    expect_equal(gpuvm_host_begin(array.host, nbytes, GPUVM_WRITE_ONLY), 0);
    for (size_t i = 0; i < array.words; i++)
        expect_equal(array.host[i], 0);
    array_write(&array, 0, array.words);
    expect_equal(gpuvm_host_end(array.host, nbytes), 0);
    array_end(&other);
    array_end(&array);
    rig_stop(&rig);
}

static void test_locked(const struct setting *setting)
{
    size_t nbytes = 64 * contract_page_bytes();
    struct rig rig;
    char *host = contract_map(nbytes);

    rig_start(&rig, setting, 0);
    if (mlock(host, nbytes) != 0)
        contract_skip("mlock is not allowed here");
    exercise(&rig, host, WORDS(nbytes));
    exercise(&rig, host + 12, WORDS(nbytes) - 5);
    expect_equal(munlock(host, nbytes), 0);
    rig_stop(&rig);
}

/* Locked while it is linked. */
static void test_locked_later(const struct setting *setting)
{
    size_t nbytes = 64 * contract_page_bytes();
    struct rig rig;
    struct array array;

    rig_start(&rig, setting, 0);
    array_make(&array, &rig, contract_map(nbytes), WORDS(nbytes));
    array_run(&array, 0, GPUVM_READ_WRITE);
    array_check_part(&array, array.words / 2, 9000);
    if (mlock((char *)array.host + nbytes / 2, contract_page_bytes()) != 0)
        contract_skip("mlock is not allowed here");
    for (int round = 0; round < 5; round++) {
        array_run(&array, 0, GPUVM_READ_WRITE);
        array_check(&array);
    }
    array_end(&array);
    rig_stop(&rig);
}

static void test_huge_pages(const struct setting *setting)
{
    char *map = contract_map(6 * HUGE_BYTES);
    char *aligned = (char *)(((uintptr_t)map + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES);

    for (int flags = 0; flags <= GPUVM_NO_HUGE_PAGES; flags += GPUVM_NO_HUGE_PAGES) {
        struct rig rig;

        rig_start(&rig, setting, flags);
        madvise(aligned, 4 * HUGE_BYTES, MADV_HUGEPAGE); /* refused: ordinary pages do as well */
        memset(aligned, 1, 4 * HUGE_BYTES);
        exercise(&rig, aligned, WORDS(4 * HUGE_BYTES));
        exercise(&rig, aligned + 20 * contract_page_bytes(), WORDS(2 * HUGE_BYTES));
        exercise(&rig, aligned + 36, WORDS(3 * HUGE_BYTES));
        rig_stop(&rig);
    }
}

/* Four mappings that the kernel cannot join, and foreign memory right behind them. */
static void test_several_mappings(const struct setting *setting)
{
    size_t part = HUGE_BYTES / 2 + 3 * contract_page_bytes(), nbytes = 4 * part;
    char *map = contract_map(nbytes + part), *others = map + nbytes;
    struct rig rig;

    madvise(map + part, part, MADV_DONTDUMP);
    madvise(map + 3 * part, part, MADV_DONTDUMP);
    memset(others, 0x5a, part);
    rig_start(&rig, setting, 0);
    exercise(&rig, map, WORDS(nbytes));
    exercise(&rig, map + 20, WORDS(nbytes) - 10);
    exercise(&rig, map + part / 2, WORDS(2 * part));
    for (size_t i = 0; i < part; i++)
        expect_equal(others[i], 0x5a);
    rig_stop(&rig);
}

static const struct test tests[] = {
    {"static", test_static, ON_ALL},
    {"stack", test_stack, ON_ALL},
    {"heap", test_heap, ON_ALL},
    {"page_sizes", test_page_sizes, ON_ALL},
    {"shared", test_shared, ON_ALL},
    {"file", test_file, ON_ALL},
    {"file_untouched", test_file_untouched, ON_ALL},
    {"never_touched", test_never_touched, ON_ALL},
    {"dropped", test_dropped, ON_ALL},
    {"dropped_while_shared", test_dropped_while_shared, ON_ANY_TWO},
    {"not_fetched", test_not_fetched, ON_ANY_ONE},
    {"locked", test_locked, ON_ALL},
    {"locked_later", test_locked_later, ON_ALL},
    {"several_mappings", test_several_mappings, IS_SANITIZED ? ON_ONE_REACH : ON_ALL},
    {"huge_pages", test_huge_pages, IS_THREAD_SANITIZED ? ON_ONE_REACH : ON_ONE | ON_TWO_REACH},
};

CONTRACT_MAIN(tests)
