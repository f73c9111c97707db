/* SPDX-License-Identifier: MIT */
/* Work-item functions that OpenCL C 3.0 adds (6.15.1). A launch's work-groups are all of one size,
 * so that the enqueued size is the size. */

size_t __attribute__((overloadable)) get_enqueued_local_size(uint axis)
{
    return get_local_size(axis);
}

size_t __attribute__((overloadable)) get_local_linear_id(void)
{
    return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) +
           get_local_id(0);
}

size_t __attribute__((overloadable)) get_global_linear_id(void)
{
    size_t x = get_global_id(0) - get_global_offset(0);
    size_t y = get_global_id(1) - get_global_offset(1);
    size_t z = get_global_id(2) - get_global_offset(2);

    return (z * get_global_size(1) + y) * get_global_size(0) + x;
}
