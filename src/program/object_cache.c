/* SPDX-License-Identifier: MIT */
#include "program/object_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "program/program.h"

#define FILE_BYTES_MAX ((off_t)256 << 20)

struct trailer {
    char magic[8];
    uint64_t count;
    uint64_t hash[2];
};

static const char trailer_magic[8] = {'W', 'a', 'v', 'e', 't', 'k', '0', '1'};

/* The cache folder, which the caller frees, or NULL. */
static char *folder_name(void)
{
    const char *own = getenv("WAVETANK_CACHE");
    const char *shared = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");

    if (own != NULL && own[0] != '\0')
        return copy_string(own);
    if (shared != NULL && shared[0] == '/')
        return format_string("%s/wavetank", shared);
    if (home != NULL && home[0] != '\0')
        return format_string("%s/.cache/wavetank", home);
    return NULL;
}

static char *entry_name(const uint64_t key[2], const char *ending)
{
    char *folder = folder_name();
    char *name = NULL;

    if (folder != NULL)
        name = format_string("%s/%016llx%016llx.%s", folder, (unsigned long long)key[1],
                             (unsigned long long)key[0], ending);
    free(folder);
    return name;
}

static bool read_fully(int file, unsigned char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t got = read(file, bytes, count);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        bytes += got;
        count -= (size_t)got;
    }
    return true;
}

static bool write_fully(int file, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;

    while (count > 0) {
        ssize_t put = write(file, at, count);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        at += put;
        count -= (size_t)put;
    }
    return true;
}

/* Takes the file, which is open or -1. */
static bool read_open_file(int file, unsigned char **bytes, size_t *count)
{
    struct stat status;
    bool is_read;

    if (file < 0)
        return false;
    *bytes = NULL;
    is_read =
        fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= FILE_BYTES_MAX;
    if (is_read) {
        *count = (size_t)status.st_size;
        *bytes = allocate(*count + 1, 1);
        is_read = read_fully(file, *bytes, *count);
    }
    close(file);
    if (!is_read)
        free(*bytes);
    return is_read;
}

bool read_whole_file(const char *path, unsigned char **bytes, size_t *count)
{
    return read_open_file(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), bytes, count);
}

/* Code of another user must not run as ours. */
static bool is_own(int file)
{
    struct stat status;

    return fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
           (status.st_uid == geteuid() || status.st_uid == 0) &&
           (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static void tell_foreign(const char *name)
{
    static atomic_flag is_told = ATOMIC_FLAG_INIT;

    if (!atomic_flag_test_and_set(&is_told))
        fprintf(stderr,
                "wavetank: %s is not used: others own it or can write to it, or it is a link\n"
                "  hint: delete it, or set WAVETANK_CACHE to a folder of your own\n",
                name);
}

/* An open entry, or -1. */
static int open_entry(const char *name)
{
    int file = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);

    if (file < 0 && errno == ELOOP)
        tell_foreign(name);
    if (file < 0 || is_own(file))
        return file;
    tell_foreign(name);
    close(file);
    return -1;
}

/* Cuts the trailer off. False: the bytes are not what was once written. */
static bool is_intact(const unsigned char *bytes, size_t *count)
{
    struct trailer trailer;
    uint64_t hash[2];

    if (*count < sizeof trailer)
        return false;
    *count -= sizeof trailer;
    memcpy(&trailer, bytes + *count, sizeof trailer);
    content_hash(bytes, *count, 0, hash);
    return memcmp(trailer.magic, trailer_magic, sizeof trailer_magic) == 0 &&
           trailer.count == *count && trailer.hash[0] == hash[0] && trailer.hash[1] == hash[1];
}

bool object_cache_read(const uint64_t key[2], const char *ending, unsigned char **bytes,
                       size_t *count)
{
    char *name = entry_name(key, ending);
    bool is_hit = name != NULL && read_open_file(open_entry(name), bytes, count);

    if (is_hit && !is_intact(*bytes, count)) {
        is_hit = false;
        free(*bytes);
    }
    free(name);
    return is_hit;
}

/* Makes the folders on the way to `path`; failures show when the file is made. */
static void make_folders(const char *path)
{
    char *copy = copy_string(path);

    for (char *slash = strchr(copy + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(copy, 0700);
        *slash = '/';
    }
    free(copy);
}

void object_cache_write(const uint64_t key[2], const char *ending, const void *bytes, size_t count)
{
    char *name = entry_name(key, ending);
    char *draft = name != NULL ? format_string("%s.XXXXXX", name) : NULL;
    struct trailer trailer = {.count = count};
    int file = -1;

    if (name != NULL) {
        make_folders(name);
        file = mkostemp(draft, O_CLOEXEC);
    }
    if (file >= 0) {
        bool is_written;

        memcpy(trailer.magic, trailer_magic, sizeof trailer_magic);
        content_hash(bytes, count, 0, trailer.hash);
        is_written = write_fully(file, bytes, count) && write_fully(file, &trailer, sizeof trailer);
        is_written = close(file) == 0 && is_written;
        if (!is_written || rename(draft, name) != 0)
            unlink(draft);
    }
    free(draft);
    free(name);
}
