/* SPDX-License-Identifier: MIT */
#include "transfer.h"

#include "backend.h"
#include "trace.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define QUICK_BYTES ((size_t)64 << 10)

uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

void batch_init(struct batch *batch, struct device *device, bool is_read, bool is_fault)
{
    batch->device = device;
    batch->is_read = is_read;
    batch->is_fault = is_fault;
    batch->segments = batch->inline_segments;
    batch->pieces = batch->inline_pieces;
    batch->count = 0;
    batch->capacity = BATCH_INLINE;
}

void batch_finish(struct batch *batch)
{
    if (batch->segments != batch->inline_segments) {
        free(batch->segments);
        free(batch->pieces);
    }
}

static int batch_grow(struct batch *batch)
{
    size_t capacity = 4 * batch->capacity;
    struct gpuvm_segment *segments = malloc(capacity * sizeof(*segments));
    struct piece *pieces = malloc(capacity * sizeof(*pieces));
    if (!segments || !pieces) {
        free(segments);
        free(pieces);
        return GPUVM_ESALLOC;
    }
    memcpy(segments, batch->segments, batch->count * sizeof(*segments));
    memcpy(pieces, batch->pieces, batch->count * sizeof(*pieces));
    batch_finish(batch);
    batch->segments = segments;
    batch->pieces = pieces;
    batch->capacity = capacity;
    return 0;
}

int batch_add(struct batch *batch, struct array *array, struct link *link, size_t offset,
              size_t bytes, char *host)
{
    if (offset + bytes > array->bytes) /* the last page has padding, the buffer has not */
        bytes = array->bytes - offset;
    if (!bytes)
        return 0;
    if (batch->count) {
        struct gpuvm_segment *last = &batch->segments[batch->count - 1];
        if (batch->pieces[batch->count - 1].link == link && last->offset + last->nbytes == offset &&
            (char *)last->host + last->nbytes == host) {
            last->nbytes += bytes;
            return 0;
        }
    }
    if (batch->count == batch->capacity && batch_grow(batch))
        return GPUVM_ESALLOC;
    batch->segments[batch->count] = (struct gpuvm_segment){
        .devbuf = link->buffer, .offset = offset, .nbytes = bytes, .host = host};
    batch->pieces[batch->count] = (struct piece){.array = array, .link = link};
    batch->count++;
    return 0;
}

static void batch_account(const struct batch *batch, size_t bytes, size_t transfers, uint64_t ns)
{
    struct context *context = batch->pieces[0].array->context;
    struct totals *totals = &context->totals;
    atomic_fetch_add(batch->is_read ? &totals->bytes_from : &totals->bytes_to, bytes);
    atomic_fetch_add(batch->is_read ? &totals->transfers_from : &totals->transfers_to, transfers);
    atomic_fetch_add(&totals->copy_ns, ns);
    if (batch->is_fault)
        atomic_fetch_add(&totals->host_copy_ns, ns);
    for (size_t i = 0; i < batch->count; i++) {
        struct gpuvm_array_info *counts = &batch->pieces[i].array->counts;
        if (batch->is_read)
            counts->bytes_from_device += batch->segments[i].nbytes;
        else
            counts->bytes_to_device += batch->segments[i].nbytes;
    }
    trace_event(context, batch->is_read ? TRACE_FROM_DEVICE : TRACE_TO_DEVICE,
                batch->pieces[0].array, batch->segments[0].offset, bytes, batch->device->index, ns);
}

static bool has_reachable(const struct batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        if (batch->pieces[i].link->reach)
            return true;
    return false;
}

/* Copies what the host can reach; the other segments close ranks: *left of them. Returns how many
 * it copied. */
static size_t copy_reachable(struct batch *batch, size_t *left)
{
    size_t copied = 0, kept = 0;
    for (size_t i = 0; i < batch->count; i++) {
        struct gpuvm_segment *segment = &batch->segments[i];
        char *reach = batch->pieces[i].link->reach;
        if (!reach) {
            struct gpuvm_segment other = batch->segments[kept];
            batch->segments[kept++] = *segment;
            *segment = other;
            struct piece piece = batch->pieces[kept - 1];
            batch->pieces[kept - 1] = batch->pieces[i];
            batch->pieces[i] = piece;
            continue;
        }
        if (segment->nbytes <= QUICK_BYTES) {
            fetch_ahead(segment->host, segment->nbytes);
            fetch_ahead(reach + segment->offset, segment->nbytes);
        }
        if (batch->is_read)
            memcpy(segment->host, reach + segment->offset, segment->nbytes);
        else
            memcpy(reach + segment->offset, segment->host, segment->nbytes);
        copied++;
    }
    *left = kept;
    return copied;
}

/* What a command costs by itself: from transfers too short for their bytes to matter. One that is
 * long all of a sudden waited for a kernel. */
static void device_learn(struct device *device, size_t bytes, uint64_t ns)
{
    if (bytes > 16384)
        return;
    uint64_t known = atomic_load_explicit(&device->command_ns, memory_order_relaxed);
    uint64_t next = ns, most = known + known / 16 + 1;
    if (known && ns < known)
        next = (known + ns) / 2;
    else if (known && ns > most)
        next = most;
    atomic_store_explicit(&device->command_ns, next, memory_order_relaxed);
}

static int run_commands(struct batch *batch, size_t left)
{
    const struct backend *backend = batch->device->backend;
    uint64_t start = now_ns();
    size_t bytes = 0;
    for (size_t i = 0; i < left; i++)
        bytes += batch->segments[i].nbytes;
    int error = batch->is_read
                    ? backend->read(batch->device, batch->segments, left, batch->is_fault)
                    : backend->write(batch->device, batch->segments, left);
    if (!error && batch->is_fault)
        device_learn(batch->device, bytes, now_ns() - start);
    return error;
}

int batch_run(struct batch *batch)
{
    if (!batch->count)
        return 0;
    /* A plain copy waits for kernels here; a command does so by itself; a fault's kernels were
     * waited for when they ended. */
    if (!batch->is_fault && has_reachable(batch) && batch->device->backend->finish(batch->device))
        return GPUVM_ERROR;
    uint64_t start = now_ns();
    size_t left, copied = copy_reachable(batch, &left);
    if (left && run_commands(batch, left))
        return GPUVM_ERROR;
    size_t bytes = 0;
    for (size_t i = 0; i < batch->count; i++)
        bytes += batch->segments[i].nbytes;
    batch_account(batch, bytes, copied + (left ? 1 : 0), now_ns() - start);
    return 0;
}

static int link_transfer(struct array *array, struct link *link, size_t offset, size_t bytes,
                         char *host, bool is_read, bool is_fault)
{
    struct batch batch;
    batch_init(&batch, link->device, is_read, is_fault);
    batch_add(&batch, array, link, offset, bytes, host);
    return batch_run(&batch);
}

int transfer_read(struct array *array, struct link *link, size_t offset, size_t bytes, char *host,
                  bool is_fault)
{
    return link_transfer(array, link, offset, bytes, host, true, is_fault);
}

void transfer_reads(struct array *array, struct link *link, size_t offset, size_t bytes)
{
    struct batch batch;
    batch_init(&batch, link->device, true, true);
    batch_add(&batch, array, link, offset, bytes, NULL);
    batch_account(&batch, bytes, 1, 0);
}

int transfer_write(struct array *array, struct link *link, size_t offset, size_t bytes, char *host)
{
    return link_transfer(array, link, offset, bytes, host, false, false);
}

char *link_reach(struct array *array, struct link *link)
{
    if (!link->has_asked_reach && !(array->context->flags & GPUVM_NO_REACH))
        link->reach = link->device->backend->reach(link->device, link->buffer, array->bytes);
    link->has_asked_reach = true;
    return link->reach;
}
