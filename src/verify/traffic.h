/* SPDX-License-Identifier: MIT */
/*
 * Traffic: what the compute units of a small machine may ask for, and what answers they may get.
 * One kind offers every access at any time and judges it by what the protocol promises
 * (alphabet.h); programs with outcomes are another. The explorer knows neither.
 */
#ifndef VERIFY_TRAFFIC_H
#define VERIFY_TRAFFIC_H

#include "base/text.h"
#include "mem/msg.h"

/* Which property does not hold. */
enum verify_check {
    VERIFY_NOTHING,
    VERIFY_READ,       /* a load or atomic returned a value that the memory model forbids */
    VERIFY_DIRTY,      /* at rest the newest bytes are neither in memory nor dirty above */
    VERIFY_EXCLUSIVE,  /* a line may be written in one L1 while another may read it */
    VERIFY_ANSWER,     /* an answer to nothing, or a second one */
    VERIFY_TRANSITION, /* a transition that is impossible by the table, or a check that failed */
    VERIFY_DEADLOCK,   /* something waits and nothing can move */
    VERIFY_LIVELOCK,   /* deliveries alone never lead to rest */
    VERIFY_CHECKS
};

struct fault {
    enum verify_check check;
    char text[512];
};

/* The check's name, and a line on what it means. */
const char *verify_check_name(enum verify_check check);
const char *verify_check_help(enum verify_check check);

/* Notes the first fault. */
void fault_note(struct fault *fault, enum verify_check check, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

struct world;
struct form;

enum { TRAFFIC_COMMON = UINT32_MAX };

/* Requests of L1 n come from compute unit FIRST_UNIT + n: what a cache makes by itself has no
 * requester, and 0 there. */
enum { FIRST_UNIT = 1 };

struct traffic {
    uint32_t offers; /* of each L1 */
    void *state;     /* plain data, put back with the world's */
    size_t bytes;    /* a multiple of 8 */
    /* The message of an offer; false: not now. Changes nothing. */
    bool (*offer)(struct traffic *traffic, uint32_t l1, uint32_t which, struct message *message);
    /* An offer that needs no L1 is done; false: it is none, or not now. NULL: none is. */
    bool (*act)(struct traffic *traffic, uint32_t l1, uint32_t which);
    /* The L1 has taken it. */
    void (*sent)(struct traffic *traffic, uint32_t l1, uint32_t which,
                 const struct message *message);
    /* A controller sends something, answers included. */
    void (*output)(struct traffic *traffic, const struct message *message);
    /* An L1 answers. */
    void (*answered)(struct traffic *traffic, uint32_t l1, const struct message *message);
    /* Nothing is unanswered. */
    bool (*is_idle)(const struct traffic *traffic);
    /* After each move. */
    void (*judge)(struct traffic *traffic, const struct world *world);
    /* From now on L1s from this number on are alike: what one may do, all may, and it is judged
     * alike. Those before it are not. */
    uint32_t (*first_alike)(const struct traffic *traffic);
    /* Its own part of the form: of one L1, and what is no L1's (TRAFFIC_COMMON). No node's number
     * is in it. */
    void (*encode)(const struct traffic *traffic, uint32_t l1, const struct form *form);
    /* An offer in words, and what the data of a message of it means. */
    void (*describe)(const struct traffic *traffic, const struct message *message,
                     struct text *text);
    /* Who asks for it, before its line of a story; and what a line is called. NULL: by letters. */
    void (*introduce)(const struct traffic *traffic, const struct message *message,
                      struct text *text);
    void (*name_line)(const struct traffic *traffic, uint32_t line, struct text *text);
    uint64_t same_bytes; /* of a line: those that are the same in all states */
    /* Where no byte of a line has this value any more, what comes is known; 0: not so. NULL:
     * never. */
    uint8_t (*fading)(const struct traffic *traffic);
    bool is_void; /* set where what was done cannot have been: the path is left, and is no fault */
    struct fault *fault; /* what is found wrong */
    struct world *world; /* set by world_init */
};

#endif
