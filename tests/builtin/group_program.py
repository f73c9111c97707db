#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Functions that ask about or join work-items: 6.12.1, 6.12.8, 6.12.9, the atomics of OpenCL 1.0 and 1.1 (6.12.11 and
cl_khr_int64_*), and OpenCL C 3.0's of a work-group and of a sub-group, for every type, against numpy."""
import sys

import numpy

from builtin_support import SCALARS, Session

ITEMS = 100  # of a group: a wavefront and a part of one
GROUPS = 3
LANES = 64
GROUP_TYPES = ("int", "uint", "long", "ulong", "half", "float", "double")
ASK = """
kernel void ask(global ulong *out)
{
    ulong place = ((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + get_global_id(1) - get_global_offset(1)) *
                      get_global_size(0) + get_global_id(0) - get_global_offset(0);
    global ulong *o = out + place * 40;
    for (uint d = 0; d < 4; d++) {
        o[d] = get_global_id(d);
        o[4 + d] = get_local_id(d);
        o[8 + d] = get_group_id(d);
        o[12 + d] = get_global_size(d);
        o[16 + d] = get_local_size(d);
        o[20 + d] = get_num_groups(d);
        o[24 + d] = get_global_offset(d);
        o[28 + d] = get_enqueued_local_size(d);
    }
    o[32] = get_work_dim();
    o[33] = get_global_linear_id();
    o[34] = get_local_linear_id();
}
"""
FENCES = ("barrier(CLK_LOCAL_MEM_FENCE)", "work_group_barrier(CLK_LOCAL_MEM_FENCE)",
          "work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_device)",
          "mem_fence(CLK_LOCAL_MEM_FENCE); barrier(0)", "write_mem_fence(CLK_LOCAL_MEM_FENCE); barrier(0); read_mem_fence(CLK_LOCAL_MEM_FENCE)",
          "atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group); barrier(0)")
TURN = """
kernel void turn_NUMBER(global const uint *in, global uint *out)
{
    local uint room[256];
    uint i = get_local_id(0), n = get_local_size(0), first = get_group_id(0) * n;
    room[i] = in[first + i];
    FENCE;
    out[first + i] = room[n - 1 - i];
}
"""
SUB_FENCES = ("sub_group_barrier(CLK_LOCAL_MEM_FENCE)", "sub_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_sub_group)")
SUB_TURN = """
kernel void sub_turn_NUMBER(global const uint *in, global uint *out)
{
    local uint room[256];
    uint i = get_sub_group_local_id(), n = get_sub_group_size(), first = get_sub_group_id() * get_max_sub_group_size();
    room[first + i] = in[get_global_id(0)];
    FENCE;
    out[get_global_id(0)] = room[first + n - 1 - i];
}
kernel void sub_ask_NUMBER(global uint *out)
{
    global uint *o = out + get_global_id(0) * 7;
    o[0] = get_sub_group_size(); o[1] = get_max_sub_group_size(); o[2] = get_num_sub_groups(); o[3] = get_enqueued_num_sub_groups();
    o[4] = get_sub_group_id(); o[5] = get_sub_group_local_id();
    o[6] = sub_group_all(get_local_id(0) < 70) + 2 * sub_group_any(get_local_id(0) == 70) +
           4 * work_group_all(get_local_id(0) < 100) + 8 * work_group_any(get_local_id(0) == 70);
}
"""
JOINT = """
kernel void KIND_TYPE(global const TYPE *in, global TYPE *out)
{
    uint i = get_global_id(0), n = get_global_size(0);
    TYPE v = in[i];
    out[i] = KIND_reduce_add(v); out[n + i] = KIND_reduce_min(v); out[2 * n + i] = KIND_reduce_max(v);
    out[3 * n + i] = KIND_scan_inclusive_add(v); out[4 * n + i] = KIND_scan_inclusive_min(v); out[5 * n + i] = KIND_scan_inclusive_max(v);
    out[6 * n + i] = KIND_scan_exclusive_add(v); out[7 * n + i] = KIND_scan_exclusive_min(v); out[8 * n + i] = KIND_scan_exclusive_max(v);
    out[9 * n + i] = BROADCAST;
}
"""
BROADCASTS = """
kernel void broadcasts_TYPE(global const TYPE *in, global TYPE *out)
{
    uint i = get_global_linear_id();
    out[3 * i] = work_group_broadcast(in[i], 2);
    out[3 * i + 1] = work_group_broadcast(in[i], 2, 1);
    out[3 * i + 2] = work_group_broadcast(in[i], 2, 1, 3);
}
"""
FLAG = """
kernel void flag(global uint *out)
{
    local atomic_flag f;
    atomic_flag_clear_explicit(&f, memory_order_release);
    out[0] = atomic_flag_test_and_set_explicit(&f, memory_order_acquire);
    out[1] = atomic_flag_test_and_set_explicit(&f, memory_order_acq_rel, memory_scope_work_group);
    atomic_flag_clear_explicit(&f, memory_order_relaxed, memory_scope_work_group);
    out[2] = atomic_flag_test_and_set(&f);
    out[3] = vec_step(char3) * 1000 + vec_step(half16) * 10 + vec_step(double2);
}
"""
OPERATIONS = {  # of the old and the operand
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "xchg": lambda a, b: b, "min": min, "max": max, "and": lambda a, b: a & b,
    "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "inc": lambda a, b: a + 1, "dec": lambda a, b: a - 1,
    "cmpxchg": lambda a, b: b,
}
ATOMIC = """
kernel void k_NAME_TYPE_SPACE(global TYPE *object, global TYPE *out)
{
    local TYPE room;
    room = *object;
    volatile SPACE TYPE *place = PLACE;
    out[0] = NAME(ARGUMENTS);
    out[1] = *place;
}
"""


def ask(session, program):
    size, local, offset = (6, 4, 4), (3, 2, 2), (5, 7, 9)
    out = numpy.zeros(6 * 4 * 4 * 40, numpy.uint64)
    session.run(program.ask, size, local, out, offset=offset)
    wanted = numpy.zeros((4, 4, 6, 40), numpy.uint64)
    for z, y, x in numpy.ndindex(4, 4, 6):
        o = wanted[z, y, x]
        for d, place in enumerate((x, y, z)):
            o[d], o[4 + d], o[8 + d] = place + offset[d], place % local[d], place // local[d]
            o[12 + d], o[16 + d], o[20 + d], o[24 + d], o[28 + d] = size[d], local[d], size[d] // local[d], offset[d], local[d]
        o[[15, 19, 23, 31]] = 1  # what has no such dimension
        o[32], o[33] = 3, (z * 4 + y) * 6 + x
        o[34] = (z % 2 * 2 + y % 2) * 3 + x % 3
    session.expect("work-item functions", out, wanted.ravel())


def turns(session, program):
    values = numpy.arange(ITEMS * GROUPS, dtype=numpy.uint32) * 7
    for number in range(len(FENCES)):
        out = numpy.zeros_like(values)
        session.run(getattr(program, "turn_%d" % number), values.shape, (ITEMS,), values, out)
        session.expect(FENCES[number], out, values.reshape(GROUPS, ITEMS)[:, ::-1].ravel())
    parts = [slice(first, min(first + LANES, ITEMS)) for first in range(0, ITEMS, LANES)]
    for number in range(len(SUB_FENCES)):
        out = numpy.zeros_like(values)
        session.run(getattr(program, "sub_turn_%d" % number), values.shape, (ITEMS,), values, out)
        session.expect(SUB_FENCES[number], out, numpy.concatenate([group[part][::-1] for group in values.reshape(GROUPS, ITEMS) for part in parts]))
    out = numpy.zeros((ITEMS, 7), numpy.uint32)
    session.run(program.sub_ask_0, (ITEMS,), (ITEMS,), out)
    wanted = [[LANES if i < LANES else ITEMS - LANES, LANES, 2, 2, i // LANES, i % LANES, (i < LANES) + 2 * (i >= LANES) + 4 + 8]
              for i in range(ITEMS)]
    session.expect("sub-group functions", out, numpy.array(wanted, numpy.uint32))
    return len(FENCES) + len(SUB_FENCES) + 2


def joint(session, program, kind, scalar, random):
    """Values are small whole numbers, so that sums are exact in every order."""
    values = random.integers(0, 7, ITEMS * GROUPS).astype(SCALARS[scalar])
    out = numpy.zeros(10 * len(values), SCALARS[scalar])
    session.run(getattr(program, "%s_%s" % (kind, scalar)), values.shape, (ITEMS,), values, out)
    is_float = values.dtype.kind == "f"
    least, most = (-numpy.inf, numpy.inf) if is_float else (numpy.iinfo(values.dtype).min, numpy.iinfo(values.dtype).max)
    wanted = numpy.zeros((10, len(values)), values.dtype)
    step = LANES if kind == "sub_group" else ITEMS
    for group in range(GROUPS):
        for first in range(0, ITEMS, step):
            part = slice(group * ITEMS + first, group * ITEMS + min(first + step, ITEMS))
            v = values[part]
            for row, (function, nothing) in enumerate(((numpy.add, 0), (numpy.minimum, most), (numpy.maximum, least))):
                scan = function.accumulate(v)
                wanted[row, part], wanted[3 + row, part] = scan[-1], scan
                wanted[6 + row, part] = numpy.concatenate([[nothing], scan[:-1]]).astype(values.dtype)
            wanted[9, part] = v[5]
    session.expect("%s functions of %s" % (kind, scalar), out, wanted.ravel())


def broadcasts(session, program, scalar, random):
    values = random.integers(0, 120, 3 * 2 * 4).astype(SCALARS[scalar])
    out = numpy.zeros(3 * len(values), SCALARS[scalar])
    session.run(getattr(program, "broadcasts_" + scalar), (3, 2, 4), (3, 2, 4), values, out)
    session.expect("work_group_broadcast of %s" % scalar, out, numpy.tile([values[2], values[5], values[3 * 6 + 5]], len(values)))


def atomics():
    """(function, type, space) of all."""
    for name in OPERATIONS:
        for space in ("global", "local"):
            for scalar in ("int", "uint") + (("float",) if name == "xchg" else ()):
                yield "atomic_" + name, scalar, space
            for scalar in ("int", "uint", "long", "ulong"):
                yield "atom_" + name, scalar, space


def atomic_source(name, scalar, space):
    arguments = {"inc": "place", "dec": "place", "cmpxchg": "place, (TYPE)77, (TYPE)5"}.get(name.split("_")[1], "place, (TYPE)5")
    return (ATOMIC.replace("ARGUMENTS", arguments).replace("NAME", name).replace("PLACE", "&room" if space == "local" else "object")
            .replace("SPACE", space).replace("TYPE", scalar))


def atomic(session, program, name, scalar, space):
    for begin in (77, 3):
        out = numpy.zeros(2, SCALARS[scalar])
        session.run(getattr(program, "k_%s_%s_%s" % (name, scalar, space)), (1,), (1,), numpy.array([begin], SCALARS[scalar]), out)
        operation = name.split("_")[1]
        after = begin if operation == "cmpxchg" and begin != 77 else OPERATIONS[operation](begin, 5)
        session.expect("%s(%s %s)" % (name, space, scalar), out, numpy.array([begin, after]).astype(SCALARS[scalar]))


def main():
    session = Session(sys.argv[1])
    random = numpy.random.default_rng(8)
    source = ASK + "".join(TURN.replace("NUMBER", str(i)).replace("FENCE;", fence + ";") for i, fence in enumerate(FENCES))
    source += "".join(SUB_TURN.replace("NUMBER", str(i)).replace("FENCE;", fence + ";") for i, fence in enumerate(SUB_FENCES))
    for kind, form in (("work_group", "work_group_broadcast(v, 5)"), ("sub_group", "sub_group_broadcast(v, 5)")):
        source += "".join(JOINT.replace("KIND", kind).replace("BROADCAST", form).replace("TYPE", scalar) for scalar in GROUP_TYPES)
    source += "".join(BROADCASTS.replace("TYPE", scalar) for scalar in GROUP_TYPES)
    program = session.build(source + FLAG, ["-cl-std=CL3.0"])
    ask(session, program)
    out = numpy.zeros(4, numpy.uint32)
    session.run(program.flag, (1,), (1,), out)
    session.expect("a flag in local memory; vec_step", out, numpy.array([0, 1, 0, 4162], numpy.uint32))
    checks = 2 + turns(session, program)
    for scalar in GROUP_TYPES:
        joint(session, program, "work_group", scalar, random)
        joint(session, program, "sub_group", scalar, random)
        broadcasts(session, program, scalar, random)
        checks += 3
    program = session.build("".join(atomic_source(*each) for each in atomics()))
    for each in atomics():
        atomic(session, program, *each)
        checks += 1
    session.finish(checks)


main()
