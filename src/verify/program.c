/* SPDX-License-Identifier: MIT */
#include "verify/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

static const char *const names[OPERATION_KINDS] = {
#define OPERATION_NAME(name, text) text,
    PROGRAM_OPERATIONS(OPERATION_NAME)
#undef OPERATION_NAME
};

void program_finish(struct program *program)
{
    free(program->operations);
    memset(program, 0, sizeof *program);
}

void program_add(struct program *program, const struct operation *operation)
{
    if (program->count == program->capacity) {
        program->capacity = program->capacity * 2 + 64;
        program->operations =
            reallocate(program->operations, program->capacity, sizeof *program->operations);
    }
    program->operations[program->count++] = *operation;
}

void program_copy(struct program *to, const struct program *from)
{
    *to = *from;
    to->capacity = from->count;
    to->operations = allocate(from->count + 1, sizeof *to->operations);
    if (from->count > 0)
        memcpy(to->operations, from->operations, from->count * sizeof *to->operations);
}

/* ---- Text ----
 * "# " begins a comment. The head names the machine; then a line for each operation:
 *     KIND node N line L mask HEX glc G slc S returns R scope S order O steps N
 *     host offset N count N */

static void print_shape(const char *name, const struct controller_shape *shape, struct text *text)
{
    text_add(text, "%s sets %u ways %u mshrs %u waiting %u walk %u splits %u\n", name, shape->sets,
             shape->ways, shape->mshr_entries, shape->waiting_entries, shape->walk_lines,
             shape->splits);
}

static void print_operation(const struct operation *operation, struct text *text)
{
    text_add(text, "%s", names[operation->kind]);
    if (operation->kind == OPERATION_HOST)
        text_add(text, " offset %u count %u", operation->offset, operation->count);
    if (operation->kind <= OPERATION_RELEASE)
        text_add(text, " node %u", operation->node);
    if (operation->kind <= OPERATION_ADD)
        text_add(text, " line %u mask 0x%llx", operation->offset / LINE_BYTES,
                 (unsigned long long)operation->mask);
    if (operation->kind <= OPERATION_ADD) {
        if (operation->glc)
            text_add(text, " glc 1");
        if (operation->slc)
            text_add(text, " slc 1");
        if (operation->returns)
            text_add(text, " returns 1");
    }
    if (operation->kind <= OPERATION_RELEASE) {
        if (operation->scope != 0)
            text_add(text, " scope %u", operation->scope);
        if (operation->order != 0)
            text_add(text, " order %u", operation->order);
    }
    text_add(text, " steps %u\n", operation->steps);
}

void program_print(const struct program *program, const char *protocol, struct text *text)
{
    text_add(text, "protocol %s\n", protocol);
    text_add(text, "machine nodes %u scalars %u instructions %u slices %u words %u schedule %llu\n",
             program->nodes, program->scalars, program->instructions, program->slices,
             program->words, (unsigned long long)program->schedule);
    print_shape("l1", &program->l1, text);
    print_shape("l2", &program->l2, text);
    for (uint32_t i = 0; i < program->count; i++)
        print_operation(&program->operations[i], text);
}

/* ---- Reading ---- */

/* The number after the key in the line of words; 0 where the key is not there. */
static uint64_t value_of(const char *line, const char *key)
{
    size_t length = strlen(key);

    for (const char *at = strstr(line, key); at != NULL; at = strstr(at + 1, key))
        if (at > line && at[-1] == ' ' && at[length] == ' ')
            return strtoull(at + length + 1, NULL, 0);
    return 0;
}

static void read_shape(struct controller_shape *shape, const char *line)
{
    *shape = (struct controller_shape){.sets = (uint32_t)value_of(line, "sets"),
                                       .ways = (uint32_t)value_of(line, "ways"),
                                       .mshr_entries = (uint32_t)value_of(line, "mshrs"),
                                       .waiting_entries = (uint32_t)value_of(line, "waiting"),
                                       .walk_lines = (uint32_t)value_of(line, "walk"),
                                       .splits = value_of(line, "splits") != 0};
}

static bool read_operation(struct program *program, const char *line)
{
    struct operation operation = {.node = (uint8_t)value_of(line, "node"),
                                  .glc = value_of(line, "glc") != 0,
                                  .slc = value_of(line, "slc") != 0,
                                  .returns = value_of(line, "returns") != 0,
                                  .scope = (uint8_t)value_of(line, "scope"),
                                  .order = (uint8_t)value_of(line, "order"),
                                  .steps = (uint8_t)value_of(line, "steps"),
                                  .offset = (uint32_t)value_of(line, "line") * LINE_BYTES,
                                  .count = (uint32_t)value_of(line, "count"),
                                  .mask = value_of(line, "mask")};
    size_t length = strcspn(line, " \n");

    while (operation.kind < OPERATION_KINDS && (strlen(names[operation.kind]) != length ||
                                                strncmp(names[operation.kind], line, length) != 0))
        operation.kind++;
    if (operation.kind == OPERATION_KINDS)
        return false;
    if (operation.kind == OPERATION_HOST)
        operation.offset = (uint32_t)value_of(line, "offset");
    if (operation.node >= program->nodes ||
        operation.offset + (uint64_t)operation.count > program->words * 4 ||
        (operation.kind <= OPERATION_ADD && operation.offset >= program->words * 4))
        return false;
    program_add(program, &operation);
    return true;
}

static bool read_line(struct program *program, const char *line, char protocol[32])
{
    if (line[0] == '#' || line[0] == '\n')
        return true;
    if (strncmp(line, "protocol ", 9) == 0)
        return snprintf(protocol, 32, "%.*s", (int)strcspn(line + 9, "\n"), line + 9) < 32;
    if (strncmp(line, "machine ", 8) == 0) {
        program->nodes = (uint32_t)value_of(line, "nodes");
        program->scalars = (uint32_t)value_of(line, "scalars");
        program->instructions = (uint32_t)value_of(line, "instructions");
        program->slices = (uint32_t)value_of(line, "slices");
        program->words = (uint32_t)value_of(line, "words");
        program->schedule = value_of(line, "schedule");
        return program->nodes > program->scalars && program->scalars >= program->instructions &&
               program->nodes <= 8 && program->slices >= 1 && program->slices <= 8 &&
               program->words >= 64 && program->words <= 16384;
    }
    if (strncmp(line, "l1 ", 3) == 0 || strncmp(line, "l2 ", 3) == 0) {
        struct controller_shape *shape = line[1] == '1' ? &program->l1 : &program->l2;

        read_shape(shape, line);
        return shape->sets > 0 && shape->ways > 0 && shape->ways <= 64 && shape->mshr_entries > 0 &&
               shape->waiting_entries > 0;
    }
    return read_operation(program, line);
}

bool program_read(struct program *program, const char *path, char protocol[32],
                  struct diagnosis *diagnosis)
{
    FILE *stream = fopen(path, "r");
    bool is_good = true;
    char line[512];
    int number = 0;

    memset(program, 0, sizeof *program);
    protocol[0] = '\0';
    if (stream == NULL)
        return diagnose(diagnosis, "cannot read %s: %s", path, strerror(errno));
    while (is_good && fgets(line, sizeof line, stream) != NULL) {
        number++;
        if (!read_line(program, line, protocol)) {
            diagnose(diagnosis, "no line of a program: %.*s", (int)strcspn(line, "\n"), line);
            is_good = diagnose_at(diagnosis, path, number);
        }
    }
    fclose(stream);
    if (is_good && (program->l1.sets == 0 || program->l2.sets == 0 || program->nodes == 0))
        is_good = diagnose(diagnosis, "%s lacks the lines 'machine', 'l1' or 'l2'", path);
    if (!is_good)
        program_finish(program);
    return is_good;
}
