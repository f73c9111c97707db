/* SPDX-License-Identifier: MIT */
/*
 * GPU-LocalTM: transactions of a work-group's work-items on its local memory, with a little
 * hardware in each bank.
 *
 *     one bank:   row 0 | word | word | ...          the program's variables, N words in all banks
 *                 old values, one for each word      } shadow memory: behind them in local memory,
 *                 owner bytes, one for each word     } 5 bytes for each word
 *                 filters: a Bloom filter for each work-item, in vector registers
 *
 *   access  1. detection   the filters of all work-items are asked for the word's bit
 *                          none positive: new; own: maybe again; another's: a conflict
 *           2. shadow      new: old value and owner are kept; conflict: the bank puts back what the
 *                          lane changed in it, and clears its filter
 *           3. spreading   the other banks do the same for lanes with a conflict
 *
 * The work-item that asks aborts. Among the lanes of an instruction the lowest is served first, and
 * wins. A wavefront's Transaction Conflict Mask is its aborted lanes here. After `attempts`
 * restarts with the same mask one lane runs alone in one attempt (wavefront serialisation). If that
 * does not help, all other wavefronts of the work-group abort and wait until its attempt has ended
 * (work-group serialisation).
 *
 * Costs: detection 1 cycle, then as many bank accesses as the slowest bank changes entries. Begin
 * and commit cost what a scalar instruction does; a commit clears the owners of its words.
 *
 * Invariants: no word has two owners; an owner's bit is set in its filter; so with filters of any
 * size a lane without conflicts commits.
 *
 * Left out: the wires between banks (spreading starts in the same cycle in all); the register
 * file's ports for filters and shadow registers. The readings are in docs/models/localtm.md.
 * Source: Alejandro Villegas, Angeles Navarro, Rafael Asenjo, Oscar Plata, "Memoria Transaccional
 * Hardware en Memoria Local de GPU", sections III and IV.
 */
#ifndef TM_LOCALTM_H
#define TM_LOCALTM_H

#include "sim/declare.h"

parameter_words localtm_bloom_index_word, localtm_search_word;

#define LOCALTM_PARAMETERS(X)                                                                      \
    X(NUMBER, filter_bits, "bits", 8, 4, 64, "Bloom filter of a work-item in a bank")              \
    X(WORD, bloom_index, "", "row", localtm_bloom_index_word, 1, "what of a word chooses its bit") \
    X(NUMBER, tell_reads, "", 0, 0, 1,                                                             \
      "1: two filters, so that reads of one word do not conflict; 0: one for all accesses")        \
    X(NUMBER, attempts, "restarts", 2, 1, 1000,                                                    \
      "restarts with the same conflict mask before one lane runs alone")                           \
    X(NUMBER, attempts_before_group, "attempts", 1000, 0, 1000000,                                 \
      "attempts of one lane without progress before all other wavefronts stop; 0: no such "        \
      "attempts")                                                                                  \
    X(NUMBER, owner_valid, "", 1, 0, 1,                                                            \
      "1: a bit beside each owner byte says that there is one; 0: the byte alone")                 \
    X(WORD, search, "", "free", localtm_search_word, 1, "how a bank finds a lane's entries")       \
    X(NUMBER, bank_cycles, "cycles", 1, 1, 100, "a bank access for an entry of shadow memory")     \
    X(NUMBER, detect_cycles, "cycles", 1, 0, 100, "the filters' answer")

struct localtm_parameters {
    LOCALTM_PARAMETERS(PARAMETER_FIELD)
};
extern const struct parameter localtm_parameters[];
extern const uint32_t localtm_parameter_count;

#endif
