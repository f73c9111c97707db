/* SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/diff.h"

enum { DIFFERENCES_MAX = 1, VALUE_CHARS = 200 };

struct comparison {
    const struct diff_file *files;
    unsigned differences; /* in all */
};

static json_t *read_json(const struct diff_file *file, struct diagnosis *diagnosis)
{
    json_error_t error;
    json_t *root = json_loadb(file->bytes, file->count, JSON_REJECT_DUPLICATES, &error);

    if (root == NULL) {
        diagnose(diagnosis, "this is not JSON: %s", error.text);
        diagnose_at(diagnosis, file->path, error.line);
    }
    return root;
}

static void print_value(const struct diff_file *file, const json_t *value)
{
    char *text = value != NULL
                     ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(12))
                     : NULL;

    if (text == NULL)
        printf("  %s: (nothing)\n", file->path);
    else
        printf("  %s: %.*s%s\n", file->path, VALUE_CHARS, text,
               strlen(text) > VALUE_CHARS ? "..." : "");
    free(text);
}

static void values_differ(struct comparison *comparison, const char *path, const json_t *a,
                          const json_t *b)
{
    if (comparison->differences++ >= DIFFERENCES_MAX)
        return;
    printf("first difference: %s\n", path[0] != '\0' ? path : "(the whole)");
    print_value(&comparison->files[0], a);
    print_value(&comparison->files[1], b);
}

static void compare_values(struct comparison *comparison, const char *path, json_t *a, json_t *b);

/* "run / sums / cu.l1.hits": keys have dots of their own. */
static char *path_below(const char *path, const char *key)
{
    return format_string("%s%s%s", path, path[0] != '\0' ? " / " : "", key);
}

static void compare_member(struct comparison *comparison, const char *path, const char *key,
                           json_t *a, json_t *b)
{
    char *below = path_below(path, key);

    if (a == NULL || b == NULL)
        values_differ(comparison, below, a, b);
    else
        compare_values(comparison, below, a, b);
    free(below);
}

static void compare_objects(struct comparison *comparison, const char *path, json_t *a, json_t *b)
{
    const char *key;
    json_t *value;

    json_object_foreach(a, key, value) if (path[0] != '\0' || strcmp(key, "simulator") != 0)
        compare_member(comparison, path, key, value, json_object_get(b, key));
    json_object_foreach(b, key, value) if ((path[0] != '\0' || strcmp(key, "simulator") != 0) &&
                                           json_object_get(a, key) == NULL)
        compare_member(comparison, path, key, NULL, value);
}

/* A kernel is better known by its name than by its number. */
static char *element_name(size_t index, const json_t *a)
{
    const char *name = json_string_value(json_object_get(a, "name"));

    if (name != NULL)
        return format_string("%zu (%s)", index, name);
    return format_string("%zu", index);
}

static void compare_arrays(struct comparison *comparison, const char *path, json_t *a, json_t *b)
{
    size_t longer =
        json_array_size(a) > json_array_size(b) ? json_array_size(a) : json_array_size(b);

    for (size_t i = 0; i < longer; i++) {
        json_t *left = json_array_get(a, i), *right = json_array_get(b, i);
        char *name = element_name(i, left != NULL ? left : right);

        compare_member(comparison, path, name, left, right);
        free(name);
    }
}

static void compare_values(struct comparison *comparison, const char *path, json_t *a, json_t *b)
{
    if (json_is_object(a) && json_is_object(b))
        compare_objects(comparison, path, a, b);
    else if (json_is_array(a) && json_is_array(b))
        compare_arrays(comparison, path, a, b);
    else if (!json_equal(a, b))
        values_differ(comparison, path, a, b);
}

enum diff_outcome diff_json(const struct diff_file files[2], struct diagnosis *diagnosis)
{
    struct comparison comparison = {.files = files};
    json_t *a = read_json(&files[0], diagnosis);
    json_t *b = a != NULL ? read_json(&files[1], diagnosis) : NULL;
    bool is_read = b != NULL;

    if (is_read)
        compare_values(&comparison, "", a, b);
    json_decref(a);
    json_decref(b);
    if (!is_read)
        return DIFF_FAILED;
    if (comparison.differences == 0)
        return DIFF_SAME;
    printf("%u values differ\n", comparison.differences);
    return DIFF_DIFFERENT;
}
