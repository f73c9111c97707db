# SPDX-License-Identifier: MIT
"""Random kernels: declarations, control flow, every address space, barriers and atomics without races.

Each work-item has a record of its own in global memory for results, and a region of its own to read and write. Items of a
group exchange values through memory between barriers: each writes its own part, then all read. Shared counters are
changed by atomics of one commutative kind each, and read after a barrier or by the host. Functions whose result is not
exact feed nothing but their own result, whose comparison allows them their error.
"""
from expressions import INT, Expressions, Place
from kernel import COUNTERS, INPUT_REALS, INPUT_WORDS, OWN_BYTES, TABLE, Kernel, Slot, round_up
from tree import INTEGERS, REALS, Block, Node, Statement, Type, make, say, text

# name: (error in ulp for float and double, arguments). Source: OpenCL C 1.2, section 7.4.
DOMAIN = {
    "small": "FIT_{0}({{}}) * 0.000244140625{1}",            # -16 to 16
    "unit": "FIT_{0}({{}}) * 0.0000152587890625{1}",         # -1 to 1
    "positive": "fabs(FIT_{0}({{}})) * 0.000244140625{1} + 0.0625{1}",
    "one": "fabs(FIT_{0}({{}})) + 1.0{1}",
}
INEXACT = {
    "sin": (4, ["small"]), "cos": (4, ["small"]), "tan": (5, ["unit"]), "asin": (4, ["unit"]), "acos": (4, ["unit"]),
    "atan": (5, ["small"]), "atan2": (6, ["positive", "positive"]), "sinh": (4, ["small"]), "cosh": (4, ["small"]),
    "tanh": (5, ["small"]), "asinh": (4, ["small"]), "acosh": (4, ["one"]), "exp": (3, ["small"]), "exp2": (3, ["small"]),
    "exp10": (3, ["small"]), "expm1": (3, ["small"]), "log": (3, ["positive"]), "log2": (3, ["positive"]),
    "log10": (3, ["positive"]), "log1p": (2, ["positive"]), "pow": (16, ["positive", "small"]),
    "powr": (16, ["positive", "small"]), "cbrt": (2, ["small"]), "rsqrt": (2, ["positive"]),
    "hypot": (4, ["positive", "positive"]), "sinpi": (4, ["unit"]), "cospi": (4, ["unit"]), "asinpi": (5, ["unit"]),
    "acospi": (5, ["unit"]), "atanpi": (5, ["small"]), "sqrt": (3, ["positive"]), "divide": (3, ["small", "positive"]),
}

# A loop around a compare-and-swap. Products modulo 2^32 do not depend on the order.
MULTIPLY = "{ int was, now; do { was = *(volatile %s int *)(%s); now = (int)((uint)was * ((uint)"
MULTIPLY_END = " | 1u)); } while (atomic_cmpxchg(%s, was, now) != was); }"


class Statements(Expressions):
    """Makes one kernel."""

    def __init__(self, random, features, name):
        super().__init__(random, features)
        self.kernel = Kernel(name)
        self.numbers = 0
        self.loops = 0
        self.may_return = False
        self.in_loop = False
        self.in_function = False
        self.depth = features.depth

    def fresh(self, word):
        self.numbers += 1
        return "%s%d_%s" % (word, self.numbers, self.kernel.name)

    def declare(self, template, *values):
        self.kernel.declarations.parts.append(say(template, *values))

    # ---- places ----

    def add_place(self, kind, parts, can_write=True, weight=2):
        self.places.append(Place(kind, parts, can_write, weight))

    def value_for(self, kind):
        """What may be assigned to a place of this type."""
        if kind.is_real:
            return self.fitted(kind, self.depth)
        return self.expression(kind, self.depth)

    def index(self, count):
        """An expression below count."""
        self.nesting += 1
        node = self.expression(Type(self.some_base(["int", "uint", "uchar", "short"])), 2 - self.nesting)
        self.nesting -= 1
        if count & (count - 1) == 0:
            return make(INT, "(int)({} & %d)" % (count - 1), node)
        return make(INT, "(int)((uint){} %% %du)" % count, node)

    def add_scalars(self):
        for name, base in (("a", "int"), ("b", "uint"), ("c", "long"), ("item", "uint"), ("member", "uint"), ("group", "uint")):
            if base in self.bases:
                self.add_place(Type(base), name, can_write=False)
        for call in ("get_global_id", "get_local_id", "get_group_id", "get_global_size", "get_local_size", "get_num_groups",
                     "get_global_offset"):
            if self.chance(40):
                axis = self.random.randrange(4 if call.endswith("_id") else 3)
                self.add_place(Type("uint"), "((uint)%s(%d))" % (call, axis), False, 1)

    def add_variable(self):
        kind = self.some_type()
        name = self.fresh("v")
        self.declare("%s %s = {};" % (kind.name, name), self.value_for(kind))
        self.add_place(kind, name, weight=4)
        if kind.width > 1 and self.chance(60):
            element = self.random.randrange(kind.width)
            self.add_place(Type(kind.base), "%s.s%x" % (name, element))
        if kind.width in (4, 8, 16) and self.chance(30):
            half = self.pick(["lo", "hi", "even", "odd"])
            self.add_place(kind.wide(kind.width // 2), "%s.%s" % (name, half))

    def add_array(self):
        """In private memory, with an index that is known only when it runs."""
        kind = self.some_type()
        count = self.pick([3, 4, 5, 8, 16] if kind.bytes <= 8 else [2, 3, 4])
        name = self.fresh("p")
        parts = ["%s %s[%d] = {" % (kind.name, name, count)]
        for number in range(count):
            parts += [", "] * (number > 0) + [self.leaf(kind)]
        self.kernel.declarations.parts.append(Statement(parts + ["};"]))
        self.add_place(kind, lambda: [name + "[", self.index(count), "]"], weight=4)

    def add_structure(self):
        """A structure type; a variable, and an array of it in private memory."""
        fields = [(self.fresh("f"), self.some_type()) for _ in range(self.random.randrange(2, 6))]
        name, variable, array = self.fresh("S"), self.fresh("s"), self.fresh("t")
        count = self.pick([2, 3, 4])
        lines = "".join("    %s %s;\n" % (kind.name, field) for field, kind in fields)
        self.kernel.preamble.parts.append(Statement(["struct %s {\n%s};" % (name, lines)]))

        def values():
            parts = ["{"]
            for number, (_, kind) in enumerate(fields):
                parts += [", "] * (number > 0) + [self.leaf(kind)]
            return parts + ["}"]

        self.kernel.declarations.parts.append(Statement(["struct %s %s = " % (name, variable)] + values() + [";"]))
        parts = ["struct %s %s[%d] = {" % (name, array, count)]
        for number in range(count):
            parts += [", "] * (number > 0) + values()
        self.kernel.declarations.parts.append(Statement(parts + ["};"]))
        for field, kind in fields:
            self.add_place(kind, "%s.%s" % (variable, field))
            self.add_place(kind, lambda field=field: [array + "[", self.index(count), "]." + field])
        self.add_own_structure(name, fields)

    def add_own_structure(self, name, fields):
        """The same structure in the item's own global memory, reached with negative offsets too. Its padding stays: a
        vector of three may be written as four."""
        align = max(kind.bytes for _, kind in fields)
        size = 0
        for _, kind in fields:
            size = round_up(size, kind.bytes) + kind.bytes
        size, count = round_up(size, align), 3
        start = round_up(self.kernel.own_bytes, align)
        if start + count * size > OWN_BYTES or any(kind.is_real or kind.width == 3 for _, kind in fields):
            return
        self.kernel.own_bytes = start + count * size
        pointer = self.fresh("g")
        self.declare("global struct %s *%s = (global struct %s *)(own + %d) + 1;" % (name, pointer, name, start))
        for field, kind in fields:
            for index in range(-1, count - 1):
                self.add_place(kind, "%s[%d].%s" % (pointer, index, field), weight=1)

    def add_own(self):
        """A pointer into the middle of a part of the item's own region of global memory."""
        kind = self.some_type(self.pick([width for width in self.features.widths if width != 3]))
        count = 16 if kind.bytes <= 8 else 4
        start = round_up(self.kernel.own_bytes, kind.bytes)
        if start + count * kind.bytes > OWN_BYTES:
            return
        self.kernel.own_bytes = start + count * kind.bytes
        name, half = self.fresh("o"), count // 2
        self.declare("global %s *%s = (global %s *)(own + %d) + %d;" % (kind.name, name, kind.name, start, half))
        if kind.is_real:  # what the host put there are no numbers
            self.kernel.declarations.parts[-1].parts += [
                " for (int k = -%d; k < %d; k++) %s[k] = " % (half, half, name), self.leaf(kind), ";"]
        self.add_place(kind, lambda: [name + "[", self.index(count), " - %d]" % half], weight=3)
        for _ in range(2):
            offset = self.random.randrange(-half, half)
            self.add_place(kind, "%s[%d]" % (name, offset))

    def add_input(self):
        """A pointer into the middle of an input."""
        kind = self.some_type(self.pick([width for width in self.features.widths if width != 3]))
        start, length = {"float": (0, 4 * INPUT_REALS), "double": (4 * INPUT_REALS, 8 * INPUT_REALS)}.get(
            kind.base, (0, 4 * INPUT_WORDS))
        count = length // kind.bytes
        name, half, slack = self.fresh("i"), count // 2, min(16, count // 4)
        self.declare("global const %s *%s = (global const %s *)(%s + %d) + %d + (item & %d);" % (
            kind.name, name, kind.name, "reals" if kind.is_real else "words", start, half, slack - 1))
        most = half - slack
        power = 1 << (most.bit_length() - 1)
        self.add_place(kind, lambda: [name + "[", self.index(power), " - %d]" % power], False, 2)
        self.add_place(kind, lambda: [name + "[", self.index(power), "]"], False, 1)
        for _ in range(3):
            offset = self.random.randrange(-half, most)
            self.add_place(kind, "%s[%d]" % (name, offset), False, 1)
        # Of bytes that are not aligned clang makes wide loads for SI as though they were.
        if kind.width == 1 and kind.element_bytes >= 4 and self.features.vectors:
            width = self.pick(self.features.vector_widths)
            self.add_place(kind.wide(width), lambda: [
                "vload%d(" % width, self.index(power // 16 or 1), ", %s - %d)" % (name, half)], False, 2)

    def add_constants(self):
        if "int" in self.bases:
            self.add_place(INT, lambda: ["table[", self.index(TABLE), "]"], False)
        kind = Type(self.some_base(INTEGERS), self.pick(self.features.widths))
        name, count = self.fresh("K"), self.pick([4, 7, 16])
        items = ", ".join(text(self.literal(kind)) for _ in range(count))
        self.kernel.preamble.parts.append(Statement(["constant %s %s[%d] = {%s};" % (kind.name, name, count, items)]))
        self.add_place(kind, lambda: [name + "[", self.index(count), "]"], False)

    # ---- functions of the program's own ----

    def add_function(self):
        kind, name = self.some_type(), self.fresh("call")
        parameters = [self.some_type() for _ in range(self.random.randrange(1, 4))]
        names = [self.fresh("x") for _ in parameters]
        saved, self.places = self.places, []
        saved_state = (self.may_return, self.in_function, self.kernel.declarations)
        self.may_return, self.in_function, self.kernel.declarations = False, True, Block()
        for parameter, own_name in zip(parameters, names):
            self.add_place(parameter, own_name, weight=4)
        self.add_variable()
        body = self.block(2, 2)
        result = self.fitted(kind, self.depth) if kind.is_real else self.expression(kind, self.depth)
        declarations = self.kernel.declarations
        self.may_return, self.in_function, self.kernel.declarations = saved_state
        self.places = saved
        head = "%s%s %s(%s)\n" % ("__attribute__((noinline)) " if self.features.calls and self.chance(40) else "", kind.name,
                                  name, ", ".join("%s %s" % (p.name, n) for p, n in zip(parameters, names)))
        inside = Block(declarations.parts + [Statement([body], True), say("return {};", result)])
        self.kernel.preamble.parts.append(Statement([head, inside]))
        self.functions.append((kind, name, parameters))

    # ---- statements ----

    def block(self, count, level):
        return Block([self.statement(level) for _ in range(self.random.randrange(1, count + 1))])

    def statement(self, level):
        forms = [self.assignment] * 6 + [self.update] * 2 + [self.element] * 1
        if not self.in_function:
            forms += [self.result] * 5 + [self.inexact] * self.features.inexact + [self.count] * self.features.atomics
        if level > 0:
            forms += [self.branch] * 3 + [self.loop] * 2 + [self.countdown] + [self.switch]
        if self.in_loop:
            forms += [self.leave]
        if self.may_return and self.chance(8):
            return say("if ({}) return;", self.condition(1))
        return self.pick(forms)(level)

    def written(self):
        places = [place for place in self.places if place.can_write]
        return self.random.choices(places, [place.weight for place in places])[0] if places else None

    def assignment(self, _level):
        place = self.written()
        if place is None:
            return Statement([";"])
        return Statement(place.make_parts() + [" = ", self.value_for(place.type), ";"])

    def update(self, _level):
        """An operator with assignment, where it cannot overflow."""
        places = [place for place in self.places if place.can_write and not place.type.is_real]
        if not places:
            return self.assignment(0)
        place = self.pick(places)
        wraps = place.type.base in ("uint", "ulong") or (place.type.width > 1 and not place.type.is_signed)
        signs = ["^=", "&=", "|="] + (["+=", "-=", "*="] if wraps else [])
        return Statement(place.make_parts() + [" %s " % self.pick(signs), self.expression(place.type, self.depth - 1), ";"])

    def element(self, level):
        """Several elements of a vector at once."""
        found = [p for p in self.places if p.can_write and p.type.width >= 4 and p.weight == 4]
        if not found:
            return self.assignment(level)
        place = self.pick(found)
        order = self.random.sample(range(place.type.width), 2)
        value = self.value_for(place.type.wide(2))
        return Statement(place.make_parts() + [".s%x%x = " % tuple(order), value, ";"])

    def branch(self, level):
        if self.chance(50):
            return say("if ({}) {}", self.condition(2), self.block(3, level - 1), can_unwrap=True)
        return say("if ({}) {} else {}", self.condition(2), self.block(3, level - 1), self.block(3, level - 1), can_unwrap=True)

    def inside_loop(self, level, template, *values):
        saved, self.in_loop = self.in_loop, True
        body = self.block(3, level - 1)
        self.in_loop = saved
        return say(template, *values, body, can_unwrap=True)

    def trip(self):
        """How often a loop runs: the same for all, or not."""
        if self.chance(40):
            return Node(INT, [str(self.random.randrange(1, 6))])
        return self.index(8 if self.loops < 2 else 4)

    def loop_variable(self):
        name = self.fresh("n")
        self.declare("int %s = 0;" % name)
        return name

    def loop(self, level):
        name, trip = self.loop_variable(), self.trip()
        if "int" in self.bases:
            self.add_place(INT, name, can_write=False)
        self.loops += 1
        made = self.inside_loop(level, "for (%s = 0; %s < {}; %s++) {}" % (name, name, name), trip)
        self.loops -= 1
        bound = self.fresh("m")  # taken once: what it is made of may be written inside
        self.declare("int %s = 0;" % bound)
        made.parts[1:2] = [bound]
        made.parts[:0] = ["%s = (int)" % bound, trip, "; "]
        return made

    def countdown(self, level):
        name, trip = self.loop_variable(), self.trip()
        self.loops += 1
        saved, self.in_loop = self.in_loop, True
        body = self.block(3, level - 1)
        self.in_loop = saved
        self.loops -= 1
        if self.chance(50):
            return say("%s = {}; while (%s-- > 0) {}" % (name, name), trip, body, can_unwrap=True)
        return say("%s = {}; do {} while (--%s > 0);" % (name, name), trip, body, can_unwrap=True)

    def leave(self, _level):
        return say("if ({}) %s;" % self.pick(["break", "continue"]), self.condition(1))

    def switch(self, level):
        parts = ["switch (", self.index(8), ") {\n"]
        saved, self.in_loop = self.in_loop, False
        for value in self.random.sample(range(8), self.random.randrange(2, 5)):
            parts += ["case %d: " % value, self.block(2, level - 1), " break;\n" if self.chance(75) else "\n"]
        if self.chance(60):
            parts += ["default: ", self.block(2, level - 1), "\n"]
        self.in_loop = saved
        return Statement(parts + ["}"], can_unwrap=True)

    # ---- results ----

    def add_slot(self, kind, ulp):
        kernel = self.kernel
        offset = round_up(kernel.record_bytes, kind.bytes)
        kernel.record_bytes = offset + kind.bytes
        kernel.slots.append(Slot(kind, offset, ulp))
        return offset

    def store_result(self, kind, ulp, node):
        offset = self.add_slot(kind, ulp)
        if kind.width > 1 and (kind.width == 3 or self.chance(30)):
            return say("vstore%d({}, 0, (global %s *)(record + %d));" % (kind.width, kind.base, offset), node)
        return say("*(global %s *)(record + %d) = {};" % (kind.name, offset), node)

    def result(self, _level=0):
        if len(self.kernel.slots) > 24:
            return self.assignment(0)
        kind = self.some_type()
        if kind.is_real and self.chance(40):  # what is put into other expressions is cut to a small range
            return self.store_result(kind, 0, self.to_real(kind, self.depth - 1))
        return self.store_result(kind, 0, self.expression(kind, self.depth))

    def inexact(self, _level=0):
        bases = [base for base in REALS if base in self.bases]
        if not bases or len(self.kernel.slots) > 24:
            return self.assignment(0)
        kind = Type(self.pick(bases), self.pick([1, 1, 2, 4]) if self.features.vectors else 1)
        name = self.pick(sorted(INEXACT))
        ulp, domains = INEXACT[name]
        if name in ("divide", "sqrt") and (kind.base == "double" or self.features.exact_division):
            ulp = 0
        suffix = "f" if kind.base == "float" else ""
        arguments = [make(kind, DOMAIN[domain].format(kind.base, suffix), self.fitted(kind, self.depth - 1))
                     for domain in domains]
        if name == "divide":
            return self.store_result(kind, ulp, make(kind, "({}) / ({})", *arguments))
        return self.store_result(kind, ulp, make(kind, "%s(%s)" % (name, ", ".join(["{}"] * len(arguments))), *arguments))

    # ---- sharing ----

    ATOMICS = (("add", "atomic_add(%s, {});"), ("add", "atomic_sub(%s, {});"),
               ("add", "atomic_inc(%s); if ({} == 5) atomic_dec(%s);"),
               ("and", "atomic_and(%s, {});"), ("or", "atomic_or(%s, {});"), ("xor", "atomic_xor(%s, {});"),
               ("min", "atomic_min(%s, {});"), ("max", "atomic_max(%s, {});"), ("multiply", None))
    KINDS = ("add", "and", "or", "xor", "min", "max", "multiply")

    def atomic(self, array, space):
        """One change of one of the counters that its kind may change, four for each kind."""
        operation, template = self.pick(self.ATOMICS)
        first = 4 * self.KINDS.index(operation)
        fixed = "&%s[%d]" % (array, first + self.random.randrange(4))
        if operation == "multiply":
            return Statement([MULTIPLY % (space, fixed), self.expression(INT, 2), MULTIPLY_END % fixed])
        if template.count("%s") == 2:
            return say(template % (fixed, fixed), self.expression(INT, 2))
        return say(template % ("&%s[%d + {}]" % (array, first)), self.index(4), self.expression(INT, 2))

    def count(self, _level=0):
        return self.atomic("shared", "global")

    def group_counters(self):
        """Counters in local memory: cleared, changed by all, read by all."""
        name = self.fresh("c")
        self.declare("local int %s[%d];" % (name, COUNTERS))
        statements = Block([self.atomic(name, "local") for _ in range(self.random.randrange(1, 4))])
        offset = self.add_slot(INT, 0)
        return Statement(["for (uint k = member; k < %d; k += %d) %s[k] = (int)(k * 77777u);\n    " % (
            COUNTERS, self.kernel.group_items, name), "barrier(CLK_LOCAL_MEM_FENCE);\n    ", statements,
            "\n    barrier(CLK_LOCAL_MEM_FENCE);\n    *(global int *)(record + %d) = %s[" % (offset, name), self.index(28), "];",
            "\n    barrier(CLK_LOCAL_MEM_FENCE);"])

    def exchange(self):
        """Each writes its own elements, then all read any."""
        name, items = self.fresh("l"), self.kernel.group_items
        kind = self.some_type()
        own = self.pick([1, 2, 4])
        while kind.bytes * own * items > 8192:
            kind, own = Type(self.some_base(INTEGERS)), 1
        total = own * items
        fence = "CLK_LOCAL_MEM_FENCE"
        if self.chance(25) and self.kernel.dynamic_bytes == 0 and kind.bytes <= 16:
            self.kernel.dynamic_bytes = total * kind.bytes
            self.declare("local %s *%s = (local %s *)dynamic;" % (kind.name, name, kind.name))
        elif self.chance(25) and self.kernel.dimensions == 1 and kind.width != 3 and \
                round_up(self.kernel.own_bytes, kind.bytes) + own * kind.bytes <= OWN_BYTES:
            return self.exchange_in_global(name, kind, own)
        else:
            self.declare("local %s %s[%d];" % (kind.name, name, total))
        return self.exchange_through(name, kind, own, "%s[member * %du + (uint)" % (name, own), "%s[" % name, fence)

    def exchange_in_global(self, name, kind, own):
        """Through the regions of a group's items, which are apart in memory."""
        kernel = self.kernel
        start = round_up(kernel.own_bytes, kind.bytes)
        kernel.own_bytes = start + own * kind.bytes
        self.declare("global uchar *%s = own - member * %du + %d;" % (name, OWN_BYTES, start))
        at = "((global %s *)(%s + %%s * %du))[" % (kind.name, name, OWN_BYTES)
        return self.exchange_through(name, kind, own, at % "member" + "(uint)", None, "CLK_GLOBAL_MEM_FENCE")

    def exchange_through(self, name, kind, own, mine, all_of, fence):
        items = self.kernel.group_items
        initial = self.fitted(kind, 1) if kind.is_real else self.expression(kind, 1)
        saved = list(self.places)
        self.add_place(kind, lambda: [mine, self.index(own), "]"], weight=20)
        before = self.block(3, 1)
        self.places = list(saved)
        if all_of is not None:
            self.add_place(kind, lambda: [all_of, self.index(own * items), "]"], False, weight=20)
        else:
            self.add_place(kind, lambda: ["((global %s *)(%s + " % (kind.name, name), self.index(items),
                                               " * %du))[" % OWN_BYTES, self.index(own), "]"], False, weight=20)
        after = self.block(4, 1)
        after.parts.append(self.store_result(kind, 0, self.read(kind)))
        self.places = saved
        barrier = "\n    barrier(%s);\n    " % fence
        return Statement(["for (uint k = 0; k < %du; k++) %sk] = " % (own, mine), initial, ";\n    ", before, barrier, after,
                          barrier])

    def repeated(self, inner):
        """A statement with barriers, perhaps in a loop that all items take alike. (Not in a branch: there PoCL 3.1 runs
        what the first item does before the barrier twice.)"""
        if self.chance(70):
            return inner
        name = self.loop_variable()
        trip = self.pick(["2", "3", "(a & 3)", "(int)(b & 1u) + 1"])
        return Statement(["for (%s = 0; %s < %s; %s++) " % (name, name, trip, name), Block([inner])])

    # ---- the whole ----

    def geometry(self):
        kernel, random = self.kernel, self.random
        kernel.dimensions = random.choice([1, 1, 2, 3])
        sizes = {1: [1, 3, 17, 33, 63, 64, 65, 100, 128, 200, 256], 2: [1, 2, 3, 5, 8, 11, 16], 3: [1, 2, 3, 4, 5]}
        for axis in range(kernel.dimensions):
            kernel.local[axis] = random.choice(sizes[kernel.dimensions])
            kernel.groups[axis] = random.choice([1, 2, 3, 5])
            kernel.offset[axis] = random.choice([0, 0, 1, 7, 1000])
        while kernel.items > 640:
            axis = max(range(3), key=lambda axis: kernel.groups[axis] * kernel.local[axis])
            if kernel.groups[axis] > 1:
                kernel.groups[axis] -= 1
            else:
                kernel.local[axis] = (kernel.local[axis] + 1) // 2

    def make_kernel(self):
        features = self.features
        self.geometry()
        self.add_scalars()
        for _ in range(features.functions):
            self.add_function()
        self.add_constants()
        adders = [self.add_input] * 3 + [self.add_own] * features.own + [self.add_array] * features.arrays + \
            [self.add_structure] * features.structures + [self.add_variable] * self.random.randrange(3, 7)
        self.random.shuffle(adders)
        for add in adders:
            add()
        body = self.kernel.body.parts
        for _ in range(features.exchanges):
            body += self.block(3, 2).parts
            body.append(self.repeated(self.exchange()))
            if features.atomics and self.chance(50):
                body.append(self.repeated(self.group_counters()))
        self.may_return = True
        for _ in range(features.statements):
            body.append(self.statement(3))
        for place in [p for p in self.places if p.can_write and p.weight == 4][:6]:
            if len(self.kernel.slots) < 32:
                body.append(self.store_result(place.type, 0, self.read(place.type)))
        kernel = self.kernel
        kernel.record_bytes = round_up(kernel.record_bytes, 128)
        return kernel
