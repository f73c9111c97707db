/* SPDX-License-Identifier: MIT */
/* Single precision. input: pairs (x, y). The order of results is that of the tables in features_floats.c. */
#pragma OPENCL FP_CONTRACT OFF

/* Correctly rounded by the specification: 20 an item. */
__kernel void exact_functions(__global const float2 *input, __global float *output)
{
    uint i = get_global_id(0);
    float x = input[i].x, y = input[i].y;
    __global float *out = output + i * 20;

    out[0] = x + y;
    out[1] = x - y;
    out[2] = x * y;
    out[3] = fma(x, y, x);
    out[4] = floor(x);
    out[5] = ceil(x);
    out[6] = trunc(x);
    out[7] = rint(x);
    out[8] = round(x);
    out[9] = fabs(x);
    out[10] = copysign(x, y);
    out[11] = fmin(x, y);
    out[12] = fmax(x, y);
    out[13] = fdim(x, y);
    out[14] = fmod(x, y);
    out[15] = remainder(x, y);
    out[16] = ldexp(x, (int)clamp(y, -300.0f, 300.0f));
    out[17] = nextafter(x, y);
    out[18] = x < y ? x : y;
    out[19] = select(x, y, isgreaterequal(x, y));
}

/* Bounded in units in the last place. */
__kernel void division_and_roots(__global const float2 *input, __global float *output)
{
    uint i = get_global_id(0);
    float x = input[i].x, y = input[i].y;
    __global float *out = output + i * 6;

    out[0] = x / y;
    out[1] = 1.0f / x;
    out[2] = sqrt(x);
    out[3] = rsqrt(x);
    out[4] = cbrt(x);
    out[5] = hypot(x, y);
}

__kernel void exponentials(__global const float2 *input, __global float *output)
{
    uint i = get_global_id(0);
    float x = input[i].x, y = input[i].y;
    __global float *out = output + i * 12;

    out[0] = exp(x);
    out[1] = exp2(x);
    out[2] = exp10(x);
    out[3] = expm1(x);
    out[4] = log(x);
    out[5] = log2(x);
    out[6] = log10(x);
    out[7] = log1p(x);
    out[8] = pow(x, y);
    out[9] = powr(fabs(x), y);
    out[10] = pown(x, (int)clamp(y, -100.0f, 100.0f));
    out[11] = tanh(x);
}

__kernel void trigonometry(__global const float2 *input, __global float *output)
{
    uint i = get_global_id(0);
    float x = input[i].x, y = input[i].y;
    __global float *out = output + i * 10;

    out[0] = sin(x);
    out[1] = cos(x);
    out[2] = tan(x);
    out[3] = asin(x);
    out[4] = acos(x);
    out[5] = atan(x);
    out[6] = atan2(x, y);
    out[7] = sinpi(x);
    out[8] = cospi(x);
    out[9] = sinh(clamp(x, -80.0f, 80.0f));
}

/* The device's fast ones: no bound is promised, a loose one is checked on tame operands. */
__kernel void native_functions(__global const float2 *input, __global float *output)
{
    uint i = get_global_id(0);
    float x = input[i].x, y = input[i].y;
    __global float *out = output + i * 10;

    out[0] = native_exp(x);
    out[1] = native_exp2(x);
    out[2] = native_log(y);
    out[3] = native_log2(y);
    out[4] = native_sqrt(y);
    out[5] = native_rsqrt(y);
    out[6] = native_recip(y);
    out[7] = native_divide(x, y);
    out[8] = native_sin(x);
    out[9] = native_cos(x);
}

/* To integers by every rounding, from integers, classification and bits: 20 words. */
__kernel void conversions(__global const float2 *input, __global uint *output)
{
    uint i = get_global_id(0);
    float x = input[i].x, y = input[i].y;
    __global uint *out = output + i * 20;
    int exponent;
    float fraction = frexp(x, &exponent), whole;
    float rest = modf(x, &whole);

    out[0] = (uint)convert_int_sat(x);
    out[1] = convert_uint_sat(x);
    out[2] = (uint)convert_int_sat_rte(x);
    out[3] = (uint)convert_int_sat_rtp(x);
    out[4] = (uint)convert_int_sat_rtn(x);
    out[5] = convert_uchar_sat(x);
    out[6] = (uint)convert_short_sat_rte(x);
    out[7] = as_uint(convert_float(as_int(x)));
    out[8] = as_uint(convert_float(as_uint(y)));
    out[9] = as_uint(convert_float((char)as_uint(x)));
    out[10] = isnan(x) | isinf(x) << 1 | isnormal(x) << 2 | signbit(x) << 3 | isfinite(x) << 4;
    out[11] = (x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | (x > y) << 4 | (x >= y) << 5 | isunordered(x, y) << 6;
    out[12] = as_uint(fraction);
    out[13] = isfinite(x) ? (uint)exponent : 0;
    out[14] = as_uint(rest);
    out[15] = as_uint(whole);
    out[16] = x == 0 || !isfinite(x) ? 0 : (uint)ilogb(x);
    out[17] = (uint)(convert_long_sat(x) >> 13);
    out[18] = as_uint(convert_float(as_long(input[i])));
    out[19] = as_uint(convert_float(as_ulong(input[i])));
}

/* Sums of two floats of which one or the result is a denormal number, and such a number loaded and stored. */
__kernel void denormals(__global const float2 *input, __global float *output)
{
    uint i = get_global_id(0);

    output[i * 4 + 0] = input[i].x + input[i].y;
    output[i * 4 + 1] = input[i].x * 0.5f;
    output[i * 4 + 2] = as_float(as_uint(input[i].x) + 1);
    output[i * 4 + 3] = fma(input[i].x, 0.25f, input[i].y);
}

/* Geometry on vectors: loose bound, tame operands. */
__kernel void geometry(__global const float2 *input, __global float *output)
{
    uint i = get_global_id(0);
    float4 a = (float4)(input[i], 1.0f, -2.0f), b = (float4)(input[i].yx, 3.0f, 0.5f);
    __global float *out = output + i * 10;

    out[0] = dot(a, b);
    out[1] = length(a);
    out[2] = distance(a.xyz, b.xyz);
    vstore3(cross(a.xyz, b.xyz), 1, out);
    out[6] = normalize(a).x;
    out[7] = mix(a.x, b.x, 0.25f);
    out[8] = smoothstep(-1.0f, 1.0f, a.y) + step(a.x, a.y);
    out[9] = degrees(a.x) + radians(a.y) + sign(a.x);
}
