/* SPDX-License-Identifier: MIT */
/* Commands that move bytes of buffers in one piece: read, write, copy, fill, migrate. To read,
 * write or fill nothing is allowed, and programs with empty arrays do. */
#include "base/bits.h"
#include "opencl/driver.h"
#include "opencl/host_pointer.h"

#include <string.h>

enum { LONGEST_PATTERN_BYTES = 128 };

struct transfer {
    struct command command;
    cl_mem buffer; /* read, written, filled, copied to */
    size_t offset;
    cl_mem source; /* copied from; NULL */
    size_t source_offset;
    size_t bytes;
    void *target_pointer;       /* of a read */
    const void *source_pointer; /* of a write */
    size_t pattern_bytes;
    unsigned char pattern[LONGEST_PATTERN_BYTES];
};

static struct transfer *transfer_of(struct command *command)
{
    return container_of(command, struct transfer, command);
}

static void transfer_finish(struct command *command)
{
    struct transfer *transfer = transfer_of(command);

    object_drop(&transfer->buffer->object);
    if (transfer->source != NULL)
        object_drop(&transfer->source->object);
}

static struct transfer *transfer_create(cl_command_queue queue, cl_command_type type,
                                        struct wait_list waits, cl_mem buffer, size_t offset,
                                        size_t bytes)
{
    struct transfer *transfer = command_create(sizeof *transfer, queue, type, waits);

    transfer->command.finish = transfer_finish;
    transfer->buffer = buffer;
    object_use(&buffer->object);
    transfer->offset = offset;
    transfer->bytes = bytes;
    return transfer;
}

/* ---- Read and write ---- */

static cl_int run_read(struct command *command)
{
    struct transfer *t = transfer_of(command);

    host_pointer_settle(t->target_pointer, t->bytes);
    host_pointer_refresh(t->buffer, t->offset, t->bytes);
    machine_read(session_machine(), t->buffer->addr + t->offset, t->target_pointer, t->bytes,
                 host_memory_transfer(t->target_pointer, t->bytes));
    return CL_SUCCESS;
}

static cl_int run_write(struct command *command)
{
    struct transfer *t = transfer_of(command);

    host_pointer_settle(t->source_pointer, t->bytes);
    host_pointer_refresh(t->buffer, t->offset, t->bytes);
    machine_write(session_machine(), t->buffer->addr + t->offset, t->source_pointer, t->bytes,
                  host_memory_transfer(t->source_pointer, t->bytes));
    host_pointer_written(t->buffer, t->offset, t->bytes);
    return CL_SUCCESS;
}

static cl_int check_transfer(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes,
                             struct wait_list waits)
{
    cl_int status = command_check(queue, waits);

    if (status == CL_SUCCESS)
        status = buffer_check(queue, buffer);
    if (status == CL_SUCCESS)
        status = buffer_check_range(buffer, offset, bytes);
    return status;
}

static cl_int enqueue_read(cl_command_queue queue, cl_mem buffer, bool is_blocking, size_t offset,
                           size_t bytes, void *pointer, struct wait_list waits, cl_event *event)
{
    cl_int status = check_transfer(queue, buffer, offset, bytes, waits);
    struct transfer *transfer;

    if (status != CL_SUCCESS)
        return status;
    if (pointer == NULL)
        return refusal(CL_INVALID_VALUE, NULL, "the host's pointer is NULL");
    status = buffer_check_host(buffer, FORBIDS_READING);
    if (status != CL_SUCCESS)
        return status;
    transfer = transfer_create(queue, CL_COMMAND_READ_BUFFER, waits, buffer, offset, bytes);
    transfer->target_pointer = pointer;
    transfer->command.run = bytes > 0 ? run_read : NULL;
    return command_submit(&transfer->command, is_blocking, event);
}

cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool is_blocking,
                                       size_t offset, size_t bytes, void *pointer, cl_uint count,
                                       const cl_event *events, cl_event *event)
{
    driver_enter();
    return driver_return(enqueue_read(queue, buffer, is_blocking != CL_FALSE, offset, bytes,
                                      pointer, (struct wait_list){count, events}, event));
}

static cl_int enqueue_write(cl_command_queue queue, cl_mem buffer, bool is_blocking, size_t offset,
                            size_t bytes, const void *pointer, struct wait_list waits,
                            cl_event *event)
{
    cl_int status = check_transfer(queue, buffer, offset, bytes, waits);
    struct transfer *transfer;

    if (status != CL_SUCCESS)
        return status;
    if (pointer == NULL)
        return refusal(CL_INVALID_VALUE, NULL, "the host's pointer is NULL");
    status = buffer_check_host(buffer, FORBIDS_WRITING);
    if (status != CL_SUCCESS)
        return status;
    transfer = transfer_create(queue, CL_COMMAND_WRITE_BUFFER, waits, buffer, offset, bytes);
    transfer->source_pointer = pointer;
    transfer->command.run = bytes > 0 ? run_write : NULL;
    return command_submit(&transfer->command, is_blocking, event);
}

cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool is_blocking,
                                        size_t offset, size_t bytes, const void *pointer,
                                        cl_uint count, const cl_event *events, cl_event *event)
{
    driver_enter();
    return driver_return(enqueue_write(queue, buffer, is_blocking != CL_FALSE, offset, bytes,
                                       pointer, (struct wait_list){count, events}, event));
}

/* ---- Copy ---- */

static cl_int run_copy(struct command *command)
{
    struct transfer *t = transfer_of(command);

    host_pointer_refresh(t->source, t->source_offset, t->bytes);
    host_pointer_refresh(t->buffer, t->offset, t->bytes);
    machine_copy(session_machine(), t->buffer->addr + t->offset, t->source->addr + t->source_offset,
                 t->bytes);
    host_pointer_written(t->buffer, t->offset, t->bytes);
    return CL_SUCCESS;
}

static bool copy_overlaps(cl_mem source, size_t source_offset, cl_mem target, size_t target_offset,
                          size_t bytes)
{
    uint64_t from = source->addr + source_offset, to = target->addr + target_offset;

    return from < to + bytes && to < from + bytes;
}

static cl_int enqueue_copy(cl_command_queue queue, cl_mem source, cl_mem target,
                           size_t source_offset, size_t target_offset, size_t bytes,
                           struct wait_list waits, cl_event *event)
{
    cl_int status = check_transfer(queue, source, source_offset, bytes, waits);
    struct transfer *transfer;

    if (status == CL_SUCCESS)
        status = check_transfer(queue, target, target_offset, bytes, waits);
    if (status != CL_SUCCESS)
        return status;
    if (bytes == 0)
        return refusal(CL_INVALID_VALUE, NULL, "0 bytes are copied");
    if (copy_overlaps(source, source_offset, target, target_offset, bytes))
        return refusal(CL_MEM_COPY_OVERLAP, NULL,
                       "%zu bytes from %zu to %zu of the same buffer overlap", bytes, source_offset,
                       target_offset);
    transfer = transfer_create(queue, CL_COMMAND_COPY_BUFFER, waits, target, target_offset, bytes);
    transfer->source = source;
    object_use(&source->object);
    transfer->source_offset = source_offset;
    transfer->command.run = run_copy;
    return command_submit(&transfer->command, false, event);
}

cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue queue, cl_mem source, cl_mem target,
                                       size_t source_offset, size_t target_offset, size_t bytes,
                                       cl_uint count, const cl_event *events, cl_event *event)
{
    driver_enter();
    return driver_return(enqueue_copy(queue, source, target, source_offset, target_offset, bytes,
                                      (struct wait_list){count, events}, event));
}

/* ---- Fill ---- */

static cl_int run_fill(struct command *command)
{
    struct transfer *t = transfer_of(command);

    host_pointer_refresh(t->buffer, t->offset, t->bytes);
    machine_fill(session_machine(), t->buffer->addr + t->offset, t->pattern,
                 (uint32_t)t->pattern_bytes, t->bytes);
    host_pointer_written(t->buffer, t->offset, t->bytes);
    return CL_SUCCESS;
}

static cl_int enqueue_fill(cl_command_queue queue, cl_mem buffer, const void *pattern,
                           size_t pattern_bytes, size_t offset, size_t bytes,
                           struct wait_list waits, cl_event *event)
{
    cl_int status = check_transfer(queue, buffer, offset, bytes, waits);
    struct transfer *transfer;

    if (status != CL_SUCCESS)
        return status;
    if (pattern == NULL || !is_power_of_two(pattern_bytes) ||
        pattern_bytes > LONGEST_PATTERN_BYTES || offset % pattern_bytes != 0 ||
        bytes % pattern_bytes != 0)
        return refusal(
            CL_INVALID_VALUE, NULL,
            "%zu bytes at %zu with a pattern of %zu: a pattern has 1, 2, 4 ... 128 bytes, "
            "and both are multiples of it",
            bytes, offset, pattern_bytes);
    transfer = transfer_create(queue, CL_COMMAND_FILL_BUFFER, waits, buffer, offset, bytes);
    memcpy(transfer->pattern, pattern, pattern_bytes);
    transfer->pattern_bytes = pattern_bytes;
    transfer->command.run = bytes > 0 ? run_fill : NULL;
    return command_submit(&transfer->command, false, event);
}

cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern,
                                       size_t pattern_bytes, size_t offset, size_t bytes,
                                       cl_uint count, const cl_event *events, cl_event *event)
{
    driver_enter();
    return driver_return(enqueue_fill(queue, buffer, pattern, pattern_bytes, offset, bytes,
                                      (struct wait_list){count, events}, event));
}

/* ---- Migrate: there is one device, and the bytes are there ---- */

static cl_int enqueue_migrate(cl_command_queue queue, cl_uint memory_count, const cl_mem *memories,
                              cl_mem_migration_flags flags, struct wait_list waits, cl_event *event)
{
    const cl_mem_migration_flags known =
        CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    cl_int status = command_check(queue, waits);
    struct command *command;

    if (status != CL_SUCCESS)
        return status;
    if (memory_count == 0 || memories == NULL || (flags & ~known) != 0)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < memory_count; i++) {
        status = memory_check(queue, memories[i]);
        if (status != CL_SUCCESS)
            return status;
    }
    command = command_create(sizeof *command, queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, waits);
    return command_submit(command, false, event);
}

cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint memory_count,
                                              const cl_mem *memories, cl_mem_migration_flags flags,
                                              cl_uint count, const cl_event *events,
                                              cl_event *event)
{
    driver_enter();
    return driver_return(enqueue_migrate(queue, memory_count, memories, flags,
                                         (struct wait_list){count, events}, event));
}
