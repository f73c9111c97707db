/* SPDX-License-Identifier: MIT */
/*
 * The ladder. A rung is taken if it opens and if a small array goes through all of its motions.
 * Another thread touches pages that were taken away, brought back, protected; what it sees is
 * compared.
 */
#include "rung.h"

#include "array.h"
#include "context.h"
#include "descriptors.h"
#include "log.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TEST_PAGES 4
#define TEST_TIMEOUT_MS 2000

static const struct rung_ops *const ladder[] = {
    &rung_svm,      &rung_uffd_move, &rung_uffd_copy, &rung_uffd_move_user, &rung_uffd_copy_user,
    &rung_segv_mem, &rung_eager,
};
#define LADDER_LENGTH (sizeof(ladder) / sizeof(ladder[0]))

const char *rung_name(int flag)
{
    for (size_t i = 0; i < LADDER_LENGTH; i++)
        if (ladder[i]->flag == flag)
            return ladder[i]->name;
    return NULL;
}

bool rung_can_watch(const struct rung *rung)
{
    return rung->ops != &rung_eager && !atomic_load(&rung->is_lost);
}

const char *rung_current(const struct rung *rung)
{
    return atomic_load(&rung->is_lost) ? rung_eager.name : rung->ops->name;
}

void rung_close_fds(struct rung *rung)
{
    int *fds[] = {&rung->fds[0], &rung->memory_fd, &rung->pipe_write_fd};
    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
        descriptor_close(fds[i]);
}

int rung_reserve_staging(struct array *array, size_t bytes)
{
    size_t slack = bytes >= BLOCK_BYTES ? BLOCK_BYTES : 0;
    char *map = mmap(NULL, bytes + slack, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return -1;
    size_t shift = slack ? ((uintptr_t)array->interior - (uintptr_t)map) & (BLOCK_BYTES - 1) : 0;
    madvise(map, bytes + slack, MADV_DONTFORK);
    array->staging_map = map;
    array->staging_bytes = bytes + slack;
    array->staging = map + shift;
    return 0;
}

void rung_release_staging(struct array *array)
{
    if (array->staging)
        munmap(array->staging_map, array->staging_bytes);
    array->staging = NULL;
}

/* What the other thread is to do: read the first byte of each page, then write it. */
struct toucher {
    volatile unsigned char *start;
    size_t page_bytes;
    unsigned char seen[TEST_PAGES];
};

static void *page_touch(void *argument)
{
    struct toucher *toucher = argument;
    for (size_t i = 0; i < TEST_PAGES; i++)
        toucher->seen[i] = toucher->start[i * toucher->page_bytes];
    for (size_t i = 0; i < TEST_PAGES; i++)
        toucher->start[i * toucher->page_bytes] = (unsigned char)(100 + i);
    return NULL;
}

/* Waits for a fault on `page`, with or without an earlier protection. */
static bool fault_await(struct rung *rung, struct array *array, size_t page, struct fault *fault)
{
    struct pollfd ready = {.fd = rung->fds[0], .events = POLLIN};
    while (poll(&ready, 1, TEST_TIMEOUT_MS) > 0)
        if (rung->ops->next(rung, ready.fd, fault))
            return fault->kind == FAULT_TOUCH &&
                   (fault->address - (uintptr_t)array->interior) / rung->page_bytes == page;
    return false;
}

static void fault_settle(struct rung *rung, struct fault *fault)
{
    rung->ops->settle(rung, fault);
    *fault = (struct fault){0};
}

/* Page 0 comes alone, by copy and tracked; the others together, by moving where that is offered.
 * *fault: one that has not been settled. */
static bool pages_serve(struct rung *rung, struct array *array, const char *data,
                        struct fault *fault)
{
    if (!fault_await(rung, array, 0, fault) || rung->ops->install(rung, array, 0, 1, data, true))
        return false;
    fault_settle(rung, fault);
    if (!fault_await(rung, array, 1, fault))
        return false;
    size_t page_bytes = rung->page_bytes, rest = (TEST_PAGES - 1) * page_bytes;
    if (array->staging) {
        memcpy(array->staging + page_bytes, data + page_bytes, rest);
        if (rung->ops->move_in(rung, array, 1, TEST_PAGES))
            return false;
    } else if (rung->ops->install(rung, array, 1, TEST_PAGES, data + page_bytes, false)) {
        return false;
    }
    fault_settle(rung, fault);
    if (!fault_await(rung, array, 0, fault) || !fault->is_write ||
        rung->ops->unprotect(rung, array, 0, 1))
        return false;
    fault_settle(rung, fault);
    return true;
}

/* A toucher that was not served goes on when nothing is watched any more. */
static void end_toucher(struct rung *rung, struct array *array, pthread_t thread,
                        struct fault *fault)
{
    rung->ops->detach(rung, array);
    rung->ops->resume(rung, array);
    while (pthread_tryjoin_np(thread, NULL)) {
        if (fault->waiter)
            fault_settle(rung, fault);
        else if (!rung->ops->next(rung, rung->fds[0], fault))
            usleep(100);
    }
}

static bool is_right(const struct toucher *toucher, const struct array *array)
{
    for (size_t i = 0; i < TEST_PAGES; i++)
        if (toucher->seen[i] != 10 + i ||
            array->interior[i * toucher->page_bytes] != (char)(100 + i))
            return false;
    return true;
}

static bool goes_through(struct rung *rung, struct array *array, const char *data)
{
    struct toucher toucher = {.start = (unsigned char *)array->interior,
                              .page_bytes = rung->page_bytes};
    struct fault fault = {0};
    pthread_t thread;
    if (rung->ops->attach(rung, array))
        return false;
    bool is_fine = !rung->ops->revoke(rung, array, 0, TEST_PAGES) &&
                   !pthread_create(&thread, NULL, page_touch, &toucher);
    if (is_fine) {
        is_fine = pages_serve(rung, array, data, &fault);
        end_toucher(rung, array, thread, &fault);
        return is_fine && is_right(&toucher, array);
    }
    rung->ops->detach(rung, array);
    return false;
}

static bool rung_test(struct rung *rung)
{
    size_t bytes = TEST_PAGES * rung->page_bytes;
    char *memory =
        mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    for (size_t i = 0; i < TEST_PAGES; i++) {
        memory[i * rung->page_bytes] = 1;
        memory[bytes + i * rung->page_bytes] = (char)(10 + i);
    }
    bool is_fine = false;
    struct array *array = array_create(rung->context, memory, bytes, true);
    if (array) {
        is_fine = goes_through(rung, array, memory + bytes);
        array_destroy(array);
    }
    munmap(memory, 2 * bytes);
    return is_fine;
}

static bool is_watching(const struct rung_ops *ops)
{
    return ops->next != NULL;
}

/* NULL: the rung works. */
static const char *find_fault(struct rung *rung)
{
    const struct rung_ops *ops = rung->ops;
    if (is_watching(ops) && rung_is_on_valgrind())
        return "a fault under valgrind would hang";
    errno = 0;
    if (!ops->open(rung))
        return errno ? strerror(errno) : "not offered";
    return is_watching(ops) && !rung_test(rung) ? "fails its self-test" : NULL;
}

static bool try_rung(struct rung *rung, struct context *context, const struct rung_ops *ops)
{
    *rung = (struct rung){.ops = ops,
                          .context = context,
                          .page_bytes = context->page_bytes,
                          .has_huge_pages = !(context->flags & GPUVM_NO_HUGE_PAGES),
                          .fds = {-1},
                          .memory_fd = -1,
                          .pipe_write_fd = -1};
    const char *fault = find_fault(rung);
    if (!fault) {
        log_line(1, "rung %s", ops->name);
        return true;
    }
    log_line(1, "rung %s: %s", ops->name, fault);
    ops->close(rung);
    if (ops != &rung_svm) {
        size_t used = strlen(context->rung_reason);
        snprintf(context->rung_reason + used, sizeof(context->rung_reason) - used, "%s%s: %s",
                 used ? "; " : "", ops->name, fault);
    }
    return false;
}

/* The best that works. Who looks at this process from outside should see its arrays, and not be
 * stopped at each fault: then it is the last. */
static int choose_best(struct rung *rung, struct context *context)
{
    const char *observer = rung_observer();
    size_t first = 0;
    if (observer && !try_rung(rung, context, &rung_svm)) {
        first = LADDER_LENGTH - 1;
        snprintf(context->rung_reason, sizeof(context->rung_reason),
                 "%s observes this process: a fault would hang or stop there", observer);
        log_line(1, "%s", context->rung_reason);
    }
    while (first < LADDER_LENGTH && !try_rung(rung, context, ladder[first]))
        first++;
    return first < LADDER_LENGTH ? 0 : GPUVM_EPROT;
}

int rung_choose(struct rung *rung, struct context *context, const char *name)
{
    if (!name)
        return choose_best(rung, context);
    for (size_t i = 0; i < LADDER_LENGTH; i++)
        if (!strcmp(name, ladder[i]->name))
            return try_rung(rung, context, ladder[i]) ? 0 : GPUVM_EPROT;
    return GPUVM_EARG;
}
