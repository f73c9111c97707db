/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "verify/litmus_reader.h"

bool reader_refuse(struct reader *reader, const char *format, ...)
{
    char message[512];
    va_list arguments;

    if (reader->has_failed)
        return false;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    diagnose(reader->diagnosis, "%s", message);
    diagnose_at(reader->diagnosis, reader->path, reader->token.line);
    reader->has_failed = true;
    reader->token.kind = TOKEN_END;
    reader->token.text[0] = '\0';
    return false;
}

/* ---- Tokens ---- */

static bool starts_with(const struct reader *reader, const char *text)
{
    size_t length = strlen(text);

    return (size_t)(reader->end - reader->at) >= length && memcmp(reader->at, text, length) == 0;
}

/* To the end of a comment; false: it has none. */
static bool skip_comment(struct reader *reader)
{
    for (reader->at += 2; reader->at < reader->end; reader->at++) {
        if (starts_with(reader, "*/")) {
            reader->at += 2;
            return true;
        }
        reader->line += *reader->at == '\n';
    }
    return false;
}

/* Blanks and comments, and where lines count not the end of one. */
static void skip_blanks(struct reader *reader)
{
    while (reader->at < reader->end) {
        if (starts_with(reader, "//") || *reader->at == '#') {
            while (reader->at < reader->end && *reader->at != '\n')
                reader->at++;
        } else if (starts_with(reader, "/*")) {
            reader->token.line = reader->line;
            if (!skip_comment(reader))
                reader_refuse(reader, "a comment does not end");
        } else if (*reader->at == '\n' && reader->ends_lines) {
            return;
        } else if (strchr(" \t\r\n", *reader->at) != NULL && *reader->at != '\0') {
            reader->line += *reader->at++ == '\n';
        } else {
            return;
        }
    }
}

static void take_chars(struct reader *reader, size_t count, uint8_t kind)
{
    struct token *token = &reader->token;

    token->kind = kind;
    snprintf(token->text, sizeof token->text, "%.*s", (int)count, reader->at);
    reader->at += count;
}

static size_t count_word(const struct reader *reader)
{
    size_t count = 0;

    while (reader->at + count < reader->end &&
           (isalnum((unsigned char)reader->at[count]) || reader->at[count] == '_'))
        count++;
    return count;
}

static void take_number(struct reader *reader, size_t count)
{
    int number = 0;

    for (size_t i = 0; i < count; i++) {
        if (!isdigit((unsigned char)reader->at[i])) {
            reader_refuse(reader, "'%.*s' is no decimal number", (int)(count < 40 ? count : 40),
                          reader->at);
            return;
        }
        if (number <= READER_NUMBER_MAX)
            number = number * 10 + (reader->at[i] - '0');
    }
    take_chars(reader, count, TOKEN_NUMBER);
    reader->token.number = number;
}

static void take_symbol(struct reader *reader)
{
    static const char *const symbols[] = {"==",  "!=", "<=", ">=", "&&", "||", "/\\",
                                          "\\/", "=>", "++", "--", "+=", "-="};
    size_t length = 1;

    for (unsigned i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (starts_with(reader, symbols[i]))
            length = 2;
    if (!isprint((unsigned char)*reader->at) && *reader->at != '\n') {
        reader_refuse(reader, "a byte 0x%02x is no text", (unsigned char)*reader->at);
        return;
    }
    if (*reader->at == '\n') {
        reader->line++;
        take_chars(reader, 1, TOKEN_SYMBOL);
        snprintf(reader->token.text, sizeof reader->token.text, ";");
        return;
    }
    take_chars(reader, length, TOKEN_SYMBOL);
}

void reader_advance(struct reader *reader)
{
    size_t count;

    if (reader->has_failed)
        return;
    skip_blanks(reader);
    if (reader->has_failed)
        return;
    reader->token.line = reader->line;
    reader->token.kind = TOKEN_END;
    reader->token.text[0] = '\0';
    if (reader->at == reader->end)
        return;
    count = count_word(reader);
    if (count >= TOKEN_CHARS)
        reader_refuse(reader, "a word of %zu characters", count);
    else if (count > 0 && isdigit((unsigned char)*reader->at))
        take_number(reader, count);
    else if (count > 0)
        take_chars(reader, count, TOKEN_NAME);
    else
        take_symbol(reader);
}

bool reader_sees(const struct reader *reader, const char *text)
{
    return reader->token.kind != TOKEN_END && strcmp(reader->token.text, text) == 0;
}

bool reader_takes(struct reader *reader, const char *text)
{
    if (!reader_sees(reader, text))
        return false;
    reader_advance(reader);
    return true;
}

bool reader_expect(struct reader *reader, const char *text)
{
    if (reader_takes(reader, text))
        return true;
    if (reader->token.kind == TOKEN_END)
        return reader_refuse(reader, "the file ends where '%s' should be", text);
    return reader_refuse(reader, "'%s' where '%s' should be", reader->token.text, text);
}

bool reader_name(struct reader *reader, char *name, size_t size, const char *what)
{
    if (reader->token.kind != TOKEN_NAME)
        return reader_refuse(reader, "'%s' where the name of %s should be", reader->token.text,
                             what);
    if (strlen(reader->token.text) >= size)
        return reader_refuse(reader, "'%s': names have up to %zu characters", reader->token.text,
                             size - 1);
    snprintf(name, size, "%s", reader->token.text);
    reader_advance(reader);
    return true;
}

bool reader_number(struct reader *reader, int min, int max, int *number)
{
    bool is_negative = reader_takes(reader, "-");

    *number = is_negative ? -reader->token.number : reader->token.number;
    if (reader->token.kind != TOKEN_NUMBER)
        return reader_refuse(reader, "'%s' where a number should be", reader->token.text);
    if (*number < min || *number > max)
        return reader_refuse(reader, "%s%s: numbers here are from %d to %d", is_negative ? "-" : "",
                             reader->token.text, min, max);
    reader_advance(reader);
    return true;
}

bool reader_sink(struct reader *reader)
{
    if (reader->depth == READER_DEPTH)
        return reader_refuse(reader, "more than %d of these in each other", READER_DEPTH);
    reader->depth++;
    return true;
}

void reader_rise(struct reader *reader)
{
    reader->depth--;
}

/* ---- Variables and registers ---- */

struct variable *reader_variable(struct reader *reader, const char *name)
{
    for (uint32_t i = 0; i < reader->variable_count; i++)
        if (strcmp(reader->variables[i].name, name) == 0)
            return &reader->variables[i];
    return NULL;
}

struct variable *reader_add_variable(struct reader *reader, const char *name)
{
    struct variable *variable = reader_variable(reader, name);

    if (variable != NULL)
        return variable;
    if (reader->variable_count == READER_VARIABLES) {
        reader_refuse(reader, "'%s': a test has up to %d variables", name, READER_VARIABLES);
        return NULL;
    }
    variable = &reader->variables[reader->variable_count++];
    snprintf(variable->name, sizeof variable->name, "%s", name);
    return variable;
}

uint8_t reader_register(struct reader *reader, uint8_t thread, const char *name)
{
    for (uint8_t i = 0; i < reader->registers[thread]; i++)
        if (strcmp(reader->file->names.registers[thread][i], name) == 0)
            return (uint8_t)(i + 1);
    return 0;
}

uint8_t reader_add_register(struct reader *reader, const char *name)
{
    uint8_t thread = reader->thread, number = reader_register(reader, thread, name);

    if (number != 0)
        return number;
    if (reader->registers[thread] == LITMUS_REGISTERS) {
        reader_refuse(reader, "thread %u needs more than %d registers", thread, LITMUS_REGISTERS);
        return 0;
    }
    snprintf(reader->file->names.registers[thread][reader->registers[thread]], LITMUS_NAME, "%s",
             name);
    return ++reader->registers[thread];
}
