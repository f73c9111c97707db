/* SPDX-License-Identifier: MIT */
/*
 * Devices behind functions, so that one fuzzer drives the fake and OpenCL. Kernels are given in
 * order to a device and run some time later; finish waits. All functions may be called from several
 * threads.
 */
#ifndef TESTS_FUZZ_DEVICE_H
#define TESTS_FUZZ_DEVICE_H

#include "fake.h"
#include "kernels.h"
#include "options.h"

enum {
    CHECKSUM_SLOTS = 16, /* of each thread */
    ALL_SLOTS = CHECKSUM_SLOTS * MAX_THREADS,
};

/* An array as a kernel sees it. */
struct operand {
    void *buffer; /* NULL: the device works on the host's memory itself */
    unsigned char *host;
    size_t bytes;
};

struct device_kind {
    int init_flag;
    /* The number of devices; 0: there are none (and says why). */
    unsigned (*open)(const struct options *options);
    void (*close)(void);
    void **(*handles)(void); /* what gpuvm_init takes */
    void *(*allocate)(unsigned device, size_t bytes);
    void (*release)(unsigned device, void *buffer);
    void (*launch)(unsigned device, const struct kernel_call *call, const struct operand *target,
                   const struct operand *source);
    /* The checksum of the device's copy goes into a slot, to be read after finish. */
    void (*launch_checksum)(unsigned device, const struct operand *source, uint32_t seed,
                            unsigned slot);
    uint32_t (*checksum)(unsigned device, unsigned slot);
    void (*finish)(unsigned device);
    /* The device's own copy, past the library: to explain a difference. */
    void (*peek)(unsigned device, const struct operand *source, unsigned char *copy);
    /* The fake's; NULL elsewhere. */
    void (*inject)(unsigned device, enum fake_fault what, unsigned after);
    struct fake_totals (*totals)(unsigned device);
    void (*reset_totals)(unsigned device);
};

extern struct device_kind fake_kind;
extern struct device_kind opencl_kind;

#endif
