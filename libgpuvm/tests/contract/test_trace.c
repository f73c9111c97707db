/* SPDX-License-Identifier: MIT */
/* What the library tells of itself: the events, as CSV, and GPUVM_LOG. The events must add up to
 * what gpuvm_stat counts. */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES ((size_t)4 << 20)
#define RING 65536
#define HEADER "event,time_us,thread,kind,array,offset,bytes,device,duration_us\n"

struct event {
    unsigned long long number, array, offset, bytes;
    double time_us, duration_us;
    int thread;
    unsigned device;
    char kind[32];
};

struct events {
    struct event *all;
    size_t count;
};

/* A file without a name that lives as long as the process. */
static void make_path(char *path, size_t nbytes)
{
    snprintf(path, nbytes, "/proc/self/fd/%d", memfd_create("test", 0));
}

/* Reads what the library wrote; every line must be one event, and their numbers must go up. */
static struct events read_events(const char *path)
{
    struct events events = {.all = contract_allocate((RING + 1) * sizeof(struct event))};
    char line[256];
    FILE *file = fopen(path, "r");
    expect(file != NULL);
    expect(fgets(line, sizeof line, file) && strcmp(line, HEADER) == 0);
    while (fgets(line, sizeof line, file)) {
        expect_at_most(events.count, RING - 1);
        struct event *event = &events.all[events.count];
        int end = 0;
        sscanf(line, "%llu,%lf,%d,%31[^,],0x%llx,%llu,%llu,%u,%lf\n%n", &event->number,
               &event->time_us, &event->thread, event->kind, &event->array, &event->offset,
               &event->bytes, &event->device, &event->duration_us, &end);
        expect_equal(end, strlen(line));
        expect(events.count == 0 || event->number == event[-1].number + 1);
        events.count++;
    }
    fclose(file);
    return events;
}

static size_t count_of(const struct events *events, const char *kind)
{
    size_t count = 0;
    for (size_t i = 0; i < events->count; i++)
        count += strcmp(events->all[i].kind, kind) == 0;
    return count;
}

static unsigned long long bytes_of(const struct events *events, const char *kind)
{
    unsigned long long bytes = 0;
    for (size_t i = 0; i < events->count; i++)
        bytes += strcmp(events->all[i].kind, kind) == 0 ? events->all[i].bytes : 0;
    return bytes;
}

static const struct event *first_of(const struct events *events, const char *kind)
{
    for (size_t i = 0; i < events->count; i++)
        if (strcmp(events->all[i].kind, kind) == 0)
            return &events->all[i];
    contract_fail(__FILE__, __LINE__, "no event '%s'", kind);
}

static void test_events_of_a_use(const struct setting *setting)
{
    struct rig rig;
    struct array array;
    struct gpuvm_array_info info;
    char path[64];
    size_t word = BYTES / 2 / sizeof(uint32_t);

    rig_start(&rig, setting, GPUVM_STAT);
    if (rig.is_svm)
        contract_skip("on svm nothing faults");
    array_make(&array, &rig, contract_map(BYTES), WORDS(BYTES));
    array_run(&array, 0, GPUVM_READ_WRITE);
    rig_wait(&rig);
    array_check_part(&array, word, 1);
    /* The page is there before its event: this call waits for who served it. */
    expect_equal(gpuvm_array_info(array.host, &info), 0);
    make_path(path, sizeof path);
    expect_equal(gpuvm_trace_write(path), 0);

    struct events events = read_events(path);
    expect_equal(count_of(&events, "link"), setting->devices);
    expect_equal(count_of(&events, "begin"), 1);
    expect_equal(count_of(&events, "end"), 1);
    expect_equal(count_of(&events, "read-fault"), 1);
    expect_equal(bytes_of(&events, "revoke"), BYTES);
    expect_equal(bytes_of(&events, "to-device"), contract_stat(GPUVM_STAT_BYTES_TO_DEVICE));
    expect_equal(bytes_of(&events, "from-device"), contract_stat(GPUVM_STAT_BYTES_FROM_DEVICE));

    const struct event *begin = first_of(&events, "begin"), *end = first_of(&events, "end");
    const struct event *fault = first_of(&events, "read-fault");
    expect_equal(begin->thread, gettid());
    expect(begin->array == (uintptr_t)array.host && fault->array == (uintptr_t)array.host);
    expect(begin->time_us <= end->time_us && end->time_us <= fault->time_us);
    expect_equal(fault->offset / contract_page_bytes(),
                 word * sizeof(uint32_t) / contract_page_bytes());
    expect(fault->bytes >= contract_page_bytes() && fault->duration_us > 0);
    expect(fault->thread != gettid()); /* a service thread served it */
    array_end(&array);
    rig_stop(&rig);
}

/* The ring keeps the last ones; their numbers tell how many there were. */
static void test_ring_wraps(const struct setting *setting)
{
    struct rig rig;
    struct array array;
    char path[64];

    rig_start(&rig, setting, GPUVM_STAT);
    array_make(&array, &rig, contract_map(BYTES), WORDS(BYTES));
    for (unsigned i = 0; i < RING; i++) {
        expect_equal(gpuvm_kernel_begin(array.host, 0, GPUVM_READ_ONLY), 0);
        expect_equal(gpuvm_kernel_end(array.host, 0), 0);
    }
    make_path(path, sizeof path);
    expect_equal(gpuvm_trace_write(path), 0);
    struct events events = read_events(path);
    expect_equal(events.count, RING);
    expect(events.all[RING - 1].number >= 2 * RING);
    expect(strcmp(events.all[RING - 1].kind, "end") == 0);
    array_end(&array);
    rig_stop(&rig);
}

static void run_once(const struct setting *setting, int flags)
{
    struct rig rig;
    struct array array;
    rig_start(&rig, setting, flags);
    array_make(&array, &rig, contract_map(BYTES), WORDS(BYTES));
    array_run(&array, 0, GPUVM_READ_WRITE);
    rig_wait(&rig);
    array_check(&array);
    array_end(&array);
    rig_stop(&rig);
}

static void test_variable_writes_at_the_end(const struct setting *setting)
{
    char path[64];
    make_path(path, sizeof path);
    setenv("GPUVM_TRACE", path, 1);
    run_once(setting, 0);
    struct events events = read_events(path);
    expect_equal(count_of(&events, "link"), setting->devices);
    expect_equal(count_of(&events, "unlink"), setting->devices);
    expect_equal(count_of(&events, "begin"), count_of(&events, "end"));
}

static void test_writing_fails(const struct setting *setting)
{
    struct rig rig;
    char path[64];
    expect_equal(gpuvm_trace_write("/dev/null"), GPUVM_ESTATE);
    rig_start(&rig, setting, 0); /* no events are kept: a header alone */
    make_path(path, sizeof path);
    expect_equal(gpuvm_trace_write(path), 0);
    expect_equal(read_events(path).count, 0);
    expect_equal(gpuvm_trace_write(NULL), GPUVM_ENULL);
    errno = 0;
    expect_equal(gpuvm_trace_write("/nowhere/events.csv"), GPUVM_ERROR);
    expect_equal(errno, ENOENT);
    expect_equal(gpuvm_trace_write("/dev/full"), GPUVM_ERROR);
    rig_stop(&rig);
}

/* What a run says on stderr. */
static char *said(const struct setting *setting, const char *level, const char *trace)
{
    int file = memfd_create("stderr", 0), before = dup(STDERR_FILENO);
    char *text = contract_allocate((size_t)1 << 20);
    level ? setenv("GPUVM_LOG", level, 1) : unsetenv("GPUVM_LOG");
    trace ? setenv("GPUVM_TRACE", trace, 1) : unsetenv("GPUVM_TRACE");
    fflush(stderr);
    dup2(file, STDERR_FILENO);
    run_once(setting, 0);
    dup2(before, STDERR_FILENO);
    ssize_t length = pread(file, text, ((size_t)1 << 20) - 1, 0);
    expect(length >= 0);
    text[length] = 0;
    close(file);
    close(before);
    return text;
}

static void test_log_levels(const struct setting *setting)
{
    expect_equal(strlen(said(setting, NULL, NULL)), 0);
    expect_equal(strlen(said(setting, "0", NULL)), 0);
    char *some = said(setting, "1", NULL), *all = said(setting, "3", NULL);
    expect(strncmp(some, "gpuvm: ", 7) == 0);
    expect(strstr(some, contract_is_rung("svm") ? "svm" : getenv("GPUVM_BACKEND")) != NULL);
    expect(strstr(some, "fault: array") == NULL);
    expect(contract_is_rung("svm") || strstr(all, "fault: array") != NULL);
    for (char *line = all; *line; line = strchr(line, '\n') + 1)
        expect(strncmp(line, "gpuvm: ", 7) == 0 && strchr(line, '\n'));
}

/* A trace that cannot be written is told of, although no log was asked for. */
static void test_unwritable_trace(const struct setting *setting)
{
    char *text = said(setting, NULL, "/nowhere/events.csv");
    expect(strstr(text, "GPUVM_TRACE") && strstr(text, "/nowhere/events.csv"));
    expect(strstr(text, strerror(ENOENT)) != NULL);
}

static const struct test tests[] = {
    {"events of a use", test_events_of_a_use, ON_ALL},
    {"the ring wraps", test_ring_wraps, ON_ONE},
    {"GPUVM_TRACE writes at the end", test_variable_writes_at_the_end, ON_ONE | ON_TWO},
    {"writing fails", test_writing_fails, ON_ONE},
    {"log levels", test_log_levels, ON_ONE_REACH},
    {"a trace that cannot be written", test_unwritable_trace, ON_ONE},
};

CONTRACT_MAIN(tests)
