/* SPDX-License-Identifier: MIT */
#include "program/work_folder.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

static char *new_folder(const char *parent)
{
    char *path = format_string("%s/wavetank-XXXXXX", parent);

    if (mkdtemp(path) != NULL)
        return path;
    free(path);
    return NULL;
}

bool work_folder_make(struct work_folder *folder, struct diagnosis *diagnosis)
{
    const char *parent = getenv("TMPDIR");

    if (folder->path == NULL && parent != NULL && parent[0] == '/')
        folder->path = new_folder(parent);
    if (folder->path == NULL)
        folder->path = new_folder("/tmp");
    return folder->path != NULL ||
           diagnose(diagnosis, "cannot make a temporary folder in /tmp: %s", strerror(errno));
}

static bool leads_out(const char *name)
{
    if (name[0] == '/' || name[0] == '\0')
        return true;
    while (name != NULL) {
        if (strncmp(name, "..", 2) == 0 && (name[2] == '/' || name[2] == '\0'))
            return true;
        name = strchr(name, '/');
        name = name != NULL ? name + 1 : NULL;
    }
    return false;
}

bool work_folder_write(const struct work_folder *folder, const char *name, const void *bytes,
                       size_t count, struct diagnosis *diagnosis)
{
    char *path;
    FILE *file;
    bool is_written;

    if (leads_out(name))
        return diagnose(diagnosis, "header name '%s' leads out of its folder", name);
    path = format_string("%s/%s", folder->path, name);
    for (char *slash = strchr(path + strlen(folder->path) + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    file = fopen(path, "we");
    is_written = file != NULL && fwrite(bytes, 1, count, file) == count;
    if (file != NULL)
        is_written = fclose(file) == 0 && is_written;
    if (!is_written)
        diagnose(diagnosis, "cannot write %s: %s", path, strerror(errno));
    free(path);
    return is_written;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    remove(path);
    return 0;
}

void work_folder_remove(struct work_folder *folder)
{
    if (folder->path != NULL)
        nftw(folder->path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(folder->path);
    folder->path = NULL;
}
