/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "opencl/group_fit.h"

bool kernel_group_fits(const struct _cl_kernel *kernel, const uint32_t size[3],
                       uint32_t argument_lds_bytes, struct diagnosis *diagnosis)
{
    struct machine_launch launch = {
        .code = kernel->program->code,
        .kernel = kernel->information,
        .dimensions = 3,
        .dynamic_lds_bytes = argument_lds_bytes,
    };

    for (unsigned axis = 0; axis < 3; axis++) {
        launch.global_size[axis] = size[axis];
        launch.group_size[axis] = size[axis];
    }
    return machine_fits(session_existing_machine(), &launch, diagnosis);
}

uint32_t kernel_group_max(const struct _cl_kernel *kernel, uint32_t argument_lds_bytes)
{
    uint32_t items = kernel->information->max_group_size;
    struct device_facts facts;

    if (kernel->program->code == NULL || !session_facts(&facts))
        return items;
    while (items > 0 &&
           !kernel_group_fits(kernel, (const uint32_t[]){items, 1, 1}, argument_lds_bytes, NULL))
        items -= (items - 1) % (uint32_t)facts.wavefront_lanes + 1; /* one wavefront fewer */
    return items;
}

/* "; it may have at most 64 work-items (CL_KERNEL_WORK_GROUP_SIZE)", or what else helps. */
static void add_advice(struct text *text, const struct _cl_kernel *kernel,
                       uint32_t argument_lds_bytes, const char *hint)
{
    uint32_t max = kernel_group_max(kernel, argument_lds_bytes);

    if (max > 0)
        text_add(text, "; it may have at most %u work-items (CL_KERNEL_WORK_GROUP_SIZE)", max);
    if (hint[0] != '\0')
        text_add(text, "; %s", hint);
}

cl_int kernel_check_group(const struct _cl_kernel *kernel, const uint32_t size[3],
                          uint32_t argument_lds_bytes)
{
    const char *name = kernel->information->name;
    struct diagnosis diagnosis;
    const char *reason = diagnosis.message;
    struct text text = {0};

    if (kernel_group_fits(kernel, size, argument_lds_bytes, &diagnosis))
        return CL_SUCCESS;
    if (strncmp(reason, name, strlen(name)) == 0 && reason[strlen(name)] == ':')
        reason += strlen(name) + 2;
    text_add(&text, "%s", reason);
    add_advice(&text, kernel, argument_lds_bytes, diagnosis.hint);
    refusal(CL_INVALID_WORK_GROUP_SIZE, name, "%s", text_chars(&text));
    text_finish(&text);
    return CL_INVALID_WORK_GROUP_SIZE;
}
