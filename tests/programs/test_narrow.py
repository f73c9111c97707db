#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each workload gives right results with wavefronts of 32 lanes, timed and functional, and the same instructions in both."""
import unittest

from test_workloads import cases, workload_names
from wavetank_tests import MODELS, ProgramTest, main, on_wavetank, program_path

SETTINGS = ["gpu.wavefront_lanes=32"]


class Narrow(ProgramTest):
    def check(self, name, same_instructions):
        program = [program_path("workloads", name), "--small", "--verbose"]
        results = {model: on_wavetank(program, model, SETTINGS) for model in MODELS}
        for model in MODELS:
            self.assert_passed(results[model], model)
        self.assertEqual(results["timed"].lines("checksum"), results["functional"].lines("checksum"))
        if same_instructions:
            self.assertEqual(results["timed"].kernels(), results["functional"].kernels())


def case_method(name, same_instructions):
    return lambda self: self.check(name, same_instructions)


for workload in workload_names():
    setattr(Narrow, "test_" + workload,
            case_method(workload, all(kind.same_instructions for name, _, kind in cases() if name == workload)))

if __name__ == "__main__":
    main()
