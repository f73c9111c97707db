/* SPDX-License-Identifier: MIT */
/* The local data share of a compute unit: a queue before its banks. */
#ifndef GPU_LOCAL_UNIT_H
#define GPU_LOCAL_UNIT_H

#include "isa/isa.h"

struct compute_unit;
struct wavefront;

struct lds_entry {
    struct isa_memory_request request;
    const struct isa_instruction *instruction;
    uint64_t issued_at;
    uint64_t due_at; /* data in the registers */
    uint64_t pc;
    uint32_t sequence;
    uint16_t slot;
    bool counts_exp;
};

struct local_unit {
    unsigned char *bytes; /* the compute unit's local memory */
    void *memory;
    struct lds_entry *entries; /* a ring: first `served`, then waiting ones */
    uint32_t capacity, head, count, served;
    uint64_t free_at; /* banks */
};

void local_init(struct compute_unit *unit);
void local_finish(struct compute_unit *unit);
bool local_has_room(const struct compute_unit *unit);
void local_issue(struct compute_unit *unit, struct wavefront *wave);
void local_serve(struct compute_unit *unit);
void local_return(struct compute_unit *unit);
uint64_t local_next(const struct compute_unit *unit);

#endif
