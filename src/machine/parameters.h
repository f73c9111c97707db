/* SPDX-License-Identifier: MIT */
/*
 * All parameters of a machine. They are the groups that components declare, under the paths that a
 * configuration uses, and those of the machine as a whole.
 */
#ifndef MACHINE_PARAMETERS_H
#define MACHINE_PARAMETERS_H

#include "base/diagnosis.h"
#include "gpu/compute_unit.h"
#include "gpu/dispatcher.h"
#include "gpu/functional.h"
#include "mem/address_map.h"
#include "mem/cache.h"
#include "mem/crossbar.h"
#include "mem/dram.h"
#include "mem/protocol.h"
#include "mem/protocol/list.h"
#include "sim/declare.h"
#include "tm/parameters.h"

#define GPU_PARAMETERS(X)                                                                          \
    X(NUMBER, compute_units, "units", 32, 1, 256, "compute units")                                 \
    X(NUMBER, wavefront_lanes, "lanes", 64, 32, 64, "work-items of a wavefront: 64 or 32")         \
    X(NUMBER, units_per_shared_cache, "units", 4, 1, 4,                                            \
      "compute units that share one scalar and one instruction cache")                             \
    X(NUMBER, core_khz, "kHz", 925000, 1000, 10000000,                                             \
      "clock of the compute units, caches and crossbar")                                           \
    X(NUMBER, memory_khz, "kHz", 1375000, 1000, 10000000, "command clock of the memory channels")  \
    X(NUMBER, memory_mb, "MB", 3072, 2, 65536, "device memory")                                    \
    X(NUMBER, group_lds_bytes, "bytes", 32768, 1024, 1048576,                                      \
      "local memory that one work-group may have")                                                 \
    X(NUMBER, printf_bytes, "bytes", 1048576, 1024, 1073741824,                                    \
      "memory for what one launch prints with printf")                                             \
    X(WORD, protocol, "", "si", protocol_word, 1, "coherence protocol")                            \
    X(WORD, transactional_memory, "", "none", tm_word, TM_MAX_SYSTEMS,                             \
      "transactional memory system, or one for each space: A,B")

#define HOST_PARAMETERS(X)                                                                         \
    X(NUMBER, transfer_latency_ns, "ns", 1500, 0, 1000000000,                                      \
      "from a transfer's start to its first byte")                                                 \
    X(NUMBER, pageable_mb_per_second, "MB/s", 8000, 1, 1000000,                                    \
      "bandwidth of transfers from ordinary host memory")                                          \
    X(NUMBER, pinned_mb_per_second, "MB/s", 12000, 1, 1000000,                                     \
      "bandwidth of transfers from pinned host memory (mapped buffers)")                           \
    X(NUMBER, on_device_mb_per_second, "MB/s", 100000, 1, 10000000,                                \
      "bandwidth of copies and fills within device memory")                                        \
    X(NUMBER, launch_latency_ns, "ns", 0, 0, 1000000000,                                           \
      "from a launch's start to its first work-group's dispatch")

#define SIM_PARAMETERS(X)                                                                          \
    X(NUMBER, sleep, "", 1, 0, 1,                                                                  \
      "0: every component ticks in every cycle; the results are the same")                         \
    X(NUMBER, order_seed, "", 0, 0, PARAMETER_MAX,                                                 \
      "order in which components tick (0: as built); the results are the same")                    \
    X(NUMBER, stall_cycles, "cycles", 1000000, 1000, PARAMETER_MAX,                                \
      "cycles without progress after which the run stops and says who waits for whom")             \
    X(NUMBER, watch_ms, "ms", 10000, 0, 1000000000,                                                \
      "host time without visible progress after which a line says where wavefronts stand; 0: "     \
      "none")                                                                                      \
    X(TEXT, record_transactions, "", "", 0, 0,                                                     \
      "file for what attempts on global memory read and wrote: `wavetank signatures` reads it")    \
    X(NUMBER, check_transactions, "", 0, 0, 1,                                                     \
      "1: an oracle checks what transactions read and wrote in memory "                            \
      "(--check-transactions)")                                                                    \
    X(NUMBER, generic_lanes, "", 0, 0, 1,                                                          \
      "1: plain C lane loops even where the processor has AVX; the results are the same")

struct gpu_parameters {
    GPU_PARAMETERS(PARAMETER_FIELD)
};
struct host_parameters {
    HOST_PARAMETERS(PARAMETER_FIELD)
};
struct sim_parameters {
    SIM_PARAMETERS(PARAMETER_FIELD)
};
struct debug_parameters {
    char break_[PARAMETER_TEXT_BYTES]; /* path: debug.break */
};

#define PROTOCOL_FIELD(name, help) struct name##_parameters name;

struct machine_parameters {
    struct gpu_parameters gpu;
    struct compute_unit_parameters compute_unit;
    struct dispatcher_parameters dispatcher;
    struct cache_parameters l1, scalar, instruction, l2;
    struct address_map_parameters address;
    struct crossbar_parameters crossbar;
    struct dram_parameters dram;
    PROTOCOL_PARAMETERS(PROTOCOL_FIELD)
    struct host_parameters host;
    struct functional_parameters functional;
    struct tm_parameters tm;
    struct sim_parameters sim;
    struct debug_parameters debug;
};

/* One group: the rows of a component's list, under a path, at an offset of struct
 * machine_parameters. */
struct parameter_group {
    const char *path; /* "l1" */
    const char *help; /* what the group is, in a line; "" if an earlier group of the path says it */
    const struct parameter *parameters;
    const uint32_t *count;
    uint32_t offset;
};
extern const struct parameter_group parameter_groups[];
extern const uint32_t parameter_group_count;

/* Scalar caches; there are as many instruction caches. */
uint32_t parameters_shared_caches(const struct gpu_parameters *gpu);

/* What a transactional memory is told of the machine. */
struct tm_facts parameters_tm_facts(const struct machine_parameters *parameters);

/* The protocol's own; NULL: it has none. */
const void *parameters_of_protocol(const struct machine_parameters *parameters,
                                   const struct protocol *protocol);

/* What no single parameter's range can say: combinations that the machine cannot be built with. */
bool parameters_check(const struct machine_parameters *parameters,
                      struct diagnosis *diagnosis) MUST_USE;

#endif
