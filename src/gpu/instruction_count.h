/* SPDX-License-Identifier: MIT */
/* Counting an executed instruction: the one place, so that the timed and the functional model
 * agree. */
#ifndef GPU_INSTRUCTION_COUNT_H
#define GPU_INSTRUCTION_COUNT_H

#include "base/bits.h"
#include "isa/isa.h"

/* `statistics` has the counters of INSTRUCTION_STATISTICS; `lanes` are those active when it was
 * executed. */
#define COUNT_INSTRUCTION(statistics, instruction, lanes)                                          \
    do {                                                                                           \
        switch ((instruction)->unit) {                                                             \
        case ISA_UNIT_VALU:                                                                        \
            (statistics)->instructions_valu++;                                                     \
            (statistics)->lane_operations += count_bits(lanes);                                    \
            break;                                                                                 \
        case ISA_UNIT_SALU:                                                                        \
            (statistics)->instructions_salu++;                                                     \
            (statistics)->lane_operations++;                                                       \
            break;                                                                                 \
        case ISA_UNIT_SMEM:                                                                        \
            (statistics)->instructions_smem++;                                                     \
            (statistics)->lane_operations++;                                                       \
            break;                                                                                 \
        case ISA_UNIT_VMEM:                                                                        \
            (statistics)->instructions_vmem++;                                                     \
            (statistics)->lane_operations += count_bits(lanes);                                    \
            break;                                                                                 \
        case ISA_UNIT_LDS:                                                                         \
            (statistics)->instructions_lds++;                                                      \
            (statistics)->lane_operations += count_bits(lanes);                                    \
            break;                                                                                 \
        case ISA_UNIT_EXPORT:                                                                      \
            (statistics)->instructions_export++;                                                   \
            (statistics)->lane_operations += count_bits(lanes);                                    \
            break;                                                                                 \
        case ISA_UNIT_BRANCH:                                                                      \
            (statistics)->instructions_branch++;                                                   \
            (statistics)->lane_operations++;                                                       \
            break;                                                                                 \
        default:                                                                                   \
            (statistics)->instructions_internal++;                                                 \
            break;                                                                                 \
        }                                                                                          \
    } while (0)

#define SUM_INSTRUCTIONS(statistics)                                                               \
    ((statistics)->instructions_valu + (statistics)->instructions_salu +                           \
     (statistics)->instructions_smem + (statistics)->instructions_vmem +                           \
     (statistics)->instructions_lds + (statistics)->instructions_export +                          \
     (statistics)->instructions_branch + (statistics)->instructions_internal)

#endif
