/* SPDX-License-Identifier: MIT */
#include "reference_format.h"

#include <math.h>
#include <string.h>

#include "reference_bits.h"

enum { UNORM = 0, SNORM = 1, UINT = 4, SINT = 5, FLOAT = 7 };

static const struct reference_format formats[] = {
    {1, UNORM, 1, 8},   {1, SNORM, 1, 8},   {1, UINT, 1, 8},    {1, SINT, 1, 8},
    {3, UNORM, 2, 8},   {3, SNORM, 2, 8},   {3, UINT, 2, 8},    {3, SINT, 2, 8},
    {10, UNORM, 4, 8},  {10, SNORM, 4, 8},  {10, UINT, 4, 8},   {10, SINT, 4, 8},
    {2, UNORM, 1, 16},  {2, SNORM, 1, 16},  {2, UINT, 1, 16},   {2, SINT, 1, 16},
    {5, UNORM, 2, 16},  {5, SNORM, 2, 16},  {5, UINT, 2, 16},   {5, SINT, 2, 16},
    {12, UNORM, 4, 16}, {12, SNORM, 4, 16}, {12, UINT, 4, 16},  {12, SINT, 4, 16},
    {2, FLOAT, 1, 16},  {5, FLOAT, 2, 16},  {12, FLOAT, 4, 16}, {4, FLOAT, 1, 32},
    {4, UINT, 1, 32},   {4, SINT, 1, 32},   {11, FLOAT, 2, 32}, {11, UINT, 2, 32},
    {11, SINT, 2, 32},  {14, FLOAT, 4, 32}, {14, UINT, 4, 32},  {14, SINT, 4, 32},
};

const struct reference_format *reference_formats(size_t *count)
{
    *count = sizeof formats / sizeof formats[0];
    return formats;
}

uint32_t reference_format_word(const struct reference_format *format)
{
    return format->number << 12 | format->data << 15;
}

static double power_of_two(unsigned exponent)
{
    return ldexp(1.0, (int)exponent);
}

/* ---- Loads ---- */

static uint32_t single_of_half(uint32_t half)
{
    uint32_t sign = (half & 0x8000) << 16, fraction = half & 0x3ff;
    int exponent = (int)(half >> 10 & 31);

    if (exponent == 31)
        return sign | 0x7f800000 | fraction << 13 | (fraction != 0 ? 0x400000 : 0);
    if (exponent == 0)
        return sign | from_float((float)ldexp(fraction, -24));
    return sign | from_float((float)ldexp(1024 + fraction, exponent - 25));
}

static uint32_t loaded(const struct reference_format *format, uint64_t raw)
{
    double value = (double)raw, highest = power_of_two(format->bits) - 1;
    bool is_signed = format->number == SNORM || format->number == SINT;

    if (format->number == FLOAT)
        return format->bits == 16 ? single_of_half((uint32_t)raw) : (uint32_t)raw;
    if (is_signed && value >= power_of_two(format->bits - 1))
        value -= power_of_two(format->bits);
    if (format->number == UINT || format->number == SINT)
        return (uint32_t)(int64_t)value;
    if (format->number == SNORM)
        highest = power_of_two(format->bits - 1) - 1;
    if (value < -highest)
        value = -highest;
    /* The reciprocal is single precision's; the product is rounded once. */
    return from_float((float)(value * (double)(float)(1 / highest)));
}

uint32_t reference_load_format(const struct reference_format *format, uint32_t selections,
                               unsigned component, const unsigned char *element)
{
    unsigned select = selections >> (3 * component) & 7, bytes = format->bits / 8;
    uint64_t raw = 0;

    if (select == 1)
        return format->number == UINT || format->number == SINT ? 1 : 0x3f800000;
    if (select < 4 || select - 4 >= format->channels)
        return 0;
    for (unsigned i = 0; element != NULL && i < bytes; i++)
        raw |= (uint64_t)element[(select - 4) * bytes + i] << (8 * i);
    return loaded(format, raw);
}

/* ---- Stores ---- */

static uint32_t half_of_single(uint32_t bits)
{
    uint32_t sign = bits >> 16 & 0x8000;
    double value = fabs((double)to_float(bits));
    int exponent;

    if (isnan(value))
        return sign | 0x7e00 | (bits >> 13 & 0x1ff);
    if (value >= 65520) /* half way to the next power of two */
        return sign | 0x7c00;
    frexp(value, &exponent);
    if (value == 0 || exponent < -13)
        return sign | (uint32_t)rint(ldexp(value, 24));
    return sign + ((uint32_t)(exponent + 13) << 10) + (uint32_t)rint(ldexp(value, 11 - exponent));
}

static double limited(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

static uint32_t stored(const struct reference_format *format, uint32_t bits)
{
    double half_range = power_of_two(format->bits - 1), range = 2 * half_range;
    double number = (double)to_float(bits);

    if (format->number == FLOAT)
        return format->bits == 16 ? half_of_single(bits) : bits;
    if (format->number == UINT)
        return (uint32_t)limited(bits, 0, range - 1);
    if (format->number == SINT)
        return (uint32_t)(int64_t)limited((int32_t)bits, -half_range, half_range - 1);
    if (isnan(number))
        return 0;
    if (format->number == UNORM)
        return (uint32_t)limited(rint((double)(float)(number * (range - 1))), 0, range - 1);
    return (uint32_t)(int64_t)limited(rint((double)(float)(number * (half_range - 1))), -half_range,
                                      half_range - 1);
}

void reference_store_format(const struct reference_format *format, uint32_t selections,
                            const uint32_t *color, unsigned count, unsigned char *element)
{
    unsigned bytes = format->bits / 8;

    memset(element, 0, format->channels * bytes);
    for (unsigned component = 4; component-- > 0;) { /* so that the first one has the last word */
        unsigned select = selections >> (3 * component) & 7;
        uint32_t raw = stored(format, color[component < count ? component : 0]);

        for (unsigned i = 0; select >= 4 && select - 4 < format->channels && i < bytes; i++)
            element[(select - 4) * bytes + i] = (unsigned char)(raw >> (8 * i));
    }
}
