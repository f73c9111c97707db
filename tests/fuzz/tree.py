# SPDX-License-Identifier: MIT
"""Kernels as trees: types, expressions, statements, and the edits that make a tree smaller.

A part of a tree is text or another tree, so that text(tree) is OpenCL C and every edit is a replacement in a list.
"""

SIZES = {"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8, "float": 4,
         "double": 8}
SIGNED = ("char", "short", "int", "long")
UNSIGNED = ("uchar", "ushort", "uint", "ulong")
INTEGERS = SIGNED + UNSIGNED
REALS = ("float", "double")
WIDTHS = (1, 2, 3, 4, 8, 16)


class Type:
    """A scalar or vector type of OpenCL C."""

    def __init__(self, base, width=1):
        self.base = base
        self.width = width
        self.name = base if width == 1 else "%s%d" % (base, width)

    def __eq__(self, other):
        return self.name == other.name

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return self.name

    @property
    def element_bytes(self):
        return SIZES[self.base]

    @property
    def bytes(self):
        """In memory; a vector of three takes the room of four."""
        return SIZES[self.base] * (4 if self.width == 3 else self.width)

    @property
    def is_real(self):
        return self.base in REALS

    @property
    def is_signed(self):
        return self.base in SIGNED

    def of(self, base):
        return Type(base, self.width)

    def wide(self, width):
        return Type(self.base, width)

    @property
    def unsigned(self):
        return self.of(UNSIGNED[SIGNED.index(self.base)]) if self.base in SIGNED else self

    @property
    def mask(self):
        """What a comparison of two of these gives."""
        if self.width == 1:
            return Type("int")
        return self.of(SIGNED[(1, 2, 4, 8).index(self.element_bytes)])


class Node:
    """An expression. Of real ones every value is a multiple of 2^low, smaller than 2^high (low <= 0 <= high), so that
    no result is a denormal number, an infinity or not a number."""

    def __init__(self, kind, parts, low=0, high=0):
        self.type = kind
        self.parts = parts
        self.low = low
        self.high = high


class Block:
    """Statements in braces."""

    def __init__(self, parts=None):
        self.parts = parts if parts is not None else []


class Statement:
    """Text, expressions and blocks. can_unwrap: one of its blocks may stand for it."""

    def __init__(self, parts, can_unwrap=False):
        self.parts = parts
        self.can_unwrap = can_unwrap


def fill(template, *values):
    """The parts of a template in which each {} is one of the values."""
    pieces = template.split("{}")
    assert len(pieces) == len(values) + 1, template
    parts = [pieces[0]]
    for value, piece in zip(values, pieces[1:]):
        parts += [value, piece]
    return [part for part in parts if part != ""]


def make(kind, template, *values, low=0, high=0):
    return Node(kind, fill(template, *values), low, high)


def say(template, *values, can_unwrap=False):
    return Statement(fill(template, *values), can_unwrap)


def text(tree, indent=0):
    pad = "    " * indent
    if isinstance(tree, str):
        return tree
    if isinstance(tree, Node):
        return "".join(text(part, indent) for part in tree.parts)
    if isinstance(tree, Block):
        return "{\n" + "".join(text(part, indent + 1) for part in tree.parts) + pad + "}"
    return pad + "".join(text(part, indent) for part in tree.parts) + "\n"


def blocks_of(tree):
    if isinstance(tree, Block):
        yield tree
    for part in tree.parts:
        if not isinstance(part, str):
            yield from blocks_of(part)


def below(node):
    """The expressions inside an expression."""
    for part in node.parts:
        if isinstance(part, Node):
            yield part
            yield from below(part)


def size_of(tree):
    return 1 + sum(size_of(part) for part in tree.parts if not isinstance(part, str))


def _try(parts, start, end, replacement, still_fails):
    """Replaces parts[start:end] where the failure stays; else all is as it was."""
    saved = parts[start:end]
    parts[start:end] = replacement
    if still_fails():
        return True
    parts[start:start + len(replacement)] = saved
    return False


def drop_statements(root, still_fails):
    """Removes statements, many at a time first."""
    done = False
    for block in list(blocks_of(root)):
        chunk = len(block.parts)
        while chunk > 0:
            start = 0
            while start < len(block.parts):
                if _try(block.parts, start, min(start + chunk, len(block.parts)), [], still_fails):
                    done = True
                else:
                    start += chunk
            chunk //= 2
    return done


def unwrap_statements(root, still_fails):
    """Puts the statements of a loop or a branch in its place."""
    done = False
    for block in list(blocks_of(root)):
        index = 0
        while index < len(block.parts):
            statement = block.parts[index]
            inner = [part for part in statement.parts if isinstance(part, Block)] if statement.can_unwrap else []
            if any(_try(block.parts, index, index + 1, list(part.parts), still_fails) for part in inner):
                done = True
            index += 1
    return done


def simplify_expressions(tree, still_fails, constant):
    """Replaces expressions by a constant or by a part of themselves of the same type, outer ones first."""
    done = False
    for index in range(len(tree.parts)):
        while isinstance(tree.parts[index], Node):
            node = tree.parts[index]
            smaller = [constant(node.type)] + [inner for inner in below(node) if inner.type == node.type][:6]
            if not any(isinstance(inner, Node) for inner in node.parts):
                smaller = []
            if not any(_try(tree.parts, index, index + 1, [other], still_fails) for other in smaller):
                break
            done = True
        if not isinstance(tree.parts[index], str):
            done = simplify_expressions(tree.parts[index], still_fails, constant) or done
    return done
