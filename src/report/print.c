/* SPDX-License-Identifier: MIT */
/* The table for people. The first lines say where the time went: one a kernel; then stalls and
 * memory, all kernels together. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "report/c_locale.h"
#include "report/columns.h"
#include "report/print_limit.h"
#include "report/print_stack.h"
#include "report/print_untimed.h"
#include "report/run.h"
#include "report/run_log.h"

enum { KERNEL_LINES_MAX = 16, LONGEST_NAME = 32, BAR_CHARS = 30 };

static int longer_first(const void *a, const void *b)
{
    const struct kernel_total *left = *(const struct kernel_total *const *)a;
    const struct kernel_total *right = *(const struct kernel_total *const *)b;

    if (left->all.time_ns != right->all.time_ns)
        return left->all.time_ns < right->all.time_ns ? 1 : -1;
    return left->first < right->first ? -1 : 1;
}

/* The kernels that have timed launches in the order of their time. The caller frees. */
static const struct kernel_total **sort_kernels(const struct run_log *log, uint32_t *count)
{
    const struct kernel_total **sorted = allocate(log->kernel_count, sizeof(void *));

    *count = 0;
    for (uint32_t i = 0; i < log->kernel_count; i++)
        if (log->kernels[i].all.launches > 0)
            sorted[(*count)++] = &log->kernels[i];
    qsort(sorted, *count, sizeof(void *), longer_first);
    return sorted;
}

static void add_value(struct columns *columns, const struct measurement *measurement,
                      const char *metric, const char *unit)
{
    double value = 0;
    bool is_defined = measurement_metric(measurement, metric, &value);

    columns_add(columns, write_value(is_defined, value, unit));
}

static void add_ratio(struct columns *columns, const struct measurement *measurement,
                      const char *metric)
{
    double value = 0;
    bool is_defined = measurement_metric(measurement, metric, &value);

    columns_add(columns, write_ratio(is_defined, value));
}

/* A count and what it counts: 1,234 cycles. */
static void add_count(struct columns *columns, uint64_t count)
{
    columns_add(columns, write_count(count));
}

static void add_words(struct columns *columns, const char *const *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        columns_add_copy(columns, words[i]);
}

static void add_name(struct columns *columns, const char *name)
{
    if (strlen(name) > LONGEST_NAME)
        columns_add(columns, format_string("%.*s...", LONGEST_NAME - 3, name));
    else
        columns_add_copy(columns, name);
}

static void add_kernel_line(struct columns *columns, const char *name,
                            const struct measurement *measurement, bool is_timed)
{
    add_name(columns, name);
    add_count(columns, measurement->launches);
    add_count(columns, measurement->instructions);
    if (!is_timed)
        return;
    columns_add(columns, write_time(measurement->time_ns));
    add_count(columns, measurement->cycles);
    add_value(columns, measurement, "kernel.ipc", "");
    add_value(columns, measurement, "kernel.opc", "");
    add_ratio(columns, measurement, "l1.hit_ratio");
    add_ratio(columns, measurement, "l2.hit_ratio");
    add_value(columns, measurement, "vmem.latency_cycles", "cycles");
    add_value(columns, measurement, "dram.bandwidth", "GB/s");
}

static bool is_timed(const struct run_report *run)
{
    return strcmp(run->model, "timed") == 0;
}

static void print_kernels(FILE *stream, const struct run_report *run, const struct run_log *log)
{
    static const char *const headings[] = {"kernel",  "launches",     "instructions", "time",
                                           "cycles",  "IPC",          "OPC",          "L1 hits",
                                           "L2 hits", "load latency", "DRAM"};
    unsigned column_count = is_timed(run) ? ARRAY_COUNT(headings) : 3;
    uint32_t count;
    const struct kernel_total **sorted = sort_kernels(log, &count);
    uint32_t shown = count > KERNEL_LINES_MAX ? KERNEL_LINES_MAX - 1 : count;
    struct columns columns;

    columns_init(&columns, column_count, 1);
    add_words(&columns, headings, column_count);
    for (uint32_t i = 0; i < shown; i++)
        add_kernel_line(&columns, sorted[i]->name, &sorted[i]->all, is_timed(run));
    if (count > 1)
        add_kernel_line(&columns, "(all)", &log->all, is_timed(run));
    columns_print(&columns, stream);
    columns_finish(&columns);
    free(sorted);
    if (shown < count)
        fprintf(stream, "(%u more kernels are in the JSON file: --json FILE)\n", count - shown);
}

/* ---- Where the issue slots went ---- */

struct share {
    const struct metric *metric;
    double value;
};

static int larger_first(const void *a, const void *b)
{
    const struct share *left = a, *right = b;

    if (left->value != right->value)
        return left->value < right->value ? 1 : -1;
    return left->metric < right->metric ? -1 : 1;
}

/* The metrics issue.*_ratio that are defined, the largest first. */
static unsigned collect_shares(const struct measurement *all, struct share *shares, unsigned max)
{
    unsigned count = 0;

    for (unsigned i = 0; i < metric_count && count < max; i++) {
        const struct metric *metric = &metrics[i];

        if (strncmp(metric->name, "issue.", 6) != 0 || strcmp(metric->unit, "ratio") != 0 ||
            !metric_value(metric, all, &shares[count].value))
            continue;
        shares[count++].metric = metric;
    }
    qsort(shares, count, sizeof *shares, larger_first);
    return count;
}

static void print_shares(FILE *stream, const struct measurement *all)
{
    struct share shares[24];
    unsigned count = collect_shares(all, shares, ARRAY_COUNT(shares));
    static const char bar[] = "##############################";

    if (count == 0)
        return;
    fprintf(stream, "\nissue slots (each SIMD has one in each of its turns)\n");
    for (unsigned i = 0; i < count; i++) {
        int chars = (int)(shares[i].value * BAR_CHARS + 0.5);

        if (shares[i].value >= 0.0005)
            fprintf(stream, "  %5.1f %%  %-*.*s  %s\n", 100 * shares[i].value, BAR_CHARS, chars,
                    bar, shares[i].metric->help);
    }
}

/* ---- Memory ---- */

static uint64_t sum_of(const struct measurement *measurement, const char *name)
{
    uint64_t value = 0;

    if (!levels_value(measurement->levels, measurement->sums, name, &value))
        return 0;
    return value;
}

static uint64_t sum_in(const struct measurement *measurement, const char *level, const char *name)
{
    char *path = format_string("%s.%s", level, name);
    uint64_t value = sum_of(measurement, path);

    free(path);
    return value;
}

static void add_metric_of(struct columns *columns, const struct measurement *measurement,
                          const char *prefix, const char *name, const char *unit)
{
    char *path = format_string("%s.%s", prefix, name);

    if (strcmp(unit, "ratio") == 0)
        add_ratio(columns, measurement, path);
    else
        add_value(columns, measurement, path, unit);
    free(path);
}

static const struct {
    const char *title, *prefix, *level;
} caches[] = {{"L1", "l1", "cu.l1"},
              {"scalar", "scalar", "scalar"},
              {"instruction", "instruction", "instruction"},
              {"L2", "l2", "l2"}};

static void print_caches(FILE *stream, const struct measurement *all)
{
    static const char *const headings[] = {"cache",   "loads",        "hits",         "merged",
                                           "MPKI",    "miss latency", "MSHRs in use", "stores",
                                           "atomics", "written back"};
    struct columns columns;

    columns_init(&columns, ARRAY_COUNT(headings), 1);
    add_words(&columns, headings, ARRAY_COUNT(headings));
    for (unsigned i = 0; i < ARRAY_COUNT(caches); i++) {
        add_name(&columns, caches[i].title);
        add_count(&columns, sum_in(all, caches[i].level, "loads"));
        add_metric_of(&columns, all, caches[i].prefix, "hit_ratio", "ratio");
        add_metric_of(&columns, all, caches[i].prefix, "merge_ratio", "ratio");
        add_metric_of(&columns, all, caches[i].prefix, "mpki", "");
        add_metric_of(&columns, all, caches[i].prefix, "miss_latency_cycles", "cycles");
        add_metric_of(&columns, all, caches[i].prefix, "mshr_mean", "");
        add_count(&columns, sum_in(all, caches[i].level, "stores"));
        add_count(&columns, sum_in(all, caches[i].level, "atomics"));
        columns_add(&columns,
                    write_scaled((double)sum_in(all, caches[i].level, "write_back_bytes"), "B"));
    }
    fprintf(stream, "\n");
    columns_print(&columns, stream);
    columns_finish(&columns);
}

static void add_stalls(struct columns *columns, const struct measurement *all, const char *prefix,
                       const char *const *causes, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char *name = format_string("stall_%s_ratio", causes[i]);

        add_metric_of(columns, all, prefix, name, "ratio");
        free(name);
    }
}

/* Why requests stood still in front of the caches. */
static void print_stalls(FILE *stream, const struct measurement *all)
{
    static const char *const headings[] = {"cache", "MSHR",     "way",   "waiting slot",
                                           "turn",  "eviction", "output"};
    static const char *const causes[] = {"mshr", "set", "waiting", "order", "eviction", "output"};
    struct columns columns;

    columns_init(&columns, ARRAY_COUNT(headings), 1);
    add_words(&columns, headings, ARRAY_COUNT(headings));
    for (unsigned i = 0; i < ARRAY_COUNT(caches); i++) {
        add_name(&columns, caches[i].title);
        add_stalls(&columns, all, caches[i].prefix, causes, ARRAY_COUNT(causes));
    }
    fprintf(stream, "\nwhat requests in front of a cache waited for (of its cycles, request ports "
                    "added up)\n");
    columns_print(&columns, stream);
    columns_finish(&columns);
}

/* The same of messages in front of the crossbars' links, where there were any. */
static void print_link_stalls(FILE *stream, const struct measurement *all)
{
    static const char *const headings[] = {"crossbar", "link", "link of the input", "far end"};
    static const char *const causes[] = {"link", "input", "room"};
    static const char *const crossbars[] = {"requests", "write_backs", "responses", "probes"};
    struct columns columns;

    columns_init(&columns, ARRAY_COUNT(headings), 1);
    add_words(&columns, headings, ARRAY_COUNT(headings));
    for (unsigned i = 0; i < ARRAY_COUNT(crossbars); i++) {
        char *level = format_string("crossbar.%s", crossbars[i]);

        if (sum_in(all, level, "messages") > 0) {
            add_name(&columns, crossbars[i]);
            add_stalls(&columns, all, level, causes, ARRAY_COUNT(causes));
        }
        free(level);
    }
    fprintf(stream, "\nwhat messages in front of a crossbar's output waited for (of its cycles, "
                    "outputs added up)\n");
    columns_print(&columns, stream);
    columns_finish(&columns);
}

/* One line of "what value, value; what value". */
struct fact {
    const char *label, *metric, *unit;
};

static void print_facts(FILE *stream, const char *title, const struct fact *facts, unsigned count,
                        const struct measurement *all)
{
    bool has_any = false;

    for (unsigned i = 0; i < count; i++) {
        double value;
        char *text;

        if (!measurement_metric(all, facts[i].metric, &value))
            continue;
        text = strcmp(facts[i].unit, "ratio") == 0   ? write_ratio(true, value)
               : strcmp(facts[i].unit, "bytes") == 0 ? write_scaled(value, "B")
                                                     : write_value(true, value, facts[i].unit);
        if (has_any)
            fprintf(stream, ", ");
        else
            fprintf(stream, "%-12s ", title);
        fprintf(stream, "%s%s%s", facts[i].label, facts[i].label[0] != '\0' ? " " : "", text);
        has_any = true;
        free(text);
    }
    if (has_any)
        fprintf(stream, "\n");
}

static void print_memory(FILE *stream, const struct measurement *all)
{
    static const struct fact occupancy[] = {
        {"", "cu.occupancy", "wavefronts a compute unit"},
        {"compute units busy", "cu.busy_ratio", "ratio"},
        {"work-groups held back", "dispatcher.full_ratio", "ratio"},
        {"lanes active", "kernel.lanes", "a vector instruction"}};
    static const struct fact coalescing[] = {
        {"loads", "vmem.lanes_per_load_access", "lanes an access"},
        {"stores", "vmem.lanes_per_store_access", "lanes an access"},
        {"held up by a full L1 queue", "vmem.l1_full_ratio", "ratio"},
        {"in flight", "vmem.in_flight", "instructions a compute unit"},
        {"store latency", "vmem.store_latency_cycles", "cycles"},
        {"atomics", "vmem.atomic_latency_cycles", "cycles"}};
    static const struct fact local[] = {{"busy", "lds.busy_ratio", "ratio"},
                                        {"of it bank conflicts", "lds.conflict_ratio", "ratio"}};
    static const struct fact crossbar[] = {{"", "crossbar.bytes", "bytes"},
                                           {"", "crossbar.bandwidth", "GB/s"}};
    static const struct fact dram[] = {{"", "dram.bytes", "bytes"},
                                       {"", "dram.bandwidth", "GB/s"},
                                       {"bus busy", "dram.bus_ratio", "ratio"},
                                       {"row hits", "dram.row_hit_ratio", "ratio"},
                                       {"reads", "dram.latency_cycles", "memory cycles"}};

    fprintf(stream, "\n");
    print_facts(stream, "occupancy", occupancy, ARRAY_COUNT(occupancy), all);
    print_facts(stream, "vector mem", coalescing, ARRAY_COUNT(coalescing), all);
    print_facts(stream, "local mem", local, ARRAY_COUNT(local), all);
    print_facts(stream, "crossbar", crossbar, ARRAY_COUNT(crossbar), all);
    print_facts(stream, "DRAM", dram, ARRAY_COUNT(dram), all);
}

static void print_limit(FILE *stream, const struct run_report *run, const struct run_log *log)
{
    struct limits limits;

    report_limits(run, log, &limits);
    report_print_limit(stream, run, &log->all, &limits);
}

/* ---- The whole ---- */

static void print_heading(FILE *stream, const struct run_report *run)
{
    fprintf(stream, "\nwavetank: %s%s%s%s, %s model\n\n", run->gpu, run->title != NULL ? " (" : "",
            run->title != NULL ? run->title : "", run->title != NULL ? ")" : "", run->model);
}

static void print_warnings(FILE *stream, const struct run_report *run, const struct run_log *log)
{
    uint32_t changed = 0;

    for (uint32_t i = 0; i < run->setting_count; i++)
        changed += strcmp(run->settings[i].origin, "command line") == 0;
    if (changed > 0)
        fprintf(stream, "set by the user:");
    for (uint32_t i = 0; i < run->setting_count; i++)
        if (strcmp(run->settings[i].origin, "command line") == 0)
            fprintf(stream, " %s=%s", run->settings[i].path, run->settings[i].value);
    if (changed > 0)
        fprintf(stream, "\n");
    for (uint32_t i = 0; i < log->unfinished_count; i++) {
        const struct unfinished_launch *launch = &log->unfinished[i];

        fprintf(stream, "NOT FINISHED: launch %u, %s: %s after %llu of %llu work-groups\n",
                launch->launch + 1, launch->name, launch->outcome,
                (unsigned long long)launch->groups_done, (unsigned long long)launch->groups_total);
    }
}

static void print_speed(FILE *stream, const struct run_report *run, const struct measurement *all)
{
    const struct run_simulator *simulator = &run->simulator;
    char *instructions, *cycles, *time;

    if (simulator->kernel_seconds <= 0)
        return;
    instructions = write_scaled((double)all->instructions / simulator->kernel_seconds, "");
    cycles = write_scaled((double)all->cycles / simulator->kernel_seconds, "");
    time = write_time(run->time_ns);
    fprintf(stream,
            "\nsimulated %s in %.2f s (%.2f s of it in kernels): %s wavefront instructions/s", time,
            simulator->process_seconds, simulator->kernel_seconds, instructions);
    if (is_timed(run))
        fprintf(stream, ", %s cycles/s", cycles);
    fprintf(stream, "\n");
    free(instructions);
    free(cycles);
    free(time);
}

void report_print_table(FILE *stream, const struct run_report *run, const struct run_log *log)
{
    struct report_locale locale;

    if (log->all.launches + log->untimed.launches == 0)
        return;
    report_locale_enter(&locale);
    print_heading(stream, run);
    report_print_untimed(stream, run, log);
    if (log->all.launches > 0)
        print_kernels(stream, run, log);
    print_warnings(stream, run, log);
    if (is_timed(run) && log->all.launches > 0) {
        print_shares(stream, &log->all);
        report_print_stacks(stream, &log->all);
        print_stalls(stream, &log->all);
        print_link_stalls(stream, &log->all);
        print_caches(stream, &log->all);
        print_memory(stream, &log->all);
        print_limit(stream, run, log);
    }
    print_speed(stream, run, &log->all);
    report_locale_leave(&locale);
}
