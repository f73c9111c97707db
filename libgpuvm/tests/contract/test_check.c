/* SPDX-License-Identifier: MIT */
/*
 * GPUVM_CHECK=1 names incorrect sharing: its kind, the array and the byte. It names where in the
 * program the array was linked, its use begun, and the rule broken. Each misuse is seeded in a
 * function of its own name; they are exported, for dladdr to find them.
 */
#include "capture.h"
#include "rig.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Functions that the reports name: neither inlined nor copied. */
#ifdef __clang__
#define EXPORTED __attribute__((visibility("default"), noinline))
#else
#define EXPORTED __attribute__((visibility("default"), noipa))
#endif

#define BYTES ((size_t)64 * 4096)
#define OFFSET 100000 /* of the byte that is touched: in the interior */

/* A line of the report, or the test fails and shows all of it. */
static void expect_line(const char *text, const char *line)
{
    if (strstr(text, line) == NULL)
        contract_fail(__FILE__, __LINE__, "\"%s\" is not in the report:\n%s", line, text);
}

/* The report's first line; offset -1: no byte is named. */
static void expect_report(const char *text, const char *kind, const void *host, long offset)
{
    char line[256], byte[64] = "\n";

    if (offset >= 0)
        snprintf(byte, sizeof byte, ", byte %ld\n", offset);
    snprintf(line, sizeof line, "gpuvm: check: %s: array %p of %zu bytes%s", kind, host, BYTES,
             byte);
    expect_line(text, line);
}

/* "linked at", "begun at" or "here at" a function of this program, on a thread. */
static void expect_site(const char *text, const char *what, const char *function, pid_t thread)
{
    char start[256], end[64];
    const char *line;

    snprintf(start, sizeof start, "gpuvm: check:   %s at %s+0x", what, function);
    expect_line(text, start);
    line = strstr(text, start);
    snprintf(end, sizeof end, "), thread %d\n", (int)thread);
    if (strstr(line, end) == NULL || strstr(line, end) > strchr(line, '\n'))
        contract_fail(__FILE__, __LINE__, "not thread %d in the report:\n%s", (int)thread, text);
    expect(strstr(line, "(") != NULL && strstr(line, "(") < strchr(line, '\n'));
}

/* ---- The seeded misuses ---- */

struct scene {
    struct rig rig;
    void *host, *buffers[RIG_DEVICES];
};

EXPORTED void link_arrays(struct scene *scene);
EXPORTED void begin_use(struct scene *scene, int flags);
EXPORTED void host_writes(volatile unsigned char *byte);
EXPORTED int host_reads(volatile unsigned char *byte);
EXPORTED void use_two_devices(struct scene *scene);
EXPORTED void end_without_begin(struct scene *scene);
EXPORTED void end_of_wrong_kernel(struct scene *scene);
EXPORTED void unlink_during_kernel(struct scene *scene);

void link_arrays(struct scene *scene)
{
    for (unsigned i = 0; i < scene->rig.devices; i++) {
        scene->buffers[i] = fake_allocate(scene->rig.fakes[i], BYTES);
        expect_equal(gpuvm_link(scene->host, BYTES, i, scene->buffers[i], GPUVM_ON_HOST), 0);
    }
}

void begin_use(struct scene *scene, int flags)
{
    expect_equal(gpuvm_kernel_begin(scene->host, 0, flags), 0);
}

static void open_scene(struct scene *scene, const struct setting *setting)
{
    setenv("GPUVM_CHECK", "1", 1);
    memset(scene, 0, sizeof *scene);
    scene->host = contract_map(BYTES);
    memset(scene->host, 1, BYTES);
    rig_start(&scene->rig, setting, 0);
    if (scene->rig.is_svm)
        contract_skip("on svm nothing is watched");
    capture();
    link_arrays(scene);
}

static void close_scene(struct scene *scene)
{
    rig_wait(&scene->rig);
    for (unsigned i = 0; i < scene->rig.devices; i++) {
        gpuvm_unlink(scene->host, i);
        fake_release(scene->rig.fakes[i], scene->buffers[i]);
    }
    rig_stop(&scene->rig);
}

void host_writes(volatile unsigned char *byte)
{
    *byte = 3;
}

int host_reads(volatile unsigned char *byte)
{
    return *byte;
}

static void test_host_write_during_kernel(const struct setting *setting)
{
    static const int flags[] = {GPUVM_READ_ONLY, GPUVM_READ_WRITE};

    for (int i = 0; i < 2; i++) {
        struct scene scene;
        char *text;

        open_scene(&scene, setting);
        begin_use(&scene, flags[i]);
        host_writes((unsigned char *)scene.host + OFFSET);
        expect_equal(gpuvm_kernel_end(scene.host, 0), 0);
        expect(contract_stat(GPUVM_STAT_REPORTS) > 0);
        text = captured_text();
        expect_report(text, "host-write-during-kernel", scene.host, OFFSET);
        expect_site(text, "linked", "link_arrays", gettid());
        expect_site(text, "begun", "begin_use", gettid());
        expect_site(text, "here", "host_writes", gettid());
        close_scene(&scene);
    }
}

static void test_host_read_during_kernel(const struct setting *setting)
{
    struct scene scene;
    char *text;

    open_scene(&scene, setting);
    begin_use(&scene, GPUVM_READ_WRITE);
    host_reads((unsigned char *)scene.host + OFFSET);
    expect_equal(gpuvm_kernel_end(scene.host, 0), 0);
    text = captured_text();
    expect_report(text, "host-read-during-kernel", scene.host, OFFSET);
    expect_site(text, "linked", "link_arrays", gettid());
    expect_site(text, "begun", "begin_use", gettid());
    expect_site(text, "here", "host_reads", gettid());
    close_scene(&scene);
}

static void *read_on_thread(void *argument)
{
    struct scene *scene = argument;

    host_reads((unsigned char *)scene->host + OFFSET);
    return (void *)(intptr_t)gettid();
}

/* The thread that is named is the one that touched. */
static void test_other_thread(const struct setting *setting)
{
    struct scene scene;
    pthread_t thread;
    void *id;
    char *text;

    open_scene(&scene, setting);
    begin_use(&scene, GPUVM_READ_WRITE);
    expect_equal(pthread_create(&thread, NULL, read_on_thread, &scene), 0);
    expect_equal(pthread_join(thread, &id), 0);
    expect_equal(gpuvm_kernel_end(scene.host, 0), 0);
    text = captured_text();
    expect_report(text, "host-read-during-kernel", scene.host, OFFSET);
    expect_site(text, "begun", "begin_use", gettid());
    expect_site(text, "here", "host_reads", (pid_t)(intptr_t)id);
    close_scene(&scene);
}

void use_two_devices(struct scene *scene)
{
    expect_equal(gpuvm_kernel_begin(scene->host, 1, GPUVM_READ_ONLY), GPUVM_ESTATE);
}

static void test_two_devices(const struct setting *setting)
{
    struct scene scene;
    char *text;

    open_scene(&scene, setting);
    begin_use(&scene, GPUVM_READ_WRITE);
    use_two_devices(&scene);
    expect_equal(gpuvm_kernel_end(scene.host, 0), 0);
    text = captured_text();
    expect_report(text, "two-devices", scene.host, -1);
    expect_site(text, "linked", "link_arrays", gettid());
    expect_site(text, "begun", "begin_use", gettid());
    expect_site(text, "here", "use_two_devices", gettid());
    close_scene(&scene);
}

void end_without_begin(struct scene *scene)
{
    expect_equal(gpuvm_kernel_end(scene->host, 0), GPUVM_ESTATE);
}

static void test_end_without_begin(const struct setting *setting)
{
    struct scene scene;
    char *text;

    open_scene(&scene, setting);
    end_without_begin(&scene);
    text = captured_text();
    expect_report(text, "end-without-begin", scene.host, -1);
    expect_site(text, "linked", "link_arrays", gettid());
    expect_site(text, "here", "end_without_begin", gettid());
    close_scene(&scene);
}

static void write_one_byte(void *data)
{
    ((unsigned char *)data)[OFFSET] ^= 1;
}

void end_of_wrong_kernel(struct scene *scene)
{
    expect_equal(gpuvm_kernel_end(scene->host, 0), 0);
}

static void test_kernel_wrote_read_only(const struct setting *setting)
{
    struct scene scene;
    char *text;

    open_scene(&scene, setting);
    begin_use(&scene, GPUVM_READ_ONLY);
    fake_launch(scene.rig.fakes[0], write_one_byte, fake_data(scene.buffers[0]), 0);
    end_of_wrong_kernel(&scene);
    text = captured_text();
    expect_report(text, "kernel-wrote-read-only", scene.host, -1);
    expect_site(text, "linked", "link_arrays", gettid());
    expect_site(text, "begun", "begin_use", gettid());
    expect_site(text, "here", "end_of_wrong_kernel", gettid());
    close_scene(&scene);
}

/* A kernel that no begin and no end know of, found at the host's touch and at the next begin. */
static void test_work_after_kernel_end(const struct setting *setting)
{
    if (IS_THREAD_SANITIZED && setting->has_reach)
        contract_skip("ThreadSanitizer does not see that a fault comes after a kernel");
    for (int is_begun = 0; is_begun < 2; is_begun++) {
        struct scene scene;
        open_scene(&scene, setting);
        begin_use(&scene, GPUVM_READ_WRITE);
        expect_equal(gpuvm_kernel_end(scene.host, 0), 0);
        fake_launch(scene.rig.fakes[0], write_one_byte, fake_data(scene.buffers[0]), 0);
        fake_finish(scene.rig.fakes[0]);
        if (is_begun) {
            begin_use(&scene, GPUVM_READ_ONLY);
            expect_equal(gpuvm_kernel_end(scene.host, 0), 0);
        } else {
            (void)*((volatile char *)scene.host + OFFSET);
        }
        expect_report(captured_text(), "work-after-kernel-end", scene.host, -1);
        close_scene(&scene);
    }
}

/* The thread that waits, and what for, are named after a second; others are not. */
static void test_stalled_fetch(const struct setting *setting)
{
    struct rig rig;
    struct array array;
    char line[256], *text;

    if (contract_is_rung("svm"))
        contract_skip("on svm nothing is fetched");
    capture();
    rig_start(&rig, setting, 0);
    array_make(&array, &rig, contract_map(BYTES), WORDS(BYTES));
    array_run(&array, 0, GPUVM_READ_WRITE);
    array_check_part(&array, 0, 1);
    fake_slow_reads(rig.fakes[0], 1.7e6);
    array_check_part(&array, array.words / 2, 1);
    fake_slow_reads(rig.fakes[0], 0);
    array_end(&array);
    rig_stop(&rig);
    text = captured_text();
    expect_line(text, "waits at");
    expect_line(text, "for a command of device 0 that does not end");
    snprintf(line, sizeof line, "gpuvm: thread %d ", gettid());
    expect_line(text, line);
    expect(strstr(strstr(text, "waits at") + 1, "waits at") == NULL);
}

void unlink_during_kernel(struct scene *scene)
{
    expect_equal(gpuvm_unlink(scene->host, 0), GPUVM_ESTATE);
}

static void test_unlink_during_kernel(const struct setting *setting)
{
    struct scene scene;
    char *text;

    open_scene(&scene, setting);
    begin_use(&scene, GPUVM_READ_ONLY);
    unlink_during_kernel(&scene);
    expect_equal(gpuvm_kernel_end(scene.host, 0), 0);
    text = captured_text();
    expect_report(text, "unlink-during-kernel", scene.host, -1);
    expect_site(text, "linked", "link_arrays", gettid());
    expect_site(text, "begun", "begin_use", gettid());
    expect_site(text, "here", "unlink_during_kernel", gettid());
    close_scene(&scene);
}

/* Who freed it cannot be told (the shim, or the kernel, is all that sees it), but whose array it is
 * can. */
static void test_freed_while_linked(const struct setting *setting)
{
    double start_s = contract_seconds();
    struct scene scene;
    char *text;

    open_scene(&scene, setting);
    if (!contract_has_shim() && contract_is_rung("segv-mem")) {
        captured_text();
        contract_skip("without libgpuvm-preload.so this rung is not told of munmap");
    }
    begin_use(&scene, GPUVM_READ_WRITE);
    expect_equal(gpuvm_kernel_end(scene.host, 0), 0);
    expect_equal(munmap(scene.host, BYTES), 0);
    while (strstr(text_so_far(), "linked at") == NULL && contract_seconds() - start_s < 20)
        sched_yield(); /* a thread of the library's reports it */
    text = captured_text();
    expect_report(text, "freed-while-linked", scene.host, -1);
    expect_site(text, "linked", "link_arrays", gettid());
    close_scene(&scene);
}

static void test_never_ended(const struct setting *setting)
{
    struct scene scene;
    char *text;

    open_scene(&scene, setting);
    begin_use(&scene, GPUVM_READ_ONLY);
    gpuvm_finish();
    text = captured_text();
    expect_report(text, "never-ended", scene.host, -1);
    expect_site(text, "linked", "link_arrays", gettid());
    expect_site(text, "begun", "begin_use", gettid());
}

/* ---- Right programs ---- */

static void *end_on_thread(void *argument)
{
    struct array *array = argument;

    expect_equal(gpuvm_kernel_end(array->host, 0), 0);
    return NULL;
}

static void use_rightly(struct rig *rig, struct array *array, unsigned round)
{
    size_t words = array->words;
    unsigned last = rig->devices - 1;
    pthread_t thread;

    array_run(array, round % rig->devices, GPUVM_READ_WRITE);
    array_check_part(array, words / 3, words / 3);
    array_write(array, words / 4, words / 2);
    array_run(array, last, GPUVM_WRITE_ONLY);
    array_check(array);
    expect_equal(gpuvm_kernel_begin(array->host, 0, GPUVM_READ_ONLY), 0); /* all may read at once */
    expect_equal(gpuvm_kernel_begin(array->host, last, GPUVM_READ_ONLY), 0);
    array_launch(array, 0, GPUVM_READ_ONLY);
    array_launch(array, last, GPUVM_READ_ONLY);
    array_check(array);
    expect_equal(gpuvm_kernel_end(array->host, last), 0);
    expect_equal(pthread_create(&thread, NULL, end_on_thread, array), 0);
    expect_equal(pthread_join(thread, NULL), 0);
    expect_equal(gpuvm_host_begin(array->host, words * 4, GPUVM_READ_WRITE), 0);
    array_write(array, 0, words);
    expect_equal(gpuvm_host_end(array->host, words * 4), 0);
    array_run(array, 0, GPUVM_READ_WRITE);
}

static void test_right_program(const struct setting *setting)
{
    struct rig rig;
    struct array arrays[3];
    char *map = contract_map(BYTES * 3), *text;

    setenv("GPUVM_CHECK", "1", 1);
    rig_start(&rig, setting, 0);
    capture();
    array_make(&arrays[0], &rig, map, WORDS(BYTES));
    array_make(&arrays[1], &rig, map + BYTES + 20, WORDS(BYTES) - 100);
    array_make(&arrays[2], &rig, map + 2 * BYTES + 40, 700);
    for (unsigned round = 0; round < 6; round++)
        for (int i = 0; i < 3; i++)
            use_rightly(&rig, &arrays[i], round);
    for (int i = 0; i < 3; i++)
        array_end(&arrays[i]);
    expect_equal(contract_stat(GPUVM_STAT_REPORTS), 0);
    rig_stop(&rig);
    text = captured_text();
    if (*text != '\0')
        contract_fail(__FILE__, __LINE__, "a right program is reported:\n%s", text);
}

/* Without the variable or a flag nothing is printed, whatever the program does. */
static void test_silence(const struct setting *setting)
{
    struct rig rig;
    struct array array;
    char *text;

    unsetenv("GPUVM_CHECK");
    rig_start(&rig, setting, 0);
    capture();
    array_make(&array, &rig, contract_map(BYTES), WORDS(BYTES));
    expect_equal(gpuvm_kernel_end(array.host, 0), GPUVM_ESTATE);
    expect_equal(gpuvm_kernel_begin(array.host, 0, GPUVM_READ_WRITE), 0);
    expect_equal(gpuvm_unlink(array.host, 0), GPUVM_ESTATE);
    expect_equal(gpuvm_kernel_end(array.host, 0), 0);
    expect_equal(contract_stat(GPUVM_STAT_REPORTS), 0);
    array_end(&array);
    rig_stop(&rig);
    text = captured_text();
    if (*text != '\0')
        contract_fail(__FILE__, __LINE__, "something is printed:\n%s", text);
}

static const struct test tests[] = {
    {"host_write_during_kernel", test_host_write_during_kernel, ON_ALL},
    {"host_read_during_kernel", test_host_read_during_kernel, ON_ALL},
    {"other_thread", test_other_thread, ON_ANY_ONE},
    {"two_devices", test_two_devices, ON_ANY_TWO},
    {"end_without_begin", test_end_without_begin, ON_ALL},
    {"kernel_wrote_read_only", test_kernel_wrote_read_only, ON_ALL},
    {"work_after_kernel_end", test_work_after_kernel_end, ON_ANY_ONE},
    {"stalled_fetch", test_stalled_fetch, ON_ONE},
    {"unlink_during_kernel", test_unlink_during_kernel, ON_ALL},
    {"freed_while_linked", test_freed_while_linked, ON_ANY_ONE},
    {"never_ended", test_never_ended, ON_ALL},
    {"right_program", test_right_program, ON_ALL},
    {"silence", test_silence, ON_ALL},
};

CONTRACT_MAIN(tests)
