/* SPDX-License-Identifier: MIT */
/* Faults beside the program's own use of the same signals: its handlers, its protections, its
 * stacks for signals; and touches while the library ends. */
#include "rig.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES ((size_t)4 << 20)
#define LIBRARY_STACK_BYTES 4096 /* what gpuvm.h asks for beyond the kernel's own need */

static sigjmp_buf out;
static volatile sig_atomic_t caught;

static void leave(int signal)
{
    caught = signal;
    siglongjmp(out, 1);
}

static void install(int signal, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    expect_equal(sigaction(signal, &action, NULL), 0);
}

/* A program writes by mistake where it may only read. That the place is in a linked array too small
 * to be watched makes no difference: its handler hears of it. */
static void test_genuine_in_small_array(const struct setting *setting)
{
    struct rig rig;
    struct array array;
    char *page = contract_map(contract_page_bytes());

    if (IS_THREAD_SANITIZED)
        contract_skip("ThreadSanitizer's memory of handlers does not survive a longjmp");
    expect(signal(SIGSEGV, leave) != SIG_ERR);
    rig_start(&rig, setting, 0);
    array_make(&array, &rig, page + 64, 64);
    expect_equal(mprotect(page, contract_page_bytes(), PROT_READ), 0);
    array_run(&array, 0, GPUVM_READ_ONLY);
    rig_wait(&rig);
    for (int round = 0; round < 3; round++) {
        caught = 0;
        if (sigsetjmp(out, 1) == 0)
            *(volatile uint32_t *)array.host = 1;
        expect_equal(caught, SIGSEGV);
        array_check(&array);
    }
    expect_equal(mprotect(page, contract_page_bytes(), PROT_READ | PROT_WRITE), 0);
    array_end(&array);
    rig_stop(&rig);
}

/* A program that lets itself read, or write, what a device has: it sees, and the device gets, the
 * newest words. */
static void test_opened_by_program(const struct setting *setting)
{
    struct rig rig;
    struct array array;
    size_t page_bytes = contract_page_bytes(), page_words = page_bytes / sizeof(uint32_t);

    rig_start(&rig, setting, 0);
    array_make(&array, &rig, contract_map(BYTES), WORDS(BYTES));
    for (int round = 0; round < 4; round++) {
        size_t first = round & 1 ? 3 * page_words : 0;
        size_t count = round & 1 ? 40 * page_words : array.words;
        int how = round & 2 ? PROT_READ | PROT_WRITE : PROT_READ;

        array_run(&array, 0, GPUVM_READ_WRITE);
        rig_wait(&rig);
        expect_equal(mprotect(array.host + first, count * sizeof(uint32_t), how), 0);
        array_check_part(&array, first, count);
        if (how & PROT_WRITE)
            array_write(&array, first + 5, count / 2);
        array_check(&array);
        expect_equal(mprotect(array.host, BYTES, PROT_READ | PROT_WRITE), 0);
        array_check_device(&array, 0);
        array_check(&array);
    }
    array_end(&array);
    rig_stop(&rig);
}

/* Memory that the program may only read is no place for what a kernel writes. */
static void test_read_only_memory(const struct setting *setting)
{
    static const size_t sizes[] = {BYTES, 64};

    for (unsigned i = 0; i < 2; i++)
        for (int is_read_before = 0; is_read_before < 2; is_read_before++) {
            struct rig rig;
            struct array array;
            char *map = contract_map(BYTES);

            rig_start(&rig, setting, 0);
            array_make(&array, &rig, map, WORDS(sizes[i]));
            expect_equal(mprotect(map, BYTES, PROT_READ), 0);
            if (is_read_before)
                array_check_device(&array, 0);
            expect_equal(gpuvm_kernel_begin(array.host, 0, GPUVM_READ_WRITE), GPUVM_EPROT);
            expect_equal(gpuvm_kernel_begin(array.host + 3, 0, GPUVM_WRITE_ONLY), GPUVM_EPROT);
            array_check_device(&array, 0);
            array_check(&array);
            expect_equal(mprotect(map, BYTES, PROT_READ | PROT_WRITE), 0);
            array_run(&array, 0, GPUVM_READ_WRITE);
            rig_wait(&rig);
            array_check(&array);
            array_end(&array);
            rig_stop(&rig);
        }
}

static atomic_uint barriers;

/* A collector's write barrier. */
static void note_write(int signal, siginfo_t *info, void *machine)
{
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    char *page = (char *)((uintptr_t)info->si_addr & ~(uintptr_t)(page_bytes - 1));
    atomic_fetch_add(&barriers, 1);
    mprotect(page, page_bytes, PROT_READ | PROT_WRITE);
}

/* A collector protects pages that the host has, of its own accord, to hear of the first write to
 * each. */
static void test_write_barrier(const struct setting *setting)
{
    struct rig rig;
    struct array array;
    size_t page_words = contract_page_bytes() / sizeof(uint32_t);

    if (IS_SANITIZED)
        contract_skip("a sanitizer's handler stands between");
    install(SIGSEGV, note_write);
    rig_start(&rig, setting, 0);
    array_make(&array, &rig, contract_map(BYTES), WORDS(BYTES));
    for (int round = 0; round < 3; round++) {
        array_run(&array, 0, GPUVM_READ_WRITE);
        rig_wait(&rig);
        array_write(&array, 0, array.words); /* the host's alone: nothing is tracked */
        atomic_store(&barriers, 0);
        for (size_t page = 10; page < 15; page++)
            expect_equal(mprotect(array.host + page * page_words, contract_page_bytes(), PROT_READ),
                         0);
        for (size_t page = 10; page < 15; page++)
            array_write(&array, page * page_words + 7, 1);
        expect_equal(atomic_load(&barriers), 5);
        array_check(&array);
    }
    array_end(&array);
    rig_stop(&rig);
}

/* The same while a call of the library's copies such pages. They are an array too small to be
 * watched, and pages that the host wants after each kernel. */
static void test_write_barrier_in_calls(const struct setting *setting)
{
    struct rig rig;
    struct array small, large;
    size_t page_bytes = contract_page_bytes();
    char *pages = contract_map(8 * page_bytes);

    if (IS_SANITIZED)
        contract_skip("a sanitizer's handler stands between");
    install(SIGSEGV, note_write);
    rig_start(&rig, setting, 0);
    if (rig.is_svm)
        contract_skip("on svm devices touch the pages themselves");
    array_make(&small, &rig, pages + 100, WORDS(5 * page_bytes));
    array_make(&large, &rig, contract_map(BYTES), WORDS(BYTES));
    for (int round = 0; round < 40; round++) {
        array_check(&small);
        array_check_part(&large, 0, 2 * page_bytes / sizeof(uint32_t));
        atomic_store(&barriers, 0);
        expect_equal(mprotect(pages + 2 * page_bytes, page_bytes, PROT_NONE), 0);
        array_run(&small, 0, GPUVM_READ_WRITE);
        array_run(&large, 0, GPUVM_READ_WRITE);
        rig_wait(&rig);
        array_check(&small);
        expect(atomic_load(&barriers) >= 1);
    }
    array_end(&small);
    array_end(&large);
    rig_stop(&rig);
}

static void *touch_on_small_stack(void *argument)
{
    struct array *array = argument;
    size_t page_bytes = contract_page_bytes(), page_words = page_bytes / sizeof(uint32_t);
    size_t bytes = (size_t)sysconf(_SC_MINSIGSTKSZ) + LIBRARY_STACK_BYTES;
    size_t mapped = (bytes + page_bytes - 1) / page_bytes * page_bytes + page_bytes;
    char *map = contract_map(mapped);
    stack_t stack = {.ss_sp = map + mapped - bytes, .ss_size = bytes};

    expect_equal(mprotect(map, page_bytes, PROT_NONE), 0); /* an overflow does not go unnoticed */
    memset(map + page_bytes, 0x5a, (size_t)((char *)stack.ss_sp - map) - page_bytes);
    expect_equal(sigaltstack(&stack, NULL), 0);
    for (size_t page = 0; page < array->words / page_words; page += 3)
        array_check_part(array, page * page_words, 1);
    for (size_t page = 0; page < array->words / page_words; page += 7)
        array_write(array, page * page_words + 1, 1);
    for (char *byte = map + page_bytes; byte < (char *)stack.ss_sp; byte++)
        expect_equal(*byte, 0x5a);
    stack.ss_flags = SS_DISABLE;
    expect_equal(sigaltstack(&stack, NULL), 0);
    return NULL;
}

/* A thread whose signals have a stack of their own, of the size that is documented. */
static void test_small_stack(const struct setting *setting)
{
    struct rig rig;
    struct array array;
    pthread_t thread;

    if (IS_SANITIZED)
        contract_skip("a sanitizer's code needs more stack");
    rig_start(&rig, setting, 0);
    array_make(&array, &rig, contract_map(BYTES), WORDS(BYTES));
    for (int round = 0; round < 10; round++) {
        array_run(&array, 0, GPUVM_READ_WRITE);
        rig_wait(&rig);
        expect_equal(pthread_create(&thread, NULL, touch_on_small_stack, &array), 0);
        expect_equal(pthread_join(thread, NULL), 0);
    }
    array_end(&array);
    rig_stop(&rig);
}

enum { TOUCHERS = 3 };
static atomic_bool is_over;

static void *touch_all(void *argument)
{
    const struct array *array = argument;
    uint64_t state = (uintptr_t)&state;

    while (!atomic_load(&is_over)) {
        size_t word = rig_random(&state) % array->words;
        expect_equal(array->host[word], array->model[word]);
    }
    return NULL;
}

/* Threads that fault while gpuvm_finish brings everything back see right data, and go on. */
static void test_finish_while_touched(const struct setting *setting)
{
    pthread_t threads[TOUCHERS];
    struct rig rig;
    struct array array;

    rig_make(&rig, setting);
    for (int round = 0; round < SCALED(10); round++) {
        rig_init(&rig, 0);
        array_make(&array, &rig, contract_map(BYTES), WORDS(BYTES));
        array_run(&array, 0, GPUVM_READ_WRITE);
        rig_wait(&rig);
        atomic_store(&is_over, false);
        for (int i = 0; i < TOUCHERS; i++)
            expect_equal(pthread_create(&threads[i], NULL, touch_all, &array), 0);
        usleep(300);
        expect_equal(gpuvm_finish(), 0);
        usleep(300);
        atomic_store(&is_over, true);
        for (int i = 0; i < TOUCHERS; i++)
            expect_equal(pthread_join(threads[i], NULL), 0);
        array_check(&array);
        array_drop(&array);
    }
    rig_destroy(&rig);
}

static _Atomic unsigned uses_over, uses_read;

static void *read_after_each_use(void *argument)
{
    const struct array *array = argument;

    for (unsigned seen = 0; seen != ~0u;) {
        unsigned over = atomic_load(&uses_over);
        if (over == seen)
            continue;
        seen = over;
        if (seen != ~0u)
            expect_equal(array->host[5], array->model[5]);
        atomic_store(&uses_read, seen);
    }
    return NULL;
}

/* Two threads look at the same word after each kernel. One of them finds again and again that the
 * other has brought the page meanwhile, which is no mistake. */
static void test_always_second(const struct setting *setting)
{
    pthread_t thread;
    struct rig rig;
    struct array array;

    rig_start(&rig, setting, 0);
    array_make(&array, &rig, contract_map(BYTES / 16), WORDS(BYTES / 16));
    atomic_store(&uses_over, 0);
    expect_equal(pthread_create(&thread, NULL, read_after_each_use, &array), 0);
    for (unsigned round = 1; round <= (unsigned)SCALED(1000); round++) {
        array_run(&array, 0, GPUVM_READ_WRITE);
        rig_wait(&rig);
        atomic_store(&uses_over, round);
        expect_equal(array.host[5], array.model[5]);
        while (atomic_load(&uses_read) != round)
            ;
    }
    atomic_store(&uses_over, ~0u);
    expect_equal(pthread_join(thread, NULL), 0);
    array_end(&array);
    rig_stop(&rig);
}

enum { UNMAPPERS = 12 };

static void *unmap_again_and_again(void *argument)
{
    struct rig *rig = argument;
    size_t bytes = BYTES / 4;
    void *buffer = fake_allocate(rig->fakes[0], bytes);

    for (int i = 0; i < SCALED(100); i++) {
        char *host = contract_map(bytes);
        expect_equal(gpuvm_link(host, bytes, 0, buffer, GPUVM_ON_HOST), 0);
        expect_equal(gpuvm_kernel_begin(host, 0, GPUVM_WRITE_ONLY), 0);
        expect_equal(gpuvm_kernel_end(host, 0), 0);
        expect_equal(munmap(host, bytes), 0);
    }
    fake_release(rig->fakes[0], buffer);
    return NULL;
}

/* More threads unmap linked memory than the library has to hear of it, while others fault. */
static void test_unmapped_while_touched(const struct setting *setting)
{
    pthread_t threads[TOUCHERS], unmappers[UNMAPPERS];
    struct rig rig;
    struct array arrays[TOUCHERS];

    rig_start(&rig, setting, 0);
    if (rig.is_svm || contract_is_rung("segv-mem"))
        contract_skip("this rung is not told of munmap");
    atomic_store(&is_over, false);
    for (int i = 0; i < TOUCHERS; i++) {
        array_make(&arrays[i], &rig, contract_map(BYTES), WORDS(BYTES));
        array_run(&arrays[i], 0, GPUVM_READ_WRITE);
        rig_wait(&rig);
        expect_equal(pthread_create(&threads[i], NULL, touch_all, &arrays[i]), 0);
    }
    for (int i = 0; i < UNMAPPERS; i++)
        expect_equal(pthread_create(&unmappers[i], NULL, unmap_again_and_again, &rig), 0);
    for (int i = 0; i < UNMAPPERS; i++)
        expect_equal(pthread_join(unmappers[i], NULL), 0);
    atomic_store(&is_over, true);
    for (int i = 0; i < TOUCHERS; i++) {
        expect_equal(pthread_join(threads[i], NULL), 0);
        array_end(&arrays[i]);
    }
    rig_stop(&rig);
}

static void *touch_cancelled(void *argument)
{
    struct array *array = argument;

    pthread_cancel(
        pthread_self()); /* takes place where a thread may be cancelled: not in a touch */
    expect_equal(array->host[100000], array->model[100000]);
    array->host[200000] = array->model[200000];
    return array;
}

static void test_cancelled(const struct setting *setting)
{
    pthread_t thread;
    struct rig rig;
    struct array array;
    void *result;

    rig_start(&rig, setting, 0);
    array_make(&array, &rig, contract_map(BYTES), WORDS(BYTES));
    for (int round = 0; round < 10; round++) {
        array_run(&array, 0, GPUVM_READ_WRITE);
        rig_wait(&rig);
        expect_equal(pthread_create(&thread, NULL, touch_cancelled, &array), 0);
        expect_equal(pthread_join(thread, &result), 0);
        expect(result == &array);
        array_check(&array);
    }
    array_end(&array);
    rig_stop(&rig);
}

static const struct test tests[] = {
    {"opened_by_program", test_opened_by_program, ON_ALL},
    {"read_only_memory", test_read_only_memory, ON_ALL},
    {"genuine_in_small_array", test_genuine_in_small_array, ON_ANY_ONE},
    {"write_barrier", test_write_barrier, ON_ANY_ONE},
    {"write_barrier_in_calls", test_write_barrier_in_calls, ON_ANY_ONE},
    {"small_stack", test_small_stack, ON_ANY_ONE},
    {"finish_while_touched", test_finish_while_touched, ON_ALL},
    {"always_second", test_always_second, ON_ANY_ONE},
    {"unmapped_while_touched", test_unmapped_while_touched, ON_ANY_ONE},
    {"cancelled", test_cancelled, ON_ANY_ONE},
};

CONTRACT_MAIN(tests)
