/* SPDX-License-Identifier: MIT */
/*
 * Buffers on the program's own memory (CL_MEM_USE_HOST_PTR). Their bytes are in device memory, and
 * the specification lets host memory and device differ outside of maps. Programs count on more:
 * they rewrite the memory between launches, and read it after clFinish. So the two are compared
 * with what both had when they last agreed (`seen`), byte by byte:
 *
 *      host memory  ── differs: the host wrote ──  seen  ── differs: a command wrote ──  device
 *
 * What the host wrote goes to the device before a command uses the buffer. What commands wrote
 * comes back where the program may look: clFinish, clWaitForEvents, blocking calls, a status that
 * is CL_COMPLETE, callbacks. Where both wrote the same byte, the host's stays.
 *
 * Host memory is read and written by system calls that fail where there is none to read or write.
 * The program may have given it back, or it may be read-only. Such a page keeps what was seen.
 *
 * Going to the device is charged as a pinned transfer of the bytes that changed. Coming back costs
 * no simulated time, since a program that pays for it maps. WAVETANK_HOST_POINTERS=copy turns all
 * of it off: then bytes move at creation and at maps alone.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/bits.h"
#include "opencl/host_pointer.h"

enum { PAGE_BYTES = 4096, CHUNK_BYTES = 64 << 10, WORD_BYTES = 4, GAP_BYTES = 64 };

static cl_mem buffers; /* that are kept in step */

/* Guarded by the driver's lock: what one chunk has on either side. */
static unsigned char host_now[CHUNK_BYTES], device_now[CHUNK_BYTES];

/* ---- Host memory that may not be there ---- */

static bool memory_read(void *to, const unsigned char *from, size_t bytes)
{
    struct iovec local = {to, bytes}, remote = {(void *)(uintptr_t)from, bytes};

    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)bytes;
}

/* The end of the page that holds the address, but at most `end`. */
static size_t page_end(const unsigned char *base, size_t offset, size_t end)
{
    size_t left = PAGE_BYTES - (size_t)((uintptr_t)(base + offset) % PAGE_BYTES);

    return left < end - offset ? offset + left : end;
}

/* Fills host_now; a page that cannot be read counts as unchanged. Whether all could. */
static bool chunk_read_host(const struct _cl_mem *root, size_t offset, size_t bytes)
{
    const unsigned char *host = root->host_pointer;
    bool is_whole = memory_read(host_now, host + offset, bytes);

    for (size_t at = offset, next; !is_whole && at < offset + bytes; at = next) {
        next = page_end(host, at, offset + bytes);
        if (!memory_read(host_now + (at - offset), host + at, next - at))
            memcpy(host_now + (at - offset), root->seen + at, next - at);
    }
    return is_whole;
}

/* Writes the words of a page in which device_now and host_now differ; false: it cannot be written.
 * `first` and `end` count in the chunk. */
static bool page_write_host(unsigned char *host, size_t first, size_t end)
{
    struct iovec local[PAGE_BYTES / WORD_BYTES / 2 + 1], remote[ARRAY_COUNT(local)];
    unsigned long count = 0;
    ssize_t bytes = 0;
    bool is_in_run = false;

    for (size_t at = first, word; at < end; at += word) {
        word = end - at < WORD_BYTES ? end - at : WORD_BYTES;
        if (memcmp(device_now + at, host_now + at, word) == 0) {
            is_in_run = false;
            continue;
        }
        if (!is_in_run) {
            local[count] = (struct iovec){device_now + at, 0};
            remote[count++] = (struct iovec){host + at, 0};
        }
        is_in_run = true;
        local[count - 1].iov_len = remote[count - 1].iov_len += word;
        bytes += (ssize_t)word;
    }
    return count == 0 || process_vm_writev(getpid(), local, count, remote, count, 0) == bytes;
}

static void say_unwritable(void)
{
    static bool is_said;

    if (!is_said)
        fprintf(stderr,
                "wavetank: a kernel's results stay on the device: the memory of a buffer with "
                "CL_MEM_USE_HOST_PTR cannot be written\n");
    is_said = true;
}

/* ---- From the host to the device ---- */

/* Writes the stretches of host_now that differ from what was seen; returns how many bytes. */
static size_t chunk_send(cl_mem root, size_t offset, size_t bytes)
{
    unsigned char *seen = root->seen + offset;
    size_t sent = 0;

    machine_read(session_machine(), root->addr + offset, device_now, bytes, TRANSFER_UNTIMED);
    for (size_t i = 0; i < bytes; i++) {
        size_t first = i, end;

        if (host_now[i] == seen[i])
            continue;
        for (end = i; i < bytes && i - end <= GAP_BYTES; i++)
            if (host_now[i] != seen[i]) {
                device_now[i] = seen[i] = host_now[i];
                end = i + 1;
            }
        machine_write(session_machine(), root->addr + offset + first, device_now + first,
                      end - first, TRANSFER_UNTIMED);
        sent += end - first;
    }
    return sent;
}

static size_t range_send(cl_mem root, size_t offset, size_t bytes)
{
    size_t sent = 0;

    for (size_t at = offset, now; at < offset + bytes; at += now) {
        now = offset + bytes - at < CHUNK_BYTES ? offset + bytes - at : CHUNK_BYTES;
        chunk_read_host(root, at, now);
        if (memcmp(host_now, root->seen + at, now) != 0)
            sent += chunk_send(root, at, now);
    }
    return sent;
}

/* ---- From the device to the host ---- */

static void chunk_bring_back(cl_mem root, size_t offset, size_t bytes)
{
    unsigned char *host = (unsigned char *)root->host_pointer + offset, *seen = root->seen + offset;

    machine_read(session_machine(), root->addr + offset, device_now, bytes, TRANSFER_UNTIMED);
    if (memcmp(device_now, seen, bytes) == 0)
        return;
    chunk_read_host(root, offset, bytes);
    for (size_t i = 0; i < bytes; i++) {
        if (host_now[i] == seen[i])
            seen[i] = device_now[i];
        else
            device_now[i] = host_now[i]; /* the host's stays, and goes to the device later */
    }
    for (size_t at = 0, next; at < bytes; at = next) {
        next = page_end(host, at, bytes);
        if (page_write_host(host, at, next))
            continue;
        say_unwritable();
        memcpy(seen + at, host_now + at, next - at); /* not the host's doing: nothing to send */
    }
}

static void range_bring_back(cl_mem root, size_t offset, size_t bytes)
{
    for (size_t at = offset, now; at < offset + bytes; at += now) {
        now = offset + bytes - at < CHUNK_BYTES ? offset + bytes - at : CHUNK_BYTES;
        chunk_bring_back(root, at, now);
    }
}

static void results_bring_back(cl_mem root)
{
    size_t first = root->results_first, end = root->results_end;

    root->results_first = root->results_end = 0;
    if (first < end)
        range_bring_back(root, first, end - first);
}

/* Of all buffers but one whose memory has some of the bytes. */
static void overlapping_bring_back(const struct _cl_mem *but, const void *pointer, size_t bytes)
{
    const unsigned char *host = pointer;

    for (cl_mem other = buffers; other != NULL; other = other->next_kept) {
        const unsigned char *its = other->host_pointer;

        if (other != but && its < host + bytes && host < its + other->bytes)
            results_bring_back(other);
    }
}

static void others_bring_back(const struct _cl_mem *root)
{
    overlapping_bring_back(root, root->host_pointer, root->bytes);
}

/* ---- For the driver ---- */

static bool is_wanted(void)
{
    static enum { UNKNOWN, YES, NO } wanted;
    const char *value = getenv("WAVETANK_HOST_POINTERS");

    if (wanted != UNKNOWN)
        return wanted == YES;
    wanted = value != NULL && strcmp(value, "copy") == 0 ? NO : YES;
    if (wanted == YES && value != NULL && value[0] != '\0' && strcmp(value, "refresh") != 0)
        fprintf(stderr,
                "wavetank: WAVETANK_HOST_POINTERS=%s: there is no such way\n"
                "  hint: it is 'refresh' (as now) or 'copy'\n",
                value);
    return wanted == YES;
}

/* Some containers forbid the system calls. */
static bool is_possible(const struct _cl_mem *root)
{
    static bool is_said;
    unsigned char byte;

    if (memory_read(&byte, root->host_pointer, 1) || (errno != ENOSYS && errno != EPERM))
        return true;
    if (!is_said)
        fprintf(stderr,
                "wavetank: host memory of buffers cannot be examined (process_vm_readv: %s): what "
                "the program writes there without a map is not seen\n",
                strerror(errno));
    is_said = true;
    return false;
}

void host_pointer_keep(cl_mem root)
{
    if (!is_wanted() || !is_possible(root))
        return;
    root->seen = malloc(root->bytes);
    if (root->seen == NULL)
        return;
    memcpy(root->seen, root->host_pointer, root->bytes);
    root->next_kept = buffers;
    buffers = root;
}

void host_pointer_release(cl_mem root)
{
    cl_mem *link = &buffers;

    if (root->seen == NULL)
        return;
    results_bring_back(root);
    while (*link != root)
        link = &(*link)->next_kept;
    *link = root->next_kept;
    free(root->seen);
}

void host_pointer_refresh(cl_mem memory, size_t offset, size_t bytes)
{
    cl_mem root = buffer_root(memory);
    size_t sent;

    if (root->seen == NULL)
        return;
    others_bring_back(root);
    sent = range_send(root, memory->origin + offset, bytes);
    if (sent > 0)
        machine_charge_transfer(session_machine(), sent, TRANSFER_PINNED);
}

void host_pointer_written(cl_mem memory, size_t offset, size_t bytes)
{
    cl_mem root = buffer_root(memory);
    size_t first = memory->origin + offset, end = first + bytes;

    if (root->seen == NULL)
        return;
    if (root->results_first == root->results_end) {
        root->results_first = first;
        root->results_end = end;
    }
    if (first < root->results_first)
        root->results_first = first;
    if (end > root->results_end)
        root->results_end = end;
}

void host_pointer_settle(const void *pointer, size_t bytes)
{
    overlapping_bring_back(NULL, pointer, bytes);
}

void host_pointers_bring_back(void)
{
    for (cl_mem root = buffers; root != NULL; root = root->next_kept)
        results_bring_back(root);
}

void host_pointer_map(cl_mem root, size_t offset, size_t bytes, enum machine_transfer transfer)
{
    others_bring_back(root);
    range_bring_back(root, offset, bytes);
    machine_charge_transfer(session_machine(), bytes, transfer);
}

void host_pointer_unmap(cl_mem root, size_t offset, size_t bytes, enum machine_transfer transfer)
{
    for (size_t at = offset, now; at < offset + bytes; at += now) {
        now = offset + bytes - at < CHUNK_BYTES ? offset + bytes - at : CHUNK_BYTES;
        if (!chunk_read_host(root, at, now)) {
            chunk_send(root, at, now);
            continue;
        }
        machine_write(session_machine(), root->addr + at, host_now, now, TRANSFER_UNTIMED);
        memcpy(root->seen + at, host_now, now);
    }
    machine_charge_transfer(session_machine(), bytes, transfer);
}
