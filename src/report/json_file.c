/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "report/run.h"

/* The path with the process number for each %p. The caller frees. */
static char *expand_path(const char *path)
{
    struct text text = {0};
    char *result;

    for (const char *at = path; *at != '\0'; at++) {
        if (at[0] == '%' && at[1] == 'p') {
            text_add(&text, "%ld", (long)getpid());
            at++;
        } else
            text_add_bytes(&text, at, 1);
    }
    result = copy_string(text_chars(&text));
    text_finish(&text);
    return result;
}

static bool cannot_write(const char *path, struct diagnosis *diagnosis)
{
    return diagnose(diagnosis, "cannot write statistics to %s: %s", path, strerror(errno));
}

/* Whether the path is a terminal, a pipe, /dev/null: not to be replaced. */
static bool is_special(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

static bool write_onto(const char *path, const struct run_report *run, struct diagnosis *diagnosis)
{
    FILE *stream = fopen(path, "w");
    bool written;

    if (stream == NULL)
        return cannot_write(path, diagnosis);
    report_print_json(stream, run);
    written = ferror(stream) == 0;
    written = fclose(stream) == 0 && written;
    return written || cannot_write(path, diagnosis);
}

/* Writes beside the file and renames, so that a reader never sees half of it. */
static bool write_beside(const char *path, const struct run_report *run,
                         struct diagnosis *diagnosis)
{
    char *beside = format_string("%s.%ld.part", path, (long)getpid());
    FILE *stream = fopen(beside, "w");
    bool written;

    if (stream == NULL) {
        free(beside);
        return cannot_write(path, diagnosis);
    }
    report_print_json(stream, run);
    written = ferror(stream) == 0;
    written = fclose(stream) == 0 && written;
    if (written && rename(beside, path) == 0) {
        free(beside);
        return true;
    }
    cannot_write(path, diagnosis);
    unlink(beside);
    free(beside);
    return false;
}

bool report_write_json(const char *path, const struct run_report *run, struct diagnosis *diagnosis)
{
    char *expanded = expand_path(path);
    bool done = is_special(expanded) ? write_onto(expanded, run, diagnosis)
                                     : write_beside(expanded, run, diagnosis);

    free(expanded);
    return done;
}
