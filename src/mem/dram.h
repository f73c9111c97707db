/* SPDX-License-Identifier: MIT */
/*
 * One memory channel, with its memory: a component in the memory clock's domain.
 *
 *   requests (READ, WRITE) ──► accepted ──► queue ──► banks ──► replies (READ_REPLY)
 *                              takes effect on the backing store
 *
 * What a request does, it does in the order of acceptance, which is the order of arrival. A READ
 * samples the backing store and a WRITE changes it at that moment; the timing follows. So a channel
 * is the point of order for its lines, and scheduling cannot change a value. WRITE is posted; one
 * with `returns` set gets a WRITE_REPLY when its data has been sent.
 *
 * Models (`model`, mem/dram_model.h), which another part's timings make other memories:
 *   gddr5   banks with row buffers, open page. FR-FCFS: column commands to open rows first, the
 *           oldest first among equals, until a bank's oldest request has waited age_cap_cycles:
 *           then the bank's younger row hits wait behind it. Reads before writes; writes are
 *           drained in batches between two watermarks, or when there is no read. One command a
 *           cycle; a line is 64 / burst_bytes bursts of burst_cycles each. All banks are refreshed
 *           together every tREFI; this is worked out when the channel next has work, with the
 *           result that an awake channel would have had.
 *   fixed   a reply arrives fixed_cycles after acceptance, later where the bus is busy: it takes
 *           one line after the other.
 *
 * Address inside the channel: 256-byte blocks go round the banks, then through the row (page), then
 * rows; bank group = bank mod groups. Rules as in JESD212: a window of four activates; tCCDS and
 * tCCDL. Write to read is from the end of the write's data, read to write by the bus turnaround.
 *
 * Left out: power-down, per-bank refresh, t32AW, calibration, address and data inversion,
 * command-bus encodings.
 */
#ifndef MEM_DRAM_H
#define MEM_DRAM_H

#include "mem/address_map.h"
#include "mem/backing.h"
#include "mem/msg.h"
#include "sim/component.h"
#include "sim/port.h"
#include "sim/registry.h"

enum { DRAM_MAX_BANKS = 32, DRAM_MAX_GROUPS = 8, DRAM_MAX_QUEUE = 64 };

parameter_words dram_model_word;

#define DRAM_PARAMETERS(X)                                                                         \
    X(WORD, model, "", "gddr5", dram_model_word, 1, "how a channel answers")                       \
    X(NUMBER, burst_bytes, "bytes", 32, 1, 64, "data that one column command moves")               \
    X(NUMBER, burst_cycles, "memory cycles", 2, 1, 64, "time that they take on the bus")           \
    X(NUMBER, banks, "banks", 16, 1, 32, "banks of a channel")                                     \
    X(NUMBER, bank_groups, "groups", 4, 1, 8, "bank groups")                                       \
    X(NUMBER, row_bytes, "bytes", 2048, 256, 16384, "a row of a bank (page)")                      \
    X(NUMBER, read_entries, "requests", 64, 1, 64, "queue of reads")                               \
    X(NUMBER, write_entries, "requests", 64, 1, 64, "queue of writes")                             \
    X(NUMBER, drain_above, "requests", 48, 1, 64, "queued writes at which they get priority")      \
    X(NUMBER, drain_below, "requests", 16, 0, 63, "queued writes at which reads get it back")      \
    X(NUMBER, age_cap_cycles, "memory cycles", 1000, 1, 1000000,                                   \
      "age of a bank's oldest request at which younger row hits may not pass it")                  \
    X(NUMBER, request_cycles, "memory cycles", 20, 1, 10000,                                       \
      "from acceptance until a request may be scheduled")                                          \
    X(NUMBER, reply_cycles, "memory cycles", 20, 1, 10000,                                         \
      "from the end of the data on the bus to the reply's arrival")                                \
    X(NUMBER, fixed_cycles, "memory cycles", 150, 1, 100000, "latency of the fixed model")         \
    X(NUMBER, tcl, "memory cycles", 17, 1, 1000, "read command to data")                           \
    X(NUMBER, twl, "memory cycles", 5, 1, 1000, "write command to data")                           \
    X(NUMBER, trcdr, "memory cycles", 17, 1, 1000, "activate to read")                             \
    X(NUMBER, trcdw, "memory cycles", 14, 1, 1000, "activate to write")                            \
    X(NUMBER, trp, "memory cycles", 17, 1, 1000, "precharge to activate")                          \
    X(NUMBER, tras, "memory cycles", 39, 1, 1000, "activate to precharge")                         \
    X(NUMBER, trc, "memory cycles", 56, 1, 1000, "activate to activate of a bank")                 \
    X(NUMBER, trrd, "memory cycles", 8, 1, 1000, "activate to activate of another bank")           \
    X(NUMBER, tfaw, "memory cycles", 32, 1, 1000, "window of four activates")                      \
    X(NUMBER, tccds, "memory cycles", 2, 2, 1000, "column to column of another bank group")        \
    X(NUMBER, tccdl, "memory cycles", 3, 2, 1000, "column to column of the same bank group")       \
    X(NUMBER, twr, "memory cycles", 17, 1, 1000, "end of write data to precharge")                 \
    X(NUMBER, twtr, "memory cycles", 7, 1, 1000, "end of write data to read")                      \
    X(NUMBER, trtp, "memory cycles", 2, 1, 1000, "read to precharge")                              \
    X(NUMBER, trtw, "memory cycles", 16, 1, 1000, "read to write")                                 \
    X(NUMBER, trefi, "memory cycles", 2613, 100, 1000000, "between refreshes")                     \
    X(NUMBER, trfc, "memory cycles", 90, 1, 100000, "a refresh of all banks")

struct dram_parameters {
    DRAM_PARAMETERS(PARAMETER_FIELD)
};
extern const struct parameter dram_parameters[];
extern const uint32_t dram_parameter_count;

#define DRAM_STATISTICS(X)                                                                         \
    X(COUNTER, reads, "requests", "line reads")                                                    \
    X(COUNTER, writes, "requests", "line writes, partial ones included")                           \
    X(COUNTER, read_bytes, "bytes", "bytes read, whole lines")                                     \
    X(COUNTER, write_bytes, "bytes", "bytes written, those under the masks")                       \
    X(COUNTER, row_hits, "requests", "requests that found their row open")                         \
    X(COUNTER, row_misses, "requests", "requests that found their bank closed")                    \
    X(COUNTER, row_conflicts, "requests", "requests that found another row open")                  \
    X(COUNTER, bus_busy_cycles, "memory cycles", "data on the bus")                                \
    X(COUNTER, waiting_cycles, "memory cycles",                                                    \
      "a read, or a write that had to go, was ready and no command had been given for it")         \
    X(COUNTER, refreshes, "refreshes", "refreshes of all banks")                                   \
    X(COUNTER, turnarounds, "turnarounds", "times that the bus went from reading to writing")      \
    X(HISTOGRAM, read_queue, "requests", "reads in the queue, by memory cycles")                   \
    X(HISTOGRAM, write_queue, "requests", "writes in the queue, by memory cycles")                 \
    X(HISTOGRAM, read_latency, "memory cycles", "from acceptance to the end of the data")

struct dram_statistics {
    DRAM_STATISTICS(STATISTIC_FIELD)
};
extern const struct statistic dram_statistics[];
extern const uint32_t dram_statistic_count;

/* Commands, as a timing checker sees them. */
enum dram_command { DRAM_ACTIVATE, DRAM_PRECHARGE, DRAM_READ, DRAM_WRITE, DRAM_REFRESH };

struct dram_event {
    uint64_t cycle;
    uint8_t command;
    uint8_t bank;
    uint32_t row;
};

struct dram_model;
struct dram_entry; /* a queued request */
struct dram_bank;

struct dram_channel {
    struct component component;
    struct dram_parameters parameters;
    const struct dram_model *model;
    const struct address_map *map;
    struct backing *backing;
    struct port *requests, *replies; /* of struct message; borrowed */
    struct dram_entry *entries;      /* reads first, then writes */
    struct dram_bank *banks;
    uint64_t used[2];                          /* entries in use, a bit each: [is_write] */
    uint64_t sequence;                         /* of the latest acceptance */
    bool is_draining;                          /* writes have priority */
    uint64_t group_column_at[DRAM_MAX_GROUPS]; /* earliest column command, by group */
    uint64_t column_at[2];                     /* earliest column command of any bank: [is_write] */
    uint64_t activate_at;                      /* earliest activate of any bank */
    uint64_t activates[4];                     /* the latest four */
    uint32_t activate_next;
    uint64_t blocked_until; /* end of the latest refresh */
    uint64_t refresh_at;    /* when the next is due */
    uint64_t waited_until;  /* up to which waiting_cycles is counted */
    uint64_t fixed_free_at;
    bool wrote_last;
    uint64_t request_cycles, reply_cycles; /* as the model has them */
    struct occupancy queue[2];
    struct dram_statistics statistics;
    /* Called for each command; NULL. For tests. */
    void (*watch)(void *context, const struct dram_event *event);
    void *watch_context;
};

/* False and a diagnosis for an unknown model or numbers that contradict each other; `path` names
 * the channel in the message. */
bool dram_parameters_check(const char *path, const struct dram_parameters *parameters,
                           struct diagnosis *diagnosis) MUST_USE;

/* A channel in the memory clock's domain; parameters are copied, the others borrowed. False and a
 * diagnosis as dram_parameters_check. The receiver of `requests`, the sender of `replies`. The
 * latter needs dram_reply_slots, as many as are on their way at full rate with their credits, so as
 * not to hold up the bus. */
bool dram_init(struct dram_channel *channel, const char *path, struct clock_domain *clock,
               const struct dram_parameters *parameters, const struct address_map *map,
               struct backing *backing, struct diagnosis *diagnosis) MUST_USE;
void dram_finish(struct dram_channel *channel);
void dram_connect(struct dram_channel *channel, struct port *requests, struct port *replies);
uint32_t dram_reply_slots(const struct dram_parameters *parameters);
/* Latency of `replies`, both ways: what a reply takes at the least. In memory cycles. */
uint32_t dram_reply_cycles(const struct dram_parameters *parameters);

/* Writes bytes of a line in no time: into memory, and into what was read of it and waits here. See
 * cache_write_now. */
void dram_write_now(struct dram_channel *channel, uint64_t addr, uint64_t mask,
                    const unsigned char *data);

void dram_register(struct dram_channel *channel, struct registry *registry);

/* Bank and row of a channel-local line. */
struct dram_place {
    uint32_t bank, row;
};
struct dram_place dram_place(const struct dram_parameters *parameters, uint64_t line);

#endif
