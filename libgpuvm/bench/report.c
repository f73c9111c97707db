/* SPDX-License-Identifier: MIT */
/* What the matrix-vector benchmark prints: tables for people, a verdict on each bound, JSON. */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_COUNT 6

/* What was asked of a pair, and what came out. Times in microseconds an iteration, or a factor
 * where the bound is one. */
struct verdict {
    const char *goal;
    double value, allowed;
    unsigned count;   /* of values that the interval comes from */
    double low, high; /* where the value is with 95 % confidence, by the spread of this run */
    double host;      /* the same difference without the kernels' own time, which is most noise */
    bool is_factor;   /* value must be at least `allowed`; else at most */
    const char *outcome; /* "met" or "missed" if the whole interval says so, else "undecided" */
};

static struct summary summary_of(const struct report *report, const struct result *result,
                                 enum side side, enum row row)
{
    return summarize(result->rows[side][row], report->rounds);
}

static double median_of(const struct report *report, const struct result *result, enum side side,
                        enum row row)
{
    return summary_of(report, result, side, row).median;
}

/* Over the rounds, of libgpuvm's and the reference's totals; less_device: without the kernels' own
 * time. */
static struct summary paired(const struct report *report, const struct result *result,
                             bool is_ratio, bool less_device)
{
    double *values = allocate_or_fail(report->rounds * sizeof(double));
    for (unsigned i = 0; i < report->rounds; i++) {
        double total[2];
        for (int side = 0; side < 2; side++) {
            total[side] = result->rows[side][ROW_TOTAL][i];
            total[side] -= less_device ? result->rows[side][ROW_DEVICE][i] : 0;
        }
        values[i] = is_ratio ? total[SIDE_GPUVM] / total[SIDE_REFERENCE]
                             : total[SIDE_GPUVM] - total[SIDE_REFERENCE];
    }
    struct summary summary = summarize(values, report->rounds);
    free(values);
    return summary;
}

/* What the whole interval says; of fewer rounds there is none at 95 %. */
static const char *decide(const struct verdict *verdict)
{
    double allowed = verdict->allowed;
    if (verdict->count < LEAST_COUNT) {
        return "undecided";
    }
    bool is_met = verdict->is_factor ? verdict->low >= allowed : verdict->high <= allowed;
    bool is_missed = verdict->is_factor ? verdict->high < allowed : verdict->low > allowed;
    return is_met ? "met" : is_missed ? "missed" : "undecided";
}

static struct verdict judge(const struct report *report, const struct result *result)
{
    double reference_us = median_of(report, result, SIDE_REFERENCE, ROW_TOTAL);
    struct summary difference_us = paired(report, result, false, false);
    struct verdict verdict = {.value = difference_us.median,
                              .count = difference_us.count,
                              .low = difference_us.low,
                              .high = difference_us.high,
                              .host = paired(report, result, false, true).median};
    switch (result->pair->bound) {
    case BOUND_NONE:
        return verdict;
    case BOUND_UNTOUCHED:
        verdict.goal = "G1";
        verdict.allowed = 0.01 * reference_us;
        break;
    case BOUND_FALSE:
        verdict.goal = "G3";
        verdict.allowed = 0.05 * reference_us;
        break;
    case BOUND_ALL:
        verdict.goal = "G2";
        verdict.allowed = 0.05 * reference_us;
        break;
    case BOUND_PARTLY:
        verdict.goal = "partly";
        verdict.is_factor = true;
        struct summary ratio = paired(report, result, true, false);
        verdict.value = 1 / ratio.median;
        verdict.low = 1 / ratio.high;
        verdict.high = 1 / ratio.low;
        verdict.allowed = 2.5;
        break;
    }
    verdict.outcome = decide(&verdict);
    return verdict;
}

/* G4: what a fault costs beyond the same page read by hand. */
static struct verdict judge_fault(const struct report *report)
{
    const struct summary *fault = &report->fault_us;
    struct verdict verdict = {.goal = "G4",
                              .value = fault->median,
                              .count = fault->count,
                              .low = fault->low,
                              .high = fault->high,
                              .host = fault->median,
                              .allowed = 10};
    verdict.outcome = decide(&verdict);
    return verdict;
}

/* The median of hand-written transfers where nothing is touched; 0: not measured. */
static double auto_sync_us(const struct report *report)
{
    for (unsigned i = 0; i < report->result_count; i++) {
        if (report->results[i].pair->reference == REFERENCE_STAY) {
            return median_of(report, &report->results[i], SIDE_REFERENCE, ROW_TOTAL);
        }
    }
    return 0;
}

static void print_arm(const struct report *report, const struct result *result, enum side side)
{
    const struct pair *pair = result->pair;
    const char *name = side == SIDE_GPUVM ? pair->name : pair->reference_name;
    printf("%s%-*s", side == SIDE_GPUVM ? "" : "  ", side == SIDE_GPUVM ? 22 : 20, name);
    for (int row = ROW_TOTAL; row <= ROW_OTHER; row++) {
        /* Where nothing measured libgpuvm's transfers and faults, these rows cannot be told apart.
         */
        if (row > ROW_DEVICE && !report->measures_times) {
            printf(" %9s", "-");
        } else {
            printf(" %9.1f", median_of(report, result, side, row));
        }
    }
    printf(" %8.2f", median_of(report, result, side, ROW_FAULTS));
    printf(" %11.1f %11.1f", median_of(report, result, side, ROW_BYTES_UP) / 1024,
           median_of(report, result, side, ROW_BYTES_DOWN) / 1024);
    printf(" %6.1f %6.1f\n", median_of(report, result, side, ROW_TRANSFERS_UP),
           median_of(report, result, side, ROW_TRANSFERS_DOWN));
}

static void print_rows(const struct report *report)
{
    printf("\nMedians over %u rounds of %u iterations; times in us an iteration; below each way of "
           "libgpuvm its hand-written counterpart.\n",
           report->rounds, report->iterations);
    printf("%-22s %9s %9s %9s %9s %9s %9s %8s %11s %11s %6s %6s\n", "", "total", "device", "copies",
           "overhead", "signals", "other", "faults", "KiB up", "KiB down", "cmd up", "down");
    for (unsigned i = 0; i < report->result_count; i++) {
        print_arm(report, &report->results[i], SIDE_GPUVM);
        print_arm(report, &report->results[i], SIDE_REFERENCE);
    }
}

static void print_pairs(const struct report *report)
{
    printf("\nlibgpuvm against its counterpart, round by round (host: without the kernels' own "
           "time)\n");
    printf("%-18s %7s %20s %7s %7s | %9s %22s %9s | %9s %9s\n", "", "ratio", "quartiles", "least",
           "mean", "differ us", "quartiles", "least", "host us", "least");
    for (unsigned i = 0; i < report->result_count; i++) {
        const struct result *result = &report->results[i];
        struct summary ratio = paired(report, result, true, false);
        struct summary differ = paired(report, result, false, false);
        struct summary host = paired(report, result, false, true);
        printf("%-18s %7.4f   %7.4f .. %7.4f %7.4f %7.4f", result->pair->name, ratio.median,
               ratio.quartile1, ratio.quartile3, ratio.minimum, ratio.mean);
        printf(" | %9.1f %9.1f .. %9.1f %9.1f | %9.1f %9.1f\n", differ.median, differ.quartile1,
               differ.quartile3, differ.minimum, host.median, host.minimum);
    }
}

static double commands_of(const struct report *report, const struct result *result, enum side side)
{
    return median_of(report, result, side, ROW_TRANSFERS_UP) +
           median_of(report, result, side, ROW_TRANSFERS_DOWN);
}

static void print_verdict(const struct report *report, const struct result *result)
{
    struct verdict verdict = judge(report, result);
    if (result->pair->use == USE_BY_HAND) {
        printf(
            "%-6s %-18s over itself: %.2f us (%.2f to %.2f; host alone %.2f): this run's noise\n",
            "-", result->pair->reference_name, verdict.value, verdict.low, verdict.high,
            verdict.host);
    }
    if (!verdict.goal) {
        return;
    }
    const char *unit = verdict.is_factor ? "times" : "us";
    printf("%-6s %-18s %s %s: %.2f %s (%.2f to %.2f", verdict.goal, result->pair->name,
           verdict.is_factor ? "faster than" : "over", result->pair->reference_name, verdict.value,
           unit, verdict.low, verdict.high);
    if (!verdict.is_factor) {
        printf("; host alone %.2f", verdict.host);
    }
    printf("), %s %.2f: %s", verdict.is_factor ? "wanted" : "allowed", verdict.allowed,
           verdict.outcome);
    printf("; %+.1f commands",
           commands_of(report, result, SIDE_GPUVM) - commands_of(report, result, SIDE_REFERENCE));
    double base_us = auto_sync_us(report);
    if (base_us > 0) {
        double total_us = median_of(report, result, SIDE_GPUVM, ROW_TOTAL);
        printf("; %+.1f %% over auto-sync", 100 * (total_us / base_us - 1));
    }
    printf("\n");
}

static void print_fault(const struct report *report)
{
    struct verdict verdict = judge_fault(report);
    printf("%-6s %-18s %s: %.2f us (%.2f to %.2f), allowed %.2f: %s\n", verdict.goal, "one fault",
           report->has_reach ? "of a page" : "over the page read by hand", verdict.value,
           verdict.low, verdict.high, verdict.allowed, verdict.outcome);
}

void report_print(const struct report *report)
{
    printf("x' = A x + b, n = %u, %s arrays, %s\n", report->device->n,
           report->is_aligned ? "gpuvm_alloc's" : "malloc'ed", report->device->name);
    printf("rung %s, %s, %s huge pages, %s\n", report->rung,
           report->has_reach ? "buffers within reach" : "device commands only",
           report->has_huge_pages ? "with" : "without",
           report->measures_times ? "times measured" : "times not measured");
    print_rows(report);
    print_pairs(report);
    printf("\nVerdict: medians of the rounds' differences (in brackets where they are with 95 %% "
           "confidence; host alone: without the kernels' own time)\n");
    printf("One command, a blocking read of 4096 bytes: %.1f us\n", report->command_us);
    bool all_right = true;
    for (unsigned i = 0; i < report->result_count; i++) {
        print_verdict(report, &report->results[i]);
        all_right = all_right && report->results[i].is_right;
    }
    print_fault(report);
    printf("results: %s\n", all_right ? "all bits agree" : "WRONG");
}

/* ---- JSON ---- */

static void write_side(const struct report *report, const struct result *result, enum side side,
                       FILE *stream)
{
    fprintf(stream, "{");
    for (int row = 0; row < ROW_COUNT; row++) {
        struct summary summary = summary_of(report, result, side, row);
        summary_write_json(stream, row_names[row], &summary);
        fprintf(stream, "%s", row + 1 < ROW_COUNT ? ",\n      " : "}");
    }
}

static void write_result(const struct report *report, const struct result *result, FILE *stream)
{
    fprintf(stream, "    {\"name\": \"%s\", \"reference\": \"%s\", \"is_right\": %s,\n",
            result->pair->name, result->pair->reference_name, result->is_right ? "true" : "false");
    fprintf(stream, "     \"gpuvm\": ");
    write_side(report, result, SIDE_GPUVM, stream);
    fprintf(stream, ",\n     \"by_hand\": ");
    write_side(report, result, SIDE_REFERENCE, stream);
    struct summary ratio = paired(report, result, true, false);
    struct summary difference = paired(report, result, false, false);
    struct summary host = paired(report, result, false, true);
    fprintf(stream, ",\n     ");
    summary_write_json(stream, "ratio", &ratio);
    fprintf(stream, ",\n     ");
    summary_write_json(stream, "difference_us", &difference);
    fprintf(stream, ",\n     ");
    summary_write_json(stream, "host_difference_us", &host);
    struct verdict verdict = judge(report, result);
    if (verdict.goal) {
        fprintf(stream,
                ",\n     \"verdict\": {\"goal\": \"%s\", \"value\": %.6g, \"low\": %.6g, "
                "\"high\": %.6g, \"host\": %.6g, \"allowed\": %.6g, \"unit\": \"%s\", "
                "\"outcome\": \"%s\"}",
                verdict.goal, verdict.value, verdict.low, verdict.high, verdict.host,
                verdict.allowed, verdict.is_factor ? "times" : "us", verdict.outcome);
    }
    fprintf(stream, "}");
}

void report_write_json(const struct report *report, FILE *stream)
{
    fprintf(stream,
            "{\"benchmark\": \"matvec\", \"device\": \"%s\", \"rung\": \"%s\", \"n\": %u,\n"
            " \"rounds\": %u, \"iterations\": %u, \"warm_up\": %u, \"is_aligned\": %s,\n"
            " \"has_huge_pages\": %s, \"measures_times\": %s, \"has_reach\": %s,\n"
            " \"command_us\": %.6g, \"auto_sync_us\": %.6g,\n ",
            report->device->name, report->rung, report->device->n, report->rounds,
            report->iterations, report->warm_up, report->is_aligned ? "true" : "false",
            report->has_huge_pages ? "true" : "false", report->measures_times ? "true" : "false",
            report->has_reach ? "true" : "false", report->command_us, auto_sync_us(report));
    summary_write_json(stream, "fault_us", &report->fault_us);
    fprintf(stream, ",\n \"fault_outcome\": \"%s\",\n \"pairs\": [\n", judge_fault(report).outcome);
    for (unsigned i = 0; i < report->result_count; i++) {
        write_result(report, &report->results[i], stream);
        fprintf(stream, "%s\n", i + 1 < report->result_count ? "," : "");
    }
    fprintf(stream, " ]}\n");
}
