/* SPDX-License-Identifier: MIT */
/* The limit of a run (report/limit.h) in its JSON. */
#ifndef REPORT_JSON_LIMIT_H
#define REPORT_JSON_LIMIT_H

#include "report/json_writer.h"
#include "report/run.h"
#include "report/run_log.h"

/* Member `limit`; only of a run on the timed model with a launch. */
void json_limit_write(struct json_writer *json, const struct run_report *run,
                      const struct run_log *log);

#endif
