/* SPDX-License-Identifier: MIT */
/* What the driver and the ICD loader are told. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/text.h"
#include "cli/run.h"

static const char driver_name[] = "libwavetank-opencl.so";
static const char own_icd[] = "wavetank.icd";

char *own_folder(void)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    while (length > 0 && path[length - 1] != '/')
        length--;
    return format_string("%.*s", length > 0 ? (int)length - 1 : 0, path);
}

char *driver_find(struct diagnosis *diagnosis)
{
    /* Beside build/wavetank, beside build/src/cli/wavetank, beside an installed bin/wavetank. */
    static const char *const places[] = {"src/opencl", "../opencl", "../lib"};
    const char *named = getenv("WAVETANK_DRIVER");
    char *folder;

    if (named != NULL) {
        if (access(named, R_OK) == 0)
            return realpath(named, NULL);
        diagnose(diagnosis, "WAVETANK_DRIVER=%s: %s", named, strerror(errno));
        return NULL;
    }
    folder = own_folder();
    for (unsigned i = 0; i <= ARRAY_COUNT(places); i++) {
        char *path = i < ARRAY_COUNT(places)
                         ? format_string("%s/%s/%s", folder, places[i], driver_name)
                         : format_string("%s/%s", WAVETANK_DRIVER_FOLDER, driver_name);
        char *whole = access(path, R_OK) == 0 ? realpath(path, NULL) : NULL;

        free(path);
        if (whole != NULL) {
            free(folder);
            return whole;
        }
    }
    diagnose(diagnosis, "the driver %s is not beside this program (%s)", driver_name, folder);
    diagnose_hint(diagnosis, "build or install Wavetank whole, or set WAVETANK_DRIVER to its path");
    free(folder);
    return NULL;
}

static bool write_line(const char *path, const char *line)
{
    FILE *stream = fopen(path, "w");
    bool is_good = stream != NULL && fprintf(stream, "%s\n", line) > 0;

    if (stream != NULL)
        is_good = fclose(stream) == 0 && is_good;
    return is_good;
}

static bool has_ending(const char *name, const char *ending)
{
    size_t length = strlen(name), ending_length = strlen(ending);

    return length > ending_length && strcmp(name + length - ending_length, ending) == 0;
}

/* Links to the .icd files of a folder, but for any that is Wavetank's own. */
static void link_others(const struct vendor_folder *folder, const char *from)
{
    DIR *directory = opendir(from);
    const struct dirent *entry;

    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        char *target, *link;

        if (!has_ending(entry->d_name, ".icd") || strstr(entry->d_name, "wavetank") != NULL)
            continue;
        target = format_string("%s/%s", from, entry->d_name);
        link = format_string("%s/%s", folder->path, entry->d_name);
        if (symlink(target, link) != 0)
            fprintf(stderr, "wavetank: %s is left out: %s\n", target, strerror(errno));
        free(target);
        free(link);
    }
    if (directory != NULL)
        closedir(directory);
}

/* Where the others are: the folder that OCL_ICD_VENDORS names already, else the system's. */
static char *system_vendors(void)
{
    const char *named = getenv("OCL_ICD_VENDORS");
    char *whole = realpath(named != NULL ? named : "/etc/OpenCL/vendors", NULL);

    return whole != NULL ? whole : copy_string("/etc/OpenCL/vendors");
}

bool vendor_folder_make(struct vendor_folder *folder, const char *driver, bool with_others,
                        struct diagnosis *diagnosis)
{
    const char *base = getenv("TMPDIR");
    char *icd;
    bool is_good;

    folder->driver = driver;
    snprintf(folder->path, sizeof folder->path, "%s/wavetank-XXXXXX",
             base != NULL && base[0] == '/' && strlen(base) < 200 ? base : "/tmp");
    if (mkdtemp(folder->path) == NULL) {
        diagnose(diagnosis, "cannot make a temporary folder %s: %s", folder->path, strerror(errno));
        folder->path[0] = '\0';
        return false;
    }
    snprintf(folder->status, sizeof folder->status, "%s/status", folder->path);
    icd = format_string("%s/%s", folder->path, own_icd);
    is_good = write_line(icd, driver);
    if (!is_good)
        diagnose(diagnosis, "cannot write %s: %s", icd, strerror(errno));
    free(icd);
    if (is_good && with_others) {
        char *others = system_vendors();

        link_others(folder, others);
        free(others);
    }
    return is_good;
}

void vendor_folder_remove(const struct vendor_folder *folder)
{
    DIR *directory = folder->path[0] != '\0' ? opendir(folder->path) : NULL;
    const struct dirent *entry;

    if (directory == NULL)
        return;
    while ((entry = readdir(directory)) != NULL)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
    rmdir(folder->path);
}

/* The program may change its working directory: paths are made whole. */
static char *whole_path(const char *path)
{
    char directory[PATH_MAX];

    if (path[0] == '/' || getcwd(directory, sizeof directory) == NULL)
        return copy_string(path);
    return format_string("%s/%s", directory, path);
}

static void set_path(const char *name, const char *path)
{
    char *whole;

    if (path == NULL)
        return;
    whole = whole_path(path);
    setenv(name, whole, 1);
    free(whole);
}

static void set_if_given(const char *name, const char *value)
{
    if (value != NULL)
        setenv(name, value, 1);
}

static void set_gpu(const struct gpu_options *gpu)
{
    struct text set = {0};

    if (gpu->gpu != NULL && (strchr(gpu->gpu, '/') != NULL || strstr(gpu->gpu, ".yaml") != NULL))
        set_path("WAVETANK_GPU", gpu->gpu);
    else
        set_if_given("WAVETANK_GPU", gpu->gpu);
    if (getenv("WAVETANK_GPUS") != NULL)
        set_path("WAVETANK_GPUS", getenv("WAVETANK_GPUS"));
    for (uint32_t i = 0; i < gpu->override_count; i++)
        text_add(&set, "%s%s", i > 0 ? "\n" : "", gpu->overrides[i]);
    if (gpu->override_count > 0)
        setenv("WAVETANK_SET", text_chars(&set), 1);
    text_finish(&set);
}

/* The command as a shell would read it back. */
static void add_quoted(struct text *command, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=./:,%@";

    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        text_add(command, "%s", word);
        return;
    }
    text_add(command, "'");
    for (; *word != '\0'; word++)
        text_add(command, *word == '\'' ? "'\\''" : "%c", *word);
    text_add(command, "'");
}

static void set_command(char **arguments)
{
    struct text command = {0};

    text_add(&command, "wavetank");
    for (; *arguments != NULL; arguments++) {
        text_add(&command, " ");
        add_quoted(&command, *arguments);
    }
    setenv("WAVETANK_COMMAND", text_chars(&command), 1);
    text_finish(&command);
}

void environment_set(const struct run_request *request, const struct vendor_folder *folder)
{
    setenv("OCL_ICD_VENDORS", folder->path, 1);
    unsetenv("OCL_ICD_FILENAMES"); /* the other loader's list of more drivers */
    unsetenv("OPENCL_VENDOR_PATH");
    setenv("WAVETANK_SIGINT", "1", 1);
    setenv("WAVETANK_STATUS_FILE", folder->status, 1);
    set_gpu(&request->gpu);
    set_command(request->arguments);
    set_path("WAVETANK_JSON", request->json);
    set_path("WAVETANK_TRACE_FILE", request->trace_file);
    set_path("WAVETANK_TIMELINE", request->timeline);
    set_if_given("WAVETANK_TIMELINE_DETAIL", request->timeline_detail);
    if (request->profile != NULL && strcmp(request->profile, "-") == 0)
        setenv("WAVETANK_PROFILE", "-", 1);
    else
        set_path("WAVETANK_PROFILE", request->profile);
    set_if_given("WAVETANK_JSON_KERNELS", request->json_kernels);
    set_if_given("WAVETANK_MODEL", request->model);
    set_if_given("WAVETANK_MAX_CYCLES", request->max_cycles);
    set_if_given("WAVETANK_TRACE", request->trace);
    set_if_given("WAVETANK_TRACE_MEMORY", request->trace_memory);
    set_if_given("WAVETANK_HOST_POINTERS", request->host_pointers);
    set_if_given("WAVETANK_BUILD_OPTIONS", request->build_options);
    set_if_given("WAVETANK_OUT_OF_BOUNDS", request->out_of_bounds);
    set_if_given("WAVETANK_SAMPLE", request->sample);
    set_if_given("WAVETANK_TIMED_KERNELS", request->timed_kernels);
    set_if_given("WAVETANK_WARM_CACHES", request->warms_caches ? "1" : NULL);
    set_if_given("WAVETANK_EXACT_BOUNDS", request->has_exact_bounds ? "1" : NULL);
    set_if_given("WAVETANK_CHECK_RELEASE", request->checks_release ? "1" : NULL);
    set_if_given("WAVETANK_COVERAGE", request->counts_coverage ? "1" : NULL);
    set_if_given("WAVETANK_QUIET", request->is_quiet ? "1" : NULL);
    set_if_given("WAVETANK_PROGRESS", request->without_progress ? "0" : NULL);
}
