/* SPDX-License-Identifier: MIT */
/* The cache of code objects: what is not compiled again, and what is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/text.h"
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
        {"cache/second_build_does_not_run_clang", second_build_does_not_run_clang, NULL, NULL,
         NULL},
        {"cache/damaged_entries_are_no_entries", damaged_entries_are_no_entries, NULL, NULL, NULL},
        {"cache/every_byte_of_an_entry_is_checked", every_byte_of_an_entry_is_checked, NULL, NULL,
         NULL},
        {"cache/unusable_cache_is_no_error", unusable_cache_is_no_error, NULL, NULL, NULL},
        {"cache/two_processes_share_a_cache", two_processes_share_a_cache, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests_name("program/cache", tests, make_sandbox, remove_sandbox);
}
