#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No loop that nudacc takes has iterations that meet. Usage: sound.py NUDACC [--seed N] [--count N] [--keep FILE]

Random loops with random subscripts go to nudacc. Each that it takes is run here for several small limits, with the
elements that each iteration reads and writes noted: none may be written by one and touched by another. Arrays are as long as it
takes, in both directions. nudacc must take one in twenty at least.
"""
import argparse
import bisect
import random
import re
import subprocess
import sys
import tempfile

FILE = 300  # loops in one file
TOLD = re.compile(r":(\d+):\d+: error: nuda: (.*)")
SAMPLES = [(1, 1, 1), (2, 1, 1), (3, 2, 1), (5, 3, 2), (6, -1, 1), (4, 0, 3), (7, 4, 2), (5, 5, 1), (2, 7, 4)]
OPERATORS = {
    "+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y, "&": lambda x, y: x & y, ">>": lambda x, y: x >> y,
    "/": lambda x, y: abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1),
    "%": lambda x, y: abs(x) % abs(y) * (1 if x >= 0 else -1),
    "<": lambda x, y: x < y, "==": lambda x, y: x == y, "!=": lambda x, y: x != y,
}
NARROW = {"(unsigned char)": (8, False), "(signed char)": (8, True), "(short)": (16, True)}


def value(tree, names):
    """What C computes for an expression: a number, a name, (operator, left, right) or (cast, operand)."""
    if isinstance(tree, int):
        return tree
    if isinstance(tree, str):
        return names[tree]
    if tree[0] in NARROW:
        bits, is_signed = NARROW[tree[0]]
        number = value(tree[1], names) & ((1 << bits) - 1)
        return number - (1 << bits) if is_signed and number >> (bits - 1) else number
    return OPERATORS[tree[0]](value(tree[1], names), value(tree[2], names))


def text(tree):
    if isinstance(tree, tuple):
        return "%s%s" % (tree[0], text(tree[1])) if len(tree) == 2 else "(%s %s %s)" % (text(tree[1]), tree[0], text(tree[2]))
    return str(tree)


class Loop:
    """A random function with one loop nest; the first `parallel` of its loops go to the device."""

    def __init__(self, number, dice):
        self.dice = dice
        self.number = number
        self.parallel = dice.choice((1, 1, 1, 2))
        names = ["i", "j"][:self.parallel]
        self.heads = [self.head(name, []) for name in names]
        if dice.random() < 0.4:
            self.heads.append(self.head("k", names))
        self.names = [head[0] for head in self.heads]
        self.is_rows = dice.random() < 0.2
        self.offset = self.constant() if dice.random() < 0.15 and not self.is_rows else None
        self.guard = self.condition() if dice.random() < 0.3 else None
        self.local = self.place() if dice.random() < 0.3 else None
        self.narrow = dice.choice(list(NARROW)) if dice.random() < 0.2 else None
        self.accesses = [self.access() for _ in range(dice.choice((1, 2, 2, 3)))]
        self.accesses[-1] = (True,) + self.accesses[-1][1:]

    def pick(self, *texts):
        return self.dice.choice(texts)

    def constant(self):
        return self.pick(0, 1, 1, 2, 3, 4, 7, 8, "m", "n", ("-", "n", 1), ("*", 2, "m"), ("/", "n", 2))

    def head(self, name, outer):
        """(name, start, limit, step, is_down)"""
        start, limit = self.pick(0, 0, 0, 1, 2, "m"), self.pick("n", "n", "n", 4, 6, "m", ("-", "n", 1), ("*", "n", 2))
        if outer and self.dice.random() < 0.4:
            start, limit = self.pick((0, outer[0]), (outer[-1], "n"), (("*", outer[0], 2), ("+", ("*", outer[0], 2), 2)), (0, "m"))
        return name, start, limit, self.pick(1, 1, 1, 2, 3, "s"), self.dice.random() < 0.2

    def place(self):
        """A subscript: mostly sums of multiples of the counters."""
        tree = self.constant() if self.dice.random() < 0.5 else 0
        for name in self.names:
            if self.dice.random() < 0.75:
                factor = self.pick(1, 1, 1, 2, 3, 4, "m", "n", ("*", "n", "n"))
                tree = (self.pick("+", "+", "+", "-"), tree, name if factor == 1 else ("*", factor, name))
        if self.dice.random() < 0.15:
            tree = (self.pick("/", "%", "&", ">>"), tree, self.pick(2, 3, 7, 100))
        if self.dice.random() < 0.05:
            tree = (self.pick(*NARROW), tree if self.dice.random() < 0.5 else ("*", 100, tree))
        return tree

    def condition(self):
        return (self.pick("==", "==", "!=", "<"), self.place(), self.pick(0, 1, 3, "m", ("%", self.names[0], 2)))

    def access(self):
        """(is_write, array, row or None, place)"""
        place = "c" if self.local is not None and self.dice.random() < 0.6 else self.place()
        row = self.pick(self.place(), self.names[0], self.names[0]) if self.is_rows else None
        array = "p" if self.offset is not None and self.dice.random() < 0.5 else "a"
        return self.dice.random() < 0.4, array, row, place

    def lines(self):
        parameter = "int a[][m]" if self.is_rows else "int *a"
        yield "static void f%d(int n, int m, int s, %s)" % (self.number, parameter)
        yield "{"
        if self.offset is not None:
            yield "    int *p = a + %s;" % text(self.offset)
        yield "#pragma nuda parallel for block(%s)" % ", ".join(["2"] * self.parallel)
        for depth, (name, start, limit, step, is_down) in enumerate(self.heads):
            bounds = (text(limit), text(start)) if is_down else (text(start), text(limit))
            form = "for (int {0} = {1} - 1; {0} >= {2}; {0} -= {3})" if is_down else "for (int {0} = {1}; {0} < {2}; {0} += {3})"
            inner = depth >= self.parallel or depth == self.parallel - 1
            yield "    " + form.format(name, *bounds, step) + (" {" if inner else "")
        if self.local is not None:
            kind = self.narrow[1:-1] if self.narrow else "int"
            yield "        %s c = %s;" % (kind, text(self.local))
        for is_write, array, row, place in self.accesses:
            element = array + ("[%s]" % text(row) if row is not None else "") + "[%s]" % text(place)
            body = "%s = 1;" % element if is_write else "(void)(%s + 1);" % element
            yield "        " + ("if %s " % text(self.guard) if self.guard else "") + body
        yield "    " + "}" * (len(self.heads) - self.parallel + 1)
        yield "}"

    def iterations(self, names, depth=0):
        if depth == len(self.heads):
            yield dict(names)
            return
        name, start, limit, step, is_down = self.heads[depth]
        first, last, step = value(start, names), value(limit, names), value(step, names)
        for counter in range(last - 1, first - 1, -step) if is_down else range(first, last, step):
            names[name] = counter
            yield from self.iterations(names, depth + 1)
        names.pop(name, None)

    def meets(self, n, m, s):
        """Two iterations that meet, or None; None too where a subscript leaves its row, which C forbids."""
        writers, readers = {}, {}
        if self.is_rows and m < 1:
            return None
        for names in self.iterations({"n": n, "m": m, "s": s}):
            if self.local is not None:
                names["c"] = value((self.narrow, self.local) if self.narrow else self.local, names)
            if self.guard and not value(self.guard, names):
                continue
            who = tuple(names[name] for name in self.names[:self.parallel])
            for is_write, array, row, place in self.accesses:
                at = value(place, names)
                if row is not None and not 0 <= at < m:
                    return None
                at += value(row, names) * m if row is not None else value(self.offset, names) if array == "p" else 0
                (writers if is_write else readers).setdefault(at, set()).add(who)
        for at, those in writers.items():
            both = those | readers.get(at, set())
            if len(both) > 1:
                return "n=%d m=%d s=%d: iterations %s at %d" % (n, m, s, sorted(both)[:2], at)
        return None


def refusals(nudacc, loops, keep):
    """The numbers of loops that nudacc refuses."""
    source, starts = [], []
    for loop in loops:
        starts.append(len(source) + 1)
        source += loop.lines()
    with tempfile.TemporaryDirectory() as folder:
        path = keep or folder + "/loops.c"
        with open(path, "w", encoding="utf-8") as stream:
            stream.write("\n".join(source) + "\n")
        done = subprocess.run([nudacc, "-w", "--print-kernel", path], check=False, capture_output=True, text=True, timeout=300)
    told = [int(number) for number, _ in TOLD.findall(done.stderr)]
    if done.returncode not in (0, 1) or (done.returncode == 1) != bool(told):
        raise SystemExit("status %d\n%s" % (done.returncode, done.stderr[-2000:]))
    return {loops[bisect.bisect(starts, line) - 1].number for line in told}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("nudacc")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--count", type=int, default=1200)
    parser.add_argument("--keep", help="where the last file stays")
    options = parser.parse_args()
    dice = random.Random(options.seed)
    loops = [Loop(number, dice) for number in range(options.count)]
    refused = set()
    for first in range(0, len(loops), FILE):
        refused |= refusals(options.nudacc, loops[first:first + FILE], options.keep)
    taken = [loop for loop in loops if loop.number not in refused]
    wrong = right = 0
    for loop in loops:
        faults = (loop.meets(*sample) for sample in SAMPLES)
        fault = next(filter(None, faults), None)
        right += not fault
        if fault and loop.number not in refused:
            wrong += 1
            print("taken, though %s\n%s" % (fault, "\n".join(loop.lines())))
    print("seed %d: %d loops, %d taken, %d of those with iterations that meet; %d loops where none do"
          % (options.seed, len(loops), len(taken), wrong, right))
    return 1 if wrong or len(taken) * 20 < len(loops) else 0


if __name__ == "__main__":
    sys.exit(main())
