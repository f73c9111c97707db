/* SPDX-License-Identifier: MIT */
/* Statements and expressions of a thread, as OpenCL C has them. */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "verify/litmus_reader.h"

struct litmus_operation *reader_emit(struct reader *reader, uint8_t kind)
{
    struct litmus_operation *operation;

    if (reader->has_failed)
        return NULL;
    if (reader->count == LITMUS_OPERATIONS) {
        reader_refuse(reader, "thread %u has over %d operations and branches", reader->thread,
                      LITMUS_OPERATIONS);
        return NULL;
    }
    operation = &reader->file->litmus.threads[reader->thread][reader->count++];
    operation->kind = kind;
    return operation;
}

/* ---- Expressions ---- */

static uint8_t hidden_register(struct reader *reader)
{
    char name[LITMUS_NAME];

    snprintf(name, sizeof name, "$%u", reader->hidden++);
    return reader_add_register(reader, name);
}

static struct reader_sum read_plain_load(struct reader *reader)
{
    struct reader_sum sum = {0, 0};
    struct litmus_operation *load = reader_emit(reader, LITMUS_LOAD);
    struct variable *variable = reader_variable(reader, reader->token.text);

    if (load == NULL)
        return sum;
    if (reader->token.kind != TOKEN_NAME || variable == NULL || !variable->is_declared) {
        reader_refuse(reader, "'*%s': that is no variable of the test", reader->token.text);
        return sum;
    }
    variable->is_accessed = true;
    load->line = (uint8_t)(variable - reader->variables);
    load->into = sum.from = hidden_register(reader);
    reader_advance(reader);
    return sum;
}

static bool is_hidden(const struct reader *reader, uint8_t number)
{
    return number != 0 && number == reader->registers[reader->thread] &&
           reader->file->names.registers[reader->thread][number - 1][0] == '$';
}

static bool is_call(const struct reader *reader)
{
    return strncmp(reader->token.text, "atomic_", strlen("atomic_")) == 0;
}

static struct reader_sum read_term(struct reader *reader)
{
    struct reader_sum sum = {0, 0};

    if (reader_takes(reader, "(")) {
        if (!reader_sink(reader))
            return sum;
        sum = reader_expression(reader);
        reader_rise(reader);
        reader_expect(reader, ")");
    } else if (reader_takes(reader, "*")) {
        sum = read_plain_load(reader);
    } else if (reader->token.kind == TOKEN_NAME && is_call(reader)) {
        sum.from = hidden_register(reader);
        reader_call(reader, sum.from);
    } else if (reader->token.kind == TOKEN_NAME) {
        sum.from = reader_register(reader, reader->thread, reader->token.text);
        if (sum.from == 0)
            reader_refuse(reader, "'%s' is no register that was set before", reader->token.text);
        reader_advance(reader);
    } else {
        reader_number(reader, -READER_NUMBER_MAX, READER_NUMBER_MAX, &sum.number);
    }
    return sum;
}

struct reader_sum reader_expression(struct reader *reader)
{
    struct reader_sum sum = read_term(reader);

    while (reader_sees(reader, "+") || reader_sees(reader, "-")) {
        int sign = reader_sees(reader, "+") ? 1 : -1;
        struct reader_sum more;

        reader_advance(reader);
        more = read_term(reader);
        if (more.from != 0 && (sign < 0 || sum.from != 0))
            reader_refuse(reader, "an expression is one value and constants");
        sum.from = sum.from != 0 ? sum.from : more.from;
        sum.number += sign * more.number;
        if (sum.number > READER_NUMBER_MAX || sum.number < -READER_NUMBER_MAX)
            reader_refuse(reader, "%d is too large", sum.number);
    }
    return sum;
}

/* Register = expression. What an access returns goes there at once. */
static void register_assign(struct reader *reader, uint8_t into, struct reader_sum sum)
{
    struct litmus_operation *latest =
        reader->count > 0 ? &reader->file->litmus.threads[reader->thread][reader->count - 1] : NULL;
    uint8_t *registers = &reader->registers[reader->thread];

    if (reader->has_failed || into == 0)
        return;
    if (latest != NULL && litmus_is_access(latest) && sum.from == latest->into && sum.number == 0 &&
        is_hidden(reader, sum.from)) {
        latest->into = into;
        --*registers; /* its own was hidden */
        return;
    }
    latest = reader_emit(reader, LITMUS_SET);
    if (latest == NULL)
        return;
    latest->into = into;
    latest->from = sum.from;
    latest->number = (int16_t)sum.number;
}

/* ---- Branches ---- */

static void read_comparison(struct reader *reader, struct litmus_operation *branch)
{
    static const char *const tests[] = {"==", "!=", "<=", ">="};
    struct reader_sum left = reader_expression(reader), right = {0, 0};
    uint8_t test = TEST_NOT_EQUAL;

    for (uint8_t i = 0; i < ARRAY_COUNT(tests); i++)
        if (reader_takes(reader, tests[i])) {
            test = i;
            right = reader_expression(reader);
            break;
        }
    if (left.from == 0 && right.from != 0) {
        struct reader_sum swapped = left;

        left = right;
        right = swapped;
        test = test == TEST_MAX ? TEST_MIN : test == TEST_MIN ? TEST_MAX : test;
    }
    if (right.from != 0)
        reader_refuse(reader, "a condition compares one value with a constant");
    branch->from = left.from;
    branch->test = test;
    branch->number = (int16_t)(right.number - left.number);
}

static void read_test(struct reader *reader, struct litmus_operation *branch)
{
    if (reader->ends_lines) {
        read_comparison(reader, branch);
        return;
    }
    if (!reader_expect(reader, "("))
        return;
    read_comparison(reader, branch);
    reader_expect(reader, ")");
}

static struct litmus_operation *operation_at(struct reader *reader, uint8_t at)
{
    return &reader->file->litmus.threads[reader->thread][at];
}

static void skip_to_here(struct reader *reader, uint8_t branch)
{
    operation_at(reader, branch)->skip = (uint8_t)(reader->count - branch - 1);
}

void reader_if(struct reader *reader, void (*read_block)(struct reader *reader))
{
    struct litmus_operation test = {.kind = LITMUS_BRANCH}, *branch;
    uint8_t first, jump;

    read_test(reader, &test);
    first = reader->count;
    branch = reader_emit(reader, LITMUS_BRANCH);
    if (branch == NULL)
        return;
    *branch = test;
    read_block(reader);
    if (!reader_takes(reader, "else")) {
        if (!reader->has_failed)
            skip_to_here(reader, first);
        return;
    }
    jump = reader->count;
    branch = reader_emit(reader, LITMUS_BRANCH); /* never holds */
    if (branch == NULL)
        return;
    branch->number = 1;
    skip_to_here(reader, first);
    read_block(reader);
    if (!reader->has_failed)
        skip_to_here(reader, jump);
}

/* ---- Statements ---- */

static void read_plain_store(struct reader *reader)
{
    struct variable *variable = reader_variable(reader, reader->token.text);
    struct litmus_operation *store;
    struct reader_sum sum;

    if (reader->token.kind != TOKEN_NAME || variable == NULL || !variable->is_declared) {
        reader_refuse(reader, "'*%s': that is no variable of the test", reader->token.text);
        return;
    }
    reader_advance(reader);
    if (!reader_expect(reader, "="))
        return;
    sum = reader_expression(reader);
    if (sum.number < 0 || sum.number > READER_VALUE_MAX) {
        reader_refuse(reader, "%d: values in memory are from 0 to %d", sum.number,
                      READER_VALUE_MAX);
        return;
    }
    store = reader_emit(reader, LITMUS_STORE);
    if (store == NULL)
        return;
    variable->is_accessed = variable->is_written = true;
    store->line = (uint8_t)(variable - reader->variables);
    store->from = sum.from;
    store->value = (uint8_t)sum.number;
}

static void read_barrier(struct reader *reader)
{
    struct litmus_operation *barrier = reader_emit(reader, LITMUS_BARRIER);

    if (barrier == NULL || !reader_expect(reader, "("))
        return;
    do {
        if (reader_takes(reader, "CLK_GLOBAL_MEM_FENCE"))
            barrier->regions |= REGION_GLOBAL;
        else if (reader_takes(reader, "CLK_LOCAL_MEM_FENCE"))
            barrier->regions |= REGION_LOCAL;
        else
            reader_refuse(reader, "'%s' is no flag of a barrier here", reader->token.text);
    } while (reader_takes(reader, "|"));
    if (reader_takes(reader, ",") && !reader_takes(reader, "memory_scope_work_group"))
        reader_refuse(reader, "a barrier of the scope '%s' is not here", reader->token.text);
    reader_expect(reader, ")");
}

static bool is_barrier(const struct reader *reader)
{
    return reader_sees(reader, "barrier") || reader_sees(reader, "work_group_barrier");
}

static bool is_type(const struct reader *reader)
{
    static const char *const names[] = {"int", "uint", "unsigned"};

    for (unsigned i = 0; i < ARRAY_COUNT(names); i++)
        if (reader_sees(reader, names[i]))
            return true;
    return false;
}

/* A declaration, an assignment to a register, a label before a barrier. */
static void read_named(struct reader *reader)
{
    bool is_declared = false;
    char name[LITMUS_NAME];
    uint8_t into;

    for (; is_type(reader); is_declared = true)
        reader_advance(reader);
    if (!reader_name(reader, name, sizeof name, "a register"))
        return;
    if (!is_declared && reader_takes(reader, ":")) {
        if (is_barrier(reader)) {
            reader_advance(reader);
            read_barrier(reader);
        } else {
            reader_refuse(reader, "only a barrier has a label");
        }
        return;
    }
    if (reader_variable(reader, name) != NULL) {
        reader_refuse(reader, "'%s' is a variable: '*%s = ...' stores to it", name, name);
        return;
    }
    into = reader_add_register(reader, name);
    if (reader_takes(reader, "="))
        register_assign(reader, into, reader_expression(reader));
    else if (!is_declared)
        reader_refuse(reader, "'%s' after '%s' is not known here", reader->token.text, name);
}

static void read_simple(struct reader *reader)
{
    if (reader_takes(reader, "*")) {
        read_plain_store(reader);
    } else if (reader->token.kind == TOKEN_NAME && is_call(reader)) {
        reader_call(reader, 0);
    } else if (is_barrier(reader)) {
        reader_advance(reader);
        read_barrier(reader);
    } else if (reader->token.kind == TOKEN_NAME) {
        read_named(reader);
    } else {
        reader_refuse(reader, "'%s' begins no statement", reader->token.text);
    }
    reader_expect(reader, ";");
}

void reader_statement(struct reader *reader)
{
    static const char *const refused[] = {"while", "for", "do", "switch", "goto", "return"};

    for (unsigned i = 0; i < ARRAY_COUNT(refused); i++)
        if (reader_sees(reader, refused[i]))
            reader_refuse(reader, "'%s' is not here: threads branch, and have no loops",
                          refused[i]);
    if (reader->token.kind == TOKEN_END) {
        reader_refuse(reader, "the file ends inside a thread");
        return;
    }
    if (!reader_sink(reader))
        return;
    if (reader_takes(reader, "{")) {
        while (!reader->has_failed && !reader_takes(reader, "}"))
            reader_statement(reader);
    } else if (reader_takes(reader, "if")) {
        reader_if(reader, reader_statement);
    } else if (!reader_takes(reader, ";")) {
        read_simple(reader);
    }
    reader_rise(reader);
}
