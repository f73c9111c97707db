/* SPDX-License-Identifier: MIT */
/* Cases of vector operations: each form, operands of each kind, each modifier. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reference_bits.h"
#include "reference_cases.h"

/* What the text of one case is put together from. */
struct form {
    bool is_long;
    const char *source[3]; /* NULL: the vector register of this place */
    struct case_operand operand[3];
    bool with_modifiers;
};

static struct case_operand vector_operand(int place, char type)
{
    return (struct case_operand){
        .kind = CASE_VECTOR, .index = 4 + 4 * (unsigned)place, .type = type};
}

static void print_register(char *text, size_t size, char file, unsigned index, char type)
{
    if (case_is_wide(type))
        snprintf(text, size, "%c[%u:%u]", file, index, index + 1);
    else
        snprintf(text, size, "%c%u", file, index);
}

static void print_mask(char *text, size_t size, unsigned index)
{
    if (index == GCN_VCC)
        snprintf(text, size, "vcc");
    else
        snprintf(text, size, "s[%u:%u]", index, index + 1);
}

static bool takes_modifiers(char type)
{
    return type == 'f' || type == 'd';
}

static void add_form(struct harness *harness, const struct reference_op *op,
                     const struct form *form)
{
    static const char *const multipliers[] = {"", " mul:2", " mul:4", " div:2"};
    struct harness_case *this = harness_add(harness, "%s", "");
    char *text = this->text;
    size_t size = sizeof this->text;
    char piece[40];
    uint64_t choice = harness_random(harness) >> 7;
    bool has_both = !(op->traits & (REFERENCE_LONG_ONLY | REFERENCE_SHORT_ONLY));
    bool any_mask = form->is_long;
    unsigned extra = any_mask ? 20 + 2 * (unsigned)(choice % 4) : GCN_VCC;

#define APPEND(...) snprintf(text + strlen(text), size - strlen(text), __VA_ARGS__)
    this->op = op;
    this->destination = 24;
    this->mask_destination = extra;
    this->mask_source = op->traits & REFERENCE_FLAG_IN && form->is_long ? 28 : GCN_VCC;
    APPEND("%s%s ", op->name, !has_both ? "" : form->is_long ? "_e64" : "_e32");
    if (op->shape[0] == 'm')
        print_mask(piece, sizeof piece, extra);
    else
        print_register(piece, sizeof piece, 'v', this->destination, op->shape[0]);
    APPEND("%s", piece);
    if (op->traits & REFERENCE_FLAG_OUT) {
        print_mask(piece, sizeof piece, extra);
        APPEND(", %s", piece);
    }
    for (int i = 0; op->shape[i + 1]; i++) {
        char type = op->shape[i + 1];
        bool modified =
            form->with_modifiers && takes_modifiers(type) && !(op->traits & REFERENCE_SCALES_FIRST);

        this->source[i] = form->operand[i].kind ? form->operand[i] : vector_operand(i, type);
        this->source[i].type = type;
        if (form->source[i])
            snprintf(piece, sizeof piece, "%s", form->source[i]);
        else
            print_register(piece, sizeof piece, 'v', this->source[i].index, type);
        this->modifiers.negate[i] = modified && (choice >> (2 * i)) & 1;
        this->modifiers.absolute[i] = modified && (choice >> (2 * i)) & 2;
        APPEND(", %s%s%s%s", this->modifiers.negate[i] ? "-" : "",
               this->modifiers.absolute[i] ? "|" : "", piece,
               this->modifiers.absolute[i] ? "|" : "");
    }
    if (op->traits & REFERENCE_FLAG_IN) {
        print_mask(piece, sizeof piece, this->mask_source);
        APPEND(", %s", piece);
    }
    if (form->with_modifiers && takes_modifiers(op->shape[0]) &&
        !(op->traits & REFERENCE_SCALES_FIRST)) {
        this->modifiers.clamp = (choice >> 8) & 1;
        this->modifiers.multiplier = (unsigned)(choice >> 9) & 3;
        APPEND("%s%s", this->modifiers.clamp ? " clamp" : "",
               multipliers[this->modifiers.multiplier]);
    }
#undef APPEND
    snprintf(this->name, sizeof this->name, "%s", op->name);
    this->run = NULL;
}

/* An operand in the place of source `place`: a scalar register, an inline constant, a literal. */
static void put_scalar(struct form *form, int place, char type)
{
    form->source[place] = case_is_wide(type) ? "s[8:9]" : "s8";
    form->operand[place] = (struct case_operand){.kind = CASE_SCALAR, .index = 8};
}

static void put_integer(struct form *form, int place, char type, int value, const char *text)
{
    form->source[place] = text;
    form->operand[place] = (struct case_operand){
        .kind = CASE_CONSTANT,
        .value = case_is_wide(type) ? (uint64_t)(int64_t)value : (uint32_t)value};
}

static void put_float(struct form *form, int place, char type, double value, const char *text)
{
    form->source[place] = text;
    form->operand[place] = (struct case_operand){
        .kind = CASE_CONSTANT,
        .value = case_is_wide(type) ? from_double(value) : from_float((float)value)};
}

static void put_literal(struct form *form, int place, char type, uint32_t value, const char *text)
{
    form->source[place] = text;
    form->operand[place] = (struct case_operand){
        .kind = CASE_CONSTANT, .value = type == 'd' ? (uint64_t)value << 32 : value};
}

static void add_short_forms(struct harness *harness, const struct reference_op *op)
{
    char type = op->shape[1];
    bool reads_mask = op->traits & (REFERENCE_FLAG_IN | REFERENCE_READS_VCC);

    add_form(harness, op, &(struct form){0});
    if (op->traits & REFERENCE_REGISTERS_ONLY)
        return;
    struct form integer = {0}, number = {0}, scalar = {0}, literal = {0};

    put_integer(&integer, 0, type, -5, "-5");
    add_form(harness, op, &integer);
    put_float(&number, 0, type, -4.0, "-4.0");
    if (takes_modifiers(type))
        add_form(harness, op, &number);
    put_scalar(&scalar, 0, type);
    put_literal(&literal, 0, type, 0x3f8ccccd, "0x3f8ccccd");
    if (!reads_mask) {
        add_form(harness, op, &scalar);
        add_form(harness, op, &literal);
    }
}

/* v_madmk and v_madak: the constant is part of the instruction. */
static void add_literal_form(struct harness *harness, const struct reference_op *op)
{
    struct form form = {0};

    put_literal(&form, op->traits & REFERENCE_LITERAL_MIDDLE ? 1 : 2, 'f', 0xc0200000,
                "0xc0200000");
    add_form(harness, op, &form);
    put_float(&form, 0, 'f', 0.5, "0.5");
    add_form(harness, op, &form);
}

static void add_long_forms(struct harness *harness, const struct reference_op *op)
{
    int sources = (int)strlen(op->shape) - 1;
    bool reads_mask = op->traits & (REFERENCE_FLAG_IN | REFERENCE_READS_VCC);

    add_form(harness, op, &(struct form){.is_long = true});
    for (int place = 0; place < sources; place++) {
        char type = op->shape[place + 1];
        struct form scalar = {.is_long = true}, constant = {.is_long = true};

        put_scalar(&scalar, place, type);
        if (place > 0)
            put_integer(&scalar, 0, op->shape[1], 33, "33");
        if (!reads_mask)
            add_form(harness, op, &scalar);
        if (takes_modifiers(type))
            put_float(&constant, place, type, 0.5, "0.5");
        else
            put_integer(&constant, place, type, -16, "-16");
        if (!(op->traits & REFERENCE_REGISTERS_ONLY))
            add_form(harness, op, &constant);
    }
    for (int i = 0; i < 6; i++)
        add_form(harness, op, &(struct form){.is_long = true, .with_modifiers = true});
}

/* v_div_scale: source 0 is source 1 or source 2. */
static void add_scale_forms(struct harness *harness, const struct reference_op *op)
{
    for (int same = 1; same <= 2; same++) {
        struct form form = {.is_long = true};
        struct case_operand operand = vector_operand(same, op->shape[1]);

        form.operand[0] = operand;
        for (int i = 0; i < 3; i++)
            add_form(harness, op, &form);
    }
}

/* Within one unit in the last place: counted along the numbers, which are their bits but for the
 * sign. */
static bool is_close(uint64_t got, uint64_t expected, char type)
{
    bool nan = type == 'f' ? is_nan_float(expected) : is_nan_double(expected);
    uint64_t difference = got > expected ? got - expected : expected - got;

    return nan ? difference == 0 : difference <= 1;
}

static uint64_t read_vector(const struct gcn_wave *wave, unsigned index, char type, unsigned lane)
{
    struct case_operand operand = {.kind = CASE_VECTOR, .index = index, .type = type};

    return case_read(wave, &operand, lane);
}

static bool bit(const struct gcn_wave *wave, unsigned scalar, unsigned lane)
{
    return (wave->scalar[scalar + lane / 32] >> (lane % 32)) & 1;
}

static void expect_lanes(struct harness *harness, const struct harness_case *this, uint64_t *mask)
{
    const struct gcn_wave *start = harness->start;
    char type = this->op->shape[0];

    *mask = 0;
    for (unsigned lane = 0; lane < GCN_LANES; lane++) {
        struct reference_lane work = {.index = lane, .mode = start->mode};

        if (!((start->base.active >> lane) & 1))
            continue;
        for (int i = 0; i < 3; i++)
            work.source[i] = this->source[i].kind ? case_read(start, &this->source[i], lane) : 0;
        work.flag_in = bit(start, this->mask_source, lane);
        if (type != 'm')
            work.old = read_vector(start, this->destination, type, lane);
        reference_run_lane(this->op, &this->modifiers, &work);
        *mask |= (uint64_t)work.flag_out << lane;
        if (type == 'm')
            continue;
        uint64_t got = read_vector(harness->after, this->destination, type, lane);

        if ((this->op->traits & REFERENCE_APPROXIMATE) && is_close(got, work.result, type))
            work.result = got;
        case_write_vector(harness->expected, this->destination, type, lane, work.result);
    }
}

static bool run_vector(struct harness *harness, const struct harness_case *this)
{
    bool ok = true;

    harness_fill(harness, this);
    harness_fill_sources(harness, this);
    if (this->op->traits & REFERENCE_ROUNDS && harness->start->mode & REFERENCE_MODE_IEEE)
        gcn_set_mode(harness->start, harness->start->mode | (harness_random(harness) >> 30 & 15));
    if (this->op->shape[0] != 'm') {
        for (unsigned lane = 0; lane < GCN_LANES; lane++)
            case_write_vector(harness->start, this->destination, this->op->shape[0], lane,
                              harness_value(harness, this->op->shape[0]));
    }
    for (int variant = 0; ok && variant < HARNESS_VARIANTS; variant++) {
        uint64_t mask;

        *harness->after = *harness->start;
        harness->isa[variant]->execute(&harness->after->base, this->decoded[variant]);
        *harness->expected = *harness->start;
        expect_lanes(harness, this, &mask);
        if (this->op->shape[0] == 'm' || (this->op->traits & REFERENCE_FLAG_OUT))
            case_write_scalar(harness->expected, this->mask_destination, 'l', mask);
        if (this->op->traits & REFERENCE_WRITES_EXEC)
            case_write_scalar(harness->expected, GCN_EXEC, 'l', mask);
        harness->expected->base.pc += this->decoded[variant]->bytes;
        ok = harness_compare(harness, this, variant);
    }
    return ok;
}

static void add_ops(struct harness *harness, const struct reference_op *ops, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct reference_op *op = &ops[i];

        if (op->traits & REFERENCE_SCALES_FIRST)
            add_scale_forms(harness, op);
        else if (op->traits & (REFERENCE_LITERAL_MIDDLE | REFERENCE_LITERAL_LAST))
            add_literal_form(harness, op);
        else if (!(op->traits & REFERENCE_LONG_ONLY))
            add_short_forms(harness, op);
        if (!(op->traits & (REFERENCE_SHORT_ONLY | REFERENCE_SCALES_FIRST)))
            add_long_forms(harness, op);
    }
}

void add_vector_cases(struct harness *harness)
{
    static const struct reference_op *(*const lists[])(size_t *) = {
        reference_integer_ops, reference_float_ops, reference_approximate_ops, reference_divide_ops,
        reference_compare_ops};
    size_t first = harness->case_count;

    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        size_t count;
        const struct reference_op *ops = lists[i](&count);

        add_ops(harness, ops, count);
    }
    for (size_t i = first; i < harness->case_count; i++)
        harness->cases[i].run = run_vector;
}
