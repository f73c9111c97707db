# SPDX-License-Identifier: MIT
"""Random expressions of OpenCL C whose value is the same on every device that follows the specification.

Undefined and implementation-defined results are left out by construction: signed arithmetic is done on unsigned types,
divisors are positive, conversions from floating point are in range or saturate, and of every floating-point expression it
is known that it is a multiple of 2^low below 2^high. Source: Khronos, "The OpenCL C Specification" 1.2, sections 6.2
(conversions), 6.3 (operators), 6.12 (built-in functions).
"""
from tree import INTEGERS, REALS, SIGNED, Node, Type, make

# Exponents within which floating-point values stay.
LEAST = {"float": -120, "double": -1000}
MOST = {"float": 120, "double": 1000}
SUFFIX = {"float": "f", "double": ""}
PRECISION = {"float": 24, "double": 53}

FIT_LOW, FIT_HIGH = -4, 17  # what FIT gives: multiples of 1/16 up to 65536
INT = Type("int")
UINT = Type("uint")


def integer_text(kind, value):
    """A literal of a scalar integer type; value is taken modulo its size."""
    bits = 8 * kind.element_bytes
    value %= 1 << bits
    if bits == 64:
        return "((%s)0x%xul)" % (kind.base, value)
    if bits == 32:
        return "((%s)0x%xu)" % (kind.base, value)
    if kind.is_signed and value >> (bits - 1):
        value -= 1 << bits
    return "((%s)%d)" % (kind.base, value)


def constant(kind):
    """The simplest expression of a type."""
    if kind.is_real:
        return Node(kind, ["((%s)(1.0%s))" % (kind.name, SUFFIX[kind.base])], 0, 1)
    return Node(kind, ["((%s)(1))" % kind.name])


class Place:
    """Something that can be read, and perhaps written: fixed text, or parts with an index made for each use."""

    def __init__(self, kind, parts, can_write, weight=1):
        self.type = kind
        self.is_plain = isinstance(parts, str)
        self.make_parts = (lambda: [parts]) if self.is_plain else parts
        self.can_write = can_write
        self.weight = weight


class Expressions:
    """Makes expressions from a generator of random numbers, and the places that may be read now."""

    def __init__(self, random, features):
        self.random = random
        self.features = features
        self.places = []
        self.nesting = 0  # how many indices the expression that is made now stands in
        self.functions = []  # (result type, name, parameter types)
        self.bases = [base for base in INTEGERS + REALS if base in features.bases]

    # ---- choices ----

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def pick(self, choices):
        return choices[self.random.randrange(len(choices))]

    def some_base(self, choices):
        return self.pick([base for base in choices if base in self.bases] or ["int"])

    def some_type(self, width=None):
        base = self.pick(self.bases)
        if width is None:
            width = self.pick(self.features.widths)
        kind = Type(base, width)
        return kind if kind.bytes <= 64 else kind.wide(4)  # wider ones take long to compile

    # ---- leaves ----

    def literal_value(self, kind):
        bits = 8 * kind.element_bytes
        special = [0, 1, 2, 3, 7, -1, -2, 1 << (bits - 1), (1 << (bits - 1)) - 1, (1 << bits // 2) - 1, 1 << bits // 2]
        if self.chance(60):
            return self.pick(special)
        return self.random.getrandbits(bits) >> self.random.randrange(bits)

    def real_literal(self, kind):
        value = self.pick([0.0, 1.0, -1.0, 0.5, 2.0, 3.0, -7.25]) if self.chance(50) else \
            self.random.randrange(-(1 << 20), 1 << 20) / 1024.0
        return "%r%s" % (value, SUFFIX[kind.base])

    def literal(self, kind):
        element = Type(kind.base)
        if kind.width == 1 and not kind.is_real:
            return Node(kind, [integer_text(kind, self.literal_value(kind))])
        count = kind.width if kind.width > 1 and self.chance(60) else 1
        if kind.is_real:
            items = [self.real_literal(kind) for _ in range(count)]
            return Node(kind, ["((%s)(%s))" % (kind.name, ", ".join(items))], -10, 11)
        items = [integer_text(element, self.literal_value(element)) for _ in range(count)]
        return Node(kind, ["((%s)(%s))" % (kind.name, ", ".join(items))])

    def read(self, kind):
        """A place of that type, or None."""
        found = [place for place in self.places if place.type == kind]
        if self.nesting > 1:  # an index in an index has none of its own
            found = [place for place in found if place.is_plain]
        if not found:
            return None
        place = self.random.choices(found, [p.weight for p in found])[0]
        return Node(kind, place.make_parts(), -24 if kind.is_real else 0, 24 if kind.is_real else 0)

    def leaf(self, kind):
        if self.chance(75):
            node = self.read(kind)
            if node is not None:
                return node
            if kind.width > 1:
                scalar = self.read(Type(kind.base))
                if scalar is not None:
                    return make(kind, "((%s)({}))" % kind.name, scalar, low=scalar.low, high=scalar.high)
        return self.literal(kind)

    # ---- any type ----

    def expression(self, kind, depth):
        if depth <= 0 or self.chance(10):
            return self.leaf(kind)
        if kind.is_real:
            return self.within(self.real(kind, depth - 1))
        return self.integer(kind, depth - 1)

    def fitted(self, kind, depth):
        """A floating-point expression of small range."""
        node = self.expression(kind, depth)
        if node.low >= FIT_LOW and node.high <= FIT_HIGH:
            return node
        return make(kind, "FIT_%s({})" % kind.base, node, low=FIT_LOW, high=FIT_HIGH)

    def within(self, node):
        """The expression, cut where its values could leave the safe exponents."""
        limit = 2 * (PRECISION[node.type.base] if node.type.base == "float" else 53)
        if node.low >= LEAST[node.type.base] + limit and node.high <= MOST[node.type.base] - limit:
            return node
        return make(node.type, "FIT_%s({})" % node.type.base, node, low=FIT_LOW, high=FIT_HIGH)

    def condition(self, depth):
        """A scalar truth value."""
        choice = self.random.randrange(8)
        if choice == 0:
            return make(INT, "!{}", self.condition(depth - 1)) if depth > 0 else self.compare(Type("int"), 0)
        if choice == 1 and depth > 0:
            return make(INT, "({} %s {})" % self.pick(["&&", "||"]), self.condition(depth - 1), self.condition(depth - 1))
        if choice == 2 and self.features.vectors:
            kind = Type(self.some_base(SIGNED), self.pick(self.features.vector_widths))
            return make(INT, "(%s({}) != 0)" % self.pick(["any", "all"]), self.expression(kind, depth - 1))
        if choice == 3 and any(base in self.bases for base in REALS):
            kind = Type(self.some_base(REALS))
            name = self.pick(["isequal", "isnotequal", "isgreater", "isgreaterequal", "isless", "islessequal",
                              "islessgreater", "isordered", "isunordered"])
            return make(INT, "(%s({}, {}) != 0)" % name, self.expression(kind, depth - 1), self.expression(kind, depth - 1))
        return self.compare(self.some_type(1), depth - 1)

    def compare(self, kind, depth):
        sign = self.pick(["==", "!=", "<", ">", "<=", ">="])
        return make(kind.mask, "({} %s {})" % sign, self.expression(kind, depth), self.expression(kind, depth))

    def mask_for(self, kind, depth):
        """An integer vector whose elements are 0 or all ones, as wide as kind's."""
        bases = [base for base in self.bases if Type(base).element_bytes == kind.element_bytes]
        return self.compare(kind.of(self.pick(bases or [kind.base])), depth)

    def choose(self, kind, depth):
        """A choice between two expressions."""
        first, second = self.expression(kind, depth), self.expression(kind, depth)
        low, high = min(first.low, second.low), max(first.high, second.high)
        if kind.width == 1:
            if self.chance(30):
                selector = Type(SIGNED[(1, 2, 4, 8).index(kind.element_bytes)])
                return make(kind, "select({}, {}, (%s){})" % selector.name, first, second, self.condition(depth),
                            low=low, high=high)
            return make(kind, "((%s)({} ? {} : {}))" % kind.name, self.condition(depth), first, second, low=low, high=high)
        mask = self.mask_for(kind, depth)
        if self.chance(50):
            return make(kind, "select({}, {}, {})", second, first, mask, low=low, high=high)
        return make(kind, "({} ? {} : {})", mask, first, second, low=low, high=high)

    def rearrange(self, kind, depth):
        """Elements of other vectors of the same base; None where there is no form for the width."""
        random = self.random
        if kind.width == 1:
            source = kind.wide(self.pick(self.features.vector_widths))
            node = self.expression(source, depth)
            return make(kind, "({}).s%x" % random.randrange(source.width), node, low=node.low, high=node.high)
        forms = ["list", "swizzle"]
        if kind.width * 2 <= 16 and kind.width != 3 and kind.wide(2 * kind.width).width in (4, 8, 16):
            forms.append("half")
        if kind.width != 3:
            forms += ["shuffle", "shuffle2"]
        form = self.pick(forms)
        if form == "list":
            return self.vector_list(kind, depth)
        if form == "half":
            node = self.expression(kind.wide(2 * kind.width), depth)
            return make(kind, "({}).%s" % self.pick(["lo", "hi", "even", "odd"]), node, low=node.low, high=node.high)
        if form == "swizzle":
            source = kind.wide(self.pick(self.features.vector_widths))
            node = self.expression(source, depth)
            order = "".join("%x" % random.randrange(source.width) for _ in range(kind.width))
            return make(kind, "({}).s%s" % order, node, low=node.low, high=node.high)
        order = Type({1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}[kind.element_bytes], kind.width)
        source = kind.wide(self.pick([width for width in self.features.vector_widths if width != 3] or [2]))
        first = self.expression(source, depth)
        if self.chance(50):  # a constant order, as it is used most
            mask = Node(order, ["((%s)(%s))" % (order.name, ", ".join(str(random.randrange(32))
                                                                      for _ in range(kind.width)))])
        else:
            mask = self.expression(order, depth - 1)
        if form == "shuffle":
            return make(kind, "shuffle({}, {})", first, mask, low=first.low, high=first.high)
        second = self.expression(source, depth)
        return make(kind, "shuffle2({}, {}, {})", first, second, mask, low=min(first.low, second.low),
                    high=max(first.high, second.high))

    def vector_list(self, kind, depth):
        """(int4)(a, b.xy, c)."""
        parts, left, low, high = [], kind.width, 0, 0
        while left > 0:
            widths = [width for width in [1] + self.features.vector_widths if width <= left and width < kind.width]
            width = self.pick(widths)
            node = self.expression(kind.wide(width), depth - 1)
            parts += [", " if parts else "", node]
            low, high = min(low, node.low), max(high, node.high)
            left -= width
        return Node(kind, ["((%s)(" % kind.name] + parts + ["))"], low, high)

    def call(self, kind, depth):
        """A call of one of the program's own functions that gives this type, or None."""
        found = [function for function in self.functions if function[0] == kind]
        if not found:
            return None
        _, name, parameters = self.pick(found)
        parts = [name + "("]
        for index, parameter in enumerate(parameters):
            argument = self.fitted(parameter, depth - 1) if parameter.is_real else self.expression(parameter, depth - 1)
            parts += [", "] * (index > 0) + [argument]
        return Node(kind, parts + [")"], FIT_LOW if kind.is_real else 0, FIT_HIGH if kind.is_real else 0)

    def shared_form(self, kind, depth):
        """What integers and floating point have in common, or None."""
        choice = self.random.randrange(10)
        if choice < 3:
            return self.choose(kind, depth)
        if choice < 6 and self.features.vectors:
            return self.rearrange(kind, depth)
        if choice < 8:
            return self.call(kind, depth)
        return None

    # ---- integers ----

    def integer(self, kind, depth):
        if self.chance(25):
            node = self.shared_form(kind, depth)
            if node is not None:
                return node
        forms = [self.arithmetic] * 5 + [self.bits] * 3 + [self.shift] * 2 + [self.divide] + [self.function] * 5 + \
            [self.convert] * 4 + [self.truth] * 2
        return self.pick(forms)(kind, depth)

    def arithmetic(self, kind, depth):
        """+, -, *, modulo the size."""
        sign = self.pick(["+", "-", "*"])
        first, second = self.expression(kind, depth), self.expression(kind, depth)
        if kind.width > 1:
            other = kind.unsigned.name
            return make(kind, "as_%s(as_%s({}) %s as_%s({}))" % (kind.name, other, sign, other), first, second)
        other = "ulong" if kind.element_bytes == 8 else "uint"
        return make(kind, "(%s)((%s){} %s (%s){})" % (kind.name, other, sign, other), first, second)

    def bits(self, kind, depth):
        if self.chance(20):
            return make(kind, "((%s)(~{}))" % kind.name, self.expression(kind, depth))
        sign = self.pick(["&", "|", "^"])
        return make(kind, "((%s)({} %s {}))" % (kind.name, sign), self.expression(kind, depth), self.expression(kind, depth))

    def shift(self, kind, depth):
        """Counts are taken modulo the size; of a scalar that is promoted, they are made small."""
        count = self.expression(kind, depth - 1)
        first = self.expression(kind, depth)
        if kind.width == 1 and kind.element_bytes < 4:
            count = make(kind, "({} & %d)" % (8 * kind.element_bytes - 1), count)
        if self.chance(50):
            if kind.width > 1:
                other = kind.unsigned.name
                return make(kind, "as_%s(as_%s({}) << as_%s({}))" % (kind.name, other, other), first, count)
            return make(kind, "((%s)((%s){} << {}))" % (kind.name, kind.unsigned.name), first, count)
        return make(kind, "((%s)({} >> {}))" % kind.name, first, count)

    def divide(self, kind, depth):
        """By a positive divisor. Wide 64-bit divisions take long to compile."""
        if kind.width * kind.element_bytes > 16:
            return self.bits(kind, depth)
        sign = self.pick(["/", "%"])
        return make(kind, "((%s)({} %s (({} & (%s)0x3f) | (%s)1)))" % (kind.name, sign, kind.name, kind.name),
                    self.expression(kind, depth), self.expression(kind, depth - 1))

    def truth(self, kind, depth):
        if kind.width == 1:
            return make(kind, "((%s){})" % kind.name, self.condition(depth))
        if not kind.is_signed:
            mask = self.mask_for(kind, depth)
            return make(kind, "as_%s({})" % kind.name, mask)
        if self.chance(25):
            return make(kind, "({} %s {})" % self.pick(["&&", "||"]), self.expression(kind, depth),
                        self.expression(kind, depth))
        if self.chance(15):
            return make(kind, "(!{})", self.expression(kind, depth))
        return self.mask_for(kind, depth)

    def function(self, kind, depth):
        """A built-in function on integers."""
        def argument():
            return self.expression(kind, depth)

        signed = kind.of(SIGNED[(1, 2, 4, 8).index(kind.element_bytes)])
        name = self.pick(["abs", "abs_diff", "add_sat", "sub_sat", "hadd", "rhadd", "clamp", "clz", "popcount", "rotate",
                          "mul_hi", "mad_hi", "mad_sat", "min", "max", "mul24", "mad24", "upsample", "bitselect"])
        if name in ("abs", "abs_diff"):
            if kind.is_signed:
                name, arguments = "add_sat", [argument(), argument()]
            else:
                operand = self.pick([kind, signed])
                arguments = [self.expression(operand, depth) for _ in range(1 if name == "abs" else 2)]
            return make(kind, "%s(%s)" % (name, ", ".join(["{}"] * len(arguments))), *arguments)
        if name == "clamp":
            bounds = sorted(self.literal_value(kind) % (1 << (8 * kind.element_bytes - 1)) for _ in range(2))
            low, high = (integer_text(Type(kind.base), bound) for bound in bounds)
            return make(kind, "clamp({}, (%s)%s, (%s)%s)" % (kind.name, low, kind.name, high), argument())
        if name in ("mul24", "mad24"):
            return self.multiply_24(kind, depth, name)
        if name == "mad_hi" and kind.is_signed:  # its sum may overflow
            name = "mul_hi"
        if name == "upsample":
            return self.upsample(kind, depth)
        count = {"clz": 1, "popcount": 1, "mad_hi": 3, "mad_sat": 3, "bitselect": 3}.get(name, 2)
        return make(kind, "%s(%s)" % (name, ", ".join(["{}"] * count)), *[argument() for _ in range(count)])

    def multiply_24(self, kind, depth, name):
        """Operands that fit in 24 bits, products that fit in 31 where they are signed."""
        if kind.base not in ("int", "uint"):
            return self.arithmetic(kind, depth)
        small = "({} >> (%s)17)" % kind.name if kind.is_signed else "({} & (%s)0xffffff)" % kind.name
        template = "%s(%s, %s" % (name, small, small)
        operands = [self.expression(kind, depth), self.expression(kind, depth)]
        if name == "mad24":
            template += ", ({} >> (%s)2)" % kind.name
            operands.append(self.expression(kind, depth))
        return make(kind, template + ")", *operands)

    def upsample(self, kind, depth):
        half = {2: 0, 4: 1, 8: 2}.get(kind.element_bytes)
        if half is None:
            return self.bits(kind, depth)
        low = kind.of(("uchar", "ushort", "uint")[half])
        high = kind.of(SIGNED[half]) if kind.is_signed else low
        return make(kind, "upsample({}, {})", self.expression(high, depth), self.expression(low, depth))

    def convert(self, kind, depth):
        """From another type: by value or by bits."""
        if self.chance(25):
            return self.reinterpret(kind, depth)
        reals = [base for base in REALS if base in self.bases]
        if reals and self.chance(45):
            return self.from_real(kind, kind.of(self.pick(reals)), depth)
        source = kind.of(self.some_base(INTEGERS))
        if kind.width == 1 and self.chance(40):
            return make(kind, "((%s){})" % kind.name, self.expression(source, depth))
        return make(kind, "convert_%s%s({})" % (kind.name, self.pick(["", "_sat"])), self.expression(source, depth))

    def from_real(self, kind, source, depth):
        rounding = self.pick(["", "_rte", "_rtz", "_rtp", "_rtn"])
        if self.chance(50):
            return make(kind, "convert_%s_sat%s({})" % (kind.name, rounding), self.expression(source, depth))
        suffix = SUFFIX[source.base]
        most = {1: 100, 2: 30000}.get(kind.element_bytes, 65536)
        bounded = "clamp(FIT_%s({}), %s, %s)" % (source.base, "-%d.0%s" % (most, suffix) if kind.is_signed
                                                 else "0.0" + suffix, "%d.0%s" % (most, suffix))
        return make(kind, "convert_%s%s(%s)" % (kind.name, rounding, bounded), self.expression(source, depth))

    def reinterpret(self, kind, depth):
        """as_type from integers of as many bytes; vectors of three only from vectors of three."""
        sources = [Type(base, width) for base in INTEGERS if base in self.bases for width in [1] + self.features.vector_widths
                   if Type(base, width).element_bytes * width == kind.element_bytes * kind.width
                   and (width == 3) == (kind.width == 3)]
        return make(kind, "as_%s({})" % kind.name, self.expression(self.pick(sources or [kind]), depth))

    # ---- floating point ----

    def real(self, kind, depth):
        if self.chance(25):
            node = self.shared_form(kind, depth)
            if node is not None:
                return node
        forms = [self.real_arithmetic] * 6 + [self.real_function] * 4 + [self.to_real] * 3
        return self.pick(forms)(kind, depth)

    def real_arithmetic(self, kind, depth):
        first, second = self.expression(kind, depth), self.expression(kind, depth)
        low, high = min(first.low, second.low), max(first.high, second.high)
        choice = self.pick(["+", "-", "*", "fma", "/", "neg"])
        if choice == "neg":
            return make(kind, "(-{})", first, low=first.low, high=first.high)
        if choice == "*":
            return make(kind, "({} * {})", first, second, low=first.low + second.low, high=first.high + second.high)
        if choice == "fma":
            third = self.expression(kind, depth)
            return make(kind, "fma({}, {}, {})", first, second, third, low=min(first.low + second.low, third.low),
                        high=max(first.high + second.high, third.high) + 1)
        if choice == "/" and (kind.base == "double" or self.features.exact_division):
            second = make(kind, "(fabs(FIT_%s({})) + 1.0%s)" % (kind.base, SUFFIX[kind.base]), second)
            return make(kind, "({} / {})", first, second, low=first.low - 18 - PRECISION[kind.base], high=first.high)
        sign = "+" if choice == "/" else choice
        return make(kind, "({} %s {})" % sign, first, second, low=low, high=high + 1)

    def real_function(self, kind, depth):
        """A built-in function whose result is exact."""
        first = self.expression(kind, depth)
        name = self.pick(["fabs", "floor", "ceil", "trunc", "rint", "round", "fmin", "fmax", "min", "max", "clamp", "fdim",
                          "copysign", "step", "sign", "ldexp", "sqrt", "nextafter", "fmod"])
        suffix = SUFFIX[kind.base]
        if name == "rint":  # clang's expansion for double gives +0 for what rounds to -0
            return make(kind, "(rint({}) + 0.0%s)" % suffix, first, low=first.low, high=first.high + 1)
        if name in ("fabs", "floor", "ceil", "trunc", "round"):
            return make(kind, "%s({})" % name, first, low=first.low, high=first.high + 1)
        if name == "sign":
            return make(kind, "sign({})", first, low=0, high=1)
        if name == "ldexp":
            count = self.random.randrange(-8, 9)
            return make(kind, "ldexp({}, %d)" % count, first, low=first.low - 8, high=first.high + 8)
        if name == "clamp":
            return make(kind, "clamp({}, -3.5%s, 1000.0%s)" % (suffix, suffix), first, low=min(first.low, -1), high=first.high + 10)
        if name == "sqrt":
            if kind.base != "double" and not self.features.exact_division:
                return make(kind, "fabs({})", first, low=first.low, high=first.high)
            return make(kind, "sqrt(fabs({}))", first, low=first.low - PRECISION[kind.base], high=first.high)
        second = self.expression(kind, depth)
        low, high = min(first.low, second.low), max(first.high, second.high)
        if name in ("fmin", "fmax", "min", "max"):  # which zero they give is theirs to choose
            return make(kind, "(%s({}, {}) + 0.0%s)" % (name, suffix), first, second, low=low, high=high)
        if name == "nextafter":  # away from zero's neighbours
            return make(kind, "nextafter(FIT_%s({}) + 0.03125%s, FIT_%s({}))" % (kind.base, suffix, kind.base), first,
                        second, low=-6 - PRECISION[kind.base], high=FIT_HIGH + 1)
        if name == "fmod":
            return make(kind, "fmod(FIT_%s({}), fabs(FIT_%s({})) + 0.5%s)" % (kind.base, kind.base, suffix), first, second,
                        low=FIT_LOW, high=FIT_HIGH + 1)
        if name == "step":
            return make(kind, "step({}, {})", first, second, low=0, high=1)
        return make(kind, "%s({}, {})" % name, first, second, low=low, high=high + 1)

    def to_real(self, kind, depth):
        """From integers, from the other precision, or from bits."""
        other = kind.of("double" if kind.base == "float" else "float")
        rounding = self.pick(["", "", "_rte", "_rtz", "_rtp", "_rtn"])
        if other.base in self.bases and self.chance(35):
            node = self.expression(other, depth)
            if node.low < LEAST["float"] or node.high > MOST["float"]:
                node = make(other, "FIT_%s({})" % other.base, node, low=FIT_LOW, high=FIT_HIGH)
            return make(kind, "convert_%s%s({})" % (kind.name, rounding), node, low=node.low, high=node.high + 1)
        if kind.base == "float" and self.chance(20) and "uint" in self.bases:
            bits = self.expression(kind.of("uint"), depth)  # exponents from -15 to 0
            return make(kind, "as_%s(({} & (%s)0x87ffffff) + (%s)0x38000000)" % ((kind.name,) + 2 * (bits.type.name,)),
                        bits, low=-40, high=1)
        source = kind.of(self.some_base(INTEGERS))
        node = self.expression(source, depth)
        if kind.width == 1 and self.chance(30):
            return make(kind, "((%s){})" % kind.name, node, low=0, high=64)
        return make(kind, "convert_%s%s({})" % (kind.name, rounding), node, low=0, high=64)
