/* SPDX-License-Identifier: MIT */
/* What the host does with arrays, and with the memory beside them. */
#include "worker.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* A part of an idle array, in its block's coordinates. */
struct part {
    struct array *array;
    struct block *block;
    size_t at, bytes;
};

static bool pick_part(struct worker *worker, struct part *part)
{
    part->array = pick_array(worker, is_idle);
    if (part->array == NULL)
        return false;
    part->block = part->array->block;
    pick_range(&worker->dice, part->array->bytes, &part->at, &part->bytes);
    part->at += part->array->offset;
    return true;
}

/* Where the array's own offsets begin: for the notes. */
static size_t own(const struct part *part)
{
    return part->at - part->array->offset;
}

/* ---- Reading ---- */

/* In steps from the front: what a loop over an array does. */
static void read_forwards(struct worker *worker, const struct part *part, size_t step)
{
    for (size_t done = 0; done < part->bytes; done += step) {
        size_t piece = part->bytes - done < step ? part->bytes - done : step;
        compare(worker, part->block, part->at + done, piece, "reading forwards");
    }
}

static void read_backwards(struct worker *worker, const struct part *part, size_t step)
{
    for (size_t left = part->bytes; left > 0;) {
        size_t piece = left < step ? left : step;
        left -= piece;
        compare(worker, part->block, part->at + left, piece, "reading backwards");
    }
}

/* Single bytes, `stride` apart. */
static void read_strided(struct worker *worker, const struct part *part, size_t stride)
{
    for (size_t done = 0; done < part->bytes; done += stride)
        compare(worker, part->block, part->at + done, 1, "reading with a stride");
}

static void read_random(struct worker *worker, const struct part *part, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        compare(worker, part->block, part->at + dice_below(&worker->dice, part->bytes), 1,
                "reading at random");
}

bool read_host(struct worker *worker)
{
    struct part part;
    if (!pick_part(worker, &part))
        return false;
    unsigned way = (unsigned)dice_below(&worker->dice, 5);
    size_t step = dice_between(&worker->dice, 1 + part.bytes / 5000, 20000);
    note(worker, part.array, "host reads %zu bytes at %zu, way %u, step %zu", part.bytes,
         own(&part), way, step);
    if (way == 0)
        compare(worker, part.block, part.at, part.bytes, "reading at once");
    else if (way == 1)
        read_forwards(worker, &part, step);
    else if (way == 2)
        read_backwards(worker, &part, step);
    else if (way == 3)
        read_strided(worker, &part, step);
    else
        read_random(worker, &part, 1 + (unsigned)dice_below(&worker->dice, 50));
    return true;
}

/* ---- Writing ---- */

/* One random word or byte at a time, model and host alike. */
static void write_random(struct worker *worker, const struct part *part, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        size_t at = part->at + dice_below(&worker->dice, part->bytes);
        unsigned char value = (unsigned char)dice_next(&worker->dice);
        part->block->model[at] = value;
        part->block->host[at] = value;
    }
}

static void write_strided(struct worker *worker, const struct part *part, size_t stride)
{
    for (size_t done = 0; done < part->bytes; done += stride) {
        unsigned char value = (unsigned char)dice_next(&worker->dice);
        part->block->model[part->at + done] = value;
        part->block->host[part->at + done] = value;
    }
}

/* Reads and writes each byte: what the host had not must have come before the sum is made. */
static void add_to_bytes(const struct part *part, unsigned char what)
{
    unsigned char *host = part->block->host + part->at;
    unsigned char *model = part->block->model + part->at;
    for (size_t i = 0; i < part->bytes; i++) {
        host[i] = (unsigned char)(host[i] * 5 + what);
        model[i] = (unsigned char)(model[i] * 5 + what);
    }
}

static void write_whole(struct worker *worker, const struct part *part)
{
    dice_fill(&worker->dice, part->block->model + part->at, part->bytes);
    memcpy(part->block->host + part->at, part->block->model + part->at, part->bytes);
}

static void set_bytes(const struct part *part, int value)
{
    memset(part->block->model + part->at, value, part->bytes);
    memset(part->block->host + part->at, value, part->bytes);
}

bool write_host(struct worker *worker)
{
    struct part part;
    if (!pick_part(worker, &part))
        return false;
    unsigned way = (unsigned)dice_below(&worker->dice, 5);
    size_t stride = dice_between(&worker->dice, 1 + part.bytes / 5000, 20000);
    note(worker, part.array, "host writes %zu bytes at %zu, way %u, stride %zu", part.bytes,
         own(&part), way, stride);
    if (way == 0)
        write_whole(worker, &part);
    else if (way == 1)
        write_strided(worker, &part, stride);
    else if (way == 2)
        add_to_bytes(&part, (unsigned char)stride);
    else if (way == 3)
        set_bytes(&part, (int)(stride & 0xFF));
    else
        write_random(worker, &part, 1 + (unsigned)dice_below(&worker->dice, 50));
    return true;
}

void rewrite(struct worker *worker, struct array *array)
{
    struct part part = {array, array->block, array->offset, array->bytes};
    note(worker, array, "host writes all: undefined before");
    write_whole(worker, &part);
}

/* What the host does after each of the rounds below. */
enum touch {
    TOUCH_NOTHING,
    TOUCH_READ_ALL,
    TOUCH_READ_SOME,
    TOUCH_WRITE_ALL,
    TOUCH_WRITE_PAGES,
    TOUCH_WRITE_SECOND_PAGES,
    TOUCH_WRITE_SOME,
    TOUCH_WRITE_SCATTERED,
    TOUCHES,
};

/* One byte of every page, or of every second: what dense and sparse writers look like to the
 * library. */
static void write_pages(struct worker *worker, const struct part *part, size_t step)
{
    write_strided(worker, part, step);
    if (dice_one_in(&worker->dice, 4))
        compare(worker, part->block, part->at, part->bytes, "after writing pages");
}

static void touch_host(struct worker *worker, struct array *array, enum touch touch)
{
    struct part part = {array, array->block, array->offset, array->bytes};
    note(worker, array, "the round's touch %d", (int)touch);
    switch (touch) {
    case TOUCH_NOTHING:
        break;
    case TOUCH_READ_ALL:
        read_forwards(worker, &part, 4096);
        break;
    case TOUCH_READ_SOME:
        read_random(worker, &part, 3);
        break;
    case TOUCH_WRITE_ALL:
        write_whole(worker, &part);
        break;
    case TOUCH_WRITE_PAGES:
        write_pages(worker, &part, 4096);
        break;
    case TOUCH_WRITE_SECOND_PAGES:
        write_pages(worker, &part, 8192);
        break;
    case TOUCH_WRITE_SOME:
        write_random(worker, &part, 5);
        break;
    case TOUCH_WRITE_SCATTERED:
        write_random(worker, &part, 36 + (unsigned)dice_below(&worker->dice, 20));
        break;
    case TOUCHES:
        break;
    }
}

/*
 * The same again and again: what the library learns from. Seldom it changes in the middle, so that
 * what was learnt is wrong.
 */
bool play_rounds(struct worker *worker)
{
    struct array *array = pick_array(worker, is_idle), *other = pick_array(worker, is_idle);
    if (array == NULL)
        return false;
    array = other->bytes > array->bytes ? other : array; /* small ones have nothing to learn from */
    enum touch touch = (enum touch)dice_below(&worker->dice, TOUCHES);
    if (dice_one_in(&worker->dice, 3)) { /* all on the host, then written here and there */
        touch_host(worker, array, TOUCH_READ_ALL);
        touch = TOUCH_WRITE_SCATTERED;
    }
    int flags = dice_one_in(&worker->dice, 2) ? GPUVM_READ_ONLY : GPUVM_READ_WRITE;
    for (size_t i = dice_between(&worker->dice, 2, 12); i > 0; i--) {
        unsigned device = (unsigned)dice_below(&worker->dice, fuzz.devices);
        if (!array->links[device].is_linked || !use_once(worker, array, device, flags))
            continue;
        touch_host(worker, array, touch);
        if (dice_one_in(&worker->dice, 10))
            touch = (enum touch)dice_below(&worker->dice, TOUCHES);
        if (dice_one_in(&worker->dice, 10))
            flags = GPUVM_READ_WRITE;
    }
    return true;
}

bool copy_host(struct worker *worker)
{
    struct part to, from;
    if (!pick_part(worker, &to) || !pick_part(worker, &from))
        return false;
    size_t bytes = to.bytes < from.bytes ? to.bytes : from.bytes;
    note(worker, to.array, "memmove of %zu bytes to %zu", bytes, own(&to));
    if (from.array != to.array)
        note(worker, from.array, "memmove of %zu bytes from %zu", bytes, own(&from));
    memmove(to.block->host + to.at, from.block->host + from.at, bytes);
    memmove(to.block->model + to.at, from.block->model + from.at, bytes);
    if (dice_one_in(&worker->dice, 2))
        compare(worker, to.block, to.at, bytes, "after memmove");
    return true;
}

/* Bytes around an array's ends, at most a page off; false: they are not the host's to touch now. */
static bool pick_beside(struct worker *worker, struct part *part)
{
    part->array = pick_array(worker, is_any);
    if (part->array == NULL)
        return false;
    part->block = part->array->block;
    size_t end = part->array->offset + part->array->bytes;
    size_t distance = dice_below(&worker->dice, dice_one_in(&worker->dice, 2) ? 16 : 4096);
    if (dice_one_in(&worker->dice, 2))
        part->at = end + distance;
    else
        part->at = part->array->offset - distance - 1; /* may wrap: then it is beyond the block */
    if (part->at >= part->block->bytes)
        return false;
    size_t room = part->block->bytes - part->at;
    part->bytes = dice_between(&worker->dice, 1, room < 64 ? room : 64);
    return host_may_touch(worker, part->block, part->at, part->bytes);
}

bool write_beside(struct worker *worker)
{
    struct part part;
    if (!pick_beside(worker, &part))
        return false;
    note(worker, part.array, "host writes %zu bytes beside, at %zd", part.bytes,
         (ssize_t)(part.at - part.array->offset));
    compare(worker, part.block, part.at, part.bytes, "before writing beside");
    write_whole(worker, &part);
    compare(worker, part.block, part.at, part.bytes, "after writing beside");
    return true;
}

/* ---- Explicit touches ---- */

static void begin_host_use(struct worker *worker, const struct part *part, int flags)
{
    unsigned char *host = part->block->host + part->at;
    int result;
    while ((result = gpuvm_host_begin(host, part->bytes, flags)) != 0) {
        if (!is_injected(worker, part->array, "gpuvm_host_begin", result))
            expect(worker, part->array, "gpuvm_host_begin", result, 0);
    }
}

static void end_host_use(struct worker *worker, const struct part *part)
{
    unsigned char *host = part->block->host + part->at;
    expect(worker, part->array, "gpuvm_host_end", gpuvm_host_end(host, part->bytes), 0);
}

/* A part of one array, or of a block with all that lies in it. */
static bool pick_wide_part(struct worker *worker, struct part *part)
{
    if (!pick_part(worker, part))
        return false;
    if (dice_one_in(&worker->dice, 3))
        pick_range(&worker->dice, part->block->bytes, &part->at, &part->bytes);
    return host_may_touch(worker, part->block, part->at, part->bytes);
}

static int pick_host_flags(struct worker *worker)
{
    static const int flags[] = {GPUVM_READ_ONLY, GPUVM_READ_WRITE, GPUVM_WRITE_ONLY};
    return flags[dice_below(&worker->dice, 3)];
}

bool use_host(struct worker *worker)
{
    struct part part;
    if (!pick_wide_part(worker, &part))
        return false;
    int flags = pick_host_flags(worker);
    note(worker, part.array, "gpuvm_host_begin of %zu bytes at %zd, flags 0x%x", part.bytes,
         (ssize_t)(part.at - part.array->offset), (unsigned)flags);
    begin_host_use(worker, &part, flags);
    if (flags != GPUVM_WRITE_ONLY)
        compare(worker, part.block, part.at, part.bytes, "after gpuvm_host_begin");
    if (flags == GPUVM_READ_WRITE)
        write_random(worker, &part, 1 + (unsigned)dice_below(&worker->dice, 50));
    if (flags == GPUVM_WRITE_ONLY)
        write_whole(worker, &part);
    end_host_use(worker, &part);
    return true;
}

/* ---- System calls ---- */

/* write(2) out of the array into a file or a pipe; what arrives is compared. */
static void write_out(struct worker *worker, const struct part *part, bool is_pipe)
{
    const unsigned char *host = part->block->host + part->at;
    ssize_t sent = is_pipe ? write(worker->pipe_ends[1], host, part->bytes)
                           : pwrite(worker->memory_file, host, part->bytes, 0);
    if (sent != (ssize_t)part->bytes)
        fail(worker, part->array, "write(2) of %zu bytes: %zd (%s)", part->bytes, sent,
             sent < 0 ? strerror(errno) : "short");
    ssize_t got = is_pipe ? read(worker->pipe_ends[0], worker->scratch, part->bytes)
                          : pread(worker->memory_file, worker->scratch, part->bytes, 0);
    if (got != sent)
        fail(worker, part->array, "reading back what write(2) sent: %zd of %zd", got, sent);
    compare_copy(worker, part->block, part->at, part->bytes, worker->scratch, "write(2) sent");
}

/* read(2) into the array. */
static void read_in(struct worker *worker, const struct part *part, bool is_pipe)
{
    unsigned char *model = part->block->model + part->at;
    unsigned char *host = part->block->host + part->at;
    dice_fill(&worker->dice, model, part->bytes);
    ssize_t sent = is_pipe ? write(worker->pipe_ends[1], model, part->bytes)
                           : pwrite(worker->memory_file, model, part->bytes, 0);
    if (sent != (ssize_t)part->bytes)
        fail(worker, part->array, "preparing read(2): %zd of %zu", sent, part->bytes);
    ssize_t got = is_pipe ? read(worker->pipe_ends[0], host, part->bytes)
                          : pread(worker->memory_file, host, part->bytes, 0);
    if (got != sent)
        fail(worker, part->array, "read(2) of %zu bytes: %zd (%s)", part->bytes, got,
             got < 0 ? strerror(errno) : "short");
    if (dice_one_in(&worker->dice, 2))
        compare(worker, part->block, part->at, part->bytes, "after read(2)");
}

/* A pipe takes no more at once than it can hold. */
static void limit_part(struct part *part, bool is_pipe)
{
    size_t limit = is_pipe ? 60000 : SCRATCH_BYTES;
    if (part->bytes > limit)
        part->bytes = limit;
}

bool call_system(struct worker *worker)
{
    struct part part;
    if (!pick_part(worker, &part))
        return false;
    bool is_pipe = dice_one_in(&worker->dice, 2), is_out = dice_one_in(&worker->dice, 2);
    bool is_explicit = !fuzz.has_kernel_faults || dice_one_in(&worker->dice, 4);
    limit_part(&part, is_pipe);
    note(worker, part.array, "%s of %zu bytes at %zu, %s%s", is_out ? "write(2)" : "read(2)",
         part.bytes, own(&part), is_pipe ? "pipe" : "file",
         is_explicit ? ", within gpuvm_host_begin" : "");
    if (is_explicit)
        begin_host_use(worker, &part, is_out ? GPUVM_READ_ONLY : pick_host_flags(worker) | 0x20);
    if (is_out)
        write_out(worker, &part, is_pipe);
    else
        read_in(worker, &part, is_pipe);
    if (is_explicit)
        end_host_use(worker, &part);
    return true;
}
