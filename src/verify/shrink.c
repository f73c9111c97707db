/* SPDX-License-Identifier: MIT */
/* Makes a wrong program smaller, and runs episodes.
 *
 * Without some operations messages move otherwise. So a program that is left with what it needs may
 * be right by chance. Each program is tried under several schedules. */
#include <stdlib.h>
#include <string.h>

#include "verify/random_tester.h"

struct shrinker {
    struct program *program; /* the smallest that is wrong so far */
    const struct tester *tester;
    uint32_t runs_left;
};

/* Whether it is wrong under some schedule, which it keeps. */
static bool is_wrong(struct shrinker *shrinker, struct program *candidate)
{
    enum { SCHEDULES = 12 };
    uint64_t first = candidate->schedule;

    for (uint64_t i = 0; i < SCHEDULES && shrinker->runs_left > 0; i++, shrinker->runs_left--) {
        struct fault fault;
        enum program_end end;

        candidate->schedule = first + i;
        end = program_run(candidate, shrinker->tester, &fault);
        if (end == PROGRAM_WRONG)
            return true;
        if (end == PROGRAM_INVALID)
            break;
    }
    candidate->schedule = first;
    return false;
}

/* True: the candidate takes the program's place; else it is gone. */
static bool candidate_adopt(struct shrinker *shrinker, struct program *candidate)
{
    if (is_wrong(shrinker, candidate)) {
        program_finish(shrinker->program);
        *shrinker->program = *candidate;
        return true;
    }
    program_finish(candidate);
    return false;
}

static bool leave_out(struct shrinker *shrinker, uint32_t first, uint32_t count)
{
    struct program candidate;

    program_copy(&candidate, shrinker->program);
    memmove(candidate.operations + first, candidate.operations + first + count,
            (candidate.count - first - count) * sizeof *candidate.operations);
    candidate.count -= count;
    return candidate_adopt(shrinker, &candidate);
}

/* Halves, quarters, ... and single ones. True: something went. */
static bool leave_out_stretches(struct shrinker *shrinker)
{
    bool some = false;

    for (uint32_t size = (shrinker->program->count + 1) / 2; size > 0; size /= 2)
        for (uint32_t first = shrinker->program->count; first > 0 && shrinker->runs_left > 0;) {
            uint32_t count = first < size ? first : size;

            first -= count;
            if (first + count <= shrinker->program->count)
                some |= leave_out(shrinker, first, count);
        }
    return some;
}

/* One thing about an operation made simpler; false: there is nothing to change. */
static bool operation_simplify(struct operation *operation, unsigned which)
{
    struct operation before = *operation;

    switch (which) {
    case 0:
        operation->glc = operation->slc = false;
        break;
    case 1:
        operation->order = operation->scope = 0;
        break;
    case 2:
        operation->mask &= ~operation->mask + 1; /* the lowest byte */
        break;
    case 3:
        operation->steps = 255;
        break;
    default:
        operation->count = 0;
        break;
    }
    if (operation->kind == OPERATION_ADD || (operation->kind == OPERATION_SWAP && which == 2))
        return false;
    return memcmp(&before, operation, sizeof before) != 0;
}

static void simplify_all(struct shrinker *shrinker)
{
    enum { WAYS = 5 };

    for (unsigned which = 0; which < WAYS; which++)
        for (uint32_t i = 0; i < shrinker->program->count && shrinker->runs_left > 0; i++) {
            struct program candidate;

            program_copy(&candidate, shrinker->program);
            if (operation_simplify(&candidate.operations[i], which))
                candidate_adopt(shrinker, &candidate);
            else
                program_finish(&candidate);
        }
}

void program_shrink(struct program *program, const struct tester *tester, uint32_t runs_max)
{
    struct tester silent = *tester;
    struct shrinker shrinker = {.program = program, .tester = &silent, .runs_left = runs_max};

    silent.look = NULL;
    while (leave_out_stretches(&shrinker) && shrinker.runs_left > 0)
        ;
    simplify_all(&shrinker);
}

bool episode_run(const struct episode *episode, struct text *why)
{
    struct tester tester = {.protocol = episode->protocol,
                            .promise = episode->promise != NULL ? *episode->promise
                                                                : promise_of(episode->protocol),
                            .breaks = episode->breaks};
    struct program program = {0};
    struct fault fault;
    bool is_right;

    program_generate(&program, episode);
    is_right = program_run(&program, &tester, &fault) == PROGRAM_RIGHT;
    if (!is_right)
        text_add(why, "seed %llu: %s", (unsigned long long)episode->seed, fault.text);
    program_finish(&program);
    return is_right;
}
