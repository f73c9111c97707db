/* SPDX-License-Identifier: MIT */
/*
 * Local memory of the built-in library's own, through which the wavefronts of a work-group tell
 * each other one value each. It is C, since OpenCL C has no local variable outside a kernel.
 * Programs that call no function of work_group.cl have none of it.
 */
typedef __attribute__((address_space(3))) unsigned long local_ulong;

static __attribute__((loader_uninitialized)) local_ulong slots[66];

__attribute__((always_inline, visibility("hidden"))) local_ulong *__wavetank_group_slots(void)
{
    return slots;
}
