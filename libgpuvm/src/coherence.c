/* SPDX-License-Identifier: MIT */
#include "coherence.h"

#include "adapt.h"
#include "backend.h"
#include "check.h"
#include "edges.h"
#include "fetch.h"
#include "trace.h"
#include "uffd_abi.h"

#include <sys/mman.h>

#define GAP_PAGES                                                                                  \
    8 /* so many valid pages between two that are not cost less than another command */

static bool use_writes(const struct use *use)
{
    return use->flags & GPUVM_WRITE_ONLY; /* a bit that GPUVM_READ_WRITE has too */
}

/* Pages that the host may write without being noticed belong to it alone once no device uses them.
 */
static void drop_untracked(struct array *array)
{
    struct runs loose = {
        .with = {array->present}, .without = {array->tracked}, .end = array->pages};
    size_t from, to;
    if (array->present_pages > array->tracked_pages)
        while (runs_next(&loose, &from, &to))
            mark_host_only(array, from, to);
}

/* ---- Begin ---- */

/* Pages that were never touched would be holes that tracking cannot see: the kernel's zero page
 * fills them. */
static void array_populate(struct array *array)
{
    if (array->is_populated)
        return;
    array->is_populated = true;
    size_t bytes = array->pages * array->context->page_bytes;
    if (!madvise(array->interior, bytes, MADV_POPULATE_READ))
        return;
    for (size_t page = 0; page < array->pages; page++)
        (void)*(volatile char *)array_page(array, page);
}

static int arm_block(struct array *array, size_t block)
{
    struct rung *rung = &array->context->rung;
    size_t from, to, start, end;
    array_block_pages(array, block, &from, &to);
    struct runs loose = {
        .with = {array->present}, .without = {array->tracked}, .at = from, .end = to};
    if (runs_find(&loose, from, true) == to)
        return 0;
    loose.without[1] = array->writes.hot;
    while (runs_next(&loose, &start, &end)) {
        if (rung->ops->protect(rung, array, start, end))
            return array_refuse(array);
        mark_tracked(array, start, end, true);
    }
    return 0;
}

/* From here on first writes to the host's pages are noticed. The array may turn out eager. */
static int array_arm(struct array *array)
{
    if (!array->context->is_checking)
        adapt_begin(array);
    if (array->present_pages == array->tracked_pages)
        return 0;
    if (!array->is_attached)
        array_populate(array);
    int error = array_attach(array);
    if (error)
        return error == GPUVM_EPROT ? 0 : error;
    for (size_t block = 0; block < array->block_count; block++)
        if ((error = arm_block(array, block)))
            return error;
    return 0;
}

/* Pages that neither the host nor this device has: from another device, through a bounce buffer. */
static int pages_relay(struct array *array, struct link *link, size_t from, size_t to)
{
    size_t page_bytes = array->context->page_bytes, most = BLOCK_BYTES / page_bytes;
    char *bounce = bounce_take(array->context);
    int error = bounce ? 0 : GPUVM_ESALLOC;
    while (!error && from < to) {
        size_t end = to;
        struct link *source = fetch_source(array, from, to, &end);
        if (end - from > most)
            end = from + most;
        size_t offset = array_offset(array, from), bytes = (end - from) * page_bytes;
        if (source)
            error = transfer_read(array, source, offset, bytes, bounce, false);
        if (source && !error)
            error = transfer_write(array, link, offset, bytes, bounce);
        from = end;
    }
    if (bounce)
        bounce_give(array->context, bounce);
    return error;
}

/* Adds the present pages of a run that the device lacks; the gap before it too if it is small. */
static int add_present(struct batch *batch, struct array *array, struct link *link, size_t last,
                       size_t from, size_t to)
{
    size_t page_bytes = array->context->page_bytes;
    if (!link->reach && last && from - last <= GAP_PAGES &&
        bits_count(array->present, last, from) == from - last)
        from = last;
    return batch_add(batch, array, link, array_offset(array, from), (to - from) * page_bytes,
                     array_page(array, from));
}

static int add_interior(struct batch *batch, struct array *array, struct link *link)
{
    struct runs present = {.with = {array->present}, .without = {link->valid}, .end = array->pages};
    struct runs absent = {.without = {array->present, link->valid}, .end = array->pages};
    size_t from, to, last = 0;
    int error = 0;
    if (link->valid_pages == array->pages)
        return 0;
    while (!error && runs_next(&present, &from, &to)) {
        error = add_present(batch, array, link, last, from, to);
        last = to;
    }
    while (!error && array->present_pages < array->pages && runs_next(&absent, &from, &to))
        error = pages_relay(array, link, from, to);
    return error;
}

/* Adds to the batch what this use needs uploaded. */
static int use_prepare(struct use *use, struct batch *batch)
{
    struct array *array = use->array;
    struct link *link = use->link;
    if (link_is_direct(link))
        return fetch_range(array, 0, array->pages, use_writes(use), true);
    link_reach(array, link);
    if (array->context->is_checking && check_after_end(array, link, false))
        return GPUVM_ERROR;
    if (use->flags == GPUVM_WRITE_ONLY || (link->begun && link->writes))
        return 0;
    if (array->pages) {
        int error = use_writes(use) ? 0 : array_arm(array);
        if (error)
            return error;
    }
    int error = edges_add_upload(batch, array, link);
    return error || !array->pages ? error : add_interior(batch, array, link);
}

static void settle_begin(struct use *use, struct site here)
{
    struct array *array = use->array;
    struct link *link = use->link;
    if (!link_is_direct(link) && use->flags != GPUVM_WRITE_ONLY && !(link->begun && link->writes)) {
        edges_uploaded(array, link);
        mark_valid(array, link, 0, array->pages, true);
    }
    if (!link->begun++)
        link->begun_at = here;
    link->last_use = atomic_fetch_add(&link->device->uses, 1) + 1;
    link->writes |= use_writes(use);
    trace_event(array->context, TRACE_BEGIN, array, (size_t)use->flags, array->bytes,
                link->device->index, 0);
}

static void uses_copying(struct use *uses, size_t count, bool is_copying)
{
    for (size_t i = 0; i < count; i++)
        array_copying(uses[i].array, is_copying);
}

static int uses_run(struct use *uses, size_t count, struct batch *batch)
{
    if (!batch->count)
        return 0;
    uses_copying(uses, count, true);
    int error = batch_run(batch);
    uses_copying(uses, count, false);
    return error;
}

int coherence_begin(struct use *uses, size_t count, struct device *device, struct site here)
{
    struct batch batch;
    int error = 0;
    batch_init(&batch, device, false, false);
    for (size_t i = 0; i < count && !error; i++)
        error = use_prepare(&uses[i], &batch);
    if (!error)
        error = uses_run(uses, count, &batch);
    batch_finish(&batch);
    for (size_t i = 0; i < count && !error; i++) {
        settle_begin(&uses[i], here);
        if (uses[i].array->context->is_checking)
            error = check_begin(uses[i].array, uses[i].link);
    }
    return error;
}

/* ---- End ---- */

/* Whether this end is the last of a use that wrote, and has something to do. */
static bool is_publishing(const struct use *use)
{
    return use->link->begun == 1 && use->link->writes && !link_is_direct(use->link);
}

/* Pages that the host will touch anyway come back with the edges. */
static int add_hot(struct batch *batch, struct array *array, struct link *link)
{
    size_t page_bytes = array->context->page_bytes, from, to;
    struct runs hot = {.with = {array->reads.hot}, .end = array->pages};
    while (array->reads.hot_pages && runs_next(&hot, &from, &to)) {
        int error = fetch_range(array, from, to, true, false);
        if (error || !array->pages)
            return error;
        error = batch_add(batch, array, link, array_offset(array, from), (to - from) * page_bytes,
                          array_page(array, from));
        if (error)
            return error;
    }
    return 0;
}

/* Takes the host's pages away, but for those that the batch has just filled. */
static int revoke_pages(struct array *array, const struct device *device)
{
    struct rung *rung = &array->context->rung;
    struct runs cold = {
        .with = {array->present}, .without = {array->reads.hot}, .end = array->pages};
    size_t from, to;
    while (runs_next(&cold, &from, &to)) {
        if (rung->ops->revoke(rung, array, from, to))
            return GPUVM_EPROT;
        mark_absent(array, from, to);
        trace_event(array->context, TRACE_REVOKE, array, array_offset(array, from),
                    (to - from) * rung->page_bytes, device->index, 0);
    }
    return 0;
}

/* Hot pages are equal on both sides now: as long as that is known, they need not be sent again. */
static void keep_hot(struct array *array)
{
    struct rung *rung = &array->context->rung;
    struct runs hot = {.with = {array->reads.hot}, .end = array->pages};
    size_t from, to, end;
    while (array->reads.hot_pages && runs_next(&hot, &from, &to))
        for (; from < to; from = end) {
            end = adapt_hot_end(array, from, to);
            if (adapt_wants_hot_tracking(array, from) &&
                !rung->ops->protect(rung, array, from, end))
                mark_tracked(array, from, end, true);
            else
                mark_host_only(array, from, end);
        }
}

/* The device has the newest data: all others lose theirs. */
static int link_publish(struct array *array, struct link *link)
{
    edges_downloaded(array, link);
    if (!array->pages)
        return 0;
    for (unsigned i = 0; i < array->link_count; i++)
        mark_valid(array, &array->links[i], 0, array->pages, &array->links[i] == link);
    if (array->present_pages && revoke_pages(array, link->device))
        return array_refuse_from(array, link);
    keep_hot(array);
    return 0;
}

static int uses_download(struct use *uses, size_t count, struct device *device)
{
    struct batch batch;
    bool has_reach = false, is_published = false; /* has_reach: the kernels must be waited for */
    int error = 0;
    batch_init(&batch, device, true, false);
    for (size_t i = 0; i < count && !error; i++) {
        struct array *array = uses[i].array;
        struct link *link = uses[i].link;
        /* Nothing keeps the host from memory that a kernel works on itself. */
        if (link_is_direct(link) && link->begun == 1)
            is_published = has_reach = true;
        if (!is_publishing(&uses[i]))
            continue;
        is_published = true;
        has_reach |= link_reach(array, link) != NULL;
        if (array->pages && (error = array_attach(array)) == GPUVM_EPROT)
            error = 0;
        if (!error && array->pages && !array->context->is_checking)
            adapt_end(array);
        if (!error)
            error = add_hot(&batch, array, link);
        if (!error)
            error = edges_add_download(&batch, array, link);
    }
    if (!error && is_published && !batch.count)
        error = has_reach ? device->backend->finish(device) : device->backend->mark(device);
    if (!error)
        error = uses_run(uses, count, &batch);
    batch_finish(&batch);
    return error;
}

int coherence_end(struct use *uses, size_t count, struct device *device, struct site here)
{
    int error = 0;
    for (size_t i = 0; i < count && !error; i++)
        if (uses[i].array->context->is_checking && uses[i].link->begun == 1)
            error = check_end(uses[i].array, uses[i].link, here);
    if (!error)
        error = uses_download(uses, count, device);
    for (size_t i = 0; i < count && !error; i++) {
        bool is_checked = uses[i].array->context->is_checking && is_publishing(&uses[i]);
        if (is_publishing(&uses[i]))
            error = link_publish(uses[i].array, uses[i].link);
        if (is_checked && !error)
            error = check_ended(uses[i].array, uses[i].link);
    }
    for (size_t i = 0; i < count && !error; i++) {
        struct array *array = uses[i].array;
        struct link *link = uses[i].link;
        if (--link->begun == 0) {
            link->writes = false;
            if (array->pages)
                drop_untracked(array);
        }
        trace_event(array->context, TRACE_END, array, 0, array->bytes, device->index, 0);
    }
    return error;
}

/* ---- Links ---- */

static bool is_only_there(const struct array *array, const struct link *link, size_t page)
{
    if (bits_get(array->present, page) || !bits_get(link->valid, page))
        return false;
    for (unsigned i = 0; i < array->link_count; i++)
        if (&array->links[i] != link && bits_get(array->links[i].valid, page))
            return false;
    return true;
}

int coherence_unlink(struct array *array, struct link *link, bool is_kept)
{
    bool is_last = array->link_count == 1;
    int error = is_last && is_kept ? fetch_all(array) : 0;
    for (size_t page = 0;
         !error && !is_last && array->present_pages < array->pages && page < array->pages; page++) {
        size_t from = page;
        while (page < array->pages && is_only_there(array, link, page))
            page++;
        error = page > from ? fetch_range(array, from, page, true, is_kept) : 0;
    }
    if (error)
        return error;
    if (is_last)
        array_detach(array);
    array_remove_link(array, link);
    return 0;
}

int coherence_evict(struct array *array, struct link *link)
{
    int error = 0;
    for (size_t page = 0; !error && array->present_pages < array->pages && page < array->pages;
         page++) {
        size_t from = page;
        while (page < array->pages && is_only_there(array, link, page))
            page++;
        error = page > from ? fetch_range(array, from, page, true, true) : 0;
    }
    if (error)
        return error;
    mark_valid(array, link, 0, array->pages, false);
    link->are_edges_valid = link->is_digested = link->has_asked_reach = false;
    link->reach = NULL;
    return link->device->backend->finish(link->device);
}

int coherence_adopt(struct array *array, struct link *link)
{
    struct use use = {.array = array, .link = link, .flags = GPUVM_WRITE_ONLY};
    link->begun = 1;
    link->writes = true;
    int error = coherence_end(&use, 1, link->device, (struct site){0});
    if (error)
        link->begun = 0;
    return error;
}
