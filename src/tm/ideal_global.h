/* SPDX-License-Identifier: MIT */
/* What the two parts of the system `ideal_global` share: a lane's log, and the table of all that
 * was published. */
#ifndef TM_IDEAL_GLOBAL_H
#define TM_IDEAL_GLOBAL_H

#include "sim/declare.h"
#include "tm/tm.h"

parameter_words ideal_global_stores_at_word;

#define IDEAL_GLOBAL_PARAMETERS(X)                                                                 \
    X(NUMBER, warps_per_core, "wavefronts", 0, 0, 64,                                              \
      "of a compute unit in transactions at one time; 0: no limit")                                \
    X(WORD, stores_at, "", "commit", ideal_global_stores_at_word, 1,                               \
      "when a transaction's stores take their way to memory; their values are seen at the commit")

struct ideal_global_parameters {
    IDEAL_GLOBAL_PARAMETERS(PARAMETER_FIELD)
};
extern const struct parameter ideal_global_parameters[];
extern const uint32_t ideal_global_parameter_count;
bool ideal_global_pays_at_execution(const struct ideal_global_parameters *parameters);

/* ---- a lane's log ---- */

/* Bytes of a word that a lane has read, since the cycle in which the first came. */
struct ideal_read {
    uint64_t word; /* device address / 4 */
    uint32_t mask, value;
    uint64_t since;
};

struct ideal_write {
    uint64_t word;
    uint32_t mask, value;
    uint32_t sequence; /* of the instruction, in the wavefront's attempt */
};

struct ideal_log {
    struct ideal_read *reads;
    struct ideal_write *writes; /* by rising sequence */
    uint32_t read_count, write_count, read_capacity, write_capacity;
};

/* The log's entry of the word, made if there was none. Borrowed until the next is made. */
struct ideal_read *ideal_log_read(struct ideal_log *log, uint64_t word);
/* At its place by sequence: an atomic's result comes after stores behind it may have been
 * logged. */
void ideal_log_write(struct ideal_log *log, struct ideal_write write);
/* The bytes of the word that the lane's instructions before `sequence` have stored, and their
 * value. */
uint32_t ideal_log_own(const struct ideal_log *log, uint64_t word, uint32_t sequence,
                       uint32_t *value);

/* Where word i of the lane's element lies. */
struct ideal_place {
    uint64_t word;
    uint32_t mask;
    unsigned shift;
};
struct ideal_place ideal_place_of(const struct isa_memory_request *request, unsigned lane,
                                  unsigned i);
unsigned ideal_words(const struct isa_memory_request *request);
void ideal_log_store(struct ideal_log *log, const struct isa_memory_request *request, unsigned lane,
                     uint32_t sequence);
/* A load of nothing but what the lane itself has stored needs no traffic. False: this is
 * another. */
bool ideal_log_serve(const struct ideal_log *log, struct isa_memory_request *request, unsigned lane,
                     uint32_t sequence);

/* What an atomic owes: a store that keeps all bytes. */
struct ideal_owed {
    uint64_t line, mask;
    uint16_t slot;
};

struct ideal_debts {
    struct ideal_owed *list;
    uint32_t capacity, head, count;
};
/* A part of the latest, if that is the same wavefront's and of the same line, or one store more. */
void ideal_debts_add(struct ideal_debts *debts, uint64_t word, uint16_t slot);
/* The oldest. */
struct ideal_owed ideal_debts_take(struct ideal_debts *debts);

/* A load or an atomic that is under way, in the order of its wavefront. */
struct ideal_flight {
    uint64_t since; /* it was served in this cycle */
    uint32_t sequence;
    bool is_atomic;
    uint8_t rmw;
    uint32_t operands[2][ISA_MAX_LANES], compare[2][ISA_MAX_LANES];
};

/* A ring. */
struct ideal_flights {
    struct ideal_flight *list;
    uint32_t capacity, head, count;
};
/* A place at its end; borrowed until the next. */
struct ideal_flight *ideal_flights_add(struct ideal_flights *flights);
/* The oldest is back. */
void ideal_flights_take(struct ideal_flights *flights);

/* ---- the table ---- */

/* A word as transactions have left it. */
struct ideal_version {
    uint32_t value;
    uint32_t ever;       /* bytes that a transaction has stored */
    uint64_t cycle;      /* of the latest commit */
    uint64_t settled[4]; /* memory has the byte since this cycle; UINT64_MAX: not yet */
};

struct ideal_table;

struct ideal_table *ideal_table_create(uint32_t units);
void ideal_table_destroy(struct ideal_table *table);

/* The word as it was when this instant began, whatever has been committed in it; NULL: no
 * transaction had stored to it. What compute units may ask in their ticks. */
const struct ideal_version *ideal_table_look(struct ideal_table *table, uint64_t word,
                                             uint64_t now);
/* Whether all that the log has read is still so; `is_centre`: with what was committed in this
 * instant. */
bool ideal_reads_hold(struct ideal_table *table, const struct ideal_log *log, uint64_t now,
                      bool is_centre);

/* The rest is the centre's. Publishes what the log has stored, for a wavefront of `unit`. */
void ideal_table_publish(struct ideal_table *table, const struct ideal_log *log, uint16_t unit,
                         uint16_t slot, uint64_t now);
/* The commit is whole: lines of it that are not under way become stores of `unit`. Returns how many
 * lines the wavefront now waits for. */
uint32_t ideal_table_flush(struct ideal_table *table, uint16_t unit, uint16_t slot, uint64_t now);
/* The same where stores were paid for before. Their bytes are in memory once this instant has
 * closed, when IDEAL_NOBODY's stores are made in no time. */
void ideal_table_settle(struct ideal_table *table, uint64_t now);
/* The store of a line was answered. Adds the wavefronts that wait for no line any more to
 * settled[], by unit. Returns the unit that has to store the line again, or UINT32_MAX. */
uint32_t ideal_table_answered(struct ideal_table *table, uint64_t line, uint64_t now,
                              uint64_t *settled);

/* A store that a unit has to send. */
struct ideal_store {
    uint64_t line, mask;
    uint64_t since; /* may be sent in later cycles */
    unsigned char data[64];
};
enum { IDEAL_NOBODY = UINT16_MAX };
/* The unit's next, or NULL; take removes it. */
const struct ideal_store *ideal_table_store(const struct ideal_table *table, uint16_t unit);
void ideal_table_take_store(struct ideal_table *table, uint16_t unit);

/* ---- the centre ---- */

struct tm_centre *ideal_centre_create(const struct tm_system *system,
                                      const struct tm_options *options);
void ideal_centre_destroy(struct tm_centre *centre);
/* The table of the centre at the other end of the port. */
struct ideal_table *ideal_centre_table(struct port *to_centre);

/* COMMIT: the logs of a wavefront (`id` is their address), of `lanes`. OUTCOME: the lanes that have
 * committed, the first's number in the order of all commits in `id`; pair_count 1: there is
 * something to settle. ANSWERED: addresses of lines whose stores were answered. NEWS: a store
 * waits, and `lanes` are slots of wavefronts whose stores have all been answered. */
enum { IDEAL_COMMIT, IDEAL_OUTCOME, IDEAL_ANSWERED, IDEAL_NEWS };

#endif
