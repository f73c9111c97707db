/* SPDX-License-Identifier: MIT */
/* What all memory objects have: references, queries, checks before use. */
#include "base/bits.h"
#include "opencl/image.h"

cl_int CL_API_CALL clRetainMemObject(cl_mem memory)
{
    return object_retain(memory, OBJECT_MEMORY, CL_INVALID_MEM_OBJECT);
}

cl_int CL_API_CALL clReleaseMemObject(cl_mem memory)
{
    return object_release(memory, OBJECT_MEMORY, CL_INVALID_MEM_OBJECT);
}

static cl_uint map_count(cl_mem memory)
{
    cl_mem root = buffer_root(memory);
    cl_uint count = 0;

    for (const struct mapping *mapping = root->mappings; mapping != NULL; mapping = mapping->next)
        count += mapping->owner == memory;
    return count;
}

static cl_int memory_info(cl_mem memory, cl_mem_info name, const struct query *query)
{
    bool is_image = memory->image != NULL;

    switch (name) {
    case CL_MEM_TYPE:
        return answer_uint(query, is_image ? memory->image->type : CL_MEM_OBJECT_BUFFER);
    case CL_MEM_FLAGS:
        return answer_ulong(query, memory->flags);
    case CL_MEM_SIZE:
        return answer_size(query, memory->bytes);
    case CL_MEM_HOST_PTR:
        return answer_pointer(query, memory->host_pointer);
    case CL_MEM_MAP_COUNT:
        return answer_uint(query, map_count(memory));
    case CL_MEM_REFERENCE_COUNT:
        return answer_uint(query, memory->object.references);
    case CL_MEM_CONTEXT:
        return answer_pointer(query, memory->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        return answer_pointer(query, is_image ? memory->image->buffer : memory->parent);
    case CL_MEM_OFFSET:
        return answer_size(query, is_image ? 0 : memory->origin);
    case CL_MEM_USES_SVM_POINTER:
        return answer_uint(query, memory->is_svm);
    case CL_MEM_PROPERTIES:
        return answer_properties(query, memory->properties);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clGetMemObjectInfo(cl_mem memory, cl_mem_info name, size_t size, void *value,
                                      size_t *size_return)
{
    struct query query = {size, value, size_return};
    cl_int status = CL_INVALID_MEM_OBJECT;

    driver_enter();
    if (object_is(memory, OBJECT_MEMORY))
        status = memory_info(memory, name, &query);
    return driver_return(status);
}

cl_int CL_API_CALL clSetMemObjectDestructorCallback(cl_mem memory,
                                                    void(CL_CALLBACK *function)(cl_mem, void *),
                                                    void *data)
{
    cl_int status = CL_SUCCESS;

    driver_enter();
    if (!object_is(memory, OBJECT_MEMORY))
        status = CL_INVALID_MEM_OBJECT;
    else if (function == NULL)
        status = CL_INVALID_VALUE;
    else
        destructor_add(&memory->destructors, (void (*)(void))function, data);
    return driver_return(status);
}

cl_int memory_check(cl_command_queue queue, cl_mem memory)
{
    if (!object_is(memory, OBJECT_MEMORY))
        return refusal(CL_INVALID_MEM_OBJECT, NULL, "the buffer is none, or was released");
    if (memory->context != queue->context)
        return refusal(CL_INVALID_CONTEXT, NULL, "buffer and queue are of different contexts");
    return CL_SUCCESS;
}

cl_int buffer_check(cl_command_queue queue, cl_mem memory)
{
    if (object_is(memory, OBJECT_MEMORY) && memory->image != NULL)
        return refusal(CL_INVALID_MEM_OBJECT, NULL, "an image stands where a buffer is wanted");
    return memory_check(queue, memory);
}

cl_int buffer_check_host(cl_mem memory, cl_mem_flags forbidding)
{
    if ((memory->flags & forbidding) == 0)
        return CL_SUCCESS;
    return refusal(CL_INVALID_OPERATION, NULL, "the memory object was made with CL_MEM_HOST_%s",
                   (memory->flags & CL_MEM_HOST_NO_ACCESS) != 0   ? "NO_ACCESS"
                   : (memory->flags & CL_MEM_HOST_READ_ONLY) != 0 ? "READ_ONLY"
                                                                  : "WRITE_ONLY");
}

cl_int buffer_check_range(cl_mem memory, size_t offset, size_t bytes)
{
    if (offset <= memory->bytes && bytes <= memory->bytes - offset)
        return CL_SUCCESS;
    return refusal(CL_INVALID_VALUE, NULL, "%zu bytes at %zu of a buffer of %zu", bytes, offset,
                   memory->bytes);
}
