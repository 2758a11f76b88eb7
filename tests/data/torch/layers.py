"""Layers: transposed convolutions, bags of embeddings, padding, pixel shuffles, losses with all options."""

import torch
import torch.nn as nn
import torch.nn.functional as F

from recorder import b, f32, f64, i32, i64, numbers, real, whole

# rank, x, weight, stride, padding, output_padding, groups, dilation
TRANSPOSED = [
    (1, (2, 3, 5), (3, 4, 3), 2, 1, 1, 1, 2), (1, (1, 4, 6), (4, 2, 2), 3, 0, 2, 2, 1), (1, (3, 5), (3, 4, 3), 1, 1, 0, 1, 3),
    (2, (2, 4, 3, 4), (4, 3, 3, 2), (2, 1), (1, 0), (1, 0), 2, (1, 2)), (2, (3, 4, 5), (3, 2, 3, 3), 2, 1, 1, 1, 1),
    (2, (2, 3, 4, 4), (3, 2, 2, 2), 3, 0, 1, 1, 1), (3, (1, 4, 2, 3, 2), (4, 1, 2, 3, 2), (2, 1, 2), (0, 1, 0), (1, 0, 1), 4, 1),
    (3, (2, 2, 3, 2, 2), (2, 3, 2, 2, 2), 1, 0, 0, 1, (2, 1, 1)),
]


def transposed(family):
    calls = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}
    for rank, x, w, stride, padding, extra, groups, dilation in TRANSPOSED:
        for dtype in (f64, f32):
            family.add(f"ConvTranspose{rank}d", lambda v, k, c: calls[rank](v, k, c, stride, padding, extra, groups, dilation),
                       [real(*x, dtype=dtype), real(*w, dtype=dtype), real(w[1] * groups, dtype=dtype)],
                       stride, padding, extra, groups, dilation, length=32, fixed=[(0, len(x) - rank - 1)]
                       + [(1, d) for d in range(len(w))] + [(2, 0)])


def bags(family):
    modes = ("sum", "mean", "max")
    for mode in modes:
        for padding in (None, 2):
            for dtype in (f64, f32):
                for shape, index in (((5, 3), i64), ((4, 2), i32)):
                    rows, table = whole(*shape, dtype=index, low=0, high=6), real(6, 4, dtype=dtype)
                    family.add("embedding_bag", lambda i, w: F.embedding_bag(i, w, mode=mode, padding_idx=padding),
                               [rows, table], mode, padding, length=4)
                for starts, count in (([0, 2, 2, 5], 8), ([0, 0, 3], 4), ([0], 3)):
                    rows, table = whole(count, low=0, high=6), real(6, 4, dtype=dtype)
                    family.add("embedding_bag_offsets",
                               lambda i, w, o: F.embedding_bag(i, w, o, mode=mode, padding_idx=padding),
                               [rows, table, numbers(starts, i64)], mode, padding, 0, length=8)
        only_padding = numbers([[2, 2], [1, 2]], i64)
        family.add("embedding_bag", lambda i, w: F.embedding_bag(i, w, mode=mode, padding_idx=2), [only_padding, real(4, 3)], mode, 2)
        equal = numbers([[1.0, 2.0], [1.0, 2.0], [0.0, 3.0]])  # the first of equal rows has the gradient
        family.add("embedding_bag", lambda i, w: F.embedding_bag(i, w, mode=mode), [numbers([[0, 1, 2], [1, 0, 0]], i64), equal],
                   mode, None)
        family.add("embedding_bag_offsets", lambda i, w, o: F.embedding_bag(i, w, o, mode=mode, include_last_offset=True),
                   [whole(7, low=0, high=6), real(6, 2), numbers([0, 3, 4, 7], i64)], mode, None, 1, length=7)
    for dtype in (f64, f32):
        rows, table, factors = whole(3, 4, low=0, high=6), real(6, 5, dtype=dtype), real(3, 4, dtype=dtype)
        family.add("embedding_bag_weighted", lambda i, w, s: F.embedding_bag(i, w, mode="sum", per_sample_weights=s),
                   [rows, table, factors], length=4)


def paddings(family):
    for rank, x, widths in ((1, (2, 3, 5), (2, 1)), (1, (3, 6), 3), (2, (2, 2, 4, 5), (1, 2, 0, 3)), (2, (2, 4, 4), 2),
                            (3, (1, 2, 3, 4, 5), (1, 2, 3, 0, 2, 1)), (3, (2, 3, 3, 3), 1)):
        for name in ("ZeroPad", "ReflectionPad", "ReplicationPad", "CircularPad"):
            layer = getattr(nn, f"{name}{rank}d")(widths)
            for dtype in (f64, f32):
                family.add(f"{name}{rank}d", layer, [real(*x, dtype=dtype)], widths, length=8)
        family.add(f"ConstantPad{rank}d", getattr(nn, f"ConstantPad{rank}d")(widths, 2.5), [real(*x)], widths, 2.5)
    for name in ("ZeroPad2d",):
        family.add(name, getattr(nn, name)((-1, 2, 1, -2)), [real(2, 3, 5, 6)], (-1, 2, 1, -2))


def shuffles(family):
    for dtype in (f64, f32):
        for shape, factor in (((2, 8, 3, 4), 2), ((9, 2, 2), 3), ((1, 2, 4, 2, 3), 2), ((2, 3, 4, 4), 1)):
            family.add("PixelShuffle", nn.PixelShuffle(factor), [real(*shape, dtype=dtype)], factor, fixed=[(0, len(shape) - 3)])
        for shape, factor in (((2, 3, 4, 6), 2), ((2, 6, 9), 3), ((1, 2, 3, 4, 4), 2)):
            family.add("PixelUnshuffle", nn.PixelUnshuffle(factor), [real(*shape, dtype=dtype)], factor)


def classes(family):
    for reduction in ("mean", "sum", "none"):
        for shape, target in (((6, 4), (6,)), ((2, 5, 3), (2, 3)), ((3, 4, 2, 2), (3, 2, 2)), ((4,), ())):
            count = shape[1] if len(shape) > 1 else shape[0]
            for dtype in (f64, f32):
                x, weight = real(*shape, dtype=dtype), real(count, dtype=dtype, low=0.2, high=2)
                wanted = whole(*target, low=0, high=count)
                if target:
                    wanted.view(-1)[1] = -1
                more = {"length": 32, "fixed": [(0, 1 if len(shape) > 1 else 0), (2, 0)], "gradient": True}
                for smoothing in (0.0, 0.3):
                    family.add("CrossEntropyLoss", lambda v, t, w: F.cross_entropy(v, t, w.detach(), ignore_index=-1, reduction=reduction,
                               label_smoothing=smoothing), [x, wanted, weight], -1, smoothing, reduction, **more)
                family.add("NLLLoss", lambda v, t, w: F.nll_loss(v, t, w.detach(), ignore_index=-1, reduction=reduction),
                           [x, wanted, weight], -1, reduction, **more)


def pairs(family):
    for reduction in ("mean", "sum", "none"):
        for dtype in (f64, f32):
            x, y, z = real(3, 4, dtype=dtype), real(3, 4, dtype=dtype), real(3, 4, dtype=dtype)
            inside, chance = real(3, 4, dtype=dtype, low=0.1, high=0.9), real(3, 4, dtype=dtype, low=0, high=1)
            weight, positive = real(3, 4, dtype=dtype, low=0.5), real(4, dtype=dtype, low=0.5)
            signs, row = whole(3, 4, dtype=b).to(dtype) * 2 - 1, real(3, dtype=dtype)
            sign = whole(3, dtype=b).to(dtype) * 2 - 1
            add = lambda name, call, inputs: family.add(name, call, inputs, reduction, length=12, gradient="Embedding" not in name
                                                        and "Margin" not in name)
            add("MSELoss", nn.MSELoss(reduction=reduction), [x, y])
            add("L1Loss", nn.L1Loss(reduction=reduction), [x, y])
            add("SmoothL1Loss", nn.SmoothL1Loss(reduction=reduction, beta=0.4), [x, y])
            add("HuberLoss", nn.HuberLoss(reduction=reduction, delta=0.4), [x, y])
            add("KLDivLoss", nn.KLDivLoss(reduction=reduction, log_target=True), [x, y])
            add("BCELoss", lambda p, t, w: F.binary_cross_entropy(p, t, w.detach(), reduction=reduction), [inside, chance, weight])
            add("BCEWithLogitsLoss", lambda p, t, w, q: F.binary_cross_entropy_with_logits(
                p, t, w.detach(), reduction=reduction, pos_weight=q.detach()), [x, chance, weight, positive])
            add("PoissonNLLLoss", nn.PoissonNLLLoss(full=True, reduction=reduction), [x, weight])
            add("GaussianNLLLoss", nn.GaussianNLLLoss(full=True, reduction=reduction), [x, y, weight])
            add("CosineEmbeddingLoss", nn.CosineEmbeddingLoss(0.2, reduction=reduction), [x, y, sign])
            add("HingeEmbeddingLoss", nn.HingeEmbeddingLoss(0.7, reduction=reduction), [x, signs])
            add("MarginRankingLoss", nn.MarginRankingLoss(0.2, reduction=reduction), [row, real(3, dtype=dtype), sign])
            add("SoftMarginLoss", nn.SoftMarginLoss(reduction=reduction), [x, signs])
            add("TripletMarginLoss", nn.TripletMarginLoss(0.8, swap=True, reduction=reduction), [x, y, z])


def record(family):
    transposed(family)
    bags(family)
    paddings(family)
    shuffles(family)
    classes(family)
    pairs(family)
