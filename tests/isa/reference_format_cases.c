/* SPDX-License-Identifier: MIT */
/*
 * Cases of formatted buffer instructions: each of the eight, on each format, in three ways of
 * addressing, two with lanes out of range. The descriptor is overwritten between begin and what
 * follows, because a program may do so.
 */
#include <stdio.h>
#include <string.h>

#include "reference_cases.h"
#include "reference_format.h"

enum { MODE_BOUNDED, MODE_INDEXED, MODE_ADDR64, MODE_COUNT };
enum { RECORDS = 20, STRIDE_BYTES = 48, BOUNDED_BYTES = 1024, OFFSET = 32 };
enum { ADDRESS_REGISTER = 4, DATA_REGISTER = 24, SELECTIONS = 8 };

/* RGBA, R, RG, A, BGRA, ARGB, INTENSITY, and one that leaves channels out. */
static const uint32_t selections[SELECTIONS] = {
    4 | 5 << 3 | 6 << 6 | 7 << 9, 4 | 1 << 9,
    4 | 5 << 3 | 1 << 9,          4 << 9,
    6 | 5 << 3 | 4 << 6 | 7 << 9, 5 | 6 << 3 | 7 << 6 | 4 << 9,
    4 | 4 << 3 | 4 << 6 | 4 << 9, 1 | 7 << 3 | 1 << 6 | 5 << 9,
};

struct format_case {
    const struct reference_format *format;
    unsigned mode, components;
    bool is_store;
};

static struct format_case unpack_case(const struct harness_case *this)
{
    size_t count;

    return (struct format_case){.format = &reference_formats(&count)[this->extra >> 8],
                                .mode = this->extra & 3,
                                .components = 1 + (this->extra >> 2 & 3),
                                .is_store = this->extra >> 4 & 1};
}

static unsigned bytes_of(const struct reference_format *format)
{
    return format->channels * format->bits / 8;
}

/* Where a lane's element lies; false: out of range. */
static bool place_of(const struct gcn_wave *wave, const struct format_case *what, unsigned lane,
                     uint64_t *place)
{
    unsigned bytes = bytes_of(what->format);
    uint64_t value = wave->vector[ADDRESS_REGISTER][lane];

    *place = OFFSET + value * (what->mode == MODE_INDEXED ? STRIDE_BYTES : 1);
    *place -= *place % (bytes < 4 ? bytes : 4);
    if (what->mode == MODE_INDEXED)
        return value < RECORDS;
    return what->mode == MODE_ADDR64 || *place + bytes <= BOUNDED_BYTES;
}

static uint32_t fill(struct harness *harness, const struct harness_case *this,
                     const struct format_case *what)
{
    struct gcn_wave *wave = harness->start;
    char type = what->format->number == 4 || what->format->number == 5 ? 'i' : 'f';
    uint32_t selection = selections[(harness_random(harness) >> 24) % SELECTIONS];
    uint64_t stride = what->mode == MODE_INDEXED ? STRIDE_BYTES : 0;

    harness_fill(harness, this);
    case_write_scalar(wave, 8, 'l', HARNESS_MEMORY_ADDRESS | stride << 48);
    wave->scalar[10] = what->mode == MODE_INDEXED ? RECORDS : BOUNDED_BYTES;
    wave->scalar[11] = selection | reference_format_word(what->format);
    for (unsigned lane = 0; lane < GCN_LANES; lane++) {
        uint32_t choice = (uint32_t)(harness_random(harness) >> 24);

        wave->vector[ADDRESS_REGISTER][lane] =
            what->mode == MODE_INDEXED ? choice % (RECORDS + 5) : choice % (BOUNDED_BYTES + 40);
        wave->vector[ADDRESS_REGISTER + 1][lane] = 0;
        for (unsigned i = 0; i < 4; i++)
            wave->vector[DATA_REGISTER + i][lane] = (uint32_t)harness_value(harness, type);
    }
    for (unsigned i = 0; i < HARNESS_MEMORY_BYTES; i++)
        harness->memory[i] = (unsigned char)(harness_random(harness) >> 24);
    return selection;
}

static void expect_lane(struct harness *harness, const struct format_case *what, uint32_t selection,
                        unsigned lane)
{
    uint64_t place;
    bool is_inside = place_of(harness->start, what, lane, &place);
    uint32_t color[4];

    for (unsigned i = 0; i < 4; i++)
        color[i] = harness->start->vector[DATA_REGISTER + i][lane];
    if (what->is_store && is_inside)
        reference_store_format(what->format, selection, color, what->components,
                               harness->expected_memory + place);
    for (unsigned i = 0; !what->is_store && i < what->components; i++)
        harness->expected->vector[DATA_REGISTER + i][lane] = reference_load_format(
            what->format, selection, i, is_inside ? harness->expected_memory + place : NULL);
}

static void run_variant(struct harness *harness, const struct harness_case *this, int variant)
{
    static struct isa_memory_request request;
    const struct isa *isa = harness->isa[variant];
    const struct isa_instruction *instruction = this->decoded[variant];
    uint32_t word;

    *harness->after = *harness->start;
    memset(&request, 0xa5, sizeof request);
    isa->begin(&harness->after->base, instruction, &request);
    word = harness->after->scalar[11];
    harness->after->scalar[11] = 0;
    if ((instruction->flags & ISA_COUNTS_EXP) != 0)
        isa->store_data(&harness->after->base, instruction, &request);
    reference_serve(harness->memory, &request);
    if (request.kind == ISA_MEMORY_LOAD)
        isa->finish(&harness->after->base, instruction, &request);
    harness->after->scalar[11] = word;
}

static bool run_format(struct harness *harness, const struct harness_case *this)
{
    static unsigned char before[HARNESS_MEMORY_BYTES];
    struct format_case what = unpack_case(this);
    uint32_t selection = fill(harness, this, &what);
    bool ok = true;

    memcpy(before, harness->memory, sizeof before);
    memcpy(harness->expected_memory, harness->memory, HARNESS_MEMORY_BYTES);
    *harness->expected = *harness->start;
    harness->expected->base.pc += this->decoded[0]->bytes;
    for (unsigned lane = 0; lane < GCN_LANES; lane++)
        if ((harness->start->base.active >> lane & 1) != 0)
            expect_lane(harness, &what, selection, lane);
    for (int variant = 0; ok && variant < HARNESS_VARIANTS; variant++) {
        memcpy(harness->memory, before, sizeof before);
        run_variant(harness, this, variant);
        ok = harness_compare(harness, this, variant);
        if (ok && memcmp(harness->memory, harness->expected_memory, HARNESS_MEMORY_BYTES) != 0) {
            harness_fail(harness, this, "memory differs (data format %u, number format %u)",
                         what.format->data, what.format->number);
            ok = false;
        }
    }
    return ok;
}

static void add_case(struct harness *harness, bool is_store, unsigned components, unsigned mode,
                     unsigned format)
{
    static const char *const names[] = {"x", "xy", "xyz", "xyzw"};
    static const char *const addresses[] = {"v4", "v4", "v[4:5]"};
    static const char *const flags[] = {"offen", "idxen", "addr64"};
    char data[16] = "v24";
    struct harness_case *this;

    if (components > 1)
        snprintf(data, sizeof data, "v[%d:%u]", DATA_REGISTER, DATA_REGISTER + components - 1);
    this = harness_add(harness, "buffer_%s_format_%s %s, %s, s[8:11], 0 %s offset:%d",
                       is_store ? "store" : "load", names[components - 1], data, addresses[mode],
                       flags[mode], OFFSET);
    this->extra = format << 8 | (is_store ? 16u : 0) | (components - 1) << 2 | mode;
    this->run = run_format;
}

void add_format_cases(struct harness *harness)
{
    size_t count;

    reference_formats(&count);
    for (unsigned format = 0; format < count; format++)
        for (unsigned components = 1; components <= 4; components++)
            for (unsigned mode = 0; mode < MODE_COUNT; mode++) {
                add_case(harness, false, components, mode, format);
                add_case(harness, true, components, mode, format);
            }
}
