/* SPDX-License-Identifier: MIT */
/*
 * Shared virtual memory: device memory whose host address is its device address. It works where
 * the machine's memory could be had at that address, and is refused elsewhere. The host writes
 * behind the caches, so mapping and unmapping move the bytes through the memory system in either
 * direction, like any transfer.
 *
 * Fine-grained buffers need no maps. Before each command what the host wrote goes to the device,
 * and after each command what it wrote comes to the host. What was written is found byte by byte,
 * by comparison with what both had (`seen`). So either sees the other's bytes where OpenCL
 * synchronizes them, and bytes that both write at one time stay apart. What goes to the device is
 * charged as a pinned transfer; what comes back costs nothing. Atomics between host and device
 * (CL_MEM_SVM_ATOMICS) would need the host while a kernel runs, and are refused.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "opencl/driver.h"

static struct svm_block *blocks;

struct svm_block *svm_find(const void *pointer, size_t bytes)
{
    uint64_t addr = (uint64_t)(uintptr_t)pointer;

    for (struct svm_block *block = blocks; block != NULL; block = block->next)
        if (addr >= block->addr && addr < block->addr + block->bytes &&
            bytes <= block->bytes - (addr - block->addr))
            return block;
    return NULL;
}

/* Through a copy: while the machine takes dirty lines back, the bytes on the host's side change. */
void svm_to_host(uint64_t addr, size_t bytes, enum machine_transfer transfer)
{
    void *copy = allocate(bytes, 1);

    machine_read(session_machine(), addr, copy, bytes, transfer);
    memcpy((void *)(uintptr_t)addr, copy, bytes);
    free(copy);
}

void svm_to_device(uint64_t addr, size_t bytes, enum machine_transfer transfer)
{
    void *copy = allocate(bytes, 1);

    memcpy(copy, (void *)(uintptr_t)addr, bytes);
    machine_write(session_machine(), addr, copy, bytes, transfer);
    free(copy);
}

/* ---- Fine-grained buffers ---- */

enum { PIECE_BYTES = 64 };

static size_t piece_bytes(const struct svm_block *block, size_t at)
{
    return block->bytes - at < PIECE_BYTES ? block->bytes - at : PIECE_BYTES;
}

/* Sends the pieces in which the host changed something. */
static void block_to_device(struct svm_block *block)
{
    const unsigned char *host = (const unsigned char *)(uintptr_t)block->addr;

    for (size_t at = 0, next; at < block->bytes; at = next) {
        size_t first = at;

        next = at + piece_bytes(block, at);
        if (memcmp(host + at, block->seen + at, next - at) == 0)
            continue;
        for (at = next; at < block->bytes; at = next) {
            next = at + piece_bytes(block, at);
            if (memcmp(host + at, block->seen + at, next - at) == 0)
                break;
        }
        memcpy(block->seen + first, host + first, at - first);
        svm_to_device(block->addr + first, at - first, TRANSFER_PINNED);
        next = at;
    }
}

/* Where the device changed nothing, the host's bytes stay: it may have written them meanwhile. */
static void block_to_host(struct svm_block *block)
{
    unsigned char *host = (unsigned char *)(uintptr_t)block->addr;
    unsigned char *host_now = allocate(block->bytes, 1), *device_now = allocate(block->bytes, 1);

    memcpy(host_now, host, block->bytes);
    machine_read(session_machine(), block->addr, device_now, block->bytes, TRANSFER_UNTIMED);
    for (size_t i = 0; i < block->bytes; i++) {
        host[i] = device_now[i] != block->seen[i] ? device_now[i] : host_now[i];
        block->seen[i] = device_now[i];
    }
    free(host_now);
    free(device_now);
}

void svm_before_command(void)
{
    for (struct svm_block *block = blocks; block != NULL; block = block->next)
        if (block->seen != NULL)
            block_to_device(block);
}

void svm_after_command(void)
{
    for (struct svm_block *block = blocks; block != NULL; block = block->next)
        if (block->seen != NULL)
            block_to_host(block);
}

/* ---- Allocation ---- */

static bool is_known_allocation(cl_svm_mem_flags flags, size_t bytes, cl_uint align)
{
    const cl_svm_mem_flags device = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    struct device_facts facts;

    flags &= ~(cl_svm_mem_flags)CL_MEM_SVM_FINE_GRAIN_BUFFER;
    return (flags & ~device) == 0 && (flags & (flags - 1)) == 0 && bytes > 0 &&
           session_facts(&facts) && bytes <= device_max_allocation(&facts) &&
           (align == 0 || is_power_of_two(align)) && align <= 4096;
}

static void *svm_allocate(cl_context context, bool is_fine, size_t bytes, cl_uint align)
{
    static uint32_t number;
    struct svm_block *block;
    char name[48];
    uint64_t addr;

    snprintf(name, sizeof name, "shared memory %u", number++);
    addr = machine_allocate(session_machine(), bytes,
                            align > MEMORY_ALIGN_BYTES ? align : MEMORY_ALIGN_BYTES, name);
    if (addr == 0) {
        refusal(CL_MEM_OBJECT_ALLOCATION_FAILURE, NULL,
                "%zu bytes do not fit into what is left of device memory (gpu.memory_mb)", bytes);
        return NULL;
    }
    block = allocate(1, sizeof *block);
    *block = (struct svm_block){blocks, context, addr, bytes, NULL};
    if (is_fine) {
        block->seen = allocate(bytes, 1);
        machine_read(session_machine(), addr, block->seen, bytes, TRANSFER_UNTIMED);
    }
    blocks = block;
    object_use(&context->object);
    return (void *)(uintptr_t)addr;
}

void *CL_API_CALL clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t bytes,
                             unsigned int align)
{
    void *pointer = NULL;

    driver_enter();
    if (object_is(context, OBJECT_CONTEXT)) {
        if (!device_has_svm())
            refuse(__func__, "the machine's memory could not be had at its own address", 0);
        else if ((flags & CL_MEM_SVM_ATOMICS) != 0)
            refuse("clSVMAlloc with CL_MEM_SVM_ATOMICS",
                   "the host stands still while a kernel runs", 0);
        else if (is_known_allocation(flags, bytes, align))
            pointer =
                svm_allocate(context, (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) != 0, bytes, align);
        else
            refusal(
                CL_INVALID_VALUE, NULL,
                "%zu bytes aligned to %u with the flags 0x%llx; 1 byte to half of the memory, a "
                "power of two up to 4096, one of the flags for access",
                bytes, align, (unsigned long long)flags);
    }
    driver_leave();
    return pointer;
}

static void svm_free(void *pointer)
{
    struct svm_block **link = &blocks, *block;

    while (*link != NULL && (*link)->addr != (uint64_t)(uintptr_t)pointer)
        link = &(*link)->next;
    block = *link;
    if (block == NULL)
        return;
    *link = block->next;
    machine_free(session_machine(), block->addr);
    free(block->seen);
    object_drop(&block->context->object);
    free(block);
}

void CL_API_CALL clSVMFree(cl_context context, void *pointer)
{
    driver_enter();
    if (object_is(context, OBJECT_CONTEXT) && pointer != NULL)
        svm_free(pointer);
    driver_leave();
}

/* ---- Commands ---- */

static cl_int refuse_pointer(size_t bytes)
{
    return refusal(CL_INVALID_VALUE, NULL,
                   "the %zu bytes there are not all of one allocation of clSVMAlloc", bytes);
}

enum { LONGEST_PATTERN_BYTES = 128 };

struct svm_command {
    struct command command;
    void *target;
    const void *source;
    size_t bytes, pattern_bytes;
    unsigned char pattern[LONGEST_PATTERN_BYTES];
    void **pointers; /* clEnqueueSVMFree */
    cl_uint pointer_count;
    void (*function)(void);
    void *data;
};

static struct svm_command *svm_of(struct command *command)
{
    return container_of(command, struct svm_command, command);
}

static uint64_t addr_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

static cl_int submit_svm(struct svm_command *svm, cl_int (*run)(struct command *), bool is_blocking,
                         cl_event *event)
{
    svm->command.run = run;
    return command_submit(&svm->command, is_blocking, event);
}

static cl_int run_free(struct command *command)
{
    struct svm_command *svm = svm_of(command);

    if (svm->function == NULL) {
        for (cl_uint i = 0; i < svm->pointer_count; i++)
            svm_free(svm->pointers[i]);
        return CL_SUCCESS;
    }
    /* The callback frees the memory itself; it gets the list. */
    notification_call(&(struct notification){.kind = NOTIFY_SVM_FREE,
                                             .function = svm->function,
                                             .object = &command->event->queue->object,
                                             .handle = command->event->queue,
                                             .data = svm->data,
                                             .count = svm->pointer_count,
                                             .pointers = svm->pointers});
    svm->pointers = NULL;
    return CL_SUCCESS;
}

static void finish_free(struct command *command)
{
    free(svm_of(command)->pointers);
}

static cl_int enqueue_free(cl_command_queue queue, cl_uint pointer_count, void **pointers,
                           void (*function)(void), void *data, struct wait_list waits,
                           cl_event *event)
{
    cl_int status = command_check(queue, waits);
    struct svm_command *svm;

    if (status != CL_SUCCESS)
        return status;
    if ((pointer_count == 0) != (pointers == NULL))
        return CL_INVALID_VALUE;
    svm = command_create(sizeof *svm, queue, CL_COMMAND_SVM_FREE, waits);
    svm->pointers = allocate(pointer_count, sizeof *pointers);
    if (pointer_count > 0)
        memcpy(svm->pointers, pointers, pointer_count * sizeof *pointers);
    svm->pointer_count = pointer_count;
    svm->function = function;
    svm->data = data;
    svm->command.finish = finish_free;
    return submit_svm(svm, run_free, false, event);
}

cl_int CL_API_CALL clEnqueueSVMFree(cl_command_queue queue, cl_uint pointer_count, void **pointers,
                                    void(CL_CALLBACK *function)(cl_command_queue, cl_uint, void **,
                                                                void *),
                                    void *data, cl_uint count, const cl_event *events,
                                    cl_event *event)
{
    driver_enter();
    return driver_return(enqueue_free(queue, pointer_count, pointers, (void (*)(void))function,
                                      data, (struct wait_list){count, events}, event));
}

/* Either end may be ordinary host memory. */
static cl_int run_copy(struct command *command)
{
    struct svm_command *svm = svm_of(command);
    struct machine *machine = session_machine();
    bool from_device = svm_find(svm->source, svm->bytes) != NULL;
    bool to_device = svm_find(svm->target, svm->bytes) != NULL;

    if (from_device && to_device)
        machine_copy(machine, addr_of(svm->target), addr_of(svm->source), svm->bytes);
    else if (from_device)
        machine_read(machine, addr_of(svm->source), svm->target, svm->bytes, TRANSFER_PAGEABLE);
    else if (to_device)
        machine_write(machine, addr_of(svm->target), svm->source, svm->bytes, TRANSFER_PAGEABLE);
    else
        memcpy(svm->target, svm->source, svm->bytes);
    return CL_SUCCESS;
}

static cl_int enqueue_copy(cl_command_queue queue, bool is_blocking, void *target,
                           const void *source, size_t bytes, struct wait_list waits,
                           cl_event *event)
{
    cl_int status = command_check(queue, waits);
    struct svm_command *svm;

    if (status != CL_SUCCESS)
        return status;
    if (target == NULL || source == NULL)
        return CL_INVALID_VALUE;
    if (addr_of(target) < addr_of(source) + bytes && addr_of(source) < addr_of(target) + bytes)
        return refusal(CL_MEM_COPY_OVERLAP, NULL, "%zu bytes from and to overlap", bytes);
    svm = command_create(sizeof *svm, queue, CL_COMMAND_SVM_MEMCPY, waits);
    svm->target = target;
    svm->source = source;
    svm->bytes = bytes;
    return submit_svm(svm, run_copy, is_blocking, event);
}

cl_int CL_API_CALL clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool is_blocking, void *target,
                                      const void *source, size_t bytes, cl_uint count,
                                      const cl_event *events, cl_event *event)
{
    driver_enter();
    return driver_return(enqueue_copy(queue, is_blocking != CL_FALSE, target, source, bytes,
                                      (struct wait_list){count, events}, event));
}

static cl_int run_fill(struct command *command)
{
    struct svm_command *svm = svm_of(command);

    machine_fill(session_machine(), addr_of(svm->target), svm->pattern,
                 (uint32_t)svm->pattern_bytes, svm->bytes);
    return CL_SUCCESS;
}

static cl_int enqueue_fill(cl_command_queue queue, void *target, const void *pattern,
                           size_t pattern_bytes, size_t bytes, struct wait_list waits,
                           cl_event *event)
{
    cl_int status = command_check(queue, waits);
    struct svm_command *svm;

    if (status != CL_SUCCESS)
        return status;
    if (pattern == NULL || !is_power_of_two(pattern_bytes) ||
        pattern_bytes > LONGEST_PATTERN_BYTES || bytes % pattern_bytes != 0 ||
        addr_of(target) % pattern_bytes != 0)
        return refusal(CL_INVALID_VALUE, NULL,
                       "%zu bytes with a pattern of %zu: a pattern has 1, 2, 4 ... 128 bytes, and "
                       "size and address are multiples of it",
                       bytes, pattern_bytes);
    if (svm_find(target, bytes) == NULL)
        return refuse_pointer(bytes);
    svm = command_create(sizeof *svm, queue, CL_COMMAND_SVM_MEMFILL, waits);
    svm->target = target;
    svm->bytes = bytes;
    svm->pattern_bytes = pattern_bytes;
    memcpy(svm->pattern, pattern, pattern_bytes);
    return submit_svm(svm, run_fill, false, event);
}

cl_int CL_API_CALL clEnqueueSVMMemFill(cl_command_queue queue, void *target, const void *pattern,
                                       size_t pattern_bytes, size_t bytes, cl_uint count,
                                       const cl_event *events, cl_event *event)
{
    driver_enter();
    return driver_return(enqueue_fill(queue, target, pattern, pattern_bytes, bytes,
                                      (struct wait_list){count, events}, event));
}

static cl_int run_map(struct command *command)
{
    struct svm_command *svm = svm_of(command);

    svm_to_host(addr_of(svm->target), svm->bytes, TRANSFER_PINNED);
    return CL_SUCCESS;
}

static cl_int enqueue_map(cl_command_queue queue, bool is_blocking, cl_map_flags flags,
                          void *pointer, size_t bytes, struct wait_list waits, cl_event *event)
{
    const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    cl_int status = command_check(queue, waits);
    struct svm_command *svm;

    if (status != CL_SUCCESS)
        return status;
    if (pointer == NULL || bytes == 0 || (flags & ~known) != 0)
        return refusal(CL_INVALID_VALUE, NULL, "the pointer is NULL, the size 0 or a flag unknown");
    if (svm_find(pointer, bytes) == NULL)
        return refuse_pointer(bytes);
    svm = command_create(sizeof *svm, queue, CL_COMMAND_SVM_MAP, waits);
    svm->target = pointer;
    svm->bytes = bytes;
    return submit_svm(svm, run_map, is_blocking, event);
}

cl_int CL_API_CALL clEnqueueSVMMap(cl_command_queue queue, cl_bool is_blocking, cl_map_flags flags,
                                   void *pointer, size_t bytes, cl_uint count,
                                   const cl_event *events, cl_event *event)
{
    driver_enter();
    return driver_return(enqueue_map(queue, is_blocking != CL_FALSE, flags, pointer, bytes,
                                     (struct wait_list){count, events}, event));
}

/* How much was mapped is not said: from the pointer to the end of its allocation. */
static cl_int run_unmap(struct command *command)
{
    struct svm_command *svm = svm_of(command);
    const struct svm_block *block = svm_find(svm->target, 1);

    if (block != NULL)
        svm_to_device(addr_of(svm->target), block->addr + block->bytes - addr_of(svm->target),
                      TRANSFER_PINNED);
    return CL_SUCCESS;
}

static cl_int enqueue_unmap(cl_command_queue queue, void *pointer, struct wait_list waits,
                            cl_event *event)
{
    cl_int status = command_check(queue, waits);
    struct svm_command *svm;

    if (status != CL_SUCCESS)
        return status;
    if (svm_find(pointer, 1) == NULL)
        return refuse_pointer(1);
    svm = command_create(sizeof *svm, queue, CL_COMMAND_SVM_UNMAP, waits);
    svm->target = pointer;
    return submit_svm(svm, run_unmap, false, event);
}

cl_int CL_API_CALL clEnqueueSVMUnmap(cl_command_queue queue, void *pointer, cl_uint count,
                                     const cl_event *events, cl_event *event)
{
    driver_enter();
    return driver_return(enqueue_unmap(queue, pointer, (struct wait_list){count, events}, event));
}

static cl_int enqueue_migrate(cl_command_queue queue, cl_uint pointer_count, const void **pointers,
                              const size_t *sizes, struct wait_list waits, cl_event *event)
{
    cl_int status = command_check(queue, waits);
    struct svm_command *svm;

    if (status != CL_SUCCESS)
        return status;
    if (pointer_count == 0 || pointers == NULL)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < pointer_count; i++)
        if (svm_find(pointers[i], sizes != NULL && sizes[i] > 0 ? sizes[i] : 1) == NULL)
            return refuse_pointer(sizes != NULL && sizes[i] > 0 ? sizes[i] : 1);
    svm = command_create(sizeof *svm, queue, CL_COMMAND_SVM_MIGRATE_MEM, waits);
    return submit_svm(svm, NULL, false, event);
}

cl_int CL_API_CALL clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint pointer_count,
                                          const void **pointers, const size_t *sizes,
                                          cl_mem_migration_flags flags, cl_uint count,
                                          const cl_event *events, cl_event *event)
{
    driver_enter();
    return driver_return(enqueue_migrate(queue, pointer_count, pointers, sizes,
                                         (struct wait_list){count, events}, event));
}
