/* SPDX-License-Identifier: MIT */
#include "report/json.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "base/text.h"
#include "report/c_locale.h"
#include "report/json_limit.h"
#include "report/profile.h"
#include "report/samples.h"

enum { GROUP_WORDS_MAX = 1024 };

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

static void write_versions(struct json_writer *json, const struct run_report *run,
                           const struct run_log *log)
{
    json_open(json, "versions", '{');
    json_text(json, "wavetank", run->wavetank_version);
    json_text(json, "clang", run->clang_version);
    json_text(json, "libclc", run->libclc_version);
    json_open(json, "code_objects", '[');
    for (uint32_t i = 0; i < log->hash_count; i++)
        json_hash(json, NULL, log->hashes[i].words);
    json_close(json, ']');
    json_close(json, '}');
}

static void write_histogram(struct json_writer *json, const uint64_t *words)
{
    struct histogram histogram;
    unsigned used = HISTOGRAM_BUCKETS;

    memcpy(&histogram, words, sizeof histogram);
    while (used > 0 && histogram.buckets[used - 1] == 0)
        used--;
    json_open_compact(json, NULL, '{');
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
    words = statistic_words(statistic, words);
    if (words[0] == 0 && !even_zero)
        return;
    json_key(json, place, statistic->name);
    if (statistic->kind == STATISTIC_HISTOGRAM)
        write_histogram(json, words);
    else
        json_number(json, NULL, words[0]);
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
                            measurement->sums + levels->level[i].offset,
                            strcmp(levels->level[i].kind, "message_kinds") != 0);
    json_close(json, '}');
}

static void write_group(struct json_writer *json, const struct statistics_group *group,
                        const uint64_t *words)
{
    for (uint32_t i = 0; i < group->statistic_count; i++)
        write_statistic(json, group->path, &group->statistics[i], words, false);
}

static void write_places(struct json_writer *json, const struct levels *levels,
                         const struct snapshot *snapshot)
{
    const struct registry *registry = levels->registry;

    json_open(json, "places", '{');
    for (uint32_t i = 0; i < registry->group_count; i++)
        write_group(json, &registry->groups[i], snapshot->words + levels->group_word[i]);
    json_close(json, '}');
}

/* The same of what changed: a group's words are spread out, written, and cleared. */
static void write_changes(struct json_writer *json, const struct levels *levels,
                          const struct changes *changes)
{
    const struct statistics_group *groups = levels->registry->groups;
    uint64_t words[GROUP_WORDS_MAX] = {0};

    json_open(json, "places", '{');
    for (uint32_t i = 0; i < changes->count;) {
        uint32_t index = levels->word_group[changes->list[i].word];
        uint32_t first = levels->group_word[index], end = first + groups[index].bytes / 8;

        check(end - first <= GROUP_WORDS_MAX, "%s has too many statistics", groups[index].path);
        for (; i < changes->count && changes->list[i].word < end; i++)
            words[changes->list[i].word - first] = changes->list[i].value;
        write_group(json, &groups[index], words);
        memset(words, 0, (end - first) * sizeof *words);
    }
    json_close(json, '}');
}

static void write_run(struct json_writer *json, const struct run_report *run,
                      const struct run_log *log)
{
    const struct measurement *all = &log->all;

    json_open(json, "run", '{');
    json_number(json, "time_ns", run->time_ns);
    json_number(json, "launches", all->launches);
    json_number(json, "kernel_time_ns", all->time_ns);
    json_number(json, "cycles", all->cycles);
    json_number(json, "instructions", all->instructions);
    write_metrics(json, all);
    write_sums(json, all);
    if (strcmp(run->model, "timed") == 0 && all->launches > 0)
        json_limit_write(json, run, log);
    write_places(json, &log->levels, run->total);
    json_close(json, '}');
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
                         const struct measurement *one)
{
    json_open(json, NULL, '{');
    json_text(json, "name", kernel->name);
    json_text(json, "outcome", kernel->outcome);
    json_hash(json, "code_object", kernel->code_hash);
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
    write_metrics(json, one);
    write_sums(json, one);
    write_changes(json, one->levels, kernel->changes);
    json_close(json, '}');
}

/* Launches of one kernel that have no object of their own. */
static void write_kernel_sum(struct json_writer *json, const char *name,
                             const struct measurement *sum)
{
    json_open(json, NULL, '{');
    json_text(json, "name", name);
    json_number(json, "launches", sum->launches);
    json_number(json, "groups_done", sum->groups_done);
    json_number(json, "groups_total", sum->groups_total);
    json_number(json, "kernel_time_ns", sum->time_ns);
    json_number(json, "cycles", sum->cycles);
    json_number(json, "instructions", sum->instructions);
    write_metrics(json, sum);
    write_sums(json, sum);
    json_close(json, '}');
}

static void write_kernel_sums(struct json_writer *json, const struct run_log *log)
{
    json_open(json, "kernel_sums", '[');
    for (uint32_t i = 0; i < log->kernel_count; i++)
        if (log->kernels[i].unlisted.launches > 0)
            write_kernel_sum(json, log->kernels[i].name, &log->kernels[i].unlisted);
    json_close(json, ']');
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

static void write_simulator(struct json_writer *json, const struct run_report *run,
                            const struct measurement *all)
{
    const struct run_simulator *simulator = &run->simulator;

    json_open(json, "simulator", '{');
    json_real(json, "kernel_seconds", simulator->kernel_seconds);
    json_real(json, "process_seconds", simulator->process_seconds);
    write_rate(json, "instructions_per_second", (double)all->instructions,
               simulator->kernel_seconds);
    write_rate(json, "cycles_per_second", (double)all->cycles, simulator->kernel_seconds);
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

void json_report_begin(struct json_writer *json, const struct run_report *run)
{
    struct report_locale locale;

    report_locale_enter(&locale);
    json_open(json, NULL, '{');
    json_text(json, "format", "wavetank statistics 1");
    write_configuration(json, run);
    json_open(json, "kernels", '[');
    report_locale_leave(&locale);
}

void json_report_kernel(struct json_writer *json, const struct run_kernel *kernel,
                        const struct levels *levels, uint64_t core_khz)
{
    struct report_locale locale;
    struct measurement one;

    report_locale_enter(&locale);
    measurement_init(&one, levels, core_khz);
    measurement_add(&one, kernel);
    write_kernel(json, kernel, &one);
    measurement_finish(&one);
    report_locale_leave(&locale);
}

/* Which launches were timed, where the user has chosen some. */
static void write_untimed(struct json_writer *json, const struct run_report *run,
                          const struct run_log *log)
{
    json_open(json, "untimed", '{');
    json_text(json, "timed_launches", run->timed_launches);
    json_text(json, "caches", run->warms_caches ? "warm" : "cold");
    json_open_compact(json, "timed", '[');
    for (uint32_t i = 0; i < log->timed_count; i++) {
        json_open_compact(json, NULL, '[');
        json_number(json, NULL, log->timed[i].first);
        json_number(json, NULL, log->timed[i].last);
        json_close(json, ']');
    }
    json_close(json, ']');
    json_number(json, "launches", log->untimed.launches);
    json_number(json, "instructions", log->untimed.instructions);
    json_open(json, "kernels", '[');
    for (uint32_t i = 0; i < log->kernel_count; i++) {
        json_open_compact(json, NULL, '{');
        json_text(json, "name", log->kernels[i].name);
        json_number(json, "launches", log->kernels[i].untimed.launches);
        json_number(json, "instructions", log->kernels[i].untimed.instructions);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

void json_report_end(struct json_writer *json, const struct run_report *run,
                     const struct run_log *log, bool has_sums)
{
    struct report_locale locale;

    report_locale_enter(&locale);
    json_close(json, ']');
    if (has_sums)
        write_kernel_sums(json, log);
    write_run(json, run, log);
    if (run->samples != NULL)
        samples_write(run->samples, json);
    if (run->profile != NULL)
        profile_report_write(run->profile, json);
    if (run->timed_launches != NULL)
        write_untimed(json, run, log);
    write_versions(json, run, log);
    write_simulator(json, run, &log->all);
    json_close(json, '}');
    report_locale_leave(&locale);
}
