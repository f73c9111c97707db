/* SPDX-License-Identifier: MIT */
#include "report/print_roofline.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/text.h"
#include "report/columns.h"
#include "report/settings.h"

/* Cycles between two full-rate vector operations of a SIMD: its ALU's, or its turns'. */
#define OPERATION_CYCLES                                                                           \
    "(set.cu.full_cycles * 16 / set.cu.simd_lanes * set.gpu.wavefront_lanes / 64)"
#define SIMD_CYCLES                                                                                \
    "((" OPERATION_CYCLES " + set.cu.turn_cycles + abs(" OPERATION_CYCLES                          \
    " - set.cu.turn_cycles)) / 2)"
#define CHANNELS "(set.address.slices * set.address.channels_per_slice)"
#define MEMORY_PEAK                                                                                \
    CHANNELS                                                                                       \
    " * set.dram.burst_bytes / set.dram.burst_cycles * set.gpu.memory_khz / set.gpu.core_khz"

enum { OPERATIONS, NETWORK, MEMORY, ROOFS };
static const struct roof {
    const char *title, *work, *peak;
} roofs[ROOFS] = {
    [OPERATIONS] =
        {"operations a cycle", "cu.lane_operations / kernel.cycles",
         "set.gpu.compute_units * set.cu.simds * set.gpu.wavefront_lanes / " SIMD_CYCLES},
    [NETWORK] = {"bytes a cycle, L2 to L1s", "crossbar.responses.payload_bytes / kernel.cycles",
                 CHANNELS " * set.crossbar.width_bytes"},
    [MEMORY] = {"bytes a cycle, memory", "dram.bytes / kernel.cycles", MEMORY_PEAK},
};

static void add_row(struct columns *columns, const struct roof *roof, double work, double peak)
{
    columns_add_copy(columns, roof->title);
    columns_add(columns, write_value(true, work, ""));
    columns_add(columns, write_value(true, peak, ""));
    columns_add(columns, write_ratio(true, work / peak));
}

static void print_side(FILE *stream, const double *work, const double *peak)
{
    double intensity, ridge = peak[OPERATIONS] / peak[MEMORY];
    char *bound;

    if (work[MEMORY] == 0) {
        fprintf(stream, "no bytes from or to memory: under the roof of the vector ALUs\n");
        return;
    }
    intensity = work[OPERATIONS] / work[MEMORY];
    bound = write_value(true, intensity < ridge ? intensity * peak[MEMORY] : peak[OPERATIONS], "");
    fprintf(
        stream,
        "%.2f operations a byte of memory, the roofs meet at %.2f: under the roof of %s, at most "
        "%s operations a cycle\n",
        intensity, ridge, intensity < ridge ? "memory" : "the vector ALUs", bound);
    free(bound);
}

void report_print_roofline(FILE *stream, const struct run_report *run,
                           const struct measurement *kernel)
{
    struct settings_names names = settings_names(run, kernel);
    double work[ROOFS], peak[ROOFS];
    struct columns columns;

    columns_init(&columns, 4, 1);
    columns_add_copy(&columns, "roofline");
    columns_add_copy(&columns, "kernel");
    columns_add_copy(&columns, "peak");
    columns_add_copy(&columns, "");
    for (unsigned i = 0; i < ROOFS; i++) {
        if (!formula_evaluate(roofs[i].work, &names.names, &work[i]) ||
            !formula_evaluate(roofs[i].peak, &names.names, &peak[i]))
            work[i] = peak[i] = 0;
        if (peak[i] > 0)
            add_row(&columns, &roofs[i], work[i], peak[i]);
    }
    columns_print(&columns, stream);
    columns_finish(&columns);
    if (peak[OPERATIONS] > 0 && peak[MEMORY] > 0)
        print_side(stream, work, peak);
}
