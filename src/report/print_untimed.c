/* SPDX-License-Identifier: MIT */
#include "report/print_untimed.h"

#include "base/bits.h"
#include "report/columns.h"

enum { RANGES_MAX = 8, KERNELS_MAX = 16 };

static void print_ranges(FILE *stream, const struct run_log *log)
{
    for (uint32_t i = 0; i < log->timed_count && i < RANGES_MAX; i++) {
        const struct launch_range *range = &log->timed[i];

        fprintf(stream, "%s%llu", i > 0 ? ", " : " ", (unsigned long long)range->first);
        if (range->last > range->first)
            fprintf(stream, "-%llu", (unsigned long long)range->last);
    }
    if (log->timed_count > RANGES_MAX)
        fprintf(stream, ", ...");
    if (log->timed_count == 0)
        fprintf(stream, " none");
}

static void print_kernels(FILE *stream, const struct run_log *log)
{
    static const char *const headings[] = {"kernel", "launches timed", "not timed",
                                           "instructions of these"};
    struct columns columns;

    columns_init(&columns, ARRAY_COUNT(headings), 1);
    for (unsigned i = 0; i < ARRAY_COUNT(headings); i++)
        columns_add_copy(&columns, headings[i]);
    for (uint32_t i = 0; i < log->kernel_count && i < KERNELS_MAX; i++) {
        const struct kernel_total *kernel = &log->kernels[i];

        columns_add_copy(&columns, kernel->name);
        columns_add(&columns, write_count(kernel->all.launches));
        columns_add(&columns, write_count(kernel->untimed.launches));
        columns_add(&columns, write_count(kernel->untimed.instructions));
    }
    columns_print(&columns, stream);
    columns_finish(&columns);
    if (log->kernel_count > KERNELS_MAX)
        fprintf(stream, "(%u more kernels are in the JSON file: --json FILE)\n",
                log->kernel_count - KERNELS_MAX);
}

void report_print_untimed(FILE *stream, const struct run_report *run, const struct run_log *log)
{
    if (run->timed_launches == NULL)
        return;
    fprintf(stream, "timed launches:");
    print_ranges(stream, log);
    fprintf(stream,
            " of %llu (%s); the others ran functionally, are in no figure below, and left %s\n\n",
            (unsigned long long)(log->all.launches + log->untimed.launches), run->timed_launches,
            run->warms_caches ? "in L2 the lines that they touched last" : "all caches empty");
    print_kernels(stream, log);
    fprintf(stream, "\n");
}
