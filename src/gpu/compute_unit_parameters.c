/* SPDX-License-Identifier: MIT */
#include "base/bits.h"
#include "gpu/compute_unit.h"

const struct parameter compute_unit_parameters[] = {
    COMPUTE_UNIT_PARAMETERS(COMPUTE_UNIT_PARAMETER_ROW)};
const uint32_t compute_unit_parameter_count = ARRAY_COUNT(compute_unit_parameters);

void compute_unit_defaults(struct compute_unit_parameters *parameters)
{
    parameters_set_initial(compute_unit_parameters, compute_unit_parameter_count, parameters);
}

bool compute_unit_parameters_check(const struct compute_unit_parameters *parameters,
                                   struct diagnosis *diagnosis)
{
    if (!is_power_of_two(parameters->fetch_bytes))
        return diagnose(diagnosis, "cu.fetch_bytes must be a power of two");
    if (parameters->simds * parameters->wavefronts_per_simd > GPU_MAX_SLOTS)
        return diagnose(diagnosis,
                        "cu.simds * cu.wavefronts_per_simd: %llu wavefronts, %u are the maximum",
                        (unsigned long long)(parameters->simds * parameters->wavefronts_per_simd),
                        GPU_MAX_SLOTS);
    if (!is_power_of_two(parameters->coalesced_lanes))
        return diagnose(diagnosis, "cu.coalesced_lanes: %llu is none of 16, 32 and 64",
                        (unsigned long long)parameters->coalesced_lanes);
    if (!is_power_of_two(parameters->simd_lanes))
        return diagnose(diagnosis, "cu.simd_lanes must be a power of two");
    if (!is_power_of_two(parameters->lds_banks))
        return diagnose(diagnosis, "cu.lds_banks must be a power of two");
    if (parameters->lds_block_bytes != 0 && !is_power_of_two(parameters->lds_block_bytes))
        return diagnose(diagnosis, "cu.lds_block_bytes must be 0 or a power of two");
    if (parameters->buffer_bytes % parameters->fetch_bytes != 0 ||
        parameters->buffer_bytes < 2 * parameters->fetch_bytes)
        return diagnose(
            diagnosis,
            "cu.buffer_bytes must be a multiple of cu.fetch_bytes, two of them at least");
    if (parameters->lds_bytes % parameters->lds_granule_bytes != 0 ||
        parameters->lds_bytes / parameters->lds_granule_bytes > 1024)
        return diagnose(diagnosis,
                        "cu.lds_bytes must be a multiple of cu.lds_granule_bytes, 1024 at most");
    return true;
}

uint32_t compute_unit_slots(const struct compute_unit_parameters *parameters)
{
    return (uint32_t)(parameters->simds * parameters->wavefronts_per_simd);
}

uint32_t compute_unit_granted_lds(const struct compute_unit_parameters *parameters, uint32_t bytes)
{
    uint64_t granule = parameters->lds_granule_bytes;

    return (uint32_t)((bytes + granule - 1) / granule * granule);
}
