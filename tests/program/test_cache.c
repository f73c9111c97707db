/* SPDX-License-Identifier: MIT */
/* The cache of code objects: what is not compiled again, and what is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/text.h"
#include "program/binary.h"
#include "program/object_cache.h"
#include "support.h"

/* A compiler that leaves a mark each time it runs. */
static void install_counting_clang(const char *folder)
{
    struct program_compiler compiler;
    char *script, *path = format_string("%s/counting-clang", folder);

    assert_true(program_find_compiler(&compiler, NULL));
    script =
        format_string("#!/bin/sh\necho run >> %s/runs\nexec %s \"$@\"\n", folder, compiler.clang);
    write_file(folder, "counting-clang", script);
    assert_int_equal(chmod(path, 0700), 0);
    setenv("WAVETANK_CLANG", path, 1);
    free(script);
    free(path);
}

static long count_runs(const char *folder)
{
    char *path = format_string("%s/runs", folder);
    struct stat status;
    long runs = stat(path, &status) == 0 ? (long)status.st_size / 4 : 0;

    free(path);
    return runs;
}

static void second_build_does_not_run_clang(void **state)
{
    const char *folder = *state;
    size_t first_bytes, second_bytes;
    unsigned char *first, *second;
    long runs;

    install_counting_clang(folder);
    first = must_compile(simple_source, "-DCOUNTED", &first_bytes);
    runs = count_runs(folder);
    assert_true(runs >= 1);
    second = must_compile(simple_source, "-DCOUNTED", &second_bytes);
    assert_int_equal(count_runs(folder), runs);
    assert_int_equal(first_bytes, second_bytes);
    assert_memory_equal(first, second, first_bytes);
    free(second);
    second = must_compile(simple_source, "-DCOUNTED=2", &second_bytes);
    assert_int_equal(count_runs(folder), runs + 1);
    free(second);
    second = must_compile("__kernel void other(void) {}", "-DCOUNTED", &second_bytes);
    assert_int_equal(count_runs(folder), runs + 2);
    free(second);
    free(first);
    unsetenv("WAVETANK_CLANG");
}

/* Two compilers that make the same code must give one hash: results are compared by it. */
static void code_is_the_same_whoever_sealed_it(void **state)
{
    size_t bytes;
    unsigned char *file = must_compile(simple_source, "", &bytes);
    struct program *one = program_load(file, bytes, NULL), *other;
    struct program_stamp stamp;

    (void)state;
    assert_non_null(one);
    assert_true(binary_code_bytes(file, bytes) < bytes);
    bytes = binary_code_bytes(file, bytes);
    memset(&stamp, 0x5a, sizeof stamp);
    binary_seal(&file, &bytes, &stamp);
    other = program_load(file, bytes, NULL);
    assert_non_null(other);
    assert_memory_equal(one->hash, other->hash, sizeof one->hash);
    program_destroy(one);
    program_destroy(other);
    free(file);
}

static uint64_t stamp_with(struct program_compiler compiler, size_t offset, const char *value)
{
    strcpy((char *)&compiler + offset, value);
    return program_compiler_stamp(&compiler);
}

static uint64_t stamp_of_part(struct program_compiler compiler, size_t offset, const char *folder,
                              const char *content, long nanoseconds)
{
    struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000, .tv_nsec = nanoseconds}};
    char *path = format_string("%s/part", folder);
    uint64_t stamp;

    write_file(folder, "part", content);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    stamp = stamp_with(compiler, offset, path);
    free(path);
    return stamp;
}

/* Each file that takes part, by its path, its size and its time. */
static void what_makes_code_is_in_the_stamp(void **state)
{
    static const size_t files[] = {offsetof(struct program_compiler, clang),
                                   offsetof(struct program_compiler, libclc),
                                   offsetof(struct program_compiler, builtins),
                                   offsetof(struct program_compiler, backend),
                                   offsetof(struct program_compiler, builtins_index),
                                   offsetof(struct program_compiler, lld),
                                   offsetof(struct program_compiler, libclc_index)};
    struct program_compiler compiler;
    uint64_t stamp;

    assert_true(program_find_compiler(&compiler, NULL));
    stamp = program_compiler_stamp(&compiler);
    assert_int_equal(program_compiler_stamp(&compiler), stamp);
    assert_int_not_equal(
        stamp_with(compiler, offsetof(struct program_compiler, clang_version), "1"), stamp);
    assert_int_not_equal(
        stamp_with(compiler, offsetof(struct program_compiler, libclc_version), "1"), stamp);
    for (unsigned i = 0; i < ARRAY_COUNT(files); i++) {
        uint64_t other = stamp_of_part(compiler, files[i], *state, "x", 0);
        uint64_t larger = stamp_of_part(compiler, files[i], *state, "xx", 0);
        uint64_t later = stamp_of_part(compiler, files[i], *state, "xx", 1000);

        assert_true(other != stamp && larger != other && later != larger && later != other);
    }
}

/* Such a seal says who wrote the file, but not which compiler made the code. */
static void code_of_a_version_without_stamps_is_refused(void **state)
{
    static const char old_magic[] = "WAVETKCO";
    struct diagnosis diagnosis;
    size_t bytes;
    unsigned char *file = must_compile(simple_source, "", &bytes);

    (void)state;
    bytes = binary_code_bytes(file, bytes);
    memset(file + bytes, 0, 32);
    memcpy(file + bytes, old_magic, 8);
    assert_null(program_load(file, bytes + 32, &diagnosis));
    assert_non_null(strstr(diagnosis.message, "an older version's: compile it again"));
    free(file);
}

/* Cuts or flips a byte of every entry; what is read then must be what clang makes. */
static void damage_entries(const char *folder, bool is_cut)
{
    char *command =
        is_cut ? format_string("for f in %s/*.co; do head -c 1000 $f > $f.x && mv $f.x $f; done",
                               folder)
               : format_string("for f in %s/*.co; do printf X | dd of=$f bs=1 seek=700 "
                               "conv=notrunc 2>/dev/null; done",
                               folder);

    assert_int_equal(system(command), 0);
    free(command);
}

static void damaged_entries_are_no_entries(void **state)
{
    char *cache = format_string("%s/cache", (const char *)*state);
    size_t good_bytes, again_bytes;
    unsigned char *good = must_compile(simple_source, "-DDAMAGE", &good_bytes);

    for (unsigned i = 0; i < 2; i++) {
        unsigned char *again;

        damage_entries(cache, i == 1);
        again = must_compile(simple_source, "-DDAMAGE", &again_bytes);
        assert_int_equal(again_bytes, good_bytes);
        assert_memory_equal(again, good, good_bytes);
        free(again);
    }
    free(good);
    free(cache);
}

static char *entry_path(const char *folder, const char *ending)
{
    char *command = format_string("ls %s/cache/*.%s", folder, ending);
    FILE *list = popen(command, "r");
    char path[512];

    assert_non_null(fgets(path, sizeof path, list));
    pclose(list);
    path[strcspn(path, "\n")] = '\0';
    free(command);
    return copy_string(path);
}

/* Each byte of the content and of what guards it: magic, size, and both halves of the hash. */
static void every_byte_of_an_entry_is_checked(void **state)
{
    static const uint64_t key[2] = {11, 22};
    static const char content[] = "some content";
    unsigned char *bytes;
    size_t count;
    char *path;

    object_cache_write(key, "guarded", content, sizeof content);
    assert_true(object_cache_read(key, "guarded", &bytes, &count));
    assert_int_equal(count, sizeof content);
    assert_memory_equal(bytes, content, count);
    free(bytes);
    path = entry_path(*state, "guarded");
    for (long at = 0; at < (long)sizeof content + 32; at++) {
        FILE *file = fopen(path, "r+b");
        int before;

        assert_non_null(file);
        fseek(file, at, SEEK_SET);
        before = fgetc(file);
        fseek(file, at, SEEK_SET);
        fputc(before ^ 0x10, file);
        fflush(file);
        assert_false(object_cache_read(key, "guarded", &bytes, &count));
        fseek(file, at, SEEK_SET);
        fputc(before, file);
        fclose(file);
    }
    assert_true(object_cache_read(key, "guarded", &bytes, &count));
    free(bytes);
    free(path);
}

/* As root, others' files are made with chown; else the mode and the link remain. */
static void entries_of_others_are_not_used(void **state)
{
    static const uint64_t key[2] = {33, 44};
    char *path, *moved, *cache = format_string("%s/cache", (const char *)*state);
    unsigned char *bytes;
    struct stat status;
    size_t count;

    object_cache_write(key, "owned", "mine", 4);
    assert_int_equal(stat(cache, &status), 0);
    assert_int_equal(status.st_mode & 077, 0);
    path = entry_path(*state, "owned");
    moved = format_string("%s.moved", path);
    for (unsigned mode = 0; mode < 2; mode++) {
        assert_int_equal(chmod(path, mode == 0 ? 0620 : 0602), 0);
        assert_false(object_cache_read(key, "owned", &bytes, &count));
    }
    assert_int_equal(chmod(path, 0644), 0);
    assert_true(object_cache_read(key, "owned", &bytes, &count));
    free(bytes);
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 12345, 12345), 0);
        assert_false(object_cache_read(key, "owned", &bytes, &count));
        assert_int_equal(chown(path, 0, 0), 0);
    }
    assert_int_equal(rename(path, moved), 0);
    assert_int_equal(symlink(moved, path), 0);
    assert_false(object_cache_read(key, "owned", &bytes, &count));
    free(moved);
    free(path);
    free(cache);
}

static void unusable_cache_is_no_error(void **state)
{
    char *cache = format_string("%s/cache", (const char *)*state);
    static const char *const bad[] = {"/dev/null/cache", "/proc/cache", "/dev/null"};

    for (unsigned i = 0; i < ARRAY_COUNT(bad); i++) {
        setenv("WAVETANK_CACHE", bad[i], 1);
        program_destroy(must_build(simple_source, "-DUNUSABLE"));
    }
    setenv("WAVETANK_CACHE", cache, 1);
    free(cache);
}

static void two_processes_share_a_cache(void **state)
{
    pid_t children[2];
    int status;

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            struct text log = {0};
            unsigned char *file;
            size_t file_bytes;

            _exit(program_compile(simple_source, strlen(simple_source), "-DSHARED", NULL, &file,
                                  &file_bytes, &log, NULL)
                      ? 0
                      : 1);
        }
    }
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    program_destroy(must_build(simple_source, "-DSHARED"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"cache/code_is_the_same_whoever_sealed_it", code_is_the_same_whoever_sealed_it, NULL, NULL,
         NULL},
        {"cache/what_makes_code_is_in_the_stamp", what_makes_code_is_in_the_stamp, NULL, NULL,
         NULL},
        {"cache/code_of_a_version_without_stamps_is_refused",
         code_of_a_version_without_stamps_is_refused, NULL, NULL, NULL},
        {"cache/second_build_does_not_run_clang", second_build_does_not_run_clang, NULL, NULL,
         NULL},
        {"cache/damaged_entries_are_no_entries", damaged_entries_are_no_entries, NULL, NULL, NULL},
        {"cache/every_byte_of_an_entry_is_checked", every_byte_of_an_entry_is_checked, NULL, NULL,
         NULL},
        {"cache/entries_of_others_are_not_used", entries_of_others_are_not_used, NULL, NULL, NULL},
        {"cache/unusable_cache_is_no_error", unusable_cache_is_no_error, NULL, NULL, NULL},
        {"cache/two_processes_share_a_cache", two_processes_share_a_cache, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests_name("program/cache", tests, make_sandbox, remove_sandbox);
}
