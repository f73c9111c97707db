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

#include "base/bits.h"
#include "base/text.h"
#include "laboratory/plan_file.h"
#include "machine/yaml_load.h"

enum {
    STEPS_MAX = 8,           /* from plan to plan */
    INHERITED_MAX = 16 << 20 /* bytes of a section */
};

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

/* ---- A value in flow style, on one line ---- */

/* Of what begins there, the bytes that a quoted scalar may not have, and what it has instead. */
static unsigned escape_of(const unsigned char *bytes, char escape[8])
{
    static const struct {
        const char *bytes, *escape;
    } breaks[] = {{"\xc2\x85", "\\N"}, {"\xe2\x80\xa8", "\\L"}, {"\xe2\x80\xa9", "\\P"}};

    for (unsigned i = 0; i < ARRAY_COUNT(breaks); i++)
        if (strncmp((const char *)bytes, breaks[i].bytes, strlen(breaks[i].bytes)) == 0) {
            snprintf(escape, 8, "%s", breaks[i].escape);
            return (unsigned)strlen(breaks[i].bytes);
        }
    if (*bytes >= ' ' && *bytes != '"' && *bytes != '\\' && *bytes != 0x7f)
        return 0;
    snprintf(escape, 8, "\\x%02x", *bytes);
    return 1;
}

static void add_scalar(struct text *text, const char *scalar)
{
    text_add(text, "\"");
    while (*scalar != '\0') {
        char escape[8];
        unsigned count = escape_of((const unsigned char *)scalar, escape);

        if (count > 0)
            text_add(text, "%s", escape);
        else
            text_add_bytes(text, scalar, 1);
        scalar += count > 0 ? count : 1;
    }
    text_add(text, "\"");
}

/* An alias is written out. False: it holds itself, or others of its kind, beyond all measure. */
static bool add_flow(struct text *text, struct tree *tree, const yaml_node_t *node, unsigned depth)
{
    const yaml_node_t *key, *item;
    bool is_mapping = node->type == YAML_MAPPING_NODE;

    if (depth > YAML_DEPTH_MAX || text->length > INHERITED_MAX)
        return false;
    if (tree_scalar(node) != NULL) {
        add_scalar(text, tree_scalar(node));
        return true;
    }
    text_add(text, is_mapping ? "{" : "[");
    for (unsigned i = 0; (key = tree_key(tree, node, i)) != NULL; i++) {
        text_add(text, i > 0 ? ", " : "");
        add_scalar(text, tree_scalar(key));
        text_add(text, ": ");
        if (!add_flow(text, tree, tree_value(tree, node, i), depth + 1))
            return false;
    }
    for (unsigned i = 0; (item = tree_item(tree, node, i)) != NULL; i++) {
        text_add(text, i > 0 ? ", " : "");
        if (!add_flow(text, tree, item, depth + 1))
            return false;
    }
    text_add(text, is_mapping ? "}" : "]");
    return true;
}

/* ---- Where it goes ---- */

/* The parser counts characters, and not the mark that a file may begin with. */
static size_t byte_at(const struct text *text, size_t character)
{
    const char *start = text_chars(text), *byte = start;

    if (strncmp(byte, "\xef\xbb\xbf", 3) == 0)
        byte += 3;
    for (; character > 0 && *byte != '\0'; character--)
        do
            byte++;
        while ((*byte & 0xc0) == 0x80);
    return (size_t)(byte - start);
}

static void text_insert(struct text *text, size_t at, const char *line, const char *end)
{
    struct text rest = {0};

    text_add(&rest, "%s%s%s", line, end, text_chars(text) + at);
    text->length = at;
    text_add_bytes(text, text_chars(&rest), rest.length);
    text_finish(&rest);
}

/* One more key: of a mapping in braces the first; else a line of its own behind the last. */
static void insert_key(struct text *text, const yaml_node_t *root, const char *pair)
{
    size_t at;

    if (root->data.mapping.style == YAML_FLOW_MAPPING_STYLE) {
        at = byte_at(text, root->start_mark.index);
        text_insert(text, at + strcspn(text_chars(text) + at, "{") + 1, pair, ", ");
        return;
    }
    at = byte_at(text, root->end_mark.index);
    if (at > 0 && text_chars(text)[at - 1] != '\n' && text_chars(text)[at - 1] != '\r')
        text_insert(text, at++, "\n", "");
    for (size_t i = 0; i < root->start_mark.column; i++)
        text_insert(text, at++, " ", "");
    text_insert(text, at, pair, "\n");
}

/* Adds the other plan's words and sections that this one lacks. The first line of the text is the
 * first still: what it says itself keeps its place. */
static bool add_what_lacks(struct tree *tree, struct tree *other, struct text *text,
                           struct diagnosis *diagnosis)
{
    const yaml_node_t *key = NULL;
    unsigned count = 0;
    bool is_good = true;

    while (tree_key(other, tree_root(other), count) != NULL)
        count++;
    /* From the last to the first, so that they come to stand in their order. */
    for (; is_good && count > 0; count--) {
        struct text pair = {0};

        key = tree_key(other, tree_root(other), count - 1);
        if (has_key(tree, tree_scalar(key)))
            continue;
        add_scalar(&pair, tree_scalar(key));
        text_add(&pair, ": ");
        is_good = add_flow(&pair, other, tree_value(other, tree_root(other), count - 1), 0);
        if (is_good)
            insert_key(text, tree_root(tree), text_chars(&pair));
        text_finish(&pair);
    }
    if (is_good)
        return true;
    diagnose(diagnosis, "inherit: '%s' is too long, or holds itself", tree_scalar(key));
    return tree_fail(other, key, diagnosis);
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
        is_good = add_what_lacks(tree, &other, text, diagnosis);
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
    is_good = plan_check_words(&tree, diagnosis);
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
