/* SPDX-License-Identifier: MIT */
/*
 * A program that opens libgpuvm.so (its path is the argument) while it runs, as a language's
 * runtime does. It uses the library, and closes it again with arrays on the device. The data come
 * back, and nothing of the library stays, neither threads nor handlers.
 */
#include "fake.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS 300000
#define SKIPPED 77

static uint32_t *host, *model;

static void check(bool is_right, const char *what)
{
    if (is_right)
        return;
    printf("failed: %s\n0 passed, 1 failed\n", what);
    exit(1);
}

static void step(uint32_t *words)
{
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = words[i] * 1664525u + 1013904223u + i;
}

/* On svm the kernel's data are the host's. */
static void kernel(void *data)
{
    step(data);
    step(model);
}

static bool is_mapped(const char *name)
{
    char line[4096];
    bool is_found = false;
    FILE *maps = fopen("/proc/self/maps", "r");

    check(maps != NULL, "/proc/self/maps");
    while (fgets(line, sizeof line, maps) != NULL)
        is_found = is_found || strstr(line, name) != NULL;
    fclose(maps);
    return is_found;
}

/* libgpuvm-preload.so must know of a library that came later, too: free ends the links of what is
 * freed. */
static void free_while_linked(struct fake *fake, void *library)
{
    __typeof__(gpuvm_link) *link_array = (__typeof__(link_array))dlsym(library, "gpuvm_link");
    __typeof__(gpuvm_stat) *stat = (__typeof__(stat))dlsym(library, "gpuvm_stat");
    void *buffer = fake_allocate(fake, WORDS * 4), *block = malloc(WORDS * 4);
    unsigned long long before = 0, after = 0;

    check(stat(GPUVM_STAT_ARRAYS, &before) == 0, "arrays before");
    check(link_array(block, WORDS * 4, 0, buffer, GPUVM_ON_HOST) == 0, "link for free");
    free(block);
    check(stat(GPUVM_STAT_ARRAYS, &after) == 0 && after == before, "free ends links");
    fake_release(fake, buffer);
}

static void use_library(const char *path, int mode)
{
    bool is_svm = getenv("GPUVM_BACKEND") != NULL && strcmp(getenv("GPUVM_BACKEND"), "svm") == 0;
    struct fake_options options = {.has_svm = is_svm};
    struct fake *fake = fake_create(&options);
    void *library = dlopen(path, mode), *devices[1] = {fake_device(fake)};
    void *buffer = is_svm ? NULL : fake_allocate(fake, WORDS * 4);
    __typeof__(gpuvm_init) *init;
    __typeof__(gpuvm_link) *link_array;
    __typeof__(gpuvm_kernel_begin) *begin;
    __typeof__(gpuvm_kernel_end) *end;
    int error;

    check(library != NULL, "dlopen");
    init = (__typeof__(init))dlsym(library, "gpuvm_init");
    link_array = (__typeof__(link_array))dlsym(library, "gpuvm_link");
    begin = (__typeof__(begin))dlsym(library, "gpuvm_kernel_begin");
    end = (__typeof__(end))dlsym(library, "gpuvm_kernel_end");
    check(init != NULL && link_array != NULL && begin != NULL && end != NULL, "dlsym");
    error = init(1, devices, GPUVM_OPS);
    if (error == GPUVM_EPROT) {
        printf("this rung does not work here\n");
        exit(SKIPPED);
    }
    check(error == 0, "init");
    check(link_array(host, WORDS * 4, 0, buffer, GPUVM_ON_HOST) == 0, "link");
    check(begin(host, 0, GPUVM_READ_WRITE) == 0, "begin");
    fake_launch(fake, kernel, is_svm ? (void *)host : fake_data(buffer), 0);
    check(end(host, 0) == 0, "end");
    fake_finish(fake);
    check(host[WORDS / 2] == model[WORDS / 2], "one word");
    if (dlsym(RTLD_DEFAULT, "gpuvm_preload_attach") != NULL)
        free_while_linked(fake, library);
    check(dlclose(library) == 0, "dlclose");
    check(!is_mapped("/libgpuvm.so"), "the library is gone");
    check(memcmp(host, model, WORDS * 4) == 0, "data after dlclose");
    if (!is_svm)
        fake_release(fake, buffer);
    check(fake_destroy(fake), "destroy");
}

int main(int argc, char **argv)
{
    struct sigaction before, after;

    check(argc == 2, "one argument: the library");
    host = malloc(WORDS * 4);
    model = malloc(WORDS * 4);
    for (uint32_t i = 0; i < WORDS; i++)
        host[i] = model[i] = i * 2654435761u;
    sigaction(SIGSEGV, NULL, &before);
    for (int round = 0; round < 6; round++) {
        use_library(argv[1], round % 2 ? RTLD_NOW | RTLD_GLOBAL : RTLD_LAZY | RTLD_LOCAL);
        memset(host, 7, WORDS * 4);
        memset(model, 7, WORDS * 4);
    }
    sigaction(SIGSEGV, NULL, &after);
    check(before.sa_handler == after.sa_handler, "SIGSEGV's handler");
    check((before.sa_flags & SA_SIGINFO) == (after.sa_flags & SA_SIGINFO), "its form");
    free(host);
    free(model);
    printf("1 passed, 0 failed\n");
    return 0;
}
