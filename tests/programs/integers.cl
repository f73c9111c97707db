/* SPDX-License-Identifier: MIT */
/* Integers of all widths, bits, vectors, small loads and stores. input: words in pairs (a, b). */

/* 12 words an item; b is never 0, and (a, b) never the one signed quotient that overflows. */
__kernel void division(__global const uint2 *input, __global uint *output)
{
    uint i = get_global_id(0), a = input[i].x, b = input[i].y;
    int c = (int)a, d = (int)b;
    __global uint *out = output + i * 12;

    out[0] = a / b;
    out[1] = a % b;
    out[2] = (uint)(c / d);
    out[3] = (uint)(c % d);
    out[4] = a / 10;
    out[5] = a % 1000003;
    out[6] = (uint)(c / -7);
    out[7] = (uint)(c % 12);
    out[8] = a / ((b & 0xff) + 1);
    out[9] = (uint)(convert_short(c >> 16) / (convert_short(d >> 20) | 1));
    out[10] = (uint)((uchar)a % (uchar)(b | 1));
    out[11] = mul_hi(a, b);
}

/* 16 longs an item. */
__kernel void longs(__global const ulong2 *input, __global ulong *output)
{
    uint i = get_global_id(0);
    ulong a = input[i].x, b = input[i].y;
    long c = (long)a, d = (long)b;
    __global ulong *out = output + i * 16;

    out[0] = a + b;
    out[1] = a - b;
    out[2] = a * b;
    out[3] = mul_hi(a, b);
    out[4] = (ulong)mul_hi(c, d);
    out[5] = a / b;
    out[6] = a % b;
    out[7] = (ulong)(c / d);
    out[8] = (ulong)(c % d);
    out[9] = a << (b & 63);
    out[10] = a >> (b & 63);
    out[11] = (ulong)(c >> (b & 63));
    out[12] = rotate(a, b);
    out[13] = clz(a) + (popcount(b) << 8);
    out[14] = (ulong)(c < d) + ((ulong)(a < b) << 1) + ((ulong)(c == d) << 2) + (min(a, b) ^ (ulong)max(c, d));
    out[15] = abs(c) + abs_diff(c, d);
}

/* 24 words an item. */
__kernel void bits(__global const uint2 *input, __global uint *output)
{
    uint i = get_global_id(0), a = input[i].x, b = input[i].y;
    int c = (int)a, d = (int)b;
    __global uint *out = output + i * 24;

    out[0] = clz(a);
    out[1] = popcount(a);
    out[2] = rotate(a, b);
    out[3] = mul24(a & 0xffffff, b & 0xffffff);
    out[4] = mad24(c >> 8, d >> 8, c);
    out[5] = mad_hi(a, b, a);
    out[6] = (uint)mul_hi(c, d);
    out[7] = hadd(a, b);
    out[8] = (uint)rhadd(c, d);
    out[9] = add_sat(a, b);
    out[10] = (uint)add_sat(c, d);
    out[11] = sub_sat(a, b);
    out[12] = (uint)sub_sat(c, d);
    out[13] = abs_diff(c, d);
    out[14] = bitselect(a, b, 0x0ff0f00fu);
    out[15] = select(a, b, (uint)(c < d));
    out[16] = (uint)clamp(c, -1000, 1000) + min(a, b) - max(a, b);
    out[17] = upsample((ushort)a, (ushort)b);
    out[18] = a << (b & 31) | a >> (b & 31);
    out[19] = (uint)(c >> (b & 31));
    out[20] = (uint)((short)a) + (uint)((char)b) + (ushort)(a >> 3) + (uchar)(b >> 5);
    out[21] = (uint)mad_sat(c, d, c);
    out[22] = clz((ushort)a) + clz((uchar)b) * 32 + popcount((char)a) * 1024;
    out[23] = (uint)add_sat((char)a, (char)b) + sub_sat((ushort)a, (ushort)b);
}

/* Bytes and shorts, signed and unsigned, each from and to an odd place. */
__kernel void small_types(__global const uchar *input, __global uchar *output)
{
    uint i = get_global_id(0);
    __global const uchar *in = input + i * 16;
    __global uchar *out = output + i * 32;

    ((__global char *)out)[0] = ((__global const char *)in)[1] / 3;
    out[1] = in[0] * in[1];
    ((__global short *)out)[1] = ((__global const short *)in)[1] >> 2;
    ((__global ushort *)out)[2] = ((__global const ushort *)in)[2] + ((__global const char *)in)[7];
    ((__global int *)out)[2] = ((__global const char *)in)[3] * ((__global const short *)in)[3];
    vstore3(vload3(1, in) + (uchar3)(1, 2, 3), 4, out);
    out[15] = in[15];
    ((__global uchar4 *)out)[4] = ((__global const uchar4 *)in)[3].wzyx;
    ((__global short4 *)out)[3] = convert_short4(((__global const char4 *)in)[2]) * (short)3;
    out[20] = in[9] > 100 ? 1 : 2;
    out[21] = out[22] = out[23] = 0;
}

/* Vector arithmetic, swizzles and comparisons; 24 words an item. */
__kernel void vectors(__global const uint2 *input, __global uint *output)
{
    uint i = get_global_id(0);
    uint2 pair = input[i];
    uint4 v = (uint4)(pair, pair.yx + 1), w = v.wzyx * 3u;
    int8 k = (int8)(as_int4(v), as_int4(w >> 1)) - 5;
    ushort16 h = (ushort16)(convert_ushort8_sat(k), convert_ushort8(k));

    vstore4(v + w, 0, output + i * 24);
    vstore8(as_uint8(k.s76543210 * k), 0, output + i * 24 + 4);
    vstore4(as_uint4(v > w) & as_uint4(v.even.xyxy == w.odd.xxyy), 3, output + i * 24);
    vstore8(as_uint8(h.sfedcba9876543210), 2, output + i * 24);
}

/* Conversions between integer widths, with and without saturation: 12 words. */
__kernel void conversions(__global const uint2 *input, __global uint *output)
{
    uint i = get_global_id(0), a = input[i].x;
    int c = (int)a;
    long l = as_long(input[i]);
    __global uint *out = output + i * 12;

    out[0] = (uint)convert_char_sat(c);
    out[1] = convert_uchar_sat(c);
    out[2] = (uint)convert_short_sat(c);
    out[3] = convert_ushort_sat(c);
    out[4] = (uint)convert_int_sat(l);
    out[5] = convert_uint_sat(l);
    out[6] = (uint)convert_int_sat(a);
    out[7] = convert_uint_sat(c);
    out[8] = (uint)convert_char(c);
    out[9] = (uint)(convert_long(c) >> 32);
    out[10] = (uint)(convert_ulong_sat(c) >> 7);
    out[11] = (uint)convert_long_sat(as_ulong(input[i]));
}
