/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "program/build_log.h"
#include "program/build_options.h"
#include "program/child_process.h"
#include "program/file_identity.h"
#include "program/object_cache.h"
#include "program/program.h"
#include "program/work_folder.h"

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
    /* clang 22 emits each kernel's body twice; this drops the copy that nobody calls. */
    "-mllvm",
    "-amdgpu-internalize-symbols",
    "-U__IMAGE_SUPPORT__",
    "-D__OPENCL_VERSION__=300", /* the device's version, whatever the language's */
    "-Xclang",
    "-cl-ext=-cl_khr_fp16,-cl_khr_3d_image_writes,-cl_khr_mipmap_image,"
    "-cl_khr_mipmap_image_writes,-cl_khr_subgroups,-__opencl_c_images,"
    "-__opencl_c_read_write_images,-__opencl_c_3d_image_writes,"
    "-__opencl_c_work_group_collective_functions",
};

static const char output_name[] = "wavetank.out";

/* One call of program_compile. */
struct compilation {
    const char *source;
    size_t source_bytes;
    const struct program_headers *headers;
    struct program_compiler compiler;
    struct build_options options;
    char source_name[32]; /* what messages and line tables call the source */
    struct work_folder folder;
    bool is_written; /* source and headers lie in the folder */
    struct text *log;
    struct diagnosis *diagnosis;
};

enum clang_step {
    STEP_PREPROCESS, /* what the source says, include files and all */
    STEP_WARNINGS,   /* -Werror for the language's warnings, not for the code generator's remarks */
    STEP_COMPILE
};

static void add_formatted(struct word_list *list, const char *before, const char *value,
                          const char *after)
{
    char *word = format_string("%s%s%s", before, value, after);

    word_list_add(list, word);
    free(word);
}

static void add_library(struct word_list *list, const char *path)
{
    word_list_add(list, "-Xclang");
    word_list_add(list, "-mlink-builtin-bitcode");
    word_list_add(list, "-Xclang");
    word_list_add(list, path);
}

static void make_words(struct word_list *list, const struct compilation *job, enum clang_step step)
{
    word_list_add(list, job->compiler.clang);
    for (unsigned i = 0; i < ARRAY_COUNT(fixed_words); i++)
        word_list_add(list, fixed_words[i]);
    add_formatted(list, "-ffile-prefix-map=", job->folder.path, "/=");
    add_formatted(list, "-I", job->folder.path, "");
    for (unsigned i = 0; i < job->options.words.count; i++)
        word_list_add(list, job->options.words.words[i]);
    word_list_add(list, "-I.");
    if (step == STEP_PREPROCESS)
        word_list_add(list, "-E");
    if (step == STEP_WARNINGS) {
        word_list_add(list, "-fsyntax-only");
        word_list_add(list, "-Werror");
    } else {
        word_list_add(list, "-o");
        add_formatted(list, job->folder.path, "/", output_name);
    }
    if (step == STEP_COMPILE) {
        add_library(list, job->compiler.builtins); /* what both define is the first one's */
        add_library(list, job->compiler.libclc);
    }
    add_formatted(list, job->folder.path, "/", job->source_name);
}

/* Runs clang; its messages go to `raw`. False: it failed, `status` says how (-1: nobody knows), or
 * it could not be run, and then the diagnosis is filled. */
static bool run_clang(const struct compilation *job, enum clang_step step, struct text *raw,
                      int *status)
{
    struct word_list list = {0};
    bool is_run;

    make_words(&list, job, step);
    is_run = child_process_run(list.words, job->folder.path, raw, status, job->diagnosis);
    word_list_finish(&list);
    return is_run;
}

static bool read_output(const struct compilation *job, unsigned char **bytes, size_t *count)
{
    char *path = format_string("%s/%s", job->folder.path, output_name);
    bool is_read = read_whole_file(path, bytes, count);

    free(path);
    return is_read;
}

static unsigned header_count(const struct compilation *job)
{
    return job->headers != NULL ? job->headers->count : 0;
}

/* Puts source and embedded headers where clang finds them, once. */
static bool write_sources(struct compilation *job)
{
    if (job->is_written)
        return true;
    if (!work_folder_make(&job->folder, job->diagnosis))
        return false;
    for (unsigned i = 0; i < header_count(job); i++)
        if (!work_folder_write(&job->folder, job->headers->names[i], job->headers->sources[i],
                               strlen(job->headers->sources[i]), job->diagnosis))
            return false;
    job->is_written = work_folder_write(&job->folder, job->source_name, job->source,
                                        job->source_bytes, job->diagnosis);
    return job->is_written;
}

/* Whether the source may read files that stand in no key. */
static bool reads_files(const struct compilation *job)
{
    static const char *const directives[] = {"include", "import", "embed"};

    for (unsigned i = 0; i < ARRAY_COUNT(directives); i++) {
        const char *word = directives[i];

        if (memmem(job->source, job->source_bytes, word, strlen(word)) != NULL)
            return true;
        for (unsigned header = 0; header < header_count(job); header++)
            if (strstr(job->headers->sources[header], word) != NULL)
                return true;
    }
    return false;
}

static void add_sized(struct text *key, const void *bytes, size_t count)
{
    text_add(key, "%zu:", count);
    text_add_bytes(key, bytes, count);
}

static bool add_preprocessed(struct text *key, struct compilation *job)
{
    struct text raw = {0}, plain = {0};
    unsigned char *bytes;
    size_t count;
    int status = 0;
    bool is_done = write_sources(job) && run_clang(job, STEP_PREPROCESS, &raw, &status) &&
                   status <= 0 && read_output(job, &bytes, &count);

    if (is_done) {
        build_log_strip(&plain, (const char *)bytes, job->folder.path);
        add_sized(key, text_chars(&plain), plain.length);
        is_done = memchr(bytes, '\0', count) == NULL; /* else the strip ended there */
        free(bytes);
    }
    text_finish(&plain);
    text_finish(&raw);
    return is_done;
}

/* Everything that the code object depends on. False: it cannot be known, so nothing is cached. */
static bool make_key(struct compilation *job, uint64_t key[2])
{
    struct text text = {0};
    bool is_known = true;

    text_add(&text, "wavetank code object 1\n%s\n%s\n", job->compiler.clang_version,
             job->compiler.libclc_version);
    file_identity_add(&text, job->compiler.clang);
    file_identity_add(&text, job->compiler.libclc);
    file_identity_add(&text, job->compiler.builtins);
    for (unsigned i = 0; i < ARRAY_COUNT(fixed_words); i++)
        add_sized(&text, fixed_words[i], strlen(fixed_words[i]));
    for (unsigned i = 0; i < job->options.words.count; i++)
        add_sized(&text, job->options.words.words[i], strlen(job->options.words.words[i]));
    text_add(&text, "\nwarnings %d, headers %u\n", job->options.warnings_are_errors,
             header_count(job));
    for (unsigned i = 0; i < header_count(job); i++) {
        add_sized(&text, job->headers->names[i], strlen(job->headers->names[i]));
        add_sized(&text, job->headers->sources[i], strlen(job->headers->sources[i]));
    }
    add_sized(&text, job->source, job->source_bytes);
    if (reads_files(job))
        is_known = add_preprocessed(&text, job);
    content_hash(text.chars, text.length, 0, key);
    text_finish(&text);
    return is_known;
}

/* An entry is the code object, the messages, and in the last eight bytes the code object's size. */
static bool recall(const uint64_t key[2], struct text *log, unsigned char **file,
                   size_t *file_bytes)
{
    size_t count;
    uint64_t size;

    if (!object_cache_read(key, "co", file, &count))
        return false;
    if (count >= sizeof size) {
        count -= sizeof size;
        memcpy(&size, *file + count, sizeof size);
        if (size <= count) {
            text_add_bytes(log, *file + size, count - size);
            *file_bytes = size;
            return true;
        }
    }
    free(*file);
    return false;
}

static void remember(const uint64_t key[2], const char *messages, const unsigned char *file,
                     size_t file_bytes)
{
    struct text entry = {0};
    uint64_t size = file_bytes;

    text_add_bytes(&entry, file, file_bytes);
    text_add_bytes(&entry, messages, strlen(messages));
    text_add_bytes(&entry, &size, sizeof size);
    object_cache_write(key, "co", entry.chars, entry.length);
    text_finish(&entry);
}

/* One clang run whose messages the user sees. */
static bool run_visibly(struct compilation *job, enum clang_step step, struct text *messages)
{
    struct text raw = {0};
    size_t start = messages->length;
    int status = 0;
    bool is_done = run_clang(job, step, &raw, &status);

    build_log_add(messages, text_chars(&raw), job->folder.path);
    /* A host that reaps our child leaves only the messages to judge by. */
    if (is_done && (status > 0 || (status < 0 && strstr(text_chars(&raw), "error: ") != NULL)))
        is_done = build_log_diagnose(text_chars(messages) + start, status, job->diagnosis);
    text_finish(&raw);
    return is_done;
}

static bool translate(struct compilation *job, struct text *messages, unsigned char **file,
                      size_t *file_bytes)
{
    if (!write_sources(job))
        return false;
    if (job->options.warnings_are_errors && !run_visibly(job, STEP_WARNINGS, messages))
        return false;
    if (!run_visibly(job, STEP_COMPILE, messages))
        return false;
    return read_output(job, file, file_bytes) ||
           diagnose(job->diagnosis, "%s wrote no code object", job->compiler.clang);
}

static bool compile(struct compilation *job, unsigned char **file, size_t *file_bytes)
{
    struct text messages = {0};
    uint64_t hash[2], key[2];
    bool is_cachable, is_done;

    content_hash(job->source, job->source_bytes, 0, hash);
    snprintf(job->source_name, sizeof job->source_name, "program-%08x.cl", (unsigned)hash[0]);
    is_cachable = make_key(job, key);
    if (is_cachable && recall(key, job->log, file, file_bytes))
        return true;
    is_done = translate(job, &messages, file, file_bytes);
    if (is_done && is_cachable)
        remember(key, text_chars(&messages), *file, *file_bytes);
    text_add_bytes(job->log, text_chars(&messages), messages.length);
    text_finish(&messages);
    return is_done;
}

bool program_compile(const char *source, size_t source_bytes, const char *options,
                     const struct program_headers *headers, unsigned char **file,
                     size_t *file_bytes, struct text *log, struct diagnosis *diagnosis)
{
    struct compilation job = {.source = source,
                              .source_bytes = source_bytes,
                              .headers = headers,
                              .log = log,
                              .diagnosis = diagnosis};
    struct diagnosis own;
    bool is_done;

    if (diagnosis == NULL)
        job.diagnosis = diagnosis = &own;
    is_done = build_options_parse(options, &job.options, diagnosis) &&
              program_find_compiler(&job.compiler, diagnosis) && compile(&job, file, file_bytes);
    if (!is_done && strstr(text_chars(log), diagnosis->message) == NULL)
        text_add(log, "wavetank: %s\n", diagnosis->message);
    if (!is_done && diagnosis->hint[0] != '\0')
        text_add(log, "wavetank: hint: %s\n", diagnosis->hint);
    work_folder_remove(&job.folder);
    build_options_finish(&job.options);
    return is_done;
}
