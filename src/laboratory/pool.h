/* SPDX-License-Identifier: MIT */
/*
 * Processes at work on points, so many at a time. Each is a `wavetank run` of its own, so that
 * nothing that it does can harm the others. What it writes and prints stands in a folder of its own
 * below TMPDIR until it is stored. When this process ends, however that is, they end too; a folder
 * that is left is removed by the next pool.
 *
 * While a pool lives, SIGCHLD, SIGINT, SIGTERM and SIGHUP are taken by pool_wait alone.
 */
#ifndef LABORATORY_POOL_H
#define LABORATORY_POOL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diagnosis.h"

struct job {
    pid_t process;      /* 0: none, the job is free */
    unsigned point;     /* whose it is; the caller's number */
    double began;       /* of a clock that only goes on */
    int64_t started_ms; /* since 1970 */
    char *json, *log;
    bool is_late; /* it was told to end */
};

struct pool {
    char *folder;
    int lock;
    struct job *jobs;
    unsigned max, busy, timeout_seconds;
    unsigned serial; /* for names of files */
    sigset_t before;
    int interrupted; /* the signal that asked for an end; 0: none */
};

/* A job that ended. */
struct ended {
    unsigned point;
    int status;    /* as a shell sees it */
    char *message; /* the last lines that it printed; NULL: status is 0. The caller frees */
    char *json;    /* path; the caller frees; the file is the caller's to remove */
    double seconds;
    int64_t started_ms; /* since 1970 */
};

/* Seconds of a clock that only goes on. */
double pool_clock(void);

bool pool_init(struct pool *pool, unsigned max, unsigned timeout_seconds,
               struct diagnosis *diagnosis) MUST_USE;
/* Ends what runs, and removes the folder. */
void pool_finish(struct pool *pool);

/* Starts `wavetank run` (PROGRAM run OPTIONS WORDS...) in `directory`. */
bool pool_start(struct pool *pool, unsigned point, const char *program, char **words,
                const char *directory, struct diagnosis *diagnosis) MUST_USE;
/* Waits for a job to end, a second at most. False: none ended. */
bool pool_wait(struct pool *pool, struct ended *ended);

#endif
