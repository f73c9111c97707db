/* SPDX-License-Identifier: MIT */
#include "mem/admission.h"

#include <string.h>

#define ADMISSIONS(X)                                                                              \
    X(misses)                                                                                      \
    X(accesses)                                                                                    \
    X(drawn)                                                                                       \
    X(drawn_joined)

#define DECLARE(name) extern const struct admission admission_##name;
ADMISSIONS(DECLARE)

#define LIST(name) &admission_##name,
const struct admission *const admissions[] = {ADMISSIONS(LIST) NULL};

const struct admission *admission_find(const char *name)
{
    for (unsigned i = 0; admissions[i] != NULL; i++)
        if (strcmp(admissions[i]->name, name) == 0)
            return admissions[i];
    return NULL;
}
