#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random loops, by nudacc and in plain C. Usage: fuzz.py NUDACC [--seed N] [--first I] [--count N] [--keep FOLDER]

Program I of a seed is always the same. Its loops are right by construction: each iteration writes its own elements, and reads
those and arrays that no iteration writes. nudacc must take each, run it on the device, and print what plain C prints: integers
wrap as unsigned, and floating-point values stay small, never NaN. A program that fails is kept.
"""
import argparse
import os
import random
import shutil
import sys
import tempfile

from same import fault

TYPES = {"d": "double", "f": "float", "u": "unsigned", "l": "unsigned long", "b": "unsigned char", "s": "short"}
SIZE = 97  # elements of an array that is only read
HEAD = """/* SPDX-License-Identifier: MIT */
#include <math.h>
#include "show.h"

struct point {
    double x;
    float y;
    unsigned n[2];
};
"""


class Writer:
    """One program."""

    def __init__(self, number):
        self.random = random.Random(number)
        self.lines = []
        self.inputs = {}   # of arrays that are only read: type by name
        self.names = 0
        self.helpers = []

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def name(self, letter):
        self.names += 1
        return "%s%d" % (letter, self.names)

    def literal(self, kind):
        if kind == "d":
            return self.pick("0.5", "1.25", "3.0", "0x1.8p-2", "1e-3", "7.0 / 3")
        if kind == "f":
            return self.pick("0.5f", "1.25f", "3.0f", "0x1.8p-2f")
        return self.pick("1u", "7u", "0x1fu", "100u", "'a'", "sizeof(int)") if kind == "u" else self.pick("3ul", "1000003ul")

    def leaf(self, kind, scope):
        same = [name for name, other in scope["locals"].items() if other == kind]
        if same and self.chance(55):
            return self.random.choice(same)
        arrays = [name for name, other in scope["inputs"].items() if other == kind]
        if arrays and self.chance(60):
            return "%s[%s %% %d]" % (self.random.choice(arrays), self.wrap(self.index(scope)), SIZE)
        if kind in "df" and "points" in scope and self.chance(30):
            field = "x" if kind == "d" else "y"
            return "points[%s %% %d].%s" % (self.wrap(self.index(scope)), SIZE, field)
        return self.literal(kind)

    def index(self, scope):
        unsigned = [name for name, kind in scope["locals"].items() if kind in "ul"]
        return self.random.choice(unsigned) if unsigned and self.chance(80) else "%du" % self.random.randrange(SIZE)

    @staticmethod
    def wrap(text):
        return text if text.isalnum() else "(%s)" % text

    def expression(self, kind, scope, depth):
        if depth == 0 or self.chance(20):
            return self.leaf(kind, scope)
        left = self.wrap(self.expression(kind, scope, depth - 1))
        right = self.wrap(self.expression(kind, scope, depth - 1))
        if self.chance(8):
            return "%s ? %s : %s" % (self.wrap(self.condition(scope, depth - 1)), left, right)
        if kind in "df":
            end = "f" if kind == "f" else ""
            forms = ["%s + %s", "%s - %s", "%s * %s", "%s / (1 + fabs" + end + "(%s))", "sqrt" + end + "(fabs" + end + "(%s)) - %s",
                     "fmin" + end + "(%s, %s)", "-%s + %s", "floor" + end + "(%s) * 0.5" + end + " + %s"]
            if kind == "d" and self.helpers:
                forms += [helper + "(%s, %s)" for helper in self.helpers]
            if self.chance(15):
                other = self.wrap(self.expression(self.pick(*"dfu"), scope, depth - 1))
                cast = "double" if kind == "d" else "float"
                return "%s * 0.125%s + (%s)(%s)" % (left, end, cast, other if kind == "d" else "fmin(fabs(%s), 8)" % other)
            return self.pick(*forms) % (left, right)
        form = self.pick("%s + %s", "%s - %s", "%s * %s", "%s ^ %s", "%s & %s", "%s | ~%s", "%s / (%s | 1)", "%s %% (%s | 1)",
                         "%s << (%s & 7)", "%s >> (%s & 7)", "(%s > %s)", "(%s == %s) * 5u", "(!%s) + %s")
        return form % (left, right)

    def condition(self, scope, depth):
        kind = self.pick(*"dfuul")
        left, right = (self.wrap(self.expression(kind, scope, depth)) for _ in range(2))
        text = "%s %s %s" % (left, self.pick("<", ">", "<=", ">=", "==", "!="), right)
        if self.chance(20):
            text = "%s && %s" % (text, self.wrap(self.expression("u", scope, depth)))
        return text if self.chance(80) else "!(%s) || %s" % (text, self.wrap(self.expression("u", scope, 0)))

    @staticmethod
    def bounded(kind, text):
        """Floating-point values stay below some thousands."""
        if kind == "d":
            return "small(%s)" % text
        return "(float)small(%s)" % text if kind == "f" else text

    def statement(self, indent, scope, depth):
        pad, kind = "    " * indent, self.pick(*"ddfuul")
        sort = self.random.randrange(10 if depth else 4)
        own = [name for name in scope["locals"] if name in scope["own"]]
        inner = {**scope, "locals": dict(scope["locals"]), "own": set(scope["own"])}
        if sort < 2 or not own:
            name = self.name("v")
            value = self.bounded(kind, self.expression(kind, scope, 3))
            self.lines.append("%s%s %s = %s;" % (pad, TYPES[kind], name, value))
            scope["locals"][name] = kind
            scope["own"].add(name)
        elif sort < 4:
            name = self.random.choice(sorted(own))
            kind = scope["locals"][name]
            sign = self.pick("=", "=", "+=", "-=", "*=")
            value = self.bounded(kind, self.expression(kind, scope, 2))
            self.lines.append("%s%s %s %s;" % (pad, name, sign, value))
            if sign != "=" and kind in "df":
                self.lines.append("%s%s = %s;" % (pad, name, self.bounded(kind, name)))
        elif sort < 6:
            self.lines.append("%sif (%s) {" % (pad, self.condition(scope, 1)))
            self.block(indent + 1, inner, depth - 1)
            if self.chance(50):
                self.lines.append(pad + "} else {")
                other = {**scope, "locals": dict(scope["locals"]), "own": set(scope["own"])}
                self.block(indent + 1, other, depth - 1)
            self.lines.append(pad + "}")
        elif sort < 8:
            counter = self.name("k")
            bound = self.random.randrange(1, 6)
            self.lines.append(pad + self.pick("for (unsigned %s = 0; %s < %du; %s++) {", "for (unsigned %s = 9; %s > %du; %s--) {",
                                              "for (unsigned %s = 1; %s <= %du; %s += 2) {") % (counter, counter, bound, counter))
            inner["locals"][counter] = "u"
            self.block(indent + 1, inner, depth - 1)
            if self.chance(30):
                self.lines.append("%s    if (%s)\n%s        %s;" % (pad, self.condition(inner, 0), pad, self.pick("break", "continue")))
                self.block(indent + 1, inner, 0)
            self.lines.append(pad + "}")
        elif sort == 8:
            self.lines.append("%sswitch (%s %% 4) {" % (pad, self.wrap(self.expression("u", scope, 1))))
            for case in ("case 0:", "case 2:", "default:"):
                self.lines.append(pad + case + " {")
                self.block(indent + 1, {**scope, "locals": dict(scope["locals"]), "own": set(scope["own"])}, 0)
                self.lines.append(pad + "}" + self.pick("", " break;"))
            self.lines.append(pad + "}")
        else:
            name = self.name("t")
            self.lines.append("%sdouble %s[4] = {%s};" % (pad, name, ", ".join(
                self.bounded("d", self.expression("d", scope, 1)) for _ in range(4))))
            value = self.name("v")
            self.lines.append("%sswap(&%s[%s & 3], %s + 1);" % (pad, name, self.wrap(self.index(scope)), name))
            self.lines.append("%sdouble %s = sum(%s, 4) + %s[%s & 3];" % (pad, value, name, name, self.wrap(self.index(scope))))
            scope["locals"][value] = "d"
            scope["own"].add(value)

    def block(self, indent, scope, depth):
        for _ in range(self.random.randrange(1, 4)):
            self.statement(indent, scope, depth)

    def head(self, counter, count):
        """A loop's head, and its largest counter: `count` iterations, up or down."""
        start, step = self.random.randrange(4), self.pick(1, 1, 1, 2, 3)
        last = start + step * (count - 1)
        kind = self.pick("int", "int", "long", "size_t", "unsigned", "short", "unsigned char" if last + step < 250 else "int")
        first = self.pick(str(start), str(start), "low + %d" % (start - 1))
        form = self.random.randrange(6)
        if form == 0 and step == 1:
            return "for (%s %s = %d; %s-- > %d;)" % (kind, counter, last + 1, counter, start), last
        if form == 1 and kind in ("int", "long", "short"):
            return "for (%s %s = %d; %s >= %s; %s -= %d)" % (kind, counter, last, counter, first, counter, step), last
        if form == 2 and step == 1:
            return "for (%s %s = %s; %s != %d; ++%s)" % (kind, counter, first, counter, last + 1, counter), last
        if form == 3:
            return "for (%s %s = %s; %d >= %s; %s = %s + %d)" % (kind, counter, first, last, counter, counter, counter, step), last
        add = self.pick("%s += %d" % (counter, step), "%s += low * %d" % (counter, step))
        return "for (%s %s = %s; %s <= %d; %s)" % (kind, counter, first, counter, last, add), last

    def loop(self, number):
        """A function with a loop: its name, and its results, as (name, type, elements)."""
        deep = self.pick(1, 1, 2, 2, 3)
        counts = [self.random.randrange(1, (90, 12, 6)[deep - 1]) for _ in range(deep)]
        counters = [self.name("i") for _ in range(deep)]
        heads, lasts = zip(*(self.head(*pair) for pair in zip(counters, counts)))
        room = [last + self.random.randrange(1, 4) for last in lasts]
        total = 1
        for one in room:
            total *= one
        outs = [("out%d_%d" % (number, k), self.pick(*"ddfulbs")) for k in range(self.random.randrange(1, 4))]
        place = counters[0]
        for counter, one in zip(counters[1:], room[1:]):
            place = "(%s) * %s + %s" % (place, self.pick(str(one), "(long)low * %d" % one), counter)
        is_rows = deep == 2 and self.chance(50)
        parameters = ["int low", "int m"]
        for name, kind in outs:
            parameters.append(self.pick("%s (*%s)[m]", "%s %s[][m]", "%s %s[%d][m]" .replace("%d", str(room[0]))) % (TYPES[kind], name)
                              if is_rows else "%s *%s" % (TYPES[kind], name))
        scope = {"locals": {"scalar": "d", "bits": "u"}, "own": set(), "inputs": dict(self.inputs), "points": True}
        self.lines.append("static void loop%d(%s, double scalar, unsigned bits, const struct point *points)\n{" % (number, ", ".join(parameters)))
        block = self.pick("", " block(%s)" % ",".join(str(self.pick(1, 2, 3, 4)) for _ in range(deep)))
        word = "" if is_rows or "low" not in place else " independent"  # a row's length may be 0 there
        self.lines.append("#pragma nuda parallel for" + block + word)
        for level, head in enumerate(heads):
            self.lines.append("    " * (level + 1) + head + (" {" if level == deep - 1 or self.chance(50) else ""))
        closing = sum(head.endswith("{") for head in self.lines[-deep:])
        for counter in counters:
            name = self.name("c")
            self.lines.append("        unsigned %s = (unsigned)%s;" % (name, counter))
            scope["locals"][name] = "u"
        own = ["%s[%s][%s]" % (name, *counters) if is_rows else "%s[%s]" % (name, place) for name, _ in outs]
        if self.chance(40):
            name = self.name("v")
            self.lines.append("        double %s = (double)%s;" % (name, own[0]))
            scope["locals"][name] = "d"
        self.block(2, scope, 3)
        if self.chance(20):
            self.lines.append("        if (%s)\n            continue;" % self.condition(scope, 1))
        for (_, kind), element in zip(outs, own):
            value = self.bounded(kind, self.expression(kind if kind in "dful" else "u", scope, 2))
            self.lines.append("        %s %s %s;" % (element, self.pick("=", "=", "+="), value))
        self.lines.append("    " + "}" * closing + "\n}\n")
        return [(name, kind, total, room[-1], is_rows) for name, kind in outs]

    def helper(self):
        name = self.name("h")
        self.lines.append("static double %s(double a, double b)\n{" % name)
        scope = {"locals": {"a": "d", "b": "d"}, "own": {"a", "b"}, "inputs": dict(self.inputs)}
        self.block(1, scope, 1)
        if self.chance(40):
            self.lines.append("    if (%s)\n        return small(%s);" % (self.condition(scope, 1), self.expression("d", scope, 1)))
        self.lines.append("    return small(%s);\n}\n" % self.expression("d", scope, 2))
        self.helpers.append(name)

    def program(self, loops):
        self.lines.append(HEAD)
        self.inputs = {self.name("in"): kind for kind in "ddful"}
        for name, kind in self.inputs.items():
            self.lines.append("static %s %s[%d];" % (TYPES[kind], name, SIZE))
        self.lines.append("""
static double small(double x)
{
    return fabs(x) > 1000 ? x / (1 + fabs(x)) : x;
}

static double sum(const double *a, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}

static void swap(double *x, double *y)
{
    double t = *x;
    *x = *y;
    *y = t;
}
""")
        for _ in range(2):
            self.helper()
        results = [self.loop(number) for number in range(loops)]
        self.lines.append("int main(void)\n{\n    double *some = numbers(%d, 7);" % SIZE)
        self.lines.append("    struct point *points = calloc(%d, sizeof(*points));" % SIZE)
        self.lines.append("    for (int i = 0; i < %d; i++) {\n        points[i].x = some[i] - 1, points[i].y = (float)i / 3;" % SIZE)
        for place, (name, kind) in enumerate(self.inputs.items()):
            self.lines.append("        %s[i] = (%s)(some[(i * %d) %% %d] * %s);" % (name, TYPES[kind], place + 2, SIZE,
                                                                                "3" if kind in "df" else "100000"))
        self.lines.append("    }")
        for number, outs in enumerate(results):
            for name, kind, total, _, _ in outs:
                self.lines.append("    %s *%s = calloc(%d, sizeof(%s));" % (TYPES[kind], name, total, TYPES[kind]))
            arrays = ", ".join("(void *)" + out[0] for out in outs)
            self.lines.append("    loop%d(1, %d, %s, %s, %du, points);" % (number, outs[0][3], arrays, self.pick("0.75", "-2.5"),
                                                                         self.random.randrange(1000)))
            for name, kind, total, _, _ in outs:
                self.lines.append('    show("%s", %s, %d * sizeof(%s));' % (name, name, total, TYPES[kind]))
        self.lines.append("    return 0;\n}\n")
        return "\n".join(self.lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("nudacc")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--loops", type=int, default=6)
    parser.add_argument("--keep", default="fuzz-failures")
    options = parser.parse_args()
    header = os.path.join(os.path.dirname(os.path.abspath(__file__)), "right", "show.h")
    failures = 0
    with tempfile.TemporaryDirectory() as place:
        shutil.copy(header, place)
        for number in range(options.first, options.first + options.count):
            path = os.path.join(place, "nudacc%d_%d.c" % (options.seed, number))
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(Writer("%d/%d" % (options.seed, number)).program(options.loops))
            text = fault(options.nudacc, path, place, ["-w"])
            if text:
                failures += 1
                os.makedirs(options.keep, exist_ok=True)
                shutil.copy(path, options.keep)
                print("%s\n--seed %d --first %d --count 1: kept in %s" % (text, options.seed, number, options.keep))
    print("nudacc: %d random programs of seed %d, %d failures" % (options.count, options.seed, failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
