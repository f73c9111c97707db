# SPDX-License-Identifier: MIT
"""The built-in functions by section, as the specifications list them. Sources: Khronos, "The OpenCL Specification, Version 1.2",
chapter 6.12; "The OpenCL C Specification, Version 3.0", chapter 6.15 (what it adds, and demands of a device with the features that
this one reports); the extensions cl_khr_int64_*, cl_khr_depth_images, cl_khr_subgroups, cl_khr_fp16."""

ROUNDINGS = ("", "_rte", "_rtz", "_rtp", "_rtn")
ORDINARY = "cos divide exp exp2 exp10 log log2 log10 powr recip rsqrt sin sqrt tan".split()
OPERATIONS = "add sub xchg inc dec cmpxchg min max and or xor".split()
FETCHES = "add sub or xor and min max".split()
JOINTS = [form + name for form in ("reduce_", "scan_inclusive_", "scan_exclusive_") for name in ("add", "min", "max")]
SIZES = ("2", "3", "4", "8", "16")

NAMES = {
    "work-item": "get_work_dim get_global_size get_global_id get_local_size get_local_id get_num_groups get_group_id get_global_offset".split(),
    "math": """acos acosh acospi asin asinh asinpi atan atan2 atanh atanpi atan2pi cbrt ceil copysign cos cosh cospi erfc erf exp exp2
        exp10 expm1 fabs fdim floor fma fmax fmin fmod fract frexp hypot ilogb ldexp lgamma lgamma_r log log2 log10 log1p logb mad
        maxmag minmag modf nan nextafter pow pown powr remainder remquo rint rootn round rsqrt sin sincos sinh sinpi sqrt tan tanh
        tanpi tgamma trunc""".split() + ["half_" + n for n in ORDINARY] + ["native_" + n for n in ORDINARY],
    "integer": """abs abs_diff add_sat hadd rhadd clamp clz mad_hi mad_sat max min mul_hi rotate sub_sat upsample popcount mad24
        mul24""".split(),
    "common": "clamp degrees max min mix radians step smoothstep sign".split(),
    "geometric": "cross dot distance length normalize fast_distance fast_length fast_normalize".split(),
    "relational": """isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isfinite isinf isnan isnormal
        isordered isunordered signbit any all bitselect select""".split(),
    "load and store": [f + n for f in ("vload", "vstore") for n in SIZES] + ["vload_half" + n for n in ("",) + SIZES] +
        ["vloada_half" + n for n in SIZES] + ["vstore_half" + n + r for n in ("",) + SIZES for r in ROUNDINGS] +
        ["vstorea_half" + n + r for n in SIZES for r in ROUNDINGS],
    "synchronization": "barrier mem_fence read_mem_fence write_mem_fence".split(),
    "copies": "async_work_group_copy async_work_group_strided_copy wait_group_events prefetch".split(),
    "atomic": ["atomic_" + n for n in OPERATIONS] + ["atom_" + n for n in OPERATIONS],
    "vector": "shuffle shuffle2".split(),  # vec_step is an operator: group_program checks it
    "print": ["printf"],
    "half": "read_imageh write_imageh".split(),  # cl_khr_fp16: beside the types of all above
    "image": """read_imagef read_imagei read_imageui write_imagef write_imagei write_imageui get_image_width get_image_height
        get_image_depth get_image_channel_data_type get_image_channel_order get_image_dim get_image_array_size""".split(),
}
NAMES_3_0 = {
    "work-item": "get_enqueued_local_size get_global_linear_id get_local_linear_id".split(),
    "integer": ["ctz"],
    "synchronization": "work_group_barrier atomic_work_item_fence".split(),
    "atomic": ["atomic_init"] + [n + e for n in ["atomic_store", "atomic_load", "atomic_exchange", "atomic_compare_exchange_strong",
               "atomic_compare_exchange_weak", "atomic_flag_test_and_set", "atomic_flag_clear"] + ["atomic_fetch_" + n for n in FETCHES]
               for e in ("", "_explicit")],
    "work-group": ["work_group_" + n for n in ["all", "any", "broadcast"] + JOINTS],
    "sub-group": "get_sub_group_size get_max_sub_group_size get_num_sub_groups get_enqueued_num_sub_groups get_sub_group_id "
                 "get_sub_group_local_id".split() + ["sub_group_" + n for n in ["barrier", "all", "any", "broadcast"] + JOINTS],
}
