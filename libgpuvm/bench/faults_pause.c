/* SPDX-License-Identifier: MIT */
/*
 * What a thread that touches nothing sees while another waits for fetches. The device is told to
 * take 20 ms for each: a library that stops threads stops this one for as long. What the system
 * takes away by itself is measured before.
 */
#include "faults.h"
#include "large_array.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#define SLOW_READ_US 20000
#define FETCHES 15

/* Each gap in another thread's time is seen between two looks at the clock; the longest since it
 * was last asked for. */
struct watcher {
    pthread_t thread;
    _Atomic bool is_to_end;
    const volatile unsigned char *byte; /* of a page that the host has */
    _Atomic double longest_us;
    _Atomic unsigned looks;
};

static void *watch(void *argument)
{
    struct watcher *watcher = argument;
    double last = now_seconds();
    while (!atomic_load(&watcher->is_to_end)) {
        (void)*watcher->byte;
        double now = now_seconds();
        if (1e6 * (now - last) > atomic_load(&watcher->longest_us)) {
            atomic_store(&watcher->longest_us, 1e6 * (now - last));
        }
        last = now;
        atomic_fetch_add(&watcher->looks, 1);
    }
    return NULL;
}

/* Waits until the watcher has looked again, so that a pause that lasts to now is seen too. */
static double take_longest_us(struct watcher *watcher)
{
    unsigned looks = atomic_load(&watcher->looks);
    while (atomic_load(&watcher->looks) - looks < 2) {
        sched_yield();
    }
    return atomic_exchange(&watcher->longest_us, 0);
}

static void sleep_fetch(struct large_array *array, size_t page)
{
    struct timespec nap = {.tv_nsec = SLOW_READ_US * 1000L};
    nanosleep(&nap, NULL);
}

static void read_fetch(struct large_array *array, size_t page)
{
    large_read(array, page);
}

/* The longest pause within each of the waits. Those of a busy system are now and then, a stopped
 * thread's each time. */
static double watch_waits(struct large_array *array, const char *name, const unsigned char *byte,
                          void (*wait)(struct large_array *, size_t))
{
    struct watcher watcher = {.byte = byte};
    struct samples samples = {0};
    size_t pages[FETCHES];
    large_shuffle(array, pages, FETCHES, array->pages / 2);
    if (pthread_create(&watcher.thread, NULL, watch, &watcher) != 0) {
        fail("no thread");
    }
    take_longest_us(&watcher);
    for (unsigned i = 0; i < FETCHES; i++) {
        wait(array, large_first_page(array) + pages[i]);
        samples_add(&samples, take_longest_us(&watcher), 0);
    }
    atomic_store(&watcher.is_to_end, true);
    pthread_join(watcher.thread, NULL);
    double median_us = summarize(samples.values_us, samples.used).median;
    report_samples(array->bench, name, &samples);
    return median_us;
}

void measure_pause(struct bench *bench)
{
    struct large_array array;
    large_open(&array, bench);
    large_give_to_device(&array);
    /* A page that the host has by now, and that no fetch touches. */
    size_t watched = array.pages - 2;
    large_read(&array, watched);
    const unsigned char *byte = array.host + watched * array.page_bytes;

    watch_waits(&array, "another thread's longest pause, sleeps of 20 ms", byte, sleep_fetch);
    fake_slow_reads(bench->fake, SLOW_READ_US);
    double pause_us =
        watch_waits(&array, "another thread's longest pause, fetches of 20 ms", byte, read_fetch);
    fake_slow_reads(bench->fake, 0);
    report_verdict(bench, "G4", "pause of another thread", pause_us, SLOW_READ_US / 2.0, "us");
    large_close(&array);
}
