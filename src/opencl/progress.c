/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <time.h>

#include "base/text.h"
#include "opencl/progress.h"

static const double first_after_seconds = 2, every_seconds = 0.2;

static volatile sig_atomic_t is_running, is_asked;

static double host_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void add_count(struct text *text, double value, const char *unit)
{
    static const char *const scales[] = {"", " k", " M", " G"};
    unsigned scale = 0;

    while (value >= 10000 && scale < 3) {
        value /= 1000;
        scale++;
    }
    text_add(text, "%.0f%s %s", value, scales[scale], unit);
}

/* As fast as the work-groups that have ended. */
static void add_time_left(struct text *text, const struct machine_progress *progress,
                          double seconds)
{
    uint64_t left = progress->groups_total - progress->groups_done;

    seconds *= (double)left / (double)progress->groups_done;
    if (seconds >= 7200)
        text_add(text, "about %.0f h left", seconds / 3600);
    else if (seconds >= 120)
        text_add(text, "about %.0f min left", seconds / 60);
    else
        text_add(text, "about %.0f s left", seconds);
}

/* The kernel's name is cut so that the line fits into 80 columns. */
static void print_line(const char *before, const struct machine_progress *progress, double seconds,
                       const char *after)
{
    struct text text = {0};

    text_add(&text, "%swavetank: %.36s %" PRIu64 " %%, ", before, progress->kernel,
             progress->groups_done * 100 / progress->groups_total);
    if (progress->groups_done > 0)
        add_time_left(&text, progress, seconds);
    else
        add_count(&text, (double)progress->instructions, "instructions");
    text_add(&text, "%s", after);
    fputs(text_chars(&text), stderr);
    fflush(stderr);
    text_finish(&text);
}

void progress_start(struct progress_display *display)
{
    display->started = host_seconds();
    is_asked = false;
    is_running = true;
}

bool progress_ask(void)
{
    is_asked = true;
    return is_running;
}

void progress_show(void *context, const struct machine_progress *progress)
{
    struct progress_display *display = context;
    double now;

    if (!display->is_wanted && !is_asked)
        return;
    now = host_seconds();
    if (is_asked) {
        is_asked = false;
        print_line(display->is_visible ? "\r\033[K" : "", progress, now - display->started, "\n");
        display->is_visible = false;
        return;
    }
    if (now - display->started < first_after_seconds || now - display->shown < every_seconds)
        return;
    display->shown = now;
    display->is_visible = true;
    print_line("\r\033[K", progress, now - display->started, "");
}

void progress_say(void *context, const char *lines)
{
    struct progress_display *display = context;

    if (display->is_visible)
        fputs("\r\033[K", stderr);
    display->is_visible = false;
    fputs(lines, stderr);
}

void progress_clear(struct progress_display *display)
{
    is_running = false;
    if (display->is_visible)
        fputs("\r\033[K", stderr);
    *display = (struct progress_display){.is_wanted = display->is_wanted};
}
