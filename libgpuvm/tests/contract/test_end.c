/* SPDX-License-Identifier: MIT */
/* The end of the program and of the library: what runs afterwards finds its data in ordinary
 * memory. */
#include "rig.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct rig rig;
static struct array kept[2];
static bool is_checking_late;

/* Runs in exit(): after the library's own end, or before it. */
static void check_late(void)
{
    for (int i = 0; i < 2; i++)
        if (kept[i].host != NULL && memcmp(kept[i].host, kept[i].model, kept[i].words * 4) != 0)
            contract_fail(__FILE__, __LINE__, "data are lost at exit");
}

__attribute__((destructor)) static void check_last(void)
{
    if (is_checking_late)
        check_late();
}

static void keep_device_owned(void)
{
    array_make(&kept[0], &rig, contract_map((size_t)3 << 20), WORDS((size_t)3 << 20));
    array_make(&kept[1], &rig, contract_allocate(500000), 125000);
    for (int i = 0; i < 2; i++)
        array_run(&kept[i], rig.devices - 1, GPUVM_READ_WRITE);
    rig_wait(&rig);
}

static void test_handler_before_init(const struct setting *setting)
{
    expect_equal(atexit(check_late), 0); /* runs last */
    rig_start(&rig, setting, 0);
    keep_device_owned();
}

static void test_handler_after_init(const struct setting *setting)
{
    rig_start(&rig, setting, 0);
    expect_equal(atexit(check_late), 0);
    keep_device_owned();
}

static void test_destructor(const struct setting *setting)
{
    rig_start(&rig, setting, 0);
    keep_device_owned();
    is_checking_late = true;
}

/* exit between begin and end, and with a kernel that runs: it must end, that is all. */
static void test_exit_in_use(const struct setting *setting)
{
    rig_start(&rig, setting, 0);
    keep_device_owned();
    expect_equal(gpuvm_kernel_begin(kept[0].host, 0, GPUVM_READ_WRITE), 0);
    expect_equal(gpuvm_kernel_begin(kept[1].host, 0, GPUVM_READ_ONLY), 0);
    array_launch(&kept[0], 0, GPUVM_READ_WRITE);
}

/* Handlers and threads of the process, as one number each. */
static unsigned count_entries(const char *path)
{
    DIR *folder = opendir(path);
    unsigned count = 0;

    expect(folder != NULL);
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

/* init and finish leave no thread, no descriptor, and not more and more memory behind. */
/* A thread that has been joined may still be listed for a moment. */
static unsigned settled_threads(unsigned most)
{
    double end = contract_seconds() + 1;
    unsigned count;
    while ((count = count_entries("/proc/self/task")) > most && contract_seconds() < end)
        usleep(1000);
    return count;
}

static void test_nothing_left(const struct setting *setting)
{
    unsigned threads = 0, descriptors = 0;

    for (int round = 0; round < SCALED(20); round++) {
        rig_start(&rig, setting, round % 2 ? GPUVM_STAT : 0);
        keep_device_owned();
        expect_equal(gpuvm_finish(), 0);
        for (int i = 0; i < 2; i++) {
            array_check(&kept[i]);
            if (i == 1)
                free(kept[i].host);
            array_drop(&kept[i]);
        }
        rig_destroy(&rig);
        if (round == 0) {                 /* what is made once may stay */
            threads = settled_threads(3); /* ".", "..", and this one */
            descriptors = count_entries("/proc/self/fd");
        }
    }
    expect_at_most(settled_threads(threads), threads);
    expect_at_most(count_entries("/proc/self/fd"), descriptors);
}

static const struct test tests[] = {
    {"handler_before_init", test_handler_before_init, ON_ALL},
    {"handler_after_init", test_handler_after_init, ON_ALL},
    {"destructor", test_destructor, ON_ALL},
    {"exit_in_use", test_exit_in_use, ON_ALL},
    {"nothing_left", test_nothing_left, ON_ALL},
};

CONTRACT_MAIN(tests)
