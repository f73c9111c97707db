/* SPDX-License-Identifier: MIT */
/*
 * A device for NUDA_DEVICE: libgpuvm's fake device, whose memory is its own and whose commands cost
 * what the paper's cards cost. Kernels in OpenCL C are computed by PoCL on the fake's memory, in
 * the place of the card's time.
 *
 *     NUDA_DEVICE=DIR/libnuda-fake.so,c2050|hd5830|free[,reach][,memory=BYTES][,kernel=US]
 */
#include "device_fake.h"

#include "device.h"
#include "fake.h"

#include <gpuvm.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ARGUMENTS 160
#define VALUE_BYTES 256

struct fake_nuda {
    struct nuda_device base;
    struct fake *fake;
    struct fake_nuda *next; /* opened before */
    struct fake_costs costs;
    struct nuda_device *computer; /* PoCL */
    double kernel_us;
};

static struct fake_nuda *all;

/* What libgpuvm knows as a buffer is the fake's handle; this is kept beside it. */
struct pair {
    void *handle, *computed;
    struct pair *next;
};
static struct pair *pairs;
static pthread_mutex_t pairs_lock = PTHREAD_MUTEX_INITIALIZER;

/* A kernel on its way. */
struct job {
    struct fake_nuda *fake;
    void *kernel;
    struct nuda_launch launch;
    struct nuda_argument arguments[MOST_ARGUMENTS];
    char values[MOST_ARGUMENTS][VALUE_BYTES];
};

static struct fake_nuda *fake_of(struct nuda_device *device)
{
    return (struct fake_nuda *)(void *)device;
}

static _Noreturn void stop(const char *what)
{
    fprintf(stderr, "nuda's fake device: %s\n", what);
    abort();
}

static void *computed_of(void *handle)
{
    pthread_mutex_lock(&pairs_lock);
    struct pair *pair = pairs;
    while (pair && pair->handle != handle)
        pair = pair->next;
    pthread_mutex_unlock(&pairs_lock);
    if (!pair)
        stop("an unknown buffer");
    return pair->computed;
}

static void *allocate(struct nuda_device *device, size_t nbytes)
{
    struct fake_nuda *fake = fake_of(device);
    struct pair *pair = malloc(sizeof(*pair));
    void *handle = pair ? fake_allocate(fake->fake, nbytes) : NULL;
    if (!handle) {
        free(pair);
        return NULL;
    }
    pair->handle = handle;
    pair->computed = device_opencl_wrap(fake->computer, fake_data(handle), nbytes);
    if (!pair->computed)
        stop("PoCL takes no memory of ours");
    pthread_mutex_lock(&pairs_lock);
    pair->next = pairs;
    pairs = pair;
    pthread_mutex_unlock(&pairs_lock);
    return handle;
}

static void release(struct nuda_device *device, void *handle)
{
    struct fake_nuda *fake = fake_of(device);
    fake_finish(fake->fake);
    pthread_mutex_lock(&pairs_lock);
    struct pair **place = &pairs;
    while (*place && (*place)->handle != handle)
        place = &(*place)->next;
    struct pair *pair = *place;
    if (pair)
        *place = pair->next;
    pthread_mutex_unlock(&pairs_lock);
    if (!pair)
        stop("an unknown buffer is released");
    fake->computer->operations->release(fake->computer, pair->computed);
    fake_release(fake->fake, handle);
    free(pair);
}

static void *build(struct nuda_device *device, const struct nuda_loop *loop, char *log,
                   size_t log_bytes)
{
    struct nuda_device *computer = fake_of(device)->computer;
    return computer->operations->build(computer, loop, log, log_bytes);
}

static void run_job(void *argument)
{
    struct job *job = argument;
    struct nuda_device *computer = job->fake->computer;
    if (!computer->operations->launch(computer, job->kernel, &job->launch) ||
        !device_opencl_finish(computer))
        stop("PoCL does not run the kernel");
    free(job);
}

static bool launch(struct nuda_device *device, void *kernel, const struct nuda_launch *launch)
{
    struct fake_nuda *fake = fake_of(device);
    struct job *job = malloc(sizeof(*job));
    if (!job || launch->argument_count > MOST_ARGUMENTS)
        return false;
    job->fake = fake;
    job->kernel = kernel;
    job->launch = *launch;
    job->launch.arguments = job->arguments;
    for (unsigned i = 0; i < launch->argument_count; i++) {
        struct nuda_argument *argument = &job->arguments[i];
        *argument = launch->arguments[i];
        if (argument->buffer) {
            argument->buffer = computed_of(argument->buffer);
        } else {
            if (argument->size > VALUE_BYTES)
                stop("a long value");
            memcpy(job->values[i], argument->value, argument->size);
            argument->value = job->values[i];
        }
    }
    fake_launch(fake->fake, run_job, job, fake->kernel_us);
    return true;
}

static void close_fake(struct nuda_device *device)
{
    fake_finish(fake_of(device)->fake);
}

static const struct nuda_device_operations operations = {.allocate = allocate,
                                                         .release = release,
                                                         .build = build,
                                                         .launch = launch,
                                                         .close = close_fake};

static void read_option(const char *text, struct fake_nuda *fake, struct fake_options *options)
{
    if (strcmp(text, "c2050") == 0) {
        options->costs = fake_c2050;
        fake->kernel_us = 998;
    } else if (strcmp(text, "hd5830") == 0) {
        options->costs = fake_hd5830;
        fake->kernel_us = 1321;
    } else if (strcmp(text, "reach") == 0) {
        options->has_reach = true;
    } else if (strncmp(text, "memory=", 7) == 0) {
        options->memory_bytes = strtoull(text + 7, NULL, 10);
    } else if (strncmp(text, "kernel=", 7) == 0) {
        fake->kernel_us = strtod(text + 7, NULL);
    } else if (strcmp(text, "free") != 0) {
        stop("an unknown option");
    }
}

void nuda_fake_finish(void)
{
    for (struct fake_nuda *fake = all; fake; fake = fake->next)
        fake_finish(fake->fake);
}

double nuda_fake_excess_us(void)
{
    double excess_us = 0;
    for (struct fake_nuda *fake = all; fake; fake = fake->next) {
        struct fake_totals totals = fake_totals(fake->fake);
        excess_us += 1e6 * totals.kernel_seconds -
                     (double)totals.kernels * (fake->kernel_us + fake->costs.kernel_launch_us);
    }
    return excess_us;
}

struct nuda_device *nuda_device_open(const char *text)
{
    struct fake_nuda *fake = calloc(1, sizeof(*fake));
    struct fake_options options = {.costs = fake_free};
    char *copy = strdup(text), *rest = copy, *option;
    if (!fake || !copy)
        return NULL;
    while ((option = strsep(&rest, ",")))
        if (*option)
            read_option(option, fake, &options);
    free(copy);
    fake->computer = device_opencl_open("Portable");
    fake->fake = fake->computer ? fake_create(&options) : NULL;
    if (!fake->fake) {
        fprintf(stderr, "nuda's fake device: it needs PoCL\n");
        free(fake);
        return NULL;
    }
    fake->base = (struct nuda_device){
        .operations = &operations, .gpuvm_api = GPUVM_OPS, .gpuvm_device = fake_device(fake->fake)};
    snprintf(fake->base.name, sizeof(fake->base.name), "fake device %s", text);
    fake->costs = options.costs;
    fake->next = all;
    all = fake;
    return &fake->base;
}
