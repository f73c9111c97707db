/* SPDX-License-Identifier: MIT */
/*
 * segv-mem: pages are protected with mprotect, a touch is a SIGSEGV (rung_signal.h). Contents are
 * written through /proc/self/mem (Linux 2.6.39) while the page is still protected. So no other
 * thread can see old ones and none is stopped: the option that the paper had to reject. Many pages
 * at once go to the staging slots when they are taken. They come back with new contents by a change
 * of page tables (MREMAP_DONTUNMAP), which others see whole or not at all.
 *
 * Leaves out: faults inside the kernel (EFAULT), and mappings that /proc/self/mem cannot force
 * (shared ones): attach refuses those.
 */
#include "context.h"
#include "descriptors.h"
#include "rung_signal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TAKEN_BYTES ((size_t)128 << 10)    /* fewer pages are copied as quickly */
#define MOST_STACK_BYTES ((rlim_t)1 << 30) /* where it has no limit */

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* Moves pages by their page tables alone; the old place stays mapped and empty (Linux 5.7). By the
 * system call: libgpuvm-preload.so has a mremap of its own. */
static bool move_pages(char *to, char *from, size_t bytes)
{
    long result = syscall(SYS_mremap, from, bytes, bytes,
                          MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, to);
    return result == (long)(intptr_t)to;
}

/* By the system call, too: libgpuvm.so's own is for the program (interpose.c). */
static int protect_memory(void *start, size_t bytes, int how)
{
    return (int)syscall(SYS_mprotect, start, bytes, how);
}

static bool is_mapped(void *start, size_t bytes)
{
    return !msync(start, bytes, MS_ASYNC);
}

/* What move_pages refuses must leave both places as they were. Older kernels first unmap the new
 * one, and then find that the pages lie in several mappings: that is tried here with two. */
static bool moves_safely(size_t page_bytes)
{
    size_t bytes = 2 * page_bytes;
    char *map = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return false;
    char *to = map + bytes;
    map[0] = 7;
    bool is_fine = !protect_memory(map + page_bytes, page_bytes, PROT_READ) &&
                   (move_pages(to, map, bytes) || is_mapped(to, bytes));
    bool is_whole = is_mapped(map, 2 * bytes);
    map[0] = 7;
    is_fine = is_fine && is_whole && move_pages(to, map, page_bytes) && to[0] == 7 && map[0] == 0 &&
              is_mapped(map, 2 * bytes);
    munmap(map, is_whole ? 2 * bytes : bytes); /* a hole may be another mapping by now */
    return is_fine;
}

static bool segv_open(struct rung *rung)
{
    rung->memory_fd = descriptor_keep(open("/proc/self/mem", O_RDWR | O_CLOEXEC));
    rung->can_move_back = moves_safely(rung->page_bytes);
    return rung->memory_fd >= 0 && signal_open(rung);
}

static void segv_close(struct rung *rung)
{
    signal_close(rung);
    rung_close_fds(rung);
}

/* The main thread's stack may grow, and its mapping must not be moved. (Its top holds the name of
 * the program.) */
static bool is_on_stack(const struct array *array)
{
    struct rlimit limit;
    uintptr_t top = getauxval(AT_EXECFN), start = (uintptr_t)array->host;
    if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur == RLIM_INFINITY)
        limit.rlim_cur = MOST_STACK_BYTES;
    return start < top && top - start < limit.rlim_cur;
}

static int pages_protection(struct rung *rung, struct array *array, size_t from, size_t to, int how)
{
    return protect_memory(array_page(array, from), (to - from) * rung->page_bytes, how) ? -1 : 0;
}

/* By the system call: pwrite would be where a thread is cancelled, with an array's lock. */
static int pages_fill(struct rung *rung, char *to, const char *data, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        long count = syscall(SYS_pwrite64, rung->memory_fd, data + done, bytes - done, to + done);
        if (count > 0)
            done += (size_t)count;
        else if (count == 0 || errno != EINTR)
            return -1;
    }
    return 0;
}

/* A shared mapping, say, cannot be filled behind its protection: tried with a byte that stays as it
 * is. */
static int segv_attach(struct rung *rung, struct array *array)
{
    char byte = *(volatile char *)array->interior;
    if (pages_protection(rung, array, 0, 1, PROT_READ))
        return -1;
    int refused = pages_fill(rung, array->interior, &byte, 1);
    if (pages_protection(rung, array, 0, 1, PROT_READ | PROT_WRITE))
        return -1;
    size_t bytes = array->pages * rung->page_bytes;
    if (!refused && rung->can_move_back && bytes >= TAKEN_BYTES && !is_on_stack(array))
        rung_reserve_staging(array, bytes); /* without slots pages are copied in */
    return refused;
}

static void segv_detach(struct rung *rung, struct array *array)
{
    pages_protection(rung, array, 0, array->pages, PROT_READ | PROT_WRITE);
    rung_release_staging(array);
}

/* If the kernel is out of memory half-way, the new place may be gone: then it is there again, empty
 * and shut. */
static bool move_or_mend(char *to, char *from, size_t bytes)
{
    if (move_pages(to, from, bytes))
        return true;
    mmap(to, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    return false;
}

/* Protected pages go to their slots if they are many, so that they can come back with new contents
 * at once. A page whose slot has one already is not needed. */
static void pages_take(struct rung *rung, struct array *array, size_t from, size_t to)
{
    while (from < to) {
        bool is_staged = bits_get(array->staged, from);
        struct runs same = {.with = {array->staged}, .end = to};
        size_t end = runs_find(&same, from, !is_staged), bytes = (end - from) * rung->page_bytes;
        char *slot = array->staging + from * rung->page_bytes;
        if (is_staged)
            madvise(array_page(array, from), bytes, MADV_DONTNEED);
        else if (bytes >= TAKEN_BYTES && move_or_mend(slot, array_page(array, from), bytes) &&
                 !protect_memory(slot, bytes, PROT_READ | PROT_WRITE))
            bits_set(array->staged, from, end);
        from = end;
    }
}

static int segv_revoke(struct rung *rung, struct array *array, size_t from, size_t to)
{
    if (pages_protection(rung, array, from, to, PROT_NONE))
        return -1;
    if (array->staging)
        pages_take(rung, array, from, to);
    return 0;
}

/* The contents are there even if the protection cannot change (too many mappings): detach then
 * opens them. */
static int segv_install(struct rung *rung, struct array *array, size_t from, size_t to,
                        const char *data, bool is_tracked)
{
    if (pages_fill(rung, array_page(array, from), data, (to - from) * rung->page_bytes))
        return -1;
    return pages_protection(rung, array, from, to, is_tracked ? PROT_READ : PROT_READ | PROT_WRITE)
               ? 1
               : 0;
}

static int segv_move_in(struct rung *rung, struct array *array, size_t from, size_t to)
{
    char *slot = array->staging + from * rung->page_bytes;
    if (!move_or_mend(array_page(array, from), slot, (to - from) * rung->page_bytes))
        return segv_install(rung, array, from, to, slot, false);
    bits_clear(array->staged, from, to);
    return 0;
}

static int segv_protect(struct rung *rung, struct array *array, size_t from, size_t to)
{
    return pages_protection(rung, array, from, to, PROT_READ);
}

static int segv_unprotect(struct rung *rung, struct array *array, size_t from, size_t to)
{
    return pages_protection(rung, array, from, to, PROT_READ | PROT_WRITE);
}

static int segv_zero(struct rung *rung, struct array *array, size_t page)
{
    return 0; /* the kernel does it */
}

static void segv_release_child(struct rung *rung, struct array *array)
{
    if (!array)
        signal_leave();
    else
        pages_protection(rung, array, 0, array->pages, PROT_READ | PROT_WRITE);
}

const struct rung_ops rung_segv_mem = {.name = "segv-mem",
                                       .flag = GPUVM_RUNG_SEGV_MEM,
                                       .open = segv_open,
                                       .close = segv_close,
                                       .is_intact = signal_is_intact,
                                       .attach = segv_attach,
                                       .detach = segv_detach,
                                       .revoke = segv_revoke,
                                       .install = segv_install,
                                       .move_in = segv_move_in,
                                       .moves_back_only = true,
                                       .protect = segv_protect,
                                       .unprotect = segv_unprotect,
                                       .zero = segv_zero,
                                       .next = signal_next,
                                       .settle = signal_settle,
                                       .resume = signal_resume,
                                       .defer = signal_defer,
                                       .reject = signal_reject,
                                       .release_child = segv_release_child};
