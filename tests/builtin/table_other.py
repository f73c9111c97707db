# SPDX-License-Identifier: MIT
"""Functions of integers, of comparison and of bits: 6.12.3, 6.12.6, 6.12.12. References are Python's integers and numpy."""
import numpy

from builtin_support import name_of
from table import FLOATS, INTEGERS, Row, size_of

WHOLE_TYPES = ("int", "uint")


def wrap(kind, value):
    bits = numpy.iinfo(kind).bits
    value &= (1 << bits) - 1
    return value - (1 << bits) if numpy.iinfo(kind).min < 0 and value >> (bits - 1) else value


def saturate(kind, value):
    return max(numpy.iinfo(kind).min, min(numpy.iinfo(kind).max, value))


def integer(name, signatures, function, types=INTEGERS, result=None, **more):
    """`function` takes the type and Python's integers; `result`: the result's type, of the argument's."""
    def reference(*arguments):
        kind = arguments[0].dtype.type
        target = result(kind) if result else kind
        return numpy.array([function(kind, *each) for each in zip(*(a.tolist() for a in arguments))], target)
    return Row("integer", name, types, signatures, reference, **more)


def bits_of(kind):
    return numpy.iinfo(kind).bits


def unsigned(kind):
    return numpy.dtype("u%d" % numpy.dtype(kind).itemsize).type


def leading_zeros(kind, x):
    return bits_of(kind) - (x & ((1 << bits_of(kind)) - 1)).bit_length()


def trailing_zeros(kind, x):
    return bits_of(kind) if x == 0 else (x & -x).bit_length() - 1


def rotated(kind, x, by):
    bits = bits_of(kind)
    by, x = by % bits, x & ((1 << bits) - 1)
    return wrap(kind, x << by | x >> (bits - by))


def ordered(call, given):
    return [given[0], numpy.minimum(given[1], given[2]), numpy.maximum(given[1], given[2])]


def joined(high, low):
    bits = bits_of(high.dtype.type)
    wider = numpy.dtype("%s%d" % (high.dtype.kind, bits // 4)).type
    return numpy.array([(h << bits) | int(l) for h, l in zip(high.tolist(), low.tolist())], wider)


INTEGER = [
    integer("abs", "U:g", lambda kind, x: abs(x), result=unsigned),
    integer("abs_diff", "U:gg", lambda kind, x, y: abs(x - y), result=unsigned),
    integer("add_sat", "g:gg", lambda kind, x, y: saturate(kind, x + y)),
    integer("hadd", "g:gg", lambda kind, x, y: (x + y) >> 1), integer("rhadd", "g:gg", lambda kind, x, y: (x + y + 1) >> 1),
    integer("clamp", "g:ggg g:gss", lambda kind, x, a, b: min(max(x, a), b), prepare=ordered),
    integer("clz", "g:g", leading_zeros), integer("ctz", "g:g", trailing_zeros, language="CL3.0"),
    integer("mad_hi", "g:ggg", lambda kind, a, b, c: wrap(kind, ((a * b) >> bits_of(kind)) + c)),
    integer("mad_sat", "g:ggg", lambda kind, a, b, c: saturate(kind, a * b + c)),
    integer("max", "g:gg g:gs", lambda kind, x, y: max(x, y)), integer("min", "g:gg g:gs", lambda kind, x, y: min(x, y)),
    integer("mul_hi", "g:gg", lambda kind, a, b: (a * b) >> bits_of(kind)),
    integer("rotate", "g:gg", rotated), integer("sub_sat", "g:gg", lambda kind, x, y: saturate(kind, x - y)),
    Row("integer", "upsample", INTEGERS[:6], "h:gU", joined),
    integer("popcount", "g:g", lambda kind, x: bin(x & ((1 << bits_of(kind)) - 1)).count("1")),
    integer("mad24", "g:ggg", lambda kind, a, b, c: wrap(kind, a * b + c), WHOLE_TYPES, values=((-2**23, 2**23 - 1), (-2**23, 2**23 - 1), "any")),
    integer("mul24", "g:gg", lambda kind, a, b: wrap(kind, a * b), WHOLE_TYPES, values=((-2**23, 2**23 - 1),)),
]


def truth(function):
    """Of one element 1; of several all bits: the judge compares signed numbers, so -1."""
    def reference(*arguments):
        return function(*arguments).astype(numpy.int64)
    return reference


def truth_is_right(got, wanted, arguments, scalar, width):
    return got == (wanted if width == 1 else -wanted)


def compare(name, signature, function):
    return Row("relational", name, FLOATS, signature, truth(function), truth_is_right, ("any",))


def often_equal(call, given):
    """Every third pair is equal, or the same but for the sign."""
    second = given[1].copy()
    second[::3] = given[0][::3]
    second[1::9] = -given[0][1::9]
    return [given[0], second]


def high_bit(x):
    return x < 0


def bits(values, kind):
    return values.view("u%d" % numpy.dtype(kind).itemsize)


def bitselect(a, b, c):
    kind = a.dtype
    x, y, z = (bits(v, kind) for v in (a, b, c))
    return ((x & ~z) | (y & z)).view(kind)


def same_bits(got, wanted, arguments, scalar, width):
    """Which NaN matters: floats are bits here."""
    return bits(got, got.dtype) == bits(wanted.astype(got.dtype), got.dtype)


def selected(a, b, c, width):
    return numpy.where(c != 0 if width == 1 else c.view("i%d" % c.dtype.itemsize) < 0, b, a)


class Select(Row):
    """One element takes b if c is not 0, a vector if c's highest bit is set."""

    def __init__(self):
        super().__init__("relational", "select", INTEGERS + FLOATS, "g:ggS g:ggU", None, self.judge)
        self.reference = lambda a, b, c: a

    @staticmethod
    def judge(got, wanted, arguments, scalar, width):
        return same_bits(got, selected(*arguments, width), arguments, scalar, width)


PAIRS = {"isequal": numpy.equal, "isnotequal": numpy.not_equal, "isgreater": numpy.greater, "isgreaterequal": numpy.greater_equal,
         "isless": numpy.less, "islessequal": numpy.less_equal, "islessgreater": lambda x, y: (x < y) | (x > y),
         "isordered": lambda x, y: ~(numpy.isnan(x) | numpy.isnan(y)), "isunordered": lambda x, y: numpy.isnan(x) | numpy.isnan(y)}
SINGLES = {"isfinite": numpy.isfinite, "isinf": numpy.isinf, "isnan": numpy.isnan, "signbit": numpy.signbit,
           "isnormal": lambda x: numpy.isfinite(x) & (numpy.abs(x) >= numpy.finfo(x.dtype).tiny)}
SIGNED_TYPES = ("char", "short", "int", "long")
RELATIONAL = [Row("relational", name, FLOATS, "r:gg", truth(function), truth_is_right, prepare=often_equal) for name, function in PAIRS.items()]
RELATIONAL += [compare(name, "r:g", function) for name, function in SINGLES.items()]
RELATIONAL += [
    Row("relational", "any", SIGNED_TYPES, "I:g", lambda x: high_bit(x).any(axis=1).astype(numpy.int32), whole=True,
        prepare=lambda call, given: [numpy.where(numpy.arange(len(given[0])) % 5 < 4, numpy.abs(given[0]) // 2, given[0])]),
    Row("relational", "all", SIGNED_TYPES, "I:g", lambda x: high_bit(x).all(axis=1).astype(numpy.int32), whole=True,
        prepare=lambda call, given: [numpy.where(numpy.arange(len(given[0])) % 37 != 5, -1 - numpy.abs(given[0] // 2), given[0])]),
    Row("relational", "bitselect", INTEGERS + FLOATS, "g:ggg", bitselect, same_bits), Select(),
]


class Shuffle(Row):
    """shuffle and shuffle2: every width from, every width to; a mask's low bits choose, whatever its others are."""

    is_raw = True

    def __init__(self, name):
        inputs = 2 if name == "shuffle2" else 1
        widths = (2, 4, 8, 16)
        signatures = " ".join("g%d:%sU%d" % (to, ("g%d" % source) * inputs, to) for source in widths for to in widths)
        super().__init__("shuffle", name, INTEGERS + FLOATS, signatures, None, self.judge, widths=(16,))
        self.reference = lambda *arguments: arguments[0].ravel()

    def calls(self, scalar, width):
        for call in super().calls(scalar, width):
            call.width = call.result[1]
            yield call

    @staticmethod
    def judge(got, wanted, arguments, scalar, width):
        """`arguments` are as they were given, flat."""
        vectors, mask = arguments[:-1], arguments[-1].reshape(-1, width)
        items = len(mask)
        table = numpy.concatenate([v.reshape(items, -1) for v in vectors], axis=1)
        picked = numpy.take_along_axis(table, (mask % table.shape[1]).astype(numpy.int64), axis=1).ravel()
        return same_bits(got, picked, None, scalar, width)


class Reinterpret(Row):
    """as_type (6.2.4.2): between all types of one size."""

    def __init__(self, source, target, signature):
        super().__init__("as_type", "as_" + target, (source,), signature, None, self.judge)
        self.target = target
        self.reference = lambda x: x

    def calls(self, scalar, width):
        for call in super().calls(scalar, width):
            call.result = (self.target, width)
            call.kernel = "as_%s_of_%s_%d" % (self.target, scalar, width)
            call.function = "as_" + name_of(self.target, width)
            yield call

    @staticmethod
    def judge(got, wanted, arguments, scalar, width):
        return bits(got, got.dtype) == bits(arguments[0], arguments[0].dtype)


ROWS = INTEGER + RELATIONAL + [Shuffle("shuffle"), Shuffle("shuffle2")]
ROWS += [Reinterpret(source, target, "g:g") for source in INTEGERS + FLOATS for target in INTEGERS + FLOATS
         if size_of(source) == size_of(target)]
