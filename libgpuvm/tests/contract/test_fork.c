/* SPDX-License-Identifier: MIT */
/* Children: they see the data as they were, their writes are their own, and the parent goes on. */
#include "rig.h"

#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARRAYS 4

extern char **environ;

static void make_arrays(struct array *arrays, struct rig *rig)
{
    size_t page_words = contract_page_bytes() / 4;

    array_make(&arrays[0], rig, contract_map(700 * contract_page_bytes()), 700 * page_words);
    array_make(&arrays[1], rig, contract_allocate(400000), 100000);
    array_make(&arrays[2], rig, contract_allocate(6000), 1500);
    array_make(&arrays[3], rig, contract_allocate((size_t)5 << 20), WORDS((size_t)5 << 20));
}

/* Leaves them in different states: the device's, read by the host, watched, partly written, the
 * host's. */
static void mix_states(struct array *arrays, unsigned round)
{
    for (unsigned i = 0; i < ARRAYS; i++) {
        struct array *array = &arrays[(i + round) % ARRAYS];

        array_run(array, i % array->rig->devices, GPUVM_READ_WRITE);
        if (i == 1)
            array_check_part(array, array->words / 3, array->words / 4);
        if (i == 2) {
            array_check(array);
            array_check_device(array, 0);
            array_write(array, array->words / 2, 70);
        }
        if (i == 3)
            array_write(array, 0, array->words);
    }
    rig_wait(arrays[0].rig);
}

static void end_arrays(struct array *arrays)
{
    for (int i = 0; i < ARRAYS; i++)
        array_end(&arrays[i]);
}

/* What a child finds, read backwards so that nothing is fetched in advance for it. */
static bool child_sees(const struct array *array)
{
    for (size_t i = array->words; i-- > 0;)
        if (array->host[i] != array->model[i])
            return false;
    return true;
}

static void expect_child(pid_t child)
{
    int status = 0;

    expect(child > 0);
    expect_equal(waitpid(child, &status, 0), child);
    expect(WIFEXITED(status));
    expect_equal(WEXITSTATUS(status), 42);
}

static void test_child_sees_data(const struct setting *setting)
{
    struct rig rig;
    struct array arrays[ARRAYS];

    rig_start(&rig, setting, 0);
    make_arrays(arrays, &rig);
    for (unsigned round = 0; round < SCALED(8); round++) {
        pid_t child;

        mix_states(arrays, round);
        child = fork();
        if (child == 0) {
            bool is_right = true;

            for (int i = 0; i < ARRAYS; i++) {
                is_right = is_right && child_sees(&arrays[i]);
                memset(arrays[i].host, 0xee, arrays[i].words * 4); /* the child's own */
            }
            _exit(is_right ? 42 : 1);
        }
        expect_child(child);
        if (round % 2)
            for (int i = 0; i < ARRAYS; i++)
                array_check(&arrays[i]);
    }
    end_arrays(arrays);
    rig_stop(&rig);
}

/* A child that lives on shares pages with the parent, who goes on using the arrays. */
static void test_parent_goes_on(const struct setting *setting)
{
    struct rig rig;
    struct array arrays[ARRAYS];
    int to_child[2];
    pid_t child;
    char byte = 0;

    rig_start(&rig, setting, 0);
    make_arrays(arrays, &rig);
    mix_states(arrays, 0);
    expect_equal(pipe(to_child), 0);
    child = fork();
    if (child == 0) {
        bool is_right = read(to_child[0], &byte, 1) == 1;

        for (int i = 0; i < ARRAYS; i++)
            is_right =
                is_right && child_sees(&arrays[i]); /* the models are the child's copies, too */
        _exit(is_right ? 42 : 1);
    }
    for (unsigned round = 1; round < SCALED(12); round++) {
        mix_states(arrays, round);
        for (int i = 0; i < ARRAYS; i++)
            if (round % 3 == 0)
                array_check(&arrays[i]);
    }
    for (int i = 0; i < ARRAYS; i++) {
        array_check_device(&arrays[i], 0);
        array_check(&arrays[i]);
    }
    expect_equal(write(to_child[1], &byte, 1), 1);
    expect_child(child);
    mix_states(arrays, 2);
    end_arrays(arrays);
    rig_stop(&rig);
}

/* Grandchildren, and a child that ends the ordinary way: its exit must not disturb the parent's
 * devices. */
static void test_child_exits(const struct setting *setting)
{
    struct rig rig;
    struct array arrays[ARRAYS];

    rig_start(&rig, setting, 0);
    make_arrays(arrays, &rig);
    for (unsigned round = 0; round < 3; round++) {
        pid_t child;

        mix_states(arrays, round);
        child = fork();
        if (child == 0) {
            pid_t grandchild = fork();

            if (grandchild == 0)
                _exit(child_sees(&arrays[0]) && child_sees(&arrays[3]) ? 42 : 1);
            expect_child(grandchild);
            expect(child_sees(&arrays[1]));
            exit(42);
        }
        expect_child(child);
    }
    end_arrays(arrays);
    rig_stop(&rig);
}

static atomic_bool is_over;

static void *hammer(void *argument)
{
    const struct array *array = argument;
    uint64_t state = (uintptr_t)&array;

    while (!atomic_load(&is_over)) {
        size_t word = rig_random(&state) % array->words;

        expect_equal(array->host[word], array->model[word]);
    }
    return NULL;
}

/* fork in a program whose other threads are faulting at that moment. */
static void test_threads(const struct setting *setting)
{
    enum { THREADS = 3 };
    pthread_t threads[THREADS];
    struct rig rig;
    struct array arrays[ARRAYS];

    rig_start(&rig, setting, 0);
    make_arrays(arrays, &rig);
    for (unsigned round = 0; round < SCALED(6); round++) {
        pid_t child;

        for (int i = 0; i < ARRAYS; i++)
            array_run(&arrays[i], 0, GPUVM_READ_WRITE);
        rig_wait(&rig);
        atomic_store(&is_over, false);
        for (int i = 0; i < THREADS; i++)
            expect_equal(pthread_create(&threads[i], NULL, hammer, &arrays[i == 0 ? 0 : 3]), 0);
        child = fork();
        if (child == 0) {
            bool is_right = true;

            for (int i = 0; i < ARRAYS; i++)
                is_right = is_right && child_sees(&arrays[i]);
            _exit(is_right ? 42 : 1);
        }
        expect_child(child);
        atomic_store(&is_over, true);
        for (int i = 0; i < THREADS; i++)
            expect_equal(pthread_join(threads[i], NULL), 0);
    }
    end_arrays(arrays);
    rig_stop(&rig);
}

/* posix_spawn, and system(3), which it is the base of: nothing need come back for a program that is
 * replaced at once. */
static void test_spawn(const struct setting *setting)
{
    char *arguments[] = {"/bin/sh", "-c", "exit 42", NULL};
    struct rig rig;
    struct array arrays[ARRAYS];
    pid_t child = -1;

    rig_start(&rig, setting, 0);
    make_arrays(arrays, &rig);
    mix_states(arrays, 0);
    expect_equal(posix_spawn(&child, arguments[0], NULL, NULL, arguments, environ), 0);
    expect_child(child);
    expect_equal(WEXITSTATUS(system("exit 42")), 42);
    end_arrays(arrays);
    rig_stop(&rig);
}

static const struct test tests[] = {
    {"child_sees_data", test_child_sees_data, ON_ALL},
    {"parent_goes_on", test_parent_goes_on, ON_ALL},
    {"child_exits", test_child_exits, ON_ANY_ONE},
    {"threads", test_threads, ON_ANY_ONE},
    {"spawn", test_spawn, ON_ANY_ONE},
};

CONTRACT_MAIN(tests)
