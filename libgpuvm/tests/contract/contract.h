/* SPDX-License-Identifier: MIT */
/*
 * Runs tests one by one, each in a process of its own and once a setting. A crash, a hang or a
 * library that was left in a strange state ends one test only. The rung is GPUVM_BACKEND's; a rung
 * that the kernel refuses skips the program.
 */
#ifndef CONTRACT_CONTRACT_H
#define CONTRACT_CONTRACT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* What a test runs on. */
struct setting {
    unsigned devices;
    bool has_reach; /* the host can reach buffers */
};

/* Which settings a test is for. */
#define ON_ONE 0x1
#define ON_TWO 0x2
#define ON_ONE_REACH 0x4
#define ON_TWO_REACH 0x8
#define ON_ALL 0xf
#define ON_ANY_ONE (ON_ONE | ON_ONE_REACH)
#define ON_ANY_TWO (ON_TWO | ON_TWO_REACH)
#define WITHOUT_REACH (ON_ONE | ON_TWO)

struct test {
    const char *name;
    void (*run)(const struct setting *setting);
    unsigned settings;
};

/* Ends with a count; the program's result is 0, 1 if a test failed, 77 if none could run. */
int contract_main(int argc, char **argv, const struct test *tests, size_t count);
#define CONTRACT_MAIN(tests)                                                                       \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        return contract_main(argc, argv, tests, sizeof(tests) / sizeof(tests)[0]);                 \
    }

/* Ends the test: it cannot run here. */
_Noreturn void contract_skip(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Ends the test: it failed. */
_Noreturn void contract_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define expect(condition)                                                                          \
    do {                                                                                           \
        if (!(condition))                                                                          \
            contract_fail(__FILE__, __LINE__, "expected: %s", #condition);                         \
    } while (0)

#define expect_equal(actual, expected)                                                             \
    do {                                                                                           \
        long long actual_ = (long long)(actual), expected_ = (long long)(expected);                \
        if (actual_ != expected_)                                                                  \
            contract_fail(__FILE__, __LINE__, "%s is %lld, expected %s = %lld", #actual, actual_,  \
                          #expected, expected_);                                                   \
    } while (0)

#define expect_at_most(actual, limit)                                                              \
    do {                                                                                           \
        long long actual_ = (long long)(actual), limit_ = (long long)(limit);                      \
        if (actual_ > limit_)                                                                      \
            contract_fail(__FILE__, __LINE__, "%s is %lld, expected at most %s = %lld", #actual,   \
                          actual_, #limit, limit_);                                                \
    } while (0)

#define expect_bytes(actual, expected, nbytes)                                                     \
    contract_expect_bytes(__FILE__, __LINE__, #actual, actual, expected, nbytes)
void contract_expect_bytes(const char *file, int line, const char *name, const void *actual,
                           const void *expected, size_t nbytes);

/* Whether GPUVM_BACKEND is one of: the library's faults on this rung also work in system calls;
 * they arrive as signals; it is
 * `name`. */
bool contract_serves_kernel(void);
bool contract_is_by_signal(void);
bool contract_is_rung(const char *name);
/* Whether libgpuvm-preload.so is in this process. */
bool contract_has_shim(void);

/* Numbers of the library's, exact. */
unsigned long long contract_stat(int parameter);

/* A mapping of its own, page-aligned, of zeros; memory that is a multiple of the page size. */
void *contract_map(size_t nbytes);
size_t contract_page_bytes(void);
void *contract_allocate(size_t nbytes); /* malloc that does not fail; need not be freed */

double contract_seconds(void);

/* Waits until *thread is the id of a thread that sleeps: blocked in a fault, for instance. */
void contract_wait_asleep(const atomic_int *thread);

#ifdef __has_feature /* clang; gcc defines these itself */
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#ifdef __SANITIZE_THREAD__
#define IS_THREAD_SANITIZED 1
#else
#define IS_THREAD_SANITIZED 0
#endif
#ifdef __SANITIZE_ADDRESS__
#define IS_SANITIZED 1
#else
#define IS_SANITIZED IS_THREAD_SANITIZED
#endif

/* How often something is repeated: less under a sanitizer, which is slow. */
#define SCALED(count) (IS_SANITIZED ? ((count) + 3) / 4 : (count))

#endif
