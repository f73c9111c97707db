/* SPDX-License-Identifier: MIT */
/* Finds libgpuvm, and the functions that the shim stands before; see preload.h. */
#include "preload.h"

#include <dlfcn.h>
#include <errno.h>

_Atomic(const struct preload_library *) preload_library;
_Thread_local unsigned preload_depth __attribute__((tls_model("initial-exec")));

static struct preload_library attached;
/* Volatile: dlsym is declared as if it could not call back, yet it frees. */
static _Thread_local volatile unsigned looking __attribute__((tls_model("initial-exec")));

void *preload_next(_Atomic(void *) *known, const char *name)
{
    void *next = atomic_load_explicit(known, memory_order_relaxed);

    if (next != NULL || looking > 0)
        return next;
    looking++; /* dlsym may free */
    next = dlsym(RTLD_NEXT, name);
    looking--;
    atomic_store_explicit(known, next, memory_order_relaxed);
    return next;
}

static bool library_look(struct preload_library *library)
{
    looking++;
    library->forget = (int (*)(void *, size_t, int))dlsym(RTLD_DEFAULT, "gpuvm_forget");
    library->is_linked = (int (*)(const void *, size_t))dlsym(RTLD_DEFAULT, "gpuvm_is_linked");
    library->host_begin = (int (*)(void *, size_t, int))dlsym(RTLD_DEFAULT, "gpuvm_host_begin");
    library->host_end = (int (*)(void *, size_t))dlsym(RTLD_DEFAULT, "gpuvm_host_end");
    looking--;
    return library->forget != NULL && library->is_linked != NULL && library->host_begin != NULL &&
           library->host_end != NULL;
}

/* What is loaded at the program's start stays loaded; a library that comes later says so itself. */
__attribute__((constructor)) static void preload_start(void)
{
    static struct preload_library first;

    if (atomic_load(&preload_library) == NULL && library_look(&first))
        atomic_store_explicit(&preload_library, &first, memory_order_release);
}

void gpuvm_preload_attach(int (*forget)(void *, size_t, int),
                          int (*is_linked)(const void *, size_t),
                          int (*host_begin)(void *, size_t, int), int (*host_end)(void *, size_t))
{
    if (forget == NULL || is_linked == NULL || host_begin == NULL || host_end == NULL) {
        atomic_store_explicit(&preload_library, NULL, memory_order_release);
        return;
    }
    attached = (struct preload_library){forget, is_linked, host_begin, host_end};
    atomic_store_explicit(&preload_library, &attached, memory_order_release);
}

bool preload_is_linked(const struct preload_library *library, const void *pointer, size_t nbytes)
{
    int saved_errno = errno;
    bool is_linked;

    if (nbytes == 0)
        return false;
    preload_depth++;
    is_linked = library->is_linked(pointer, nbytes) > 0;
    preload_depth--;
    errno = saved_errno;
    return is_linked;
}

bool preload_begin(const struct preload_library *library, void *pointer, size_t nbytes, int flags)
{
    int saved_errno = errno;
    bool has_begun;

    preload_depth++;
    has_begun = library->host_begin(pointer, nbytes, flags) == 0;
    preload_depth--;
    errno = saved_errno;
    return has_begun;
}

void preload_end(const struct preload_library *library, void *pointer, size_t nbytes)
{
    int saved_errno = errno;

    preload_depth++;
    library->host_end(pointer, nbytes);
    preload_depth--;
    errno = saved_errno;
}

bool preload_forget(const struct preload_library *library, void *pointer, size_t nbytes, int flags)
{
    int saved_errno = errno;
    bool is_well;

    preload_depth++;
    is_well = library->is_linked(pointer, nbytes) <= 0 || /* the library may not even be started */
              library->forget(pointer, nbytes, flags) >= 0;
    preload_depth--;
    errno = saved_errno;
    return is_well;
}
