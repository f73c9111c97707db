/* SPDX-License-Identifier: MIT */
/* A protocol of the tests: a write-back L1 that remembers its dirty lines in the order of their first
 * store. It writes back the oldest of them (an sFIFO; Hechtman et al., QuickRelease, HPCA 2014). */
#ifndef TESTS_MEM_SFIFO_H
#define TESTS_MEM_SFIFO_H

#include "mem/protocol.h"

/* Dirty lines of an L1. */
enum { SFIFO_LINES = 4 };

enum {
    SFIFO_WRITE_BACK = MESSAGE_PROTOCOL, /* dirty bytes */
    SFIFO_WRITTEN,
    SFIFO_SYNC, /* node 0 or 1: what the other has stored up to its store to the line is in memory */
    SFIFO_SYNC_REPLY,
    SFIFO_PROBE, /* to that other */
    SFIFO_FLUSHED
};

extern const struct protocol protocol_sfifo;

/* How many lines the L1 remembers. */
uint32_t sfifo_count(struct controller *l1);

#endif
