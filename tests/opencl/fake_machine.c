/* SPDX-License-Identifier: MIT */
/*
 * A machine without a simulator: machine/machine.h over plain memory, with the kernels of
 * kernels.cl written in C. For tests of the driver's own rules, quickly and with faults on request.
 *
 * Device memory is a copy apart from what the host can see at the same addresses. So a driver that
 * forgets to move bytes of shared virtual memory is found out. Every transfer takes 1000 ns, every
 * launch 5000 ns.
 *
 * The environment: FAKE_MACHINE_BROKEN=configuration or machine makes that one fail.
 * FAKE_MACHINE_NO_SVM=1: no shared memory. FAKE_MACHINE_RAISE=N: so many Ctrl-C come inside each
 * launch. FAKE_MACHINE_LOG=1 says on stderr how each transfer was charged.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/check.h"
#include "machine/machine.h"

enum { TRANSFER_NS = 1000, LAUNCH_NS = 5000, MEMORY_MB = 64, STATISTICS = 1 };

struct machine_parameters {
    uint64_t compute_units, core_khz, group_lds_bytes, printf_bytes, wavefront_lanes, size_kb,
        slices, memory_mb;
};

struct fake_statistics {
    uint64_t launches;
};

struct machine {
    struct machine_options options;
    struct backing backing;
    unsigned char *device; /* what kernels and transfers see */
    uint64_t time_ns;
    struct registry registry;
    struct fake_statistics statistics;
    uint32_t launch_count;
};

struct machine_code {
    struct program *program;
    uint64_t addr;
};

/* ---- Configuration ---- */

#define FAKE_PARAMETER(parameter_path, field, value)                                               \
    {                                                                                              \
        .path = parameter_path, .parameter = {                                                     \
            .name = #field,                                                                        \
            .unit = "",                                                                            \
            .help = "of the fake machine",                                                         \
            .kind = PARAMETER_NUMBER,                                                              \
            .offset = offsetof(struct machine_parameters, field),                                  \
            .initial = value,                                                                      \
            .max = UINT64_MAX                                                                      \
        }                                                                                          \
    }
static const struct {
    const char *path;
    struct parameter parameter;
} fake_parameters[] = {
    FAKE_PARAMETER("gpu.compute_units", compute_units, 32),
    FAKE_PARAMETER("gpu.core_khz", core_khz, 925000),
    FAKE_PARAMETER("gpu.group_lds_bytes", group_lds_bytes, 32768),
    FAKE_PARAMETER("gpu.printf_bytes", printf_bytes, 1048576),
    FAKE_PARAMETER("gpu.wavefront_lanes", wavefront_lanes, 64),
    FAKE_PARAMETER("gpu.memory_mb", memory_mb, MEMORY_MB),
    FAKE_PARAMETER("l2.size_kb", size_kb, 128),
    FAKE_PARAMETER("address.slices", slices, 6),
};
enum { FAKE_PARAMETERS = sizeof fake_parameters / sizeof fake_parameters[0] };

static bool is_broken(const char *part)
{
    const char *broken = getenv("FAKE_MACHINE_BROKEN");

    return broken != NULL && strcmp(broken, part) == 0;
}

static bool override(struct configuration *configuration, const char *assignment,
                     struct diagnosis *diagnosis)
{
    size_t length = strcspn(assignment, "=");

    for (uint32_t i = 0; i < configuration->setting_count; i++) {
        const struct setting *setting = &configuration->settings[i];

        if (strlen(setting->path) == length && strncmp(setting->path, assignment, length) == 0) {
            *(uint64_t *)setting->field = strtoull(assignment + length + 1, NULL, 10);
            return true;
        }
    }
    return diagnose(diagnosis, "there is no parameter '%s'", assignment);
}

struct configuration *configuration_load(const char *name_or_file, const char *const *overrides,
                                         uint32_t override_count, struct diagnosis *diagnosis)
{
    struct configuration *configuration;

    if (is_broken("configuration") || strcmp(name_or_file, "hd7970") != 0) {
        diagnose(diagnosis, "there is no GPU '%s'", name_or_file);
        return NULL;
    }
    configuration = allocate(1, sizeof *configuration);
    configuration->parameters = allocate(1, sizeof *configuration->parameters);
    configuration->settings = allocate(FAKE_PARAMETERS, sizeof *configuration->settings);
    for (uint32_t i = 0; i < FAKE_PARAMETERS; i++) {
        struct setting *setting = &configuration->settings[configuration->setting_count++];

        setting->path = copy_string(fake_parameters[i].path);
        setting->parameter = &fake_parameters[i].parameter;
        setting->field = (char *)configuration->parameters + setting->parameter->offset;
        setting->origin = copy_string("default");
        *(uint64_t *)setting->field = setting->parameter->initial;
    }
    configuration->name = copy_string("hd7970");
    configuration->title = copy_string("a fake");
    configuration->file = copy_string("none");
    for (uint32_t i = 0; i < override_count; i++)
        if (!override(configuration, overrides[i], diagnosis))
            return NULL; /* the process ends soon */
    return configuration;
}

const struct setting *configuration_find(const struct configuration *configuration,
                                         const char *path)
{
    for (uint32_t i = 0; i < configuration->setting_count; i++)
        if (strcmp(configuration->settings[i].path, path) == 0)
            return &configuration->settings[i];
    return NULL;
}

void setting_print_value(const struct setting *setting, struct text *text)
{
    text_add(text, "%llu", (unsigned long long)*(const uint64_t *)setting->field);
}

/* ---- The machine ---- */

#define FAKE_STATISTICS(X) X(COUNTER, launches, "launches", "kernels that ran")
#define FAKE_ROW(...) STATISTIC_ROW(struct fake_statistics, __VA_ARGS__)
static const struct statistic fake_statistics[] = {FAKE_STATISTICS(FAKE_ROW)};

struct machine *machine_create(const struct machine_options *options, struct diagnosis *diagnosis)
{
    struct machine *machine = allocate(1, sizeof *machine);
    uint64_t bytes = options->configuration->parameters->memory_mb << 20;

    if (is_broken("machine")) {
        diagnose(diagnosis, "the fake machine is broken on request");
        free(machine);
        return NULL;
    }
    machine->options = *options;
    if (!backing_init(&machine->backing, bytes, getenv("FAKE_MACHINE_NO_SVM") == NULL, diagnosis))
        return NULL;
    if (getenv("FAKE_MACHINE_NO_SVM") != NULL)
        machine->backing.is_shared = false;
    machine->device = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    check(machine->device != MAP_FAILED, "no memory for the fake machine");
    registry_add(&machine->registry, "fake", "fake", fake_statistics, STATISTICS,
                 &machine->statistics, sizeof machine->statistics);
    return machine;
}

enum machine_model machine_model(const struct machine *machine)
{
    return machine->options.model;
}

struct backing *machine_backing(struct machine *machine)
{
    return &machine->backing;
}

static unsigned char *device_bytes(struct machine *machine, uint64_t addr, uint64_t count)
{
    check(count > 0 && backing_is_mapped(&machine->backing, addr, count),
          "the driver touches %llu bytes at 0x%llx, which was not allocated",
          (unsigned long long)count, (unsigned long long)addr);
    return machine->device + (addr - machine->backing.base);
}

uint64_t machine_allocate(struct machine *machine, uint64_t bytes, uint64_t align, const char *name)
{
    return backing_allocate(&machine->backing, bytes, align, name);
}

bool machine_read_string(struct machine *machine, uint64_t addr, struct text *text)
{
    return false; /* its kernels print nothing */
}

void machine_free(struct machine *machine, uint64_t addr)
{
    backing_free(&machine->backing, addr);
}

void machine_charge_transfer(struct machine *machine, uint64_t bytes,
                             enum machine_transfer transfer)
{
    static const char *const names[] = {"pageable", "pinned", "on device", "untimed"};

    if (transfer != TRANSFER_UNTIMED)
        machine->time_ns += TRANSFER_NS;
    if (getenv("FAKE_MACHINE_LOG") != NULL)
        fprintf(stderr, "fake: %llu bytes %s\n", (unsigned long long)bytes, names[transfer]);
}

void machine_write(struct machine *machine, uint64_t addr, const void *bytes, uint64_t count,
                   enum machine_transfer transfer)
{
    memcpy(device_bytes(machine, addr, count), bytes, count);
    machine_charge_transfer(machine, count, transfer);
}

void machine_read(struct machine *machine, uint64_t addr, void *bytes, uint64_t count,
                  enum machine_transfer transfer)
{
    memcpy(bytes, device_bytes(machine, addr, count), count);
    machine_charge_transfer(machine, count, transfer);
}

void machine_copy(struct machine *machine, uint64_t to, uint64_t from, uint64_t count)
{
    memcpy(device_bytes(machine, to, count), device_bytes(machine, from, count), count);
    machine_charge_transfer(machine, count, TRANSFER_ON_DEVICE);
}

void machine_fill(struct machine *machine, uint64_t addr, const void *pattern,
                  uint32_t pattern_bytes, uint64_t count)
{
    unsigned char *target = device_bytes(machine, addr, count);

    for (uint64_t i = 0; i < count; i += pattern_bytes)
        memcpy(target + i, pattern, pattern_bytes);
    machine_charge_transfer(machine, count, TRANSFER_ON_DEVICE);
}

struct machine_code *machine_load(struct machine *machine, struct program *program,
                                  struct diagnosis *diagnosis)
{
    struct machine_code *code = allocate(1, sizeof *code);

    code->program = program;
    code->addr = machine_allocate(machine, program->image_bytes, BACKING_PAGE_BYTES, "program");
    return code;
}

bool machine_fits(const struct machine *machine, const struct machine_launch *launch,
                  struct diagnosis *diagnosis)
{
    return true;
}

void machine_unload(struct machine *machine, struct machine_code *code)
{
    if (code == NULL)
        return;
    machine_free(machine, code->addr);
    free(code);
}

uint64_t machine_time_ns(const struct machine *machine)
{
    return machine->time_ns;
}

const struct registry *machine_registry(const struct machine *machine)
{
    return &machine->registry;
}

const struct machine_outside *machine_outside(const struct machine *machine, uint32_t *count)
{
    *count = 0;
    return NULL;
}

void machine_print_coverage(const struct machine *machine, struct text *text) {}

const char *machine_wide_fences(const struct machine *machine)
{
    return NULL;
}

void machine_profile(struct machine *machine, machine_profile_visit *visit, void *context) {}

bool machine_profile_column(uint32_t index, struct machine_profile_column *column)
{
    return false;
}

void machine_snapshot(struct machine *machine, struct snapshot *snapshot)
{
    snapshot_take(snapshot, &machine->registry);
}

uint64_t machine_traced(const struct machine *machine)
{
    return 0;
}

struct machine_effort machine_effort(const struct machine *machine)
{
    return (struct machine_effort){0};
}

/* ---- The kernels ---- */

struct item {
    struct machine *machine;
    const struct machine_launch *launch;
    uint64_t global[3], linear; /* ids from 0; the offset comes extra */
};

static const unsigned char *argument_bytes(const struct item *item, unsigned index)
{
    const struct program_kernel *kernel = item->launch->kernel;

    return (const unsigned char *)item->launch->arguments + kernel->arguments[index].offset;
}

static void *pointer(const struct item *item, unsigned index, uint64_t offset, uint64_t bytes)
{
    uint64_t addr;

    memcpy(&addr, argument_bytes(item, index), sizeof addr);
    return device_bytes(item->machine, addr + offset, bytes);
}

static int32_t read_int(const struct item *item, unsigned index, uint64_t element)
{
    int32_t value;

    memcpy(&value, pointer(item, index, 4 * element, 4), 4);
    return value;
}

static void write_int(const struct item *item, unsigned index, uint64_t element, int32_t value)
{
    memcpy(pointer(item, index, 4 * element, 4), &value, 4);
}

static void run_add(const struct item *item)
{
    int32_t bias;

    memcpy(&bias, argument_bytes(item, 2), sizeof bias);
    write_int(item, 0, item->linear,
              read_int(item, 0, item->linear) + read_int(item, 1, item->linear) + bias);
}

/* The two pieces of local memory must lie side by side, within what the launch was given. */
static void run_group_sum(const struct item *item)
{
    uint32_t group = item->launch->group_size[0], first, second;
    int32_t sum = 0;

    memcpy(&first, argument_bytes(item, 2), sizeof first);
    memcpy(&second, argument_bytes(item, 3), sizeof second);
    check(first >= item->launch->kernel->lds_bytes && second >= first + 4 * group &&
              second + 4 * group <=
                  item->launch->kernel->lds_bytes + item->launch->dynamic_lds_bytes,
          "local memory at %u and %u for groups of %u", first, second, group);
    if (item->global[0] % group != 0)
        return;
    for (uint32_t i = 0; i < group; i++)
        sum += read_int(item, 0, item->global[0] + i);
    write_int(item, 1, item->global[0] / group, sum);
}

static void run_place(const struct item *item)
{
    const uint32_t *group = item->launch->group_size;
    const uint64_t *offset = item->launch->global_offset;

    for (unsigned axis = 0; axis < 3; axis++)
        write_int(item, 0, 4 * item->linear + axis, (int32_t)(item->global[axis] + offset[axis]));
    write_int(item, 0, 4 * item->linear + 3,
              (int32_t)(group[0] + 1000 * group[1] + 1000000 * group[2]));
}

static void run_required(const struct item *item)
{
    write_int(item, 0, item->linear, (int32_t)item->launch->group_size[0]);
}

static void run_by_value(const struct item *item)
{
    struct {
        int32_t a;
        float b[3];
    } pair;
    float out[5], vector[4];
    int64_t large;

    memcpy(&pair, argument_bytes(item, 1), sizeof pair);
    memcpy(vector, argument_bytes(item, 3), sizeof vector);
    memcpy(&large, argument_bytes(item, 4), sizeof large);
    out[0] = (float)pair.a;
    out[1] = pair.b[2];
    out[2] = (float)*(const signed char *)argument_bytes(item, 2);
    out[3] = vector[3];
    out[4] = (float)large;
    memcpy(pointer(item, 0, 0, sizeof out), out, sizeof out);
}

static const struct {
    const char *name;
    void (*run)(const struct item *item);
} kernels[] = {{"add", run_add},
               {"group_sum", run_group_sum},
               {"place", run_place},
               {"required", run_required},
               {"by_value", run_by_value}};

static void run_items(struct machine *machine, const struct machine_launch *launch,
                      void (*run)(const struct item *item))
{
    struct item item = {.machine = machine, .launch = launch};

    for (item.global[2] = 0; item.global[2] < launch->global_size[2]; item.global[2]++)
        for (item.global[1] = 0; item.global[1] < launch->global_size[1]; item.global[1]++)
            for (item.global[0] = 0; item.global[0] < launch->global_size[0]; item.global[0]++) {
                run(&item);
                item.linear++;
            }
}

static void give_record(struct machine *machine, const struct machine_launch *launch,
                        const struct machine_launch_result *result)
{
    struct machine_kernel_record record = {
        .name = launch->kernel->name, .result = *result, .dimensions = launch->dimensions};
    struct changes changes = {0};
    struct snapshot before;

    machine->launch_count++;
    if (machine->options.record == NULL)
        return;
    snapshot_take(&before, &machine->registry);
    machine->statistics.launches++;
    changes_take(&changes, &before, &machine->registry);
    memcpy(record.global_size, launch->global_size, sizeof record.global_size);
    memcpy(record.group_size, launch->group_size, sizeof record.group_size);
    record.changes = &changes;
    machine->options.record(machine->options.record_context, &record);
    changes_finish(&changes);
    snapshot_finish(&before);
}

static enum machine_outcome outcome_of(const struct machine *machine)
{
    if (machine->options.interrupt != NULL && *machine->options.interrupt)
        return LAUNCH_INTERRUPTED;
    if (machine->options.max_cycles > 0 && machine->launch_count >= machine->options.max_cycles)
        return LAUNCH_CYCLE_LIMIT;
    return LAUNCH_DONE;
}

bool machine_run(struct machine *machine, const struct machine_launch *launch,
                 struct machine_launch_result *result, struct diagnosis *diagnosis)
{
    const char *signals = getenv("FAKE_MACHINE_RAISE");

    for (int i = 0; signals != NULL && i < atoi(signals); i++)
        raise(SIGINT);
    memset(result, 0, sizeof *result);
    result->outcome = outcome_of(machine);
    result->start_ns = machine->time_ns + 100;
    machine->time_ns += LAUNCH_NS;
    result->end_ns = machine->time_ns;
    if (strcmp(launch->kernel->name, "faulty") == 0) {
        result->outcome = LAUNCH_FAILED;
        return diagnose(diagnosis, "kernel faulty: an access outside all buffers");
    }
    if (machine->options.progress != NULL)
        machine->options.progress(machine->options.progress_context,
                                  &(struct machine_progress){launch->kernel->name, 1, 2, 2, 3, 4});
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        if (strcmp(kernels[i].name, launch->kernel->name) == 0) {
            run_items(machine, launch, kernels[i].run);
            give_record(machine, launch, result);
            return true;
        }
    return diagnose(diagnosis, "the fake machine does not know kernel '%s'", launch->kernel->name);
}
