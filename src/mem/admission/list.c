/* SPDX-License-Identifier: MIT */
#include "mem/admission.h"

#define ADMISSIONS(X)                                                                              \
    X(misses)                                                                                      \
    X(accesses)                                                                                    \
    X(drawn)                                                                                       \
    X(drawn_joined)

#define DECLARE(name) extern const struct admission admission_##name;
ADMISSIONS(DECLARE)

#define LIST(name) &admission_##name,
const struct admission *const admissions[] = {ADMISSIONS(LIST) NULL};
PARAMETER_LIST(struct admission, admission, admissions)
