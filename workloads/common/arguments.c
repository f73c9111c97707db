/* SPDX-License-Identifier: MIT */
#include <stdarg.h>

#include "workload.h"

/* An argument's bytes and size, whatever its kind. */
struct argument {
    union {
        cl_mem buffer;
        cl_sampler sampler;
        cl_uint word;
        cl_int integer;
        cl_float single;
        cl_float2 pair;
        cl_double real;
        cl_ulong wide;
    } value;
    size_t bytes;
    bool is_local;
};

static struct argument next_argument(char kind, va_list *list)
{
    struct argument argument = {.is_local = kind == 'l'};

    switch (kind) {
    case 'b':
        argument.value.buffer = va_arg(*list, cl_mem);
        argument.bytes = sizeof(cl_mem);
        break;
    case 's':
        argument.value.sampler = va_arg(*list, cl_sampler);
        argument.bytes = sizeof(cl_sampler);
        break;
    case 'u':
        argument.value.word = va_arg(*list, cl_uint);
        argument.bytes = sizeof(cl_uint);
        break;
    case 'i':
        argument.value.integer = va_arg(*list, cl_int);
        argument.bytes = sizeof(cl_int);
        break;
    case 'f':
        argument.value.single = (cl_float)va_arg(*list, double);
        argument.bytes = sizeof(cl_float);
        break;
    case 'v':
        argument.value.pair = va_arg(*list, cl_float2);
        argument.bytes = sizeof(cl_float2);
        break;
    case 'd':
        argument.value.real = va_arg(*list, double);
        argument.bytes = sizeof(cl_double);
        break;
    case 'U':
        argument.value.wide = va_arg(*list, cl_ulong);
        argument.bytes = sizeof(cl_ulong);
        break;
    case 'l':
        argument.bytes = va_arg(*list, size_t);
        break;
    default:
        workload_fail("'%c' is no kind of argument", kind);
    }
    return argument;
}

void workload_arguments(cl_kernel kernel, const char *kinds, ...)
{
    va_list list;

    va_start(list, kinds);
    for (cl_uint i = 0; kinds[i] != '\0'; i++) {
        struct argument argument = next_argument(kinds[i], &list);

        workload_argument(kernel, i, argument.bytes, argument.is_local ? NULL : &argument.value);
    }
    va_end(list);
}
