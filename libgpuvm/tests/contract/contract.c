/* SPDX-License-Identifier: MIT */
/* The runner of contract tests; see contract.h. */
#include "contract.h"

#include "gpuvm.h"

#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SKIPPED 77
#define LIMIT_S (IS_SANITIZED ? 180 : 60) /* for one test */

static const struct setting settings[] = {{1, false}, {2, false}, {1, true}, {2, true}};
#define SETTINGS (sizeof settings / sizeof settings[0])

static const char *current = "?"; /* the test and its setting */

void contract_skip(const char *format, ...)
{
    va_list list;

    printf("  skipped: %s: ", current);
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    printf("\n");
    fflush(stdout);
    _exit(SKIPPED);
}

void contract_fail(const char *file, int line, const char *format, ...)
{
    va_list list;

    flockfile(stderr);
    fprintf(stderr, "%s: %s:%d: ", current, file, line);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fprintf(stderr, "\n");
    fflush(stderr);
    _exit(1);
}

void contract_expect_bytes(const char *file, int line, const char *name, const void *actual,
                           const void *expected, size_t nbytes)
{
    const unsigned char *a = actual, *b = expected;
    size_t first = 0, wrong = 0;

    if (memcmp(actual, expected, nbytes) == 0)
        return;
    while (first < nbytes && a[first] == b[first])
        first++;
    for (size_t i = first; i < nbytes; i++)
        wrong += a[i] != b[i];
    contract_fail(file, line, "%s: %zu of %zu bytes differ, the first at %zu: %#x, expected %#x",
                  name, wrong, nbytes, first, first < nbytes ? a[first] : 0u,
                  first < nbytes ? b[first] : 0u);
}

bool contract_is_rung(const char *name)
{
    const char *rung = getenv("GPUVM_BACKEND");

    return rung != NULL && strcmp(rung, name) == 0;
}

bool contract_serves_kernel(void)
{
    return contract_is_rung("svm") || contract_is_rung("uffd-move") ||
           contract_is_rung("uffd-copy");
}

bool contract_is_by_signal(void)
{
    return contract_is_rung("segv-mem");
}

bool contract_has_shim(void)
{
    return dlsym(RTLD_DEFAULT, "gpuvm_preload_attach") != NULL;
}

unsigned long long contract_stat(int parameter)
{
    unsigned long long value = 0;

    expect_equal(gpuvm_stat(parameter, &value), 0);
    return value;
}

void *contract_map(size_t nbytes)
{
    void *map = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    expect(map != MAP_FAILED);
    return map;
}

void *contract_allocate(size_t nbytes)
{
    __attribute__((used)) static void *known[1 << 17]; /* so that what a test leaves behind is not
                                             taken for a leak of the library's */
    static atomic_uint count;
    void *memory = malloc(nbytes);

    expect(memory != NULL);
    if (IS_SANITIZED)
        known[atomic_fetch_add(&count, 1) % (1 << 17)] = memory;
    return memory;
}

size_t contract_page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

double contract_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* As in /proc: 'S', 'R', 'D' ... */
static char thread_state(int thread)
{
    char path[64], text[512] = "";
    const char *end_of_name;
    FILE *file;

    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
    file = fopen(path, "r");
    if (file == NULL)
        return '?';
    if (fgets(text, sizeof text, file) == NULL)
        text[0] = '\0';
    fclose(file);
    end_of_name = strrchr(text, ')');
    return end_of_name != NULL && end_of_name[1] == ' ' ? end_of_name[2] : '?';
}

void contract_wait_asleep(const atomic_int *thread)
{
    double start_s = contract_seconds();
    char state;

    while (atomic_load(thread) == 0)
        sched_yield();
    while ((state = thread_state(atomic_load(thread))) != 'S' && state != 'D') {
        if (contract_seconds() - start_s > LIMIT_S / 2)
            contract_fail(__FILE__, __LINE__, "a thread does not block: it is in state %c", state);
        sched_yield();
    }
}

/* CONTRACT_LIMIT_S: for tests that are told to take longer. */
static int limit_seconds(void)
{
    const char *text = getenv("CONTRACT_LIMIT_S");

    return text != NULL && atoi(text) > 0 ? atoi(text) : LIMIT_S;
}

/* Waits for the test's process, and ends it and its children if it takes too long. */
static int wait_for(pid_t child, const sigset_t *child_ended)
{
    const int limit_s = limit_seconds();
    struct timespec limit = {.tv_sec = limit_s};
    double start_s = contract_seconds();
    int status = 0;

    while (waitpid(child, &status, WNOHANG) == 0) {
        if (contract_seconds() - start_s >= limit_s) {
            printf("  %s: still running after %d s\n", current, limit_s);
            kill(-child, SIGKILL);
            waitpid(child, &status, 0);
            break;
        }
        sigtimedwait(child_ended, NULL, &limit);
    }
    kill(-child, SIGKILL); /* what it may have left */
    return status;
}

static int run_one(const struct test *test, const struct setting *setting)
{
    sigset_t child_ended, before;
    pid_t child;
    int status;

    fflush(NULL);
    sigemptyset(&child_ended);
    sigaddset(&child_ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_ended, &before);
    child = fork();
    if (child < 0) {
        perror("fork");
        exit(1);
    }
    if (child == 0) {
        setpgid(0, 0);
        sigprocmask(SIG_SETMASK, &before, NULL);
        test->run(setting);
        exit(0); /* the library's work at exit is part of the test */
    }
    setpgid(child, child);
    status = wait_for(child, &child_ended);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (WIFSIGNALED(status))
        printf("  %s: ended by signal %d\n", current, WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int contract_main(int argc, char **argv, const struct test *tests, size_t count)
{
    const char *only = argc > 1 ? argv[1] : NULL;
    unsigned passed = 0, failed = 0, skipped = 0;
    char name[128];

    current = name;
    for (size_t i = 0; i < count * SETTINGS; i++) {
        const struct test *test = &tests[i / SETTINGS];
        const struct setting *setting = &settings[i % SETTINGS];
        int result;

        if (!(test->settings & 1u << i % SETTINGS) ||
            (only != NULL && strcmp(only, test->name) != 0))
            continue;
        snprintf(name, sizeof name, "%s (%u device%s%s)", test->name, setting->devices,
                 setting->devices > 1 ? "s" : "", setting->has_reach ? ", reach" : "");
        result = run_one(test, setting);
        if (result == 0)
            passed++;
        else if (result == SKIPPED)
            skipped++;
        else {
            failed++;
            printf("FAILED: %s\n", name);
        }
    }
    if (skipped > 0)
        printf("%u skipped\n", skipped);
    printf("%u passed, %u failed\n", passed, failed);
    if (failed > 0)
        return 1;
    return passed > 0 ? 0 : SKIPPED;
}
