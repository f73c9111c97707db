/* SPDX-License-Identifier: MIT */
/*
 * What a thread that touches nothing sees while another waits for fetches. The device is told to
 * take 20 ms for each: a library that stops threads stops this one for as long. What the system
 * takes away by itself is measured before.
 */
#include "faults.h"
#include "large_array.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define SLOW_READ_US 20000
#define FETCHES 10

struct watcher {
    pthread_t thread;
    _Atomic bool is_running, is_to_end;
    const volatile unsigned char *byte; /* of a page that the host has */
    double longest_us;
};

static void *watch(void *argument)
{
    struct watcher *watcher = argument;
    double last = now_seconds();
    atomic_store(&watcher->is_running, true);
    while (!atomic_load(&watcher->is_to_end)) {
        (void)*watcher->byte;
        double now = now_seconds();
        if (1e6 * (now - last) > watcher->longest_us) {
            watcher->longest_us = 1e6 * (now - last);
        }
        last = now;
    }
    return NULL;
}

static void watcher_start(struct watcher *watcher, const unsigned char *byte)
{
    watcher->byte = byte;
    watcher->longest_us = 0;
    atomic_store(&watcher->is_running, false);
    atomic_store(&watcher->is_to_end, false);
    if (pthread_create(&watcher->thread, NULL, watch, watcher) != 0) {
        fail("no thread");
    }
    while (!atomic_load(&watcher->is_running)) {
    }
}

static double watcher_end(struct watcher *watcher)
{
    atomic_store(&watcher->is_to_end, true);
    pthread_join(watcher->thread, NULL);
    return watcher->longest_us;
}

void measure_pause(struct bench *bench)
{
    struct large_array array;
    struct watcher watcher;
    size_t pages[FETCHES];
    large_open(&array, bench);
    large_give_to_device(&array);
    size_t first = large_first_page(&array);
    /* One that the host has by now, and no fetch touches. */
    size_t watched = array.pages - 2;
    large_read(&array, watched);
    const unsigned char *byte = array.host + watched * array.page_bytes;

    watcher_start(&watcher, byte);
    double end = now_seconds() + 1e-6 * SLOW_READ_US * FETCHES;
    while (now_seconds() < end) {
        struct timespec nap = {.tv_nsec = SLOW_READ_US * 1000L};
        nanosleep(&nap, NULL);
    }
    double quiet_us = watcher_end(&watcher);

    fake_slow_reads(bench->fake, SLOW_READ_US);
    watcher_start(&watcher, byte);
    double waited_us = 0;
    large_shuffle(&array, pages, FETCHES, array.pages / 2);
    for (unsigned i = 0; i < FETCHES; i++) {
        waited_us += large_read(&array, first + 1 + pages[i]);
    }
    double longest_us = watcher_end(&watcher);
    fake_slow_reads(bench->fake, 0);

    report_number(bench, "another thread's longest pause, no fault", quiet_us, "us");
    report_number(bench, "another thread's longest pause, 20 ms fetches", longest_us, "us");
    report_number(bench, "the faulting thread waited, a fault", waited_us / FETCHES, "us");
    report_verdict(bench, "G4", "pause of another thread", longest_us, SLOW_READ_US / 2.0, "us");
    large_close(&array);
}
