/* SPDX-License-Identifier: MIT */
/* What the simulator is made of, for keys of results: another build with other content gives
 * others. */
#ifndef CLI_SIMULATOR_H
#define CLI_SIMULATOR_H

#include "laboratory/point.h"

struct simulator {
    struct point_context context; /* of the strings below */
    char *version, hash[KEY_BYTES];
    char *executable; /* of this command */
};

/* False and a diagnosis: a part is missing. The caller ends it with simulator_finish. */
bool simulator_init(struct simulator *simulator, struct diagnosis *diagnosis) MUST_USE;
void simulator_finish(struct simulator *simulator);

#endif
