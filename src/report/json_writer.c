/* SPDX-License-Identifier: MIT */
#include "report/json_writer.h"

#include <inttypes.h>
#include <string.h>

#include "base/check.h"

/* How many bytes the well-formed UTF-8 character at `text` has; 0: it is none. */
static unsigned utf8_length(const unsigned char *text)
{
    unsigned length = text[0] < 0x80                       ? 1
                      : text[0] >= 0xc2 && text[0] < 0xe0  ? 2
                      : text[0] >= 0xe0 && text[0] < 0xf0  ? 3
                      : text[0] >= 0xf0 && text[0] <= 0xf4 ? 4
                                                           : 0;

    for (unsigned i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
        (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f))
        return 0;
    return length;
}

/* Command lines and paths are bytes; what is no UTF-8 becomes U+FFFD. */
static void write_string(FILE *stream, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    fputc('"', stream);
    while (*at != '\0') {
        unsigned length = utf8_length(at);

        if (*at == '"' || *at == '\\')
            fprintf(stream, "\\%c", *at);
        else if (*at < 0x20)
            fprintf(stream, "\\u%04x", *at);
        else if (length == 0)
            fputs("\\ufffd", stream);
        else
            fwrite(at, 1, length, stream);
        at += length == 0 ? 1 : length;
    }
    fputc('"', stream);
}

static void new_line(struct json_writer *writer)
{
    fputc('\n', writer->stream);
    for (unsigned i = 0; i < writer->depth; i++)
        fputc(' ', writer->stream);
}

static bool is_compact(const struct json_writer *writer)
{
    return writer->compact != 0 && writer->depth >= writer->compact;
}

static void begin_value(struct json_writer *writer, const char *key)
{
    if (writer->depth > 0) {
        if (writer->has_members[writer->depth])
            fputs(is_compact(writer) ? ", " : ",", writer->stream);
        if (!is_compact(writer))
            new_line(writer);
        writer->has_members[writer->depth] = true;
    }
    if (key != NULL) {
        write_string(writer->stream, key);
        fputs(": ", writer->stream);
    }
}

void json_open(struct json_writer *writer, const char *key, char bracket)
{
    begin_value(writer, key);
    fputc(bracket, writer->stream);
    writer->depth++;
    check(writer->depth < JSON_MAX_DEPTH, "JSON nested too deeply");
    writer->has_members[writer->depth] = false;
}

void json_open_compact(struct json_writer *writer, const char *key, char bracket)
{
    json_open(writer, key, bracket);
    if (writer->compact == 0)
        writer->compact = writer->depth;
}

void json_close(struct json_writer *writer, char bracket)
{
    bool was_compact = is_compact(writer);
    bool had_members = writer->has_members[writer->depth];

    check(writer->depth > 0, "JSON closed once too often");
    if (writer->compact == writer->depth)
        writer->compact = 0;
    writer->depth--;
    if (had_members && !was_compact)
        new_line(writer);
    fputc(bracket, writer->stream);
    if (writer->depth == 0)
        fputc('\n', writer->stream);
}

void json_text(struct json_writer *writer, const char *key, const char *text)
{
    if (text == NULL) {
        json_null(writer, key);
        return;
    }
    begin_value(writer, key);
    write_string(writer->stream, text);
}

void json_number(struct json_writer *writer, const char *key, uint64_t number)
{
    begin_value(writer, key);
    fprintf(writer->stream, "%" PRIu64, number);
}

void json_real(struct json_writer *writer, const char *key, double number)
{
    char digits[40];

    begin_value(writer, key);
    snprintf(digits, sizeof digits, "%.12g", number);
    fputs(digits, writer->stream);
    /* A real stays a real in each reader. */
    if (strpbrk(digits, ".en") == NULL)
        fputs(".0", writer->stream);
}

void json_null(struct json_writer *writer, const char *key)
{
    begin_value(writer, key);
    fputs("null", writer->stream);
}
