/* SPDX-License-Identifier: MIT */
/*
 * A point of a plan, resolved: the command that measures it, and its key. Two points have one key
 * when nothing that decides about results differs. Results depend on the simulator (version,
 * content of the driver and of the compiler's parts), and on each parameter's value but those of
 * "sim.". They also depend on the model, arguments and options, and on files' content: of the
 * program, of what arguments name, of what scripts import or name, of the plan's `files`. Where
 * files lie does not matter.
 */
#ifndef LABORATORY_POINT_H
#define LABORATORY_POINT_H

#include "laboratory/inputs.h"
#include "laboratory/plan.h"

struct point {
    unsigned number;  /* in its plan, from 1 */
    unsigned *choice; /* of each axis the index of its value */
    char key[KEY_BYTES];
    char **words; /* `wavetank run`'s options and program, NULL-terminated */
    char *gpu, *model, *workload, *program, *arguments; /* as results show them; NULL: not said */
};

struct points {
    struct point *list;
    unsigned count;
    struct inputs inputs; /* of them all */
};

/* What points are resolved against. */
struct point_context {
    const char *version;   /* of Wavetank */
    const char *simulator; /* a hash of the files that it is made of */
    /* The path of a workload's program; the caller frees. NULL and a diagnosis: there is none. */
    char *(*workload_path)(const char *name, struct diagnosis *diagnosis);
};

/* All points of the plan, in order. Each configuration is read: an unknown parameter, a value
 * out of range or a program that is not there is told now. The caller ends it with
 * points_finish, also after a failure. */
bool points_resolve(struct points *points, const struct plan *plan,
                    const struct point_context *context, struct diagnosis *diagnosis) MUST_USE;
void points_finish(struct points *points);

/* The labels of a point's axes, for people: "matrix_transpose, 16". The caller frees. */
char *point_title(const struct plan *plan, const struct point *point);

#endif
