/* SPDX-License-Identifier: MIT */
/* clGetDeviceInfo: a table of what is fixed, and functions for what comes from the configuration or
 * is a list. */
#include <stdlib.h>

#include "base/bits.h"
#include "opencl/image.h"
#include "opencl/names.h"
#include "opencl/sub_device.h"

enum fixed_kind { FIXED_UINT, FIXED_ULONG, FIXED_SIZE, FIXED_TEXT, FIXED_EMPTY };

struct fixed_answer {
    cl_device_info name;
    enum fixed_kind kind;
    cl_ulong value;
    const char *text;
};

#define UINT(name, value)                                                                          \
    {                                                                                              \
        name, FIXED_UINT, value, NULL                                                              \
    }
#define ULONG(name, value)                                                                         \
    {                                                                                              \
        name, FIXED_ULONG, value, NULL                                                             \
    }
#define SIZE(name, value)                                                                          \
    {                                                                                              \
        name, FIXED_SIZE, value, NULL                                                              \
    }
#define TEXT(name, text)                                                                           \
    {                                                                                              \
        name, FIXED_TEXT, 0, text                                                                  \
    }
#define EMPTY(name)                                                                                \
    {                                                                                              \
        name, FIXED_EMPTY, 0, NULL                                                                 \
    }

/* Kernels run with single-precision denormals flushed, because v_mac does so (clang's default for
 * gfx600). */
#define SINGLE_FLOAT                                                                               \
    (CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_FMA | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)
#define DOUBLE_FLOAT                                                                               \
    (CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_INF_NAN |           \
     CL_FP_FMA | CL_FP_DENORM)

/* Through single precision, rounded to nearest; nothing is flushed. */
#define HALF_FLOAT (CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_FMA | CL_FP_DENORM)

enum { PARAMETER_BYTES = 1024 };

static const struct fixed_answer fixed_answers[] = {
    ULONG(CL_DEVICE_TYPE, CL_DEVICE_TYPE_GPU),
    UINT(CL_DEVICE_VENDOR_ID, 0x1002), /* PCI vendor of what is simulated */
    UINT(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 3),
    SIZE(CL_DEVICE_MAX_WORK_GROUP_SIZE, MAX_GROUP_SIZE),
    UINT(CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, 4),
    UINT(CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, 2),
    UINT(CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, 1),
    UINT(CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, 1),
    UINT(CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 1),
    UINT(CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, 1),
    UINT(CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, 1),
    UINT(CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, 4),
    UINT(CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, 2),
    UINT(CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, 1),
    UINT(CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, 1),
    UINT(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 1),
    UINT(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, 1),
    UINT(CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, 1),
    UINT(CL_DEVICE_ADDRESS_BITS, 64),
    UINT(CL_DEVICE_IMAGE_SUPPORT, CL_TRUE),
    UINT(CL_DEVICE_MAX_READ_IMAGE_ARGS, IMAGE_READ_ARGUMENTS),
    UINT(CL_DEVICE_MAX_WRITE_IMAGE_ARGS, IMAGE_WRITE_ARGUMENTS),
    UINT(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, IMAGE_WRITE_ARGUMENTS),
    SIZE(CL_DEVICE_IMAGE2D_MAX_WIDTH, IMAGE_WIDTH_MAX),
    SIZE(CL_DEVICE_IMAGE2D_MAX_HEIGHT, IMAGE_WIDTH_MAX),
    SIZE(CL_DEVICE_IMAGE3D_MAX_WIDTH, IMAGE_DEPTH_MAX),
    SIZE(CL_DEVICE_IMAGE3D_MAX_HEIGHT, IMAGE_DEPTH_MAX),
    SIZE(CL_DEVICE_IMAGE3D_MAX_DEPTH, IMAGE_DEPTH_MAX),
    SIZE(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, IMAGE_BUFFER_MAX),
    SIZE(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, IMAGE_LAYERS_MAX),
    UINT(CL_DEVICE_IMAGE_PITCH_ALIGNMENT, 1),
    UINT(CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, 1),
    UINT(CL_DEVICE_MAX_SAMPLERS, IMAGE_SAMPLERS),
    SIZE(CL_DEVICE_MAX_PARAMETER_SIZE, PARAMETER_BYTES),
    /* Each is a pointer among the parameters. */
    UINT(CL_DEVICE_MAX_ATOMIC_COUNTERS_EXT, PARAMETER_BYTES / 8),
    UINT(CL_DEVICE_MEM_BASE_ADDR_ALIGN, MEMORY_ALIGN_BYTES * 8),
    UINT(CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, 128),
    ULONG(CL_DEVICE_SINGLE_FP_CONFIG, SINGLE_FLOAT),
    ULONG(CL_DEVICE_DOUBLE_FP_CONFIG, DOUBLE_FLOAT),
    ULONG(CL_DEVICE_HALF_FP_CONFIG, HALF_FLOAT),
    UINT(CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, CL_READ_WRITE_CACHE),
    UINT(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 64),
    UINT(CL_DEVICE_MAX_CONSTANT_ARGS, 8),
    UINT(CL_DEVICE_LOCAL_MEM_TYPE, CL_LOCAL),
    UINT(CL_DEVICE_ERROR_CORRECTION_SUPPORT, CL_FALSE),
    UINT(CL_DEVICE_HOST_UNIFIED_MEMORY, CL_FALSE),
    SIZE(CL_DEVICE_PROFILING_TIMER_RESOLUTION, 1),
    UINT(CL_DEVICE_ENDIAN_LITTLE, CL_TRUE),
    UINT(CL_DEVICE_COMPILER_AVAILABLE, CL_TRUE),
    UINT(CL_DEVICE_LINKER_AVAILABLE, CL_TRUE),
    ULONG(CL_DEVICE_EXECUTION_CAPABILITIES, CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL),
    ULONG(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES,
          CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE),
    ULONG(CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, 0),
    UINT(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, 0),
    UINT(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, 0),
    UINT(CL_DEVICE_MAX_ON_DEVICE_QUEUES, 0),
    UINT(CL_DEVICE_MAX_ON_DEVICE_EVENTS, 0),
    ULONG(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, 0),
    TEXT(CL_DEVICE_BUILT_IN_KERNELS, ""),
    EMPTY(CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION),
    TEXT(CL_DEVICE_IL_VERSION, ""),
    EMPTY(CL_DEVICE_ILS_WITH_VERSION),
    TEXT(CL_DEVICE_VENDOR, DRIVER_VENDOR),
    TEXT(CL_DEVICE_PROFILE, "FULL_PROFILE"),
    TEXT(CL_DEVICE_VERSION, "OpenCL 3.0 Wavetank"),
    UINT(CL_DEVICE_NUMERIC_VERSION, CL_MAKE_VERSION(3, 0, 0)),
    TEXT(CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 3.0 Wavetank"),
    UINT(CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR, CL_MAKE_VERSION(3, 0, 0)),
    TEXT(CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, "v0000-01-01-00"), /* none */
    UINT(CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, CL_TRUE),
    SIZE(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, 65536),
    SIZE(CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, 0),
    UINT(CL_DEVICE_MAX_PIPE_ARGS, 0),
    UINT(CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, 0),
    UINT(CL_DEVICE_PIPE_MAX_PACKET_SIZE, 0),
    UINT(CL_DEVICE_PIPE_SUPPORT, CL_FALSE),
    UINT(CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, 0),
    UINT(CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, 0),
    UINT(CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, 0),
    ULONG(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,
          CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
              CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP |
              CL_DEVICE_ATOMIC_SCOPE_DEVICE | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES),
    ULONG(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES,
          CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
              CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM |
              CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | CL_DEVICE_ATOMIC_SCOPE_DEVICE |
              CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES),
    UINT(CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, CL_FALSE),
    UINT(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, CL_TRUE),
    UINT(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, CL_FALSE),
};

static cl_int fixed_info(const struct fixed_answer *fixed, const struct query *query)
{
    switch (fixed->kind) {
    case FIXED_UINT:
        return answer_uint(query, (cl_uint)fixed->value);
    case FIXED_ULONG:
        return answer_ulong(query, fixed->value);
    case FIXED_SIZE:
        return answer_size(query, (size_t)fixed->value);
    case FIXED_TEXT:
        return answer_text(query, fixed->text);
    case FIXED_EMPTY:
        break;
    }
    return answer_bytes(query, NULL, 0);
}

static const cl_name_version extensions[] = {
    {CL_MAKE_VERSION(1, 0, 0), "cl_amd_fp64"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_ext_atomic_counters_32"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_ext_device_fission"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_3d_image_writes"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_byte_addressable_store"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_depth_images"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_extended_versioning"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_fp16"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_fp64"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_global_int32_base_atomics"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_global_int32_extended_atomics"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_icd"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_image2d_from_buffer"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_int64_base_atomics"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_int64_extended_atomics"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_local_int32_base_atomics"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_local_int32_extended_atomics"},
    {CL_MAKE_VERSION(1, 0, 0), "cl_khr_subgroups"}, /* the last: not of narrow wavefronts */
};

static const cl_name_version language_versions[] = {
    {CL_MAKE_VERSION(1, 0, 0), "OpenCL C"},
    {CL_MAKE_VERSION(1, 1, 0), "OpenCL C"},
    {CL_MAKE_VERSION(1, 2, 0), "OpenCL C"},
    {CL_MAKE_VERSION(3, 0, 0), "OpenCL C"},
};

static const cl_name_version language_features[] = {
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_3d_image_writes"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_atomic_order_acq_rel"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_atomic_order_seq_cst"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_atomic_scope_all_devices"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_atomic_scope_device"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_fp64"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_images"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_int64"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_program_scope_global_variables"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_read_write_images"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_work_group_collective_functions"},
    {CL_MAKE_VERSION(3, 0, 0), "__opencl_c_subgroups"}, /* the last: not of narrow wavefronts */
};

static cl_int list_info(cl_device_info name, const struct query *query)
{
    static const size_t item_sizes[3] = {MAX_GROUP_SIZE, MAX_GROUP_SIZE, MAX_GROUP_SIZE};
    size_t absent = device_has_sub_groups() ? 0 : 1;

    switch (name) {
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
        return answer_bytes(query, item_sizes, sizeof item_sizes);
    case CL_DEVICE_EXTENSIONS:
        return answer_extension_names(query, extensions, ARRAY_COUNT(extensions) - absent);
    case CL_DEVICE_EXTENSIONS_WITH_VERSION:
        return answer_bytes(query, extensions, sizeof extensions - absent * sizeof *extensions);
    case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
        return answer_bytes(query, language_versions, sizeof language_versions);
    case CL_DEVICE_OPENCL_C_FEATURES:
        return answer_bytes(query, language_features,
                            sizeof language_features - absent * sizeof *language_features);
    case CL_DEVICE_PLATFORM:
        return answer_pointer(query, &driver_platform);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int name_info(const struct query *query)
{
    const struct configuration *configuration = session_configuration();
    char *name = format_string("Wavetank %s", configuration->name);
    cl_int status = answer_text(query, name);

    free(name);
    return status;
}

static cl_int driver_version_info(const struct query *query)
{
    char *version = build_driver_version();
    cl_int status = answer_text(query, version);

    free(version);
    return status;
}

static cl_int facts_info(cl_device_info name, const struct device_facts *facts,
                         const struct query *query)
{
    switch (name) {
    case CL_DEVICE_NAME:
        return name_info(query);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        return answer_uint(query, (cl_uint)facts->compute_units);
    case CL_DEVICE_MAX_CLOCK_FREQUENCY:
        return answer_uint(query, (cl_uint)(facts->clock_khz / 1000));
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        return answer_ulong(query, device_max_allocation(facts));
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:
        return answer_ulong(query, device_max_allocation(facts));
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE:
        return answer_ulong(query, facts->cache_bytes);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
        return answer_ulong(query, facts->memory_bytes);
    case CL_DEVICE_MAX_NUM_SUB_GROUPS:
        return answer_uint(query, device_has_sub_groups() ? MAX_GROUP_SIZE / SUB_GROUP_ITEMS : 0);
    case CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS:
        return answer_uint(query, device_has_sub_groups());
    case CL_DEVICE_LOCAL_MEM_SIZE:
        return answer_ulong(query, facts->lds_bytes);
    case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return answer_size(query, (size_t)facts->wavefront_lanes);
    case CL_DEVICE_PRINTF_BUFFER_SIZE:
        return answer_size(query, (size_t)facts->printf_bytes);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_ulong device_svm_capabilities(void)
{
    return device_has_svm() ? CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER
                            : 0;
}

static cl_int device_info(const struct _cl_device_id *device, cl_device_info name,
                          const struct query *query)
{
    struct device_facts facts;
    cl_int status;

    for (size_t i = 0; i < ARRAY_COUNT(fixed_answers); i++)
        if (fixed_answers[i].name == name)
            return fixed_info(&fixed_answers[i], query);
    if (name == CL_DEVICE_AVAILABLE)
        return answer_uint(query, session_configuration() != NULL);
    if (name == CL_DRIVER_VERSION)
        return driver_version_info(query);
    if (name == CL_DEVICE_SVM_CAPABILITIES)
        return answer_ulong(query, device_svm_capabilities());
    status = list_info(name, query);
    if (status == CL_INVALID_VALUE)
        status = device_partition_info(device, name, query);
    if (status != CL_INVALID_VALUE)
        return status;
    /* CL_INVALID_VALUE stays what it was for a place that is too small: no name is in both lists.
     */
    if (!session_facts(&facts))
        return CL_OUT_OF_RESOURCES;
    facts.compute_units = device_compute_units(device);
    return facts_info(name, &facts, query);
}

cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t size,
                                   void *value, size_t *size_return)
{
    struct query query = {size, value, size_return};
    cl_int status = CL_INVALID_DEVICE;

    driver_enter();
    if (device_is(device))
        status = device_info(device, name, &query);
    return driver_return(status);
}
