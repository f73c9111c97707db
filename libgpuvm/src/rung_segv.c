/* SPDX-License-Identifier: MIT */
/*
 * segv-mem: pages are protected with mprotect, a touch is a SIGSEGV. The faulting thread hands its
 * fault to a service thread and waits on a futex; contents are written through /proc/self/mem while
 * the page is still protected, so no other thread can see old ones and none is stopped (the option
 * that the paper had to reject; Linux 2.6.39). Many pages at once go to the staging slots when they
 * are taken, and come back with new contents by a change of page tables, which others see whole or
 * not at all (MREMAP_DONTUNMAP).
 *
 * Leaves out: faults inside the kernel (EFAULT), and mappings that /proc/self/mem cannot force
 * (shared ones): attach refuses those.
 */
#include "context.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define TAKEN_BYTES ((size_t)128 << 10)    /* fewer pages are copied as quickly */
#define MOST_STACK_BYTES ((rlim_t)1 << 30) /* where it has no limit */

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum answer { WAITING, TRY_AGAIN, NOT_OURS };

/* Lives on the faulting thread's stack until it is answered. */
struct segv_waiter {
    struct segv_waiter *next;
    uintptr_t address, instruction;
    bool is_write;
    int thread;
    _Atomic int answer;
};

/* What the handler needs; a handler has no argument of its own. One context at a time. */
static struct rung *_Atomic active;
static struct sigaction previous;
/* The last fault of this thread that was not ours. (initial-exec: a handler may not allocate.) */
static __thread uintptr_t last_foreign __attribute__((tls_model("initial-exec")));

static void answer(struct segv_waiter *waiter, enum answer how)
{
    /* Once answered the waiter's stack may be gone: the futex call below wakes by address alone. */
    _Atomic int *word = &waiter->answer;
    atomic_store(word, how);
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* As if the library were not there. */
static void chain(int signal_number, siginfo_t *info, void *machine)
{
    if (previous.sa_flags & SA_SIGINFO) {
        previous.sa_sigaction(signal_number, info, machine);
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(signal_number);
    } else {
        /* A fault comes again by itself when the handler returns; a signal that was sent does not.
         */
        sigaction(SIGSEGV, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
        if (info->si_code <= 0)
            syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGSEGV);
    }
}

static bool is_service_thread(struct context *context, int thread)
{
    for (unsigned i = 0; i < SERVICE_THREADS; i++)
        if (atomic_load(&context->service_ids[i]) == thread)
            return true;
    return false;
}

static void describe(struct segv_waiter *waiter, const void *machine)
{
#if defined(__x86_64__)
    const ucontext_t *user = machine;
    waiter->is_write = user->uc_mcontext.gregs[REG_ERR] & 2;
    waiter->instruction = (uintptr_t)user->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    waiter->is_write =
        true; /* the syndrome is not always there: more is sent to the device, never less */
    waiter->instruction = (uintptr_t)((const ucontext_t *)machine)->uc_mcontext.pc;
#else
    waiter->is_write = true;
#endif
}

static void on_fault(int signal_number, siginfo_t *info, void *machine)
{
    int saved = errno;
    struct rung *rung = atomic_load(&active);
    struct segv_waiter waiter = {.address = (uintptr_t)info->si_addr,
                                 .thread = (int)syscall(SYS_gettid)};
    bool is_fault = info->si_code == SEGV_ACCERR;
    if (!rung || !is_fault || is_service_thread(rung->context, waiter.thread)) {
        errno = saved;
        chain(signal_number, info, machine);
        return;
    }
    describe(&waiter, machine);
    struct segv_waiter *address = &waiter;
    while (write(rung->pipe_write_fd, &address, sizeof(address)) < 0 && errno == EINTR)
        ;
    while (atomic_load(&waiter.answer) == WAITING)
        syscall(SYS_futex, &waiter.answer, FUTEX_WAIT_PRIVATE, WAITING, NULL, NULL, 0);
    errno = saved;
    /* An array that was unlinked meanwhile is no fault any more: only the second time in a row is.
     */
    bool is_second = last_foreign == waiter.address;
    last_foreign = atomic_load(&waiter.answer) == NOT_OURS ? waiter.address : 0;
    if (last_foreign && is_second)
        chain(signal_number, info, machine);
}

/* Moves pages by their page tables alone; the old place stays mapped and empty (Linux 5.7). By the
 * system call: libgpuvm-preload.so has a mremap of its own. */
static bool move_pages(char *to, char *from, size_t bytes)
{
    long result = syscall(SYS_mremap, from, bytes, bytes,
                          MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, to);
    return result == (long)(intptr_t)to;
}

static bool is_mapped(void *start, size_t bytes)
{
    return !msync(start, bytes, MS_ASYNC);
}

/* What move_pages refuses must leave both places as they were. Older kernels first unmap the new
 * one, and then find that the pages lie in several mappings: that is tried here with two. */
static bool moves_safely(size_t page_bytes)
{
    size_t bytes = 2 * page_bytes;
    char *map = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return false;
    char *to = map + bytes;
    map[0] = 7;
    bool is_fine = !mprotect(map + page_bytes, page_bytes, PROT_READ) &&
                   (move_pages(to, map, bytes) || is_mapped(to, bytes));
    bool is_whole = is_mapped(map, 2 * bytes);
    map[0] = 7;
    is_fine = is_fine && is_whole && move_pages(to, map, page_bytes) && to[0] == 7 && map[0] == 0 &&
              is_mapped(map, 2 * bytes);
    munmap(map, is_whole ? 2 * bytes : bytes); /* a hole may be somebody else's by now */
    return is_fine;
}

static bool segv_open(struct rung *rung)
{
    rung->memory_fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    int ends[2];
    if (rung->memory_fd < 0 || pipe2(ends, O_CLOEXEC))
        return false;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    rung->fds[0] = ends[0];
    rung->pipe_write_fd = ends[1];
    pthread_mutex_init(&rung->waiters_lock, NULL);
    rung->can_move_back = moves_safely(rung->page_bytes);
    /* Not blocking SIGSEGV: a signal handler that interrupts the wait may touch another array. */
    struct sigaction action = {.sa_sigaction = on_fault,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART};
    atomic_store(&active, rung);
    return !sigaction(SIGSEGV, &action, &previous);
}

static void segv_close(struct rung *rung)
{
    struct sigaction now;
    atomic_store(&active, NULL);
    if (!sigaction(SIGSEGV, NULL, &now) && (now.sa_flags & SA_SIGINFO) &&
        now.sa_sigaction == on_fault)
        sigaction(SIGSEGV, &previous, NULL);
    if (rung->memory_fd >= 0)
        close(rung->memory_fd);
    if (rung->fds[0] >= 0) {
        close(rung->fds[0]);
        close(rung->pipe_write_fd);
        pthread_mutex_destroy(&rung->waiters_lock);
    }
    rung->memory_fd = rung->fds[0] = -1;
}

/* The main thread's stack may grow, and its mapping must not be moved. (Its top holds the name of
 * the program.) */
static bool is_on_stack(const struct array *array)
{
    struct rlimit limit;
    uintptr_t top = getauxval(AT_EXECFN), start = (uintptr_t)array->host;
    if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur == RLIM_INFINITY)
        limit.rlim_cur = MOST_STACK_BYTES;
    return start < top && top - start < limit.rlim_cur;
}

static int protection(struct rung *rung, struct array *array, size_t from, size_t to, int how)
{
    return mprotect(array_page(array, from), (to - from) * rung->page_bytes, how) ? -1 : 0;
}

static int fill(struct rung *rung, char *to, const char *data, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t count =
            pwrite(rung->memory_fd, data + done, bytes - done, (off_t)(uintptr_t)(to + done));
        if (count > 0)
            done += (size_t)count;
        else if (count == 0 || errno != EINTR)
            return -1;
    }
    return 0;
}

/* A shared mapping, say, cannot be filled behind its protection: tried with a byte that stays as it
 * is. */
static int segv_attach(struct rung *rung, struct array *array)
{
    char byte = *(volatile char *)array->interior;
    if (protection(rung, array, 0, 1, PROT_READ))
        return -1;
    int refused = fill(rung, array->interior, &byte, 1);
    if (protection(rung, array, 0, 1, PROT_READ | PROT_WRITE))
        return -1;
    size_t bytes = array->pages * rung->page_bytes;
    if (!refused && rung->can_move_back && bytes >= TAKEN_BYTES && !is_on_stack(array))
        rung_reserve_staging(array, bytes); /* without slots pages are copied in */
    return refused;
}

static void segv_detach(struct rung *rung, struct array *array)
{
    protection(rung, array, 0, array->pages, PROT_READ | PROT_WRITE);
    rung_release_staging(array);
}

/* If the kernel is out of memory half-way, the new place may be gone: then it is there again, empty
 * and shut. */
static bool move_or_mend(char *to, char *from, size_t bytes)
{
    if (move_pages(to, from, bytes))
        return true;
    mmap(to, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    return false;
}

/* Protected pages go to their slots if they are many, so that they can come back with new contents
 * at once. A page whose slot has one already is not needed. */
static void take(struct rung *rung, struct array *array, size_t from, size_t to)
{
    while (from < to) {
        bool is_spare = bits_get(array->spare, from);
        struct runs same = {.with = {array->spare}, .end = to};
        size_t end = runs_find(&same, from, !is_spare), bytes = (end - from) * rung->page_bytes;
        char *slot = array->staging + from * rung->page_bytes;
        if (is_spare)
            madvise(array_page(array, from), bytes, MADV_DONTNEED);
        else if (bytes >= TAKEN_BYTES && move_or_mend(slot, array_page(array, from), bytes) &&
                 !mprotect(slot, bytes, PROT_READ | PROT_WRITE))
            bits_set(array->spare, from, end);
        from = end;
    }
}

static int segv_revoke(struct rung *rung, struct array *array, size_t from, size_t to)
{
    if (protection(rung, array, from, to, PROT_NONE))
        return -1;
    if (array->staging)
        take(rung, array, from, to);
    return 0;
}

/* The contents are there even if the protection cannot change (too many mappings): detach then
 * opens them. */
static int segv_install(struct rung *rung, struct array *array, size_t from, size_t to,
                        const char *data, bool is_tracked)
{
    if (fill(rung, array_page(array, from), data, (to - from) * rung->page_bytes))
        return -1;
    return protection(rung, array, from, to, is_tracked ? PROT_READ : PROT_READ | PROT_WRITE) ? 1
                                                                                              : 0;
}

static int segv_move_in(struct rung *rung, struct array *array, size_t from, size_t to)
{
    char *slot = array->staging + from * rung->page_bytes;
    if (!move_or_mend(array_page(array, from), slot, (to - from) * rung->page_bytes))
        return segv_install(rung, array, from, to, slot, false);
    bits_clear(array->spare, from, to);
    return 0;
}

static int segv_protect(struct rung *rung, struct array *array, size_t from, size_t to)
{
    return protection(rung, array, from, to, PROT_READ);
}

static int segv_unprotect(struct rung *rung, struct array *array, size_t from, size_t to)
{
    return protection(rung, array, from, to, PROT_READ | PROT_WRITE);
}

static int segv_zero(struct rung *rung, struct array *array, size_t page)
{
    return 0; /* the kernel does it */
}

static bool segv_next(struct rung *rung, int fd, struct fault *fault)
{
    struct segv_waiter *waiter;
    if (read(fd, &waiter, sizeof(waiter)) != sizeof(waiter))
        return false;
    *fault = (struct fault){.kind = FAULT_TOUCH,
                            .address = waiter->address,
                            .is_write = waiter->is_write,
                            .thread = waiter->thread,
                            .instruction = waiter->instruction,
                            .waiter = waiter};
    return true;
}

static void segv_settle(struct rung *rung, const struct fault *fault)
{
    answer(fault->waiter, TRY_AGAIN);
}

static void segv_defer(struct rung *rung, struct array *array, const struct fault *fault)
{
    struct segv_waiter *waiter = fault->waiter;
    pthread_mutex_lock(&rung->waiters_lock);
    waiter->next = rung->waiters;
    rung->waiters = waiter;
    pthread_mutex_unlock(&rung->waiters_lock);
}

static void segv_resume(struct rung *rung, struct array *array)
{
    uintptr_t start = array->node.start,
              end = array->node.end; /* the interior may be gone by now */
    pthread_mutex_lock(&rung->waiters_lock);
    for (struct segv_waiter **at = &rung->waiters; *at;) {
        struct segv_waiter *waiter = *at;
        if (waiter->address >= start && waiter->address < end) {
            *at = waiter->next;
            answer(waiter, TRY_AGAIN);
        } else {
            at = &waiter->next;
        }
    }
    pthread_mutex_unlock(&rung->waiters_lock);
}

static void segv_reject(struct rung *rung, const struct fault *fault, bool is_ours)
{
    answer(fault->waiter, NOT_OURS);
}

static void segv_release_child(struct rung *rung, struct array *array)
{
    if (!array)
        atomic_store(&active, NULL);
    else
        protection(rung, array, 0, array->pages, PROT_READ | PROT_WRITE);
}

const struct rung_ops rung_segv_mem = {.name = "segv-mem",
                                       .flag = GPUVM_RUNG_SEGV_MEM,
                                       .open = segv_open,
                                       .close = segv_close,
                                       .attach = segv_attach,
                                       .detach = segv_detach,
                                       .revoke = segv_revoke,
                                       .install = segv_install,
                                       .move_in = segv_move_in,
                                       .moves_back_only = true,
                                       .protect = segv_protect,
                                       .unprotect = segv_unprotect,
                                       .zero = segv_zero,
                                       .next = segv_next,
                                       .settle = segv_settle,
                                       .resume = segv_resume,
                                       .defer = segv_defer,
                                       .reject = segv_reject,
                                       .release_child = segv_release_child};
