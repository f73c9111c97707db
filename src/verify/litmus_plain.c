/* SPDX-License-Identifier: MIT */
/* The plain form of a litmus test: docs/models/litmus-files.md. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "verify/litmus_reader.h"

/* The end of a line. */
static void end_line(struct reader *reader)
{
    if (reader->token.kind != TOKEN_END)
        reader_expect(reader, ";");
}

static void skip_empty_lines(struct reader *reader)
{
    while (reader_takes(reader, ";"))
        continue;
}

/* r0, r1 and so on: other names are variables. */
static bool is_register(const char *name)
{
    return name[0] == 'r' && isdigit((unsigned char)name[1]) != 0;
}

/* A variable that is not declared is atomic, global, and holds 0 first. */
static bool read_variable(struct reader *reader, uint8_t *number)
{
    char name[LITMUS_NAME];
    struct variable *variable;

    if (!reader_name(reader, name, sizeof name, "a variable"))
        return false;
    if (is_register(name))
        return reader_refuse(reader, "'%s' is a register", name);
    variable = reader_add_variable(reader, name);
    if (variable == NULL)
        return false;
    if (!variable->is_declared)
        variable->is_atomic = variable->is_declared = true;
    variable->is_accessed = true;
    *number = (uint8_t)(variable - reader->variables);
    return true;
}

/* A constant, or a register and a constant. */
static struct reader_sum read_value(struct reader *reader)
{
    return reader_expression(reader);
}

static bool set_value(struct reader *reader, struct reader_sum sum, uint8_t *value)
{
    if (sum.number < 0 || sum.number > READER_VALUE_MAX)
        return reader_refuse(reader, "%d: values in memory are from 0 to %d", sum.number,
                             READER_VALUE_MAX);
    *value = (uint8_t)sum.number;
    return true;
}

/* The words behind an access: an order and a scope make it atomic. */
static void read_words(struct reader *reader, struct litmus_operation *operation)
{
    static const char *const orders[] = {"relaxed", "acquire", "release", "acq_rel"};
    static const char *const scopes[] = {"plain", "group", "device", "remote"};
    uint8_t forbidden = operation->kind == LITMUS_LOAD    ? ORDER_RELEASE
                        : operation->kind == LITMUS_STORE ? ORDER_ACQUIRE
                                                          : 0;
    bool has_order = false;

    while (reader->token.kind == TOKEN_NAME) {
        uint8_t found = 0;

        while (found < 4 && !reader_sees(reader, orders[found]) &&
               !reader_sees(reader, scopes[found]))
            found++;
        if (found == 4 || reader_sees(reader, "plain")) {
            reader_refuse(reader, "'%s' is no order or scope here", reader->token.text);
            return;
        }
        if (reader_sees(reader, orders[found])) {
            operation->order = found;
            has_order = true;
        } else {
            operation->reach = found;
        }
        reader_advance(reader);
    }
    if ((operation->order & forbidden) != 0)
        reader_refuse(reader, "a load is no release, and a store no acquire");
    if (operation->reach == REACH_PLAIN && (has_order || operation->kind > LITMUS_STORE))
        reader_refuse(reader, "an atomic has a scope: group, device or remote");
}

static void operation_add(struct reader *reader, const struct litmus_operation *operation)
{
    struct litmus_operation *emitted = reader_emit(reader, operation->kind);

    if (emitted != NULL)
        *emitted = *operation;
}

/* What is stored to the operation's variable. */
static bool read_stored(struct reader *reader, struct litmus_operation *operation)
{
    struct reader_sum sum = read_value(reader);

    operation->from = sum.from;
    reader->variables[operation->line].is_written = true;
    return set_value(reader, sum, &operation->value);
}

/* What a register takes: an access, or a value. */
static void read_result(struct reader *reader, uint8_t into)
{
    static const struct {
        const char *name;
        uint8_t kind;
    } atomics[] = {{"add", LITMUS_ADD}, {"swap", LITMUS_EXCHANGE}, {"cas", LITMUS_CAS}};
    struct litmus_operation operation = {.kind = LITMUS_LOAD, .into = into};
    struct reader_sum sum;

    for (unsigned i = 0; i < ARRAY_COUNT(atomics); i++)
        if (reader_takes(reader, atomics[i].name)) {
            operation.kind = atomics[i].kind;
            break;
        }
    if (operation.kind == LITMUS_LOAD &&
        (reader->token.kind != TOKEN_NAME || is_register(reader->token.text))) {
        sum = read_value(reader);
        operation.kind = LITMUS_SET;
        operation.from = sum.from;
        operation.number = (int16_t)sum.number;
        operation_add(reader, &operation);
        return;
    }
    if (!read_variable(reader, &operation.line))
        return;
    if (operation.kind == LITMUS_CAS) {
        sum = read_value(reader);
        operation.expected_from = sum.from;
        if (!set_value(reader, sum, &operation.expected))
            return;
    }
    if (operation.kind != LITMUS_LOAD && !read_stored(reader, &operation))
        return;
    read_words(reader, &operation);
    operation_add(reader, &operation);
}

static void read_store(struct reader *reader)
{
    struct litmus_operation operation = {.kind = LITMUS_STORE};

    if (!read_variable(reader, &operation.line) || !reader_expect(reader, "=") ||
        !read_stored(reader, &operation))
        return;
    read_words(reader, &operation);
    operation_add(reader, &operation);
}

static void read_line(struct reader *reader);

/* Lines up to one of these words, which stays. */
static void read_lines(struct reader *reader)
{
    skip_empty_lines(reader);
    while (!reader->has_failed && reader->token.kind == TOKEN_NAME && !reader_sees(reader, "end") &&
           !reader_sees(reader, "else") && !reader_sees(reader, "thread") &&
           !reader_sees(reader, "exists") && !reader_sees(reader, "forall") &&
           !reader_sees(reader, "not")) {
        read_line(reader);
        end_line(reader);
        skip_empty_lines(reader);
    }
}

static void read_branch(struct reader *reader)
{
    if (!reader_sink(reader))
        return;
    reader_if(reader, read_lines);
    reader_expect(reader, "end");
    reader_rise(reader);
}

static void read_line(struct reader *reader)
{
    static const struct litmus_operation barrier = {.kind = LITMUS_BARRIER,
                                                    .regions = REGION_GLOBAL | REGION_LOCAL};
    char name[LITMUS_NAME];
    uint8_t into;

    if (reader_takes(reader, "if")) {
        read_branch(reader);
    } else if (reader_takes(reader, "barrier")) {
        operation_add(reader, &barrier);
    } else if (!is_register(reader->token.text)) {
        read_store(reader);
    } else if (reader_name(reader, name, sizeof name, "a register")) {
        into = reader_add_register(reader, name);
        if (reader_expect(reader, "="))
            read_result(reader, into);
    }
}

/* ---- The whole ---- */

/* "local z", "x = 5": before the threads. */
static void read_declaration(struct reader *reader)
{
    bool is_local = reader_takes(reader, "local");
    uint8_t number = 0;
    int value = 0;

    if (!read_variable(reader, &number))
        return;
    reader->variables[number].is_local = is_local;
    if (reader_takes(reader, "=") && reader_number(reader, 0, READER_VALUE_MAX, &value))
        reader->variables[number].initial = (uint8_t)value;
    end_line(reader);
}

static void read_thread(struct reader *reader)
{
    int group = reader->thread;

    if (reader->thread == LITMUS_THREADS) {
        reader_refuse(reader, "a test has up to %d threads", LITMUS_THREADS);
        return;
    }
    reader->count = reader->hidden = reader->depth = 0;
    if (reader_takes(reader, "group"))
        reader_number(reader, 0, LITMUS_THREADS - 1, &group);
    reader->file->litmus.l1s[reader->thread] = (uint8_t)group;
    end_line(reader);
    read_lines(reader);
    if (reader->count == 0)
        reader_refuse(reader, "thread %u does nothing", reader->thread);
    reader->thread++;
}

void reader_plain(struct reader *reader)
{
    reader->file->litmus.shares_l1s = true;
    reader->ends_lines = true;
    reader_expect(reader, "program");
    reader_name(reader, reader->file->name, LITMUS_NAME, "the program");
    end_line(reader);
    skip_empty_lines(reader);
    while (!reader->has_failed && !reader_sees(reader, "thread")) {
        read_declaration(reader);
        skip_empty_lines(reader);
    }
    while (reader_takes(reader, "thread"))
        read_thread(reader);
    reader->ends_lines = false;
}
