/* SPDX-License-Identifier: MIT */
#include "loops.h"

#include <string.h>

#define ARRAY(name) "global uint *" #name "_base, ulong " #name "_offset"
#define POINTER(name)                                                                              \
    "global uint *" #name " = (global uint *)((global char *)" #name "_base + " #name "_offset);"  \
    "\n"
#define NUMBER(name, use)                                                                          \
    {                                                                                              \
        NUDA_ARRAY, use, sizeof(uint32_t), name                                                    \
    }

static const struct nuda_parameter advance_parameters[] = {NUMBER("a", NUDA_READ_WRITE),
                                                           {NUDA_VALUE, 0, sizeof(uint32_t), "s"}};

static struct nuda_loop advance_loop = {
    .file = "loops.c",
    .line = LOOPS_ADVANCE_LINE,
    .function = "loops_advance",
    .kernel = "advance",
    .source = "kernel void advance(" ARRAY(a) ", uint s, ulong count) {\n" POINTER(
        a) "if (get_global_id(0) < count) a[get_global_id(0)] = a[get_global_id(0)] * 3 + s; }",
    .options = "",
    .dimensions = 1,
    .parameters = 2,
    .parameter = advance_parameters};

bool loops_advance_typed(uint32_t *a, uint32_t s, size_t n, size_t nbytes)
{
    void *values[] = {&a, &s};
    return nuda_run(&advance_loop, &n, values, (const size_t[]){nbytes, 0});
}

bool loops_advance(uint32_t *a, uint32_t s, size_t n)
{
    return loops_advance_typed(a, s, n, 0);
}

void loops_advance_host(uint32_t *a, uint32_t s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        a[i] = a[i] * 3 + s;
}

bool loops_add(uint32_t *c, const uint32_t *a, const uint32_t *b, size_t n)
{
    static const struct nuda_parameter parameters[] = {
        NUMBER("c", NUDA_WRITE), NUMBER("a", NUDA_READ), NUMBER("b", NUDA_READ)};
    static struct nuda_loop loop = {
        .file = "loops.c",
        .line = 102,
        .function = "loops_add",
        .kernel = "add",
        .source =
            "kernel void add(" ARRAY(c) ", " ARRAY(a) ", " ARRAY(b) ", ulong count) {\n" POINTER(c)
                POINTER(a)
                    POINTER(b) "size_t i = get_global_id(0); if (i < count) c[i] = a[i] + b[i]; }",
        .options = "",
        .dimensions = 1,
        .block = {64},
        .parameters = 3,
        .parameter = parameters};
    void *values[] = {&c, &a, &b};
    return nuda_run(&loop, &n, values, NULL);
}

bool loops_every_other(uint32_t *a, size_t n)
{
    static const struct nuda_parameter parameters[] = {NUMBER("a", NUDA_WRITE)};
    static struct nuda_loop loop = {
        .file = "loops.c",
        .line = 103,
        .function = "loops_every_other",
        .kernel = "every_other",
        .source = "kernel void every_other(" ARRAY(a) ", ulong count) {\n" POINTER(
            a) "size_t i = get_global_id(0); if (i < count && i % 2 == 0) a[i] = i; }",
        .options = "",
        .dimensions = 1,
        .parameters = 1,
        .parameter = parameters};
    void *values[] = {&a};
    return nuda_run(&loop, &n, values, NULL);
}

bool loops_grid(uint32_t *a, const size_t counts[3], const size_t block[3])
{
    static const struct nuda_parameter parameters[] = {NUMBER("a", NUDA_READ_WRITE)};
    static struct nuda_loop loop = {
        .file = "loops.c",
        .line = 104,
        .function = "loops_grid",
        .kernel = "grid",
        .source = "kernel void grid(" ARRAY(a) ", ulong nx, ulong ny, ulong nz) {\n" POINTER(
            a) "size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
               "if (x < nx && y < ny && z < nz) a[(z * ny + y) * nx + x] += 1 + x + 10 * y + 100 * "
               "z; }",
        .options = "",
        .dimensions = 3,
        .parameters = 1,
        .parameter = parameters};
    void *values[] = {&a};
    memcpy(loop.block, block, sizeof(loop.block));
    return nuda_run(&loop, counts, values, NULL);
}

bool loops_broken(uint32_t *a, size_t n)
{
    static const struct nuda_parameter parameters[] = {NUMBER("a", NUDA_READ_WRITE)};
    static struct nuda_loop loop = {.file = "loops.c",
                                    .line = 105,
                                    .function = "loops_broken",
                                    .kernel = "broken",
                                    .source = "kernel void broken(global nothing *a) {}",
                                    .options = "",
                                    .dimensions = 1,
                                    .parameters = 1,
                                    .parameter = parameters};
    void *values[] = {&a};
    return nuda_run(&loop, &n, values, NULL);
}

bool loops_overwrite(uint32_t *a, uint32_t s, size_t n)
{
    static const struct nuda_parameter parameters[] = {NUMBER("a", NUDA_OVERWRITE),
                                                       {NUDA_VALUE, 0, sizeof(uint32_t), "s"}};
    static struct nuda_loop loop = {
        .file = "loops.c",
        .line = 106,
        .function = "loops_overwrite",
        .kernel = "overwrite",
        .source = "kernel void overwrite(" ARRAY(a) ", uint s, ulong count) {\n" POINTER(
            a) "size_t i = get_global_id(0); if (i < count) a[i] = i + s; }",
        .options = "",
        .dimensions = 1,
        .parameters = 2,
        .parameter = parameters};
    void *values[] = {&a, &s};
    return nuda_run(&loop, &n, values, NULL);
}
