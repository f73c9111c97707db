/* SPDX-License-Identifier: MIT */
#include "opencl/unmet.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "machine/selection.h"
#include "opencl/driver.h"

static uint64_t launches_of(const struct run_log *log, const char *kernel)
{
    if (kernel == NULL)
        return log->all.launches + log->untimed.launches;
    for (uint32_t i = 0; i < log->kernel_count; i++)
        if (strcmp(log->kernels[i].name, kernel) == 0)
            return log->kernels[i].all.launches + log->kernels[i].untimed.launches;
    return 0;
}

static void print_unknown(const struct run_log *log, const char *option, const char *kernel,
                          FILE *stream)
{
    const char **known = allocate(log->kernel_count, sizeof *known);
    struct diagnosis diagnosis;
    const char *nearest;

    for (uint32_t i = 0; i < log->kernel_count; i++)
        known[i] = log->kernels[i].name;
    nearest = nearest_word(kernel, known, log->kernel_count);
    diagnose(&diagnosis, "%s: no kernel '%s' was launched", option, kernel);
    diagnose_hint(&diagnosis, nearest != NULL ? "did you mean '%s'?" : "one that was is '%s'",
                  nearest != NULL ? nearest : known[0]);
    diagnosis_print(&diagnosis, stream);
    free(known);
}

static void print_choice(const struct run_log *log, const struct launch_choice *choice,
                         FILE *stream)
{
    uint64_t launches = launches_of(log, choice->kernel);
    const char *kernel = choice->kernel;

    if (launches == 0)
        print_unknown(log, "timed launches", kernel, stream);
    else if (choice->first > launches)
        fprintf(stream, "wavetank: timed launches: there is no launch %llu%s%s: there were %llu\n",
                (unsigned long long)choice->first, kernel != NULL ? " of " : "",
                kernel != NULL ? kernel : "", (unsigned long long)launches);
}

/* kernel=NAME in a list of such pairs. Traces tell by themselves what they did not meet. */
static void print_detail(const struct run_log *log, FILE *stream)
{
    const char *choice = getenv("WAVETANK_TIMELINE_DETAIL"), *word;
    char *words = copy_string(choice != NULL ? choice : ""), *rest = words;

    while ((word = strsep(&rest, ",")) != NULL)
        if (strncmp(word, "kernel=", 7) == 0 && launches_of(log, word + 7) == 0)
            print_unknown(log, "--timeline-detail", word + 7, stream);
    free(words);
}

void unmet_print(const struct run_log *log, const char *timed_launches, FILE *stream)
{
    struct launch_selection selection;

    if (log->kernel_count == 0)
        return;
    print_detail(log, stream);
    if (timed_launches == NULL || !launch_selection_parse(&selection, timed_launches, NULL))
        return;
    for (uint32_t i = 0; i < selection.count; i++)
        print_choice(log, &selection.choices[i], stream);
    launch_selection_finish(&selection);
}
