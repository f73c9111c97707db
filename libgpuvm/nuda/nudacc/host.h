/* SPDX-License-Identifier: MIT */
/*
 * The host's side of a loop. In front of it its counts are computed and nuda_run is called. Where
 * that does not run it, the loop itself follows, as it was. All of it is one statement.
 */
#ifndef NUDACC_HOST_H
#define NUDACC_HOST_H

#include "emit.h"

/* What goes in place of the pragma: `{ ... if (nuda_run(...)) {...} else`; the loop, and a brace,
 * follow. */
char *host_call(const struct emit *emit, const char *source);

/* What goes before the first line of a program that does not include nuda.h. */
const char *host_declarations(void);

#endif
