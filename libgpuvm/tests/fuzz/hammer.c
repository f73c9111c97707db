/* SPDX-License-Identifier: MIT */
/*
 * Many threads on the same arrays. Words belong to threads in turn, so that all of them touch each
 * page at the same time while it is being fetched. Memory beside the arrays, on their edge pages,
 * is written all the while, during kernels too. Nothing may be torn, stale or lost: each word has
 * one right value at any time. Then a thread that touches none of it measures how long it is held
 * up while others fault.
 */
#include "dice.h"
#include "fake.h"
#include "stall.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    ARRAYS = 4,
    MOST_THREADS = 16,
    MOST_DEVICES = 4,
    MARGIN = 2048,     /* bytes beside each array, at both ends */
    TOUCHES = 1500,    /* words that a thread touches in a round */
    SHARED_ADDS = 300, /* atomic additions to one word by each thread in a round */
    ROUNDS_A_SECOND = 20,
};

/* An array in its memory: MARGIN bytes, the array, MARGIN bytes. */
struct target {
    unsigned char *outside,
        *outside_model; /* all of it; the array's own bytes there are not used */
    uint64_t *host, *model;
    size_t words;
    size_t shared; /* the word that every thread adds to */
    void *buffers[MOST_DEVICES];
    pthread_rwlock_t lock;
    uint64_t uses; /* under the lock: changes where the threads touch it */
};

static struct {
    unsigned threads, devices;
    uint64_t seed;
    double seconds;
    bool has_reach;
    const char *rung;
} options = {8, 2, 1, 2, false, NULL};

static struct fake *fakes[MOST_DEVICES];
static struct target targets[ARRAYS];
static pthread_barrier_t barrier;
static atomic_ullong checked;
static atomic_bool is_over;

static bool is_svm(void)
{
    return options.rung != NULL && strcmp(options.rung, "svm") == 0;
}

static _Noreturn void fail(const char *what, unsigned array, size_t at, uint64_t expected,
                           uint64_t got)
{
    printf("FAILED: seed %llu: %s: array %u, offset %zu: expected 0x%llx, got 0x%llx\n"
           "0 passed, 1 failed\n",
           (unsigned long long)options.seed, what, array, at, (unsigned long long)expected,
           (unsigned long long)got);
    fflush(stdout);
    _exit(1);
}

static void must(const char *call, int result)
{
    if (result == 0)
        return;
    printf("FAILED: seed %llu: %s: %s\n0 passed, 1 failed\n", (unsigned long long)options.seed,
           call, gpuvm_strerror(result));
    fflush(stdout);
    _exit(1);
}

/* ---- Kernels ---- */

struct kernel {
    uint64_t *host;
    void *buffer; /* NULL: the kernel works on the host's memory */
    size_t count;
    uint64_t seed;
    uint64_t *sum; /* NULL: the words change */
};

static uint64_t step(uint64_t x, size_t index, uint64_t seed)
{
    return x * 6364136223846793005u + index + seed;
}

static uint64_t sum_words(const uint64_t *words, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum = sum * 31 + words[i];
    return sum;
}

static void run_kernel(void *argument)
{
    struct kernel *kernel = argument;
    uint64_t *words = kernel->buffer == NULL ? kernel->host : fake_data(kernel->buffer);
    if (kernel->sum != NULL)
        *kernel->sum = sum_words(words, kernel->count);
    for (size_t i = 0; kernel->sum == NULL && i < kernel->count; i++)
        words[i] = step(words[i], i, kernel->seed);
    free(kernel);
}

static void launch(struct target *target, unsigned device, uint64_t seed, uint64_t *sum)
{
    struct kernel *kernel = malloc(sizeof *kernel);
    if (kernel == NULL)
        abort();
    *kernel = (struct kernel){.host = target->host,
                              .buffer = target->buffers[device],
                              .count = target->words,
                              .seed = seed,
                              .sum = sum};
    fake_launch(fakes[device], run_kernel, kernel, 0);
}

/* ---- What threads do ---- */

struct hand {
    unsigned index;
    struct dice dice;
    pthread_t thread;
};

/* Where all threads touch an array for a while, so that they meet on the same absent pages. */
struct region {
    size_t first_row, rows; /* of one word for each thread */
};

static struct region pick_region(uint64_t seed, const struct target *target)
{
    struct dice dice = {seed};
    size_t all = target->words / options.threads;
    size_t rows = dice_one_in(&dice, 3) ? all : dice_between(&dice, 1, all < 4096 ? all : 4096);
    return (struct region){.first_row = dice_below(&dice, all - rows + 1), .rows = rows};
}

/* Reads and changes one of the thread's own words. */
static void touch_word(struct hand *hand, unsigned array, size_t word)
{
    struct target *target = &targets[array];
    if (word == target->shared)
        return;
    uint64_t got = target->host[word], expected = target->model[word];
    if (got != expected)
        fail("a word", array, word * 8, expected, got);
    if (dice_one_in(&hand->dice, 2))
        target->host[word] = target->model[word] = step(got, word, hand->index);
}

static void touch_words(struct hand *hand, unsigned array, struct region region, unsigned count)
{
    bool is_sequential = dice_one_in(&hand->dice, 2);
    size_t row = dice_below(&hand->dice, region.rows);
    for (unsigned i = 0; i < count; i++) {
        touch_word(hand, array, (region.first_row + row) * options.threads + hand->index);
        row = is_sequential ? (row + 1) % region.rows : dice_below(&hand->dice, region.rows);
    }
    atomic_fetch_add(&checked, count);
}

/* Bytes beside the array, on the pages where it begins and ends: the thread's own every so many
 * bytes. */
static void count_beside(struct hand *hand, unsigned array)
{
    struct target *target = &targets[array];
    size_t bytes = target->words * 8;
    for (size_t i = hand->index; i < 2 * MARGIN; i += options.threads) {
        size_t at = i < MARGIN ? i : i + bytes;
        unsigned char got = target->outside[at], expected = target->outside_model[at];
        if (got != expected)
            fail("a byte beside", array, at, expected, got);
        target->outside[at] = target->outside_model[at] = (unsigned char)(got + 1);
    }
}

static void compare_own(struct hand *hand)
{
    for (unsigned array = 0; array < ARRAYS; array++) {
        struct target *target = &targets[array];
        for (size_t word = hand->index; word < target->words; word += options.threads) {
            if (target->host[word] != target->model[word])
                fail("comparing all", array, word * 8, target->model[word], target->host[word]);
        }
        atomic_fetch_add(&checked, target->words / options.threads);
    }
}

/* The kernel's work on the thread's part of the model. */
static void step_own(struct hand *hand, struct target *target, uint64_t seed)
{
    for (size_t word = hand->index; word < target->words; word += options.threads)
        target->model[word] = step(target->model[word], word, seed);
}

/* ---- First part: rounds between barriers ---- */

/* One thread begins and starts the kernel, another ends. */
static void write_on_device(struct hand *hand, unsigned round)
{
    for (unsigned array = 0; array < ARRAYS; array++) {
        if ((round + array) % options.threads == hand->index) {
            unsigned device = (round + array) % options.devices;
            must("gpuvm_kernel_begin",
                 gpuvm_kernel_begin(targets[array].host, device, GPUVM_READ_WRITE));
            launch(&targets[array], device, round, NULL);
        }
        count_beside(hand, array);
    }
    pthread_barrier_wait(&barrier);
    for (unsigned array = 0; array < ARRAYS; array++) {
        if ((round + array + 3) % options.threads == hand->index)
            must("gpuvm_kernel_end",
                 gpuvm_kernel_end(targets[array].host, (round + array) % options.devices));
        count_beside(hand, array);
        step_own(hand, &targets[array], round);
    }
}

/* Every thread uses every array, all at once, on any device. */
static void read_on_devices(struct hand *hand, unsigned round)
{
    uint64_t sums[ARRAYS], expected[ARRAYS];
    unsigned device = (round + hand->index) % options.devices;
    for (unsigned array = 0; array < ARRAYS; array++) {
        must("gpuvm_kernel_begin",
             gpuvm_kernel_begin(targets[array].host, device, GPUVM_READ_ONLY));
        launch(&targets[array], device, 0, &sums[array]);
        count_beside(hand, array);
        expected[array] = sum_words(targets[array].model, targets[array].words);
    }
    fake_finish(fakes[device]);
    for (unsigned array = 0; array < ARRAYS; array++) {
        must("gpuvm_kernel_end", gpuvm_kernel_end(targets[array].host, device));
        if (sums[array] != expected[array])
            fail("a kernel's sum", array, device, expected[array], sums[array]);
    }
}

/* All threads add to one word while they and others bring its page in. */
static void add_to_shared(unsigned array)
{
    struct target *target = &targets[array];
    for (unsigned i = 0; i < SHARED_ADDS; i++)
        __atomic_fetch_add(&target->host[target->shared], 1, __ATOMIC_RELAXED);
}

static void touch_on_host(struct hand *hand, unsigned round)
{
    for (unsigned i = 0; i < ARRAYS; i++) {
        unsigned array = (i + hand->index) % ARRAYS;
        add_to_shared(array);
        touch_words(hand, array, pick_region(round * ARRAYS + array, &targets[array]), TOUCHES);
        count_beside(hand, array);
    }
    if (hand->index == 0) {
        for (unsigned array = 0; array < ARRAYS; array++)
            targets[array].model[targets[array].shared] += (uint64_t)SHARED_ADDS * options.threads;
    }
    pthread_barrier_wait(&barrier);
    if (round % 4 == 0)
        compare_own(hand);
}

static void *play_rounds(void *argument)
{
    struct hand *hand = argument;
    unsigned rounds = (unsigned)(options.seconds * ROUNDS_A_SECOND) + 1;
    for (unsigned round = 1; round <= rounds; round++) {
        if (round % 3 == 0)
            read_on_devices(hand, round);
        else
            write_on_device(hand, round);
        pthread_barrier_wait(&barrier);
        touch_on_host(hand, round);
        pthread_barrier_wait(&barrier);
    }
    compare_own(hand);
    return NULL;
}

/* ---- Second part: locks instead of barriers ---- */

static void use_under_lock(struct hand *hand, unsigned array)
{
    struct target *target = &targets[array];
    unsigned device = (unsigned)dice_below(&hand->dice, options.devices);
    uint64_t seed = dice_next(&hand->dice);
    pthread_rwlock_wrlock(&target->lock);
    target->uses++;
    must("gpuvm_kernel_begin", gpuvm_kernel_begin(target->host, device, GPUVM_READ_WRITE));
    launch(target, device, seed, NULL);
    must("gpuvm_kernel_end", gpuvm_kernel_end(target->host, device));
    for (size_t word = 0; word < target->words; word++)
        target->model[word] = step(target->model[word], word, seed);
    pthread_rwlock_unlock(&target->lock);
}

static void *play_locks(void *argument)
{
    struct hand *hand = argument;
    while (!atomic_load(&is_over)) {
        unsigned array = (unsigned)dice_below(&hand->dice, ARRAYS);
        if (dice_one_in(&hand->dice, 40)) {
            use_under_lock(hand, array);
        } else {
            pthread_rwlock_rdlock(&targets[array].lock);
            struct region region = pick_region(targets[array].uses, &targets[array]);
            touch_words(hand, array, region, 1 + (unsigned)dice_below(&hand->dice, 50));
            pthread_rwlock_unlock(&targets[array].lock);
        }
        if (dice_one_in(&hand->dice, 8))
            count_beside(hand, array);
    }
    pthread_barrier_wait(&barrier);
    compare_own(hand);
    return NULL;
}

static void run_hands(void *(*play)(void *), bool is_timed)
{
    struct hand hands[MOST_THREADS];
    atomic_store(&is_over, false);
    for (unsigned i = 0; i < options.threads; i++) {
        hands[i] = (struct hand){.index = i, .dice = {options.seed * 1000 + i}};
        if (pthread_create(&hands[i].thread, NULL, play, &hands[i]) != 0)
            abort();
    }
    if (is_timed)
        usleep((useconds_t)(options.seconds * 1e6));
    atomic_store(&is_over, true);
    for (unsigned i = 0; i < options.threads; i++)
        pthread_join(hands[i].thread, NULL);
}

/* ---- Third part: the thread that is not concerned ---- */

static unsigned long long count_faults(void)
{
    unsigned long long faults = 0;
    must("gpuvm_stat", gpuvm_stat(GPUVM_STAT_PAGEFAULTS, &faults));
    return faults;
}

/* A few pages, never the same: a library that learns keeps them absent. */
static void touch_pages(uint64_t *words)
{
    static struct dice dice;
    for (unsigned i = 0; i < 16; i++)
        __atomic_fetch_add(&words[dice_below(&dice, targets[0].words)], 0, __ATOMIC_RELAXED);
}

static void touch_plain_memory(void)
{
    touch_pages(targets[0].model); /* no array holds it */
}

static void touch_after_use(void)
{
    must("gpuvm_kernel_begin", gpuvm_kernel_begin(targets[0].host, 0, GPUVM_READ_WRITE));
    must("gpuvm_kernel_end", gpuvm_kernel_end(targets[0].host, 0));
    touch_pages(targets[0].host);
}

static void measure_stalls(void)
{
    struct stall quiet = observe_stalls(touch_plain_memory, options.seconds / 2);
    unsigned long long before = count_faults();
    struct stall busy = observe_stalls(touch_after_use, options.seconds / 2);
    printf("longest stall of a thread that touches no array: %.0f us while another thread took "
           "%llu faults, %.0f us while it took none; it waited %ld times\n",
           busy.longest_us, count_faults() - before, quiet.longest_us, busy.waits);
    /* A thread that is stopped waits. One that only loses its processor to another does not. */
    if (busy.waits > 0)
        fail("a thread that touches no array had to wait", 0, 0, 0, (uint64_t)busy.waits);
}

/* ---- The program ---- */

static void make_target(struct target *target, size_t bytes, size_t skew)
{
    unsigned char *memory =
        mmap(NULL, bytes + 8 * MARGIN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    target->outside = memory + MARGIN + skew;
    target->outside_model = calloc(1, bytes + 2 * MARGIN);
    target->host = (uint64_t *)(target->outside + MARGIN);
    target->model = malloc(bytes);
    target->words = bytes / 8;
    target->shared = target->words / 2;
    struct dice dice = {options.seed + bytes};
    dice_fill(&dice, (unsigned char *)target->model, bytes);
    memcpy(target->host, target->model, bytes);
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&target->lock, &attributes);
    for (unsigned i = 0; i < options.devices; i++) {
        target->buffers[i] = is_svm() ? NULL : fake_allocate(fakes[i], bytes);
        must("gpuvm_link", gpuvm_link(target->host, bytes, i, target->buffers[i], GPUVM_ON_HOST));
    }
}

static void start(void)
{
    void *devices[MOST_DEVICES];
    struct fake_options each = {.has_reach = options.has_reach, .has_svm = is_svm()};
    for (unsigned i = 0; i < options.devices; i++) {
        fakes[i] = fake_create(&each);
        devices[i] = fake_device(fakes[i]);
    }
    if (options.rung != NULL)
        setenv("GPUVM_BACKEND", options.rung, 1);
    int result = gpuvm_init(options.devices, devices, GPUVM_OPS);
    if (result == GPUVM_EPROT) {
        printf("refused: rung %s\n", options.rung);
        exit(77);
    }
    must("gpuvm_init", result);
    make_target(&targets[0], (3u << 20) + 12344, 1000);
    make_target(&targets[1], 1u << 20, 0); /* whole pages */
    make_target(&targets[2], 40000, 104);
    make_target(&targets[3], 4u << 20, 8);
    pthread_barrier_init(&barrier, NULL, options.threads);
}

static void stop(void)
{
    for (unsigned array = 0; array < ARRAYS; array++) {
        for (unsigned i = 0; i < options.devices; i++) {
            must("gpuvm_unlink", gpuvm_unlink(targets[array].host, i));
            if (!is_svm())
                fake_release(fakes[i], targets[array].buffers[i]);
        }
    }
    must("gpuvm_finish", gpuvm_finish());
    for (unsigned i = 0; i < options.devices; i++)
        fake_destroy(fakes[i]);
}

static void read_arguments(int count, char **arguments)
{
    for (int i = 1; i < count; i += 2) {
        const char *name = arguments[i], *value = i + 1 < count ? arguments[i + 1] : "";
        if (strcmp(name, "--rung") == 0) {
            options.rung = value;
        } else if (strcmp(name, "--threads") == 0) {
            options.threads = (unsigned)atoi(value);
        } else if (strcmp(name, "--devices") == 0) {
            options.devices = (unsigned)atoi(value);
        } else if (strcmp(name, "--seed") == 0) {
            options.seed = strtoull(value, NULL, 0);
        } else if (strcmp(name, "--seconds") == 0) {
            options.seconds = atof(value);
        } else if (strcmp(name, "--reach") == 0) {
            options.has_reach = true;
            i--;
        } else {
            printf("hammer [--rung NAME] [--threads 4..16] [--devices 1..4] [--seed S] "
                   "[--seconds T, of each part] [--reach]\n");
            exit(strcmp(name, "--help") == 0 ? 0 : 2);
        }
    }
    if (options.threads < 4 || options.threads > MOST_THREADS || options.devices < 1 ||
        options.devices > MOST_DEVICES || options.seconds <= 0)
        exit(2);
}

int main(int count, char **arguments)
{
    read_arguments(count, arguments);
    start();
    const char *rung = "";
    must("gpuvm_stat", gpuvm_stat(GPUVM_STAT_RUNG, &rung));
    printf("seed %llu, rung %s, %u threads\n", (unsigned long long)options.seed, rung,
           options.threads);
    run_hands(play_rounds, false);
    printf("rounds: %llu words compared, %llu faults\n", atomic_load(&checked), count_faults());
    run_hands(play_locks, true);
    if (count_faults() == 0 && !is_svm())
        fail("no faults at all", 0, 0, 1, 0);
    printf("locks: %llu words compared, %llu faults\n", atomic_load(&checked), count_faults());
    measure_stalls();
    stop();
    printf("3 passed, 0 failed\n");
    return 0;
}
