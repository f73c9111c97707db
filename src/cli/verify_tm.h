/* SPDX-License-Identifier: MIT */
/* `wavetank verify tm SYSTEM`: random transactional programs under an oracle (tm/oracle.h). */
#ifndef CLI_VERIFY_TM_H
#define CLI_VERIFY_TM_H

#include <stdint.h>

#include "cli/command.h"

/* argv[0] is "tm". Gives the exit status. */
int verify_tm(int argc, char **argv);

/* One random program: what each work-item of a work-group does in each of its transactions, as
 * bytes that one kernel interprets (step: kind << 5 | word). */
enum {
    TM_STEPS = 6,
    TM_ITEMS_MAX = 256,
    TM_TRANSACTIONS_MAX = 16,
    TM_LOCAL_WORDS = 1024,  /* of the table that transactions use, where it lies in local memory, */
    TM_GLOBAL_WORDS = 4096, /* and in global memory */
    TM_LOCAL_SPREAD_MAX = 32
};

enum tm_step {
    TM_STEP_NOTHING,
    TM_STEP_LOAD,
    TM_STEP_STORE,    /* a value that the item's step alone stores, plus what it has loaded */
    TM_STEP_INCREASE, /* a load and a store */
    TM_STEP_ADD,      /* an atomic */
    TM_STEP_PAIR,     /* a load and a store of two words */
    TM_STEP_BYTE,     /* a load and a store of one byte */
    TM_STEP_LINGER    /* no access: a loop, the longer the higher the word */
};

struct tm_program {
    unsigned items, transactions;
    unsigned group;         /* work-items of a work-group; the last one may have fewer */
    unsigned words, spread; /* words that are used, and how far apart they lie */
    unsigned char steps[TM_TRANSACTIONS_MAX][TM_STEPS][TM_ITEMS_MAX];
};

extern const char verify_tm_kernel[];

/* A random one; `transactions` of each item. On local memory it is one work-group. On global memory
 * there are several, of one or more wavefronts or a part of one; and words that are used lie in
 * several channels more often than not, a channel having 64 words in a row: several commit units
 * take part in a transaction. */
void tm_program_make(struct tm_program *program, uint64_t seed, bool is_global);
/* Tries to leave parts out while `fails` stays true. Returns how often it was asked. */
unsigned tm_program_shrink(struct tm_program *program,
                           bool (*fails)(void *context, const struct tm_program *program),
                           void *context);
/* A line for each transaction that does something. */
void tm_program_print(const struct tm_program *program, FILE *stream);
uint64_t tm_program_count(const struct tm_program *program);

#endif
