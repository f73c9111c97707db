/* SPDX-License-Identifier: MIT */
/*
 * The transactional-memory seam. A system is one folder in tm/; no file outside names one. A kernel
 * says where its transactions begin and end by hints (s_nop 0x5A40, 0x5A41;
 * include/wavetank/transactions.cl.h). The compute unit moves lanes by the ISA's snapshot, restore,
 * leave and rejoin; what a transaction means is the system's.
 *
 * When each hook is called (C: cycles that the system charges; W: it may answer "ask again later"):
 *
 *     group_start                                                 a work-group is placed
 *       BEGIN hint issues ─► may_begin W ─► begin C               lanes may be taken out here
 *         memory instruction issues ─► may_issue W                a veto: nothing has been read yet
 *           LDS: its turn at the banks comes   ─► access C        lanes go on, are served by the
 *           VMEM: its addresses are processed  ─►  "              system, or abort; then data moves
 *           a lane would fault ─► fault                           abort it instead, or let it stop
 *           data is back ─► loaded C                              before it reaches the registers
 *       COMMIT hint issues, all instructions done
 *         ─► prepare W   which lanes pass, which fail; each may be decided at a time of its own
 *         ─► finish W    what was decided: publish the ones, undo the others
 *       aborted lanes ─► restored to the BEGIN, which issues again with them alone
 *       all lanes done ─► they rejoin, the wavefront goes on
 *     group_end
 *     tick         in each cycle from next_cycle on, before anything else of the compute unit
 *     send         afterwards, while next_cycle has come and the L1's port has room
 *     receive      a message that is for the system came from the L1; packet: one from the centre;
 *                  message: one from the network
 *     abort        lanes have aborted for another reason: undo what they did
 *
 * `access` is called where data moves, not at issue: what a lane stored before may still wait in
 * the queue when it issues. Lanes that have aborted are taken out of a waiting instruction before.
 *
 * A system has a part in each compute unit (struct tm_unit), runs inside that component's tick, and
 * may call what struct tm_host offers there. What a machine has once (a commit unit, an arbiter) is
 * a component of its own (struct tm_centre). A pair of ports joins it to each unit. It sees nothing
 * but packets, so the order of components cannot change a result. A system may also use the network
 * (uses_network). Each unit then has a socket of its own beside its L1. Each memory channel has a
 * component (struct tm_partition) between the crossbars and the L2 slice's port, with sockets to
 * both (mem/junction.h). Messages there are MESSAGE_TRANSACTION down and its reply up, with the
 * system's own kind in `rmw`; loads and stores to the slice; replies to those.
 *
 * Systems for different spaces may be in force together, that of local memory asked first, then
 * that of global memory. A commit has two stages. The first system passes or fails each lane; those
 * that it fails abort at once, in both. What it has passed is sealed, and must stay as it is until
 * the second system has decided. That one may be far away, and decides in its own order and time.
 * Its outcome is both's. Sealed lanes can no more be aborted. An answer of "later" is TM_LATER (the
 * system wakes the wavefront) or the cycle at which to ask again; nothing is asked in between.
 *
 * Sources: GPU-LocalTM (local memory), KILO TM (global memory); both must fit behind this.
 */
#ifndef TM_TM_H
#define TM_TM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diagnosis.h"
#include "isa/isa.h"
#include "mem/msg.h"
#include "sim/component.h"
#include "sim/port.h"
#include "sim/registry.h"

enum tm_hint { TM_HINT_BEGIN = 0x5a40, TM_HINT_COMMIT = 0x5a41 };

enum { TM_MAX_WAVEFRONTS = 64, TM_MAX_SYSTEMS = 2, TM_GROUP_WAVEFRONTS = 16, TM_PAIRS = 64 };

/* The spaces that a system isolates; accesses to others inside a transaction are not watched. */
enum tm_space { TM_SPACE_LOCAL = 1, TM_SPACE_GLOBAL = 2 };

/* Committed transactions are serialisable in the order of their commits, and an attempt reads
 * initial, committed or its own values only. What a system promises beside that. */
enum tm_promise {
    TM_PROMISES_NOTHING, /* not even that */
    TM_PROMISES_OPACITY, /* all reads of any attempt fit one point of that order */
    /* a doomed attempt may read what fits no point; it runs on for no longer than doomed_max says,
     * and leaves no trace */
    TM_PROMISES_AN_END
};

#define TM_NOW UINT64_C(0)
#define TM_LATER UINT64_MAX

/* A resident work-group. */
struct tm_group {
    uint32_t slot;      /* of the compute unit */
    uint32_t lds_bytes; /* of the program, in whole granules */
    uint32_t tm_bytes;  /* what the system asked for: lies behind */
    uint32_t items;     /* work-items */
    unsigned char *lds; /* its local memory (host address) */
    uint64_t members;   /* wavefront slots */
};

/* A wavefront slot and its transaction; kept by the compute unit. Systems change `running` in begin
 * only, by taking lanes out. */
struct tm_wavefront {
    const struct tm_group *group;
    uint64_t lanes;     /* that entered this transaction at its begin */
    uint64_t running;   /* of those, in this attempt */
    uint64_t aborted;   /* of those, out of it until the next */
    uint64_t committed; /* of those, done: they have left until the others are */
    uint64_t sealed;    /* of running: a first system has passed them, a second one decides */
    uint32_t attempts;  /* attempts so far, 1 in the first */
    uint32_t slot;
    uint32_t index;      /* in its group */
    uint32_t first_item; /* work-item of lane 0, in its group */
    bool is_open;
    bool in_attempt; /* between a begin and its commit's end; else `running` are those that wait */
};

static inline uint32_t tm_item(const struct tm_wavefront *wavefront, unsigned lane)
{
    return wavefront->first_item + lane;
}

/* Cycles that a hook adds. The wavefront's are over before its next instruction issues, a commit or
 * a return to the begin included. */
struct tm_charge {
    uint32_t bank_cycles; /* the banks of local memory are busy */
    uint32_t
        unit_cycles; /* the vector memory unit is, before this access, or before the next one that
                             begins there */
    uint32_t wavefront_cycles; /* the wavefront goes on later */
    const char *refusal; /* of an access: why the system cannot serve it; a fault. NULL: it can */
};

/* What the compute unit does for its systems; only inside its tick. */
struct tm_host {
    /* The wavefront's latest "later" is over: it asks again. */
    void (*wake)(struct tm_host *host, uint32_t slot);
    /* Lanes of a running attempt abort; all systems are told, the caller, too. Lanes that are not
     * running, or whose outcome is settled or sealed, are ignored. */
    void (*abort)(struct tm_host *host, uint32_t slot, uint64_t lanes);
    const struct tm_wavefront *(*wavefront)(struct tm_host *host, uint32_t slot);
    /* A wavefront that is held goes on, but outside of transactions it accesses no memory, meets no
     * barrier and does not end. What it has committed is not yet where others look for it. */
    void (*hold)(struct tm_host *host, uint32_t slot, bool is_held);
};

/* A packet between a unit and its centre, or back. How many bytes it is on the wire, the sender
 * says. */
struct tm_packet {
    uint8_t kind; /* the system's own: tm_system.packet_kinds names them */
    uint8_t pair_count;
    uint16_t unit, slot;
    uint32_t bytes;
    uint64_t lanes;
    uint64_t id;
    struct tm_pair {
        uint64_t address;
        uint32_t value;
        uint32_t lane;
    } pairs[TM_PAIRS];
};

/* Facts of the machine that a system is built for. */
struct tm_facts {
    uint32_t units;
    uint32_t banks, lds_bytes, group_lds_bytes, lds_granule_bytes;
    uint32_t scalar_cycles; /* what a scalar instruction takes */
    const char *protocol;
    uint32_t wave_lanes, wavefronts; /* of a unit: slots */
    uint32_t channels;
    /* The memory channel of an address; NULL while parameters are checked. */
    uint32_t (*channel_of)(const void *map, uint64_t address);
    const void *map;
    uint64_t private_address; /* of all units' private_bytes, one after the other */
    /* Writes bytes of a line in no time, each copy from L2 on. Only while an instant closes
     * (sim/component.h), and with the protocol `si`. NULL while parameters are checked. */
    void (*write_now)(void *memory, uint64_t line, uint64_t mask, const unsigned char *data);
    void *memory;
};

struct tm_parameters; /* tm/parameters.h */

struct tm_options {
    const struct tm_parameters *parameters;
    struct tm_facts facts;
    struct registry *registry; /* statistics go in under path + "." + the system's name */
    const char *path;          /* "cu3"; of a centre "tm" */
    struct clock_domain *clock;
    uint64_t breaks; /* sim/debug.h */
};

struct tm_unit {
    const struct tm_system *system;
    struct tm_host *host;
    struct component *compute_unit; /* for component_cycle only */
    uint16_t number;                /* of the compute unit */
    bool is_first; /* of two: what it passes is sealed, others decide it in any order */
    struct port *to_centre, *from_centre; /* of struct tm_packet; NULL: the system has none */
    struct port *to_network,
        *from_network; /* of struct message; NULL: it does not use the network */
};

/* A system's part at a memory channel. */
struct tm_partition {
    struct component component;
    uint32_t number;                    /* of the channel */
    struct port *from_units, *to_units; /* by the crossbars; of struct message */
    struct port *from_slice, *to_slice;
};

struct tm_centre {
    struct component component;
    uint32_t unit_count;
    struct port **from_unit, **to_unit; /* one each for a unit */
};

/* What a kernel with transactions takes of a compute unit; in: what it takes without. */
struct tm_resources {
    uint32_t vector_registers, scalar_registers; /* of a wavefront */
    uint32_t lds_bytes;                          /* of a work-group */
    uint32_t items;                              /* in: work-items of a work-group */
    const char *refusal;                         /* out: why the system cannot run such a kernel */
};

struct tm_system {
    const char *name; /* "none" */
    const char *help;
    unsigned spaces; /* enum tm_space */
    enum tm_promise promise;
    /* Of TM_PROMISES_AN_END: for how many cycles an attempt may run on, from the read that dooms it
     * to its commit or abort. */
    uint64_t (*doomed_max)(const struct tm_parameters *parameters);
    /* No transaction of it aborts, since they run one at a time, so it can undo nothing. It is
     * refused beside a system for global memory that may abort one. */
    bool never_aborts;
    const char *const *packet_kinds; /* names, NULL-terminated; NULL: it sends none */

    /* NULL functions mean "no such event", or that nothing is changed. */

    /* Refuses machines on which it cannot work. */
    bool (*accepts)(const struct tm_parameters *parameters, const struct tm_facts *facts,
                    struct diagnosis *diagnosis);
    /* Adds a table of what it stores, in bytes by structure. */
    void (*storage)(const struct tm_parameters *parameters, const struct tm_facts *facts,
                    struct text *text);
    void (*resources)(const struct tm_parameters *parameters, const struct tm_facts *facts,
                      struct tm_resources *resources);

    struct tm_unit *(*create)(const struct tm_system *system, const struct tm_options *options);
    void (*destroy)(struct tm_unit *unit);
    /* Ports are joined afterwards, before the engine starts. */
    struct tm_centre *(*create_centre)(const struct tm_system *system,
                                       const struct tm_options *options);
    void (*destroy_centre)(struct tm_centre *centre);

    /* It sends messages by the network: partitions are created, one for each memory channel. */
    bool uses_network;
    struct tm_partition *(*create_partition)(const struct tm_system *system,
                                             const struct tm_options *options, uint32_t number);
    void (*destroy_partition)(struct tm_partition *partition);
    /* Bytes of device memory for each unit's own use, behind its own caches. */
    uint64_t (*private_bytes)(const struct tm_parameters *parameters, const struct tm_facts *facts);

    void (*group_start)(struct tm_unit *unit, const struct tm_group *group);
    void (*group_end)(struct tm_unit *unit, const struct tm_group *group);

    /* Concurrency control: whether the wavefront may begin an attempt. */
    uint64_t (*may_begin)(struct tm_unit *unit, const struct tm_wavefront *wavefront);
    /* It has begun an attempt with `running` lanes. Those taken out wait as if they had aborted. */
    void (*begin)(struct tm_unit *unit, struct tm_wavefront *wavefront, struct tm_charge *charge);
    /* Whether a memory instruction inside a transaction may issue. */
    uint64_t (*may_issue)(struct tm_unit *unit, const struct tm_wavefront *wavefront,
                          const struct isa_instruction *instruction);
    /* A memory instruction of running lanes is served. May change the request (lanes it serves
     * itself are taken out of `lanes`, their data filled in). A store that is made to keep all
     * bytes (`keeps`) takes its way, and no commit waits for it. Returns the lanes that must abort,
     * which it has undone. */
    uint64_t (*access)(struct tm_unit *unit, struct tm_wavefront *wavefront,
                       struct isa_memory_request *request, struct tm_charge *charge);
    /* Loaded data, which the system may change, is about to reach the registers. Returns the lanes
     * that must abort. */
    uint64_t (*loaded)(struct tm_unit *unit, struct tm_wavefront *wavefront,
                       struct isa_memory_request *request);
    /* These lanes' access is a fault. Returns the ones that abort instead: they read what no
     * transaction may see. */
    uint64_t (*fault)(struct tm_unit *unit, struct tm_wavefront *wavefront, uint64_t lanes);
    /* The wavefront is at its commit. Adds lanes of `running` that pass or fail. */
    uint64_t (*prepare)(struct tm_unit *unit, struct tm_wavefront *wavefront, uint64_t *passed,
                        uint64_t *failed);
    /* Lanes whose outcome is settled, each once; called again with none until it answers TM_NOW. */
    uint64_t (*finish)(struct tm_unit *unit, struct tm_wavefront *wavefront, uint64_t committed,
                       uint64_t aborted, struct tm_charge *charge);
    /* The place of a lane that has passed in the order of all commits that the system claims. NULL:
     * the order in which they are settled. Asked before finish. */
    uint64_t (*order)(struct tm_unit *unit, const struct tm_wavefront *wavefront, unsigned lane);
    /* Lanes have aborted for a reason that is not this system's. */
    void (*abort)(struct tm_unit *unit, struct tm_wavefront *wavefront, uint64_t lanes,
                  struct tm_charge *charge);

    /* The next cycle in which the unit has something to do by itself; UINT64_MAX: none is known. */
    uint64_t (*next_cycle)(const struct tm_unit *unit);
    void (*tick)(struct tm_unit *unit);
    /* Fills a message for the L1's port; false: nothing to send. */
    bool (*send)(struct tm_unit *unit, struct message *message);
    void (*receive)(struct tm_unit *unit, const struct message *message);
    void (*packet)(struct tm_unit *unit, const struct tm_packet *packet);
    void (*message)(struct tm_unit *unit, const struct message *message);
    /* For the page of a machine that stands still: what it waits for. */
    void (*explain)(const struct tm_unit *unit, struct text *text);
};

/* All systems, NULL-terminated (tm/list.c). */
extern const struct tm_system *const tm_systems[];
const struct tm_system *tm_find(const char *name);
parameter_words tm_word;

/* The systems that `names` lists, "localtm" or "localtm,kilotm": at most one for each space, that
 * of global memory last. */
struct tm_set {
    const struct tm_system *systems[TM_MAX_SYSTEMS];
    uint32_t count;
    unsigned spaces;
};
bool tm_parse(const char *names, struct tm_set *set, struct diagnosis *diagnosis) MUST_USE;
/* What the system for the space promises; none is for it: nothing. */
enum tm_promise tm_promise_of(const struct tm_set *set, enum tm_space space);
/* doomed_max of the system for that space; UINT64_MAX: it has none. */
uint64_t tm_doomed_max_of(const struct tm_set *set, const struct tm_parameters *parameters,
                          enum tm_space space);
/* Asks each whether it can work on the machine. */
bool tm_check(const struct tm_set *set, const struct tm_parameters *parameters,
              const struct tm_facts *facts, struct diagnosis *diagnosis) MUST_USE;
void tm_add_resources(const struct tm_set *set, const struct tm_parameters *parameters,
                      const struct tm_facts *facts, struct tm_resources *resources);

#endif
