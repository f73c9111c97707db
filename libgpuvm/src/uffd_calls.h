/* SPDX-License-Identifier: MIT */
/*
 * userfaultfd's system calls (userfaultfd(2), ioctl_userfaultfd(2)), tried again where the kernel
 * asks for it, and mapping by mapping where it wants that. Ranges are whole pages. An fd of -1 is
 * none: nothing happens.
 */
#ifndef GPUVM_UFFD_CALLS_H
#define GPUVM_UFFD_CALLS_H

#include "uffd_abi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A descriptor that does not block, with the features `wanted`; -1: refused. *offered: all that the
 * kernel has (asked with wanted 0). */
int calls_open(bool user_only, uint64_t wanted, uint64_t *offered);

/* 0 or -1. mode: UFFDIO_REGISTER_MODE_... */
int calls_register(int fd, const void *start, size_t bytes, uint64_t mode);
void calls_unregister(int fd, const void *start, size_t bytes);
void calls_wake(int fd, const void *start, size_t bytes);

/* Drops pages; locked ones too where the kernel can. 0 or -1. */
int calls_drop(char *start, size_t bytes);
/* Moves pages from `from` to `to`; returns how many bytes went before it failed. */
size_t calls_move(int fd, char *to, char *from, size_t bytes);
/* Makes pages with the contents at data. mode: 0 or UFFDIO_COPY_MODE_WP. A page that is there
 * although it must not be is dropped first; one that is not mapped any more ends it: -1. */
int calls_copy(int fd, char *to, const char *data, size_t bytes, size_t page_bytes, uint64_t mode);
/* mode: UFFDIO_WRITEPROTECT_MODE_WP or 0. 0 or -1. */
int calls_write_protect(int fd, char *start, size_t bytes, size_t page_bytes, uint64_t mode);
/* Puts zeros into a page that is not there. Returns 1: done, 0: it is there, -1: refused, or not
 * now. (Threads that wait are woken and may come again.) */
int calls_zero(int fd, char *page, size_t page_bytes);
/* Whether the descriptor is one of userfaultfd's. */
bool calls_is_open(int fd);
/* Whether memory registered here was unmapped, by a thread that has not returned from that yet: it
 * waits until that has been read. */
bool calls_is_changing(int fd);
/* Makes a page one whose touch is a bus error. 0 or -1. */
int calls_poison(int fd, char *page, size_t page_bytes);

#endif
