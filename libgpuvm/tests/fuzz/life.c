/* SPDX-License-Identifier: MIT */
/* Children, restarts of the library, devices that fail. */
#include "worker.h"

#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Children ---- */

/* What a child found, in memory that it shares with its parent. */
struct verdict {
    bool is_wrong;
    bool was_written; /* by the child, before */
    unsigned block;
    size_t at;
    unsigned char expected, got;
};

static bool judge(struct worker *worker, bool was_written)
{
    struct verdict *verdict = worker->verdict;
    verdict->was_written = was_written;
    verdict->is_wrong = find_difference(worker, &verdict->block, &verdict->at);
    if (verdict->is_wrong) {
        verdict->expected = worker->blocks[verdict->block].model[verdict->at];
        verdict->got = worker->blocks[verdict->block].host[verdict->at];
    }
    return !verdict->is_wrong;
}

/* The child's own writes, which only the child may see. */
static void scribble(struct worker *worker)
{
    for (unsigned i = 0; i < BLOCKS; i++) {
        struct block *block = &worker->blocks[i];
        for (size_t at = 0; block->host != NULL && at < block->bytes; at += 2999) {
            if (!host_may_touch(worker, block, at, 1))
                continue;
            block->host[at] = (unsigned char)~block->host[at];
            block->model[at] = (unsigned char)~block->model[at];
        }
    }
}

/* The child looks at what its parent had when it forked, when it is told to, and ends. */
static _Noreturn void live_as_child(struct worker *worker, int pipe_end)
{
    char byte;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(60);
    if (read(pipe_end, &byte, 1) != 1)
        _exit(3);
    if (judge(worker, false)) {
        scribble(worker);
        judge(worker, true);
    }
    _exit(worker->verdict->is_wrong ? 2 : 0);
}

bool reap_child(struct worker *worker)
{
    struct child *child = &worker->child;
    const struct verdict *verdict = worker->verdict;
    int status;
    if (child->process == 0)
        return false;
    if (write(child->release_pipe, "", 1) != 1 || waitpid(child->process, &status, 0) < 0)
        fail(worker, NULL, "a child is lost");
    close(child->release_pipe);
    child->process = 0;
    if (WIFSIGNALED(status))
        fail(worker, NULL, "a child was ended by signal %d%s", WTERMSIG(status),
             WTERMSIG(status) == SIGALRM ? ": it hung" : "");
    if (WEXITSTATUS(status) == 2)
        fail(
            worker, NULL,
            "a child saw wrong data%s: block of %zu bytes, offset %zu, expected 0x%02x, got 0x%02x",
            verdict->was_written ? " after its own writes" : "",
            worker->blocks[verdict->block].bytes, verdict->at, verdict->expected, verdict->got);
    if (WEXITSTATUS(status) != 0)
        fail(worker, NULL, "a child ended with status %d", WEXITSTATUS(status));
    return true;
}

bool fork_child(struct worker *worker)
{
    int ends[2];
    if (worker->child.process != 0)
        return reap_child(worker);
    if (pipe(ends) != 0)
        fail(worker, NULL, "pipe");
    note_all(worker, "fork");
    pid_t process = fork();
    if (process < 0)
        fail(worker, NULL, "fork");
    if (process == 0)
        live_as_child(worker, ends[0]);
    close(ends[0]);
    worker->child = (struct child){process, ends[1]};
    atomic_fetch_add(&fuzz.forks, 1);
    /* Some live on, sharing pages with their parent, until another operation reaps them. */
    return dice_one_in(&worker->dice, 2) ? reap_child(worker) : true;
}

/* ---- Failures ---- */

bool inject_failure(struct worker *worker)
{
    if (fuzz.kind->inject == NULL || fuzz.options.has_no_faults)
        return false;
    static bool (*const victims[])(struct worker *) = {begin_one,   begin_several, end_one,
                                                       end_several, unlink_array,  use_host};
    unsigned device = (unsigned)dice_below(&worker->dice, fuzz.devices);
    enum fake_fault what = (enum fake_fault)dice_below(&worker->dice, 3);
    atomic_fetch_add(&fuzz.injected, 1);
    fuzz.kind->inject(device, what, (unsigned)dice_below(&worker->dice, 3));
    for (unsigned i = 0; i < 3; i++)
        victims[dice_below(&worker->dice, sizeof victims / sizeof *victims)](worker);
    return true;
}

static void heal_devices(void)
{
    for (unsigned i = 0; fuzz.kind->inject != NULL && i < fuzz.devices; i++) {
        fuzz.kind->inject(i, FAKE_FAIL_READ, UINT_MAX);
        fuzz.kind->inject(i, FAKE_FAIL_WRITE, UINT_MAX);
        fuzz.kind->inject(i, FAKE_FAIL_ALLOCATE, UINT_MAX);
    }
}

/* ---- Statistics ---- */

static unsigned long long counter(struct worker *worker, int parameter)
{
    unsigned long long value = 0;
    expect(worker, NULL, "gpuvm_stat", gpuvm_stat(parameter, &value), 0);
    return value;
}

static void compare_counter(struct worker *worker, const char *name, int parameter,
                            unsigned long long expected)
{
    unsigned long long got = counter(worker, parameter);
    if (got != expected)
        fail(worker, NULL, "gpuvm_stat: %s: expected %llu, got %llu", name, expected, got);
}

static void compare_totals(struct worker *worker)
{
    struct fake_totals sum = {0};
    for (unsigned i = 0; i < fuzz.devices; i++) {
        struct fake_totals one = fuzz.kind->totals(i);
        sum.bytes_to_device += one.bytes_to_device;
        sum.bytes_from_device += one.bytes_from_device;
        sum.transfers_to_device += one.transfers_to_device;
        sum.transfers_from_device += one.transfers_from_device;
    }
    compare_counter(worker, "bytes to devices", GPUVM_STAT_BYTES_TO_DEVICE, sum.bytes_to_device);
    compare_counter(worker, "bytes from devices", GPUVM_STAT_BYTES_FROM_DEVICE,
                    sum.bytes_from_device);
    compare_counter(worker, "transfers to devices", GPUVM_STAT_TRANSFERS_TO_DEVICE,
                    sum.transfers_to_device);
    compare_counter(worker, "transfers from devices", GPUVM_STAT_TRANSFERS_FROM_DEVICE,
                    sum.transfers_from_device);
}

void compare_statistics(struct worker *worker)
{
    unsigned long long arrays = 0;
    for (unsigned i = 0; i < fuzz.options.threads * ARRAYS; i++)
        arrays += fuzz.workers[i / ARRAYS].arrays[i % ARRAYS].is_alive;
    compare_counter(worker, "arrays", GPUVM_STAT_ARRAYS, arrays);
    atomic_fetch_add(&fuzz.evicted, counter(worker, GPUVM_STAT_EVICTIONS));
    if (fuzz.is_counted)
        compare_totals(worker);
}

/* ---- Restarts ---- */

static int pick_init_flags(struct dice *dice)
{
    int flags = fuzz.kind->init_flag;
    if (fuzz.options.has_no_huge_pages)
        flags |= GPUVM_NO_HUGE_PAGES;
    if (dice_one_in(dice, 2))
        flags |= GPUVM_STAT;
    if (dice_one_in(dice, 4))
        flags |= GPUVM_NO_REACH;
    if (dice_one_in(dice, 10))
        flags |= GPUVM_UNLINK_NO_SYNC_BACK;
    if (dice_one_in(dice, 10))
        flags |= GPUVM_WRITER_SIG_BLOCK;
    return flags;
}

bool start_library(struct dice *dice)
{
    fuzz.init_flags = pick_init_flags(dice);
    forget_budgets();
    for (unsigned i = 0; fuzz.kind->reset_totals != NULL && i < fuzz.devices; i++)
        fuzz.kind->reset_totals(i);
    int result = gpuvm_init(fuzz.devices, fuzz.kind->handles(), fuzz.init_flags);
    if (result == GPUVM_EPROT)
        return false;
    expect(&fuzz.workers[0], NULL, "gpuvm_init", result, 0);
    expect(&fuzz.workers[0], NULL, "gpuvm_stat", gpuvm_stat(GPUVM_STAT_RUNG, &fuzz.rung), 0);
    fuzz.has_allocator = strcmp(fuzz.rung, "svm") != 0 || dice_one_in(dice, 2);
    for (unsigned i = 0; fuzz.has_allocator && i < fuzz.devices; i++)
        expect(&fuzz.workers[0], NULL, "gpuvm_set_allocator",
               gpuvm_set_allocator(i, &fuzz_allocator), 0);
    fuzz.has_kernel_faults = strcmp(fuzz.rung, "svm") == 0 || strcmp(fuzz.rung, "uffd-move") == 0 ||
                             strcmp(fuzz.rung, "uffd-copy") == 0;
    bool is_reached = fuzz.options.has_reach && (fuzz.init_flags & GPUVM_NO_REACH) == 0;
    fuzz.is_counted = fuzz.kind->totals != NULL && !is_reached;
    fuzz.has_sync_back = (fuzz.init_flags & GPUVM_UNLINK_NO_SYNC_BACK) == 0;
    return true;
}

bool ask_restart(struct worker *worker)
{
    worker->wants_restart = true;
    return true;
}

/* Ends the library under linked arrays, or after all are unlinked. */
static void stop_library(struct worker *worker)
{
    bool is_unlinking = dice_one_in(&worker->dice, 2);
    heal_devices();
    for (unsigned i = 0; i < fuzz.options.threads; i++) {
        struct worker *each = &fuzz.workers[i];
        settle_checks(each);
        end_all_uses(each);
        for (unsigned j = 0; is_unlinking && j < ARRAYS; j++) {
            if (each->arrays[j].is_alive)
                unlink_fully(each, &each->arrays[j]);
        }
    }
    compare_statistics(worker);
    expect(worker, NULL, "gpuvm_finish", gpuvm_finish(), 0);
}

void restart_library(struct worker *worker)
{
    worker->wants_restart = false;
    stop_library(worker);
    for (unsigned i = 0; i < fuzz.options.threads; i++) {
        struct worker *each = &fuzz.workers[i];
        for (unsigned j = 0; j < ARRAYS; j++) {
            struct array *array = &each->arrays[j];
            if (array->is_alive && !fuzz.has_sync_back)
                rewrite(each, array);
            if (array->is_alive)
                forget_links(each, array);
        }
        compare_all(each);
    }
    for (unsigned i = 0; fuzz.kind->totals != NULL && i < fuzz.devices; i++) {
        unsigned long long buffers = fuzz.kind->totals(i).buffers;
        if (buffers != 0)
            fail(worker, NULL, "gpuvm_finish left %llu buffers on device %u", buffers, i);
    }
    atomic_fetch_add(&fuzz.restarts, 1);
    if (!start_library(&worker->dice))
        fail(worker, NULL, "gpuvm_init refused a rung that it had accepted");
}
