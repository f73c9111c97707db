# SPDX-License-Identifier: MIT
"""A kernel as the generators make it: its source, how it is launched, where its results lie."""
from tree import Block, text

INPUT_WORDS, INPUT_REALS, TABLE = 256, 128, 64  # elements: 32-bit words; floats, then as many doubles; integers
OWN_BYTES = 1024                                # of a work-item's region
COUNTERS = 32                                   # shared 32-bit integers


def round_up(value, multiple):
    return (value + multiple - 1) // multiple * multiple


class Slot:
    """A result in a work-item's record; ulp 0: equal bit by bit."""

    def __init__(self, kind, offset, ulp):
        self.type = kind
        self.offset = offset
        self.ulp = ulp


class Kernel:
    """A kernel and how it is launched."""

    def __init__(self, name):
        self.name = name
        self.dimensions = 1
        self.local = [1, 1, 1]
        self.groups = [1, 1, 1]
        self.offset = [0, 0, 0]
        self.slots = []
        self.record_bytes = 0
        self.dynamic_bytes = 0
        self.own_bytes = 0
        self.preamble = Block()  # structures, constant tables, functions
        self.declarations = Block()
        self.body = Block()

    @property
    def items(self):
        count = 1
        for axis in range(3):
            count *= self.local[axis] * self.groups[axis]
        return count

    @property
    def group_items(self):
        return self.local[0] * self.local[1] * self.local[2]

    def parts(self):
        """The trees that may be made smaller."""
        return [self.body, self.declarations, self.preamble]

    def source(self):
        lines = "".join(text(part) for part in self.preamble.parts)
        lines += SIGNATURE % {"name": self.name, "record": max(self.record_bytes, 16), "own": OWN_BYTES}
        lines += "".join(text(part, 1) for part in self.declarations.parts)
        return lines + "".join(text(part, 1) for part in self.body.parts) + "}\n\n"

    def launch_line(self):
        sizes = [l * g for l, g in zip(self.local, self.groups)]
        numbers = [self.dimensions] + sizes + self.local + self.offset
        numbers += [self.items * max(self.record_bytes, 16), self.items * OWN_BYTES, 4 * COUNTERS, max(self.dynamic_bytes, 16)]
        return "launch %s %s" % (self.name, " ".join(str(number) for number in numbers))

    def output_bytes(self):
        return (self.items * max(self.record_bytes, 16), self.items * OWN_BYTES, 4 * COUNTERS)


PRELUDE = """#pragma OPENCL FP_CONTRACT OFF
%(extensions)s#define FIT_float(x) (rint(clamp((x), -65536.0f, 65536.0f) * 16.0f) * 0.0625f + 0.0f)
#define FIT_double(x) (rint(clamp((x), -65536.0, 65536.0) * 16.0) * 0.0625 + 0.0)

"""
SIGNATURE = """kernel void %(name)s(global uchar *records, global uchar *own, global int *shared, global const uchar *words,
    global const uchar *reals, constant int *table, local int *dynamic, int a, uint b, long c)
{
    uint sx = get_global_size(0), sy = get_global_size(1);
    uint ix = get_global_id(0) - get_global_offset(0), iy = get_global_id(1) - get_global_offset(1);
    uint item = ((uint)(get_global_id(2) - get_global_offset(2)) * sy + iy) * sx + ix;
    uint member = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
    uint group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
    global uchar *record = records + item * %(record)du;
    own += item * %(own)du;
"""
