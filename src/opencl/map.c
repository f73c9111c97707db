/* SPDX-License-Identifier: MIT */
/*
 * Mapping. The program sees a mapped buffer through its shadow: host memory as large as the whole
 * (root) buffer. So maps of the same bytes, through sub-buffers too, have the same address. Images
 * are mapped likewise: their rows lie in the shadow as they do on the device.
 * With CL_MEM_USE_HOST_PTR the shadow is the program's own memory (host_pointer.c), for an SVM
 * buffer it is the allocation itself. A map brings bytes from the device, an unmap takes them back
 * if the map was for writing.
 */
#include <stdlib.h>

#include "base/bits.h"
#include "opencl/host_pointer.h"
#include "opencl/image.h"

enum { SHADOW_ALIGN_BYTES = 4096 };

struct map_command {
    struct command command;
    cl_mem root;
    struct mapping mapping; /* a copy */
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

static void bring_row(cl_mem root, size_t offset, size_t bytes)
{
    if (root->is_svm)
        svm_to_host(root->addr + offset, bytes, TRANSFER_UNTIMED);
    else if (root->seen != NULL)
        host_pointer_map(root, offset, bytes, TRANSFER_UNTIMED);
    else
        machine_read(session_machine(), root->addr + offset, root->shadow + offset, bytes,
                     TRANSFER_UNTIMED);
}

static void take_row(cl_mem root, size_t offset, size_t bytes)
{
    if (root->is_svm)
        svm_to_device(root->addr + offset, bytes, TRANSFER_UNTIMED);
    else if (root->seen != NULL)
        host_pointer_unmap(root, offset, bytes, TRANSFER_UNTIMED);
    else
        machine_write(session_machine(), root->addr + offset, root->shadow + offset, bytes,
                      TRANSFER_UNTIMED);
}

static void move_rows(const struct map_command *map,
                      void (*move)(cl_mem root, size_t offset, size_t bytes))
{
    const struct mapping *m = &map->mapping;

    for (size_t slice = 0; slice < m->slices; slice++)
        for (size_t row = 0; row < m->rows; row++)
            move(map->root, m->offset + slice * m->slice_pitch + row * m->row_pitch, m->bytes);
}

static void charge_rows(const struct map_command *map)
{
    const struct mapping *m = &map->mapping;

    machine_charge_transfer(session_machine(), (uint64_t)m->bytes * m->rows * m->slices,
                            map_transfer(map));
}

/* Invalidated bytes are undefined, but the same every time. */
static cl_int run_map(struct command *command)
{
    struct map_command *map = map_of(command);

    move_rows(map, bring_row);
    if ((map->mapping.flags & CL_MAP_WRITE_INVALIDATE_REGION) == 0)
        charge_rows(map);
    return CL_SUCCESS;
}

static cl_int run_unmap(struct command *command)
{
    struct map_command *map = map_of(command);

    if ((map->mapping.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) == 0)
        return CL_SUCCESS;
    move_rows(map, take_row);
    charge_rows(map);
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
    map->mapping = *mapping;
    map->command.finish = map_finish;
    return map;
}

static cl_int check_flags(cl_mem memory, cl_map_flags flags)
{
    const cl_map_flags writes = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

    if ((flags & ~(CL_MAP_READ | writes)) != 0 || ((flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0 &&
                                                   (flags & (CL_MAP_READ | CL_MAP_WRITE)) != 0))
        return refusal(CL_INVALID_VALUE, NULL,
                       "the flags 0x%llx exclude each other, or are unknown",
                       (unsigned long long)flags);
    return buffer_check_host(memory, ((flags & CL_MAP_READ) != 0 ? FORBIDS_READING : 0) |
                                         ((flags & writes) != 0 ? FORBIDS_WRITING : 0));
}

/* `mapping` is checked, but for its flags; its offset counts in its owner. */
static cl_int enqueue_map(cl_command_queue queue, cl_command_type type, bool is_blocking,
                          const struct mapping *wanted, struct wait_list waits, cl_event *event,
                          void **pointer)
{
    cl_mem root = buffer_root(wanted->owner);
    cl_int status = check_flags(wanted->owner, wanted->flags);
    struct map_command *map;
    struct mapping *mapping;

    if (status != CL_SUCCESS)
        return status;
    if (!root->is_svm && !ensure_shadow(root))
        return CL_MAP_FAILURE;
    root->shadow_users++;
    mapping = allocate(1, sizeof *mapping);
    *mapping = *wanted;
    mapping->next = root->mappings;
    root->mappings = mapping;
    mapping->offset += wanted->owner->origin;
    mapping->pointer =
        (root->is_svm ? (unsigned char *)(uintptr_t)root->addr : root->shadow) + mapping->offset;
    *pointer = mapping->pointer;
    map = map_create(queue, type, waits, mapping);
    map->command.run = run_map;
    return command_submit(&map->command, is_blocking, event);
}

static cl_int check_buffer(cl_command_queue queue, const struct mapping *wanted,
                           struct wait_list waits)
{
    cl_int status = command_check(queue, waits);

    if (status == CL_SUCCESS)
        status = buffer_check(queue, wanted->owner);
    if (status == CL_SUCCESS)
        status = buffer_check_range(wanted->owner, wanted->offset, wanted->bytes);
    if (status != CL_SUCCESS || wanted->bytes > 0)
        return status;
    return refusal(CL_INVALID_VALUE, NULL, "0 bytes are mapped");
}

void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool is_blocking,
                                     cl_map_flags flags, size_t offset, size_t bytes, cl_uint count,
                                     const cl_event *events, cl_event *event, cl_int *status_place)
{
    struct mapping wanted = {
        .owner = buffer, .offset = offset, .bytes = bytes, .rows = 1, .slices = 1, .flags = flags};
    struct wait_list waits = {count, events};
    void *pointer = NULL;
    cl_int status;

    driver_enter();
    status = check_buffer(queue, &wanted, waits);
    if (status == CL_SUCCESS)
        status = enqueue_map(queue, CL_COMMAND_MAP_BUFFER, is_blocking != CL_FALSE, &wanted, waits,
                             event, &pointer);
    return driver_return_object(status_place, status, pointer);
}

struct image_place {
    const size_t *origin, *region;
    size_t *row_pitch, *slice_pitch; /* answers; slice_pitch may be NULL for images without */
};

static cl_int check_image(cl_command_queue queue, struct mapping *wanted,
                          const struct image_place *place, struct wait_list waits)
{
    cl_int status = command_check(queue, waits);
    bool has_slices;
    struct box box;
    size_t region[3];

    if (status == CL_SUCCESS)
        status = image_check(queue, wanted->owner);
    if (status == CL_SUCCESS)
        status = image_box(wanted->owner, place->origin, place->region, &box, region);
    if (status != CL_SUCCESS)
        return status;
    has_slices =
        wanted->owner->image->type == CL_MEM_OBJECT_IMAGE3D || image_is_array(wanted->owner->image);
    if (place->row_pitch == NULL || (has_slices && place->slice_pitch == NULL))
        return refusal(CL_INVALID_VALUE, NULL, "there is no place for a pitch of the image");
    wanted->offset = box_offset(&box, 0, 0);
    wanted->bytes = region[0];
    wanted->rows = region[1];
    wanted->slices = region[2];
    wanted->row_pitch = box.row_pitch;
    wanted->slice_pitch = box.slice_pitch;
    *place->row_pitch = box.row_pitch;
    if (place->slice_pitch != NULL)
        *place->slice_pitch = has_slices ? box.slice_pitch : 0;
    return CL_SUCCESS;
}

void *CL_API_CALL clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool is_blocking,
                                    cl_map_flags flags, const size_t *origin, const size_t *region,
                                    size_t *row_pitch, size_t *slice_pitch, cl_uint count,
                                    const cl_event *events, cl_event *event, cl_int *status_place)
{
    struct image_place place = {origin, region, row_pitch, slice_pitch};
    struct mapping wanted = {.owner = image, .flags = flags};
    struct wait_list waits = {count, events};
    void *pointer = NULL;
    cl_int status;

    driver_enter();
    status = check_image(queue, &wanted, &place, waits);
    if (status == CL_SUCCESS)
        status = enqueue_map(queue, CL_COMMAND_MAP_IMAGE, is_blocking != CL_FALSE, &wanted, waits,
                             event, &pointer);
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
        status = memory_check(queue, memory);
    if (status != CL_SUCCESS)
        return status;
    link = find_mapping(memory, pointer);
    mapping = *link;
    if (mapping == NULL)
        return refusal(CL_INVALID_VALUE, NULL, "the pointer is not what a map of this object gave");
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
