/* SPDX-License-Identifier: MIT */
/*
 * Every access at any time: loads, coherent loads, plain and coherent stores, read-modify-writes,
 * acquires and releases by each L1, `outstanding` at once.
 *
 * One word, x, of the first line is followed. Either L1 0 alone stores to it, plainly, or all L1s
 * do, by coherent stores and exchanges. The search begins with both; where such stores are alike
 * the second is all. All else is stored to another word of the line, as zeros. Loads read both
 * words. Since protocols look at no data, and words, lines and L1s are alike, that stands for all
 * words.
 *
 * Values. One store of those to x is the mark, whichever: it and all that take effect after it
 * store "late", all before it "early". So some choice of the mark shows that a value is older than
 * one that an L1 must see. That holds however many stores lie between the two (Wolper, Expressing
 * Interesting Properties of Programs in Propositional Temporal Logic, POPL 1986). Whether a store
 * is early or late is chosen when it is sent, and both are tried. A path on which an early one
 * takes effect after a late one is void. So is what comes when no early value is left anywhere: the
 * same goes on where all are early.
 *
 * Bytes that something dirty above will overwrite for certain become "dead", which no access may
 * see. So states do not differ by them, and that they are dead is checked.
 *
 * Judging. A store takes effect when its answer is first sent, wherever that is. Of each L1 it is
 * known whether its next load may still see an early value. That follows from what it saw, what it
 * stored, and what was published before its latest acquire, by the rules of the protocol's promise.
 * An exchange returns what was newest. At rest the newest value is in memory, in L2 if dirty there,
 * or in an L1 if dirty there.
 */
#ifndef VERIFY_ALPHABET_H
#define VERIFY_ALPHABET_H

#include "verify/rules.h"
#include "verify/world.h"

enum access {
    ACCESS_LOAD,
    ACCESS_LOAD_COHERENT,
    ACCESS_STORE,
    ACCESS_STORE_COHERENT,
    ACCESS_EXCHANGE,
    ACCESS_ON_LINES,
    ACCESS_ACQUIRE = ACCESS_ON_LINES,
    ACCESS_RELEASE,
    ACCESS_COUNT
};

struct alphabet_options {
    struct promise promise;
    uint32_t outstanding; /* requests of an L1 at once */
    uint32_t accesses;    /* set of enum access */
    uint32_t lines, l1s;
};

/* Owned; alphabet_destroy. */
struct traffic *alphabet_create(const struct alphabet_options *options);
void alphabet_destroy(struct traffic *traffic);
/* The word that is followed from now on. */
void alphabet_follow(struct traffic *traffic, bool shared);
const char *access_name(enum access access);
/* What an L1 asked for, for a table of the program: "store A.x1 = 2"; "" for answers. */
void alphabet_print_offer(const struct traffic *traffic, uint32_t which, struct text *text);

#endif
