/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/bits.h"
#include "opencl/driver.h"
#include "opencl/names.h"

struct _cl_platform_id driver_platform = {.object = {.dispatch = &driver_dispatch}};

static const cl_name_version platform_extensions[] = {
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_icd"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_extended_versioning"},
};

cl_int answer_extension_names(const struct query *query, const cl_name_version *names, size_t count)
{
    struct text text = {0};
    cl_int status;

    for (size_t i = 0; i < count; i++)
        text_add(&text, "%s%s", i > 0 ? " " : "", names[i].name);
    status = answer_text(query, text_chars(&text));
    text_finish(&text);
    return status;
}

static cl_int platform_info(cl_platform_info name, const struct query *query)
{
    switch (name) {
    case CL_PLATFORM_PROFILE:
        return answer_text(query, "FULL_PROFILE");
    case CL_PLATFORM_VERSION:
        return answer_text(query, "OpenCL 3.0 Wavetank " WAVETANK_VERSION);
    case CL_PLATFORM_NUMERIC_VERSION:
        return answer_uint(query, CL_MAKE_VERSION(3, 0, 0));
    case CL_PLATFORM_NAME:
        return answer_text(query, "Wavetank");
    case CL_PLATFORM_VENDOR:
        return answer_text(query, DRIVER_VENDOR);
    case CL_PLATFORM_EXTENSIONS:
        return answer_extension_names(query, platform_extensions, ARRAY_COUNT(platform_extensions));
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
        return answer_bytes(query, platform_extensions, sizeof platform_extensions);
    case CL_PLATFORM_HOST_TIMER_RESOLUTION:
        return answer_ulong(query, 1);
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        return answer_text(query, "WAVETANK");
    default:
        return CL_INVALID_VALUE;
    }
}

DRIVER_EXPORT cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info name,
                                                   size_t size, void *value, size_t *size_return)
{
    struct query query = {size, value, size_return};

    if (platform != NULL && platform != &driver_platform)
        return CL_INVALID_PLATFORM;
    return platform_info(name, &query);
}

static cl_int platform_ids(cl_uint capacity, cl_platform_id *platforms, cl_uint *count)
{
    if ((capacity == 0 && platforms != NULL) || (platforms == NULL && count == NULL))
        return CL_INVALID_VALUE;
    driver_enter();
    session_begin();
    driver_leave();
    if (platforms != NULL)
        platforms[0] = &driver_platform;
    if (count != NULL)
        *count = 1;
    return CL_SUCCESS;
}

cl_int CL_API_CALL clGetPlatformIDs(cl_uint capacity, cl_platform_id *platforms, cl_uint *count)
{
    return platform_ids(capacity, platforms, count);
}

DRIVER_EXPORT cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint capacity, cl_platform_id *platforms,
                                                        cl_uint *count)
{
    return platform_ids(capacity, platforms, count);
}

cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id platform)
{
    return platform == &driver_platform ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

cl_int CL_API_CALL clUnloadCompiler(void)
{
    return CL_SUCCESS;
}
