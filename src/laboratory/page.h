/* SPDX-License-Identifier: MIT */
/*
 * The report: one HTML file with the results in it, which needs nothing else. Its parts lie in the
 * folder page/ and are put together here:
 *
 *     frame.html ── page.css, library/ (Vega, Vega-Lite, Vega-Embed), figures.js, page.js, the data
 *
 * The data are one JSON object. For each plan in force it has its points, claims with verdicts, and
 * figures with the rows that they draw. It also has the runs' statistics by name. The script
 * figures.js turns a figure into a Vega-Lite specification, in the page and for SVG files (svg.js,
 * under Node.js) alike.
 */
#ifndef LABORATORY_PAGE_H
#define LABORATORY_PAGE_H

#include "base/text.h"
#include "laboratory/database.h"

/* Appends the data as JSON. */
bool page_data(struct database *database, const char *version, struct text *text,
               struct diagnosis *diagnosis) MUST_USE;

/* Writes the page around the data. */
bool page_write(const char *path, const struct text *data, struct diagnosis *diagnosis) MUST_USE;

/* Writes each figure as FOLDER/PLAN-FIGURE.svg, with Node.js. */
bool page_write_figures(const char *folder, const struct text *data,
                        struct diagnosis *diagnosis) MUST_USE;

#endif
