/* SPDX-License-Identifier: MIT */
#include "json_bench.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

void bench_init(struct bench *bench, const char *name, enum json_kernels kernels)
{
    fixture_init(&bench->fixture);
    fixture_set(&bench->fixture, "cu0.l1.loads", 100);
    fixture_set(&bench->fixture, "cu1.slots_issued", 12);
    fixture_add(&bench->fixture, "cu1.load_latency", 5, 3);
    sample_run_init(&bench->sample, &bench->fixture);
    strcpy(bench->folder, "/tmp/wavetank-test-XXXXXX");
    assert_non_null(mkdtemp(bench->folder));
    bench->path = format_string("%s/%s", bench->folder, name);
    bench->file = json_file_begin(bench->path, NULL, kernels, &bench->sample.report);
}

void bench_finish(struct bench *bench)
{
    json_file_destroy(bench->file);
    assert_int_equal(rmdir(bench->folder), 0);
    free(bench->path);
    sample_run_finish(&bench->sample);
    fixture_finish(&bench->fixture);
}

int bench_unlink_beside(const struct bench *bench)
{
    char *beside = format_string("%s.%ld.part", bench->path, (long)getpid());
    int status = unlink(beside);

    free(beside);
    return status;
}

void bench_add(struct bench *bench, const char *name, unsigned count)
{
    struct run_kernel kernel = bench->sample.kernels[0];

    kernel.name = name;
    for (unsigned i = 0; i < count; i++) {
        bool is_listed = json_file_add(bench->file, &kernel, &bench->sample.log);

        run_log_add(&bench->sample.log, &kernel, is_listed);
    }
}

void bench_complete(struct bench *bench)
{
    struct diagnosis diagnosis;

    if (!json_file_complete(bench->file, &bench->sample.report, &bench->sample.log, &diagnosis))
        fail_msg("%s", diagnosis.message);
}

json_t *report_load(const char *path)
{
    json_error_t error;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);

    if (root == NULL)
        fail_msg("%s: line %d: %s", path, error.line, error.text);
    return root;
}

json_int_t report_number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    if (!json_is_integer(value))
        fail_msg("there is no number %s", key);
    return json_integer_value(value);
}

void report_assert_balanced(const json_t *root, json_int_t launches)
{
    const json_t *run = json_object_get(root, "run"), *part;
    json_int_t loads = 0, cycles = 0, count = 0;
    size_t i;

    json_array_foreach(json_object_get(root, "kernels"), i, part)
    {
        loads += report_number(json_object_get(part, "sums"), "cu.l1.loads");
        cycles += report_number(part, "cycles");
        count++;
    }
    json_array_foreach(json_object_get(root, "kernel_sums"), i, part)
    {
        loads += report_number(json_object_get(part, "sums"), "cu.l1.loads");
        cycles += report_number(part, "cycles");
        count += report_number(part, "launches");
    }
    assert_int_equal(count, launches);
    assert_int_equal(report_number(run, "launches"), launches);
    assert_int_equal(report_number(json_object_get(run, "sums"), "cu.l1.loads"), loads);
    assert_int_equal(report_number(run, "cycles"), cycles);
}
