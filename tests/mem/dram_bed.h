/* SPDX-License-Identifier: MIT */
/*
 * One memory channel between a sender of scripted requests and a recorder of commands and answers.
 */
#ifndef TESTS_MEM_DRAM_BED_H
#define TESTS_MEM_DRAM_BED_H

#include "mem/dram.h"

enum { DRAM_BED_REQUESTS = 4096, DRAM_BED_EVENTS = 65536 };

struct dram_bed {
    struct component sender;
    struct engine engine;
    struct clock_domain *clock;
    struct address_map map;
    struct backing backing;
    struct dram_channel channel;
    struct port requests, replies;
    struct message script[DRAM_BED_REQUESTS];
    uint64_t not_before[DRAM_BED_REQUESTS]; /* cycles, as are the next two */
    uint64_t sent_at[DRAM_BED_REQUESTS], answered_at[DRAM_BED_REQUESTS];
    struct message answers[DRAM_BED_REQUESTS];
    uint32_t count, sent, answered;
    struct dram_event events[DRAM_BED_EVENTS]; /* each command, as it was given */
    uint32_t event_count;
    uint64_t buffer;
};

/* Bytes from one bank to the next, and from one row to the next of the same bank. */
enum { DRAM_BED_BLOCK = 256, DRAM_BED_ROW = 2048 * 16 };

/* The channel's parameters as they are when none is set. */
struct dram_parameters dram_bed_defaults(void);

struct dram_bed *dram_bed_create(const struct dram_parameters *parameters);
void dram_bed_destroy(struct dram_bed *bed);

/* Adds a line at an offset of the buffer, whose start is bank 0 of a row, to the script. Returns
 * its message. */
struct message *dram_bed_add(struct dram_bed *bed, uint8_t kind, uint64_t offset,
                             uint64_t not_before);

/* Runs the script to its end. */
void dram_bed_run(struct dram_bed *bed);

/* Cycle of the nth (from 0) such command. */
uint64_t dram_bed_nth(const struct dram_bed *bed, enum dram_command command, uint32_t n);

#endif
