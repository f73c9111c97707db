/* SPDX-License-Identifier: MIT */
/* One access or fence a kernel, its order and scope constants: test_builtins.py reads the code. */
typedef volatile __global atomic_int object;

__kernel void relaxed_add(object *a)
{
    atomic_fetch_add_explicit(a + get_global_id(0), 1, memory_order_relaxed, memory_scope_device);
}

__kernel void relaxed_load(object *a, __global int *out)
{
    *out = atomic_load_explicit(a, memory_order_relaxed, memory_scope_device);
}

__kernel void acquire_load(object *a, __global int *out)
{
    *out = atomic_load_explicit(a, memory_order_acquire, memory_scope_device);
}

__kernel void acquire_add(object *a)
{
    atomic_fetch_add_explicit(a + get_global_id(0), 1, memory_order_acquire);
}

__kernel void short_add(object *a)
{
    atomic_fetch_add(a + get_global_id(0), 1);
}

__kernel void uniform_add(object *a)
{
    atomic_fetch_add_explicit(a, 1, memory_order_relaxed, memory_scope_device);
}

__kernel void work_group_fence(__global int *out)
{
    out[0] = 1;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);
    out[1] = 1;
}

__kernel void device_fence(__global int *out)
{
    out[0] = 1;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
    out[1] = 1;
}

__kernel void local_barrier(__global int *out)
{
    __local int room[256];

    room[get_local_id(0)] = out[get_local_id(0)];
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = room[get_local_id(0) ^ 77];
}

__kernel void release_fence(__global int *out)
{
    out[0] = 1;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
    out[1] = 1;
}

__kernel void acquire_fence(__global int *out)
{
    out[0] = 1;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_all_devices);
    out[1] = 1;
}

__kernel void device_barrier(__global int *out)
{
    out[get_global_id(0)] = 1;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);
    out[get_global_id(0) ^ 1] = 1;
}

__kernel void order_of_the_host(object *a, __global int *out, int order, int scope)
{
    size_t i = get_global_id(0);

    out[i] = atomic_load_explicit(a + i, (memory_order)order, (memory_scope)scope);
}
