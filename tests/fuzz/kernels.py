#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random OpenCL kernels, run on both models of Wavetank and on PoCL: what they leave in memory must be the same.

A kernel follows from the seed and its number alone. What differs is made smaller as long as it still differs, and kept
in a folder of its own with the command that runs it again. Status 0: no difference; 1: there is one; 2: it could not run.
"""
import argparse
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

from expressions import constant
from kernel import INPUT_REALS, INPUT_WORDS, PRELUDE, TABLE
from statements import Statements
from tree import INTEGERS, drop_statements, simplify_expressions, size_of, unwrap_statements

BUILD = os.environ.get("WAVETANK_BUILD", "build")
POCL_ICD = "/etc/OpenCL/vendors/pocl.icd"
MODELS = ("functional", "timed")
BATCH = 6        # kernels of one program
MOST_SECONDS = 240


class Features:
    """What a kernel may have in it: each kernel leaves much out, so that the rest meets more often."""

    def __init__(self, rng):
        def has(percent):
            return rng.randrange(100) < percent

        self.bases = sorted(rng.sample(INTEGERS, rng.randrange(2, 5)), key=INTEGERS.index)
        if "int" not in self.bases:
            self.bases.append("int")
        self.bases += (["float"] if has(50) else []) + (["double"] if has(30) else [])
        self.vectors = has(65)
        self.vector_widths = sorted(rng.sample([2, 3, 4, 8, 16], rng.choice([1, 2, 2, 3]))) if self.vectors else []
        self.widths = [1] * 6 + [width for width in self.vector_widths for _ in range(max(1, 6 // width))]
        self.depth = rng.choice([2, 3, 3]) if not self.vectors or max(self.vector_widths) < 8 else 2
        self.statements = rng.randrange(3, 10)
        self.exchanges = rng.choice([0, 0, 1, 1, 2])
        self.atomics = rng.choice([0, 0, 1, 2])
        self.functions = rng.choice([0, 0, 1, 2])
        self.calls = has(50)
        self.own = rng.choice([0, 1, 1, 2])
        self.arrays = rng.choice([0, 1, 2])
        self.structures = rng.choice([0, 0, 1])
        self.inexact = rng.choice([0, 1, 2])
        self.exact_division = False


EXACT_DIVISION = "-cl-fp32-correctly-rounded-divide-sqrt"
OPTIONS = ("", "", "", "", EXACT_DIVISION, EXACT_DIVISION, "-cl-opt-disable")


def options_of(seed, number):
    """How the program is built that kernel `number` belongs to."""
    return random.Random("%s.%d.options" % (seed, number // BATCH)).choice(OPTIONS)


def make_kernel(seed, number):
    rng = random.Random("%s.%d" % (seed, number))
    features = Features(rng)
    features.exact_division = options_of(seed, number) == EXACT_DIVISION
    return Statements(rng, features, "k%d" % number).make_kernel()


def real_inputs(rng):
    """Multiples of 2^-10 below 2^10, some of them round."""
    values = [rng.choice([0.0, 1.0, -1.0, 0.5, -2.0, 3.0]) if rng.randrange(4) == 0 else
              rng.randrange(-(1 << 20), 1 << 20) / 1024.0 for _ in range(2 * INPUT_REALS)]
    data = struct.pack("<%df" % INPUT_REALS, *values[:INPUT_REALS]) + struct.pack("<%dd" % INPUT_REALS, *values[INPUT_REALS:])
    return struct.unpack("<%dI" % (len(data) // 4), data)


class Program:
    """Some kernels that are compiled together, with their inputs."""

    def __init__(self, seed, kernels, options):
        rng = random.Random("%s.inputs" % seed)
        self.kernels = kernels
        self.options = options
        self.inputs = [[self.word(rng) for _ in range(INPUT_WORDS)], real_inputs(rng), [self.word(rng) for _ in range(TABLE)]]
        self.values = (rng.getrandbits(32), rng.getrandbits(32), rng.getrandbits(64))

    @staticmethod
    def word(rng):
        return rng.choice([0, 1, 0xffffffff, 0x80000000, 0x7fffffff]) if rng.randrange(4) == 0 else \
            rng.getrandbits(32) >> rng.choice([0, 0, 8, 16, 24])

    def alone(self, kernel):
        program = Program.__new__(Program)
        program.kernels, program.options = [kernel], self.options
        program.inputs, program.values = self.inputs, self.values
        return program

    def write(self, folder):
        source = "".join(kernel.source() for kernel in self.kernels)
        head = PRELUDE % {"extensions": ""}
        with open(os.path.join(folder, "kernel.cl"), "w", encoding="ascii") as stream:
            stream.write(head + source)
        lines = ["options " + self.options] if self.options else []
        lines += ["words %d %s" % (len(words), " ".join("%x" % word for word in words)) for words in self.inputs]
        lines += ["values %x %x %x" % self.values] + [kernel.launch_line() for kernel in self.kernels]
        with open(os.path.join(folder, "case.txt"), "w", encoding="ascii") as stream:
            stream.write("\n".join(lines) + "\n")


class Ran:
    """What a device made of a program: its outputs by kernel, or what it said."""

    def __init__(self, status, data, message):
        self.status = status
        self.data = data
        self.message = message

    def outputs(self, kernels):
        """A list of (records, own, shared) for the kernels, in order."""
        start, found = 0, []
        for kernel in kernels:
            parts = []
            for size in kernel.output_bytes():
                parts.append(self.data[start:start + size])
                start += size
            found.append(parts)
        return found


class Devices:
    """Runs programs on Wavetank's models and on PoCL."""

    def __init__(self, folder, build, settings=()):
        self.folder = folder
        self.build = build
        self.settings = [word for setting in settings for word in ("-o", setting)]
        self.runner = os.path.join(build, "tests", "fuzz", "run_case")
        self.runs = 0

    def command(self, device, case, output):
        if device == "pocl":
            return [self.runner, case, output]
        return [os.path.join(self.build, "wavetank"), "run", "--quiet", "--model", device, "--max-cycles", "20000000",
                *self.settings, "--", self.runner, case, output]

    def environment(self, device):
        environment = dict(os.environ, WAVETANK_CACHE=os.path.join(self.folder, "cache"),
                           POCL_CACHE_DIR=os.path.join(self.folder, "pocl"), POCL_KERNEL_CACHE="0")
        environment.setdefault("ASAN_OPTIONS", "detect_leaks=0")  # the loader and PoCL keep what they have
        if device == "pocl":
            environment["OCL_ICD_VENDORS"] = POCL_ICD
        return environment

    def run(self, program, device, fresh=True):
        case = os.path.join(self.folder, "case")
        output = os.path.join(self.folder, "output")
        if fresh:
            os.makedirs(case, exist_ok=True)
            program.write(case)
        if os.path.exists(output):
            os.unlink(output)
        self.runs += 1
        try:
            done = subprocess.run(self.command(device, case, output), env=self.environment(device), stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=MOST_SECONDS, check=False)
            status, message = done.returncode, (done.stdout[-300:] + done.stderr[-3000:]).decode("utf-8", "replace")
        except subprocess.TimeoutExpired:
            return Ran(-1, b"", "no end within %d s" % MOST_SECONDS)
        data = b""
        if os.path.exists(output):
            with open(output, "rb") as stream:
                data = stream.read()
        if status == 0 and len(data) != sum(sum(kernel.output_bytes()) for kernel in program.kernels):
            return Ran(-2, b"", "%d bytes of output\n%s" % (len(data), message))
        return Ran(status, data, message)


# ---- comparing ----

def ordered(bits, size):
    """An integer whose order is that of the floating-point numbers."""
    sign = 1 << (8 * size - 1)
    return -(bits - sign) if bits & sign else bits


def is_near(slot, expected, found):
    """Whether two vectors of floating-point numbers are equal within twice the error of each."""
    size = slot.type.element_bytes
    kind, least = ("<I", 0x00800000) if size == 4 else ("<Q", 0x0010000000000000)
    for place in range(0, slot.type.width * size, size):
        first, = struct.unpack_from(kind, expected, place)
        second, = struct.unpack_from(kind, found, place)
        first, second = ordered(first, size), ordered(second, size)
        if abs(first) <= least and abs(second) <= least:
            continue
        if abs(first - second) > 2 * slot.ulp:
            return False
    return True


def difference(kernel, expected, found, exactly=False):
    """The first place where two outputs of a kernel differ, in words; None: there is none."""
    for name, first, second in zip(("records", "own", "shared"), expected, found):
        if first == second:
            continue
        if name == "records":
            word = record_difference(kernel, first, second, exactly)
            if word is not None:
                return word
            continue
        byte = next(index for index in range(len(first)) if first[index] != second[index])
        start = byte & ~7
        return "%s: byte %d, %s, expected %s" % (name, byte, second[start:start + 8].hex(), first[start:start + 8].hex())
    return None


def record_difference(kernel, first, second, exactly):
    size = max(kernel.record_bytes, 16)
    for item in range(kernel.items):
        one, other = first[item * size:(item + 1) * size], second[item * size:(item + 1) * size]
        if one == other:
            continue
        for slot in kernel.slots:
            length = slot.type.width * slot.type.element_bytes
            expected, found = one[slot.offset:slot.offset + length], other[slot.offset:slot.offset + length]
            if expected != found and (exactly or slot.ulp == 0 or not is_near(slot, expected, found)):
                return "records at byte %d of an item's (%s%s): item %d has %s, expected %s" % (
                    slot.offset, slot.type, ", %d ulp" % slot.ulp if slot.ulp else "", item, found.hex(), expected.hex())
    return None


class Failure:
    """A kernel that a model did otherwise than it should."""

    def __init__(self, kind, model, words):
        self.kind = kind  # "difference" and where, or how it ended
        self.model = model
        self.words = words

    def models(self, judge):
        """Those that must run to see it again."""
        return judge.models if self.kind.startswith("difference between") else [self.model]


def ending(ran):
    """In a few words, how a run ended that gave no results."""
    for pattern in (r"AddressSanitizer: \S+", r"runtime error: .*", r"this should not happen: .*", r"error: (?!cl[A-Z]).*",
                    r"instruction .* is refused", r"(loads|stores|updates) \d+ bytes at", r"no end within"):
        match = re.search(pattern, ran.message)
        if match is not None:
            return "status %d, %s" % (ran.status, match.group(0))
    return "status %d" % ran.status


class Judge:
    """Runs programs everywhere and says what is wrong with each kernel."""

    def __init__(self, devices, models, has_pocl):
        self.devices = devices
        self.models = models
        self.has_pocl = has_pocl
        self.unjudged = 0
        self.miscompiled = []

    def look(self, program, models=None):
        """{kernel: Failure}. A program that does not run is looked at kernel by kernel."""
        ran = {model: self.devices.run(program, model, fresh=index == 0) for index, model in enumerate(models or self.models)}
        bad = [model for model in ran if ran[model].status != 0]
        if bad and len(program.kernels) > 1:
            found = {}
            for kernel in program.kernels:
                found.update(self.look(program.alone(kernel), models))
            return found
        if bad:
            return {program.kernels[0]: Failure(ending(ran[bad[0]]), bad[0], ran[bad[0]].message)}
        return self.compare(program, ran)

    def compare(self, program, ran):
        reference = self.devices.run(program, "pocl", fresh=False) if self.has_pocl else None
        if self.has_pocl and reference.status != 0:
            if len(program.kernels) > 1:
                found = {}
                for kernel in program.kernels:
                    found.update(self.look(program.alone(kernel), list(ran)))
                return found
            self.unjudged += 1
            reference = None
        outputs = {model: ran[model].outputs(program.kernels) for model in ran}
        found = {}
        for place, kernel in enumerate(program.kernels):
            failure = self.models_differ(kernel, {model: outputs[model][place] for model in outputs})
            if failure is None and reference is not None:
                model = list(ran)[0]
                failure = self.reference_differs(program, kernel, model, outputs[model][place],
                                                 reference.outputs(program.kernels)[place])
            if failure is not None:
                found[kernel] = failure
        return found

    @staticmethod
    def models_differ(kernel, outputs):
        """They run the same code: nothing may differ, whatever PoCL says."""
        first = list(outputs)[0]
        for model in list(outputs)[1:]:
            words = difference(kernel, outputs[first], outputs[model], exactly=True)
            if words is not None:
                return Failure("difference between models in " + words.split(":")[0], model, words)
        return None

    def reference_differs(self, program, kernel, model, found, expected):
        """What only optimised code does otherwise, ours or PoCL's, is laid to the compiler: it is counted and printed."""
        words = difference(kernel, expected, found)
        if words is None:
            return None
        plain = program.alone(kernel)
        for device, option, ours in (("functional", " -O0", False), ("pocl", " -cl-opt-disable", True)):
            plain.options = program.options + option
            ran = self.devices.run(plain, device)
            if ran.status == 0 and difference(kernel, found if ours else expected, ran.outputs([kernel])[0]) is None:
                self.miscompiled.append("%s, %s: %s" % (kernel.name, device, words))
                return None
        return Failure("difference in " + words.split(":")[0], model, words)


# ---- making smaller ----

class Shrinker:
    """Makes a failing kernel smaller while it fails in the same way on the same model."""

    def __init__(self, judge, program, failure, seconds, most_tries):
        self.judge = judge
        self.program = program
        self.kernel = program.kernels[0]
        self.failure = failure
        self.end = time.monotonic() + seconds
        self.most_tries = most_tries
        self.tried = 0

    def still_fails(self):
        if time.monotonic() > self.end or (self.most_tries and self.tried >= self.most_tries):
            return False
        self.tried += 1
        judge, unjudged, miscompiled = self.judge, self.judge.unjudged, list(self.judge.miscompiled)
        found = judge.look(self.program, self.failure.models(judge)).get(self.kernel)
        judge.miscompiled = miscompiled
        if judge.unjudged != unjudged:  # PoCL could not: not the same question any more
            judge.unjudged = unjudged
            return False
        return found is not None and found.kind == self.failure.kind

    def geometry(self):
        kernel = self.kernel
        for axis in range(3):
            for name, values in (("groups", (1, 2)), ("offset", (0,)), ("local", (1, 2, 3, 8, 16))):
                sizes = getattr(kernel, name)
                for value in values:
                    was = sizes[axis]
                    if was > value:
                        sizes[axis] = value
                        if self.still_fails():
                            break
                        sizes[axis] = was

    def shrink(self):
        self.geometry()
        for _ in range(4):
            before = sum(size_of(part) for part in self.kernel.parts())
            for edit in (drop_statements, unwrap_statements):
                for part in self.kernel.parts():
                    edit(part, self.still_fails)
            for part in self.kernel.parts():
                simplify_expressions(part, self.still_fails, constant)
            if sum(size_of(part) for part in self.kernel.parts()) == before:
                break
        self.geometry()


def keep(program, failure, arguments, name, number):
    """Writes a reproducer: the program, its launch, what was seen, how to see it again."""
    build, place = arguments.build, os.path.join(arguments.keep, name)
    settings = "".join(" -o " + setting for setting in arguments.set)
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    program.write(place)
    runner = os.path.join(build, "tests", "fuzz", "run_case")
    lines = ["%s on the %s model: %s" % (name, failure.model, failure.kind), failure.words.rstrip(), "",
             "found by:", "    tests/fuzz/kernels.py --build %s --seed %s --first %d --count 1%s" % (
                 build, name.split("-")[1], number, settings.replace("-o", "--set")), "again (then `cmp` the two files):",
             "    %s/wavetank run --quiet --model %s%s -- %s %s wavetank.bin" % (build, failure.model, settings, runner, place),
             "    OCL_ICD_VENDORS=%s %s %s pocl.bin" % (POCL_ICD, runner, place), ""]
    with open(os.path.join(place, "README"), "w", encoding="utf-8") as stream:
        stream.write("\n".join(lines))
    return place


def handle(judge, program, failure, arguments, seed, number):
    kernel = program.kernels[0]
    print("kernel %d of seed %s, %s model: %s" % (number, seed, failure.model, failure.kind))
    print("    " + failure.words.strip().replace("\n", "\n    "))
    sys.stdout.flush()
    if arguments.shrink_seconds > 0:
        shrinker = Shrinker(judge, program, failure, arguments.shrink_seconds, arguments.shrink_tries)
        before = len(kernel.source())
        shrinker.shrink()
        print("    made smaller: %d bytes of source to %d, %d tries" % (before, len(kernel.source()), shrinker.tried))
        again = judge.look(program, failure.models(judge)).get(kernel)
        failure = again or failure
    place = keep(program, failure, arguments, "seed-%s-kernel-%d" % (seed, number), number)
    print("    kept in %s" % place)
    sys.stdout.flush()


def run_seed(judge, arguments, seed, seconds):
    """Runs kernels of a seed until the time or the count is over. Returns (kernels, failures)."""
    end = time.monotonic() + seconds
    number, failures = arguments.first, 0
    last = arguments.first + arguments.count if arguments.count else None
    while time.monotonic() < end and (last is None or number < last):
        count = BATCH - number % BATCH
        if last is not None:
            count = min(count, last - number)
        kernels = [make_kernel(seed, number + index) for index in range(count)]
        options = options_of(seed, number) if arguments.options is None else arguments.options
        program = Program(seed, kernels, options)
        for kernel, failure in judge.look(program).items():
            failures += 1
            handle(judge, program.alone(kernel), failure, arguments, seed, int(kernel.name[1:]))
            if failures >= arguments.most_failures:
                return number + count - arguments.first, failures
        number += count
    return number - arguments.first, failures


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=BUILD, help="build folder with wavetank and run_case")
    parser.add_argument("--seed", action="append", help="a seed; may be repeated (default: a fresh one, printed)")
    parser.add_argument("--fresh", action="store_true", help="also a fresh seed, after those named")
    parser.add_argument("--seconds", type=float, default=60, help="for all seeds together")
    parser.add_argument("--count", type=int, default=0, help="kernels of each seed (default: as many as the time allows)")
    parser.add_argument("--first", type=int, default=0, help="number of the first kernel")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--options", help="build options, in place of those that follow from the seed")
    parser.add_argument("--set", action="append", default=[], help="PATH=VALUE, for wavetank run")
    parser.add_argument("--without-pocl", action="store_true", help="compare the models with each other only")
    parser.add_argument("--shrink-seconds", type=float, default=120, help="for each failure; 0: leave it as it is")
    parser.add_argument("--shrink-tries", type=int, default=0, help="the same in runs; 0: no limit")
    parser.add_argument("--most-failures", type=int, default=5)
    parser.add_argument("--keep", default="fuzz-failures", help="folder for reproducers")
    parser.add_argument("--print", action="store_true", help="print the source of the kernels, run nothing")
    return parser.parse_args(words)


def main(words):
    arguments = parse(words)
    arguments.build = os.path.abspath(arguments.build)
    arguments.keep = os.path.abspath(arguments.keep)
    seeds = list(arguments.seed or [])
    if arguments.fresh or not seeds:
        seeds.append(str(random.SystemRandom().randrange(1 << 32)))
    if arguments.print:
        kernels = [make_kernel(seeds[0], arguments.first + index) for index in range(arguments.count or 1)]
        print(PRELUDE % {"extensions": ""} + "".join(kernel.source() for kernel in kernels))
        return 0
    has_pocl = os.path.exists(POCL_ICD) and not arguments.without_pocl
    if not has_pocl:
        print("without PoCL: the models are compared with each other alone")
    total = failures = told = 0
    with tempfile.TemporaryDirectory(prefix="wavetank-fuzz-") as folder:
        judge = Judge(Devices(folder, arguments.build, arguments.set), arguments.models.split(","), has_pocl)
        start = time.monotonic()
        for index, seed in enumerate(seeds):
            left = arguments.seconds - (time.monotonic() - start)
            count, failed = run_seed(judge, arguments, seed, left / (len(seeds) - index))
            print("seed %s: %d kernels, %d failures" % (seed, count, failed))
            for words in judge.miscompiled[told:]:
                print("    right only without optimisation: " + words[:200])
            told = len(judge.miscompiled)
            sys.stdout.flush()
            total, failures = total + count, failures + failed
        print("%d kernels in %.0f s, %d failures, %d that PoCL could not run, %d right only without optimisation" % (
            total, time.monotonic() - start, failures, judge.unjudged, len(judge.miscompiled)))
    if total == 0 or judge.unjudged + len(judge.miscompiled) > total // 4 + 1:
        print("too few kernels were compared")
        return 2
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
