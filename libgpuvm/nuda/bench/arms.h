/* SPDX-License-Identifier: MIT */
/* The ways in which the paper's program runs (its tables 2 and 3), around one call of nuda_run. */
#ifndef NUDA_BENCH_ARMS_H
#define NUDA_BENCH_ARMS_H

#include <stddef.h>

/* FULL_COPY and AUTO_SYNC: transfers by hand, to a device of their own; all arrays in each
 * iteration, or none after the first. NUDA: the run time. HOST: the loop itself. */
enum way { FULL_COPY, AUTO_SYNC, NUDA, HOST };

/* What calls of nuda_run do from here on. */
void way_set(enum way way);

/* Makes a buffer for an array that FULL_COPY and AUTO_SYNC may meet, with its contents. */
void way_add_array(void *host, size_t nbytes);

/* Reads it back (after AUTO_SYNC). */
void way_read_array(void *host);

/* Waits until the devices have ended what they have. */
void way_finish(void);

/* Time that a fake device needed beyond its card's, so far. */
double way_excess_us(void);

const char *way_device_name(void);

#endif
