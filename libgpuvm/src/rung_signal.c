/* SPDX-License-Identifier: MIT */
#include "rung_signal.h"

#include "context.h"
#include "descriptors.h"
#include "log.h"
#include "thread.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define KERNEL_SIGNAL_SET_BYTES 8 /* the kernel's, not the C library's */
#define MOST_FOREIGN 16           /* faults at one address in a row that stay faults */
#define CLOSE_TRIES 1000          /* of a millisecond */

/* TRY_AGAIN: the page may be there now; NOT_OURS: not by our doing; LOST: it will never be. */
enum answer { WAITING, TRY_AGAIN, NOT_OURS, LOST };

/* Lives on the faulting thread's stack until it is answered. */
struct waiter {
    struct waiter *next;
    const struct fault *fault;
    _Atomic int answer;
};

/* Who would have the signal without us: the last action set. A handler may be reading while another
 * thread sets one, so each gets a place of its own. */
#define ACTIONS 64
static struct sigaction actions[ACTIONS];
static atomic_uint actions_set;
/* What the kernel calls while the signal is ours (a sanitizer has a handler before on_fault). */
static atomic_uintptr_t installed;

/* What the handler needs; a handler has no argument of its own. */
static struct rung *_Atomic active;
static atomic_uint inside; /* threads in the handler */
/* The last fault of this thread that was not ours, and how often it came in a row. (initial-exec: a
 * handler may not allocate.) */
static __thread uintptr_t last_foreign __attribute__((tls_model("initial-exec")));
static __thread unsigned foreign_count __attribute__((tls_model("initial-exec")));
/* What this thread has passed on last, and from where. */
static __thread struct chained {
    const siginfo_t *info;
    const char *frame;
} chained __attribute__((tls_model("initial-exec")));

static void waiter_answer(struct waiter *waiter, enum answer how)
{
    /* Once answered the waiter's stack may be gone: the futex call below wakes by address alone. */
    _Atomic int *word = &waiter->answer;
    atomic_store(word, how);
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

BEFORE_SANITIZER static const struct sigaction *handler_previous(void)
{
    return &actions[atomic_load(&actions_set) % ACTIONS];
}

BEFORE_SANITIZER static void set_previous(const struct sigaction *action)
{
    unsigned next = atomic_load(&actions_set) + 1;
    actions[next % ACTIONS] = *action;
    atomic_store(&actions_set, next);
}

/* Asks the kernel: the C library's sigaction may be ours (interpose.c). The handler is the first
 * word of what it tells. */
static uintptr_t kernels_handler(void)
{
    uintptr_t action[8] = {0};
    syscall(SYS_rt_sigaction, SIGSEGV, NULL, action, KERNEL_SIGNAL_SET_BYTES);
    return action[0];
}

/* ---- On the faulting thread ---- */

/* A fault comes again by itself when the handler returns; a signal that was sent does not. */
static void act_by_default(const siginfo_t *info)
{
    bool is_sent = info->si_code <= 0;
    if (is_sent && handler_previous()->sa_handler == SIG_IGN)
        return;
    atomic_store(&installed, 0);
    sigaction(SIGSEGV, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    if (is_sent)
        syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGSEGV);
}

/* As if the library were not there: with the signals blocked that the other handler wants. */
static void handler_chain(siginfo_t *info, void *machine)
{
    struct sigaction next = *handler_previous();
    bool has_info = next.sa_flags & SA_SIGINFO;
    if (!has_info && (next.sa_handler == SIG_DFL || next.sa_handler == SIG_IGN)) {
        act_by_default(info);
        return;
    }
    if (next.sa_flags & SA_RESETHAND)
        set_previous(&(struct sigaction){.sa_handler = SIG_DFL});
    if (!(next.sa_flags & SA_NODEFER))
        sigaddset(&next.sa_mask, SIGSEGV);
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &next.sa_mask, NULL, KERNEL_SIGNAL_SET_BYTES);
    if (has_info)
        next.sa_sigaction(SIGSEGV, info, machine);
    else
        next.sa_handler(SIGSEGV);
}

static bool is_service_thread(struct context *context, int thread)
{
    for (unsigned i = 0; i < SERVICE_THREADS; i++)
        if (atomic_load(&context->service_ids[i]) == thread)
            return true;
    return false;
}

static void fault_describe(struct fault *fault, const void *machine)
{
#if defined(__x86_64__)
    const ucontext_t *user = machine;
    fault->is_write = user->uc_mcontext.gregs[REG_ERR] & 2;
    fault->instruction = (uintptr_t)user->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    fault->is_write =
        true; /* the syndrome is not always there: more is sent to the device, never less */
    fault->instruction = (uintptr_t)((const ucontext_t *)machine)->uc_mcontext.pc;
#else
    fault->is_write = true;
#endif
}

/* With the signals that the program has: a thread that stops others by one need not wait for a
 * device. (write as a system call: the C library's is where a thread is cancelled.) */
static enum answer hand_over(struct rung *rung, struct fault *fault)
{
    struct waiter waiter = {.fault = fault}, *address = &waiter;
    fault->waiter = &waiter;
    atomic_store(&waiter.answer, WAITING); /* what was written before, signal_next sees */
    long written;
    while ((written = syscall(SYS_write, rung->pipe_write_fd, &address, sizeof(address))) < 0 &&
           errno == EINTR)
        ;
    if (written < 0) {
        log_always("a fault at %p cannot be served: the library's descriptors were closed",
                   (void *)fault->address);
        return LOST;
    }
    while (atomic_load(&waiter.answer) == WAITING)
        syscall(SYS_futex, &waiter.answer, FUTEX_WAIT_PRIVATE, WAITING, NULL, NULL, 0);
    return atomic_load(&waiter.answer);
}

/* Whether a touch would succeed now. The system calls change nothing: they refuse what they are
 * asked for, or add zero, after the kernel has read (written) there. */
static bool can_touch(uintptr_t address, bool is_write)
{
    uintptr_t word = address & ~(uintptr_t)7;
    uint32_t zero = 0;
    long result;
    if (is_write)
        result = syscall(SYS_futex, &zero, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, 0, word,
                         FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_LT, 0));
    else
        result = syscall(SYS_rt_sigprocmask, -1, word, NULL, KERNEL_SIGNAL_SET_BYTES);
    return result >= 0 || errno != EFAULT;
}

/* An array that was unlinked meanwhile is no fault any more, nor is a page that another thread's
 * fault has brought. Only what does not get better is not ours. (Several tries: the page may be in
 * another thread's hands.) */
static bool is_foreign(uintptr_t address, enum answer got)
{
    foreign_count = got != NOT_OURS ? 0 : last_foreign == address ? foreign_count + 1 : 1;
    last_foreign = address;
    if (got != LOST && foreign_count < MOST_FOREIGN)
        return false;
    foreign_count = 0;
    return true;
}

/* Without a rung it may be a fault from just before the end. */
static enum answer answer_fault(const siginfo_t *info, const void *machine)
{
    enum answer got = info->si_code == SEGV_ACCERR ? NOT_OURS : LOST;
    struct fault fault = {
        .kind = FAULT_TOUCH, .address = (uintptr_t)info->si_addr, .thread = thread_id()};
    fault_describe(&fault, machine);
    atomic_fetch_add(&inside, 1);
    struct rung *rung = atomic_load(&active);
    if (got == NOT_OURS && rung)
        got = is_service_thread(rung->context, fault.thread) ? LOST : hand_over(rung, &fault);
    atomic_fetch_sub(&inside, 1);
    return got == NOT_OURS && can_touch(fault.address, fault.is_write) ? TRY_AGAIN : got;
}

static void on_fault(int number, siginfo_t *info, void *machine)
{
    const char *frame = __builtin_frame_address(0);
    int saved = errno;
    /* Called by the handler that we called: no handler is left. (What the kernel calls with the
     * same info, after a longjmp, is not further down the stack.) */
    if (info == chained.info && frame < chained.frame) {
        act_by_default(info);
        return;
    }
    enum answer got = answer_fault(info, machine);
    errno = saved;
    if (!is_foreign((uintptr_t)info->si_addr, got))
        return;
    chained = (struct chained){.info = info, .frame = frame};
    handler_chain(info, machine);
    chained = (struct chained){NULL, NULL};
}

/* ---- Open and close ---- */

BEFORE_SANITIZER static bool is_handler(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == on_fault;
}

/* (SA_NODEFER: what a handler that interrupts a wait touches may be a fault again.) */
static bool handler_install(void)
{
    struct sigaction before,
        action = {.sa_sigaction = on_fault,
                  .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (atomic_load(&installed) && kernels_handler() == atomic_load(&installed))
        return true; /* still there, from before a gpuvm_finish */
    atomic_store(&installed, 0);
    if (sigaction(SIGSEGV, NULL, &before))
        return false;
    if (!is_handler(&before))
        set_previous(&before); /* known before the handler is */
    if (sigaction(SIGSEGV, &action, NULL))
        return false;
    atomic_store(&installed, kernels_handler());
    return true;
}

bool signal_is_intact(struct rung *rung)
{
    return kernels_handler() == atomic_load(&installed) &&
           fcntl(rung->pipe_write_fd, F_GETPIPE_SZ) >= 0 &&
           fcntl(rung->fds[0], F_GETPIPE_SZ) >= 0 && fcntl(rung->memory_fd, F_GETFD) >= 0;
}

BEFORE_SANITIZER bool signal_stands_before(const struct sigaction *action, struct sigaction *before)
{
    if (!atomic_load(&installed) || (action && is_handler(action)))
        return false;
    struct sigaction old = *handler_previous();
    if (action)
        set_previous(action);
    if (before)
        *before = old;
    return true;
}

bool signal_open(struct rung *rung)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return false;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    rung->fds[0] = descriptor_keep(ends[0]);
    rung->pipe_write_fd = descriptor_keep(ends[1]);
    pthread_mutex_init(&rung->waiters_lock, NULL);
    atomic_store(&active, rung);
    return handler_install();
}

/* Who has not been heard yet tries again, and finds ordinary memory. (A thread that left the
 * handler by a longjmp is not waited for for ever.) */
static void await_all(struct rung *rung)
{
    for (int i = 0; atomic_load(&inside) && i < CLOSE_TRIES; i++) {
        struct fault fault;
        while (signal_next(rung, rung->fds[0], &fault))
            signal_settle(rung, &fault);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

void signal_close(struct rung *rung)
{
    if (rung->fds[0] < 0)
        return;
    atomic_store(&active, NULL);
    await_all(rung);
    pthread_mutex_destroy(&rung->waiters_lock);
}

void signal_restore(void)
{
    uintptr_t ours = atomic_exchange(&installed, 0);
    if (ours && kernels_handler() == ours)
        sigaction(SIGSEGV, handler_previous(), NULL);
}

void signal_leave(void)
{
    atomic_store(&inside, 0); /* the other threads are not in this process */
    atomic_store(&active, NULL);
}

/* ---- On service threads ---- */

bool signal_next(struct rung *rung, int read_fd, struct fault *fault)
{
    struct waiter *waiter;
    if (read(read_fd, &waiter, sizeof(waiter)) != sizeof(waiter))
        return false;
    atomic_load(&waiter->answer);
    *fault = *waiter->fault;
    return true;
}

void signal_settle(struct rung *rung, const struct fault *fault)
{
    waiter_answer(fault->waiter, TRY_AGAIN);
}

void signal_reject(struct rung *rung, const struct fault *fault, enum rejection why)
{
    waiter_answer(fault->waiter, why == REJECT_FAILED ? LOST : NOT_OURS);
}

void signal_defer(struct rung *rung, struct array *array, const struct fault *fault)
{
    struct waiter *waiter = fault->waiter;
    pthread_mutex_lock(&rung->waiters_lock);
    waiter->next = rung->waiters;
    rung->waiters = waiter;
    pthread_mutex_unlock(&rung->waiters_lock);
}

void signal_resume(struct rung *rung, struct array *array)
{
    uintptr_t start = array->node.start,
              end = array->node.end; /* the interior may be gone by now */
    pthread_mutex_lock(&rung->waiters_lock);
    for (struct waiter **at = &rung->waiters; *at;) {
        struct waiter *waiter = *at;
        uintptr_t address = waiter->fault->address;
        if (address >= start && address < end) {
            *at = waiter->next;
            waiter_answer(waiter, TRY_AGAIN);
        } else {
            at = &waiter->next;
        }
    }
    pthread_mutex_unlock(&rung->waiters_lock);
}
