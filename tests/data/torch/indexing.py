"""Elements taken and put by position: brackets, gather, scatter, sort, topk."""

import torch
import torch.nn.functional as F

from recorder import (DTYPES, INF, NAN, any_of, b, bf16, f16, f32, f64, i32, i64, i8, numbers, real,
                      u8, whole)


def put(x, index, value):
    result = x.clone()
    result[index] = value
    return result


ALL = slice(None)
# text of the brackets, as tests/reference/indexing_test.cpp knows it; shape; index
BRACKETS = [
    ("0", (3,), 0), ("-1", (3,), -1), ("1", (3, 4), 1), ("all,2", (3, 4), (ALL, 2)),
    ("1,-2", (3, 4), (1, -2)), ("ellipsis,0", (2, 3, 4), (..., 0)), ("0,ellipsis", (2, 3, 4), (0, ...)),
    ("1/3", (5,), slice(1, 3)), ("/-1", (5,), slice(None, -1)), ("//2", (5,), slice(None, None, 2)),
    ("1//2", (6,), slice(1, None, 2)), ("-3/", (5,), slice(-3, None)), ("2/2", (5,), slice(2, 2)),
    ("3/1", (5,), slice(3, 1)), ("-9/99", (5,), slice(-9, 99)), ("all,1/3", (3, 4), (ALL, slice(1, 3))),
    ("1/,0", (3, 4), (slice(1, None), 0)), ("new", (3,), None), ("all,new", (3,), (ALL, None)),
    ("new,1,new", (3, 4), (None, 1, None)), ("ellipsis,new", (2, 3), (..., None)),
    ("ellipsis", (2, 3), ...), ("all", (0,), ALL), ("all,0/0", (2, 3), (ALL, slice(0, 0))),
    ("//3,//2", (7, 5), (slice(None, None, 3), slice(None, None, 2))),
    ("1,ellipsis,1/2", (2, 3, 2, 4), (1, ..., slice(1, 2))), ("all", (5,), ALL), ("//2", (8,), slice(None, None, 2)),
]


def brackets(family):
    for text, shape, index in BRACKETS:
        family.add("index", lambda x: x[index], [real(*shape)], text)
        family.add("set", lambda x, y: put(x, index, y), [real(*shape), real(*real(*shape)[index].shape)],
                   text, fixed=[(1, d) for d in range(real(*shape)[index].dim())])
        family.add("set_number", lambda x: put(x, index, 7.0), [real(*shape)], text)
    for dtype in DTYPES:
        family.add("index", lambda x: x[:, 1], [any_of(3, 4, dtype=dtype)], "all,1")
        family.add("index_tensor", lambda x, i: x[i], [any_of(5, 2, dtype=dtype), numbers([4, 0, -1], i64)])
    for shape, indices in (((5,), [0, 4, 0]), ((5, 3), [[0, 1], [-1, 2]]), ((5, 3), []), ((3,), 1)):
        family.add("index_tensor", lambda x, i: x[i], [real(*shape), numbers(indices, i64)])
    for dtype in (i32, i8, u8):
        family.add("index_tensor", lambda x, i: x[i.long()], [real(5, 2), numbers([1, 3], dtype)])
    family.add("index_second", lambda x, i: x[:, i], [real(3, 5), numbers([1, 4, 1], i64)])
    family.add("index_second", lambda x, i: x[:, i], [real(2, 4, 2), numbers([[1, 3]], i64)])
    family.add("index_pair", lambda x, i, j: x[i, j], [real(3, 4), numbers([0, 2, 2], i64),
                                                      numbers([1, 3, 3], i64)])
    family.add("index_pair", lambda x, i, j: x[i, j], [real(3, 4, 2), numbers([[0], [2]], i64),
                                                      numbers([1, 3, 0], i64)], broadcasts=False,
               fixed=[(1, 1)])
    family.add("index_apart", lambda x, i, j: x[i, :, j], [real(3, 4, 2), numbers([0, 2], i64),
                                                          numbers([1, 0], i64)])
    family.add("set_tensor", put, [real(5, 2), numbers([3, 0], i64), real(2, 2)])
    family.add("set_tensor", put, [real(5), numbers([1], i64), real(1)])


def masks(family):
    for dtype in (f64, f32, i64, b, bf16):
        family.add("index_mask", lambda x, m: x[m], [any_of(6, dtype=dtype),
                                                    numbers([1, 0, 1, 1, 0, 0], b)])
    family.add("index_mask", lambda x, m: x[m], [real(3, 2), numbers([1, 0, 1], b)])
    family.add("index_mask", lambda x, m: x[m], [real(2, 3), numbers([[1, 0, 1], [0, 0, 1]], b)])
    family.add("index_mask", lambda x, m: x[m], [real(3), numbers([0, 0, 0], b)])
    family.add("set_mask", lambda x, m: put(x, m, 3.0), [real(2, 3), whole(2, 3, dtype=b)])
    for dtype in DTYPES:
        value = 1 if dtype == b else 3
        family.add("masked_fill", lambda x, m: x.masked_fill(m, value),
                   [any_of(3, 4, dtype=dtype), whole(3, 4, dtype=b)], value)
    family.add("masked_fill", lambda x, m: x.masked_fill(m, -INF), [real(3, 4), whole(4, dtype=b)], -INF,
               broadcasts=True)
    family.add("masked_fill", lambda x, m: x.masked_fill(m, 0.5), [real(3, 4), whole(3, 1, dtype=b)], 0.5,
               broadcasts=True)
    family.add("nonzero", torch.nonzero, [numbers([[1, 0, 2], [0, 0, 3]], i64)])
    family.add("nonzero", torch.nonzero, [numbers([0.0, -0.0, NAN, 1.0], f32)])
    family.add("nonzero", torch.nonzero, [numbers([0, 0], b)])


def by_position(family):
    for dtype in DTYPES:
        x, i = any_of(3, 4, dtype=dtype), whole(3, 2, low=0, high=4)
        family.add("gather", lambda v, j: torch.gather(v, 1, j), [x, i], 1)
        family.add("index_select", lambda v, j: torch.index_select(v, 0, j), [x, numbers([2, 0, 2], i64)], 0)
    for shape, axis, size in (((5,), 0, (3,)), ((3, 4), 0, (2, 4)), ((3, 4), 0, (2, 3)), ((3, 4), -1, (3, 7)),
                              ((2, 3, 4), 1, (2, 5, 4)), ((2, 3, 4), 2, (1, 3, 2)), ((3, 4), 1, (3, 0))):
        i = whole(*size, low=0, high=shape[axis])
        family.add("gather", lambda v, j: torch.gather(v, axis, j), [real(*shape), i], axis)
        if all(size[d] == shape[d] for d in range(len(shape)) if d != axis % len(shape)):
            family.add("take_along_axis", lambda v, j: torch.take_along_dim(v, j, axis), [real(*shape), i], axis)
        family.add("scatter_add", lambda v, j, y: torch.scatter_add(v, axis, j, y),
                   [real(*shape), i, real(*size)], axis)
    for dtype in (f32, f16, bf16, i64, i32, u8):
        family.add("scatter_add", lambda v, j, y: torch.scatter_add(v, 0, j, y),
                   [any_of(5, dtype=dtype), numbers([0, 1, 0, 4], i64), any_of(4, dtype=dtype)], 0, length=4)
    for shape, axis, indices in (((5,), 0, [1, 1, 4]), ((3, 4), 1, [0, 3]), ((2, 3, 4), -2, [2, 0, 2, 1]), ((3, 4), 0, [])):
        family.add("index_select", lambda v, j: torch.index_select(v, axis, j),
                   [real(*shape), numbers(indices, i64)], axis)
        sizes = list(shape)
        sizes[axis] = len(indices)
        family.add("index_add", lambda v, j, y: torch.index_add(v, axis, j, y),
                   [real(*shape), numbers(indices, i64), real(*sizes)], axis)
    for shape, classes in (((4,), 5), ((2, 3), 4), ((), 3), ((0,), 2)):
        family.add("one_hot", lambda i: F.one_hot(i, classes), [whole(*shape, low=0, high=min(classes, 3))], classes)


def writes(family):
    family.add("take", torch.take, [real(3, 4), numbers([[0, 11], [5, 5]], i64)])
    for dtype in (f64, f32, i64, bf16, b):
        x, i = any_of(3, 4, dtype=dtype), numbers([[0, 2], [1, 3], [3, 0]], i64)
        family.add("scatter", lambda v, j, y: torch.scatter(v, 1, j, y), [x, i, any_of(3, 2, dtype=dtype)], 1)
        family.add("index_copy", lambda v, j, y: torch.index_copy(v, 0, j, y),
                   [x, numbers([2, 0], i64), any_of(2, 4, dtype=dtype)], 0)
        family.add("index_fill", lambda v, j: torch.index_fill(v, 1, j, 1), [x, numbers([2, 0], i64)], 1)
    family.add("scatter", lambda v, j, y: torch.scatter(v, 0, j, y), [real(5), numbers([4, 0], i64), real(2)], 0)
    for shape, mask in (((6,), (6,)), ((2, 3), (2, 3)), ((2, 3), (3,))):
        family.add("masked_select", torch.masked_select, [real(*shape), whole(*mask, dtype=b)])
        family.add("masked_scatter", torch.masked_scatter, [real(*shape), whole(*mask, dtype=b), real(6)])


def orders(family):
    for dtype in (f64, f32, f16, bf16, i64, i32, u8, i8):
        for descending in (False, True):
            family.add("sort", lambda x: torch.sort(x, dim=1, descending=descending, stable=True),
                       [any_of(3, 7, dtype=dtype)], 1, descending)
    sort = lambda axis, down: (lambda x: torch.sort(x, dim=axis, descending=down, stable=True))
    for shape, axis in (((5,), 0), ((3, 7), 0), ((3, 7), -1), ((2, 3, 4), 1), ((3, 0), 1), ((1,), 0), ((3, 33), 1)):
        family.add("sort", sort(axis, False), [real(*shape)], axis, False)
    for values in ([2.0, 1.0, 2.0, 1.0, 0.0], [NAN, 1.0, INF, -INF, NAN], [0.0, -0.0, 0.0]):
        for down in (False, True):
            family.add("sort", sort(0, down), [numbers(values, f32)], 0, down)
            family.add("argsort", lambda x: torch.argsort(x, dim=0, descending=down, stable=True),
                       [numbers(values, f32)], 0, down)
    family.add("argsort", lambda x: torch.argsort(x, dim=-1, descending=False, stable=True), [real(3, 7)], -1, False)
    for shape, k, axis, largest in (((5,), 2, 0, True), ((5,), 5, 0, True), ((3, 7), 3, -1, True), ((3, 7), 2, 0, False),
                                    ((3, 7), 0, 1, True), ((2, 3, 4), 1, 1, False)):
        family.add("topk", lambda x: torch.topk(x, k, axis, largest), [real(*shape)], k, axis, largest)
    family.add("topk", lambda x: torch.topk(x, 3, 0), [numbers([1.0, NAN, INF, 3.0], f32)], 3, 0, True)


def middles(family):
    for shape, axis in (((5,), 0), ((3, 7), 1), ((4, 3), 0), ((2, 4), -1)):
        for keepdim in (False, True):
            family.add("median", lambda x: torch.median(x, axis, keepdim), [real(*shape)], axis, keepdim)
            family.add("kthvalue", lambda x: torch.kthvalue(x, 2, axis, keepdim), [real(*shape)], 2, axis, keepdim)
        family.add("median_all", torch.median, [real(*shape)])
    family.add("median", lambda x: torch.median(x, 0, False), [numbers([1.0, NAN, 0.0], f32)], 0, False)
    family.add("median", lambda x: torch.median(x, 0, False), [numbers([4, 1, 3, 2], i64)], 0, False)


def searches(family):
    sorted_ = numbers([-1.0, 0.0, 0.0, 2.0, 5.0])
    for right in (False, True):
        for values in (numbers([-2.0, 0.0, 2.0, 2.5, 9.0, NAN]), real(2, 3), real(0)):
            family.add("searchsorted", lambda s, v: torch.searchsorted(s, v, right=right), [sorted_, values], right,
                       gradient=False)
            family.add("bucketize", lambda v, s: torch.bucketize(v, s, right=right), [values, sorted_], right, gradient=False)
        rows = torch.sort(real(2, 4), -1).values
        family.add("searchsorted", lambda s, v: torch.searchsorted(s, v, right=right), [rows, real(2, 3)], right, gradient=False)
    for shape, axis in (((5,), 0), ((3, 7), 1), ((4, 3), 0)):
        for q in (0.0, 0.25, 0.5, 1.0):
            for keepdim in (False, True):
                family.add("quantile", lambda x: torch.quantile(x, q, axis, keepdim), [real(*shape)], q, axis, keepdim, length=2)
    for minimum in (0, 7):
        family.add("bincount", lambda x: torch.bincount(x, minlength=minimum), [numbers([1, 3, 1, 0], i64)], minimum)
    family.add("unique", torch.unique, [numbers([3, 1, 3, 2, 1], i64)])
    for accumulate in (False, True):
        family.add("index_put", lambda x, i, y: torch.index_put(x, (i,), y, accumulate),
                   [real(5, 2), numbers([3, 0], i64), real(2, 2)], accumulate)
    family.add("index_put", lambda x, i, y: torch.index_put(x, (i,), y, True), [real(5), numbers([3, 3, 0], i64), real(3)], True)


def record(family):
    brackets(family)
    masks(family)
    by_position(family)
    writes(family)
    orders(family)
    middles(family)
    searches(family)
