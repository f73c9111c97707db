/* SPDX-License-Identifier: MIT */
/*
 * The timed GPU as it is wired:
 *
 *     dispatcher ⇄ compute unit i ⇄ L1 i ─────────────┐
 *                        ├──────── ⇄ scalar cache i/4 ┼─► requests crossbar ──► L2 slice ⇄ memory
 * channel └──────── ⇄ instr. cache i/4 ┘◄─ responses crossbar ◄──┘
 *
 * Nodes of the crossbars: upper caches in the order L1s, scalar caches, instruction caches;
 * channels.
 */
#ifndef MACHINE_TIMED_GPU_H
#define MACHINE_TIMED_GPU_H

#include "machine/machine_private.h"
#include "mem/pump.h"
#include "sim/port.h"

struct timed_gpu {
    struct machine *machine;
    const struct machine_parameters *parameters;
    const struct protocol *protocol;
    struct engine engine;
    struct clock_domain *core, *memory;
    struct address_map map;
    struct dispatcher *dispatcher;
    struct compute_unit **units;
    uint32_t unit_count;
    struct cache *uppers;               /* nodes of the crossbar */
    uint32_t upper_count, shared_count; /* shared: scalar caches, and as many instruction caches */
    struct cache *slices;
    struct crossbar requests, responses;
    struct dram_channel *channels;
    struct port *ports; /* all of them; their number is known before the first is made */
    uint32_t port_count, port_capacity;
    struct controller **upper_controllers, **slice_controllers;
    struct pump pump;
    uint64_t instructions_before;
    uint64_t kernel_cycles;  /* of all launches so far */
    uint64_t wait_remainder; /* millionths of a unit of time, from waits in nanoseconds */
};

/* Appends what lies in ports, a line for each that is not empty. page.c */
void page_wires(const struct timed_gpu *gpu, struct text *text);

/* Makes all ports and connects everything. timed_gpu_wiring.c */
void timed_gpu_wire(struct timed_gpu *gpu);

#endif
