#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The parts of OpenCL C that `features` checks, topic by topic: timed, functional, and on PoCL."""
from wavetank_tests import MODELS, POCL, ProgramTest, execute, has_pocl, main, on_wavetank, program_path

TOPICS = ("control", "atomics", "integers", "floats", "doubles", "groups")
# PoCL 3.1 has no work-group collective functions.
ABSENT_IN_POCL = ("groups",)
# Results that depend on the order in which work-items come.
UNORDERED = ("global_results", "local_results", "global_tickets", "local_tickets")


def checksums(result, exact_only):
    """Feature -> checksum, of those that do not depend on order."""
    found = {}
    for line in result.output.splitlines():
        words = line.split()
        if len(words) == 4 and words[1] == "passed" and (words[2] == "exact" or not exact_only):
            name = words[0].rstrip(":")
            if name.split("/")[1] not in UNORDERED:
                found[name] = words[3]
    return found


class Features(ProgramTest):
    def check(self, topic):
        program = [program_path("tests", "programs", "features"), topic, "--verbose"]
        results = self.run_models(program)
        timed, functional = (results[model] for model in MODELS)
        self.assertEqual(checksums(timed, False), checksums(functional, False))
        if topic != "atomics":  # loops of compare-and-swap take as many rounds as they must
            self.assertEqual(timed.kernels(), functional.kernels())
        if has_pocl() and topic not in ABSENT_IN_POCL:
            pocl = execute(program + ["--platform", POCL])
            self.assert_passed(pocl, "PoCL")
            self.assertEqual(checksums(timed, True), checksums(pocl, True))


class Narrow(ProgramTest):
    def test_groups_of_narrow_wavefronts(self):
        result = on_wavetank([program_path("tests", "programs", "features"), "groups"], settings=["gpu.wavefront_lanes=32"])
        self.assert_passed(result, "32 lanes")


def topic_method(topic):
    return lambda self: self.check(topic)


for one in TOPICS:
    setattr(Features, "test_" + one, topic_method(one))


if __name__ == "__main__":
    main()
