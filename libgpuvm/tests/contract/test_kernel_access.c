/* SPDX-License-Identifier: MIT */
/*
 * System calls whose buffers a device owns, and memory that goes away while it is linked. With the
 * full userfaultfd rungs the kernel waits for the data; elsewhere such calls fail with EFAULT, as
 * gpuvm.h says, unless libgpuvm-preload.so is there. This program is run with it and without.
 */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define BYTES ((size_t)1 << 20)
#define PART 8192 /* what one call moves */

static bool works(void)
{
    return contract_serves_kernel() || contract_has_shim();
}

/* A file that is gone when it is closed. */
static int open_file(void)
{
    char path[] = "/tmp/gpuvm-contract-XXXXXX";
    int fd = mkstemp(path);

    expect(fd >= 0);
    unlink(path);
    return fd;
}

static void fill(uint32_t *words, size_t count, uint32_t seed)
{
    for (uint32_t i = 0; i < count; i++)
        words[i] = rig_mix(i, seed);
}

static unsigned owned;

/*
 * Gives the array to the device; what one call will use of it. Each time another place: what the
 * host wants after every kernel the library copies back before it is touched.
 */
static uint32_t *own(struct array *array)
{
    size_t page = 8 + 20 * (owned++ % 12);

    array_run(array, 0, GPUVM_READ_WRITE);
    rig_wait(array->rig);
    return array->host + page * contract_page_bytes() / 4;
}

static uint32_t *model_of(const struct array *array, const uint32_t *words)
{
    return array->model + (words - array->host);
}

/* After a call that should have filled `words` with `sent`: all of it, or nothing and EFAULT. */
static void expect_filled(struct array *array, const uint32_t *words, ssize_t result,
                          const void *sent)
{
    if (works()) {
        expect_equal(result, PART);
        memcpy(model_of(array, words), sent, PART);
    } else {
        expect_equal(result, -1);
        expect_equal(errno, EFAULT);
    }
    array_check_part(array, (size_t)(words - array->host), WORDS(PART));
}

static void expect_taken(struct array *array, const uint32_t *words, ssize_t result, int fd)
{
    char got[PART];

    if (works()) {
        expect_equal(result, PART);
        expect_equal(pread(fd, got, PART, 0), PART);
        expect_bytes(got, model_of(array, words), PART);
    } else {
        expect_equal(result, -1);
        expect_equal(errno, EFAULT);
    }
    array_check_part(array, (size_t)(words - array->host), WORDS(PART));
}

static void start(struct rig *rig, struct array *array, const struct setting *setting)
{
    rig_start(rig, setting, 0);
    array_make(array, rig, contract_map(BYTES), WORDS(BYTES));
    owned = 0;
}

static void test_read(const struct setting *setting)
{
    uint32_t sent[WORDS(PART)];
    struct rig rig;
    struct array array;
    struct iovec pieces[2];
    uint32_t *words;
    int fd = open_file(), ends[2];

    start(&rig, &array, setting);
    expect_equal(pipe(ends), 0);
    fill(sent, WORDS(PART), 1);
    expect_equal(write(fd, sent, PART), PART);
    words = own(&array);
    expect_filled(&array, words, pread(fd, words, PART, 0), sent);
    words = own(&array);
    lseek(fd, 0, SEEK_SET);
    expect_filled(&array, words, read(fd, words, PART), sent);
    words = own(&array);
    lseek(fd, 0, SEEK_SET);
    pieces[0] = (struct iovec){words, 100};
    pieces[1] = (struct iovec){(char *)words + 100, PART - 100};
    expect_filled(&array, words, readv(fd, pieces, 2), sent);
    words = own(&array);
    pieces[0].iov_base = words;
    pieces[1].iov_base = (char *)words + 100;
    expect_filled(&array, words, preadv(fd, pieces, 2, 0), sent);
    words = own(&array);
    expect_equal(write(ends[1], sent, PART), PART);
    expect_filled(&array, words, read(ends[0], words, PART), sent);
    array_end(&array);
    rig_stop(&rig);
}

static void test_write(const struct setting *setting)
{
    struct rig rig;
    struct array array;
    struct iovec pieces[2];
    uint32_t *words;
    int fd = open_file();

    start(&rig, &array, setting);
    words = own(&array);
    expect_taken(&array, words, pwrite(fd, words, PART, 0), fd);
    words = own(&array);
    lseek(fd, 0, SEEK_SET);
    expect_taken(&array, words, write(fd, words, PART), fd);
    words = own(&array);
    lseek(fd, 0, SEEK_SET);
    pieces[0] = (struct iovec){words, 4096};
    pieces[1] = (struct iovec){(char *)words + 4096, PART - 4096};
    expect_taken(&array, words, writev(fd, pieces, 2), fd);
    words = own(&array);
    pieces[0].iov_base = words;
    pieces[1].iov_base = (char *)words + 4096;
    expect_taken(&array, words, pwritev(fd, pieces, 2, 0), fd);
    array_end(&array);
    rig_stop(&rig);
}

/* The kernel writes to pages that the host may read, but whose first write is watched. */
static void test_read_into_tracked(const struct setting *setting)
{
    uint32_t sent[WORDS(PART)];
    struct rig rig;
    struct array array;
    uint32_t *words;
    int fd = open_file();

    start(&rig, &array, setting);
    fill(sent, WORDS(PART), 5);
    expect_equal(write(fd, sent, PART), PART);
    for (int round = 0; round < 3; round++) {
        ssize_t result;

        words = own(&array);
        array_check(&array);
        array_check_device(&array, 0);
        result = pread(fd, words, PART, 0);
        if (result == PART) /* a rung may well serve this one */
            memcpy(model_of(&array, words), sent, PART);
        else
            expect(!works() && result == -1 && errno == EFAULT);
        array_check_device(&array, 0); /* the kernel's write is noticed */
    }
    array_end(&array);
    rig_stop(&rig);
}

/* Not wrapped: another process, or this, copies through the kernel. */
static void test_process_vm(const struct setting *setting)
{
    char got[PART];
    struct rig rig;
    struct array array;
    struct iovec here = {got, PART}, there;
    uint32_t *words;
    ssize_t result;

    start(&rig, &array, setting);
    words = own(&array);
    there = (struct iovec){words, PART};
    result = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    if (result < 0 && (errno == EPERM || errno == ENOSYS))
        contract_skip("process_vm_readv is not allowed here");
    if (contract_serves_kernel()) {
        expect_equal(result, PART);
        expect_bytes(got, model_of(&array, words), PART);
    } else {
        expect_equal(result, -1);
        expect_equal(errno, EFAULT);
    }
    array_check(&array);
    array_end(&array);
    rig_stop(&rig);
}

/* The call begins on the host's pages and ends on the device's: the kernel would stop in between.
 */
static void test_partial(const struct setting *setting)
{
    uint32_t sent[WORDS(PART)];
    struct rig rig;
    struct array array;
    uint32_t *words;
    int fd = open_file(), ends[2];
    size_t half = PART / 2;

    if (!works())
        contract_skip("a short result is right here without libgpuvm-preload.so");
    start(&rig, &array, setting);
    fill(sent, WORDS(PART), 2);
    expect_equal(write(fd, sent, PART), PART);
    expect_equal(pipe(ends), 0);
    for (int kind = 0; kind < 4; kind++) {
        ssize_t result = 0;

        words = own(&array);
        array_check_part(&array, (size_t)(words - array.host), WORDS(half));
        if (kind == 0)
            result = pread(fd, words, PART, 0);
        else if (kind == 1)
            result = pwrite(fd, words, PART, 0);
        else if (kind == 2)
            result = write(ends[1], words, PART);
        else
            result = read(ends[0], words, PART); /* what kind 2 wrote */
        expect_equal(result, PART);
        if (kind == 0)
            memcpy(model_of(&array, words), sent, PART);
        if (kind == 1)
            expect_equal(pread(fd, sent, PART, 0), PART);
        if (kind == 2)
            memcpy(sent, model_of(&array, words), PART);
        if (kind == 3)
            memcpy(model_of(&array, words), sent, PART);
        else if (kind == 1)
            expect_bytes(sent, model_of(&array, words), PART);
        array_check(&array);
    }
    array_end(&array);
    rig_stop(&rig);
}

/* A short read from a pipe stays short: the shim must not wait for more. */
static void test_short_read(const struct setting *setting)
{
    uint32_t sent[WORDS(PART)];
    struct rig rig;
    struct array array;
    int ends[2];

    start(&rig, &array, setting);
    fill(sent, WORDS(PART), 3);
    expect_equal(pipe(ends), 0);
    expect_equal(gpuvm_host_begin(array.host, BYTES, GPUVM_READ_WRITE), 0);
    expect_equal(write(ends[1], sent, 100), 100);
    expect_equal(read(ends[0], array.host, PART), 100);
    expect_equal(gpuvm_host_end(array.host, BYTES), 0);
    memcpy(array.model, sent, 100);
    array_end(&array);
    rig_stop(&rig);
}

/* A datagram that met EFAULT is lost, so the shim may not just try again. */
static void test_sockets(const struct setting *setting)
{
    static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};
    uint32_t sent[WORDS(PART)];

    for (size_t t = 0; t < 3; t++)
        for (int kind = 0; kind < 4; kind++) {
            struct rig rig;
            struct array array;
            struct iovec piece;
            struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
            uint32_t *words;
            int ends[2];
            ssize_t result;

            start(&rig, &array, setting);
            expect_equal(socketpair(AF_UNIX, types[t], 0, ends), 0);
            words = own(&array);
            piece = (struct iovec){words, PART};
            result = kind == 0   ? send(ends[0], words, PART, 0)
                     : kind == 1 ? sendto(ends[0], words, PART, 0, NULL, 0)
                     : kind == 2 ? sendmsg(ends[0], &message, 0)
                                 : write(ends[0], words, PART);
            expect_equal(result, works() ? PART : -1);
            expect(works() || errno == EFAULT);
            if (works())
                expect_equal(recv(ends[1], sent, PART, MSG_WAITALL), PART);
            if (works())
                expect_bytes(sent, model_of(&array, words), PART);
            fill(sent, WORDS(PART), (uint32_t)kind);
            expect_equal(send(ends[1], sent, PART, 0), PART);
            words = own(&array);
            piece = (struct iovec){words, PART};
            result = kind == 0   ? recv(ends[0], words, PART, MSG_WAITALL)
                     : kind == 1 ? recvfrom(ends[0], words, PART, MSG_WAITALL, NULL, NULL)
                     : kind == 2 ? recvmsg(ends[0], &message, MSG_WAITALL)
                                 : read(ends[0], words, PART);
            expect_filled(&array, words, result, sent);
            close(ends[0]);
            close(ends[1]);
            array_end(&array);
            rig_stop(&rig);
        }
}

/* stdio hands large buffers to the kernel itself; getrandom fills what it is given. */
static void test_stdio_and_random(const struct setting *setting)
{
    static uint32_t sent[WORDS(PART * 4)], got[WORDS(PART * 4)];
    struct rig rig;
    struct array array;
    uint32_t *words;
    FILE *file = tmpfile();

    if (!works())
        contract_skip("these fail here without libgpuvm-preload.so");
    start(&rig, &array, setting);
    expect(file != NULL);
    fill(sent, WORDS(sizeof sent), 8);
    words = own(&array);
    expect_equal(fwrite(words, 1, sizeof sent, file), sizeof sent);
    rewind(file);
    expect_equal(fread(got, 1, sizeof got, file), sizeof got);
    expect_bytes(got, model_of(&array, words), sizeof got);
    rewind(file);
    expect_equal(fwrite(sent, 1, sizeof sent, file), sizeof sent);
    rewind(file);
    words = own(&array);
    expect_equal(fread(words, 1, sizeof sent, file), sizeof sent);
    memcpy(model_of(&array, words), sent, sizeof sent);
    array_check(&array);
    words = own(&array);
    expect_equal(getrandom(words, PART, 0), PART);
    memcpy(model_of(&array, words), words, PART);
    array_check(&array);
    array_check_device(&array, 0);
    fclose(file);
    array_end(&array);
    rig_stop(&rig);
}

/* Bad pointers are still the program's business, and errno stays what the call made it. */
static void test_other_errors(const struct setting *setting)
{
    struct rig rig;
    struct array array;
    char *nowhere = contract_map(PART), byte = 1;
    int fd = open_file();

    start(&rig, &array, setting);
    expect_equal(mprotect(nowhere, PART, PROT_NONE), 0);
    errno = 0;
    expect_equal(write(fd, nowhere, PART), -1);
    expect_equal(errno, EFAULT);
    errno = 0;
    expect_equal(read(-1, &byte, 1), -1);
    expect_equal(errno, EBADF);
    errno = 0;
    expect_equal(write(-1, own(&array), PART), -1);
    expect_equal(errno, EBADF);
    errno = 7;
    expect_equal(write(fd, &byte, 1), 1);
    expect_equal(errno, 7);
    array_end(&array);
    rig_stop(&rig);
}

static const struct test tests[] = {
    {"read", test_read, ON_ALL},
    {"write", test_write, ON_ALL},
    {"read_into_tracked", test_read_into_tracked, ON_ALL},
    {"process_vm", test_process_vm, ON_ANY_ONE},
    {"partial", test_partial, ON_ANY_ONE},
    {"short_read", test_short_read, ON_ONE},
    {"sockets", test_sockets, ON_ANY_ONE},
    {"stdio_and_random", test_stdio_and_random, ON_ANY_ONE},
    {"other_errors", test_other_errors, ON_ONE},
};

CONTRACT_MAIN(tests)
