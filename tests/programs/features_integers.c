/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "feature_tests.h"
#include "integers.cl.h"

enum { COUNT = 1024 };

static const uint64_t specials[] = {0,
                                    1,
                                    2,
                                    0x7fffffff,
                                    0x80000000,
                                    0xffffffff,
                                    0x100000000,
                                    0x7fffffffffffffff,
                                    0x8000000000000000,
                                    0xffffffffffffffff,
                                    0x80,
                                    0xff7f};
enum { SPECIALS = sizeof specials / sizeof specials[0] };

/* Pairs: all pairs of special values, then random ones of random length. */
static void number_pairs(uint64_t pairs[COUNT][2], unsigned bits, uint64_t seed)
{
    for (size_t i = 0; i < COUNT; i++)
        for (size_t side = 0; side < 2; side++) {
            uint64_t random = workload_random(&seed) >> (64 - bits);
            uint64_t number = random >> (workload_random(&seed) % bits);
            if (i < SPECIALS * SPECIALS)
                number = specials[side == 0 ? i / SPECIALS : i % SPECIALS];
            pairs[i][side] = bits == 64 ? number : number & 0xffffffff;
        }
}

static void word_pairs(cl_uint words[COUNT][2], uint64_t seed)
{
    static uint64_t pairs[COUNT][2];

    number_pairs(pairs, 32, seed);
    for (size_t i = 0; i < COUNT; i++)
        for (size_t side = 0; side < 2; side++)
            words[i][side] = (cl_uint)pairs[i][side];
}

static cl_int saturate(int64_t value, int64_t min, int64_t max)
{
    return (cl_int)(value < min ? min : value > max ? max : value);
}

static bool division(struct feature_run *run)
{
    static cl_uint input[COUNT][2], output[COUNT][12], expected[COUNT][12];

    word_pairs(input, 1);
    for (size_t i = 0; i < COUNT; i++) {
        if (input[i][1] == 0 || (input[i][0] == 0x80000000u && input[i][1] == 0xffffffffu))
            input[i][1] = 3;
        cl_uint a = input[i][0], b = input[i][1], *e = expected[i];
        cl_int c = (cl_int)a, d = (cl_int)b;
        e[0] = a / b;
        e[1] = a % b;
        e[2] = (cl_uint)(c / d);
        e[3] = (cl_uint)(c % d);
        e[4] = a / 10;
        e[5] = a % 1000003;
        e[6] = (cl_uint)(c / -7);
        e[7] = (cl_uint)(c % 12);
        e[8] = a / ((b & 0xff) + 1);
        e[9] = (cl_uint)((cl_short)(c >> 16) / ((cl_short)(d >> 20) | 1));
        e[10] = (cl_uint)((cl_uchar)a % (cl_uchar)(b | 1));
        e[11] = (cl_uint)((uint64_t)a * b >> 32);
    }
    feature_map(run, "division", COUNT, input, sizeof input, output, sizeof output);
    return feature_same("division (word of 12)", output, expected, (size_t)COUNT * 12,
                        sizeof(cl_uint));
}

static cl_ulong absolute(cl_long x)
{
    return x < 0 ? 0 - (cl_ulong)x : (cl_ulong)x;
}

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

static void expect_longs(cl_ulong a, cl_ulong b, cl_ulong *e)
{
    cl_long c = (cl_long)a, d = (cl_long)b;
    unsigned shift = b & 63;

    e[0] = a + b;
    e[1] = a - b;
    e[2] = a * b;
    e[3] = (cl_ulong)((unsigned_wide)a * b >> 64);
    e[4] = (cl_ulong)((wide)c * d >> 64);
    e[5] = a / b;
    e[6] = a % b;
    e[7] = (cl_ulong)(c / d);
    e[8] = (cl_ulong)(c % d);
    e[9] = a << shift;
    e[10] = a >> shift;
    e[11] = (cl_ulong)(c >> shift);
    e[12] = shift == 0 ? a : a << shift | a >> (64 - shift);
    e[13] = (cl_ulong)(a == 0 ? 64 : __builtin_clzll(a)) + ((cl_ulong)__builtin_popcountll(b) << 8);
    e[14] = (cl_ulong)(c < d) + ((cl_ulong)(a < b) << 1) + ((cl_ulong)(c == d) << 2) +
            ((a < b ? a : b) ^ (cl_ulong)(c > d ? c : d));
    e[15] = absolute(c) + (c > d ? (cl_ulong)c - (cl_ulong)d : (cl_ulong)d - (cl_ulong)c);
}

static bool longs(struct feature_run *run)
{
    static uint64_t input[COUNT][2];
    static cl_ulong output[COUNT][16], expected[COUNT][16];

    number_pairs(input, 64, 2);
    for (size_t i = 0; i < COUNT; i++) {
        if (input[i][1] == 0 || (input[i][0] == (uint64_t)1 << 63 && input[i][1] == UINT64_MAX))
            input[i][1] = 3;
        expect_longs(input[i][0], input[i][1], expected[i]);
    }
    feature_map(run, "longs", COUNT, input, sizeof input, output, sizeof output);
    return feature_same("longs (word of 16)", output, expected, (size_t)COUNT * 16,
                        sizeof(cl_ulong));
}

static void expect_bits(cl_uint a, cl_uint b, cl_uint *e)
{
    int64_t c = (cl_int)a, d = (cl_int)b;
    uint64_t wide_a = a, wide_b = b;
    unsigned shift = b & 31, small_b = b & 0xff;
    int byte_sum = (cl_char)a + (cl_char)b;

    e[0] = a == 0 ? 32 : (cl_uint)__builtin_clz(a);
    e[1] = (cl_uint)__builtin_popcount(a);
    e[2] = shift == 0 ? a : a << shift | a >> (32 - shift);
    e[3] = (a & 0xffffff) * (b & 0xffffff);
    e[4] = (cl_uint)((c >> 8) * (d >> 8) + c);
    e[5] = (cl_uint)(wide_a * wide_b >> 32) + a;
    e[6] = (cl_uint)(c * d >> 32);
    e[7] = (cl_uint)((wide_a + wide_b) >> 1);
    e[8] = (cl_uint)((c + d + 1) >> 1);
    e[9] = a + b < a ? 0xffffffffu : a + b;
    e[10] = (cl_uint)saturate(c + d, INT32_MIN, INT32_MAX);
    e[11] = a < b ? 0 : a - b;
    e[12] = (cl_uint)saturate(c - d, INT32_MIN, INT32_MAX);
    e[13] = (cl_uint)(c > d ? c - d : d - c);
    e[14] = (a & ~0x0ff0f00fu) | (b & 0x0ff0f00fu);
    e[15] = c < d ? b : a;
    e[16] = (cl_uint)saturate(c, -1000, 1000) + (a < b ? a : b) - (a > b ? a : b);
    e[17] = (a & 0xffff) << 16 | (b & 0xffff);
    e[18] = a << shift | a >> shift;
    e[19] = (cl_uint)(c >> shift);
    e[20] = (cl_uint)(cl_short)a + (cl_uint)(cl_char)b + (cl_ushort)(a >> 3) + (cl_uchar)(b >> 5);
    e[21] = (cl_uint)saturate(c * d + c, INT32_MIN, INT32_MAX);
    e[22] = (cl_uint)((a & 0xffff) == 0 ? 16 : __builtin_clz(a & 0xffff) - 16) +
            (cl_uint)(small_b == 0 ? 8 : __builtin_clz(small_b) - 24) * 32 +
            (cl_uint)__builtin_popcount(a & 0xff) * 1024;
    e[23] = (cl_uint)saturate(byte_sum, -128, 127) +
            ((a & 0xffff) < (b & 0xffff) ? 0 : (a & 0xffff) - (b & 0xffff));
}

static bool bits(struct feature_run *run)
{
    static cl_uint input[COUNT][2], output[COUNT][24], expected[COUNT][24];

    word_pairs(input, 3);
    for (size_t i = 0; i < COUNT; i++)
        expect_bits(input[i][0], input[i][1], expected[i]);
    feature_map(run, "bits", COUNT, input, sizeof input, output, sizeof output);
    return feature_same("bits (word of 24)", output, expected, (size_t)COUNT * 24, sizeof(cl_uint));
}

static void put16(unsigned char *place, int value)
{
    place[0] = (unsigned char)value;
    place[1] = (unsigned char)(value >> 8);
}

static int get16(const unsigned char *place)
{
    return (cl_short)(place[0] | place[1] << 8);
}

static void expect_small(const unsigned char *in, unsigned char *out)
{
    cl_int product = (cl_char)in[3] * get16(in + 6);

    out[0] = (unsigned char)((cl_char)in[1] / 3);
    out[1] = (unsigned char)(in[0] * in[1]);
    put16(out + 2, get16(in + 2) >> 2);
    put16(out + 4, (get16(in + 4) & 0xffff) + (cl_char)in[7]);
    memcpy(out + 8, &product, sizeof product);
    for (unsigned n = 0; n < 3; n++)
        out[12 + n] = (unsigned char)(in[3 + n] + n + 1);
    out[15] = in[15];
    for (unsigned n = 0; n < 4; n++) {
        out[16 + n] = in[15 - n];
        put16(out + 24 + 2 * n, (cl_char)in[8 + n] * 3);
    }
    out[20] = in[9] > 100 ? 1 : 2;
    out[21] = out[22] = out[23] = 0;
}

static bool small_types(struct feature_run *run)
{
    static unsigned char input[COUNT][16], output[COUNT][32], expected[COUNT][32];
    uint64_t seed = 4;

    for (size_t i = 0; i < COUNT; i++) {
        for (size_t n = 0; n < 16; n++)
            input[i][n] = (unsigned char)workload_random(&seed);
        memset(output[i], 0xee, sizeof output[i]);
        memset(expected[i], 0xee, sizeof expected[i]);
        expect_small(input[i], expected[i]);
    }
    feature_map(run, "small_types", COUNT, input, sizeof input, output, sizeof output);
    return feature_same("small_types (byte of 32)", output, expected, (size_t)COUNT * 32, 1);
}

static void expect_vectors(cl_uint x, cl_uint y, cl_uint *e)
{
    cl_uint v[4] = {x, y, y + 1, x + 1}, w[4], k[8];
    cl_ushort h[16], reversed[16];

    for (unsigned n = 0; n < 4; n++)
        w[n] = v[3 - n] * 3;
    for (unsigned n = 0; n < 8; n++) {
        k[n] = (n < 4 ? v[n] : w[n - 4] >> 1) - 5;
        h[n] = (cl_ushort)saturate((cl_int)k[n], 0, 65535);
        h[n + 8] = (cl_ushort)k[n];
    }
    cl_uint even[4] = {v[0], v[2], v[0], v[2]}, odd[4] = {w[1], w[1], w[3], w[3]};
    for (unsigned n = 0; n < 4; n++) {
        e[n] = v[n] + w[n];
        e[12 + n] = v[n] > w[n] && even[n] == odd[n] ? 0xffffffffu : 0;
    }
    for (unsigned n = 0; n < 8; n++)
        e[4 + n] = k[7 - n] * k[n];
    for (unsigned n = 0; n < 16; n++)
        reversed[n] = h[15 - n];
    memcpy(e + 16, reversed, sizeof reversed);
}

static bool vectors(struct feature_run *run)
{
    static cl_uint input[COUNT][2], output[COUNT][24], expected[COUNT][24];

    word_pairs(input, 5);
    for (size_t i = 0; i < COUNT; i++)
        expect_vectors(input[i][0], input[i][1], expected[i]);
    feature_map(run, "vectors", COUNT, input, sizeof input, output, sizeof output);
    return feature_same("vectors (word of 24)", output, expected, (size_t)COUNT * 24,
                        sizeof(cl_uint));
}

static void expect_conversions(cl_uint a, cl_uint b, cl_uint *e)
{
    cl_int c = (cl_int)a;
    cl_long l = (cl_long)((cl_ulong)b << 32 | a);

    e[0] = (cl_uint)saturate(c, -128, 127);
    e[1] = (cl_uint)saturate(c, 0, 255);
    e[2] = (cl_uint)saturate(c, -32768, 32767);
    e[3] = (cl_uint)saturate(c, 0, 65535);
    e[4] = (cl_uint)saturate(l, INT32_MIN, INT32_MAX);
    e[5] = l < 0 ? 0 : l > 0xffffffff ? 0xffffffffu : (cl_uint)l;
    e[6] = a > 0x7fffffff ? 0x7fffffff : a;
    e[7] = c < 0 ? 0 : a;
    e[8] = (cl_uint)(cl_char)c;
    e[9] = c < 0 ? 0xffffffffu : 0;
    e[10] = c < 0 ? 0 : a >> 7;
    e[11] = l < 0 ? 0xffffffffu : a;
}

static bool conversions(struct feature_run *run)
{
    static cl_uint input[COUNT][2], output[COUNT][12], expected[COUNT][12];

    word_pairs(input, 6);
    for (size_t i = 0; i < COUNT; i++)
        expect_conversions(input[i][0], input[i][1], expected[i]);
    feature_map(run, "conversions", COUNT, input, sizeof input, output, sizeof output);
    return feature_same("conversions (word of 12)", output, expected, (size_t)COUNT * 12,
                        sizeof(cl_uint));
}

static const struct feature features[] = {
    {"division", true, division}, {"longs", true, longs},
    {"bits", true, bits},         {"small_types", true, small_types},
    {"vectors", true, vectors},   {"conversions", true, conversions},
};

const struct topic topic_integers = {"integers", kernel_source, features,
                                     sizeof features / sizeof features[0], ""};
