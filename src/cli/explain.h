/* SPDX-License-Identifier: MIT */
/* What `wavetank explain` can say that is no name of the catalogue. */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include <stdbool.h>

/* Prints the tables of these protocols in Markdown, or their states for Graphviz. Returns the exit
 * status; what is wrong is said. */
int explain_protocols(int count, char **names, bool as_drawing);

/* Prints what a run's JSON file says at length: its table, its limits, its rooflines. */
int explain_run(const char *path);

#endif
