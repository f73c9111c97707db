# SPDX-License-Identifier: MIT
"""Arguments for built-in functions: edges of the type among random values, from fixed seeds."""
import numpy

from builtin_support import SCALARS


def edges_of(kind):
    information = numpy.finfo(kind)
    edges = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.0, 2.5, -2.5, 3.0, numpy.inf, -numpy.inf, numpy.nan,
             information.max, -information.max, information.tiny, -information.tiny, information.eps, 1 - information.epsneg,
             0.25, 10.0, 100.0, 4.0, -3.0, 7.5, 1 / information.eps, 0.75 / information.eps]
    if kind != numpy.float32:  # whose denormals are flushed
        edges += [information.smallest_subnormal, -information.smallest_subnormal, information.tiny * 0.75]
    return numpy.array(edges, kind)


def spread_of(random, kind, count, most=None):
    """Signs and exponents of every size."""
    information = numpy.finfo(kind)
    low, high = information.minexp + 1, information.maxexp - 1
    if most is not None:
        low, high = max(low, -most), min(high, most)
    return (random.choice([-1, 1], count) * random.uniform(1, 2, count) * 2.0 ** random.integers(low, high, count)).astype(kind)


def floats(random, kind, count, sort):
    """"any": everything; "number": no infinity, no NaN; "moderate": within 2^8; or a range (low, high)."""
    if isinstance(sort, tuple):
        low, high = (float(min(max(x, -numpy.finfo(kind).max), numpy.finfo(kind).max)) for x in sort)
        values = random.uniform(low, high, count)
        near = numpy.clip(low + (random.uniform(0, 1, count) ** 6) * (high - low), low, high)
        return numpy.where(random.integers(0, 2, count) == 0, values, near).astype(kind)
    values = numpy.where(random.integers(0, 3, count) == 0, spread_of(random, kind, count), spread_of(random, kind, count, 8))
    if sort == "moderate":
        return spread_of(random, kind, count, 8)
    edges = edges_of(kind)
    if sort == "number":
        edges = edges[numpy.isfinite(edges)]
    return numpy.where(random.integers(0, 5, count) == 0, random.choice(edges, count), values).astype(kind)


def integers(random, kind, count, sort):
    information = numpy.iinfo(kind)
    if isinstance(sort, tuple):
        return random.integers(max(sort[0], information.min), min(sort[1], information.max), count, dtype=kind, endpoint=True)
    values = random.integers(information.min, information.max, count, dtype=kind, endpoint=True)
    values = values >> random.integers(0, information.bits, count).astype(kind)
    edges = numpy.array([information.min, information.max, 0, 1, information.max // 2, information.max - 1, information.min + 1], kind)
    return numpy.where(random.integers(0, 4, count) == 0, random.choice(edges, count), values).astype(kind)


def make(random, scalar, count, sort):
    kind = SCALARS[scalar]
    return (floats if numpy.dtype(kind).kind == "f" else integers)(random, kind, count, sort)


def arguments_of(call, items):
    """The arguments of one overload; the same on every run."""
    row = call.row
    random = numpy.random.default_rng([len(row.name), sum(map(ord, row.name)), len(call.scalar), ord(call.scalar[0])])
    given = []
    for place, (letter, scalar, width) in enumerate(call.arguments):
        if letter in ("G", "N"):
            given.append(None)
            continue
        given.append(make(random, scalar, items * width, row.values[min(place, len(row.values) - 1)]))
    if row.prepare:
        given = row.prepare(call, given)
    return given
