/* SPDX-License-Identifier: MIT */
/* The progress line: when it shows, what it says, that it goes away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "opencl/driver.h"

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
    struct progress_display display = {0};

    progress_show(&display, &(struct machine_progress){"k", 1, 2, 4, 100, 100});
    assert_false(display.is_visible);
    progress_clear(&display);
    assert_string_equal(shown(), "");
}

static void long_kernels_show_a_line_now_and_then(void **state)
{
    struct progress_display display = {.started = 1}; /* host seconds: long ago */
    struct machine_progress progress = {"transpose", 25, 30, 100, 20000, 100};
    const char *text;

    progress_show(&display, &progress);
    text = shown();
    assert_non_null(strstr(text, "transpose: 25 of 100 work-groups, 20 k cycles"));
    assert_non_null(strstr(text, "left"));
    progress_show(&display, &progress); /* too soon */
    assert_string_equal(shown(), "");
    progress_clear(&display);
    assert_string_equal(shown(), "\r\033[K");
    progress_clear(&display);
    assert_string_equal(shown(), "");
}

/* What is said stands in a line of its own, and the display comes back behind it. */
static void what_is_said_does_not_mix_with_the_line(void **state)
{
    struct progress_display display = {.started = 1};
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
        cmocka_unit_test(what_is_said_does_not_mix_with_the_line),
    };

    return cmocka_run_group_tests_name("opencl/progress", tests, capture, NULL);
}
