/* SPDX-License-Identifier: MIT */
#include "program/front_end.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "program/build_log.h"

const char front_end_output[] = "program.bc";

static const char preprocessed_name[] = "preprocessed.cl";

#define CLANG_EXTENSIONS                                                                           \
    "-cl-ext=+cl_khr_depth_images,+cl_khr_fp16,-cl_khr_mipmap_image,"                              \
    "-cl_khr_mipmap_image_writes,-cl_amd_media_ops,-cl_amd_media_ops2,+__opencl_c_subgroups"

/* What every compilation is given. The last words say what this device lacks, so that programs
 * that ask with #ifdef are told the truth. */
static const char *const fixed_words[] = {
    "--no-default-config",
    "-target",
    "amdgcn-amd-amdhsa",
    "-mcpu=tahiti",
    "-x",
    "cl",
    "-cl-std=CL1.2",
    "-O2",
    "-nogpulib",
    "-cl-kernel-arg-info",
    "-fno-crash-diagnostics",
    /* The folder that the program runs in must not show in the code object. */
    "-fdebug-compilation-dir=.",
    "-gline-tables-only",
    "-D__IMAGE_SUPPORT__=1",
    "-D__OPENCL_VERSION__=300", /* the device's version, whatever the language's */
    "-Xclang",
    CLANG_EXTENSIONS,
    /* Extensions that clang does not know: it ignores their pragmas. */
    "-Dcl_amd_fp64=1",
    "-Dcl_ext_atomic_counters_32=1",
    "-Dcounter32_t=__typeof__((volatile __global unsigned int *)0)",
    "-Wno-error=ignored-pragmas",
};

static const char *const narrow_words[] = {"-Xclang",
                                           "-cl-ext=-cl_khr_subgroups,-__opencl_c_subgroups"};

/* Errors of clang today that compilers of OpenCL's first years warned of: programs of then rely
 * on it. With -Werror they are errors again. */
static const char *const tolerated[] = {
    "-Wno-error=incompatible-pointer-types",
    "-Wno-error=int-conversion",
    "-Wno-error=implicit-int",
    "-Wno-error=return-mismatch",
};

static void add_common_words(struct word_list *list, const struct compilation *job,
                             const struct front_end *front)
{
    word_list_add(list, job->compiler.clang);
    for (unsigned i = 0; i < ARRAY_COUNT(fixed_words); i++)
        word_list_add(list, fixed_words[i]);
    for (unsigned i = 0; i < ARRAY_COUNT(tolerated) && !front->options.warnings_are_errors; i++)
        word_list_add(list, tolerated[i]);
    if (front->options.settings.is_narrow) /* sub-groups are wavefronts of 64 lanes */
        for (unsigned i = 0; i < ARRAY_COUNT(narrow_words); i++)
            word_list_add(list, narrow_words[i]);
    compilation_add_word(list, "-ffile-prefix-map=", job->folder.path, "/=");
    compilation_add_word(list, "-I", job->folder.path, "");
    for (unsigned i = 0; i < front->options.words.count; i++)
        word_list_add(list, front->options.words.words[i]);
    word_list_add(list, "-I.");
}

static void add_files(struct word_list *list, const struct compilation *job,
                      const struct front_end *front, const char *output)
{
    char *source = format_string("%s/%s", job->folder.path, front->source_name);

    word_list_add(list, "-o");
    compilation_add_word(list, job->folder.path, "/", output);
    word_list_add(list, source);
    free(source);
}

static unsigned header_count(const struct front_end *front)
{
    return front->headers != NULL ? front->headers->count : 0;
}

/* Puts source and embedded headers where clang finds them, once. */
static bool write_sources(struct compilation *job, struct front_end *front)
{
    if (front->is_written)
        return true;
    if (!work_folder_make(&job->folder, job->diagnosis))
        return false;
    for (unsigned i = 0; i < header_count(front); i++)
        if (!work_folder_write(&job->folder, front->headers->names[i], front->headers->sources[i],
                               strlen(front->headers->sources[i]), job->diagnosis))
            return false;
    front->is_written = work_folder_write(&job->folder, front->source_name, front->source,
                                          front->source_bytes, job->diagnosis);
    return front->is_written;
}

/* Whether the source may read files that stand in no key. */
static bool reads_files(const struct front_end *front)
{
    static const char *const directives[] = {"include", "import", "embed"};

    for (unsigned i = 0; i < ARRAY_COUNT(directives); i++) {
        const char *word = directives[i];

        if (memmem(front->source, front->source_bytes, word, strlen(word)) != NULL)
            return true;
        for (unsigned header = 0; header < header_count(front); header++)
            if (strstr(front->headers->sources[header], word) != NULL)
                return true;
    }
    return false;
}

static bool source_preprocess(struct compilation *job, struct front_end *front)
{
    struct word_list list = {0};
    struct text raw = {0};
    int status = 0;
    bool is_done;

    if (!write_sources(job, front))
        return false;
    add_common_words(&list, job, front);
    word_list_add(&list, "-E");
    add_files(&list, job, front, preprocessed_name);
    is_done = compilation_run(job, &list, &raw, &status) && status <= 0;
    word_list_finish(&list);
    text_finish(&raw);
    return is_done;
}

/* What the source says, include files and all. */
static bool add_preprocessed(struct compilation *job, struct front_end *front, struct text *key)
{
    struct text plain = {0};
    unsigned char *bytes;
    size_t count;
    bool is_done =
        source_preprocess(job, front) && compilation_read(job, preprocessed_name, &bytes, &count);

    if (is_done) {
        build_log_strip(&plain, (const char *)bytes, job->folder.path);
        compilation_add_sized(key, text_chars(&plain), plain.length);
        is_done = memchr(bytes, '\0', count) == NULL; /* else the strip ended there */
        free(bytes);
    }
    text_finish(&plain);
    return is_done;
}

void program_source_name(const char *source, size_t source_bytes, char name[PROGRAM_NAME_BYTES])
{
    uint64_t hash[2];

    content_hash(source, source_bytes, 0, hash);
    snprintf(name, PROGRAM_NAME_BYTES, "program-%08x.cl", (unsigned)hash[0]);
}

bool front_end_add_key(struct compilation *job, struct front_end *front, struct text *key)
{
    program_source_name(front->source, front->source_bytes, front->source_name);
    for (unsigned i = 0; i < ARRAY_COUNT(fixed_words); i++)
        compilation_add_sized(key, fixed_words[i], strlen(fixed_words[i]));
    for (unsigned i = 0; i < ARRAY_COUNT(tolerated); i++)
        compilation_add_sized(key, tolerated[i], strlen(tolerated[i]));
    for (unsigned i = 0; i < front->options.words.count; i++)
        compilation_add_sized(key, front->options.words.words[i],
                              strlen(front->options.words.words[i]));
    text_add(key, "\nwarnings %d, headers %u\n", front->options.warnings_are_errors,
             header_count(front));
    for (unsigned i = 0; i < header_count(front); i++) {
        compilation_add_sized(key, front->headers->names[i], strlen(front->headers->names[i]));
        compilation_add_sized(key, front->headers->sources[i], strlen(front->headers->sources[i]));
    }
    compilation_add_sized(key, front->source, front->source_bytes);
    return !reads_files(front) || add_preprocessed(job, front, key);
}

bool front_end_run(struct compilation *job, struct front_end *front)
{
    struct word_list list = {0};
    bool is_done;

    if (!write_sources(job, front))
        return false;
    add_common_words(&list, job, front);
    if (front->options.warnings_are_errors)
        word_list_add(&list, "-Werror");
    word_list_add(&list, "-emit-llvm");
    word_list_add(&list, "-c");
    word_list_add(&list, "-Xclang");
    word_list_add(&list, "-disable-llvm-passes");
    add_files(&list, job, front, front_end_output);
    is_done = compilation_run_visibly(job, &list);
    word_list_finish(&list);
    return is_done;
}
