/* SPDX-License-Identifier: MIT */
/*
 * gpus/NAME.yaml:
 *
 *     title: what it is
 *     inherit: another name          (read first; this file's keys then win)
 *     l1:
 *       mshr_entries: 64
 *       ways: { value: 4, source: "where the number comes from" }
 */
#include "machine/configuration_file.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yaml.h>

enum { MAX_INHERITANCE = 8 };

struct reader {
    struct configuration *configuration;
    yaml_document_t document;
    const char *path;   /* of the file being read */
    const char *origin; /* its last part, for origins that do not depend on the working directory */
    struct diagnosis *diagnosis;
    char *inherits;
};

static bool fail_at(struct reader *reader, const yaml_node_t *node)
{
    return diagnose_at(reader->diagnosis, reader->path, (int)node->start_mark.line + 1);
}

static const char *scalar(const yaml_node_t *node)
{
    return node != NULL && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value
                                                          : NULL;
}

static yaml_node_t *node_of(struct reader *reader, int index)
{
    return yaml_document_get_node(&reader->document, index);
}

/* { value: 4, source: "..." } */
static bool read_pair_value(struct reader *reader, const yaml_node_t *node, const char **value,
                            const char **source)
{
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = node_of(reader, pair->key);
        const char *name = scalar(key);
        const char *text = scalar(node_of(reader, pair->value));

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
    const char *value = scalar(node);
    const char *source = NULL;
    char *path, *origin;
    bool is_set;

    if (scalar(key) == NULL) {
        diagnose(reader->diagnosis, "%s: a parameter's name was expected", group);
        return fail_at(reader, key);
    }
    if (node->type == YAML_MAPPING_NODE && !read_pair_value(reader, node, &value, &source))
        return false;
    if (value == NULL) {
        diagnose(reader->diagnosis, "%s.%s: a value was expected", group, scalar(key));
        return fail_at(reader, node);
    }
    path = format_string("%s.%s", group, scalar(key));
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
        diagnose(reader->diagnosis, "%s: parameters were expected under this key", scalar(key));
        diagnose_hint(reader->diagnosis, "write them indented, one 'name: value' a line");
        return fail_at(reader, key);
    }
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; pair++)
        if (!read_setting(reader, scalar(key), node_of(reader, pair->key),
                          node_of(reader, pair->value)))
            return false;
    return true;
}

/* The keys that are not groups of parameters. */
static bool read_top_word(struct reader *reader, const char *key, const char *value)
{
    if (strcmp(key, "title") == 0 && value != NULL) {
        free(reader->configuration->title);
        reader->configuration->title = copy_string(value);
        return true;
    }
    if (strcmp(key, "inherit") == 0 && value != NULL) {
        reader->inherits = copy_string(value);
        return true;
    }
    return false;
}

static bool read_file(struct configuration *configuration, const char *name, int depth,
                      struct diagnosis *diagnosis);

static bool read_document(struct reader *reader, int depth)
{
    const yaml_node_t *root = yaml_document_get_root_node(&reader->document);

    if (root == NULL || root->type != YAML_MAPPING_NODE) {
        diagnose(reader->diagnosis, "this is not a configuration: keys were expected");
        return diagnose_at(reader->diagnosis, reader->path, 1);
    }
    for (int pass = 0; pass < 2; pass++) { /* first title and inherit, then the file's own keys */
        for (const yaml_node_pair_t *pair = root->data.mapping.pairs.start;
             pair < root->data.mapping.pairs.top; pair++) {
            const yaml_node_t *key = node_of(reader, pair->key);
            const yaml_node_t *value = node_of(reader, pair->value);
            bool is_word = scalar(key) != NULL && (strcmp(scalar(key), "title") == 0 ||
                                                   strcmp(scalar(key), "inherit") == 0);

            if (scalar(key) == NULL) {
                diagnose(reader->diagnosis, "a key was expected");
                return fail_at(reader, key);
            }
            if (pass == 1 && is_word && strcmp(scalar(key), "title") == 0)
                (void)read_top_word(reader, scalar(key), scalar(value));
            if (pass == 0 && is_word && !read_top_word(reader, scalar(key), scalar(value))) {
                diagnose(reader->diagnosis, "%s: a word was expected", scalar(key));
                return fail_at(reader, key);
            }
            if (pass == 1 && !is_word && !read_group(reader, key, value))
                return false;
        }
        if (pass == 0 && reader->inherits != NULL &&
            !read_file(reader->configuration, reader->inherits, depth + 1, reader->diagnosis))
            return false;
    }
    return true;
}

static bool parse(struct reader *reader, FILE *stream)
{
    yaml_parser_t parser;
    bool is_good;

    if (!yaml_parser_initialize(&parser))
        return diagnose(reader->diagnosis, "the YAML parser cannot start");
    yaml_parser_set_input_file(&parser, stream);
    is_good = yaml_parser_load(&parser, &reader->document) != 0;
    if (!is_good) {
        diagnose(reader->diagnosis, "this is not YAML: %s",
                 parser.problem != NULL ? parser.problem : "unreadable");
        diagnose_at(reader->diagnosis, reader->path, (int)parser.problem_mark.line + 1);
    }
    yaml_parser_delete(&parser);
    return is_good;
}

/* Folders that hold configurations, in the order in which they are tried. */
static const char *folder(unsigned index)
{
    static const char *const installed[] = {GPUS_SOURCE_FOLDER, GPUS_INSTALL_FOLDER};
    const char *named = getenv("WAVETANK_GPUS");

    if (named != NULL)
        return index == 0 ? named : NULL;
    return index < 2 ? installed[index] : NULL;
}

static char *find_file(const char *name)
{
    if (strchr(name, '/') != NULL || strstr(name, ".yaml") != NULL)
        return access(name, R_OK) == 0 ? copy_string(name) : NULL;
    for (unsigned i = 0; folder(i) != NULL; i++) {
        char *path = format_string("%s/%s.yaml", folder(i), name);

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

static bool read_found(struct configuration *configuration, const char *path, int depth,
                       struct diagnosis *diagnosis)
{
    struct reader reader = {.configuration = configuration, .path = path, .diagnosis = diagnosis};
    const char *slash = strrchr(path, '/');
    FILE *stream = fopen(path, "rb");
    bool is_good;

    reader.origin = slash != NULL ? slash + 1 : path;
    if (stream == NULL) {
        diagnose(diagnosis, "this file cannot be read");
        return diagnose_at(diagnosis, path, 0);
    }
    is_good = parse(&reader, stream);
    fclose(stream);
    if (!is_good)
        return false;
    is_good = read_document(&reader, depth);
    yaml_document_delete(&reader.document);
    free(reader.inherits);
    return is_good;
}

static bool read_file(struct configuration *configuration, const char *name, int depth,
                      struct diagnosis *diagnosis)
{
    char *path = find_file(name);
    bool is_good;

    if (path == NULL)
        return not_found(name, diagnosis);
    if (depth >= MAX_INHERITANCE) {
        diagnose(diagnosis, "%s: the configurations inherit each other in a circle", name);
        free(path);
        return false;
    }
    is_good = read_found(configuration, path, depth, diagnosis);
    if (depth == 0)
        configuration->file = path;
    else
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
    return read_file(configuration, name_or_file, 0, diagnosis);
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
    for (unsigned i = 0; folder(i) != NULL; i++) {
        DIR *directory = opendir(folder(i));
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
