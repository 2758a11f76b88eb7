"""Functions that make one element of many, and running sums."""

import torch

from recorder import (HALVES, INTEGERS, INF, NAN, any_of, b, bf16, f16, f32, f64, i32, i64, i8,
                      numbers, real, u8, whole)

# shape, axes; None is all axes
VIEWS = [((), None), ((5,), None), ((5,), [0]), ((3, 7), None), ((3, 7), [0]), ((3, 7), [1]),
         ((3, 7), [-1]), ((2, 3, 5), [1]), ((2, 3, 5), [0, 2]), ((2, 3, 2, 3), [1, -1]),
         ((2, 1, 3, 1, 2), [4, 0]), ((17, 33), [1]), ((65, 9), [0])]
EMPTY = [((0,), None), ((0, 3), [0]), ((3, 0), [1]), ((0, 3), [1]), ((2, 0, 3), [0, 2])]


def over(call):
    """call(x, axes, keepdim) where torch wants to be told of all axes in another way."""
    def run(x, axes, keepdim):
        return call(x, tuple(axes) if axes is not None else tuple(range(x.dim())), keepdim)
    return run


def count(shape, axes):
    result = 1
    for axis in range(len(shape)) if axes is None else axes:
        result *= shape[axis]
    return max(result, 1)


def product(x, axes, keepdim):
    for axis in sorted((a % x.dim() for a in axes), reverse=True):
        x = torch.prod(x, axis, keepdim)
    return x if axes else torch.prod(x)


def anything(call):
    def run(x, axes, keepdim):
        return call(x, axes, keepdim) if axes else call(x)
    return run


SUMS = [("sum", over(torch.sum)), ("mean", over(torch.mean)), ("prod", over(product)),
        ("logsumexp", over(lambda x, a, k: torch.logsumexp(x, a, k)))]
CHOICES = [("max", over(torch.amax)), ("min", over(torch.amin))]
TESTS = [("any", over(anything(torch.any))), ("all", over(anything(torch.all)))]


def reduce(family, name, call, x, axes, keepdim=False, **more):
    more.setdefault("length", count(x.shape, axes))
    family.add(name, lambda v: call(v, axes, keepdim), [x], axes, keepdim, **more)


def sums(family):
    for name, call in SUMS + CHOICES:
        for n, (shape, axes) in enumerate(VIEWS):
            low, high = (0.5, 1.5) if name == "prod" else (-2, 2)
            reduce(family, name, call, real(*shape, low=low, high=high), axes, n % 2 == 1)
            if n % 3 == 0:
                reduce(family, name, call, real(*shape, dtype=f32, low=low, high=high), axes)
        if name in ("max", "min"):
            reduce(family, name, call, real(0, 3), [1])
        else:
            for n, (shape, axes) in enumerate(EMPTY):
                reduce(family, name, call, real(*shape, dtype=f32 if n else f64), axes)
        for dtype in HALVES:
            reduce(family, name, call, real(5, 17, dtype=dtype, low=0.5, high=1.5), [1])
        for values in ([NAN, 1.0, INF], [INF, 1.0, 2.0], [-INF, 3.0, 1.0], [-INF, -INF, -INF],
                       [INF, -INF, 0.0], [3e38, 3e38, -1.0]):
            reduce(family, name, call, numbers(values, f32), None)
        dtypes = INTEGERS + [b] if name != "mean" else []
        for dtype in dtypes:
            if name == "logsumexp" and dtype not in (i64, i32, b):
                continue
            reduce(family, name, call, whole(4, 5, dtype=dtype, low=-2, high=4), [1])
            reduce(family, name, call, whole(3, dtype=dtype), None)
    reduce(family, "logsumexp", over(torch.logsumexp), numbers([1000.0, 1000.0, -1000.0]), None,
           length=1000)
    reduce(family, "logsumexp", over(torch.logsumexp), numbers([-INF, -INF]), None)
    reduce(family, "logsumexp", over(torch.logsumexp), numbers([INF, 1.0]), None)


def ties(family):
    for name, call in CHOICES:
        reduce(family, name, call, numbers([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0], [0.0, -0.0, -1.0]]), [1])
        reduce(family, name, call, numbers([1.0, 1.0, 1.0, 0.0]), None)
        reduce(family, name, call, numbers([1.0, NAN, 3.0]), None, gradient=False)
        reduce(family, name, call, numbers([[1, 0], [0, 0]], b), [1])
    for values in ([2.0, 0.0, 3.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0], [1.0, -2.0, 3.0]):
        reduce(family, "prod", over(product), numbers(values), None)
        reduce(family, "prod", over(product), numbers([values, values]), [1])


def positions(family):
    for name, call in (("argmax", torch.argmax), ("argmin", torch.argmin)):
        for dtype in (f64, f32, f16, bf16, i64, i32, u8, i8):
            family.add(name, lambda v: call(v, 1), [any_of(4, 7, dtype=dtype)], 1, False)
        for shape, axis in (((5,), None), ((3, 4), None), ((3, 4), 0), ((3, 4), -1), ((2, 3, 4), 1),
                            ((), None), ((2, 0, 3), 0), ((65, 9), 0)):
            for keepdim in (False, True):
                if axis is None and keepdim:
                    continue
                family.add(name, lambda v: call(v, axis, keepdim), [real(*shape, dtype=f32)], axis,
                           keepdim)
        for values in ([1.0, 3.0, 3.0, 1.0, 1.0], [1.0, NAN, 3.0, NAN], [-INF, -INF], [0.0, -0.0],
                       [INF, NAN]):
            family.add(name, lambda v: call(v, 0), [numbers(values, f32)], 0, False)
    for name, call in TESTS:
        for n, (shape, axes) in enumerate(VIEWS + EMPTY):
            dtype = (b, i64, f32, i32)[n % 4]
            reduce(family, name, call, any_of(*shape, dtype=dtype), axes, n % 2 == 1)
        reduce(family, name, call, whole(5, 4, dtype=b), [1])
        reduce(family, name, call, numbers([NAN, 0.0], f32), None)
        reduce(family, name, call, numbers([-0.0, 0.0], f32), None)


def spreads(family):
    for name, call in (("var", torch.var), ("std", torch.std)):
        for n, (shape, axes) in enumerate(VIEWS[1:]):
            keepdim, correction = n % 2 == 1, (1, 0, 2)[n % 3]
            dims = tuple(axes) if axes is not None else None
            run = lambda v: call(v, dims, correction=correction, keepdim=keepdim)
            family.add(name, run, [real(*shape)], axes, keepdim, correction,
                       length=count(shape, axes))
            if n % 4 == 0:
                family.add(name, run, [real(*shape, dtype=f32)], axes, keepdim, correction,
                           length=count(shape, axes))
        default = lambda v: call(v, dim=None, correction=1)
        for values in ([2.0, 2.0, 2.0], [1.0], [1e8 + 1, 1e8 + 2, 1e8 + 3], [1.0, INF], [NAN, 1.0]):
            family.add(name, default, [numbers(values, f32)], None, False, 1, length=3)
        family.add(name, default, [numbers([2.0, 2.0, 2.0])], None, False, 1)
        family.add(name, default, [numbers([1.0, 2.0, 4.0])], None, False, 1)
        family.add(name, default, [real(0, dtype=f32)], None, False, 1)
        for dtype in HALVES:
            family.add(name, lambda v: call(v, 1), [real(5, 17, dtype=dtype)], [1], False, 1, length=17)


def norms(family):
    for n, (shape, axes) in enumerate(VIEWS):
        for order in (2.0, 1.0, INF, 3.0, 0.0, -INF):
            keepdim = n % 2 == 1
            dims = tuple(axes) if axes is not None else None
            if order not in (2.0, 1.0) and n % 4 != 3:
                continue
            run = lambda v: torch.linalg.vector_norm(v, order, dims, keepdim)
            family.add("norm", run, [real(*shape)], order, axes, keepdim, length=count(shape, axes))
            if n == 4:
                family.add("norm", run, [real(*shape, dtype=f32)], order, axes, keepdim,
                           length=count(shape, axes))
    for order in (2.0, 1.0, INF, 3.0):
        run = lambda v: torch.linalg.vector_norm(v, order)
        for values in ([0.0, 0.0], [3.0, 4.0], [3.0, -3.0], [0.0, 2.0]):
            family.add("norm", run, [numbers(values)], order, None, False)
        family.add("norm", run, [numbers([1.0, INF], f32)], order, None, False)
        family.add("norm", run, [real(0, dtype=f32)], order, None, False) if order != INF else None
    for dtype in HALVES:
        family.add("norm", lambda v: torch.linalg.vector_norm(v, 2.0, 1), [real(5, 17, dtype=dtype)],
                   2.0, [1], False, length=17)


def running(family):
    for name, call in (("cumsum", torch.cumsum), ("cumprod", torch.cumprod)):
        for shape, axis in (((5,), 0), ((3, 7), 0), ((3, 7), 1), ((3, 7), -1), ((2, 3, 5), 1),
                            ((2, 3, 2, 3), 2), ((3, 33), 1), ((0,), 0), ((3, 0), 1), ((0, 3), 1),
                            ((1, 1), 0)):
            low, high = (0.5, 1.5) if name == "cumprod" else (-2, 2)
            for dtype in (f64, f32):
                family.add(name, lambda v: call(v, axis), [real(*shape, dtype=dtype, low=low, high=high)],
                           axis, length=max(shape[axis], 1))
        family.add(name, lambda v: call(v, 0), [real()], 0)
        for dtype in INTEGERS + [b]:
            family.add(name, lambda v: call(v, 1), [whole(2, 5, dtype=dtype, low=-2, high=4)], 1)
        for dtype in HALVES:
            family.add(name, lambda v: call(v, 1), [real(3, 17, dtype=dtype, low=0.5, high=1.5)], 1,
                       length=17)
        for values in ([1.0, NAN, 2.0], [1.0, INF, -INF, 1.0], [0.0, 2.0, 0.0, 3.0]):
            family.add(name, lambda v: call(v, 0), [numbers(values, f32)], 0)
    for values in ([2.0, 0.0, 3.0, 4.0], [0.0, 2.0, 0.0, 3.0], [1.0, -2.0, 0.0], [0.0, 0.0, 0.0]):
        family.add("cumprod", lambda v: torch.cumprod(v, 0), [numbers(values)], 0)


def others(family):
    for name, call in (("nansum", torch.nansum), ("nanmean", torch.nanmean)):
        for shape, axes in (((5,), None), ((3, 7), [1]), ((2, 3, 5), [0, 2])):
            x = real(*shape)
            family.add(name, lambda v: call(v, axes, False), [x], axes, False, length=count(shape, axes))
            x = real(*shape, dtype=f32)
            x[..., 1] = NAN
            family.add(name, lambda v: call(v, axes, True), [x], axes, True, length=count(shape, axes))
    for shape, axes in (((5,), None), ((3, 7), [1]), ((3, 7), [0, 1]), ((0, 3), [0])):
        for dtype in (i64, f32, b):
            family.add("count_nonzero", lambda v: torch.count_nonzero(v, axes), [whole(*shape, dtype=dtype, low=-1, high=2)],
                       axes)


def record(family):
    sums(family)
    ties(family)
    positions(family)
    spreads(family)
    norms(family)
    running(family)
    others(family)
