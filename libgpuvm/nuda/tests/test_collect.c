/* SPDX-License-Identifier: MIT */
/*
 * Arrays of Boehm's collector: dead ones release device memory, live ones keep their values, and
 * collections meet launches, touches and frees on other threads. NUDA_COLLECTIONS: how many of
 * these.
 */
#define GC_THREADS
#include "contract.h"
#include "loops.h"

#include <gc/gc.h>
#include <gpuvm.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ARRAYS 1000
#define COUNT 4096 /* numbers in an array: 16 KB */
#define BIG_COUNT (ARRAYS * COUNT - 100 * COUNT)
#define LIVE_COUNT (8 * COUNT) /* 130 of them fit */
#define THREADS 4

static void number(uint32_t *a, size_t n, uint32_t seed)
{
    for (size_t i = 0; i < n; i++)
        a[i] = (uint32_t)i * 2654435761u + seed;
}

static void use_one(uint32_t seed)
{
    uint32_t *a = GC_MALLOC_ATOMIC(COUNT * 4);
    number(a, COUNT, seed);
    expect(loops_advance(a, 1, COUNT));
}

/* Leaves no pointer to what the callee had on the stack. */
static void __attribute__((noinline)) clear_stack(void)
{
    volatile char room[8192];
    memset((char *)room, 0, sizeof(room));
}

static void __attribute__((noinline)) use_many(void)
{
    for (uint32_t i = 0; i < ARRAYS; i++)
        use_one(i);
}

/* The device holds 1,000 arrays; a large one needs the room of 900 of them. */
static void releases_dead_arrays(const struct setting *setting)
{
    GC_INIT();
    GC_disable(); /* until all of them are dead */
    use_many();
    GC_enable();
    clear_stack();
    unsigned long long before = contract_stat(GPUVM_STAT_ARRAYS);
    uint32_t *big = GC_MALLOC_ATOMIC(BIG_COUNT * 4);
    number(big, BIG_COUNT, 3);
    expect(loops_advance(big, 1, BIG_COUNT));
    printf("    %llu arrays had buffers, %llu have, %llu evictions\n", before,
           contract_stat(GPUVM_STAT_ARRAYS), contract_stat(GPUVM_STAT_EVICTIONS));
    expect(before > ARRAYS * 9 / 10);
    expect_at_most(contract_stat(GPUVM_STAT_ARRAYS), ARRAYS / 10 + 1);
    expect_equal(contract_stat(GPUVM_STAT_EVICTIONS), 0);
    expect_equal(big[77], 3 * (77 * 2654435761u + 3) + 1);
}

/* The same with many arrays alive: these keep buffers or lose them, but never their values. */
static void keeps_live_arrays(const struct setting *setting)
{
    GC_INIT();
    uint32_t **live = GC_MALLOC(100 * sizeof(*live));
    for (uint32_t i = 0; i < 500; i++) {
        uint32_t *a = GC_MALLOC_ATOMIC(LIVE_COUNT * 4), **kept = &live[i % 100];
        number(a, LIVE_COUNT, i);
        expect(loops_advance(a, 1, LIVE_COUNT));
        if (*kept)
            for (size_t k = 0; k < LIVE_COUNT; k += 1000)
                expect_equal((*kept)[k], 3 * ((uint32_t)k * 2654435761u + i - 100) + 1);
        *kept = a;
    }
    expect_equal(contract_stat(GPUVM_STAT_EVICTIONS), 0);
}

static uint32_t seen;
static int finalized;

static void finalize(void *object, void *data)
{
    uint32_t *a = object;
    seen += a[COUNT - 1];
    finalized++;
}

/* An array that a finalizer still reads is not dead. */
static void __attribute__((noinline)) make_finalized(void)
{
    for (uint32_t i = 0; i < 10; i++) {
        uint32_t *a = GC_MALLOC_ATOMIC(COUNT * 4);
        number(a, COUNT, 0);
        GC_REGISTER_FINALIZER(a, finalize, NULL, NULL, NULL);
        expect(loops_advance(a, 1, COUNT));
    }
}

static void waits_for_finalizers(const struct setting *setting)
{
    GC_INIT();
    make_finalized();
    clear_stack();
    for (int i = 0; i < 5; i++) {
        GC_gcollect();
        GC_invoke_finalizers();
    }
    expect(finalized >= 5);
    expect_equal(seen, (uint32_t)finalized * (3 * ((COUNT - 1) * 2654435761u) + 1));
}

static uint32_t roots[8 * COUNT]; /* a variable: the collector looks for pointers in it */

/* What the collector reads comes back before the world stops, not by faults while it stands. */
static void brings_scanned_arrays_home(const struct setting *setting)
{
    GC_INIT();
    uint32_t *scanned = GC_MALLOC(8 * COUNT * 4), *atomic = GC_MALLOC_ATOMIC(8 * COUNT * 4);
    expect(loops_advance(scanned, 0, 1)); /* the library starts */
    for (int k = 0; k < 3; k++) {
        unsigned long long down = contract_stat(GPUVM_STAT_BYTES_FROM_DEVICE);
        expect(loops_advance(scanned, 1, 8 * COUNT));
        expect(loops_advance(atomic, 1, 8 * COUNT));
        expect(loops_advance(roots, 1, 8 * COUNT));
        GC_gcollect();
        expect_equal(contract_stat(GPUVM_STAT_PAGEFAULTS), 0);
        expect(contract_stat(GPUVM_STAT_BYTES_FROM_DEVICE) - down >= 2 * 8 * COUNT * 4 - 8192);
        expect_at_most(contract_stat(GPUVM_STAT_BYTES_FROM_DEVICE) - down, 3 * 8 * COUNT * 4 - 1);
    }
    expect_equal(scanned[5], 13);
    expect_equal(atomic[6], 13);
    expect_equal(roots[7], 13);
}

/* OpenCL's compilers take the signal by which the collector lets threads go on. */
static void gives_the_signal_back(const struct setting *setting)
{
    struct sigaction own, now, other = {.sa_handler = SIG_DFL};
    GC_INIT();
    int number = GC_get_thr_restart_signal();
    uint32_t *a = GC_MALLOC_ATOMIC(COUNT * 4);
    expect_equal(sigaction(number, NULL, &own), 0);
    for (int i = 0; i < 3; i++) {
        expect(loops_advance(a, 1, COUNT));
        expect_equal(sigaction(number, NULL, &now), 0);
        expect(now.sa_handler == own.sa_handler);
        sigaction(number, &other, NULL);
    }
}

/* ---- Collections amid launches ---- */

static volatile int is_over;

static void *work(void *argument)
{
    uint32_t seed = (uint32_t)(uintptr_t)argument;
    for (uint32_t round = 0; !is_over; round++) {
        size_t n = COUNT + 1000 * (round % 5);
        uint32_t *a = round % 2 ? GC_MALLOC_ATOMIC(n * 4) : GC_MALLOC(n * 4);
        uint32_t *b = malloc(n * 4), *c = GC_MALLOC_ATOMIC(n * 4);
        number(a, n, seed);
        number(b, n, seed + round);
        for (uint32_t k = 0; k < 4; k++) {
            expect(loops_advance(a, k, n));
            loops_add(c, a, b, n);
            size_t at = (k * 977 + round) % n;
            expect_equal(c[at], a[at] + b[at]);
            b[at]++;
        }
        number(c, n, seed);
        for (uint32_t k = 0; k < 4; k++)
            loops_advance_host(c, k, n);
        expect_bytes(a, c, n * 4);
        free(b);
    }
    return NULL;
}

static void collects_amid_launches(const struct setting *setting)
{
    const char *text = getenv("NUDA_COLLECTIONS");
    unsigned long wanted = text ? strtoul(text, NULL, 10) : SCALED(150);
    pthread_t threads[THREADS];
    GC_INIT();
    for (uintptr_t i = 0; i < THREADS; i++)
        expect_equal(pthread_create(&threads[i], NULL, work, (void *)(i * 7919)), 0);
    for (unsigned long k = 0; k < wanted; k++) {
        GC_gcollect();
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        if (k % 1000 == 999)
            printf("    %lu collections\n", k + 1);
    }
    is_over = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("    %lu collections, %llu page faults, %llu arrays left\n",
           (unsigned long)GC_get_gc_no(), contract_stat(GPUVM_STAT_PAGEFAULTS),
           contract_stat(GPUVM_STAT_ARRAYS));
}

static const struct test tests[] = {
    {"releases dead arrays", releases_dead_arrays, ON_ONE},
    {"keeps live arrays", keeps_live_arrays, ON_ONE},
    {"waits for finalizers", waits_for_finalizers, ON_ONE},
    {"brings scanned arrays home", brings_scanned_arrays_home, ON_ONE},
    {"gives the signal back", gives_the_signal_back, ON_ONE},
    {"collects amid launches", collects_amid_launches, ON_ONE},
};

CONTRACT_MAIN(tests)
