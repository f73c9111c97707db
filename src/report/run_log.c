/* SPDX-License-Identifier: MIT */
#include "report/run_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void run_log_init(struct run_log *log, const struct registry *registry, uint64_t core_khz)
{
    memset(log, 0, sizeof *log);
    levels_init(&log->levels, registry);
    measurement_init(&log->all, &log->levels, core_khz);
}

void run_log_finish(struct run_log *log)
{
    for (uint32_t i = 0; i < log->kernel_count; i++) {
        free(log->kernels[i].name);
        measurement_finish(&log->kernels[i].all);
        measurement_finish(&log->kernels[i].unlisted);
    }
    for (uint32_t i = 0; i < log->unfinished_count; i++)
        free(log->unfinished[i].name);
    free(log->timed);
    free(log->kernels);
    free(log->hashes);
    free(log->unfinished);
    measurement_finish(&log->all);
    levels_finish(&log->levels);
    memset(log, 0, sizeof *log);
}

void measurement_add(struct measurement *measurement, const struct run_kernel *kernel)
{
    levels_add(measurement->levels, kernel->changes, measurement->sums);
    measurement->cycles += kernel->cycles;
    measurement->instructions += kernel->instructions;
    measurement->time_ns += kernel->end_ns - kernel->start_ns;
    measurement->groups_done += kernel->groups_done;
    measurement->groups_total += kernel->groups_total;
    measurement->launches++;
}

/* The latest kernel is looked at first: programs launch in runs. */
static struct kernel_total *find_total(struct run_log *log, const char *name)
{
    for (uint32_t i = 0; i < log->kernel_count; i++) {
        uint32_t index = (log->latest + i) % log->kernel_count;

        if (strcmp(log->kernels[index].name, name) == 0) {
            log->latest = index;
            return &log->kernels[index];
        }
    }
    return NULL;
}

/* Timed or not. */
static uint32_t launches_so_far(const struct run_log *log)
{
    return (uint32_t)(log->all.launches + log->untimed.launches);
}

static struct kernel_total *total_of(struct run_log *log, const char *name)
{
    struct kernel_total *total = find_total(log, name);

    if (total != NULL)
        return total;
    log->kernels = reallocate(log->kernels, log->kernel_count + 1, sizeof *log->kernels);
    log->latest = log->kernel_count++;
    total = &log->kernels[log->latest];
    *total = (struct kernel_total){.name = copy_string(name), .first = launches_so_far(log)};
    measurement_init(&total->all, &log->levels, log->all.core_khz);
    return total;
}

static void note_hash(struct run_log *log, const uint64_t hash[2])
{
    for (uint32_t i = log->hash_count; i > 0; i--)
        if (memcmp(log->hashes[i - 1].words, hash, sizeof log->hashes[0].words) == 0)
            return;
    log->hashes = reallocate(log->hashes, log->hash_count + 1, sizeof *log->hashes);
    memcpy(log->hashes[log->hash_count++].words, hash, sizeof log->hashes[0].words);
}

static void note_unfinished(struct run_log *log, const struct run_kernel *kernel)
{
    if (strcmp(kernel->outcome, "done") == 0)
        return;
    log->unfinished =
        reallocate(log->unfinished, log->unfinished_count + 1, sizeof *log->unfinished);
    log->unfinished[log->unfinished_count++] =
        (struct unfinished_launch){.launch = launches_so_far(log),
                                   .name = copy_string(kernel->name),
                                   .outcome = kernel->outcome,
                                   .groups_done = kernel->groups_done,
                                   .groups_total = kernel->groups_total};
}

static void note_timed(struct run_log *log)
{
    uint64_t number = launches_so_far(log) + UINT64_C(1);

    if (log->timed_count > 0 && log->timed[log->timed_count - 1].last + 1 == number) {
        log->timed[log->timed_count - 1].last = number;
        return;
    }
    log->timed = reallocate(log->timed, log->timed_count + 1, sizeof *log->timed);
    log->timed[log->timed_count++] = (struct launch_range){number, number};
}

void run_log_add_untimed(struct run_log *log, const struct run_kernel *kernel)
{
    struct kernel_total *total = total_of(log, kernel->name);

    note_hash(log, kernel->code_hash);
    note_unfinished(log, kernel);
    total->untimed.launches++;
    total->untimed.instructions += kernel->instructions;
    log->untimed.launches++;
    log->untimed.instructions += kernel->instructions;
}

void run_log_add(struct run_log *log, const struct run_kernel *kernel, bool is_listed)
{
    struct kernel_total *total = total_of(log, kernel->name);

    note_timed(log);

    note_hash(log, kernel->code_hash);
    note_unfinished(log, kernel);
    measurement_add(&total->all, kernel);
    measurement_add(&log->all, kernel);
    if (is_listed)
        return;
    if (total->unlisted.sums == NULL)
        measurement_init(&total->unlisted, &log->levels, log->all.core_khz);
    measurement_add(&total->unlisted, kernel);
}
