#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each workload gives the functional model's result under each protocol, and issues the same instructions."""
import os

from wavetank_tests import ProgramTest, main, on_wavetank, program_path, protocol_names
from test_workloads import cases

SMALL_CACHES = ["l1.size_kb=2", "l1.ways=2", "l1.mshr_entries=%d", "scalar.mshr_entries=1", "l2.size_kb=16", "l2.mshr_entries=2"]


class Protocols(ProgramTest):
    def check(self, number, name, arguments, kind):
        program = [program_path("workloads", name), *arguments, "--verbose"]
        right = on_wavetank(program, "functional")
        self.assert_passed(right, "functional")
        for index, protocol in enumerate(protocol_names()):
            for setup in setups_of(protocol, number + index):
                result = on_wavetank(program, settings=["gpu.protocol=" + protocol, *setup, *fences_of(protocol, name)])
                what = "%s under %s %s" % (name, protocol, setup)
                self.assert_passed(result, what)
                self.assertEqual(result.lines("checksum"), right.lines("checksum"), what)
                if kind.same_instructions:
                    self.assertEqual(result.kernels(), right.kernels(), what)


class Fences(ProgramTest):
    """Who passes data between work-groups by mem_fence, as in OpenCL 1, is told why that fails under nmoesi, and no other."""

    HINT = "add -o nmoesi.fence_scope=device"

    def run_workload(self, name, *settings, arguments=("--small",)):
        return on_wavetank([program_path("workloads", name), *arguments], settings=settings)

    def test_a_program_that_fails_is_told(self):
        result = self.run_workload("global_hash_table", "gpu.protocol=nmoesi")
        self.assertEqual(result.status, 1, result.report())
        self.assertEqual(result.report().count(self.HINT), 1, result.report())

    def test_others_are_not(self):
        for name, arguments, status, *settings in (
                ("global_hash_table", ("--small",), 0, "gpu.protocol=nmoesi", "nmoesi.fence_scope=device"),
                ("global_hash_table", ("--small",), 0, "gpu.protocol=moesi"),
                ("global_hash_table", ("--size", "x"), 2, "gpu.protocol=nmoesi"),
                ("histogram", ("--small",), 0, "gpu.protocol=nmoesi")):
            result = self.run_workload(name, *settings, arguments=arguments)
            self.assertEqual(result.status, status, result.report())
            self.assertNotIn("fence_scope", result.report(), "%s %s" % (name, settings))
        for wrong, other in (("workloads/mis --small", "local_fences"), ("tests/parameters/probe fences groups=8 n=16", "atomics")):
            result = on_wavetank(["sh", "-c", "%s && exit 1" % program_path(wrong)], settings=["gpu.protocol=nmoesi"])
            self.assertEqual(result.status, 1, result.report())
            self.assertNotIn("fence_scope", result.report(), "%s: it has no %s" % (wrong, other))


def fences_of(protocol, name):
    """Locks whose data mem_fence orders, as in OpenCL 1 (workloads/common/exclusive.cl)."""
    return ["nmoesi.fence_scope=device"] if protocol == "nmoesi" and name.startswith("global_") else []


def setups_of(protocol, turn):
    """By turns as it is, and with caches that are always full, and with direct transfers, where there are such; in the long version
    with as many misses in flight as the thesis asks about. Workloads as they are under the first protocol: test_workloads.py."""
    direct = [protocol + ".direct_transfers=1"] if protocol in ("moesi", "nmoesi") else []
    small = [word % 1 if "%d" in word else word for word in SMALL_CACHES]
    if "WAVETANK_LONG" not in os.environ:
        return [([] if turn % 2 else small) + (direct if turn // 2 % 2 else [])]
    sizes = [["l1.mshr_entries=%d" % entries, *more] for entries in (1, 16, 64, 256) for more in ([], ["l2.mshr_entries=1"])]
    return sizes + [direct, small + direct] if direct else sizes


def case_method(number, case):
    return lambda self: self.check(number, *case)


for place, one in enumerate(case for case in cases() if "--small" in case[1]):
    setattr(Protocols, "test_" + one[0], case_method(place, one))


if __name__ == "__main__":
    main()
