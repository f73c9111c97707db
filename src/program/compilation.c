/* SPDX-License-Identifier: MIT */
#include "program/compilation.h"

#include <stdlib.h>
#include <string.h>

#include "program/build_log.h"
#include "program/child_process.h"
#include "program/file_identity.h"
#include "program/object_cache.h"

void compilation_add_word(struct word_list *list, const char *before, const char *value,
                          const char *after)
{
    char *word = format_string("%s%s%s", before, value, after);

    word_list_add(list, word);
    free(word);
}

bool compilation_run(struct compilation *job, const struct word_list *list, struct text *raw,
                     int *status)
{
    return child_process_run(list->words, job->folder.path, raw, status, job->diagnosis);
}

bool compilation_judge(struct compilation *job, const char *said, int status)
{
    size_t start = job->messages.length;

    build_log_add(&job->messages, said, job->folder.path);
    /* A host that reaps our child leaves only the messages to judge by. */
    if (status > 0 || (status < 0 && strstr(said, "error: ") != NULL))
        return build_log_diagnose(text_chars(&job->messages) + start, status, job->diagnosis);
    return true;
}

bool compilation_run_visibly(struct compilation *job, const struct word_list *list)
{
    struct text raw = {0};
    int status = 0;
    bool is_done = compilation_run(job, list, &raw, &status) &&
                   compilation_judge(job, text_chars(&raw), status);

    text_finish(&raw);
    return is_done;
}

bool compilation_read(const struct compilation *job, const char *name, unsigned char **bytes,
                      size_t *count)
{
    char *path = format_string("%s/%s", job->folder.path, name);
    bool is_read = read_whole_file(path, bytes, count);

    free(path);
    return is_read;
}

void compilation_add_identity(struct text *key, const struct program_compiler *compiler)
{
    text_add(key, "%s\n%s\n", compiler->clang_version, compiler->libclc_version);
    file_identity_add(key, compiler->clang);
    file_identity_add(key, compiler->libclc);
    file_identity_add(key, compiler->builtins);
    file_identity_add(key, compiler->backend);
    file_identity_add(key, compiler->lld);
    file_identity_add(key, compiler->builtins_index);
    file_identity_add(key, compiler->libclc_index);
}

uint64_t program_compiler_stamp(const struct program_compiler *compiler)
{
    struct text identity = {0};
    uint64_t hash[2];

    compilation_add_identity(&identity, compiler);
    content_hash(identity.chars, identity.length, 0, hash);
    text_finish(&identity);
    return hash[0] | 1;
}

void compilation_add_sized(struct text *key, const void *bytes, size_t count)
{
    text_add(key, "%zu:", count);
    text_add_bytes(key, bytes, count);
}

/* An entry is the file, the messages, and in the last eight bytes the file's size. */
bool compilation_recall(const uint64_t key[2], struct text *log, unsigned char **file,
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
    *file = NULL;
    return false;
}

void compilation_remember(const uint64_t key[2], const struct text *messages,
                          const unsigned char *file, size_t file_bytes)
{
    struct text entry = {0};
    uint64_t size = file_bytes;

    text_add_bytes(&entry, file, file_bytes);
    text_add_bytes(&entry, text_chars(messages), messages->length);
    text_add_bytes(&entry, &size, sizeof size);
    object_cache_write(key, "co", entry.chars, entry.length);
    text_finish(&entry);
}

void compilation_finish(struct compilation *job, bool is_done, struct text *log)
{
    const struct diagnosis *diagnosis = job->diagnosis;

    text_add_bytes(log, text_chars(&job->messages), job->messages.length);
    if (!is_done && strstr(text_chars(log), diagnosis->message) == NULL)
        text_add(log, "wavetank: %s\n", diagnosis->message);
    if (!is_done && diagnosis->hint[0] != '\0')
        text_add(log, "wavetank: hint: %s\n", diagnosis->hint);
    text_finish(&job->messages);
    work_folder_remove(&job->folder);
}
