/* SPDX-License-Identifier: MIT */
/*
 * libgpuvm: ordinary host arrays shared with OpenCL devices. Data moves by itself. It goes to a
 * device when a kernel is about to use an array. It comes back when the host touches what a kernel
 * has changed.
 *
 * A *host array* is any range of the process's memory: malloc'ed, on a stack, global, mapped. It is
 * *linked* with a buffer on one or several devices. Between gpuvm_kernel_begin and gpuvm_kernel_end
 * a device uses it; at any other time the host does, through its ordinary pointer. Host arrays must
 * not overlap.
 *
 * Correct sharing. In each period an array is used either by the host (any number of threads) or by
 * devices (one, or several that only read). If every array is shared correctly, the program sees
 * one memory. Otherwise values are undefined; GPUVM_CHECK=1 in the environment names the array, the
 * thread and the place, and finds device work that goes on after gpuvm_kernel_end.
 *
 * Threads and signals. Every function may be called from any thread, several at once, on the same
 * array or on different ones. Begin and end may come from different threads. No function may be
 * called from a signal handler. A signal handler may touch arrays, unless it has interrupted a
 * function of this library or of a device's driver. (GPUVM_WRITER_SIG_BLOCK prevents the first.) It
 * must not leave a touch by longjmp. A thread that is stopped in such a function may have a lock:
 * no thread should touch arrays until it goes on. The rung GPUVM_RUNG_SEGV_MEM needs SIGSEGV
 * unblocked in threads that touch arrays, and 4 KB of a stack for signals beyond _SC_MINSIGSTKSZ.
 * No other call may run concurrently with gpuvm_init, gpuvm_pre_init or gpuvm_finish.
 *
 * Errors. Functions return 0 or one of the negative GPUVM_E... values (gpuvm_strerror names them).
 * The library never aborts. It prints nothing unless asked (GPUVM_LOG, GPUVM_CHECK), with two
 * exceptions. A thread that has waited for a device for a second, in a touch, is named with what it
 * waits for. A signal or descriptors that were taken from the library are named when it notices.
 *
 * Names, values and meanings of the first part follow the interface that the libgpuvm paper
 * published (Adinetz, 2011: section 2 and figure 1). So a program for the original compiles and
 * runs. What follows "beyond the paper" is an extension.
 */
#ifndef GPUVM_H
#define GPUVM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GPUVM_VERSION_MAJOR 1
#define GPUVM_VERSION_MINOR 0

/* Exported from the library; everything else is hidden. */
#define GPUVM_API __attribute__((visibility("default")))

/* ---- Flags ----------------------------------------------------------------------------------- */

/* gpuvm_init: the kind of the devices (exactly one of GPUVM_OPENCL, GPUVM_CUDA, GPUVM_OPS). */
#define GPUVM_OPENCL 0x1 /* devs[] are command queues (cl_command_queue), one a device */
#define GPUVM_CUDA 0x2   /* not built in: GPUVM_EAPI */

/* gpuvm_link: where the data are now (exactly one). */
#define GPUVM_ON_HOST 0x4
#define GPUVM_ON_DEVICE 0x8

/* gpuvm_kernel_begin: what kernels will do with the array (exactly one). */
#define GPUVM_READ_ONLY 0x10
#define GPUVM_WRITE_ONLY                                                                           \
    0x20 /* kernels overwrite every byte; bytes that they do not are undefined afterwards */
#define GPUVM_READ_WRITE 0x30

/* gpuvm_init: options. */
#define GPUVM_STAT 0x40 /* measure times too (GPUVM_STAT_..._TIME) */
/* Calls block signals (but those of errors) on their thread, as long as they may hold a lock. This
 * is for collectors that stop threads anywhere by a signal. Costs a microsecond or less a call;
 * gpuvm_calls_begin makes many calls one. */
#define GPUVM_WRITER_SIG_BLOCK 0x200
#define GPUVM_UNLINK_NO_SYNC_BACK 0x400 /* gpuvm_unlink drops data that only the device has */

/* gpuvm_pre_init. */
#define GPUVM_THREADS_BEFORE_INIT 0x80
#define GPUVM_THREADS_AFTER_INIT 0x100

/* All devices at once; reserved. */
#define GPUVM_ALL_DEVICES (~0u)

/* ---- Errors ---------------------------------------------------------------------------------- */

#define GPUVM_ERROR                                                                                \
    (-1) /* a device's command failed, or another error that has no number of its own */
#define GPUVM_ESALLOC (-2)   /* the library could not allocate host memory */
#define GPUVM_ENULL (-3)     /* a null pointer where none is allowed */
#define GPUVM_EARG (-4)      /* a flag, a size or an index out of range */
#define GPUVM_ETWICE (-5)    /* initialised twice; ON_DEVICE for an array that is known already */
#define GPUVM_ERANGE (-6)    /* overlaps another array without being the same range */
#define GPUVM_ELINK (-7)     /* linked on this device already */
#define GPUVM_EHOSTPTR (-8)  /* the pointer is in no linked array */
#define GPUVM_EDEVALLOC (-9) /* the device could not allocate: collect garbage and call again */
#define GPUVM_EPROT (-10)    /* memory's protection does not allow it */
#define GPUVM_ENOLINK (-11)  /* the array is linked, but not on this device */
#define GPUVM_ESTATE (-12)   /* before gpuvm_init, or in the wrong order */
#define GPUVM_EAPI (-13)     /* an unknown kind of device */

/* ---- Statistics: gpuvm_stat(parameter, address of a value of the type named) ----------------- */

#define GPUVM_STAT_ENABLED 1 /* int: whether GPUVM_STAT was given */
#define GPUVM_STAT_NDEVS 2   /* unsigned: number of devices */
#define GPUVM_STAT_COPY_TIME                                                                       \
    3 /* double, seconds: transfers between host and devices, on whatever thread. (Where a fault's \
         data are within the host's reach, the kernel copies them along with the pages: that is in \
         PAGEFAULT_TIME.) */
#define GPUVM_STAT_PAGEFAULTS                                                                      \
    4 /* unsigned long long: faults served, first writes to tracked pages included */
#define GPUVM_STAT_HOST_COPY_TIME                                                                  \
    5 /* double, seconds: the part of COPY_TIME that faulting threads waited for */
#define GPUVM_STAT_PAGEFAULT_TIME 6 /* double, seconds: serving faults, without the part above */

/* ---- The paper's calls ----------------------------------------------------------------------- */

/* Always 1: lets a runtime probe for the library. */
GPUVM_API int gpuvm_library_exists(void);

/*
 * The original had to know the OpenCL runtime's threads. Here no thread is ever stopped, so this
 * only checks the order of its calls. flags: GPUVM_THREADS_BEFORE_INIT before contexts and queues
 * are made (again: starts over), GPUVM_THREADS_AFTER_INIT after. Optional. EARG, ESTATE (AFTER
 * without BEFORE, or after gpuvm_init), ETWICE (AFTER twice).
 */
GPUVM_API int gpuvm_pre_init(int flags);

/*
 * Starts the library. devs: ndevs devices, known by their index from here on. They must outlive the
 * library's use. flags: the kind of device and options. Chooses and tests the way in which the
 * host's accesses are noticed (the *rung*). Where none works, or a debugger or valgrind is there,
 * arrays are copied whole ("eager"; GPUVM_STAT_RUNG_REASON). GPUVM_BACKEND in the environment or a
 * GPUVM_RUNG_... flag forces one. Errors: ETWICE, ENULL, EARG, EAPI, ESALLOC, EPROT (a forced rung
 * does not work here), ERROR (no usable device).
 */
GPUVM_API int gpuvm_init(unsigned ndevs, void **devs, int flags);

/*
 * Links the nbytes bytes at hostptr with the buffer devbuf of device idev. flags: GPUVM_ON_HOST or
 * GPUVM_ON_DEVICE. The same range may be linked on several devices. The caller keeps devbuf and
 * releases it after gpuvm_unlink. If the device has an allocator (gpuvm_set_allocator), devbuf may
 * be NULL: the buffer is then made at first use. Errors: ESTATE, ENULL, EARG, ERANGE, ELINK,
 * ETWICE, ESALLOC.
 */
GPUVM_API int gpuvm_link(void *hostptr, size_t nbytes, unsigned idev, void *devbuf, int flags);

/*
 * Ends the link with device idev. Data that only this device has come back first, unless
 * GPUVM_UNLINK_NO_SYNC_BACK was given (then they are undefined). Returns 0 also for hostptr NULL
 * and for a device that the array is not linked on. Errors: ESTATE (also: between begin and end),
 * EARG, EHOSTPTR, ERROR (the device failed: still linked).
 */
GPUVM_API int gpuvm_unlink(void *hostptr, unsigned idev);

/* The device buffer of the array that holds hostptr, or NULL. Makes it if it is to be made at first
 * use. */
GPUVM_API void *gpuvm_xlate(void *hostptr, unsigned idev);

/*
 * Kernels on device idev are going to use the array: brings its data up to date there. flags:
 * GPUVM_READ_ONLY, GPUVM_READ_WRITE or GPUVM_WRITE_ONLY. hostptr may point anywhere into the array.
 * May nest: the last end counts, with the union of the flags. Errors: ESTATE (also: another device
 * is using the array and one of the two writes), ENULL, EARG, EHOSTPTR, ENOLINK, EDEVALLOC,
 * ESALLOC, EPROT (the kernels will write, and the array's memory may only be read), ERROR. After an
 * error the array is as it was, not begun.
 */
GPUVM_API int gpuvm_kernel_begin(void *hostptr, unsigned idev, int flags);

/*
 * The kernels given so far to the queue that gpuvm_init got for the device are the last of this
 * use. Kernels on other queues are not waited for: the host would see old data. For them there is
 * gpuvm_kernel_end_after. Waits for the queue if it must, so no clFinish is needed before. (It must
 * for an array that was written and does not fill whole pages, and for a buffer within the host's
 * reach.) From here on the host may touch the array. Errors: ESTATE (also: not begun), ENULL, EARG,
 * EHOSTPTR, ENOLINK, ERROR (the device failed: still begun).
 */
GPUVM_API int gpuvm_kernel_end(void *hostptr, unsigned idev);

/* Stores statistic `parameter` to *value (its type is named beside each GPUVM_STAT_...). ESTATE,
 * ENULL, EARG. */
GPUVM_API int gpuvm_stat(int parameter, void *value);

/* ==================================== Beyond the paper ======================================== */

/* gpuvm_init: devs[] are struct gpuvm_device: the caller's own functions move the data. */
#define GPUVM_OPS 0x800

/* gpuvm_init: forces a rung, as GPUVM_BACKEND does (which wins); without, the first that works. */
#define GPUVM_RUNG_SVM 0x1000            /* "svm": the devices see host memory themselves */
#define GPUVM_RUNG_UFFD_MOVE 0x2000      /* "uffd-move": userfaultfd, pages move (Linux 6.8) */
#define GPUVM_RUNG_UFFD_COPY 0x3000      /* "uffd-copy": userfaultfd, pages are copied */
#define GPUVM_RUNG_UFFD_MOVE_USER 0x4000 /* "uffd-move-user": for unprivileged users */
#define GPUVM_RUNG_UFFD_COPY_USER 0x5000 /* "uffd-copy-user" */
#define GPUVM_RUNG_SEGV_MEM 0x6000       /* "segv-mem": SIGSEGV and /proc/self/mem */
#define GPUVM_RUNG_EAGER 0x7000          /* "eager": nothing is noticed, arrays are copied whole */
#define GPUVM_RUNG_MASK 0x7000           /* the bits that name a rung */

/* gpuvm_init: more options. */
#define GPUVM_CHECK_SHARING                                                                        \
    0x8000                          /* as GPUVM_CHECK=1: report incorrect sharing on stderr (slow) \
                                     */
#define GPUVM_NO_HUGE_PAGES 0x10000 /* never advise huge pages for linked memory */
#define GPUVM_NO_REACH 0x20000 /* use device commands only, even where a buffer is host memory */

/* More statistics; all unsigned long long but for RUNG and RUNG_REASON. They start with
 * gpuvm_init. */
#define GPUVM_STAT_BYTES_TO_DEVICE 7
#define GPUVM_STAT_BYTES_FROM_DEVICE 8
#define GPUVM_STAT_TRANSFERS_TO_DEVICE                                                             \
    9 /* batches: one call of a device's write, or one plain copy */
#define GPUVM_STAT_TRANSFERS_FROM_DEVICE 10
#define GPUVM_STAT_READ_FAULTS                                                                     \
    11 /* faults on data that the host did not have: reads (or unknown) */
#define GPUVM_STAT_WRITE_FAULTS 12    /* the same, writes */
#define GPUVM_STAT_TRACKING_FAULTS 13 /* first writes to data that a device also has */
#define GPUVM_STAT_RUNG 14            /* const char *: the rung in use, "uffd-move" ... */
#define GPUVM_STAT_ARRAYS 15          /* arrays linked now */
#define GPUVM_STAT_EAGER_ARRAYS                                                                    \
    16 /* of these, arrays that are copied whole since the kernel refused more */
#define GPUVM_STAT_LONGEST_FAULT_NS 17 /* the longest service of a fault, transfer included */
#define GPUVM_STAT_UNMAPPED_ARRAYS                                                                 \
    18                        /* arrays that were unmapped or freed while linked, and dropped */
#define GPUVM_STAT_REPORTS 19 /* reports of incorrect sharing */
#define GPUVM_STAT_RUNG_REASON                                                                     \
    20 /* const char *: why it is none of the rungs before it; "" if it is the first */
#define GPUVM_STAT_EVICTIONS 21 /* buffers that went to make room (gpuvm_set_budget) */

/* What is known of one array. Counts start with its link. */
struct gpuvm_array_info {
    void *host;           /* its first byte */
    size_t bytes;         /* its length */
    unsigned links;       /* devices that it is linked on */
    int eager;            /* copied whole: too small for protection, or the kernel refused */
    size_t page_bytes;    /* size of a page; what is protected is whole pages */
    size_t pages;         /* protected pages; the rest are edges, copied eagerly */
    size_t host_pages;    /* of these, pages that the host has */
    size_t tracked_pages; /* of these, pages whose first write will be noticed */
    unsigned long long read_faults;
    unsigned long long write_faults;
    unsigned long long tracking_faults;
    unsigned long long fetched_bytes;   /* device to host, for faults */
    unsigned long long bytes_to_device; /* all transfers, edges included */
    unsigned long long bytes_from_device;
    size_t window_bytes; /* what the last fault fetched */
};

/* Fills *info for the array that holds hostptr. ESTATE, ENULL, EHOSTPTR. */
GPUVM_API int gpuvm_array_info(void *hostptr, struct gpuvm_array_info *info);

/* A sentence for one of the values above (0: "success"); never NULL, not to be freed. */
GPUVM_API const char *gpuvm_strerror(int error);

/*
 * Brings every array back to the host (unless GPUVM_UNLINK_NO_SYNC_BACK), unlinks all and stops the
 * library, which may then be initialised anew. Done by itself at exit and at dlclose. ESTATE.
 */
GPUVM_API int gpuvm_finish(void);

/*
 * Several arrays for one kernel: as one begin (or end) each, but edges travel in one transfer.
 * After an error none is begun. flags[i] goes with hosts[i]. An array may appear once.
 */
GPUVM_API int gpuvm_kernel_begin_many(unsigned n, void *const *hosts, unsigned idev,
                                      const int *flags);
GPUVM_API int gpuvm_kernel_end_many(unsigned n, void *const *hosts, unsigned idev);

/*
 * Several calls of this thread as one: with GPUVM_WRITER_SIG_BLOCK signals stay blocked from the
 * first begin to its end, and the calls between ask the system for nothing. Without that option
 * they do nothing. Pairs nest. A thread that is started between inherits the blocked signals. end:
 * ESTATE without a begin.
 */
GPUVM_API int gpuvm_calls_begin(void);
GPUVM_API int gpuvm_calls_end(void);

/*
 * gpuvm_kernel_end for kernels on any queue. The use ends when the nevents events and the kernels
 * that gpuvm_kernel_end would wait for have ended. An event is a cl_event of the device's context
 * (OpenCL) or what the device's wait takes (GPUVM_OPS). The device's queue runs nothing given later
 * before. Events stay the caller's. Errors: as gpuvm_kernel_end; EAPI (a GPUVM_OPS device without
 * wait).
 */
GPUVM_API int gpuvm_kernel_end_after(void *hostptr, unsigned idev, unsigned nevents,
                                     void *const *events);

/*
 * An explicit touch: makes the nbytes bytes at ptr ready for the host in as few transfers as
 * possible. Then no fault comes, not even inside the kernel (a system call on a rung that cannot
 * serve those). flags: GPUVM_READ_ONLY, GPUVM_READ_WRITE or GPUVM_WRITE_ONLY. The last says that
 * every byte will be overwritten: nothing is fetched but what shares a page with others. The range
 * may cover several arrays and memory that is in none. Stays so until the next gpuvm_kernel_begin
 * of the array; gpuvm_host_end says that the use is over (checked with GPUVM_CHECK). ESTATE, ENULL,
 * EARG, ERROR.
 */
GPUVM_API int gpuvm_host_begin(void *ptr, size_t nbytes, int flags);
GPUVM_API int gpuvm_host_end(void *ptr, size_t nbytes);

/*
 * The memory [ptr, ptr + nbytes) is about to go away or to be used for something else. Ends every
 * link of every array that overlaps it. With flags GPUVM_READ_WRITE data come back first; with 0
 * they are lost. Afterwards it is ordinary memory. Returns the number of arrays, or ESTATE, ERROR.
 * libgpuvm-preload.so calls it from free, realloc, munmap and mremap.
 */
GPUVM_API int gpuvm_forget(void *ptr, size_t nbytes, int flags);

/*
 * malloc, realloc and free for arrays. Blocks begin with a page, of huge pages where they are
 * large. Nothing else is in their last page. An array that is such a block, linked whole, has no
 * edges: no transfer, and no waiting, at gpuvm_kernel_end. (Not so if its length is within 8 bytes
 * of whole pages, but not whole pages.) The links of arrays in the block end at gpuvm_free and
 * gpuvm_realloc; the latter brings the data back first. All three also work before gpuvm_init and
 * after gpuvm_finish. NULL: no memory.
 */
GPUVM_API void *gpuvm_alloc(size_t nbytes);
GPUVM_API void *gpuvm_realloc(void *block, size_t nbytes);
GPUVM_API void gpuvm_free(void *block);

/* 1 if a linked array overlaps the range, else 0. Quick. */
GPUVM_API int gpuvm_is_linked(const void *ptr, size_t nbytes);

/*
 * Buffers on demand. allocate: a new buffer of at least nbytes, or NULL. release: gives one back.
 * collect (may be NULL): called when allocate failed. It frees what it can and returns whether
 * another try is worth it. All are called on the thread that called gpuvm, with none of its locks
 * held.
 */
struct gpuvm_allocator {
    void *(*allocate)(void *user, unsigned idev, size_t nbytes);
    void (*release)(void *user, unsigned idev, void *devbuf);
    int (*collect)(void *user, unsigned idev, size_t nbytes);
    void *user;
};

/* Copied. ESTATE, EARG, ENULL (no allocate or release). */
GPUVM_API int gpuvm_set_allocator(unsigned idev, const struct gpuvm_allocator *allocator);

/*
 * Device memory as a cache: the buffers that the library makes on device idev (arrays linked with
 * devbuf NULL) take at most nbytes together. When another is needed, those of arrays that no kernel
 * has go, the least recently used first. Data that only they had come to the host. So a buffer is
 * good from gpuvm_kernel_begin to gpuvm_kernel_end: ask gpuvm_xlate for it in each use. A use whose
 * arrays do not fit together: EDEVALLOC. 0: no limit (as from the start). OpenCL devices without an
 * allocator get one. ESTATE, EARG, ENULL (no allocator).
 */
GPUVM_API int gpuvm_set_budget(unsigned idev, size_t nbytes);

/* A part of a device buffer and its counterpart on the host. */
struct gpuvm_segment {
    void *devbuf;
    size_t offset; /* into the buffer, bytes */
    size_t nbytes;
    void *host;
};

/*
 * A device of the caller's (GPUVM_OPS). Functions return 0, or another value for failure. All may
 * be called from any thread, several at once. The library's own threads, too, call read while
 * application threads wait for it. So read must not need a lock that a thread may hold while it
 * touches an array.
 */
struct gpuvm_device_ops {
    size_t size; /* sizeof(struct gpuvm_device_ops), for later versions */
    unsigned features;
    /* Copies `count` segments from the device (to it), as one batch; returns when the data are
     * there. After all kernels that were given to the device before the call. */
    int (*read)(void *device, const struct gpuvm_segment *segments, size_t count);
    int (*write)(void *device, const struct gpuvm_segment *segments, size_t count);
    /* Waits for all kernels given to the device so far. NULL: kernels are over when
     * gpuvm_kernel_end is called. */
    int (*finish)(void *device);
    /* Where the host can reach the buffer's memory by plain loads and stores, at any time after
     * finish; NULL if it cannot. The function itself may be NULL. */
    void *(*reach)(void *device, void *devbuf, size_t nbytes);
    /* Waits for events, or makes all that is given to the device later wait for them
     * (gpuvm_kernel_end_after). NULL, or beyond `size`: there are none. */
    int (*wait)(void *device, unsigned nevents, void *const *events);
};

/* gpuvm_device_ops.features: kernels on this device see all host memory as the host does. */
#define GPUVM_DEVICE_SVM 0x1

struct gpuvm_device {
    const struct gpuvm_device_ops *ops; /* must outlive the library's use, as the device */
    void *device;                       /* handed to the functions */
};

/*
 * Writes the last events (faults, transfers, begins and ends) as CSV to a file. They are in a ring
 * of 65,536, recorded when GPUVM_TRACE is set or GPUVM_STAT is given. GPUVM_TRACE=FILE does the
 * same at the end. ESTATE, ENULL, ERROR (errno says why).
 */
GPUVM_API int gpuvm_trace_write(const char *path);

#ifdef __cplusplus
}
#endif

#endif
