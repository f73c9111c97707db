/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/text.h"
#include "program/child_process.h"
#include "program/file_identity.h"
#include "program/object_cache.h"
#include "program/own_file.h"
#include "program/program.h"

/* Tried in this order, first along PATH, then where the packages put them. The backend reads
 * bitcode of its own version of LLVM. */
static const char *const clang_names[] = {
    "clang-" BACKEND_LLVM_MAJOR,
    "clang",
    "/usr/lib/llvm-" BACKEND_LLVM_MAJOR "/bin/clang",
    "/usr/bin/clang-" BACKEND_LLVM_MAJOR,
};

static const char *const lld_names[] = {
    "ld.lld-" BACKEND_LLVM_MAJOR,
    "/usr/lib/llvm-" BACKEND_LLVM_MAJOR "/bin/ld.lld",
    "ld.lld",
};

static const struct own_file builtins_file = {"WAVETANK_BUILTINS", "src/builtin/builtins.bc",
                                              "wavetank/builtins.bc",
                                              "the built-in library of OpenCL C"};
static const struct own_file builtins_index_file = {
    "WAVETANK_BUILTINS_INDEX", "src/backend/builtins.index", "wavetank/builtins.index", ""};
static const struct own_file libclc_index_file = {
    "WAVETANK_LIBCLC_INDEX", "src/backend/libclc.index", "wavetank/libclc.index", ""};
static const struct own_file backend_file = {"WAVETANK_BACKEND", "src/backend/wavetank-backend",
                                             "wavetank/wavetank-backend", "the compiler's backend"};

static const char *const libclc_paths[] = {
    "/usr/lib/clc/amdgcn-amd-amdhsa.bc",
    "/usr/lib/llvm-" BACKEND_LLVM_MAJOR "/lib/clc/amdgcn-amd-amdhsa.bc",
    "/usr/lib64/clc/amdgcn-amd-amdhsa.bc",
    "/usr/libexec/clc/amdgcn-amd-amdhsa.bc",
    "/usr/share/clc/amdgcn-amd-amdhsa.bc",
    "/usr/local/share/clc/amdgcn-amd-amdhsa.bc",
    "/usr/local/lib/clc/amdgcn-amd-amdhsa.bc",
};

void file_identity_add(struct text *key, const char *path)
{
    size_t length = strlen(path);
    struct stat status;

    text_add(key, "%zu ", length);
    text_add_bytes(key, path, length);
    if (stat(path, &status) == 0)
        text_add(key, " %lld %lld.%09ld\n", (long long)status.st_size,
                 (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

/* Finds an executable along PATH; a name with a slash stands for itself. */
static bool find_executable(const char *name, char *path, size_t path_bytes)
{
    const char *folders = getenv("PATH");

    if (strchr(name, '/') != NULL)
        return (size_t)snprintf(path, path_bytes, "%s", name) < path_bytes &&
               access(path, X_OK) == 0;
    while (folders != NULL && *folders != '\0') {
        size_t length = strcspn(folders, ":");
        int needed = snprintf(path, path_bytes, "%.*s/%s", (int)length, folders, name);

        if (length > 0 && (size_t)needed < path_bytes && access(path, X_OK) == 0)
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

/* What `read_version` says of the file, remembered in the cache for as long as the file stays the
 * same. */
static bool recall_version(const char *path, bool (*read_version)(const char *, char *, size_t),
                           char *version, size_t version_bytes)
{
    struct text identity = {0};
    unsigned char *bytes;
    uint64_t key[2];
    size_t count;
    bool is_known;

    text_add(&identity, "version of ");
    file_identity_add(&identity, path);
    content_hash(identity.chars, identity.length, 0, key);
    text_finish(&identity);
    if (object_cache_read(key, "version", &bytes, &count)) {
        snprintf(version, version_bytes, "%.*s", (int)count, (const char *)bytes);
        free(bytes);
        return true;
    }
    is_known = read_version(path, version, version_bytes);
    if (is_known)
        object_cache_write(key, "version", version, strlen(version));
    return is_known;
}

static bool ask_clang(const char *path, char *version, size_t version_bytes)
{
    char *words[] = {copy_string(path), copy_string("--version"), NULL};
    struct text output = {0};
    int status = -1;
    bool is_known = child_process_run(words, NULL, &output, &status, NULL) && status <= 0;

    snprintf(version, version_bytes, "%.*s", (int)strcspn(text_chars(&output), "\n"),
             text_chars(&output));
    is_known = is_known && strstr(version, "clang version ") != NULL;
    text_finish(&output);
    free(words[0]);
    free(words[1]);
    return is_known;
}

/* LLVM bitcode keeps the name of the compiler that made it as a string in the clear (llvm.ident).
 */
static size_t find_bitcode_version(const char *bytes, size_t count, char *version,
                                   size_t version_bytes)
{
    static const char label[] = "clang version ";
    const char *found = memmem(bytes, count, label, sizeof label - 1);
    char numbers[32] = "";
    size_t length;

    if (found == NULL || memcmp(bytes, "BC\xc0\xde", 4) != 0)
        return 0;
    found += sizeof label - 1;
    length = count - (size_t)(found - bytes);
    memcpy(numbers, found, length < sizeof numbers - 1 ? length : sizeof numbers - 1);
    length = strspn(numbers, "0123456789.");
    snprintf(version, version_bytes, "%.*s", (int)length, numbers);
    return length;
}

static bool read_bitcode_version(const char *path, char *version, size_t version_bytes)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    void *bytes = MAP_FAILED;
    size_t length = 0;

    if (file < 0)
        return false;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 4)
        bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (bytes != MAP_FAILED) {
        length = find_bitcode_version(bytes, (size_t)status.st_size, version, version_bytes);
        munmap(bytes, (size_t)status.st_size);
    }
    return length > 0;
}

static int major_of(const char *version)
{
    const char *label = strstr(version, "clang version ");

    return atoi(label != NULL ? label + strlen("clang version ") : version);
}

/* Looks for a libclc that fits the clang in `compiler`; what is found and does not fit goes to
 * `seen`. */
static bool find_libclc(struct program_compiler *compiler, struct text *seen)
{
    const char *chosen = getenv("WAVETANK_LIBCLC");
    const char *const *paths = chosen != NULL ? &chosen : libclc_paths;
    unsigned count = chosen != NULL ? 1 : ARRAY_COUNT(libclc_paths);

    for (unsigned i = 0; i < count; i++) {
        if (access(paths[i], R_OK) != 0 || strlen(paths[i]) >= sizeof compiler->libclc)
            continue;
        snprintf(compiler->libclc, sizeof compiler->libclc, "%s", paths[i]);
        if (!recall_version(paths[i], read_bitcode_version, compiler->libclc_version,
                            sizeof compiler->libclc_version))
            text_add(seen, "; %s, which is no libclc bitcode", paths[i]);
        else if (major_of(compiler->libclc_version) == major_of(compiler->clang_version))
            return true;
        else
            text_add(seen, "; libclc %s (%s)", compiler->libclc_version, paths[i]);
    }
    return false;
}

static bool find_pair(const char *name, struct program_compiler *compiler, struct text *seen)
{
    if (!find_executable(name, compiler->clang, sizeof compiler->clang))
        return false;
    if (!recall_version(compiler->clang, ask_clang, compiler->clang_version,
                        sizeof compiler->clang_version)) {
        text_add(seen, "; %s, which is no clang", compiler->clang);
        return false;
    }
    text_add(seen, "; %s (%s)", compiler->clang_version, compiler->clang);
    return major_of(compiler->clang_version) == atoi(BACKEND_LLVM_MAJOR) &&
           find_libclc(compiler, seen);
}

static bool find_lld(struct program_compiler *compiler, struct diagnosis *diagnosis)
{
    for (unsigned i = 0; i < ARRAY_COUNT(lld_names); i++)
        if (find_executable(lld_names[i], compiler->lld, sizeof compiler->lld))
            return true;
    diagnose(diagnosis, "no linker of code objects: ld.lld-" BACKEND_LLVM_MAJOR " is needed");
    return diagnose_hint(diagnosis, "install lld-" BACKEND_LLVM_MAJOR);
}

static bool find_rest(struct program_compiler *compiler, struct diagnosis *diagnosis)
{
    own_file_look_for(&builtins_index_file, compiler->builtins_index,
                      sizeof compiler->builtins_index);
    own_file_look_for(&libclc_index_file, compiler->libclc_index, sizeof compiler->libclc_index);
    return own_file_find(&builtins_file, compiler->builtins, sizeof compiler->builtins,
                         diagnosis) &&
           own_file_find(&backend_file, compiler->backend, sizeof compiler->backend, diagnosis) &&
           find_lld(compiler, diagnosis);
}

bool program_find_compiler(struct program_compiler *compiler, struct diagnosis *diagnosis)
{
    const char *chosen = getenv("WAVETANK_CLANG");
    const char *const *names = chosen != NULL ? &chosen : clang_names;
    unsigned count = chosen != NULL ? 1 : ARRAY_COUNT(clang_names);
    struct text seen = {0};
    bool is_found = false;

    memset(compiler, 0, sizeof *compiler);
    for (unsigned i = 0; i < count && !is_found; i++)
        is_found = find_pair(names[i], compiler, &seen);
    if (!is_found) {
        diagnose(diagnosis,
                 "no OpenCL C compiler: clang and libclc (amdgcn-amd-amdhsa.bc) of "
                 "version " BACKEND_LLVM_MAJOR " are needed. Looked for %s; found %s",
                 chosen != NULL ? chosen : "clang-" BACKEND_LLVM_MAJOR " and clang",
                 seen.length > 2 ? text_chars(&seen) + 2 : "nothing");
        diagnose_hint(diagnosis,
                      "install clang-22, libclc-22 and lld-22 (Debian 12: from the suite "
                      "bookworm-security; tools/install-deps does it), or set "
                      "WAVETANK_CLANG and WAVETANK_LIBCLC");
    }
    text_finish(&seen);
    return is_found && find_rest(compiler, diagnosis);
}
