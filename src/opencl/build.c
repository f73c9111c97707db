/* SPDX-License-Identifier: MIT */
/*
 * clBuildProgram, clCompileProgram, clLinkProgram. Compiling gives bitcode, in which functions may
 * be missing; linking joins the bitcode of any number of programs and libraries, and makes it
 * executable. Everything is done when the call returns.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "opencl/driver.h"
#include "opencl/profile.h"
#include "opencl/results.h"

bool program_make_executable(cl_program program, struct diagnosis *diagnosis)
{
    program_unload(program);
    program->loaded = program_load(program->file, program->file_bytes, diagnosis);
    if (program->loaded != NULL)
        program->code = machine_load(session_machine(), program->loaded, diagnosis);
    if (program->code == NULL)
        program_unload(program);
    return program->code != NULL;
}

/* Unless the compiler has said it already. */
static void add_diagnosis(struct text *log, const struct diagnosis *diagnosis)
{
    if (strstr(text_chars(log), diagnosis->message) != NULL)
        return;
    text_add(log, "%s\n", diagnosis->message);
    if (diagnosis->hint[0] != '\0')
        text_add(log, "  hint: %s\n", diagnosis->hint);
}

/* Barriers of small work-groups stay where a wavefront is smaller. */
static const char *width_option(void)
{
    struct device_facts facts;

    return session_facts(&facts) && facts.wavefront_lanes < 64 ? PROGRAM_NARROW_WAVEFRONTS : "";
}

/* What the user adds to the program's own options, or "". A link has no source to use them for. */
static const char *added_options(void)
{
    const char *added = getenv("WAVETANK_BUILD_OPTIONS");

    return added != NULL ? added : "";
}

/* Of what --profile and --build-options add; 0: nothing. */
static uint64_t added_stamp(void)
{
    char *added = format_string("%s%s", profile_is_wanted() ? "-g " : "", added_options());
    uint64_t hash[2] = {0, 0};

    if (added[0] != '\0')
        content_hash(added, strlen(added), 0, hash);
    free(added);
    return hash[0];
}

/* Programs keep binaries by it: it changes with all that makes other code of the same source. */
char *build_driver_version(void)
{
    uint64_t parts[] = {session_compiler_stamp(), added_stamp(), width_option()[0] != '\0'};
    uint64_t hash[2];

    content_hash(parts, sizeof parts, 0, hash);
    return format_string("%s-%016llx", WAVETANK_VERSION, (unsigned long long)hash[0]);
}

cl_int build_check_stamp(const void *binary, size_t bytes)
{
    struct program_stamp stamp = program_read_stamp(binary, bytes);
    uint64_t compiler = session_compiler_stamp();

    if (stamp.compiler != 0 && compiler != 0 && stamp.compiler != compiler)
        return refusal(CL_INVALID_BINARY, NULL,
                       "the binary was made by another build of the compiler, its libraries or "
                       "Wavetank; build the program from its source again");
    if (stamp.added != added_stamp())
        refusal_note("a program was made from a binary, which is not compiled: %s",
                     added_stamp() != 0 ? "--build-options and --profile's -g do nothing to it"
                                        : "options that --build-options or --profile added to an "
                                          "earlier run are in it");
    return CL_SUCCESS;
}

static void start_build(cl_program program, const char *options)
{
    program_unload(program);
    text_finish(&program->log);
    free(program->options);
    program->options = copy_string(options != NULL ? options : "");
    program->build_status = CL_BUILD_ERROR; /* until it is done */
}

static cl_int build_fail(cl_program program, const struct diagnosis *diagnosis, cl_int status)
{
    add_diagnosis(&program->log, diagnosis);
    if (status == CL_COMPILER_NOT_AVAILABLE)
        return status; /* said once for all */
    results_note_unbuilt();
    if (diagnosis->line > 0)
        refusal_note("%s:%d: %s%s%s\n  all that was said is in CL_PROGRAM_BUILD_LOG",
                     diagnosis->file, diagnosis->line, diagnosis->message,
                     diagnosis->hint[0] != '\0' ? "\n  hint: " : "", diagnosis->hint);
    else
        refusal_note("%s%s%s\n  all that was said is in CL_PROGRAM_BUILD_LOG", diagnosis->message,
                     diagnosis->hint[0] != '\0' ? "\n  hint: " : "", diagnosis->hint);
    return status;
}

static void forget_binary(cl_program program)
{
    free(program->file);
    program->file = NULL;
    program->file_bytes = 0;
    program->binary_type = CL_PROGRAM_BINARY_TYPE_NONE;
}

static cl_int check_compiler(cl_program program)
{
    struct diagnosis diagnosis = {0};

    if (session_has_compiler(&diagnosis))
        return CL_SUCCESS;
    diagnosis_print(&diagnosis, stderr);
    return build_fail(program, &diagnosis, CL_COMPILER_NOT_AVAILABLE);
}

/* Of the source a code object, or with `is_object` what can be linked. */
static cl_int build_compile(cl_program program, const struct program_headers *headers,
                            bool is_object, cl_int failure)
{
    struct diagnosis diagnosis = {0};
    char *options;
    cl_int status;
    bool is_done;

    forget_binary(program);
    status = check_compiler(program);
    if (status != CL_SUCCESS)
        return status;
    profile_note_source(program->source, program->source_bytes);
    options = format_string("%s %s " PROGRAM_ADDED "%llx %s %s", program->options, width_option(),
                            (unsigned long long)added_stamp(), profile_is_wanted() ? "-g" : "",
                            added_options());
    is_done = (is_object ? program_compile_object : program_compile)(
        program->source, program->source_bytes, options, headers, &program->file,
        &program->file_bytes, &program->log, &diagnosis);
    free(options);
    return is_done ? CL_SUCCESS : build_fail(program, &diagnosis, failure);
}

/* Of compiled programs and libraries a code object, or a library. */
static cl_int link_files(cl_program program, const struct program_input *inputs, unsigned count,
                         const char *options, cl_int failure)
{
    struct diagnosis diagnosis = {0};
    unsigned char *file = NULL;
    size_t file_bytes;
    cl_int status = check_compiler(program);

    if (status != CL_SUCCESS)
        return status;
    if (!program_link(inputs, count, options, &file, &file_bytes, &program->log, &diagnosis))
        return build_fail(program, &diagnosis, failure);
    forget_binary(program);
    program->file = file;
    program->file_bytes = file_bytes;
    return CL_SUCCESS;
}

static cl_int make_executable(cl_program program, cl_int failure)
{
    struct diagnosis diagnosis = {0};

    if (!program_make_executable(program, &diagnosis))
        return build_fail(program, &diagnosis, failure);
    program->binary_type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    program->build_status = CL_BUILD_SUCCESS;
    return CL_SUCCESS;
}

static void notify_built(cl_program program, void(CL_CALLBACK *function)(cl_program, void *),
                         void *data)
{
    if (function != NULL)
        notification_call(&(struct notification){.kind = NOTIFY_PROGRAM,
                                                 .function = (void (*)(void))function,
                                                 .object = &program->object,
                                                 .handle = program,
                                                 .data = data});
}

static cl_int check_options(const char *options, cl_int invalid)
{
    struct diagnosis diagnosis;
    bool is_link = invalid == CL_INVALID_LINKER_OPTIONS;

    if (is_link ? program_check_link_options(options, &diagnosis)
                : program_check_options(options, &diagnosis)) {
        if (is_link || program_check_options(added_options(), &diagnosis))
            return CL_SUCCESS;
        fprintf(stderr, "wavetank: in WAVETANK_BUILD_OPTIONS (wavetank run --build-options):\n");
    }
    diagnosis_print(&diagnosis, stderr);
    return invalid;
}

static cl_int check_build(cl_program program, cl_uint count, const cl_device_id *devices,
                          bool has_function, const void *data)
{
    cl_int status;

    if (!object_is(program, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    status = device_check_list(count, devices);
    if (status != CL_SUCCESS)
        return status;
    if (!has_function && data != NULL)
        return CL_INVALID_VALUE;
    if (program->kernel_count == 0)
        return CL_SUCCESS;
    return refusal(CL_INVALID_OPERATION, NULL,
                   "%u kernels of the program are in use: release them before it is built again",
                   program->kernel_count);
}

static bool is_linkable(const struct _cl_program *program)
{
    return program->file != NULL &&
           (program->binary_type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
            program->binary_type == CL_PROGRAM_BINARY_TYPE_LIBRARY);
}

static cl_int build_run(cl_program program, const char *options)
{
    cl_int status = check_options(options, CL_INVALID_BUILD_OPTIONS);

    if (status != CL_SUCCESS)
        return status;
    start_build(program, options);
    if (program->source != NULL)
        status = build_compile(program, NULL, false, CL_BUILD_PROGRAM_FAILURE);
    else if (program->file == NULL)
        status = CL_INVALID_BINARY;
    else if (is_linkable(program))
        status = link_files(program, &(struct program_input){program->file, program->file_bytes}, 1,
                            NULL, CL_BUILD_PROGRAM_FAILURE);
    if (status == CL_SUCCESS)
        status = make_executable(program, CL_BUILD_PROGRAM_FAILURE);
    return status;
}

cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                                  const char *options,
                                  void(CL_CALLBACK *function)(cl_program, void *), void *data)
{
    cl_int status;

    driver_enter();
    status = check_build(program, count, devices, function != NULL, data);
    if (status == CL_SUCCESS) {
        status = build_run(program, options);
        if (status != CL_INVALID_BUILD_OPTIONS)
            notify_built(program, function, data);
    }
    return driver_return(status);
}

/* ---- Compiling with headers ---- */

static cl_int check_headers(cl_uint count, const cl_program *headers, const char **names)
{
    if ((count == 0) != (headers == NULL) || (count == 0) != (names == NULL))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        if (names[i] == NULL)
            return CL_INVALID_VALUE;
        if (!object_is(headers[i], OBJECT_PROGRAM) || headers[i]->source == NULL)
            return CL_INVALID_PROGRAM;
    }
    return CL_SUCCESS;
}

static cl_int compile_with_headers(cl_program program, const char *options, cl_uint count,
                                   const cl_program *programs, const char **names)
{
    struct program_headers headers = {.count = count, .names = names};
    const char **sources = allocate(count, sizeof *sources);
    cl_int status;

    for (cl_uint i = 0; i < count; i++)
        sources[i] = programs[i]->source;
    headers.sources = sources;
    start_build(program, options);
    status = build_compile(program, count > 0 ? &headers : NULL, true, CL_COMPILE_PROGRAM_FAILURE);
    if (status == CL_SUCCESS) {
        program->binary_type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
        program->build_status = CL_BUILD_SUCCESS;
    }
    free(sources);
    return status;
}

cl_int CL_API_CALL clCompileProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                                    const char *options, cl_uint header_count,
                                    const cl_program *headers, const char **names,
                                    void(CL_CALLBACK *function)(cl_program, void *), void *data)
{
    cl_int status;

    driver_enter();
    status = check_build(program, count, devices, function != NULL, data);
    if (status == CL_SUCCESS && program->source == NULL)
        status = refusal(CL_INVALID_OPERATION, NULL, "the program has no source to compile");
    if (status == CL_SUCCESS)
        status = check_headers(header_count, headers, names);
    if (status == CL_SUCCESS)
        status = check_options(options, CL_INVALID_COMPILER_OPTIONS);
    if (status == CL_SUCCESS) {
        status = compile_with_headers(program, options, header_count, headers, names);
        notify_built(program, function, data);
    }
    return driver_return(status);
}

/* ---- Linking ---- */

static cl_int check_inputs(cl_uint count, const cl_program *inputs)
{
    if (count == 0 || inputs == NULL)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        if (!object_is(inputs[i], OBJECT_PROGRAM))
            return CL_INVALID_PROGRAM;
        if (!is_linkable(inputs[i]))
            return refusal(CL_INVALID_OPERATION, NULL,
                           "input %u is nothing to link: compile it (clCompileProgram) first", i);
    }
    return CL_SUCCESS;
}

static cl_int use_linked(cl_program program)
{
    struct diagnosis diagnosis;
    enum program_binary kind;

    if (!program_check_binary(program->file, program->file_bytes, &kind, &diagnosis))
        return build_fail(program, &diagnosis, CL_LINK_PROGRAM_FAILURE);
    if (kind == PROGRAM_BINARY_EXECUTABLE)
        return make_executable(program, CL_LINK_PROGRAM_FAILURE);
    program->binary_type = CL_PROGRAM_BINARY_TYPE_LIBRARY;
    program->build_status = CL_BUILD_SUCCESS;
    return CL_SUCCESS;
}

/* The program is returned even when linking fails, so that its log can be read. */
static cl_int link_programs(cl_context context, const char *options, cl_uint count,
                            const cl_program *programs, cl_program *place)
{
    struct program_input *inputs = allocate(count, sizeof *inputs);
    cl_program program = program_create(context);
    cl_int status;

    *place = program;
    start_build(program, options);
    for (cl_uint i = 0; i < count; i++)
        inputs[i] = (struct program_input){programs[i]->file, programs[i]->file_bytes};
    status = link_files(program, inputs, count, options, CL_LINK_PROGRAM_FAILURE);
    if (status == CL_SUCCESS)
        status = use_linked(program);
    free(inputs);
    return status;
}

cl_program CL_API_CALL clLinkProgram(cl_context context, cl_uint count, const cl_device_id *devices,
                                     const char *options, cl_uint input_count,
                                     const cl_program *inputs,
                                     void(CL_CALLBACK *function)(cl_program, void *), void *data,
                                     cl_int *status_place)
{
    cl_program program = NULL;
    cl_int status;

    driver_enter();
    status = object_is(context, OBJECT_CONTEXT) ? CL_SUCCESS : CL_INVALID_CONTEXT;
    if (status == CL_SUCCESS)
        status = device_check_list(count, devices);
    if (status == CL_SUCCESS && function == NULL && data != NULL)
        status = CL_INVALID_VALUE;
    if (status == CL_SUCCESS)
        status = check_inputs(input_count, inputs);
    if (status == CL_SUCCESS)
        status = check_options(options, CL_INVALID_LINKER_OPTIONS);
    if (status == CL_SUCCESS) {
        status = link_programs(context, options, input_count, inputs, &program);
        notify_built(program, function, data);
    }
    driver_leave();
    if (status_place != NULL)
        *status_place = status;
    return program;
}
