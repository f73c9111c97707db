/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "backend/literals.h"
#include "base/bits.h"

static const uint32_t move_mask = 0xff80ffff, move_bits = 0xbe8004ff;
static const char move_name[] = "\ts_mov_b64 ";

bool literals_are_too_wide(uint64_t bits)
{
    static const double inlined[] = {0.5, 1, 2, 4};
    static const uint64_t sign = UINT64_C(1) << 63;

    for (unsigned i = 0; i < ARRAY_COUNT(inlined); i++) {
        uint64_t magnitude;

        memcpy(&magnitude, &inlined[i], sizeof magnitude);
        if ((bits & ~sign) == magnitude)
            return false;
    }
    return bits >> 32 != 0 && bits < (uint64_t)-16;
}

/* The literal of the next s_mov_b64, or of data that looks like one; `at` moves past. */
static bool next_in_object(const unsigned char *object, size_t byte_count, size_t *at,
                           uint32_t *literal)
{
    while (*at + 2 * sizeof(uint32_t) <= byte_count) {
        uint32_t word;

        memcpy(&word, object + *at, sizeof word);
        memcpy(literal, object + *at + sizeof word, sizeof word);
        *at += sizeof word;
        if ((word & move_mask) == move_bits)
            return true;
    }
    return false;
}

bool literals_may_be_in(const void *object, size_t byte_count)
{
    size_t at = 0;
    uint32_t literal;

    return next_in_object(object, byte_count, &at, &literal);
}

/* LLVM's own labels of blocks begin with a dot. */
static bool is_function_label(const char *line, size_t length)
{
    return length > 1 && line[0] != '\t' && line[0] != '.' && line[0] != ';' &&
           memchr(line, ':', length) != NULL;
}

/* Reads lines up to the next s_mov_b64; `found` keeps the label that was passed last. */
static bool next_in_assembly(const char **line, struct lost_literal *found)
{
    while (**line != '\0') {
        const char *start = *line;
        size_t length = strcspn(start, "\n");

        *line += length + (start[length] == '\n');
        if (is_function_label(start, length)) {
            found->label = start;
            found->label_length = strcspn(start, ":");
        }
        if (strncmp(start, move_name, sizeof move_name - 1) == 0) {
            const char *comma = memchr(start, ',', length);

            /* A register gives 0, a fraction what is before its point. */
            found->bits = comma != NULL ? strtoull(comma + 1, NULL, 0) : 0;
            return true;
        }
    }
    return false;
}

bool literals_find_lost(const char *assembly, struct lost_literal *lost)
{
    *lost = (struct lost_literal){.label = assembly};
    while (next_in_assembly(&assembly, lost)) {
        if (literals_are_too_wide(lost->bits))
            return true;
    }
    return false;
}

static bool is_in_assembly(const char *assembly, uint64_t literal)
{
    struct lost_literal found = {.label = assembly};

    while (next_in_assembly(&assembly, &found)) {
        if (found.bits == literal)
            return true;
    }
    return false;
}

bool literals_are_all_in(const char *assembly, const void *object, size_t byte_count)
{
    size_t at = 0;
    uint32_t literal;

    while (next_in_object(object, byte_count, &at, &literal)) {
        if (!is_in_assembly(assembly, literal))
            return false;
    }
    return true;
}
