/* SPDX-License-Identifier: MIT */
/*
 * The library's descriptors. Programs that close all that they do not know (daemons) do not close
 * these, as far as the shared library sees their calls (interpose.c).
 */
#ifndef GPUVM_DESCRIPTORS_H
#define GPUVM_DESCRIPTORS_H

#include <stdbool.h>

/* What a sanitizer calls before it is ready itself: it must not look at that (interpose.c). */
#define BEFORE_SANITIZER __attribute__((no_sanitize("thread")))

/* Gives back fd, which is ours from here on; -1: none. */
int descriptor_keep(int fd);
/* Closes one that is open, and makes it -1. */
void descriptor_close(int *fd);
bool descriptor_is_ours(int fd);
/* The least of ours in [first, last], or -1. */
int descriptor_find(unsigned first, unsigned last);

#endif
