/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "fetch.h"
#include "log.h"
#include "thread.h"
#include "transfer.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct site check_site(void *return_address)
{
    /* The call, not what comes after it: a line number would be the next one's. */
    return (struct site){.address = (uintptr_t)return_address - 1, .thread = thread_id()};
}

/* "function+0x1f (module+0x11af)", as addr2line wants it. */
static void site_describe(char *text, size_t bytes, struct site site)
{
    Dl_info info;
    if (!site.address) {
        snprintf(text, bytes, "an unknown place");
    } else if (!dladdr((void *)site.address, &info) || !info.dli_fname) {
        snprintf(text, bytes, "0x%zx", (size_t)site.address);
    } else {
        const char *slash = strrchr(info.dli_fname, '/');
        const char *module = slash ? slash + 1 : info.dli_fname;
        size_t in_module = site.address - (uintptr_t)info.dli_fbase;
        if (info.dli_sname)
            snprintf(text, bytes, "%s+0x%zx (%s+0x%zx)", info.dli_sname,
                     (size_t)(site.address - (uintptr_t)info.dli_saddr), module, in_module);
        else
            snprintf(text, bytes, "(%s+0x%zx)", module, in_module);
    }
}

static void report_site(const char *what, struct site site)
{
    char text[512];
    if (!site.address && !site.thread)
        return;
    site_describe(text, sizeof(text), site);
    log_always("check:   %s at %s, thread %d", what, text, site.thread);
}

void check_report(struct context *context, const char *kind, struct array *array, struct link *link,
                  ptrdiff_t offset, struct site here)
{
    if (!context->is_checking)
        return;
    atomic_fetch_add(&context->totals.reports, 1);
    if (offset >= 0)
        log_always("check: %s: array %p of %zu bytes, byte %td", kind, (void *)array->host,
                   array->bytes, offset);
    else
        log_always("check: %s: array %p of %zu bytes", kind, (void *)array->host, array->bytes);
    report_site("linked", array->linked_at);
    if (link && link->begun)
        report_site("begun", link->begun_at);
    report_site("here", here);
}

/* Where a thread is that waits in a fault: "-1 SP PC" says proc(5) of one that is not in a system
 * call. */
static uintptr_t instruction_of(int thread)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", thread);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    unsigned long long numbers[9] = {0};
    long long call = -2;
    size_t instruction = 0;
    if (fscanf(file, "%lld", &call) == 1) {
        int count = 0;
        while (count < 9 && fscanf(file, "%llx", &numbers[count]) == 1)
            count++;
        instruction = count ? numbers[count - 1] : 0;
    }
    fclose(file);
    return instruction;
}

static struct link *begun_link(struct array *array)
{
    for (unsigned i = 0; i < array->link_count; i++)
        if (array->links[i].begun)
            return &array->links[i];
    return NULL;
}

void check_touch(struct array *array, const struct fault *fault, size_t page)
{
    struct link *link;
    if (!array->context->is_checking || !(link = begun_link(array)))
        return;
    if (!link->writes && !fault->is_write)
        return;
    struct site here = {.address = fault->instruction, .thread = fault->thread};
    if (!here.address && fault->thread)
        here.address = instruction_of(fault->thread);
    check_report(array->context,
                 fault->is_write ? "host-write-during-kernel" : "host-read-during-kernel", array,
                 link, (ptrdiff_t)(fault->address - array->node.start), here);
}

/* FNV-1a by words: any change of the bytes changes it, short of an accident of 1 in 2^64. */
static uint64_t bytes_digest(uint64_t value, const char *data, size_t bytes)
{
    uint64_t word;
    for (; bytes >= 8; data += 8, bytes -= 8) {
        memcpy(&word, data, 8);
        value = (value ^ word) * UINT64_C(0x100000001b3);
        value ^= value >> 29;
    }
    for (; bytes; data++, bytes--)
        value = (value ^ (unsigned char)*data) * UINT64_C(0x100000001b3);
    return value;
}

/* Of what the device has. */
static int digest_device(struct array *array, struct link *link, bool is_fault, uint64_t *value)
{
    char *bounce = bounce_take(array->context);
    int error = bounce ? 0 : GPUVM_ESALLOC;
    *value = UINT64_C(0xcbf29ce484222325);
    for (size_t at = 0; !error && at < array->bytes; at += BLOCK_BYTES) {
        size_t bytes = array->bytes - at < BLOCK_BYTES ? array->bytes - at : BLOCK_BYTES;
        error = transfer_read(array, link, at, bytes, bounce, is_fault);
        *value = bytes_digest(*value, bounce, bytes);
    }
    if (bounce)
        bounce_give(array->context, bounce);
    return error;
}

static void copy_edges(const struct array *array, char *to)
{
    memcpy(to, array->host, array->head_bytes);
    memcpy(to + array->head_bytes, array->host + array->bytes - array->tail_bytes,
           array->tail_bytes);
}

static int take_from_host(struct array *array, struct link *link)
{
    struct rung *rung = &array->context->rung;
    struct runs present = {.with = {array->present}, .end = array->pages};
    size_t from, to;
    int error = array_attach(array);
    if (error)
        return error == GPUVM_EPROT ? 0 : error;
    mark_valid(array, link, 0, array->pages, true);
    while (runs_next(&present, &from, &to)) {
        if (rung->ops->revoke(rung, array, from, to))
            return 0; /* then what happens there is not seen */
        mark_absent(array, from, to);
    }
    return 0;
}

int check_ended(struct array *array, struct link *link)
{
    if (link_is_direct(link))
        return 0;
    int error = digest_device(array, link, false, &link->digest);
    link->is_digested = !error;
    return error;
}

int check_after_end(struct array *array, struct link *link, bool is_fault)
{
    uint64_t now;
    if (!link->is_digested)
        return 0;
    int error = digest_device(array, link, is_fault, &now);
    if (!error && now != link->digest) {
        link->digest = now;
        check_report(array->context, "work-after-kernel-end", array, link, -1, link->begun_at);
    }
    return error;
}

int check_begin(struct array *array, struct link *link)
{
    int error = 0;
    if (link->begun != 1 || link_is_direct(link))
        return 0;
    link->is_digested = false;
    if (array->is_host_using)
        check_report(array->context, "kernel-during-host-use", array, link, -1, link->begun_at);
    if (!link->writes)
        error = digest_device(array, link, false, &link->digest);
    else if (array->pages)
        error = take_from_host(array, link);
    free(array->host_before);
    array->host_before = malloc(array_edge_bytes(array) + 1);
    if (!array->host_before)
        return GPUVM_ESALLOC;
    copy_edges(array, array->host_before);
    return error;
}

static void compare_edges(struct array *array, struct link *link, struct site here)
{
    size_t bytes = array_edge_bytes(array);
    for (size_t i = 0; i < bytes; i++) {
        size_t offset = i < array->head_bytes ? i : array->bytes - bytes + i;
        if (array->host[offset] != array->host_before[i]) {
            check_report(array->context, "host-write-during-kernel", array, link, (ptrdiff_t)offset,
                         here);
            return;
        }
    }
}

int check_end(struct array *array, struct link *link, struct site here)
{
    uint64_t now;
    if (link_is_direct(link))
        return 0;
    if (array->host_before)
        compare_edges(array, link, here);
    free(array->host_before);
    array->host_before = NULL;
    if (link->writes)
        return 0;
    int error = digest_device(array, link, false, &now);
    if (!error && now != link->digest)
        check_report(array->context, "kernel-wrote-read-only", array, link, -1, here);
    return error;
}
