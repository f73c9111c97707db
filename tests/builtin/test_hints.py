#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What machine code says of orders and scopes, read from the disassembly of the built-in library's functions in kernels."""
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "programs"))
sys.path.insert(0, HERE)
import hinted  # noqa: E402
from wavetank_tests import WAVETANK, ProgramTest, execute, main  # noqa: E402


class Hints(ProgramTest):
    """Each atomic on global memory has one hint, which is that of its order and scope, and is the next access behind it."""

    def test_every_function_order_and_scope(self):
        every = list(hinted.cases())
        self.assertGreater(len(every), 400)
        for some, options in ((every, ()), (every[::9], ("-cl-opt-disable",))):
            with tempfile.TemporaryDirectory() as folder:
                source = os.path.join(folder, "hinted.cl")
                with open(source, "w", encoding="utf-8") as stream:
                    stream.write("".join(case.source for case in some))
                result = execute([WAVETANK, "disasm", source, "-cl-std=CL3.0", *options])
            self.assert_passed(result, "disassembly")
            bodies = hinted.bodies(result.output)
            wrong = ["%s: %s" % (case.name, hinted.complaint(case, bodies[case.name])) for case in some
                     if hinted.complaint(case, bodies[case.name])]
            self.assertEqual(wrong, [], options)

    def test_orders_that_are_no_constants(self):
        """A switch: each access behind a hint of its own, of the scope of its own code."""
        result = execute([WAVETANK, "disasm", "--kernel", "order_of_the_host", os.path.join(HERE, "orders.cl"), "-cl-std=CL3.0"])
        self.assert_passed(result, "order_of_the_host")
        body = [line for line in next(iter(hinted.bodies(result.output).values()))
                if line.startswith("s_nop 0x5a") or hinted.is_access(line)]
        pairs = [(hint, access) for hint, access in zip(body, body[1:]) if hint.startswith("s_nop")]
        self.assertEqual(sorted(hint for hint, _ in pairs), sorted("s_nop 0x5a%d%d" % (order, scope)
                                                                    for order in (0, 1, 1) for scope in (1, 2, 3)))
        for hint, access in pairs:
            self.assertTrue(access.startswith("buffer_load_"), access)
            self.assertEqual(" glc" in access, not hint.endswith("1"), (hint, access))

    def test_remote_scope(self):
        """remote.cl has one operation of each kind: what it says, and the access right behind."""
        result = execute([WAVETANK, "disasm", "--kernel", "each", os.path.join(HERE, "..", "litmus", "remote.cl"),
                          "-cl-std=CL3.0", "-I" + os.path.join(HERE, "..", "..", "include")])
        self.assert_passed(result, "remote.cl")
        body = [line for line in next(iter(hinted.bodies(result.output).values()))
                if line.startswith(("s_nop 0x5a", "buffer_")) and "wbinvl1" not in line]
        pairs = [(hint[6:], access.split()[0]) for hint, access in zip(body, body[1:]) if hint.startswith("s_nop")]
        orders = {"acquire": "0x5a16", "release": "0x5a26", "both": "0x5a36"}
        self.assertEqual(pairs, [(orders[order], "buffer_" + access) for order, access in (
            ("acquire", "load_dword"), ("release", "store_dword"), ("acquire", "atomic_swap"), ("release", "atomic_add"),
            ("both", "atomic_sub"), ("acquire", "atomic_or"), ("release", "atomic_xor"), ("both", "atomic_and"),
            ("acquire", "atomic_umin"), ("release", "atomic_umax"), ("both", "atomic_cmpswap"),
            ("release", "atomic_cmpswap"), ("both", "atomic_smin"))])

    def test_fences(self):
        for kernel, hints in (("device_fence", ["0x5ab2"]), ("release_fence", ["0x5aa2"]), ("acquire_fence", ["0x5a93"]),
                              ("work_group_fence", []), ("local_barrier", []), ("device_barrier", ["0x5aa2", "0x5a92"])):
            result = execute([WAVETANK, "disasm", "--kernel", kernel, os.path.join(HERE, "orders.cl"), "-cl-std=CL3.0"])
            self.assert_passed(result, kernel)
            self.assertEqual(re.findall(r"s_nop (0x5a\w+)", result.output), hints, kernel)


if __name__ == "__main__":
    main()
