/* SPDX-License-Identifier: MIT */
/* From a machine's launches to the plain data that report/ prints. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/check.h"
#include "opencl/driver.h"
#include "opencl/profile.h"
#include "opencl/timeline.h"
#include "opencl/unmet.h"
#include "report/json_file.h"
#include "report/run.h"
#include "report/run_log.h"

#ifndef WAVETANK_VERSION
#define WAVETANK_VERSION "unknown"
#endif

struct summary {
    struct summary_options options;
    enum json_kernels kernels;
    const struct configuration *configuration;
    struct machine *machine;
    struct run_report run;
    struct run_log log;
    struct samples samples; /* of options.samples */
    struct json_file *json; /* NULL: not asked for, or no kernel has run */
    bool has_told;          /* that launches are added up from now on */
};

/* ---- Options ---- */

static bool choose_kernels(const char *word, enum json_kernels *kernels)
{
    static const char *const words[] = {
        [JSON_KERNELS_ALL] = "all", [JSON_KERNELS_SUM] = "sum", [JSON_KERNELS_NONE] = "none"};

    *kernels = JSON_KERNELS_FIRST;
    if (word == NULL)
        return true;
    for (unsigned i = JSON_KERNELS_ALL; i < ARRAY_COUNT(words); i++)
        if (strcmp(word, words[i]) == 0) {
            *kernels = (enum json_kernels)i;
            return true;
        }
    return false;
}

bool summary_check(const struct summary_options *options, struct diagnosis *diagnosis)
{
    enum json_kernels kernels;

    if (choose_kernels(options->json_kernels, &kernels))
        return true;
    diagnose(diagnosis, "WAVETANK_JSON_KERNELS=%s: there is no such choice", options->json_kernels);
    return diagnose_hint(diagnosis, "the choices are 'all', 'sum' and 'none'");
}

/* ---- What is known from the start ---- */

static char *setting_value(const struct setting *setting)
{
    struct text text = {0};
    char *value;

    setting_print_value(setting, &text);
    value = copy_string(text_chars(&text));
    text_finish(&text);
    return value;
}

static void fill_settings(struct run_report *run, const struct configuration *configuration)
{
    struct run_setting *settings = allocate(configuration->setting_count, sizeof *settings);

    for (uint32_t i = 0; i < configuration->setting_count; i++) {
        const struct setting *setting = &configuration->settings[i];

        settings[i] =
            (struct run_setting){.path = setting->path,
                                 .value = setting_value(setting),
                                 .is_number = setting->parameter->kind == PARAMETER_NUMBER,
                                 .unit = setting->parameter->unit,
                                 .origin = setting->origin,
                                 .source = setting->source};
    }
    run->settings = settings;
    run->setting_count = configuration->setting_count;
}

struct summary *summary_create(const struct configuration *configuration,
                               const struct summary_options *options)
{
    struct summary *summary = allocate(1, sizeof *summary);
    struct run_report *run = &summary->run;

    summary->options = *options;
    summary->configuration = configuration;
    check(choose_kernels(options->json_kernels, &summary->kernels), "unchecked options");
    run->gpu = configuration->name;
    run->title = configuration->title;
    run->wavetank_version = WAVETANK_VERSION;
    run->timed_launches = options->timed_launches;
    run->warms_caches = options->warms_caches;
    run->simulator.started = options->started;
    run->simulator.command = options->command;
    run->simulator.configuration_file = configuration->file;
    fill_settings(run, configuration);
    return summary;
}

void summary_destroy(struct summary *summary)
{
    struct run_report *run;

    if (summary == NULL)
        return;
    run = &summary->run;
    for (uint32_t i = 0; i < run->setting_count; i++)
        free((char *)(uintptr_t)run->settings[i].value);
    free((void *)(uintptr_t)run->settings);
    if (summary->machine != NULL && summary->options.samples != NULL)
        samples_finish(&summary->samples);
    if (summary->machine != NULL)
        run_log_finish(&summary->log);
    json_file_destroy(summary->json);
    free(summary);
}

void summary_begin(struct summary *summary, struct machine *machine)
{
    struct run_report *run = &summary->run;
    struct device_facts facts;

    summary->machine = machine;
    run->model = machine_model(machine) == MACHINE_TIMED ? "timed" : "functional";
    run->core_khz = session_facts(&facts) ? facts.clock_khz : 0;
    run->registry = machine_registry(machine);
    run_log_init(&summary->log, run->registry, run->core_khz);
    if (summary->options.samples == NULL)
        return;
    samples_init(&summary->samples, summary->options.samples, &summary->log.levels, run->core_khz);
    run->samples = summary->options.samples_are_wanted ? &summary->samples : NULL;
}

/* ---- Launches ---- */

static const char *outcome_name(enum machine_outcome outcome)
{
    static const char *const names[] = {[LAUNCH_DONE] = "done",
                                        [LAUNCH_INTERRUPTED] = "interrupted",
                                        [LAUNCH_CYCLE_LIMIT] = "cycle limit",
                                        [LAUNCH_FAILED] = "failed"};

    return names[outcome];
}

static void fill_kernel(struct run_kernel *kernel, const struct machine_kernel_record *record)
{
    const struct machine_launch_result *result = &record->result;

    *kernel = (struct run_kernel){
        .name = record->name,
        .code_hash = {record->code_hash[0], record->code_hash[1]},
        .outcome = outcome_name(result->outcome),
        .start_ns = result->start_ns,
        .end_ns = result->end_ns,
        .cycles = result->cycles,
        .instructions = result->instructions,
        .groups_done = result->groups_done,
        .groups_total = result->groups_total,
        .dimensions = record->dimensions,
        .vector_registers = record->vector_registers,
        .scalar_registers = record->scalar_registers,
        .lds_bytes = record->lds_bytes,
        .scratch_bytes = record->scratch_bytes,
        .is_functional = result->is_untimed,
        .changes = record->changes,
    };
    memcpy(kernel->global_size, record->global_size, sizeof kernel->global_size);
    memcpy(kernel->group_size, record->group_size, sizeof kernel->group_size);
}

static void begin_json(struct summary *summary)
{
    if (summary->json == NULL && summary->options.json_path != NULL)
        summary->json = json_file_begin(summary->options.json_path, summary->options.json_part,
                                        summary->kernels, &summary->run);
}

static void tell_once(struct summary *summary)
{
    if (summary->has_told || summary->kernels != JSON_KERNELS_FIRST)
        return;
    summary->has_told = true;
    fprintf(stderr,
            "wavetank: more than %d launches: the JSON file has the others added up by kernel\n"
            "  hint: --json-kernels all (WAVETANK_JSON_KERNELS=all) writes an object for each\n",
            JSON_FIRST_LAUNCHES);
}

void summary_record(void *context, const struct machine_kernel_record *record)
{
    struct summary *summary = context;
    struct run_kernel kernel;
    bool is_listed = true;

    timeline_launch(record);
    fill_kernel(&kernel, record);
    begin_json(summary);
    if (kernel.is_functional) {
        run_log_add_untimed(&summary->log, &kernel);
        return;
    }
    if (summary->json != NULL)
        is_listed = json_file_add(summary->json, &kernel, &summary->log);
    run_log_add(&summary->log, &kernel, is_listed);
    if (!is_listed)
        tell_once(summary);
}

void summary_sample(void *context, const struct machine_sample *sample)
{
    struct summary *summary = context;
    struct sample_interval interval = {
        .launch = sample->launch, .start = sample->start, .cycles = sample->cycles};

    samples_add(&summary->samples, sample->kernel, &interval, sample->instructions,
                sample->changes);
    timeline_sample(&summary->samples, sample->end_ns, summary->run.core_khz);
    if (!summary->options.samples_are_wanted)
        summary->samples.interval_count = 0;
}

/* ---- The end ---- */

static void fill_end(struct run_report *run, struct machine *machine, const struct summary_end *end)
{
    struct machine_effort effort = machine_effort(machine);

    if (end->compiler != NULL) {
        run->clang_version = end->compiler->clang_version;
        run->libclc_version = end->compiler->libclc_version;
    }
    run->time_ns = machine_time_ns(machine);
    run->simulator.process_seconds = end->process_seconds;
    run->simulator.kernel_seconds = effort.run_seconds;
    run->simulator.instants = effort.instants;
    run->simulator.ticks = effort.ticks;
}

/* Of the process: paths that the report puts under `simulator`. */
static void fill_places(struct run_simulator *simulator, char *program, char *directory,
                        size_t bytes)
{
    ssize_t length = readlink("/proc/self/exe", program, bytes - 1);

    if (length > 0) {
        program[length] = '\0';
        simulator->program = program;
    }
    simulator->directory = getcwd(directory, bytes);
}

/* What the report says of now; collected_finish ends it. */
struct collected {
    struct snapshot total;
    struct profile_report profile;
};

static void fill_report(const struct summary *summary, const struct summary_end *end,
                        struct run_report *run, struct collected *collected)
{
    *run = summary->run;
    fill_end(run, summary->machine, end);
    machine_snapshot(summary->machine, &collected->total);
    run->total = &collected->total;
    collected->profile = (struct profile_report){0};
    if (!profile_is_wanted())
        return;
    profile_collect(summary->machine, &collected->profile);
    run->profile = &collected->profile;
}

static void collected_finish(struct collected *collected)
{
    snapshot_finish(&collected->total);
    profile_report_finish(&collected->profile);
}

void summary_move_json(struct summary *summary, const char *path, const char *part)
{
    summary->options.json_path = path;
    summary->options.json_part = part;
    if (summary->json != NULL)
        json_file_move(summary->json, path, part);
}

bool summary_complete_json(struct summary *summary, const struct summary_end *end,
                           struct diagnosis *diagnosis)
{
    char program[1024], directory[1024];
    struct run_report run;
    struct collected collected;
    bool is_written;

    begin_json(summary);
    if (summary->json == NULL)
        return true;
    fill_report(summary, end, &run, &collected);
    fill_places(&run.simulator, program, directory, sizeof program);
    is_written = json_file_complete(summary->json, &run, &summary->log, diagnosis);
    collected_finish(&collected);
    return is_written;
}

/* Behind the table; else it has a file of its own. */
static bool prints_profile(void)
{
    return profile_is_wanted() && strcmp(session_variable("WAVETANK_PROFILE"), "-") == 0;
}

void summary_print_table(const struct summary *summary, const struct summary_end *end, FILE *stream)
{
    struct run_report run;
    struct collected collected;

    unmet_print(&summary->log, summary->run.timed_launches, stream);
    if (summary->options.is_quiet && !prints_profile())
        return;
    fill_report(summary, end, &run, &collected);
    if (!summary->options.is_quiet)
        report_print_table(stream, &run, &summary->log);
    if (prints_profile())
        profile_report_print(run.profile, stream);
    collected_finish(&collected);
}

static void keep_table(const struct summary *summary, const struct summary_end *end,
                       struct text *table)
{
    char *bytes = NULL;
    size_t count = 0;
    FILE *stream = open_memstream(&bytes, &count);

    if (stream == NULL)
        return;
    summary_print_table(summary, end, stream);
    fclose(stream);
    text_add_bytes(table, bytes, count);
    free(bytes);
}

bool summary_keep(struct summary *summary, const struct summary_end *end, struct kept *kept)
{
    char program[1024], directory[1024];
    struct run_report run;
    struct collected collected;
    bool is_good = true;

    memset(kept, 0, sizeof *kept);
    begin_json(summary);
    if (summary->json != NULL) {
        fill_report(summary, end, &run, &collected);
        fill_places(&run.simulator, program, directory, sizeof program);
        is_good = json_file_keep(summary->json, &run, &summary->log, &kept->end, &kept->offset);
        collected_finish(&collected);
    }
    keep_table(summary, end, &kept->table);
    return is_good;
}
