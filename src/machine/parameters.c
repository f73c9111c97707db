/* SPDX-License-Identifier: MIT */
#include "machine/parameters.h"

#include <stddef.h>
#include <string.h>

#include "base/bits.h"
#include "mem/protocol.h"
#include "tm/tm.h"

#define GPU_ROW(...) PARAMETER_ROW(struct gpu_parameters, __VA_ARGS__)
static const struct parameter gpu_rows[] = {GPU_PARAMETERS(GPU_ROW)};
static const uint32_t gpu_row_count = ARRAY_COUNT(gpu_rows);
#define HOST_ROW(...) PARAMETER_ROW(struct host_parameters, __VA_ARGS__)
static const struct parameter host_rows[] = {HOST_PARAMETERS(HOST_ROW)};
static const uint32_t host_row_count = ARRAY_COUNT(host_rows);
#define SIM_ROW(...) PARAMETER_ROW(struct sim_parameters, __VA_ARGS__)
static const struct parameter sim_rows[] = {SIM_PARAMETERS(SIM_ROW)};
static const uint32_t sim_row_count = ARRAY_COUNT(sim_rows);
/* Written out, because `break` cannot be a field's name. */
static const struct parameter debug_rows[] = {
    {"break", "", "deliberate faults, by name, for tests (`wavetank list breaks`)", PARAMETER_TEXT,
     offsetof(struct debug_parameters, break_), 0, 0, 0, "", NULL},
};
static const uint32_t debug_row_count = ARRAY_COUNT(debug_rows);

#define GROUP(path, field, rows, count, help)                                                      \
    {                                                                                              \
        path, help, rows, &count, offsetof(struct machine_parameters, field)                       \
    }
#define CACHE_GROUP(path, field, help)                                                             \
    GROUP(path, field, cache_parameters, cache_parameter_count, help)
#define QUEUE_GROUP(path, field)                                                                   \
    GROUP(path, field, request_queue_parameters, request_queue_parameter_count, "")
#define SET_INDEX_GROUP(path, field)                                                               \
    GROUP(path, field, set_index_parameters, set_index_parameter_count, "")
#define ADMISSION_GROUP(path, field)                                                               \
    GROUP(path, field, admission_parameters, admission_parameter_count, "")
#define TM_GROUP(name, help) GROUP(#name, tm.name, name##_parameters, name##_parameter_count, help),
const struct parameter_group parameter_groups[] = {
    GROUP("gpu", gpu, gpu_rows, gpu_row_count,
          "the GPU as a whole: how many of what, at which clocks"),
    GROUP("cu", compute_unit, compute_unit_parameters, compute_unit_parameter_count,
          "compute unit: front end, SIMDs, scalar unit, vector memory unit, local data share"),
    GROUP("dispatcher", dispatcher, dispatcher_parameters, dispatcher_parameter_count,
          "who gives work-groups to compute units"),
    CACHE_GROUP("l1", l1, "vector data cache, one per compute unit"),
    SET_INDEX_GROUP("l1", l1),
    ADMISSION_GROUP("l1", l1),
    GROUP("l1", l1, vector_cache_parameters, vector_cache_parameter_count, ""),
    CACHE_GROUP("scalar", scalar, "scalar (constant) cache, shared by compute units"),
    ADMISSION_GROUP("scalar", scalar),
    CACHE_GROUP("instruction", instruction, "instruction cache, shared by compute units"),
    QUEUE_GROUP("instruction", instruction),
    CACHE_GROUP("l2", l2, "L2 cache: each slice"),
    QUEUE_GROUP("l2", l2),
    SET_INDEX_GROUP("l2", l2),
    GROUP("l2", l2, eviction_parameters, eviction_parameter_count, ""),
    ADMISSION_GROUP("l2", l2),
    GROUP("address", address, address_map_parameters, address_map_parameter_count,
          "which L2 slice and memory channel an address belongs to"),
    GROUP("crossbar", crossbar, crossbar_parameters, crossbar_parameter_count,
          "network between the caches above and the L2 slices"),
    GROUP("dram", dram, dram_parameters, dram_parameter_count, "memory channels"),
#define PROTOCOL_GROUP(name, help)                                                                 \
    GROUP(#name, name, name##_parameters, name##_parameter_count, help),
    PROTOCOL_PARAMETERS(PROTOCOL_GROUP) GROUP("host", host, host_rows, host_row_count,
                                              "transfers and launches as the host sees them"),
    GROUP("functional", functional, functional_parameters, functional_parameter_count,
          "the functional model (--model functional)"),
    TM_PARAMETER_GROUPS(TM_GROUP) GROUP("sim", sim, sim_rows, sim_row_count,
                                        "the simulator itself: nothing here may change a result"),
    GROUP("debug", debug, debug_rows, debug_row_count, "deliberate faults"),
};
const uint32_t parameter_group_count = ARRAY_COUNT(parameter_groups);

const void *parameters_of_protocol(const struct machine_parameters *parameters,
                                   const struct protocol *protocol)
{
    const char *group =
        protocol->parameter_group != NULL ? protocol->parameter_group : protocol->name;

#define PROTOCOL_CHOICE(word, help)                                                                \
    if (strcmp(group, #word) == 0)                                                                 \
        return &parameters->word;
    PROTOCOL_PARAMETERS(PROTOCOL_CHOICE)
    return NULL;
}

uint32_t parameters_shared_caches(const struct gpu_parameters *gpu)
{
    return (uint32_t)((gpu->compute_units - 1) / gpu->units_per_shared_cache + 1);
}

/* A directory's set of sharers has a bit for each cache above L2. */
static bool nodes_check(const struct gpu_parameters *gpu, struct diagnosis *diagnosis)
{
    uint64_t nodes = gpu->compute_units + 2 * (uint64_t)parameters_shared_caches(gpu);

    if (nodes <= NODE_SET_NODES)
        return true;
    diagnose(diagnosis,
             "gpu.compute_units: %llu units have %llu caches above L2 (L1, scalar, instruction), "
             "but a directory tells %d apart",
             (unsigned long long)gpu->compute_units, (unsigned long long)nodes, NODE_SET_NODES);
    return diagnose_hint(diagnosis,
                         "build fewer units, or enlarge gpu.units_per_shared_cache (now %llu)",
                         (unsigned long long)gpu->units_per_shared_cache);
}

struct tm_facts parameters_tm_facts(const struct machine_parameters *parameters)
{
    return (struct tm_facts){
        .units = (uint32_t)parameters->gpu.compute_units,
        .banks = (uint32_t)parameters->compute_unit.lds_banks,
        .lds_bytes = (uint32_t)parameters->compute_unit.lds_bytes,
        .group_lds_bytes = (uint32_t)parameters->gpu.group_lds_bytes,
        .lds_granule_bytes = (uint32_t)parameters->compute_unit.lds_granule_bytes,
        .scalar_cycles = (uint32_t)parameters->compute_unit.scalar_cycles,
        .protocol = parameters->gpu.protocol,
        .wave_lanes = (uint32_t)parameters->gpu.wavefront_lanes,
        .wavefronts = compute_unit_slots(&parameters->compute_unit),
        .channels =
            (uint32_t)(parameters->address.slices * parameters->address.channels_per_slice)};
}

static bool transactional_memory_check(const struct machine_parameters *parameters,
                                       struct diagnosis *diagnosis)
{
    struct tm_facts facts = parameters_tm_facts(parameters);
    struct tm_set set;

    return tm_parse(parameters->gpu.transactional_memory, &set, diagnosis) &&
           tm_check(&set, &parameters->tm, &facts, diagnosis);
}

/* The engine counts time in parts of both clocks' cycles (sim/engine.h), in 64 bits. */
static bool clocks_check(const struct gpu_parameters *gpu, struct diagnosis *diagnosis)
{
    const uint64_t khz_max = UINT64_C(10000000000000); /* half an hour in 64 bits */
    uint64_t a = gpu->core_khz, b = gpu->memory_khz;

    while (b != 0) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    if (gpu->core_khz / a * gpu->memory_khz <= khz_max)
        return true;
    diagnose(diagnosis, "gpu.core_khz and gpu.memory_khz: %llu and %llu have no common period",
             (unsigned long long)gpu->core_khz, (unsigned long long)gpu->memory_khz);
    return diagnose_hint(diagnosis, "choose clocks that are multiples of 10 kHz");
}

static bool wavefront_check(const struct gpu_parameters *gpu, struct diagnosis *diagnosis)
{
    if (gpu->wavefront_lanes == 64 || gpu->wavefront_lanes == 32)
        return true;
    return diagnose(diagnosis, "gpu.wavefront_lanes: wavefronts have 64 or 32 lanes, not %llu",
                    (unsigned long long)gpu->wavefront_lanes);
}

static bool device_memory_check(const struct gpu_parameters *gpu, struct diagnosis *diagnosis)
{
    if (gpu->memory_mb % 2 == 0)
        return true;
    return diagnose(diagnosis, "gpu.memory_mb: %llu is odd, but memory comes in pieces of 2 MB",
                    (unsigned long long)gpu->memory_mb);
}

static bool local_memory_check(const struct machine_parameters *parameters,
                               struct diagnosis *diagnosis)
{
    if (parameters->gpu.group_lds_bytes <= parameters->compute_unit.lds_bytes)
        return true;
    return diagnose(diagnosis,
                    "gpu.group_lds_bytes: a work-group may have %llu bytes of local memory, but a "
                    "compute unit has %llu (cu.lds_bytes)",
                    (unsigned long long)parameters->gpu.group_lds_bytes,
                    (unsigned long long)parameters->compute_unit.lds_bytes);
}

static bool cache_check(const char *path, const struct cache_parameters *parameters,
                        uint64_t channels, struct diagnosis *diagnosis)
{
    if (cache_parameters_check(path, parameters, channels, diagnosis))
        return true;
    return diagnose_hint(diagnosis, "change %s.size_kb or %s.ways%s", path, path,
                         channels > 1 ? ", or address.channels_per_slice" : "");
}

static bool dram_check(const struct dram_parameters *parameters, struct diagnosis *diagnosis)
{
    if (dram_parameters_check("dram", parameters, diagnosis))
        return true;
    return diagnosis != NULL && diagnosis->hint[0] != '\0'
               ? false
               : diagnose_hint(diagnosis, "all of these are dram.NAME, such as dram.banks");
}

static bool memory_check(const struct machine_parameters *parameters, struct diagnosis *diagnosis)
{
    struct address_map map;

    return address_map_init(&map, &parameters->address, diagnosis) &&
           cache_check("l1", &parameters->l1, 1, diagnosis) &&
           cache_check("scalar", &parameters->scalar, 1, diagnosis) &&
           cache_check("instruction", &parameters->instruction, 1, diagnosis) &&
           cache_check("l2", &parameters->l2, map.ports, diagnosis) &&
           dram_check(&parameters->dram, diagnosis);
}

/* Other protocols know of no line that is valid in part from its fill on. */
static bool breaks_check(const struct machine_parameters *parameters, struct diagnosis *diagnosis)
{
    uint64_t breaks;

    if (!debug_parse(parameters->debug.break_, &breaks, diagnosis))
        return false;
    if (!debug_breaks(breaks, PARTIAL_FILL) || strcmp(parameters->gpu.protocol, "si") == 0)
        return true;
    diagnose(diagnosis, "debug.break=partial_fill is a fault of si, and gpu.protocol is %s",
             parameters->gpu.protocol);
    return diagnose_hint(diagnosis, "say -o gpu.protocol=si too, or leave it out");
}

bool parameters_check(const struct machine_parameters *parameters, struct diagnosis *diagnosis)
{
    return breaks_check(parameters, diagnosis) &&
           compute_unit_parameters_check(&parameters->compute_unit, diagnosis) &&
           clocks_check(&parameters->gpu, diagnosis) && nodes_check(&parameters->gpu, diagnosis) &&
           device_memory_check(&parameters->gpu, diagnosis) &&
           wavefront_check(&parameters->gpu, diagnosis) &&
           transactional_memory_check(parameters, diagnosis) &&
           local_memory_check(parameters, diagnosis) && memory_check(parameters, diagnosis);
}
