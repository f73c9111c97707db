# SPDX-License-Identifier: MIT
"""What a table of built-in functions is made of: rows, the kernels that a row becomes, and how a result is judged.

A row names a function, the element types and widths it is defined for, its signatures, a reference in numpy and a bound. Its
kernels call every overload that these give. A signature is RESULT:ARGUMENTS, a letter each:

    g  the type (elements and width)   s  one element             i  int, of the width        I  one int
    S  signed integers of g's size     U  unsigned ones           r  what a comparison gives: S, of one element int
    h  integers twice as wide
    G  pointer to g, written           N  pointer to i, written   (in global, local and private memory)
    U4 the letter, of that width
"""
import re

import numpy

from builtin_support import SCALARS, WIDTHS, name_of, slots

ITEMS = 768  # elements an argument has; a multiple of 16 items at every width
GROUP = 16
FLOATS = ("half", "float", "double")
INTEGERS = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong")
SPACES = ("private", "local", "global")
SIGNED = {1: "char", 2: "short", 4: "int", 8: "long"}
WIDER = {"char": "short", "uchar": "ushort", "short": "int", "ushort": "uint", "int": "long", "uint": "ulong"}


def size_of(scalar):
    return numpy.dtype(SCALARS[scalar]).itemsize


def is_float(kind):
    return numpy.dtype(kind).kind == "f"


class Row:
    """`reference` takes an array for each argument and gives the result, then what each pointer shows, in order. The arrays are
    flat, one element's values a line, or with `whole` of shape (items, width). `bound`: 0, equal to the bit (but which NaN);
    a number or one for each of half, float, double: ulps; else a function of (got, wanted, arguments, scalar, width) that
    says which elements are right. With `is_raw` a row gets its arguments as they are given. `values` makes the arguments (values.py), `prepare` mends them together."""

    def __init__(self, section, name, types, signatures, reference, bound=0, values=("any",), widths=WIDTHS, prepare=None,
                 whole=False, has_signed_zero=True, form=None, language="CL1.2"):
        self.section, self.name, self.types, self.signatures = section, name, types, signatures.split()
        self.reference, self.bound, self.values, self.widths = reference, bound, values, widths
        self.prepare, self.whole, self.has_signed_zero, self.form, self.language = prepare, whole, has_signed_zero, form, language

    is_raw = False

    def calls(self, scalar, width):
        """All overloads of the row for the type."""
        seen = set()
        for signature in self.signatures:
            for space in SPACES if "G" in signature or "N" in signature else ("",):
                call = Call(self, scalar, width, signature, space)
                if call.text not in seen:
                    seen.add(call.text)
                    yield call


class Call:
    """One overload of a row."""

    def __init__(self, row, scalar, width, signature, space):
        self.row, self.scalar, self.width, self.space = row, scalar, width, space
        self.function = row.name
        result, arguments = signature.split(":")
        self.result = self.type_of(result)
        self.arguments = [(letter, *self.type_of(letter)) for letter in re.findall(r"[a-zA-Z]\d*", arguments)]
        plain = "".join(c if c.isalnum() else "_" for c in row.name)
        self.kernel = "_".join([plain, scalar, str(width), "".join(c if c.isalnum() else "_" for c in signature), space or "x"])
        self.text = " ".join([space, str(self.result)] + [str(a[1:]) + str(a[0] in "GN") for a in self.arguments])

    def type_of(self, letter):
        """(element type, width)."""
        scalar, width = self.scalar, self.width
        if letter[1:]:
            width = int(letter[1:])
        letter = letter[0]
        signed = SIGNED[size_of(scalar)]
        kinds = {"g": (scalar, width), "s": (scalar, 1), "i": ("int", width), "I": ("int", 1), "S": (signed, width),
                 "U": ("u" + signed, width), "r": ("int", 1) if width == 1 else (signed, width),
                 "h": (WIDER.get(scalar), width), "G": (scalar, width), "N": ("int", width)}
        return kinds[letter]

    def source(self):
        parameters, body, words, after = [], [], [], []
        for place, (letter, scalar, width) in enumerate(self.arguments):
            name, kind = "a%d" % place, name_of(scalar, width)
            if letter in ("G", "N"):
                parameters.append("global %s *%s" % (scalar, name))
                words.append(self.pointer(name, kind, width, body, after))
            else:
                parameters.append("global const %s *%s" % (scalar, name))
                words.append("%s[i]" % name if width == 1 else "vload%d(i, %s)" % (width, name))
        scalar, width = self.result
        form = self.row.form or self.function + "(" + ", ".join("{}" for _ in words) + ")"
        body.append("%s r = %s;" % (name_of(scalar, width), form.format(*words)))
        after.append("out[i] = r;" if width == 1 else "vstore%d(r, i, out);" % width)
        return "kernel void %s(global %s *out, %s)\n{\n    int i = get_global_id(0);\n    %s\n}\n" % (
            self.kernel, scalar, ", ".join(parameters), "\n    ".join(body + after))

    def pointer(self, name, kind, width, body, after):
        """An object that the function writes, and what brings it to the buffer."""
        store = "%s[i] = %s;" if width == 1 else "vstore" + str(width) + "(%2$s, i, %1$s);"
        place = {"private": "p" + name, "local": "p%s[get_local_id(0)]" % name,
                 "global": "((global %s *)%s)[i]" % (kind, name)}[self.space]
        if self.space == "private":
            body.append("%s p%s;" % (kind, name))
        if self.space == "local":
            body.append("local %s p%s[%d];" % (kind, name, GROUP))
        if self.space != "global":
            after.append(store.replace("%2$s", place).replace("%1$s", name) if width > 1 else store % (name, place))
        return "&" + place

    def items(self):
        return ITEMS // self.width

    def run(self, session, program, given):
        """Returns the arguments as they were given, and the results: what the function gave, then what it wrote."""
        scalar, width = self.result
        out = numpy.full(self.items() * width, 77, SCALARS[scalar])
        arrays, results = [], [out]
        for (letter, scalar, width), values in zip(self.arguments, given):
            if letter in ("G", "N"):
                room = numpy.full(self.items() * (slots(width) if self.space == "global" else width), 78, SCALARS[scalar])
                results.append(room)
                arrays.append(room)
            else:
                arrays.append(values)
        session.run(getattr(program, self.kernel), (self.items(),), (GROUP,), out, *arrays)
        for place, (_, _, width) in enumerate([a for a in self.arguments if a[0] in ("G", "N")], 1):
            if self.space == "global" and width == 3:
                results[place] = results[place].reshape(-1, 4)[:, :3].ravel()
        return results


def spread(call, given):
    """The arguments as the reference wants them: one element for each of the result, or by items."""
    out = []
    for (letter, _, width), values in zip(call.arguments, given):
        if letter in ("G", "N"):
            continue
        if call.row.is_raw:
            out.append(values)
        elif call.row.whole:
            out.append(values.reshape(-1, width))
        else:
            out.append(values if width == call.width else numpy.repeat(values, call.width))
    return out


def ulp_of(exact, kind):
    """Of a real number, in the type: 7.4."""
    information = numpy.finfo(kind)
    with numpy.errstate(all="ignore"):
        exponent = numpy.floor(numpy.log2(numpy.abs(exact)))
    lowest = numpy.frexp(information.tiny)[1] - 1
    exponent = numpy.clip(numpy.nan_to_num(exponent, nan=lowest, neginf=lowest), lowest, information.maxexp - 1)
    return numpy.ldexp(numpy.longdouble(1), exponent.astype(int) - information.nmant)


def within(got, exact, ulps, kind, has_signed_zero):
    """Which results are within so many ulps. Single-precision results that are denormal may be zero (7.5.3)."""
    information = numpy.finfo(kind)
    exact, real = exact.astype(numpy.longdouble), got.astype(numpy.longdouble)
    margin = ulps * ulp_of(exact, kind)
    close = numpy.abs(real - exact) <= margin
    overflows = numpy.isinf(real) & (numpy.sign(real) == numpy.sign(exact)) & (
        numpy.abs(exact) + margin >= numpy.longdouble(information.max))
    flushed = (real == 0) & (kind == numpy.float32) & (numpy.abs(exact) - margin < information.tiny)
    right = close | overflows | flushed | (real == exact) | (numpy.isnan(exact) & numpy.isnan(real))
    wrong_sign = (exact == 0) & (real == 0) & (numpy.signbit(exact) != numpy.signbit(real))
    return right & ~(wrong_sign & has_signed_zero)


def same(got, wanted, kind, has_signed_zero):
    """Equal to the bit, but for which NaN it is, and for denormal floats that became zero."""
    if not is_float(kind):
        return got == wanted
    right = (got == wanted) | (numpy.isnan(got) & numpy.isnan(wanted))
    if has_signed_zero:
        right &= ~((got == 0) & (wanted == 0) & (numpy.signbit(got) != numpy.signbit(wanted)))
    if kind == numpy.float32:
        right |= (got == 0) & (numpy.abs(wanted) < numpy.finfo(kind).tiny)
    return right


def judge(row, call, results, given):
    """[(which elements are wrong, got, wanted)] of the results."""
    arguments = spread(call, given)
    with numpy.errstate(all="ignore"):
        wanted = row.reference(*arguments)
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        verdicts = []
        for place, (got, exact) in enumerate(zip(results, wanted)):
            exact, bound = numpy.asarray(exact).ravel(), row.bound
            if isinstance(bound, tuple):
                bound = bound[FLOATS.index(call.scalar)]
            if callable(bound):
                right = bound(got, exact, arguments, call.scalar, call.width)
            elif bound == 0 or not is_float(got.dtype) or place > 0:
                right = same(got, exact, got.dtype.type, row.has_signed_zero)
            else:
                right = within(got, exact, bound, got.dtype.type, row.has_signed_zero)
            assert len(right) == len(got), (row.name, len(right), len(got))
            verdicts.append((~right, got, exact))
    return verdicts
