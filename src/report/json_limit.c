/* SPDX-License-Identifier: MIT */
#include "report/json_limit.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/print_limit.h"

static void write_evidence(struct json_writer *json, const struct limit_evidence *evidence)
{
    size_t length = strlen(evidence->words);
    char *words = evidence->is_wait    ? format_string("accesses wait %s", evidence->words)
                  : evidence->is_ratio ? format_string("%.*s", (int)length - 2, evidence->words)
                                       : format_string("%s", evidence->words);

    json_open_compact(json, NULL, '{');
    json_text(json, "what", words);
    json_real(json, evidence->is_ratio ? "ratio" : "value", evidence->value);
    json_close(json, '}');
    free(words);
}

static void write_parts(struct json_writer *json, const struct limits *limits)
{
    json_open(json, "parts", '{');
    for (enum limit_name name = 0; name < LIMIT_COUNT; name++) {
        json_open_compact(json, limit_descriptions[name].name, '{');
        json_real(json, "time", limits->time[name]);
        json_real(json, "busy", limits->busy[name]);
        json_real(json, "gain", limits_gain(limits, name));
        json_close(json, '}');
    }
    json_close(json, '}');
}

void json_limit_write(struct json_writer *json, const struct run_report *run,
                      const struct run_log *log)
{
    struct limit_evidence evidence[LIMIT_EVIDENCE_MAX];
    struct limits limits;
    enum limit_name name;
    uint32_t count = 0;

    report_limits(run, log, &limits);
    name = limits_choose(&limits);
    if (name != LIMIT_NOTHING)
        count = report_limit_evidence(run, &log->all, name, evidence);
    json_open(json, "limit", '{');
    json_text(json, "name", name != LIMIT_NOTHING ? limit_descriptions[name].name : NULL);
    json_text(json, "what", name != LIMIT_NOTHING ? limit_descriptions[name].what : NULL);
    json_open(json, "evidence", '[');
    for (uint32_t i = 0; i < count; i++)
        write_evidence(json, &evidence[i]);
    json_close(json, ']');
    json_text(json, "try", name != LIMIT_NOTHING ? limit_descriptions[name].attempt : NULL);
    write_parts(json, &limits);
    json_close(json, '}');
}
