/* SPDX-License-Identifier: MIT */
#include "laboratory/inputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "laboratory/source.h"

/* While a closure is collected. */
struct search {
    struct inputs *inputs;
    unsigned *found;
    unsigned count;
    char *top, *own; /* folders of the file that it began with, and of the one looked through */
    struct diagnosis *diagnosis;
    bool is_good;
};

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return format_string("%.*s", (int)(slash - path), path);
}

/* Pipes and devices are no content. The caller frees. */
static char *readable_file(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, R_OK) == 0
               ? realpath(path, NULL)
               : NULL;
}

static char *file_in(const char *folder, const char *name)
{
    char *path = name[0] == '/' ? copy_string(name) : format_string("%s/%s", folder, name);
    char *found = readable_file(path);

    free(path);
    return found;
}

char *inputs_path(const struct inputs *inputs, const char *name)
{
    return file_in(inputs->folder, name);
}

bool inputs_add(struct inputs *inputs, const char *path, unsigned *index,
                struct diagnosis *diagnosis)
{
    char *whole = realpath(path, NULL);
    struct input *input;

    if (whole == NULL)
        return diagnose(diagnosis, "%s: %s", path, strerror(errno));
    for (*index = 0; *index < inputs->count; (*index)++)
        if (strcmp(inputs->list[*index].path, whole) == 0) {
            free(whole);
            return true;
        }
    inputs->list = reallocate(inputs->list, inputs->count + 1, sizeof *inputs->list);
    input = &inputs->list[inputs->count++];
    *input = (struct input){.path = whole};
    return files_hash(&path, 1, input->hash, diagnosis);
}

/* ---- What sources name ---- */

static void search_add(struct search *search, char *path)
{
    unsigned index;

    if (path == NULL || !search->is_good) {
        free(path);
        return;
    }
    search->is_good = inputs_add(search->inputs, path, &index, search->diagnosis);
    free(path);
    for (unsigned i = 0; i < search->count; i++)
        if (search->found[i] == index)
            return;
    search->found = reallocate(search->found, search->count + 1, sizeof *search->found);
    search->found[search->count++] = index;
}

/* "a.b" is a/b.py, or the package a/b; both run what packages above them say. */
static void add_module(struct search *search, const char *name)
{
    unsigned up = (unsigned)strspn(name, ".");
    char *base = copy_string(up > 0 ? search->own : search->top), *part = copy_string(name + up);

    for (; up > 1 && strrchr(base, '/') != NULL; up--)
        *strrchr(base, '/') = '\0';
    for (char *at = part;; at++) {
        bool is_end = *at == '\0';

        if (!is_end && *at != '.')
            continue;
        *at = '\0';
        for (unsigned i = 0; i < 2; i++) {
            char *path = format_string("%s/%s%s", base, part, i == 0 ? ".py" : "/__init__.py");

            search_add(search, readable_file(path));
            free(path);
        }
        if (is_end)
            break;
        *at = '/';
    }
    free(base);
    free(part);
}

static void add_name(void *context, enum source_name kind, const char *name)
{
    struct search *search = context;
    const char *const folders[] = {search->own, search->top, search->inputs->folder};

    if (kind == SOURCE_MODULE)
        add_module(search, name);
    else if (strlen(name) < 256 && source_language_of(name, "") != SOURCE_NONE)
        for (unsigned i = 0; i < 3; i++)
            search_add(search, file_in(folders[i], name));
}

/* Data are not read on: they may be large. */
static enum source_language read_source(const char *path, struct text *text)
{
    FILE *stream = fopen(path, "rbe");
    char bytes[65536];
    enum source_language language = SOURCE_NONE;
    size_t count;

    while (stream != NULL && (count = fread(bytes, 1, sizeof bytes, stream)) > 0) {
        text_add_bytes(text, bytes, count);
        if (language == SOURCE_NONE)
            language = source_language_of(path, text_chars(text));
        if (language == SOURCE_NONE)
            break;
    }
    if (stream != NULL)
        fclose(stream);
    return language;
}

static void search_file(struct search *search, const char *path)
{
    struct text text = {0};
    enum source_language language = read_source(path, &text);

    free(search->own);
    search->own = folder_of(path);
    source_scan(language, text_chars(&text), add_name, search);
    text_finish(&text);
}

bool inputs_add_source(struct inputs *inputs, const char *path, unsigned *index,
                       struct diagnosis *diagnosis)
{
    struct search search = {.inputs = inputs, .diagnosis = diagnosis, .is_good = true};

    if (!inputs_add(inputs, path, index, diagnosis))
        return false;
    if (inputs->list[*index].closure_count > 0)
        return true;
    search.top = folder_of(inputs->list[*index].path);
    search_add(&search, copy_string(inputs->list[*index].path));
    for (unsigned i = 0; i < search.count && search.is_good; i++)
        search_file(&search, inputs->list[search.found[i]].path);
    inputs->list[*index].closure = search.found;
    inputs->list[*index].closure_count = search.count;
    free(search.top);
    free(search.own);
    return search.is_good;
}

/* ---- The list ---- */

/* From the folder, where it lies there. */
static const char *shown_path(const struct inputs *inputs, const struct input *input)
{
    size_t length = strlen(inputs->folder);

    return strncmp(input->path, inputs->folder, length) == 0 && input->path[length] == '/'
               ? input->path + length + 1
               : input->path;
}

static bool has_input(const struct inputs *inputs, const struct input *input)
{
    for (unsigned i = 0; i < inputs->count; i++)
        if (strcmp(inputs->list[i].path, input->path) == 0)
            return strcmp(inputs->list[i].hash, input->hash) == 0;
    return false;
}

char *inputs_names(const struct inputs *inputs, const struct inputs *before, unsigned max)
{
    struct text names = {0};
    unsigned count = 0;

    for (unsigned i = 0; i < inputs->count; i++) {
        const struct input *input = &inputs->list[i];

        if (!input->is_own || (before != NULL && has_input(before, input)))
            continue;
        if (count++ < max)
            text_add(&names, "%s%s", count > 1 ? ", " : "", shown_path(inputs, input));
    }
    if (count > max)
        text_add(&names, " and %u more", count - max);
    return names.chars; /* NULL while empty */
}

void inputs_finish(struct inputs *inputs)
{
    for (unsigned i = 0; i < inputs->count; i++) {
        free(inputs->list[i].path);
        free(inputs->list[i].closure);
    }
    free(inputs->list);
    free(inputs->folder);
    memset(inputs, 0, sizeof *inputs);
}
