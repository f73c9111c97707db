/* SPDX-License-Identifier: MIT */
/* The fuzzer's command line. */
#ifndef TESTS_FUZZ_OPTIONS_H
#define TESTS_FUZZ_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum { MAX_DEVICES = 8, MAX_THREADS = 16 };

struct options {
    const char *rung; /* NULL: what the library chooses */
    bool is_opencl;
    unsigned devices; /* 0: OpenCL: all that there are; fake: 1 */
    bool has_reach;
    bool has_no_huge_pages;
    bool has_no_faults; /* no failures are injected */
    unsigned threads;
    uint64_t seed;
    double seconds;      /* 0: no limit */
    uint64_t operations; /* of all threads together; 0: no limit */
};

/* Ends the program after --help (0) and on a wrong argument (2). */
struct options read_options(int count, char **arguments);

#endif
