"""Functions that compute each element from the same element of each operand."""

import os
import re

import torch
import torch.nn.functional as F

from recorder import (EDGES, HALVES, INTEGERS, NAN, INF, any_of, b, bf16, edges, f16, f32, f64, i32,
                      i64, i8, numbers, real, u8, whole)

HEADER = os.path.join(os.path.dirname(__file__), "../../elementwise_functions.hpp")
ROW = re.compile(r'function\("(\w+)", .*?},\s*(-?[\d.e]+), (-?[\d.e]+)(?:,\s*{([^}]*)})?\)', re.DOTALL)


def functions_of_header():
    """The rows of tests/elementwise_functions.hpp: name, torch's function, the interval of its
    arguments, places where gradients are delicate."""
    result = []
    with open(HEADER) as file:
        for name, low, high, delicate in ROW.findall(file.read()):
            call = getattr(torch, name, None) or getattr(F, name)
            places = [float(x) for x in delicate.split(",")] if delicate else None
            result.append((name, call, float(low), float(high), places))
    return result


UNARY = functions_of_header()
FLOATING_ONLY = {"silu", "softplus", "gelu", "frac", "relu6", "selu", "logsigmoid", "hardsigmoid",
                 "hardswish", "mish", "softsign", "tanhshrink"}
SUMS = {"gelu", "tanhshrink"}  # of numbers that cancel
IN_F32 = {"hardsigmoid", "hardswish"}  # torch has 1 / 6 in f32
SHAPES = [(), (0,), (1,), (2, 0), (3, 5), (2, 1, 3), (1, 2, 0, 3), (2, 1, 2, 3), (1, 2, 1, 3, 2)]


def wide(dtype):
    """Numbers of all sizes."""
    return torch.cat([edges(dtype), real(14, dtype=dtype, low=-20, high=20),
                      numbers([88.5, -87.0, -100.0, 30.0, 7.0, 1e4, -0.01], dtype)])


def examples(name, dtype):
    """Numbers of all sizes, without those for which torch's result depends on its vector unit."""
    x = wide(dtype)
    if name == "sign":
        return x[~x.isnan()]
    if name == "gelu":
        return x[x.isnan() | (x.abs() < 1e30)]
    if name == "hardswish":
        return x[x.isnan() | (x.abs() < 1e30)]
    if name == "erf" and dtype == bf16:
        return x[(x == 0) | (x.abs() > 1e-10)]
    if name == "tanhshrink":
        return x[(x == 0) | (x.abs() > 0.1)]
    return x


def unary(family):
    for n, (name, call, low, high, delicate) in enumerate(UNARY):
        more = {"length": 4} if name in SUMS else {}
        if name in IN_F32:
            more["accuracy"] = 1e-7
        family.add(name, call, [real(3, 5, low=low, high=high)], **more)
        if delicate is not None:
            family.add(name, call, [numbers(delicate)], **more)
        for dtype in (f32, f16, bf16):
            family.add(name, call, [examples(name, dtype)], **more)
        for shape in (SHAPES[0], SHAPES[1], SHAPES[3 + n % 6]):
            family.add(name, call, [real(*shape, dtype=f32, low=low, high=high)], **more)
        if name in FLOATING_ONLY:
            continue
        family.add(name, call, [numbers([-3, 0, 1, 2, 5], i64)])
        if name not in ("neg", "floor", "ceil", "trunc", "round", "square", "sign"):
            family.add(name, call, [numbers([0, 1, 1], b)])
        if name not in ("floor", "ceil", "trunc", "round"):
            family.add(name, call, [numbers([0, 1, 7, 200], u8)])
    for dtype in INTEGERS:
        limits = torch.iinfo(dtype)
        family.add("abs", torch.abs, [numbers([limits.min, limits.max, 0], dtype)])
        family.add("neg", torch.neg, [numbers([limits.min, limits.max, 3], dtype)])
        family.add("bitwise_not", torch.bitwise_not, [whole(7, dtype=dtype)])
    family.add("bitwise_not", torch.bitwise_not, [whole(7, dtype=b)])


def parametric(family):
    for dtype in (f64, f32, f16, bf16):
        x = real(3, 5, dtype=dtype)
        extremes = numbers([0.0, -0.0, 1.0, -1.0, 30.0, -30.0, INF, -INF], dtype)
        for value in (x, extremes):
            for slope in (0.01, 0.3):
                family.add("leaky_relu", lambda v: F.leaky_relu(v, slope), [value], slope)
            for alpha in (1.0, 0.5):
                family.add("elu", lambda v: F.elu(v, alpha), [value], alpha)
            family.add("softplus_beta", lambda v: F.softplus(v, 2.0, 10.0), [value], 2.0, 10.0)
            family.add("hardtanh", lambda v: F.hardtanh(v, -0.5, 1.0), [value], -0.5, 1.0)
            family.add("celu", lambda v: F.celu(v, 0.5), [value], 0.5)
            family.add("softshrink", lambda v: F.softshrink(v, 0.5), [value], 0.5)
            family.add("hardshrink", lambda v: F.hardshrink(v, 0.5), [value], 0.5)
            family.add("threshold", lambda v: F.threshold(v, 0.3, -2.0), [value], 0.3, -2.0)
            family.add("nan_to_num", lambda v: torch.nan_to_num(v, 1.5), [value], 1.5)
            family.add("gelu_tanh", lambda v: F.gelu(v, approximate="tanh"), [value])
        family.add("prelu", F.prelu, [x, real(1, dtype=dtype)], fixed=[(1, 0)])
        family.add("prelu", F.prelu, [x, real(5, dtype=dtype)])
        family.add("glu", lambda v: F.glu(v, -1), [real(3, 6, dtype=dtype)], -1, fixed=[(0, 1)])
        if dtype in HALVES:
            continue
        family.add("logit", torch.logit, [real(3, 5, dtype=dtype, low=0.1, high=0.9)], length=4)
        family.add("logit", lambda v: torch.logit(v, 0.1), [real(7, dtype=dtype, low=0, high=1)], 0.1, length=4)
        for decimals in (1, 2, -1):
            family.add("round_decimals", lambda v: torch.round(v, decimals=decimals),
                       [real(7, dtype=dtype, low=-20, high=20)], decimals)
    for name, p in (("dropout", 0.0), ("dropout", 1.0)):
        family.add(name, lambda v: F.dropout(v, p, training=True), [real(2, 3)], p)
    for dtype in (f64, f32, i64, bf16):
        x = any_of(4, 3, dtype=dtype)
        family.add("clamp_min", lambda v: torch.clamp_min(v, 0), [x], 0)
        family.add("clamp_max", lambda v: torch.clamp_max(v, 0), [x], 0)
        for low, high in ((-1, 1), (2, 1)):
            family.add("clamp", lambda v: torch.clamp(v, low, high), [x], low, high)
    family.add("clamp", lambda v: torch.clamp(v, -1, 1), [numbers([-1.0, 1.0, 0.0, -INF, INF])], -1, 1)
    for pair in ((f64, f64), (f32, f32)):
        x, low, high = real(3, 4, dtype=pair[0]), real(4, dtype=pair[0], low=-1, high=0), \
            real(3, 1, dtype=pair[0], low=0, high=1)
        family.add("clamp_tensors", torch.clamp, [x, low, high], broadcasts=True)
    family.add("clamp_tensors", torch.clamp, [numbers([1.0, 2.0, 3.0]), numbers([1.0, 0.0, 4.0]),
                                              numbers([3.0, 2.0, 5.0])])


BINARY = [
    ("add", torch.add, 0.5, 2), ("sub", torch.sub, 0.5, 2), ("mul", torch.mul, 0.5, 2),
    ("div", torch.div, 0.5, 2), ("pow", torch.pow, 0.5, 2), ("atan2", torch.atan2, 0.5, 2),
    ("minimum", torch.minimum, 0.5, 2), ("maximum", torch.maximum, 0.5, 2),
    ("remainder", torch.remainder, 0.5, 2), ("floor_divide", torch.floor_divide, 0.5, 2),
]
MORE_BINARY = [("fmod", torch.fmod), ("hypot", torch.hypot), ("logaddexp", torch.logaddexp),
               ("copysign", torch.copysign), ("fmin", torch.fmin), ("fmax", torch.fmax),
               ("isclose", torch.isclose)]
PREDICATES = [("eq", torch.eq), ("ne", torch.ne), ("lt", torch.lt), ("le", torch.le),
              ("gt", torch.gt), ("ge", torch.ge), ("logical_and", torch.logical_and),
              ("logical_or", torch.logical_or), ("logical_xor", torch.logical_xor)]
PAIRS = [((2, 3), (2, 3)), ((5, 4), (5, 4)), ((3, 1), (1, 4)), ((2, 1, 3), (4, 1)), ((), (3,)),
         ((1,), (0,)), ((2, 0), (1,)), ((7,), (7,))]


def binary(family):
    few = [NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 2.0, -2.5, 0.5, 3.0, 1e30, 1e-40]
    for name, call, low, high in BINARY:
        gradient = name != "floor_divide"
        for left, right in PAIRS:
            family.add(name, call, [real(*left, low=low, high=high), real(*right, low=low, high=high)],
                       broadcasts=True, gradient=gradient)
        family.add(name, call, [real(3, 4), real(3, 4, low=0.5)], gradient=gradient and name != "pow")
        family.add(name, call, [numbers(few, f32)[:, None], numbers(few, f32)[None]], broadcasts=True)
        for dtype in HALVES:
            family.add(name, call, [real(17, dtype=dtype, low=0.2), real(17, dtype=dtype, low=0.5)])
        if name != "atan2":
            for dtype in (i64, i32, i8, u8):
                x, y = whole(9, dtype=dtype), whole(9, dtype=dtype, low=1, high=4)
                family.add(name, call, [x, y])
    signs = numbers([7, 7, -7, -7, 0, -1, 1], i64), numbers([3, -3, 3, -3, 5, 2, -2], i64)
    for name, call in (("remainder", torch.remainder), ("floor_divide", torch.floor_divide)):
        for dtype in (i64, i32, i8, f32, f64, bf16):
            family.add(name, call, [x.to(dtype) for x in signs], gradient=name == "remainder")
    ties = [numbers([1.0, 2.0, -1.0, 0.0, NAN, 3.0]), numbers([1.0, 3.0, -1.0, -0.0, 1.0, NAN])]
    family.add("minimum", torch.minimum, ties)
    family.add("maximum", torch.maximum, ties)
    for name, call in PREDICATES:
        family.add(name, call, [numbers(few, f32)[:, None], numbers(few, f32)[None]], broadcasts=True)
        for dtype in (f64, f16, bf16, i64, i32, i8, u8, b):
            family.add(name, call, [any_of(17, dtype=dtype), any_of(17, dtype=dtype)])
        family.add(name, call, [whole(3, 0), whole(3, 0)])


def more_binary(family):
    few = [NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 2.0, -2.5, 0.5, 3.0, 1e30]
    for name, call in MORE_BINARY:
        for left, right in PAIRS[:6]:
            family.add(name, call, [real(*left), real(*right, low=0.5)], broadcasts=True)
        family.add(name, call, [numbers(few, f32)[:, None], numbers(few, f32)[None]], broadcasts=True)
        for dtype in HALVES:
            family.add(name, call, [real(17, dtype=dtype), real(17, dtype=dtype, low=0.5)])
        if name in ("fmod", "fmin", "fmax", "isclose"):
            family.add(name, call, [numbers([7, 7, -7, -7, 3], i64), numbers([3, -3, 3, -3, 3], i64)])
    family.add("fmin", torch.fmin, [numbers([1.0, 2.0, NAN]), numbers([1.0, NAN, 3.0])])
    family.add("fmax", torch.fmax, [numbers([1.0, 2.0, NAN]), numbers([1.0, NAN, 3.0])])
    family.add("isclose", torch.isclose, [numbers([1.0, 1.0]), numbers([1.0 + 1e-6, 1.1])])


def powers(family):
    bases = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, INF, -INF, NAN, 0.5]
    exponents = [0.0, 1.0, 2.0, 3.0, -1.0, -2.0, 0.5, INF, -INF, NAN]
    for dtype in (f64, f32):
        family.add("pow", torch.pow, [numbers(bases, dtype)[:, None], numbers(exponents, dtype)[None]],
                   broadcasts=True, gradient=False)
    # Gradients: of the base where the exponent is a number, of both where the base is positive or 0.
    for exponent in (0, 1, 2, 3, -1, 0.5, 2.5, -0.5):
        x = numbers([0.0, 1.0, 2.0, 0.25]) if exponent != 0.5 else real(4, low=0.1)
        family.add("pow_number", lambda v: torch.pow(v, exponent), [x], exponent)
    for exponent in (0, 1, 2, 3):
        family.add("pow_number", lambda v: torch.pow(v, exponent), [numbers([-2, 0, 3, 5], i64)],
                   exponent)
        family.add("pow_number", lambda v: torch.pow(v, exponent), [numbers([-2.0, 0.0, 3.0])], exponent)
    family.add("pow", torch.pow, [numbers([0.0, 0.0, 2.0, 1.0, 0.0]), numbers([2.0, 1.0, 0.0, 3.0, 0.0])])
    for base in (2.0, 0.5, 1.0):
        family.add("number_pow", lambda v: torch.pow(base, v), [real(5)], base)


def others(family):
    for name, call in (("bitwise_and", torch.bitwise_and), ("bitwise_or", torch.bitwise_or),
                       ("bitwise_xor", torch.bitwise_xor)):
        for dtype in INTEGERS + [b]:
            family.add(name, call, [whole(9, dtype=dtype), whole(9, dtype=dtype)])
        family.add(name, call, [whole(3, 1), whole(1, 4)], broadcasts=True)
    for name, call in (("shift_left", torch.bitwise_left_shift),
                       ("shift_right", torch.bitwise_right_shift)):
        for dtype in (i64, i32, u8, i8):
            family.add(name, call, [whole(9, dtype=dtype), whole(9, dtype=dtype, low=0, high=5)])
    for dtype in (f64, f32, f16, bf16, i64, u8, b):
        family.add("where", torch.where, [whole(3, 4, dtype=b), any_of(3, 4, dtype=dtype),
                                          any_of(4, dtype=dtype)], broadcasts=True)
    family.add("where", torch.where, [whole(3, 1, dtype=b), real(1, 4), real()], broadcasts=True)
    family.add("where", torch.where, [whole(0, dtype=b), real(0), real(0)])
    family.add("where", torch.where, [numbers([1, 0], b), numbers([1.0, NAN]), numbers([NAN, INF])])
    # NaN in the branch that is not taken: it reaches the gradient, as it does in torch.
    family.add("where_sqrt", lambda x: torch.where(x > 0, torch.sqrt(x), x), [numbers([-1.0, 0.0, 4.0])])
    for dtype in (f64, f32, f16, bf16):
        family.add("lerp", torch.lerp, [real(3, 4, dtype=dtype), real(3, 4, dtype=dtype),
                                        real(3, 4, dtype=dtype, low=0, high=1)], length=2)
        for weight in (0.0, 0.3, 0.7, 1.0):
            family.add("lerp_number", lambda x, y: torch.lerp(x, y, weight),
                       [real(5, dtype=dtype), real(5, dtype=dtype)], weight, length=2)
    family.add("lerp", torch.lerp, [real(3, 1), real(4), real(3, 4)], broadcasts=True, length=2)


def record(family):
    unary(family)
    parametric(family)
    binary(family)
    more_binary(family)
    powers(family)
    others(family)
