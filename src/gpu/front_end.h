/* SPDX-License-Identifier: MIT */
/* Fetch: its messages. What has arrived is in gpu/wavefront.h. */
#ifndef GPU_FRONT_END_H
#define GPU_FRONT_END_H

struct compute_unit;

void front_end_receive(struct compute_unit *unit);
void front_end_send(struct compute_unit *unit);

#endif
