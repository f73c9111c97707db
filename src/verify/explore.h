/* SPDX-License-Identifier: MIT */
/*
 * A breadth-first search over everything that a small machine can do: from each state every
 * possible move, states that go on alike taken for one. So the first fault that is found has a
 * shortest path.
 *
 * Beside what the traffic judges: from each state deliveries alone lead to rest. A state that is
 * not at rest and in which nothing can be delivered is a deadlock. So is one at rest in which an L1
 * does not take a request that it is offered. States are one that L1s which are alike only have
 * swapped (Ip and Dill, Better Verification Through Symmetry, 1996). When all states are known,
 * those are found from which no sequence of deliveries leads to rest.
 */
#ifndef VERIFY_EXPLORE_H
#define VERIFY_EXPLORE_H

#include "verify/world.h"

struct explore_counts {
    uint64_t states, transitions, waiting; /* waiting: states that are still to be looked at */
    uint64_t at_rest;                      /* states in which nothing is on its way */
    uint64_t settled;    /* in which no prompt move is left; all states, where those are made */
    uint64_t told_apart; /* states that these stand for, if L1s that are alike were told apart */
    uint64_t bytes;      /* the maximum so far */
};

/* A move of a path that is told: what it did, and whether all is at rest after it. */
struct told_move {
    uint32_t number; /* from 1 */
    struct move move;
    const char *words;
    bool is_at_rest, is_last;
};

struct explore_options {
    struct world *world;
    uint32_t roots; /* first states: begin(context, n) makes each from the world as it was built */
    void (*begin)(void *context, uint32_t root);
    bool tells_l1s_apart; /* takes states that differ by which L1 is which for two */
    bool takes_all_moves; /* makes no move as part of another: prompt.h */
    bool sends_at_once;   /* of those, requests are not sent late */
    uint64_t bytes_max, states_max;
    /* Called now and then; NULL: not. */
    void (*progress)(void *context, const struct explore_counts *counts);
    /* Adds a move of a path to the text; NULL: each is a line. */
    void (*tell)(void *context, const struct told_move *told, struct text *text);
    void *context;
};

enum explore_end { EXPLORE_EXHAUSTED, EXPLORE_FAULT, EXPLORE_OUT_OF_MEMORY, EXPLORE_LIMIT };

struct explore_result {
    enum explore_end end;
    struct explore_counts counts;
    struct fault fault;
    uint32_t root; /* of the path to the fault */
    struct move *path;
    uint32_t path_length;
};

void explore_run(const struct explore_options *options, struct explore_result *result);
void explore_result_finish(struct explore_result *result);

/* The path, a numbered line a move; what goes wrong in the last is caught. */
void explore_tell(const struct explore_options *options, const struct explore_result *result,
                  struct text *text);

#endif
