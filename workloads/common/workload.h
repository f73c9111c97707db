/* SPDX-License-Identifier: MIT */
/*
 * What every example program needs around its kernels: options, an OpenCL device with a queue and a
 * built program, error messages, and a verdict. Plain OpenCL 1.2: any device will do.
 *
 * Exit status of a program: 0 its results are right, 1 they are not, 2 it could not run (usage, no
 * device, an OpenCL error).
 *
 * Left out: several devices, out-of-order queues, programs of several source files.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WORKLOAD_RIGHT = 0, WORKLOAD_WRONG = 1, WORKLOAD_CANNOT_RUN = 2 };

/* An option of one program: "--name ARGUMENT", or a flag when `argument` is NULL (the value becomes
 * 1). An argument "one|other" is one of these words: the value is the word's index. */
struct workload_option {
    const char *name;
    const char *argument;
    const char *help;
    uint64_t *value;      /* holds the default */
    uint64_t min, max; /* allowed range, both included; ignored for flags and words */
};

struct workload {
    const char *name;
    const char *summary; /* one line for --help */
    const char *size_help;
    const struct workload_option *options; /* the program's own; NULL: none */
    unsigned option_count;

    /* Options that all have. The program sets the defaults before workload_parse. */
    uint64_t size, size_min, size_max;
    uint64_t size_small; /* what --small makes of the size, a fraction of a second timed; 0: no
                            --small */
    bool is_small;
    uint64_t iterations;
    uint64_t seed;
    uint64_t device_index;
    const char *platform; /* part of a platform's name; NULL: the first that has a device */
    bool verbose;
    const char *file_help; /* of --file PATH; NULL: the program has no such option */
    const char *file;      /* what was given; NULL: nothing */

    cl_platform_id platform_id;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;

    struct workload_owned *owned; /* what workload_close releases */
};

/* Reads the command line; --help and mistakes end the program. */
void workload_parse(struct workload *workload, int argc, char **argv);

/* Chooses the device, makes context and queue (with profiling) and builds the program. Ends the
 * program on any error. */
void workload_open(struct workload *workload, const char *source, const char *build_options);
/* Releases all of that, and what the workload owns. */
void workload_close(struct workload *workload);

/* The caller releases what these two give. */
cl_kernel workload_kernel(const struct workload *workload, const char *name);
/* A buffer of `bytes` bytes, a copy of `initial` unless that is NULL. */
cl_mem workload_buffer(const struct workload *workload, size_t bytes, const void *initial);

/* The same, owned by the workload: workload_close releases them. */
cl_kernel workload_own_kernel(struct workload *workload, const char *name);
cl_mem workload_own_buffer(struct workload *workload, size_t bytes, const void *initial);
/* Makes the workload the owner. */
void workload_own_object(struct workload *workload, cl_mem object);
/* Zeroed host memory that workload_close frees. */
void *workload_own_memory(struct workload *workload, size_t count, size_t bytes);

void workload_read(const struct workload *workload, cl_mem buffer, void *bytes, size_t count);
void workload_write(const struct workload *workload, cl_mem buffer, const void *bytes,
                    size_t count);

/* An owned image of sizes[0] by sizes[1] elements, and if sizes[2] is not 0 so many slices. It is
 * a copy of `initial`, which lies without gaps, unless that is NULL. And its elements. */
cl_mem workload_own_image(struct workload *workload, cl_channel_order order, cl_channel_type type,
                          const size_t sizes[3], const void *initial);
void workload_read_image(const struct workload *workload, cl_mem image, const size_t sizes[3],
                         void *elements);
/* The caller releases it. */
cl_sampler workload_sampler(const struct workload *workload, bool is_normalized,
                            cl_addressing_mode addressing, cl_filter_mode filter);

void workload_argument(cl_kernel kernel, cl_uint index, size_t bytes, const void *value);
/* Sets all arguments from the first on. A letter of `kinds` each: b a buffer (cl_mem), u a cl_uint,
 * s a cl_sampler, i a cl_int, f a float (passed as double), v a cl_float2, d a double, U a cl_ulong, l so many
 * bytes of local memory (size_t). */
void workload_arguments(cl_kernel kernel, const char *kinds, ...);

/* Runs the kernel to its end; returns its duration on the device in nanoseconds. `group` may be
 * NULL; sizes have `dimensions` entries. With --verbose prints a line. */
uint64_t workload_run(const struct workload *workload, cl_kernel kernel, cl_uint dimensions,
                      const size_t *global, const size_t *group);

/* The same for one dimension: `items` rounded up to whole groups. */
uint64_t workload_run_items(const struct workload *workload, cl_kernel kernel, size_t items,
                            size_t group);

/* Prints "NAME: passed" or "NAME: FAILED", with --verbose also a checksum of the result; returns
 * the exit status. */
int workload_verdict(const struct workload *workload, bool right, const void *result, size_t bytes);

/* Ends the program with status 2 unless `status` is CL_SUCCESS. `call` names what was called. */
void workload_check(cl_int status, const char *call);
void workload_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Memory that is there, or the program ends. */
void *workload_allocate(size_t count, size_t bytes);

/* The next number of a sequence that the seed fixes (splitmix64). */
uint64_t workload_random(uint64_t *state);

/* Owned host memory with numbers of the workload's seed: words; floats of [least, most), each a
 * multiple of 2^-24 of the range. */
cl_uint *workload_random_words(struct workload *workload, size_t count);
float *workload_random_floats(struct workload *workload, size_t count, float min, float max);
float workload_random_float(uint64_t *state, float min, float max);

/* Whether all elements are equal; or |found - expected| <= absolute + relative *
 * |expected| for each; or bytes at most `tolerance` apart. Otherwise the first that is not is
 * printed, called `what`. */
bool workload_is_equal(const char *what, const cl_uint *found, const cl_uint *expected,
                       size_t count);
bool workload_is_near(const char *what, const cl_uchar *found, const cl_uchar *expected,
                      size_t count, int tolerance);
bool workload_is_same(const char *what, const float *found, const float *expected, size_t count);
bool workload_is_close(const char *what, const float *found, const double *expected, size_t count,
                       double relative, double absolute);

/* FNV-1a over the bytes. */
uint64_t workload_checksum(const void *bytes, size_t count);

static inline size_t workload_round_up(size_t value, size_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

#endif
