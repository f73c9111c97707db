/* SPDX-License-Identifier: MIT */
#include "opencl/print_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

enum { WIDTH_MAX = 4095, ROOM_BYTES = 10000 };

static const char specifiers[] = "cdieEfFgGaAosuxXp";

struct conversion {
    char flags[6];
    int width, precision; /* -1: not said */
    unsigned elements;    /* 0: no vector */
    unsigned bytes;       /* of an element, as the length says; 0: not said */
    char specifier;
};

/* Arguments not yet taken. */
struct arguments {
    const struct program_format *format;
    const unsigned char *bytes;
    size_t count;
    uint32_t next;
    const struct print_memory *memory;
};

struct value {
    const unsigned char *bytes; /* NULL: there is none */
    uint32_t count;
};

/* ---- Reading a conversion ---- */

static const char *read_flags(const char *at, char flags[6])
{
    unsigned count = 0;

    for (; *at != '\0' && strchr("-+ #0", *at) != NULL; at++)
        if (strchr(flags, *at) == NULL)
            flags[count++] = *at;
    return at;
}

static const char *read_number(const char *at, int *number)
{
    *number = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        if (*number < WIDTH_MAX)
            *number = *number * 10 + (*at - '0');
    if (*number > WIDTH_MAX)
        *number = WIDTH_MAX;
    return at;
}

/* NULL: a number of elements that no vector has. */
static const char *read_vector(const char *at, unsigned *elements)
{
    int number;

    if (*at != 'v')
        return at;
    at = read_number(at + 1, &number);
    *elements = (unsigned)number;
    return number == 2 || number == 3 || number == 4 || number == 8 || number == 16 ? at : NULL;
}

static const char *read_length(const char *at, unsigned *bytes)
{
    static const struct {
        const char *name;
        unsigned bytes;
    } lengths[] = {{"hh", 1}, {"hl", 4}, {"h", 2}, {"ll", 8}, {"l", 8}};

    for (unsigned i = 0; i < ARRAY_COUNT(lengths); i++) {
        size_t length = strlen(lengths[i].name);

        if (strncmp(at, lengths[i].name, length) == 0) {
            *bytes = lengths[i].bytes;
            return at + length;
        }
    }
    return at;
}

/* What follows a percent sign. Returns what follows that; NULL: it is no conversion. */
static const char *read_conversion(const char *at, struct conversion *conversion)
{
    memset(conversion, 0, sizeof *conversion);
    conversion->width = conversion->precision = -1;
    at = read_flags(at, conversion->flags);
    if (*at >= '0' && *at <= '9')
        at = read_number(at, &conversion->width);
    if (*at == '.')
        at = read_number(at + 1, &conversion->precision);
    at = read_vector(at, &conversion->elements);
    if (at == NULL)
        return NULL;
    at = read_length(at, &conversion->bytes);
    conversion->specifier = *at;
    if (*at == '\0' || strchr(specifiers, *at) == NULL)
        return NULL;
    if (conversion->elements > 0 && strchr("csp", *at) != NULL)
        return NULL;
    return at + 1;
}

/* ---- Arguments ---- */

static struct value take_argument(struct arguments *arguments)
{
    const struct program_format *format = arguments->format;
    struct value value = {NULL, 0};
    uint32_t bytes;

    if (arguments->next >= format->argument_count)
        return value;
    bytes = format->argument_bytes[arguments->next++];
    if (bytes <= arguments->count) {
        value.bytes = arguments->bytes;
        value.count = bytes;
        bytes = (uint32_t)align_up(bytes, 4);
        arguments->bytes += bytes;
        arguments->count -= bytes < arguments->count ? bytes : arguments->count;
    } else {
        arguments->count = 0; /* the record ends here, whatever the format says */
    }
    return value;
}

/* The low bytes, extended to 64 bits. */
static uint64_t integer_of(const unsigned char *bytes, unsigned count, bool is_signed)
{
    unsigned unused_bits = 8 * (8 - (count < 8 ? count : 8));
    uint64_t value = 0;

    memcpy(&value, bytes, count < 8 ? count : 8);
    if (unused_bits == 64)
        return 0;
    value <<= unused_bits;
    return is_signed ? (uint64_t)((int64_t)value >> unused_bits) : value >> unused_bits;
}

static double real_of(const unsigned char *bytes, unsigned count)
{
    double wide = 0;
    float narrow = 0;

    if (count >= sizeof wide) {
        memcpy(&wide, bytes, sizeof wide);
        return wide;
    }
    memcpy(&narrow, bytes, count < sizeof narrow ? count : sizeof narrow);
    return narrow;
}

/* ---- Printing ---- */

/* The conversion in C's words, with room for `length` before its letter. */
static void make_specification(char specification[40], const struct conversion *conversion,
                               const char *length)
{
    char width[12] = "", precision[12] = "";

    if (conversion->width >= 0)
        snprintf(width, sizeof width, "%d", conversion->width);
    if (conversion->precision >= 0)
        snprintf(precision, sizeof precision, ".%d", conversion->precision);
    snprintf(specification, 40, "%%%s%s%s%s%c", conversion->flags, width, precision, length,
             conversion->specifier);
}

static bool is_real(char specifier)
{
    return strchr("fFeEgGaA", specifier) != NULL;
}

static void print_element(struct text *text, const struct conversion *conversion,
                          const unsigned char *bytes, unsigned count)
{
    bool is_signed = conversion->specifier == 'd' || conversion->specifier == 'i';
    char specification[40], room[ROOM_BYTES];
    int length;

    if (is_real(conversion->specifier)) {
        make_specification(specification, conversion, "");
        length = snprintf(room, sizeof room, specification, real_of(bytes, count));
    } else {
        if (conversion->bytes > 0 && conversion->bytes < count)
            count = conversion->bytes;
        make_specification(specification, conversion, "ll");
        length = snprintf(room, sizeof room, specification,
                          (unsigned long long)integer_of(bytes, count, is_signed));
    }
    text_add_bytes(text, room, (size_t)length);
}

static void print_vector(struct text *text, const struct conversion *conversion, struct value value)
{
    unsigned slots = conversion->elements == 3 ? 4 : conversion->elements;
    unsigned count = value.count / slots;

    for (unsigned i = 0; i < conversion->elements; i++) {
        if (i > 0)
            text_add(text, ",");
        print_element(text, conversion, value.bytes + (size_t)i * count, count);
    }
}

static void print_string(struct text *text, const struct conversion *conversion, struct value value,
                         const struct print_memory *memory)
{
    uint64_t address = integer_of(value.bytes, value.count, false);
    char specification[40], *padded;
    struct text string = {0};

    if (value.count == sizeof address && address == 0)
        text_add(&string, "(null)");
    else if (value.count != sizeof address ||
             !memory->read_string(memory->context, address, &string))
        text_add(&string, "???");
    make_specification(specification, conversion, "");
    if (asprintf(&padded, specification, text_chars(&string)) >= 0) {
        text_add_bytes(text, padded, strlen(padded));
        free(padded);
    }
    text_finish(&string);
}

static void print_value(struct text *text, const struct conversion *conversion, struct value value,
                        const struct print_memory *memory)
{
    char specification[40], room[ROOM_BYTES];
    uint64_t number;

    switch (conversion->specifier) {
    case 's':
        print_string(text, conversion, value, memory);
        return;
    case 'c':
        make_specification(specification, conversion, "");
        number = integer_of(value.bytes, value.count, false);
        text_add_bytes(text, room,
                       (size_t)snprintf(room, sizeof room, specification, (int)(number & 0xff)));
        return;
    case 'p':
        make_specification(specification, conversion, "");
        number = integer_of(value.bytes, value.count, false);
        text_add_bytes(text, room,
                       (size_t)snprintf(room, sizeof room, specification, (void *)number));
        return;
    default:
        break;
    }
    if (conversion->elements > 0)
        print_vector(text, conversion, value);
    else /* an int, unless its length says long */
        print_element(text, conversion, value.bytes,
                      is_real(conversion->specifier) || conversion->bytes == 8 || value.count < 4
                          ? value.count
                          : 4);
}

/* At a percent sign; returns what comes next. */
static const char *print_conversion(struct text *text, const char *at, struct arguments *arguments)
{
    struct conversion conversion;
    struct value value = {NULL, 0};
    const char *end;

    if (at[1] == '%') {
        text_add(text, "%%");
        return at + 2;
    }
    end = read_conversion(at + 1, &conversion);
    if (end != NULL)
        value = take_argument(arguments);
    if (value.bytes != NULL) {
        print_value(text, &conversion, value, arguments->memory);
        return end;
    }
    text_add(text, "%%");
    return at + 1;
}

static void print_text(struct text *text, const char *at, struct arguments *arguments)
{
    while (*at != '\0') {
        size_t plain = strcspn(at, "%");

        text_add_bytes(text, at, plain);
        at += plain;
        if (*at == '%')
            at = print_conversion(text, at, arguments);
    }
}

void print_format(struct text *text, const struct program_format *format,
                  const unsigned char *arguments, size_t count, const struct print_memory *memory)
{
    struct arguments rest = {
        .format = format, .bytes = arguments, .count = count, .memory = memory};
    struct text own = {0};
    struct value address;

    if (format->text != NULL) {
        print_text(text, format->text, &rest);
        return;
    }
    address = take_argument(&rest);
    if (address.count == 8 &&
        memory->read_string(memory->context, integer_of(address.bytes, 8, false), &own))
        print_text(text, text_chars(&own), &rest);
    text_finish(&own);
}
