/* SPDX-License-Identifier: MIT */
/*
 * The timeline of the process (WAVETANK_TIMELINE), in simulated time:
 *
 *     process ─┬─ queue 1, 2, ...   a slice for each command, from its start to its end
 *              ├─ launches          a slice for each timed launch, with what it was and took
 *              ├─ counters          the samples' statistics, interval by interval
 *              └─ CU n slot m, CU n access m   with WAVETANK_TIMELINE_DETAIL: wavefronts, their
 *                                 instructions and waits; line accesses and their journeys
 *
 * A counter that is no metric is shown as what an interval added, divided by its core cycles.
 * Packets gather here until there is a file for them (results.c).
 */
#ifndef OPENCL_TIMELINE_H
#define OPENCL_TIMELINE_H

#include "opencl/driver.h"
#include "report/samples.h"

/* The samples that a timeline has where none are asked for: occupancy of the whole GPU and of each
 * compute unit, instructions, hits, bandwidths. The caller frees. */
char *timeline_samples(const struct configuration *configuration);

/* There will be a file; `name` is the process track's. Without this the others do nothing. */
void timeline_begin(const char *name);
void timeline_command(const struct _cl_event *event, unsigned queue);
void timeline_launch(const struct machine_kernel_record *record);
/* Of a chosen part of a launch (machine/slices.c). */
void timeline_detail(const struct machine_slice *slice);
/* The latest interval of the samples, which ended at `end_ns`. */
void timeline_sample(const struct samples *samples, uint64_t end_ns, uint64_t core_khz);

/* Writes what has gathered. False: an error, in errno. */
bool timeline_flush(FILE *stream);

#endif
