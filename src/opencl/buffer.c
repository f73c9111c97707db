/* SPDX-License-Identifier: MIT */
/* Buffers and sub-buffers as objects, and the memory of images. Their bytes are device memory; what
 * the host sees of them is in transfer.c and map.c. */
#include <stdlib.h>

#include "base/bits.h"
#include "opencl/driver.h"
#include "opencl/host_pointer.h"
#include "opencl/image.h"

static cl_mem pinned; /* buffers with CL_MEM_ALLOC_HOST_PTR, whose mapped memory transfers at the
                         pinned rate */

void pinned_add(cl_mem memory)
{
    memory->next_pinned = pinned;
    pinned = memory;
}

void pinned_remove(cl_mem memory)
{
    cl_mem *link = &pinned;

    while (*link != NULL && *link != memory)
        link = &(*link)->next_pinned;
    if (*link != NULL)
        *link = memory->next_pinned;
}

enum machine_transfer host_memory_transfer(const void *pointer, size_t bytes)
{
    const unsigned char *first = pointer;

    for (cl_mem memory = pinned; memory != NULL; memory = memory->next_pinned)
        if (first >= memory->shadow && first < memory->shadow + memory->bytes &&
            bytes <= memory->bytes - (size_t)(first - memory->shadow))
            return TRANSFER_PINNED;
    return TRANSFER_PAGEABLE;
}

static void memory_destroy(struct object *object)
{
    cl_mem memory = container_of(object, struct _cl_mem, object);

    destructors_notify(memory->destructors, memory);
    pinned_remove(memory);
    host_pointer_release(memory);
    while (memory->mappings != NULL) {
        struct mapping *next = memory->mappings->next;

        free(memory->mappings);
        memory->mappings = next;
    }
    if (memory->image != NULL)
        image_release(memory->image);
    if (memory->host_pointer == NULL)
        free(memory->shadow);
    if (memory->parent != NULL)
        object_drop(&memory->parent->object);
    else if (!memory->is_svm)
        machine_free(session_machine(), memory->addr);
    object_drop(&memory->context->object);
    free(memory->properties);
    object_free(&memory->object);
}

static bool is_one_at_most(cl_mem_flags flags)
{
    return (flags & (flags - 1)) == 0;
}

cl_int buffer_check_flags(cl_mem_flags flags)
{
    const cl_mem_flags device = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    const cl_mem_flags place = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    const cl_mem_flags host =
        CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

    if ((flags & ~(device | place | host)) != 0)
        return CL_INVALID_VALUE;
    if (!is_one_at_most(flags & device) || !is_one_at_most(flags & host))
        return CL_INVALID_VALUE;
    if ((flags & CL_MEM_USE_HOST_PTR) != 0 && !is_one_at_most(flags & place))
        return CL_INVALID_VALUE;
    return CL_SUCCESS;
}

cl_int memory_check_flags(cl_mem_flags flags)
{
    if (buffer_check_flags(flags) == CL_SUCCESS)
        return CL_SUCCESS;
    return refusal(CL_INVALID_VALUE, NULL, "the flags 0x%llx exclude each other, or are unknown",
                   (unsigned long long)flags);
}

cl_int memory_check_host_pointer(cl_mem_flags flags, const void *host_pointer)
{
    bool wants_pointer = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0;

    if (wants_pointer == (host_pointer != NULL))
        return CL_SUCCESS;
    return refusal(CL_INVALID_HOST_PTR, NULL,
                   "host_ptr is %s, and the flags 0x%llx have %s of CL_MEM_USE_HOST_PTR and "
                   "CL_MEM_COPY_HOST_PTR",
                   host_pointer != NULL ? "given" : "NULL", (unsigned long long)flags,
                   wants_pointer ? "one" : "neither");
}

static cl_int check_new_buffer(cl_context context, cl_mem_flags flags, size_t bytes,
                               const void *host_pointer)
{
    struct device_facts facts;
    cl_int status;

    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    status = memory_check_flags(flags);
    if (status != CL_SUCCESS)
        return status;
    if (!session_facts(&facts))
        return CL_OUT_OF_RESOURCES;
    if (bytes == 0 || bytes > device_max_allocation(&facts))
        return refusal(CL_INVALID_BUFFER_SIZE, NULL,
                       "%zu bytes; a buffer has 1 to %llu (CL_DEVICE_MAX_MEM_ALLOC_SIZE, 7/16 of "
                       "gpu.memory_mb)",
                       bytes, (unsigned long long)device_max_allocation(&facts));
    return memory_check_host_pointer(flags, host_pointer);
}

/* An SVM allocation that is made a buffer of stays where it is. */
static bool place_memory(cl_mem memory, cl_mem_flags flags, void *host_pointer, const char *kind)
{
    static uint32_t number;
    struct machine *machine = session_machine();
    char name[48];

    if ((flags & CL_MEM_USE_HOST_PTR) != 0 && svm_find(host_pointer, memory->bytes) != NULL) {
        memory->is_svm = true;
        memory->addr = (uint64_t)(uintptr_t)host_pointer;
        return true;
    }
    snprintf(name, sizeof name, "%s %u", kind, number++);
    memory->addr = machine_allocate(machine, memory->bytes, MEMORY_ALIGN_BYTES, name);
    if (memory->addr != 0 && host_pointer != NULL)
        machine_write(machine, memory->addr, host_pointer, memory->bytes,
                      host_memory_transfer(host_pointer, memory->bytes));
    return memory->addr != 0;
}

cl_int memory_create(cl_context context, cl_mem_flags flags, size_t bytes, void *host_pointer,
                     const char *kind, cl_mem *place)
{
    cl_mem memory = allocate(1, sizeof *memory);

    memory->bytes = bytes;
    if (!place_memory(memory, flags, host_pointer, kind)) {
        free(memory);
        return refusal(CL_MEM_OBJECT_ALLOCATION_FAILURE, NULL,
                       "%zu bytes do not fit into what is left of device memory (gpu.memory_mb)",
                       bytes);
    }
    object_init(&memory->object, OBJECT_MEMORY, memory_destroy);
    memory->context = context;
    object_use(&context->object);
    memory->flags =
        (flags & (CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)) != 0 ? flags : flags | CL_MEM_READ_WRITE;
    if ((flags & CL_MEM_USE_HOST_PTR) != 0)
        memory->host_pointer = memory->shadow = host_pointer;
    if (memory->host_pointer != NULL && !memory->is_svm)
        host_pointer_keep(memory);
    *place = memory;
    return CL_SUCCESS;
}

cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes,
                                  void *host_pointer, cl_int *status_place)
{
    cl_mem memory = NULL;
    cl_int status;

    driver_enter();
    status = check_new_buffer(context, flags, bytes, host_pointer);
    if (status == CL_SUCCESS)
        status = memory_create(context, flags, bytes, host_pointer, "buffer", &memory);
    return driver_return_object(status_place, status, memory);
}

cl_mem CL_API_CALL clCreateBufferWithProperties(cl_context context,
                                                const cl_mem_properties *properties,
                                                cl_mem_flags flags, size_t bytes,
                                                void *host_pointer, cl_int *status_place)
{
    cl_mem memory = NULL;
    cl_int status;

    driver_enter();
    status = check_new_buffer(context, flags, bytes, host_pointer);
    if (status == CL_SUCCESS && properties != NULL && properties[0] != 0)
        status = CL_INVALID_PROPERTY; /* none is defined for buffers */
    if (status == CL_SUCCESS)
        status = memory_create(context, flags, bytes, host_pointer, "buffer", &memory);
    if (status == CL_SUCCESS)
        memory->properties = properties_copy(properties);
    return driver_return_object(status_place, status, memory);
}

/* ---- Sub-buffers ---- */

static cl_int check_sub_flags(const struct _cl_mem *parent, cl_mem_flags flags)
{
    const cl_mem_flags place = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    const cl_mem_flags reads = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY;
    const cl_mem_flags writes = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY;

    if (buffer_check_flags(flags) != CL_SUCCESS || (flags & place) != 0)
        return CL_INVALID_VALUE;
    if (((parent->flags & CL_MEM_WRITE_ONLY) != 0 && (flags & reads) != 0) ||
        ((parent->flags & CL_MEM_READ_ONLY) != 0 && (flags & writes) != 0))
        return CL_INVALID_VALUE;
    if (((parent->flags & CL_MEM_HOST_WRITE_ONLY) != 0 && (flags & CL_MEM_HOST_READ_ONLY) != 0) ||
        ((parent->flags & CL_MEM_HOST_READ_ONLY) != 0 && (flags & CL_MEM_HOST_WRITE_ONLY) != 0) ||
        ((parent->flags & CL_MEM_HOST_NO_ACCESS) != 0 &&
         (flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)) != 0))
        return CL_INVALID_VALUE;
    return CL_SUCCESS;
}

cl_int memory_check_window_flags(const struct _cl_mem *parent, cl_mem_flags flags)
{
    if (check_sub_flags(parent, flags) == CL_SUCCESS)
        return CL_SUCCESS;
    return refusal(CL_INVALID_VALUE, NULL, "the flags 0x%llx do not go with the parent's 0x%llx",
                   (unsigned long long)flags, (unsigned long long)parent->flags);
}

static cl_int check_sub_buffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type,
                               const cl_buffer_region *region)
{
    cl_int status;

    if (!object_is(parent, OBJECT_MEMORY) || parent->parent != NULL || parent->image != NULL)
        return refusal(CL_INVALID_MEM_OBJECT, NULL,
                       "the parent is no buffer, or was released, or is a sub-buffer itself");
    status = memory_check_window_flags(parent, flags);
    if (status != CL_SUCCESS)
        return status;
    if (type != CL_BUFFER_CREATE_TYPE_REGION || region == NULL)
        return CL_INVALID_VALUE;
    if (region->origin > parent->bytes || region->size > parent->bytes - region->origin)
        return refusal(CL_INVALID_VALUE, NULL, "%zu bytes at %zu of a buffer of %zu", region->size,
                       region->origin, parent->bytes);
    if (region->size == 0)
        return refusal(CL_INVALID_BUFFER_SIZE, NULL, "a sub-buffer of 0 bytes");
    if (region->origin % MEMORY_ALIGN_BYTES == 0)
        return CL_SUCCESS;
    return refusal(CL_MISALIGNED_SUB_BUFFER_OFFSET, NULL,
                   "the origin %zu is no multiple of %d bytes (CL_DEVICE_MEM_BASE_ADDR_ALIGN, in "
                   "bits)",
                   region->origin, MEMORY_ALIGN_BYTES);
}

/* What the flags leave open is the parent's. */
static cl_mem_flags inherit_flags(cl_mem_flags flags, cl_mem_flags parent)
{
    const cl_mem_flags device = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    const cl_mem_flags host =
        CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

    if ((flags & device) == 0)
        flags |= parent & device;
    if ((flags & host) == 0)
        flags |= parent & host;
    return flags | (parent & ~(device | host));
}

cl_mem memory_window(cl_mem buffer, cl_mem_flags flags, size_t offset, size_t bytes)
{
    cl_mem memory = allocate(1, sizeof *memory), parent = buffer_root(buffer);

    object_init(&memory->object, OBJECT_MEMORY, memory_destroy);
    memory->context = parent->context;
    object_use(&memory->context->object);
    memory->parent = parent;
    object_use(&parent->object);
    memory->origin = buffer->origin + offset;
    memory->bytes = bytes;
    memory->addr = buffer->addr + offset;
    memory->is_svm = parent->is_svm;
    memory->flags = inherit_flags(flags, buffer->flags);
    if (parent->host_pointer != NULL)
        memory->host_pointer = (unsigned char *)parent->host_pointer + memory->origin;
    return memory;
}

cl_mem CL_API_CALL clCreateSubBuffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type,
                                     const void *region, cl_int *status_place)
{
    cl_mem memory = NULL;
    cl_int status;

    driver_enter();
    status = check_sub_buffer(parent, flags, type, region);
    if (status == CL_SUCCESS)
        memory = memory_window(parent, flags, ((const cl_buffer_region *)region)->origin,
                               ((const cl_buffer_region *)region)->size);
    return driver_return_object(status_place, status, memory);
}
