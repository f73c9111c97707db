/* SPDX-License-Identifier: MIT */
/*
 * The devices that the matrix-vector benchmark runs on: an OpenCL device through the loader, or the
 * tests' fake device with the costs of a card. Reads and writes are what a hand-written program
 * uses; libgpuvm gets gpuvm_device.
 */
#ifndef BENCH_DEVICE_H
#define BENCH_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

/* Vectors hold whole numbers below this: sums of a row stay below 2^24, so float arithmetic is
 * exact in any order. */
#define MATVEC_MODULUS 1009u
#define MATVEC_LARGEST_COEFFICIENT 3u

/* x1 = (A x + b) mod MATVEC_MODULUS, all of the device's buffers. */
struct matvec_job {
    void *x1, *a, *x, *b;
    unsigned iteration;
};

/* What the device itself says that it spent since the last question. */
struct device_times {
    double kernel_seconds; /* kernels alone, without the cost of a launch */
    double copy_seconds;   /* the hand-written transfers; on the fake device libgpuvm's too */
};

struct bench_device {
    const struct bench_device_operations *operations;
    char name[160];
    void *gpuvm_device;   /* for gpuvm_init */
    int gpuvm_api;        /* GPUVM_OPENCL or GPUVM_OPS */
    bool sees_all_copies; /* copy_seconds has libgpuvm's transfers too */
    bool has_reach;       /* libgpuvm may fetch by plain copies */
    unsigned n;           /* rows and columns */
    bool is_pipelined;    /* hand-written transfers do not wait; finish does */
    bool is_columns;      /* the kernel reads A column-wise, the matrix being stored transposed */
    unsigned parts;       /* of A's columns, which the kernel takes in turn, one an iteration */
};

struct bench_device_operations {
    void *(*allocate)(struct bench_device *device, size_t nbytes);
    void (*release)(struct bench_device *device, void *buffer);
    /* In order with kernels; done when finish has returned. */
    void (*read)(struct bench_device *device, void *buffer, size_t offset, void *host,
                 size_t nbytes);
    void (*write)(struct bench_device *device, void *buffer, size_t offset, const void *host,
                  size_t nbytes);
    void (*launch)(struct bench_device *device, const struct matvec_job *job);
    void (*finish)(struct bench_device *device);
    /* Times since the last call; the device must be idle. */
    struct device_times (*take_times)(struct bench_device *device);
    void (*close)(struct bench_device *device);
};

struct device_options {
    unsigned n;
    bool is_columns, is_pipelined;
    bool has_reach;        /* the fake device alone: its buffers can be reached */
    unsigned opencl_index; /* counted over all platforms */
};

/* End the program, with a sentence, where there is no such device. */
struct bench_device *device_open_opencl(const struct device_options *options);
/* card: "c2050", "hd5830" or "free". */
struct bench_device *device_open_fake(const struct device_options *options, const char *card);

/* The kernel of this iteration on the host: what the fake device and the check compute. */
void matvec_compute(const struct bench_device *device, unsigned iteration, float *x1,
                    const float *a, const float *x, const float *b);

#endif
