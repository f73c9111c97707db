/* SPDX-License-Identifier: MIT */
/*
 * Functions of the C library's that would take from under the library what it stands on, in the
 * shared library alone:
 *
 *   sigaction, signal               while SIGSEGV is the library's (segv-mem), a handler that the
 *                                   program installs comes after the library's instead
 *   close, close_range, closefrom   do as if the library's descriptors were not open
 *   mprotect                        what the program may read or write from now on comes from the
 *                                   device first: no touch of it would be noticed (segv-mem)
 *
 * All else goes on to the C library. Not seen: programs that find its functions by themselves, or
 * load this library later; the library then notices at its next call (lifecycle_check_rung).
 */
#include "api.h"
#include "descriptors.h"
#include "gpuvm.h"
#include "rung_signal.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

GPUVM_API int sigaction(int number, const struct sigaction *action, struct sigaction *before);
GPUVM_API sighandler_t signal(int number, sighandler_t handler);
GPUVM_API int close(int fd);
GPUVM_API int close_range(unsigned first, unsigned last, int flags);
GPUVM_API void closefrom(int first);
GPUVM_API int mprotect(void *start, size_t bytes, int protection);

static int (*next_sigaction)(int, const struct sigaction *, struct sigaction *);
static sighandler_t (*next_signal)(int, sighandler_t);
static int (*next_close)(int);

/* All are called before constructors run, and in signal handlers, where dlsym should not be. */
__attribute__((constructor)) BEFORE_SANITIZER static void find_next(void)
{
    *(void **)&next_sigaction = dlsym(RTLD_NEXT, "sigaction");
    *(void **)&next_signal = dlsym(RTLD_NEXT, "signal");
    *(void **)&next_close = dlsym(RTLD_NEXT, "close");
}

BEFORE_SANITIZER int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    if (number == SIGSEGV && signal_stands_before(action, before))
        return 0;
    if (!next_sigaction)
        find_next();
    return next_sigaction(number, action, before);
}

BEFORE_SANITIZER sighandler_t signal(int number, sighandler_t handler)
{
    struct sigaction before, action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (number == SIGSEGV && handler != SIG_ERR && signal_stands_before(&action, &before))
        return before.sa_handler;
    if (!next_signal)
        find_next();
    return next_signal(number, handler);
}

/* (The C library's is where a thread is cancelled.) */
BEFORE_SANITIZER int close(int fd)
{
    if (descriptor_is_ours(fd)) {
        errno = EBADF;
        return -1;
    }
    if (!next_close)
        find_next();
    return next_close(fd);
}

BEFORE_SANITIZER int close_range(unsigned first, unsigned last, int flags)
{
    int ours;
    while (first <= last && (ours = descriptor_find(first, last)) >= 0) {
        if ((unsigned)ours > first &&
            syscall(SYS_close_range, first, (unsigned)ours - 1, (unsigned)flags))
            return -1;
        first = (unsigned)ours + 1;
        if (first > last)
            return 0;
    }
    return (int)syscall(SYS_close_range, first, last, (unsigned)flags);
}

BEFORE_SANITIZER void closefrom(int first)
{
    close_range(first > 0 ? (unsigned)first : 0, ~0u, 0);
}

BEFORE_SANITIZER int mprotect(void *start, size_t bytes, int protection)
{
    int error = errno;
    if ((protection & (PROT_READ | PROT_WRITE)) &&
        api_opening(start, bytes, protection & PROT_WRITE)) {
        errno = EIO;
        return -1;
    }
    errno = error;
    return (int)syscall(SYS_mprotect, start, bytes, protection);
}
