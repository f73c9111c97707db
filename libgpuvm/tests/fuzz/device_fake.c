/* SPDX-License-Identifier: MIT */
/* The fake devices for the fuzzer. */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A device's memory for each thread of the fuzzer: large enough for a few large arrays, small
 * enough to run out. */
static const size_t memory_bytes_a_thread = 48u << 20;

static struct fake *fakes[MAX_DEVICES];
static void *devices[MAX_DEVICES];
static unsigned device_count;
static uint32_t results[MAX_DEVICES][ALL_SLOTS];

static unsigned open_fakes(const struct options *options)
{
    bool is_svm = options->rung != NULL && strcmp(options->rung, "svm") == 0;
    struct fake_options each = {.has_reach = options->has_reach,
                                .has_svm = is_svm,
                                .memory_bytes = memory_bytes_a_thread * options->threads};
    for (device_count = 0; device_count < options->devices; device_count++) {
        fakes[device_count] = fake_create(&each);
        if (fakes[device_count] == NULL) {
            printf("a fake device could not be made\n");
            return 0;
        }
        devices[device_count] = fake_device(fakes[device_count]);
    }
    return device_count;
}

static void close_fakes(void)
{
    for (unsigned i = 0; i < device_count; i++)
        fake_destroy(fakes[i]);
    device_count = 0;
}

static void **fake_handles(void)
{
    return devices;
}

static void *allocate(unsigned device, size_t bytes)
{
    return fake_allocate(fakes[device], bytes);
}

static void release(unsigned device, void *buffer)
{
    fake_release(fakes[device], buffer);
}

/* One kernel on its way: either a call or, with result, a checksum. */
struct flight {
    struct kernel_call call;
    struct operand target, source;
    uint32_t *result;
};

static unsigned char *bytes_of(const struct operand *operand)
{
    return operand->buffer == NULL ? operand->host : fake_data(operand->buffer);
}

static void fly(void *argument)
{
    struct flight *flight = argument;
    const struct operand *target = &flight->target, *source = &flight->source;
    if (flight->result != NULL)
        *flight->result = kernel_checksum(bytes_of(source), source->bytes, flight->call.seed);
    else
        kernel_apply(&flight->call, bytes_of(target), target->bytes, bytes_of(source),
                     source->bytes);
    free(flight);
}

static void start_flight(unsigned device, struct flight copied)
{
    struct flight *flight = malloc(sizeof *flight);
    if (flight == NULL)
        abort();
    *flight = copied;
    /* Some kernels take so long that a caller that does not wait is found out. */
    uint32_t seed = copied.call.seed;
    fake_launch(fakes[device], fly, flight, seed % 8 == 0 ? seed / 8 % 400 : 0);
}

static void launch(unsigned device, const struct kernel_call *call, const struct operand *target,
                   const struct operand *source)
{
    start_flight(device, (struct flight){.call = *call, .target = *target, .source = *source});
}

static void launch_checksum(unsigned device, const struct operand *source, uint32_t seed,
                            unsigned slot)
{
    start_flight(device, (struct flight){.call = {.seed = seed},
                                         .source = *source,
                                         .result = &results[device][slot]});
}

static uint32_t checksum(unsigned device, unsigned slot)
{
    return results[device][slot];
}

static void finish(unsigned device)
{
    fake_finish(fakes[device]);
}

static void peek(unsigned device, const struct operand *source, unsigned char *copy)
{
    fake_finish(fakes[device]);
    memcpy(copy, bytes_of(source), source->bytes);
}

static void inject(unsigned device, enum fake_fault what, unsigned after)
{
    fake_inject(fakes[device], what, after);
}

static struct fake_totals totals(unsigned device)
{
    return fake_totals(fakes[device]);
}

static void reset_totals(unsigned device)
{
    fake_reset_totals(fakes[device]);
}

struct device_kind fake_kind = {
    .init_flag = GPUVM_OPS,
    .open = open_fakes,
    .close = close_fakes,
    .handles = fake_handles,
    .allocate = allocate,
    .release = release,
    .launch = launch,
    .launch_checksum = launch_checksum,
    .checksum = checksum,
    .finish = finish,
    .peek = peek,
    .inject = inject,
    .totals = totals,
    .reset_totals = reset_totals,
};
