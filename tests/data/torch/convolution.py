"""Convolution, pooling, interpolation: channels first."""

import torch
import torch.nn.functional as F

from recorder import ROUNDED, INF, NAN, bf16, f16, f32, f64, numbers, real


def pinned(number, rank, first=1):
    return [(number, d) for d in range(first, rank)]


# rank, x, weight, bias, stride, padding, dilation, groups
CONV = [
    (1, (2, 3, 7), (4, 3, 3), True, 1, 0, 1, 1), (1, (3, 3, 9), (4, 3, 3), True, 1, 0, 1, 1),
    (1, (2, 3, 7), (4, 3, 3), False, 2, 1, 1, 1), (1, (1, 4, 8), (6, 2, 3), True, 1, 2, 2, 2),
    (1, (2, 3, 5), (2, 3, 1), True, 1, 0, 1, 1), (1, (2, 1, 5), (1, 1, 5), True, 1, 0, 1, 1),
    (1, (2, 4, 6), (4, 1, 3), True, 1, 1, 1, 4), (1, (3, 7), (4, 3, 3), True, 1, 0, 1, 1),
    (1, (0, 3, 7), (4, 3, 3), True, 1, 0, 1, 1),
    (2, (2, 3, 5, 6), (4, 3, 3, 3), True, 1, 0, 1, 1), (2, (1, 3, 8, 7), (4, 3, 3, 3), True, 1, 0, 1, 1),
    (2, (2, 3, 5, 6), (4, 3, 3, 3), True, 1, 1, 1, 1), (2, (2, 2, 7, 7), (3, 2, 3, 2), False, 2, 1, 1, 1),
    (2, (2, 4, 5, 5), (4, 1, 3, 3), True, 1, 1, 1, 4), (2, (1, 4, 6, 6), (2, 2, 2, 2), True, 2, 0, 2, 2),
    (2, (2, 3, 4, 4), (5, 3, 1, 1), True, 1, 0, 1, 1), (2, (2, 3, 4, 4), (5, 3, 1, 1), False, 2, 0, 1, 1),
    (2, (3, 4, 4), (5, 3, 2, 2), True, 1, 0, 1, 1),
    (3, (1, 2, 4, 3, 5), (3, 2, 2, 2, 3), True, 1, 0, 1, 1), (3, (2, 2, 4, 4, 4), (2, 1, 3, 3, 3), True, 2, 1, 1, 2),
]
CONV_PAIRS = [((2, 3, 6, 7), (4, 3, 3, 2), (2, 1), (1, 0), (1, 2), 1), ((1, 2, 5, 8), (2, 2, 2, 3), (1, 2), (0, 1), (2, 1), 1)]


def convolutions(family):
    calls = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
    for rank, x, w, bias, stride, padding, dilation, groups in CONV:
        run = lambda *v: calls[rank](v[0], v[1], v[2] if len(v) > 2 else None, stride, padding, dilation, groups)
        for dtype in (f64, f32, bf16) if len(x) == rank + 2 and groups == 1 and x[0] else (f64,):
            operands = [real(*x, dtype=dtype), real(*w, dtype=dtype)] + ([real(w[0], dtype=dtype)] if bias else [])
            count = 4 * w[1] * w[-1] * w[-2]
            family.add(f"conv{rank}d", run, operands, stride, padding, dilation, groups, length=count, accuracy=ROUNDED.get(dtype, 0),
                       fixed=pinned(0, len(x), len(x) - rank - 1)[:1] + pinned(1, len(w), 0) + [(2, 0)])
    for x, w, stride, padding, dilation, groups in CONV_PAIRS:
        family.add("conv2d", lambda *v: F.conv2d(*v, None, stride, padding, dilation, groups), [real(*x), real(*w)],
                   stride, padding, dilation, groups, length=64, fixed=pinned(0, 2) + pinned(1, 4, 0))


def pools(family):
    for x, kernel, stride, padding in (((2, 3, 6, 6), 2, 2, 0), ((2, 3, 8, 4), 2, 2, 0), ((1, 2, 7, 5), 3, 2, 1), ((2, 2, 5, 5), 3, 1, 0),
                                       ((2, 1, 5, 5), 2, 1, 1), ((3, 4, 4), 2, 2, 0), ((2, 2, 5, 6), 2, None, 0)):
        shown = kernel if stride is None else stride
        for dtype in (f64, f32, bf16):
            family.add("max_pool2d", lambda v: F.max_pool2d(v, kernel, stride, padding), [real(*x, dtype=dtype)],
                       kernel, shown, padding)
            family.add("avg_pool2d", lambda v: F.avg_pool2d(v, kernel, stride, padding), [real(*x, dtype=dtype)],
                       kernel, shown, padding, length=9)
    family.add("max_pool2d", lambda v: F.max_pool2d(v, (2, 3), (1, 2), (1, 0)), [real(1, 2, 5, 7)], (2, 3), (1, 2), (1, 0))
    family.add("avg_pool2d", lambda v: F.avg_pool2d(v, (2, 3), (1, 2), (1, 0)), [real(1, 2, 5, 7)], (2, 3), (1, 2), (1, 0), length=6)
    # Equal elements in one window: the gradient is for the first.
    family.add("max_pool2d", lambda v: F.max_pool2d(v, 2), [numbers([[[[1.0, 1, 0, 2], [1, 1, 2, 2]]]])], 2, 2, 0)
    family.add("max_pool2d", lambda v: F.max_pool2d(v, 2), [numbers([[[[1.0, NAN, 0, -INF], [1, 1, -INF, -INF]]]], f32)], 2, 2, 0)
    for x, size in (((2, 3, 6, 6), (2, 3)), ((2, 3, 8, 9), (2, 3)), ((1, 2, 5, 7), (3, 4)), ((2, 2, 4, 4), (1, 1)), ((2, 2, 3, 3), (5, 4)),
                    ((2, 5, 5), (2, 2)), ((2, 2, 4, 4), (4, 4))):
        for dtype in (f64, f32):
            family.add("adaptive_avg_pool2d", lambda v: F.adaptive_avg_pool2d(v, size), [real(*x, dtype=dtype)], size,
                       length=16, fixed="all")


def interpolations(family):
    for x, size in (((1, 2, 4, 5), (8, 10)), ((2, 1, 3, 3), (5, 7)), ((1, 1, 6, 6), (3, 2)), ((1, 2, 1, 3), (2, 1)), ((1, 1, 5, 4), (5, 4))):
        for dtype in (f64, f32):
            family.add("interpolate_nearest", lambda v: F.interpolate(v, size=size, mode="nearest"), [real(*x, dtype=dtype)], size,
                       fixed="all", length=4)
            for corners in (False, True):
                family.add("interpolate_bilinear", lambda v: F.interpolate(v, size=size, mode="bilinear", align_corners=corners),
                           [real(*x, dtype=dtype)], size, corners, fixed="all", length=16)
            for mode in ("bicubic", "area", "nearest-exact"):
                family.add("interpolate_mode", lambda v: F.interpolate(v, size=size, mode=mode), [real(*x, dtype=dtype)], size, mode,
                           fixed="all", length=16)
    for size in (3, 8):
        family.add("interpolate_mode", lambda v: F.interpolate(v, size=size, mode="linear"), [real(1, 2, 5)], size, "linear",
                   fixed="all", length=4)
    for factor in (2, 3):
        family.add("interpolate_scale", lambda v: F.interpolate(v, scale_factor=factor, mode="nearest"), [real(1, 2, 3, 4)], factor,
                   fixed="all")


TRANSPOSED = [
    (1, (2, 3, 5), (3, 4, 3), 1, 0, 0, 1, 1), (1, (2, 3, 5), (3, 4, 3), 2, 1, 1, 1, 1), (1, (1, 4, 4), (4, 2, 3), 1, 0, 0, 2, 2),
    (2, (2, 3, 4, 5), (3, 2, 3, 3), 1, 0, 0, 1, 1), (2, (1, 2, 3, 3), (2, 3, 2, 2), 2, 0, 0, 1, 1), (2, (1, 2, 3, 4), (2, 3, 3, 3), 2, 1, 1, 1, 1),
]


def transposed(family):
    calls = {1: F.conv_transpose1d, 2: F.conv_transpose2d}
    for rank, x, w, stride, padding, output_padding, dilation, groups in TRANSPOSED:
        for dtype in (f64, f32):
            family.add(f"conv_transpose{rank}d", lambda *v: calls[rank](*v, stride, padding, output_padding, groups, dilation),
                       [real(*x, dtype=dtype), real(*w, dtype=dtype), real(w[1] * groups, dtype=dtype)],
                       stride, padding, output_padding, groups, dilation, length=32,
                       fixed=[(0, 1)] + pinned(1, len(w), 0) + [(2, 0)])


def other_pools(family):
    for dtype in (f64, f32):
        for x, kernel, stride, padding in (((2, 3, 7), 2, 2, 0), ((1, 2, 9), 3, 2, 1), ((2, 5), 2, 1, 0)):
            family.add("max_pool1d", lambda v: F.max_pool1d(v, kernel, stride, padding), [real(*x, dtype=dtype)], kernel, stride, padding)
            family.add("avg_pool1d", lambda v: F.avg_pool1d(v, kernel, stride, padding), [real(*x, dtype=dtype)], kernel, stride, padding,
                       length=3)
        x = real(1, 2, 4, 5, 4, dtype=dtype)
        family.add("max_pool3d", lambda v: F.max_pool3d(v, 2, 2, 0), [x], 2, 2, 0)
        family.add("avg_pool3d", lambda v: F.avg_pool3d(v, 2, 2, 0), [x], 2, 2, 0, length=8)
        x = real(1, 2, 7, 6, dtype=dtype)
        family.add("max_pool2d_ceil", lambda v: F.max_pool2d(v, 3, 2, 1, 1, True), [x], 3, 2, 1)
        family.add("max_pool2d_dilated", lambda v: F.max_pool2d(v, 2, 1, 0, 2), [x], 2, 1, 0, 2)
        family.add("avg_pool2d_ceil", lambda v: F.avg_pool2d(v, 3, 2, 1, True), [x], 3, 2, 1, length=9)
        family.add("avg_pool2d_inside", lambda v: F.avg_pool2d(v, 3, 2, 1, False, False), [x], 3, 2, 1, length=9)
        for size in ((2, 3), (3, 4)):
            family.add("adaptive_max_pool2d", lambda v: F.adaptive_max_pool2d(v, size), [x], size, fixed="all")
        family.add("adaptive_max_pool1d", lambda v: F.adaptive_max_pool1d(v, 3), [real(2, 3, 7, dtype=dtype)], 3, fixed="all")
        family.add("adaptive_avg_pool3d", lambda v: F.adaptive_avg_pool3d(v, 2), [real(1, 2, 3, 4, 5, dtype=dtype)], 2, fixed="all",
                   length=12)
        family.add("adaptive_max_pool3d", lambda v: F.adaptive_max_pool3d(v, 2), [real(1, 2, 3, 4, 5, dtype=dtype)], 2, fixed="all")
        family.add("conv_transpose3d", lambda *v: F.conv_transpose3d(*v, stride=2), [real(1, 2, 2, 3, 2, dtype=dtype),
                   real(2, 3, 2, 2, 2, dtype=dtype), real(3, dtype=dtype)], 2, 0, 0, 1, 1, length=32,
                   fixed=[(0, 1)] + pinned(1, 5, 0) + [(2, 0)])
        family.add("adaptive_avg_pool1d", lambda v: F.adaptive_avg_pool1d(v, 3), [real(2, 3, 7, dtype=dtype)], 3, fixed="all", length=4)


def record(family):
    convolutions(family)
    pools(family)
    interpolations(family)
    transposed(family)
    other_pools(family)
