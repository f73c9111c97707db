#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each declared parameter has an experiment in which changing it moves a result in the direction that its meaning says.

    experiments.py WAVETANK PROBE [--only PART] [--verbose]
    experiments.py WAVETANK PROBE --names     runs nothing: only whether the list stands as is said below

An experiment: parameter, a low and a high value, the probe's kernel and arguments (probe.c), the result looked at, and how the result
at the high value stands to that at the low one. Results: "cycles" (all launches), "time_ns" (whole run), "status" (1: the run was
refused), a metric or a sum of the JSON by name. `with` are other parameters set in both runs.
The list must name every parameter that `wavetank list parameters` prints, except those of FREE, and no other; its two values are
different, and in the range that the parameter declares.
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

# sim.*: must not change a result (tests/determinism). debug.break: tests/litmus.
FREE = ("sim.", "debug.")

STREAM = "stream groups=256 n=16 mb=8"
CHASE = "chase n=300 mb=16"  # reads zeros: the same line, hits
MISS = "chase n=200 mb=16 chase=65536"  # 4 MB: memory
FAR = "chase n=200 mb=16 chase=1024 gap=192"  # another row each time
TRANSACTIONS = "transactions local=128 n=4"
OWN_TRANSACTIONS = "own_transactions local=32 n=8"
LOCALTM = {"gpu.transactional_memory": "localtm"}
GLOBAL_TRANSACTIONS = "global_transactions local=64 groups=8 n=3"
KILOTM = {"gpu.transactional_memory": "kilotm", "gpu.compute_units": 4, "kilotm.warps_per_core": 0}
SMALL_TABLE = dict(KILOTM, **{"kilotm.history_entries": 4})
SMALL_FILTER = dict(KILOTM, **{"kilotm.bloom_buckets": 4})
EXPERIMENTS = [
    # parameter, low, high, probe, result, relation, with
    ("gpu.compute_units", 4, 32, STREAM, "cycles", "<"),
    ("gpu.wavefront_lanes", 32, 64, "quarter groups=64 n=16", "instructions", "<"),
    ("gpu.units_per_shared_cache", 1, 4, "scalar_wide groups=64 n=64", "scalar.load_misses", "<"),
    ("gpu.core_khz", 500000, 925000, "full groups=8 n=64", "kernel_time_ns", "<"),
    ("gpu.memory_khz", 600000, 1375000, STREAM, "cycles", "<"),
    ("gpu.memory_mb", 64, 3072, "nothing mb=64", "status", "<"),
    ("gpu.group_lds_bytes", 8192, 32768, "big_local localbytes=10000 local=64", "status", "<"),
    ("gpu.printf_bytes", 4096, 1048576, "prints groups=64 n=8", "cu.l1.stores", ">"),  # what finds no room is not stored
    ("gpu.protocol", "no_such", "si", "nothing", "status", "<"),
    ("gpu.transactional_memory", "no_such", "none", "nothing", "status", "<"),

    ("cu.simds", 1, 4, "full groups=320 n=32", "cycles", "<"),
    ("cu.turn_cycles", 4, 7, "full groups=320 n=32", "cycles", ">"),
    ("cu.simd_lanes", 8, 16, "full groups=320 n=32", "cycles", "<"),
    ("cu.wavefronts_per_simd", 1, 10, "hit groups=320 n=32", "cycles", "<"),
    ("cu.vector_registers", 64, 256, "wide groups=640 n=2", "cu.occupancy", ">"),
    ("cu.scalar_registers", 64, 512, "full groups=640 n=8", "cu.occupancy", ">"),
    ("cu.lds_bytes", 32768, 65536, "big_local localbytes=10000 local=256 groups=512 n=100", "cu.occupancy", ">"),
    ("cu.lds_granule_bytes", 256, 4096, "big_local localbytes=10000 local=256 groups=512 n=100", "cu.occupancy", "<"),
    ("cu.barriers", 2, 16, "barriers local=256 groups=256 n=8", "cu.occupancy", ">"),
    ("cu.issue_order", "loose_round_robin", "round_robin", "local_reads groups=320 n=64", "cycles", ">"),
    ("cu.serial_fetch_cycles", 0, 6, "scalar_wide groups=64 n=64", "cycles", ">"),
    ("cu.issue_width", 1, 5, "local_reads groups=320 n=64", "cycles", "<"),
    ("cu.fetch_bytes", 8, 32, "full n=64 groups=320", "cycles", "<"),
    ("cu.buffer_bytes", 64, 256, "long_code n=2", "cycles", "<"),
    ("cu.vm_count_max", 2, 15, "wide n=4", "cycles", "<"),
    ("cu.exp_count_max", 1, 7, "store_wide n=16 mb=1", "cycles", "<"),
    ("cu.lgkm_count_max", 2, 15, "local_reads n=256", "cycles", "<"),
    ("cu.wait_for_all", 0, 1, "wide n=4", "cycles", ">"),
    ("cu.full_cycles", 4, 8, "full n=64", "cycles", ">"),
    ("cu.quarter_cycles", 4, 16, "quarter n=64", "cycles", ">"),
    ("cu.convert_cycles", 4, 16, "convert n=64", "cycles", ">"),
    ("cu.double_add_cycles", 4, 8, "double_add n=64", "cycles", ">"),
    ("cu.double_multiply_cycles", 4, 16, "double_multiply n=64", "cycles", ">"),
    ("cu.scalar_cycles", 4, 16, "scalar_alu n=256", "cycles", ">"),
    ("cu.scalar_long_cycles", 4, 64, "branches n=64", "cycles", ">"),
    ("cu.vector_to_scalar_cycles", 0, 100, "branches n=64", "cycles", ">"),
    ("cu.branch_cycles", 4, 100, "scalar_alu n=64", "cycles", ">"),
    ("cu.vmem_entries", 1, 32, "wide n=4", "cycles", "<"),
    ("cu.load_linear_cycles", 4, 64, "hit n=256 groups=320", "cycles", ">"),
    ("cu.load_cycles", 4, 64, "hit_random n=128 groups=320", "cycles", ">"),
    ("cu.load_x2_cycles", 4, 64, "hit_x2 n=128 groups=320", "cycles", ">"),
    ("cu.load_x4_linear_cycles", 4, 64, "hit_x4 n=128 groups=320", "cycles", ">"),
    ("cu.load_x4_cycles", 4, 100, "hit_x4_random n=128 groups=320", "cycles", ">"),
    ("cu.store_cycles", 4, 64, "store n=32 groups=32", "cycles", ">"),
    ("cu.atomic_cycles", 4, 200, "atomics n=32", "cycles", ">"),
    ("cu.compare_swap_cycles", 4, 200, "compare_swaps n=32", "cycles", ">"),
    ("cu.vmem_issue_cycles", 1, 100, CHASE, "cycles", ">"),
    ("cu.vmem_return_cycles", 1, 100, CHASE, "cycles", ">"),
    ("cu.vmem_request_cycles", 1, 100, CHASE, "cycles", ">"),
    ("cu.vmem_requests_per_cycle", 1, 4, "hit_random n=128 groups=320", "cycles", "<"),
    ("cu.coalesced_lanes", 16, 64, "hit_random n=16", "cu.load_accesses", "<"),
    ("cu.lds_entries", 1, 16, "local_reads n=64 groups=320", "cycles", "<"),
    ("cu.lds_banks", 8, 32, "local_reads n=64", "cu.lds_cycles", "<"),
    ("cu.lds_block_bytes", 64, 128, "local_reads n=64", "cu.lds_cycles", "<"),
    ("cu.lds_block_store_cycles", 1, 20, "local_writes n=64", "cu.lds_cycles", ">", {"cu.lds_block_bytes": 64}),
    ("cu.group_on_one_simd", 0, 1, "wide n=4 local=256 groups=1", "cycles", ">"),
    ("cu.lds_write_cycles", 0, 20, "local_writes n=64", "cu.lds_cycles", ">"),
    ("cu.lds_latency_cycles", 1, 200, "local_reads n=64", "cycles", ">"),
    ("cu.smem_entries", 1, 16, "scalar_wide n=64 groups=320", "cycles", "<"),
    ("cu.smem_cycles", 1, 64, "scalar_wide n=64 groups=320", "cycles", ">"),
    ("cu.smem_return_cycles", 1, 100, "scalar_chase n=300", "cycles", ">"),
    ("cu.smem_request_cycles", 1, 100, "scalar_chase n=300", "cycles", ">"),
    ("cu.fetch_request_cycles", 1, 100, "long_code n=2", "cycles", ">"),
    ("cu.completion_cycles", 1, 500, "nothing groups=4", "cycles", ">"),

    ("dispatcher.shader_engines", 1, 8, "nothing groups=2000", "cycles", "<",
     {"dispatcher.wavefront_cycles": 20}),
    ("dispatcher.wavefront_cycles", 1, 50, "nothing groups=200", "cycles", ">"),
    ("dispatcher.launch_cycles", 1, 500, "nothing", "cycles", ">"),
    ("dispatcher.placement", "round_robin", "fill", "full groups=32 n=64", "cycles", ">"),

    ("l1.size_kb", 4, 64, "chase n=2000 chase=512", "cycles", "<"),
    ("l1.ways", 4, 16, "chase n=300 chase=8 gap=64", "cycles", "<", {"l1.set_index": "modulo"}),
    ("l1.ports", 1, 4, "hit_random n=128 groups=320", "cycles", "<"),
    ("l1.mshr_entries", 4, 64, STREAM, "cycles", "<"),
    ("l1.waiting_entries", 1, 256, "hit n=4 groups=320", "cu.l1.stall_waiting_cycles", "<"),
    ("l1.reply_cycles", 1, 100, CHASE, "cycles", ">"),
    ("l1.forward_cycles", 1, 100, MISS, "cycles", ">"),
    ("l1.replacement", "lru", "random", "chase n=300 chase=8 gap=64", "cycles", "<", {"l1.set_index": "modulo"}),
    ("l1.set_index", "modulo", "xor", "chase n=300 chase=8 gap=64", "cycles", "<"),
    ("l1.admission", "misses", "accesses", "hit_random n=128 groups=320", "cycles", ">",
     {"l1.mshr_entries": 16}),
    ("l1.admission_seed", 0, 1, STREAM, "cycles", "!=",
     {"l1.admission": "drawn", "l1.mshr_entries": 8}),
    ("l1.merging", 0, 1, "hit n=4 groups=320", "cu.l1.load_merges", ">"),
    ("l1.mshr_limit", "fixed", "adaptive", STREAM, "cu.l1.mshr_limit_changes", ">",
     {"l1.mshr_window": 1000}),
    ("l1.mshr_window", 1000, 4000, STREAM, "cu.l1.mshr_limit_changes", "<",
     {"l1.mshr_limit": "adaptive"}),
    ("l1.walk_lines_per_cycle", 0, 1, "fences n=32", "cycles", ">"),

    ("scalar.size_kb", 4, 64, "scalar_chase n=2000 chase=512", "cycles", "<"),
    ("scalar.ways", 4, 16, "scalar_chase n=300 chase=8 gap=64", "cycles", "<"),
    ("scalar.ports", 1, 4, "scalar_hits n=64 groups=1280", "cycles", "<", {"cu.smem_cycles": 1}),
    ("scalar.mshr_entries", 1, 32, "scalar_wide n=64 groups=320", "cycles", "<"),
    ("scalar.waiting_entries", 1, 128, "scalar_wide n=64 groups=320",
     "scalar.stall_waiting_cycles", "<"),
    ("scalar.reply_cycles", 1, 100, "scalar_chase n=300", "cycles", ">"),
    ("scalar.forward_cycles", 1, 100, "scalar_chase n=300 chase=4096", "cycles", ">"),

    ("scalar.replacement", "lru", "random", "scalar_chase n=300 chase=8 gap=64", "cycles", "<"),

    ("scalar.admission", "misses", "accesses", "scalar_hits n=64 groups=1280", "cycles", ">",
     {"scalar.mshr_entries": 1}),
    ("scalar.admission_seed", 0, 1, "scalar_wide n=64 groups=320", "cycles", "!=",
     {"scalar.admission": "drawn", "scalar.mshr_entries": 1}),
    ("scalar.merging", 0, 1, "scalar_wide n=64 groups=320", "scalar.load_merges", ">"),

    ("instruction.size_kb", 4, 64, "long_code n=8", "cycles", "<"),
    ("instruction.ways", 1, 4, "long_code n=8", "cycles", "!=", {"instruction.size_kb": 8}),
    ("instruction.ports", 1, 4, "full n=64 groups=640", "cycles", "<", {"cu.fetch_bytes": 8}),
    ("instruction.mshr_entries", 1, 32, "long_code n=2 groups=64", "cycles", "<",
     {"cu.buffer_bytes": 512}),
    ("instruction.waiting_entries", 1, 128, "long_code n=2 groups=64",
     "instruction.stall_waiting_cycles", "<"),
    ("instruction.request_slots", 2, 64, "full n=64 groups=640", "cycles", "!=",
     {"cu.fetch_bytes": 8, "instruction.ports": 1}),
    ("instruction.reply_cycles", 1, 100, "long_code n=4", "cycles", ">"),
    ("instruction.forward_cycles", 1, 100, "long_code n=1", "cycles", ">"),

    ("instruction.replacement", "lru", "random", "long_code n=8", "cycles", "!=",
     {"instruction.size_kb": 8}),

    ("l2.size_kb", 16, 256, "chase n=8000 chase=4096", "cycles", "<"),
    ("l2.ways", 16, 64, "chase n=500 chase=64 gap=3072 mb=16", "cycles", "<",
     {"l1.set_index": "modulo"}),
    ("l2.ports", 1, 4, "gather n=32 groups=320", "cycles", "<"),
    ("l2.mshr_entries", 4, 128, STREAM, "cycles", "<"),
    ("l2.waiting_entries", 1, 512, "hit n=4 groups=128", "l2.stall_waiting_cycles", "<"),
    ("l2.request_slots", 2, 64, "gather n=32 groups=320", "cycles", "!="),
    ("l2.reply_cycles", 1, 100, MISS, "cycles", ">"),
    ("l2.forward_cycles", 1, 100, MISS, "cycles", ">"),

    ("l2.replacement", "lru", "random", "chase n=500 chase=64 gap=3072 mb=16", "cycles", "<",
     {"l1.set_index": "modulo"}),
    ("l2.eviction_entries", 1, 32, STREAM, "l2.stall_eviction_cycles", "<", {"gpu.protocol": "moesi", "l2.size_kb": 16}),
    ("l2.set_index", "modulo", "xor", "chase n=500 chase=64 gap=3072 mb=16", "cycles", "<",
     {"l1.set_index": "modulo"}),

    ("si.store_fetches", 0, 1, "store n=32 groups=32", "dram.read_bytes", ">"),
    ("moesi.owner_writes_back", 0, 1, "exchange groups=8 n=16", "l2.coherence.transfers", "<", {"gpu.protocol": "moesi"}),
    ("moesi.direct_transfers", 0, 1, "exchange groups=8 n=16", "cycles", "<", {"gpu.protocol": "moesi"}),
    ("moesi.store_order", "line", "program", "store n=32 groups=32", "cycles", ">", {"gpu.protocol": "moesi"}),
    ("nmoesi.store_order", "line", "program", "counters groups=8 n=16", "cu.l1.stall_order_cycles", ">", {"gpu.protocol": "nmoesi"}),
    ("nmoesi.direct_transfers", 0, 1, "counters groups=8 n=16", "l2.coherence.direct_transfers", ">", {"gpu.protocol": "nmoesi"}),
    ("nmoesi.owner_writes_back", 0, 1, "counters groups=8 n=16", "l2.coherence.transfers", "<", {"gpu.protocol": "nmoesi"}),
    ("nmoesi.fence_scope", "work-group", "device", "fences groups=8 n=16", "cu.l1.coherence.acquired_lines", ">", {"gpu.protocol": "nmoesi"}),

    ("scoped.l1_sfifo_entries", 1, 16, STREAM, "cu.l1.coherence.sfifo_overflows", "<", {"gpu.protocol": "qr"}),
    ("scoped.l2_sfifo_entries", 1, 32, STREAM, "l2.coherence.sfifo_overflows", "<", {"gpu.protocol": "qr"}),
    ("scoped.release_entries", 1, 16, "thieves groups=8 n=64", "cu.l1.coherence.release_overflows", "<", {"gpu.protocol": "srsp"}),
    ("scoped.promotion_entries", 1, 16, "thieves groups=8 n=64", "cu.l1.coherence.promotion_overflows", "<",
     {"gpu.protocol": "srsp"}),
    ("scoped.skips_own_release", 0, 1, "thieves groups=8 n=64", "cu.l1.coherence.remote_skips", ">", {"gpu.protocol": "srsp"}),

    ("l2.admission", "misses", "accesses", "gather n=32 groups=320", "cycles", ">",
     {"l2.mshr_entries": 16}),
    ("l2.admission_seed", 0, 1, STREAM, "cycles", "!=",
     {"l2.admission": "drawn", "l2.mshr_entries": 8}),
    ("l2.merging", 0, 1, "hit n=4 groups=128", "l2.load_merges", ">"),

    ("address.rule", "tahiti", "modulo", "strided n=16 groups=64", "cycles", "!="),
    ("address.interleave_bytes", 64, 4096, "strided n=16 groups=64", "cycles", "!=", {"address.rule": "modulo"}),
    ("address.slices", 2, 6, STREAM, "cycles", "<", {"address.rule": "modulo"}),
    ("address.channels_per_slice", 1, 2, STREAM, "cycles", "<", {"address.rule": "modulo"}),

    ("crossbar.width_bytes", 8, 64, "gather n=32 groups=320", "cycles", "<"),
    ("crossbar.latency_cycles", 1, 100, MISS, "cycles", ">"),
    ("crossbar.queue_entries", 2, 64, "strided n=16 groups=320", "cycles", "!="),
    ("crossbar.header_bytes", 0, 16, STREAM, "crossbar.requests.bytes", ">"),
    ("crossbar.nodes_per_port", 1, 8, "gather n=32 groups=320", "cycles", ">"),
    ("crossbar.down_fifos", 1, 2, "nothing", "status", "<", {"gpu.protocol": "moesi"}),  # one would be a circle of waits
    ("crossbar.up_fifos", 2, 1, "nothing", "status", "<", {"gpu.protocol": "moesi"}),  # two would lose an order

    ("dram.model", "gddr5", "fixed", STREAM, "cycles", "!="),
    ("dram.burst_bytes", 16, 64, STREAM, "cycles", "<"),
    ("dram.burst_cycles", 1, 2, MISS, "cycles", ">"),
    ("dram.banks", 2, 16, "scatter n=16 groups=64", "cycles", "<", {"dram.bank_groups": 1}),
    ("dram.bank_groups", 1, 4, STREAM, "cycles", "<", {"dram.tccdl": 8}),
    ("dram.row_bytes", 256, 2048, STREAM, "dram.row_hits", ">"),
    ("dram.read_entries", 1, 64, STREAM, "cycles", "<"),
    ("dram.write_entries", 2, 64, "copy groups=256 n=16 mb=8", "cycles", "!=",
     {"dram.drain_above": 2, "dram.drain_below": 1}),
    ("dram.drain_above", 20, 60, "copy groups=256 n=32 mb=8", "dram.turnarounds", "<"),
    ("dram.drain_below", 0, 40, "copy groups=256 n=32 mb=8", "dram.turnarounds", ">"),
    ("dram.age_cap_cycles", 1, 10000, "copy groups=256 n=32 mb=8", "dram.row_hits", "!="),
    ("dram.request_cycles", 1, 200, MISS, "cycles", ">"),
    ("dram.reply_cycles", 1, 200, MISS, "cycles", ">"),
    ("dram.fixed_cycles", 10, 400, MISS, "cycles", ">", {"dram.model": "fixed"}),
    ("dram.tcl", 5, 50, MISS, "cycles", ">"),
    ("dram.twl", 1, 40, "copy groups=256 n=16 mb=8", "cycles", ">"),
    ("dram.trcdr", 5, 100, FAR, "cycles", ">"),
    ("dram.trcdw", 5, 200, "scatter_stores groups=256 n=16", "cycles", ">"),
    ("dram.trp", 5, 100, FAR, "cycles", ">", {"dram.trc": 200}),
    ("dram.tras", 10, 400, "scatter n=16 groups=64", "cycles", ">", {"dram.trc": 400}),
    ("dram.trc", 56, 400, "scatter n=16 groups=64", "cycles", ">"),
    ("dram.trrd", 2, 60, "scatter n=16 groups=64", "cycles", ">"),
    ("dram.tfaw", 8, 200, "scatter n=16 groups=64", "cycles", ">"),
    ("dram.tccds", 2, 12, STREAM, "cycles", ">"),
    ("dram.tccdl", 3, 24, STREAM, "cycles", ">"),
    ("dram.twr", 1, 300, "scatter_stores groups=256 n=16", "cycles", ">"),
    ("dram.twtr", 1, 200, "copy groups=256 n=16 mb=8", "cycles", ">"),
    ("dram.trtp", 2, 200, "scatter n=16 groups=64", "cycles", ">"),
    ("dram.trtw", 4, 200, "copy groups=256 n=16 mb=8", "cycles", ">"),
    ("dram.trefi", 300, 10000, STREAM, "cycles", "<"),
    ("dram.trfc", 10, 800, STREAM, "cycles", ">"),

    ("ideal_global.warps_per_core", 1, 8, GLOBAL_TRANSACTIONS, "cu.ideal_global.token_waits", "<",
     {"gpu.transactional_memory": "ideal_global", "gpu.compute_units": 4}),
    ("ideal_global.stores_at", "commit", "execution", GLOBAL_TRANSACTIONS, "cu.ideal_global.stores", "<",
     {"gpu.transactional_memory": "ideal_global", "gpu.compute_units": 4}),
    ("kilotm.warps_per_core", 1, 8, GLOBAL_TRANSACTIONS, "cu.kilotm.token_waits", "<",
     {"gpu.transactional_memory": "kilotm", "gpu.compute_units": 4}),
    ("kilotm.log_rows", 8, 256, "global_transactions local=64 n=1 groups=1", "cu.kilotm.log_misses", "!=",
     dict(KILOTM, **{"kilotm.log_kb": 4})),
    ("kilotm.log_kb", 1, 48, GLOBAL_TRANSACTIONS, "cu.kilotm.log_write_backs", "<", KILOTM),
    ("kilotm.log_ways", 1, 6, GLOBAL_TRANSACTIONS, "cu.kilotm.log_write_backs", "<", dict(KILOTM, **{"kilotm.log_kb": 16})),
    ("kilotm.log_block_cycles", 1, 50, GLOBAL_TRANSACTIONS, "cycles", ">", KILOTM),
    ("kilotm.filter_cycles", 0, 1000, GLOBAL_TRANSACTIONS, "cycles", ">", KILOTM),
    ("kilotm.backoff_cycles", 0, 3000, "global_transactions local=64 groups=2 n=2", "cu.tm.lane_cycles_waiting", ">", KILOTM),
    ("kilotm.backoff_most_cycles", 0, 5000, "global_transactions local=64 groups=2 n=2", "cu.tm.lane_cycles_waiting", ">",
     dict(KILOTM, **{"kilotm.backoff_cycles": 3000})),
    ("kilotm.watchdog_cycles", 1000, 100000, GLOBAL_TRANSACTIONS, "cu.kilotm.validations", "<", KILOTM),
    ("kilotm.commit_id_cycles", 0, 2000, GLOBAL_TRANSACTIONS, "cycles", ">", KILOTM),
    ("kilotm.credits", 64, 1000, GLOBAL_TRANSACTIONS, "cu.kilotm.credit_waits", "<", KILOTM),
    ("kilotm.ring_entries", 64, 4096, GLOBAL_TRANSACTIONS, "status", "<", dict(KILOTM, **{"kilotm.credits": 64})),
    ("kilotm.unit_cycles", 1, 8, GLOBAL_TRANSACTIONS, "cycles", ">", KILOTM),
    ("kilotm.history", "lwh", "perfect", GLOBAL_TRANSACTIONS, "tm.kilotm.hazards", "<",
     dict(SMALL_TABLE, **{"kilotm.bloom_buckets": 4})),
    ("kilotm.history_entries", 4, 512, GLOBAL_TRANSACTIONS, "tm.kilotm.hazards", "<", SMALL_FILTER),
    ("kilotm.history_ways", 1, 4, GLOBAL_TRANSACTIONS, "tm.kilotm.hazards", "!=", dict(SMALL_FILTER, **{"kilotm.history_entries": 64})),
    ("kilotm.bloom_buckets", 4, 1024, GLOBAL_TRANSACTIONS, "tm.kilotm.hazards", "<", SMALL_TABLE),
    ("kilotm.lanes_per_core", 64, 256, GLOBAL_TRANSACTIONS, "cu.kilotm.token_waits", "<", KILOTM),
    ("kilotm.validation_always_hits", 0, 1, GLOBAL_TRANSACTIONS, "cycles", "<", dict(KILOTM, **{"l2.size_kb": 1, "l2.ways": 1})),
    ("kilotm.set_words", 1, 100, GLOBAL_TRANSACTIONS, "tm.kilotm.resends", "<", KILOTM),
    ("kilotm.set_buffers", 1, 10000, GLOBAL_TRANSACTIONS, "tm.kilotm.resends", "<", KILOTM),
    ("kilotm.set_scheme", "all", "needed", GLOBAL_TRANSACTIONS, "tm.kilotm.overflows", "<", dict(KILOTM, **{"kilotm.set_buffers": 16})),
    ("kilotm.signature_bits", 4, 512, GLOBAL_TRANSACTIONS, "tm.kilotm.hazards", "<", dict(KILOTM, **{"kilotm.history": "bloom_array"})),
    ("kilotm.acquire", 0, 1, GLOBAL_TRANSACTIONS, "cu.l1.lines_invalidated", ">", KILOTM),
    ("localtm.filter_bits", 4, 16, TRANSACTIONS, "cu.localtm.false_conflicts", "<", LOCALTM),
    ("localtm.bloom_index", "word", "row", TRANSACTIONS, "cu.localtm.false_conflicts", "!=", LOCALTM),
    ("localtm.tell_reads", 0, 1, TRANSACTIONS, "cu.localtm.conflicts", "<", LOCALTM),
    ("localtm.attempts", 2, 100, TRANSACTIONS, "cu.localtm.wavefront_serialised", "<", LOCALTM),
    ("localtm.attempts_before_group", 0, 1000, TRANSACTIONS, "cu.localtm.group_serialised", "<", LOCALTM),
    ("localtm.owner_valid", 0, 1, OWN_TRANSACTIONS, "cu.localtm.released", ">", LOCALTM),
    ("localtm.search", "free", "scan", OWN_TRANSACTIONS, "cycles", ">", LOCALTM),
    ("localtm.bank_cycles", 1, 10, OWN_TRANSACTIONS, "cycles", ">", LOCALTM),
    ("localtm.detect_cycles", 1, 50, OWN_TRANSACTIONS, "cycles", ">", LOCALTM),
    ("serial.handover_cycles", 1, 500, TRANSACTIONS, "cycles", ">", {"gpu.transactional_memory": "serial"}),
    ("serial_global.handover_cycles", 1, 500, TRANSACTIONS, "cycles", ">", {"gpu.transactional_memory": "serial_global"}),

    ("host.transfer_latency_ns", 0, 100000, "nothing", "time_ns", ">"),
    ("host.pageable_mb_per_second", 1000, 8000, "nothing", "time_ns", "<"),
    ("host.pinned_mb_per_second", 1000, 12000, "nothing map=1", "time_ns", "<"),
    ("host.on_device_mb_per_second", 1000, 200000, "nothing fill=1", "time_ns", "<"),
    ("host.launch_latency_ns", 0, 100000, "nothing", "time_ns", ">"),

    ("functional.groups", 2, 64, "spin groups=64", "instructions", "<", {"model": "functional"}),
    ("functional.group_quantum", 64, 4096, "spin groups=64", "instructions", ">", {"model": "functional"}),
    ("functional.quantum", 64, 4096, "spin groups=64", "instructions", ">",
     {"model": "functional", "functional.group_quantum": 64}),
]


def measure(wavetank, probe, folder, name, experiment, value):
    """Runs the probe with the parameter at a value and returns the result that the experiment looks at."""
    parameter, _, _, words, result, _ = experiment[:6]
    others = dict(experiment[6]) if len(experiment) > 6 else {}
    path = os.path.join(folder, name + ".json")
    command = [wavetank, "run", "--quiet", "--json", path, "--model", others.pop("model", "timed")]
    for other, setting in {**others, parameter: value}.items():
        command += ["-o", f"{other}={setting}"]
    run = subprocess.run([*command, "--", probe, *words.split()], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if result == "status":
        return int(run.returncode != 0)
    if run.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} -- probe {words}: exit status {run.returncode}\n{run.stdout[-2000:]}")
    with open(path, encoding="utf-8") as stream:
        data = json.load(stream)["run"]
    os.unlink(path)
    for table in (data, data["metrics"], data["sums"]):
        if result in table:
            return table[result]
    raise RuntimeError(f"{parameter}: no result named {result}")


def check(wavetank, probe, folder, number, experiment):
    """One experiment: None when it holds, else what was seen."""
    parameter, low, high, words, result, relation = experiment[:6]
    try:
        at_low = measure(wavetank, probe, folder, f"{number}.low", experiment, low)
        at_high = measure(wavetank, probe, folder, f"{number}.high", experiment, high)
    except RuntimeError as error:
        return False, str(error)
    holds = {"<": at_high < at_low, ">": at_high > at_low, "!=": at_high != at_low}[relation]
    return holds, f"{parameter} {low} -> {high}: {result} {at_low} -> {at_high} (expected {relation}; {words})"


def declared(wavetank):
    output = subprocess.run([wavetank, "list", "parameters"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [line.split()[0] for line in output.splitlines() if line.split() and "." in line.split()[0]]


def declared_range(wavetank, parameter):
    """(smallest, largest), or None for words."""
    output = subprocess.run([wavetank, "explain", parameter], stdout=subprocess.PIPE, text=True, check=True).stdout
    match = re.search(r"^  range +(\d+) to (\d+)", output, re.M)
    return match and (int(match.group(1)), int(match.group(2)))


def faults_of_the_list(wavetank):
    """What in EXPERIMENTS does not fit the declarations."""
    known = declared(wavetank)
    names = {experiment[0] for experiment in EXPERIMENTS}
    for parameter in known:
        if not parameter.startswith(FREE) and parameter not in names:
            yield f"{parameter}: declared, but no experiment names it"
    for parameter in sorted({*names, *(other for e in EXPERIMENTS for other in (e[6] if len(e) > 6 else {}))} - {"model"}):
        if parameter not in known:
            yield f"{parameter}: an experiment names it, but it is not declared"
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        ranges = dict(zip(known, pool.map(lambda name: declared_range(wavetank, name), known)))
    for parameter, low, high, *_ in EXPERIMENTS:
        allowed = ranges.get(parameter)
        if low == high or allowed and not (allowed[0] <= min(low, high) <= max(low, high) <= allowed[1]):
            yield f"{parameter}: {low} and {high} are not two values of its range, {allowed}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wavetank")
    parser.add_argument("probe")
    parser.add_argument("--only", default="", help="experiments whose parameter contains this")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--names", action="store_true")
    options = parser.parse_args()
    faults = list(faults_of_the_list(options.wavetank))
    print("".join(fault + "\n" for fault in faults), end="")
    passed, failed = 0, len(faults)
    if options.names:
        return failed != 0
    chosen = [e for e in EXPERIMENTS if options.only in e[0]]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(check, options.wavetank, options.probe, folder, number, experiment)
                for number, experiment in enumerate(chosen)]
        for job in jobs:
            holds, seen = job.result()
            passed += holds
            failed += not holds
            if options.verbose or not holds:
                print(("ok   " if holds else "FAIL ") + seen, flush=True)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
