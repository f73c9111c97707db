/* SPDX-License-Identifier: MIT */
/* Signal handlers that touch arrays, and threads that are blocked in a fault and still take
 * signals. */
#include "rig.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define BYTES ((size_t)4 << 20)

static struct array *handled;
static volatile size_t next_word;
static atomic_uint seen_count, wrong_count;

/* Reads a word of the array, and writes another that no kernel's check will miss. */
static void read_a_word(int signal)
{
    size_t word = next_word;

    atomic_fetch_add(&wrong_count, handled->host[word] != handled->model[word]);
    atomic_fetch_add(&seen_count, 1);
    next_word = (word * 7919 + 13) % handled->words;
}

static void install(int signal, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

    sigfillset(&action.sa_mask); /* a resume that comes before sigsuspend waits for it */
    sigdelset(&action.sa_mask, SIGSEGV);
    sigdelset(&action.sa_mask, SIGBUS);
    expect_equal(sigaction(signal, &action, NULL), 0);
}

/* ThreadSanitizer runs an application's handlers with every signal blocked: a fault in one is
 * fatal. */
static void need_faults_in_handlers(void)
{
    if (IS_THREAD_SANITIZED && contract_is_by_signal())
        contract_skip("ThreadSanitizer runs signal handlers with SIGSEGV and SIGBUS blocked");
}

static void test_handler_touches(const struct setting *setting)
{
    struct rig rig;
    struct array array;

    need_faults_in_handlers();
    rig_start(&rig, setting, 0);
    array_make(&array, &rig, contract_map(BYTES), WORDS(BYTES));
    handled = &array;
    install(SIGUSR1, read_a_word, 0);
    for (int round = 0; round < SCALED(30); round++) {
        array_run(&array, 0, GPUVM_READ_WRITE);
        rig_wait(&rig);
        for (int i = 0; i < 10; i++)
            expect_equal(raise(SIGUSR1), 0);
    }
    expect_equal(atomic_load(&seen_count), SCALED(30) * 10);
    expect_equal(atomic_load(&wrong_count), 0);
    array_end(&array);
    rig_stop(&rig);
}

/* A timer's handler touches the array wherever the main thread happens to be between uses: in a
 * fault, too. */
static void test_timer_touches(const struct setting *setting)
{
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    struct rig rig;
    struct array array;
    sigset_t alarm_only;

    need_faults_in_handlers();
    rig_start(&rig, setting, 0);
    array_make(&array, &rig, contract_map(BYTES), WORDS(BYTES));
    handled = &array;
    install(SIGALRM, read_a_word, SA_RESTART);
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    expect_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    for (int round = 0; round < SCALED(60); round++) {
        pthread_sigmask(SIG_BLOCK, &alarm_only,
                        NULL); /* correct sharing: the handler is the host, too */
        array_run(&array, 0, GPUVM_READ_WRITE);
        rig_wait(&rig);
        pthread_sigmask(SIG_UNBLOCK, &alarm_only, NULL);
        array_check(&array);
    }
    expect_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    expect(atomic_load(&seen_count) > 0);
    expect_equal(atomic_load(&wrong_count), 0);
    array_end(&array);
    rig_stop(&rig);
}

/* ---- A collector that stops the world ---- */

static void need_prompt_signals(void)
{
    if (IS_THREAD_SANITIZED)
        contract_skip("ThreadSanitizer holds signals back until a thread makes a system call; one "
                      "in a fault makes none");
}

static sem_t has_stopped;
static atomic_bool has_touched;
static atomic_int mutator;
static size_t
    wanted_word; /* another one each time: what the host wants again and again comes unasked */

static void suspend(int signal)
{
    sigset_t all_but_resume;

    sigfillset(&all_but_resume);
    sigdelset(&all_but_resume, SIGUSR2);
    sem_post(&has_stopped);
    sigsuspend(&all_but_resume);
}

static void resume(int signal) {}

static void *mutate(void *argument)
{
    struct array *array = argument;
    uint32_t seen;

    atomic_store(&mutator, gettid());
    seen = array->host[wanted_word];
    atomic_store(&has_touched, true);
    expect_equal(seen, array->model[wanted_word]);
    return NULL;
}

static void wait_for_post(void *argument)
{
    sem_wait(argument);
}

/* The thread is blocked in a fault that cannot be served yet; it is stopped, and goes on, as often
 * as the collector wants. */
static void test_stop_the_world(const struct setting *setting)
{
    struct rig rig;
    struct array array;
    pthread_t thread;
    sem_t release;

    need_prompt_signals();
    rig_start(&rig, setting, 0);
    if (rig.is_svm)
        contract_skip("on svm there are no faults");
    sem_init(&has_stopped, 0, 0);
    sem_init(&release, 0, 0);
    install(SIGUSR1, suspend, SA_RESTART);
    install(SIGUSR2, resume, SA_RESTART);
    array_make(&array, &rig, contract_map(BYTES), WORDS(BYTES));
    for (int round = 0; round < 5; round++) {
        array_run(&array, 0, GPUVM_READ_WRITE);
        rig_wait(&rig);
        atomic_store(&mutator, 0);
        atomic_store(&has_touched, false);
        wanted_word = array.words / 6 * (size_t)(round + 1);
        fake_launch(rig.fakes[0], wait_for_post, &release, 0); /* the transfer comes after it */
        expect_equal(pthread_create(&thread, NULL, mutate, &array), 0);
        contract_wait_asleep(&mutator);
        for (int stops = 0; stops < 3; stops++) {
            expect_equal(pthread_kill(thread, SIGUSR1), 0);
            while (sem_wait(&has_stopped) != 0)
                ;
            expect(!atomic_load(&has_touched));
            expect_equal(pthread_kill(thread, SIGUSR2), 0);
        }
        expect(!atomic_load(&has_touched));
        sem_post(&release);
        expect_equal(pthread_join(thread, NULL), 0);
        expect(atomic_load(&has_touched));
    }
    array_end(&array);
    rig_stop(&rig);
}

/* The collector also stops a thread while the fault it waits for gets served meanwhile. */
static void test_served_while_stopped(const struct setting *setting)
{
    struct rig rig;
    struct array array;
    pthread_t thread;
    sem_t release;

    need_prompt_signals();
    rig_start(&rig, setting, 0);
    if (rig.is_svm)
        contract_skip("on svm there are no faults");
    sem_init(&has_stopped, 0, 0);
    sem_init(&release, 0, 0);
    install(SIGUSR1, suspend, SA_RESTART);
    install(SIGUSR2, resume, SA_RESTART);
    array_make(&array, &rig, contract_map(BYTES), WORDS(BYTES));
    array_run(&array, 0, GPUVM_READ_WRITE);
    rig_wait(&rig);
    wanted_word = array.words / 2;
    fake_launch(rig.fakes[0], wait_for_post, &release, 0);
    expect_equal(pthread_create(&thread, NULL, mutate, &array), 0);
    contract_wait_asleep(&mutator);
    expect_equal(pthread_kill(thread, SIGUSR1), 0);
    while (sem_wait(&has_stopped) != 0)
        ;
    sem_post(&release);
    /* the collector itself looks at the array while the world stands still */
    expect_equal(array.host[17], array.model[17]);
    expect(!atomic_load(&has_touched));
    expect_equal(pthread_kill(thread, SIGUSR2), 0);
    expect_equal(pthread_join(thread, NULL), 0);
    array_end(&array);
    rig_stop(&rig);
}

/* Threads that block all signals fault as well: the kernel may not deliver to them what a rung
 * needs. */
static void test_signals_blocked(const struct setting *setting)
{
    sigset_t all, before;
    struct rig rig;
    struct array array;

    rig_start(&rig, setting, 0);
    array_make(&array, &rig, contract_map(BYTES), WORDS(BYTES));
    array_run(&array, 0, GPUVM_READ_WRITE);
    sigfillset(&all);
    sigdelset(&all, SIGSEGV); /* blocked, a rung's signal ends the process: documented */
    sigdelset(&all, SIGBUS);
    expect_equal(pthread_sigmask(SIG_SETMASK, &all, &before), 0);
    array_check(&array);
    expect_equal(pthread_sigmask(SIG_SETMASK, &before, NULL), 0);
    array_end(&array);
    rig_stop(&rig);
}

static atomic_bool is_over;

static void *read_words(void *argument)
{
    const struct array *array = argument;
    uint64_t state = (uintptr_t)&array;

    while (!atomic_load(&is_over)) {
        size_t word = rig_random(&state) % array->words;

        expect_equal(array->host[word], array->model[word]);
    }
    return NULL;
}

/* A stop-the-world collector at work: threads fault, are stopped anywhere, and go on. */
static void test_collections(const struct setting *setting)
{
    enum { THREADS = 3 };
    pthread_t threads[THREADS];
    struct rig rig;
    struct array array;

    need_prompt_signals();
    rig_start(&rig, setting, 0);
    sem_init(&has_stopped, 0, 0);
    install(SIGUSR1, suspend, SA_RESTART);
    install(SIGUSR2, resume, SA_RESTART);
    array_make(&array, &rig, contract_map(BYTES), WORDS(BYTES));
    for (int round = 0; round < SCALED(15); round++) {
        array_run(&array, 0, GPUVM_READ_WRITE);
        rig_wait(&rig);
        atomic_store(&is_over, false);
        for (int i = 0; i < THREADS; i++)
            expect_equal(pthread_create(&threads[i], NULL, read_words, &array), 0);
        for (int stops = 0; stops < 10; stops++) {
            for (int i = 0; i < THREADS; i++)
                expect_equal(pthread_kill(threads[i], SIGUSR1), 0);
            for (int i = 0; i < THREADS; i++)
                while (sem_wait(&has_stopped) != 0)
                    ;
            array_check_part(&array,
                             rig_mix((uint32_t)round, (uint32_t)stops) % (WORDS(BYTES) - 10), 10);
            for (int i = 0; i < THREADS; i++)
                expect_equal(pthread_kill(threads[i], SIGUSR2), 0);
        }
        atomic_store(&is_over, true);
        for (int i = 0; i < THREADS; i++)
            expect_equal(pthread_join(threads[i], NULL), 0);
    }
    array_end(&array);
    rig_stop(&rig);
}

static struct array handled_later, linked_often;

/* Calls that take locks, on arrays that the host has. */
static void *call_all_the_time(void *argument)
{
    struct array *array = argument;
    struct gpuvm_array_info info;

    while (!atomic_load(&is_over)) {
        expect_equal(gpuvm_array_info(array->host, &info), 0);
        expect_equal(gpuvm_host_begin(array->host, 4096, GPUVM_READ_WRITE), 0);
        expect_equal(gpuvm_host_end(array->host, 4096), 0);
        expect_equal(gpuvm_unlink(linked_often.host, 0), 0);
        expect_equal(gpuvm_link(linked_often.host, linked_often.words * 4, 0,
                                linked_often.buffers[0], GPUVM_ON_HOST),
                     0);
    }
    return NULL;
}

/* A collector stops a thread anywhere, in the library's calls too, and touches arrays meanwhile: of
 * the same thread's and of others. */
static void test_stopped_in_calls(const struct setting *setting)
{
    struct rig rig;
    struct array array;
    pthread_t thread;

    need_prompt_signals();
    rig_start(&rig, setting, GPUVM_WRITER_SIG_BLOCK);
    if (rig.is_svm)
        contract_skip("on svm there are no faults");
    sem_init(&has_stopped, 0, 0);
    install(SIGUSR1, suspend, SA_RESTART);
    install(SIGUSR2, resume, SA_RESTART);
    array_make(&array, &rig, contract_map(BYTES), WORDS(BYTES));
    array_make(&handled_later, &rig, contract_map(BYTES), WORDS(BYTES));
    array_make(&linked_often, &rig, contract_map(BYTES / 4), WORDS(BYTES / 4));
    atomic_store(&is_over, false);
    expect_equal(pthread_create(&thread, NULL, call_all_the_time, &array), 0);
    for (int stops = 0; stops < SCALED(300); stops++) {
        array_run(&handled_later, 0, GPUVM_READ_WRITE);
        rig_wait(&rig);
        expect_equal(pthread_kill(thread, SIGUSR1), 0);
        while (sem_wait(&has_stopped) != 0)
            ;
        size_t word = rig_mix(17, (uint32_t)stops) % (WORDS(BYTES) - 10);
        array_check_part(&handled_later, word, 10);
        array_check_part(&array, word, 10);
        expect_equal(pthread_kill(thread, SIGUSR2), 0);
    }
    atomic_store(&is_over, true);
    expect_equal(pthread_join(thread, NULL), 0);
    array_end(&linked_often);
    array_end(&handled_later);
    array_end(&array);
    rig_stop(&rig);
}

static atomic_int counted;

static void count(int number)
{
    (void)number;
    atomic_fetch_add(&counted, 1);
}

static int count_after(int signals)
{
    for (int i = 0; i < signals; i++)
        expect_equal(pthread_kill(pthread_self(), SIGUSR1), 0);
    return atomic_load(&counted);
}

/* Several calls as one: what a call among them does to the mask is nothing, and pairs nest. */
static void test_calls_as_one(const struct setting *setting)
{
    struct rig rig;
    struct array array;
    struct gpuvm_array_info info;

    install(SIGUSR1, count, SA_RESTART);
    for (int is_blocking = 0; is_blocking < 2; is_blocking++) {
        rig_start(&rig, setting, is_blocking ? GPUVM_WRITER_SIG_BLOCK : 0);
        array_make(&array, &rig, contract_map(BYTES), WORDS(BYTES));
        atomic_store(&counted, 0);
        expect_equal(gpuvm_calls_end(), GPUVM_ESTATE);
        expect_equal(count_after(1), 1);
        expect_equal(gpuvm_calls_begin(), 0);
        expect_equal(gpuvm_calls_begin(), 0);
        expect_equal(count_after(1), is_blocking ? 1 : 2);
        expect_equal(gpuvm_array_info(array.host, &info), 0);
        array_run(&array, 0, GPUVM_READ_WRITE);
        expect_equal(count_after(0), is_blocking ? 1 : 2);
        expect_equal(gpuvm_calls_end(), 0);
        expect_equal(count_after(0), is_blocking ? 1 : 2);
        expect_equal(gpuvm_calls_end(), 0);
        expect_equal(count_after(0), 2);
        expect_equal(gpuvm_array_info(array.host, &info), 0);
        expect_equal(count_after(1), 3);
        expect_equal(gpuvm_calls_end(), GPUVM_ESTATE);
        array_check(&array);
        array_end(&array);
        rig_stop(&rig);
    }
}

static const struct test tests[] = {
    {"handler_touches", test_handler_touches, ON_ANY_ONE},
    {"timer_touches", test_timer_touches, ON_ANY_ONE},
    {"stop_the_world", test_stop_the_world, ON_ONE},
    {"served_while_stopped", test_served_while_stopped, ON_ONE},
    {"signals_blocked", test_signals_blocked, ON_ANY_ONE},
    {"collections", test_collections, ON_ANY_ONE},
    {"stopped_in_calls", test_stopped_in_calls, ON_ANY_ONE},
    {"calls_as_one", test_calls_as_one, ON_ANY_ONE},
};

CONTRACT_MAIN(tests)
