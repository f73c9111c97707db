/* SPDX-License-Identifier: MIT */
/* The first libgpuvm's known faults where the fake device shows them better: 5 to 8 and 10 of its
 * list. */
#include "rig.h"

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Fault 5: the time of a link grows with the number of arrays (1220 us at 5000). */
static void test_5_link_time(const struct setting *setting)
{
    enum { COUNT = 10000, LAST = 1000, BYTES = 10000 };
    static double seconds[LAST];
    static char *hosts[COUNT];
    struct rig rig;
    void *buffer;
    double median_us;

    rig_start(&rig, setting, 0);
    buffer = fake_allocate(rig.fakes[0], BYTES);
    for (int i = 0; i < COUNT; i++) {
        double start = 0;

        hosts[i] =
            contract_allocate(BYTES); /* rising addresses: the worst case of an unbalanced tree */
        start = contract_seconds();
        expect_equal(gpuvm_link(hosts[i], BYTES, 0, buffer, GPUVM_ON_HOST), 0);
        if (i >= COUNT - LAST)
            seconds[i - (COUNT - LAST)] = contract_seconds() - start;
    }
    qsort(seconds, LAST, sizeof seconds[0], compare_doubles);
    median_us = seconds[LAST / 2] * 1e6;
    printf("  the median of the last %d links of %d takes %.2f us\n", LAST, COUNT, median_us);
    expect_at_most(median_us,
                   IS_SANITIZED ? 200 : 20); /* far below 1220, far above a busy machine's noise */
    for (int i = 0; i < COUNT; i++) {
        expect_equal(gpuvm_unlink(hosts[i], 0), 0);
        free(hosts[i]);
    }
    fake_release(rig.fakes[0], buffer);
    rig_stop(&rig);
}

/* Fault 6: a forked child that touches a device-owned array hangs. */
static void test_6_fork(const struct setting *setting)
{
    size_t words = 100000;
    struct rig rig;
    struct array array;
    int status;
    pid_t child;

    rig_start(&rig, setting, 0);
    array_make(&array, &rig, contract_allocate(words * 4), words);
    array_run(&array, 0, GPUVM_READ_WRITE);
    rig_wait(&rig);
    child = fork();
    expect(child >= 0);
    if (child == 0)
        _exit(memcmp(array.host, array.model, words * 4) == 0 ? 42 : 43);
    expect_equal(waitpid(child, &status, 0), child);
    expect(WIFEXITED(status));
    expect_equal(WEXITSTATUS(status), 42);
    array_end(&array);
    rig_stop(&rig);
}

/* Fault 7: read(2) into a device-owned array fails. After gpuvm_host_begin it works on every rung.
 */
static void test_7_read_after_host_begin(const struct setting *setting)
{
    size_t words = 65536;
    struct rig rig;
    struct array array;
    int ends[2];

    rig_start(&rig, setting, 0);
    array_make(&array, &rig, contract_map(words * 4), words);
    expect_equal(pipe(ends), 0);
    for (int round = 0; round < 4; round++) {
        uint32_t sent[512];

        array_run(&array, 0, round % 2 ? GPUVM_READ_ONLY : GPUVM_READ_WRITE);
        for (uint32_t i = 0; i < 512; i++)
            sent[i] = rig_mix(i, 1);
        expect_equal(write(ends[1], sent, sizeof sent), sizeof sent);
        expect_equal(gpuvm_host_begin(array.host + 2000, sizeof sent, GPUVM_READ_WRITE), 0);
        expect_equal(read(ends[0], array.host + 2000, sizeof sent), sizeof sent);
        expect_equal(gpuvm_host_end(array.host + 2000, sizeof sent), 0);
        rig_wait(&rig);
        memcpy(array.model + 2000, sent, sizeof sent);
    }
    array_end(&array);
    rig_stop(&rig);
}

/* ---- Fault 8: several small ones ---- */

struct toucher {
    struct array *array;
    pthread_barrier_t *barrier;
    size_t word;
    uint32_t seen;
};

static void *touch(void *argument)
{
    struct toucher *toucher = argument;

    pthread_barrier_wait(toucher->barrier);
    toucher->seen = toucher->array->host[toucher->word];
    return NULL;
}

/* 8a: a full queue drops a request, a spurious wake-up is taken for a real one: a thread is never
 * woken. */
static void test_8a_many_threads_fault(const struct setting *setting)
{
    enum { THREADS = 200, ROUNDS = 5 };
    static struct toucher touchers[THREADS];
    size_t step_words = 4 * contract_page_bytes() / 4, words = THREADS * step_words;
    pthread_t threads[THREADS];
    pthread_barrier_t barrier;
    struct rig rig;
    struct array array;

    rig_start(&rig, setting, 0);
    array_make(&array, &rig, contract_map(words * 4), words);
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int round = 0; round < ROUNDS; round++) {
        array_run(&array, 0, GPUVM_READ_WRITE);
        for (int i = 0; i < THREADS; i++) {
            touchers[i] = (struct toucher){&array, &barrier, (size_t)i * step_words + 5, 0};
            expect_equal(pthread_create(&threads[i], NULL, touch, &touchers[i]), 0);
        }
        for (int i = 0; i < THREADS; i++)
            expect_equal(pthread_join(threads[i], NULL), 0);
        rig_wait(&rig);
        for (int i = 0; i < THREADS; i++)
            expect_equal(touchers[i].seen, array.model[touchers[i].word]);
    }
    pthread_barrier_destroy(&barrier);
    array_end(&array);
    rig_stop(&rig);
}

/* 8b: the time of a fault includes the transfer's, although the header says that it does not. */
static void test_8b_fault_time(const struct setting *setting)
{
    enum { FAULTS = 5, SLOW_US = 40000 };
    size_t stride_words = (size_t)4 << 20 >> 2, words = FAULTS * stride_words;
    double copy_s = 0, host_copy_s = 0, fault_s = 0;
    struct rig rig;
    struct array array;

    rig_start(&rig, setting, GPUVM_STAT);
    if (rig.is_svm)
        contract_skip("on svm there are no faults");
    array_make(&array, &rig, contract_map(words * 4), words);
    array_run(&array, 0, GPUVM_READ_WRITE);
    rig_wait(&rig);
    fake_slow_reads(rig.fakes[0], SLOW_US);
    for (size_t i = 0; i < FAULTS; i++)
        array_check_part(&array, i * stride_words + 77, 1);
    fake_slow_reads(rig.fakes[0], 0);
    expect_equal(gpuvm_stat(GPUVM_STAT_COPY_TIME, &copy_s), 0);
    expect_equal(gpuvm_stat(GPUVM_STAT_HOST_COPY_TIME, &host_copy_s), 0);
    expect_equal(gpuvm_stat(GPUVM_STAT_PAGEFAULT_TIME, &fault_s), 0);
    expect_equal(contract_stat(GPUVM_STAT_PAGEFAULTS), FAULTS);
    expect(host_copy_s >= FAULTS * SLOW_US * 1e-6);
    expect(copy_s >= host_copy_s);
    expect(fault_s > 0 && fault_s < SLOW_US * 1e-6);
    expect(contract_stat(GPUVM_STAT_LONGEST_FAULT_NS) >= SLOW_US * 1000ull);
    array_end(&array);
    rig_stop(&rig);
}

/* 8c: unlink adds to an uninitialised result. */
static void test_8c_unlink_result(const struct setting *setting)
{
    struct rig rig;
    struct array array;
    char *host = contract_map(40000);

    rig_start(&rig, setting, 0);
    for (int i = 0; i < 300; i++) {
        array_make(&array, &rig, host + 4 * i, 5000);
        if (i % 3 == 0)
            array_run(&array, 0, GPUVM_READ_WRITE);
        array_end(&array);
    }
    rig_stop(&rig);
}

static sigjmp_buf out;
static volatile sig_atomic_t caught, caught_kind;
static void *volatile caught_address;

static void on_fault(int signal)
{
    caught = signal;
    caught_kind = 1;
    siglongjmp(out, 1);
}

static void on_fault_with_info(int signal, siginfo_t *info, void *context)
{
    caught = signal;
    caught_kind = 2;
    caught_address = info->si_addr;
    siglongjmp(out, 1);
}

static void fault_at(volatile char *address)
{
    if (sigsetjmp(out, 1) == 0)
        *address = 1;
}

/* 8d: a handler of the program's in the old form is called as if it were in the new; a fault at
 * NULL aborts. */
static void test_8d_programs_handler(const struct setting *setting)
{
    for (int kind = 1; kind <= 2; kind++) {
        struct sigaction action = {.sa_flags = kind == 2 ? SA_SIGINFO : 0};
        struct rig rig;
        struct array array;
        char *volatile nowhere = (char *)16; /* volatile: no compiler looks through it */

        if (kind == 2)
            action.sa_sigaction = on_fault_with_info;
        else
            action.sa_handler = on_fault;
        expect_equal(sigaction(SIGSEGV, &action, NULL), 0);
        rig_start(&rig, setting, 0);
        array_make(&array, &rig, contract_map(400000), 100000);
        array_run(&array, 0, GPUVM_READ_WRITE);
        for (int round = 0; round < 3; round++) {
            caught = caught_kind = 0;
            fault_at(nowhere);
            expect_equal(caught, SIGSEGV);
            expect_equal(caught_kind, kind);
            expect(kind == 1 || caught_address == nowhere);
            array_check_part(&array, 20000 * (size_t)round, 20);
        }
        array_end(&array);
        rig_stop(&rig);
    }
}

/* 8e: without a handler of the program's, a genuine fault ends the process by SIGSEGV, as without
 * the library. */
static void test_8e_genuine_fault(const struct setting *setting)
{
    pid_t child;
    int status;

    if (IS_SANITIZED)
        contract_skip("a sanitizer reports genuine faults itself");
    child = fork();
    expect(child >= 0);
    if (child == 0) {
        struct rig rig;
        struct array array;
        volatile char *volatile nowhere = NULL;

        rig_start(&rig, setting, 0);
        array_make(&array, &rig, contract_map(400000), 100000);
        array_run(&array, 0, GPUVM_READ_WRITE);
        array_check_part(&array, 50000, 1);
        *nowhere = 1;
        _exit(0);
    }
    expect_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        contract_skip("the rung does not work here");
    expect(WIFSIGNALED(status));
    expect_equal(WTERMSIG(status), SIGSEGV);
}

static atomic_bool is_over;

static void *start_threads(void *argument)
{
    struct array *array = argument;
    static atomic_uint turn;

    while (!atomic_load(&is_over)) {
        pthread_barrier_t barrier;
        struct toucher toucher = {array, &barrier, 0, 0};
        pthread_t thread;

        toucher.word = rig_mix(atomic_fetch_add(&turn, 1), 3) % array->words;
        pthread_barrier_init(&barrier, NULL, 1);
        expect_equal(pthread_create(&thread, NULL, touch, &toucher), 0);
        expect_equal(pthread_join(thread, NULL), 0);
        pthread_barrier_destroy(&barrier);
    }
    return NULL;
}

/* 8f: threads that start while others fault are missed, or stopped for ever. The array is only read
 * by kernels here. */
static void test_8f_threads_come_and_go(const struct setting *setting)
{
    enum { STARTERS = 4 };
    pthread_t starters[STARTERS];
    struct rig rig;
    struct array shared, own;

    rig_start(&rig, setting, 0);
    array_make(&shared, &rig, contract_map(4000000), 1000000);
    array_make(&own, &rig, contract_map(400000), 100000);
    array_run(&shared, 0, GPUVM_READ_WRITE);
    rig_wait(&rig);
    for (int i = 0; i < STARTERS; i++)
        expect_equal(pthread_create(&starters[i], NULL, start_threads, &shared), 0);
    for (int round = 0; round < SCALED(60); round++) {
        array_run(&own, 0, GPUVM_READ_WRITE);
        array_check(&own);
    }
    atomic_store(&is_over, true);
    for (int i = 0; i < STARTERS; i++)
        expect_equal(pthread_join(starters[i], NULL), 0);
    array_end(&shared);
    array_end(&own);
    rig_stop(&rig);
}

/* ---- Fault 10: one lock is held across a device's transfers ---- */

static atomic_bool has_fetched;
static atomic_int fetcher;

static void *fetch(void *argument)
{
    struct array *array = argument;
    size_t word = array->words / 2;

    atomic_store(&fetcher, gettid());
    expect_equal(array->host[word], array->model[word]);
    atomic_store(&has_fetched, true);
    return NULL;
}

static void wait_for_post(void *argument)
{
    sem_wait(argument);
}

/* Links, uses and unlinks an array on one device. */
static void use_briefly(struct rig *rig, unsigned device, void *host, uint32_t seed)
{
    struct array array;

    array_fill(&array, rig, host, 100000, seed);
    array_link(&array, device);
    expect_equal(gpuvm_kernel_begin(host, device, GPUVM_READ_WRITE), 0);
    array_launch(&array, device, GPUVM_READ_WRITE);
    expect_equal(gpuvm_kernel_end(host, device), 0);
    fake_finish(rig->fakes[device]);
    expect_bytes(array.host, array.model, 400000);
    expect_equal(gpuvm_unlink(host, device), 0);
    array_drop(&array);
}

/* While one thread waits for a busy device, the others link, use, touch and unlink on another
 * device. */
static void test_10_no_lock_across_transfers(const struct setting *setting)
{
    struct rig rig;
    struct array slow, other;
    pthread_t thread;
    void *host = contract_map(400000);
    sem_t release;

    rig_start(&rig, setting, 0);
    if (rig.is_svm)
        contract_skip("on svm there are no transfers");
    sem_init(&release, 0, 0);
    array_make(&slow, &rig, contract_map(4000000), 1000000);
    array_make(&other, &rig, contract_map(4000000), 1000000);
    array_run(&slow, 0, GPUVM_READ_WRITE);
    array_run(&other, 1, GPUVM_READ_WRITE);
    rig_wait(&rig);
    fake_launch(rig.fakes[0], wait_for_post, &release, 0); /* transfers come after it */
    expect_equal(pthread_create(&thread, NULL, fetch, &slow), 0);
    contract_wait_asleep(&fetcher);
    for (uint32_t round = 0; round < 20; round++) {
        size_t word = round * 40000 + 11;

        use_briefly(&rig, 1, host, round);
        expect_equal(other.host[word], other.model[word]);
    }
    expect(!atomic_load(&has_fetched));
    sem_post(&release);
    expect_equal(pthread_join(thread, NULL), 0);
    array_end(&slow);
    array_end(&other);
    sem_destroy(&release);
    rig_stop(&rig);
}

static const struct test tests[] = {
    {"5_link_time", test_5_link_time, ON_ONE},
    {"6_fork", test_6_fork, ON_ALL},
    {"7_read_after_host_begin", test_7_read_after_host_begin, ON_ALL},
    {"8a_many_threads_fault", test_8a_many_threads_fault, ON_ANY_ONE},
    {"8b_fault_time", test_8b_fault_time, ON_ONE},
    {"8c_unlink_result", test_8c_unlink_result, ON_ANY_ONE},
    {"8d_programs_handler", test_8d_programs_handler, ON_ANY_ONE},
    {"8e_genuine_fault", test_8e_genuine_fault, ON_ONE},
    {"8f_threads_come_and_go", test_8f_threads_come_and_go, ON_ANY_ONE},
    {"10_no_lock_across_transfers", test_10_no_lock_across_transfers, ON_TWO},
};

CONTRACT_MAIN(tests)
