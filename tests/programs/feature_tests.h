/* SPDX-License-Identifier: MIT */
/*
 * Small kernels that each use one part of OpenCL C, with the results that the specification asks
 * for. The results are computed here on the host: exact where they are exact, else within the
 * specification's bounds in units in the last place.
 *
 * A topic is one OpenCL program (one .cl file) and the features that it holds. Left out: images,
 * printf, generic pointers.
 */
#ifndef FEATURES_H
#define FEATURES_H

#include "workload.h"

struct feature_run {
    struct workload *workload;
    uint64_t checksum;      /* of all results of the feature so far */
    bool flushes_denormals; /* the device may flush single-precision denormals */
};

struct feature {
    const char *name;
    bool exact; /* every device must give the same bits */
    bool (*check)(struct feature_run *run);
};

struct topic {
    const char *name;
    const char *source;
    const struct feature *features;
    unsigned count;
    const char *options; /* of the build */
};

extern const struct topic topic_control, topic_atomics, topic_integers, topic_floats, topic_doubles,
    topic_groups;

struct feature_shape {
    cl_uint dimensions;
    size_t global[3], group[3], offset[3];
};

/* Runs kernel(input, output, ...) once; `output` goes to the device before and comes back after.
 * Arguments from 2 on must have been set. The results enter the checksum. group[0] 0: the driver
 * chooses. */
void feature_launch(struct feature_run *run, cl_kernel kernel, const struct feature_shape *shape,
                    const void *input, size_t input_bytes, void *output, size_t output_bytes);

/* The same for a kernel with these two arguments only, over `count` work-items in groups of 64. */
void feature_map(struct feature_run *run, const char *kernel, size_t count, const void *input,
                 size_t input_bytes, void *output, size_t output_bytes);

/* Compares `count` elements of `bytes` bytes; prints the first difference. */
bool feature_same(const char *what, const void *found, const void *expected, size_t count,
                  size_t bytes);

/* A reference of up to two operands and the largest error that is allowed. */
struct feature_function {
    const char *name;
    double ulp;
    long double (*reference)(long double x, long double y);
};

/* Whether found[i * function_count + f] is function f of (x[i], y[i]) within its bound; prints the
 * first that is not. */
bool feature_within_float(const struct feature_run *run, const struct feature_function *functions,
                          unsigned function_count, const float *xy, const float *found,
                          size_t count);
bool feature_within_double(const struct feature_function *functions, unsigned function_count,
                           const double *xy, const double *found, size_t count);

/* Whether two floats have the same value, all NaNs being equal and zeros distinct. */
bool feature_same_floats(const char *what, const float *found, const float *expected, size_t count);
bool feature_same_doubles(const char *what, const double *found, const double *expected,
                          size_t count);

#endif
