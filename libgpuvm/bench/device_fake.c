/* SPDX-License-Identifier: MIT */
/*
 * The benchmark's fake device: real arithmetic on the fake's own thread, with the costs of a card
 * of 2011. A kernel takes the time that the paper measured for it (tables 2 and 3, auto-sync)
 * unless computing it here takes longer.
 */
#include "common.h"
#include "device.h"
#include "fake.h"

#include <stdlib.h>
#include <string.h>

#define LANES 32
#define PARTS 4

struct fake_device {
    struct bench_device base;
    struct fake *fake;
    struct fake_costs costs;
    double kernel_us;
    struct matvec_job job; /* of the kernel that is running: there is one at a time */
};

static struct fake_device *faked(struct bench_device *device)
{
    return (struct fake_device *)(void *)device;
}

/* Several sums at once, so that the compiler may use vectors; exact in any order. */
static float dot(const float *row, const float *x, unsigned n)
{
    float sums[LANES] = {0};
    unsigned whole = n - n % LANES;
    for (unsigned j = 0; j < whole; j += LANES) {
        for (unsigned lane = 0; lane < LANES; lane++) {
            sums[lane] += row[j + lane] * x[j + lane];
        }
    }
    float sum = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        sum += sums[lane];
    }
    for (unsigned j = whole; j < n; j++) {
        sum += row[j] * x[j];
    }
    return sum;
}

static void compute_columns(const struct bench_device *device, unsigned first, unsigned count,
                            float *x1, const float *a, const float *x, const float *b)
{
    unsigned n = device->n;
    memcpy(x1, b, n * sizeof(float));
    for (unsigned j = first; j < first + count; j++) {
        const float *column = a + (size_t)j * n;
        float factor = x[j];
        for (unsigned i = 0; i < n; i++) {
            x1[i] += column[i] * factor;
        }
    }
    for (unsigned i = 0; i < n; i++) {
        x1[i] = (float)((unsigned)x1[i] % MATVEC_MODULUS);
    }
}

void matvec_compute(const struct bench_device *device, unsigned iteration, float *x1,
                    const float *a, const float *x, const float *b)
{
    unsigned n = device->n;
    unsigned count = n / device->parts;
    unsigned first = iteration % device->parts * count;
    if (device->is_columns) {
        compute_columns(device, first, count, x1, a, x, b);
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        float sum = dot(a + (size_t)i * n + first, x + first, count);
        x1[i] = (float)((unsigned)(sum + b[i]) % MATVEC_MODULUS);
    }
}

static void *device_allocate(struct bench_device *device, size_t nbytes)
{
    void *buffer = fake_allocate(faked(device)->fake, nbytes);
    if (!buffer) {
        fail("the fake device has no memory for %zu bytes", nbytes);
    }
    return buffer;
}

static void device_release(struct bench_device *device, void *buffer)
{
    fake_release(faked(device)->fake, buffer);
}

static void device_read(struct bench_device *device, void *buffer, size_t offset, void *host,
                        size_t nbytes)
{
    const struct gpuvm_device *gpuvm = fake_device(faked(device)->fake);
    struct gpuvm_segment segment = {buffer, offset, nbytes, host};
    if (gpuvm->ops->read(gpuvm->device, &segment, 1) != 0) {
        fail("the fake device failed to read");
    }
}

static void device_write(struct bench_device *device, void *buffer, size_t offset, const void *host,
                         size_t nbytes)
{
    const struct gpuvm_device *gpuvm = fake_device(faked(device)->fake);
    struct gpuvm_segment segment = {buffer, offset, nbytes, (void *)host};
    if (gpuvm->ops->write(gpuvm->device, &segment, 1) != 0) {
        fail("the fake device failed to write");
    }
}

static void run_kernel(void *argument)
{
    const struct fake_device *self = argument;
    const struct matvec_job *job = &self->job;
    matvec_compute(&self->base, job->iteration, fake_data(job->x1), fake_data(job->a),
                   fake_data(job->x), fake_data(job->b));
}

static void device_launch(struct bench_device *device, const struct matvec_job *job)
{
    struct fake_device *self = faked(device);
    self->job = *job;
    fake_launch(self->fake, run_kernel, self, self->kernel_us);
}

static void device_finish(struct bench_device *device)
{
    fake_finish(faked(device)->fake);
}

/* The part of a command that the card's profiling would show: bytes by its rate, without the cost
 * of a launch. */
static double transfer_seconds(unsigned long long bytes, double mb_s)
{
    return mb_s > 0 ? (double)bytes / (mb_s * 1e6) : 0;
}

static struct device_times device_take_times(struct bench_device *device)
{
    struct fake_device *self = faked(device);
    struct fake_totals totals = fake_totals(self->fake);
    fake_reset_totals(self->fake);
    struct device_times times = {totals.kernel_seconds, totals.copy_seconds};
    times.kernel_seconds -= 1e-6 * self->costs.kernel_launch_us * (double)totals.kernels;
    if (self->costs.to_device_mb_s > 0) {
        times.copy_seconds =
            transfer_seconds(totals.bytes_to_device, self->costs.to_device_mb_s) +
            transfer_seconds(totals.bytes_from_device, self->costs.from_device_mb_s);
    }
    return times;
}

static void device_close(struct bench_device *device)
{
    if (!fake_destroy(faked(device)->fake)) {
        fail("the fake device still has buffers");
    }
    free(device);
}

static const struct bench_device_operations operations = {
    .allocate = device_allocate,
    .release = device_release,
    .read = device_read,
    .write = device_write,
    .launch = device_launch,
    .finish = device_finish,
    .take_times = device_take_times,
    .close = device_close,
};

struct bench_device *device_open_fake(const struct device_options *options, const char *card)
{
    struct fake_device *self = allocate_or_fail(sizeof(*self));
    *self = (struct fake_device){.base = {.operations = &operations,
                                          .gpuvm_api = GPUVM_OPS,
                                          .sees_all_copies = !options->has_reach,
                                          .has_reach = options->has_reach,
                                          .n = options->n,
                                          .is_columns = options->is_columns,
                                          .parts = PARTS}};
    if (strcmp(card, "c2050") == 0) {
        self->costs = fake_c2050;
        self->kernel_us = 998;
    } else if (strcmp(card, "hd5830") == 0) {
        self->costs = fake_hd5830;
        self->kernel_us = 1321;
    } else if (strcmp(card, "free") == 0) {
        self->costs = fake_free;
    } else {
        fail("no fake device '%s': c2050, hd5830 or free", card);
    }
    snprintf(self->base.name, sizeof(self->base.name), "fake %s%s", card,
             options->has_reach ? ", within reach" : "");
    struct fake_options fake_options = {.costs = self->costs, .has_reach = options->has_reach};
    self->fake = fake_create(&fake_options);
    if (!self->fake) {
        fail("no fake device");
    }
    self->base.gpuvm_device = fake_device(self->fake);
    return &self->base;
}
