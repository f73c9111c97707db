/* SPDX-License-Identifier: MIT */
/* What happens to arrays when their memory goes away, when the process forks, and when it ends. */
#ifndef GPUVM_LIFECYCLE_H
#define GPUVM_LIFECYCLE_H

#include "array.h"

/* The context that the public functions use; NULL before gpuvm_init, after gpuvm_finish, and in a
 * forked child. */
struct context *lifecycle_context(void);

/* Sets it, and installs the fork and exit handlers once. */
void lifecycle_publish(struct context *context);

/* At public calls that hold no array. If the rung has been lost (rung.h, is_intact), brings
 * everything to the host, and copies whole arrays from now on. */
void lifecycle_check_rung(struct context *context);

/* The kernel says that the program unmapped a range: arrays in it are dropped. On a service thread.
 */
void lifecycle_unmapped(struct context *context, uintptr_t start, uintptr_t end);

/* Ends all links of the array (locked), first bringing the data back if is_kept. Buffers of ours
 * are released. */
int lifecycle_drop(struct array *array, bool is_kept);

/* Gives back a link's buffer for so many bytes, which is not used any more: ours to the allocator,
 * the caller's to the caller. */
void lifecycle_release_buffer(struct device *device, void *buffer, bool is_ours, size_t bytes);

#endif
