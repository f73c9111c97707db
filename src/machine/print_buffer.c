/* SPDX-License-Identifier: MIT */
/* What kernels print: memory that the launch gives them, read when it has ended. The layout is
 * drawn in builtin/printf.cl. The records lie all zero before a launch, so that one whose stores
 * never came is known. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "machine/machine_private.h"

enum { HEADER_BYTES = 32, RECORD_HEADER_BYTES = 12 };

struct print_header {
    uint64_t used, lost, capacity, unused;
};

struct print_record {
    uint32_t group, item;
    uint32_t place; /* in the buffer: records of a work-item lie in the order of its calls */
    uint32_t bytes; /* without the header */
};

bool print_buffer_is_used(const struct machine_launch *request)
{
    const struct program_kernel *kernel = request->kernel;

    for (uint32_t i = kernel->visible_argument_count; i < kernel->argument_count; i++)
        if (kernel->arguments[i].kind == ARGUMENT_HIDDEN_PRINTF_BUFFER)
            return true;
    return false;
}

static void buffer_clear(struct machine *machine, uint64_t addr, uint64_t count)
{
    void *zeros = allocate(count, 1);

    memory_write(machine, addr, zeros, count);
    free(zeros);
}

static bool buffer_reserve(struct machine *machine, uint64_t capacity, struct diagnosis *diagnosis)
{
    struct launch_memory *memory = &machine->launch_memory;

    memory->print =
        backing_allocate(&machine->backing, HEADER_BYTES + capacity, BACKING_PAGE_BYTES, "printf");
    if (memory->print == 0) {
        diagnose(diagnosis, "no room in device memory for %llu bytes of printf",
                 (unsigned long long)capacity);
        return diagnose_hint(diagnosis, "make gpu.printf_bytes smaller, or gpu.memory_mb larger");
    }
    backing_hide(&machine->backing, memory->print, BACKING_MAY_LOAD | BACKING_MAY_STORE);
    buffer_clear(machine, memory->print + HEADER_BYTES, capacity);
    return true;
}

bool print_buffer_prepare(struct machine *machine, struct diagnosis *diagnosis)
{
    struct print_header header = {.capacity = machine->parameters->gpu.printf_bytes & ~UINT64_C(7)};
    struct launch_memory *memory = &machine->launch_memory;

    if (memory->print == 0 && !buffer_reserve(machine, header.capacity, diagnosis))
        return false;
    memory_write(machine, memory->print, &header, sizeof header);
    return true;
}

/* Lists the records that are whole. */
static uint32_t find_records(const unsigned char *bytes, uint64_t count,
                             struct print_record *records)
{
    uint32_t found = 0, header[3];

    for (uint64_t at = 0; at + RECORD_HEADER_BYTES <= count; at += header[0]) {
        memcpy(header, bytes + at, sizeof header);
        if (header[0] < RECORD_HEADER_BYTES || header[0] % 4 != 0 || header[0] > count - at)
            break;
        records[found++] = (struct print_record){.group = header[1],
                                                 .item = header[2],
                                                 .place = (uint32_t)at + RECORD_HEADER_BYTES,
                                                 .bytes = header[0] - RECORD_HEADER_BYTES};
    }
    return found;
}

static int compare_records(const void *first, const void *second)
{
    const struct print_record *a = first, *b = second;

    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->item != b->item)
        return a->item < b->item ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static void give_records(const struct machine *machine, const struct machine_launch *request,
                         const unsigned char *bytes, uint64_t count,
                         struct machine_launch_result *result)
{
    struct print_record *records = allocate(count / RECORD_HEADER_BYTES + 1, sizeof *records);
    uint32_t found = find_records(bytes, count, records);

    if (!machine->model->operations->has_time || result->is_untimed)
        qsort(records, found, sizeof *records, compare_records);
    for (uint32_t i = 0; i < found; i++) {
        if (request->print != NULL)
            request->print(request->print_context, bytes + records[i].place, records[i].bytes);
        result->lost_print_bytes -= records[i].bytes + RECORD_HEADER_BYTES;
    }
    free(records);
}

void print_buffer_deliver(struct machine *machine, const struct machine_launch *request,
                          struct machine_launch_result *result)
{
    uint64_t addr = machine->launch_memory.print;
    struct print_header header;
    unsigned char *bytes;
    uint64_t count;

    /* What is still in the caches of a GPU that stopped in the middle cannot be had. */
    if (machine->model->operations->has_caches && machine->is_lost) {
        fprintf(stderr,
                "wavetank: %s was stopped in the middle: what it may have printed is lost\n  hint: "
                "the functional model keeps it\n",
                request->kernel->name);
        return;
    }
    memory_read(machine, addr, &header, sizeof header);
    if (header.used == 0)
        return;
    count = machine->parameters->gpu.printf_bytes & ~UINT64_C(7);
    count = header.used < count ? header.used : count;
    bytes = allocate(count, 1);
    memory_read(machine, addr + HEADER_BYTES, bytes, count);
    result->lost_print_records = header.lost;
    result->lost_print_bytes = header.used;
    give_records(machine, request, bytes, count, result);
    buffer_clear(machine, addr + HEADER_BYTES, count);
    free(bytes);
}
