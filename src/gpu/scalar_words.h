/* SPDX-License-Identifier: MIT */
/*
 * Words of device memory that a kernel's scalar loads read, and words that its transactions wrote.
 * No word may be both. A scalar load passes every transactional memory by, and the compiler may
 * have moved it out of the transaction. (It takes what `const restrict` or __constant points at for
 * unchanging.) So which of the two came first says nothing. Judged when the launch has ended.
 *
 * All compute units of a machine share one. Of several accesses to a word the one of the lowest
 * program counter, work-group and wavefront is kept. So the order of components does not matter.
 */
#ifndef GPU_SCALAR_WORDS_H
#define GPU_SCALAR_WORDS_H

#include "gpu/fault.h"
#include "isa/isa.h"

struct scalar_words;

/* Which wavefront accessed a word, and where. */
struct word_access {
    uint64_t pc;
    uint32_t group[3];
    uint32_t wavefront; /* of the work-group */
};

struct scalar_words *scalar_words_create(void);
void scalar_words_destroy(struct scalar_words *words);
/* A launch begins. */
void scalar_words_clear(struct scalar_words *words);

/* A scalar load of `bytes` bytes. */
void scalar_words_read(struct scalar_words *words, uint64_t address, uint32_t bytes,
                       const struct word_access *access);
/* What a transaction stored there is in memory, or will be. */
void scalar_words_written(struct scalar_words *words, uint64_t address, uint32_t bytes,
                          const struct word_access *access);

/* Whether a word was both; of several the lowest. The fault names the scalar load, and the store as
 * the other access; its `launch` is the caller's to fill in. */
bool scalar_words_judge(const struct scalar_words *words, struct fault *fault);

#endif
