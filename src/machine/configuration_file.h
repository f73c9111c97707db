/* SPDX-License-Identifier: MIT */
/* The YAML side of a configuration: finding and reading gpus/NAME.yaml. */
#ifndef MACHINE_CONFIGURATION_FILE_H
#define MACHINE_CONFIGURATION_FILE_H

#include "machine/machine.h"

/* Finds the file, reads what it inherits first, then its own keys. Fills name, title and file. */
bool configuration_read(struct configuration *configuration, const char *name_or_file,
                        struct diagnosis *diagnosis) MUST_USE;

/* Sets one parameter by path; origin and source are copied, source may be NULL. */
bool configuration_set(struct configuration *configuration, const char *path, const char *value,
                       const char *origin, const char *source,
                       struct diagnosis *diagnosis) MUST_USE;

#endif
