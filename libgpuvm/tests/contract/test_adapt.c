/* SPDX-License-Identifier: MIT */
/*
 * Programs whose use of an array changes: all of it after each kernel, then a page, then all again.
 * What moves is compared with an oracle that knows the future and moves just what will be used.
 * From the seventh kernel of a phase on, the library may move a fifth more. Pages that are used
 * each time come without faults, but for a few. Counts alone decide: times are printed.
 */
#include "rig.h"

#include <pthread.h>
#include <stdio.h>

#define BYTES ((size_t)(IS_SANITIZED ? 4 : 16) << 20)
#define KERNELS 24                                /* a phase */
#define LEARNING 6                                /* kernels of each phase that do not count */
#define PROBES (3 * (KERNELS - LEARNING) / 5 + 2) /* faults that look whether all goes on */
#define SLOW_READ_US 120                          /* a device whose commands are dear */

enum use { NOTHING, READ_ALL, READ_ALL_DOWN, WRITE_ALL, READ_PAGE, WRITE_PAGE, READ_ANY_PAGE };

/* faults: of the whole phase; 1.05 times those of a version that never unlearnt, where use is
 * dense. 0: any. */
struct phase {
    enum use use;
    unsigned faults;
};

struct program {
    struct rig rig;
    struct array array;
    int flags; /* of its kernels */
    size_t pages, page_words, page;
};

static unsigned long long moved_bytes(void)
{
    return contract_stat(GPUVM_STAT_BYTES_FROM_DEVICE) + contract_stat(GPUVM_STAT_BYTES_TO_DEVICE);
}

static void touch_page(struct program *program, size_t page)
{
    (void)*(volatile uint32_t *)(program->array.host + page * program->page_words);
}

/* What the host does after a kernel; returns the pages that must move for it, there and back. */
static size_t touch(struct program *program, enum use use, unsigned round)
{
    bool fetches = program->flags == GPUVM_READ_WRITE;
    switch (use) {
    case NOTHING:
        return 0;
    case READ_ALL:
        for (size_t page = 0; page < program->pages; page++)
            touch_page(program, page);
        array_check(&program->array);
        return fetches * program->pages;
    case READ_ALL_DOWN:
        for (size_t page = program->pages; page-- > 0;)
            touch_page(program, page);
        array_check(&program->array);
        return fetches * program->pages;
    case WRITE_ALL:
        array_write(&program->array, 0, program->array.words);
        return (fetches + 1) * program->pages;
    case WRITE_PAGE:
        array_write(&program->array, program->page * program->page_words, program->page_words);
        return fetches + 1;
    case READ_PAGE:
        array_check_part(&program->array, program->page * program->page_words, 1);
        return fetches;
    case READ_ANY_PAGE:
        array_check_part(&program->array, rig_mix(round, 5) % program->pages * program->page_words,
                         1);
        return fetches;
    }
    return 0;
}

static void run_phase(struct program *program, struct phase phase)
{
    enum use use = phase.use;
    static const char *const names[] = {"nothing",      "read all",    "read all, down",
                                        "write all",    "read a page", "write a page",
                                        "read any page"};
    unsigned long long counted = 0, start_bytes = 0, start_faults = 0, oracle_pages = 0;
    unsigned long long faults = contract_stat(GPUVM_STAT_PAGEFAULTS);
    double start_s = contract_seconds();
    for (unsigned i = 0; i < KERNELS; i++) {
        array_run(&program->array, 0, program->flags);
        if (i == LEARNING) {
            start_bytes = moved_bytes();
            start_faults = contract_stat(GPUVM_STAT_PAGEFAULTS);
        }
        size_t pages = touch(program, use, i);
        oracle_pages += i >= LEARNING ? pages : 0;
    }
    array_run(&program->array, 0, program->flags); /* what was written goes there */
    counted = moved_bytes() - start_bytes;
    printf("  %-14s %12llu bytes, oracle %12llu; %4llu faults, %.4f s\n", names[use], counted,
           oracle_pages * contract_page_bytes(), contract_stat(GPUVM_STAT_PAGEFAULTS) - faults,
           contract_seconds() - start_s);
    expect_at_most(5 * counted, 6 * oracle_pages * contract_page_bytes());
    if (phase.faults)
        expect_at_most(contract_stat(GPUVM_STAT_PAGEFAULTS) - faults, phase.faults);
    if (use != READ_ANY_PAGE)
        expect_at_most(contract_stat(GPUVM_STAT_PAGEFAULTS) - start_faults, PROBES);
}

static void start(struct program *program, const struct setting *setting, int flags, size_t offset)
{
    rig_make(&program->rig, setting);
    if (program->rig.is_svm)
        contract_skip("on svm nothing moves");
    rig_init(&program->rig, 0);
    char *map = contract_map(BYTES + ((size_t)4 << 20));
    size_t huge = (size_t)2 << 20;
    map += huge - (uintptr_t)map % huge - offset;
    array_make(&program->array, &program->rig, map, WORDS(BYTES));
    program->flags = flags;
    program->page_words = contract_page_bytes() / sizeof(uint32_t);
    program->pages = BYTES / contract_page_bytes();
    program->page = program->pages / 3;
}

static void stop(struct program *program)
{
    array_end(&program->array);
    rig_stop(&program->rig);
}

/* The C library's memcmp is one that reads from the end to the start. */
static void test_descending_reads(const struct setting *setting)
{
    static const struct phase phases[] = {{READ_ALL_DOWN, 44}, {READ_PAGE, 0}, {READ_ALL_DOWN, 8}};
    struct program program;
    start(&program, setting, GPUVM_READ_WRITE, 0);
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++)
        run_phase(&program, phases[i]);
    stop(&program);
}

static void test_reads_change(const struct setting *setting)
{
    static const struct phase phases[] = {
        {READ_ALL, 34}, {READ_PAGE, 0}, {READ_ALL, 8}, {READ_ANY_PAGE, 0}};
    struct program program;
    start(&program, setting, GPUVM_READ_WRITE, 0);
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++)
        run_phase(&program, phases[i]);
    stop(&program);
}

/* Whatever was between: nothing, here. */
static void test_return_after_nothing(const struct setting *setting)
{
    static const struct phase phases[] = {{READ_ALL, 34}, {NOTHING, 0}, {READ_ALL, 8}};
    struct program program;
    start(&program, setting, GPUVM_READ_WRITE, 0);
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++)
        run_phase(&program, phases[i]);
    stop(&program);
}

static void *read_all(void *argument)
{
    array_check(argument);
    return NULL;
}

/* Threads that read at once while a whole array comes back for one of them. */
static void test_return_for_threads(const struct setting *setting)
{
    enum { THREADS = 3 };
    pthread_t threads[THREADS];
    struct program program;
    start(&program, setting, GPUVM_READ_WRITE, 0);
    for (int round = 0; round < 2; round++) {
        run_phase(&program, (struct phase){READ_ALL, 0});
        run_phase(&program, (struct phase){NOTHING, 0});
        array_run(&program.array, 0, GPUVM_READ_WRITE);
        for (int i = 0; i < THREADS; i++)
            expect_equal(pthread_create(&threads[i], NULL, read_all, &program.array), 0);
        for (int i = 0; i < THREADS; i++)
            expect_equal(pthread_join(threads[i], NULL), 0);
    }
    stop(&program);
}

/* That a dense phase has come back is a guess that two pages beside each other bring about,
 * once. */
static void test_false_return(const struct setting *setting)
{
    struct program program;
    start(&program, setting, GPUVM_READ_WRITE, 0);
    run_phase(&program, (struct phase){READ_ALL, 0});
    run_phase(&program, (struct phase){READ_PAGE, 0});
    unsigned long long before = moved_bytes();
    for (unsigned i = 0; i < KERNELS; i++) {
        size_t page = 2 * (rig_mix(i, 5) % (program.pages / 2));
        array_run(&program.array, 0, GPUVM_READ_WRITE);
        touch_page(&program, page);
        touch_page(&program, page + 1);
    }
    expect_at_most(moved_bytes() - before, BYTES + 5 * KERNELS * contract_page_bytes());
    stop(&program);
}

/* The interior's first page lies just before a huge page's place: blocks begin one page later. */
static void test_lone_first_page(const struct setting *setting)
{
    struct program program;
    start(&program, setting, GPUVM_READ_WRITE, contract_page_bytes());
    for (unsigned i = 0; i < KERNELS; i++) {
        array_run(&program.array, 0, GPUVM_READ_WRITE);
        unsigned long long before = moved_bytes();
        array_check_part(&program.array, 0, 2 * program.page_words);
        expect_at_most(moved_bytes() - before, 4 * contract_page_bytes());
    }
    stop(&program);
}

static void test_writes_change(const struct setting *setting)
{
    static const struct phase phases[] = {{WRITE_ALL, 34}, {WRITE_PAGE, 0}, {WRITE_ALL, 8}};
    struct program program;
    start(&program, setting, GPUVM_READ_ONLY, 0);
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++)
        run_phase(&program, phases[i]);
    stop(&program);
}

/* The host stops to write what it goes on to read. */
static void test_writer_becomes_reader(const struct setting *setting)
{
    static const struct phase phases[] = {{WRITE_ALL, 51}, {READ_ALL, 0}, {WRITE_PAGE, 0}};
    struct program program;
    start(&program, setting, GPUVM_READ_WRITE, 0);
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++)
        run_phase(&program, phases[i]);
    stop(&program);
}

/* Where a command is dear a first window is some pages, as long as they are used. */
static void test_dear_commands(const struct setting *setting)
{
    static const struct phase phases[] = {{READ_PAGE, 0}, {READ_ANY_PAGE, 0}};
    struct program program;
    start(&program, setting, GPUVM_READ_WRITE, 0);
    fake_slow_reads(program.rig.fakes[0], SLOW_READ_US);
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++)
        run_phase(&program, phases[i]);
    fake_slow_reads(program.rig.fakes[0], 0);
    stop(&program);
}

static const struct test tests[] = {
    {"a dense reader becomes a reader of pages", test_reads_change, ON_ANY_ONE},
    {"a reader from the end to the start", test_descending_reads, ON_ONE},
    {"a dense phase that comes back after none", test_return_after_nothing, ON_ONE},
    {"a dense phase that comes back for threads", test_return_for_threads, ON_ONE},
    {"a dense phase that does not come back", test_false_return, ON_ONE},
    {"a block of one page is no evidence", test_lone_first_page, ON_ANY_ONE},
    {"a dense writer becomes a writer of pages", test_writes_change, ON_ANY_ONE},
    {"a writer becomes a reader", test_writer_becomes_reader, ON_ANY_ONE},
    {"a first window that is not used shrinks", test_dear_commands, ON_ONE},
};

CONTRACT_MAIN(tests)
