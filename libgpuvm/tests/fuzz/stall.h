/* SPDX-License-Identifier: MIT */
/* A thread that only looks at the clock, to see whether and how long it is held up by what others
 * do. */
#ifndef TESTS_FUZZ_STALL_H
#define TESTS_FUZZ_STALL_H

struct stall {
    double longest_us; /* between two looks at the clock */
    long waits;        /* times that the thread gave up its processor: never by itself */
};

/* Calls work again and again for so long, while the other thread looks. */
struct stall observe_stalls(void (*work)(void), double seconds);

#endif
