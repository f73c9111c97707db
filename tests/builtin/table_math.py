# SPDX-License-Identifier: MIT
"""Functions of floating point: 6.12.2, 6.12.4, 6.12.5 and the operators, with the bounds of 7.4 (OpenCL C 3.0 where 1.2 has none)
and of cl_khr_fp16. References are numpy's in extended precision, mpmath's where numpy has none, and exact fractions."""
import math
from fractions import Fraction

import mpmath
import numpy

from table import FLOATS, Row

L = numpy.longdouble
PI = L("3.14159265358979323846264338327950288")
FLOAT_ONLY = ("float",)


def extended(function):
    return lambda *arguments: function(*(a if a.dtype.kind in "iu" else a.astype(L) for a in arguments))


def by_element(function):
    """Of one Python number to a value of the type; the type is the first argument's."""
    def reference(*arguments):
        kind = arguments[0].dtype.type
        return numpy.array([function(kind, *(a.item() for a in each)) for each in zip(*arguments)], kind)
    return reference


def nearest(kind, exact):
    """A fraction in the type, rounded to nearest even."""
    information = numpy.finfo(kind)
    if exact == 0:
        return kind(0)
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    step = max(exponent, information.minexp) - information.nmant
    with numpy.errstate(over="ignore"):
        return kind(math.ldexp(round(exact / Fraction(2) ** step), step)) if (
            exponent <= information.maxexp) else kind(math.copysign(math.inf, exact))


def fused(kind, a, b, c):
    if not all(map(math.isfinite, (a, b, c))):
        if math.isfinite(a) and math.isfinite(b):
            return c
        return kind(a) * kind(b) + kind(c)
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:  # its sign is the sum's of the signed terms
        return kind(math.copysign(1, a) * math.copysign(1, b) * 0.0) + kind(c) if a * b == 0 or c == 0 else kind(0)
    return nearest(kind, exact)


def mad_is_right(got, fused_value, arguments, scalar, width):
    """A fused operation, or a product and a sum, each rounded."""
    a, b, c = arguments
    apart = a * b + c
    tiny = numpy.abs(a * b) < numpy.finfo(numpy.float32).tiny  # a product that may be flushed
    either = (got == fused_value) | (got == apart) | (numpy.isnan(got) & (numpy.isnan(fused_value) | numpy.isnan(apart)))
    flushed = numpy.abs(apart) < numpy.finfo(numpy.float32).tiny
    return either | ((scalar == "float") & ((tiny & (got == c)) | (flushed & (got == 0))))


def through_mpmath(function, digits=30):
    def one(value):
        if not math.isfinite(value):
            return function(value)
        with mpmath.workdps(digits):
            result = function(mpmath.mpf(value))
            if mpmath.isinf(result) or mpmath.isnan(result):
                return L(str(result).replace("+", ""))
            return L(mpmath.nstr(result, 25)) if abs(result) > 1e-4900 else L(0)
    return lambda values: numpy.array([one(float(value)) for value in values], L)


def gamma(value):
    if value == 0:
        return L(math.copysign(math.inf, value))
    if value != value or value == -math.inf or (value < 0 and value == math.floor(value)):
        return L(math.nan)
    return L(value) if value == math.inf else mpmath.gamma(value)


def log_gamma(value):
    if value == 0 or math.isinf(value) or (value < 0 and value == math.floor(value)):
        return L(math.inf)
    return L(value) if value != value else mpmath.re(mpmath.loggamma(value))


def sign_of_gamma(values):
    sign = numpy.ones(len(values), numpy.int32)
    negative = (values < 0) & (numpy.floor(values) != values)
    sign[negative & (numpy.floor(values) % 2 != 0)] = -1
    return sign


def turns(values):
    """Half-turns: the nearest multiple of 1/2, and the exact rest."""
    rest = numpy.fmod(values, L(2))
    quarter = numpy.rint(rest * 2)
    return quarter.astype(int, casting="unsafe") % 4, (rest - quarter / 2) * PI


def sinpi(values):
    with numpy.errstate(invalid="ignore"):
        quarter, rest = turns(values)
    found = numpy.choose(quarter, [numpy.sin(rest), numpy.cos(rest), -numpy.sin(rest), -numpy.cos(rest)])
    return numpy.where(found == 0, numpy.copysign(L(0), values), found)


def cospi(values):
    with numpy.errstate(invalid="ignore"):
        quarter, rest = turns(values)
    found = numpy.choose(quarter, [numpy.cos(rest), -numpy.sin(rest), -numpy.cos(rest), numpy.sin(rest)])
    return numpy.where(found == 0, L(0), found)


def tanpi(values):
    """Zeros and poles have the signs of 6.12.2.2."""
    over, under = sinpi(values), cospi(values)
    odd = numpy.fmod(numpy.abs(numpy.rint(values)), 2) == 1
    zero = numpy.where(odd, -numpy.copysign(L(0), values), numpy.copysign(L(0), values))
    whole = numpy.floor(numpy.abs(values))
    pole = numpy.copysign(L(numpy.inf), values) * numpy.where(numpy.fmod(whole, 2) == 1, -1, 1)
    return numpy.where(over == 0, zero, numpy.where(under == 0, pole, over / under))


def fract(values):
    kind = values.dtype.type
    floor = numpy.floor(values)
    part = numpy.fmin(values - floor, numpy.nextafter(kind(1), kind(0)))
    part = numpy.where(numpy.isinf(values), numpy.copysign(kind(0), values), part)
    return numpy.where(numpy.isnan(values), values, part), floor


def round_away(values):
    return numpy.copysign(numpy.floor(numpy.abs(values).astype(L) + L(0.5)), values).astype(values.dtype)


def root(values, degree):
    n = degree.astype(L)
    odd = numpy.fmod(degree, 2) != 0
    size = numpy.power(numpy.abs(values), 1 / n)
    found = numpy.where(odd, numpy.copysign(size, values), size)
    return numpy.where((degree == 0) | ((values < 0) & ~odd), L(numpy.nan), found)


def powr(x, y):
    bad = (x < 0) | ((x == 0) & (y == 0)) | (numpy.isinf(x) & (y == 0)) | ((x == 1) & numpy.isinf(y)) | numpy.isnan(x) | numpy.isnan(y)
    return numpy.where(bad, L(numpy.nan), numpy.power(numpy.abs(x), y))


def ieee_remainder(kind, x, y):
    if not math.isfinite(x) or y == 0 or y != y:
        return kind(math.nan)
    return kind(math.remainder(x, y))


def quotient(x, y):
    """Its seven low bits, with its sign; of what has none, 0."""
    out = []
    for a, b in zip(x.tolist(), y.tolist()):
        if not math.isfinite(a) or not math.isfinite(b) or b == 0:
            out.append(0)
            continue
        exact = round(Fraction(a) / Fraction(b))
        out.append((abs(exact) & 127) * (-1 if exact < 0 else 1))
    return numpy.array(out, numpy.int32)


def larger_size(x, y):
    return numpy.where(numpy.abs(x) > numpy.abs(y), x, numpy.where(numpy.abs(y) > numpy.abs(x), y, numpy.fmax(x, y)))


def smaller_size(x, y):
    return numpy.where(numpy.abs(x) < numpy.abs(y), x, numpy.where(numpy.abs(y) < numpy.abs(x), y, numpy.fmin(x, y)))


def exponent_is_right(got, wanted, arguments, scalar, width):
    """FP_ILOGB0 and FP_ILOGBNAN may each be one of two numbers."""
    x = arguments[0]
    lowest, highest = -2**31, 2**31 - 1
    right = numpy.where(x == 0, (got == lowest) | (got == -highest), got == wanted)
    right = numpy.where(numpy.isnan(x), (got == lowest) | (got == highest), right)
    return numpy.where(numpy.isinf(x), got == highest, right)


def ilogb(x):
    with numpy.errstate(all="ignore"):
        return numpy.nan_to_num(numpy.frexp(x)[1] - 1).astype(numpy.int32)


def is_nan(got, wanted, arguments, scalar, width):
    return numpy.isnan(got)


def near(absolute, relative):
    """A function for which the specification leaves the error open: a bound that a wrong formula would miss."""
    def bound(got, wanted, arguments, scalar, width):
        scale = {"half": 2048, "float": 1, "double": 1}[scalar]
        error = numpy.abs(got.astype(L) - wanted)
        return (error <= scale * (absolute + relative * numpy.abs(wanted))) | (got == wanted) | (numpy.isnan(got) & numpy.isnan(wanted)) | (
            numpy.isinf(got) & (numpy.abs(wanted) >= numpy.finfo(got.dtype).max))
    return bound


def ties(call, given):
    """Of every third the product is short enough to lie in the middle of two numbers, and the sum is a trace beside it."""
    a, b, c = (values.copy() for values in given)
    kind = c.dtype.type
    bits, random = (numpy.finfo(kind).nmant + 2) // 2, numpy.random.default_rng(9)
    short = lambda count: random.integers(1 << (bits - 1), 1 << bits, count) | 1
    a[::3] = (short(len(a[::3])) * 2.0 ** (3 - bits)).astype(kind)
    b[::3] = (short(len(b[::3])) * 2.0 ** (7 - bits)).astype(kind)
    trace = numpy.finfo(kind).smallest_subnormal if kind == numpy.float16 else kind(2.0 ** (-2 * numpy.finfo(kind).nmant))
    c[::3] = trace * random.choice([-1, 1], len(c[::3])).astype(kind)
    return [a, b, c]


def positive(call, given):
    return [numpy.abs(given[0])] + given[1:]


def unary(name, function, half, single, values=("any",), double=None, **more):
    return Row("math", name, FLOATS, "g:g", extended(function), (half, single, double or single), values, **more)


def exact(name, signatures, function, **more):
    return Row("math", name, FLOATS, signatures, function, 0, **more)


UNARY = [
    unary("acos", numpy.arccos, 2, 4, ((-1, 1),)), unary("acosh", numpy.arccosh, 2, 4, ("any",)),
    unary("acospi", lambda x: numpy.arccos(x) / PI, 2, 5, ((-1, 1),)),
    unary("asin", numpy.arcsin, 2, 4, ((-1, 1),)), unary("asinh", numpy.arcsinh, 2, 4),
    unary("asinpi", lambda x: numpy.arcsin(x) / PI, 2, 5, ((-1, 1),)),
    unary("atan", numpy.arctan, 2, 5), unary("atanh", numpy.arctanh, 2, 5, ((-1, 1),)),
    unary("atanpi", lambda x: numpy.arctan(x) / PI, 2, 5), unary("cbrt", numpy.cbrt, 2, 2),
    unary("cos", numpy.cos, 2, 4), unary("cosh", numpy.cosh, 2, 4), unary("cospi", cospi, 2, 4),
    unary("erfc", through_mpmath(lambda x: mpmath.erfc(x)), 4, 16, ((-6, 28),)),
    unary("erf", through_mpmath(lambda x: mpmath.erf(x)), 4, 16, ((-6, 6),)),
    unary("exp", numpy.exp, 2, 3), unary("exp2", numpy.exp2, 2, 3),
    unary("exp10", lambda x: numpy.power(L(10), x), 2, 3), unary("expm1", numpy.expm1, 2, 3),
    unary("log", numpy.log, 2, 3), unary("log2", numpy.log2, 2, 3), unary("log10", numpy.log10, 2, 3),
    unary("log1p", numpy.log1p, 2, 2), unary("rsqrt", lambda x: 1 / numpy.sqrt(x), 1, 2, prepare=positive),
    unary("sin", numpy.sin, 2, 4), unary("sinh", numpy.sinh, 2, 4), unary("sinpi", sinpi, 2, 4),
    unary("sqrt", numpy.sqrt, 0.5, 3, double=0.5),
    unary("tan", numpy.tan, 2, 5), unary("tanh", numpy.tanh, 2, 5), unary("tanpi", tanpi, 2, 6),
    unary("tgamma", through_mpmath(gamma), 4, 16, ((-180, 180),)),
    Row("math", "lgamma", FLOATS, "g:g", through_mpmath(log_gamma), near(1e-5, 1e-5), ((-30, 1000),)),
    Row("math", "nan", FLOATS, "g:U", lambda x: x.astype(float), is_nan),
    Row("math", "ilogb", FLOATS, "i:g", ilogb, exponent_is_right),
    unary("logb", lambda x: numpy.where(x == 0, L(-numpy.inf), numpy.where(numpy.isinf(x), L(numpy.inf), numpy.where(
        numpy.isnan(x), x, numpy.frexp(x)[1] - 1))), 0, 0),
]
EXACT = [
    exact("ceil", "g:g", numpy.ceil), exact("fabs", "g:g", numpy.fabs), exact("floor", "g:g", numpy.floor),
    exact("rint", "g:g", numpy.rint), exact("round", "g:g", round_away), exact("trunc", "g:g", numpy.trunc),
    exact("copysign", "g:gg", numpy.copysign), exact("fdim", "g:gg", lambda x, y: numpy.where(
        numpy.isnan(x) | numpy.isnan(y), numpy.nan, numpy.where(x > y, x - y, 0)).astype(x.dtype), has_signed_zero=False),
    exact("fma", "g:ggg", by_element(fused), values=("moderate", "moderate", "any"), prepare=ties, has_signed_zero=False),
    Row("math", "mad", FLOATS, "g:ggg", by_element(fused), mad_is_right, ("moderate", "moderate", "any"), prepare=ties),
    exact("fmax", "g:gg g:gs", numpy.fmax, has_signed_zero=False), exact("fmin", "g:gg g:gs", numpy.fmin, has_signed_zero=False),
    exact("fmod", "g:gg", numpy.fmod), exact("maxmag", "g:gg", larger_size, has_signed_zero=False),
    exact("minmag", "g:gg", smaller_size, has_signed_zero=False),
    exact("nextafter", "g:gg", numpy.nextafter, values=((0.01, 60000), "number")),
    exact("remainder", "g:gg", by_element(ieee_remainder)),
    exact("remquo", "g:ggN", lambda x, y: (by_element(ieee_remainder)(x, y), quotient(x, y)), values=("number", (0.4, 9000))),
    exact("fract", "g:gG", fract), exact("frexp", "g:gN", numpy.frexp, values=("number",)),
    exact("modf", "g:gG", numpy.modf),
    Row("math", "ldexp", FLOATS, "g:gi g:gI", lambda x, n: numpy.ldexp(x.astype(L), n), 0.5, ("any", (-1100, 1100))),
    Row("math", "lgamma_r", FLOATS, "g:gN", lambda x: (through_mpmath(log_gamma)(x), sign_of_gamma(x)),
        lambda got, wanted, a, scalar, width: got == wanted if got.dtype.kind == "i" else near(1e-5, 1e-5)(got, wanted, a, scalar, width),
        ((-29.9, 100),)),
]
SEVERAL = [
    Row("math", "atan2", FLOATS, "g:gg", extended(numpy.arctan2), (2, 6, 6)),
    Row("math", "atan2pi", FLOATS, "g:gg", extended(lambda y, x: numpy.arctan2(y, x) / PI), (2, 6, 6)),
    Row("math", "hypot", FLOATS, "g:gg", extended(numpy.hypot), (2, 4, 4)),
    Row("math", "pow", FLOATS, "g:gg", extended(numpy.power), (4, 16, 16)),
    Row("math", "pown", FLOATS, "g:gi", extended(numpy.power), (4, 16, 16), ("any", (-40, 40))),
    Row("math", "powr", FLOATS, "g:gg", extended(powr), (4, 16, 16), prepare=positive),
    Row("math", "rootn", FLOATS, "g:gi", extended(root), (4, 16, 16), ("any", (-20, 20))),
    Row("math", "sincos", FLOATS, "g:gG", extended(lambda x: (numpy.sin(x), numpy.cos(x))),
        lambda got, wanted, a, scalar, width: SINE(got, wanted, scalar)),
]


def SINE(got, wanted, scalar):
    from table import within
    return within(got, wanted, {"half": 2, "float": 4, "double": 4}[scalar], got.dtype.type, True)


ROUGH = {  # half_ and native_: the first within 8192 ulps, the second as it likes, but not a wrong function
    "cos": (numpy.cos, (-3, 3)), "exp": (numpy.exp, (-80, 80)), "exp2": (numpy.exp2, (-120, 120)),
    "exp10": (lambda x: numpy.power(L(10), x), (-37, 37)), "log": (numpy.log, (1e-30, 1e30)), "log2": (numpy.log2, (1e-30, 1e30)),
    "log10": (numpy.log10, (1e-30, 1e30)), "recip": (lambda x: 1 / x, (1e-30, 1e30)),
    "rsqrt": (lambda x: 1 / numpy.sqrt(x), (1e-30, 1e30)), "sin": (numpy.sin, (-3, 3)), "sqrt": (numpy.sqrt, (0, 1e30)),
    "tan": (numpy.tan, (-1.5, 1.5)),
}
HALF = [Row("math", "half_" + name, FLOAT_ONLY, "g:g", extended(function), 8192, (values,)) for name, (function, values) in ROUGH.items()]
NATIVE = [Row("math", "native_" + name, FLOAT_ONLY, "g:g", extended(function), near(1e-5, 1e-4), (values,))
          for name, (function, values) in ROUGH.items()]
ROUGH_PAIRS = [Row("math", kind + name, FLOAT_ONLY, "g:gg", extended(function), bound, values)
               for kind, bound in (("half_", 8192), ("native_", near(1e-5, 1e-4))) for name, function, values in (
                   ("divide", numpy.divide, ((0.001, 1000), (0.001, 1000))), ("powr", numpy.power, ((0.01, 100), (-10, 10))))]


def error_of(ulps):
    """Absolute: so many epsilons of the type, by the square of the greatest argument, 4."""
    return lambda got, wanted, a, scalar, width: numpy.abs(got.astype(L) - wanted) <= 16 * ulps(width) * numpy.finfo(got.dtype).eps


def absolute(tolerance):
    return lambda got, wanted, a, scalar, width: numpy.abs(got.astype(L) - wanted) <= (
        max(tolerance, 4 * numpy.finfo(got.dtype).eps))


def ordered(call, given):
    """The last two of clamp, the first two of smoothstep: the smaller first, and no two alike."""
    place = 1 if call.row.name == "clamp" else 0
    low, high = given[place], given[place + 1]
    low, high = numpy.minimum(low, high), numpy.maximum(low, high)
    if call.row.name == "smoothstep":
        high = numpy.where(high - low < 0.125, low + low.dtype.type(1), high).astype(low.dtype)
    return given[:place] + [low, high] + given[place + 2 :]


def smooth(low, high, x):
    t = numpy.clip((x - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


SMALL = ((-4, 4),)
COMMON = [
    Row("common", "clamp", FLOATS, "g:ggg g:gss", lambda x, a, b: numpy.fmin(numpy.fmax(x, a), b), 0, ("number",), prepare=ordered,
        has_signed_zero=False),
    Row("common", "degrees", FLOATS, "g:g", extended(lambda x: x * (180 / PI)), 2, ("number",)),
    Row("common", "radians", FLOATS, "g:g", extended(lambda x: x * (PI / 180)), 2, ("number",)),
    Row("common", "max", FLOATS, "g:gg g:gs", numpy.fmax, 0, ("number",), has_signed_zero=False),
    Row("common", "min", FLOATS, "g:gg g:gs", numpy.fmin, 0, ("number",), has_signed_zero=False),
    Row("common", "mix", FLOATS, "g:ggg g:ggs", extended(lambda x, y, a: x + (y - x) * a), absolute(1e-5), ((-4, 4), (-4, 4), (0, 1))),
    Row("common", "step", FLOATS, "g:gg g:sg", lambda edge, x: (~(x < edge)).astype(x.dtype), 0, ("number",)),
    Row("common", "smoothstep", FLOATS, "g:ggg g:ssg", extended(smooth), absolute(1e-5), SMALL, prepare=ordered),
    Row("common", "sign", FLOATS, "g:g", lambda x: numpy.where(numpy.isnan(x), 0, numpy.where(x == 0, x, numpy.sign(x))).astype(x.dtype)),
]


def cross(a, b):
    found = numpy.zeros(a.shape, L)
    found[:, :3] = numpy.cross(a[:, :3], b[:, :3])
    return found


def size(a):
    return numpy.sqrt((a * a).sum(axis=1))


def ulps_by_width(half, single):
    """(constant, for each element)."""
    def bound(got, wanted, arguments, scalar, width):
        from table import within
        constant, each = half if scalar == "half" else single
        return within(got, wanted, constant + each * width, got.dtype.type, False)
    return bound


def fast(each):
    return lambda got, wanted, a, scalar, width: ulps_by_width((0, 0), (8192, each))(got, wanted, a, scalar, width)


NARROW = (1, 2, 3, 4)
GEOMETRY = [
    Row("geometric", "cross", FLOATS, "g:gg", extended(cross), error_of(lambda n: 3), SMALL, (3, 4), whole=True),
    Row("geometric", "dot", FLOATS, "s:gg", extended(lambda a, b: (a * b).sum(axis=1)), error_of(lambda n: 2 * n - 1), SMALL, NARROW, whole=True),
    Row("geometric", "distance", FLOATS, "s:gg", extended(lambda a, b: size(a - b)), ulps_by_width((0, 2), (2.5, 2)), SMALL, NARROW, whole=True),
    Row("geometric", "length", FLOATS, "s:g", extended(size), ulps_by_width((0.25, 0.5), (2.75, 0.5)), SMALL, NARROW, whole=True),
    Row("geometric", "normalize", FLOATS, "g:g", extended(lambda a: a / size(a)[:, None]), ulps_by_width((1, 1), (2, 1)), SMALL, NARROW, whole=True),
    Row("geometric", "fast_distance", FLOAT_ONLY, "s:gg", extended(lambda a, b: size(a - b)), fast(2), SMALL, NARROW, whole=True),
    Row("geometric", "fast_length", FLOAT_ONLY, "s:g", extended(size), fast(0.5), SMALL, NARROW, whole=True),
    Row("geometric", "fast_normalize", FLOAT_ONLY, "g:g", extended(lambda a: a / size(a)[:, None]), fast(1), SMALL, NARROW, whole=True),
]
ARITHMETIC = [
    Row("operators", "operator " + sign, FLOATS, "g:gg", function, bound, form="{} " + sign + " {}")
    for sign, function, bound in (("+", numpy.add, 0), ("-", numpy.subtract, 0), ("*", numpy.multiply, 0))
] + [Row("operators", "operator /", FLOATS, "g:gg", extended(numpy.divide), (0.5, 2.5, 0.5), ("number", "moderate"), form="{} / {}"),
     Row("operators", "operator 1/", FLOATS, "g:g", extended(lambda x: 1 / x), (0.5, 2.5, 0.5), ("number",), form="1 / {}")]
ROWS = UNARY + EXACT + SEVERAL + HALF + NATIVE + ROUGH_PAIRS + COMMON + GEOMETRY + ARITHMETIC
