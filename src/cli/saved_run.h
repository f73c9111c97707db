/* SPDX-License-Identifier: MIT */
/*
 * A run's statistics read back from its JSON file (report/json.h), as the report had them. The
 * machine of its configuration is built again, which gives each statistic its place. The launches'
 * sums are added up.
 *
 * Left out: what stands by place, samples. Statistics that this version does not know are passed
 * over.
 */
#ifndef CLI_SAVED_RUN_H
#define CLI_SAVED_RUN_H

#include "base/diagnosis.h"
#include "cli/catalogue.h"
#include "report/run.h"
#include "report/run_log.h"

struct saved_run {
    struct configuration *configuration; /* owned */
    struct catalogue catalogue;
    struct run_report run; /* its settings are owned */
    struct run_log log;
};

/* False and a diagnosis if the file is no report, or of a machine that cannot be built. End it with
 * saved_run_finish only where it is true. */
bool saved_run_read(struct saved_run *saved, const char *path,
                    struct diagnosis *diagnosis) MUST_USE;
void saved_run_finish(struct saved_run *saved);

#endif
