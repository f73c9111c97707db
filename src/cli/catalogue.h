/* SPDX-License-Identifier: MIT */
/*
 * All names that `explain` and `list` know: parameters, statistics and derived metrics of a
 * configured GPU, in one list.
 */
#ifndef CLI_CATALOGUE_H
#define CLI_CATALOGUE_H

#include "machine/machine.h"
#include "report/level.h"
#include "report/metrics.h"

enum name_kind { NAME_PARAMETER, NAME_STATISTIC, NAME_METRIC };

struct name {
    char *path; /* "l1.mshr_entries", "cu.l1.hits", "l1.hit_ratio" */
    enum name_kind kind;
    const struct setting *setting;
    const struct level *level;
    const struct statistic *statistic;
    const struct metric *metric;
};

struct catalogue {
    struct configuration *configuration; /* borrowed */
    struct machine *machine;
    struct levels levels;
    struct name *names;
    unsigned count;
};

/* Builds the (timed) machine to learn its statistics. */
bool catalogue_init(struct catalogue *catalogue, struct configuration *configuration,
                    struct diagnosis *diagnosis) MUST_USE;
void catalogue_finish(struct catalogue *catalogue);

/* Whether `asked` means this name: the whole of it, its end from a dot on ("l1.hits" means
 * "cu.l1.hits"), or one place of a statistic ("cu3.l1.hits"). */
bool name_matches(const struct name *name, const char *asked);
/* Whether the name belongs to the component `asked`, which ends the name's group from a dot on:
 * "cu.l1.hits" belongs to "l1" and "cu.l1". A component without statistics of its own may begin the
 * group instead: "crossbar.requests.bytes" belongs to "crossbar" too, but "cu.l1.hits" not to "cu".
 */
bool name_is_in_group(const struct catalogue *catalogue, const struct name *name,
                      const char *asked);

/* One line of meaning, and the unit. */
const char *name_help(const struct name *name);
const char *name_unit(const struct name *name);

#endif
