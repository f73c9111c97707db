# SPDX-License-Identifier: MIT
"""A profile's lines add up to the statistics, stand beside their source, and cost no cycle."""
import os
import tempfile
import unittest

from wavetank_tests import ProgramTest, main, on_wavetank, program_path, stacks

KINDS = ("valu", "salu", "smem", "vmem", "lds", "export", "branch", "internal")
VECTOR = ("valu", "vmem", "lds", "export")
# Their columns are called as the compute unit's statistics are.
SAME = ("load_lanes", "load_accesses", "store_lanes", "store_accesses", "atomic_lanes", "atomic_accesses", "lds_lanes", "lds_cycles",
        "lds_conflict_cycles", "smem_accesses")
FOUND = ("hits", "misses", "merges")


def workload(name, *arguments):
    return [program_path("workloads", name), *arguments]


def lines_of(statistics):
    return [line for kernel in statistics["profile"]["kernels"] for line in kernel["lines"]]


def wanted(statistics):
    """What each column must add up to."""
    sums = statistics["run"]["sums"]
    all_of = {"instructions": sum(sums["cu.instructions_" + kind] for kind in KINDS),
              "vector_instructions": sum(sums["cu.instructions_" + kind] for kind in VECTOR),
              "vector_lanes": sums["cu.lane_operations"] - sum(sums["cu.instructions_" + kind] for kind in ("salu", "smem", "branch")),
              "latency_instructions": sum(stack["instructions"] for stack in stacks(sums).values())}
    all_of.update({name: sums["cu." + name] for name in SAME})
    all_of.update({"l1_" + name: sums["cu.l1.load_" + name] for name in FOUND})
    all_of.update({"time_" + path.rsplit(".", 1)[1]: cycles for path, cycles in sums.items() if path.startswith("cu.wavefront_time.")})
    for stack in stacks(sums).values():
        for part, cycles in stack["parts"].items():
            all_of["latency_" + part] = all_of.get("latency_" + part, 0) + cycles
    return all_of


class ProfileTest(ProgramTest):
    def run_with(self, program, *options, settings=()):
        result = on_wavetank(program, options=["--profile", *options], settings=settings)
        self.assert_passed(result, program)
        return result

    def assert_adds_up(self, statistics):
        lines = lines_of(statistics)
        columns = [column["name"] for column in statistics["profile"]["columns"]]
        totals = {name: sum(line["values"].get(name, 0) for line in lines) for name in columns}
        below = [totals.pop("l2_" + name) for name in FOUND]
        self.assertEqual(totals, wanted(statistics))
        self.assertEqual(sum(below), totals["l1_misses"], "what L1 lacks is looked for in L2 once")

    def test_lines_add_up_to_the_statistics(self):
        """Local memory, barriers; scalar loads and atomics, many launches; merged misses and hits."""
        for program in (workload("matrix_transpose", "--size", "96"), workload("histogram", "--size", "6000"),
                        workload("radix_sort", "--size", "512")):
            for protocol in ("si", "moesi"):
                with self.subTest(program=program, protocol=protocol):
                    self.assert_adds_up(self.run_with(program, settings=["gpu.protocol=" + protocol]).statistics)

    def test_they_do_in_transactions_too(self):
        program = workload("local_bank", "--size", "128")
        self.assert_adds_up(self.run_with(program, settings=["gpu.transactional_memory=localtm"]).statistics)

    def test_no_statistic_changes(self):
        program = workload("matrix_transpose", "--size", "96")
        with_profile, without = self.run_with(program).statistics, on_wavetank(program).statistics
        for kernels in (with_profile["kernels"], without["kernels"]):
            for kernel in kernels:
                kernel.pop("code_object")  # with -g the program is another
        self.assertEqual(with_profile["kernels"], without["kernels"])
        self.assertEqual(with_profile["run"], without["run"])
        self.assertNotIn("profile", without)

    def test_each_line_has_what_it_does(self):
        """The tile is loaded in one line, stored in another, and between them is the barrier."""
        lines = {line["source"].strip(): line["values"] for line in lines_of(self.run_with(workload("matrix_transpose", "--size", "96")).statistics)
                 if line["source"]}
        load = lines["tile[y][x] = input[row * columns + column];"]
        store = lines["output[column * rows + row] = tile[x][y];"]
        barrier = lines["barrier(CLK_LOCAL_MEM_FENCE);"]
        self.assertEqual((load["load_lanes"], load.get("store_lanes", 0)), (96 * 96, 0))
        self.assertEqual((store["store_lanes"], store.get("load_lanes", 0)), (96 * 96, 0))
        self.assertGreater(load["time_vm"], 0)
        self.assertGreater(load["latency_dram"], 0)
        self.assertNotIn("time_vm", barrier)
        self.assertEqual({name for name, values in lines.items() if values.get("time_barrier", 0) > 0}, {"barrier(CLK_LOCAL_MEM_FENCE);"})
        self.assertEqual([name for name, values in lines.items() if values.get("time_stores", 0) > 0], ["}"], "the end waits for them")

    def test_the_text_stands_beside_the_source(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "profile")
            result = on_wavetank(workload("matrix_transpose", "--size", "96"), options=["--profile=" + path])
            self.assert_passed(result, "a file")
            with open(path, encoding="utf-8") as stream:
                text = stream.read()
        self.assertNotIn("profile of", result.errors, "it went to the file")
        self.assertIn("profile of transpose_tiled", text)
        loads = [line for line in text.splitlines() if "tile[y][x] =" in line]
        self.assertEqual(len(loads), 1, text)
        self.assertIn(" 64.0 ", loads[0])
        self.assertIn("vm ", loads[0])
        shown = [int(line[98:].split()[0]) for line in text.splitlines()[3:] if line[98:].strip()[:1].isdigit()]
        self.assertEqual(shown, list(range(shown[0], shown[-1] + 1)), "lines between are shown too")
        self.assertIn("profile of transpose_tiled", self.run_with(workload("matrix_transpose", "--size", "96")).errors)

    def test_untimed_launches_are_not_in_it(self):
        result = self.run_with(workload("radix_sort", "--size", "512"), "--timed-kernels", "permute")
        self.assertEqual({kernel["name"] for kernel in result.statistics["profile"]["kernels"]}, {"permute"})

    def test_the_functional_model_has_none(self):
        result = on_wavetank(workload("vector_add", "--size", "64"), "functional", options=["--profile"])
        self.assertEqual(result.status, 2)
        self.assertIn("--profile needs the timed model", result.errors)


if __name__ == "__main__":
    unittest.TestCase.maxDiff = None
    main()
