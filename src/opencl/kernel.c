/* SPDX-License-Identifier: MIT */
/* Kernel objects and their arguments. The argument segment is filled in as arguments are set;
 * __local offsets at the launch. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "opencl/image.h"

enum { UNKNOWN_LOCAL_ALIGN_BYTES = 16 };

const struct program_argument *kernel_argument(const struct _cl_kernel *kernel, cl_uint index)
{
    const struct program_kernel *information = kernel->information;

    return index < information->visible_argument_count ? &information->arguments[index] : NULL;
}

const char *kernel_argument_text(const struct _cl_kernel *kernel, cl_uint index,
                                 char text[static ARGUMENT_TEXT_BYTES])
{
    const struct program_argument *argument = kernel_argument(kernel, index);

    if (argument->name != NULL && argument->type_name != NULL)
        snprintf(text, ARGUMENT_TEXT_BYTES, "argument %u (%s %s)", index, argument->type_name,
                 argument->name);
    else
        snprintf(text, ARGUMENT_TEXT_BYTES, "argument %u", index);
    return text;
}

static void kernel_destroy(struct object *object)
{
    cl_kernel kernel = container_of(object, struct _cl_kernel, object);

    for (uint32_t i = 0; i < kernel->information->visible_argument_count; i++)
        if (kernel->arguments[i].memory != NULL)
            object_drop(&kernel->arguments[i].memory->object);
    kernel->program->kernel_count--;
    object_drop(&kernel->program->object);
    free(kernel->arguments);
    free(kernel->segment);
    object_free(&kernel->object);
}

static cl_kernel kernel_create(cl_program program, const struct program_kernel *information)
{
    cl_kernel kernel = allocate(1, sizeof *kernel);

    object_init(&kernel->object, OBJECT_KERNEL, kernel_destroy);
    kernel->program = program;
    object_use(&program->object);
    program->kernel_count++;
    kernel->information = information;
    kernel->segment = allocate(information->kernarg_bytes, 1);
    kernel->arguments = allocate(information->visible_argument_count, sizeof *kernel->arguments);
    return kernel;
}

static cl_int refuse_name(const struct program *loaded, const char *name)
{
    struct text there = {0};

    for (uint32_t i = 0; i < loaded->kernel_count; i++)
        text_add(&there, "%s%s", i > 0 ? ", " : "", loaded->kernels[i].name);
    refusal(CL_INVALID_KERNEL_NAME, name, "the program has no such kernel, but: %s",
            text_chars(&there));
    text_finish(&there);
    return CL_INVALID_KERNEL_NAME;
}

static cl_int create_by_name(cl_program program, const char *name, cl_kernel *place)
{
    const struct program_kernel *information;

    if (!object_is(program, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    if (program->code == NULL)
        return refusal(CL_INVALID_PROGRAM_EXECUTABLE, name, "its program is not built");
    if (name == NULL)
        return CL_INVALID_VALUE;
    information = program_find_kernel(program->loaded, name);
    if (information == NULL)
        return refuse_name(program->loaded, name);
    *place = kernel_create(program, information);
    return CL_SUCCESS;
}

cl_kernel CL_API_CALL clCreateKernel(cl_program program, const char *name, cl_int *status_place)
{
    cl_kernel kernel = NULL;
    cl_int status;

    driver_enter();
    status = create_by_name(program, name, &kernel);
    return driver_return_object(status_place, status, kernel);
}

static cl_int create_all(cl_program program, cl_uint capacity, cl_kernel *kernels, cl_uint *count)
{
    if (!object_is(program, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    if (program->code == NULL)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    if (kernels != NULL && capacity < program->loaded->kernel_count)
        return CL_INVALID_VALUE;
    for (uint32_t i = 0; kernels != NULL && i < program->loaded->kernel_count; i++)
        kernels[i] = kernel_create(program, &program->loaded->kernels[i]);
    if (count != NULL)
        *count = program->loaded->kernel_count;
    return CL_SUCCESS;
}

cl_int CL_API_CALL clCreateKernelsInProgram(cl_program program, cl_uint capacity,
                                            cl_kernel *kernels, cl_uint *count)
{
    driver_enter();
    return driver_return(create_all(program, capacity, kernels, count));
}

static cl_kernel kernel_clone(cl_kernel source)
{
    const struct program_kernel *information = source->information;
    cl_kernel kernel = kernel_create(source->program, information);

    memcpy(kernel->segment, source->segment, information->kernarg_bytes);
    for (uint32_t i = 0; i < information->visible_argument_count; i++) {
        kernel->arguments[i] = source->arguments[i];
        if (kernel->arguments[i].memory != NULL)
            object_use(&kernel->arguments[i].memory->object);
    }
    return kernel;
}

cl_kernel CL_API_CALL clCloneKernel(cl_kernel source, cl_int *status_place)
{
    cl_kernel kernel = NULL;
    cl_int status = CL_INVALID_KERNEL;

    driver_enter();
    if (object_is(source, OBJECT_KERNEL)) {
        kernel = kernel_clone(source);
        status = CL_SUCCESS;
    }
    return driver_return_object(status_place, status, kernel);
}

cl_int CL_API_CALL clRetainKernel(cl_kernel kernel)
{
    return object_retain(kernel, OBJECT_KERNEL, CL_INVALID_KERNEL);
}

cl_int CL_API_CALL clReleaseKernel(cl_kernel kernel)
{
    return object_release(kernel, OBJECT_KERNEL, CL_INVALID_KERNEL);
}

/* ---- Arguments ---- */

static void set_bytes(cl_kernel kernel, cl_uint index, const void *bytes)
{
    const struct program_argument *argument = kernel_argument(kernel, index);

    memcpy(kernel->segment + argument->offset, bytes, argument->bytes);
    kernel->arguments[index].is_set = true;
}

static void set_address(cl_kernel kernel, cl_uint index, uint64_t addr)
{
    const struct program_argument *argument = kernel_argument(kernel, index);
    struct argument *state = &kernel->arguments[index];

    if (state->memory != NULL)
        object_drop(&state->memory->object);
    state->memory = NULL;
    memcpy(kernel->segment + argument->offset, &addr,
           argument->bytes < sizeof addr ? argument->bytes : sizeof addr);
    state->is_set = true;
}

/* `reason` is a format with one %s, for the argument. */
static cl_int refuse_argument(const struct _cl_kernel *kernel, cl_uint index, cl_int status,
                              const char *reason)
{
    char text[ARGUMENT_TEXT_BYTES];

    return refusal(status, kernel->information->name, reason,
                   kernel_argument_text(kernel, index, text));
}

static cl_int refuse_size(const struct _cl_kernel *kernel, cl_uint index, size_t size, size_t right)
{
    char text[ARGUMENT_TEXT_BYTES];

    return refusal(CL_INVALID_ARG_SIZE, kernel->information->name, "%s has %zu bytes, not %zu",
                   kernel_argument_text(kernel, index, text), right, size);
}

static cl_int set_buffer(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    cl_mem memory = NULL;

    if (size != sizeof memory)
        return refuse_size(kernel, index, size, sizeof memory);
    if (value != NULL)
        memcpy(&memory, value, sizeof memory);
    if (memory == NULL) {
        set_address(kernel, index, 0);
        return CL_SUCCESS;
    }
    if (!object_is(memory, OBJECT_MEMORY) || memory->context != kernel->program->context ||
        memory->image != NULL)
        return refuse_argument(
            kernel, index, CL_INVALID_MEM_OBJECT,
            "%s is given no buffer of this context (the value is the address of a "
            "cl_mem; was it released?)");
    object_use(&memory->object);
    set_address(kernel, index, memory->addr);
    kernel->arguments[index].memory = memory;
    return CL_SUCCESS;
}

static cl_int set_local(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    if (value != NULL)
        return refuse_argument(kernel, index, CL_INVALID_ARG_VALUE,
                               "%s is local memory: it takes a size, and NULL for the value");
    if (size == 0)
        return refuse_argument(kernel, index, CL_INVALID_ARG_SIZE,
                               "%s is local memory: it takes more than 0 bytes");
    kernel->arguments[index].local_bytes = size;
    kernel->arguments[index].is_set = true;
    return CL_SUCCESS;
}

/* The type's name is in every code object of ours: "image2d_t". */
static bool is_of_type(const struct program_argument *argument, const struct image *image)
{
    static const struct {
        cl_mem_object_type type;
        const char *name;
    } names[] = {{CL_MEM_OBJECT_IMAGE1D, "image1d_t"},
                 {CL_MEM_OBJECT_IMAGE1D_ARRAY, "image1d_array_t"},
                 {CL_MEM_OBJECT_IMAGE1D_BUFFER, "image1d_buffer_t"},
                 {CL_MEM_OBJECT_IMAGE2D, "image2d_t"},
                 {CL_MEM_OBJECT_IMAGE2D_ARRAY, "image2d_array_t"},
                 {CL_MEM_OBJECT_IMAGE2D, "image2d_depth_t"},
                 {CL_MEM_OBJECT_IMAGE2D_ARRAY, "image2d_array_depth_t"},
                 {CL_MEM_OBJECT_IMAGE3D, "image3d_t"}};

    bool is_depth = image->format.image_channel_order == CL_DEPTH;

    for (unsigned i = 0; argument->type_name != NULL && i < ARRAY_COUNT(names); i++)
        if (strcmp(argument->type_name, names[i].name) == 0)
            return image->type == names[i].type &&
                   is_depth == (strstr(argument->type_name, "depth") != NULL);
    return true;
}

static cl_int set_image(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    const struct program_argument *argument = kernel_argument(kernel, index);
    cl_mem memory = NULL;

    if (size != sizeof memory)
        return refuse_size(kernel, index, size, sizeof memory);
    if (value != NULL)
        memcpy(&memory, value, sizeof memory);
    if (!object_is(memory, OBJECT_MEMORY) || memory->context != kernel->program->context ||
        memory->image == NULL)
        return refuse_argument(kernel, index, CL_INVALID_MEM_OBJECT,
                               "%s is given no image of this context");
    if (!is_of_type(argument, memory->image))
        return refuse_argument(kernel, index, CL_INVALID_ARG_VALUE,
                               "%s is given an image of another type");
    if ((argument->is_read_only && (memory->flags & CL_MEM_WRITE_ONLY) != 0) ||
        (argument->is_write_only && (memory->flags & CL_MEM_READ_ONLY) != 0))
        return refuse_argument(kernel, index, CL_INVALID_ARG_VALUE,
                               "%s reads what was made with CL_MEM_WRITE_ONLY, or writes what was "
                               "made with CL_MEM_READ_ONLY");
    object_use(&memory->object);
    set_address(kernel, index, memory->image->descriptor);
    kernel->arguments[index].memory = memory;
    return CL_SUCCESS;
}

/* The kernel gets the word; the sampler may be released. */
static cl_int set_sampler(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    cl_sampler sampler = NULL;

    if (size != sizeof sampler)
        return refuse_size(kernel, index, size, sizeof sampler);
    if (value != NULL)
        memcpy(&sampler, value, sizeof sampler);
    if (!object_is(sampler, OBJECT_SAMPLER) || sampler->context != kernel->program->context)
        return refuse_argument(kernel, index, CL_INVALID_SAMPLER,
                               "%s is given no sampler of this context");
    set_address(kernel, index, sampler_word(sampler));
    return CL_SUCCESS;
}

/* Pipes and queues: no program has one to give. */
static cl_int refuse_kind(const struct _cl_kernel *kernel, cl_uint index, size_t size,
                          cl_int status)
{
    if (size != sizeof(void *))
        return refuse_size(kernel, index, size, sizeof(void *));
    return refuse_argument(kernel, index, status, "%s is of a kind that is not supported");
}

static cl_int set_argument(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    const struct program_argument *argument;

    if (!object_is(kernel, OBJECT_KERNEL))
        return refusal(CL_INVALID_KERNEL, NULL, "the kernel is none, or was released");
    argument = kernel_argument(kernel, index);
    if (argument == NULL)
        return refusal(CL_INVALID_ARG_INDEX, kernel->information->name,
                       "there is no argument %u; it has %u, the first is 0", index,
                       kernel->information->visible_argument_count);
    switch (argument->kind) {
    case ARGUMENT_GLOBAL_BUFFER:
        return set_buffer(kernel, index, size, value);
    case ARGUMENT_DYNAMIC_SHARED_POINTER:
        return set_local(kernel, index, size, value);
    case ARGUMENT_SAMPLER:
        return set_sampler(kernel, index, size, value);
    case ARGUMENT_IMAGE:
        return set_image(kernel, index, size, value);
    case ARGUMENT_PIPE:
        return refuse_kind(kernel, index, size, CL_INVALID_MEM_OBJECT);
    case ARGUMENT_QUEUE:
        return refuse_kind(kernel, index, size, CL_INVALID_DEVICE_QUEUE);
    default:
        break;
    }
    if (value == NULL)
        return refuse_argument(kernel, index, CL_INVALID_ARG_VALUE, "%s is given no value");
    if (size != argument->bytes)
        return refuse_size(kernel, index, size, argument->bytes);
    set_bytes(kernel, index, value);
    return CL_SUCCESS;
}

cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    driver_enter();
    return driver_return(set_argument(kernel, index, size, value));
}

static cl_int set_svm_pointer(cl_kernel kernel, cl_uint index, const void *pointer)
{
    const struct program_argument *argument;

    if (!object_is(kernel, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    if (!device_has_svm())
        return CL_INVALID_OPERATION;
    argument = kernel_argument(kernel, index);
    if (argument == NULL)
        return CL_INVALID_ARG_INDEX;
    if (argument->kind != ARGUMENT_GLOBAL_BUFFER ||
        (pointer != NULL && svm_find(pointer, 1) == NULL))
        return refuse_argument(kernel, index, CL_INVALID_ARG_VALUE,
                               "%s is given no address of shared memory (clSVMAlloc)");
    set_address(kernel, index, (uint64_t)(uintptr_t)pointer);
    return CL_SUCCESS;
}

cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void *pointer)
{
    driver_enter();
    return driver_return(set_svm_pointer(kernel, index, pointer));
}

/* Kernels may follow pointers to any SVM allocation here, so there is nothing to note. */
static cl_int check_execution_info(cl_kernel kernel, cl_kernel_exec_info name, size_t size,
                                   const void *value)
{
    if (!object_is(kernel, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    if (!device_has_svm())
        return CL_INVALID_OPERATION;
    if (value == NULL)
        return CL_INVALID_VALUE;
    if (name == CL_KERNEL_EXEC_INFO_SVM_PTRS)
        return size > 0 && size % sizeof(void *) == 0 ? CL_SUCCESS : CL_INVALID_VALUE;
    if (name == CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM && size == sizeof(cl_bool))
        return *(const cl_bool *)value == CL_FALSE ? CL_SUCCESS : CL_INVALID_OPERATION;
    return CL_INVALID_VALUE;
}

cl_int CL_API_CALL clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info name, size_t size,
                                       const void *value)
{
    driver_enter();
    return driver_return(check_execution_info(kernel, name, size, value));
}

size_t kernel_local_bytes(const struct _cl_kernel *kernel, unsigned char *segment)
{
    size_t bytes = kernel->information->lds_bytes;

    for (uint32_t i = 0; i < kernel->information->visible_argument_count; i++) {
        const struct program_argument *argument = &kernel->information->arguments[i];
        uint32_t align = argument->align > 0 ? argument->align : UNKNOWN_LOCAL_ALIGN_BYTES;
        size_t start = align_up(bytes, align);

        if (argument->kind != ARGUMENT_DYNAMIC_SHARED_POINTER)
            continue;
        if (kernel->arguments[i].local_bytes > UINT32_MAX)
            return SIZE_MAX;
        if (segment != NULL)
            memcpy(segment + argument->offset, &start,
                   argument->bytes < sizeof start ? argument->bytes : sizeof start);
        bytes = start + kernel->arguments[i].local_bytes;
    }
    return bytes;
}
