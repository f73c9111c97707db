/* SPDX-License-Identifier: MIT */
#include "memory.h"

#include "collect.h"

#ifdef PRELOAD_BLOCKS
#include "../../preload/blocks.h"
#endif

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define LINE_BYTES 512
#define NAME_BYTES 64

/* The sanitizers have allocators of their own, and know every variable. */
const char *__asan_locate_address(void *pointer, char *name, size_t name_bytes, void **base,
                                  size_t *nbytes) __attribute__((weak));
const char *__tsan_locate_address(void *pointer, char *name, size_t name_bytes, void **base,
                                  size_t *nbytes) __attribute__((weak));

static bool find_sanitized(void *pointer, struct memory *memory)
{
    char name[NAME_BYTES];
    const char *kind = NULL;
    if (__asan_locate_address)
        kind = __asan_locate_address(pointer, name, sizeof(name), &memory->base, &memory->nbytes);
    else if (__tsan_locate_address)
        kind = __tsan_locate_address(pointer, name, sizeof(name), &memory->base, &memory->nbytes);
    if (!kind)
        return false;
    if (strcmp(kind, "heap") == 0)
        memory->kind = MEMORY_HEAP;
    else if (strcmp(kind, "global") == 0)
        memory->kind = MEMORY_GLOBAL;
    else
        return false;
    return memory->nbytes > 0;
}

static bool is_on_own_stack(const void *pointer)
{
    pthread_attr_t attributes;
    void *start;
    size_t nbytes;
    if (pthread_getattr_np(pthread_self(), &attributes))
        return false;
    bool is_known = !pthread_attr_getstack(&attributes, &start, &nbytes);
    pthread_attr_destroy(&attributes);
    return is_known && (uintptr_t)pointer - (uintptr_t)start < nbytes;
}

/* Another thread's stack is a mapping like others; the first thread's has a name. */
static bool is_on_first_stack(const void *pointer)
{
    char line[LINE_BYTES];
    uintptr_t from, to;
    bool is_there = false;
    FILE *stream = fopen("/proc/self/maps", "re");
    while (stream && !is_there && fgets(line, sizeof(line), stream))
        is_there = strstr(line, "[stack]") && sscanf(line, "%lx-%lx", &from, &to) == 2 &&
                   (uintptr_t)pointer >= from && (uintptr_t)pointer < to;
    if (stream)
        fclose(stream);
    return is_there;
}

static bool find_heap(void *pointer, struct memory *memory)
{
#ifdef PRELOAD_BLOCKS
    memory->kind = MEMORY_HEAP;
    return blocks_find(pointer, &memory->base, &memory->nbytes);
#else
    (void)pointer, (void)memory;
    return false;
#endif
}

struct memory memory_find(void *pointer, size_t typed_bytes)
{
    struct memory memory = {.kind = MEMORY_UNKNOWN, .base = pointer};
    bool is_module = false;
    if (is_on_own_stack(pointer) || is_on_first_stack(pointer)) {
        memory.kind = MEMORY_STACK;
        return memory;
    }
    if (collect_find(pointer, &memory) || find_sanitized(pointer, &memory) ||
        find_heap(pointer, &memory))
        return memory;
    memory = (struct memory){.kind = MEMORY_GLOBAL, .base = pointer};
    if (symbols_find(pointer, &memory.base, &memory.nbytes, &is_module))
        return memory;
    memory.kind = is_module && typed_bytes ? MEMORY_GLOBAL : MEMORY_UNKNOWN;
    memory.base = pointer;
    memory.nbytes = typed_bytes;
    return memory;
}
