/* SPDX-License-Identifier: MIT */
/*
 * A rung: one way to notice the host's accesses to an array's interior. The ladder (rung.c) tries
 * them from the best down, with a self-test, and the first that works here is used.
 *
 * All functions on pages are called with the array's lock held and cover [from, to) of its
 * interior; 0 or -1 (the kernel refused). They change page tables only: which pages are present is
 * the caller's to record.
 */
#ifndef GPUVM_RUNG_H
#define GPUVM_RUNG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array;
struct context;
struct rung;

/* A thread that waits for a page, or events about the address space. */
struct fault {
    enum { FAULT_TOUCH, FAULT_UNMAPPED } kind;
    uintptr_t address; /* touched; or the start of what was unmapped */
    uintptr_t end;     /* FAULT_UNMAPPED */
    bool is_write;
    bool is_protection;    /* the page is there, but protected against writing */
    int thread;            /* kernel thread id, 0 if unknown */
    uintptr_t instruction; /* 0 if unknown */
    void *waiter;          /* of a fault that came as a signal, else NULL */
};

/* Why a fault was not served. */
enum rejection {
    REJECT_FAILED,   /* the data cannot be had: the thread gets the signal of memory that failed */
    REJECT_UNKNOWN,  /* there is no such array: the signal that there would be without us */
    REJECT_UNCHANGED /* it needed nothing: the same, unless the touch succeeds now */
};

struct rung_ops {
    const char *name;
    int flag;   /* GPUVM_RUNG_... */
    bool wakes; /* what serves a fault also wakes who waits: no settle is needed */
    bool (*open)(struct rung *rung); /* errno says why not */
    void (*close)(struct rung *rung);
    /* Whether faults still reach us: descriptors may have been closed, and handlers replaced,
     * behind our back. NULL: always. */
    bool (*is_intact)(struct rung *rung);

    /* Starts and stops watching the whole interior; detach leaves it present and writable for the
     * host. */
    int (*attach)(struct rung *rung, struct array *array);
    void (*detach)(struct rung *rung, struct array *array);

    /* Takes pages from the host: what they held is lost, the next touch is a fault. */
    int (*revoke)(struct rung *rung, struct array *array, size_t from, size_t to);
    /* Gives pages to the host, all at once, with the contents at data; write-protected if
     * is_tracked. Returns 1 if the contents are there, but the kernel does not open the pages
     * (detach will). */
    int (*install)(struct rung *rung, struct array *array, size_t from, size_t to, const char *data,
                   bool is_tracked);
    /* The same with contents that lie in the staging slots already. NULL: not offered.
     * moves_back_only: only slots whose pages are the interior's own (staged). */
    int (*move_in)(struct rung *rung, struct array *array, size_t from, size_t to);
    bool moves_back_only;
    /* Makes first writes faults, and undoes it. */
    int (*protect)(struct rung *rung, struct array *array, size_t from, size_t to);
    int (*unprotect)(struct rung *rung, struct array *array, size_t from, size_t to);
    /* A page that the host has: if it is not there, zeros are put there, and HOLE_FILLED returned.
     */
    int (*zero)(struct rung *rung, struct array *array, size_t page);

    /* The next fault from one of rung->fds, without waiting; false: none. */
    bool (*next)(struct rung *rung, int fd, struct fault *fault);
    /* Whether a thread that unmapped memory, of which `next` tells by this descriptor, has not
     * returned from that yet. NULL where nothing is told. */
    bool (*is_changing)(struct rung *rung, int fd);
    /* Lets a waiting thread try again: one (settle), or all that wait in the interior (resume;
     * without the lock). */
    void (*settle)(struct rung *rung, const struct fault *fault);
    void (*resume)(struct rung *rung, struct array *array);
    /* A thread waits for the lock's holder: until resume. */
    void (*defer)(struct rung *rung, struct array *array, const struct fault *fault);
    /* The fault has not been served. */
    void (*reject)(struct rung *rung, const struct fault *fault, enum rejection why);
    /* In a forked child: makes the interior ordinary memory. Called first with array NULL: the
     * library is off from here on. */
    void (*release_child)(struct rung *rung, struct array *array);
};

#define HOLE_FILLED 1
#define RUNG_FDS 1

struct rung {
    const struct rung_ops *ops;
    struct context *context;
    size_t page_bytes;
    bool has_huge_pages; /* may advise them */
    atomic_bool is_lost; /* is_intact has been false: nothing is watched any more */
    int fds[RUNG_FDS];   /* to wait on; -1: none */
    bool has_poison;
    bool has_minor;
    /* segv-mem */
    bool can_move_back; /* pages go to the staging slots and come back from there */
    int memory_fd;
    /* rung_signal.c */
    int pipe_write_fd;
    pthread_mutex_t waiters_lock;
    struct waiter *waiters; /* deferred */
};

/*
 * Opens and tests the rung named (NULL: the best that works; the last always does) for a context.
 * Returns 0, GPUVM_EARG (no such name) or GPUVM_EPROT. Faults of the self-test are served inside.
 */
int rung_choose(struct rung *rung, struct context *context, const char *name);

/* Whether arrays with buffers need not be copied whole. */
bool rung_can_watch(const struct rung *rung);

/* The name of the rung in use; "eager" once it is lost. */
const char *rung_current(const struct rung *rung);

/* Closes the descriptors that are open, in a forked child too. */
void rung_close_fds(struct rung *rung);

/*
 * Reserves staging slots for an array, as far from its pages as a multiple of a huge page. Huge
 * pages and whole page tables cannot move otherwise. Children inherit none but those that pages
 * were moved to with their mapping (segv-mem). 0, or -1 and no slots.
 */
int rung_reserve_staging(struct array *array, size_t bytes);
void rung_release_staging(struct array *array);

/* What keeps a thread's faults from being served by another, or would stop at each of them:
 * "valgrind", or a tracer's name (a debugger, strace). NULL: nothing known. (rung_observer.c) */
const char *rung_observer(void);
/* Under valgrind one thread runs at a time: a fault that another is to serve would hang for
 * ever. */
bool rung_is_on_valgrind(void);

/* The name of a GPUVM_RUNG_... flag, or NULL. */
const char *rung_name(int flag);

extern const struct rung_ops rung_svm, rung_uffd_move, rung_uffd_copy, rung_uffd_move_user,
    rung_uffd_copy_user, rung_segv_mem, rung_eager;

#endif
