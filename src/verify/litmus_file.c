/* SPDX-License-Identifier: MIT */
#include "verify/litmus_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "verify/litmus_reader.h"

enum { FILE_BYTES_MAX = 1 << 16 };

/* ---- What memory holds first ---- */

static void read_first_value(struct reader *reader)
{
    struct variable *variable;
    char name[LITMUS_NAME];
    bool is_bracketed = reader_takes(reader, "[");
    int value = 0;

    if (!reader_name(reader, name, sizeof name, "a variable"))
        return;
    if (reader_sees(reader, ":")) {
        reader_refuse(reader, "registers begin as 0 here");
        return;
    }
    if ((is_bracketed && !reader_expect(reader, "]")) ||
        (reader_takes(reader, "=") && !reader_number(reader, 0, READER_VALUE_MAX, &value)))
        return;
    if (reader_variable(reader, name) != NULL) {
        reader_refuse(reader, "'%s' is there twice", name);
        return;
    }
    variable = reader_add_variable(reader, name);
    if (variable != NULL)
        variable->initial = (uint8_t)value;
}

static void read_first_values(struct reader *reader)
{
    reader_expect(reader, "{");
    while (!reader->has_failed && !reader_takes(reader, "}")) {
        read_first_value(reader);
        if (!reader_sees(reader, "}"))
            reader_expect(reader, ";");
    }
}

/* ---- Threads ---- */

struct declared {
    bool is_local, is_global, is_atomic;
};

/* False: no word of a type. */
static bool take_type_word(struct reader *reader, struct declared *declared)
{
    static const char *const plain[] = {"int", "uint", "unsigned", "volatile", "const"};

    if (reader_sees(reader, "local") || reader_sees(reader, "__local"))
        declared->is_local = true;
    else if (reader_sees(reader, "global") || reader_sees(reader, "__global"))
        declared->is_global = true;
    else if (reader_sees(reader, "atomic_int") || reader_sees(reader, "atomic_uint"))
        declared->is_atomic = true;
    else {
        unsigned i = 0;

        while (i < ARRAY_COUNT(plain) && !reader_sees(reader, plain[i]))
            i++;
        if (i == ARRAY_COUNT(plain))
            return false;
    }
    reader_advance(reader);
    return true;
}

/* One thread may see a variable as atomic and another not: it is what the first says. */
static void note_variable(struct reader *reader, const char *name, const struct declared *declared)
{
    struct variable *variable = reader_add_variable(reader, name);

    if (variable == NULL)
        return;
    if (variable->is_declared &&
        (variable->is_local != declared->is_local || variable->is_atomic != declared->is_atomic)) {
        reader_refuse(reader, "'%s' is declared otherwise by another thread", name);
        return;
    }
    variable->is_declared = true;
    variable->is_local = declared->is_local;
    variable->is_atomic = declared->is_atomic;
}

static void read_parameter(struct reader *reader)
{
    struct declared declared = {false, false, false};
    char name[LITMUS_NAME];
    uint32_t words = 0;

    while (take_type_word(reader, &declared))
        words++;
    if (words == 0) {
        reader_refuse(reader, "the type '%s' is not here", reader->token.text);
        return;
    }
    if (!reader_sees(reader, "*")) {
        reader_refuse(reader,
                      "'%s' where '*' should be: parameters are pointers to int, atomic "
                      "or not",
                      reader->token.text);
        return;
    }
    reader_advance(reader);
    if (reader_name(reader, name, sizeof name, "a parameter"))
        note_variable(reader, name, &declared);
}

static void thread_begin(struct reader *reader)
{
    if (reader->thread == LITMUS_THREADS)
        reader_refuse(reader, "a test has up to %d threads", LITMUS_THREADS);
    reader->count = reader->hidden = reader->depth = 0;
}

/* "P0", "P1" and so on: its number; false: no thread's name. */
static bool thread_number(const struct reader *reader, uint32_t *number)
{
    char *end;
    const char *text = reader->token.text;

    if (reader->token.kind != TOKEN_NAME || text[0] != 'P' || text[1] < '0' || text[1] > '9')
        return false;
    *number = (uint32_t)strtoul(text + 1, &end, 10);
    return *end == '\0';
}

static void read_thread(struct reader *reader)
{
    uint32_t number;

    thread_begin(reader);
    if (!thread_number(reader, &number) || number != reader->thread) {
        reader_refuse(reader, "'%s' where the thread P%u should be", reader->token.text,
                      reader->thread);
        return;
    }
    reader_advance(reader);
    reader_expect(reader, "(");
    if (!reader_sees(reader, ")"))
        do
            read_parameter(reader);
        while (reader_takes(reader, ","));
    reader_expect(reader, ")");
    if (!reader_sees(reader, "{"))
        reader_expect(reader, "{");
    reader_statement(reader);
    reader->thread++;
}

/* ---- The scope tree ---- */

struct tree {
    uint8_t device, group;
    bool is_placed[LITMUS_THREADS];
};

static void read_group(struct reader *reader, struct tree *tree)
{
    struct litmus *litmus = &reader->file->litmus;
    uint32_t number;

    while (!reader->has_failed && !reader_sees(reader, ")")) {
        if (!thread_number(reader, &number) || number >= reader->thread ||
            tree->is_placed[number]) {
            reader_refuse(reader, "'%s' where a thread without a work-group should be",
                          reader->token.text);
            return;
        }
        tree->is_placed[number] = true;
        litmus->l1s[number] = tree->group;
        litmus->devices[number] = tree->device;
        reader_advance(reader);
    }
    tree->group++;
}

static void read_device(struct reader *reader, struct tree *tree)
{
    if (!reader_expect(reader, "(") || !reader_expect(reader, "device"))
        return;
    while (reader_takes(reader, "(")) {
        if (!reader_takes(reader, "work_group") && !reader_takes(reader, "cta") &&
            !reader_expect(reader, "work_group"))
            return;
        read_group(reader, tree);
        if (!reader_expect(reader, ")"))
            return;
        if (tree->group > LITMUS_THREADS)
            reader_refuse(reader, "there are more work-groups than threads");
    }
    reader_expect(reader, ")");
    tree->device++;
}

static void read_tree(struct reader *reader)
{
    struct tree tree = {0, 0, {false}};

    reader->file->litmus.shares_l1s = true;
    if (!reader_takes(reader, "ScopeTree"))
        reader_expect(reader, "scopeTree");
    while (!reader->has_failed && reader_sees(reader, "("))
        read_device(reader, &tree);
    for (uint8_t i = 0; i < reader->thread; i++)
        if (!tree.is_placed[i])
            reader_refuse(reader, "the scope tree lacks P%u", i);
}

/* ---- The whole ---- */

/* herd's: a line with the name, lines of text, and then the braces. */
static void read_head(struct reader *reader)
{
    if (reader->token.kind != TOKEN_NAME || strcmp(reader->token.text, "OpenCL") != 0) {
        reader_refuse(reader,
                      "'%s' where 'OpenCL' should be: tests of other languages are not "
                      "here",
                      reader->token.text);
        return;
    }
    while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\t'))
        reader->at++;
    for (size_t i = 0; reader->at<reader->end && * reader->at> ' '; reader->at++)
        if (i + 1 < sizeof reader->file->name)
            reader->file->name[i++] = *reader->at;
    while (reader->at < reader->end && *reader->at != '{') {
        reader->line += *reader->at == '\n';
        reader->at++;
    }
    reader_advance(reader);
}

static void read_herd(struct reader *reader)
{
    read_head(reader);
    read_first_values(reader);
    while (!reader->has_failed && reader->token.text[0] == 'P')
        read_thread(reader);
    if (reader->thread == 0)
        reader_refuse(reader, "'%s' where the thread P0 should be", reader->token.text);
    read_tree(reader);
}

static void read_whole(struct reader *reader)
{
    if (reader_sees(reader, "program"))
        reader_plain(reader);
    else
        read_herd(reader);
    if (reader_sees(reader, "locations"))
        reader_refuse(reader, "'locations' is not here: what the condition names is shown");
    reader_condition(reader);
    reader_takes(reader, ";");
    if (!reader->has_failed && reader->token.kind != TOKEN_END)
        reader_refuse(reader, "'%s' after the condition", reader->token.text);
}

bool litmus_file_parse(struct litmus_file *file, const char *path, const char *text, size_t length,
                       struct diagnosis *diagnosis)
{
    struct reader reader = {.path = path,
                            .at = text,
                            .end = text + length,
                            .line = 1,
                            .file = file,
                            .diagnosis = diagnosis};

    memset(file, 0, sizeof *file);
    file->litmus.name = file->name;
    file->litmus.help = path;
    file->litmus.names = &file->names;
    file->litmus.verdict = VERDICT_ALLOWED;
    reader_advance(&reader);
    read_whole(&reader);
    reader_place_variables(&reader);
    return !reader.has_failed;
}

bool litmus_file_read(struct litmus_file *file, const char *path, struct diagnosis *diagnosis)
{
    FILE *stream = fopen(path, "rb");
    char *text;
    size_t length;
    bool is_read;

    if (stream == NULL)
        return diagnose(diagnosis, "cannot read %s: %s", path, strerror(errno));
    text = allocate(FILE_BYTES_MAX + 1, 1);
    length = fread(text, 1, FILE_BYTES_MAX + 1, stream);
    if (ferror(stream))
        is_read = diagnose(diagnosis, "cannot read %s: %s", path, strerror(errno));
    else if (length > FILE_BYTES_MAX)
        is_read = diagnose(diagnosis, "%s has over %d bytes", path, FILE_BYTES_MAX);
    else
        is_read = litmus_file_parse(file, path, text, length, diagnosis);
    fclose(stream);
    free(text);
    return is_read;
}
