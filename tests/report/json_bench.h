/* SPDX-License-Identifier: MIT */
/* A JSON file in a folder of its own, written to by a small machine's launches. */
#ifndef TESTS_REPORT_JSON_BENCH_H
#define TESTS_REPORT_JSON_BENCH_H

#include <jansson.h>

#include "fixture.h"
#include "report/json_file.h"

struct bench {
    struct fixture fixture;
    struct sample_run sample;
    char folder[32];
    char *path;
    struct json_file *file;
};

/* Begins a file of that name. */
void bench_init(struct bench *bench, const char *name, enum json_kernels kernels);
/* The folder must be empty again. */
void bench_finish(struct bench *bench);
/* Removes what stands beside the file while it is written; 0: it was there. */
int bench_unlink_beside(const struct bench *bench);
/* Launches of a kernel of that name, each with 100 loads in cu0.l1. */
void bench_add(struct bench *bench, const char *name, unsigned count);
void bench_complete(struct bench *bench);

/* The file's content, or a number in it; the test fails without. The caller ends the former with
 * json_decref. */
json_t *report_load(const char *path);
json_int_t report_number(const json_t *object, const char *key);
/* So many launches in all, whose parts add up to what the run says. */
void report_assert_balanced(const json_t *root, json_int_t launches);

#endif
