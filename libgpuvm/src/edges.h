/* SPDX-License-Identifier: MIT */
/*
 * Edges: the bytes of an array that share their pages with others (all bytes of an eager array).
 * They are never protected, so they are copied. They go to a device at begin if the host changed
 * them, and back at the end of a use that writes. Whether the host changed them is seen by
 * comparing them with the device's memory, if the host can reach it. Else they are compared with a
 * shadow: a copy of what the devices were last given.
 */
#ifndef GPUVM_EDGES_H
#define GPUVM_EDGES_H

#include "transfer.h"

/* Adds to the batch what the device lacks. 0 or GPUVM_ESALLOC. The shadow follows in
 * edges_uploaded, once the batch has run. */
int edges_add_upload(struct batch *batch, struct array *array, struct link *link);
void edges_uploaded(struct array *array, struct link *link);

/* Adds both edges, from the device. edges_downloaded follows once the batch has run. */
int edges_add_download(struct batch *batch, struct array *array, struct link *link);
void edges_downloaded(struct array *array, struct link *link);

#endif
