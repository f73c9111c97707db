/* SPDX-License-Identifier: MIT */
/*
 * Kernels whose work-items do not talk to each other, once as text for clang (SHARED_SOURCE) and
 * once as C functions of this program. OpenCL's words are macros here; get_global_id is the loop
 * counter of the caller. Only operations whose results OpenCL fixes to the bit.
 */
#ifndef TESTS_ISA_KERNELS_SHARED_H
#define TESTS_ISA_KERNELS_SHARED_H

#include <stdint.h>

extern unsigned shared_global_id;

#define SHARED_TEXT_(...) #__VA_ARGS__
#define SHARED_TEXT(...) SHARED_TEXT_(__VA_ARGS__)

#define KERNEL_SCRATCH                                                                             \
    KERNEL void scratch_words(GLOBAL const int *a, GLOBAL int *out, int n)                         \
    {                                                                                              \
        int t[40];                                                                                 \
        int i = ITEM;                                                                              \
        int s = 0;                                                                                 \
        for (int j = 0; j < 40; j++)                                                               \
            t[j] = a[(i + j) % n];                                                                 \
        for (int j = 0; j < 40; j++) {                                                             \
            int k = t[j] & 31;                                                                     \
            s += t[k] * j;                                                                         \
            t[(k * 7) % 40] += s;                                                                  \
        }                                                                                          \
        for (int j = 0; j < 40; j++)                                                               \
            s ^= t[j];                                                                             \
        out[i] = s;                                                                                \
    }                                                                                              \
    KERNEL void scratch_bytes(GLOBAL const int *a, GLOBAL int *out, int n)                         \
    {                                                                                              \
        signed char t[64];                                                                         \
        short u[33];                                                                               \
        double d[5];                                                                               \
        int i = ITEM;                                                                              \
        int s = i;                                                                                 \
        for (int j = 0; j < 64; j++)                                                               \
            t[j] = (signed char)a[(i * 3 + j) % n];                                                \
        for (int j = 0; j < 33; j++)                                                               \
            u[j] = (short)(a[(i + j) % n] >> 3);                                                   \
        for (int j = 0; j < 5; j++)                                                                \
            d[j] = j * 0.5 + i;                                                                    \
        for (int j = 0; j < 64; j++) {                                                             \
            s = s * 3 + t[t[j] & 63] + u[(s & 0x7fffffff) % 33];                                   \
            d[(s & 0x7fffffff) % 5] += t[j];                                                       \
        }                                                                                          \
        for (int j = 0; j < 5; j++)                                                                \
            s += (int)d[j];                                                                        \
        out[i] = s;                                                                                \
    }

#define KERNEL_INTEGERS                                                                            \
    KERNEL void long_integers(GLOBAL const int *a, GLOBAL int *out, int n)                         \
    {                                                                                              \
        int i = ITEM;                                                                              \
        LONG x = ((LONG)a[i] << 32) | (UINT)a[(i + 1) % n];                                        \
        LONG y = (LONG)a[(i + 2) % n] * 7919 + 1;                                                  \
        ULONG z = (ULONG)x * (ULONG)y;                                                             \
        LONG q = y != 0 ? x / y : 0;                                                               \
        ULONG r = (ULONG)x % (((ULONG)y >> 5) | 1);                                                \
        z ^= (z >> 33) + (z << (a[i] & 63));                                                       \
        z += (ULONG)(x >> (a[i] & 31)) ^ (ULONG)q ^ r;                                             \
        out[i] = (int)(z >> 32) ^ (int)z ^ (x < y) ^ ((ULONG)x > (ULONG)y) << 4;                   \
    }                                                                                              \
    KERNEL void divergent(GLOBAL const int *a, GLOBAL int *out, int n)                             \
    {                                                                                              \
        int i = ITEM;                                                                              \
        UINT x = (UINT)a[i] & 0xffff;                                                              \
        int steps = 0;                                                                             \
        while (x != 1 && steps < 400) {                                                            \
            if (x & 1)                                                                             \
                x = 3 * x + 1;                                                                     \
            else                                                                                   \
                x >>= 1;                                                                           \
            steps++;                                                                               \
            if (x == 0)                                                                            \
                break;                                                                             \
        }                                                                                          \
        switch (a[i] & 7) {                                                                        \
        case 0:                                                                                    \
            steps *= 3;                                                                            \
            break;                                                                                 \
        case 1:                                                                                    \
            steps -= 100;                                                                          \
            break;                                                                                 \
        case 3:                                                                                    \
            for (int j = 0; j < (i & 15); j++)                                                     \
                steps += a[(i + j) % n] % 11;                                                      \
            break;                                                                                 \
        case 6:                                                                                    \
            steps = ~steps;                                                                        \
            break;                                                                                 \
        default:                                                                                   \
            steps ^= 0x55;                                                                         \
        }                                                                                          \
        out[i] = steps;                                                                            \
    }                                                                                              \
    KERNEL void division(GLOBAL const int *a, GLOBAL int *out, int n)                              \
    {                                                                                              \
        int i = ITEM;                                                                              \
        int x = a[i], y = a[(i + 5) % n] >> (i & 31);                                              \
        UINT u = (UINT)x, v = (UINT)y | 1;                                                         \
        y = y == 0 ? 1 : y;                                                                        \
        out[i] = x / (y == -1 ? 3 : y) + x % (y == -1 ? 3 : y) + (int)(u / v ^ u % v);             \
    }

#define KERNEL_FLOATS                                                                              \
    KERNEL void doubles(GLOBAL const int *a, GLOBAL int *out, int n)                               \
    {                                                                                              \
        int i = ITEM;                                                                              \
        double x = a[i], y = a[(i + 1) % n] | 1;                                                   \
        double q = x / y;                                                                          \
        double z = q * 1024.0;                                                                     \
        float f = (float)q;                                                                        \
        int e = q < 0.5 ? (int)z : (int)(UINT)(z < 0 ? -z : (z > 4e9 ? 4e9 : z));                  \
        out[i] = e ^ (int)(f * 65536.0f > 2e9f ? 7.0f : (f * 65536.0f < -2e9f ? 9.0f : f));        \
    }                                                                                              \
    KERNEL void floats(GLOBAL const int *a, GLOBAL int *out, int n)                                \
    {                                                                                              \
        int i = ITEM;                                                                              \
        float x = (float)(a[i] >> 8), y = (float)(UINT)a[(i + 1) % n];                             \
        float s = x * 0.375f;                                                                      \
        float t = s - y;                                                                           \
        int count = 0;                                                                             \
        if (t < 0.0f)                                                                              \
            t = -t;                                                                                \
        while (t >= 3.0f && count < 100) {                                                         \
            t = t * 0.3125f;                                                                       \
            count++;                                                                               \
        }                                                                                          \
        out[i] = count * 1000 + (int)(t * 100.0f) + (s > y) + 2 * (s != s);                        \
    }

#define KERNEL_CALLS                                                                               \
    NOINLINE int fold(int x, int depth)                                                            \
    {                                                                                              \
        int t[6];                                                                                  \
        for (int j = 0; j < 6; j++)                                                                \
            t[j] = x * (j + depth);                                                                \
        return t[(x ^ depth) & 3] + t[x & 1];                                                      \
    }                                                                                              \
    NOINLINE int twice(int x)                                                                      \
    {                                                                                              \
        return fold(x + 1, 3) ^ fold(x, 2);                                                        \
    }                                                                                              \
    KERNEL void calls(GLOBAL const int *a, GLOBAL int *out, int n)                                 \
    {                                                                                              \
        int i = ITEM;                                                                              \
        int s = fold(a[i], 1);                                                                     \
        if (a[i] & 4)                                                                              \
            s += twice(a[(i + 1) % n]);                                                            \
        out[i] = s;                                                                                \
    }

#endif
