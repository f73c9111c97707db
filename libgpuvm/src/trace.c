/* SPDX-License-Identifier: MIT */
#include "trace.h"

#include "log.h"
#include "thread.h"
#include "transfer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EVENTS 65536

struct event {
    uint64_t at_ns; /* when it was over */
    uintptr_t array;
    size_t offset, bytes;
    uint64_t ns;
    int thread;
    uint16_t device;
    uint16_t kind;
};

struct trace {
    uint64_t start_ns;
    _Atomic uint64_t count;
    struct event events[EVENTS];
};

static const char *const names[] = {
    [TRACE_BEGIN] = "begin",
    [TRACE_END] = "end",
    [TRACE_LINK] = "link",
    [TRACE_UNLINK] = "unlink",
    [TRACE_READ_FAULT] = "read-fault",
    [TRACE_WRITE_FAULT] = "write-fault",
    [TRACE_TRACKING_FAULT] = "tracking-fault",
    [TRACE_TO_DEVICE] = "to-device",
    [TRACE_FROM_DEVICE] = "from-device",
    [TRACE_REVOKE] = "revoke",
    [TRACE_REFUSED] = "refused",
};

void trace_open(struct context *context)
{
    if (!getenv("GPUVM_TRACE") && !(context->flags & GPUVM_STAT))
        return;
    /* Mapped, so that it costs no memory until it is used. */
    struct trace *trace = mmap(NULL, sizeof(*trace), PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (trace == MAP_FAILED)
        return;
    trace->start_ns = now_ns();
    context->trace = trace;
}

void trace_close(struct context *context)
{
    const char *path = getenv("GPUVM_TRACE");
    if (!context->trace)
        return;
    if (path && *path && trace_write(context, path))
        log_always("GPUVM_TRACE: cannot write %s: %s", path, strerror(errno));
    munmap(context->trace, sizeof(*context->trace));
    context->trace = NULL;
}

void trace_record(struct context *context, enum trace_kind kind, const struct array *array,
                  size_t offset, size_t bytes, unsigned device, uint64_t ns)
{
    struct trace *trace = context->trace;
    uint64_t at = atomic_fetch_add_explicit(&trace->count, 1, memory_order_relaxed);
    trace->events[at % EVENTS] = (struct event){.at_ns = now_ns() - trace->start_ns,
                                                .array = (uintptr_t)array->host,
                                                .offset = offset,
                                                .bytes = bytes,
                                                .ns = ns,
                                                .thread = thread_id(),
                                                .device = (uint16_t)device,
                                                .kind = (uint16_t)kind};
}

int trace_write(struct context *context, const char *path)
{
    FILE *file = fopen(path, "we");
    if (!file)
        return GPUVM_ERROR;
    struct trace *trace = context->trace;
    uint64_t count = trace ? atomic_load(&trace->count) : 0;
    uint64_t first = count > EVENTS ? count - EVENTS : 0;
    fprintf(file, "event,time_us,thread,kind,array,offset,bytes,device,duration_us\n");
    for (uint64_t i = first; i < count; i++) {
        const struct event *event = &trace->events[i % EVENTS];
        fprintf(file, "%llu,%.3f,%d,%s,0x%zx,%zu,%zu,%u,%.3f\n", (unsigned long long)i,
                (double)event->at_ns / 1e3, event->thread, names[event->kind], (size_t)event->array,
                event->offset, event->bytes, event->device, (double)event->ns / 1e3);
    }
    bool is_bad = ferror(file);
    return fclose(file) || is_bad ? GPUVM_ERROR : 0;
}
