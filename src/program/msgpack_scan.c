/* SPDX-License-Identifier: MIT */
#include "program/msgpack_scan.h"

#include <stdint.h>

/* What follows a value's first byte. */
struct shape {
    unsigned length_bytes; /* of a big-endian length L, first of all */
    unsigned per_length;   /* elements for each unit of L; 0: L counts bytes */
    uint64_t skip;         /* bytes that hold no elements */
    uint64_t elements;
};

static struct shape shape_of(unsigned byte)
{
    static const unsigned char number_bytes[] = {4, 8, 1, 2, 4, 8, 1, 2, 4, 8};
    struct shape shape = {0};

    if (byte >= 0x80 && byte <= 0x8f) /* small map */
        shape.elements = 2 * (byte & 15);
    else if (byte >= 0x90 && byte <= 0x9f) /* small array */
        shape.elements = byte & 15;
    else if (byte >= 0xa0 && byte <= 0xbf) /* small string */
        shape.skip = byte & 31;
    else if (byte >= 0xc4 && byte <= 0xc6) /* binary */
        shape.length_bytes = 1u << (byte - 0xc4);
    else if (byte >= 0xc7 && byte <= 0xc9) /* extension: length, type, bytes */
        shape = (struct shape){.length_bytes = 1u << (byte - 0xc7), .skip = 1};
    else if (byte >= 0xca && byte <= 0xd3) /* numbers: float, unsigned, signed */
        shape.skip = number_bytes[byte - 0xca];
    else if (byte >= 0xd4 && byte <= 0xd8) /* extension of 1, 2, ... 16 bytes */
        shape.skip = 1 + (UINT64_C(1) << (byte - 0xd4));
    else if (byte >= 0xd9 && byte <= 0xdb) /* string */
        shape.length_bytes = 1u << (byte - 0xd9);
    else if (byte == 0xdc || byte == 0xdd) /* array */
        shape = (struct shape){.length_bytes = byte == 0xdc ? 2 : 4, .per_length = 1};
    else if (byte == 0xde || byte == 0xdf) /* map */
        shape = (struct shape){.length_bytes = byte == 0xde ? 2 : 4, .per_length = 2};
    return shape;
}

bool msgpack_is_plausible(const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    const unsigned char *end = at + count;
    uint64_t pending = 1;

    while (pending > 0) {
        struct shape shape;
        uint64_t length = 0;

        if (pending > (uint64_t)(end - at))
            return false;
        shape = shape_of(*at++);
        if (shape.length_bytes > (uint64_t)(end - at))
            return false;
        for (unsigned i = 0; i < shape.length_bytes; i++)
            length = length << 8 | *at++;
        if (shape.per_length == 0)
            shape.skip += length;
        if (shape.skip > (uint64_t)(end - at))
            return false;
        at += shape.skip;
        pending += shape.elements + length * shape.per_length - 1;
    }
    return true;
}
