/* SPDX-License-Identifier: MIT */
#include "laboratory/page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where page/ is: in the source tree, or installed. The caller frees. */
static char *page_file(const char *name)
{
    char *path = format_string("%s/%s", PAGE_SOURCE_FOLDER, name);

    if (access(path, R_OK) == 0)
        return path;
    free(path);
    return format_string("%s/%s", PAGE_INSTALL_FOLDER, name);
}

static bool add_file(struct text *text, const char *name, struct diagnosis *diagnosis)
{
    char *path = page_file(name);
    FILE *stream = fopen(path, "rbe");
    char bytes[65536];
    size_t count;

    if (stream == NULL) {
        diagnose(diagnosis, "a part of the page is missing: %s: %s", path, strerror(errno));
        if (strncmp(name, "library/", 8) == 0)
            diagnose_hint(diagnosis, "tools/install-deps brings the charting library");
        free(path);
        return false;
    }
    while ((count = fread(bytes, 1, sizeof bytes, stream)) > 0)
        text_add_bytes(text, bytes, count);
    fclose(stream);
    free(path);
    return true;
}

/* JSON inside of HTML: a "<" could end the element that it stands in. */
static void add_data(struct text *text, const struct text *data)
{
    const char *at = text_chars(data), *end = at + data->length;

    while (at < end) {
        size_t length = strcspn(at, "<");

        text_add_bytes(text, at, length);
        at += length;
        if (at < end) {
            text_add(text, "\\u003c");
            at++;
        }
    }
}

/* The frame has lines "@NAME@", each of which stands for a file, and one for the data. */
static bool fill_frame(struct text *page, const struct text *frame, const struct text *data,
                       struct diagnosis *diagnosis)
{
    const char *at = text_chars(frame);

    while (*at != '\0') {
        size_t length = strcspn(at, "\n");

        if (at[0] == '@' && length > 2 && at[length - 1] == '@') {
            char *name = format_string("%.*s", (int)length - 2, at + 1);
            bool is_good = true;

            if (strcmp(name, "data") == 0)
                add_data(page, data);
            else
                is_good = add_file(page, name, diagnosis);
            free(name);
            if (!is_good)
                return false;
        } else {
            text_add_bytes(page, at, length);
        }
        text_add(page, "\n");
        at += length + (at[length] == '\n');
    }
    return true;
}

/* Under another name first: the file is whole, or what it was. */
static bool write_file(const char *path, const struct text *text, struct diagnosis *diagnosis)
{
    char *part = format_string("%s.%ld.part", path, (long)getpid());
    FILE *stream = fopen(part, "wbe");
    bool is_good =
        stream != NULL && fwrite(text_chars(text), 1, text->length, stream) == text->length;
    int error = errno;

    if (stream != NULL && fclose(stream) != 0 && is_good) {
        error = errno;
        is_good = false;
    }
    if (is_good && rename(part, path) != 0) {
        error = errno;
        is_good = false;
    }
    if (!is_good) {
        unlink(part);
        diagnose(diagnosis, "%s: cannot be written: %s", path, strerror(error));
    }
    free(part);
    return is_good;
}

bool page_write(const char *path, const struct text *data, struct diagnosis *diagnosis)
{
    struct text frame = {0}, page = {0};
    bool is_good = add_file(&frame, "frame.html", diagnosis) &&
                   fill_frame(&page, &frame, data, diagnosis) && write_file(path, &page, diagnosis);

    text_finish(&frame);
    text_finish(&page);
    return is_good;
}

static bool wait_for_node(pid_t process, struct diagnosis *diagnosis)
{
    int status;

    if (process < 0 || waitpid(process, &status, 0) != process)
        return diagnose(diagnosis, "Node.js cannot be started: %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        diagnose(diagnosis, "figures as SVG need Node.js: there is no program `node`");
        return diagnose_hint(diagnosis, "tools/install-deps brings it");
    }
    return diagnose(diagnosis, "the figures could not be drawn");
}

bool page_write_figures(const char *folder, const struct text *data, struct diagnosis *diagnosis)
{
    char *input = format_string("%s/.data.%ld.json", folder, (long)getpid());
    char *script = page_file("svg.js");
    bool is_good;
    pid_t process;

    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        is_good = diagnose(diagnosis, "%s: %s", folder, strerror(errno));
    } else if ((is_good = write_file(input, data, diagnosis))) {
        fflush(NULL);
        process = fork();
        if (process == 0) {
            execlp("node", "node", script, input, folder, (char *)NULL);
            _exit(127);
        }
        is_good = wait_for_node(process, diagnosis);
        unlink(input);
    }
    free(input);
    free(script);
    return is_good;
}
