/* SPDX-License-Identifier: MIT */
/*
 * A device that loops run on. OpenCL's are built in; NUDA_DEVICE=FILE.so,OPTIONS takes one of your
 * own: a shared library with a function nuda_device_open. Functions may be called from any thread;
 * launches of one kernel come one at a time.
 */
#ifndef NUDA_DEVICE_H
#define NUDA_DEVICE_H

#include "nuda.h"

/* One argument of a kernel: a buffer, or the bytes of a value. */
struct nuda_argument {
    void *buffer; /* NULL: a value */
    const void *value;
    size_t size;
};

struct nuda_launch {
    unsigned dimensions;
    size_t count[3]; /* iterations; dimension 0 is the fastest */
    size_t block[3]; /* as the program asks; 0: the device chooses */
    unsigned argument_count;
    const struct nuda_argument *arguments;
};

struct nuda_device;

struct nuda_device_operations {
    /* NULL: there is no memory left. */
    void *(*allocate)(struct nuda_device *device, size_t nbytes);
    void (*release)(struct nuda_device *device, void *buffer);
    /* A kernel, or NULL: `log` says why (a text). It lives as long as the device. */
    void *(*build)(struct nuda_device *device, const struct nuda_loop *loop, char *log,
                   size_t log_bytes);
    /* Starts the kernel after all that the device was given before; false: the device failed. */
    bool (*launch)(struct nuda_device *device, void *kernel, const struct nuda_launch *launch);
    /* At the program's end, after the last use. */
    void (*close)(struct nuda_device *device);
};

struct nuda_device {
    const struct nuda_device_operations *operations;
    char name[256];
    int gpuvm_api;      /* for gpuvm_init: GPUVM_OPENCL or GPUVM_OPS */
    void *gpuvm_device; /* for gpuvm_init */
};

/* What a shared library for NUDA_DEVICE defines. options: what follows the comma, "" if nothing.
 * NULL, with a line on stderr: there is no such device. */
NUDA_API struct nuda_device *nuda_device_open(const char *options);

#endif
