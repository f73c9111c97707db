/* SPDX-License-Identifier: MIT */
/* Image formats: which there are, and elements from colors. */
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "opencl/image.h"

enum value_kind { VALUE_UNORM, VALUE_SNORM, VALUE_SIGNED, VALUE_UNSIGNED, VALUE_FLOAT };

/* The channel types that kernels can use, and what bytes a channel takes. */
static const struct channel_type {
    cl_channel_type name;
    enum value_kind kind;
    uint32_t bytes;
} channel_types[] = {
    {CL_UNORM_INT8, VALUE_UNORM, 1},        {CL_UNORM_INT16, VALUE_UNORM, 2},
    {CL_SNORM_INT8, VALUE_SNORM, 1},        {CL_SNORM_INT16, VALUE_SNORM, 2},
    {CL_SIGNED_INT8, VALUE_SIGNED, 1},      {CL_SIGNED_INT16, VALUE_SIGNED, 2},
    {CL_SIGNED_INT32, VALUE_SIGNED, 4},     {CL_UNSIGNED_INT8, VALUE_UNSIGNED, 1},
    {CL_UNSIGNED_INT16, VALUE_UNSIGNED, 2}, {CL_UNSIGNED_INT32, VALUE_UNSIGNED, 4},
    {CL_HALF_FLOAT, VALUE_FLOAT, 2},        {CL_FLOAT, VALUE_FLOAT, 4},
};

/* Which types go with an order: the specification's table of channel orders, 5.3.1.1. */
enum order_types { ANY_TYPE, BYTE_TYPES, REAL_TYPES, DEPTH_TYPES };

/* What a component of a color is: 0, 1 or a channel. The card's numbers. */
enum selection { SELECT_0 = 0, SELECT_1 = 1, FIRST = 4, SECOND, THIRD, FOURTH };

/* The channel orders that kernels can use; `component` is what of a color each channel takes. */
static const struct channel_order {
    cl_channel_order name;
    enum order_types types;
    uint32_t channels;
    uint8_t component[4];
    uint8_t selection[4]; /* of a color's components */
} channel_orders[] = {
    {CL_RGBA, ANY_TYPE, 4, {0, 1, 2, 3}, {FIRST, SECOND, THIRD, FOURTH}},
    {CL_R, ANY_TYPE, 1, {0}, {FIRST, SELECT_0, SELECT_0, SELECT_1}},
    {CL_RG, ANY_TYPE, 2, {0, 1}, {FIRST, SECOND, SELECT_0, SELECT_1}},
    {CL_A, ANY_TYPE, 1, {3}, {SELECT_0, SELECT_0, SELECT_0, FIRST}},
    {CL_BGRA, BYTE_TYPES, 4, {2, 1, 0, 3}, {THIRD, SECOND, FIRST, FOURTH}},
    {CL_ARGB, BYTE_TYPES, 4, {3, 0, 1, 2}, {SECOND, THIRD, FOURTH, FIRST}},
    {CL_INTENSITY, REAL_TYPES, 1, {0}, {FIRST, FIRST, FIRST, FIRST}},
    {CL_LUMINANCE, REAL_TYPES, 1, {0}, {FIRST, FIRST, FIRST, SELECT_1}},
    {CL_DEPTH, DEPTH_TYPES, 1, {0}, {FIRST, SELECT_0, SELECT_0, SELECT_1}},
};

static const struct channel_type *find_type(cl_channel_type name)
{
    for (size_t i = 0; i < ARRAY_COUNT(channel_types); i++)
        if (channel_types[i].name == name)
            return &channel_types[i];
    return NULL;
}

static const struct channel_order *find_order(cl_channel_order name)
{
    for (size_t i = 0; i < ARRAY_COUNT(channel_orders); i++)
        if (channel_orders[i].name == name)
            return &channel_orders[i];
    return NULL;
}

static bool go_together(const struct channel_order *order, const struct channel_type *type)
{
    switch (order->types) {
    case ANY_TYPE:
        return true;
    case BYTE_TYPES:
        return type->bytes == 1;
    case DEPTH_TYPES:
        return type->name == CL_UNORM_INT16 || type->name == CL_FLOAT;
    case REAL_TYPES:
        break;
    }
    return type->kind != VALUE_SIGNED && type->kind != VALUE_UNSIGNED;
}

static bool is_packed(cl_channel_type type)
{
    return type == CL_UNORM_SHORT_565 || type == CL_UNORM_SHORT_555 ||
           type == CL_UNORM_INT_101010 || type == CL_UNORM_INT_101010_2;
}

/* Orders and types that have a name but no place in the tables above. */
static bool is_format(const cl_image_format *format)
{
    cl_channel_order order = format->image_channel_order;
    cl_channel_type type = format->image_channel_data_type;
    bool is_rgb = order == CL_RGB || order == CL_RGBx;

    if (order < CL_R || order > CL_ABGR || type < CL_SNORM_INT8 || type > CL_UNORM_INT_101010_2)
        return false;
    return is_packed(type) ? is_rgb || (type == CL_UNORM_INT_101010_2 && order == CL_RGBA)
                           : !is_rgb;
}

/* Depth is for 2D images and arrays of them. */
static bool has_order(cl_mem_object_type type, const struct channel_order *order)
{
    return order->name != CL_DEPTH || type == CL_MEM_OBJECT_IMAGE2D ||
           type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

cl_int image_format_check(cl_mem_object_type image_type, const cl_image_format *format)
{
    const struct channel_order *order;
    const struct channel_type *type;

    if (format == NULL || !is_format(format))
        return refusal(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, NULL,
                       "the image format is NULL, or there is none of this order and type");
    order = find_order(format->image_channel_order);
    type = find_type(format->image_channel_data_type);
    if (order == NULL || type == NULL || !has_order(image_type, order))
        return refusal(CL_IMAGE_FORMAT_NOT_SUPPORTED, NULL,
                       "the image format (order 0x%x, type 0x%x) is not among "
                       "clGetSupportedImageFormats",
                       format->image_channel_order, format->image_channel_data_type);
    if (!go_together(order, type))
        return refusal(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, NULL,
                       "the channel order 0x%x does not go with the type 0x%x",
                       format->image_channel_order, format->image_channel_data_type);
    return CL_SUCCESS;
}

uint32_t image_format_bytes(const cl_image_format *format)
{
    return find_order(format->image_channel_order)->channels *
           find_type(format->image_channel_data_type)->bytes;
}

/* AMD, "Southern Islands Series Instruction Set Architecture", chapter 8: buffer resources. */
uint32_t image_format_word(const cl_image_format *format)
{
    static const uint32_t number_formats[] = {[VALUE_UNORM] = 0,
                                              [VALUE_SNORM] = 1,
                                              [VALUE_UNSIGNED] = 4,
                                              [VALUE_SIGNED] = 5,
                                              [VALUE_FLOAT] = 7};
    /* By the bytes of a channel and the channels; no order has three. */
    static const uint32_t data_formats[5][5] = {
        [1] = {0, 1, 3, 0, 10}, [2] = {0, 2, 5, 0, 12}, [4] = {0, 4, 11, 0, 14}};
    const struct channel_order *order = find_order(format->image_channel_order);
    const struct channel_type *type = find_type(format->image_channel_data_type);
    uint32_t word = number_formats[type->kind] << 12 | data_formats[type->bytes][order->channels]
                                                           << 15;

    for (unsigned component = 0; component < 4; component++)
        word |= (uint32_t)order->selection[component] << (3 * component);
    return word;
}

/* ---- Elements from colors ---- */

/* The value's nearest in `bits`; of two as near, the even one. NaN is 0. */
static int64_t nearest_of(double value, double low, double high)
{
    return isnan(value) ? 0 : (int64_t)rint(value < low ? low : value > high ? high : value);
}

/* To the nearest half, ties to even. */
static uint16_t half_of(float value)
{
    uint32_t bits, sign;
    int exponent;
    double scaled;

    memcpy(&bits, &value, sizeof bits);
    sign = bits >> 16 & 0x8000;
    if (isnan(value))
        return (uint16_t)(sign | 0x7e00);
    value = fabsf(value);
    if (value >= 65520.0f) /* half way to what would be the next power of two */
        return (uint16_t)(sign | 0x7c00);
    frexp(value, &exponent);
    if (value == 0 || exponent < -13) /* denormal halves are multiples of 2^-24 */
        return (uint16_t)(sign | (uint32_t)rint(ldexp(value, 24)));
    scaled = rint(ldexp(value, 11 - exponent)); /* 1024 to 2048 */
    return (uint16_t)(sign + (uint32_t)((exponent + 13) << 10) + (uint32_t)scaled);
}

static uint32_t channel_of_float(const struct channel_type *type, float value)
{
    uint32_t bits;

    if (type->kind == VALUE_UNORM)
        return (uint32_t)nearest_of(value * (type->bytes == 1 ? 255.0 : 65535.0), 0,
                                    type->bytes == 1 ? 255 : 65535);
    if (type->kind == VALUE_SNORM)
        return (uint32_t)nearest_of(value * (type->bytes == 1 ? 127.0 : 32767.0),
                                    type->bytes == 1 ? -128 : -32768,
                                    type->bytes == 1 ? 127 : 32767);
    if (type->bytes == 2)
        return half_of(value);
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint32_t channel_of_int(const struct channel_type *type, cl_int value)
{
    cl_int high = (cl_int)(UINT32_MAX >> (33 - 8 * type->bytes));

    return (uint32_t)(value > high ? high : value < -high - 1 ? -high - 1 : value);
}

static uint32_t channel_of_uint(const struct channel_type *type, cl_uint value)
{
    cl_uint high = UINT32_MAX >> (32 - 8 * type->bytes);

    return value > high ? high : value;
}

void image_format_pack(const cl_image_format *format, const void *color,
                       unsigned char element[static IMAGE_ELEMENT_BYTES_MAX])
{
    const struct channel_order *order = find_order(format->image_channel_order);
    const struct channel_type *type = find_type(format->image_channel_data_type);
    union {
        float floats[4];
        cl_int ints[4];
        cl_uint uints[4];
    } values;

    memcpy(&values, color, sizeof values);
    for (uint32_t channel = 0; channel < order->channels; channel++) {
        unsigned component = order->component[channel];
        uint32_t bits = type->kind == VALUE_SIGNED ? channel_of_int(type, values.ints[component])
                        : type->kind == VALUE_UNSIGNED
                            ? channel_of_uint(type, values.uints[component])
                            : channel_of_float(type, values.floats[component]);

        memcpy(element + channel * type->bytes, &bits, type->bytes); /* little-endian */
    }
}

/* ---- What programs ask ---- */

static cl_int supported_formats(cl_context context, cl_mem_flags flags, cl_mem_object_type type,
                                cl_uint capacity, cl_image_format *formats, cl_uint *count_place)
{
    cl_uint count = 0;

    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (type < CL_MEM_OBJECT_IMAGE2D || type > CL_MEM_OBJECT_IMAGE1D_BUFFER ||
        (capacity == 0 && formats != NULL) ||
        buffer_check_flags(flags & ~(cl_mem_flags)CL_MEM_KERNEL_READ_AND_WRITE) != CL_SUCCESS)
        return CL_INVALID_VALUE;
    for (size_t o = 0; o < ARRAY_COUNT(channel_orders); o++)
        for (size_t t = 0; t < ARRAY_COUNT(channel_types); t++) {
            if (!go_together(&channel_orders[o], &channel_types[t]) ||
                !has_order(type, &channel_orders[o]))
                continue;
            if (formats != NULL && count < capacity)
                formats[count] = (cl_image_format){channel_orders[o].name, channel_types[t].name};
            count++;
        }
    if (count_place != NULL)
        *count_place = count;
    return CL_SUCCESS;
}

cl_int CL_API_CALL clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                                              cl_mem_object_type type, cl_uint capacity,
                                              cl_image_format *formats, cl_uint *count)
{
    driver_enter();
    return driver_return(supported_formats(context, flags, type, capacity, formats, count));
}
