/* SPDX-License-Identifier: MIT */
/* Answers to queries. */
#include "opencl/driver.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

cl_int answer_bytes(const struct query *query, const void *bytes, size_t count)
{
    if (query->value != NULL && query->size < count)
        return CL_INVALID_VALUE;
    if (query->value != NULL && count > 0)
        memcpy(query->value, bytes, count);
    if (query->size_return != NULL)
        *query->size_return = count;
    return CL_SUCCESS;
}

cl_int answer_text(const struct query *query, const char *text)
{
    return answer_bytes(query, text, strlen(text) + 1);
}

cl_int answer_uint(const struct query *query, cl_uint value)
{
    return answer_bytes(query, &value, sizeof value);
}

cl_int answer_ulong(const struct query *query, cl_ulong value)
{
    return answer_bytes(query, &value, sizeof value);
}

cl_int answer_size(const struct query *query, size_t value)
{
    return answer_bytes(query, &value, sizeof value);
}

cl_int answer_pointer(const struct query *query, const void *pointer)
{
    return answer_bytes(query, &pointer, sizeof pointer);
}

static size_t properties_bytes(const cl_ulong *list)
{
    size_t count = 0;

    if (list == NULL)
        return 0;
    while (list[count] != 0)
        count += 2;
    return (count + 1) * sizeof *list;
}

cl_int answer_properties(const struct query *query, const cl_ulong *list)
{
    return answer_bytes(query, list, properties_bytes(list));
}

cl_ulong *properties_copy(const cl_ulong *list)
{
    size_t bytes = properties_bytes(list);

    return list == NULL ? NULL : memcpy(allocate(bytes, 1), list, bytes);
}
