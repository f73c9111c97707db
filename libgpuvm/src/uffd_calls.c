/* SPDX-License-Identifier: MIT */
#include "uffd_calls.h"

#include "log.h"
#include "service.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Without features yet. Each way may be forbidden by itself (EPERM, EACCES, ENOSYS): the next is
 * tried. */
static int open_descriptor(bool user_only)
{
    int flags = O_CLOEXEC | O_NONBLOCK | (user_only ? UFFD_USER_MODE_ONLY : 0);
    int device = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
    if (device >= 0) {
        int fd = ioctl(device, USERFAULTFD_IOC_NEW, flags);
        close(device);
        if (fd >= 0)
            return fd;
    }
    return (int)syscall(SYS_userfaultfd, flags);
}

int calls_open(bool user_only, uint64_t wanted, uint64_t *offered)
{
    struct uffdio_api api = {.api = UFFD_API, .features = wanted};
    int fd = open_descriptor(user_only);
    if (fd < 0 || ioctl(fd, UFFDIO_API, &api)) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    *offered = api.features;
    return fd;
}

/* EAGAIN: a thread is unmapping, and goes on when a service thread has read of it: all may be here.
 */
static bool is_to_try_again(int error)
{
    if (error != EAGAIN)
        return false;
    service_catch_up();
    sched_yield();
    return true;
}

static struct uffdio_range range_of(const void *start, size_t bytes)
{
    return (struct uffdio_range){.start = (uintptr_t)start, .len = bytes};
}

int calls_register(int fd, const void *start, size_t bytes, uint64_t mode)
{
    struct uffdio_register request = {.range = range_of(start, bytes), .mode = mode};
    return ioctl(fd, UFFDIO_REGISTER, &request) ? -1 : 0;
}

void calls_unregister(int fd, const void *start, size_t bytes)
{
    struct uffdio_range range = range_of(start, bytes);
    ioctl(fd, UFFDIO_UNREGISTER, &range);
}

void calls_wake(int fd, const void *start, size_t bytes)
{
    struct uffdio_range range = range_of(start, bytes);
    if (fd >= 0)
        ioctl(fd, UFFDIO_WAKE, &range);
}

int calls_drop(char *start, size_t bytes)
{
    if (!madvise(start, bytes, MADV_DONTNEED))
        return 0;
    return madvise(start, bytes, MADV_DONTNEED_LOCKED) ? -1 : 0;
}

size_t calls_move(int fd, char *to, char *from, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        struct uffdio_move move = {.dst = (uintptr_t)(to + done),
                                   .src = (uintptr_t)(from + done),
                                   .len = bytes - done,
                                   .mode = UFFDIO_MOVE_MODE_ALLOW_SRC_HOLES};
        if (!ioctl(fd, UFFDIO_MOVE, &move))
            return bytes;
        int error = errno;
        if (move.move > 0)
            done += (size_t)move.move;
        if (!is_to_try_again(error))
            break;
    }
    return done;
}

/* Half of a range, in whole pages: one call refused it since it lies in several mappings. */
static size_t half_of(size_t bytes, size_t page_bytes)
{
    return bytes / 2 / page_bytes * page_bytes;
}

int calls_copy(int fd, char *to, const char *data, size_t bytes, size_t page_bytes, uint64_t mode)
{
    size_t done = 0, step = bytes;
    while (done < bytes) {
        struct uffdio_copy copy = {.dst = (uintptr_t)(to + done),
                                   .src = (uintptr_t)(data + done),
                                   .len = step,
                                   .mode = mode};
        if (!ioctl(fd, UFFDIO_COPY, &copy))
            done += step;
        else if (copy.copy > 0)
            done += (size_t)copy.copy;
        else if (errno == EEXIST)
            calls_drop(to + done, page_bytes);
        else if (errno == ENOENT && step > page_bytes) {
            step = half_of(step + page_bytes, page_bytes);
            continue;
        } else if (!is_to_try_again(errno)) {
            log_line(1, "copying %zu bytes to %p: error %d", step, (void *)(to + done), errno);
            return -1;
        }
        step = bytes - done;
    }
    return 0;
}

int calls_write_protect(int fd, char *start, size_t bytes, size_t page_bytes, uint64_t mode)
{
    size_t done = 0, step = bytes;
    while (done < bytes) {
        struct uffdio_writeprotect request = {.range = range_of(start + done, step), .mode = mode};
        if (!ioctl(fd, UFFDIO_WRITEPROTECT, &request)) {
            done += step;
            step = bytes - done;
        } else if (errno == ENOENT && step > page_bytes) {
            step = half_of(step + page_bytes, page_bytes);
        } else if (!is_to_try_again(errno)) {
            return -1;
        }
    }
    return 0;
}

int calls_zero(int fd, char *page, size_t page_bytes)
{
    struct uffdio_zeropage zero = {.range = range_of(page, page_bytes)};
    if (fd < 0)
        return -1;
    if (!ioctl(fd, UFFDIO_ZEROPAGE, &zero))
        return 1;
    bool is_there = errno == EEXIST;
    calls_wake(fd, page, page_bytes);
    return is_there ? 0 : -1;
}

bool calls_is_open(int fd)
{
    struct uffdio_writeprotect nothing = {0};
    return !ioctl(fd, UFFDIO_WRITEPROTECT, &nothing) || (errno != EBADF && errno != ENOTTY);
}

/* Anything that would change pages says so, before it finds that there are none to change. */
bool calls_is_changing(int fd)
{
    struct uffdio_writeprotect nothing = {0};
    return fd >= 0 && ioctl(fd, UFFDIO_WRITEPROTECT, &nothing) < 0 && errno == EAGAIN;
}

int calls_poison(int fd, char *page, size_t page_bytes)
{
    struct uffdio_poison poison = {.range = range_of(page, page_bytes)};
    return fd < 0 || ioctl(fd, UFFDIO_POISON, &poison) ? -1 : 0;
}
