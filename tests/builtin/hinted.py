# SPDX-License-Identifier: MIT
"""Kernels with one standard atomic each: every function, order and scope, on words and double words, plain and with more live
values than registers. What the machine code must say of each is known here; test_builtins.py reads it."""
import re

ORDERS = {"relaxed": 0, "acquire": 1, "release": 2, "acq_rel": 3, "seq_cst": 3}
LOAD_ORDERS = {"relaxed": 0, "acquire": 1, "seq_cst": 1}
STORE_ORDERS = {"relaxed": 0, "release": 2, "seq_cst": 2}
SCOPES = {"work_group": 1, "device": 2, "all_svm_devices": 3}
FETCHES = ("add", "sub", "or", "xor", "and", "min", "max")
TYPES = ("int", "ulong")
KEPT = 24  # values kept alive over the access, in kernels with fewer registers

# A name, what it calls, what the access becomes, its orders.
FUNCTIONS = [
    ("load", "out[i] = atomic_load_explicit(a + i, %s)", r"buffer_load_", LOAD_ORDERS),
    ("store", "atomic_store_explicit(a + i, x, %s)", r"buffer_store_", STORE_ORDERS),
    ("exchange", "out[i] = atomic_exchange_explicit(a + i, x, %s)", r"buffer_atomic_swap", ORDERS),
]
FUNCTIONS += [("fetch_" + name, "out[i] = atomic_fetch_%s_explicit(a + i, x, %%s)" % name,
               r"buffer_atomic_[su]?" + name, ORDERS) for name in FETCHES]
FUNCTIONS += [("compare_" + kind, "out[i] = atomic_compare_exchange_%s_explicit(a + i, &y, x, memory_order_%%s)" % kind,
               r"buffer_atomic_cmpswap", ORDERS) for kind in ("strong", "weak")]
FLAGS = [
    ("test_and_set", "out[i] = atomic_flag_test_and_set_explicit(f + i, %s)", r"buffer_atomic_swap", ORDERS),
    ("clear", "atomic_flag_clear_explicit(f + i, %s)", r"buffer_store_", STORE_ORDERS),
]
SHORT = {"load": ("out[i] = atomic_load(a + i)", 1), "store": ("atomic_store(a + i, x)", 2),
         "fetch_add": ("out[i] = atomic_fetch_add(a + i, x)", 3),
         "exchange": ("out[i] = atomic_exchange(a + i, x)", 3),
         "compare_strong": ("out[i] = atomic_compare_exchange_strong(a + i, &y, x)", 3)}


def arguments(function, order, scope):
    """What follows the object and its value: of a comparison the order of its failure too."""
    if function.startswith("compare"):
        failure = {"release": "relaxed", "acq_rel": "acquire"}.get(order, order)
        return "%s, memory_order_%s, memory_scope_%s" % (order, failure, scope)
    return "memory_order_%s, memory_scope_%s" % (order, scope)


def kernel(name, space, scalar, statement, presses):
    """One with `presses` has more values than the vector registers that it may use."""
    if space == "local":
        objects = "volatile __local atomic_%s *a, volatile __local atomic_flag *f" % scalar
    else:
        objects = "volatile __global atomic_%s *a, volatile __global atomic_flag *f" % scalar
    before = after = attribute = ""
    if presses:
        attribute = "__attribute__((amdgpu_num_vgpr(%d))) " % KEPT
        before = "".join("int r%d = in[i + %d * k]; " % (n, n) for n in range(KEPT))
        after = "".join("in[i + %d * k] = r%d + k; " % (n, n) for n in range(KEPT))
    return ("%s__kernel void %s(%s, __global %s *out, volatile __global int *in, int k)\n"
            "{ int i = get_global_id(0); %s x = in[i], y = in[i + 1]; %s%s; %s}\n"
            % (attribute, name, objects, scalar, scalar, before, statement, after))


class Case:
    def __init__(self, name, space, scalar, statement, access, hint, presses=False):
        self.name, self.access, self.hint, self.presses = name, access, hint, presses
        self.source = kernel(name, space, scalar, statement, presses)


def cases():
    for scalar in TYPES:
        for function, statement, access, orders in FUNCTIONS + (FLAGS if scalar == "int" else []):
            for order, number in orders.items():
                for scope, reach in SCOPES.items():
                    call, hint = statement % arguments(function, order, scope), 0x5a00 | number << 4 | reach
                    yield Case("_".join((function, order, scope, scalar)), "global", scalar, call, access, hint)
                    if scalar == "int" and scope != "all_svm_devices":
                        yield Case("_".join((function, order, scope, "pressed")), "global", scalar, call, access, hint, True)
            yield Case(function + "_local_" + scalar, "local", scalar,
                       statement % arguments(function, list(orders)[-1], "device"), None, None)
    for function, (statement, number) in SHORT.items():
        access = next(row[2] for row in FUNCTIONS if row[0] == function)
        yield Case("short_" + function, "global", "int", statement, access, 0x5a00 | number << 4 | 2)


def bodies(disassembly):
    """The instructions of each kernel, as text."""
    parts = re.split(r"^kernel (\w+).*$", disassembly, flags=re.MULTILINE)
    return {name: re.findall(r"^ +[0-9a-f]{6} +(?:[0-9a-f]{8} )+ *(.*)$", text, flags=re.MULTILINE)
            for name, text in zip(parts[1::2], parts[2::2])}


def is_access(instruction):
    """Of vector memory; spilled registers go through a descriptor, not by a 64-bit address."""
    return instruction.startswith("buffer_") and not instruction.startswith("buffer_wbinvl1") and "addr64" in instruction


def complaint(case, body):
    """What is wrong with the machine code of a case, or None."""
    hints = [place for place, instruction in enumerate(body) if instruction.startswith("s_nop 0x5a")]
    if case.hint is None:
        return "hints on local memory" if hints else None
    if len(hints) != 1:
        return "%d hints" % len(hints)
    if body[hints[0]] != "s_nop 0x%x" % case.hint:
        return "the hint is %s, not %#x" % (body[hints[0]], case.hint)
    behind = next((instruction for instruction in body[hints[0]:] if is_access(instruction)), "nothing")
    if not re.match(case.access, behind):
        return "the hint is before " + behind
    if case.presses and not any(i.startswith("buffer_") and not is_access(i) and "wbinvl1" not in i for i in body):
        return "no register was spilled"
    return None
