/* SPDX-License-Identifier: MIT */
/* wavetank diff A B */
#include "cli/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/command.h"

static bool read_file(struct diff_file *file, struct diagnosis *diagnosis)
{
    FILE *stream = fopen(file->path, "rb");
    struct text content = {0};
    char buffer[65536];
    size_t count;
    bool is_whole;

    if (stream == NULL)
        return diagnose(diagnosis, "cannot read %s: %s", file->path, strerror(errno));
    while ((count = fread(buffer, 1, sizeof buffer, stream)) > 0)
        text_add_bytes(&content, buffer, count);
    is_whole = ferror(stream) == 0;
    fclose(stream);
    file->count = content.length;
    file->bytes = content.chars != NULL ? content.chars : copy_string("");
    return is_whole || diagnose(diagnosis, "cannot read %s", file->path);
}

static bool is_json(const struct diff_file *file)
{
    return file->bytes[strspn(file->bytes, " \t\r\n")] == '{';
}

static const char *file_describe(const struct diff_file *file)
{
    if (file->count == 0)
        return "empty";
    if (is_json(file))
        return "a statistics file (JSON)";
    return diff_is_trace(file) ? "an instruction trace"
                               : "neither a statistics file nor an instruction trace";
}

static enum diff_outcome files_compare(struct diff_file files[2], struct diagnosis *diagnosis)
{
    if (!read_file(&files[0], diagnosis) || !read_file(&files[1], diagnosis))
        return DIFF_FAILED;
    if (is_json(&files[0]) && is_json(&files[1]))
        return diff_json(files, diagnosis);
    if (!is_json(&files[0]) && !is_json(&files[1]))
        return diff_traces(files, diagnosis);
    diagnose(diagnosis, "%s is %s, and %s is %s", files[0].path, file_describe(&files[0]),
             files[1].path, file_describe(&files[1]));
    diagnose_hint(diagnosis, "two files of --json or two of --trace-file can be compared");
    return DIFF_FAILED;
}

static int diff_main(const struct command *command, int argc, char **argv)
{
    struct option_reader reader = option_reader(command, argc, argv);
    struct diff_file files[2] = {{0}, {0}};
    struct diagnosis diagnosis;
    enum diff_outcome outcome;
    int index = option_next(&reader);

    if (index != OPTION_END)
        return index == OPTION_HELP ? 0 : EXIT_USAGE;
    if (argc - reader.at != 2) {
        diagnose(&diagnosis, "diff compares two files, and was given %d", argc - reader.at);
        diagnose_hint(&diagnosis, "wavetank diff A.json B.json, or two files of --trace-file");
        return mistake_print(&diagnosis);
    }
    files[0].path = argv[reader.at];
    files[1].path = argv[reader.at + 1];
    outcome = files_compare(files, &diagnosis);
    free(files[0].bytes);
    free(files[1].bytes);
    if (outcome == DIFF_FAILED)
        return mistake_print(&diagnosis);
    return outcome == DIFF_SAME ? 0 : EXIT_DIFFERENT;
}

const struct command command_diff = {
    .name = "diff",
    .usage = "A B",
    .summary =
        "Compares two statistics files or two instruction traces, and shows the first difference",
    .details = "Statistics files (--json) are compared but for `simulator`, which depends on the "
               "host. Traces\n"
               "(--trace-instructions) are compared wavefront by wavefront, each in its own order, "
               "so that a timed and a\n"
               "functional run can be compared. Exit status: 0 the same, 1 different, 2 something "
               "is wrong.\n",
    .run = diff_main,
};
