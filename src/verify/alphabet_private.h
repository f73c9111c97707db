/* SPDX-License-Identifier: MIT */
/* What the files of the alphabet share: its state, and the words of a line. */
#ifndef VERIFY_ALPHABET_PRIVATE_H
#define VERIFY_ALPHABET_PRIVATE_H

#include "base/bits.h"
#include "verify/alphabet.h"

/* Values of the followed word's bytes; all other bytes are 0. */
enum {
    VALUE_EARLY = 1,
    VALUE_LATE,
    VALUE_DEAD,
    VALUE_UNLIKE = 255 /* bytes of different stores */
};

enum { SLOTS = 2, WORD_BYTES = 4 };

/* The followed word of the first line, and the one that everything else is stored to. */
enum { WORD_FOLLOWED, WORD_OTHER, WORDS };

/* A request without answer. */
struct slot {
    uint8_t is_open, access, line;
    uint8_t order;   /* among the L1's open ones: older ones have lower numbers */
    uint8_t value;   /* of a store to the followed word; of a release: what it publishes; 0: none */
    uint8_t is_done; /* the store has taken effect */
    uint8_t min;     /* load: VALUE_LATE, if it may not see an early one */
    uint8_t max;     /* load: VALUE_EARLY, if it may not see a late one */
};

struct judge {
    _Alignas(8) uint8_t is_shared; /* the word that is followed */
    uint8_t newest;                /* these are VALUE_EARLY or VALUE_LATE */
    uint8_t published;             /* the newest published value */
    uint8_t kept;                  /* the newest answered plain store */
    uint8_t min[WORLD_MAX_L1S];    /* of each L1: the oldest that its next load may see */
    struct slot slots[WORLD_MAX_L1S][SLOTS];
};

/* Of stores to the followed word there are two, of each value. */
enum { STORES = ACCESS_ON_LINES - ACCESS_STORE };
struct offer {
    uint8_t access, line, value;
};

/* States of the L1 that the promise names, a bit each. */
struct named_states {
    bool are_known;
    uint64_t exclusive, owners, replaced;
};

struct alphabet {
    struct traffic traffic;
    struct named_states named;
    struct alphabet_options options;
    struct offer offers[ACCESS_ON_LINES * WORLD_MAX_LINES + STORES + 2];
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

/* The followed word's value in a line's bytes. */
uint8_t value_in(const unsigned char *line);
/* "a late value". */
const char *value_name(uint8_t value);

/* Whether the line's state is in the set. */
static inline bool line_is_in(const struct line *line, uint64_t set)
{
    return (set >> line->state & 1) != 0;
}
/* After a move: alphabet_forget.c. */
void alphabet_forget(struct alphabet *alphabet);

/* The parts of the traffic that look at requests and answers. */
bool alphabet_offer(struct traffic *traffic, uint32_t l1, uint32_t which, struct message *message);
void alphabet_sent(struct traffic *traffic, uint32_t l1, uint32_t which,
                   const struct message *message);
void alphabet_output(struct traffic *traffic, const struct message *message);
void alphabet_answered(struct traffic *traffic, uint32_t l1, const struct message *message);

#endif
