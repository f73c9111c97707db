/* SPDX-License-Identifier: MIT */
/*
 * The library's state: a context holds devices, a rung, and an index of arrays. The paper's calls
 * work on one global context (api.c); nothing else is global but what the kernel makes so (a signal
 * handler, fork handlers).
 *
 * An array is head edge + interior + tail edge. The interior is the whole pages, each described by
 * bits:
 *
 *     present   the host's page holds the data and can be touched
 *     tracked   (present) the host's first write to it will be noticed
 *     valid     (one bitmap a link) the device's copy holds the data
 *     staged     the staging slot of this page holds a physical page
 *
 * Invariants, whenever no thread holds the array's lock: each page is present or valid on some
 * device (else its data are lost). A page that is present, valid somewhere and not tracked belongs
 * to an array that a device is using. Edges are always present; they are compared with what was
 * last given to a device (`shadow`) instead of tracked.
 *
 * Locks, in the order in which they are taken: fork's, an array's (several: by address), the
 * index's. A thread that holds an array's lock never touches that array's absent pages. Threads
 * that serve faults never wait for an array's lock: they leave a note (`has_waiters`). The lock's
 * holder lets the faulting threads try again.
 */
#ifndef GPUVM_CONTEXT_H
#define GPUVM_CONTEXT_H

#include "bits.h"
#include "gpuvm.h"
#include "index.h"
#include "rung.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define BLOCK_BYTES ((size_t)2 << 20)        /* unit of adaptation, and the largest window */
#define SMALL_BLOCK_BYTES ((size_t)64 << 10) /* the same for arrays under SMALL_ARRAY_BYTES */
#define SMALL_ARRAY_BYTES ((size_t)4 << 20)
#define EAGER_BYTES ((size_t)64 << 10)   /* arrays with an edge that are smaller are all edge */
#define SHADOW_BYTES ((size_t)128 << 10) /* edges up to this size have a shadow */
#define SERVICE_THREADS 4
#define MAPPINGS_AN_ARRAY 3 /* that watching an array adds to the process */

struct backend;
struct check;
struct trace;

/* Where in the program something was done, for reports. */
struct site {
    uintptr_t address; /* an instruction's; 0: unknown */
    int thread;        /* kernel thread id */
};

struct device {
    unsigned index;
    const struct backend *backend;
    void *state; /* the back end's */
    bool is_svm;
    bool has_allocator;
    struct gpuvm_allocator allocator;
    /* Buffers that the allocator made: what they may take together (0: no limit), and take. */
    _Atomic size_t budget_bytes, used_bytes;
    _Atomic uint64_t uses; /* so far */
    _Atomic uint64_t
        command_ns; /* a short transfer's time, smoothed: what a command costs; 0: not known yet */
};

/* What the host uses of an array, as far as known (adapt.h): one of reads and one of first writes.
 * Bitmaps of the interior's pages. */
struct predictor {
    uint64_t *hot;    /* expected to be used in each epoch */
    uint64_t *recent; /* used in the last epoch in which any page was */
    uint64_t *used;   /* known to be used in this epoch */
    uint64_t *former; /* hot until they were dropped */
    size_t hot_pages;
    uint32_t epoch, recent_epoch;
    unsigned unprobed_epochs;
    bool has_former;
    bool is_probing;  /* `probe` is hot, but left to fault in this epoch */
    bool was_written; /* the host wrote to hot pages of the probe's block before */
    size_t probe;
};

/* The last window in a block. */
struct window {
    uint32_t from, to;
    uint8_t order;  /* log2 of its pages, before it met what need not be fetched */
    uint8_t faults; /* in this epoch (saturates) */
    int8_t
        step; /* 1, -1: its fault came right after, right before the window before it; 0: neither */
};

/* What is learnt of one block of an array's interior. */
enum { READS, WRITES };
struct block {
    struct window windows[2];
    bool is_hot_written; /* the host writes to its hot pages */
    bool has_left;       /* pages of it have been taken from the host before */
};

struct link {
    struct device *device;
    void *buffer; /* NULL: not made yet */
    char *reach;  /* the buffer's memory for plain copies, or NULL */
    uint64_t *valid;
    size_t valid_pages;
    unsigned begun;       /* open uses */
    bool writes;          /* one of them writes */
    bool are_edges_valid; /* the device's edges equal the shadow */
    uint64_t last_use;    /* device->uses then */
    bool has_asked_reach;
    bool is_buffer_ours;
    struct site begun_at;
    uint64_t digest; /* of the device's copy at begin, or at end (is_digested; GPUVM_CHECK) */
    bool is_digested;
};

/* What each begin and end reads comes first. */
struct array {
    struct index_node node;
    atomic_uint references;
    atomic_uint pins;        /* calls that are about to begin a use: no buffer is evicted */
    atomic_bool has_waiters; /* faults wait until the lock is free */
    atomic_bool is_gone;     /* out of the index */
    atomic_bool is_unmapped; /* its memory is gone, and may have another use by now */
    struct context *context;
    char *host;

    pthread_mutex_t lock;
    atomic_int owner; /* the thread that has the lock, 0: none */
    size_t bytes;
    size_t head_bytes, tail_bytes; /* edges */
    size_t padding_bytes; /* of the last page, after the array: no other data (padding.h) */

    struct link *links;
    unsigned link_count;
    bool is_attached; /* the rung watches the interior */
    size_t pages, present_pages, tracked_pages;
    char *interior;
    char *shadow;           /* head, then tail; NULL: none */
    struct link first_link; /* where links points while there is one */

    bool is_eager;   /* all edge, because it is small or the kernel refused */
    bool is_refused; /* eager because the kernel refused */
    bool is_populated;
    atomic_uintptr_t unmapped_start, unmapped_end; /* where, at most */
    bool is_copying; /* under context->copying_lock: a transfer touches present pages */
    /* Under context->copying_lock: it met a hole, which is zeros now, and not tracked. */
    bool has_filled_hole;
    bool is_host_using;
    atomic_bool is_writable; /* array_is_writable's */

    uint64_t *present, *tracked, *staged;
    struct predictor reads, writes;
    unsigned first_order_cut; /* first windows are so many orders smaller than a command is worth */
    struct block *blocks;
    size_t block_pages, block_count;
    size_t block_skew; /* pages of block 0 before the interior: blocks are aligned in memory */

    char *staging; /* slot of page 0; NULL: none */
    void *staging_map;
    size_t staging_bytes;

    struct gpuvm_array_info counts; /* its counters only */
    struct site linked_at;
    char *host_before; /* a copy of the edges at begin (GPUVM_CHECK) */
    struct array *fork_next;
};

/* Counters of gpuvm_stat. */
struct totals {
    _Atomic uint64_t bytes_to, bytes_from, transfers_to, transfers_from;
    _Atomic uint64_t read_faults, write_faults, tracking_faults;
    _Atomic uint64_t copy_ns, host_copy_ns, fault_ns, longest_fault_ns;
    _Atomic uint64_t arrays, refused_arrays, unmapped_arrays, reports, evictions;
};

/* What a service thread knows of memory that was unmapped, and has not seen to yet. */
struct unmap_events {
    atomic_uint step; /* odd: there may be some, in [start, end) */
    atomic_uintptr_t start, end;
};

/* What a service thread waits for: a command that brings the data of a fault. */
struct fetching {
    uint64_t since_ns; /* 0: nothing */
    const void *host;  /* the array's */
    uintptr_t address;
    size_t array_bytes, bytes;
    unsigned device;
    int thread; /* that faulted */
    bool is_reported;
};

#define MOST_FAILED 16

struct context {
    size_t page_bytes;
    int flags;
    bool is_checking;
    bool has_times;
    unsigned device_count;
    struct device *devices;
    struct rung rung;
    char rung_reason[512]; /* why none of the rungs before it; "": there is none */
    pthread_rwlock_t index_lock;
    struct index index;
    pthread_mutex_t copying_lock;
    struct totals totals;
    unsigned most_mappings; /* that arrays may add to the process */
    atomic_uint mappings;   /* that they have added */
    struct trace *trace;    /* NULL: not recorded */

    pthread_t service[SERVICE_THREADS];
    unsigned started;
    atomic_uint service_count;
    atomic_int service_ids[SERVICE_THREADS]; /* thread ids: they must not wait for themselves */
    struct unmap_events unmap_events[SERVICE_THREADS];
    int service_queue, stop_fd;
    pthread_t watch; /* tells of fetches that do not end */
    bool has_watch;
    int watch_timer;
    pthread_mutex_t fetching_lock;
    struct fetching fetching[SERVICE_THREADS];
    unsigned fetching_count;
    uintptr_t failed[MOST_FAILED]; /* pages whose data could not be had; under fetching_lock */
    unsigned failed_count;

    pthread_mutex_t bounce_lock;
    pthread_cond_t bounce_given;
    struct bounce *bounces; /* free buffers of BLOCK_BYTES */
    unsigned bounce_count;  /* all of them */
};

/* A buffer of BLOCK_BYTES outside of every array; never NULL after context_init. bounce_give
 * returns it. */
char *bounce_take(struct context *context);
void bounce_give(struct context *context, char *bounce);

static inline char *array_page(const struct array *array, size_t page)
{
    return array->interior + page * array->context->page_bytes;
}

static inline size_t array_offset(const struct array *array, size_t page)
{
    return array->head_bytes + page * array->context->page_bytes;
}

static inline size_t array_block(const struct array *array, size_t page)
{
    return (page + array->block_skew) / array->block_pages;
}

/* The pages of a block: [*from, *to). */
static inline void array_block_pages(const struct array *array, size_t block, size_t *from,
                                     size_t *to)
{
    size_t start = block * array->block_pages, end = start + array->block_pages;
    *from = start > array->block_skew ? start - array->block_skew : 0;
    *to = end - array->block_skew < array->pages ? end - array->block_skew : array->pages;
}

static inline size_t array_edge_bytes(const struct array *array)
{
    return array->head_bytes + array->tail_bytes;
}

#endif
