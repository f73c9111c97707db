/* SPDX-License-Identifier: MIT */
/*
 * Writes that fail with an error number and not with a signal. The signals are those of a pipe
 * without a reader (SIGPIPE) and of a file beyond the limit on sizes (SIGXFSZ). A library may not
 * ignore these signals for its process. So they are held back for the calling thread, and what the
 * writes raised is taken out again.
 *
 *     write_guard_begin ─► write, fprintf, fclose, ... ─► write_guard_end
 */
#ifndef REPORT_WRITE_GUARD_H
#define REPORT_WRITE_GUARD_H

#include <signal.h>
#include <stdbool.h>

struct write_guard {
    sigset_t before;
    bool was_pending[2]; /* before: not ours to take */
};

void write_guard_begin(struct write_guard *guard);
/* errno stays as it is. */
void write_guard_end(struct write_guard *guard);

#endif
