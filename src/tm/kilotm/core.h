/* SPDX-License-Identifier: MIT */
/*
 * KILO TM in a compute unit: logs, concurrency control, and a wavefront's way through its commit.
 *
 *     RUN ─► CREDITS ─► IDS ─► WALK ─► ANSWERS ─► lanes are told, one by one ─► RUN
 *            entries     from    logs to    of all units: PASS or FAIL to them;
 *            of units    vendor  units      who wrote waits for CU_DONE of those
 *
 * A wavefront's ranks are the positions of its lanes among those that commit together: commit IDs
 * and messages count by them.
 */
#ifndef TM_KILOTM_CORE_H
#define TM_KILOTM_CORE_H

#include "tm/kilotm/messages.h"
#include "tm/limit.h"
#include "tm/parameters.h"
#include "tm/tm.h"

#define KILOTM_STATISTICS(X)                                                                       \
    X(COUNTER, commits, "lanes", "transactions that committed")                                    \
    X(COUNTER, read_only, "lanes", "of those, that wrote nothing")                                 \
    X(COUNTER, aborts, "lanes", "attempts that failed at their commit")                            \
    X(COUNTER, aborts_by_watchdog, "lanes", "attempts that the watchdog found doomed")             \
    X(COUNTER, faults_held, "lanes", "attempts whose fault was held, and that began again")        \
    X(COUNTER, read_words, "words", "of transactions that committed, in their read sets")          \
    X(COUNTER, write_words, "words", "the same, in their write sets")                              \
    X(COUNTER, own_words, "words", "loaded from the lane's own write log")                         \
    X(COUNTER, walks, "accesses", "loads for which the write log was walked")                      \
    X(COUNTER, log_lines, "lines", "accesses to the log cache")                                    \
    X(COUNTER, log_misses, "lines", "of those, that missed")                                       \
    X(COUNTER, log_fetches, "lines", "fetched from L2")                                            \
    X(COUNTER, log_write_backs, "lines", "written back to L2")                                     \
    X(COUNTER, token_waits, "wavefronts", "that had to wait for others of the compute unit")       \
    X(COUNTER, credit_waits, "wavefronts", "that had to wait for entries of commit units")         \
    X(COUNTER, validations, "attempts", "that the watchdog, or a fault, had validated")            \
    X(COUNTER, read_set_packets, "packets", "words of read sets to commit units")                  \
    X(COUNTER, read_set_bytes, "bytes", "of those")                                                \
    X(COUNTER, write_set_packets, "packets", "words of write sets")                                \
    X(COUNTER, write_set_bytes, "bytes", "of those")                                               \
    X(COUNTER, filled_packets, "packets", "that say that a unit has all words")                    \
    X(COUNTER, skip_packets, "packets", "that say that a unit gets none")                          \
    X(COUNTER, outcome_packets, "packets", "PASS and FAIL")                                        \
    X(COUNTER, answer_packets, "packets", "CU_PASS and CU_FAIL that came")                         \
    X(COUNTER, done_packets, "packets", "CU_DONE that came")                                       \
    X(COUNTER, retired_packets, "packets", "CU_RETIRED that came: credits")                        \
    X(COUNTER, again_packets, "packets", "words of sets that a commit unit had no buffer for")     \
    X(COUNTER, again_bytes, "bytes", "of those")

struct kilotm_statistics {
    KILOTM_STATISTICS(STATISTIC_FIELD)
};

enum { KILOTM_CHANNELS = 64, LOG_READS = 0, LOG_WRITES = 1, LOG_COUNT = 2 };

/* What one memory instruction read or wrote, a word of each lane. */
struct kilotm_row {
    uint64_t lanes;
    uint64_t words[ISA_MAX_LANES]; /* address / 4 */
    uint32_t values[ISA_MAX_LANES];
    uint8_t bytes[ISA_MAX_LANES]; /* of the word, that are meant */
};

struct kilotm_log {
    struct kilotm_row *rows;
    uint32_t count, capacity;
};

/* Of an atomic under way: what it does, and what it does it with. */
struct kilotm_atomic {
    uint32_t operand[2][ISA_MAX_LANES], compare[2][ISA_MAX_LANES];
    uint8_t rmw;
};

/* A load under way: its rows, and how much of the write log is older. An atomic's own rows of the
 * write log come next there; they get their values when it is back. */
struct kilotm_load {
    uint32_t first_row, write_rows;
    bool has_rows, is_atomic;
    struct kilotm_atomic *atomic; /* NULL: this place of the ring has had none */
};

enum { KILOTM_LOADS = 256 };

enum kilotm_phase { KILO_RUN, KILO_CREDITS, KILO_IDS, KILO_WALK, KILO_ANSWERS };

/* Of a wavefront slot. */
struct kilotm_wave {
    struct kilotm_log logs[LOG_COUNT];
    struct kilotm_load loads[KILOTM_LOADS]; /* a ring */
    uint32_t first_load, load_count, atomic_count;
    uint8_t phase;
    bool wants_acquire, awaits_acquire;
    uint32_t failed_attempts;
    uint64_t retry_at;
    uint64_t validate_at;   /* the watchdog's; UINT64_MAX: no attempt runs */
    uint64_t done;          /* lanes that have committed in this transaction */
    uint64_t attempt, told; /* lanes at the commit; of those, the compute unit has finished */
    uint64_t committing;    /* of the attempt, lanes with commit IDs */
    uint32_t base;          /* commit ID of the first */
    uint64_t wrote;         /* lanes with words in their write log */
    uint64_t failed, passed, settled; /* passed: may go on; settled: all units have answered */
    uint16_t answers[ISA_MAX_LANES], dones[ISA_MAX_LANES];            /* still to come */
    uint64_t has_words[KILOTM_CHANNELS], has_writes[KILOTM_CHANNELS]; /* lanes, by channel */
    uint64_t tell_pass[KILOTM_CHANNELS], tell_fail[KILOTM_CHANNELS];  /* still to be sent */
    bool has_outcomes;
    /* validation by the unit itself */
    uint32_t check_round;
    uint32_t checks;                            /* words still under way */
    uint64_t checked, invalid, faulty, trusted; /* lanes */
};

struct log_line {
    uint64_t addr; /* 0: none */
    uint64_t used;
    bool is_dirty;
};

struct log_cache {
    struct log_line *lines;
    uint32_t sets, ways;
    uint64_t clock; /* accesses, for the order of use */
};

struct message_ring {
    struct message *list;
    uint32_t first, count, capacity;
};

/* A commit unit wants words of a log once more. */
struct log_resend {
    uint64_t lanes;
    uint16_t slot, channel;
    uint8_t log;
};

struct credit_chunk {
    uint32_t base, count, reports;
};

struct kilotm_core {
    struct tm_unit unit;
    struct kilotm_statistics statistics;
    const struct kilotm_parameters *parameters;
    struct tm_facts facts;
    uint64_t breaks;
    struct kilotm_wave waves[TM_MAX_WAVEFRONTS];
    struct tm_limit limit;
    struct slot_queue credit_queue, walk_queue;
    uint32_t walk_log, walk_row; /* of the first in the queue; walk_log LOG_COUNT: what ends it */
    uint32_t fetches;            /* lines that the walk waits for */
    bool row_is_here;
    struct log_resend *resends; /* the first is being served */
    uint32_t resend_count, resend_capacity, resend_row;
    bool resend_row_is_here;
    uint64_t log_free_at;
    struct log_cache cache;
    struct message_ring out;
    uint64_t outcome_waves, acquiring;
    uint64_t credits;
    struct credit_chunk chunks[2 * TM_MAX_WAVEFRONTS];
    uint32_t chunk_count;
};

static inline struct kilotm_core *core_of(struct tm_unit *unit)
{
    return container_of(unit, struct kilotm_core, unit);
}

static inline uint64_t core_cycle(const struct kilotm_core *core)
{
    return component_cycle(core->unit.compute_unit);
}

static inline uint32_t core_channel(const struct kilotm_core *core, uint64_t word)
{
    return core->facts.channel_of(core->facts.map, word * 4);
}

/* ---- core.c ---- */
/* A place at the end of what is to be sent; zeroed. */
struct message *core_message(struct kilotm_core *core);
void core_send_oldest(struct kilotm_core *core);

/* ---- log.c ---- */
uint64_t kilotm_access(struct tm_unit *unit, struct tm_wavefront *wavefront,
                       struct isa_memory_request *request, struct tm_charge *charge);
uint64_t kilotm_loaded(struct tm_unit *unit, struct tm_wavefront *wavefront,
                       struct isa_memory_request *request);

/* ---- log_cache.c ---- */
void log_cache_init(struct log_cache *cache, const struct kilotm_parameters *parameters);
/* A row is written, or read; what it reads and is not there is fetched. */
void log_cache_row(struct kilotm_core *core, uint32_t slot, uint32_t log, uint32_t row,
                   bool is_write);
/* Its lines are of no more use: they need not be written back. */
void log_cache_drop(struct kilotm_core *core, uint32_t slot, uint32_t log, uint32_t row);
uint64_t log_row_bytes(const struct tm_facts *facts);

/* ---- storage.c ---- */
void kilotm_storage(const struct tm_parameters *all, const struct tm_facts *facts,
                    struct text *text);

/* ---- walk.c ---- */
/* The wavefront's lanes have come to their commit; true: all of them have passed already. */
void walk_begin(struct kilotm_core *core, const struct tm_wavefront *wavefront);
/* Entries have become free, or commit IDs are here. */
void walk_next_credits(struct kilotm_core *core);
void walk_has_ids(struct kilotm_core *core, uint32_t slot, uint32_t base);
/* A packet to the unit of a channel about the wavefront's transactions that commit. Of a row: its
 * lanes whose word goes where the first's goes, which are returned. */
struct message *walk_message(struct kilotm_core *core, uint32_t slot, uint32_t channel,
                             enum kilotm_kind kind);
uint64_t walk_packet(struct kilotm_core *core, uint32_t slot, const struct kilotm_row *row,
                     uint64_t lanes, enum kilotm_kind kind);
uint64_t walk_to_ranks(const struct kilotm_wave *wave, uint64_t lanes);
bool walk_can_go_on(const struct kilotm_core *core);
void walk_go_on(struct kilotm_core *core);
/* A commit unit's message. */
void walk_answered(struct kilotm_core *core, const struct message *message);
void walk_tell_outcomes(struct kilotm_core *core, struct kilotm_wave *wave, uint32_t slot);

/* ---- resend.c ---- */
void resend_asked(struct kilotm_core *core, const struct message *message, uint64_t lanes);
/* A row of what the oldest request wants. */
void resend_go_on(struct kilotm_core *core);

/* ---- watch.c ---- */
/* The next cycle in which an attempt must be validated. */
uint64_t watch_next(const struct kilotm_core *core);
void watch_tick(struct kilotm_core *core);
/* Lanes that would fault. Returns those that begin again instead: whether it is the program's fault
 * is found out meanwhile, and then it is not held. */
uint64_t watch_hold(struct kilotm_core *core, const struct tm_wavefront *wavefront, uint64_t lanes);
void watch_loaded(struct kilotm_core *core, const struct message *message);

#endif
