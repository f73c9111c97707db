/* SPDX-License-Identifier: MIT */
/*
 * libgpuvm-preload.so, for LD_PRELOAD. It does four things for a program that uses libgpuvm:
 *
 *   transfer.c, socket.c  system calls whose buffers are arrays that a device owns. Where the
 *                         kernel cannot wait for the data (the rungs uffd-*-user and segv-mem)
 *                         such a call fails with EFAULT. Here the buffers are made ready, and
 *                         it is made again.
 *
 *   memory.c              free, realloc, munmap and mremap of linked arrays: their links end
 *                         before the memory goes away.
 *
 *   allocate.c            malloc, calloc: larger blocks have whole pages.
 *
 *   opencl.c              OpenCL's commands that read or write arrays which a device owns.
 *
 * It does not depend on libgpuvm: a program that does not use it runs as without the shim, but for
 * a test of one pointer.
 *
 * System calls that are not made by name through the C library are not seen: io_uring, aio, ioctl,
 * vmsplice, sendmmsg, recvmmsg, process_vm_readv, syscall(2). Nor are calls that the C library
 * makes inside (stdio's reads and writes). But fread and fwrite themselves are seen, and nothing
 * else in stdio hands a program's buffer to the kernel. Nor are statically linked C libraries seen,
 * nor mappings that replace an array (mmap with MAP_FIXED, brk).
 */
#ifndef PRELOAD_PRELOAD_H
#define PRELOAD_PRELOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define PRELOAD_API __attribute__((visibility("default")))

/* The calls of libgpuvm that the shim makes. */
struct preload_library {
    int (*forget)(void *pointer, size_t nbytes, int flags);
    int (*is_linked)(const void *pointer, size_t nbytes);
    int (*host_begin)(void *pointer, size_t nbytes, int flags);
    int (*host_end)(void *pointer, size_t nbytes);
};

/* NULL while the program has no libgpuvm. */
extern _Atomic(const struct preload_library *) preload_library;

/* Above 0 while this thread is in libgpuvm on the shim's behalf: what that calls goes straight to
 * the C library. */
extern _Thread_local unsigned preload_depth __attribute__((tls_model("initial-exec")));

static inline const struct preload_library *preload_get(void)
{
    if (preload_depth > 0)
        return NULL;
    return atomic_load_explicit(&preload_library, memory_order_acquire);
}

/* The next definition of a function, found once; NULL while this thread is looking for one already.
 */
void *preload_next(_Atomic(void *) *known, const char *name);

#define NEXT(name)                                                                                 \
    ((__typeof__(name) *)preload_next(__extension__({                                              \
                                          static _Atomic(void *) known;                            \
                                          &known;                                                  \
                                      }),                                                          \
                                      #name))

/* Whether any array overlaps the range; makes it ready for the host; says that the host's use is
 * over. errno stays. */
bool preload_is_linked(const struct preload_library *library, const void *pointer, size_t nbytes);
bool preload_begin(const struct preload_library *library, void *pointer, size_t nbytes, int flags);
void preload_end(const struct preload_library *library, void *pointer, size_t nbytes);

/* allocate.c: realloc, but for links; whether a block is not the C library's; before a free. */
void *allocate_again(void *pointer, size_t nbytes);
bool allocate_is_first(const void *pointer);
void allocate_unseal(void *pointer, size_t usable_bytes);

/* Ends the links of every array in the range; false if data could not come back. errno stays. */
bool preload_forget(const struct preload_library *library, void *pointer, size_t nbytes, int flags);

/*
 * libgpuvm calls this, if it finds it, when it starts; with NULLs when it stops. So also a library
 * that the program opened later, or that is linked statically, is known here. (Looking for it would
 * not do: dlsym makes what it finds stay for ever, and free may not call dlopen.) A program that
 * closes the library while other threads free memory has a race.
 */
PRELOAD_API void gpuvm_preload_attach(int (*forget)(void *, size_t, int),
                                      int (*is_linked)(const void *, size_t),
                                      int (*host_begin)(void *, size_t, int),
                                      int (*host_end)(void *, size_t));

#endif
