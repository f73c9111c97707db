/* SPDX-License-Identifier: MIT */
#include "reference_cases.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/gcn/exec/vector_bodies.h"
#include "reference_assembler.h"

#define REPORTED_FAILURES 60
#ifndef HARNESS_ROUNDS
#define HARNESS_ROUNDS 8
#endif

uint64_t harness_random(struct harness *harness)
{
    harness->random ^= harness->random >> 12;
    harness->random ^= harness->random << 25;
    harness->random ^= harness->random >> 27;
    return harness->random * 0x2545f4914f6cdd1dull;
}

static const uint32_t special_floats[] = {
    0x00000000, 0x00000001, 0x007fffff, 0x00800000, 0x00ffffff, 0x3e800000, 0x3f000000, 0x3f7fffff,
    0x3f800000, 0x3fc00000, 0x40000000, 0x42fe0000, 0x43000000, 0x43800000, 0x4b000000, 0x4f000000,
    0x4effffff, 0x4f800000, 0x7e800001, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fa55555, 0x7fc00000,
    0x7fffffff, 0x33000000, 0x38800000, 0x477ff000, 0x387fffff, 0x0b800000, 0x437f0000, 0x46fffe00,
};

static const uint64_t special_doubles[] = {
    0x0000000000000000, 0x0000000000000001, 0x000fffffffffffff, 0x0010000000000000,
    0x3fe0000000000000, 0x3fefffffffffffff, 0x3ff0000000000000, 0x3ff8000000000000,
    0x4000000000000000, 0x41dfffffffc00000, 0x41e0000000000000, 0x41f0000000000000,
    0x4330000000000000, 0x7fdfffffffffffff, 0x7fefffffffffffff, 0x7ff0000000000000,
    0x7ff0000000000001, 0x7ff4000000000000, 0x7ff8000000000000, 0x7fffffffffffffff,
    0x380fffffffffffff, 0x36a0000000000000, 0x47efffffffffffff, 0x0360000000000000,
};

static const uint32_t special_integers[] = {
    0,          1,          2,          31,         32,         33,         63,         64,
    255,        256,        0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffff,   0x800000,
    0xffffff,   0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0xffff8000,
    0xff800000, 0x55555555, 0xaaaaaaaa, 0x00200004, 0x00400003, 0x007f0000, 0xfffffff0, 0x01010101,
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static uint64_t random_float(struct harness *harness, uint64_t kind)
{
    uint32_t bits = (uint32_t)(harness_random(harness) >> 16);

    if (kind < 5)
        return special_floats[bits % COUNT(special_floats)] | (bits & 0x80000000);
    if (kind < 10) /* exponents near those of 1: results with all sorts of cancellation */
        return (bits & 0x807fffff) | ((122 + (bits >> 8) % 12) << 23);
    if (kind < 11)
        return bits & 0x807fffff;
    return bits;
}

static uint64_t random_double(struct harness *harness, uint64_t kind)
{
    uint64_t bits = harness_random(harness), choice = harness_random(harness) >> 8;

    if (kind < 5)
        return special_doubles[choice % COUNT(special_doubles)] | (bits & (1ull << 63));
    if (kind < 10)
        return (bits & 0x800fffffffffffffull) | ((1018 + choice % 12) << 52);
    if (kind < 11)
        return bits & 0x800fffffffffffffull;
    if (kind < 13) /* about the range of binary32 and of integers */
        return (bits & 0x800fffffffffffffull) | ((870 + choice % 300) << 52);
    return bits;
}

uint64_t harness_value(struct harness *harness, char type)
{
    uint64_t kind = (harness_random(harness) >> 20) % 16;
    uint64_t bits = harness_random(harness), choice = harness_random(harness) >> 8;

    if (type == 'f')
        return random_float(harness, kind);
    if (type == 'd')
        return random_double(harness, kind);
    if (kind < 6)
        bits = special_integers[choice % COUNT(special_integers)] |
               (uint64_t)special_integers[(choice >> 8) % COUNT(special_integers)] << 32;
    else if (kind < 8)
        bits = (bits & 255) - 128;
    else if (kind < 9)
        bits = 1ull << (bits & 63);
    return case_is_wide(type) ? bits : (uint32_t)bits;
}

bool case_is_wide(char type)
{
    return type == 'd' || type == 'l';
}

uint64_t case_read(const struct gcn_wave *wave, const struct case_operand *operand, unsigned lane)
{
    uint64_t high = 0;

    if (operand->kind == CASE_CONSTANT)
        return operand->value;
    if (operand->kind == CASE_SCALAR) {
        if (case_is_wide(operand->type))
            high = wave->scalar[operand->index + 1];
        return wave->scalar[operand->index] | high << 32;
    }
    if (case_is_wide(operand->type))
        high = wave->vector[operand->index + 1][lane];
    return wave->vector[operand->index][lane] | high << 32;
}

void case_write_vector(struct gcn_wave *wave, unsigned index, char type, unsigned lane,
                       uint64_t value)
{
    wave->vector[index][lane] = (uint32_t)value;
    if (case_is_wide(type))
        wave->vector[index + 1][lane] = (uint32_t)(value >> 32);
}

void case_write_scalar(struct gcn_wave *wave, unsigned index, char type, uint64_t value)
{
    wave->scalar[index] = (uint32_t)value;
    if (case_is_wide(type))
        wave->scalar[index + 1] = (uint32_t)(value >> 32);
    gcn_update_active(wave);
}

void harness_fill(struct harness *harness, const struct harness_case *this)
{
    static const uint32_t modes[] = {0x3c0, 0x3f0, 0x0c0, 0x3c0, 0x330, 0x3c0, 0x1c0, 0x300};
    struct gcn_wave *wave = harness->start;
    uint64_t exec = harness_random(harness);

    for (unsigned i = 0; i < HARNESS_REGISTERS; i++) {
        wave->scalar[i] = (uint32_t)harness_value(harness, 'i');
        for (unsigned lane = 0; lane < GCN_LANES; lane++)
            wave->vector[i][lane] = (uint32_t)harness_random(harness);
    }
    switch (harness_random(harness) % 8) {
    case 0:
        exec = ~0ull;
        break;
    case 1:
        exec = 1ull << (exec & 63);
        break;
    case 2:
        exec = this->op ? exec : 0;
        break;
    }
    case_write_scalar(wave, GCN_EXEC, 'l', exec);
    case_write_scalar(wave, GCN_VCC, 'l', (exec & 3) ? harness_random(harness) : 0);
    wave->scalar[GCN_M0] = (uint32_t)harness_random(harness) % 8;
    wave->scc = harness_random(harness) >> 40 & 1;
    wave->base.pc = this->pc;
    gcn_set_mode(wave, modes[harness_random(harness) % COUNT(modes)]);
}

uint64_t harness_neighbour(struct harness *harness, uint64_t value)
{
    uint64_t choice = harness_random(harness) >> 33;

    return value + choice % 3 - 1;
}

/* Now and then operands that are equal, or nearly. */
static void pair_up(struct harness *harness, const struct harness_case *this, unsigned lane)
{
    const struct case_operand *last = &this->source[this->source[2].kind ? 2 : 1];
    const struct case_operand *first = last - 1;

    if (last->kind == CASE_VECTOR && last->type == first->type &&
        (harness_random(harness) >> 40) % 8 == 0)
        case_write_vector(harness->start, last->index, last->type, lane,
                          harness_neighbour(harness, case_read(harness->start, first, lane)));
}

void harness_fill_sources(struct harness *harness, const struct harness_case *this)
{
    struct gcn_wave *wave = harness->start;

    for (int i = 0; i < 3; i++) {
        const struct case_operand *source = &this->source[i];

        if (source->kind == CASE_SCALAR)
            case_write_scalar(wave, source->index, source->type,
                              harness_value(harness, source->type));
        for (unsigned lane = 0; source->kind == CASE_VECTOR && lane < GCN_LANES; lane++)
            case_write_vector(wave, source->index, source->type, lane,
                              harness_value(harness, source->type));
    }
    for (unsigned lane = 0; lane < GCN_LANES; lane++)
        pair_up(harness, this, lane);
}

struct harness_case *harness_add(struct harness *harness, const char *format, ...)
{
    va_list arguments;

    if (harness->case_count == harness->case_capacity) {
        harness->case_capacity = harness->case_capacity * 2 + 256;
        harness->cases = reallocate(harness->cases, harness->case_capacity, sizeof *harness->cases);
    }
    struct harness_case *this = &harness->cases[harness->case_count++];

    memset(this, 0, sizeof *this);
    va_start(arguments, format);
    vsnprintf(this->text, sizeof this->text, format, arguments);
    va_end(arguments);
    snprintf(this->name, sizeof this->name, "%.*s", (int)strcspn(this->text, " "), this->text);
    this->rounds = HARNESS_ROUNDS;
    return this;
}

void harness_fail(struct harness *harness, const struct harness_case *this, const char *format, ...)
{
    va_list arguments;

    if (harness->failures++ >= REPORTED_FAILURES)
        return;
    fprintf(stderr, "%s\n    ", this->text);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

static bool compare_vectors(struct harness *harness, const struct harness_case *this)
{
    for (unsigned i = 0; i < GCN_VECTOR_ROWS; i++) {
        for (unsigned lane = 0; lane < GCN_LANES; lane++) {
            uint32_t got = harness->after->vector[i][lane];
            uint32_t expected = harness->expected->vector[i][lane];

            if (got == expected)
                continue;
            harness_fail(harness, this,
                         "v%u lane %u: %08x, expected %08x (sources %llx %llx %llx, mode %x, %s)",
                         i, lane, got, expected,
                         (unsigned long long)case_read(harness->start, &this->source[0], lane),
                         (unsigned long long)case_read(harness->start, &this->source[1], lane),
                         (unsigned long long)case_read(harness->start, &this->source[2], lane),
                         harness->start->mode,
                         (harness->start->base.active >> lane) & 1 ? "active" : "inactive");
            return false;
        }
    }
    return true;
}

bool harness_compare(struct harness *harness, const struct harness_case *this, int variant)
{
    const struct gcn_wave *after = harness->after, *expected = harness->expected;

    if (memcmp(after, expected, sizeof *after) == 0)
        return true;
    for (unsigned i = 0; i < GCN_SCALAR_ROWS; i++) {
        if (after->scalar[i] != expected->scalar[i]) {
            /* If this is a lane mask: the first lane that differs. */
            unsigned lane =
                (unsigned)__builtin_ctz(after->scalar[i] ^ expected->scalar[i]) + 32 * (i & 1);

            harness_fail(
                harness, this,
                "scalar %u: %08x, expected %08x (sources %llx %llx %llx, SCC %u, M0 %x, exec "
                "%llx, mode %x)",
                i, after->scalar[i], expected->scalar[i],
                (unsigned long long)case_read(harness->start, &this->source[0], lane),
                (unsigned long long)case_read(harness->start, &this->source[1], lane),
                (unsigned long long)case_read(harness->start, &this->source[2], lane),
                harness->start->scc, harness->start->scalar[GCN_M0],
                (unsigned long long)harness->start->base.active, harness->start->mode);
            return false;
        }
    }
    if (!compare_vectors(harness, this))
        return false;
    harness_fail(harness, this,
                 "variant %d: SCC %u, expected %u; pc %+lld, expected %+lld; mode %x, expected %x; "
                 "or another field",
                 variant, after->scc, expected->scc, (long long)(after->base.pc - this->pc),
                 (long long)(expected->base.pc - this->pc), after->mode, expected->mode);
    return false;
}

/* What the assembler does not know of Southern Islands: assembled under another name, with the
 * difference of the opcodes put in afterwards. */
static const struct {
    const char *name, *stand_in;
    uint32_t flip; /* of the first word */
} unknown[] = {
    {"v_qsad_pk_u16_u8", "v_mqsad_pk_u16_u8", (370 ^ 371) << 17},
    {"buffer_atomic_rsub", "buffer_atomic_sub", (52 ^ 51) << 18},
    {"buffer_atomic_rsub_x2", "buffer_atomic_sub_x2", (84 ^ 83) << 18},
};

/* The line for the assembler, and what to flip in what it gives. The caller frees the line. */
static char *line_of(const struct harness_case *this, uint32_t *flip)
{
    size_t length = strcspn(this->text, " ");

    *flip = 0;
    for (size_t i = 0; i < COUNT(unknown); i++) {
        if (length != strlen(unknown[i].name) || strncmp(this->text, unknown[i].name, length) != 0)
            continue;
        *flip = unknown[i].flip;
        return format_string("%s%s", unknown[i].stand_in, this->text + length);
    }
    return copy_string(this->text);
}

static void put_code(uint8_t *code, const struct reference_encoding *encoding, uint32_t flip)
{
    memcpy(code, encoding->bytes, encoding->count);
    for (int i = 0; i < 4; i++)
        code[i] ^= (uint8_t)(flip >> (8 * i));
}

static bool assemble_cases(struct harness *harness)
{
    char **lines = allocate(harness->case_count, sizeof *lines);
    uint32_t *flips = allocate(harness->case_count, sizeof *flips);
    struct reference_encoding *encodings = allocate(harness->case_count, sizeof *encodings);
    uint32_t bytes = (uint32_t)harness->case_count * HARNESS_SLOT_BYTES;
    uint8_t *code = allocate(bytes, 1);

    for (size_t i = 0; i < harness->case_count; i++)
        lines[i] = line_of(&harness->cases[i], &flips[i]);
    bool assembled = reference_assemble((const char *const *)lines, harness->case_count, encodings);
    for (size_t i = 0; assembled && i < harness->case_count; i++)
        put_code(code + i * HARNESS_SLOT_BYTES, &encodings[i], flips[i]);
    for (int variant = 0; assembled && variant < HARNESS_VARIANTS; variant++) {
        harness->code[variant] = harness->isa[variant]->decode(code, bytes, HARNESS_ADDRESS);
        for (size_t i = 0; i < harness->case_count; i++) {
            struct harness_case *this = &harness->cases[i];

            this->pc = HARNESS_ADDRESS + i * HARNESS_SLOT_BYTES;
            this->decoded[variant] = isa_code_at(harness->code[variant], this->pc);
            if (this->decoded[variant]->bytes != encodings[i].count)
                harness_fail(harness, this, "decoded as %u bytes, encoded in %u",
                             this->decoded[variant]->bytes, encodings[i].count);
        }
    }
    for (size_t i = 0; i < harness->case_count; i++)
        free(lines[i]);
    free(code);
    free(encodings);
    free(flips);
    free(lines);
    return assembled;
}

/* "v_add_f32_e64" is the mnemonic v_add_f32. */
static void check_name(struct harness *harness, struct harness_case *this)
{
    size_t length = strlen(this->name);
    const char *name = harness->isa[0]->name_of(this->decoded[0]->op);

    if (length > 4 && (strcmp(this->name + length - 4, "_e32") == 0 ||
                       strcmp(this->name + length - 4, "_e64") == 0))
        this->name[length - 4] = 0;
    if (strcmp(name, this->name) != 0)
        harness_fail(harness, this, "decoded as %s", name);
}

bool harness_run(struct harness *harness)
{
    if (!assemble_cases(harness))
        return false;
    for (size_t i = 0; i < harness->case_count; i++) {
        struct harness_case *this = &harness->cases[i];
        size_t failures = harness->failures;

        check_name(harness, this);
        if (this->decoded[0]->control == ISA_CONTROL_REFUSED)
            harness_fail(harness, this, "refused");
        for (unsigned round = 0; round < this->rounds && harness->failures == failures; round++) {
            this->run(harness, this);
            harness->runs++;
        }
    }
    return true;
}

void harness_init(struct harness *harness)
{
    static struct isa_kernel kernel = {.vector_registers = HARNESS_REGISTERS,
                                       .scalar_registers = GCN_SCALAR_REGISTERS};
    static struct isa_launch launch = {.kernel = &kernel};

    *harness = (struct harness){.random = 0x9e3779b97f4a7c15ull};
    harness->isa[0] = isa_gcn(true);
    harness->isa[1] = gcn_isa_variant(GCN_VARIANT_AVX2);
    harness->isa[2] = isa_gcn(false);
    if (!harness->isa[1])
        harness->isa[1] = harness->isa[0];
    harness->start = aligned_alloc(64, (sizeof *harness->start + 63) / 64 * 64);
    harness->expected = aligned_alloc(64, (sizeof *harness->start + 63) / 64 * 64);
    harness->after = aligned_alloc(64, (sizeof *harness->start + 63) / 64 * 64);
    memset(harness->start, 0, sizeof *harness->start);
    harness->start->base.launch = &launch;
    harness->memory = allocate(HARNESS_MEMORY_BYTES, 1);
    harness->expected_memory = allocate(HARNESS_MEMORY_BYTES, 1);
}

void harness_finish(struct harness *harness)
{
    for (int variant = 0; variant < HARNESS_VARIANTS; variant++) {
        if (harness->code[variant])
            harness->isa[variant]->code_destroy(harness->code[variant]);
    }
    free(harness->start);
    free(harness->expected);
    free(harness->after);
    free(harness->memory);
    free(harness->expected_memory);
    free(harness->cases);
}
