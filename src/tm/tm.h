/* SPDX-License-Identifier: MIT */
/*
 * The transactional-memory seam. A system is one file (or folder) in tm/; nobody outside names one. A kernel says where its
 * transactions begin and end by hints (s_nop 0x5Axx, include/wavetank/hints.cl.h for kernels); the compute unit asks the system "may
 * these lanes go on?" and moves lanes by the ISA's snapshot, restore, leave and rejoin.
 *
 *     TM_BEGIN hint   tm begin()   lanes that may start; the others leave and try again
 *     access          tm access()  before a memory instruction is sent: which lanes go to memory, which are served
 *                                  by the system itself (write buffer), which abort
 *     TM_COMMIT hint  tm commit()  WAIT, or the lanes that committed and those that aborted
 *
 *     aborted lanes: restored to the snapshot of their begin, and run again (the committed ones have left) until none is
 *     left; then all rejoin after the commit.
 *
 * One system per machine, one `struct tm_unit` per compute unit (its tables), possibly components of its own behind sockets of the
 * memory system (commit units), built by machine/ through `build`.
 * Sources: GPU-LocalTM (local memory), KILO TM (global memory); both must fit behind this.
 */
#ifndef TM_TM_H
#define TM_TM_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"
#include "mem/msg.h"
#include "sim/component.h"
#include "sim/registry.h"

enum tm_hint { TM_HINT_BEGIN = 0x5a40, TM_HINT_COMMIT = 0x5a41 };

enum { TM_MAX_WAVEFRONTS = 64 };

/* What the compute unit knows of a wavefront in a transaction; kept by the compute unit, one per wavefront slot. */
struct tm_wavefront {
    uint64_t lanes;     /* that entered this transaction at its begin */
    uint64_t running;   /* of those, in this attempt */
    uint64_t committed; /* of those, done: they have left until the others are */
    uint32_t attempts;  /* attempts so far, 1 in the first */
    uint32_t group;     /* work-group slot of the compute unit */
    bool is_open;
};

enum tm_answer { TM_GO_ON, TM_WAIT /* ask again when the unit wakes the compute unit, or next cycle */ };

struct tm_unit {
    const struct tm_system *system;
    struct component *compute_unit; /* woken by component_wake from port deliveries only */
    uint16_t number;                /* compute unit number */
    unsigned char *lds;             /* the compute unit's local memory */
};

struct tm_system {
    const char *name; /* "none" */
    const char *help;

    /* A unit for one compute unit; NULL system functions below mean "no such event". */
    struct tm_unit *(*create)(const struct tm_system *system, struct registry *registry,
                              const char *path);
    void (*destroy)(struct tm_unit *unit);

    /* Concurrency control at issue: whether the wavefront may issue its begin now. NULL: always. */
    enum tm_answer (*may_begin)(struct tm_unit *unit, uint32_t slot,
                                const struct tm_wavefront *wavefront);
    /* The wavefront has begun an attempt with `running` lanes. */
    void (*begin)(struct tm_unit *unit, uint32_t slot, struct tm_wavefront *wavefront);
    /* A memory instruction inside a transaction, before it is sent. May change the request (lanes it serves
     * itself are taken out, their data filled in) and returns the lanes that must abort. */
    uint64_t (*access)(struct tm_unit *unit, uint32_t slot, struct tm_wavefront *wavefront,
                       struct isa_memory_request *request);
    /* The wavefront has reached its commit. When GO_ON: *aborted are the lanes of `running` that must try again. */
    enum tm_answer (*commit)(struct tm_unit *unit, uint32_t slot, struct tm_wavefront *wavefront,
                             uint64_t *aborted);
    /* A reply or probe that belongs to the system (requester.unit REQUESTER_COMMIT, or a kind of its own). */
    void (*probe)(struct tm_unit *unit, const struct message *message);
    /* Once in each cycle in which the compute unit ticks; a message to send through the compute unit's memory port (logs are
     * memory traffic) is put into *message and true returned, when `may_send`. */
    bool (*tick)(struct tm_unit *unit, bool may_send, struct message *message);
};

/* All systems, NULL-terminated (tm/list.c). "none": every transaction commits at its first attempt, nothing is
 * isolated (it is what the hints mean on hardware without transactions). */
extern const struct tm_system *const tm_systems[];
const struct tm_system *tm_find(const char *name);

#endif
