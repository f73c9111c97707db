/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "program/back_end.h"

/* One call of program_link. */
struct link_job {
    const struct program_input *inputs;
    unsigned count;
    struct link_options options;
    struct binary_settings settings; /* the highest of all inputs' */
};

/* Of inputs with unlike options: what none of them has. */
static uint64_t join_added(uint64_t one, uint64_t other)
{
    uint64_t both[2] = {one, other}, hash[2];

    if (one == other || one == 0 || other == 0)
        return one | other;
    content_hash(both, sizeof both, 0, hash);
    return hash[0];
}

static bool check_input(struct link_job *link, const struct program_input *input,
                        struct diagnosis *diagnosis)
{
    struct binary_settings settings;
    enum program_binary kind;

    if (!binary_is_wrapped(input->file, input->file_bytes))
        return diagnose(diagnosis, "only compiled programs and libraries can be linked");
    if (!binary_open(input->file, input->file_bytes, &kind, &settings, diagnosis))
        return false;
    if (settings.level > link->settings.level)
        link->settings.level = settings.level;
    link->settings.stamp.added = join_added(link->settings.stamp.added, settings.stamp.added);
    link->settings.is_narrow = link->settings.is_narrow || settings.is_narrow;
    link->settings.keeps_lines = link->settings.keeps_lines || settings.keeps_lines;
    link->settings.is_silent = link->settings.is_silent && settings.is_silent;
    return true;
}

static bool check_inputs(struct link_job *link, struct diagnosis *diagnosis)
{
    link->settings = (struct binary_settings){.is_silent = true};
    for (unsigned i = 0; i < link->count; i++)
        if (!check_input(link, &link->inputs[i], diagnosis))
            return false;
    return true;
}

static void make_key(const struct compilation *job, const struct link_job *link, uint64_t key[2])
{
    struct text text = {0};

    text_add(&text, "wavetank %s 3\n", link->options.makes_library ? "library" : "linked object");
    compilation_add_identity(&text, &job->compiler);
    for (unsigned i = 0; i < link->count; i++)
        compilation_add_sized(&text, link->inputs[i].file, link->inputs[i].file_bytes);
    content_hash(text.chars, text.length, 0, key);
    text_finish(&text);
}

static bool write_inputs(struct compilation *job, const struct link_job *link,
                         struct word_list *names)
{
    if (!work_folder_make(&job->folder, job->diagnosis))
        return false;
    for (unsigned i = 0; i < link->count; i++) {
        const struct program_input *input = &link->inputs[i];
        char *name = format_string("input-%u.bc", i + 1);
        bool is_written =
            work_folder_write(&job->folder, name, input->file + BINARY_HEADER_BYTES,
                              input->file_bytes - BINARY_HEADER_BYTES, job->diagnosis);

        word_list_add(names, name);
        free(name);
        if (!is_written)
            return false;
    }
    return true;
}

static bool make_library(struct compilation *job, const struct link_job *link,
                         const struct word_list *names, unsigned char **file, size_t *file_bytes)
{
    unsigned char *bitcode;
    size_t bitcode_bytes;

    if (!back_end_join(job, names, &bitcode, &bitcode_bytes))
        return false;
    *file =
        binary_wrap(PROGRAM_BINARY_LIBRARY, &link->settings, bitcode, bitcode_bytes, file_bytes);
    free(bitcode);
    return true;
}

static bool make_executable(struct compilation *job, const struct link_job *link,
                            const struct word_list *names, unsigned char **file, size_t *file_bytes)
{
    struct back_end back;

    return back_end_start(&back, job, names, &link->settings) &&
           back_end_finish(&back, job, file, file_bytes);
}

static bool link_inputs(struct compilation *job, struct link_job *link, unsigned char **file,
                        size_t *file_bytes)
{
    struct word_list names = {0};
    uint64_t key[2];
    bool is_done;

    link->settings.stamp.compiler = program_compiler_stamp(&job->compiler);
    make_key(job, link, key);
    if (compilation_recall(key, &job->messages, file, file_bytes))
        return true;
    is_done = write_inputs(job, link, &names) &&
              (link->options.makes_library ? make_library : make_executable)(job, link, &names,
                                                                             file, file_bytes);
    if (is_done)
        compilation_remember(key, &job->messages, *file, *file_bytes);
    word_list_finish(&names);
    return is_done;
}

bool program_link(const struct program_input *inputs, unsigned count, const char *options,
                  unsigned char **file, size_t *file_bytes, struct text *log,
                  struct diagnosis *diagnosis)
{
    struct diagnosis own;
    struct compilation job = {.diagnosis = diagnosis != NULL ? diagnosis : &own};
    struct link_job link = {.inputs = inputs, .count = count};
    bool is_done = link_options_parse(options, &link.options, job.diagnosis) &&
                   check_inputs(&link, job.diagnosis) &&
                   program_find_compiler(&job.compiler, job.diagnosis) &&
                   link_inputs(&job, &link, file, file_bytes);

    compilation_finish(&job, is_done, log);
    return is_done;
}
