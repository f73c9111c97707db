/* SPDX-License-Identifier: MIT */
/* What atomics leave in memory. */
#include "reference.h"

#include <math.h>

#include "reference_bits.h"

static int64_t as_signed(uint64_t value, unsigned bits)
{
    return bits == 32 ? (int32_t)value : (int64_t)value;
}

static bool is(const char *name, const char *wanted)
{
    return strcmp(name, wanted) == 0;
}

static uint64_t integer_atomic(const char *name, unsigned bits, uint64_t old, uint64_t data,
                               bool *known)
{
    int64_t x = as_signed(old, bits), y = as_signed(data, bits);

    if (is(name, "add"))
        return old + data;
    if (is(name, "sub"))
        return old - data;
    if (is(name, "rsub"))
        return data - old;
    if (is(name, "inc"))
        return old >= data ? 0 : old + 1;
    if (is(name, "dec"))
        return old == 0 || old > data ? data : old - 1;
    if (is(name, "smin"))
        return x < y ? old : data;
    if (is(name, "smax"))
        return x > y ? old : data;
    if (is(name, "umin"))
        return old < data ? old : data;
    if (is(name, "umax"))
        return old > data ? old : data;
    if (is(name, "and"))
        return old & data;
    if (is(name, "or"))
        return old | data;
    if (is(name, "xor"))
        return old ^ data;
    if (is(name, "swap") || is(name, "wrxchg"))
        return data;
    *known = false;
    return 0;
}

static double as_number(uint64_t bits, unsigned width)
{
    return width == 32 ? (double)to_float(bits) : to_double(bits);
}

uint64_t reference_atomic(const char *name, unsigned bits, uint64_t old, uint64_t first,
                          uint64_t second, bool *known)
{
    double x = as_number(old, bits), y = as_number(first, bits);
    uint64_t result;

    *known = true;
    if (is(name, "cmpst")) /* DS: the first operand is compared, the second stored */
        result = old == first ? second : old;
    else if (is(name, "fcmpst"))
        result = x == y ? second : old;
    else if (is(name, "cmpswap")) /* MUBUF: the other way round */
        result = old == second ? first : old;
    else if (is(name, "fcmpswap"))
        result = x == as_number(second, bits) ? first : old;
    else if (is(name, "mskor"))
        result = (old & ~first) | second;
    else if (is(name, "fmin") || is(name, "fmax")) /* a number wins over a NaN */
        result = (x != x && y == y) || (is(name, "fmin") ? y < x : y > x) ? first : old;
    else
        result = integer_atomic(name, bits, old, first, known);
    return bits == 32 ? (uint32_t)result : result;
}
