# SPDX-License-Identifier: MIT
"""What a timeline says is what the statistics say."""
import os
import tempfile
import unittest

from perfetto import Timeline
from wavetank_tests import ProgramTest, main, on_wavetank, program_path

RADIX = [program_path("workloads", "radix_sort"), "--size", "1024"]


class TimelineTest(ProgramTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "timeline")
        self.addCleanup(self.folder.cleanup)

    def run_with(self, program, *options):
        result = on_wavetank(program, options=["--timeline", self.path, *options])
        self.assert_passed(result, options)
        return result.statistics, Timeline(self.path)

    def test_launches_are_those_of_the_statistics(self):
        statistics, timeline = self.run_with(RADIX)
        launches = timeline.slices["launches"]
        self.assertEqual([(begin, end, name, notes["cycles"], notes["instructions"]) for begin, end, name, notes in launches],
                         [(k["start_ns"], k["end_ns"], k["name"], k["cycles"], k["instructions"]) for k in statistics["kernels"]])
        self.assertEqual(sum(end - begin for begin, end, *_ in launches), statistics["run"]["kernel_time_ns"])
        self.assertNotIn("samples", statistics, "they were not asked for")

    def test_commands_of_a_queue_follow_each_other(self):
        statistics, timeline = self.run_with(RADIX)
        commands = sorted(timeline.slices["queue 1"], key=lambda command: command[:2])
        for before, after in zip(commands, commands[1:]):
            self.assertLessEqual(before[1], after[0])
        kernels = [command for command in commands if command[2] == "kernel"]
        self.assertEqual([command[:2] for command in kernels], [launch[:2] for launch in timeline.slices["launches"]])
        self.assertTrue(any(command[2] in ("read", "map") and command[1] > command[0] for command in commands), commands)
        self.assertTrue(all(notes["queued_ns"] <= notes["submitted_ns"] <= begin for begin, _, _, notes in commands))
        self.assertLessEqual(commands[-1][1], statistics["run"]["time_ns"])

    def test_counters_add_up_to_the_run(self):
        """Each value holds until the next: rates by time are what the statistics counted."""
        statistics, timeline = self.run_with(RADIX, "--sample", "500:dram.bandwidth,cu.l1.loads,cu0.l1.loads")
        for name, path, scale in (("cu.l1.loads a cycle", "cu.l1.loads", 0.925), ("dram.bandwidth", "dram.bytes", 1)):
            points = timeline.counters[name]
            self.assertEqual(points, sorted(points, key=lambda point: point[0]), name)
            total = sum(value * scale * (after[0] - ns) for (ns, value), after in zip(points, points[1:]))
            wanted = statistics["run"]["sums"].get(path, statistics["run"]["metrics"].get(path))
            self.assertLess(abs(total / wanted - 1), 0.01, (name, total, wanted))
        self.assertIn("samples", statistics)
        self.assertEqual(set(timeline.counters), {"dram.bandwidth", "cu.l1.loads a cycle", "cu0.l1.loads a cycle"})

    def test_each_compute_unit_has_its_occupancy(self):
        _, timeline = self.run_with(RADIX)
        for unit in range(32):
            self.assertIn("cu%d.wavefronts.sum a cycle" % unit, timeline.counters)
        self.assertGreater(max(value for _, value in timeline.counters["cu0.wavefronts.sum a cycle"]), 0)
        self.assertEqual(timeline.counters["cu0.wavefronts.sum a cycle"][-1][1], 0, "after the last launch")

    def test_no_statistic_changes(self):
        with_timeline, _ = self.run_with(RADIX)
        without = on_wavetank(RADIX).statistics
        self.assertEqual(with_timeline["kernels"], without["kernels"])
        self.assertEqual(with_timeline["run"], without["run"])

    def test_untimed_launches_have_no_slice_of_their_own(self):
        statistics, timeline = self.run_with(RADIX, "--timed-kernels", "permute")
        self.assertEqual({name for _, _, name, _ in timeline.slices["launches"]}, {"permute"})
        self.assertEqual(len(timeline.slices["launches"]), statistics["run"]["launches"])

    def test_the_functional_model_has_commands_only(self):
        result = on_wavetank(RADIX, "functional", options=["--timeline", self.path])
        self.assert_passed(result, "functional")
        self.assertFalse(Timeline(self.path).counters)


if __name__ == "__main__":
    unittest.TestCase.maxDiff = None
    main()
