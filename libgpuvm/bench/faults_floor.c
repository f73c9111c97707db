/* SPDX-License-Identifier: MIT */
/*
 * What the kernel alone needs for a page on this machine. A thread touches it; another, asleep in
 * read() until then, fills it by UFFDIO_COPY; the first goes on. No library that serves faults on a
 * sleeping thread can be faster. Two processors that fall asleep between faults make most of it,
 * above all in a virtual machine. The same with a thread that does not sleep.
 */
#include "faults.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

#define PAGES 2048
#define PRIME 1031 /* a step through the pages that meets all of them */

struct floor {
    int fd;
    size_t page_bytes;
    unsigned char *region;
    void *source;
};

static void *serve(void *argument)
{
    struct floor *floor = argument;
    for (unsigned served = 0; served < PAGES;) {
        struct uffd_msg message;
        if (read(floor->fd, &message, sizeof(message)) != sizeof(message)) {
            continue;
        }
        struct uffdio_copy copy = {.dst = message.arg.pagefault.address & ~(floor->page_bytes - 1),
                                   .src = (uintptr_t)floor->source,
                                   .len = floor->page_bytes};
        if (ioctl(floor->fd, UFFDIO_COPY, &copy) != 0) {
            fail("UFFDIO_COPY failed");
        }
        served++;
    }
    return NULL;
}

/* Whether the kernel lets us; user-mode faults are enough here, and need no privilege. */
static bool floor_open(struct floor *floor, bool is_sleeping)
{
    int flags = O_CLOEXEC | UFFD_USER_MODE_ONLY | (is_sleeping ? 0 : O_NONBLOCK);
    floor->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    floor->fd = (int)syscall(SYS_userfaultfd, flags);
    struct uffdio_api api = {.api = UFFD_API};
    if (floor->fd < 0 || ioctl(floor->fd, UFFDIO_API, &api) != 0) {
        return false;
    }
    size_t bytes = PAGES * floor->page_bytes;
    floor->region = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct uffdio_register request = {.range = {.start = (uintptr_t)floor->region, .len = bytes},
                                      .mode = UFFDIO_REGISTER_MODE_MISSING};
    floor->source = allocate_or_fail(floor->page_bytes);
    memset(floor->source, 1, floor->page_bytes);
    return floor->region != MAP_FAILED && ioctl(floor->fd, UFFDIO_REGISTER, &request) == 0;
}

static void measure(struct bench *bench, const char *name, bool is_sleeping)
{
    struct floor floor;
    struct samples samples = {0};
    pthread_t thread;
    if (!floor_open(&floor, is_sleeping)) {
        return; /* this kernel has no such faults: there is nothing to compare with */
    }
    if (pthread_create(&thread, NULL, serve, &floor) != 0) {
        fail("no thread");
    }
    for (size_t i = 0; i < PAGES; i++) {
        const volatile unsigned char *page = floor.region + i * PRIME % PAGES * floor.page_bytes;
        double start = now_seconds();
        (void)*page;
        samples_add(&samples, 1e6 * (now_seconds() - start), 0);
    }
    pthread_join(thread, NULL);
    munmap(floor.region, PAGES * floor.page_bytes);
    free(floor.source);
    close(floor.fd);
    if (is_sleeping) {
        bench->floor_us = summarize(samples.values_us, samples.used).median;
    }
    report_samples(bench, name, &samples);
}

void measure_floor(struct bench *bench)
{
    measure(bench, "the kernel alone: fault, 1 page", true);
    measure(bench, "the same, its server never asleep", false);
}
