/* SPDX-License-Identifier: MIT */
#include "report/samples.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/json_writer.h"

enum { NO_WORD = UINT32_MAX };

const char *const sample_defaults[] = {
    "kernel.opc",   "l1.hit_ratio",        "l1.mpki",        "l2.hit_ratio",
    "l1.mshr_mean", "vmem.latency_cycles", "dram.bandwidth", NULL};

/* ---- What is asked for ---- */

static void add_name(struct sample_request *request, const char *name, size_t length)
{
    request->names = reallocate(request->names, request->name_count + 1, sizeof *request->names);
    request->names[request->name_count++] = format_string("%.*s", (int)length, name);
}

static bool read_cycles(struct sample_request *request, const char *text, const char **end)
{
    char *stop;

    errno = 0;
    request->cycles = strtoull(text, &stop, 10);
    *end = stop;
    return text[0] >= '0' && text[0] <= '9' && errno == 0 && request->cycles > 0 &&
           request->cycles <= UINT64_C(1) << 40 && (*stop == '\0' || *stop == ':');
}

static bool has_name(const struct sample_request *request, const char *name, size_t length)
{
    for (uint32_t i = 0; i < request->name_count; i++)
        if (strlen(request->names[i]) == length && strncmp(request->names[i], name, length) == 0)
            return true;
    return false;
}

bool sample_request_parse(struct sample_request *request, const char *text,
                          struct diagnosis *diagnosis)
{
    const char *at;

    memset(request, 0, sizeof *request);
    if (!read_cycles(request, text, &at)) {
        diagnose(diagnosis, "samples '%s': it begins with no number of cycles", text);
        return diagnose_hint(diagnosis, "for example 1000, or 1000:l1.hit_ratio,cu.l1.loads");
    }
    for (unsigned i = 0; *at == '\0' && sample_defaults[i] != NULL; i++)
        add_name(request, sample_defaults[i], strlen(sample_defaults[i]));
    while (*at != '\0') {
        const char *name = at + 1;
        size_t length = strcspn(name, ",");

        if (length == 0)
            return diagnose(diagnosis, "samples '%s': a name is empty", text);
        if (has_name(request, name, length))
            return diagnose(diagnosis, "samples '%s': %.*s stands there twice", text, (int)length,
                            name);
        add_name(request, name, length);
        at = name + length;
    }
    return true;
}

void sample_request_finish(struct sample_request *request)
{
    for (uint32_t i = 0; i < request->name_count; i++)
        free(request->names[i]);
    free(request->names);
    memset(request, 0, sizeof *request);
}

/* ---- Names ---- */

static uint32_t statistic_word(const struct statistic *statistic, const char *name)
{
    size_t length = strlen(statistic->name);

    if (statistic->kind == STATISTIC_COUNTER)
        return strcmp(name, statistic->name) == 0 ? statistic->offset / 8 : NO_WORD;
    if (strncmp(name, statistic->name, length) != 0)
        return NO_WORD;
    if (strcmp(name + length, ".count") == 0)
        return (uint32_t)(statistic->offset + offsetof(struct histogram, count)) / 8;
    if (strcmp(name + length, ".sum") == 0)
        return (uint32_t)(statistic->offset + offsetof(struct histogram, sum)) / 8;
    return NO_WORD;
}

/* The word of a snapshot that holds a single place's statistic; NO_WORD: there is none. */
static uint32_t place_word(const struct registry *registry, const char *name)
{
    uint32_t first = 0;

    for (uint32_t i = 0; i < registry->group_count; i++) {
        const struct statistics_group *group = &registry->groups[i];
        size_t length = strlen(group->path);

        if (strncmp(name, group->path, length) == 0 && name[length] == '.')
            for (uint32_t j = 0; j < group->statistic_count; j++) {
                uint32_t word = statistic_word(&group->statistics[j], name + length + 1);

                if (word != NO_WORD)
                    return first + word;
            }
        first += group->bytes / 8;
    }
    return NO_WORD;
}

static bool is_fact(const char *name)
{
    return strcmp(name, "kernel.cycles") == 0 || strcmp(name, "kernel.instructions") == 0;
}

static bool is_known(const char *name, const struct levels *levels, const uint64_t *sums)
{
    uint64_t value;

    return is_fact(name) || metric_find(name) != NULL || levels_value(levels, sums, name, &value) ||
           place_word(levels->registry, name) != NO_WORD;
}

/* Of all names that there are, the nearest; NULL: none is near. The caller frees. */
static char *nearest_name(const char *name, const struct levels *levels)
{
    const char **known = NULL;
    unsigned count = 0;
    const char *nearest;
    char *result;

    for (unsigned i = 0; i < metric_count; i++) {
        known = reallocate(known, count + 1, sizeof *known);
        known[count++] = copy_string(metrics[i].name);
    }
    for (uint32_t i = 0; i < levels->count; i++)
        for (uint32_t j = 0; j < levels->level[i].statistic_count; j++) {
            const struct statistic *statistic = &levels->level[i].statistics[j];

            known = reallocate(known, count + 1, sizeof *known);
            known[count++] = format_string("%s.%s%s", levels->level[i].name, statistic->name,
                                           statistic->kind == STATISTIC_HISTOGRAM ? ".sum" : "");
        }
    nearest = nearest_word(name, known, count);
    result = nearest != NULL ? copy_string(nearest) : NULL;
    for (unsigned i = 0; i < count; i++)
        free((char *)(uintptr_t)known[i]);
    free(known);
    return result;
}

static bool refuse_name(const char *name, const struct levels *levels, struct diagnosis *diagnosis)
{
    char *nearest = nearest_name(name, levels);

    diagnose(diagnosis, "samples: there is no statistic '%s'", name);
    if (nearest != NULL)
        diagnose_hint(diagnosis, "did you mean '%s'?", nearest);
    else
        diagnose_hint(diagnosis,
                      "names are those of the JSON file of --json: metrics, sums, places");
    free(nearest);
    return false;
}

bool sample_request_check(const struct sample_request *request, const struct registry *registry,
                          struct diagnosis *diagnosis)
{
    struct levels levels;
    uint64_t *sums;
    bool is_good = true;

    levels_init(&levels, registry);
    sums = allocate(levels.word_count + 1, sizeof *sums);
    for (uint32_t i = 0; i < request->name_count && is_good; i++)
        is_good = is_known(request->names[i], &levels, sums) ||
                  refuse_name(request->names[i], &levels, diagnosis);
    free(sums);
    levels_finish(&levels);
    return is_good;
}

/* ---- Intervals ---- */

void samples_init(struct samples *samples, const struct sample_request *request,
                  const struct levels *levels, uint64_t core_khz)
{
    uint64_t value;

    memset(samples, 0, sizeof *samples);
    samples->request = request;
    measurement_init(&samples->interval, levels, core_khz);
    samples->words = allocate(request->name_count + 1, sizeof *samples->words);
    for (uint32_t i = 0; i < request->name_count; i++) {
        const char *name = request->names[i];

        samples->words[i] = is_fact(name) || metric_find(name) != NULL ||
                                    levels_value(levels, samples->interval.sums, name, &value)
                                ? NO_WORD
                                : place_word(levels->registry, name);
    }
}

void samples_finish(struct samples *samples)
{
    for (uint32_t i = 0; i < samples->kernel_count; i++)
        free(samples->kernels[i]);
    free(samples->kernels);
    free(samples->words);
    free(samples->intervals);
    free(samples->values);
    measurement_finish(&samples->interval);
    memset(samples, 0, sizeof *samples);
}

/* Programs launch in runs: the latest kernel is mostly the last one. */
static uint32_t find_kernel(struct samples *samples, const char *name)
{
    for (uint32_t i = samples->kernel_count; i-- > 0;)
        if (strcmp(samples->kernels[i], name) == 0)
            return i;
    samples->kernels =
        reallocate(samples->kernels, samples->kernel_count + 1, sizeof *samples->kernels);
    samples->kernels[samples->kernel_count] = copy_string(name);
    return samples->kernel_count++;
}

/* In the order of a snapshot's words; 0 where nothing changed. */
static uint64_t change_of_word(const struct changes *changes, uint32_t word)
{
    uint32_t low = 0, high = changes->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (changes->list[middle].word < word)
            low = middle + 1;
        else
            high = middle;
    }
    return low < changes->count && changes->list[low].word == word ? changes->list[low].value : 0;
}

static double value_of(const struct samples *samples, uint32_t index, const struct changes *changes)
{
    double value;

    if (samples->words[index] != NO_WORD)
        return (double)change_of_word(changes, samples->words[index]);
    return formula_evaluate(samples->request->names[index], &samples->interval.names, &value)
               ? value
               : (double)NAN;
}

static void make_room(struct samples *samples)
{
    if (samples->interval_count < samples->capacity)
        return;
    samples->capacity = 2 * samples->capacity + 64;
    samples->intervals =
        reallocate(samples->intervals, samples->capacity, sizeof *samples->intervals);
    samples->values =
        reallocate(samples->values, samples->capacity * (samples->request->name_count + 1),
                   sizeof *samples->values);
}

void samples_add(struct samples *samples, const char *kernel,
                 const struct sample_interval *interval, uint64_t instructions,
                 const struct changes *changes)
{
    struct measurement *measurement = &samples->interval;
    uint32_t count = samples->request->name_count;

    make_room(samples);
    memset(measurement->sums, 0, measurement->levels->word_count * sizeof *measurement->sums);
    levels_add(measurement->levels, changes, measurement->sums);
    measurement->cycles = interval->cycles;
    measurement->instructions = instructions;
    samples->intervals[samples->interval_count] = *interval;
    samples->intervals[samples->interval_count].kernel = find_kernel(samples, kernel);
    for (uint32_t i = 0; i < count; i++)
        samples->values[samples->interval_count * count + i] = value_of(samples, i, changes);
    samples->interval_count++;
}

/* ---- Writing ---- */

static void write_value(struct json_writer *json, double value)
{
    if (isnan(value))
        json_null(json, NULL);
    else if (value >= 0 && value < 0x1p53 && value == floor(value))
        json_number(json, NULL, (uint64_t)value);
    else
        json_real(json, NULL, value);
}

void samples_write(const struct samples *samples, struct json_writer *json)
{
    uint32_t count = samples->request->name_count;

    json_open(json, "samples", '{');
    json_number(json, "every_cycles", samples->request->cycles);
    json_open_compact(json, "statistics", '[');
    for (uint32_t i = 0; i < count; i++)
        json_text(json, NULL, samples->request->names[i]);
    json_close(json, ']');
    json_open_compact(json, "kernels", '[');
    for (uint32_t i = 0; i < samples->kernel_count; i++)
        json_text(json, NULL, samples->kernels[i]);
    json_close(json, ']');
    json_open(json, "intervals", '[');
    for (uint64_t i = 0; i < samples->interval_count; i++) {
        const struct sample_interval *interval = &samples->intervals[i];

        json_open_compact(json, NULL, '[');
        json_number(json, NULL, interval->launch);
        json_number(json, NULL, interval->kernel);
        json_number(json, NULL, interval->start);
        json_number(json, NULL, interval->cycles);
        for (uint32_t j = 0; j < count; j++)
            write_value(json, samples->values[i * count + j]);
        json_close(json, ']');
    }
    json_close(json, ']');
    json_close(json, '}');
}
