/* SPDX-License-Identifier: MIT */
/* read, write and their kin, and the two calls of stdio that hand a program's buffer to the kernel.
 */
#include "transfer.h"

#include "gpuvm.h"

#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#undef fread_unlocked /* macros of stdio.h */
#undef fwrite_unlocked

/* What programs that were built with _FORTIFY_SOURCE call instead. */
PRELOAD_API ssize_t __read_chk(int fd, void *buffer, size_t nbytes, size_t room);
PRELOAD_API ssize_t __pread_chk(int fd, void *buffer, size_t nbytes, off_t offset, size_t room);
PRELOAD_API ssize_t __pread64_chk(int fd, void *buffer, size_t nbytes, off64_t offset, size_t room);
PRELOAD_API size_t __fread_chk(void *buffer, size_t room, size_t size, size_t count, FILE *file);
PRELOAD_API size_t __fread_unlocked_chk(void *buffer, size_t room, size_t size, size_t count,
                                        FILE *file);

#define WRAP(transfer, call)                                                                       \
    __extension__({                                                                                \
        transfer_prepare(&(transfer), false);                                                      \
        transfer_finish(&(transfer), (call));                                                      \
    })

#define PIECE(buffer, nbytes)                                                                      \
    {                                                                                              \
        .iov_base = (void *)(buffer), .iov_len = (nbytes)                                          \
    }

PRELOAD_API ssize_t read(int fd, void *buffer, size_t nbytes)
{
    struct iovec piece = PIECE(buffer, nbytes);
    struct transfer transfer = {.fd = fd, .pieces = &piece, .count = 1, .fills = true};

    return WRAP(transfer, NEXT(read)(fd, buffer, nbytes));
}

PRELOAD_API ssize_t write(int fd, const void *buffer, size_t nbytes)
{
    struct iovec piece = PIECE(buffer, nbytes);
    struct transfer transfer = {.fd = fd, .pieces = &piece, .count = 1};

    return WRAP(transfer, NEXT(write)(fd, buffer, nbytes));
}

PRELOAD_API ssize_t pread(int fd, void *buffer, size_t nbytes, off_t offset)
{
    struct iovec piece = PIECE(buffer, nbytes);
    struct transfer transfer = {fd, &piece, 1, true, true, offset, NULL, false};

    return WRAP(transfer, NEXT(pread)(fd, buffer, nbytes, offset));
}

PRELOAD_API ssize_t pwrite(int fd, const void *buffer, size_t nbytes, off_t offset)
{
    struct iovec piece = PIECE(buffer, nbytes);
    struct transfer transfer = {fd, &piece, 1, false, true, offset, NULL, false};

    return WRAP(transfer, NEXT(pwrite)(fd, buffer, nbytes, offset));
}

PRELOAD_API ssize_t pread64(int fd, void *buffer, size_t nbytes, off64_t offset)
{
    struct iovec piece = PIECE(buffer, nbytes);
    struct transfer transfer = {fd, &piece, 1, true, true, offset, NULL, false};

    return WRAP(transfer, NEXT(pread64)(fd, buffer, nbytes, offset));
}

PRELOAD_API ssize_t pwrite64(int fd, const void *buffer, size_t nbytes, off64_t offset)
{
    struct iovec piece = PIECE(buffer, nbytes);
    struct transfer transfer = {fd, &piece, 1, false, true, offset, NULL, false};

    return WRAP(transfer, NEXT(pwrite64)(fd, buffer, nbytes, offset));
}

PRELOAD_API ssize_t readv(int fd, const struct iovec *pieces, int count)
{
    struct transfer transfer = {.fd = fd, .pieces = pieces, .count = count, .fills = true};

    return WRAP(transfer, NEXT(readv)(fd, pieces, count));
}

PRELOAD_API ssize_t writev(int fd, const struct iovec *pieces, int count)
{
    struct transfer transfer = {.fd = fd, .pieces = pieces, .count = count};

    return WRAP(transfer, NEXT(writev)(fd, pieces, count));
}

PRELOAD_API ssize_t preadv(int fd, const struct iovec *pieces, int count, off_t offset)
{
    struct transfer transfer = {fd, pieces, count, true, true, offset, NULL, false};

    return WRAP(transfer, NEXT(preadv)(fd, pieces, count, offset));
}

PRELOAD_API ssize_t pwritev(int fd, const struct iovec *pieces, int count, off_t offset)
{
    struct transfer transfer = {fd, pieces, count, false, true, offset, NULL, false};

    return WRAP(transfer, NEXT(pwritev)(fd, pieces, count, offset));
}

PRELOAD_API ssize_t preadv64(int fd, const struct iovec *pieces, int count, off64_t offset)
{
    struct transfer transfer = {fd, pieces, count, true, true, offset, NULL, false};

    return WRAP(transfer, NEXT(preadv64)(fd, pieces, count, offset));
}

PRELOAD_API ssize_t pwritev64(int fd, const struct iovec *pieces, int count, off64_t offset)
{
    struct transfer transfer = {fd, pieces, count, false, true, offset, NULL, false};

    return WRAP(transfer, NEXT(pwritev64)(fd, pieces, count, offset));
}

PRELOAD_API ssize_t __read_chk(int fd, void *buffer, size_t nbytes, size_t room)
{
    struct iovec piece = PIECE(buffer, nbytes);
    struct transfer transfer = {.fd = fd, .pieces = &piece, .count = 1, .fills = true};

    return WRAP(transfer, NEXT(__read_chk)(fd, buffer, nbytes, room));
}

PRELOAD_API ssize_t __pread_chk(int fd, void *buffer, size_t nbytes, off_t offset, size_t room)
{
    struct iovec piece = PIECE(buffer, nbytes);
    struct transfer transfer = {fd, &piece, 1, true, true, offset, NULL, false};

    return WRAP(transfer, NEXT(__pread_chk)(fd, buffer, nbytes, offset, room));
}

PRELOAD_API ssize_t __pread64_chk(int fd, void *buffer, size_t nbytes, off64_t offset, size_t room)
{
    struct iovec piece = PIECE(buffer, nbytes);
    struct transfer transfer = {fd, &piece, 1, true, true, offset, NULL, false};

    return WRAP(transfer, NEXT(__pread64_chk)(fd, buffer, nbytes, offset, room));
}

/*
 * stdio cannot be asked twice: after an error it does not say how much it has taken. So the buffer
 * is made ready first.
 */
static const struct preload_library *stdio_begin(const void *buffer, size_t size, size_t count,
                                                 int flags)
{
    const struct preload_library *library = preload_get();
    size_t nbytes;

    if (library == NULL || __builtin_mul_overflow(size, count, &nbytes) ||
        !preload_is_linked(library, buffer, nbytes) ||
        !preload_begin(library, (void *)(uintptr_t)buffer, nbytes, flags))
        return NULL;
    return library;
}

static size_t stdio_end(const struct preload_library *library, const void *buffer, size_t nbytes,
                        size_t result)
{
    if (library != NULL)
        preload_end(library, (void *)(uintptr_t)buffer, nbytes);
    return result;
}

PRELOAD_API size_t fread(void *buffer, size_t size, size_t count, FILE *file)
{
    const struct preload_library *library = stdio_begin(buffer, size, count, GPUVM_READ_WRITE);

    return stdio_end(library, buffer, size * count, NEXT(fread)(buffer, size, count, file));
}

PRELOAD_API size_t fwrite(const void *buffer, size_t size, size_t count, FILE *file)
{
    const struct preload_library *library = stdio_begin(buffer, size, count, GPUVM_READ_ONLY);

    return stdio_end(library, buffer, size * count, NEXT(fwrite)(buffer, size, count, file));
}

PRELOAD_API size_t fread_unlocked(void *buffer, size_t size, size_t count, FILE *file)
{
    const struct preload_library *library = stdio_begin(buffer, size, count, GPUVM_READ_WRITE);

    return stdio_end(library, buffer, size * count,
                     NEXT(fread_unlocked)(buffer, size, count, file));
}

PRELOAD_API size_t fwrite_unlocked(const void *buffer, size_t size, size_t count, FILE *file)
{
    const struct preload_library *library = stdio_begin(buffer, size, count, GPUVM_READ_ONLY);

    return stdio_end(library, buffer, size * count,
                     NEXT(fwrite_unlocked)(buffer, size, count, file));
}

PRELOAD_API size_t __fread_chk(void *buffer, size_t room, size_t size, size_t count, FILE *file)
{
    const struct preload_library *library = stdio_begin(buffer, size, count, GPUVM_READ_WRITE);

    return stdio_end(library, buffer, size * count,
                     NEXT(__fread_chk)(buffer, room, size, count, file));
}

PRELOAD_API size_t __fread_unlocked_chk(void *buffer, size_t room, size_t size, size_t count,
                                        FILE *file)
{
    const struct preload_library *library = stdio_begin(buffer, size, count, GPUVM_READ_WRITE);

    return stdio_end(library, buffer, size * count,
                     NEXT(__fread_unlocked_chk)(buffer, room, size, count, file));
}
