/* SPDX-License-Identifier: MIT */
/* The run time: what memory it takes and refuses, what it uploads, how it ends. On the device of
 * NUDA_DEVICE. */
#include "capture.h"
#include "contract.h"
#include "loops.h"

#include <gpuvm.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT 5000
#define OUTSIDE 24 /* words before and after what a loop writes */

static uint32_t global_numbers[COUNT];
static uint32_t other_numbers[COUNT] = {1}; /* in another section */

static void number(uint32_t *a, size_t n, uint32_t seed)
{
    for (size_t i = 0; i < n; i++)
        a[i] = (uint32_t)i * 2654435761u + seed;
}

/* Runs the loop on the middle of a block, some times, with the host's touches between; the rest
 * must stay. */
static void check_middle(uint32_t *block, size_t n, size_t nbytes)
{
    uint32_t *expected = contract_allocate(n * sizeof(*expected));
    size_t first = n > 2 * OUTSIDE ? OUTSIDE : 0, count = n - 2 * first;
    number(block, n, 1);
    number(expected, n, 1);
    for (uint32_t k = 0; k < 3; k++) {
        expect(loops_advance_typed(block + first, k, count, nbytes));
        loops_advance_host(expected + first, k, count);
        block[n / 2] += k;
        expected[n / 2] += k;
    }
    expect_bytes(block, expected, n * sizeof(*expected));
}

static void takes_blocks_of_any_length(const struct setting *setting)
{
    static const size_t lengths[] = {1, 7, 60, 1000, 2048, 2049, 20000, 300001};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        uint32_t *from_malloc = malloc(lengths[i] * 4), *from_calloc = calloc(lengths[i], 4),
                 *from_alloc = gpuvm_alloc(lengths[i] * 4),
                 *aligned = aligned_alloc(64, (lengths[i] * 4 + 63) / 64 * 64),
                 *grown = realloc(malloc(40), lengths[i] * 4);
        check_middle(from_malloc, lengths[i], 0);
        check_middle(from_calloc, lengths[i], 0);
        check_middle(from_alloc, lengths[i], 0);
        check_middle(aligned, lengths[i], 0);
        check_middle(grown, lengths[i], 0);
        free(from_malloc);
        free(from_calloc);
        gpuvm_free(from_alloc);
        free(aligned);
        free(grown);
    }
}

static void takes_global_arrays(const struct setting *setting)
{
    static uint32_t inside[COUNT];
    check_middle(global_numbers, COUNT, 0);
    check_middle(other_numbers, COUNT, 0);
    check_middle(inside, COUNT, (COUNT - OUTSIDE) * 4);
}

static void takes_one_array_twice(const struct setting *setting)
{
    uint32_t *a = malloc(2 * COUNT * 4), *expected = malloc(2 * COUNT * 4);
    number(a, 2 * COUNT, 5);
    number(expected, 2 * COUNT, 5);
    expect(loops_add(a, a, a, COUNT));
    expect(loops_add(a + COUNT, a, a + 10, COUNT));
    for (size_t i = 0; i < COUNT; i++)
        expected[i] *= 2;
    for (size_t i = 0; i < COUNT; i++)
        expected[COUNT + i] = expected[i] + expected[10 + i];
    expect_bytes(a, expected, (2 * COUNT - 10) * 4);
}

static void keeps_what_is_not_written(const struct setting *setting)
{
    uint32_t *a = malloc(COUNT * 4);
    number(a, COUNT, 9);
    expect(loops_every_other(a, COUNT));
    for (uint32_t i = 0; i < COUNT; i++)
        expect_equal(a[i], i % 2 ? i * 2654435761u + 9 : i);
}

/* An array that a loop fills is not sent first; one that it fills in part is. */
static void sends_nothing_to_be_overwritten(const struct setting *setting)
{
    uint32_t *a = malloc(COUNT * 4), *b = malloc(COUNT * 4), *c = malloc(COUNT * 4);
    number(a, COUNT, 1);
    number(b, COUNT, 2);
    number(c, COUNT, 3);
    expect(loops_overwrite(a, 5, COUNT));
    expect_equal(contract_stat(GPUVM_STAT_BYTES_TO_DEVICE), 0);
    for (uint32_t i = 0; i < COUNT; i++)
        expect_equal(a[i], i + 5);
    expect(loops_overwrite(a, 6, COUNT - 1));
    expect(loops_overwrite(b + 1, 7, COUNT - 1));
    expect(loops_overwrite(c, 8, COUNT - 1));
    expect_equal(c[COUNT - 1], (COUNT - 1) * 2654435761u + 3);
    expect_equal(a[COUNT - 1], COUNT - 1 + 5);
    expect_equal(a[COUNT - 2], COUNT - 2 + 6);
    expect_equal(b[0], 2);
    expect_equal(b[1], 7);
    expect(loops_advance(a, 1, COUNT) && loops_overwrite(a, 8, COUNT));
    expect_equal(a[3], 11);
}

static void frees_and_takes_anew(const struct setting *setting)
{
    for (uint32_t k = 0; k < 20; k++) {
        size_t n = k % 2 ? COUNT : COUNT / 2;
        uint32_t *a = malloc(n * 4);
        check_middle(a, n, 0);
        expect(loops_advance(a, k, n));
        expect_equal(contract_stat(GPUVM_STAT_ARRAYS), 1);
        free(a); /* while the device has it */
        expect_equal(contract_stat(GPUVM_STAT_ARRAYS), 0);
    }
    uint32_t *a = malloc(COUNT * 4);
    number(a, COUNT, 2);
    expect(loops_advance(a, 0, COUNT));
    a = realloc(a, 9 * COUNT * 4);
    for (uint32_t i = 0; i < COUNT; i++)
        expect_equal(a[i], 3 * (i * 2654435761u + 2));
    check_middle(a, 9 * COUNT, 0);
}

static void runs_nests_of_any_size(const struct setting *setting)
{
    static const size_t counts[][3] = {{1, 1, 1},   {5, 3, 2}, {33, 17, 3},
                                       {300, 2, 2}, {7, 0, 2}, {0, 0, 0}};
    static const size_t blocks[][3] = {{0, 0, 0}, {16, 4, 1}, {100000, 1, 0}, {3, 5, 7}};
    uint32_t *a = calloc(COUNT, 4), *expected = calloc(COUNT, 4);
    for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++)
        for (size_t b = 0; b < sizeof(blocks) / sizeof(blocks[0]); b++) {
            const size_t *n = counts[c];
            expect(loops_grid(a, n, blocks[b]));
            for (size_t i = 0; i < n[0] * n[1] * n[2]; i++)
                expected[i] +=
                    (uint32_t)(1 + i % n[0] + 10 * (i / n[0] % n[1]) + 100 * (i / n[0] / n[1]));
        }
    expect_bytes(a, expected, COUNT * 4);
}

/* Arrays go up once and stay; what the host reads comes down once. */
static void moves_what_is_needed(const struct setting *setting)
{
    uint32_t *a = gpuvm_alloc(64 * 4096), *b = malloc(64 * 4096), *c = malloc(64 * 4096), sum = 0;
    size_t n = 64 * 1024;
    number(a, n, 1);
    number(b, n, 2);
    number(c, n, 3);
    for (int k = 0; k < 50; k++)
        expect(loops_add(c, a, b, n));
    expect_equal(contract_stat(GPUVM_STAT_BYTES_TO_DEVICE), 3 * 64 * 4096);
    expect_at_most(contract_stat(GPUVM_STAT_TRANSFERS_TO_DEVICE), 3);
    expect_equal(contract_stat(GPUVM_STAT_BYTES_FROM_DEVICE), 0);
    for (size_t i = 0; i < n; i++)
        sum += c[i];
    expect_equal(contract_stat(GPUVM_STAT_BYTES_FROM_DEVICE), 64 * 4096);
    expect(sum != 0);
}

struct work {
    uint32_t seed;
    uint32_t *shared; /* read by all */
    pthread_t thread;
};

static void *work(void *argument)
{
    struct work *of = argument;
    for (int round = 0; round < 5; round++) {
        uint32_t *a = malloc(COUNT * 4), *c = malloc(COUNT * 4);
        number(a, COUNT, of->seed);
        for (int k = 0; k < 10; k++) {
            expect(loops_advance(a, of->seed, COUNT));
            expect(loops_add(c, a, of->shared, COUNT));
            expect_equal(c[k], a[k] + of->shared[k]);
        }
        free(a);
        free(c);
    }
    return NULL;
}

static void runs_from_threads(const struct setting *setting)
{
    struct work works[4];
    uint32_t *shared = malloc(COUNT * 4);
    number(shared, COUNT, 77);
    for (uint32_t i = 0; i < 4; i++) {
        works[i] = (struct work){.seed = i, .shared = shared};
        expect_equal(pthread_create(&works[i].thread, NULL, work, &works[i]), 0);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(works[i].thread, NULL);
}

/* ---- Refusals ---- */

/* Runs use() in a child; it must end with status 1 and say `expected`. */
static void expect_refusal(void (*use)(void), const char *expected)
{
    int pipes[2], status;
    char text[4000];
    size_t used = 0;
    ssize_t got;
    expect_equal(pipe(pipes), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(pipes[1], STDERR_FILENO);
        close(pipes[0]);
        use();
        _exit(0);
    }
    close(pipes[1]);
    while (used < sizeof(text) - 1 &&
           (got = read(pipes[0], text + used, sizeof(text) - 1 - used)) > 0)
        used += (size_t)got;
    close(pipes[0]);
    text[used] = '\0';
    expect_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 1 || !strstr(text, expected))
        contract_fail(__FILE__, __LINE__, "status %#x, said: %s, expected: %s", (unsigned)status,
                      text, expected);
}

static void use_stack(void)
{
    uint32_t a[COUNT] = {0};
    loops_advance_typed(a, 1, COUNT, sizeof(a));
}

static void *use_thread(void *argument)
{
    use_stack();
    return argument;
}

static void use_own_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, use_thread, NULL);
    pthread_join(thread, NULL);
}

static void *use_argument(void *argument)
{
    loops_advance_typed(argument, 1, 10, 40);
    return NULL;
}

static void use_others_stack(void)
{
    uint32_t a[COUNT] = {0};
    pthread_t thread;
    pthread_create(&thread, NULL, use_argument, a);
    pthread_join(thread, NULL);
}

static void use_map(void)
{
    loops_advance(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1,
                  1024);
}

static void use_null(void)
{
    loops_advance(NULL, 1, 10);
}

static void use_freed(void)
{
    uint32_t *a = calloc(40, 4), *b = malloc(40 << 20);
    volatile uintptr_t freed = (uintptr_t)b;
    loops_advance(a, 1, 40);
    free(b);
    loops_advance((uint32_t *)freed, 1, 10);
}

static void refuses_other_memory(const struct setting *setting)
{
    expect_refusal(use_stack, "loops.c:101: nuda: loops_advance: `a` points into a stack");
    expect_refusal(use_own_thread, "loops.c:101: nuda: loops_advance: `a` points into a stack");
    expect_refusal(use_others_stack, "loops.c:101: nuda: loops_advance: `a` points into a stack");
    expect_refusal(use_map,
                   "loops.c:101: nuda: loops_advance: `a` points to memory of unknown length");
    expect_refusal(use_null, "loops.c:101: nuda: loops_advance: `a` is a null pointer");
    expect_refusal(use_freed,
                   "loops.c:101: nuda: loops_advance: `a` points to memory of unknown length");
}

/* Before the first loop: OpenCL's devices, or the fake one, have this much memory. */
static void limit_memory(size_t nbytes)
{
    char text[100], device[4200];
    const char *chosen = getenv("NUDA_DEVICE");
    snprintf(text, sizeof(text), "%zu", nbytes);
    setenv("NUDA_MEMORY", text, 1);
    if (!chosen || !strchr(chosen, '/'))
        return;
    snprintf(device, sizeof(device), "%s,memory=%s", chosen, text);
    setenv("NUDA_DEVICE", device, 1);
}

static void use_too_much(void)
{
    uint32_t *a = calloc(COUNT, 4), *b = calloc(COUNT, 4), *c = calloc(COUNT, 4);
    limit_memory(2 * COUNT * 4 + 100);
    loops_add(a, b, c, COUNT);
}

/* A full device: what was used longest ago leaves it; what one loop needs must fit. */
static void makes_room(const struct setting *setting)
{
    uint32_t *arrays[6];
    expect_refusal(use_too_much, "is full: the arrays of this loop do not fit together");
    limit_memory(3 * COUNT * 4 + 100);
    for (uint32_t i = 0; i < 6; i++)
        number(arrays[i] = malloc(COUNT * 4), COUNT, i);
    for (uint32_t k = 0; k < 4; k++)
        for (uint32_t i = 0; i < 6; i++)
            expect(loops_advance(arrays[i], k, COUNT));
    expect(contract_stat(GPUVM_STAT_EVICTIONS) > 0);
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t *expected = malloc(COUNT * 4);
        number(expected, COUNT, i);
        for (uint32_t k = 0; k < 4; k++)
            loops_advance_host(expected, k, COUNT);
        expect_bytes(arrays[i], expected, COUNT * 4);
    }
}

static void use_wrong_device(void)
{
    setenv("NUDA_DEVICE", "no such thing", 1);
    use_stack();
}

static void stays_on_the_host(const struct setting *setting)
{
    uint32_t *a = calloc(COUNT, 4);
    expect_refusal(use_wrong_device, "NUDA_DEVICE: there is no device `no such thing`");
    capture();
    expect(!loops_broken(a, COUNT));
    expect(!loops_broken(a, COUNT));
    char *text = captured_text();
    expect(strstr(text, "loops.c:105: nuda: loops_broken: ") &&
           strstr(text, "does not take the kernel"));
    expect(loops_advance(a, 1, COUNT));
}

static void obeys_none(const struct setting *setting)
{
    uint32_t here[4] = {0};
    setenv("NUDA_DEVICE", "none", 1);
    setenv("NUDA_TRACE", "1", 1);
    capture();
    expect(!loops_advance(here, 1, 4));
    char *text = captured_text();
    expect(strstr(text, "nuda: NUDA_DEVICE is none") &&
           strstr(text, "loops.c:101: nuda: loops_advance: on the host"));
}

static const struct test tests[] = {
    {"takes blocks of any length", takes_blocks_of_any_length, ON_ONE},
    {"takes global arrays", takes_global_arrays, ON_ONE},
    {"takes one array twice", takes_one_array_twice, ON_ONE},
    {"keeps what is not written", keeps_what_is_not_written, ON_ONE},
    {"sends nothing to be overwritten", sends_nothing_to_be_overwritten, ON_ONE},
    {"frees and takes anew", frees_and_takes_anew, ON_ONE},
    {"runs nests of any size", runs_nests_of_any_size, ON_ONE},
    {"moves what is needed", moves_what_is_needed, ON_ONE},
    {"runs from threads", runs_from_threads, ON_ONE},
    {"refuses other memory", refuses_other_memory, ON_ONE},
    {"makes room", makes_room, ON_ONE},
    {"stays on the host", stays_on_the_host, ON_ONE},
    {"obeys none", obeys_none, ON_ONE},
};

CONTRACT_MAIN(tests)
