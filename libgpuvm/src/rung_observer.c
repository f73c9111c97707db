/* SPDX-License-Identifier: MIT */
/* Programs that look at this one from outside, or run it step by step. */
#include "rung.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* valgrind preloads its core into each program (its manual, "The Valgrind core"). */
bool rung_is_on_valgrind(void)
{
    const char *preloaded = getenv("LD_PRELOAD");
    return preloaded && strstr(preloaded, "/vgpreload_core");
}

/* The thread that traces this one, 0: none (proc(5)). */
static int find_tracer(void)
{
    char line[256];
    int tracer = 0;
    FILE *file = fopen("/proc/self/status", "re");
    while (file && fgets(line, sizeof(line), file) && sscanf(line, "TracerPid: %d", &tracer) != 1)
        ;
    if (file)
        fclose(file);
    return tracer;
}

const char *rung_observer(void)
{
    static char name[64];
    if (rung_is_on_valgrind())
        return "valgrind";
    int tracer = find_tracer();
    if (!tracer)
        return NULL;
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/comm", tracer);
    FILE *file = fopen(path, "re");
    if (!file || !fgets(name, sizeof(name), file))
        snprintf(name, sizeof(name), "a tracer");
    if (file)
        fclose(file);
    name[strcspn(name, "\n")] = '\0';
    return name;
}
