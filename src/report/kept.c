/* SPDX-License-Identifier: MIT */
#include "report/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/write_guard.h"

static bool put_bytes(int file, const char *bytes, size_t count)
{
    struct write_guard guard;
    bool is_good = true;

    write_guard_begin(&guard);
    while (count > 0 && is_good) {
        ssize_t done = write(file, bytes, count);

        is_good = done >= 0 || errno == EINTR;
        if (done > 0) {
            bytes += done;
            count -= (size_t)done;
        }
    }
    write_guard_end(&guard);
    return is_good;
}

bool kept_write(const char *path, const struct kept *kept)
{
    char *next = format_string("%s.next", path);
    int file = open(next, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    struct text all = {0};
    bool is_good;

    text_add(&all, "%" PRIu64 " %zu %zu\n", kept->offset, kept->end.length, kept->table.length);
    text_add_bytes(&all, text_chars(&kept->end), kept->end.length);
    text_add_bytes(&all, text_chars(&kept->table), kept->table.length);
    is_good = file >= 0 && put_bytes(file, text_chars(&all), all.length);
    if (file >= 0)
        is_good = close(file) == 0 && is_good;
    is_good = is_good && rename(next, path) == 0;
    text_finish(&all);
    free(next);
    return is_good;
}

static bool take_bytes(FILE *stream, size_t count, struct text *text)
{
    char *bytes = allocate(count + 1, 1);
    bool is_good = fread(bytes, 1, count, stream) == count;

    text_add_bytes(text, bytes, count);
    free(bytes);
    return is_good;
}

bool kept_read(const char *path, struct kept *kept)
{
    FILE *stream = fopen(path, "re");
    size_t end, table;
    bool is_good;

    memset(kept, 0, sizeof *kept);
    if (stream == NULL)
        return false;
    is_good = fscanf(stream, "%" SCNu64 " %zu %zu", &kept->offset, &end, &table) == 3 &&
              fgetc(stream) == '\n' && take_bytes(stream, end, &kept->end) &&
              take_bytes(stream, table, &kept->table);
    fclose(stream);
    if (!is_good)
        kept_finish(kept);
    return is_good;
}

void kept_finish(struct kept *kept)
{
    text_finish(&kept->end);
    text_finish(&kept->table);
    kept->offset = 0;
}

bool kept_complete(const struct kept *kept, const char *part)
{
    int file = open(part, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    bool is_good = file >= 0 && ftruncate(file, (off_t)kept->offset) == 0 &&
                   lseek(file, 0, SEEK_END) == (off_t)kept->offset &&
                   put_bytes(file, text_chars(&kept->end), kept->end.length);

    if (file >= 0)
        is_good = close(file) == 0 && is_good;
    return is_good;
}
