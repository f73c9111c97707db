/* SPDX-License-Identifier: MIT */
/*
 * Traces: "kernel group wavefront sequence pc disassembly ; registers [@cycle]". The cycle is not
 * compared: two models, or two machines, differ in it everywhere. A wavefront's lines may be out of
 * order, and those of several wavefronts are mixed. The second launch of a kernel has the same
 * names as the first. So each line gets the number of lines before it with the same first four
 * words (its launch). Then the lines are sorted by kernel, launch, group, wavefront, sequence.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/diff.h"

struct trace_line {
    const char *text; /* in the file; ends at `length` */
    size_t length;
    size_t number; /* in the file, from 1 */
    const char *kernel;
    size_t kernel_length;
    uint64_t group[3]; /* most significant first: z, y, x */
    uint64_t wavefront, sequence;
    uint64_t launch;
};

struct trace_lines {
    struct trace_line *lines;
    size_t count;
};

enum { CONTEXT_LINES = 3 };

static bool read_number(const char **at, char end, uint64_t *value)
{
    char *after;

    if (**at < '0' || **at > '9')
        return false;
    *value = strtoull(*at, &after, 10);
    *at = after + 1;
    return *after == end;
}

/* Kernel names have no blanks. */
static bool parse_line(struct trace_line *line)
{
    const char *blank = memchr(line->text, ' ', line->length);
    const char *at = blank != NULL ? blank + 1 : NULL;

    if (blank == NULL || blank == line->text)
        return false;
    line->kernel = line->text;
    line->kernel_length = (size_t)(blank - line->text);
    return read_number(&at, ':', &line->group[2]) && read_number(&at, ':', &line->group[1]) &&
           read_number(&at, ' ', &line->group[0]) && read_number(&at, ' ', &line->wavefront) &&
           read_number(&at, ' ', &line->sequence);
}

bool diff_is_trace(const struct diff_file *file)
{
    const char *end = memchr(file->bytes, '\n', file->count);
    struct trace_line line = {.text = file->bytes,
                              .length = end != NULL ? (size_t)(end - file->bytes) : file->count};

    return parse_line(&line);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_kernels(const struct trace_line *a, const struct trace_line *b)
{
    size_t shorter = a->kernel_length < b->kernel_length ? a->kernel_length : b->kernel_length;
    int order = memcmp(a->kernel, b->kernel, shorter);

    return order != 0 ? order : compare_numbers(a->kernel_length, b->kernel_length);
}

static int compare_wavefronts(const struct trace_line *a, const struct trace_line *b)
{
    int order = 0;

    for (unsigned axis = 0; axis < 3 && order == 0; axis++)
        order = compare_numbers(a->group[axis], b->group[axis]);
    return order != 0 ? order : compare_numbers(a->wavefront, b->wavefront);
}

/* Lines of the same instruction number stand together, in the order of the file. */
static int by_instruction(const void *left, const void *right)
{
    const struct trace_line *a = left, *b = right;
    int order = compare_kernels(a, b);

    if (order == 0)
        order = compare_wavefronts(a, b);
    if (order == 0)
        order = compare_numbers(a->sequence, b->sequence);
    return order != 0 ? order : compare_numbers(a->number, b->number);
}

static int compare_places(const struct trace_line *a, const struct trace_line *b)
{
    int order = compare_kernels(a, b);

    if (order == 0)
        order = compare_numbers(a->launch, b->launch);
    if (order == 0)
        order = compare_wavefronts(a, b);
    return order != 0 ? order : compare_numbers(a->sequence, b->sequence);
}

static int by_place(const void *left, const void *right)
{
    return compare_places(left, right);
}

static void number_launches(struct trace_lines *lines)
{
    for (size_t i = 1; i < lines->count; i++) {
        const struct trace_line *before = &lines->lines[i - 1];
        struct trace_line *line = &lines->lines[i];

        if (compare_kernels(before, line) == 0 && compare_wavefronts(before, line) == 0 &&
            before->sequence == line->sequence)
            line->launch = before->launch + 1;
    }
}

static bool add_line(struct trace_lines *lines, size_t *capacity, const char *text, size_t length,
                     size_t number)
{
    struct trace_line *line;

    if (lines->count == *capacity) {
        *capacity = *capacity * 2 + 1024;
        lines->lines = reallocate(lines->lines, *capacity, sizeof *lines->lines);
    }
    line = &lines->lines[lines->count++];
    memset(line, 0, sizeof *line);
    line->text = text;
    line->length = length;
    line->number = number;
    return parse_line(line);
}

static bool read_lines(const struct diff_file *file, struct trace_lines *lines,
                       struct diagnosis *diagnosis)
{
    const char *at = file->bytes, *end = file->bytes + file->count;
    size_t capacity = 0;

    memset(lines, 0, sizeof *lines);
    for (size_t number = 1; at < end; number++) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((line_end != NULL ? line_end : end) - at);

        if (length > 0 && !add_line(lines, &capacity, at, length, number)) {
            diagnose(diagnosis, "this is no line of an instruction trace: %.*s",
                     length < 80 ? (int)length : 80, at);
            return diagnose_at(diagnosis, file->path, (int)number);
        }
        at += length + 1;
    }
    if (lines->count == 0)
        return true;
    qsort(lines->lines, lines->count, sizeof *lines->lines, by_instruction);
    number_launches(lines);
    qsort(lines->lines, lines->count, sizeof *lines->lines, by_place);
    return true;
}

/* Without " @CYCLE" at the end. */
static size_t compared_length(const struct trace_line *line)
{
    size_t length = line->length;

    while (length > 0 && line->text[length - 1] >= '0' && line->text[length - 1] <= '9')
        length--;
    return length < line->length && length >= 2 && line->text[length - 1] == '@' &&
                   line->text[length - 2] == ' '
               ? length - 2
               : line->length;
}

static bool are_same(const struct trace_line *a, const struct trace_line *b)
{
    size_t length = compared_length(a);

    return length == compared_length(b) && memcmp(a->text, b->text, length) == 0;
}

static void print_line(char mark, const struct diff_file *file, const struct trace_line *line)
{
    if (mark == ' ')
        printf("    %.*s\n", (int)line->length, line->text);
    else
        printf("  %c %.*s\n", mark, (int)line->length, line->text);
    if (mark != ' ')
        printf("      (%s, line %zu)\n", file->path, line->number);
}

/* The wavefront's instructions before the one that differs. */
static void print_context(const struct diff_file *file, const struct trace_lines *lines,
                          size_t index)
{
    size_t first = index > CONTEXT_LINES ? index - CONTEXT_LINES : 0;

    for (size_t i = first; i < index; i++)
        if (compare_kernels(&lines->lines[i], &lines->lines[index]) == 0 &&
            compare_wavefronts(&lines->lines[i], &lines->lines[index]) == 0 &&
            lines->lines[i].launch == lines->lines[index].launch)
            print_line(' ', file, &lines->lines[i]);
}

static void print_place(const struct trace_line *line)
{
    printf("first difference: %.*s", (int)line->kernel_length, line->kernel);
    if (line->launch > 0)
        printf(" (launch %llu of it)", (unsigned long long)line->launch + 1);
    printf(", group %llu:%llu:%llu, wavefront %llu, instruction %llu\n",
           (unsigned long long)line->group[2], (unsigned long long)line->group[1],
           (unsigned long long)line->group[0], (unsigned long long)line->wavefront,
           (unsigned long long)line->sequence);
}

static enum diff_outcome traces_compare(const struct diff_file files[2],
                                        const struct trace_lines lines[2])
{
    size_t i = 0;
    const struct trace_line *a, *b;
    int order;

    while (i < lines[0].count && i < lines[1].count &&
           are_same(&lines[0].lines[i], &lines[1].lines[i]))
        i++;
    if (i == lines[0].count && i == lines[1].count)
        return DIFF_SAME;
    a = i < lines[0].count ? &lines[0].lines[i] : NULL;
    b = i < lines[1].count ? &lines[1].lines[i] : NULL;
    order = a == NULL ? 1 : b == NULL ? -1 : compare_places(a, b);
    print_place(order <= 0 ? a : b);
    print_context(&files[order <= 0 ? 0 : 1], &lines[order <= 0 ? 0 : 1], i);
    if (order <= 0)
        print_line('-', &files[0], a);
    else
        printf("  - (not in %s)\n", files[0].path);
    if (order >= 0)
        print_line('+', &files[1], b);
    else
        printf("  + (not in %s)\n", files[1].path);
    return DIFF_DIFFERENT;
}

enum diff_outcome diff_traces(const struct diff_file files[2], struct diagnosis *diagnosis)
{
    struct trace_lines lines[2] = {{0}, {0}};
    enum diff_outcome outcome = DIFF_FAILED;

    if (read_lines(&files[0], &lines[0], diagnosis) && read_lines(&files[1], &lines[1], diagnosis))
        outcome = traces_compare(files, lines);
    free(lines[0].lines);
    free(lines[1].lines);
    return outcome;
}
