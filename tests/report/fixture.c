/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "gpu/compute_unit.h"
#include "gpu/dispatcher.h"
#include "mem/controller.h"
#include "mem/crossbar.h"
#include "mem/dram.h"
#include "report/json.h"

/* Tables of our own from the components' lists: no component is linked. */
#define UNIT_ROW(...) STATISTIC_ROW(struct compute_unit_statistics, __VA_ARGS__)
static const struct statistic unit_rows[] = {COMPUTE_UNIT_STATISTICS(UNIT_ROW)};
#define CACHE_ROW(...) STATISTIC_ROW(struct cache_statistics, __VA_ARGS__)
static const struct statistic cache_rows[] = {CACHE_STATISTICS(CACHE_ROW)};
#define CROSSBAR_ROW(...) STATISTIC_ROW(struct crossbar_statistics, __VA_ARGS__)
static const struct statistic crossbar_rows[] = {CROSSBAR_STATISTICS(CROSSBAR_ROW)};
#define DRAM_ROW(...) STATISTIC_ROW(struct dram_statistics, __VA_ARGS__)
static const struct statistic dram_rows[] = {DRAM_STATISTICS(DRAM_ROW)};
#define DISPATCHER_ROW(...) STATISTIC_ROW(struct dispatcher_statistics, __VA_ARGS__)
static const struct statistic dispatcher_rows[] = {DISPATCHER_STATISTICS(DISPATCHER_ROW)};

/* As mem/journey.h has it, with two parts. */
struct sample_stack {
    uint64_t instructions, cycles, address, l1_set;
};
#define STACK_ROW(name) {#name, "cycles", "help of " #name, STATISTIC_COUNTER, offsetof(struct sample_stack, name)}
static const struct statistic stack_rows[] = {STACK_ROW(instructions), STACK_ROW(cycles), STACK_ROW(address),
                                              STACK_ROW(l1_set)};

static const struct {
    const char *path, *kind;
    const struct statistic *rows;
    uint32_t count, bytes;
} groups[] = {
#define GROUP(path, kind, rows, type)                                                              \
    {                                                                                              \
        path, kind, rows, ARRAY_COUNT(rows), sizeof(struct type)                                   \
    }
    GROUP("dispatcher", "dispatcher", dispatcher_rows, dispatcher_statistics),
    GROUP("cu0", "compute_unit", unit_rows, compute_unit_statistics),
    GROUP("cu0.load_stack", "latency_stack", stack_rows, sample_stack),
    GROUP("cu0.store_stack", "latency_stack", stack_rows, sample_stack),
    GROUP("cu0.l1", "l1", cache_rows, cache_statistics),
    GROUP("cu1", "compute_unit", unit_rows, compute_unit_statistics),
    GROUP("cu1.l1", "l1", cache_rows, cache_statistics),
    GROUP("scalar0", "scalar", cache_rows, cache_statistics),
    GROUP("instruction0", "instruction", cache_rows, cache_statistics),
    GROUP("crossbar.requests", "crossbar", crossbar_rows, crossbar_statistics),
    GROUP("crossbar.write_backs", "crossbar", crossbar_rows, crossbar_statistics),
    GROUP("crossbar.responses", "crossbar", crossbar_rows, crossbar_statistics),
    GROUP("crossbar.probes", "crossbar", crossbar_rows, crossbar_statistics),
    GROUP("l2_0", "l2", cache_rows, cache_statistics),
    GROUP("l2_1", "l2", cache_rows, cache_statistics),
    GROUP("dram0", "dram", dram_rows, dram_statistics),
    GROUP("dram1", "dram", dram_rows, dram_statistics),
};

void fixture_init(struct fixture *fixture)
{
    memset(fixture, 0, sizeof *fixture);
    fixture->values = allocate(ARRAY_COUNT(groups), sizeof *fixture->values);
    for (unsigned i = 0; i < ARRAY_COUNT(groups); i++) {
        fixture->values[i] = allocate(1, groups[i].bytes);
        registry_add(&fixture->registry, groups[i].path, groups[i].kind, groups[i].rows,
                     groups[i].count, fixture->values[i], groups[i].bytes);
    }
    levels_init(&fixture->levels, &fixture->registry);
}

void fixture_finish(struct fixture *fixture)
{
    levels_finish(&fixture->levels);
    registry_finish(&fixture->registry);
    for (unsigned i = 0; i < ARRAY_COUNT(groups); i++)
        free(fixture->values[i]);
    free(fixture->values);
}

static uint64_t *find(struct fixture *fixture, const char *path, enum statistic_kind kind)
{
    const char *dot = strrchr(path, '.');

    for (unsigned i = 0; i < ARRAY_COUNT(groups); i++) {
        if (strlen(groups[i].path) != (size_t)(dot - path) ||
            strncmp(groups[i].path, path, (size_t)(dot - path)) != 0)
            continue;
        for (uint32_t j = 0; j < groups[i].count; j++)
            if (strcmp(groups[i].rows[j].name, dot + 1) == 0 && groups[i].rows[j].kind == kind)
                return (uint64_t *)fixture->values[i] + groups[i].rows[j].offset / 8;
    }
    fail_msg("there is no statistic %s", path);
    return NULL;
}

void fixture_set(struct fixture *fixture, const char *path, uint64_t value)
{
    *find(fixture, path, STATISTIC_COUNTER) = value;
}

void fixture_add(struct fixture *fixture, const char *path, uint64_t value, uint64_t weight)
{
    histogram_add((struct histogram *)(void *)find(fixture, path, STATISTIC_HISTOGRAM), value,
                  weight);
}

struct changes fixture_changes(const struct fixture *fixture)
{
    struct snapshot nothing;
    struct changes changes = {0};

    snapshot_take(&nothing, &fixture->registry);
    memset(nothing.words, 0, nothing.word_count * sizeof *nothing.words);
    changes_take(&changes, &nothing, &fixture->registry);
    snapshot_finish(&nothing);
    return changes;
}

void sample_run_init(struct sample_run *sample, const struct fixture *fixture)
{
    static const struct run_setting settings[2] = {
        {"l1.mshr_entries", "32", true, "entries", "command line", NULL},
        {"dram.model", "gddr5", false, "", "/some/where/hd7970.yaml:12", "JESD212 \"GDDR5\""},
    };
    static const struct run_kernel kernel = {.name = "transpose",
                                             .code_hash = {0x0123456789abcdef, 0xfedcba9876543210},
                                             .outcome = "done",
                                             .start_ns = 1000,
                                             .end_ns = 3000,
                                             .cycles = 2000,
                                             .instructions = 5000,
                                             .groups_done = 16,
                                             .groups_total = 16,
                                             .dimensions = 2,
                                             .global_size = {64, 64, 1},
                                             .group_size = {16, 16, 1}};

    memset(sample, 0, sizeof *sample);
    snapshot_take(&sample->snapshot, &fixture->registry);
    sample->changes = fixture_changes(fixture);
    memcpy(sample->settings, settings, sizeof settings);
    for (unsigned i = 0; i < 2; i++) {
        sample->kernels[i] = kernel;
        sample->kernels[i].changes = &sample->changes;
    }
    sample->report = (struct run_report){.gpu = "hd7970",
                                         .title = "AMD Radeon HD 7970",
                                         .model = "timed",
                                         .core_khz = 1000000,
                                         .setting_count = 2,
                                         .settings = sample->settings,
                                         .wavetank_version = "1",
                                         .clang_version = "clang 22",
                                         .time_ns = 5000,
                                         .registry = &fixture->registry,
                                         .total = &sample->snapshot};
    run_log_init(&sample->log, &fixture->registry, sample->report.core_khz);
}

void sample_run_finish(struct sample_run *sample)
{
    run_log_finish(&sample->log);
    snapshot_finish(&sample->snapshot);
    changes_finish(&sample->changes);
}

void sample_run_log(struct sample_run *sample)
{
    for (unsigned i = 0; i < 2; i++)
        run_log_add(&sample->log, &sample->kernels[i], true);
}

char *printed_json(struct sample_run *sample)
{
    struct text text = {0};
    struct json_writer json = {.text = &text};

    json_report_begin(&json, &sample->report);
    for (unsigned i = 0; i < 2; i++)
        json_report_kernel(&json, &sample->kernels[i], &sample->log.levels,
                           sample->report.core_khz);
    run_log_finish(&sample->log);
    run_log_init(&sample->log, sample->report.registry, sample->report.core_khz);
    sample_run_log(sample);
    json_report_end(&json, &sample->report, &sample->log, false);
    return text.chars;
}

char *printed_table(struct sample_run *sample)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);

    assert_non_null(stream);
    sample_run_log(sample);
    report_print_table(stream, &sample->report, &sample->log);
    assert_int_equal(fclose(stream), 0);
    return text;
}
