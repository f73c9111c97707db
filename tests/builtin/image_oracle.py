# SPDX-License-Identifier: MIT
"""Image reads and writes in numpy, from the formulas of "The OpenCL Specification" 3.0, chapter 8 (addressing, filtering,
conversion): what images.py holds the device against."""
import numpy

F32 = numpy.float32
NONE, EDGE, CLAMP, REPEAT, MIRROR = 0x1130, 0x1131, 0x1132, 0x1133, 0x1134
MODES = {NONE: "none", EDGE: "clamp_to_edge", CLAMP: "clamp", REPEAT: "repeat", MIRROR: "mirrored_repeat"}

# Channel type -> (numpy type, largest value of a normalized type or None).
TYPES = {
    0x10D0: ("snorm8", numpy.int8, 127), 0x10D1: ("snorm16", numpy.int16, 32767), 0x10D2: ("unorm8", numpy.uint8, 255),
    0x10D3: ("unorm16", numpy.uint16, 65535), 0x10D7: ("int8", numpy.int8, None), 0x10D8: ("int16", numpy.int16, None),
    0x10D9: ("int32", numpy.int32, None), 0x10DA: ("uint8", numpy.uint8, None), 0x10DB: ("uint16", numpy.uint16, None),
    0x10DC: ("uint32", numpy.uint32, None), 0x10DD: ("half", numpy.float16, None), 0x10DE: ("float", F32, None),
}
# Channel order -> (name, component of the color that each channel holds, color of an element by channels: a channel, "0", "1").
ORDERS = {
    0x10B0: ("R", (0,), (0, "0", "0", "1")), 0x10B1: ("A", (3,), ("0", "0", "0", 0)),
    0x10B2: ("RG", (0, 1), (0, 1, "0", "1")), 0x10B5: ("RGBA", (0, 1, 2, 3), (0, 1, 2, 3)),
    0x10B6: ("BGRA", (2, 1, 0, 3), (2, 1, 0, 3)), 0x10B7: ("ARGB", (3, 0, 1, 2), (1, 2, 3, 0)),
    0x10B8: ("INTENSITY", (0,), (0, 0, 0, 0)), 0x10B9: ("LUMINANCE", (0,), (0, 0, 0, "1")),
    0x10BD: ("DEPTH", (0,), (0, "0", "0", "1")),
}


class Format:
    def __init__(self, order, channel_type):
        self.order, self.type = order, channel_type
        self.order_name, self.components, self.color = ORDERS[order]
        self.type_name, self.dtype, self.scale = TYPES[channel_type]
        self.name = "%s %s" % (self.order_name, self.type_name)
        self.channels = len(self.components)
        kind = numpy.dtype(self.dtype).kind
        self.is_depth = self.order_name == "DEPTH"
        self.suffix = "f" if self.scale or kind == "f" else "i" if kind == "i" else "ui"
        self.out = {"f": F32, "i": numpy.int32, "ui": numpy.uint32}[self.suffix]

    def random(self, random, shape):
        """Elements of every size that the type has, extremes among them; finite."""
        count = int(numpy.prod(shape)) * self.channels
        if numpy.dtype(self.dtype).kind == "f":
            values = (random.uniform(-1, 1, count) * 2.0 ** random.integers(-6, 7, count)).astype(self.dtype)
        else:
            info = numpy.iinfo(self.dtype)
            values = random.integers(info.min, info.max, count, dtype=self.dtype, endpoint=True)
            values[random.integers(0, count, 4)] = [info.min, info.max, 0, info.max]
        return values.reshape(tuple(shape) + (self.channels,))

    def decode(self, elements):
        """Elements (..., channels) to colors (..., 4): exact, in double for what kernels see as floats."""
        values = elements.astype(numpy.float64 if self.suffix == "f" else self.out)
        if self.scale:
            values = numpy.maximum(values / self.scale, -1.0)
        ones, zeros = numpy.ones(values.shape[:-1], values.dtype), numpy.zeros(values.shape[:-1], values.dtype)
        pick = {"0": zeros, "1": ones}
        return numpy.stack([pick[c] if isinstance(c, str) else values[..., c] for c in self.color], axis=-1)

    def encode(self, colors):
        """Colors (..., 4) to elements: convert_T_sat_rte of the scaled value; NaN of a normalized type is 0."""
        channels = colors[..., list(self.components)]
        if numpy.dtype(self.dtype).kind == "f":
            with numpy.errstate(over="ignore"):
                return channels.astype(self.dtype)
        info = numpy.iinfo(self.dtype)
        if not self.scale:
            return numpy.clip(channels.astype(numpy.int64), info.min, info.max).astype(self.dtype)
        with numpy.errstate(over="ignore", invalid="ignore"):
            scaled = numpy.rint(channels * F32(self.scale))
        return numpy.nan_to_num(numpy.clip(scaled, info.min, info.max), nan=0).astype(self.dtype)


def place(s, size, mode, normalized, real):
    """A coordinate in elements, before its fraction is dropped; `real` is the type to compute in."""
    s = s.astype(real)
    if not normalized:
        return s
    if mode == REPEAT:
        return (s - numpy.floor(s)) * real(size)
    if mode == MIRROR:
        return numpy.abs(s - real(2) * numpy.rint(real(0.5) * s)) * real(size)
    return s * real(size)


def wrap(i, size, mode, normalized):
    if mode == REPEAT and normalized:
        return numpy.where(i < 0, i + size, numpy.where(i >= size, i - size, i))
    if mode == EDGE or (mode == MIRROR and normalized):
        return numpy.clip(i, 0, size - 1)
    return i


def whole(values):
    return numpy.clip(numpy.floor(values), -2.0**40, 2.0**40).astype(numpy.int64)


def layer_of(w, layers):
    return numpy.clip(numpy.rint(w.astype(numpy.float64)), 0, layers - 1).astype(numpy.int64)


def fetch(colors, border, index):
    """colors[z][y][x] at index (x, y, z); outside the border color."""
    inside = numpy.ones(index[0].shape, bool)
    safe = []
    for i, size in zip(index, colors.shape[2::-1]):
        inside &= (i >= 0) & (i < size)
        safe.append(numpy.clip(i, 0, size - 1))
    return numpy.where(inside[:, None], colors[safe[2], safe[1], safe[0]], border)


def nearest(colors, border, coordinates, filtered, mode, normalized):
    """`coordinates` are floats or integers (n, 3); `filtered` says which of the three axes are in the image's plane: another
    is a layer."""
    index = []
    for axis, size in enumerate(colors.shape[2::-1]):
        c = coordinates[:, axis]
        if not filtered[axis]:
            index.append(layer_of(c, size))
        elif c.dtype.kind == "f":
            index.append(wrap(whole(place(c, size, mode, normalized, F32)), size, mode, normalized))
        else:
            index.append(numpy.clip(c, 0, size - 1) if mode == EDGE else c)
    return fetch(colors, border, index)


def linear(colors, border, coordinates, filtered, mode, normalized):
    """(colors in double, tolerance): coordinates in double too. The device computes them in single precision, which moves a
    place by at most 2^-22 of its size and the image's; the result moves by no more than that times the largest difference
    of two elements, since linear filtering is continuous. 2^-20 of it more is for eight products and their sum."""
    reach = numpy.abs(colors).max() + abs(border).max() if colors.size else 0.0
    terms, slack = [((), numpy.ones(len(coordinates)))], numpy.full(len(coordinates), 2.0**-20)
    for axis, size in enumerate(colors.shape[2::-1]):
        c = coordinates[:, axis]
        if not filtered[axis]:
            options = [(layer_of(c, size), 1.0)]
        else:
            u = place(c, size, mode, normalized, numpy.float64)
            slack += 2.0**-22 * (size + numpy.abs(u))
            first, fraction = whole(u - 0.5), u - 0.5 - numpy.floor(u - 0.5)
            options = [(wrap(first, size, mode, normalized), 1 - fraction), (wrap(first + 1, size, mode, normalized), fraction)]
        terms = [(index + (i,), weight * w) for index, weight in terms for i, w in options]
    total = sum(fetch(colors, border, index) * weight[:, None] for index, weight in terms)
    return total, slack[:, None] * 2 * reach
