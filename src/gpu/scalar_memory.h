/* SPDX-License-Identifier: MIT */
/* The scalar memory unit of a compute unit. */
#ifndef GPU_SCALAR_MEMORY_H
#define GPU_SCALAR_MEMORY_H

#include "gpu/launch.h"
#include "gpu/records.h"

struct compute_unit;
struct wavefront;
struct message;

struct smem_entry {
    struct isa_memory_request request;
    const struct isa_instruction *instruction;
    uint64_t pc;
    uint64_t first_sent;
    uint32_t sequence;
    uint16_t slot;
    uint8_t parts, sent, outstanding;
};

struct scalar_memory {
    void *memory;
    struct smem_entry *entries;
    uint16_t *free_entries;
    uint32_t free_count;
    struct index_ring queue; /* to be sent */
    struct index_ring returns;
    uint64_t free_at; /* issue */
    bool is_blocked;
};

void smem_init(struct compute_unit *unit);
void smem_finish(struct compute_unit *unit);
bool smem_has_room(const struct compute_unit *unit);
void smem_issue(struct compute_unit *unit, struct wavefront *wave);
void smem_receive(struct compute_unit *unit);
void smem_return(struct compute_unit *unit);
void smem_send(struct compute_unit *unit);
uint64_t smem_next(const struct compute_unit *unit);

#endif
