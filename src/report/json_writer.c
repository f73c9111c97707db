/* SPDX-License-Identifier: MIT */
#include "report/json_writer.h"

#include <stdio.h>
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

static void add_char(struct text *text, char c)
{
    text_add_bytes(text, &c, 1);
}

static void add_string(struct text *text, const char *string)
{
    text_add_bytes(text, string, strlen(string));
}

/* Characters at the start of `string` that stand for themselves. */
static size_t plain_length(const char *string)
{
    size_t length = 0;

    while (string[length] >= 0x20 && string[length] < 0x7f && string[length] != '"' &&
           string[length] != '\\')
        length++;
    return length;
}

/* Command lines and paths are bytes; what is no UTF-8 becomes U+FFFD. */
static void write_string(struct text *text, const char *string)
{
    add_char(text, '"');
    for (;;) {
        size_t plain = plain_length(string);
        unsigned length;

        text_add_bytes(text, string, plain);
        string += plain;
        if (*string == '\0')
            break;
        length = utf8_length((const unsigned char *)string);
        if (*string == '"' || *string == '\\')
            text_add(text, "\\%c", *string);
        else if ((unsigned char)*string < 0x20)
            text_add(text, "\\u%04x", *string);
        else if (length == 0)
            add_string(text, "\\ufffd");
        else
            text_add_bytes(text, string, length);
        string += length == 0 ? 1 : length;
    }
    add_char(text, '"');
}

static void new_line(struct json_writer *writer)
{
    static const char blanks[JSON_MAX_DEPTH + 1] = "\n       ";

    text_add_bytes(writer->text, blanks, 1 + writer->depth);
}

static bool is_compact(const struct json_writer *writer)
{
    return writer->compact != 0 && writer->depth >= writer->compact;
}

/* What stands between this value and the one before. */
static void value_separate(struct json_writer *writer)
{
    if (writer->depth == 0)
        return;
    if (writer->has_members[writer->depth])
        add_string(writer->text, is_compact(writer) ? ", " : ",");
    if (!is_compact(writer))
        new_line(writer);
    writer->has_members[writer->depth] = true;
}

static void begin_value(struct json_writer *writer, const char *key)
{
    if (writer->has_key) {
        check(key == NULL, "a JSON value with two keys");
        writer->has_key = false;
        return;
    }
    value_separate(writer);
    if (key == NULL)
        return;
    write_string(writer->text, key);
    add_string(writer->text, ": ");
}

void json_key(struct json_writer *writer, const char *place, const char *name)
{
    value_separate(writer);
    add_char(writer->text, '"');
    add_string(writer->text, place);
    add_char(writer->text, '.');
    add_string(writer->text, name);
    add_string(writer->text, "\": ");
    writer->has_key = true;
}

void json_open(struct json_writer *writer, const char *key, char bracket)
{
    begin_value(writer, key);
    add_char(writer->text, bracket);
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
    add_char(writer->text, bracket);
    if (writer->depth == 0)
        add_char(writer->text, '\n');
}

void json_text(struct json_writer *writer, const char *key, const char *text)
{
    if (text == NULL) {
        json_null(writer, key);
        return;
    }
    begin_value(writer, key);
    write_string(writer->text, text);
}

void json_number(struct json_writer *writer, const char *key, uint64_t number)
{
    char digits[20];
    unsigned at = sizeof digits;

    begin_value(writer, key);
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    text_add_bytes(writer->text, digits + at, sizeof digits - at);
}

void json_real(struct json_writer *writer, const char *key, double number)
{
    char digits[40];

    begin_value(writer, key);
    snprintf(digits, sizeof digits, "%.12g", number);
    add_string(writer->text, digits);
    /* A real stays a real in each reader. */
    if (strpbrk(digits, ".en") == NULL)
        add_string(writer->text, ".0");
}

void json_null(struct json_writer *writer, const char *key)
{
    begin_value(writer, key);
    add_string(writer->text, "null");
}

void json_hash(struct json_writer *writer, const char *key, const uint64_t hash[2])
{
    char text[2 * 16 + 1];

    snprintf(text, sizeof text, "%016llx%016llx", (unsigned long long)hash[0],
             (unsigned long long)hash[1]);
    json_text(writer, key, text);
}
