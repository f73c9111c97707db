/* SPDX-License-Identifier: MIT */
#include "report/measure.h"

void measure_kernel(struct measurement *measurement, const struct run_kernel *kernel)
{
    levels_add(measurement->levels, kernel->delta, measurement->sums);
    measurement->cycles += kernel->cycles;
    measurement->instructions += kernel->instructions;
    measurement->time_ns += kernel->end_ns - kernel->start_ns;
    measurement->groups_done += kernel->groups_done;
    measurement->groups_total += kernel->groups_total;
    measurement->launches++;
}

void measure_run(struct measurement *measurement, const struct run_report *run)
{
    for (uint32_t i = 0; i < run->kernel_count; i++)
        measure_kernel(measurement, &run->kernels[i]);
}
