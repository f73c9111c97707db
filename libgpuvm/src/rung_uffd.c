/* SPDX-License-Identifier: MIT */
/*
 * The userfaultfd rungs. The interior is registered for missing pages and for write-protection;
 * taking pages away leaves them missing, so that the kernel stops whoever touches them and tells a
 * service thread.
 *
 * Move: pages go to the staging slots and come back with new contents (UFFDIO_MOVE, Linux 6.8);
 * nothing is freed or allocated, and huge pages stay whole.
 *
 * Copy: pages are dropped (MADV_DONTNEED) and made anew (UFFDIO_COPY).
 *
 * User: the same with a descriptor that serves user-mode faults alone, which needs no privilege
 * (Linux 5.11).
 *
 * Sigbus: the same without messages: the thread that touches a page gets SIGBUS (rung_signal.h;
 * UFFD_FEATURE_SIGBUS, Linux 4.14), and so need not wait for another to wake up.
 *
 * Two descriptors: in the second the kernel resolves write-protection faults itself and records the
 * pages (UFFD_FEATURE_WP_ASYNC, read with PAGEMAP_SCAN). An array belongs to one of them. Pages are
 * fetched the same way with both.
 */
#include "context.h"
#include "log.h"
#include "rung_signal.h"
#include "uffd_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of rung->fds. */
#define SYNC 0
#define ASYNC 1
#define PIPE 2

static bool is_by_signal(const struct rung *rung)
{
    return rung->ops == &rung_uffd_move_sigbus || rung->ops == &rung_uffd_copy_sigbus;
}

static bool is_user_only(const struct rung *rung)
{
    return rung->ops == &rung_uffd_move_user || rung->ops == &rung_uffd_copy_user ||
           is_by_signal(rung);
}

static bool can_move(const struct rung *rung)
{
    return rung->ops->move_in != NULL;
}

static bool uffd_open(struct rung *rung)
{
    uint64_t offered = 0, ignored;
    int probe = calls_open(is_user_only(rung), 0, &offered);
    if (probe < 0)
        return false;
    close(probe);
    uint64_t needed = UFFD_FEATURE_PAGEFAULT_FLAG_WP | (can_move(rung) ? UFFD_FEATURE_MOVE : 0) |
                      (is_by_signal(rung) ? UFFD_FEATURE_SIGBUS : 0);
    if ((offered & needed) != needed)
        return false;
    uint64_t wanted = needed | (offered & (UFFD_FEATURE_THREAD_ID | UFFD_FEATURE_EVENT_UNMAP |
                                           UFFD_FEATURE_POISON | UFFD_FEATURE_EXACT_ADDRESS));
    rung->fds[SYNC] = calls_open(is_user_only(rung), wanted, &ignored);
    if (rung->fds[SYNC] < 0)
        return false;
    rung->has_poison = offered & UFFD_FEATURE_POISON;
    rung->has_minor = offered & UFFD_FEATURE_MINOR_SHMEM;
    if (offered & UFFD_FEATURE_WP_ASYNC) {
        rung->pagemap_fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
        if (rung->pagemap_fd >= 0)
            rung->fds[ASYNC] =
                calls_open(is_user_only(rung), wanted | UFFD_FEATURE_WP_ASYNC, &ignored);
    }
    rung->busy = is_by_signal(rung) ? PIPE : SYNC;
    return !is_by_signal(rung) || signal_open(rung, SIGBUS, &rung->fds[PIPE]);
}

static void uffd_close(struct rung *rung)
{
    signal_close(rung, rung->fds[PIPE]);
    rung_close_fds(rung);
}

static int descriptor(const struct rung *rung, const struct array *array)
{
    return rung->fds[array->is_async ? ASYNC : SYNC];
}

static int make_staging(struct rung *rung, struct array *array)
{
    size_t bytes = array->pages * rung->page_bytes;
    if (rung_reserve_staging(array, bytes))
        return -1;
    if (rung->has_huge_pages && bytes >= BLOCK_BYTES)
        madvise(array->staging_map, array->staging_bytes, MADV_HUGEPAGE);
    if (!calls_register(rung->fds[SYNC], array->staging, bytes, UFFDIO_REGISTER_MODE_WP))
        return 0;
    rung_release_staging(array);
    return -1;
}

/* Only private anonymous memory forgets what is dropped; shared and huge-page mappings take the
 * minor mode, others not. */
static bool is_foreign(struct rung *rung, char *start, size_t bytes)
{
    if (!rung->has_minor)
        return false;
    if (calls_register(rung->fds[SYNC], start, bytes, UFFDIO_REGISTER_MODE_MINOR))
        return false;
    calls_unregister(rung->fds[SYNC], start, bytes);
    return true;
}

/* Where a huge page may be the kernel clears one for each write to an absent page (100 us), before
 * it asks us; where none may be it makes a page table first, and then no huge page can come from
 * the slots. */
static void uffd_expect_sparse(struct rung *rung, struct array *array, bool is_sparse)
{
    size_t bytes = array->pages * rung->page_bytes;
    if (rung->has_huge_pages && bytes >= 2 * BLOCK_BYTES)
        madvise(array->interior, bytes, is_sparse ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
}

static int uffd_attach(struct rung *rung, struct array *array)
{
    size_t bytes = array->pages * rung->page_bytes;
    if (is_foreign(rung, array->interior, bytes))
        return -1;
    if (calls_register(descriptor(rung, array), array->interior, bytes,
                       UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_WP))
        return -1;
    if (can_move(rung) && make_staging(rung, array)) {
        calls_unregister(descriptor(rung, array), array->interior, bytes);
        return -1;
    }
    uffd_expect_sparse(rung, array, false);
    return 0;
}

static void uffd_detach(struct rung *rung, struct array *array)
{
    size_t bytes = array->pages * rung->page_bytes;
    if (!atomic_load(&array->is_unmapped)) {
        calls_unregister(descriptor(rung, array), array->interior, bytes);
        if (array->is_sparse)
            uffd_expect_sparse(rung, array, false);
    }
    if (array->staging)
        calls_unregister(rung->fds[SYNC], array->staging, bytes);
    rung_release_staging(array);
}

/* Whether these pages are a whole huge page's worth whose first departure should make room for a
 * huge page. */
static bool wants_huge_page(const struct rung *rung, const struct array *array, size_t from,
                            size_t to)
{
    return rung->has_huge_pages && (to - from) * rung->page_bytes == BLOCK_BYTES &&
           ((uintptr_t)array_page(array, from) & (BLOCK_BYTES - 1)) == 0;
}

/* One run of pages, all with or all without a physical page in their slots, within one huge page's
 * span. */
static int revoke_run(struct rung *rung, struct array *array, size_t from, size_t to)
{
    size_t bytes = (to - from) * rung->page_bytes;
    char *page = array_page(array, from);
    struct block *block = &array->blocks[array_block(array, from)];
    bool is_first = !block->has_left;
    block->has_left = true;
    if (!can_move(rung) || bits_get(array->spare, from) ||
        (is_first && wants_huge_page(rung, array, from, to)))
        return calls_drop(page, bytes);
    char *slot = array->staging + from * rung->page_bytes;
    size_t moved = calls_move(rung->fds[SYNC], slot, page, bytes);
    bits_set(array->spare, from, from + moved / rung->page_bytes);
    return moved == bytes ? 0 : calls_drop(page + moved, bytes - moved);
}

static int uffd_revoke(struct rung *rung, struct array *array, size_t from, size_t to)
{
    size_t huge_pages = BLOCK_BYTES / rung->page_bytes;
    size_t skew = ((uintptr_t)array->interior & (BLOCK_BYTES - 1)) / rung->page_bytes;
    while (from < to) {
        size_t end = (from + skew) / huge_pages * huge_pages + huge_pages - skew;
        if (end > to)
            end = to;
        struct runs same = {.end = end};
        same.with[0] = array->spare;
        bool is_spare = bits_get(array->spare, from);
        end = runs_find(&same, from, !is_spare);
        if (revoke_run(rung, array, from, end))
            return -1;
        from = end;
    }
    return 0;
}

static int uffd_install(struct rung *rung, struct array *array, size_t from, size_t to,
                        const char *data, bool is_tracked)
{
    return calls_copy(descriptor(rung, array), array_page(array, from), data,
                      (to - from) * rung->page_bytes, rung->page_bytes,
                      is_tracked ? UFFDIO_COPY_MODE_WP : 0);
}

static int uffd_move_in(struct rung *rung, struct array *array, size_t from, size_t to)
{
    size_t bytes = (to - from) * rung->page_bytes;
    char *page = array_page(array, from);
    char *slot = array->staging + from * rung->page_bytes;
    size_t moved = calls_move(descriptor(rung, array), page, slot, bytes);
    size_t middle = from + moved / rung->page_bytes;
    bits_clear(array->spare, from, middle);
    bits_set(array->spare, middle, to);
    if (moved == bytes)
        return 0;
    /* Pinned or shared with a child: the contents must do. */
    return calls_copy(descriptor(rung, array), page + moved, slot + moved, bytes - moved,
                      rung->page_bytes, 0);
}

static int write_protect(struct rung *rung, struct array *array, size_t from, size_t to,
                         uint64_t mode)
{
    return calls_write_protect(descriptor(rung, array), array_page(array, from),
                               (to - from) * rung->page_bytes, rung->page_bytes, mode);
}

static int uffd_protect(struct rung *rung, struct array *array, size_t from, size_t to)
{
    return write_protect(rung, array, from, to, UFFDIO_WRITEPROTECT_MODE_WP);
}

static int uffd_unprotect(struct rung *rung, struct array *array, size_t from, size_t to)
{
    return write_protect(rung, array, from, to, 0);
}

static int uffd_zero(struct rung *rung, struct array *array, size_t page)
{
    int result = calls_zero(descriptor(rung, array), array_page(array, page), rung->page_bytes);
    return result > 0 ? HOLE_FILLED : result;
}

static int uffd_set_async(struct rung *rung, struct array *array, bool is_async)
{
    if (rung->fds[ASYNC] < 0)
        return -1;
    size_t bytes = array->pages * rung->page_bytes;
    uint64_t mode = UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_WP;
    calls_unregister(descriptor(rung, array), array->interior, bytes);
    array->is_async = is_async;
    if (!calls_register(descriptor(rung, array), array->interior, bytes, mode))
        return 0;
    array->is_async = !is_async;
    calls_register(descriptor(rung, array), array->interior, bytes, mode);
    return -1;
}

static int uffd_scan(struct rung *rung, struct array *array, size_t from, size_t to,
                     void (*found)(struct array *array, size_t from, size_t to))
{
    struct page_region regions[64];
    struct pm_scan_arg scan = {.size = sizeof(scan),
                               .flags = PM_SCAN_WP_MATCHING | PM_SCAN_CHECK_WPASYNC,
                               .start = (uintptr_t)array_page(array, from),
                               .end = (uintptr_t)array_page(array, to),
                               .vec = (uintptr_t)regions,
                               .vec_len = sizeof(regions) / sizeof(regions[0]),
                               .category_mask = PAGE_IS_WRITTEN,
                               .return_mask = PAGE_IS_WRITTEN};
    while (scan.start < scan.end) {
        int count = ioctl(rung->pagemap_fd, PAGEMAP_SCAN, &scan);
        if (count < 0)
            return -1;
        for (int i = 0; i < count; i++)
            found(array, (regions[i].start - (uintptr_t)array->interior) / rung->page_bytes,
                  (regions[i].end - (uintptr_t)array->interior) / rung->page_bytes);
        scan.start = scan.walk_end;
    }
    return 0;
}

static bool uffd_next(struct rung *rung, int fd, struct fault *fault)
{
    struct uffd_msg message;
    if (fd == rung->fds[PIPE])
        return signal_next(fd, fault);
    if (read(fd, &message, sizeof(message)) != sizeof(message))
        return false;
    *fault = (struct fault){0};
    if (message.event == UFFD_EVENT_UNMAP) {
        fault->kind = FAULT_UNMAPPED;
        fault->address = message.arg.remove.start;
        fault->end = message.arg.remove.end;
        return true;
    }
    fault->kind = FAULT_TOUCH;
    fault->address = message.arg.pagefault.address;
    fault->is_write = message.arg.pagefault.flags & UFFD_PAGEFAULT_FLAG_WRITE;
    fault->is_protection = message.arg.pagefault.flags & UFFD_PAGEFAULT_FLAG_WP;
    fault->thread = (int)message.arg.pagefault.feat.ptid;
    return message.event == UFFD_EVENT_PAGEFAULT;
}

static bool uffd_is_changing(struct rung *rung, int fd)
{
    return fd != rung->fds[PIPE] && calls_is_changing(fd);
}

static void uffd_settle(struct rung *rung, const struct fault *fault)
{
    void *page = (void *)(fault->address & ~(uintptr_t)(rung->page_bytes - 1));
    if (fault->waiter) {
        signal_settle(fault);
        return;
    }
    calls_wake(rung->fds[SYNC], page, rung->page_bytes);
    calls_wake(rung->fds[ASYNC], page, rung->page_bytes);
}

static void uffd_resume(struct rung *rung, struct array *array)
{
    if (is_by_signal(rung)) {
        signal_resume(rung, array);
        return;
    }
    calls_wake(rung->fds[SYNC], array->interior, array->pages * rung->page_bytes);
    calls_wake(rung->fds[ASYNC], array->interior, array->pages * rung->page_bytes);
}

/* The thread stays where it is until somebody wakes the range. */
static void uffd_defer(struct rung *rung, struct array *array, const struct fault *fault)
{
    if (fault->waiter)
        signal_defer(rung, fault);
}

/* Failed: touching the page from now on is a bus error. Unknown, but registered still (what is left
 * of an array that was unmapped in part): zeros, as any anonymous memory that nothing was stored
 * to, and nothing protected. */
static bool settle_page(struct rung *rung, const struct fault *fault, enum rejection why)
{
    char *page = (char *)(fault->address & ~(uintptr_t)(rung->page_bytes - 1));
    for (int i = SYNC; i <= ASYNC; i++) {
        if (why == REJECT_FAILED && rung->has_poison &&
            !calls_poison(rung->fds[i], page, rung->page_bytes))
            return true;
        int is_zeroed =
            why == REJECT_UNKNOWN ? calls_zero(rung->fds[i], page, rung->page_bytes) : -1;
        if (is_zeroed > 0)
            return true;
        if (is_zeroed == 0 &&
            !calls_write_protect(rung->fds[i], page, rung->page_bytes, rung->page_bytes, 0))
            return true;
    }
    return false;
}

static void uffd_reject(struct rung *rung, const struct fault *fault, enum rejection why)
{
    bool is_settled = settle_page(rung, fault, why);
    if (fault->waiter && !is_settled) {
        signal_reject(fault, why == REJECT_FAILED);
        return;
    }
    if (why == REJECT_FAILED && !is_settled && fault->thread)
        syscall(SYS_tgkill, getpid(), fault->thread, SIGBUS);
    uffd_settle(rung, fault);
}

static void uffd_release_child(struct rung *rung, struct array *array)
{
    /* A child's copy is registered with nobody and protected against nothing. */
    if (!array && is_by_signal(rung))
        signal_leave();
}

#define UFFD_OPS(title, number, move, by_signal)                                                   \
    {                                                                                              \
        .name = title, .flag = number, .is_optional = by_signal, .hides_protection = by_signal,    \
        .wakes = true, .open = uffd_open, .close = uffd_close, .attach = uffd_attach,              \
        .detach = uffd_detach, .revoke = uffd_revoke, .install = uffd_install, .move_in = move,    \
        .protect = uffd_protect, .unprotect = uffd_unprotect, .zero = uffd_zero,                   \
        .expect_sparse = uffd_expect_sparse, .set_async = uffd_set_async, .scan = uffd_scan,       \
        .next = uffd_next, .is_changing = uffd_is_changing, .settle = uffd_settle,                 \
        .resume = uffd_resume, .defer = uffd_defer, .reject = uffd_reject,                         \
        .release_child = uffd_release_child                                                        \
    }

const struct rung_ops rung_uffd_move =
    UFFD_OPS("uffd-move", GPUVM_RUNG_UFFD_MOVE, uffd_move_in, false);
const struct rung_ops rung_uffd_copy = UFFD_OPS("uffd-copy", GPUVM_RUNG_UFFD_COPY, NULL, false);
const struct rung_ops rung_uffd_move_user =
    UFFD_OPS("uffd-move-user", GPUVM_RUNG_UFFD_MOVE_USER, uffd_move_in, false);
const struct rung_ops rung_uffd_copy_user =
    UFFD_OPS("uffd-copy-user", GPUVM_RUNG_UFFD_COPY_USER, NULL, false);
const struct rung_ops rung_uffd_move_sigbus =
    UFFD_OPS("uffd-move-sigbus", GPUVM_RUNG_UFFD_MOVE_SIGBUS, uffd_move_in, true);
const struct rung_ops rung_uffd_copy_sigbus =
    UFFD_OPS("uffd-copy-sigbus", GPUVM_RUNG_UFFD_COPY_SIGBUS, NULL, true);
