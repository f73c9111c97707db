#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Odd machines run real programs: right results, the functional model's instructions, and books that balance.

Each machine is HD 7970 with some parameters at an extreme, or with several drawn at random (`--seed N`, printed): `random`
ones from values that go together, `wild` ones from the whole ranges of all parameters. One that cannot be built, or cannot
run a program, is refused with the names of parameters. WAVETANK and WAVETANK_BUILD as in ../programs/wavetank_tests.py.

    odd_machines.py [--seed N] [--random COUNT] [--wild COUNT] [--all] [--machine NAME] [--cores N]

A longer run by hand: odd_machines.py --seed 1000 --random 100 --wild 2000

Without `--all` each machine runs some of the programs, chosen by turns.
"""
import argparse
import concurrent.futures
import math
import os
import random
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "programs"), os.path.join(HERE, "..", "cli")]
from test_accounts import Accounts  # noqa: E402
from wavetank_tests import MODELS, WAVETANK, execute, on_wavetank, program_path  # noqa: E402

# Programs and whether the instructions of a launch are the same in any order of the work-items.
PROGRAMS = [
    ("workloads/vector_add --size 1000", True),
    ("tests/programs/features atomics", False),
    ("workloads/reduction --size 5000", True),
    ("tests/programs/features integers", True),
    ("workloads/matrix_transpose --size 50 --columns 77 --padding 0", True),
    ("tests/programs/features floats", True),
    ("workloads/matrix_multiplication --size 37", True),
    ("tests/programs/features control", True),
    ("workloads/black_scholes --size 1003", True),
    ("tests/programs/features doubles", True),
]
# These look for caches that keep lines, so they run where the L1 is large enough to keep some.
LITMUS = [("tests/litmus/litmus --size 2", False)]

# Programs that are quick on any machine: each machine runs one kind of each.
MACHINES = {
    "tiny_l1": "l1.size_kb=1 l1.ways=1",
    "one_set_l1": "l1.size_kb=1 l1.ways=16",
    "l1_one_miss": "l1.mshr_entries=1 l1.waiting_entries=1",
    "l1_one_waits": "l1.waiting_entries=1",
    "l1_slow_walk": "l1.walk_lines_per_cycle=1 l1.mshr_entries=2",
    "tiny_l2": "l2.size_kb=1 l2.ways=1 l2.request_slots=2",
    "one_set_l2": "l2.size_kb=2 l2.ways=16 l2.mshr_entries=2",
    "l2_one_miss": "l2.mshr_entries=1 l2.waiting_entries=1",
    "tiny_l2_one_miss": "l2.size_kb=1 l2.ways=1 l2.mshr_entries=1 l2.waiting_entries=1 l2.ports=1",
    "tiny_scalar": "scalar.size_kb=1 scalar.ways=1 scalar.mshr_entries=1 scalar.waiting_entries=1",
    "tiny_instruction": "instruction.size_kb=1 instruction.ways=1 instruction.mshr_entries=1 "
                        "instruction.waiting_entries=1 instruction.request_slots=2 instruction.ports=1",
    "narrow_crossbar": "crossbar.width_bytes=1 crossbar.queue_entries=2",
    "shared_ports": "crossbar.nodes_per_port=5 crossbar.queue_entries=2",
    "quick_crossbar": "crossbar.width_bytes=1024 crossbar.latency_cycles=1 crossbar.queue_entries=2 "
                      "crossbar.header_bytes=0",
    "twelve_sets": "l1.size_kb=3 l2.size_kb=5 l2.ways=4 scalar.size_kb=7 instruction.size_kb=3",
    "quick_caches": "l1.reply_cycles=1 l1.forward_cycles=1 l2.reply_cycles=1 l2.forward_cycles=1 "
                    "scalar.reply_cycles=1 scalar.forward_cycles=1 instruction.reply_cycles=1 "
                    "instruction.forward_cycles=1 dram.request_cycles=1 dram.reply_cycles=1",
    "short_dram_queues": "dram.read_entries=1 dram.write_entries=1 dram.drain_above=1 dram.drain_below=0",
    "one_bank": "dram.banks=1 dram.bank_groups=1 dram.row_bytes=256 dram.age_cap_cycles=1",
    "fixed_dram": "dram.model=fixed dram.fixed_cycles=1 dram.read_entries=1 dram.write_entries=1 "
                  "dram.drain_above=1 dram.drain_below=0",
    "one_memory_instruction": "cu.vmem_entries=1 cu.lds_entries=1 cu.smem_entries=1",
    "one_simd": "cu.simds=1 cu.wavefronts_per_simd=32 cu.turn_cycles=1 cu.simd_lanes=8",
    "sixteen_simds": "cu.simds=16 cu.turn_cycles=19 cu.wavefronts_per_simd=4 cu.simd_lanes=64",
    "shared_turns": "cu.simds=5 cu.turn_cycles=2 cu.wavefronts_per_simd=4 cu.simd_lanes=32",
    "loose_round_robin": "cu.issue_order=loose_round_robin",
    "round_robin": "cu.issue_order=round_robin",
    "narrow_front_end": "cu.issue_width=1 cu.fetch_bytes=8 cu.buffer_bytes=16",
    "small_counters": "cu.vm_count_max=1 cu.exp_count_max=1 cu.lgkm_count_max=2",
    "one_request": "cu.vmem_requests_per_cycle=1 l1.ports=1",
    "sixteen_requests": "cu.vmem_requests_per_cycle=16 l1.ports=16",
    "whole_wavefronts": "cu.coalesced_lanes=64 cu.vmem_requests_per_cycle=64 l1.ports=16",
    "one_lds_bank": "cu.lds_banks=1 cu.barriers=1 cu.lds_granule_bytes=4096",
    "lds_in_blocks": "cu.lds_block_bytes=64 cu.serial_fetch_cycles=6 cu.group_on_one_simd=1 cu.wavefronts_per_simd=4",
    "few_wavefronts": "cu.wavefronts_per_simd=4 cu.barriers=1 cu.lds_bytes=32768",
    "one_unit": "gpu.compute_units=1 dispatcher.shader_engines=1",
    "most_units": "gpu.compute_units=256 gpu.units_per_shared_cache=1",
    "most_of_all": "gpu.compute_units=256 gpu.units_per_shared_cache=1 dispatcher.shader_engines=64 address.rule=modulo "
                   "address.slices=64 address.channels_per_slice=8",
    "most_units_share": "gpu.compute_units=255 gpu.units_per_shared_cache=4 dispatcher.shader_engines=7",
    "units_alone": "gpu.units_per_shared_cache=1",
    "units_together": "gpu.compute_units=5 gpu.units_per_shared_cache=4",
    "slow_memory": "gpu.core_khz=1000000 gpu.memory_khz=333000",
    "quick_memory": "gpu.core_khz=333333 gpu.memory_khz=3000001",
    "one_channel": "address.rule=modulo address.slices=1 address.channels_per_slice=1",
    "eight_by_eight": "address.rule=modulo address.slices=8 address.channels_per_slice=8",
    "uneven_channels": "address.rule=modulo address.slices=5 address.channels_per_slice=1",
    "fill_first": "dispatcher.placement=fill dispatcher.wavefront_cycles=100 dispatcher.launch_cycles=1",
    "everything_tiny": "l1.size_kb=1 l1.ways=1 l1.mshr_entries=1 l1.waiting_entries=1 l1.ports=1 l2.size_kb=1 "
                       "l2.ways=1 l2.ports=1 l2.mshr_entries=1 l2.waiting_entries=1 l2.request_slots=2 "
                       "scalar.size_kb=1 scalar.ways=1 scalar.mshr_entries=1 scalar.waiting_entries=1 "
                       "instruction.size_kb=1 instruction.ways=1 instruction.mshr_entries=1 "
                       "instruction.waiting_entries=1 instruction.request_slots=2 instruction.ports=1 "
                       "crossbar.queue_entries=2 dram.read_entries=1 dram.write_entries=1 dram.drain_above=1 "
                       "dram.drain_below=0 cu.vmem_entries=1 cu.lds_entries=1 cu.smem_entries=1",
}

# What a machine may be drawn from.
RANDOM = {
    "gpu.compute_units": (1, 2, 3, 7, 32, 64, 100, 256), "gpu.units_per_shared_cache": (1, 2, 3, 4),
    "gpu.core_khz": (925000, 300000, 1111111), "gpu.memory_khz": (1375000, 200001, 2000000),
    "l1.size_kb": (1, 2, 16, 64), "l1.ways": (1, 2, 4, 16), "l1.ports": (1, 2, 16), "l1.mshr_entries": (1, 2, 5, 64),
    "l1.waiting_entries": (1, 2, 7, 256), "l1.walk_lines_per_cycle": (0, 1, 3), "l1.reply_cycles": (1, 20, 100),
    "l1.forward_cycles": (1, 8, 90),
    "l2.size_kb": (2, 4, 128), "l2.ways": (1, 2, 16), "l2.ports": (1, 2, 16), "l2.mshr_entries": (1, 2, 3, 128),
    "l2.waiting_entries": (1, 2, 5, 512), "l2.request_slots": (2, 3, 8), "l2.reply_cycles": (1, 44),
    "l2.forward_cycles": (1, 20),
    "scalar.size_kb": (1, 16), "scalar.ways": (1, 4), "scalar.mshr_entries": (1, 2, 32),
    "scalar.waiting_entries": (1, 3, 128), "instruction.size_kb": (1, 32), "instruction.ways": (1, 4),
    "instruction.mshr_entries": (1, 2, 32), "instruction.waiting_entries": (1, 3, 128),
    "instruction.request_slots": (2, 8), "instruction.ports": (1, 4),
    "crossbar.width_bytes": (1, 7, 64, 1024), "crossbar.queue_entries": (2, 3, 32), "crossbar.header_bytes": (0, 8, 64),
    "crossbar.latency_cycles": (1, 16, 60), "crossbar.nodes_per_port": (1, 3, 64), "crossbar.down_fifos": (0, 2),
    "dram.model": ("gddr5", "fixed"), "dram.banks": (4, 8, 32), "dram.bank_groups": (1, 2, 4), "dram.row_bytes": (256, 2048),
    "dram.read_entries": (1, 2, 64), "dram.write_entries": (49, 64), "dram.request_cycles": (1, 90),
    "dram.reply_cycles": (1, 95), "dram.age_cap_cycles": (1, 1000),
    "cu.issue_width": (1, 2, 6), "cu.fetch_bytes": (8, 16, 32), "cu.vm_count_max": (1, 2, 15),
    "cu.lgkm_count_max": (2, 3, 15), "cu.exp_count_max": (1, 2, 7), "cu.vmem_entries": (1, 2, 32),
    "cu.lds_entries": (1, 2, 16), "cu.smem_entries": (1, 2, 16), "cu.vmem_issue_cycles": (1, 50),
    "cu.vmem_return_cycles": (1, 45), "cu.vmem_requests_per_cycle": (1, 2, 16), "cu.barriers": (1, 16),
    "cu.coalesced_lanes": (16, 32, 64),
    "cu.lds_banks": (1, 8, 64), "cu.lds_block_bytes": (0, 4, 64), "cu.group_on_one_simd": (0, 1), "cu.wavefronts_per_simd": (4, 10, 16), "cu.branch_cycles": (1, 16),
    "dispatcher.placement": ("round_robin", "fill"), "dispatcher.launch_cycles": (1, 50),
}
CHANNELS = ("address.rule=tahiti", "address.rule=modulo address.slices=1 address.channels_per_slice=1",
            "address.rule=modulo address.slices=3 address.channels_per_slice=2",
            "address.rule=modulo address.slices=16 address.channels_per_slice=1")

# Machines that cannot be built, and a word of the message.
REFUSED = {
    "cu.coalesced_lanes=48": "none of 16, 32 and 64",
    "address.slices=5": "tahiti",
    "address.rule=modulo address.channels_per_slice=3": "l2",
    "address.rule=other": "address.rule: there is no",
    "l1.ways=64 l1.size_kb=1": "l1",
    "l2.ways=3": "l2",
    "l2.size_kb=1 l2.ways=16": "l2",
    "l2.size_kb=65536 l2.ways=1": "l2",
    "scalar.size_kb=65536": "scalar",
    "instruction.ways=5": "instruction",
    "dram.model=ddr5": "dram",
    "dram.banks=3 dram.bank_groups=2": "dram",
    "dram.drain_above=1": "dram",
    "dram.write_entries=4": "dram",
    "dram.row_bytes=300": "dram",
    "cu.fetch_bytes=24": "cu.fetch_bytes",
    "cu.lds_banks=3": "cu.lds_banks",
    "cu.lds_block_bytes=3": "cu.lds_block_bytes",
    "cu.issue_order=youngest": "cu.issue_order",
    "cu.simds=8": "cu.wavefronts_per_simd",
    "cu.simds=16 cu.turn_cycles=16": "cu.wavefronts_per_simd",
    "cu.simd_lanes=12": "cu.simd_lanes",
    "gpu.protocol=mesi": "gpu.protocol",
    "gpu.units_per_shared_cache=5": "gpu.units_per_shared_cache",
    "gpu.wavefront_lanes=16": "gpu.wavefront_lanes",
    "dispatcher.placement=anywhere": "dispatcher.placement",
    "gpu.memory_mb=1345": "gpu.memory_mb",
    "gpu.compute_units=257": "gpu.compute_units",
    "cu.lds_bytes=16384": "gpu.group_lds_bytes",
    "gpu.core_khz=9999999 gpu.memory_khz=9999998": "gpu.core_khz and gpu.memory_khz",
}


def draw(number):
    """A random machine, the same for a number on every day."""
    source = random.Random(number)
    chosen = source.sample(sorted(RANDOM), source.randint(4, 30))
    return " ".join([source.choice(CHANNELS)] + ["%s=%s" % (path, source.choice(RANDOM[path])) for path in chosen])


def ranges():
    """Parameter -> (least, most, default), of those that are numbers."""
    found = {}
    for line in execute([WAVETANK, "list", "parameters"]).output.splitlines():
        path = line.split()[0]
        text = execute([WAVETANK, "explain", path]).output
        limits = re.search(r"^  range +(\d+) to (\d+)$", text, re.M)
        if limits:
            default = re.search(r"^  default +(\d+)", text, re.M)
            found[path] = (int(limits[1]), int(limits[2]), int(default[1]))
    assert len(found) > 100, "`wavetank explain` says no ranges"
    return found


# Not drawn: results do not depend on them, and sim.sleep=0 makes slow machines hopeless.
TAME = ("sim.sleep", "sim.stall_cycles")
# Raised where they would only say that a program does not fit.
ENOUGH = {"gpu.memory_mb": 64, "cu.lds_bytes": 32768, "cu.vector_registers": 128, "cu.scalar_registers": 128}


def draw_value(source, path, least, most, default):
    """An end of the range, a neighbour of it, a power of two, or anything, small ones as likely as large ones."""
    kind = source.randrange(6)
    if kind == 0:
        return source.choice((least, most))
    if kind == 1:
        return min(most, max(least, source.choice((least + 1, most - 1, default - 1, default + 1, default * 2))))
    value = int(math.exp(source.uniform(math.log(least + 1), math.log(most + 1)))) - 1
    if kind < 4:
        value = 1 << value.bit_length() - 1 if value > 0 else 0
    return min(most, max(least, value))


def draw_wild(number, limits):
    """A machine from the whole ranges, the same for a number as long as the parameters are."""
    source = random.Random("wild %d" % number)
    names = [path for path in sorted(limits) if path not in TAME]
    chosen = source.sample(names, source.choice((1, 2, 3, 5, 8, 13, 30)))
    values = {path: draw_value(source, path, *limits[path]) for path in chosen}
    for path in chosen:
        if path in ENOUGH and source.random() < 0.9:
            values[path] = max(values[path], ENOUGH[path])
    words = ["%s=%d" % pair for pair in values.items()]
    if source.random() < 0.5 or "address.slices" in values or "address.channels_per_slice" in values:
        words.append("address.rule=modulo")
    for path, words_of in (("dram.model", ("gddr5", "fixed")), ("dispatcher.placement", ("round_robin", "fill"))):
        if source.random() < 0.3:
            words.append("%s=%s" % (path, source.choice(words_of)))
    return " ".join(words)


def settings_of(machine):
    return machine.split() + ["sim.stall_cycles=50000"]


def compare_kernels(timed, functional):
    """A complaint where the launches differ in instructions."""
    if timed.kernels() == functional.kernels():
        return []
    return ["instructions %s, functional model %s" % pair
            for pair in zip(timed.kernels(), functional.kernels()) if pair[0] != pair[1]] or ["other launches"]


def balance(machine, statistics):
    books = Accounts()
    simds, turn_cycles = (int((re.findall(r"\bcu\.%s=(\d+)" % name, machine) or [4])[-1]) for name in ("simds", "turn_cycles"))
    complaints = []
    for part in [statistics["run"], *statistics["kernels"]]:
        if "dram.model=fixed" in machine:  # it has no rows
            part["sums"]["dram.row_hits"] += part["sums"]["dram.reads"] + part["sums"]["dram.writes"]
        if "si.store_fetches=1" in machine:  # a store that misses reads its line, as an atomic does
            part["sums"]["l2.atomic_misses"] += part["sums"]["l2.stores"] - part["sums"]["l2.store_hits"]
        try:
            books.check(part["sums"], part["metrics"], part["cycles"], part["instructions"], simds, turn_cycles,
                        len(statistics["kernels"]))
        except AssertionError as error:
            complaints.append("books of %s: %s" % (part.get("name", "the run"), str(error).splitlines()[0]))
    return complaints


def run_one(job):
    name, machine, program, is_ordered, functional = job
    words = program.split()
    command = [program_path(words[0]), *words[1:]]
    try:
        timed = on_wavetank(command, settings=settings_of(machine), timeout=100)
    except subprocess.TimeoutExpired:
        return job, ["does not end"]
    if timed.status != 0:
        return job, [timed.report()]
    complaints = balance(machine, timed.statistics)
    if is_ordered:
        complaints += compare_kernels(timed, functional)
    return job, complaints


WILD_CYCLES = 200000000  # a machine that needs more is only slow


def is_refusal(result, limits):
    """Whether the run ended with a message that names a parameter, and not in a check or a signal."""
    text = result.output + result.errors
    return result.status == 2 and "check failed" not in text and any(path in text for path in limits)


def run_wild(job):
    """(name, what became of it: "ran", "refused" or "slow", complaints)."""
    name, machine, program, is_ordered, limits = job
    words = program.split()
    results = {}
    for model in MODELS:
        try:
            results[model] = result = on_wavetank(
                [program_path(words[0]), *words[1:]], model, machine.split() + ["sim.stall_cycles=%d" % 10**12],
                ["--max-cycles", str(WILD_CYCLES)], 100)
        except subprocess.TimeoutExpired:
            return job, "slow", []
        if result.status == 124:
            return job, "slow", []
        if result.status != 0:
            return job, "refused", [] if is_refusal(result, limits) else [model + ": " + result.report()]
    complaints = balance(machine, results["timed"].statistics)
    if is_ordered:
        complaints += compare_kernels(results["timed"], results["functional"])
    return job, "ran", complaints


def refuse(machine, word):
    """Complaints when the machine is not refused with a diagnosis that has the word."""
    result = on_wavetank([program_path("workloads/vector_add"), "--size", "64"], settings=machine.split(), timeout=60)
    text = result.output + result.errors
    if result.status == 0:
        return ["was built"]
    if result.status not in (1, 2) or "check failed" in text:
        return ["status %d: %s" % (result.status, text.strip()[-400:])]
    if word not in text:
        return ["'%s' is not in: %s" % (word, text.strip()[-400:])]
    return []


def functional_results(programs, pool):
    """Program -> its run on the functional model, of those to compare."""
    names = [program for program, is_ordered in programs if is_ordered]
    runs = pool.map(lambda program: on_wavetank([program_path(program.split()[0]), *program.split()[1:]],
                                                "functional"), names)
    return dict(zip(names, runs))


def jobs_of(machines, functional, run_all):
    for index, (name, machine) in enumerate(machines.items()):
        chosen = PROGRAMS + LITMUS
        if not run_all:
            chosen = [PROGRAMS[(index * 3 + i) % len(PROGRAMS)] for i in range(3)]
            if index % 4 == 0:
                chosen += LITMUS
        for program, is_ordered in chosen:
            yield name, machine, program, is_ordered, functional.get(program)


def wild_jobs(wild, limits):
    for index, (name, machine) in enumerate(wild.items()):
        for i in range(2):
            program, is_ordered = PROGRAMS[(index * 3 + i) % len(PROGRAMS)]
            yield name, machine, program, is_ordered, limits


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--random", type=int, default=8)
    parser.add_argument("--wild", type=int, default=8)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--machine")
    parser.add_argument("--cores", type=int, default=2)
    options = parser.parse_args()
    if not os.path.exists(WAVETANK):
        sys.exit("set WAVETANK to the command and WAVETANK_BUILD to the build folder")
    limits = ranges()
    machines = dict(MACHINES)
    for number in range(options.seed, options.seed + options.random):
        machines["random_%d" % number] = draw(number)
    wild = {"wild_%d" % number: draw_wild(number, limits)
            for number in range(options.seed, options.seed + options.wild)}
    if options.machine:
        wild = {name: machine for name, machine in wild.items() if name == options.machine}
        machines = {name: machine for name, machine in machines.items() if name == options.machine}
    failed = 0
    print("seed %d" % options.seed)
    with concurrent.futures.ThreadPoolExecutor(options.cores) as pool:
        functional = functional_results(PROGRAMS, pool)
        for job, complaints in pool.map(run_one, jobs_of(machines, functional, options.all)):
            failed += bool(complaints)
            for complaint in complaints:
                print("%s: %s: %s\n    %s" % (job[0], job[2], complaint, job[1]), flush=True)
        became = {"ran": 0, "refused": 0, "slow": 0}
        for job, what, complaints in pool.map(run_wild, wild_jobs(wild, limits)):
            became[what] += 1
            failed += bool(complaints)
            if what == "slow":
                print("%s: %s: slow\n    %s" % (job[0], job[2], job[1]), flush=True)
            for complaint in complaints:
                print("%s: %s: %s\n    %s" % (job[0], job[2], complaint, job[1]), flush=True)
        print("wild machines: " + ", ".join("%d %s" % (count, what) for what, count in became.items()))
        if not options.machine:
            for machine, complaints in zip(REFUSED, pool.map(refuse, REFUSED, REFUSED.values())):
                failed += bool(complaints)
                for complaint in complaints:
                    print("refused %s: %s" % (machine, complaint))
    print("%d machines, %d failures" % (len(machines) + len(wild), failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
