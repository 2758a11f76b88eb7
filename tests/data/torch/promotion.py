"""Which dtype results have: pairs of dtypes, numbers of the program, casts."""

import torch

from recorder import DTYPES, b, f16, f32, f64, i64, numbers, u8


def values(dtype):
    return numbers([1, 0], b) if dtype == b else numbers([3, 2], dtype)


def record(family):
    for left in DTYPES:
        for right in DTYPES:
            pair = [values(left), values(right)]
            family.add("add", torch.add, pair, gradient=False)
            family.add("lt", torch.lt, pair, fixed="all")
            if left != right:
                family.add("where", lambda x, y: torch.where(x == x, x, y), pair, gradient=False,
                           fixed="all")
            family.add("cast", lambda x: x.to(right), [values(left)], right, gradient=False)
    some = [b, u8, i64, f16, f32, f64]
    for left in some:
        for right in some:
            pair = [values(left), values(right)]
            for name, call in (("mul", torch.mul), ("div", torch.div), ("maximum", torch.maximum),
                               ("atan2", torch.atan2), ("pow", torch.pow)):
                if name == "pow" and left == right == b:
                    continue
                family.add(name, call, pair, gradient=False)
    for dtype in DTYPES:
        x = values(dtype)
        family.add("add_number", lambda v: v + 2, [x], 2, gradient=False)
        family.add("add_number", lambda v: v + 2.5, [x], 2.5, gradient=False)
        family.add("mul_number", lambda v: v * 3, [x], 3, gradient=False)
        family.add("div_number", lambda v: v / 2, [x], 2, gradient=False)
        family.add("lt_number", lambda v: v < 2.5, [x], 2.5, gradient=False)
        family.add("number_sub", lambda v: 7.5 - v, [x], 7.5, gradient=False)
    casts = numbers([0.0, -0.0, 0.5, 1.5, 2.5, -1.5, 100.7, -100.7, 127.0])
    for source in (f64, f32, f16):
        for target in DTYPES:
            x = casts.abs() if target == u8 else casts
            family.add("cast", lambda v: v.to(target), [x.to(source)], target, gradient=False)
    wide = numbers([300, -129, 70000, -1, 2**40 + 5], i64)
    for target in DTYPES:
        family.add("cast", lambda v: v.to(target), [wide], target)
    specials = numbers([float("nan"), float("inf"), -float("inf"), 1e300, 1e-300, 65520.0, 1e-8])
    for target in (f16, torch.bfloat16, f32, f64, b):
        family.add("cast", lambda v: v.to(target), [specials], target, gradient=False)
    for target in (f32, f16):
        family.add("cast", lambda v: v.to(target).to(f64), [numbers([1.0, 0.1, -3.0])], target, "f64")
