/* SPDX-License-Identifier: MIT */
/*
 * A simulated device. It has memory apart from the host's, commands with the costs of a chosen
 * card, counters of all that moves, and faults on demand. Kernels are C functions that run in order
 * on a thread of its own. It is a client of gpuvm.h's struct gpuvm_device_ops and knows nothing of
 * the library's inside, so it serves the tests and the benchmark alike.
 *
 * Costs pass as real time (busy waiting, so that a microsecond is one): a command takes launch_us +
 * bytes / rate. With all costs 0 nothing waits. Leaves out: overlap of copies with kernels, several
 * copy engines.
 */
#ifndef TESTS_FAKE_H
#define TESTS_FAKE_H

#include "gpuvm.h"

#include <stdbool.h>

struct fake_costs {
    double kernel_launch_us; /* added to each kernel */
    double copy_launch_us;   /* added to each read or write (a batch is one) */
    double to_device_mb_s;   /* 0: no cost by bytes; MB = 1e6 bytes */
    double from_device_mb_s;
};

/* Table 1 of the paper, and what its tables 2 and 3 imply for the rates (fake.c derives them in a
 * comment). */
extern const struct fake_costs fake_free;   /* all 0 */
extern const struct fake_costs fake_c2050;  /* NVIDIA Fermi C2050 */
extern const struct fake_costs fake_hd5830; /* AMD Radeon HD5830 */

struct fake_options {
    struct fake_costs costs;
    bool has_reach;      /* its buffers can be reached by the host */
    bool has_svm;        /* kernels see host memory */
    size_t memory_bytes; /* allocations beyond this fail; 0: no limit */
};

struct fake_totals {
    /* By read and write; plain copies cannot be seen. */
    unsigned long long bytes_to_device, bytes_from_device;
    unsigned long long transfers_to_device, transfers_from_device; /* batches */
    unsigned long long segments_to_device, segments_from_device;
    unsigned long long kernels;
    unsigned long long buffers, buffer_bytes; /* alive now */
    double copy_seconds, kernel_seconds;
};

struct fake;

/* A device of its own, with its thread. Destroying it needs its buffers gone (else false and
 * nothing happens). */
struct fake *fake_create(const struct fake_options *options);
bool fake_destroy(struct fake *fake);

/* What gpuvm_init(…, GPUVM_OPS) takes; owned by the fake. */
struct gpuvm_device *fake_device(struct fake *fake);

/* Buffers are filled with a pattern that no test expects (0xB5), guarded at both ends: checked at
 * release and at each command. NULL: memory_bytes reached, or told to fail. */
void *fake_allocate(struct fake *fake, size_t nbytes);
void fake_release(struct fake *fake, void *buffer);

/* The allocator callbacks for gpuvm_set_allocator: user is an array of struct fake * indexed by
 * device. Here user is NULL: copy it and set user. collect is NULL. */
extern const struct gpuvm_allocator fake_allocator;

/*
 * Enqueues kernel(argument) and returns at once; kernels run in order. Inside, fake_data gives the
 * bytes of a buffer. fake_finish waits for all so far.
 */
void fake_launch(struct fake *fake, void (*kernel)(void *argument), void *argument,
                 double microseconds);
void fake_finish(struct fake *fake);
void *fake_data(void *buffer);

/* Faults on demand: the next `after`-th read, write or allocation from now fails (0: the very
 * next), once. */
enum fake_fault { FAKE_FAIL_READ, FAKE_FAIL_WRITE, FAKE_FAIL_ALLOCATE };
void fake_inject(struct fake *fake, enum fake_fault what, unsigned after);
/* Each read takes this much longer, sleeping: lets a test look at what happens meanwhile. */
void fake_slow_reads(struct fake *fake, double microseconds);

/* Totals since creation or the last fake_reset_totals. */
struct fake_totals fake_totals(struct fake *fake);
void fake_reset_totals(struct fake *fake);

#endif
