/* SPDX-License-Identifier: MIT */
/* Double precision. input: pairs (x, y). */
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF

/* Correctly rounded by the specification: 18 an item. */
__kernel void exact_functions(__global const double2 *input, __global double *output)
{
    uint i = get_global_id(0);
    double x = input[i].x, y = input[i].y;
    __global double *out = output + i * 18;

    out[0] = x + y;
    out[1] = x - y;
    out[2] = x * y;
    out[3] = x / y;
    out[4] = sqrt(x);
    out[5] = fma(x, y, y);
    out[6] = floor(x);
    out[7] = ceil(x);
    out[8] = trunc(x);
    out[9] = rint(x);
    out[10] = round(x);
    out[11] = fmod(x, y);
    out[12] = x < y ? x : y;
    out[13] = copysign(fabs(x), y);
    out[14] = ldexp(x, (int)(as_ulong(x) & 31) - 16);
    out[15] = 1.0 / y;
    out[16] = (double)(float)x;
    out[17] = x * 0x1p-40;
}

__kernel void functions(__global const double2 *input, __global double *output)
{
    uint i = get_global_id(0);
    double x = input[i].x, y = input[i].y;
    __global double *out = output + i * 7;

    out[0] = exp(x);
    out[1] = log(x);
    out[2] = sin(x);
    out[3] = cos(x);
    out[4] = pow(x, y);
    out[5] = rsqrt(x);
    out[6] = atan2(x, y);
}

/* 8 longs an item. */
__kernel void conversions(__global const double2 *input, __global long *output)
{
    uint i = get_global_id(0);
    double x = input[i].x, y = input[i].y;
    long a = as_long(x) >> 7;
    __global long *out = output + i * 8;

    out[0] = convert_int_sat(x);
    out[1] = convert_uint_sat(x);
    out[2] = convert_long_sat(x);
    out[3] = (long)convert_ulong_sat(x);
    out[4] = as_long(convert_double(a));
    out[5] = as_long(convert_double((ulong)a));
    out[6] = as_long(convert_double((int)a)) ^ as_long(convert_double((uint)(a >> 9)));
    out[7] = (x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | isnan(x) << 4 | isinf(x) << 5;
}

/* Constants that all work-items of a group take, beside what each has for itself: 12 an item. */
__kernel void shared_constants(__global const double2 *input, __global double *output)
{
    uint i = get_global_id(0), way = get_group_id(0) & 7;
    double x = input[i].x, own = 6.0, common = 6.0;
    double4 four = (double4)(x, 1, x, 1);
    long word = i, words = 1;
    __global double *out = output + i * 12;

    if (way & 1) {
        four = (double4)(-10.5, -10.5, 0.1, 0.1);
        word = words = -100;
        out[0] = x;
    }
    switch (way) { /* two ways from one block to the end */
    case 1:
    case 6:
        break;
    case 2:
        own = input[i].y;
        common = 3;
        out[1] = 2;
        break;
    default:
        own = x;
        common = 2;
        out[2] = 3;
    }
    out[3] = own;
    out[4] = common;
    vstore4(four, 0, out + 5);
    vstore2((long2)(word, words), 0, (__global long *)out + 9);
    out[11] = 0;
}
