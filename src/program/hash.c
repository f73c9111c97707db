/* SPDX-License-Identifier: MIT */
#include "program/program.h"

#include <xxhash.h>

void content_hash(const void *bytes, size_t count, uint64_t seed, uint64_t hash[2])
{
    XXH128_hash_t value = XXH3_128bits_withSeed(bytes, count, seed);

    hash[0] = value.low64;
    hash[1] = value.high64;
}
