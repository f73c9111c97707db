/* SPDX-License-Identifier: MIT */
#include "program/own_file.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"

/* From the folder of the module that this code is in to the build folder. */
static const char *const ways_to_build[] = {
    ".",     /* the program itself lies in it */
    "../..", /* src/opencl, src/cli, tests/program */
};
/* And to the folder of installed libraries. */
static const char *const ways_to_libraries[] = {
    ".",                   /* the driver lies in it */
    "../" WAVETANK_LIBDIR, /* a program in bin */
};

static bool is_there(const char *folder, const char *way, const char *name, char *path,
                     size_t path_bytes)
{
    int length = snprintf(path, path_bytes, "%s/%s/%s", folder, way, name);

    return (size_t)length < path_bytes && access(path, R_OK) == 0;
}

/* The folder of this library, or of this program if it is linked in statically. */
static bool module_folder(char folder[PATH_MAX])
{
    static const char any_address;
    Dl_info module;
    char *slash;

    if (dladdr(&any_address, &module) == 0 || strchr(module.dli_fname, '/') == NULL ||
        realpath(module.dli_fname, folder) == NULL) {
        ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);

        if (length <= 0)
            return false;
        folder[length] = '\0';
    }
    slash = strrchr(folder, '/');
    if (slash == NULL)
        return false;
    *slash = '\0';
    return true;
}

static bool find_beside(const struct own_file *file, char *path, size_t path_bytes)
{
    char folder[PATH_MAX];

    if (module_folder(folder)) {
        for (unsigned i = 0; i < ARRAY_COUNT(ways_to_build); i++)
            if (is_there(folder, ways_to_build[i], file->built, path, path_bytes))
                return true;
        for (unsigned i = 0; i < ARRAY_COUNT(ways_to_libraries); i++)
            if (is_there(folder, ways_to_libraries[i], file->installed, path, path_bytes))
                return true;
    }
    return is_there(WAVETANK_LIBRARY_FOLDER, ".", file->installed, path, path_bytes);
}

bool own_file_find(const struct own_file *file, char *path, size_t path_bytes,
                   struct diagnosis *diagnosis)
{
    const char *chosen = getenv(file->variable);

    if (chosen != NULL) {
        if ((size_t)snprintf(path, path_bytes, "%s", chosen) < path_bytes &&
            access(path, R_OK) == 0)
            return true;
        return diagnose(diagnosis, "%s=%s: no such file", file->variable, chosen);
    }
    if (find_beside(file, path, path_bytes))
        return true;
    diagnose(diagnosis, "%s (%s) is not beside the driver", file->what, file->installed);
    return diagnose_hint(diagnosis, "build or install Wavetank whole, or set %s to its path",
                         file->variable);
}

void own_file_look_for(const struct own_file *file, char *path, size_t path_bytes)
{
    if (!own_file_find(file, path, path_bytes, NULL))
        path[0] = '\0';
}
