/* SPDX-License-Identifier: MIT */
/* Cases of scalar operations. */
#include <stdio.h>
#include <string.h>

#include "reference_cases.h"

struct scalar_source {
    const char *text_32, *text_64;
    struct case_operand operand;
    uint64_t value_64;
};

/* What stands for source 0 and source 1, one pair per case. */
static const struct scalar_source sources[] = {
    {"s4", "s[4:5]", {.kind = CASE_SCALAR, .index = 4}, 0},
    {"s8", "s[8:9]", {.kind = CASE_SCALAR, .index = 8}, 0},
    {"vcc_lo", "vcc", {.kind = CASE_SCALAR, .index = GCN_VCC}, 0},
    {"exec_lo", "exec", {.kind = CASE_SCALAR, .index = GCN_EXEC}, 0},
    {"-7", "-7", {.kind = CASE_CONSTANT, .value = 0xfffffff9}, 0xfffffffffffffff9},
    {"64", "64", {.kind = CASE_CONSTANT, .value = 64}, 64},
    {"0.5", "0.5", {.kind = CASE_CONSTANT, .value = 0x3f000000}, 0x3fe0000000000000},
    {"0x12345678", "0x12345678", {.kind = CASE_CONSTANT, .value = 0x12345678}, 0x12345678},
};

static const unsigned pairs[][2] = {{0, 1}, {0, 1}, {1, 0}, {2, 0}, {4, 1},
                                    {0, 5}, {7, 1}, {0, 7}, {3, 0}, {6, 2}};

static void add_source(struct harness_case *this, int place, unsigned which, char type)
{
    const struct scalar_source *source = &sources[which];
    size_t length = strlen(this->text);

    this->source[place] = source->operand;
    this->source[place].type = type;
    if (case_is_wide(type) && source->operand.kind == CASE_CONSTANT)
        this->source[place].value = source->value_64;
    snprintf(this->text + length, sizeof this->text - length, "%s%s",
             this->text[length - 1] == ' ' ? "" : ", ",
             case_is_wide(type) ? source->text_64 : source->text_32);
}

static bool is_register(const struct case_operand *operand)
{
    return operand->kind == CASE_SCALAR && operand->index < HARNESS_REGISTERS;
}

/* Operands that are equal, or nearly; a register near the 16 bits of the instruction, extended
 * either way. */
static void pair_up(struct harness *harness, const struct harness_case *this)
{
    const struct case_operand *first = &this->source[0], *second = &this->source[1];
    uint64_t choice = harness_random(harness) >> 35;

    if (choice % 2 != 0 || second->kind == CASE_NONE || first->type != second->type)
        return;
    if (is_register(second)) {
        case_write_scalar(harness->start, second->index, second->type,
                          harness_neighbour(harness, case_read(harness->start, first, 0)));
    } else if (is_register(first) && second->kind == CASE_CONSTANT) {
        uint64_t value = choice & 4 ? second->value : (uint64_t)(int64_t)(int16_t)second->value;

        case_write_scalar(harness->start, first->index, first->type,
                          harness_neighbour(harness, value));
    }
}

static bool run_scalar(struct harness *harness, const struct harness_case *this)
{
    const char *shape = this->scalar_op->shape;
    bool ok = true;

    harness_fill(harness, this);
    for (int i = 0; i < 2; i++) {
        const struct case_operand *source = &this->source[i];

        if (is_register(source))
            case_write_scalar(harness->start, source->index, source->type,
                              harness_value(harness, source->type));
    }
    pair_up(harness, this);
    const struct gcn_wave *start = harness->start;
    struct case_operand old = {.kind = CASE_SCALAR, .index = this->destination, .type = shape[0]};
    struct reference_scalar work = {.exec = gcn_exec(start), .scc = start->scc};

    for (int i = 0; i < 2; i++)
        work.source[i] = this->source[i].kind ? case_read(start, &this->source[i], 0) : 0;
    work.old = shape[0] == '-' ? 0 : case_read(start, &old, 0);
    work.next_pc = this->pc + this->decoded[0]->bytes;
    this->scalar_op->run(&work);
    *harness->expected = *start;
    harness->expected->scc = work.scc;
    harness->expected->base.pc = work.jumps ? work.target : work.next_pc;
    if (work.exec != gcn_exec(start))
        case_write_scalar(harness->expected, GCN_EXEC, 'l', work.exec);
    if (work.writes)
        case_write_scalar(harness->expected, this->destination, shape[0], work.result);
    for (int variant = 0; ok && variant < HARNESS_VARIANTS; variant++) {
        *harness->after = *start;
        harness->isa[variant]->execute(&harness->after->base, this->decoded[variant]);
        ok = harness_compare(harness, this, variant);
    }
    return ok;
}

/* SOPK: the register is destination and source 0; the immediate is source 1. */
static void add_immediates(struct harness *harness, const struct reference_scalar_op *op)
{
    static const unsigned immediates[] = {0, 1, 5, 0x7fff, 0x8000, 0xfff9, 0xffff};

    for (size_t i = 0; i < sizeof immediates / sizeof immediates[0]; i++) {
        struct harness_case *this = harness_add(harness, "%s s12, 0x%x", op->name, immediates[i]);

        this->scalar_op = op;
        this->destination = 12;
        this->source[0] = (struct case_operand){.kind = CASE_SCALAR, .index = 12, .type = 'i'};
        this->source[1] =
            (struct case_operand){.kind = CASE_CONSTANT, .value = immediates[i], .type = 'i'};
        this->run = run_scalar;
        this->rounds = 24;
    }
}

static void add_pair(struct harness *harness, const struct reference_scalar_op *op,
                     const unsigned pair[2], bool to_vcc)
{
    const char *shape = op->shape;
    struct harness_case *this = harness_add(harness, "%s ", op->name);
    const char *narrow = to_vcc ? "vcc_lo" : "s12", *wide = to_vcc ? "vcc" : "s[12:13]";

    this->scalar_op = op;
    this->destination = to_vcc ? GCN_VCC : 12;
    if (shape[0] != '-')
        strcat(this->text, case_is_wide(shape[0]) ? wide : narrow);
    if (shape[1])
        add_source(this, 0, pair[0], shape[1]);
    if (shape[1] && shape[2])
        add_source(this, 1, pair[1], shape[2]);
    this->run = run_scalar;
    this->rounds = 24;
}

void add_scalar_cases(struct harness *harness)
{
    size_t count;
    const struct reference_scalar_op *ops = reference_scalar_ops(&count);

    for (size_t i = 0; i < count; i++) {
        if (strchr(ops[i].shape, 'k')) {
            add_immediates(harness, &ops[i]);
            continue;
        }
        for (size_t pair = 0; pair < sizeof pairs / sizeof pairs[0]; pair++) {
            bool constant = sources[pairs[pair][0]].operand.kind == CASE_CONSTANT;

            /* A jump goes to an address in a register. */
            if (strstr(ops[i].name, "pc_b64") && constant)
                continue;
            add_pair(harness, &ops[i], pairs[pair], pair == 1);
        }
    }
}
