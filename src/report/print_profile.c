/* SPDX-License-Identifier: MIT */
/* The profile for people: each source line with what it cost and what was waited for. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/columns.h"
#include "report/profile.h"

static const char header[] =
    "   time  mostly          instructions  lanes  lines   L1 hits  L2 hits  latency  mostly\n";
enum { BLANK = 98 }; /* the width of what stands before a source line */

/* The columns that the table shows. */
struct shown {
    uint32_t instructions, vector_instructions, vector_lanes;
    uint32_t accesses[3];
    uint32_t l1[3], l2[3]; /* hits, misses, merges */
    uint32_t latency_instructions;
    uint32_t time, times, latency, latencies; /* the first of each, and how many */
};

static uint32_t count_prefix(const struct profile_report *profile, const char *prefix,
                             uint32_t *first)
{
    uint32_t count = 0;

    for (uint32_t i = profile->column_count; i > 0; i--)
        if (strncmp(profile->columns[i - 1].name, prefix, strlen(prefix)) == 0 &&
            strcmp(profile->columns[i - 1].name, "latency_instructions") != 0) {
            *first = i - 1;
            count++;
        }
    return count;
}

static void find_columns(const struct profile_report *profile, struct shown *shown)
{
    static const char *const accesses[] = {"load_accesses", "store_accesses", "atomic_accesses"};
    static const char *const found[] = {"hits", "misses", "merges"};

    shown->instructions = profile_report_column(profile, "instructions");
    shown->vector_instructions = profile_report_column(profile, "vector_instructions");
    shown->vector_lanes = profile_report_column(profile, "vector_lanes");
    shown->latency_instructions = profile_report_column(profile, "latency_instructions");
    for (unsigned i = 0; i < 3; i++) {
        char *l1 = format_string("l1_%s", found[i]), *l2 = format_string("l2_%s", found[i]);

        shown->accesses[i] = profile_report_column(profile, accesses[i]);
        shown->l1[i] = profile_report_column(profile, l1);
        shown->l2[i] = profile_report_column(profile, l2);
        free(l1);
        free(l2);
    }
    shown->times = count_prefix(profile, "time_", &shown->time);
    shown->latencies = count_prefix(profile, "latency_", &shown->latency);
}

static uint64_t sum_range(const uint64_t *values, uint32_t first, uint32_t count)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += values[first + i];
    return sum;
}

static uint64_t sum_of(const uint64_t *values, const uint32_t columns[3])
{
    return values[columns[0]] + values[columns[1]] + values[columns[2]];
}

/* Name and share of the largest of the range: "vm 93 %". The caller frees. */
static char *largest_of(const struct profile_report *profile, const uint64_t *values,
                        uint32_t first, uint32_t count)
{
    uint64_t sum = sum_range(values, first, count);
    uint32_t largest = first;

    if (sum == 0)
        return copy_string("");
    for (uint32_t i = first; i < first + count; i++)
        if (values[i] > values[largest])
            largest = i;
    return format_string("%s %.0f %%", strchr(profile->columns[largest].name, '_') + 1,
                         100 * (double)values[largest] / (double)sum);
}

static void print_ratio(uint64_t part, uint64_t whole, double scale, const char *format, int width,
                        FILE *stream)
{
    char *text =
        whole == 0 ? copy_string("") : format_string(format, scale * (double)part / (double)whole);

    fprintf(stream, "%*s", width, text);
    free(text);
}

static void print_values(const struct profile_report *profile, const struct shown *shown,
                         const uint64_t *values, uint64_t kernel_time, FILE *stream)
{
    uint64_t time = sum_range(values, shown->time, shown->times);
    uint64_t latency = sum_range(values, shown->latency, shown->latencies);
    char *waits = largest_of(profile, values, shown->time, shown->times);
    char *parts = largest_of(profile, values, shown->latency, shown->latencies);
    char *instructions = write_count(values[shown->instructions]);

    print_ratio(time, kernel_time, 100, "%.1f %%", 7, stream);
    fprintf(stream, "  %-16s", waits);
    fprintf(stream, "%12s", instructions);
    print_ratio(values[shown->vector_lanes], values[shown->vector_instructions], 1, "%.1f", 7,
                stream);
    print_ratio(sum_of(values, shown->accesses), values[shown->latency_instructions], 1, "%.2f", 7,
                stream);
    print_ratio(values[shown->l1[0]], sum_of(values, shown->l1), 100, "%.1f %%", 10, stream);
    print_ratio(values[shown->l2[0]], sum_of(values, shown->l2), 100, "%.1f %%", 9, stream);
    print_ratio(latency, values[shown->latency_instructions], 1, "%.0f", 9, stream);
    fprintf(stream, "  %-17s", parts);
    free(waits);
    free(parts);
    free(instructions);
}

static void print_line(const struct profile_report *profile, const struct shown *shown,
                       const struct profile_report_line *line, uint64_t kernel_time, FILE *stream)
{
    if (line->values != NULL)
        print_values(profile, shown, line->values, kernel_time, stream);
    else
        fprintf(stream, "%*s", BLANK, "");
    if (line->file == NULL)
        fprintf(stream, "    (no source line)\n");
    else
        fprintf(stream, " %5u  %s\n", line->line, line->source != NULL ? line->source : "");
}

static void print_kernel(const struct profile_report *profile, const struct shown *shown,
                         const struct profile_report_kernel *kernel, FILE *stream)
{
    uint64_t time = 0, instructions = 0;
    const char *file = NULL;
    char *time_text, *instruction_text;

    for (uint32_t i = 0; i < kernel->line_count; i++)
        if (kernel->lines[i].values != NULL) {
            time += sum_range(kernel->lines[i].values, shown->time, shown->times);
            instructions += kernel->lines[i].values[shown->instructions];
        }
    time_text = write_count(time);
    instruction_text = write_count(instructions);
    fprintf(stream, "\nprofile of %s: %s wavefront instructions, %s cycles of wavefronts\n",
            kernel->name, instruction_text, time_text);
    fputs(header, stream);
    for (uint32_t i = 0; i < kernel->line_count; i++) {
        const struct profile_report_line *line = &kernel->lines[i];

        if (line->file != NULL && (file == NULL || strcmp(file, line->file) != 0))
            fprintf(stream, "%*s        %s\n", BLANK, "", line->file);
        file = line->file;
        print_line(profile, shown, line, time, stream);
    }
    free(time_text);
    free(instruction_text);
}

void profile_report_print(const struct profile_report *profile, FILE *stream)
{
    struct shown shown = {0};

    if (profile->kernel_count == 0)
        return;
    find_columns(profile, &shown);
    for (uint32_t i = 0; i < profile->kernel_count; i++)
        print_kernel(profile, &shown, &profile->kernels[i], stream);
}
