/* SPDX-License-Identifier: MIT */
/* wavetank explain FILE.json: a saved run, its limit, and what says so. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/explain.h"
#include "cli/saved_run.h"
#include "report/print_limit.h"
#include "report/print_roofline.h"

static void explain_kernel(const struct saved_run *saved, const struct kernel_total *kernel)
{
    struct limits limits;

    report_kernel_limits(&saved->run, &kernel->all, &limits);
    if (saved->log.kernel_count > 1) {
        printf("\n%s: %.1f %% of the cycles\n", kernel->name,
               100 * (double)kernel->all.cycles / (double)saved->log.all.cycles);
        report_print_limit(stdout, &saved->run, &kernel->all, &limits);
    }
    printf("\n");
    report_print_limits(stdout, &limits);
    printf("\n");
    report_print_roofline(stdout, &saved->run, &kernel->all);
}

int explain_run(const char *path)
{
    struct saved_run saved;
    struct diagnosis diagnosis;

    if (!saved_run_read(&saved, path, &diagnosis))
        return mistake_print(&diagnosis);
    report_print_table(stdout, &saved.run, &saved.log);
    for (uint32_t i = 0; i < saved.log.kernel_count; i++)
        explain_kernel(&saved, &saved.log.kernels[i]);
    saved_run_finish(&saved);
    return 0;
}
