/* SPDX-License-Identifier: MIT */
/*
 * Random operations on libgpuvm against a model of what the host and the devices must see. Every
 * byte is compared exactly; the first difference ends the program with the seed, the operation and
 * what was done to the array before.
 */
#include "worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_SECONDS = 90, STACK_BYTES = 8 << 20 };

struct fuzz fuzz;

static unsigned char global_areas[MAX_THREADS][GLOBAL_AREA_BYTES];

static const struct operation {
    const char *name;
    unsigned weight;
    bool (*run)(struct worker *worker);
} operations[] = {
    {"link", 60, link_array},
    {"link further", 50, link_further},
    {"unlink", 40, unlink_array},
    {"budget", 25, change_budget},
    {"begin", 110, begin_one},
    {"begin many", 40, begin_several},
    {"end", 150, end_one},
    {"end many", 80, end_several},
    {"kernel", 120, run_kernel},
    {"checksum", 80, run_checksum},
    {"host read", 130, read_host},
    {"host write", 130, write_host},
    {"memmove", 50, copy_host},
    {"write beside", 60, write_beside},
    {"host use", 40, use_host},
    {"rounds", 40, play_rounds},
    {"system call", 50, call_system},
    {"array info", 20, look_at_info},
    {"misuse", 15, misuse},
    {"failure", 20, inject_failure},
    {"free memory", 20, drop_block},
    {"reap", 4, reap_child},
    {"fork", 2, fork_child},
    {"compare all", 2, compare_everything},
    {"restart", 1, ask_restart},
};

static const struct operation *pick_operation(struct worker *worker)
{
    unsigned sum = 0, i = 0;
    for (unsigned j = 0; j < sizeof operations / sizeof *operations; j++)
        sum += operations[j].weight;
    unsigned roll = (unsigned)dice_below(&worker->dice, sum);
    while (roll >= operations[i].weight)
        roll -= operations[i++].weight;
    return &operations[i];
}

/* ---- Workers ---- */

static bool is_done(const struct worker *worker)
{
    uint64_t limit = (fuzz.options.operations + fuzz.options.threads - 1) / fuzz.options.threads;
    return atomic_load(&fuzz.is_over) ||
           (fuzz.options.operations != 0 && atomic_load(&worker->operations) >= limit);
}

static void work(struct worker *worker)
{
    while (!is_done(worker)) {
        pthread_rwlock_rdlock(&fuzz.restarting);
        const struct operation *operation = pick_operation(worker);
        worker->doing = operation->name;
        bool has_done = operation->run(worker);
        pthread_rwlock_unlock(&fuzz.restarting);
        if (worker->wants_restart) {
            pthread_rwlock_wrlock(&fuzz.restarting);
            restart_library(worker);
            pthread_rwlock_unlock(&fuzz.restarting);
        }
        atomic_fetch_add(&worker->operations, has_done);
    }
}

/* Everything is compared with arrays linked, and again when they are not. */
static void leave(struct worker *worker)
{
    pthread_rwlock_rdlock(&fuzz.restarting);
    worker->doing = "the end";
    settle_checks(worker);
    end_all_uses(worker);
    compare_all(worker);
    for (unsigned i = 0; i < ARRAYS; i++) {
        if (worker->arrays[i].is_alive)
            unlink_fully(worker, &worker->arrays[i]);
    }
    compare_all(worker);
    reap_child(worker);
    for (unsigned i = 0; i < BLOCKS; i++) {
        if (worker->blocks[i].host != NULL)
            release_block(&worker->blocks[i]);
    }
    pthread_rwlock_unlock(&fuzz.restarting);
}

static void *run_worker(void *argument)
{
    struct worker *worker = argument;
    unsigned char stack_area[STACK_AREA_BYTES];
    this_worker = worker;
    worker->stack_area = stack_area;
    work(worker);
    leave(worker);
    return NULL;
}

static void start_worker(struct worker *worker, unsigned index)
{
    uint64_t seed = fuzz.options.seed * 1000003u + index;
    worker->index = index;
    worker->dice.state = seed;
    worker->doing = "the start";
    worker->global_area = global_areas[index];
    worker->scratch = malloc(SCRATCH_BYTES);
    worker->verdict = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    worker->memory_file = memfd_create("fuzz", 0);
    if (worker->scratch == NULL || (void *)worker->verdict == MAP_FAILED ||
        worker->memory_file < 0 || pipe(worker->pipe_ends) != 0)
        abort();
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (pthread_create(&worker->thread, &attributes, run_worker, worker) != 0)
        abort();
    pthread_attr_destroy(&attributes);
}

/* ---- Time ---- */

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static atomic_uint workers_left;

static _Noreturn void give_up(void)
{
    for (unsigned i = 0; i < fuzz.options.threads; i++)
        printf("thread %u: operation %llu: %s\n", i, atomic_load(&fuzz.workers[i].operations),
               fuzz.workers[i].doing);
    fail(&fuzz.workers[0], NULL, "nothing has moved for %d seconds", PATIENCE_SECONDS);
}

/* Stops the workers in time, and the program if one of them hangs. */
static void *watch(void *unused)
{
    double start = now_seconds(), changed = start;
    unsigned long long sum, seen = 0;
    while (atomic_load(&workers_left) > 0) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        if (fuzz.options.seconds > 0 && now_seconds() - start > fuzz.options.seconds)
            atomic_store(&fuzz.is_over, true);
        sum = 0;
        for (unsigned i = 0; i < fuzz.options.threads; i++)
            sum += atomic_load(&fuzz.workers[i].operations) +
                   atomic_load(&fuzz.workers[i].bytes_compared);
        if (sum != seen)
            changed = now_seconds();
        seen = sum;
        if (now_seconds() - changed > PATIENCE_SECONDS)
            give_up();
    }
    return unused;
}

static void run_workers(void)
{
    pthread_t watcher;
    atomic_store(&workers_left, fuzz.options.threads);
    for (unsigned i = 0; i < fuzz.options.threads; i++)
        start_worker(&fuzz.workers[i], i);
    if (pthread_create(&watcher, NULL, watch, NULL) != 0)
        abort();
    for (unsigned i = 0; i < fuzz.options.threads; i++) {
        pthread_join(fuzz.workers[i].thread, NULL);
        atomic_fetch_sub(&workers_left, 1);
    }
    pthread_join(watcher, NULL);
}

/* ---- The program ---- */

static void print_summary(void)
{
    unsigned long long count = 0, bytes = 0;
    for (unsigned i = 0; i < fuzz.options.threads; i++) {
        count += atomic_load(&fuzz.workers[i].operations);
        bytes += atomic_load(&fuzz.workers[i].bytes_compared);
    }
    printf("restarts %llu, forks %llu, failures %llu of %llu seen by callers, collected %llu, "
           "evicted %llu\n",
           atomic_load(&fuzz.restarts), atomic_load(&fuzz.forks), atomic_load(&fuzz.failures),
           atomic_load(&fuzz.injected), atomic_load(&fuzz.collected), atomic_load(&fuzz.evicted));
    printf("operations %llu\nbytes compared %llu\n%llu passed, 0 failed\n", count, bytes, count);
}

static void prepare(int count, char **arguments)
{
    fuzz.options = read_options(count, arguments);
    fuzz.kind = fuzz.options.is_opencl ? &opencl_kind : &fake_kind;
    fuzz.rung = fuzz.options.rung != NULL ? fuzz.options.rung : "(the library's choice)";
    fuzz.workers = calloc(fuzz.options.threads, sizeof *fuzz.workers);
    if (fuzz.workers == NULL)
        abort();
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&fuzz.restarting, &attributes);
    if (fuzz.options.rung != NULL)
        setenv("GPUVM_BACKEND", fuzz.options.rung, 1);
    printf("seed %llu\n", (unsigned long long)fuzz.options.seed);
    fflush(stdout);
}

int main(int count, char **arguments)
{
    prepare(count, arguments);
    fuzz.devices = fuzz.kind->open(&fuzz.options);
    if (fuzz.devices == 0)
        return 2;
    struct dice dice = {fuzz.options.seed};
    if (!start_library(&dice)) {
        printf("refused: rung %s: gpuvm_init: %s\n", fuzz.rung, gpuvm_strerror(GPUVM_EPROT));
        return 77;
    }
    printf("rung %s, %u devices\n", fuzz.rung, fuzz.devices);
    run_workers();
    compare_statistics(&fuzz.workers[0]);
    expect(&fuzz.workers[0], NULL, "gpuvm_finish", gpuvm_finish(), 0);
    fuzz.kind->close();
    print_summary();
    return 0;
}
