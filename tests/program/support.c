/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "support.h"

const char simple_source[] = "__kernel void k(__global int *a) { a[get_global_id(0)] = 1; }\n";

int make_sandbox(void **state)
{
    char *folder = copy_string("/tmp/wavetank-test-XXXXXX");
    char *cache, *temporary;

    if (mkdtemp(folder) == NULL)
        return -1;
    cache = format_string("%s/cache", folder);
    temporary = format_string("%s/tmp", folder);
    mkdir(temporary, 0700);
    setenv("WAVETANK_CACHE", cache, 1);
    setenv("TMPDIR", temporary, 1);
    free(cache);
    free(temporary);
    *state = folder;
    return 0;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path);
}

int remove_sandbox(void **state)
{
    int result = nftw(*state, remove_one, 8, FTW_DEPTH | FTW_PHYS);

    free(*state);
    return result;
}

unsigned char *must_compile(const char *source, const char *options, size_t *file_bytes)
{
    struct text log = {0};
    struct diagnosis diagnosis;
    unsigned char *file = NULL;

    if (!program_compile(source, strlen(source), options, NULL, &file, file_bytes, &log,
                         &diagnosis))
        fail_msg("%s", text_chars(&log));
    text_finish(&log);
    return file;
}

struct program *must_build(const char *source, const char *options)
{
    size_t file_bytes;
    unsigned char *file = must_compile(source, options, &file_bytes);
    struct diagnosis diagnosis;
    struct program *program = program_load(file, file_bytes, &diagnosis);

    free(file);
    if (program == NULL)
        fail_msg("%s", diagnosis.message);
    return program;
}

void must_not_compile(const char *source, const char *options, struct text *log,
                      struct diagnosis *diagnosis)
{
    unsigned char *file = NULL;
    size_t file_bytes;

    assert_false(
        program_compile(source, strlen(source), options, NULL, &file, &file_bytes, log, diagnosis));
    assert_null(file);
}

void write_file(const char *folder, const char *name, const char *text)
{
    char *path = format_string("%s/%s", folder, name);
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    free(path);
}

unsigned count_entries(const char *folder)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    unsigned count = 0;

    if (directory == NULL)
        return 0;
    while ((entry = readdir(directory)) != NULL)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}
