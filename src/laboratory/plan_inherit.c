/* SPDX-License-Identifier: MIT */
/*
 * `inherit: FILE` in a plan: what the plan does not say itself is as in that file, a whole word or
 * section at a time. The text that is read, and kept with results, has it all. So a plan stays what
 * it was when the other file is changed later.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "laboratory/plan_file.h"

enum { STEPS_MAX = 8 }; /* from plan to plan */

static bool read_file(const char *path, struct text *text, struct diagnosis *diagnosis)
{
    FILE *stream = fopen(path, "rbe");
    char bytes[65536];
    size_t count;
    bool is_good;

    if (stream == NULL)
        return diagnose(diagnosis, "%s: %s", path, strerror(errno));
    while ((count = fread(bytes, 1, sizeof bytes, stream)) > 0)
        text_add_bytes(text, bytes, count);
    is_good = !ferror(stream) || diagnose(diagnosis, "%s: %s", path, strerror(errno));
    fclose(stream);
    if (is_good && strlen(text_chars(text)) != text->length)
        return diagnose(diagnosis, "%s: this is no text", path);
    return is_good;
}

static bool has_key(struct tree *tree, const char *name)
{
    const yaml_node_t *key;

    for (unsigned i = 0; (key = tree_key(tree, tree_root(tree), i)) != NULL; i++)
        if (strcmp(tree_scalar(key), name) == 0)
            return true;
    return false;
}

/* The first byte of a line; lines count from 1. */
static const char *line_start(const char *text, int line)
{
    while (line > 1 && *text != '\0')
        if (*text++ == '\n')
            line--;
    return text;
}

/* Adds the other plan's words and sections that this one lacks, each with all of its lines. */
static void add_what_lacks(struct tree *tree, struct tree *other, const char *other_text,
                           struct text *text)
{
    const yaml_node_t *key;

    if (text->length > 0 && text_chars(text)[text->length - 1] != '\n')
        text_add(text, "\n");
    for (unsigned i = 0; (key = tree_key(other, tree_root(other), i)) != NULL; i++) {
        const yaml_node_t *next = tree_key(other, tree_root(other), i + 1);
        const char *start = line_start(other_text, tree_line(key)),
                   *end = next != NULL ? line_start(other_text, tree_line(next))
                                       : start + strlen(start);

        if (!has_key(tree, tree_scalar(key)))
            text_add_bytes(text, start, (size_t)(end - start));
    }
}

static bool read_whole(const char *path, struct text *text, unsigned steps,
                       struct diagnosis *diagnosis);

static bool plan_inherit_value(const char *path, struct tree *tree, const yaml_node_t *value,
                               struct text *text, unsigned steps, struct diagnosis *diagnosis)
{
    const char *slash = strrchr(path, '/');
    struct text other_text = {0};
    struct tree other;
    char *other_path;
    bool is_good;

    if (tree_scalar(value) == NULL) {
        diagnose(diagnosis, "inherit: a file was expected here");
        return tree_fail(tree, value, diagnosis);
    }
    if (steps == STEPS_MAX) {
        diagnose(diagnosis, "inherit: more than %d plans, or one that comes to itself", STEPS_MAX);
        return tree_fail(tree, value, diagnosis);
    }
    other_path = tree_scalar(value)[0] == '/' || slash == NULL
                     ? copy_string(tree_scalar(value))
                     : format_string("%.*s/%s", (int)(slash - path), path, tree_scalar(value));
    is_good = read_whole(other_path, &other_text, steps + 1, diagnosis) &&
              tree_init(&other, other_path, text_chars(&other_text), other_text.length, diagnosis);
    if (is_good) {
        add_what_lacks(tree, &other, text_chars(&other_text), text);
        tree_finish(&other);
    }
    text_finish(&other_text);
    free(other_path);
    return is_good;
}

static bool read_whole(const char *path, struct text *text, unsigned steps,
                       struct diagnosis *diagnosis)
{
    struct tree tree;
    const yaml_node_t *key;
    bool is_good = read_file(path, text, diagnosis) &&
                   tree_init(&tree, path, text_chars(text), text->length, diagnosis);

    if (!is_good)
        return false;
    for (unsigned i = 0; is_good && (key = tree_key(&tree, tree_root(&tree), i)) != NULL; i++)
        if (strcmp(tree_scalar(key), "inherit") == 0)
            is_good = plan_inherit_value(path, &tree, tree_value(&tree, tree_root(&tree), i), text,
                                         steps, diagnosis);
    tree_finish(&tree);
    return is_good;
}

bool plan_text_whole(const char *path, struct text *text, struct diagnosis *diagnosis)
{
    return read_whole(path, text, 0, diagnosis);
}
