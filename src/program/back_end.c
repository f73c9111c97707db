/* SPDX-License-Identifier: MIT */
#include "program/back_end.h"

#include <stdlib.h>

static const char object_name[] = "wavetank.o";
static const char code_name[] = "wavetank.out";
static const char joined_name[] = "joined.bc";

static void add_paths(struct word_list *list, const struct compilation *job,
                      const struct word_list *names)
{
    for (unsigned i = 0; i < names->count; i++)
        compilation_add_word(list, job->folder.path, "/", names->words[i]);
}

static bool read_result(struct compilation *job, const char *name, const char *tool,
                        unsigned char **file, size_t *file_bytes)
{
    return compilation_read(job, name, file, file_bytes) ||
           diagnose(job->diagnosis, "%s wrote nothing", tool);
}

static bool generate_code(struct compilation *job, const struct word_list *names,
                          const struct binary_settings *settings)
{
    /* In this order: what two of them define is the first one's. */
    const char *const libraries[] = {job->compiler.builtins, job->compiler.libclc};
    struct word_list list = {0};
    char level[4] = {'-', 'O', (char)('0' + settings->level), '\0'};
    bool is_done;

    word_list_add(&list, job->compiler.backend);
    word_list_add(&list, level);
    if (settings->keeps_lines)
        word_list_add(&list, "-g");
    if (settings->is_silent)
        word_list_add(&list, "-w");
    for (unsigned i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        word_list_add(&list, "--library");
        word_list_add(&list, libraries[i]);
    }
    word_list_add(&list, "-o");
    compilation_add_word(&list, job->folder.path, "/", object_name);
    add_paths(&list, job, names);
    is_done = compilation_run_visibly(job, &list);
    word_list_finish(&list);
    return is_done;
}

static bool link_code(struct compilation *job)
{
    struct word_list list = {0};
    bool is_done;

    word_list_add(&list, job->compiler.lld);
    word_list_add(&list, "--no-undefined");
    word_list_add(&list, "-shared");
    compilation_add_word(&list, job->folder.path, "/", object_name);
    word_list_add(&list, "-o");
    compilation_add_word(&list, job->folder.path, "/", code_name);
    is_done = compilation_run_visibly(job, &list);
    word_list_finish(&list);
    return is_done;
}

bool back_end_build(struct compilation *job, const struct word_list *names,
                    const struct binary_settings *settings, unsigned char **file,
                    size_t *file_bytes)
{
    if (!generate_code(job, names, settings) || !link_code(job) ||
        !read_result(job, code_name, job->compiler.lld, file, file_bytes))
        return false;
    binary_seal(file, file_bytes);
    return true;
}

bool back_end_join(struct compilation *job, const struct word_list *names, unsigned char **file,
                   size_t *file_bytes)
{
    struct word_list list = {0};
    bool is_done;

    word_list_add(&list, job->compiler.backend);
    word_list_add(&list, "--bitcode");
    word_list_add(&list, "-o");
    compilation_add_word(&list, job->folder.path, "/", joined_name);
    add_paths(&list, job, names);
    is_done = compilation_run_visibly(job, &list) &&
              read_result(job, joined_name, job->compiler.backend, file, file_bytes);
    word_list_finish(&list);
    return is_done;
}
