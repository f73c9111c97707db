/* SPDX-License-Identifier: MIT */
/* What the files of the alphabet share: its state, and the words of a line. */
#ifndef VERIFY_ALPHABET_PRIVATE_H
#define VERIFY_ALPHABET_PRIVATE_H

#include "base/bits.h"
#include "verify/alphabet.h"

/* How old a value is. */
enum { AGE_NEWEST, AGE_BEFORE, AGE_OLDER };

enum { SLOTS = 2, WORD_BYTES = 4, NO_VALUE = 255 };

/* The followed word of the first line, and the one that everything else is stored to. */
enum { WORD_FOLLOWED, WORD_OTHER, WORDS };

/* A request without answer. */
struct slot {
    uint8_t is_open, access, line;
    uint8_t order;   /* among the L1's open ones: older ones have lower numbers */
    uint8_t value;   /* of a store to the followed word; 0: none */
    uint8_t is_done; /* the store has taken effect */
    uint8_t age;     /* of its value since then; of a release: of what it publishes */
    uint8_t least;   /* LOAD: the oldest that it may see */
    uint8_t most;    /* LOAD: the newest that it may see */
};

struct judge {
    uint8_t is_shared; /* the word that is followed */
    uint8_t newest, before; /* values */
    uint8_t published;      /* age of the newest published value */
    uint8_t kept;           /* age of the newest answered plain store */
    uint8_t least[WORLD_MAX_L1S]; /* of each L1: the oldest that its next load may see */
    struct slot slots[WORLD_MAX_L1S][SLOTS];
};

struct alphabet {
    struct traffic traffic;
    struct alphabet_options options;
    uint8_t offers[ACCESS_ON_LINES * WORLD_MAX_LINES + 2][2]; /* access, line */
    struct judge judge;
};

static inline struct alphabet *alphabet_of(const struct traffic *traffic)
{
    return container_of(traffic, struct alphabet, traffic);
}

static inline bool is_load(unsigned access)
{
    return access <= ACCESS_LOAD_COHERENT;
}

/* The followed word's value in a line's bytes; NO_VALUE: its bytes are of different stores. */
uint8_t value_in(const unsigned char *line);

/* The parts of the traffic that look at requests and answers. */
bool alphabet_offer(struct traffic *traffic, uint32_t l1, uint32_t which, struct message *message);
void alphabet_sent(struct traffic *traffic, uint32_t l1, uint32_t which,
                   const struct message *message);
void alphabet_output(struct traffic *traffic, const struct message *message);
void alphabet_answered(struct traffic *traffic, uint32_t l1, const struct message *message);

#endif
