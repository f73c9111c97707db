/* SPDX-License-Identifier: MIT */
/* Program objects: from source or from our own binaries, and what can be asked about them. Building
 * is in build.c. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "opencl/sub_device.h"

void program_unload(cl_program program)
{
    machine_unload(session_existing_machine(), program->code);
    program->code = NULL;
    if (program->loaded != NULL)
        program_destroy(program->loaded);
    program->loaded = NULL;
}

static void destroy_program(struct object *object)
{
    cl_program program = container_of(object, struct _cl_program, object);

    program_unload(program);
    object_drop(&program->context->object);
    text_finish(&program->log);
    free(program->source);
    free(program->file);
    free(program->options);
    object_free(&program->object);
}

cl_program program_create(cl_context context)
{
    cl_program program = allocate(1, sizeof *program);

    object_init(&program->object, OBJECT_PROGRAM, destroy_program);
    program->context = context;
    object_use(&context->object);
    program->build_status = CL_BUILD_NONE;
    program->options = copy_string("");
    return program;
}

static cl_int check_strings(cl_context context, cl_uint count, const char **strings)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (count == 0 || strings == NULL)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++)
        if (strings[i] == NULL)
            return CL_INVALID_VALUE;
    return CL_SUCCESS;
}

static cl_program create_from_source(cl_context context, cl_uint count, const char **strings,
                                     const size_t *lengths)
{
    cl_program program = program_create(context);
    struct text source = {0};

    for (cl_uint i = 0; i < count; i++)
        text_add_bytes(&source, strings[i],
                       lengths != NULL && lengths[i] > 0 ? lengths[i] : strlen(strings[i]));
    program->source = copy_string("");
    if (source.length > 0) {
        free(program->source);
        program->source = source.chars;
        program->source_bytes = source.length;
    } else {
        text_finish(&source);
    }
    return program;
}

cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint count,
                                                 const char **strings, const size_t *lengths,
                                                 cl_int *status_place)
{
    cl_program program = NULL;
    cl_int status;

    driver_enter();
    status = check_strings(context, count, strings);
    if (status == CL_SUCCESS)
        program = create_from_source(context, count, strings, lengths);
    return driver_return_object(status_place, status, program);
}

static cl_int check_binary(const unsigned char *binary, size_t bytes, cl_program_binary_type *type)
{
    static const cl_program_binary_type types[] = {
        [PROGRAM_BINARY_EXECUTABLE] = CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
        [PROGRAM_BINARY_OBJECT] = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
        [PROGRAM_BINARY_LIBRARY] = CL_PROGRAM_BINARY_TYPE_LIBRARY};
    struct diagnosis diagnosis;
    enum program_binary kind;

    if (binary == NULL || bytes == 0)
        return CL_INVALID_VALUE;
    if (!program_check_binary(binary, bytes, &kind, &diagnosis)) {
        diagnosis_print(&diagnosis, stderr);
        return CL_INVALID_BINARY;
    }
    *type = types[kind];
    return build_check_stamp(binary, bytes);
}

/* The first binary of `count`: all devices run the same. */
static cl_int create_from_binary(cl_context context, cl_uint count, const unsigned char *binary,
                                 size_t bytes, cl_int *binary_status, cl_program *place)
{
    cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
    cl_int status = check_binary(binary, bytes, &type);
    cl_program program;

    for (cl_uint i = 0; binary_status != NULL && i < count; i++)
        binary_status[i] = status;
    if (status != CL_SUCCESS)
        return status;
    program = program_create(context); /* a build loads it */
    program->file = memcpy(allocate(bytes, 1), binary, bytes);
    program->file_bytes = bytes;
    program->binary_type = type;
    *place = program;
    return CL_SUCCESS;
}

cl_program CL_API_CALL clCreateProgramWithBinary(cl_context context, cl_uint count,
                                                 const cl_device_id *devices, const size_t *lengths,
                                                 const unsigned char **binaries,
                                                 cl_int *binary_status, cl_int *status_place)
{
    cl_program program = NULL;
    cl_int status = CL_INVALID_CONTEXT;

    driver_enter();
    if (object_is(context, OBJECT_CONTEXT)) {
        status = device_check_list(count, devices);
        if (status == CL_SUCCESS && (count == 0 || lengths == NULL || binaries == NULL))
            status = CL_INVALID_VALUE;
        if (status == CL_SUCCESS)
            status = create_from_binary(context, count, binaries[0], lengths[0], binary_status,
                                        &program);
    }
    return driver_return_object(status_place, status, program);
}

cl_int CL_API_CALL clRetainProgram(cl_program program)
{
    return object_retain(program, OBJECT_PROGRAM, CL_INVALID_PROGRAM);
}

cl_int CL_API_CALL clReleaseProgram(cl_program program)
{
    return object_release(program, OBJECT_PROGRAM, CL_INVALID_PROGRAM);
}

cl_int CL_API_CALL clSetProgramReleaseCallback(cl_program program,
                                               void(CL_CALLBACK *function)(cl_program, void *),
                                               void *data)
{
    cl_int status = CL_SUCCESS;

    driver_enter();
    if (!object_is(program, OBJECT_PROGRAM))
        status = CL_INVALID_PROGRAM;
    else if (function == NULL)
        status = CL_INVALID_VALUE;
    else
        status =
            refuse(__func__, "variables of programs have no destructors", CL_INVALID_OPERATION);
    return driver_return(status);
}

/* ---- Queries ---- */

static cl_int kernel_names(const struct program *loaded, const struct query *query)
{
    struct text names = {0};
    cl_int status;

    for (uint32_t i = 0; i < loaded->kernel_count; i++)
        text_add(&names, "%s%s", i > 0 ? ";" : "", loaded->kernels[i].name);
    status = answer_text(query, text_chars(&names));
    text_finish(&names);
    return status;
}

/* One binary is every device's. */
static cl_int binary_sizes(const struct _cl_program *program, const struct query *query)
{
    cl_uint count = program->context->device_count;
    size_t *sizes = allocate(count, sizeof *sizes);
    cl_int status;

    for (cl_uint i = 0; i < count; i++)
        sizes[i] = program->file_bytes;
    status = answer_bytes(query, sizes, count * sizeof *sizes);
    free(sizes);
    return status;
}

/* The program gives an array of places, one per device; a NULL place is skipped. */
static cl_int copy_binary(const struct _cl_program *program, const struct query *query)
{
    unsigned char **places = query->value;
    cl_uint count = program->context->device_count;

    if (places != NULL && query->size < count * sizeof *places)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; places != NULL && i < count; i++)
        if (places[i] != NULL && program->file != NULL)
            memcpy(places[i], program->file, program->file_bytes);
    if (query->size_return != NULL)
        *query->size_return = count * sizeof *places;
    return CL_SUCCESS;
}

static cl_int executable_info(const struct _cl_program *program, cl_program_info name,
                              const struct query *query)
{
    if (program->loaded == NULL)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    return name == CL_PROGRAM_NUM_KERNELS ? answer_size(query, program->loaded->kernel_count)
                                          : kernel_names(program->loaded, query);
}

static cl_int program_info(cl_program program, cl_program_info name, const struct query *query)
{
    switch (name) {
    case CL_PROGRAM_REFERENCE_COUNT:
        return answer_uint(query, program->object.references);
    case CL_PROGRAM_CONTEXT:
        return answer_pointer(query, program->context);
    case CL_PROGRAM_NUM_DEVICES:
        return answer_uint(query, program->context->device_count);
    case CL_PROGRAM_DEVICES:
        return answer_bytes(query, program->context->devices,
                            program->context->device_count * sizeof(cl_device_id));
    case CL_PROGRAM_SOURCE:
        return answer_bytes(query, program->source != NULL ? program->source : "",
                            program->source_bytes + 1);
    case CL_PROGRAM_IL:
        return answer_bytes(query, NULL, 0);
    case CL_PROGRAM_BINARY_SIZES:
        return binary_sizes(program, query);
    case CL_PROGRAM_BINARIES:
        return copy_binary(program, query);
    case CL_PROGRAM_NUM_KERNELS:
    case CL_PROGRAM_KERNEL_NAMES:
        return executable_info(program, name, query);
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        return answer_uint(query, CL_FALSE);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clGetProgramInfo(cl_program program, cl_program_info name, size_t size,
                                    void *value, size_t *size_return)
{
    struct query query = {size, value, size_return};
    cl_int status = CL_INVALID_PROGRAM;

    driver_enter();
    if (object_is(program, OBJECT_PROGRAM))
        status = program_info(program, name, &query);
    return driver_return(status);
}

static size_t globals_bytes(const struct program *loaded)
{
    size_t bytes = 0;

    for (uint32_t i = 0; loaded != NULL && i < loaded->global_count; i++)
        bytes += loaded->globals[i].bytes;
    return bytes;
}

static cl_int build_info(cl_program program, cl_program_build_info name, const struct query *query)
{
    switch (name) {
    case CL_PROGRAM_BUILD_STATUS:
        return answer_bytes(query, &program->build_status, sizeof program->build_status);
    case CL_PROGRAM_BUILD_OPTIONS:
        return answer_text(query, program->options);
    case CL_PROGRAM_BUILD_LOG:
        return answer_text(query, text_chars(&program->log));
    case CL_PROGRAM_BINARY_TYPE:
        return answer_uint(query, program->binary_type);
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
        return answer_size(query, globals_bytes(program->loaded));
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clGetProgramBuildInfo(cl_program program, cl_device_id device,
                                         cl_program_build_info name, size_t size, void *value,
                                         size_t *size_return)
{
    struct query query = {size, value, size_return};
    cl_int status = CL_INVALID_PROGRAM;

    driver_enter();
    if (object_is(program, OBJECT_PROGRAM))
        status = device_is(device) ? build_info(program, name, &query) : CL_INVALID_DEVICE;
    return driver_return(status);
}
