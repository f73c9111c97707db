/* SPDX-License-Identifier: MIT */
#include "laboratory/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "laboratory/pool.h"

enum { BAR_WIDTH = 30 };
static const double terminal_seconds = 0.1, line_seconds = 10;

void progress_begin(struct progress *progress, unsigned total, unsigned known, bool is_silent)
{
    *progress = (struct progress){.total = total, .known = known, .is_silent = is_silent};
    progress->done = known;
    progress->is_terminal = isatty(STDERR_FILENO) == 1;
    progress->began = pool_clock();
}

/* "2:05" or "1:02:05"; nothing is known before a point has ended. */
static void write_left(const struct progress *progress, char *words, size_t bytes)
{
    unsigned ended = progress->done + progress->failed - progress->known;
    unsigned left = progress->total - progress->done - progress->failed;
    double seconds = pool_clock() - progress->began;
    unsigned long rest;

    if (ended == 0) {
        snprintf(words, bytes, "time left not known yet");
        return;
    }
    rest = (unsigned long)(seconds / ended * left + 0.5);
    if (rest >= 3600)
        snprintf(words, bytes, "%lu:%02lu:%02lu left", rest / 3600, rest / 60 % 60, rest % 60);
    else
        snprintf(words, bytes, "%lu:%02lu left", rest / 60, rest % 60);
}

static void print_bar(const struct progress *progress)
{
    unsigned ended = progress->done + progress->failed;
    unsigned filled = progress->total > 0 ? ended * BAR_WIDTH / progress->total : BAR_WIDTH;
    char bar[BAR_WIDTH + 1], left[64];

    memset(bar, ' ', BAR_WIDTH);
    memset(bar, '#', filled);
    bar[BAR_WIDTH] = '\0';
    write_left(progress, left, sizeof left);
    fprintf(stderr, "\r[%s] %u of %u points, %u failed, %u running, %s \033[K", bar, ended,
            progress->total, progress->failed, progress->busy, left);
}

void progress_show(struct progress *progress)
{
    double now = pool_clock();
    char left[64];

    if (progress->is_silent ||
        now - progress->shown < (progress->is_terminal ? terminal_seconds : line_seconds))
        return;
    if (!progress->is_terminal && progress->shown == 0) {
        progress->shown = now; /* short sweeps print no line */
        return;
    }
    progress->shown = now;
    if (progress->is_terminal) {
        print_bar(progress);
        return;
    }
    write_left(progress, left, sizeof left);
    fprintf(stderr, "wavetank: %u of %u points, %u failed, %s\n", progress->done + progress->failed,
            progress->total, progress->failed, left);
}

void progress_hide(struct progress *progress)
{
    if (!progress->is_silent && progress->is_terminal)
        fputs("\r\033[K", stderr);
    if (progress->is_terminal)
        progress->shown = 0;
}
