/* SPDX-License-Identifier: MIT */
/*
 * mad_sat of signed 64 bits (OpenCL C 6.12.3): a * b + c, exact in 128 bits, then the nearest number that
 * fits. The one of libclc 22 loses the sum's carry: 0 * x + the largest becomes the smallest.
 */
#include "builtin/builtin.h"

OVERLOAD long mad_sat(long a, long b, long c)
{
    ulong low = (ulong)a * (ulong)b;
    ulong sum = low + (ulong)c;
    long high = mul_hi(a, b) + (c >> 63) + (sum < low); /* of the sum; -2^62 to 2^62 */

    if (high == (long)sum >> 63)
        return (long)sum;
    return high < 0 ? LONG_MIN : LONG_MAX;
}

#define MAD_SAT(type, ...)                                                                         \
    OVERLOAD type mad_sat(type a, type b, type c)                                                  \
    {                                                                                              \
        return (type)(__VA_ARGS__);                                                                \
    }
#define OF(part) mad_sat(a.part, b.part, c.part)

MAD_SAT(long2, OF(x), OF(y))
MAD_SAT(long3, OF(x), OF(y), OF(z))
MAD_SAT(long4, OF(lo), OF(hi))
MAD_SAT(long8, OF(lo), OF(hi))
MAD_SAT(long16, OF(lo), OF(hi))
