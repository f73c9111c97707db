/* SPDX-License-Identifier: MIT */
#include "program/back_end.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"

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

static void add_backend_words(struct word_list *list, const struct compilation *job,
                              const struct word_list *names, const struct binary_settings *settings)
{
    /* In this order: what two of them define is the first one's. */
    const char *const libraries[] = {job->compiler.builtins, job->compiler.libclc};
    const char *const indices[] = {job->compiler.builtins_index, job->compiler.libclc_index};
    char level[4] = {'-', 'O', (char)('0' + settings->level), '\0'};

    word_list_add(list, job->compiler.backend);
    word_list_add(list, "--wait");
    word_list_add(list, level);
    if (settings->keeps_lines)
        word_list_add(list, "-g");
    if (settings->is_silent)
        word_list_add(list, "-w");
    if (settings->is_narrow)
        word_list_add(list, "--narrow-wavefronts");
    for (unsigned i = 0; i < ARRAY_COUNT(libraries); i++) {
        word_list_add(list, "--library");
        word_list_add(list, libraries[i]);
        if (indices[i][0] != '\0') {
            word_list_add(list, "--library-index");
            word_list_add(list, indices[i]);
        }
    }
    word_list_add(list, "-o");
    word_list_add(list, "-");
    add_paths(list, job, names);
}

static bool start_backend(struct back_end *back, struct compilation *job,
                          const struct word_list *names, const struct binary_settings *settings,
                          int output)
{
    const struct child_ends ends = {.has_signal = true, .input = -1, .output = output};
    struct word_list list = {0};
    bool is_started;

    add_backend_words(&list, job, names, settings);
    is_started =
        child_process_start(&back->backend, list.words, job->folder.path, &ends, job->diagnosis);
    word_list_finish(&list);
    return is_started;
}

static bool start_lld(struct back_end *back, struct compilation *job, int input)
{
    const struct child_ends ends = {.input = input, .output = -1};
    struct word_list list = {0};
    bool is_started;

    word_list_add(&list, job->compiler.lld);
    word_list_add(&list, "--no-undefined");
    word_list_add(&list, "-shared");
    word_list_add(&list, "/dev/stdin");
    word_list_add(&list, "-o");
    compilation_add_word(&list, job->folder.path, "/", code_name);
    is_started =
        child_process_start(&back->lld, list.words, job->folder.path, &ends, job->diagnosis);
    word_list_finish(&list);
    return is_started;
}

static void end_backend(struct back_end *back)
{
    struct text ignored = {0};

    child_process_signal(&back->backend, 'q');
    child_process_finish(&back->backend, &ignored);
    text_finish(&ignored);
}

bool back_end_start(struct back_end *back, struct compilation *job, const struct word_list *names,
                    const struct binary_settings *settings)
{
    int objects[2];
    bool is_started;

    if (!work_folder_make(&job->folder, job->diagnosis))
        return false;
    if (pipe2(objects, O_CLOEXEC) != 0)
        return diagnose(job->diagnosis, "cannot make a pipe: %s", strerror(errno));
    back->stamp = settings->stamp;
    is_started = start_backend(back, job, names, settings, objects[1]);
    if (is_started && !start_lld(back, job, objects[0])) {
        end_backend(back);
        is_started = false;
    }
    close(objects[0]);
    close(objects[1]);
    return is_started;
}

void back_end_cancel(struct back_end *back)
{
    struct text ignored = {0};

    end_backend(back); /* and with it what lld reads */
    child_process_finish(&back->lld, &ignored);
    text_finish(&ignored);
}

bool back_end_finish(struct back_end *back, struct compilation *job, unsigned char **file,
                     size_t *file_bytes)
{
    struct text said[2] = {{0}, {0}};
    int status[2];
    bool is_done;

    child_process_signal(&back->backend, 'g');
    status[0] = child_process_finish(&back->backend, &said[0]);
    status[1] = child_process_finish(&back->lld, &said[1]);
    /* Where lld ended early, the backend could not write. */
    is_done =
        (status[0] == 128 + SIGPIPE || compilation_judge(job, text_chars(&said[0]), status[0])) &&
        compilation_judge(job, text_chars(&said[1]), status[1]) &&
        read_result(job, code_name, job->compiler.lld, file, file_bytes);
    if (is_done)
        binary_seal(file, file_bytes, &back->stamp);
    text_finish(&said[0]);
    text_finish(&said[1]);
    return is_done;
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
