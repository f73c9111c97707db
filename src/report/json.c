/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "report/c_locale.h"
#include "report/json_writer.h"
#include "report/measure.h"
#include "report/run.h"

static const char *last_part(const char *path)
{
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;

    return slash != NULL ? slash + 1 : path;
}

static void write_setting(struct json_writer *json, const struct run_setting *setting)
{
    json_open_compact(json, setting->path, '{');
    if (setting->is_number)
        json_number(json, "value", strtoull(setting->value, NULL, 10));
    else
        json_text(json, "value", setting->value);
    json_text(json, "unit", setting->unit);
    json_text(json, "origin", last_part(setting->origin));
    if (setting->source != NULL)
        json_text(json, "source", setting->source);
    json_close(json, '}');
}

/* How the simulator itself works ("sim.*") changes no result and does not belong to the machine. */
static bool is_of_simulator(const struct run_setting *setting)
{
    return strncmp(setting->path, "sim.", 4) == 0;
}

static void write_settings(struct json_writer *json, const struct run_report *run,
                           bool of_simulator)
{
    json_open(json, "parameters", '{');
    for (uint32_t i = 0; i < run->setting_count; i++)
        if (is_of_simulator(&run->settings[i]) == of_simulator)
            write_setting(json, &run->settings[i]);
    json_close(json, '}');
}

static void write_configuration(struct json_writer *json, const struct run_report *run)
{
    json_open(json, "configuration", '{');
    json_text(json, "gpu", run->gpu);
    json_text(json, "title", run->title);
    json_text(json, "model", run->model);
    write_settings(json, run, false);
    json_close(json, '}');
}

static char *hash_text(const uint64_t hash[2])
{
    return format_string("%016llx%016llx", (unsigned long long)hash[0],
                         (unsigned long long)hash[1]);
}

static bool is_first_of_its_code(const struct run_report *run, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (memcmp(run->kernels[i].code_hash, run->kernels[index].code_hash,
                   sizeof run->kernels[i].code_hash) == 0)
            return false;
    return true;
}

static void write_versions(struct json_writer *json, const struct run_report *run)
{
    json_open(json, "versions", '{');
    json_text(json, "wavetank", run->wavetank_version);
    json_text(json, "clang", run->clang_version);
    json_text(json, "libclc", run->libclc_version);
    json_open(json, "code_objects", '[');
    for (uint32_t i = 0; i < run->kernel_count; i++) {
        char *hash;

        if (!is_first_of_its_code(run, i))
            continue;
        hash = hash_text(run->kernels[i].code_hash);
        json_text(json, NULL, hash);
        free(hash);
    }
    json_close(json, ']');
    json_close(json, '}');
}

static void write_histogram(struct json_writer *json, const char *key, const uint64_t *words)
{
    struct histogram histogram;
    unsigned used = HISTOGRAM_BUCKETS;

    memcpy(&histogram, words, sizeof histogram);
    while (used > 0 && histogram.buckets[used - 1] == 0)
        used--;
    json_open_compact(json, key, '{');
    json_number(json, "count", histogram.count);
    json_number(json, "sum", histogram.sum);
    if (histogram.count > 0)
        json_real(json, "mean", (double)histogram.sum / (double)histogram.count);
    else
        json_null(json, "mean");
    json_open_compact(json, "buckets", '[');
    for (unsigned i = 0; i < used; i++)
        json_number(json, NULL, histogram.buckets[i]);
    json_close(json, ']');
    json_close(json, '}');
}

static void write_statistic(struct json_writer *json, const char *place,
                            const struct statistic *statistic, const uint64_t *words,
                            bool even_zero)
{
    char *key;

    words = statistic_words(statistic, words);
    if (words[0] == 0 && !even_zero)
        return;
    key = format_string("%s.%s", place, statistic->name);
    if (statistic->kind == STATISTIC_HISTOGRAM)
        write_histogram(json, key, words);
    else
        json_number(json, key, words[0]);
    free(key);
}

static void write_metrics(struct json_writer *json, const struct measurement *measurement)
{
    json_open(json, "metrics", '{');
    for (unsigned i = 0; i < metric_count; i++) {
        double value;

        if (metric_value(&metrics[i], measurement, &value))
            json_real(json, metrics[i].name, value);
        else
            json_null(json, metrics[i].name);
    }
    json_close(json, '}');
}

static void write_sums(struct json_writer *json, const struct measurement *measurement)
{
    const struct levels *levels = measurement->levels;

    json_open(json, "sums", '{');
    for (uint32_t i = 0; i < levels->count; i++)
        for (uint32_t j = 0; j < levels->level[i].statistic_count; j++)
            write_statistic(json, levels->level[i].name, &levels->level[i].statistics[j],
                            measurement->sums + levels->level[i].offset, true);
    json_close(json, '}');
}

static void write_places(struct json_writer *json, const struct levels *levels,
                         const struct snapshot *snapshot)
{
    const struct registry *registry = levels->registry;

    json_open(json, "places", '{');
    for (uint32_t i = 0; i < registry->group_count; i++)
        for (uint32_t j = 0; j < registry->groups[i].statistic_count; j++)
            write_statistic(json, registry->groups[i].path, &registry->groups[i].statistics[j],
                            snapshot->words + levels->group_word[i], false);
    json_close(json, '}');
}

static void write_run(struct json_writer *json, const struct run_report *run,
                      const struct levels *levels)
{
    struct measurement all;

    measurement_init(&all, levels, run->core_khz);
    measure_run(&all, run);
    json_open(json, "run", '{');
    json_number(json, "time_ns", run->time_ns);
    json_number(json, "launches", all.launches);
    json_number(json, "kernel_time_ns", all.time_ns);
    json_number(json, "cycles", all.cycles);
    json_number(json, "instructions", all.instructions);
    write_metrics(json, &all);
    write_sums(json, &all);
    write_places(json, levels, run->total);
    json_close(json, '}');
    measurement_finish(&all);
}

static void write_sizes(struct json_writer *json, const struct run_kernel *kernel)
{
    json_open_compact(json, "global_size", '[');
    for (uint32_t i = 0; i < kernel->dimensions && i < 3; i++)
        json_number(json, NULL, kernel->global_size[i]);
    json_close(json, ']');
    json_open_compact(json, "group_size", '[');
    for (uint32_t i = 0; i < kernel->dimensions && i < 3; i++)
        json_number(json, NULL, kernel->group_size[i]);
    json_close(json, ']');
}

static void write_kernel(struct json_writer *json, const struct run_kernel *kernel,
                         const struct levels *levels, uint64_t core_khz)
{
    struct measurement one;
    char *hash = hash_text(kernel->code_hash);

    measurement_init(&one, levels, core_khz);
    measure_kernel(&one, kernel);
    json_open(json, NULL, '{');
    json_text(json, "name", kernel->name);
    json_text(json, "outcome", kernel->outcome);
    json_text(json, "code_object", hash);
    write_sizes(json, kernel);
    json_number(json, "groups_done", kernel->groups_done);
    json_number(json, "groups_total", kernel->groups_total);
    json_number(json, "vector_registers", kernel->vector_registers);
    json_number(json, "scalar_registers", kernel->scalar_registers);
    json_number(json, "lds_bytes", kernel->lds_bytes);
    json_number(json, "scratch_bytes", kernel->scratch_bytes);
    json_number(json, "start_ns", kernel->start_ns);
    json_number(json, "end_ns", kernel->end_ns);
    json_number(json, "cycles", kernel->cycles);
    json_number(json, "instructions", kernel->instructions);
    write_metrics(json, &one);
    write_sums(json, &one);
    write_places(json, levels, kernel->delta);
    json_close(json, '}');
    measurement_finish(&one);
    free(hash);
}

static void write_date(struct json_writer *json, const char *key, int64_t seconds)
{
    time_t when = (time_t)seconds;
    struct tm parts;
    char date[32];

    if (seconds == 0 || gmtime_r(&when, &parts) == NULL) {
        json_null(json, key);
        return;
    }
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts);
    json_text(json, key, date);
}

static void write_rate(struct json_writer *json, const char *key, double count, double seconds)
{
    if (seconds > 0)
        json_real(json, key, count / seconds);
    else
        json_null(json, key);
}

static void write_simulator(struct json_writer *json, const struct run_report *run)
{
    const struct run_simulator *simulator = &run->simulator;
    uint64_t instructions = 0, cycles = 0;

    for (uint32_t i = 0; i < run->kernel_count; i++) {
        instructions += run->kernels[i].instructions;
        cycles += run->kernels[i].cycles;
    }
    json_open(json, "simulator", '{');
    json_real(json, "kernel_seconds", simulator->kernel_seconds);
    json_real(json, "process_seconds", simulator->process_seconds);
    write_rate(json, "instructions_per_second", (double)instructions, simulator->kernel_seconds);
    write_rate(json, "cycles_per_second", (double)cycles, simulator->kernel_seconds);
    json_number(json, "instants", simulator->instants);
    json_number(json, "ticks", simulator->ticks);
    write_date(json, "started", simulator->started);
    json_number(json, "process", (uint64_t)getpid());
    json_text(json, "command", simulator->command);
    json_text(json, "program", simulator->program);
    json_text(json, "directory", simulator->directory);
    json_text(json, "configuration_file", simulator->configuration_file);
    write_settings(json, run, true);
    json_close(json, '}');
}

void report_print_json(FILE *stream, const struct run_report *run)
{
    struct json_writer json = {.stream = stream};
    struct report_locale locale;
    struct levels levels;

    report_locale_enter(&locale);
    levels_init(&levels, run->registry);
    json_open(&json, NULL, '{');
    json_text(&json, "format", "wavetank statistics 1");
    write_configuration(&json, run);
    write_versions(&json, run);
    write_run(&json, run, &levels);
    json_open(&json, "kernels", '[');
    for (uint32_t i = 0; i < run->kernel_count; i++)
        write_kernel(&json, &run->kernels[i], &levels, run->core_khz);
    json_close(&json, ']');
    write_simulator(&json, run);
    json_close(&json, '}');
    levels_finish(&levels);
    report_locale_leave(&locale);
}
