/* SPDX-License-Identifier: MIT */
/*
 * Mapping. The program sees a mapped buffer through its shadow: host memory as large as the whole
 * (root) buffer, so that maps of the same bytes, through sub-buffers too, have the same address.
 * With CL_MEM_USE_HOST_PTR the shadow is the program's own memory (host_pointer.c), for an SVM
 * buffer it is the allocation itself. A map brings bytes from the device, an unmap takes them back
 * if the map was for writing.
 */
#include <stdlib.h>

#include "base/bits.h"
#include "opencl/driver.h"
#include "opencl/host_pointer.h"

enum { SHADOW_ALIGN_BYTES = 4096 };

struct map_command {
    struct command command;
    cl_mem root;
    size_t offset, bytes;
    cl_map_flags flags;
    bool is_unmap;
};

static struct map_command *map_of(struct command *command)
{
    return container_of(command, struct map_command, command);
}

static bool ensure_shadow(cl_mem root)
{
    if (root->shadow != NULL)
        return true;
    root->shadow = aligned_alloc(SHADOW_ALIGN_BYTES, align_up(root->bytes, SHADOW_ALIGN_BYTES));
    if (root->shadow != NULL && (root->flags & CL_MEM_ALLOC_HOST_PTR) != 0)
        pinned_add(root);
    return root->shadow != NULL;
}

/* Pinned memory stays, as the program asked for it. */
static void release_shadow(cl_mem root)
{
    if (--root->shadow_users > 0 || root->host_pointer != NULL ||
        (root->flags & CL_MEM_ALLOC_HOST_PTR) != 0)
        return;
    free(root->shadow);
    root->shadow = NULL;
}

static enum machine_transfer map_transfer(const struct map_command *map)
{
    const cl_mem_flags is_pinned = CL_MEM_ALLOC_HOST_PTR | CL_MEM_USE_HOST_PTR;

    return (map->root->flags & is_pinned) != 0 ? TRANSFER_PINNED : TRANSFER_PAGEABLE;
}

static cl_int run_map(struct command *command)
{
    struct map_command *map = map_of(command);
    bool is_invalidating = (map->flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0;
    /* Invalidated bytes are undefined, but the same every time. */
    enum machine_transfer transfer = is_invalidating ? TRANSFER_UNTIMED : map_transfer(map);

    if (map->root->is_svm)
        svm_to_host(map->root->addr + map->offset, map->bytes, transfer);
    else if (map->root->seen != NULL)
        host_pointer_map(map->root, map->offset, map->bytes, transfer);
    else
        machine_read(session_machine(), map->root->addr + map->offset,
                     map->root->shadow + map->offset, map->bytes, transfer);
    return CL_SUCCESS;
}

static cl_int run_unmap(struct command *command)
{
    struct map_command *map = map_of(command);

    if ((map->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) == 0)
        return CL_SUCCESS;
    if (map->root->is_svm)
        svm_to_device(map->root->addr + map->offset, map->bytes, map_transfer(map));
    else if (map->root->seen != NULL)
        host_pointer_unmap(map->root, map->offset, map->bytes, map_transfer(map));
    else
        machine_write(session_machine(), map->root->addr + map->offset,
                      map->root->shadow + map->offset, map->bytes, map_transfer(map));
    return CL_SUCCESS;
}

static void map_finish(struct command *command)
{
    struct map_command *map = map_of(command);

    if (map->is_unmap && !map->root->is_svm)
        release_shadow(map->root);
    object_drop(&map->root->object);
}

static struct map_command *map_create(cl_command_queue queue, cl_command_type type,
                                      struct wait_list waits, const struct mapping *mapping)
{
    struct map_command *map = command_create(sizeof *map, queue, type, waits);

    map->root = buffer_root(mapping->owner);
    object_use(&map->root->object);
    map->offset = mapping->offset;
    map->bytes = mapping->bytes;
    map->flags = mapping->flags;
    map->command.finish = map_finish;
    return map;
}

static cl_int check_map(cl_command_queue queue, cl_mem buffer, cl_map_flags flags, size_t offset,
                        size_t bytes, struct wait_list waits)
{
    const cl_map_flags writes = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    cl_int status = command_check(queue, waits);

    if (status == CL_SUCCESS)
        status = buffer_check(queue, buffer);
    if (status == CL_SUCCESS)
        status = buffer_check_range(buffer, offset, bytes);
    if (status != CL_SUCCESS)
        return status;
    if (bytes == 0)
        return refusal(CL_INVALID_VALUE, NULL, "0 bytes are mapped");
    if ((flags & ~(CL_MAP_READ | writes)) != 0 || ((flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0 &&
                                                   (flags & (CL_MAP_READ | CL_MAP_WRITE)) != 0))
        return refusal(CL_INVALID_VALUE, NULL,
                       "the flags 0x%llx exclude each other, or are unknown",
                       (unsigned long long)flags);
    return buffer_check_host(buffer, ((flags & CL_MAP_READ) != 0 ? FORBIDS_READING : 0) |
                                         ((flags & writes) != 0 ? FORBIDS_WRITING : 0));
}

static struct mapping *mapping_add(cl_mem buffer, cl_map_flags flags, size_t offset, size_t bytes)
{
    cl_mem root = buffer_root(buffer);
    struct mapping *mapping = allocate(1, sizeof *mapping);
    unsigned char *base = root->is_svm ? (unsigned char *)(uintptr_t)root->addr : root->shadow;

    *mapping = (struct mapping){.next = root->mappings,
                                .owner = buffer,
                                .offset = buffer->origin + offset,
                                .bytes = bytes,
                                .flags = flags};
    mapping->pointer = base + mapping->offset;
    root->mappings = mapping;
    return mapping;
}

static cl_int enqueue_map(cl_command_queue queue, cl_mem buffer, bool is_blocking,
                          cl_map_flags flags, size_t offset, size_t bytes, struct wait_list waits,
                          cl_event *event, void **pointer)
{
    cl_int status = check_map(queue, buffer, flags, offset, bytes, waits);
    struct map_command *map;
    struct mapping *mapping;

    if (status != CL_SUCCESS)
        return status;
    if (!buffer_root(buffer)->is_svm && !ensure_shadow(buffer_root(buffer)))
        return CL_MAP_FAILURE;
    buffer_root(buffer)->shadow_users++;
    mapping = mapping_add(buffer, flags, offset, bytes);
    *pointer = mapping->pointer;
    map = map_create(queue, CL_COMMAND_MAP_BUFFER, waits, mapping);
    map->command.run = run_map;
    return command_submit(&map->command, is_blocking, event);
}

void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool is_blocking,
                                     cl_map_flags flags, size_t offset, size_t bytes, cl_uint count,
                                     const cl_event *events, cl_event *event, cl_int *status_place)
{
    void *pointer = NULL;
    cl_int status;

    driver_enter();
    status = enqueue_map(queue, buffer, is_blocking != CL_FALSE, flags, offset, bytes,
                         (struct wait_list){count, events}, event, &pointer);
    return driver_return_object(status_place, status, pointer);
}

static struct mapping **find_mapping(cl_mem memory, const void *pointer)
{
    struct mapping **link = &buffer_root(memory)->mappings;

    while (*link != NULL && ((*link)->owner != memory || (*link)->pointer != pointer))
        link = &(*link)->next;
    return link;
}

static cl_int enqueue_unmap(cl_command_queue queue, cl_mem memory, void *pointer,
                            struct wait_list waits, cl_event *event)
{
    cl_int status = command_check(queue, waits);
    struct mapping **link, *mapping;
    struct map_command *map;

    if (status == CL_SUCCESS)
        status = buffer_check(queue, memory);
    if (status != CL_SUCCESS)
        return status;
    link = find_mapping(memory, pointer);
    mapping = *link;
    if (mapping == NULL)
        return refusal(CL_INVALID_VALUE, NULL, "the pointer is not what a map of this buffer gave");
    map = map_create(queue, CL_COMMAND_UNMAP_MEM_OBJECT, waits, mapping);
    map->is_unmap = true;
    map->command.run = run_unmap;
    *link = mapping->next;
    free(mapping);
    return command_submit(&map->command, false, event);
}

cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memory, void *pointer,
                                           cl_uint count, const cl_event *events, cl_event *event)
{
    driver_enter();
    return driver_return(
        enqueue_unmap(queue, memory, pointer, (struct wait_list){count, events}, event));
}
