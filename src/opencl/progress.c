/* SPDX-License-Identifier: MIT */
/* The line on the terminal while a kernel runs: work-groups done, cycles, speed, time left. For
 * people only: it goes by the host's clock. */
#include <time.h>

#include "opencl/driver.h"

static const double first_after_seconds = 0.5, every_seconds = 0.2;

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

static void add_time_left(struct text *text, const struct machine_progress *progress,
                          double seconds)
{
    uint64_t left = progress->groups_total - progress->groups_done;

    if (progress->groups_done == 0)
        return;
    seconds *= (double)left / (double)progress->groups_done;
    if (seconds >= 120)
        text_add(text, ", %.0f min left", seconds / 60);
    else
        text_add(text, ", %.0f s left", seconds);
}

static void print_line(const struct machine_progress *progress, double seconds)
{
    struct text text = {0};

    text_add(&text, "\r\033[K[wavetank] %.40s: %llu of %llu work-groups, ", progress->kernel,
             (unsigned long long)progress->groups_done, (unsigned long long)progress->groups_total);
    add_count(&text, (double)progress->cycles, "cycles, ");
    add_count(&text, (double)progress->instructions / seconds, "instructions/s");
    add_time_left(&text, progress, seconds);
    fputs(text_chars(&text), stderr);
    fflush(stderr);
    text_finish(&text);
}

void progress_show(void *context, const struct machine_progress *progress)
{
    struct progress_display *display = context;
    double now = host_seconds();

    if (display->started == 0)
        display->started = now;
    if (now - display->started < first_after_seconds || now - display->shown < every_seconds)
        return;
    display->shown = now;
    display->is_visible = true;
    print_line(progress, now - display->started);
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
    if (display->is_visible)
        fputs("\r\033[K", stderr);
    *display = (struct progress_display){0};
}
