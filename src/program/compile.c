/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "program/back_end.h"
#include "program/front_end.h"

/* Everything that the result depends on. False: it cannot be known, so nothing is cached. */
static bool make_key(struct compilation *job, struct front_end *front, bool is_object,
                     uint64_t key[2])
{
    struct text text = {0};
    bool is_known;

    text_add(&text, "wavetank %s 3\n", is_object ? "compiled object" : "code object");
    compilation_add_identity(&text, &job->compiler);
    text_add(&text, "added %llx\n", (unsigned long long)front->options.settings.stamp.added);
    if (front->options.settings.is_narrow)
        text_add(&text, PROGRAM_NARROW_WAVEFRONTS "\n");
    is_known = front_end_add_key(job, front, &text);
    content_hash(text.chars, text.length, 0, key);
    text_finish(&text);
    return is_known;
}

static bool wrap_object(struct compilation *job, const struct binary_settings *settings,
                        unsigned char **file, size_t *file_bytes)
{
    unsigned char *bitcode;
    size_t bitcode_bytes;

    if (!compilation_read(job, front_end_output, &bitcode, &bitcode_bytes))
        return diagnose(job->diagnosis, "%s wrote nothing", job->compiler.clang);
    *file = binary_wrap(PROGRAM_BINARY_OBJECT, settings, bitcode, bitcode_bytes, file_bytes);
    free(bitcode);
    return true;
}

static bool make_object(struct compilation *job, struct front_end *front, unsigned char **file,
                        size_t *file_bytes)
{
    return front_end_run(job, front) &&
           wrap_object(job, &front->options.settings, file, file_bytes);
}

static bool make_executable(struct compilation *job, struct front_end *front, unsigned char **file,
                            size_t *file_bytes)
{
    struct word_list names = {0};
    struct back_end back;
    bool is_done;

    word_list_add(&names, front_end_output);
    is_done = back_end_start(&back, job, &names, &front->options.settings);
    word_list_finish(&names);
    if (!is_done)
        return false;
    if (front_end_run(job, front))
        return back_end_finish(&back, job, file, file_bytes);
    back_end_cancel(&back);
    return false;
}

static bool compile_source(struct compilation *job, struct front_end *front, bool is_object,
                           unsigned char **file, size_t *file_bytes)
{
    uint64_t key[2];
    bool is_cachable = make_key(job, front, is_object, key);
    bool is_done;

    if (is_cachable && compilation_recall(key, &job->messages, file, file_bytes))
        return true;
    is_done = (is_object ? make_object : make_executable)(job, front, file, file_bytes);
    if (is_done && is_cachable)
        compilation_remember(key, &job->messages, *file, *file_bytes);
    return is_done;
}

static bool compile_to(bool is_object, struct front_end *front, const char *options,
                       unsigned char **file, size_t *file_bytes, struct text *log,
                       struct diagnosis *diagnosis)
{
    struct diagnosis own;
    struct compilation job = {.diagnosis = diagnosis != NULL ? diagnosis : &own};
    bool is_done = build_options_parse(options, &front->options, job.diagnosis) &&
                   program_find_compiler(&job.compiler, job.diagnosis);

    if (is_done) {
        front->options.settings.stamp.compiler = program_compiler_stamp(&job.compiler);
        is_done = compile_source(&job, front, is_object, file, file_bytes);
    }
    compilation_finish(&job, is_done, log);
    build_options_finish(&front->options);
    return is_done;
}

bool program_compile(const char *source, size_t source_bytes, const char *options,
                     const struct program_headers *headers, unsigned char **file,
                     size_t *file_bytes, struct text *log, struct diagnosis *diagnosis)
{
    struct front_end front = {.source = source, .source_bytes = source_bytes, .headers = headers};

    return compile_to(false, &front, options, file, file_bytes, log, diagnosis);
}

bool program_compile_object(const char *source, size_t source_bytes, const char *options,
                            const struct program_headers *headers, unsigned char **file,
                            size_t *file_bytes, struct text *log, struct diagnosis *diagnosis)
{
    struct front_end front = {.source = source, .source_bytes = source_bytes, .headers = headers};

    return compile_to(true, &front, options, file, file_bytes, log, diagnosis);
}
