/* SPDX-License-Identifier: MIT */
#include "report/print_limit.h"

#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "report/columns.h"
#include "report/settings.h"

enum { QUEUES_MAX = 2 };
_Static_assert(QUEUES_MAX + 2 <= LIMIT_EVIDENCE_MAX, "facts and queues");
#define SHOWN_MIN 0.01
#define QUEUE_MIN 0.10

void report_kernel_limits(const struct run_report *run, const struct measurement *kernel,
                          struct limits *limits)
{
    const struct settings_names names = settings_names(run, kernel);

    limits_estimate(limits, &names.names);
}

void report_limits(const struct run_report *run, const struct run_log *log, struct limits *limits)
{
    memset(limits, 0, sizeof *limits);
    for (uint32_t i = 0; i < log->kernel_count; i++) {
        struct limits kernel;

        report_kernel_limits(run, &log->kernels[i].all, &kernel);
        limits_add(limits, &kernel);
    }
}

/* ---- Evidence ---- */

/* Where the time of vector memory instructions went that stood in a queue: what holds back, from
 * the compute unit on. */
static const struct {
    const char *words, *formula;
} queues[] = {
    {"for L1 MSHRs", "cu.load_stack.l1_mshr + cu.store_stack.l1_mshr + cu.atomic_stack.l1_mshr"},
    {"for a way of the L1", "cu.load_stack.l1_set + cu.store_stack.l1_set"},
    {"before the network", "cu.load_stack.network_queue + cu.store_stack.network_queue + "
                           "cu.atomic_stack.network_queue + cu.load_stack.l1_output + "
                           "cu.store_stack.l1_output + cu.atomic_stack.l1_output"},
    {"for L2 MSHRs", "cu.load_stack.l2_mshr + cu.store_stack.l2_mshr + cu.atomic_stack.l2_mshr"},
    {"before L2", "cu.load_stack.l2_queue + cu.store_stack.l2_queue + cu.atomic_stack.l2_queue"},
    {"before memory", "cu.load_stack.dram_queue + cu.store_stack.dram_queue + "
                      "cu.load_stack.l2_output + cu.store_stack.l2_output"},
    {"for the answer's way", "cu.load_stack.return_queue + cu.store_stack.return_queue + "
                             "cu.atomic_stack.return_queue"},
};

static bool is_of_memory(enum limit_name name)
{
    return name >= LIMIT_L1_PORTS && name <= LIMIT_DRAM;
}

static uint32_t add_fact(struct limit_evidence *evidence, const struct run_report *run,
                         const struct measurement *measurement, const struct limit_fact *fact)
{
    const struct settings_names names = settings_names(run, measurement);
    size_t length = fact->words != NULL ? strlen(fact->words) : 0;
    double value;

    if (length == 0 || !formula_evaluate(fact->formula, &names.names, &value))
        return 0;
    *evidence = (struct limit_evidence){
        .words = fact->words, .value = value, .is_ratio = fact->words[length - 1] == '%'};
    return 1;
}

static uint32_t add_queues(struct limit_evidence *evidence, const struct measurement *measurement)
{
    uint32_t count = 0;
    double all, time;

    if (!formula_evaluate("cu.load_stack.cycles + cu.store_stack.cycles + cu.atomic_stack.cycles",
                          &measurement->names, &all))
        return 0;
    for (unsigned i = 0; i < ARRAY_COUNT(queues) && count < QUEUES_MAX; i++)
        if (formula_evaluate(queues[i].formula, &measurement->names, &time) && time > 0 &&
            time >= QUEUE_MIN * all)
            evidence[count++] = (struct limit_evidence){
                .words = queues[i].words, .value = time / all, .is_ratio = true, .is_wait = true};
    return count;
}

uint32_t report_limit_evidence(const struct run_report *run, const struct measurement *measurement,
                               enum limit_name name, struct limit_evidence *evidence)
{
    uint32_t count = 0;

    for (unsigned i = 0; i < ARRAY_COUNT(limit_descriptions[name].facts); i++)
        count += add_fact(evidence + count, run, measurement, &limit_descriptions[name].facts[i]);
    if (is_of_memory(name))
        count += add_queues(evidence + count, measurement);
    return count;
}

/* ", bus busy 52 %", "; accesses wait 36 % of their time before the network, 12 % before memory" */
static void print_evidence(FILE *stream, const struct limit_evidence *evidence, bool is_first_wait)
{
    int words = (int)strlen(evidence->words);

    if (evidence->is_wait)
        fprintf(stream, is_first_wait ? "; accesses wait %.0f %% of their time %s" : ", %.0f %% %s",
                100 * evidence->value, evidence->words);
    else if (evidence->is_ratio)
        fprintf(stream, ", %.*s%.0f %%", words - 1, evidence->words, 100 * evidence->value);
    else
        fprintf(stream, ", %.*f %s", evidence->value < 100 ? 1 : 0, evidence->value,
                evidence->words);
}

static void print_none(FILE *stream, const struct limits *limits)
{
    enum limit_name first = 0, second = 1;

    for (enum limit_name name = 1; name < LIMIT_COUNT; name++)
        if (limits->time[name] > limits->time[first]) {
            second = first;
            first = name;
        } else if (name != first &&
                   (second == first || limits->time[name] > limits->time[second])) {
            second = name;
        }
    fprintf(stream,
            "no single limit: most of wavefronts' time is %s %.0f %% and %s %.0f %%; none "
            "alone gains a tenth\n",
            limit_descriptions[first].name, 100 * limits->time[first],
            limit_descriptions[second].name, 100 * limits->time[second]);
}

void report_print_limit(FILE *stream, const struct run_report *run,
                        const struct measurement *measurement, const struct limits *limits)
{
    enum limit_name name = limits_choose(limits);
    struct limit_evidence evidence[LIMIT_EVIDENCE_MAX];
    uint32_t count;

    fprintf(stream, "%-12s ", "limit");
    if (name == LIMIT_NOTHING) {
        print_none(stream, limits);
        return;
    }
    fprintf(stream, "%s: %s, %.0f %% of wavefronts' time", limit_descriptions[name].name,
            limit_descriptions[name].what, 100 * limits->time[name]);
    count = report_limit_evidence(run, measurement, name, evidence);
    for (uint32_t i = 0; i < count; i++)
        print_evidence(stream, &evidence[i], i == 0 || !evidence[i - 1].is_wait);
    fprintf(stream, "; try %s\n", limit_descriptions[name].attempt);
}

void report_print_limits(FILE *stream, const struct limits *limits)
{
    struct columns columns;

    columns_init(&columns, 5, 2);
    columns_add_copy(&columns, "limit");
    columns_add_copy(&columns, "");
    columns_add_copy(&columns, "wavefronts' time");
    columns_add_copy(&columns, "busy");
    columns_add_copy(&columns, "gain if relieved, estimated");
    for (enum limit_name name = 0; name < LIMIT_COUNT; name++) {
        if (limits->time[name] < SHOWN_MIN && limits->busy[name] < SHOWN_MIN)
            continue;
        columns_add_copy(&columns, limit_descriptions[name].name);
        columns_add_copy(&columns, limit_descriptions[name].what);
        columns_add(&columns, write_ratio(true, limits->time[name]));
        columns_add(&columns, write_ratio(limits->busy[name] > 0, limits->busy[name]));
        columns_add(&columns, write_ratio(true, limits_gain(limits, name)));
    }
    columns_print(&columns, stream);
    columns_finish(&columns);
}
