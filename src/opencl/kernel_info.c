/* SPDX-License-Identifier: MIT */
/* What can be asked about kernels. */
#include <stdlib.h>
#include <string.h>

#include "opencl/group_fit.h"
#include "opencl/sub_device.h"

static void add_sizes(struct text *text, const char *attribute, const uint32_t sizes[3])
{
    if (sizes[0] != 0)
        text_add(text, "%s%s(%u,%u,%u)", text->length > 0 ? " " : "", attribute, sizes[0], sizes[1],
                 sizes[2]);
}

/* Those of OpenCL C, as the code object knows them: without blanks, and not in the source's order.
 */
static cl_int attributes_info(const struct program_kernel *information, const struct query *query)
{
    struct text text = {0};
    cl_int status;

    if (information->vector_type_hint != NULL)
        text_add(&text, "vec_type_hint(%s)", information->vector_type_hint);
    add_sizes(&text, "work_group_size_hint", information->hint_group_size);
    add_sizes(&text, "reqd_work_group_size", information->required_group_size);
    status = answer_text(query, text_chars(&text));
    text_finish(&text);
    return status;
}

static cl_int kernel_info(cl_kernel kernel, cl_kernel_info name, const struct query *query)
{
    switch (name) {
    case CL_KERNEL_FUNCTION_NAME:
        return answer_text(query, kernel->information->name);
    case CL_KERNEL_NUM_ARGS:
        return answer_uint(query, kernel->information->visible_argument_count);
    case CL_KERNEL_REFERENCE_COUNT:
        return answer_uint(query, kernel->object.references);
    case CL_KERNEL_CONTEXT:
        return answer_pointer(query, kernel->program->context);
    case CL_KERNEL_PROGRAM:
        return answer_pointer(query, kernel->program);
    case CL_KERNEL_ATTRIBUTES:
        return attributes_info(kernel->information, query);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clGetKernelInfo(cl_kernel kernel, cl_kernel_info name, size_t size, void *value,
                                   size_t *size_return)
{
    struct query query = {size, value, size_return};
    cl_int status = CL_INVALID_KERNEL;

    driver_enter();
    if (object_is(kernel, OBJECT_KERNEL))
        status = kernel_info(kernel, name, &query);
    return driver_return(status);
}

/* ---- Arguments ---- */

static cl_uint address_qualifier(const struct program_argument *argument)
{
    if (argument->kind == ARGUMENT_DYNAMIC_SHARED_POINTER)
        return CL_KERNEL_ARG_ADDRESS_LOCAL;
    if (argument->kind == ARGUMENT_BY_VALUE || argument->kind == ARGUMENT_SAMPLER)
        return CL_KERNEL_ARG_ADDRESS_PRIVATE;
    if (argument->kind == ARGUMENT_IMAGE)
        return CL_KERNEL_ARG_ADDRESS_GLOBAL;
    return argument->address_space == ADDRESS_SPACE_CONSTANT ? CL_KERNEL_ARG_ADDRESS_CONSTANT
                                                             : CL_KERNEL_ARG_ADDRESS_GLOBAL;
}

static cl_uint access_qualifier(const struct program_argument *argument)
{
    if (argument->kind != ARGUMENT_IMAGE && argument->kind != ARGUMENT_PIPE)
        return CL_KERNEL_ARG_ACCESS_NONE;
    if (argument->is_read_only)
        return CL_KERNEL_ARG_ACCESS_READ_ONLY;
    return argument->is_write_only ? CL_KERNEL_ARG_ACCESS_WRITE_ONLY
                                   : CL_KERNEL_ARG_ACCESS_READ_WRITE;
}

/* A pointer into constant memory points to const. */
static cl_ulong type_qualifier(const struct program_argument *argument)
{
    bool is_const =
        argument->is_const || address_qualifier(argument) == CL_KERNEL_ARG_ADDRESS_CONSTANT;

    return (is_const ? CL_KERNEL_ARG_TYPE_CONST : 0) |
           (argument->is_restrict ? CL_KERNEL_ARG_TYPE_RESTRICT : 0) |
           (argument->is_volatile ? CL_KERNEL_ARG_TYPE_VOLATILE : 0) |
           (argument->kind == ARGUMENT_PIPE ? CL_KERNEL_ARG_TYPE_PIPE : 0);
}

static bool has_option(const struct _cl_program *program, const char *option)
{
    size_t length = strlen(option);

    for (const char *found = strstr(program->options, option); found != NULL;
         found = strstr(found + length, option))
        if ((found == program->options || found[-1] == ' ') &&
            (found[length] == '\0' || found[length] == ' '))
            return true;
    return false;
}

/* The names are in every code object; the specification gives them to programs that asked. */
static cl_int argument_info(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name,
                            const struct query *query)
{
    const struct program_argument *argument = kernel_argument(kernel, index);

    if (argument == NULL)
        return CL_INVALID_ARG_INDEX;
    if (name < CL_KERNEL_ARG_ADDRESS_QUALIFIER || name > CL_KERNEL_ARG_NAME)
        return CL_INVALID_VALUE;
    if (argument->name == NULL || !has_option(kernel->program, "-cl-kernel-arg-info"))
        return refusal(CL_KERNEL_ARG_INFO_NOT_AVAILABLE, kernel->information->name,
                       "its program was built without -cl-kernel-arg-info");
    switch (name) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        return answer_uint(query, address_qualifier(argument));
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        return answer_uint(query, access_qualifier(argument));
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        return answer_ulong(query, type_qualifier(argument));
    case CL_KERNEL_ARG_TYPE_NAME:
        return answer_text(query, argument->type_name != NULL ? argument->type_name : "");
    default:
        return answer_text(query, argument->name);
    }
}

cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name,
                                      size_t size, void *value, size_t *size_return)
{
    struct query query = {size, value, size_return};
    cl_int status = CL_INVALID_KERNEL;

    driver_enter();
    if (object_is(kernel, OBJECT_KERNEL))
        status = argument_info(kernel, index, name, &query);
    return driver_return(status);
}

/* ---- Work-groups ---- */

static cl_int work_group_info(cl_kernel kernel, cl_kernel_work_group_info name,
                              const struct query *query)
{
    const struct program_kernel *information = kernel->information;
    struct device_facts facts;
    size_t required[3];

    switch (name) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        return answer_size(query, kernel_group_max(kernel, 0));
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        for (unsigned axis = 0; axis < 3; axis++)
            required[axis] = information->required_group_size[axis];
        return answer_bytes(query, required, sizeof required);
    case CL_KERNEL_LOCAL_MEM_SIZE:
        return answer_ulong(query, kernel_local_bytes(kernel, NULL));
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return session_facts(&facts) ? answer_size(query, (size_t)facts.wavefront_lanes)
                                     : CL_OUT_OF_RESOURCES;
    case CL_KERNEL_PRIVATE_MEM_SIZE:
        return answer_ulong(query, information->scratch_bytes);
    case CL_KERNEL_GLOBAL_WORK_SIZE: /* of custom devices and built-in kernels */
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                            cl_kernel_work_group_info name, size_t size,
                                            void *value, size_t *size_return)
{
    struct query query = {size, value, size_return};
    cl_int status = CL_INVALID_KERNEL;

    driver_enter();
    if (object_is(kernel, OBJECT_KERNEL))
        status = device == NULL || device_is(device) ? work_group_info(kernel, name, &query)
                                                     : CL_INVALID_DEVICE;
    return driver_return(status);
}

/* ---- Sub-groups ---- */

/* Work-items of a work-group, from `bytes` of size_t: one for each dimension. 0: they are wrong. */
static size_t group_items(const void *input, size_t bytes)
{
    const size_t *sizes = input;
    size_t items = 1;

    if (input == NULL || bytes == 0 || bytes > 3 * sizeof *sizes || bytes % sizeof *sizes != 0)
        return 0;
    for (size_t axis = 0; axis < bytes / sizeof *sizes; axis++)
        items *= sizes[axis] <= MAX_GROUP_SIZE ? sizes[axis] : 0;
    return items;
}

static size_t sub_groups_of(size_t items)
{
    return (items + SUB_GROUP_ITEMS - 1) / SUB_GROUP_ITEMS;
}

/* The work-group of so many sub-groups, in as many dimensions as the answer has room for. */
static cl_int local_size_info(const struct program_kernel *information, size_t count,
                              const struct query *query)
{
    size_t sizes[3] = {count * SUB_GROUP_ITEMS, 1, 1};

    if (query->size == 0 || query->size > sizeof sizes || query->size % sizeof *sizes != 0)
        return query->value == NULL ? answer_bytes(query, sizes, sizeof sizes) : CL_INVALID_VALUE;
    if (count == 0 || count > sub_groups_of(information->max_group_size))
        memset(sizes, 0, sizeof sizes);
    return answer_bytes(query, sizes, query->size);
}

static cl_int sub_group_info(cl_kernel kernel, cl_kernel_sub_group_info name, const void *input,
                             size_t input_size, const struct query *query)
{
    const struct program_kernel *information = kernel->information;
    size_t items;

    if (!device_has_sub_groups())
        return refuse("clGetKernelSubGroupInfo", "there are sub-groups on wavefronts of 64 lanes",
                      CL_INVALID_OPERATION);
    switch (name) {
    case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
    case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
        items = group_items(input, input_size);
        if (items == 0)
            return CL_INVALID_VALUE;
        if (name == CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE)
            return answer_size(query, sub_groups_of(items));
        return answer_size(query, items < SUB_GROUP_ITEMS ? items : SUB_GROUP_ITEMS);
    case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT:
        if (input == NULL || input_size != sizeof(size_t))
            return CL_INVALID_VALUE;
        return local_size_info(information, *(const size_t *)input, query);
    case CL_KERNEL_MAX_NUM_SUB_GROUPS:
        return answer_size(query, sub_groups_of(information->max_group_size));
    case CL_KERNEL_COMPILE_NUM_SUB_GROUPS:
        return answer_size(query, 0);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device,
                                           cl_kernel_sub_group_info name, size_t input_size,
                                           const void *input, size_t size, void *value,
                                           size_t *size_return)
{
    struct query query = {size, value, size_return};
    cl_int status = CL_INVALID_KERNEL;

    driver_enter();
    if (object_is(kernel, OBJECT_KERNEL))
        status = device == NULL || device_is(device)
                     ? sub_group_info(kernel, name, input, input_size, &query)
                     : CL_INVALID_DEVICE;
    return driver_return(status);
}
