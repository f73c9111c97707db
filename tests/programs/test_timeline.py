# SPDX-License-Identifier: MIT
"""What a timeline says is what the statistics say."""
import os
import tempfile
import unittest

from perfetto import Timeline
from wavetank_tests import ProgramTest, main, on_wavetank, program_path, stacks

HISTOGRAM = [program_path("workloads", "histogram"), "--size", "256"]  # two launches, barriers, atomics on local memory
RADIX = [program_path("workloads", "radix_sort"), "--size", "1024"]


class Timelines(ProgramTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "timeline")
        self.addCleanup(self.folder.cleanup)

    def run_with(self, program, *options):
        result = on_wavetank(program, options=["--timeline", self.path, *options])
        self.assert_passed(result, options)
        return result.statistics, Timeline(self.path)


class TimelineTest(Timelines):
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


class DetailTest(Timelines):
    """Instructions and accesses of a part: nested without gaps, and their sums are the statistics."""

    def detail(self, selection, *options, program=HISTOGRAM):
        return self.run_with(program, "--timeline-detail", selection, *options)

    def tracks(self, timeline, word):
        return {name: slices for name, slices in timeline.nested.items() if name.startswith("CU ") and " %s " % word in name}

    def assert_nested(self, slices):
        """Each lies in the one around it, behind the one before; a journey's parts and a wavefront's instructions leave no gap."""
        inside = {}
        for row in slices:
            inside.setdefault(row[5], []).append(row)
        for around, rows in inside.items():
            for before, after in zip(rows, rows[1:]):
                self.assertLessEqual(before[2], after[1], after)
            if around is None:
                continue
            depth, begin, end, name, notes, _ = slices[around]
            self.assertTrue(begin <= rows[0][1] and rows[-1][2] <= end, name)
            if depth == 0:
                self.assertEqual((rows[0][1], rows[-1][2]), (begin, end), name)
                self.assertTrue(all(a[2] == b[1] for a, b in zip(rows, rows[1:])), name)
                self.assertEqual(sum(row[4]["cycles"] for row in rows), notes["cycles"], name)

    def test_all_of_it_is_what_the_statistics_are(self):
        statistics, timeline = self.detail("all")
        sums, launches = statistics["run"]["sums"], timeline.slices["launches"]
        times, instructions, parts, answers = {}, 0, {}, {}
        for slices in self.tracks(timeline, "slot").values():
            self.assert_nested(slices)
            instructions += sum(depth == 1 for depth, *_ in slices)
            times["all"] = times.get("all", 0) + sum(notes["cycles"] for depth, _, _, _, notes, _ in slices if depth == 1)
            for depth, _, _, name, notes, _ in slices:
                if depth == 2:
                    times[name] = times.get(name, 0) + notes["cycles"]
            self.assertTrue(all(any(b <= begin and end <= e for b, e, *_ in launches) for depth, begin, end, *_ in slices if depth == 0))
        self.assertEqual(instructions, statistics["run"]["instructions"])
        counted = {path.rsplit(".", 1)[1]: cycles for path, cycles in sums.items() if path.startswith("cu.wavefront_time.")}
        self.assertEqual(times["all"], sum(counted.values()))
        del times["all"], counted["go"]
        self.assertEqual(times, {name: cycles for name, cycles in counted.items() if cycles})
        accesses = 0
        for slices in self.tracks(timeline, "access").values():
            self.assert_nested(slices)
            for depth, _, _, name, notes, around in slices:
                if depth == 0:
                    accesses += 1
                    answers[name] = answers.get(name, 0) + (notes.get("last") == "yes")
                elif slices[around][4].get("last") == "yes":
                    key = (slices[around][3], name)
                    parts[key] = parts.get(key, 0) + notes["cycles"]
        stacked = stacks(sums)
        self.assertEqual(parts, {(kind, part): cycles for kind, stack in stacked.items() for part, cycles in stack["parts"].items() if cycles})
        self.assertEqual(answers, {kind: stack["instructions"] for kind, stack in stacked.items() if stack["instructions"]})
        self.assertEqual(accesses, sum(sums["cu.%s_accesses" % kind] for kind in ("load", "store", "atomic")))

    def test_a_part_of_it(self):
        _, everything = self.detail("all")
        _, timeline = self.detail("launch=1,group=0,wave=0")
        waves = [slices for slices in self.tracks(timeline, "slot").values()]
        self.assertEqual([[row[3] for row in slices if row[0] == 0] for slices in waves], [[waves[0][0][3]]])
        self.assertRegex(waves[0][0][3], r"^\w+ 0:0:0 wave 0$")
        begin, end = everything.slices["launches"][0][:2]
        self.assertTrue(begin <= waves[0][0][1] and waves[0][0][2] <= end)
        same = everything.nested[next(iter(self.tracks(timeline, "slot")))]
        start = next(i for i, row in enumerate(same) if row[:2] == waves[0][0][:2])
        self.assertEqual([row[:5] for row in waves[0]], [row[:5] for row in same[start:start + len(waves[0])]])
        accesses = [row for slices in self.tracks(timeline, "access").values() for row in slices if row[0] == 0]
        self.assertTrue(accesses)
        self.assertEqual({row[4]["of"] for row in accesses}, {waves[0][0][3]})
        address = accesses[0][4]["address"]
        _, timeline = self.detail("launch=1,address=%d-%d" % (address, address))
        self.assertEqual({row[4]["address"] for slices in self.tracks(timeline, "access").values() for row in slices if row[0] == 0}, {address})
        unit = next(iter(self.tracks(timeline, "access"))).split()[1]
        _, timeline = self.detail("cu=%s,kernel=count_values" % unit)
        self.assertEqual({name.rsplit(" ", 2)[0] for name in timeline.nested if name.startswith("CU")}, {"CU " + unit})
        self.assertEqual({row[3].split()[0] for slices in self.tracks(timeline, "slot").values() for row in slices if row[0] == 0}, {"count_values"})

    def test_no_statistic_changes(self):
        with_detail, timeline = self.detail("all", "--build-options", "-g")
        without = on_wavetank(HISTOGRAM, options=["--build-options", "-g"]).statistics
        self.assertEqual(with_detail["kernels"], without["kernels"])
        self.assertEqual(with_detail["run"], without["run"])
        self.assertNotIn("profile", with_detail)
        places = [row[4].get("source", "") for slices in self.tracks(timeline, "slot").values() for row in slices if row[0] == 1]
        self.assertTrue(all(".cl:" in place for place in places[:20]), places[:20])

    def test_barriers_and_local_memory_are_waited_for(self):
        program = [program_path("workloads", "matrix_transpose"), "--size", "96"]
        _, timeline = self.detail("cu=0", program=program)
        self.assertTrue(self.tracks(timeline, "slot"))
        for slices in self.tracks(timeline, "slot").values():
            for depth, _, _, name, _, around in slices:
                if depth == 2 and name == "barrier":
                    self.assertEqual(slices[around][3], "s_barrier")

    def test_what_is_wrong_is_said_first(self):
        for options, message in ((["--timeline", self.path, "--timeline-detail", "grup=1"], "'grup=1' selects no part of a launch"),
                                 (["--timeline-detail", "all"], "without --timeline"),
                                 (["--timeline", self.path, "--timeline-detail", "launch=0"], "selects no part")):
            result = on_wavetank(HISTOGRAM, options=options)
            self.assertNotEqual(result.status, 0)
            self.assertIn(message, result.errors)
        result = on_wavetank(HISTOGRAM, "functional", options=["--timeline", self.path, "--timeline-detail", "all"])
        self.assertEqual((result.status, "needs the timed model" in result.errors), (2, True), result.errors)


if __name__ == "__main__":
    unittest.TestCase.maxDiff = None
    main()
