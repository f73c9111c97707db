/* SPDX-License-Identifier: MIT */
/*
 * gpus/NAME.yaml:
 *
 *     title: what it is
 *     inherit: another name          (read first; this file's keys then win)
 *     inherit: ./another.yaml        (a path is relative to the file that says it)
 *     l1:
 *       mshr_entries: 64
 *       ways: { value: 4, source: "where the number comes from" }
 */
#include "machine/configuration_file.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "machine/yaml_load.h"

enum { MAX_INHERITANCE = 8 };

struct reader {
    struct configuration *configuration;
    yaml_document_t document;
    const char *path;   /* of the file being read */
    const char *origin; /* its last part, for origins that do not depend on the working directory */
    struct diagnosis *diagnosis;
    int depth; /* of inheritance */
};

static int line_of(const yaml_node_t *node)
{
    return (int)node->start_mark.line + 1;
}

static bool fail_at(struct reader *reader, const yaml_node_t *node)
{
    return diagnose_at(reader->diagnosis, reader->path, line_of(node));
}

static const char *node_scalar(const yaml_node_t *node)
{
    return node != NULL && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value
                                                          : NULL;
}

static yaml_node_t *node_of(struct reader *reader, int index)
{
    return yaml_document_get_node(&reader->document, index);
}

/* "si\0x" would be read as "si". */
static bool has_plain_scalars(struct reader *reader)
{
    const yaml_node_t *node;

    for (int i = 1; (node = node_of(reader, i)) != NULL; i++)
        if (node_scalar(node) != NULL && strlen(node_scalar(node)) != node->data.scalar.length) {
            diagnose(reader->diagnosis, "'%s' is followed by a zero character", node_scalar(node));
            return fail_at(reader, node);
        }
    return true;
}

/* The same key before `pair` in its mapping, or NULL. */
static const yaml_node_t *earlier_key(struct reader *reader, const yaml_node_t *mapping,
                                      const yaml_node_pair_t *pair)
{
    const char *name = node_scalar(node_of(reader, pair->key));

    for (const yaml_node_pair_t *other = mapping->data.mapping.pairs.start;
         name != NULL && other < pair; other++) {
        const yaml_node_t *key = node_of(reader, other->key);

        if (node_scalar(key) != NULL && strcmp(node_scalar(key), name) == 0)
            return key;
    }
    return NULL;
}

/* Whether each key of the document stands in its mapping once. */
static bool has_single_keys(struct reader *reader)
{
    const yaml_node_t *node, *earlier;

    for (int i = 1; (node = node_of(reader, i)) != NULL; i++) {
        if (node->type != YAML_MAPPING_NODE)
            continue;
        for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
             pair < node->data.mapping.pairs.top; pair++) {
            const yaml_node_t *key = node_of(reader, pair->key);

            if ((earlier = earlier_key(reader, node, pair)) == NULL)
                continue;
            diagnose(reader->diagnosis, "'%s' stands here a second time: the first is in line %d",
                     node_scalar(key), line_of(earlier));
            diagnose_hint(reader->diagnosis, "write each key once, a group's parameters together");
            return fail_at(reader, key);
        }
    }
    return true;
}

/* { value: 4, source: "..." } */
static bool read_pair_value(struct reader *reader, const yaml_node_t *node, const char **value,
                            const char **source)
{
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = node_of(reader, pair->key);
        const char *name = node_scalar(key);
        const char *text = node_scalar(node_of(reader, pair->value));

        if (name != NULL && strcmp(name, "value") == 0)
            *value = text;
        else if (name != NULL && strcmp(name, "source") == 0)
            *source = text;
        else {
            diagnose(reader->diagnosis, "a parameter has 'value' and 'source', not '%s'",
                     name != NULL ? name : "(a list)");
            return fail_at(reader, key);
        }
    }
    return true;
}

static bool read_setting(struct reader *reader, const char *group, const yaml_node_t *key,
                         const yaml_node_t *node)
{
    const char *value = node_scalar(node);
    const char *source = NULL;
    char *path, *origin;
    bool is_set;

    if (node_scalar(key) == NULL) {
        diagnose(reader->diagnosis, "%s: a parameter's name was expected", group);
        return fail_at(reader, key);
    }
    if (node->type == YAML_MAPPING_NODE && !read_pair_value(reader, node, &value, &source))
        return false;
    if (value == NULL) {
        diagnose(reader->diagnosis, "%s.%s: a value was expected", group, node_scalar(key));
        return fail_at(reader, node);
    }
    path = format_string("%s.%s", group, node_scalar(key));
    origin = format_string("%s:%d", reader->origin, (int)key->start_mark.line + 1);
    is_set =
        configuration_set(reader->configuration, path, value, origin, source, reader->diagnosis);
    free(path);
    free(origin);
    return is_set || fail_at(reader, key);
}

static bool read_group(struct reader *reader, const yaml_node_t *key, const yaml_node_t *node)
{
    if (node->type != YAML_MAPPING_NODE) {
        diagnose(reader->diagnosis, "%s: parameters were expected under this key",
                 node_scalar(key));
        diagnose_hint(reader->diagnosis, "write them indented, one 'name: value' a line");
        return fail_at(reader, key);
    }
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; pair++)
        if (!read_setting(reader, node_scalar(key), node_of(reader, pair->key),
                          node_of(reader, pair->value)))
            return false;
    return true;
}

static bool is_word(const char *key)
{
    return strcmp(key, "title") == 0 || strcmp(key, "inherit") == 0;
}

static bool read_inherited(struct reader *reader, const yaml_node_t *key, const yaml_node_t *value);

/* The keys that are not groups of parameters: `inherit` is read first, and the title is set after
 * what it inherits has set its own. */
static bool read_words(struct reader *reader, const yaml_node_t *root)
{
    const yaml_node_t *inherit = NULL, *inherited = NULL;
    const char *title = NULL;

    for (const yaml_node_pair_t *pair = root->data.mapping.pairs.start;
         pair < root->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = node_of(reader, pair->key), *value = node_of(reader, pair->value);

        if (node_scalar(key) == NULL) {
            diagnose(reader->diagnosis, "a key was expected");
            return fail_at(reader, key);
        }
        if (!is_word(node_scalar(key)))
            continue;
        if (node_scalar(value) == NULL) {
            diagnose(reader->diagnosis, "%s: a word was expected", node_scalar(key));
            return fail_at(reader, key);
        }
        if (strcmp(node_scalar(key), "title") == 0)
            title = node_scalar(value);
        else {
            inherit = key;
            inherited = value;
        }
    }
    if (inherit != NULL && !read_inherited(reader, inherit, inherited))
        return false;
    if (title != NULL) {
        free(reader->configuration->title);
        reader->configuration->title = copy_string(title);
    }
    return true;
}

static bool read_document(struct reader *reader)
{
    const yaml_node_t *root = yaml_document_get_root_node(&reader->document);

    if (root == NULL || root->type != YAML_MAPPING_NODE) {
        diagnose(reader->diagnosis, "this is not a configuration: keys were expected");
        return diagnose_at(reader->diagnosis, reader->path, 1);
    }
    if (!has_plain_scalars(reader) || !has_single_keys(reader) || !read_words(reader, root))
        return false;
    for (const yaml_node_pair_t *pair = root->data.mapping.pairs.start;
         pair < root->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = node_of(reader, pair->key);

        if (!is_word(node_scalar(key)) && !read_group(reader, key, node_of(reader, pair->value)))
            return false;
    }
    return true;
}

static bool read_text(const char *path, struct text *text, struct diagnosis *diagnosis)
{
    FILE *stream = fopen(path, "rbe");
    char bytes[4096];
    size_t count;
    bool is_good = stream != NULL;

    while (is_good && (count = fread(bytes, 1, sizeof bytes, stream)) > 0)
        text_add_bytes(text, bytes, count);
    if (stream != NULL) {
        is_good = !ferror(stream);
        fclose(stream);
    }
    if (is_good)
        return true;
    diagnose(diagnosis, "this file cannot be read");
    return diagnose_at(diagnosis, path, 0);
}

/* Folders that hold configurations, in the order in which they are tried. */
static const char *path_folder(unsigned index)
{
    static const char *const installed[] = {GPUS_SOURCE_FOLDER, GPUS_INSTALL_FOLDER};
    const char *named = getenv("WAVETANK_GPUS");

    if (named != NULL)
        return index == 0 ? named : NULL;
    return index < 2 ? installed[index] : NULL;
}

static bool is_path(const char *name)
{
    return strchr(name, '/') != NULL || strstr(name, ".yaml") != NULL;
}

/* The file of that name; NULL: there is none. The caller frees. */
static char *find_file(const char *name)
{
    if (is_path(name))
        return access(name, R_OK) == 0 ? copy_string(name) : NULL;
    for (unsigned i = 0; path_folder(i) != NULL; i++) {
        char *path = format_string("%s/%s.yaml", path_folder(i), name);

        if (access(path, R_OK) == 0)
            return path;
        free(path);
    }
    return NULL;
}

static bool not_found(const char *name, struct diagnosis *diagnosis)
{
    uint32_t count;
    char **names = configuration_list(&count);
    struct text known = {0};

    for (uint32_t i = 0; i < count; i++) {
        text_add(&known, "%s%s", i > 0 ? ", " : "", names[i]);
        free(names[i]);
    }
    free(names);
    diagnose(diagnosis, "there is no GPU configuration '%s'", name);
    diagnose_hint(diagnosis, "known are: %s; or name a YAML file", text_chars(&known));
    text_finish(&known);
    return false;
}

static bool read_file(struct configuration *configuration, const char *path, int depth,
                      struct diagnosis *diagnosis)
{
    struct reader reader = {
        .configuration = configuration, .path = path, .diagnosis = diagnosis, .depth = depth};
    const char *slash = strrchr(path, '/');
    struct text text = {0};
    bool is_good;

    reader.origin = slash != NULL ? slash + 1 : path;
    is_good = read_text(path, &text, diagnosis) &&
              yaml_load(&reader.document, path, text_chars(&text), text.length, diagnosis);
    text_finish(&text);
    if (!is_good)
        return false;
    is_good = read_document(&reader);
    yaml_document_delete(&reader.document);
    return is_good;
}

/* A path as it is meant in a file that stands at `from`. The caller frees. */
static char *relative_to(const char *from, const char *name)
{
    const char *slash = strrchr(from, '/');

    if (!is_path(name) || name[0] == '/' || slash == NULL)
        return copy_string(name);
    return format_string("%.*s/%s", (int)(slash - from), from, name);
}

static bool read_inherited(struct reader *reader, const yaml_node_t *key, const yaml_node_t *value)
{
    char *name = relative_to(reader->path, node_scalar(value));
    char *path = find_file(name);
    bool is_good = false;

    if (path == NULL) {
        not_found(name, reader->diagnosis);
        fail_at(reader, key);
    } else if (reader->depth + 1 >= MAX_INHERITANCE) {
        diagnose(reader->diagnosis, "%s: the configurations inherit each other in a circle", name);
        fail_at(reader, key);
    } else
        is_good = read_file(reader->configuration, path, reader->depth + 1, reader->diagnosis);
    free(name);
    free(path);
    return is_good;
}

static char *plain_name(const char *name_or_file)
{
    const char *slash = strrchr(name_or_file, '/');
    char *name = copy_string(slash != NULL ? slash + 1 : name_or_file);
    char *suffix = strstr(name, ".yaml");

    if (suffix != NULL)
        *suffix = '\0';
    return name;
}

bool configuration_read(struct configuration *configuration, const char *name_or_file,
                        struct diagnosis *diagnosis)
{
    configuration->name = plain_name(name_or_file);
    configuration->file = find_file(name_or_file);
    if (configuration->file == NULL)
        return not_found(name_or_file, diagnosis);
    return read_file(configuration, configuration->file, 0, diagnosis);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_listed(char **names, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

char **configuration_list(uint32_t *count)
{
    char **names = allocate(1, sizeof *names);

    *count = 0;
    for (unsigned i = 0; path_folder(i) != NULL; i++) {
        DIR *directory = opendir(path_folder(i));
        const struct dirent *entry;

        while (directory != NULL && (entry = readdir(directory)) != NULL) {
            size_t length = strlen(entry->d_name);
            char *name;

            if (length <= 5 || strcmp(entry->d_name + length - 5, ".yaml") != 0)
                continue;
            name = plain_name(entry->d_name);
            if (is_listed(names, *count, name)) {
                free(name);
                continue;
            }
            names = reallocate(names, *count + 1, sizeof *names);
            names[(*count)++] = name;
        }
        if (directory != NULL)
            closedir(directory);
    }
    qsort(names, *count, sizeof *names, by_name);
    return names;
}
