/* SPDX-License-Identifier: MIT */
/*
 * Memory for what a printf prints. The backend (backend/printf.c) turns each call into stores of
 * the format's number and the arguments. They go to where __printf_alloc says, or to nowhere if
 * that is NULL. The host makes the text.
 *
 * The buffer is the launch's hidden_printf_buffer:
 *
 *     byte 0   8        16         32
 *          |used|lost    |capacity  |records: capacity bytes                     ...|
 *
 *     a record: |bytes, header included|work-group|work-item in it|what the call stores ...|
 *                0                      4          8               12
 *
 * used counts the bytes asked for, also those that were not there; lost counts records without room.
 * The host reads the same layout in machine/print_buffer.c. Source of the place of the hidden argument: LLVM,
 * "User Guide for AMDGPU Backend", code object V5, implicit kernel arguments.
 */
#define HIDDEN_PRINTF_BUFFER 72 /* bytes into the implicit arguments */
#define BUFFER_USED 0
#define BUFFER_LOST 1
#define BUFFER_CAPACITY 2
#define BUFFER_HEADER_BYTES 32
#define RECORD_HEADER_WORDS 3

typedef __global ulong *print_buffer;

static ulong print_count(print_buffer buffer, uint which, ulong value)
{
    return __opencl_atomic_fetch_add((volatile __global atomic_ulong *)(buffer + which), value,
                                     memory_order_relaxed, memory_scope_device);
}

static uint print_work_group(void)
{
    return (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) +
           get_group_id(0);
}

__attribute__((always_inline)) __global char *__printf_alloc(uint bytes)
{
    __constant char *arguments = (__constant char *)__builtin_amdgcn_implicitarg_ptr();
    print_buffer buffer = *(__constant print_buffer *)(arguments + HIDDEN_PRINTF_BUFFER);
    uint whole = bytes + RECORD_HEADER_WORDS * sizeof(uint);
    ulong place = print_count(buffer, BUFFER_USED, whole);
    __global uint *record =
        (__global uint *)((__global char *)buffer + BUFFER_HEADER_BYTES + place);

    if (place + whole > buffer[BUFFER_CAPACITY]) {
        print_count(buffer, BUFFER_LOST, 1);
        return 0;
    }
    record[0] = whole;
    record[1] = print_work_group();
    record[2] = get_local_linear_id();
    return (__global char *)(record + RECORD_HEADER_WORDS);
}
