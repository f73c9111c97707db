/* SPDX-License-Identifier: MIT */
#include "report/special_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
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

/* The name in /proc/N/fd that the path leads to, all folders without links; NULL: it leads
 * elsewhere. The caller frees. */
static char *name_of_descriptor(const char *path)
{
    char *at = copy_string(path), *name = NULL;

    for (int i = 0; i < LINKS_MAX && name == NULL; i++) {
        char target[PATH_MAX], *folder = folder_of(at);
        ssize_t length = readlink(at, target, sizeof target - 1);

        if (folder != NULL && holds_descriptors(folder)) {
            const char *slash = strrchr(at, '/');

            name = format_string("%s/%s", folder, slash != NULL ? slash + 1 : at);
        }
        if (folder == NULL || length < 0) {
            free(folder);
            break;
        }
        target[length] = '\0';
        free(at);
        at = target[0] == '/' ? copy_string(target) : format_string("%s/%s", folder, target);
        free(folder);
    }
    free(at);
    return name;
}

bool special_file(const char *path)
{
    struct stat status;
    char *name = name_of_descriptor(path);
    bool is_open = name != NULL;

    free(name);
    return is_open || (stat(path, &status) == 0 && !S_ISREG(status.st_mode));
}

int special_file_open(const char *path)
{
    char *name = name_of_descriptor(path);
    int number, file = -1;
    long process;

    if (name != NULL && sscanf(name, "/proc/%ld/fd/%d", &process, &number) == 2 &&
        process == (long)getpid())
        file = fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    else
        file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    free(name);
    return file;
}
