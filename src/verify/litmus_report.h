/* SPDX-License-Identifier: MIT */
/* The verdict on a litmus test, as herd prints it. */
#ifndef VERIFY_LITMUS_REPORT_H
#define VERIFY_LITMUS_REPORT_H

#include "verify/axioms.h"
#include "verify/litmus_file.h"

/* States, witnesses, the condition and the observation; and of what is undefined, why. */
void litmus_report(const struct litmus_file *file, const struct axioms_found *found,
                   struct text *text);

/* How many states a list of outcomes has: what the condition's places hold at the end. And how many
 * of those are also states of the other list. */
uint32_t litmus_count_states(const struct litmus_file *file, const struct litmus_outcomes *outcomes,
                             const struct litmus_outcomes *others, uint32_t *shared);

#endif
