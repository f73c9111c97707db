/* SPDX-License-Identifier: MIT */
#include "report/special_file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

enum { LINKS_MAX = 40 }; /* as the kernel follows */

/* The folder that the path's last part lies in, without links; NULL: there is none. The caller
 * frees. */
static char *folder_of(const char *path)
{
    const char *end = strrchr(path, '/');
    char *folder = end == NULL   ? copy_string(".")
                   : end == path ? copy_string("/")
                                 : format_string("%.*s", (int)(end - path), path);
    char *real = realpath(folder, NULL);

    free(folder);
    return real;
}

/* /proc/N/fd, or that of a thread. */
static bool holds_descriptors(const char *folder)
{
    size_t length = strlen(folder);

    return strncmp(folder, "/proc/", 6) == 0 && length > 3 &&
           strcmp(folder + length - 3, "/fd") == 0;
}

static bool names_descriptor(const char *path)
{
    char *at = copy_string(path);
    bool is_found = false;

    for (int i = 0; i < LINKS_MAX && !is_found; i++) {
        char target[PATH_MAX], *folder = folder_of(at);
        ssize_t length = readlink(at, target, sizeof target - 1);

        is_found = folder != NULL && holds_descriptors(folder);
        free(at);
        if (folder == NULL || length < 0) {
            free(folder);
            return is_found;
        }
        target[length] = '\0';
        at = target[0] == '/' ? copy_string(target) : format_string("%s/%s", folder, target);
        free(folder);
    }
    free(at);
    return is_found;
}

bool special_file(const char *path)
{
    struct stat status;

    return (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) || names_descriptor(path);
}
