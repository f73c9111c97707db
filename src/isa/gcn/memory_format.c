/* SPDX-License-Identifier: MIT */
/*
 * Formatted buffer loads and stores: an element of memory has one to four channels, and registers
 * have a color of four components. Word 3 of the buffer descriptor says how one becomes the other:
 *
 *     bit 0      3         6         9         12          15           19
 *     |DST_SEL_X |DST_SEL_Y |DST_SEL_Z |DST_SEL_W |NUM_FORMAT |DATA_FORMAT |memory_buffer.c ...
 *
 *     DST_SEL      0 zero | 1 one | 4 5 6 7 channel R G B A
 *     DATA_FORMAT  1 8 | 2 16 | 3 8_8 | 4 32 | 5 16_16 | 10 8_8_8_8 | 11 32_32 | 12 16_16_16_16
 *                  14 32_32_32_32            channel R has the lowest address
 *     NUM_FORMAT   0 UNORM | 1 SNORM | 4 UINT | 5 SINT | 7 FLOAT
 *
 *     load:   element ──► channels ──► converted ──► DST_SEL chooses what each component gets
 *     store:  components ──► DST_SEL backwards ──► converted ──► element
 *
 * An instruction of fewer components than four loads the first ones. One that stores fewer than
 * the element has gives X for those that it lacks. A channel that DST_SEL names more than once is
 * stored from the first component that names it; one that it does not name is stored as zero. A
 * channel that the format has not is zero. So are all channels of an element out of range, of
 * which DST_SEL then makes the color.
 *
 * Normalized: the integer times 1/255 and so on, in single precision; the lowest value of SNORM is
 * -1 too. Stored is the nearest, ties to even, limited to what the bits hold; NaN is 0. Integers
 * are limited likewise. Half precision is rounded to nearest even.
 *
 * Left out, refused by name: packed channels (10_11_11, 10_10_10_2 and so on), elements of 12 bytes
 * (32_32_32), USCALED, SSCALED, SNORM_OGL, and what makes no sense (32 bits normalized, 8 of a
 * float).
 * Source: AMD, "Southern Islands Series Instruction Set Architecture", chapter 8, and sid.h of Mesa
 * for the fields. That stores honour DST_SEL: CLRX, "GCN Memory instructions", its table of
 * instructions. Backwards: RADV uses one descriptor for loads and stores of BGRA. That X is
 * repeated: AMD's manual of RDNA 4. Where several components name a channel, it is a choice.
 */
#include "isa/gcn/memory_format.h"
#include "isa/gcn/exec/float_math_convert.h"

#include <string.h>

enum number_format {
    NUMBER_UNORM = 0,
    NUMBER_SNORM = 1,
    NUMBER_UINT = 4,
    NUMBER_SINT = 5,
    NUMBER_FLOAT = 7
};

enum { SELECT_ONE = 1, SELECT_CHANNEL = 4, COMPONENTS = 4 };

/* No channels: not modelled. */
static const struct layout {
    uint8_t channels, bits;
} layouts[16] = {
    [1] = {1, 8},  [2] = {1, 16},  [3] = {2, 8},   [4] = {1, 32},  [5] = {2, 16},
    [10] = {4, 8}, [11] = {2, 32}, [12] = {4, 16}, [14] = {4, 32},
};

static const struct layout *layout_of(uint32_t word)
{
    return &layouts[word >> 15 & 15];
}

static enum number_format number_of(uint32_t word)
{
    return (enum number_format)(word >> 12 & 7);
}

static unsigned selection_of(uint32_t word, unsigned component)
{
    return word >> (3 * component) & 7;
}

const char *gcn_check_format(uint32_t word, unsigned *bytes)
{
    const struct layout *layout = layout_of(word);
    enum number_format number = number_of(word);
    bool is_integer = number == NUMBER_UINT || number == NUMBER_SINT;

    *bytes = layout->channels * layout->bits / 8u;
    if ((word >> 15 & 15) == 0)
        return "the buffer descriptor has no data format";
    if (*bytes == 0)
        return "the data format of the buffer descriptor is not modelled (packed or three "
               "channels)";
    if (!is_integer && number != NUMBER_UNORM && number != NUMBER_SNORM && number != NUMBER_FLOAT)
        return "the number format of the buffer descriptor is not modelled (scaled or SNORM_OGL)";
    if (number == NUMBER_FLOAT ? layout->bits == 8 : !is_integer && layout->bits == 32)
        return "the number format of the buffer descriptor does not go with its data format";
    for (unsigned component = 0; component < COMPONENTS; component++)
        if (selection_of(word, component) == 2 || selection_of(word, component) == 3)
            return "a channel selection of the buffer descriptor is reserved";
    return NULL;
}

/* ---- Loads ---- */

/* `channel` of all lanes, as the bits stand there: sign-extended where it is signed. */
static void extract_channel(const struct isa_memory_request *request, unsigned channel,
                            uint32_t *row)
{
    unsigned bits = layout_of(request->format)->bits, first = channel * bits;
    enum number_format number = number_of(request->format);
    bool is_signed = number == NUMBER_SNORM || number == NUMBER_SINT;
    const uint32_t *data = request->data[first / 32];
    unsigned left = 32 - bits - first % 32, right = 32 - bits;

    if (is_signed)
        for (unsigned lane = 0; lane < GCN_LANES; lane++)
            row[lane] = (uint32_t)((int32_t)(data[lane] << left) >> right);
    else
        for (unsigned lane = 0; lane < GCN_LANES; lane++)
            row[lane] = data[lane] << left >> right;
}

/* The largest value of a normalized channel. */
static int32_t normal_limit(uint32_t word)
{
    return (int32_t)low_mask(layout_of(word)->bits - (number_of(word) == NUMBER_SNORM ? 1u : 0u));
}

static void load_normal(uint32_t word, uint32_t *row)
{
    int32_t limit = normal_limit(word);
    float scale = 1.0f / (float)limit;

    for (unsigned lane = 0; lane < GCN_LANES; lane++) {
        int32_t value = (int32_t)row[lane];

        row[lane] = gcn_bits_f32((float)(value < -limit ? -limit : value) * scale);
    }
}

static void load_channel(const struct isa_memory_request *request, unsigned channel, uint32_t *row)
{
    enum number_format number = number_of(request->format);

    extract_channel(request, channel, row);
    if (number == NUMBER_UNORM || number == NUMBER_SNORM)
        load_normal(request->format, row);
    else if (number == NUMBER_FLOAT && layout_of(request->format)->bits == 16)
        for (unsigned lane = 0; lane < GCN_LANES; lane++)
            row[lane] = gcn_bits_f32(gcn_f16_to_f32(row[lane]));
}

void gcn_load_format(const struct isa_memory_request *request, unsigned components,
                     uint32_t (*color)[ISA_MAX_LANES])
{
    enum number_format number = number_of(request->format);
    uint32_t one = number == NUMBER_UINT || number == NUMBER_SINT ? 1 : gcn_bits_f32(1.0f);

    for (unsigned component = 0; component < components; component++) {
        unsigned select = selection_of(request->format, component);

        if (select >= SELECT_CHANNEL &&
            select - SELECT_CHANNEL < layout_of(request->format)->channels) {
            load_channel(request, select - SELECT_CHANNEL, color[component]);
            continue;
        }
        for (unsigned lane = 0; lane < GCN_LANES; lane++)
            color[component][lane] = select == SELECT_ONE ? one : 0;
    }
}

/* ---- Stores ---- */

/* At 1.5 * 2^23 the last place is worth one: the sum is rounded to nearest even. */
static uint32_t store_normal(uint32_t bits, float low, float high)
{
    float scaled = gcn_float(bits) * high;
    float number = scaled != scaled ? 0.0f : scaled;
    float inside = number < low ? low : number > high ? high : number;

    return gcn_bits_f32(inside + 0x1.8p23f) - gcn_bits_f32(0x1.8p23f);
}

static uint32_t store_signed(uint32_t value, unsigned bits)
{
    int32_t high = (int32_t)low_mask(bits - 1), number = (int32_t)value;

    return (uint32_t)(number < -high - 1 ? -high - 1 : number > high ? high : number);
}

/* A component to a channel, in the low bits; those above may be set. */
static uint32_t store_channel(uint32_t word, uint32_t value)
{
    unsigned bits = layout_of(word)->bits;
    float limit = (float)normal_limit(word);

    switch (number_of(word)) {
    case NUMBER_UNORM:
        return store_normal(value, 0.0f, limit);
    case NUMBER_SNORM:
        return store_normal(value, -limit - 1.0f, limit);
    case NUMBER_SINT:
        return store_signed(value, bits);
    case NUMBER_UINT:
        return value < low_mask(bits) ? value : (uint32_t)low_mask(bits);
    case NUMBER_FLOAT:
        break;
    }
    return bits == 16 ? gcn_f32_to_f16(gcn_float(value)) : value;
}

/* The component that a channel is stored from, or COMPONENTS. */
static unsigned component_of(uint32_t word, unsigned channel)
{
    unsigned component = 0;

    while (component < COMPONENTS && selection_of(word, component) != SELECT_CHANNEL + channel)
        component++;
    return component;
}

void gcn_store_format(struct isa_memory_request *request, unsigned components,
                      const uint32_t (*color)[ISA_MAX_LANES])
{
    const struct layout *layout = layout_of(request->format);
    uint32_t mask = (uint32_t)low_mask(layout->bits);

    memset(request->data, 0, (request->element_bytes + 3u) / 4 * sizeof request->data[0]);
    for (unsigned channel = 0; channel < layout->channels; channel++) {
        unsigned component = component_of(request->format, channel);
        unsigned first = channel * layout->bits;
        uint32_t *data = request->data[first / 32];

        if (component == COMPONENTS)
            continue;
        for (unsigned lane = 0; lane < GCN_LANES; lane++) {
            uint32_t value = color[component < components ? component : 0][lane];

            data[lane] |= (store_channel(request->format, value) & mask) << first % 32;
        }
    }
}
