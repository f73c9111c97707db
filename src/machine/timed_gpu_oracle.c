/* SPDX-License-Identifier: MIT */
/* What is judged of transactions when a launch has ended: scalar loads of what they wrote, and
 * global memory. The oracle for global memory is told what memory holds before and after. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "gpu/scalar_words.h"
#include "machine/timed_gpu.h"
#include "tm/global_oracle.h"

void timed_gpu_add_oracle(struct timed_gpu *gpu)
{
    struct global_oracle_options options = {
        .units = gpu->unit_count,
        .promise = tm_promise_of(&gpu->tm, TM_SPACE_GLOBAL),
        .doomed_max = tm_doomed_max_of(&gpu->tm, &gpu->parameters->tm, TM_SPACE_GLOBAL),
        .registry = &gpu->machine->registry,
    };

    if (gpu->parameters->sim.record_transactions[0] != '\0')
        remove(gpu->parameters->sim.record_transactions);
    if ((gpu->parameters->sim.check_transactions != 0 ||
         gpu->parameters->sim.record_transactions[0] != '\0') &&
        (gpu->tm.spaces & TM_SPACE_GLOBAL) != 0)
        gpu->global_oracle = global_oracle_create(&options);
    if (gpu->tm.spaces != 0)
        gpu->scalar_words = scalar_words_create();
}

/* Memory as loads would find it: what lies dirty in caches, too. */
static void read_memory(void *context, uint64_t address, void *bytes, uint64_t count)
{
    struct timed_gpu *gpu = context;

    pump_host_read(&gpu->pump, address, bytes, count);
}

void timed_gpu_oracle_start(struct timed_gpu *gpu, const struct launch *launch)
{
    const struct backing *backing = &gpu->machine->backing;

    if (gpu->scalar_words != NULL && launch->isa->kernel->has_transactions)
        scalar_words_clear(gpu->scalar_words);
    if (gpu->global_oracle == NULL || !launch->isa->kernel->has_transactions)
        return;
    global_oracle_start(gpu->global_oracle);
    for (uint32_t i = 0; i < backing->block_count; i++) {
        const struct backing_block *block = &backing->blocks[i];
        unsigned char *bytes;

        if (block->is_hidden)
            continue;
        bytes = allocate(block->bytes, 1);
        read_memory(gpu, block->addr, bytes, block->bytes);
        global_oracle_image(gpu->global_oracle, block->addr, bytes, block->bytes);
        free(bytes);
    }
}

/* Launch after launch in one file. */
static bool launch_record(const struct timed_gpu *gpu, struct diagnosis *diagnosis)
{
    const char *name = gpu->parameters->sim.record_transactions;
    FILE *file = name[0] != '\0' ? fopen(name, "a") : NULL;
    bool is_good = true;

    if (name[0] == '\0')
        return true;
    if (file != NULL) {
        global_oracle_record(gpu->global_oracle, file);
        is_good = ferror(file) == 0;
        is_good &= fclose(file) == 0;
    }
    return (file != NULL && is_good) ||
           diagnose(diagnosis, "sim.record_transactions: %s cannot be written", name);
}

bool timed_gpu_oracle_judge(struct timed_gpu *gpu, const struct launch *launch,
                            const struct machine_launch *request, struct diagnosis *diagnosis)
{
    struct fault fault = {.kind = FAULT_TRANSACTION, .launch = launch};
    struct oracle_violation violation;
    struct oracle_place place;

    if (gpu->global_oracle == NULL || !launch->isa->kernel->has_transactions)
        return true;
    if (!launch_record(gpu, diagnosis))
        return false;
    violation = global_oracle_judge(gpu->global_oracle, read_memory, gpu, &place);
    if (violation.text == NULL)
        return true;
    memcpy(fault.group, place.group, sizeof fault.group);
    fault.wavefront = place.wavefront;
    fault.pc = violation.pc;
    fault.other_pc = violation.other_pc;
    fault.reason = violation.text;
    return fault_diagnose(&fault, gpu->machine->isa, &gpu->machine->backing, code_source_line,
                          request->code, diagnosis);
}

bool timed_gpu_judge_scalars(struct timed_gpu *gpu, const struct launch *launch,
                             const struct machine_launch *request, struct diagnosis *diagnosis)
{
    struct fault fault;

    if (gpu->scalar_words == NULL || !launch->isa->kernel->has_transactions ||
        !scalar_words_judge(gpu->scalar_words, &fault))
        return true;
    fault.launch = launch;
    return fault_diagnose(&fault, gpu->machine->isa, &gpu->machine->backing, code_source_line,
                          request->code, diagnosis);
}
