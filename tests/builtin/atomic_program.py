#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The atomic functions of OpenCL C 3.0 in all their forms: every type, object in global and local memory, expected values
in each address space; alone against Python's arithmetic, and with a thousand work-items at once."""
import sys

import numpy

from builtin_support import SCALARS, Session

ORDERS = ("", "memory_order_seq_cst", "memory_order_relaxed, memory_scope_device",
          "memory_order_acq_rel, memory_scope_work_group", "order, scope")
FETCHES = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
    "and": lambda a, b: a & b, "min": min, "max": max,
}


def call(function, arguments, order, pairs=False):
    """The call of one form; a load may not release, a store may not acquire; two orders for a compare."""
    if not order:
        return "atomic_%s(%s)" % (function, arguments)
    words = order.split(", ")
    if "load" in function:
        words[0] = words[0].replace("acq_rel", "acquire")
    if "store" in function or "clear" in function:
        words[0] = words[0].replace("acq_rel", "release")
    if pairs:
        second = words[0].replace("acq_rel", "acquire")
        words[:1] = [words[0], second]
    return "atomic_%s_explicit(%s, %s)" % (function, arguments, ", ".join(words))


class Script:
    """Statements of a kernel, and what they should leave in `out`."""

    def __init__(self, scalar):
        self.scalar, self.lines, self.wanted = scalar, [], []
        self.bits = SCALARS[scalar](0).itemsize * 8
        self.value = 0

    def wrap(self, value):
        if self.scalar in ("float", "double"):
            return value
        value &= (1 << self.bits) - 1
        return value - (1 << self.bits) if self.scalar in ("int", "long") and value >> (self.bits - 1) else value

    def result(self, expression, wanted):
        self.lines.append("*out++ = %s;" % expression)
        self.wanted.append(wanted)

    def literal(self, value):
        return "(%s)%s" % (self.scalar, repr(value) if value >= 0 else "(%r)" % value)

    def see(self):
        self.result(call("load", "object", "memory_order_relaxed, memory_scope_work_item"), self.value)

    def set(self, value):
        self.value = self.wrap(value)

    def plain(self, order):
        big = 3.5 if self.scalar in ("float", "double") else (1 << (self.bits - 2)) + 5
        self.lines.append(call("store", "object, " + self.literal(big), order) + ";")
        self.set(big)
        self.result(call("load", "object", order), self.value)
        self.result(call("exchange", "object, " + self.literal(7), order), self.value)
        self.set(7)
        self.see()

    def fetch(self, name, order, operand):
        self.result(call("fetch_" + name, "object, " + self.literal(operand), order), self.value)
        self.set(FETCHES[name](self.value, operand))
        self.see()

    def compare(self, kind, space, order):
        """Once with the value there, once with another."""
        for there in (True, False):
            expected = self.value if there else self.wrap(self.value + 1)
            desired = self.wrap(self.value * 3 + 1)
            self.lines.append("*%s_expected = %s;" % (space, self.literal(expected)))
            self.result(call("compare_exchange_" + kind, "object, %s_expected, %s" % (space, self.literal(desired)),
                             order, pairs=True), 1 if there else 0)
            self.result("*%s_expected" % space, self.value)
            if there:
                self.value = desired
            self.see()


def script_of(scalar):
    script = Script(scalar)
    script.lines.append("atomic_init(object, (%s)1);" % scalar)
    script.set(1)
    script.see()
    for order in ORDERS if scalar == "int" else ORDERS[:-1]:  # clang takes its time over an order known at run time only
        script.plain(order)
        if scalar not in ("float", "double"):
            for place, name in enumerate(FETCHES):
                script.fetch(name, order, (11, 29, 96, 1023, 6, 5, 77)[place])
        script.plain(order)
        for kind in ("strong", "weak"):
            for space in ("global", "local", "private"):
                script.compare(kind, space, order)
    return script


KERNEL = """
__kernel void NAME(__global TYPE *out, __global TYPE *memory, memory_order order, memory_scope scope)
{
    __local TYPE local_memory[2];
    TYPE kept;
    __global TYPE *global_expected = memory + 1;
    __local TYPE *local_expected = local_memory + 1;
    __private TYPE *private_expected = &kept;
    volatile SPACE atomic_TYPE *object = (volatile SPACE atomic_TYPE *)MEMORY;
    BODY
}
"""
COUNT = """
__kernel void count(__global int *all, volatile __global atomic_flag *flag, __global int *guarded)
{
    __local atomic_int sum;
    __local atomic_flag local_flag;
    int seen = get_local_id(0) == 0;

    if (seen) {
        atomic_init(&sum, 0);
        atomic_flag_clear(&local_flag);
    }
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&sum, 1, memory_order_relaxed, memory_scope_work_group);
    if (!atomic_flag_test_and_set(&local_flag))
        atomic_fetch_add((volatile __global atomic_int *)all + 2, 1);
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    if (get_local_id(0) == 5)
        atomic_fetch_add((volatile __global atomic_int *)all, atomic_load(&sum));
    int expected = all[1];
    while (!atomic_compare_exchange_weak((volatile __global atomic_int *)all + 1, &expected, expected + 2))
        ;
    if (get_local_id(0) == 0) {
        while (atomic_flag_test_and_set_explicit(flag, memory_order_acquire, memory_scope_device))
            ;
        *guarded = *(volatile __global int *)guarded + 1;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
        atomic_flag_clear_explicit(flag, memory_order_release, memory_scope_device);
    }
}

__kernel void flags(__global int *out, volatile __global atomic_flag *flag)
{
    *out++ = atomic_flag_test_and_set(flag);
    *out++ = atomic_flag_test_and_set_explicit(flag, memory_order_acquire);
    atomic_flag_clear(flag);
    *out++ = atomic_flag_test_and_set_explicit(flag, memory_order_acquire, memory_scope_device);
    atomic_flag_clear_explicit(flag, memory_order_release);
    *out++ = atomic_flag_test_and_set(flag);
    atomic_flag_clear_explicit(flag, memory_order_release, memory_scope_work_group);
    *out++ = atomic_flag_test_and_set(flag);
}

/* uintptr_t takes a ptrdiff_t. */
__kernel void pointers(__global ulong *out, volatile __global atomic_uintptr_t *object)
{
    atomic_init(object, 1000);
    *out++ = atomic_fetch_sub(object, (ptrdiff_t)-5);
    *out++ = atomic_fetch_add_explicit(object, (ptrdiff_t)-7, memory_order_relaxed, memory_scope_device);
    *out++ = atomic_load(object);
    atomic_store((volatile __global atomic_size_t *)object, (size_t)9);
    *out++ = atomic_fetch_or((volatile __global atomic_size_t *)object, (size_t)6);
    *out++ = atomic_exchange((volatile __global atomic_ptrdiff_t *)object, (ptrdiff_t)2);
    *out++ = atomic_fetch_max((volatile __global atomic_intptr_t *)object, (intptr_t)44);
    *out++ = atomic_load(object);
}
"""


def contend(session, program):
    totals, flag, guarded = (numpy.zeros(size, numpy.int32) for size in (3, 1, 1))
    session.run(program.count, (1024,), (128,), totals, flag, guarded)
    session.expect("count", totals, numpy.array([1024, 2048, 8], numpy.int32))
    session.expect("guarded", guarded, numpy.array([8], numpy.int32))
    out = numpy.zeros(5, numpy.int32)
    session.run(program.flags, (1,), (1,), out, flag)
    session.expect("flags", out, numpy.array([0, 1, 0, 0, 0], numpy.int32))
    out = numpy.zeros(7, numpy.uint64)
    session.run(program.pointers, (1,), (1,), out, numpy.zeros(1, numpy.uint64))
    session.expect("pointers", out, numpy.array([1000, 1005, 998, 9, 15, 2, 44], numpy.uint64))
    return 4


def main():
    session = Session(sys.argv[1])
    scripts, source = {}, COUNT
    for scalar in ("int", "uint", "long", "ulong", "float", "double"):
        for space in ("global", "local"):
            name = "%s_%s" % (space, scalar)
            scripts[name] = script_of(scalar)
            source += (KERNEL.replace("NAME", name).replace("TYPE", scalar).replace("SPACE", "__" + space)
                       .replace("MEMORY", "memory" if space == "global" else "local_memory")
                       .replace("BODY", "\n    ".join(scripts[name].lines)))
    program = session.build(source, ["-cl-std=CL3.0"])
    checks = contend(session, program)
    for name, script in scripts.items():
        kind = SCALARS[script.scalar]
        out, memory = numpy.zeros(len(script.wanted), kind), numpy.zeros(2, kind)
        session.run(getattr(program, name), (1,), (1,), out, memory, numpy.uint32(5), numpy.uint32(2))
        session.expect(name, out, numpy.array(script.wanted, kind))
        checks += len(script.wanted)
    session.finish(checks)


main()
