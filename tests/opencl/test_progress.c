/* SPDX-License-Identifier: MIT */
/* The progress line: when it shows, what it says, that it goes away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "opencl/progress.h"

static FILE *captured;

/* Standard error goes to a file from here on; what it holds is read by `shown`. */
static int capture(void **state)
{
    captured = tmpfile();
    return captured == NULL || dup2(fileno(captured), STDERR_FILENO) < 0;
}

static const char *shown(void)
{
    static char text[1024];

    fflush(stderr);
    rewind(captured);
    text[fread(text, 1, sizeof text - 1, captured)] = '\0';
    if (ftruncate(fileno(captured), 0) != 0)
        abort();
    rewind(captured);
    return text;
}

static void short_kernels_show_nothing(void **state)
{
    struct progress_display display = {.is_wanted = true};

    progress_start(&display);
    progress_show(&display, &(struct machine_progress){"k", 1, 2, 4, 100, 100});
    assert_false(display.is_visible);
    progress_clear(&display);
    assert_string_equal(shown(), "");
}

static double host_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* That of a kernel which has run for so long. */
static struct progress_display started_before(double seconds)
{
    struct progress_display display = {.is_wanted = true};

    progress_start(&display);
    assert_true(display.started > 0 && display.started <= host_seconds());
    display.started = host_seconds() - seconds;
    return display;
}

static void long_kernels_show_a_line_now_and_then(void **state)
{
    struct progress_display display = started_before(10);
    struct machine_progress progress = {"transpose", 25, 30, 100, 20000, 100};

    progress_show(&display, &progress);
    assert_string_equal(shown(), "\r\033[Kwavetank: transpose 25 %, about 30 s left");
    progress_show(&display, &progress); /* too soon */
    assert_string_equal(shown(), "");
    progress_clear(&display);
    assert_string_equal(shown(), "\r\033[K");
    progress_clear(&display);
    assert_string_equal(shown(), "");
}

static void the_estimate_goes_by_the_groups_that_have_ended(void **state)
{
    static const struct {
        struct machine_progress progress;
        double seconds;
        const char *line;
    } cases[] = {
        {{"k", 0, 9, 10, 1, 20000}, 5, "k 0 %, 20 k instructions"},
        {{"k", 1, 9, 3, 1, 1}, 10, "k 33 %, about 20 s left"},
        {{"k", 999, 1000, 1000, 1, 1}, 10, "k 99 %, about 0 s left"},
        {{"k", 1, 9, 13, 1, 1}, 10, "k 7 %, about 2 min left"},
        {{"k", 1, 9, 1441, 1, 1}, 10, "k 0 %, about 4 h left"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct progress_display display = started_before(cases[i].seconds);

        progress_show(&display, &cases[i].progress);
        assert_string_equal(shown() + strlen("\r\033[Kwavetank: "), cases[i].line);
        progress_clear(&display);
        shown();
    }
}

static void who_asks_gets_a_line_once(void **state)
{
    struct progress_display display = started_before(1);
    struct machine_progress progress = {"transpose", 50, 30, 100, 20000, 100};

    display.is_wanted = false;
    progress_show(&display, &progress);
    assert_string_equal(shown(), "");
    assert_true(progress_ask());
    progress_show(&display, &progress);
    assert_string_equal(shown(), "wavetank: transpose 50 %, about 1 s left\n");
    progress_show(&display, &progress);
    assert_string_equal(shown(), "");
    progress_clear(&display);
    assert_false(progress_ask()); /* none runs */
    progress_start(&display);
    progress_show(&display, &progress);
    assert_string_equal(shown(), ""); /* that was another launch's */
    progress_clear(&display);
}

static void what_is_asked_on_a_terminal_takes_the_lines_place(void **state)
{
    struct progress_display display = started_before(10);
    struct machine_progress progress = {"transpose", 50, 30, 100, 20000, 100};

    progress_show(&display, &progress);
    shown();
    progress_ask();
    progress_show(&display, &progress);
    assert_string_equal(shown(), "\r\033[Kwavetank: transpose 50 %, about 10 s left\n");
    assert_false(display.is_visible);
    progress_clear(&display);
    assert_true(display.is_wanted);
    assert_string_equal(shown(), "");
}

/* What is said stands in a line of its own, and the display comes back behind it. */
static void what_is_said_does_not_mix_with_the_line(void **state)
{
    struct progress_display display = started_before(10);
    struct machine_progress progress = {"transpose", 25, 30, 100, 20000, 100};
    const char *text, *said;

    progress_show(&display, &progress);
    progress_say(&display, "wavetank: something\n");
    text = shown();
    said = strstr(text, "wavetank: something\n");
    assert_non_null(said);
    assert_memory_equal(said - 4, "\r\033[K", 4);
    assert_false(display.is_visible);
    progress_say(&display, "wavetank: more\n");
    assert_string_equal(shown(), "wavetank: more\n");
    progress_clear(&display);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_kernels_show_nothing),
        cmocka_unit_test(long_kernels_show_a_line_now_and_then),
        cmocka_unit_test(the_estimate_goes_by_the_groups_that_have_ended),
        cmocka_unit_test(who_asks_gets_a_line_once),
        cmocka_unit_test(what_is_asked_on_a_terminal_takes_the_lines_place),
        cmocka_unit_test(what_is_said_does_not_mix_with_the_line),
    };

    return cmocka_run_group_tests_name("opencl/progress", tests, capture, NULL);
}
