/* SPDX-License-Identifier: MIT */
/* The JSON file as it is written launch by launch: whole whenever it is completed, one a process,
 * and small however many launches there are. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "json_bench.h"
#include "report/kept.h"

static void it_can_be_completed_at_any_time(void **state)
{
    struct bench bench;
    json_t *root;

    bench_init(&bench, "a.json", JSON_KERNELS_ALL);
    for (unsigned i = 0; i < 4; i++) { /* none, some, many, some more */
        static const unsigned counts[] = {0, 1, 300, 302};

        bench_add(&bench, "transpose", counts[i] - (i > 0 ? counts[i - 1] : 0));
        bench_complete(&bench);
        root = report_load(bench.path);
        assert_int_equal(json_array_size(json_object_get(root, "kernels")), counts[i]);
        report_assert_balanced(root, counts[i]);
        json_decref(root);
    }
    assert_int_equal(unlink(bench.path), 0);
    bench_finish(&bench);
}

static void what_is_written_does_not_depend_on_when(void **state)
{
    struct bench at_once, in_parts;
    json_t *a, *b;

    bench_init(&at_once, "a.json", JSON_KERNELS_ALL);
    bench_init(&in_parts, "a.json", JSON_KERNELS_ALL);
    bench_add(&at_once, "transpose", 200);
    bench_complete(&at_once);
    bench_add(&in_parts, "transpose", 150);
    bench_complete(&in_parts);
    bench_add(&in_parts, "transpose", 50);
    bench_complete(&in_parts);
    a = report_load(at_once.path);
    b = report_load(in_parts.path);
    assert_true(json_equal(a, b));
    json_decref(a);
    json_decref(b);
    unlink(at_once.path);
    unlink(in_parts.path);
    bench_finish(&at_once);
    bench_finish(&in_parts);
}

static void launches_beyond_the_first_are_added_up(void **state)
{
    struct bench bench;
    json_t *root, *sums;

    bench_init(&bench, "a.json", JSON_KERNELS_FIRST);
    bench_add(&bench, "transpose", JSON_FIRST_LAUNCHES);
    bench_complete(&bench);
    root = report_load(bench.path);
    assert_int_equal(json_array_size(json_object_get(root, "kernels")), JSON_FIRST_LAUNCHES);
    assert_null(json_object_get(root, "kernel_sums"));
    json_decref(root);
    bench_add(&bench, "other", 5);
    bench_add(&bench, "transpose", 2);
    bench_complete(&bench);
    root = report_load(bench.path);
    assert_int_equal(json_array_size(json_object_get(root, "kernels")), JSON_FIRST_LAUNCHES);
    sums = json_object_get(root, "kernel_sums");
    assert_int_equal(json_array_size(sums), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(sums, 0), "name")),
                        "transpose");
    assert_int_equal(report_number(json_array_get(sums, 0), "launches"), 2);
    assert_int_equal(report_number(json_array_get(sums, 1), "launches"), 5);
    assert_int_equal(report_number(json_object_get(json_array_get(sums, 1), "sums"), "cu.l1.loads"),
                     500);
    report_assert_balanced(root, JSON_FIRST_LAUNCHES + 7);
    json_decref(root);
    unlink(bench.path);
    bench_finish(&bench);
}

static void kernels_whose_launches_all_have_objects_have_no_sum(void **state)
{
    struct bench bench;
    json_t *root;

    bench_init(&bench, "a.json", JSON_KERNELS_FIRST);
    bench_add(&bench, "early", 1);
    bench_add(&bench, "transpose", JSON_FIRST_LAUNCHES);
    bench_complete(&bench);
    root = report_load(bench.path);
    assert_int_equal(json_array_size(json_object_get(root, "kernel_sums")), 1);
    report_assert_balanced(root, JSON_FIRST_LAUNCHES + 1);
    json_decref(root);
    unlink(bench.path);
    bench_finish(&bench);
}

/* What followed the launches may have been longer before. */
static void nothing_is_left_of_an_earlier_end(void **state)
{
    struct bench bench;
    char command[2000];

    memset(command, 'x', sizeof command - 1);
    command[sizeof command - 1] = '\0';
    bench_init(&bench, "a.json", JSON_KERNELS_SUM);
    bench.sample.report.simulator.command = command;
    bench_complete(&bench);
    bench.sample.report.simulator.command = "short";
    bench_complete(&bench);
    json_decref(report_load(bench.path));
    unlink(bench.path);
    bench_finish(&bench);
}

static void sums_alone_or_neither(void **state)
{
    struct bench bench;
    json_t *root;

    bench_init(&bench, "a.json", JSON_KERNELS_SUM);
    bench_add(&bench, "transpose", 3);
    bench_complete(&bench);
    root = report_load(bench.path);
    assert_int_equal(json_array_size(json_object_get(root, "kernels")), 0);
    report_assert_balanced(root, 3);
    json_decref(root);
    unlink(bench.path);
    bench_finish(&bench);

    bench_init(&bench, "a.json", JSON_KERNELS_NONE);
    bench_add(&bench, "transpose", 3);
    bench_complete(&bench);
    root = report_load(bench.path);
    assert_int_equal(json_array_size(json_object_get(root, "kernels")), 0);
    assert_null(json_object_get(root, "kernel_sums"));
    assert_int_equal(report_number(json_object_get(root, "run"), "launches"), 3);
    json_decref(root);
    unlink(bench.path);
    bench_finish(&bench);
}

/* Written as it goes: not in memory, and under its name only when it is whole. */
static void it_stands_beside_until_it_is_whole(void **state)
{
    struct bench bench;
    char *beside;
    struct stat status;

    bench_init(&bench, "a.json", JSON_KERNELS_ALL);
    beside = format_string("%s.%ld.part", bench.path, (long)getpid());
    bench_add(&bench, "transpose", 300);
    assert_int_equal(stat(beside, &status), 0);
    assert_true(status.st_size > 100000);
    assert_int_not_equal(stat(bench.path, &status), 0);
    bench_complete(&bench);
    assert_int_equal(stat(bench.path, &status), 0);
    assert_int_not_equal(stat(beside, &status), 0);
    free(beside);
    unlink(bench.path);
    bench_finish(&bench);
}

/* A file of the same name may be a link to something dear. */
static void what_stands_beside_is_not_written_through(void **state)
{
    char folder[] = "/tmp/wavetank-test-XXXXXX";
    struct bench bench;
    char *dear, *beside;
    struct stat status;

    assert_non_null(mkdtemp(folder));
    dear = format_string("%s/dear", folder);
    close(open(dear, O_CREAT | O_WRONLY, 0600));
    bench_init(&bench, "a.json", JSON_KERNELS_ALL);
    beside = format_string("%s.%ld.part", bench.path, (long)getpid());
    json_file_destroy(bench.file);
    unlink(beside);
    assert_int_equal(symlink(dear, beside), 0);
    bench.file = json_file_begin(bench.path, NULL, JSON_KERNELS_ALL, &bench.sample.report);
    bench_add(&bench, "transpose", 100);
    bench_complete(&bench);
    assert_int_equal(stat(dear, &status), 0);
    assert_int_equal(status.st_size, 0);
    json_decref(report_load(bench.path));
    unlink(bench.path);
    unlink(dear);
    rmdir(folder);
    free(dear);
    free(beside);
    bench_finish(&bench);
}

/* Parent and child go on, each in its own file; both have what was before. */
static void a_child_has_a_file_of_its_own(void **state)
{
    struct bench bench;
    char *mine, *others;
    int status = 0;
    pid_t child;
    json_t *root;

    bench_init(&bench, "a-%p.json", JSON_KERNELS_ALL);
    bench_add(&bench, "transpose", 150); /* some written, some pending */
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bench_add(&bench, "of_child", 100);
        bench_complete(&bench);
        _exit(0);
    }
    bench_add(&bench, "of_parent", 50);
    bench_complete(&bench);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    mine = format_string("%s/a-%ld.json", bench.folder, (long)getpid());
    others = format_string("%s/a-%ld.json", bench.folder, (long)child);
    root = report_load(mine);
    report_assert_balanced(root, 200);
    json_decref(root);
    root = report_load(others);
    report_assert_balanced(root, 250);
    assert_string_equal(json_string_value(json_object_get(
                            json_array_get(json_object_get(root, "kernels"), 249), "name")),
                        "of_child");
    json_decref(root);
    assert_int_equal(unlink(mine), 0);
    assert_int_equal(unlink(others), 0);
    free(mine);
    free(others);
    bench_finish(&bench);
}

static void a_folder_that_is_not_there_is_said(void **state)
{
    struct bench bench;
    struct diagnosis diagnosis;

    bench_init(&bench, "no/a.json", JSON_KERNELS_ALL);
    bench_add(&bench, "transpose", 1);
    assert_false(
        json_file_complete(bench.file, &bench.sample.report, &bench.sample.log, &diagnosis));
    assert_non_null(strstr(diagnosis.message, bench.path));
    assert_non_null(strstr(diagnosis.message, "No such file"));
    bench_finish(&bench);
}

static void a_full_device_is_said(void **state)
{
    struct bench bench;
    struct diagnosis diagnosis;

    bench_init(&bench, "a.json", JSON_KERNELS_ALL);
    bench_complete(&bench);
    unlink(bench.path);
    json_file_destroy(bench.file);
    bench.file = json_file_begin("/dev/full", NULL, JSON_KERNELS_ALL, &bench.sample.report);
    bench_add(&bench, "transpose", 1);
    assert_false(
        json_file_complete(bench.file, &bench.sample.report, &bench.sample.log, &diagnosis));
    assert_non_null(strstr(diagnosis.message, "No space left"));
    bench_finish(&bench);
}

/* Never replaced by a file. */
static void a_pipe_is_written_to(void **state)
{
    struct bench bench;
    struct stat status;
    char first = 0;
    char *pipe;
    int fd;

    bench_init(&bench, "a.json", JSON_KERNELS_ALL);
    bench_complete(&bench);
    unlink(bench.path);
    json_file_destroy(bench.file);
    pipe = format_string("%s/pipe", bench.folder);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    fd = open(pipe, O_RDWR | O_NONBLOCK); /* both ends, so that the writer need not wait */
    assert_true(fd >= 0 && fcntl(fd, F_SETPIPE_SZ, 1 << 20) > 0);
    bench.file = json_file_begin(pipe, NULL, JSON_KERNELS_ALL, &bench.sample.report);
    bench_add(&bench, "transpose", 2);
    bench_complete(&bench);
    assert_int_equal(read(fd, &first, 1), 1);
    assert_int_equal(first, '{');
    assert_int_equal(stat(pipe, &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
    close(fd);
    unlink(pipe);
    free(pipe);
    bench_finish(&bench);
}

/* What was kept last is a whole report, however much was added since. */
static void what_is_kept_is_whole(void **state)
{
    static const unsigned more[] = {0, 1, 200};

    for (unsigned i = 0; i < 3; i++) {
        struct bench bench;
        struct kept kept = {0};
        json_t *root;
        char *part;

        bench_init(&bench, "a.json", JSON_KERNELS_ALL);
        part = format_string("%s/other.part", bench.folder);
        json_file_destroy(bench.file);
        assert_int_equal(bench_unlink_beside(&bench), 0);
        bench.file = json_file_begin(bench.path, part, JSON_KERNELS_ALL, &bench.sample.report);
        bench_add(&bench, "transpose", 70);
        assert_true(json_file_keep(bench.file, &bench.sample.report, &bench.sample.log, &kept.end,
                                   &kept.offset));
        bench_add(&bench, "transpose", more[i]);
        assert_true(kept_complete(&kept, part));
        root = report_load(part);
        assert_int_equal(json_array_size(json_object_get(root, "kernels")), 70);
        report_assert_balanced(root, 70);
        json_decref(root);
        assert_int_equal(unlink(part), 0);
        kept_finish(&kept);
        free(part);
        bench_finish(&bench);
    }
}

static void it_may_get_another_name(void **state)
{
    struct bench bench;
    char *other;
    json_t *root;

    bench_init(&bench, "a.json", JSON_KERNELS_ALL);
    other = format_string("%s/b.json", bench.folder);
    bench_add(&bench, "transpose", 2);
    json_file_move(bench.file, other, NULL);
    bench_complete(&bench);
    root = report_load(other);
    report_assert_balanced(root, 2);
    json_decref(root);
    assert_int_equal(unlink(other), 0);
    free(other);
    bench_finish(&bench);
}

/* A program may close what it does not know; another file then has the number. */
static void a_file_with_its_number_is_not_written_to(void **state)
{
    struct bench bench;
    struct stat status;
    char *dear;
    int file = -1;
    json_t *root;

    bench_init(&bench, "a.json", JSON_KERNELS_ALL);
    dear = format_string("%s/dear", bench.folder);
    for (int i = STDERR_FILENO + 1; i < 64; i++)
        close(i);
    while (file < 63)
        file = open(dear, O_RDWR | O_CREAT, 0600);
    bench_add(&bench, "transpose", 150);
    bench_complete(&bench);
    assert_int_equal(stat(dear, &status), 0);
    assert_int_equal(status.st_size, 0);
    root = report_load(bench.path);
    report_assert_balanced(root, 150);
    json_decref(root);
    for (int i = STDERR_FILENO + 1; i < 64; i++)
        close(i);
    unlink(dear);
    unlink(bench.path);
    free(dear);
    bench_finish(&bench);
}

/* A program that has closed its standard error prints nothing into the file. */
static void it_stays_away_from_the_standard_streams(void **state)
{
    struct bench bench;
    int saved = dup(STDERR_FILENO);

    close(STDERR_FILENO);
    bench_init(&bench, "a.json", JSON_KERNELS_ALL);
    assert_int_equal(fcntl(STDERR_FILENO, F_GETFD), -1);
    dup2(saved, STDERR_FILENO);
    close(saved);
    bench_complete(&bench);
    unlink(bench.path);
    bench_finish(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_can_be_completed_at_any_time),
        cmocka_unit_test(what_is_written_does_not_depend_on_when),
        cmocka_unit_test(launches_beyond_the_first_are_added_up),
        cmocka_unit_test(kernels_whose_launches_all_have_objects_have_no_sum),
        cmocka_unit_test(nothing_is_left_of_an_earlier_end),
        cmocka_unit_test(sums_alone_or_neither),
        cmocka_unit_test(it_stands_beside_until_it_is_whole),
        cmocka_unit_test(what_stands_beside_is_not_written_through),
        cmocka_unit_test(a_child_has_a_file_of_its_own),
        cmocka_unit_test(a_folder_that_is_not_there_is_said),
        cmocka_unit_test(a_full_device_is_said),
        cmocka_unit_test(a_pipe_is_written_to),
        cmocka_unit_test(what_is_kept_is_whole),
        cmocka_unit_test(it_may_get_another_name),
        cmocka_unit_test(a_file_with_its_number_is_not_written_to),
        cmocka_unit_test(it_stays_away_from_the_standard_streams),
    };

    return cmocka_run_group_tests_name("report/json_file", tests, NULL, NULL);
}
