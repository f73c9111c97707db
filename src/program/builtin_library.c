/* SPDX-License-Identifier: MIT */
#include "program/builtin_library.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"

/* From the folder of the module that this code is in. */
static const char *const places[] = {
    "../builtin/builtins.bc",        /* src/opencl, src/cli in the build folder */
    "../../src/builtin/builtins.bc", /* tests there */
    "src/builtin/builtins.bc",       /* the build folder itself */
    "wavetank/builtins.bc",          /* the installed driver's folder */
    "../lib/wavetank/builtins.bc",   /* an installed program's */
};

static bool use_file(struct program_compiler *compiler, const char *folder, const char *name)
{
    int length = snprintf(compiler->builtins, sizeof compiler->builtins, "%s%s%s", folder,
                          folder[0] != '\0' ? "/" : "", name);

    return (size_t)length < sizeof compiler->builtins && access(compiler->builtins, R_OK) == 0;
}

/* The folder of this library, or of this program if it is linked in statically. */
static bool own_folder(char folder[PATH_MAX])
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

bool builtin_library_find(struct program_compiler *compiler, struct diagnosis *diagnosis)
{
    const char *chosen = getenv("WAVETANK_BUILTINS");
    char folder[PATH_MAX];

    if (chosen != NULL) {
        if (use_file(compiler, "", chosen))
            return true;
        return diagnose(diagnosis, "WAVETANK_BUILTINS=%s: no such file", chosen);
    }
    for (unsigned i = 0; own_folder(folder) && i < ARRAY_COUNT(places); i++)
        if (use_file(compiler, folder, places[i]))
            return true;
    if (use_file(compiler, WAVETANK_LIBRARY_FOLDER, "wavetank/builtins.bc"))
        return true;
    diagnose(diagnosis, "the built-in library of OpenCL C (builtins.bc) is not beside the driver");
    return diagnose_hint(diagnosis,
                         "build or install Wavetank whole, or set WAVETANK_BUILTINS to its path");
}
