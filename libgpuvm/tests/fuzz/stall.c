/* SPDX-License-Identifier: MIT */
/* A thread that only looks at the clock. */
#include "stall.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static atomic_bool is_over;

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static void *observe(void *argument)
{
    struct stall *stall = argument;
    struct rusage before, after;
    getrusage(RUSAGE_THREAD, &before);
    for (double last = now_us(); !atomic_load(&is_over);) {
        double now = now_us();
        if (now - last > stall->longest_us)
            stall->longest_us = now - last;
        last = now;
    }
    getrusage(RUSAGE_THREAD, &after);
    stall->waits = after.ru_nvcsw - before.ru_nvcsw;
    return NULL;
}

struct stall observe_stalls(void (*work)(void), double seconds)
{
    struct stall stall = {0};
    pthread_t observer;
    atomic_store(&is_over, false);
    if (pthread_create(&observer, NULL, observe, &stall) != 0)
        abort();
    for (double end = now_us() + seconds * 1e6; now_us() < end;)
        work();
    atomic_store(&is_over, true);
    pthread_join(observer, NULL);
    return stall;
}
