/* SPDX-License-Identifier: MIT */
#include "report/json_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "report/json.h"
#include "report/special_file.h"
#include "report/write_guard.h"

enum { WRITE_BYTES = 65536 };

struct json_file {
    char *pattern; /* as the user wrote it */
    char *part;    /* where it is to be written; NULL: not said */
    char *path;    /* with the process number for %p */
    char *beside;  /* where it is written; NULL: a nameless file, since the path is no plain one */
    enum json_kernels kernels;
    pid_t process;       /* that writes */
    int file;            /* -1: closed, after completion or an error */
    uint64_t written;    /* bytes of the unfinished report in the file */
    struct text pending; /* and those that follow them */
    struct json_writer writer;
    uint32_t listed; /* launches with an object of their own */
    bool has_name;   /* was completed: stands under its path */
    bool is_special; /* the path is a terminal, a pipe, a device: not to be replaced */
    dev_t device;    /* of the open file: */
    ino_t number;    /* a program may close what it does not know, and open something else */
    int error;       /* errno of the first failure; 0: none */
};

/* ---- Bytes ---- */

static void note_error(struct json_file *file)
{
    if (file->error == 0)
        file->error = errno != 0 ? errno : EIO;
}

static void put_bytes(struct json_file *file, int to, const char *bytes, size_t count,
                      uint64_t offset)
{
    struct write_guard guard;

    write_guard_begin(&guard);
    while (count > 0 && file->error == 0) {
        ssize_t done = pwrite(to, bytes, count, (off_t)offset);

        if (done < 0 && errno != EINTR)
            note_error(file);
        if (done <= 0)
            continue;
        bytes += done;
        count -= (size_t)done;
        offset += (uint64_t)done;
    }
    write_guard_end(&guard);
}

static void flush_pending(struct json_file *file)
{
    if (file->error == 0)
        put_bytes(file, file->file, text_chars(&file->pending), file->pending.length,
                  file->written);
    file->written += file->pending.length;
    file->pending.length = 0;
}

/* Copies the first `count` bytes of a file, by pread, to another, by `put`. */
static void copy_bytes(struct json_file *file, int from, int to, uint64_t count, bool is_stream)
{
    char bytes[WRITE_BYTES];
    uint64_t at = 0;

    while (at < count && file->error == 0) {
        size_t wanted = count - at < sizeof bytes ? (size_t)(count - at) : sizeof bytes;
        ssize_t got = pread(from, bytes, wanted, (off_t)at), done = got;

        if (got > 0 && !is_stream)
            put_bytes(file, to, bytes, (size_t)got, at);
        else if (got > 0)
            done = write(to, bytes, (size_t)got);
        if (done <= 0 && errno != EINTR)
            note_error(file);
        at += done > 0 ? (uint64_t)done : 0;
    }
}

/* ---- Opening ---- */

char *json_file_expand(const char *path, pid_t process)
{
    struct text text = {0};
    char *result;

    for (const char *at = path; *at != '\0'; at++) {
        if (at[0] == '%' && at[1] == 'p') {
            text_add(&text, "%ld", (long)process);
            at++;
        } else
            text_add_bytes(&text, at, 1);
    }
    result = copy_string(text_chars(&text));
    text_finish(&text);
    return result;
}

/* A file without a name, in the folder for such. */
static int open_nameless(void)
{
    const char *folder = getenv("TMPDIR");
    char *path = format_string("%s/wavetank-XXXXXX", folder != NULL ? folder : "/tmp");
    int file = mkostemp(path, O_CLOEXEC);

    if (file >= 0)
        unlink(path);
    free(path);
    return file;
}

/* Never through a link that stands there: what is in the way goes. */
static int open_beside(const char *path)
{
    int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int file = open(path, flags, 0666);

    if (file < 0 && errno == EEXIST && unlink(path) == 0)
        file = open(path, flags, 0666);
    return file;
}

/* Away from 0, 1 and 2, where a program that has closed them would print into the file. */
static int move_up(int file)
{
    int moved =
        file < 0 || file > STDERR_FILENO ? file : fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

    if (moved != file)
        close(file);
    return moved;
}

static void take_file(struct json_file *file, int descriptor)
{
    struct stat status = {0};

    file->file = move_up(descriptor);
    if (file->file < 0 || fstat(file->file, &status) != 0)
        note_error(file);
    file->device = status.st_dev;
    file->number = status.st_ino;
}

static void open_file(struct json_file *file)
{
    file->process = getpid();
    file->path = json_file_expand(file->pattern, file->process);
    file->has_name = false;
    file->is_special = special_file(file->path);
    file->beside = file->part != NULL ? copy_string(file->part)
                   : file->is_special ? NULL
                                      : format_string("%s.%ld.part", file->path, (long)getpid());
    errno = 0;
    take_file(file, file->beside != NULL ? open_beside(file->beside) : open_nameless());
}

static void close_file(struct json_file *file)
{
    if (file->file >= 0 && close(file->file) != 0)
        note_error(file);
    file->file = -1;
}

/* In a child of the process that wrote so far: a file of its own, which begins with the same. */
static void leave_parent(struct json_file *file)
{
    int before = file->file >= 0 ? file->file : open(file->path, O_RDONLY | O_CLOEXEC);

    free(file->path);
    free(file->beside);
    open_file(file);
    if (before < 0)
        note_error(file);
    if (file->error == 0)
        copy_bytes(file, before, file->file, file->written, false);
    if (before >= 0)
        close(before);
}

static bool is_ours(const struct json_file *file)
{
    struct stat status;

    return file->file >= 0 && fstat(file->file, &status) == 0 && status.st_dev == file->device &&
           status.st_ino == file->number;
}

/* The file can be written to, or has an error. */
static void be_open(struct json_file *file)
{
    const char *path;

    if (file->process != getpid())
        leave_parent(file);
    if (is_ours(file) || file->error != 0)
        return;
    path = file->has_name ? file->path : file->beside;
    errno = EBADF;
    take_file(file, path != NULL ? open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC) : -1);
}

/* ---- A report ---- */

struct json_file *json_file_begin(const char *path, const char *part, enum json_kernels kernels,
                                  const struct run_report *run)
{
    struct json_file *file = allocate(1, sizeof *file);

    file->pattern = copy_string(path);
    file->part = part != NULL ? copy_string(part) : NULL;
    file->kernels = kernels;
    file->writer.text = &file->pending;
    open_file(file);
    json_report_begin(&file->writer, run);
    return file;
}

void json_file_move(struct json_file *file, const char *path, const char *part)
{
    free(file->pattern);
    free(file->part);
    file->pattern = copy_string(path);
    file->part = part != NULL ? copy_string(part) : NULL;
    if (file->process != getpid()) {
        leave_parent(file);
        return;
    }
    free(file->path);
    file->path = json_file_expand(path, file->process);
    file->is_special = special_file(file->path);
}

static bool is_listed_next(const struct json_file *file)
{
    return file->kernels == JSON_KERNELS_ALL ||
           (file->kernels == JSON_KERNELS_FIRST && file->listed < JSON_FIRST_LAUNCHES);
}

bool json_file_add(struct json_file *file, const struct run_kernel *kernel,
                   const struct run_log *log)
{
    if (!is_listed_next(file))
        return false;
    file->listed++;
    json_report_kernel(&file->writer, kernel, &log->levels, log->all.core_khz);
    if (file->pending.length < WRITE_BYTES)
        return true;
    be_open(file);
    flush_pending(file);
    return true;
}

static void give_name(struct json_file *file)
{
    if (file->error != 0 || file->has_name)
        return;
    if (rename(file->beside, file->path) == 0)
        file->has_name = true;
    else
        note_error(file);
}

static void send_whole(struct json_file *file, uint64_t count)
{
    int to = file->error == 0 ? special_file_open(file->path) : -1;
    struct write_guard guard;

    if (to < 0) {
        note_error(file);
        return;
    }
    write_guard_begin(&guard);
    copy_bytes(file, file->file, to, count, true);
    write_guard_end(&guard);
    if (close(to) != 0)
        note_error(file);
    if (file->beside != NULL)
        unlink(file->beside);
}

bool json_file_keep(struct json_file *file, const struct run_report *run, const struct run_log *log,
                    struct text *end, uint64_t *offset)
{
    struct json_writer writer = file->writer;
    bool has_sums = log->all.launches > file->listed && file->kernels != JSON_KERNELS_NONE;

    writer.text = end;
    json_report_end(&writer, run, log, has_sums);
    be_open(file);
    flush_pending(file);
    *offset = file->written;
    return file->error == 0;
}

bool json_file_complete(struct json_file *file, const struct run_report *run,
                        const struct run_log *log, struct diagnosis *diagnosis)
{
    struct text end = {0};
    uint64_t offset;

    if (json_file_keep(file, run, log, &end, &offset))
        put_bytes(file, file->file, text_chars(&end), end.length, file->written);
    if (file->error == 0 && ftruncate(file->file, (off_t)(file->written + end.length)) != 0)
        note_error(file);
    if (file->is_special)
        send_whole(file, file->written + end.length);
    else {
        close_file(file);
        give_name(file);
    }
    text_finish(&end);
    if (file->error == 0)
        return true;
    if (file->beside != NULL && !file->has_name)
        unlink(file->beside);
    return diagnose(diagnosis, "cannot write statistics to %s: %s", file->path,
                    strerror(file->error));
}

void json_file_destroy(struct json_file *file)
{
    if (file == NULL)
        return;
    if (file->file >= 0)
        close(file->file);
    text_finish(&file->pending);
    free(file->pattern);
    free(file->part);
    free(file->path);
    free(file->beside);
    free(file);
}
