#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What does an image cost a kernel? Its format is chosen when the image is made, so that code and instructions do not depend
on how many formats there are: an access is its coordinates' arithmetic and one formatted buffer instruction."""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "programs"))
from wavetank_tests import WAVETANK, ProgramTest, execute, main, on_wavetank  # noqa: E402

READS = 16
INSTRUCTION = re.compile(r"^  [0-9a-f]{6}  ([0-9a-f ]{17})  (\w+)", re.M)


class Cost(ProgramTest):
    def instructions(self, source):
        """(bytes, mnemonic) of each instruction of a program of one kernel."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kernel.cl")
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(source)
            result = execute([WAVETANK, "disasm", path])
        self.assert_passed(result, "disasm")
        return [(4 * len(words.split()), name) for words, name in INSTRUCTION.findall(result.output)]

    def test_instructions_do_not_depend_on_the_format(self):
        result = on_wavetank([sys.executable, os.path.join(HERE, "image_cost_program.py"), "Wavetank"], "functional")
        self.assert_passed(result, "image_cost_program.py")
        counts = {}
        for name, instructions in result.kernels():
            counts.setdefault(name, []).append(instructions)
        plain = counts.pop("plain")[0]
        self.assertEqual(sorted(counts), ["copy", "read", "write"])
        for name, each in counts.items():
            self.assertGreater(len(each), 30, "too few formats")
            self.assertEqual(len(set(each)), 1, "%s: %s" % (name, each))
        # beside a kernel without images: the address of an element, and whether it is inside
        self.assertLessEqual(counts["read"][0], 30)
        self.assertLessEqual(counts["write"][0], 30)
        self.assertLessEqual(counts["copy"][0], plain + 20)
        self.assertLessEqual(counts["read"][0], plain + 10)

    def test_a_read_is_one_load(self):
        code = self.instructions("kernel void k(read_only image2d_t image, global float4 *out)"
                                 "{ out[get_global_id(0)] = read_imagef(image, (int2)(get_global_id(0), 1)); }")
        names = [name for _, name in code if name.startswith("buffer_")]
        self.assertEqual(names, ["buffer_load_format_xyzw", "buffer_store_dwordx4"])
        self.assertFalse([name for _, name in code if "branch" in name])

    def test_the_code_of_many_reads_is_small(self):
        reads = "".join("sum += read_imagef(image, at + (int2)(%d, %d)); " % (i % 4, i // 4) for i in range(READS))
        code = self.instructions("kernel void k(read_only image2d_t image, global float4 *out)"
                                 "{ int2 at = (int2)(get_global_id(0), get_global_id(1)); float4 sum = 0.0f; " + reads +
                                 "out[at.x] = sum; }")
        loads = [name for _, name in code if name.startswith("buffer_load_format")]
        self.assertEqual(len(loads), READS)
        self.assertLess(sum(size for size, _ in code), READS * 128)


if __name__ == "__main__":
    if subprocess.run([sys.executable, "-c", "import pyopencl"], capture_output=True, check=False).returncode:
        sys.exit(77)
    main()
