/* SPDX-License-Identifier: MIT */
/* Integers of each width and sign: wrap, shifts, divisions, conversions, characters,
 * enumerations. */
#include "show.h"
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum colour { RED = -3, GREEN, BLUE = 70000 };

int main(void)
{
    int n = 500;
    int *a = integers(n, 1, 100000);
    uint8_t *bytes = malloc(n);
    int16_t *shorts = malloc(2 * n);
    uint32_t *words = malloc(4 * n);
    int64_t *longs = malloc(8 * n);
    uint64_t *hashes = malloc(8 * n);
    bool *odd = malloc(n);
    bool inverted = true;
    enum colour base = BLUE;
#pragma nuda parallel for
    for (int i = 0; i < n; i++) {
        char c = 'a' + i % 26;
        unsigned char u = (unsigned char)(c * 3);
        bytes[i] = u;
        bytes[i] += 200;
        shorts[i] = (int16_t)(a[i] * 7);
        words[i] = (uint32_t)a[i] * 2654435761u >> 3 ^ ~(uint32_t)i;
        longs[i] = (long)a[i] * INT_MAX - (i == 7 ? LLONG_MIN + 5 : RED) / 3 % 1000003LL;
        hashes[i] = 0xcbf29ce484222325ull * (uint64_t)(a[i] + 1) << 5 | 0x7ull;
        odd[i] = (a[i] & 1) != inverted;
        if (odd[i] && a[i] > base)
            hashes[i] -= (unsigned)base;
    }
    show("bytes", bytes, n);
    show("shorts", shorts, 2 * n);
    show("words", words, 4 * n);
    show("longs", longs, 8 * n);
    show("hashes", hashes, 8 * n);
    show("odd", odd, n);
    return 0;
}
