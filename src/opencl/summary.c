/* SPDX-License-Identifier: MIT */
/* From a machine's records to the plain data that report/ prints. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opencl/driver.h"
#include "report/run.h"

#ifndef WAVETANK_VERSION
#define WAVETANK_VERSION "unknown"
#endif

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
        .delta = &record->delta,
    };
    memcpy(kernel->global_size, record->global_size, sizeof kernel->global_size);
    memcpy(kernel->group_size, record->group_size, sizeof kernel->group_size);
}

static void fill_kernels(struct run_report *run, const struct machine *machine)
{
    const struct machine_kernel_record *records = machine_records(machine, &run->kernel_count);
    struct run_kernel *kernels = allocate(run->kernel_count, sizeof *kernels);

    for (uint32_t i = 0; i < run->kernel_count; i++)
        fill_kernel(&kernels[i], &records[i]);
    run->kernels = kernels;
}

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

static void fill_simulator(struct run_simulator *simulator, const struct machine *machine,
                           const struct configuration *configuration,
                           const struct summary_options *options)
{
    struct machine_effort effort = machine_effort(machine);

    simulator->kernel_seconds = effort.run_seconds;
    simulator->process_seconds = options->process_seconds;
    simulator->instants = effort.instants;
    simulator->ticks = effort.ticks;
    simulator->started = options->started;
    simulator->command = options->command;
    simulator->configuration_file = configuration->file;
}

static void fill_run(struct run_report *run, struct machine *machine,
                     const struct configuration *configuration,
                     const struct summary_options *options)
{
    struct device_facts facts;

    run->gpu = configuration->name;
    run->title = configuration->title;
    run->model = machine_model(machine) == MACHINE_TIMED ? "timed" : "functional";
    run->core_khz = session_facts(&facts) ? facts.clock_khz : 0;
    run->wavetank_version = WAVETANK_VERSION;
    if (options->compiler != NULL) {
        run->clang_version = options->compiler->clang_version;
        run->libclc_version = options->compiler->libclc_version;
    }
    run->time_ns = machine_time_ns(machine);
    run->registry = machine_registry(machine);
    fill_settings(run, configuration);
    fill_kernels(run, machine);
    fill_simulator(&run->simulator, machine, configuration, options);
}

static void finish_run(struct run_report *run)
{
    for (uint32_t i = 0; i < run->setting_count; i++)
        free((char *)(uintptr_t)run->settings[i].value);
    free((void *)(uintptr_t)run->settings);
    free((void *)(uintptr_t)run->kernels);
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

void summary_print(struct machine *machine, const struct configuration *configuration,
                   const struct summary_options *options)
{
    struct run_report run = {0};
    struct snapshot total = {0};
    struct diagnosis diagnosis;
    char program[1024], directory[1024];

    fill_run(&run, machine, configuration, options);
    machine_snapshot(machine, &total);
    run.total = &total;
    fill_places(&run.simulator, program, directory, sizeof program);
    if (!options->is_quiet)
        report_print_table(stderr, &run);
    if (options->json_path != NULL && !report_write_json(options->json_path, &run, &diagnosis))
        diagnosis_print(&diagnosis, stderr);
    snapshot_finish(&total);
    finish_run(&run);
}
