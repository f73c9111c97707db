/* SPDX-License-Identifier: MIT */
/* What processes tell and keep for the command that started them, and writes that raise no signal.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/journal.h"
#include "report/kept.h"
#include "report/write_guard.h"

struct bench {
    char folder[32];
    char *journal, *part, *kept;
};

static int bench_init(void **state)
{
    struct bench *bench = allocate(1, sizeof *bench);

    strcpy(bench->folder, "/tmp/wavetank-test-XXXXXX");
    assert_non_null(mkdtemp(bench->folder));
    bench->journal = format_string("%s/journal", bench->folder);
    bench->part = format_string("%s/x.part", bench->folder);
    bench->kept = journal_kept_path(bench->journal, "7.0");
    *state = bench;
    return 0;
}

/* The folder must be empty but for these files. */
static int bench_finish(void **state)
{
    struct bench *bench = *state;

    unlink(bench->journal);
    unlink(bench->part);
    unlink(bench->kept);
    assert_int_equal(rmdir(bench->folder), 0);
    free(bench->journal);
    free(bench->part);
    free(bench->kept);
    free(bench);
    return 0;
}

static void write_file(const char *path, const char *text)
{
    FILE *stream = fopen(path, "w");

    assert_non_null(stream);
    fputs(text, stream);
    assert_int_equal(fclose(stream), 0);
}

static void assert_file(const char *path, const char *text)
{
    char content[4096] = "";
    FILE *stream = fopen(path, "r");

    assert_non_null(stream);
    content[fread(content, 1, sizeof content - 1, stream)] = '\0';
    fclose(stream);
    assert_string_equal(content, text);
}

/* ---- The journal ---- */

static void each_image_has_its_own_words(void **state)
{
    struct bench *bench = *state;
    struct journal journal;

    assert_true(journal_add(bench->journal, "7.0", JOURNAL_BEGIN, NULL));
    assert_true(journal_add(bench->journal, "8.0", JOURNAL_BEGIN, NULL));
    assert_true(journal_add(bench->journal, "7.0", JOURNAL_KERNEL, "add"));
    assert_true(journal_add(bench->journal, "7.0", JOURNAL_JSON, "/a b/c"));
    assert_true(journal_add(bench->journal, "8.0", JOURNAL_OPEN, NULL));
    assert_true(journal_add(bench->journal, "7.0", JOURNAL_OPEN, NULL));
    assert_true(journal_add(bench->journal, "7.0", JOURNAL_KEPT, NULL));
    journal_read(&journal, bench->journal);
    assert_int_equal(journal.image_count, 2);
    assert_string_equal(journal.images[0].name, "7.0");
    assert_string_equal(journal.images[0].kernel, "add");
    assert_string_equal(journal.images[0].json, "/a b/c");
    assert_null(journal.images[0].part);
    assert_true(journal.images[0].has[JOURNAL_KEPT]);
    assert_false(journal.images[0].is_open);
    assert_null(journal.images[1].kernel);
    assert_true(journal.images[1].is_open);
    assert_false(journal.images[1].has[JOURNAL_KEPT]);
    journal_finish(&journal);
}

static void what_happens_after_keeping_is_open(void **state)
{
    struct bench *bench = *state;
    struct journal journal;

    journal_add(bench->journal, "7.0", JOURNAL_KEPT, NULL);
    journal_add(bench->journal, "7.0", JOURNAL_OPEN, NULL);
    journal_read(&journal, bench->journal);
    assert_true(journal.images[0].has[JOURNAL_KEPT]);
    assert_true(journal.images[0].is_open);
    journal_finish(&journal);
}

static void lines_that_are_none_are_skipped(void **state)
{
    struct bench *bench = *state;
    struct journal journal;

    write_file(bench->journal, "\n \nword\n7.0 nonsense\n7.0  begin\n7.0 kernel k\n7.0 kept");
    journal_read(&journal, bench->journal);
    assert_int_equal(journal.image_count, 1);
    assert_string_equal(journal.images[0].kernel, "k");
    assert_false(journal.images[0].has[JOURNAL_BEGIN]);
    journal_finish(&journal);
    unlink(bench->journal);
    journal_read(&journal, bench->journal);
    assert_int_equal(journal.image_count, 0);
    journal_finish(&journal);
}

static void an_image_after_exec_has_another_name(void **state)
{
    struct bench *bench = *state;
    char *first = journal_image_name(bench->journal), *second;
    char *expected = format_string("%ld.0", (long)getpid());

    assert_string_equal(first, expected);
    journal_add(bench->journal, first, JOURNAL_BEGIN, NULL);
    journal_add(bench->journal, "1.0", JOURNAL_BEGIN, NULL);
    second = journal_image_name(bench->journal);
    free(expected);
    expected = format_string("%ld.1", (long)getpid());
    assert_string_equal(second, expected);
    free(first);
    free(second);
    free(expected);
}

static void one_of_many_processes_gets_a_path(void **state)
{
    enum { PROCESSES = 12 };
    struct bench *bench = *state;
    unsigned owners = 0;

    for (unsigned i = 0; i < PROCESSES; i++)
        if (fork() == 0) {
            char image[16];

            snprintf(image, sizeof image, "%u.0", i);
            _exit(journal_claim(bench->journal, image, "/x"));
        }
    for (unsigned i = 0; i < PROCESSES; i++) {
        int status;

        assert_true(wait(&status) > 0);
        owners += WEXITSTATUS(status) == 1;
    }
    assert_int_equal(owners, 1);
    assert_true(journal_claim(bench->journal, "99.0", "/y"));
    assert_true(journal_claim(bench->journal, "99.0", "/y")); /* its own */
    assert_false(journal_claim(bench->journal, "98.0", "/y"));
}

/* ---- Kept results ---- */

static void keep(const char *path, uint64_t offset, const char *end, const char *table)
{
    struct kept kept = {.offset = offset};

    text_add(&kept.end, "%s", end);
    text_add(&kept.table, "%s", table);
    assert_true(kept_write(path, &kept));
    kept_finish(&kept);
}

static void the_latest_kept_end_makes_the_part_whole(void **state)
{
    struct bench *bench = *state;
    struct kept kept;

    write_file(bench->part, "[1, 2, 3, and half of the fo");
    keep(bench->kept, 5, "]\n", "one table\n");
    keep(bench->kept, 8, "] four\n", "a table\nof two lines\n");
    assert_true(kept_read(bench->kept, &kept));
    assert_string_equal(text_chars(&kept.table), "a table\nof two lines\n");
    assert_true(kept_complete(&kept, bench->part));
    assert_file(bench->part, "[1, 2, 3] four\n");
    kept_finish(&kept);
}

static void what_cannot_be_kept_leaves_what_was(void **state)
{
    struct bench *bench = *state;
    struct kept kept = {.offset = 3}, found;
    char *next = format_string("%s.next", bench->kept);

    assert_false(kept_read(bench->kept, &found));
    keep(bench->kept, 1, "end", "table");
    assert_int_equal(symlink("/dev/full", next), 0);
    text_add(&kept.end, "other");
    assert_false(kept_write(bench->kept, &kept));
    assert_int_equal(errno, ENOSPC);
    assert_true(kept_read(bench->kept, &found));
    assert_int_equal(found.offset, 1);
    assert_string_equal(text_chars(&found.end), "end");
    kept_finish(&found);
    kept_finish(&kept);
    unlink(next);
    free(next);
}

/* Neither the process that keeps nor the one that completes is ended by a limit. */
static void a_limit_on_sizes_is_an_error(void **state)
{
    struct bench *bench = *state;
    struct kept kept = {.offset = 4};
    struct rlimit before, small;

    signal(SIGXFSZ, SIG_DFL);
    write_file(bench->part, "[1, ");
    text_add(&kept.end, "2] and more than the limit");
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 16;
    setrlimit(RLIMIT_FSIZE, &small);
    assert_false(kept_write(bench->kept, &kept));
    assert_false(kept_complete(&kept, bench->part));
    setrlimit(RLIMIT_FSIZE, &before);
    assert_true(kept_write(bench->kept, &kept));
    kept_finish(&kept);
}

static void a_damaged_file_is_none(void **state)
{
    static const char *const damaged[] = {"", "1 2", "1 2 3", "1 2 3\n", "5 3 1\nend", "a b c\nx"};
    struct bench *bench = *state;
    struct kept kept;

    for (unsigned i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        write_file(bench->kept, damaged[i]);
        assert_false(kept_read(bench->kept, &kept));
    }
    keep(bench->kept, 3, "x", "");
    assert_true(kept_read(bench->kept, &kept));
    assert_false(kept_complete(&kept, bench->part)); /* there is none */
    assert_int_equal(symlink(bench->kept, bench->part), 0);
    assert_false(kept_complete(&kept, bench->part)); /* never through a link */
    kept_finish(&kept);
}

/* ---- Writes without signals ---- */

static volatile sig_atomic_t signals;

static void count_signal(int number)
{
    signals++;
}

static void a_write_fails_without_a_signal(void **state)
{
    struct bench *bench = *state;
    struct rlimit before, small;
    struct write_guard guard;
    int ends[2], file = open(bench->part, O_WRONLY | O_CREAT, 0600);

    signal(SIGPIPE, count_signal);
    signal(SIGXFSZ, count_signal);
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 4;
    setrlimit(RLIMIT_FSIZE, &small);
    signals = 0;
    write_guard_begin(&guard);
    assert_int_equal(write(ends[1], "x", 1), -1);
    assert_int_equal(errno, EPIPE);
    assert_int_equal(pwrite(file, "x", 1, 4), -1);
    assert_int_equal(errno, EFBIG);
    write_guard_end(&guard);
    assert_int_equal(errno, EFBIG);
    assert_int_equal(signals, 0);
    assert_int_equal(write(ends[1], "x", 1), -1); /* the program's own write has its signal */
    assert_int_equal(signals, 1);
    setrlimit(RLIMIT_FSIZE, &before);
    close(ends[1]);
    close(file);
}

static void a_signal_that_waited_before_stays(void **state)
{
    struct write_guard guard;
    sigset_t pipe_signal, before;

    signal(SIGPIPE, count_signal);
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    signals = 0;
    raise(SIGPIPE);
    write_guard_begin(&guard);
    write_guard_end(&guard);
    assert_int_equal(signals, 0);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    assert_int_equal(signals, 1);
}

#define WITH_BENCH(test) cmocka_unit_test_setup_teardown(test, bench_init, bench_finish)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_BENCH(each_image_has_its_own_words),
        WITH_BENCH(what_happens_after_keeping_is_open),
        WITH_BENCH(lines_that_are_none_are_skipped),
        WITH_BENCH(an_image_after_exec_has_another_name),
        WITH_BENCH(one_of_many_processes_gets_a_path),
        WITH_BENCH(the_latest_kept_end_makes_the_part_whole),
        WITH_BENCH(what_cannot_be_kept_leaves_what_was),
        WITH_BENCH(a_limit_on_sizes_is_an_error),
        WITH_BENCH(a_damaged_file_is_none),
        WITH_BENCH(a_write_fails_without_a_signal),
        cmocka_unit_test(a_signal_that_waited_before_stays),
    };

    return cmocka_run_group_tests_name("report/journal", tests, NULL, NULL);
}
