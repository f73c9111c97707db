/* SPDX-License-Identifier: MIT */
#include "cli/workloads.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/text.h"
#include "cli/run.h"
#include "program/object_cache.h"

/* Beside build/wavetank, beside build/src/cli/wavetank. */
static const char *const places[] = {"workloads", "../../workloads"};

/* The caller frees. */
static char *workload_folder(void)
{
    char *own = own_folder();

    for (unsigned i = 0; i < ARRAY_COUNT(places); i++) {
        char *catalogue = format_string("%s/%s/catalogue", own, places[i]);
        bool is_there = access(catalogue, R_OK) == 0;

        free(catalogue);
        if (is_there) {
            char *folder = format_string("%s/%s", own, places[i]);

            free(own);
            return folder;
        }
    }
    free(own);
    return copy_string(WAVETANK_WORKLOAD_FOLDER);
}

bool workloads_visit(bool (*visit)(void *context, const char *name, const char *summary),
                     void *context, struct diagnosis *diagnosis)
{
    char *folder = workload_folder(), *path = format_string("%s/catalogue", folder);
    unsigned char *bytes;
    size_t count;
    char *list, *rest = NULL;
    bool is_read = read_whole_file(path, &bytes, &count);

    free(folder);
    if (!is_read) {
        diagnose(diagnosis, "the workloads are not where they belong: cannot read %s", path);
        diagnose_hint(diagnosis, "build or install Wavetank whole");
    }
    free(path);
    if (!is_read)
        return false;
    list = format_string("%.*s", (int)count, (const char *)bytes);
    free(bytes);
    for (char *line = strtok_r(list, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        char *tab = strchr(line, '\t');

        if (tab == NULL)
            continue;
        *tab = '\0';
        if (!visit(context, line, tab + 1))
            break;
    }
    free(list);
    return true;
}

/* The name that is looked for, and what stands in the catalogue. */
struct search {
    const char *name;
    bool is_found;
    char *names[256];
    unsigned count;
};

static bool compare_name(void *context, const char *name, const char *summary)
{
    struct search *search = context;

    search->is_found = strcmp(name, search->name) == 0;
    if (search->count < ARRAY_COUNT(search->names))
        search->names[search->count++] = copy_string(name);
    return !search->is_found;
}

static void diagnose_unknown(struct search *search, struct diagnosis *diagnosis)
{
    const char *nearest =
        nearest_word(search->name, (const char *const *)search->names, search->count);

    diagnose(diagnosis, "--workload %s: there is no such workload", search->name);
    if (nearest != NULL)
        diagnose_hint(diagnosis, "did you mean '%s'? `wavetank list workloads` names all", nearest);
    else
        diagnose_hint(diagnosis, "`wavetank list workloads` names all");
}

char *workload_path(const char *name, struct diagnosis *diagnosis)
{
    struct search search = {.name = name};
    bool is_read = workloads_visit(compare_name, &search, diagnosis);
    char *path = NULL;

    if (search.is_found) {
        char *folder = workload_folder();

        path = format_string("%s/%s", folder, name);
        free(folder);
    } else if (is_read) {
        diagnose_unknown(&search, diagnosis);
    }
    while (search.count > 0)
        free(search.names[--search.count]);
    return path;
}
