/* SPDX-License-Identifier: MIT */
/* Lines on stderr, if GPUVM_LOG asks for them: 1: what is unusual and what was chosen; 2: also what
 * was tried; 3: each fault. */
#ifndef GPUVM_LOG_H
#define GPUVM_LOG_H

/* Reads GPUVM_LOG. */
void log_init(void);
void log_line(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Whatever the level, in one write. The caller was asked for it. */
void log_always(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
