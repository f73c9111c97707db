/* SPDX-License-Identifier: MIT */
/* The rows that a plan's figures draw. */
#ifndef LABORATORY_PAGE_FIGURES_H
#define LABORATORY_PAGE_FIGURES_H

#include <jansson.h>

#include "laboratory/results.h"

/* The figure as an object with its rows; NULL and a diagnosis. A new reference. */
json_t *page_figure(struct results *results, const struct plan_figure *figure,
                    struct diagnosis *diagnosis);

/* A number, or null: a NULL value of a column stays one. New references. */
json_t *page_column(sqlite3_stmt *row, int column);

#endif
