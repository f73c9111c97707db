/* SPDX-License-Identifier: MIT */
/*
 * wavetank verify tm SYSTEM: does a transactional memory keep what it promises? Random programs run
 * as kernels on the timed machine, compiled by clang like any other, with an oracle beside the
 * memory that the system isolates. A program on global memory is several work-groups, on up to four
 * compute units; two systems, SYSTEM,SYSTEM, get programs on both memories. Parameters of the
 * machine and of the system are drawn, too. A program that fails is made smaller and printed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bits.h"
#include "base/random.h"
#include "base/text.h"
#include "cli/verify_tm.h"
#include "machine/machine.h"

enum { OPTION_TRANSACTIONS, OPTION_SEED, OPTION_SET, OPTION_NO_SHRINK, OPTION_QUIET };

/* After how many cycles a program is taken for one that does not end. Where 200 work-items want
 * four words across a slow network, a commit takes up to 80,000. */
enum { CYCLES_OF_LAUNCH = 10000000, CYCLES_OF_TRANSACTION = 200000 };

static const struct option options[] = {
    {"--transactions", "N", "how many transactions are tried at least (100000)"},
    {"--seed", "N", "the first program's number (1)"},
    {"-o", "PATH=VALUE", "sets a parameter of the machine in each run; may be repeated"},
    {"--no-shrink", NULL, "says what is wrong, and makes the program no smaller"},
    {"--quiet", NULL, "prints nothing but a fault, and no progress"},
};

struct tm_request {
    const char *system;
    uint64_t transactions, seed;
    const char **settings;
    unsigned setting_count;
    bool is_quiet, keeps_size;
    bool is_local, is_global; /* which memory the systems isolate; neither: as if local */
};

struct tm_run {
    const struct tm_request *request;
    struct program *program;
    char **drawn; /* settings that this seed draws */
    unsigned drawn_count;
    struct diagnosis diagnosis; /* of the latest run that failed */
    struct tm_attempts {        /* of all runs, on global memory */
        uint64_t count, doomed, longest;
    } attempts;
};

/* ---- one run ---- */

/* One system, or two with a comma between them. */
static void find_spaces(struct tm_request *request)
{
    struct machine_choice choice = {0};
    const char *names = request->system;

    do {
        size_t length = strcspn(names, ",");

        for (uint32_t i = 0; machine_transactional_memory(i, &choice); i++)
            if (strlen(choice.name) == length && strncmp(choice.name, names, length) == 0) {
                request->is_global |= choice.is_global;
                request->is_local |= !choice.is_global;
            }
        names += length;
    } while (*names++ == ',');
}

/* A setting for the system that is verified; those of another change nothing, and are left out. */
static void setting_draw(struct tm_run *run, struct random *random, const char *path,
                         const char *const *values, unsigned count)
{
    run->drawn = reallocate(run->drawn, run->drawn_count + 1, sizeof *run->drawn);
    run->drawn[run->drawn_count++] =
        format_string("%s=%s", path, values[random_below(random, count)]);
}

#define DRAW(run, random, path, ...)                                                               \
    setting_draw(run, random, path, (const char *const[]){__VA_ARGS__},                            \
                 ARRAY_COUNT(((const char *const[]){__VA_ARGS__})))

static void drop_settings(struct tm_run *run)
{
    while (run->drawn_count > 0)
        free(run->drawn[--run->drawn_count]);
}

/* What an attempt may meet: tables that are full or alias, buffers and credits that run out, commit
 * IDs that come late. */
static void draw_global(struct tm_run *run, struct random *random)
{
    DRAW(run, random, "gpu.compute_units", "4", "2", "1");
    DRAW(run, random, "cu.vmem_entries", "32", "32", "2");
    DRAW(run, random, "l1.mshr_entries", "64", "64", "2");
    DRAW(run, random, "crossbar.latency_cycles", "16", "16", "300");
    DRAW(run, random, "kilotm.watchdog_cycles", "100000", "5000", "2500");
    DRAW(run, random, "kilotm.warps_per_core", "2", "2", "0", "1");
    DRAW(run, random, "kilotm.history", "lwh", "lwh", "perfect", "bloom_array");
    DRAW(run, random, "kilotm.history_entries", "512", "512", "16", "4");
    DRAW(run, random, "kilotm.bloom_buckets", "1024", "1024", "4");
    DRAW(run, random, "kilotm.signature_bits", "512", "16");
    DRAW(run, random, "kilotm.commit_id_cycles", "2", "2", "0", "300");
    DRAW(run, random, "kilotm.credits", "0", "0", "64", "256");
    DRAW(run, random, "kilotm.set_words", "0", "0", "8");
    DRAW(run, random, "kilotm.set_buffers", "0", "0", "3");
    DRAW(run, random, "kilotm.set_scheme", "needed", "used", "accessed", "all");
    DRAW(run, random, "kilotm.log_kb", "48", "48", "3");
    DRAW(run, random, "kilotm.acquire", "1", "0");
    DRAW(run, random, "ideal_global.warps_per_core", "0", "0", "1");
    DRAW(run, random, "ideal_global.stores_at", "commit", "commit", "execution");
}

static void draw_settings(struct tm_run *run, uint64_t seed)
{
    struct random random = {seed ^ UINT64_C(0x5851f42d4c957f2d)};

    drop_settings(run);
    if (run->request->is_global)
        draw_global(run, &random);
    if (run->request->is_global && !run->request->is_local)
        return;
    DRAW(run, &random, "cu.lds_write_cycles", "2", "2", "30");
    DRAW(run, &random, "cu.lds_entries", "16", "16", "2");
    DRAW(run, &random, "localtm.filter_bits", "8", "4", "64");
    DRAW(run, &random, "localtm.bloom_index", "row", "row", "word");
    DRAW(run, &random, "localtm.tell_reads", "0", "1");
    DRAW(run, &random, "localtm.attempts", "2", "2", "1", "5");
    DRAW(run, &random, "localtm.attempts_before_group", "1000", "16", "1", "0");
}

static struct configuration *run_configure(struct tm_run *run)
{
    const char *const fixed[] = {"sim.check_transactions=1", "gpu.compute_units=1",
                                 "gpu.units_per_shared_cache=1", "gpu.memory_mb=64"};
    const char **settings = allocate(
        1 + ARRAY_COUNT(fixed) + run->drawn_count + run->request->setting_count, sizeof *settings);
    char *system = format_string("gpu.transactional_memory=%s", run->request->system);
    struct configuration *configuration;
    uint32_t count = 0;

    settings[count++] = system;
    for (unsigned i = 0; i < ARRAY_COUNT(fixed); i++)
        settings[count++] = fixed[i];
    for (unsigned i = 0; i < run->drawn_count; i++)
        settings[count++] = run->drawn[i];
    for (unsigned i = 0; i < run->request->setting_count; i++)
        settings[count++] = run->request->settings[i];
    configuration = configuration_load("hd7970", settings, count, &run->diagnosis);
    free(system);
    free(settings);
    return configuration;
}

static bool program_launch(struct tm_run *run, struct machine *machine, struct machine_code *code,
                           const struct tm_program *program)
{
    uint64_t steps = machine_allocate(machine, sizeof program->steps, 256, "program");
    uint64_t out = machine_allocate(machine, 4 * (TM_ITEMS_MAX + TM_GLOBAL_WORDS), 256, "out");
    const struct program_kernel *kernel = program_find_kernel(run->program, "steps");
    unsigned char *arguments = allocate(kernel->kernarg_bytes + 32, 1);
    uint32_t numbers[] = {program->transactions, program->spread};
    struct machine_launch_result result;
    struct machine_launch request = {.code = code,
                                     .kernel = kernel,
                                     .dimensions = 1,
                                     .global_size = {program->items, 1, 1},
                                     .group_size = {program->group, 1, 1},
                                     .arguments = arguments};
    bool is_good;

    if (!run->request->is_global)
        request.group_size[0] = program->items; /* fewer, where the program was made smaller */
    memcpy(arguments + kernel->arguments[0].offset, &steps, 8);
    memcpy(arguments + kernel->arguments[1].offset, &out, 8);
    memcpy(arguments + kernel->arguments[2].offset, &numbers[0], 4);
    memcpy(arguments + kernel->arguments[3].offset, &numbers[1], 4);
    machine_write(machine, steps, program->steps, sizeof program->steps, TRANSFER_UNTIMED);
    is_good = machine_run(machine, &request, &result, &run->diagnosis);
    if (is_good && result.outcome != LAUNCH_DONE)
        is_good = diagnose(&run->diagnosis, "not done after %llu cycles: no progress",
                           (unsigned long long)result.cycles);
    free(arguments);
    return is_good;
}

static void count_attempts(struct tm_run *run, const struct machine *machine)
{
    const struct registry *registry = machine_registry(machine);
    struct snapshot snapshot = {0};
    uint64_t longest;

    snapshot_take(&snapshot, registry);
    run->attempts.count += snapshot_counter(&snapshot, registry, "tm.oracle.attempts");
    run->attempts.doomed += snapshot_counter(&snapshot, registry, "tm.oracle.doomed");
    longest = snapshot_counter(&snapshot, registry, "tm.oracle.doomed_ran_longest");
    if (longest > run->attempts.longest)
        run->attempts.longest = longest;
    snapshot_finish(&snapshot);
}

/* A machine for each run: after a fault there is no going on. */
static bool program_passes(struct tm_run *run, const struct tm_program *program)
{
    struct configuration *configuration = run_configure(run);
    struct machine_options machine_options = {
        .configuration = configuration,
        .max_cycles = CYCLES_OF_LAUNCH + CYCLES_OF_TRANSACTION * tm_program_count(program)};
    struct machine *machine;
    struct machine_code *code;
    bool is_good;

    if (configuration == NULL)
        return false;
    machine = machine_create(&machine_options, &run->diagnosis);
    code = machine != NULL ? machine_load(machine, run->program, &run->diagnosis) : NULL;
    is_good = code != NULL && program_launch(run, machine, code, program);
    if (is_good && run->request->is_global)
        count_attempts(run, machine);
    machine_unload(machine, code);
    if (machine != NULL)
        machine_destroy(machine);
    configuration_destroy(configuration);
    return is_good;
}

static bool program_fails(void *context, const struct tm_program *program)
{
    return !program_passes(context, program);
}

/* ---- all runs ---- */

static struct program *kernel_compile(const struct tm_request *request, struct diagnosis *diagnosis)
{
    const char *flags = !request->is_global ? "-g -DIS_LOCAL"
                        : request->is_local ? "-g -DIS_LOCAL -DIS_GLOBAL"
                                            : "-g -DIS_GLOBAL";
    unsigned char *file = NULL;
    size_t bytes = 0;
    struct text log = {0};
    struct program *program = NULL;

    if (program_compile(verify_tm_kernel, strlen(verify_tm_kernel), flags, NULL, &file, &bytes,
                        &log, diagnosis))
        program = program_load(file, bytes, diagnosis);
    free(file);
    text_finish(&log);
    return program;
}

static int fault_report(struct tm_run *run, struct tm_program *program, uint64_t seed)
{
    unsigned asked = 0;

    if (!run->request->keeps_size) {
        fprintf(stderr, "  a fault in program %llu, which is made smaller now: %s\n",
                (unsigned long long)seed, run->diagnosis.message);
        asked = tm_program_shrink(program, program_fails, run);
        program_fails(run, program);
    }
    printf("%s: a fault, program %llu, made smaller in %u runs\n", run->request->system,
           (unsigned long long)seed, asked);
    for (unsigned i = 0; i < run->drawn_count; i++)
        printf("%s-o %s", i == 0 ? "" : " ", run->drawn[i]);
    printf("\n");
    tm_program_print(program, stdout);
    diagnosis_print(&run->diagnosis, stdout);
    return EXIT_FAULTY;
}

static void show_progress(const struct tm_run *run, uint64_t done, uint64_t seed, clock_t *shown)
{
    enum { EVERY_SECONDS = 5 };
    clock_t now = clock();

    if (run->request->is_quiet || now - *shown < EVERY_SECONDS * CLOCKS_PER_SEC)
        return;
    *shown = now;
    fprintf(stderr, "  %llu of %llu transactions, %llu programs, no fault\n",
            (unsigned long long)done, (unsigned long long)run->request->transactions,
            (unsigned long long)(seed + 1 - run->request->seed));
}

static int verify_all(struct tm_run *run)
{
    struct tm_program *program = allocate(1, sizeof *program);
    uint64_t done = 0, seed = run->request->seed;
    clock_t shown = clock();
    int status = 0;

    for (; status == 0 && done < run->request->transactions; seed++) {
        tm_program_make(program, seed, run->request->is_global);
        draw_settings(run, seed);
        if (!program_passes(run, program))
            status = fault_report(run, program, seed);
        done += tm_program_count(program);
        if (status == 0)
            show_progress(run, done, seed, &shown);
    }
    if (status == 0 && !run->request->is_quiet)
        printf("%s: %llu transactions in %llu programs (seeds %llu to %llu), no fault\n",
               run->request->system, (unsigned long long)done,
               (unsigned long long)(seed - run->request->seed),
               (unsigned long long)run->request->seed, (unsigned long long)(seed - 1));
    if (status == 0 && !run->request->is_quiet && run->attempts.doomed > 0)
        printf("of %llu attempts %llu were doomed; the longest ran on for %llu cycles\n",
               (unsigned long long)run->attempts.count, (unsigned long long)run->attempts.doomed,
               (unsigned long long)run->attempts.longest);
    drop_settings(run);
    free(run->drawn);
    free(program);
    return status;
}

/* ---- the command ---- */

static bool take_number(const char *option, const char *value, uint64_t *number,
                        struct diagnosis *diagnosis)
{
    char *end;

    errno = 0;
    *number = strtoull(value, &end, 10);
    if (value[0] >= '0' && value[0] <= '9' && *end == '\0' && errno == 0 && *number > 0)
        return true;
    return diagnose(diagnosis, "%s takes a number above 0, not '%s'", option, value);
}

static bool take_option(struct tm_request *request, const struct option_reader *reader, int index,
                        struct diagnosis *diagnosis)
{
    if (index == OPTION_TRANSACTIONS)
        return take_number("--transactions", reader->value, &request->transactions, diagnosis);
    if (index == OPTION_SEED)
        return take_number("--seed", reader->value, &request->seed, diagnosis);
    if (index == OPTION_SET) {
        request->settings =
            reallocate(request->settings, request->setting_count + 1, sizeof *request->settings);
        request->settings[request->setting_count++] = reader->value;
    }
    request->keeps_size |= index == OPTION_NO_SHRINK;
    request->is_quiet |= index == OPTION_QUIET;
    return true;
}

/* The settings must make a machine: a mistake there is no fault of the system. */
static bool is_possible(struct tm_run *run)
{
    struct configuration *configuration = run_configure(run);

    configuration_destroy(configuration);
    return configuration != NULL;
}

static int verify_request(struct tm_request *request)
{
    struct tm_run run = {.request = request};
    int status;

    find_spaces(request);
    if (!is_possible(&run))
        return mistake_print(&run.diagnosis);
    run.program = kernel_compile(request, &run.diagnosis);
    if (run.program == NULL)
        return mistake_print(&run.diagnosis);
    status = verify_all(&run);
    program_destroy(run.program);
    return status;
}

static int take_request(struct option_reader *reader, struct tm_request *request)
{
    struct diagnosis diagnosis;
    int index;

    for (;;) {
        while ((index = option_next(reader)) >= 0)
            if (!take_option(request, reader, index, &diagnosis))
                return mistake_print(&diagnosis);
        if (index != OPTION_END || reader->at == reader->argc || request->system != NULL)
            break;
        request->system = reader->argv[reader->at++];
    }
    if (index != OPTION_END)
        return index == OPTION_HELP ? 0 : EXIT_USAGE;
    if (request->system != NULL && reader->at == reader->argc)
        return verify_request(request);
    diagnose(&diagnosis, "verify tm takes one transactional memory");
    diagnose_hint(&diagnosis, "`wavetank list transactional-memory` lists them");
    return mistake_print(&diagnosis);
}

static int run_tm(const struct command *command, int argc, char **argv)
{
    struct option_reader reader = option_reader(command, argc, argv);
    struct tm_request request = {.transactions = 100000, .seed = 1};
    int status = take_request(&reader, &request);

    free(request.settings);
    return status;
}

static const struct command verify_tm_command = {
    .name = "verify tm",
    .usage = "[OPTIONS] SYSTEM",
    .summary = "Looks for faults in a transactional memory",
    .details =
        "Runs random programs with transactions on the timed machine, on the memory that the "
        "system\n"
        "isolates (local memory of a work-group, or global memory of several; with two systems, "
        "one\n"
        "for each and a comma between them, both), beside an oracle:\n"
        "committed transactions must be serialisable in the order of their commits, what is\n"
        "left in memory must be what that order leaves, and attempts must read what was in memory "
        "at\n"
        "one time; a system that promises no more than an end may let attempts that did not run\n"
        "on for some time. A program that fails is made smaller and printed.\n"
        "\n"
        "Exit status: 0 no fault, 1 a fault.\n",
    .options = options,
    .option_count = ARRAY_COUNT(options),
    .run = run_tm,
};

int verify_tm(int argc, char **argv)
{
    return run_tm(&verify_tm_command, argc, argv);
}
