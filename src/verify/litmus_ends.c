/* SPDX-License-Identifier: MIT */
/* The end of a litmus test: its condition, and where its variables lie. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/litmus_reader.h"

/* ---- Where variables lie ---- */

/* Globals get lines of their own, as long as there are lines; then second words of these. */
static bool place_variable(struct reader *reader, struct variable *variable, uint32_t *globals,
                           uint32_t *locals)
{
    struct litmus *litmus = &reader->file->litmus;

    if (variable->is_local ? *locals == LITMUS_LOCALS : *globals == LITMUS_GLOBALS)
        return reader_refuse(reader,
                             "'%s': a test has up to %d global and %d local variables that "
                             "are accessed",
                             variable->name, LITMUS_GLOBALS, LITMUS_LOCALS);
    if (variable->is_local)
        variable->word = (uint8_t)(LITMUS_GLOBALS + (*locals)++);
    else
        variable->word = (uint8_t)(*globals % LITMUS_LINES * 2 + *globals / LITMUS_LINES);
    *globals += !variable->is_local;
    variable->has_word = true;
    snprintf(reader->file->names.words[variable->word], LITMUS_NAME, "%s", variable->name);
    litmus->initial[variable->word] = variable->initial;
    litmus->is_plain[variable->word] = !variable->is_atomic;
    return true;
}

/* What a compare-and-swap expects is a constant if no thread stores to it. */
static void fold_expected(const struct reader *reader, struct litmus_operation *operation)
{
    const struct variable *variable = &reader->variables[operation->line];
    const struct litmus_operation set = {
        .kind = LITMUS_SET, .into = operation->into, .number = variable->initial};

    *operation = set;
}

static bool is_expected(const struct litmus_operation *operation,
                        const struct litmus_operation *end)
{
    return operation->kind == LITMUS_LOAD && operation->into != 0 && operation + 1 < end &&
           operation[1].kind == LITMUS_CAS && operation[1].expected_from == operation->into;
}

static void place_operation(const struct reader *reader, struct litmus_operation *operation)
{
    const struct variable *variable = &reader->variables[operation->line];

    operation->is_local = variable->is_local;
    if (variable->is_local) {
        operation->line = (uint8_t)(variable->word - LITMUS_GLOBALS);
        return;
    }
    operation->line = variable->word / 2;
    operation->word = variable->word % 2;
}

/* Notes words of local memory that several work-groups access, and whether there is any remote
 * operation. */
static void note_sharing(struct litmus_file *file)
{
    struct litmus *litmus = &file->litmus;
    uint8_t owners[LITMUS_LOCALS] = {0};

    for (uint32_t i = 0; i < LITMUS_THREADS; i++)
        for (uint32_t j = 0; j < LITMUS_OPERATIONS; j++) {
            const struct litmus_operation *operation = &litmus->threads[i][j];
            uint8_t owner = (uint8_t)(litmus->l1s[i] + 1);

            litmus->is_remote |= operation->reach == REACH_REMOTE;
            if (!operation->is_local)
                continue;
            file->shares_local |= owners[operation->line] != 0 && owners[operation->line] != owner;
            owners[operation->line] = owner;
        }
}

void reader_place_variables(struct reader *reader)
{
    uint32_t globals = 0, locals = 0;

    for (uint32_t i = 0; i < LITMUS_THREADS && !reader->has_failed; i++) {
        struct litmus_operation *thread = reader->file->litmus.threads[i];

        for (uint32_t j = 0; j < LITMUS_OPERATIONS && !reader->has_failed; j++) {
            struct variable *variable = &reader->variables[thread[j].line];

            if (!litmus_is_access(&thread[j]))
                continue;
            if (is_expected(&thread[j], thread + LITMUS_OPERATIONS) && !variable->is_written)
                fold_expected(reader, &thread[j]);
            else if (variable->has_word || place_variable(reader, variable, &globals, &locals))
                place_operation(reader, &thread[j]);
        }
    }
    for (uint32_t i = 0; i < reader->file->condition.count && !reader->has_failed; i++) {
        struct litmus_place *place = &reader->file->condition.nodes[i].place;
        struct variable *variable = &reader->variables[place->number];

        if (!place->is_word)
            continue;
        if (variable->has_word || place_variable(reader, variable, &globals, &locals))
            place->number = variable->word;
    }
    note_sharing(reader->file);
}

/* ---- The condition ---- */

static uint8_t read_either(struct reader *reader);

/* Number of a new node. */
static uint8_t add_node(struct reader *reader, uint8_t kind, uint8_t left, uint8_t right)
{
    struct litmus_condition *condition = &reader->file->condition;

    if (condition->count == CONDITION_NODES) {
        reader_refuse(reader, "the condition has over %d parts", CONDITION_NODES);
        return 0;
    }
    condition->nodes[condition->count] =
        (struct condition_node){.kind = kind, .left = left, .right = right};
    return condition->count++;
}

static void read_register_place(struct reader *reader, struct litmus_place *place)
{
    int thread;

    if (!reader_number(reader, 0, reader->thread - 1, &thread) || !reader_expect(reader, ":"))
        return;
    place->thread = (uint8_t)thread;
    place->number = reader_register(reader, place->thread, reader->token.text);
    if (place->number-- == 0)
        reader_refuse(reader, "thread %d has no register '%s'", thread, reader->token.text);
    reader_advance(reader);
}

static void read_word_place(struct reader *reader, struct litmus_place *place)
{
    bool is_bracketed = reader_takes(reader, "[");
    const struct variable *variable = reader_variable(reader, reader->token.text);

    place->is_word = true;
    if (reader->token.kind != TOKEN_NAME || variable == NULL) {
        reader_refuse(reader, "'%s' is no variable of the test", reader->token.text);
        return;
    }
    place->number = (uint8_t)(variable - reader->variables);
    reader_advance(reader);
    if (is_bracketed)
        reader_expect(reader, "]");
}

static uint8_t read_atom(struct reader *reader)
{
    struct litmus_place place = {false, 0, 0};
    int value = 0;
    uint8_t node;

    if (reader->token.kind == TOKEN_NUMBER)
        read_register_place(reader, &place);
    else
        read_word_place(reader, &place);
    if (reader_expect(reader, "="))
        reader_number(reader, -READER_NUMBER_MAX, READER_NUMBER_MAX, &value);
    if (reader->has_failed)
        return 0;
    node = add_node(reader, CONDITION_EQUAL, 0, 0);
    reader->file->condition.nodes[node].place = place;
    reader->file->condition.nodes[node].value = (int16_t)value;
    return node;
}

static uint8_t read_unary(struct reader *reader)
{
    uint8_t node = 0;

    if (!reader_sink(reader))
        return 0;
    if (reader_takes(reader, "~") || reader_takes(reader, "not")) {
        uint8_t inner = read_unary(reader);

        node = add_node(reader, CONDITION_NOT, inner, 0);
    } else if (reader_takes(reader, "(")) {
        node =
            reader_sees(reader, ")") ? add_node(reader, CONDITION_TRUE, 0, 0) : read_either(reader);
        reader_expect(reader, ")");
    } else if (reader_takes(reader, "true")) {
        node = add_node(reader, CONDITION_TRUE, 0, 0);
    } else {
        node = read_atom(reader);
    }
    reader_rise(reader);
    return node;
}

static uint8_t read_both(struct reader *reader)
{
    uint8_t node = read_unary(reader);

    while (reader_takes(reader, "/\\")) {
        uint8_t right = read_unary(reader);

        node = add_node(reader, CONDITION_AND, node, right);
    }
    return node;
}

static uint8_t read_either(struct reader *reader)
{
    uint8_t node = read_both(reader);

    while (reader_takes(reader, "\\/")) {
        uint8_t right = read_both(reader);

        node = add_node(reader, CONDITION_OR, node, right);
    }
    return node;
}

void reader_condition(struct reader *reader)
{
    struct litmus_condition *condition = &reader->file->condition;

    reader->depth = 0;
    if (reader_takes(reader, "~") || reader_takes(reader, "not")) {
        reader_expect(reader, "exists");
        condition->quantifier = QUANTIFIER_NOT_EXISTS;
    } else if (reader_takes(reader, "forall")) {
        condition->quantifier = QUANTIFIER_FORALL;
    } else {
        reader_expect(reader, "exists");
    }
    condition->root = read_either(reader);
}
