/* SPDX-License-Identifier: MIT */
/* The fuzzer's kernels in C. The model's bytes may lie at any address, so words go through memcpy.
 */
#include "kernels.h"

#include <string.h>

static uint32_t load(const unsigned char *data, size_t word)
{
    uint32_t x;
    memcpy(&x, data + 4 * word, 4);
    return x;
}

static void store(unsigned char *data, size_t word, uint32_t x)
{
    memcpy(data + 4 * word, &x, 4);
}

static uint32_t mix(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7FEB352Du;
    x = (x ^ (x >> 15)) * 0x846CA68Bu;
    return x ^ (x >> 16);
}

static void update(const struct kernel_call *call, unsigned char *target, size_t bytes)
{
    for (size_t i = call->first; i < call->end; i++)
        store(target, i, load(target, i) * 1664525u + (uint32_t)i + call->seed);
    for (size_t i = bytes / 4 * 4; call->has_tail && i < bytes; i++)
        target[i] = (unsigned char)(target[i] * 77u + (uint32_t)i + call->seed);
}

static void combine(const struct kernel_call *call, unsigned char *target, size_t bytes,
                    const unsigned char *source, size_t source_bytes)
{
    size_t words = source_bytes / 4;
    size_t from = words > 0 ? call->first % words : 0;
    for (size_t i = call->first; i < call->end; i++) {
        uint32_t y = words > 0 ? load(source, from) : source[0];
        store(target, i, load(target, i) * 1664525u + y + (uint32_t)i + call->seed);
        from = from + 1 < words ? from + 1 : 0;
    }
    for (size_t i = bytes / 4 * 4; call->has_tail && i < bytes; i++)
        target[i] = (unsigned char)(target[i] * 77u + source[i % source_bytes] + call->seed);
}

static void fill(const struct kernel_call *call, unsigned char *target, size_t bytes)
{
    for (size_t i = 0; i < bytes / 4; i++)
        store(target, i, mix((uint32_t)i + call->seed));
    for (size_t i = bytes / 4 * 4; i < bytes; i++)
        target[i] = (unsigned char)mix((uint32_t)i + call->seed);
}

void kernel_apply(const struct kernel_call *call, unsigned char *target, size_t target_bytes,
                  const unsigned char *source, size_t source_bytes)
{
    if (call->kind == KERNEL_UPDATE)
        update(call, target, target_bytes);
    else if (call->kind == KERNEL_COMBINE)
        combine(call, target, target_bytes, source, source_bytes);
    else
        fill(call, target, target_bytes);
}

/* A sum, so that an OpenCL device may take the words in any order. */
uint32_t kernel_checksum(const unsigned char *data, size_t bytes, uint32_t seed)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < bytes / 4; i++)
        sum += mix(load(data, i) ^ mix((uint32_t)i + seed));
    for (size_t i = bytes / 4 * 4; i < bytes; i++)
        sum += mix(data[i] ^ mix((uint32_t)i + seed));
    return sum;
}
