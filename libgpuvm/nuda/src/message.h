/* SPDX-License-Identifier: MIT */
/* What the run time tells its user, on stderr. */
#ifndef NUDA_MESSAGE_H
#define NUDA_MESSAGE_H

#include "nuda.h"

#define MESSAGE_FORMAT(text, first) __attribute__((format(printf, text, first)))

/* NUDA_TRACE: 0, or 1 and more. */
int message_level(void);

/* "FILE:LINE: nuda: FUNCTION: " and the text, as compilers write it; loop NULL: "nuda: " and the
 * text. One write. */
MESSAGE_FORMAT(2, 3) void message(const struct nuda_loop *loop, const char *text, ...);

/* The same, and the program ends with status 1. */
MESSAGE_FORMAT(2, 3)
_Noreturn void message_fatal(const struct nuda_loop *loop, const char *text, ...);

#endif
