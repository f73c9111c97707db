/* SPDX-License-Identifier: MIT */
/* Many small arrays: what link, begin, end and unlink cost, whatever their number. */
#include "faults.h"

#include <stdlib.h>
#include <string.h>

#define REPEATS 5

/* Each bound of the calls below, beyond the device's transfers. */
#define ALLOWED_US 5.0

struct arrays {
    struct bench *bench;
    unsigned count;
    size_t nbytes;
    unsigned char **hosts;
    void **buffers;
};

/* Adds 1 to the first and the last byte of each array. */
static void increment_kernel(void *argument)
{
    const struct arrays *arrays = argument;
    for (unsigned i = 0; i < arrays->count; i++) {
        unsigned char *data = fake_data(arrays->buffers[i]);
        data[0]++;
        data[arrays->nbytes - 1]++;
    }
}

static void arrays_open(struct arrays *arrays)
{
    arrays->hosts = allocate_or_fail(arrays->count * sizeof(arrays->hosts[0]));
    arrays->buffers = allocate_or_fail(arrays->count * sizeof(arrays->buffers[0]));
    for (unsigned i = 0; i < arrays->count; i++) {
        arrays->hosts[i] = allocate_or_fail(arrays->nbytes);
        memset(arrays->hosts[i], (int)(i % 251), arrays->nbytes);
        arrays->buffers[i] = fake_allocate(arrays->bench->fake, arrays->nbytes);
        if (!arrays->buffers[i]) {
            fail("the fake device has no memory");
        }
    }
}

static void arrays_close(struct arrays *arrays)
{
    for (unsigned i = 0; i < arrays->count; i++) {
        free(arrays->hosts[i]);
        fake_release(arrays->bench->fake, arrays->buffers[i]);
    }
    free(arrays->hosts);
    free(arrays->buffers);
}

static void call_link(struct arrays *arrays, unsigned i)
{
    gpuvm_must(gpuvm_link(arrays->hosts[i], arrays->nbytes, 0, arrays->buffers[i], GPUVM_ON_HOST),
               "gpuvm_link");
}

static void call_unlink(struct arrays *arrays, unsigned i)
{
    gpuvm_must(gpuvm_unlink(arrays->hosts[i], 0), "gpuvm_unlink");
}

static void call_begin(struct arrays *arrays, unsigned i)
{
    gpuvm_must(gpuvm_kernel_begin(arrays->hosts[i], 0, GPUVM_READ_WRITE), "gpuvm_kernel_begin");
}

static void call_end(struct arrays *arrays, unsigned i)
{
    gpuvm_must(gpuvm_kernel_end(arrays->hosts[i], 0), "gpuvm_kernel_end");
}

static void call_begin_end(struct arrays *arrays, unsigned i)
{
    call_begin(arrays, i);
    call_end(arrays, i);
}

/* The mean over all arrays, so that neither the clock nor the account of transfers is part of it.
 */
static void time_calls(struct arrays *arrays, void (*call)(struct arrays *, unsigned),
                       struct samples *samples)
{
    double copied = copy_seconds(arrays->bench);
    double start = now_seconds();
    for (unsigned i = 0; i < arrays->count; i++) {
        call(arrays, i);
    }
    double seconds = now_seconds() - start;
    copied = copy_seconds(arrays->bench) - copied;
    samples_add(samples, 1e6 * (seconds - copied) / arrays->count, 1e6 * copied / arrays->count);
}

static void check(const struct arrays *arrays, unsigned kernels)
{
    for (unsigned i = 0; i < arrays->count; i++) {
        unsigned char expected = (unsigned char)(i % 251 + kernels);
        const unsigned char *host = arrays->hosts[i];
        if (host[0] != expected || host[arrays->nbytes - 1] != expected) {
            fail("array %u of %u, %zu bytes: %u and %u, not %u", i, arrays->count, arrays->nbytes,
                 host[0], host[arrays->nbytes - 1], expected);
        }
    }
}

static void report(struct arrays *arrays, const char *call, struct samples *samples)
{
    char name[64];
    snprintf(name, sizeof(name), "%s, %u of %zu B", call, arrays->count, arrays->nbytes);
    double median_us = summarize(samples->values_us, samples->used).median;
    report_samples(arrays->bench, name, samples);
    report_verdict(arrays->bench, "calls", name, median_us, ALLOWED_US, "us");
}

static void measure_arrays(struct bench *bench, unsigned count, size_t nbytes)
{
    struct arrays arrays = {.bench = bench, .count = count, .nbytes = nbytes};
    struct samples link = {0};
    struct samples begin_end = {0};
    struct samples unlink = {0};
    arrays_open(&arrays);
    for (unsigned repeat = 0; repeat < REPEATS; repeat++) {
        time_calls(&arrays, call_link, &link);
        for (unsigned i = 0; i < count; i++) {
            call_begin(&arrays, i);
        }
        fake_launch(bench->fake, increment_kernel, &arrays, 0);
        for (unsigned i = 0; i < count; i++) {
            call_end(&arrays, i);
        }
        check(&arrays, repeat + 1);
        time_calls(&arrays, call_begin_end, &begin_end);
        time_calls(&arrays, call_unlink, &unlink);
    }
    check(&arrays, REPEATS);
    report(&arrays, "link", &link);
    report(&arrays, "begin + end", &begin_end);
    report(&arrays, "unlink", &unlink);
    arrays_close(&arrays);
}

void measure_links(struct bench *bench)
{
    static const unsigned counts[] = {1, 100, 1000, 10000, 50000};
    static const size_t sizes[] = {256, 10000};
    unsigned last = bench->is_quick ? 4 : 5;
    for (unsigned s = 0; s < 2; s++) {
        for (unsigned c = 0; c < last; c++) {
            measure_arrays(bench, counts[c], sizes[s]);
        }
    }
}
