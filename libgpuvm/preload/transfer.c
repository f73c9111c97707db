/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes of files with buffers in linked arrays. The ordinary call is made first, so that
 * nothing changes for calls that succeed. When it fails with EFAULT, or stops short at a linked
 * array, the buffers are made ready and the rest is asked for, once. Files from which the same data
 * cannot be read again (datagrams, counters) get their buffers ready first.
 */
#include "transfer.h"

#include "gpuvm.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define REPEATED_PIECES 64 /* longer vectors give their short result to the caller */

static int flags_of(const struct transfer *transfer)
{
    return transfer->fills ? GPUVM_READ_WRITE : GPUVM_READ_ONLY;
}

static size_t total_bytes(const struct transfer *transfer)
{
    size_t total = 0;

    for (int i = 0; i < transfer->count; i++)
        total += transfer->pieces[i].iov_len;
    return total;
}

static bool is_linked(const struct transfer *transfer)
{
    for (int i = 0; i < transfer->count; i++) {
        const struct iovec *piece = &transfer->pieces[i];

        if (preload_is_linked(transfer->library, piece->iov_base, piece->iov_len))
            return true;
    }
    return false;
}

static void end_first(const struct transfer *transfer, int count)
{
    for (int i = 0; i < count; i++) {
        const struct iovec *piece = &transfer->pieces[i];

        if (piece->iov_len > 0)
            preload_end(transfer->library, piece->iov_base, piece->iov_len);
    }
}

static bool transfer_begin(const struct transfer *transfer)
{
    for (int i = 0; i < transfer->count; i++) {
        const struct iovec *piece = &transfer->pieces[i];

        if (piece->iov_len > 0 && !preload_begin(transfer->library, piece->iov_base, piece->iov_len,
                                                 flags_of(transfer))) {
            end_first(transfer, i);
            return false;
        }
    }
    return true;
}

/* Whether a read that failed halfway has lost nothing. */
static bool can_read_again(int fd)
{
    int saved_errno = errno;
    struct stat status;
    int type = 0;
    socklen_t type_bytes = sizeof type;
    bool can = false;

    if (fstat(fd, &status) == 0) {
        if (S_ISSOCK(status.st_mode))
            can =
                getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_bytes) == 0 && type == SOCK_STREAM;
        else
            can = S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode) || S_ISBLK(status.st_mode);
    }
    errno = saved_errno;
    return can;
}

void transfer_prepare(struct transfer *transfer, bool is_always)
{
    transfer->library = preload_get();
    transfer->is_begun = false;
    if (transfer->library == NULL || (!transfer->fills && !is_always) || transfer->pieces == NULL ||
        !is_linked(transfer))
        return;
    if (is_always || (!transfer->has_offset && !can_read_again(transfer->fd)))
        transfer->is_begun = transfer_begin(transfer);
}

/* What is left of the transfer after `done` bytes, in pieces[]; the number of pieces, 0 if they are
 * too many. */
static int rest_of(const struct transfer *transfer, size_t done, struct iovec *pieces)
{
    int count = 0;

    if (transfer->count > REPEATED_PIECES)
        return 0;
    for (int i = 0; i < transfer->count; i++) {
        struct iovec piece = transfer->pieces[i];
        size_t skipped = done < piece.iov_len ? done : piece.iov_len;

        done -= skipped;
        piece.iov_base = (char *)piece.iov_base + skipped;
        piece.iov_len -= skipped;
        if (piece.iov_len > 0)
            pieces[count++] = piece;
    }
    return count;
}

/* A call that ended short may go on only if it does not wait where the first would not have. */
static bool would_wait(const struct transfer *transfer)
{
    struct pollfd poller = {.fd = transfer->fd, .events = transfer->fills ? POLLIN : POLLOUT};

    return !transfer->has_offset && poll(&poller, 1, 0) != 1;
}

static ssize_t transfer_repeat(const struct transfer *rest)
{
    if (rest->has_offset)
        return rest->fills ? NEXT(preadv64)(rest->fd, rest->pieces, rest->count, rest->offset)
                           : NEXT(pwritev64)(rest->fd, rest->pieces, rest->count, rest->offset);
    return rest->fills ? NEXT(readv)(rest->fd, rest->pieces, rest->count)
                       : NEXT(writev)(rest->fd, rest->pieces, rest->count);
}

ssize_t transfer_finish(struct transfer *transfer, ssize_t result)
{
    int saved_errno = errno;
    struct iovec pieces[REPEATED_PIECES];
    struct transfer rest = *transfer;
    size_t done = result > 0 ? (size_t)result : 0;
    ssize_t more;

    if (transfer->is_begun) {
        end_first(transfer, transfer->count);
        return result;
    }
    if (result == 0 || (result < 0 && errno != EFAULT))
        return result;
    if (rest.library == NULL || transfer->pieces == NULL || total_bytes(transfer) <= done)
        return result;
    rest.count = rest_of(transfer, done, pieces);
    rest.pieces = pieces;
    rest.offset += (off64_t)done;
    if (!is_linked(&rest) || (done > 0 && would_wait(&rest)) || !transfer_begin(&rest)) {
        errno = saved_errno;
        return result;
    }
    more = transfer_repeat(&rest);
    end_first(&rest, rest.count);
    if (more >= 0)
        return (ssize_t)done + more;
    if (done == 0)
        return more;
    errno = saved_errno;
    return result;
}

PRELOAD_API ssize_t getrandom(void *buffer, size_t nbytes, unsigned flags)
{
    __typeof__(getrandom) *next = NEXT(getrandom);
    const struct preload_library *library = preload_get();
    ssize_t result = next(buffer, nbytes, flags);
    size_t done = result > 0 ? (size_t)result : 0;
    char *rest = (char *)buffer + done;
    ssize_t more;

    if ((result < 0 && errno != EFAULT) || done == nbytes || library == NULL ||
        !preload_is_linked(library, rest, nbytes - done) ||
        !preload_begin(library, rest, nbytes - done, GPUVM_READ_WRITE))
        return result;
    more = next(rest, nbytes - done, flags);
    preload_end(library, rest, nbytes - done);
    if (more < 0)
        return done > 0 ? result : more;
    return (ssize_t)done + more;
}
