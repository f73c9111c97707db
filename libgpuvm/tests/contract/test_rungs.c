/* SPDX-License-Identifier: MIT */
/*
 * Where mechanisms are forbidden, or taken from under the library: which rung is in use, why, and
 * that values stay right. Run once, with GPUVM_BACKEND set here.
 */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BYTES ((size_t)1 << 20)
#define PART 9000 /* a word in the middle */
#define OPENS_USERFAULTFD 0xAA00u

/* Two kernels, with touches of parts after each. */
static void take_turns(struct rig *rig, struct array *array)
{
    for (int i = 0; i < 2; i++) {
        array_run(array, 0, GPUVM_READ_WRITE);
        array_check_part(array, PART, 3);
        array_write(array, PART + 2000, 5);
    }
    array_check_device(array, 0);
    array_check(array);
}

static void expect_rung(const char *name, const char *reason)
{
    const char *rung = NULL, *why = NULL;
    expect_equal(gpuvm_stat(GPUVM_STAT_RUNG, &rung), 0);
    expect_equal(gpuvm_stat(GPUVM_STAT_RUNG_REASON, &why), 0);
    if (strcmp(rung, name) != 0 || strstr(why, reason) == NULL)
        contract_fail(__FILE__, __LINE__, "rung %s (%s), expected %s (%s)", rung, why, name,
                      reason);
}

static void run_all(const struct setting *setting, const char *rung, const char *reason)
{
    struct rig rig;
    struct array aligned, unaligned;

    rig_start(&rig, setting, 0);
    expect_rung(rung, reason);
    array_make(&aligned, &rig, contract_map(BYTES), WORDS(BYTES));
    array_make(&unaligned, &rig, (char *)contract_allocate(BYTES + 100) + 20, WORDS(BYTES));
    take_turns(&rig, &aligned);
    take_turns(&rig, &unaligned);
    array_end(&aligned);
    array_end(&unaligned);
    rig_stop(&rig);
}

/* System calls that fail with EPERM from here on, and ioctl with this request. */
static void forbid(const int *calls, size_t count)
{
    enum { MOST = 32 };
    struct sock_filter filter[MOST];
    size_t n = 0;
    filter[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < count; i++) {
        filter[n++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i], 0, 1);
        filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    }
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                               offsetof(struct seccomp_data, args[1]));
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OPENS_USERFAULTFD, 0, 1);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = (unsigned short)n, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        contract_skip("no seccomp filters here: %s", strerror(errno));
}

/* As a container's default profile does. */
static void test_forbidden(const struct setting *setting)
{
    static const int calls[] = {SYS_userfaultfd, SYS_ptrace};
    if (IS_SANITIZED)
        contract_skip("a search for leaks needs ptrace");
    unsetenv("GPUVM_BACKEND");
    forbid(calls, 2);
    run_all(setting, "segv-mem", "uffd-move: Operation not permitted");
}

/* Where /proc/self/mem is not to be written either. */
static void test_all_forbidden(const struct setting *setting)
{
    static const int calls[] = {SYS_userfaultfd, SYS_ptrace, SYS_pwrite64};
    if (IS_SANITIZED)
        contract_skip("a search for leaks needs ptrace");
    unsetenv("GPUVM_BACKEND");
    forbid(calls, 3);
    run_all(setting, "eager", "segv-mem: fails its self-test");
}

/* ---- A handler of the program's for SIGSEGV, installed after gpuvm_init ---- */

static sigjmp_buf out;
static volatile sig_atomic_t caught;

static void catch (int number)
{
    caught++;
    siglongjmp(out, 1);
}

/* The program's own mistake, in a page that is not the library's. */
static void make_mistake(void)
{
    volatile char *page =
        mmap(NULL, contract_page_bytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int before = caught;
    if (!sigsetjmp(out, 1))
        *page = 1;
    expect_equal(caught, before + 1);
}

static void test_handler_after(const struct setting *setting)
{
    struct sigaction mine = {.sa_handler = catch}, got;
    struct rig rig;
    struct array array;

    if (IS_THREAD_SANITIZED)
        contract_skip("ThreadSanitizer runs signal handlers with SIGSEGV and SIGBUS blocked");
    setenv("GPUVM_BACKEND", "segv-mem", 1);
    rig_start(&rig, setting, 0);
    array_make(&array, &rig, contract_map(BYTES), WORDS(BYTES));
    array_run(&array, 0, GPUVM_READ_WRITE);
    expect_equal(sigaction(SIGSEGV, &mine, &got), 0);
    expect(got.sa_handler == SIG_DFL || IS_SANITIZED);
    array_check_part(&array, PART, 3); /* still the library's */
    expect_equal(caught, 0);
    make_mistake();
    expect_equal(sigaction(SIGSEGV, NULL, &got), 0);
    expect(got.sa_handler == catch);
    expect(signal(SIGSEGV, SIG_DFL) == catch);
    expect(signal(SIGSEGV, catch) == SIG_DFL);
    take_turns(&rig, &array);
    make_mistake();
    expect_rung("segv-mem", "");
    array_end(&array);
    rig_stop(&rig);
    make_mistake(); /* the library is gone, the handler is not */
}

/* By the system call, which the library cannot see: it notices at its next call. */
static void take_signal(void)
{
    struct {
        void (*handler)(int);
        unsigned long flags;
        void (*restorer)(void);
        uint64_t mask;
    } action = {.handler = SIG_DFL};
    expect_equal(syscall(SYS_rt_sigaction, SIGSEGV, &action, NULL, sizeof(action.mask)), 0);
}

static void lose(const struct setting *setting, const char *rung, void (*take)(void))
{
    struct rig rig;
    struct array array, other;

    if (IS_SANITIZED)
        contract_skip("a sanitizer cannot follow threads that are cancelled");
    setenv("GPUVM_BACKEND", rung, 1);
    rig_start(&rig, setting, 0);
    array_make(&array, &rig, contract_map(BYTES), WORDS(BYTES));
    array_make(&other, &rig, (char *)contract_allocate(BYTES + 100) + 20, WORDS(BYTES));
    array_run(&array, 0, GPUVM_READ_WRITE);
    array_check_part(&array, PART, 3);
    array_run(&other, 0, GPUVM_READ_WRITE);
    array_check_device(&other, 0);
    rig_wait(&rig);
    take();
    expect_rung("eager", rung);
    array_check(&array);
    array_check(&other);
    take_turns(&rig, &array);
    take_turns(&rig, &other);
    array_end(&array);
    array_end(&other);
    rig_stop(&rig);
}

static void test_handler_replaced(const struct setting *setting)
{
    lose(setting, "segv-mem", take_signal);
}

/* ---- Descriptors that the program closes ---- */

static void close_all(void)
{
    for (int i = 3; i < 1000; i++)
        close(i);
    closefrom(3);
    close_range(3, ~0u, 0);
}

static void close_unseen(void)
{
    syscall(SYS_close_range, 3, ~0u, 0);
}

static void closed(const struct setting *setting, const char *rung)
{
    struct rig rig;
    struct array array;

    if (IS_THREAD_SANITIZED)
        contract_skip("ThreadSanitizer takes what the program only tries to close for closed");
    setenv("GPUVM_BACKEND", rung, 1);
    rig_start(&rig, setting, 0);
    array_make(&array, &rig, contract_map(BYTES), WORDS(BYTES));
    array_run(&array, 0, GPUVM_READ_WRITE);
    close_all();
    expect(fcntl(200, F_GETFD) < 0);
    array_check_part(&array, PART, 3);
    take_turns(&rig, &array);
    expect_rung(rung, "");
    array_end(&array);
    rig_stop(&rig);
}

static void test_closed_uffd(const struct setting *setting)
{
    closed(setting, "uffd-move");
}

static void test_closed_segv(const struct setting *setting)
{
    closed(setting, "segv-mem");
}

static void test_closed_unseen_uffd(const struct setting *setting)
{
    lose(setting, "uffd-move", close_unseen);
}

static void test_closed_unseen_segv(const struct setting *setting)
{
    lose(setting, "segv-mem", close_unseen);
}

/* Forced, or by itself. */
static void test_eager(const struct setting *setting)
{
    setenv("GPUVM_BACKEND", "eager", 1);
    run_all(setting, "eager", "");
}

static const struct test tests[] = {
    {"eager", test_eager, ON_ALL},
    {"forbidden", test_forbidden, ON_ONE},
    {"all_forbidden", test_all_forbidden, ON_ONE},
    {"handler_after", test_handler_after, ON_ANY_ONE},
    {"handler_replaced", test_handler_replaced, ON_ANY_ONE},
    {"closed_uffd", test_closed_uffd, ON_ONE},
    {"closed_segv", test_closed_segv, ON_ONE},
    {"closed_unseen_uffd", test_closed_unseen_uffd, ON_ANY_ONE},
    {"closed_unseen_segv", test_closed_unseen_segv, ON_ANY_ONE},
};

CONTRACT_MAIN(tests)
