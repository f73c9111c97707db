#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Closed forms: what a kernel must take, worked out from the parameters of the run, against what it takes.

    test_timing.py WAVETANK TIMING [--only PART] [--verbose]

Each check runs timing.c's program on the hd7970 configuration, mostly at a second value of a parameter too, so that the formula's slope
is tested and not one number. Expectations are computed from the configuration that the run's JSON tells. The comments work them out
for gpus/hd7970.yaml. Times are differences of two launches that differ in length alone: launch, cold code and loop drop out.
Cycles are those of the core clock. CK: cycles of the memory's command clock.
"""
import math
import sys

from lab import between, check, main, near, only

WAVES = 4  # of a work-group of 256
TURN = 4  # cycles: two launches may end so far apart beyond what they do
KB, MB = 1024, 1024 * 1024
NO_REFRESH = {"dram.trefi": 1000000, "host.pageable_mb_per_second": 1000000}  # the run is over before the first refresh


class Parameters(dict):
    """The values of a run's parameters, and what follows from them."""

    def memory_cycles(self, cycles):
        """CK in cycles of the core clock."""
        return cycles * self["gpu.core_khz"] / self["gpu.memory_khz"]

    def l1_hit(self):
        """From issue to the registers. 50 + 1 + 20 + 45 = 116."""
        return (self["cu.vmem_issue_cycles"] + self["cu.vmem_request_cycles"] + self["l1.reply_cycles"]
                + self["cu.vmem_return_cycles"])

    def l1_miss(self):
        """What L2 adds, and how long an L1 miss holds its MSHR. 8 + 2 * 16 + 44 = 84."""
        return self["l1.forward_cycles"] + 2 * self["crossbar.latency_cycles"] + self["l2.reply_cycles"]

    def l2_hit(self):
        """116 + 84 = 200."""
        return self.l1_hit() + self.l1_miss()

    def device(self, row):
        """CK from a channel's acceptance to its reply at L2. A line is two bursts of 2 CK, the second tCCDL after the first:
        closed 90 + 17 + 3 + 17 + 2 + 95 = 224, open 207, another row open 241."""
        cycles = (self["dram.request_cycles"] + self["dram.tccdl"] + self["dram.tcl"] + 2 + self["dram.reply_cycles"])
        return cycles + {"open": 0, "closed": self["dram.trcdr"], "conflict": self["dram.trcdr"] + self["dram.trp"]}[row]

    def memory(self, row):
        """Least and most cycles from issue to registers. The way in waits for an edge of the memory clock, at most one CK, and
        the way out for one of the core clock: 200 + 20 + 224 CK (150.7) = 371 or 372."""
        least = self.l2_hit() + self["l2.forward_cycles"] + self.memory_cycles(self.device(row))
        same = self["gpu.core_khz"] == self["gpu.memory_khz"]
        return math.ceil(least), math.ceil(least if same else least + self.memory_cycles(1))

    def refresh(self, latency):
        """The most that refreshes add to a load, on average: each, once in 2613 CK, closes all rows and holds up at most one load
        for 17 + 90 CK, however the chain falls into step with them."""
        return self.step(latency) * (self["dram.trp"] + self["dram.trfc"]) / self["dram.trefi"]

    def step(self, latency):
        """Load to dependent load of one wavefront. The SIMD's turn comes every fourth cycle: the registers are there `latency`
        after issue, s_waitcnt passes in the next turn, and the load is issued in the one after it. L1 116 + 4 = 120, L2 204,
        memory 376 (closed), 364 (open), 388 (other row)."""
        return (latency + 3) // 4 * 4 + 4

    def peak(self):
        """Bytes a core cycle of all channels: 32 bytes in 2 CK each: 12 * 16 * 1375 / 925 = 285.4 (264 GB/s)."""
        channels = self["address.slices"] * self["address.channels_per_slice"]
        return channels * 32 / self.memory_cycles(2)


# ---- Latency: a chain of loads ----

@check({"l1.reply_cycles": 31}, {"cu.vmem_issue_cycles": 80})
def l1_latency(lab, settings):
    chase = "chase_{0}=1:1:0:8"  # 64 lines: 4 KB. The first launch of each kernel fetches its code
    values, cycles, _ = lab.slope("walk=0:64:64 " + " ".join(chase.format(n) for n in (16, 32, 16, 32)), settings)
    yield near("L1 hit, load to load", cycles / 128, values.step(values.l1_hit()), cycles=TURN / 128)


@check({"l2.reply_cycles": 71}, {"crossbar.latency_cycles": 30})
def l2_latency(lab, settings):
    warm = "walk=0:2048:64 chase_16=1:1:0:128 chase_32=1:1:0:1"  # 128 KB into L2; a kernel's start empties L1
    values, cycles, _ = lab.slope(f"{warm} chase_16=1:1:0:16 chase_32=1:1:0:16", settings)
    yield near("L2 hit, load to load", cycles / 256, values.step(values.l2_hit()), cycles=TURN / 256)


@only({}, {"gpu.memory_khz": 925000}, {"dram.tcl": 40}, {"dram.trp": 40, "dram.trcdr": 30}, {"l2.forward_cycles": 41})
def memory_latency(lab, settings):
    # 192 blocks of 256 bytes are one in each of 16 banks of 12 channels; 384 KB are the rows of a stripe: the second circle
    # finds the first one's rows open, the third finds other rows open. What code and arguments left open shows in the counts.
    stripe = 8 * 192 * 256
    starts = (4 * stripe, 4 * stripe + 2 * 192 * 256, 6 * stripe)
    commands = " ".join(f"chain={start}:192:256" for start in starts) + " chain=0:64:64" + " chase_16=1:1:0:2" * 2
    for start in starts:
        commands += f" chase_16=1:1:{start}:2 chase_16=1:1:{start + 32 * 256}:10"
    values, launches, _ = lab.run(commands, {**NO_REFRESH, **settings})
    for row, less, more in zip(("closed", "open", "conflict"), launches[2::2], launches[3::2]):
        names = {"open": "dram.row_hits", "closed": "dram.row_misses", "conflict": "dram.row_conflicts"}
        counts = {kind: more.sums[name] - less.sums[name] for kind, name in names.items()}
        yield between(f"memory, row {row}: so many of 128 loads", counts[row], 115, 128)
        yield near("loads from memory", sum(counts.values()), 128)
        bounds = [sum(count * values.step(values.memory(kind)[end]) for kind, count in counts.items()) / 128 for end in (0, 1)]
        yield between(f"memory, row {row}, load to load", (more.cycles - less.cycles) / 128,
                      bounds[0] - TURN / 128, bounds[1] + TURN / 128)


@check({"dram.trfc": 180})
def memory_latency_with_refresh(lab, settings):
    # See Parameters.refresh: at most 4 % here. One may also hold up what a launch does before its first load, of either.
    start = 2 * MB
    launches = f"chase_16=1:1:0:2 chase_16=1:1:{start}:2 chase_16=1:1:{start + 32 * 256}:10"
    values, cycles, _ = lab.slope(f"chain={start}:192:256 chain=0:64:64 {launches}", settings)
    latency = values.memory("closed")[0]
    once = values.memory_cycles(values["dram.trp"] + values["dram.trfc"])
    yield between("memory with refresh, load to load", cycles / 128, values.step(latency) - (TURN + once) / 128,
                  values.step(latency) + values.refresh(latency) + TURN / 128)


@check({"scalar.reply_cycles": 31}, {"cu.smem_return_cycles": 19})
def scalar_latency(lab, settings):
    # 1 + 16 + 8 = 25 cycles, so 32 from load to load.
    launch = "scalar_{0}=1:1:0:8"
    values, cycles, _ = lab.slope("walk=0:64:64 " + " ".join(launch.format(n) for n in (16, 32, 16, 32)), settings)
    hit = values["cu.smem_request_cycles"] + values["scalar.reply_cycles"] + values["cu.smem_return_cycles"]
    yield near("scalar cache hit, load to load", cycles / 128, values.step(hit), cycles=TURN / 128)


@check({"cu.lds_latency_cycles": 50})
def local_latency(lab, settings):
    # Service begins the cycle after issue and takes two passes: 1 + 2 + 28 = 31, so 36 from load to load.
    values, cycles, _ = lab.slope(" ".join(f"local_{n}=1:1:0:8" for n in (16, 32, 16, 32)), settings)
    hit = 1 + 2 + values["cu.lds_latency_cycles"]
    yield near("local memory, load to load", cycles / 128, values.step(hit), cycles=TURN / 128)


# ---- Footprints, lines, sets: what the chain shows of the caches ----

def circle_misses(lines, sets, ways):
    """Misses of a walk around `lines` neighbouring lines, with LRU: a set with more lines than ways loses each before it comes again."""
    each, more = divmod(lines, sets)
    return (more * (each + 1) if each + 1 > ways else 0) + ((sets - more) * each if each > ways else 0)


@check({"l1.size_kb": 32}, {"l1.ways": 8})
def l1_footprint(lab, settings):
    # 64 sets of 4 ways: up to 256 lines stay; of 288 lines 32 sets have 5, so 160 miss; from 320 on all do.
    values, _, _ = lab.run("nothing=1:64", settings)
    capacity = values["l1.size_kb"] * KB // 64
    for lines in (capacity // 2, capacity, capacity * 9 // 8, capacity * 5 // 4, capacity * 2):
        lines = lines // 16 * 16
        rounds = lines // 16
        launches = " ".join(f"chase_16=1:1:0:{n * rounds}" for n in (1, 2, 3))  # the first brings them into L2
        values, cycles, count = lab.slope(f"walk=0:{lines}:64 {launches}", settings)
        misses = circle_misses(lines, capacity // values["l1.ways"], values["l1.ways"])
        yield near(f"circle of {lines // 16} KB: L1 misses", count("cu.l1.load_misses"), misses)
        expected = (misses * values.step(values.l2_hit()) + (lines - misses) * values.step(values.l1_hit())) / lines
        yield near(f"circle of {lines // 16} KB, load to load", cycles / lines, expected, cycles=TURN / lines)


@check({"l2.size_kb": 32})
def l2_footprint(lab, settings):
    # 6 * 128 KB: 704 KB stay, of 1152 KB (24 lines a set of 16 ways) none does.
    values, _, _ = lab.run("nothing=1:64", settings)
    size = values["address.slices"] * values["l2.size_kb"] * KB
    for lines, fits in ((size * 11 // 12 // 64, True), (size * 3 // 2 // 64, False)):
        warm = f"walk=0:{lines}:64 chase_16=1:1:0:{lines // 16}"
        values, cycles, _ = lab.slope(f"{warm} chase_16=1:1:0:32 chase_16=1:1:{512 * 64}:64", settings)
        least, most = (values.l2_hit(),) * 2 if fits else (values.memory("open")[0], values.memory("conflict")[1])
        refresh = 0 if fits else values.refresh(most)
        yield between(f"circle of {lines // 16} KB, load to load", cycles / 512, values.step(least) - TURN / 512,
                      values.step(most) + refresh + TURN / 512)


@check()
def line_size(lab, settings):
    # One load in 64 / stride meets a new line, and from 64 bytes on each does.
    for stride in (4, 8, 16, 32, 64, 128, 256):
        values, cycles, count = lab.slope(f"walk=0:1024:{stride}" + "".join(f" chase_16=1:1:0:{n}" for n in (64, 32, 64)), settings)
        misses = 512 * min(stride, 64) // 64
        yield near(f"stride of {stride} bytes: L1 misses of 512 loads", count("cu.l1.load_misses"), misses)
        expected = (misses * values.step(values.l2_hit()) + (512 - misses) * values.step(values.l1_hit())) / 512
        yield near(f"stride of {stride} bytes, load to load", cycles / 512, expected, cycles=TURN / 512)


@check({"l1.ways": 8}, {"l1.size_kb": 32})
def l1_sets(lab, settings):
    # Lines 64 sets * 64 bytes = 4 KB apart meet in one set if it is chosen by the lowest part of their number: four stay, five
    # drive each other out. By all parts they do not meet, and all stay.
    settings = {**settings, "l1.set_index": "modulo"}
    values, _, _ = lab.run("nothing=1:64", settings)
    ways, gap = values["l1.ways"], values["l1.size_kb"] * KB // values["l1.ways"]
    for lines, latency in ((ways, values.l1_hit()), (ways + 1, values.l2_hit())):
        _, cycles, _ = lab.slope(f"walk=0:{lines}:{gap}" + "".join(f" chase_16=1:1:0:{n}" for n in (4, 4, 8)), settings)
        yield near(f"{lines} lines {gap} bytes apart, load to load", cycles / 64, values.step(latency), cycles=TURN / 64)
    commands = f"walk=0:{ways + 1}:{gap}" + "".join(f" chase_16=1:1:0:{n}" for n in (4, 4, 8))
    _, cycles, _ = lab.slope(commands, {**settings, "l1.set_index": "xor"})
    yield near(f"xor: {ways + 1} lines, load to load", cycles / 64, values.step(values.l1_hit()), cycles=TURN / 64)


@check({"l2.ways": 8})
def l2_sets(lab, settings):
    # A channel has 64 KB, so 64 sets of 16 ways, and takes 4 lines of each 256-byte block: 16 blocks of its own, which lie
    # 12 * 4 KB = 48 KB apart. 16 lines stay, 17 drive each other out. (In L1 they are all in one set, so that L2 is asked.)
    settings = {**settings, "l1.set_index": "modulo"}
    values, _, _ = lab.run("nothing=1:64", settings)
    ways = values["l2.ways"]
    gap = values["address.slices"] * values["l2.size_kb"] * KB // ways
    for lines, least, most in ((ways, values.l2_hit(), values.l2_hit()),
                               (ways + 1, values.memory("open")[0], values.memory("conflict")[1])):
        commands = f"walk={30 * KB}:{lines}:{gap}" + "".join(f" chase_16=1:1:{30 * KB}:{n}" for n in (8, 8, 16))
        _, cycles, count = lab.slope(commands, settings)
        yield near(f"{lines} lines {gap // KB} KB apart: L2 misses of 128", count("l2.load_misses"), 0 if least == most else 128)
        refresh = 0 if least == most else values.refresh(most)
        yield between(f"{lines} lines {gap // KB} KB apart, load to load", cycles / 128,
                      values.step(least) - TURN / 128, values.step(most) + refresh + TURN / 128)


# ---- Bandwidth: the narrowest link ----

STREAM_WARM = "mb=8 nothing=32:64 stream=32:256:64:0:0"


def stream_memory(lab, settings):
    """Bytes a cycle from memory: 32 work-groups, 512 KB a round, rounds 3 to 10 of a cold run."""
    stream = f"stream=32:256:{MB // 2}:{8 * MB - 1}:"
    values, cycles, count = lab.cold_slope(STREAM_WARM, stream + "2", stream + "10", settings)
    return values, count("dram.read_bytes") / cycles


@check({"gpu.memory_khz": 687500}, {"dram.trfc": 800})
def memory_bandwidth(lab, settings):
    # At most the peak less refresh: 285.4 * (1 - 90 / 2613) = 275.6 bytes a cycle. Below that lie what FR-FCFS cannot hide (row
    # changes, tCCDL within a bank group) and rounds in which the twelve channels are not equally busy.
    values, rate = stream_memory(lab, settings)
    most = values.peak() * (1 - values["dram.trfc"] / values["dram.trefi"])
    yield between("streaming reads, part of peak less refresh", rate / most, 0.72, 1)


@only({"dram.model": "fixed"})
def memory_bandwidth_without_rows(lab, settings):
    # Without banks the bus is all that is left: 32 bytes in 2 CK.
    values, rate = stream_memory(lab, settings)
    yield between("streaming reads from fixed memory, part of peak", rate / values.peak(), 0.95, 1)


@check({"crossbar.width_bytes": 16}, {"crossbar.width_bytes": 8}, {"l2.ports": 1})
def l2_bandwidth(lab, settings):
    # 512 KB that L2 holds, each compute unit 16 KB further each round, so that L1 has none of it. Each of twelve channels gives
    # a line in 64 / width cycles, and a slice looks up `ports` lines a cycle for its two: 768 bytes a cycle (710 GB/s).
    stream = f"stream=32:256:{16 * KB}:{512 * KB - 1}:"
    values, cycles, count = lab.slope(f"{stream}2 {stream}4 {stream}12", settings)
    channels = values["address.slices"] * values["address.channels_per_slice"]
    most = min(channels * min(values["crossbar.width_bytes"], 64), values["address.slices"] * values["l2.ports"] * 64)
    yield near("L2 misses", count("l2.load_misses"), 0)
    yield between("streaming from L2, part of the narrowest link", count("cu.l1.load_misses") * 64 / cycles / most, 0.85, 1)


@check({"cu.load_linear_cycles": 8, "cu.load_cycles": 24, "cu.load_x2_cycles": 28, "cu.load_x4_linear_cycles": 20,
        "cu.load_x4_cycles": 40})
def l1_bandwidth(lab, settings):
    # One compute unit, 32 wavefronts, 4 KB: the address unit is the narrowest. A wavefront's dwords from neighbouring addresses
    # take 4 cycles (64 bytes a cycle), from others 16; pairs 18; four dwords 16, from others 18.
    for kernel, loads, parameter in (("again_1", 16, "load_linear_cycles"), ("again_1_random", 16, "load_cycles"),
                                     ("again_2", 8, "load_x2_cycles"), ("again_4", 4, "load_x4_linear_cycles"),
                                     ("again_4_random", 4, "load_x4_cycles")):
        launches = " ".join(f"{kernel}=8:256:0:0:{rounds}" for rounds in (4, 16, 48))
        values, cycles, count = lab.slope(f"mb=1 {launches}", {"gpu.compute_units": 1, **settings})
        expected = values["cu." + parameter]
        yield near(f"{kernel}: loads", count("cu.instructions_vmem"), 8 * WAVES * 32 * loads)
        yield between(f"{kernel}: cycles a load, over the parameter", cycles / count("cu.instructions_vmem") / expected, 0.999, 1.1)
        yield near(f"{kernel}: address cycles a load", count("cu.address_cycles") / count("cu.instructions_vmem"), expected)


# ---- Little's law ----

@only(*({"l1.mshr_entries": entries} for entries in (4, 8, 16)), {"l1.mshr_entries": 8, "crossbar.latency_cycles": 32})
def l1_mshrs(lab, settings):
    # A miss holds its MSHR for the way to L2 and back, 84 cycles: so many lines in 84 cycles.
    stream = f"stream=1:256:{16 * KB}:{64 * KB - 1}:"
    values, cycles, count = lab.slope(f"{stream}4 {stream}4 {stream}12", {"gpu.compute_units": 1, **settings})
    yield near("lines", count("cu.l1.load_misses"), 8 * WAVES * 64)
    yield near("cycles a line times MSHRs", cycles / count("cu.l1.load_misses") * values["l1.mshr_entries"], values.l1_miss(), 0.001)


@only(*({"l2.mshr_entries": entries, "dram.fixed_cycles": 1000} for entries in (4, 8, 16)),
      {"l2.mshr_entries": 8, "dram.fixed_cycles": 2000})
def l2_mshrs(lab, settings):
    # A miss of L2 holds its MSHR for 20 cycles and 1000 CK (672.7 cycles): 693, and up to two more between the clocks. Each of
    # six slices has so many.
    stream = f"stream=32:256:{MB // 2}:{8 * MB - 1}:"
    values, cycles, count = lab.cold_slope(STREAM_WARM, stream + "1", stream + "3", {"dram.model": "fixed", **settings})
    held = values["l2.forward_cycles"] + values.memory_cycles(values["dram.fixed_cycles"])
    yield near("lines", count("l2.load_misses"), 2 * MB // 2 // 64, 0.001)
    yield between("cycles a line times MSHRs", cycles / count("l2.load_misses") * values["l2.mshr_entries"] *
                  values["address.slices"], held * 0.995, (held + 2) * 1.005)


# ---- Channels ----

@check()
def channels(lab, settings):
    # Of r = address / 2 KB each third (r % 3 == 1) lies in the middle channel of a quadrant, of the rest bit 8 chooses one of the
    # other two. 768 lines: unit stride 64 on each channel; 1 KB meets two quadrants and one value of bit 8; from 2 KB on one
    # quadrant, a third and two thirds; 6 KB leaves r % 3 alone.
    expected = {64: [64] * 12, 1024: [128, 128, 256, 256], 2048: [256, 512], 4096: [256, 512], 8192: [256, 512], 6144: [768]}
    for stride, counts in expected.items():
        _, launches, _ = lab.run(f"mb=16 nothing=32:64 lines=12:256:16:0:0 lines=12:256:{stride // 4}:0:4", settings)
        reads = [launches[-1].places.get(f"dram{channel}.reads", 0) for channel in range(12)]
        found = sorted(count for count in reads if count > 2)  # less the arguments' line
        yield (len(found) == len(counts) and all(abs(a - b) <= 2 for a, b in zip(found, counts)),
               f"stride of {stride} bytes: reads of the channels {found}, expected {counts}")


@only({"address.rule": "modulo"})
def channels_modulo(lab, settings):
    # Twelve channels in turn: a stride of 8 blocks meets 12 / 4 of them.
    _, launches, _ = lab.run("mb=16 nothing=32:64 lines=12:256:16:0:0 lines=12:256:512:0:4", settings)
    found = [count for count in (launches[-1].places.get(f"dram{channel}.reads", 0) for channel in range(12)) if count > 2]
    yield len(found) == 3 and all(abs(count - 256) <= 2 for count in found), f"modulo, stride of 2 KB: {found}"


# ---- Vector units, issue, local memory ----

RATES = (("full", "full_cycles"), ("quarter", "quarter_cycles"), ("multiply", "quarter_cycles"),
         ("double_add", "double_add_cycles"), ("double_multiply", "double_multiply_cycles"))


@check({"cu.full_cycles": 8, "cu.quarter_cycles": 28, "cu.double_add_cycles": 12, "cu.double_multiply_cycles": 24})
def vector_rates(lab, settings):
    # Four wavefronts on four SIMDs: each dependent operation takes its SIMD 4, 16, 16, 8, 16 cycles. Eight wavefronts take twice
    # the time of four: a SIMD is never given two. 64 rounds of 112 operations less 64 rounds of 16: the loop drops out.
    for name, parameter in RATES:
        for groups in (1, 2):
            launches = " ".join(f"{name}_{n}={groups}:256:1:1:{rounds}" for n in (16, 112) for rounds in (1, 16, 80))
            values, launches, _ = lab.run(f"mb=1 {launches}", {"gpu.compute_units": 1, **settings})
            _, few, fewer, _, many, more = launches
            operations = sum(sign * launch.sums["cu.instructions_valu"]
                             for sign, launch in ((1, more), (-1, many), (-1, fewer), (1, few)))
            cycles = more.cycles - many.cycles - fewer.cycles + few.cycles
            yield near(f"{name}: operations", operations, groups * WAVES * 96 * 64)
            yield near(f"{name}, {WAVES * groups} wavefronts: cycles an operation", cycles * 4 / operations,
                       values["cu." + parameter], 0.005)


@check()
def kinds_in_parallel(lab, settings):
    # Each SIMD has a wavefront of local, one of vector and one of scalar work, each of some 7,000 cycles. Different kinds are
    # issued in the same turn: together they take what the longest takes alone, and little more (for loops have scalar operations).
    # With an issue width of 1 vector and scalar work, an instruction every turn each, take their sum.
    work = ("12:0:0", "0:25:0", "0:0:32")
    commands = "mb=1 kinds=3:256:1:1:1 " + " ".join(f"kinds=3:256:{each}" for each in ("0:0:0", *work, "12:25:32", "0:25:32"))
    _, launches, _ = lab.run(commands, {"gpu.compute_units": 1, **settings})
    base, *alone, together, _ = (launch.cycles for launch in launches[1:])
    longest = max(alone) - base
    yield between("vector work alone: cycles an operation", (alone[1] - base) / (25 * 64), 4, 4.5)
    yield between("shortest alone, over the longest", (min(alone) - base) / longest, 0.8, 1)
    yield between("three kinds together, over the longest alone", (together - base) / longest, 0.99, 1.1)
    _, launches, _ = lab.run(commands, {"gpu.compute_units": 1, "cu.issue_width": 1, **settings})
    base, _, vector, scalar, _, both = (launch.cycles for launch in launches[1:])
    yield between("issue width 1: two kinds together, over their sum", (both - base) / (vector + scalar - 2 * base), 0.9, 1.05)


@check({"cu.lds_banks": 16})
def local_conflicts(lab, settings):
    # A read is two passes of 32 lanes; n lanes of a pass on each bank take n cycles: 2 n for a wavefront, 64 when all are on one.
    # With 32 wavefronts local memory is the narrowest, and time shows the same. With 16 banks a pass without conflicts has two
    # words on each bank.
    for stride in (1, 2, 4, 8, 16, 32, 33):
        launches = " ".join(f"banks=8:256:{stride}:0:{rounds}" for rounds in (1, 2, 10))
        values, cycles, count = lab.slope(f"mb=1 {launches}", {"gpu.compute_units": 1, **settings})
        banks = values["cu.lds_banks"]
        ways = 32 // (banks // math.gcd(stride, banks))
        reads = count("cu.instructions_lds")
        yield near("reads", reads, 8 * WAVES * 8 * 16)
        yield near(f"{ways} ways: bank cycles a read", count("cu.lds_cycles") / reads, 2 * ways)
        yield near(f"{ways} ways: of these for conflicts", count("cu.lds_conflict_cycles") / reads, 2 * (ways - 32 // banks))
        yield between(f"{ways} ways: time of a read, over its bank cycles", cycles / reads / (2 * ways), 0.99, 1.1)


# ---- Work-groups, events, host ----

@check({"dispatcher.wavefront_cycles": 4}, {"dispatcher.wavefront_cycles": 4, "dispatcher.shader_engines": 1})
def dispatch_rate(lab, settings):
    # Two engines start a wavefront a cycle each: half a cycle a wavefront.
    values, cycles, _ = lab.slope("mb=1 nothing=320:256 nothing=320:256 nothing=960:256", settings)
    yield near("cycles a wavefront of an empty kernel", cycles / (640 * WAVES),
               values["dispatcher.wavefront_cycles"] / values["dispatcher.shader_engines"], 0.03)


@check({"gpu.core_khz": 500000}, {"host.transfer_latency_ns": 40000, "host.pageable_mb_per_second": 3000})
def events(lab, settings):
    # An event's time is the launch's cycles at 925 MHz. A transfer takes 1.5 us and its bytes at 8 GB/s.
    values, launches, lines = lab.run("mb=1 full_112=64:256:1:1:8 write=1048576 write=4096", settings)
    yield near("event's ns", launches[0].event_ns, launches[0].cycles * 1e6 / values["gpu.core_khz"], cycles=2)
    for size, (_, ns) in zip((1048576, 4096), (line for line in lines if line[0] == "write")):
        yield near(f"transfer of {size} bytes, ns", int(ns),
                   values["host.transfer_latency_ns"] + size * 1000 / values["host.pageable_mb_per_second"], cycles=2)


if __name__ == "__main__":
    sys.exit(main(__doc__, Parameters))
