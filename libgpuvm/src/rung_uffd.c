/* SPDX-License-Identifier: MIT */
/*
 * The userfaultfd rungs. The interior is registered for missing pages and for write-protection.
 * Taking pages away leaves them missing, so that the kernel stops threads that touch them and tells
 * a service thread.
 *
 * Move: pages go to the staging slots and come back with new contents (UFFDIO_MOVE, Linux 6.8).
 * Nothing is freed or allocated, and huge pages stay whole.
 *
 * Copy: pages are dropped (MADV_DONTNEED) and made anew (UFFDIO_COPY).
 *
 * User: the same with a descriptor that serves user-mode faults alone, which needs no privilege
 * (Linux 5.11).
 */
#include "context.h"
#include "descriptors.h"
#include "log.h"
#include "uffd_calls.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_user_only(const struct rung *rung)
{
    return rung->ops == &rung_uffd_move_user || rung->ops == &rung_uffd_copy_user;
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
    uint64_t needed = UFFD_FEATURE_PAGEFAULT_FLAG_WP | (can_move(rung) ? UFFD_FEATURE_MOVE : 0);
    if ((offered & needed) != needed)
        return false;
    uint64_t wanted = needed | (offered & (UFFD_FEATURE_THREAD_ID | UFFD_FEATURE_EVENT_UNMAP |
                                           UFFD_FEATURE_POISON | UFFD_FEATURE_EXACT_ADDRESS));
    rung->fds[0] = descriptor_keep(calls_open(is_user_only(rung), wanted, &ignored));
    if (rung->fds[0] < 0)
        return false;
    rung->has_poison = offered & UFFD_FEATURE_POISON;
    rung->has_minor = offered & UFFD_FEATURE_MINOR_SHMEM;
    return true;
}

static void uffd_close(struct rung *rung)
{
    rung_close_fds(rung);
}

static bool uffd_is_intact(struct rung *rung)
{
    return calls_is_open(rung->fds[0]);
}

static int make_staging(struct rung *rung, struct array *array)
{
    size_t bytes = array->pages * rung->page_bytes;
    if (rung_reserve_staging(array, bytes))
        return -1;
    if (rung->has_huge_pages && bytes >= BLOCK_BYTES)
        madvise(array->staging_map, array->staging_bytes, MADV_HUGEPAGE);
    if (!calls_register(rung->fds[0], array->staging, bytes, UFFDIO_REGISTER_MODE_WP))
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
    if (calls_register(rung->fds[0], start, bytes, UFFDIO_REGISTER_MODE_MINOR))
        return false;
    calls_unregister(rung->fds[0], start, bytes);
    return true;
}

static int uffd_attach(struct rung *rung, struct array *array)
{
    size_t bytes = array->pages * rung->page_bytes;
    if (is_foreign(rung, array->interior, bytes))
        return -1;
    if (calls_register(rung->fds[0], array->interior, bytes,
                       UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_WP))
        return -1;
    if (can_move(rung) && make_staging(rung, array)) {
        calls_unregister(rung->fds[0], array->interior, bytes);
        return -1;
    }
    if (rung->has_huge_pages && bytes >= 2 * BLOCK_BYTES)
        madvise(array->interior, bytes, MADV_HUGEPAGE);
    return 0;
}

static void uffd_detach(struct rung *rung, struct array *array)
{
    size_t bytes = array->pages * rung->page_bytes;
    if (!atomic_load(&array->is_unmapped))
        calls_unregister(rung->fds[0], array->interior, bytes);
    if (array->staging)
        calls_unregister(rung->fds[0], array->staging, bytes);
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
    if (!can_move(rung) || bits_get(array->staged, from) ||
        (is_first && wants_huge_page(rung, array, from, to)))
        return calls_drop(page, bytes);
    char *slot = array->staging + from * rung->page_bytes;
    size_t moved = calls_move(rung->fds[0], slot, page, bytes);
    bits_set(array->staged, from, from + moved / rung->page_bytes);
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
        same.with[0] = array->staged;
        bool is_staged = bits_get(array->staged, from);
        end = runs_find(&same, from, !is_staged);
        if (revoke_run(rung, array, from, end))
            return -1;
        from = end;
    }
    return 0;
}

static int uffd_install(struct rung *rung, struct array *array, size_t from, size_t to,
                        const char *data, bool is_tracked)
{
    return calls_copy(rung->fds[0], array_page(array, from), data, (to - from) * rung->page_bytes,
                      rung->page_bytes, is_tracked ? UFFDIO_COPY_MODE_WP : 0);
}

static int uffd_move_in(struct rung *rung, struct array *array, size_t from, size_t to)
{
    size_t bytes = (to - from) * rung->page_bytes;
    char *page = array_page(array, from);
    char *slot = array->staging + from * rung->page_bytes;
    size_t moved = calls_move(rung->fds[0], page, slot, bytes);
    size_t middle = from + moved / rung->page_bytes;
    bits_clear(array->staged, from, middle);
    bits_set(array->staged, middle, to);
    if (moved == bytes)
        return 0;
    /* Pinned or shared with a child: the contents must do. */
    return calls_copy(rung->fds[0], page + moved, slot + moved, bytes - moved, rung->page_bytes, 0);
}

static int write_protect(struct rung *rung, struct array *array, size_t from, size_t to,
                         uint64_t mode)
{
    return calls_write_protect(rung->fds[0], array_page(array, from),
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
    int result = calls_zero(rung->fds[0], array_page(array, page), rung->page_bytes);
    return result > 0 ? HOLE_FILLED : result;
}

static bool uffd_next(struct rung *rung, int fd, struct fault *fault)
{
    struct uffd_msg message;
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
    return calls_is_changing(fd);
}

static void uffd_settle(struct rung *rung, const struct fault *fault)
{
    void *page = (void *)(fault->address & ~(uintptr_t)(rung->page_bytes - 1));
    calls_wake(rung->fds[0], page, rung->page_bytes);
}

static void uffd_resume(struct rung *rung, struct array *array)
{
    calls_wake(rung->fds[0], array->interior, array->pages * rung->page_bytes);
}

/* The thread stays where it is until the range is woken. */
static void uffd_defer(struct rung *rung, struct array *array, const struct fault *fault) {}

/* Failed: touching the page from now on is a bus error. Unknown, but registered still (what is left
 * of an array that was unmapped in part): zeros, and nothing protected. Any anonymous memory that
 * nothing was stored to is zeros. */
static bool settle_page(struct rung *rung, const struct fault *fault, enum rejection why)
{
    char *page = (char *)(fault->address & ~(uintptr_t)(rung->page_bytes - 1));
    size_t page_bytes = rung->page_bytes;
    if (why == REJECT_FAILED)
        return rung->has_poison && !calls_poison(rung->fds[0], page, page_bytes);
    if (why != REJECT_UNKNOWN)
        return false;
    int is_zeroed = calls_zero(rung->fds[0], page, page_bytes);
    return is_zeroed > 0 ||
           (is_zeroed == 0 && !calls_write_protect(rung->fds[0], page, page_bytes, page_bytes, 0));
}

static void uffd_reject(struct rung *rung, const struct fault *fault, enum rejection why)
{
    bool is_settled = settle_page(rung, fault, why);
    if (why == REJECT_FAILED && !is_settled && fault->thread)
        syscall(SYS_tgkill, getpid(), fault->thread, SIGBUS);
    uffd_settle(rung, fault);
}

static void uffd_release_child(struct rung *rung, struct array *array)
{
    /* A child's copy is registered with no descriptor and protected against nothing. */
}

#define UFFD_OPS(title, number, move)                                                              \
    {                                                                                              \
        .name = title, .flag = number, .wakes = true, .open = uffd_open, .close = uffd_close,      \
        .is_intact = uffd_is_intact, .attach = uffd_attach, .detach = uffd_detach,                 \
        .revoke = uffd_revoke, .install = uffd_install, .move_in = move, .protect = uffd_protect,  \
        .unprotect = uffd_unprotect, .zero = uffd_zero, .next = uffd_next,                         \
        .is_changing = uffd_is_changing, .settle = uffd_settle, .resume = uffd_resume,             \
        .defer = uffd_defer, .reject = uffd_reject, .release_child = uffd_release_child            \
    }

const struct rung_ops rung_uffd_move = UFFD_OPS("uffd-move", GPUVM_RUNG_UFFD_MOVE, uffd_move_in);
const struct rung_ops rung_uffd_copy = UFFD_OPS("uffd-copy", GPUVM_RUNG_UFFD_COPY, NULL);
const struct rung_ops rung_uffd_move_user =
    UFFD_OPS("uffd-move-user", GPUVM_RUNG_UFFD_MOVE_USER, uffd_move_in);
const struct rung_ops rung_uffd_copy_user =
    UFFD_OPS("uffd-copy-user", GPUVM_RUNG_UFFD_COPY_USER, NULL);
