"""Losses."""

import torch
import torch.nn.functional as F

from recorder import HALVES, INF, NAN, b, bf16, f16, f32, f64, i32, i64, numbers, real, whole

REDUCTIONS = ["none", "mean", "sum"]
SHAPES = [(3, 4), (5, 2), (7,), (), (0,), (2, 3, 4)]


def pairs(family):
    for name, call, low, high in (("mse_loss", F.mse_loss, -2, 2), ("l1_loss", F.l1_loss, -2, 2)):
        for reduction in REDUCTIONS:
            for shape in SHAPES:
                family.add(name, lambda x, y: call(x, y, reduction=reduction), [real(*shape), real(*shape)], reduction, length=12)
        for dtype in (f32, f16, bf16):
            family.add(name, call, [real(3, 4, dtype=dtype), real(3, 4, dtype=dtype)], "mean", length=12)
        same = numbers([1.0, 2.0, 3.0])
        family.add(name, call, [same, numbers([1.0, 2.5, 3.0])], "mean")
    for delta in (1.0, 0.5):
        for reduction in REDUCTIONS:
            for shape in SHAPES[:3]:
                family.add("huber_loss", lambda x, y: F.huber_loss(x, y, reduction=reduction, delta=delta),
                           [real(*shape), real(*shape)], reduction, delta, length=12)
        family.add("huber_loss", lambda x, y: F.huber_loss(x, y, delta=delta),
                   [numbers([0.0, 0.0, 0.0, 0.0]), numbers([0.5, 1.0, -1.0, 0.0])], "mean", delta)
    for reduction in REDUCTIONS:
        for shape in SHAPES[:4]:
            family.add("binary_cross_entropy_with_logits",
                       lambda x, y: F.binary_cross_entropy_with_logits(x, y, reduction=reduction),
                       [real(*shape, low=-5, high=5), real(*shape, low=0, high=1)], reduction, length=12)
    for dtype in (f64, f32, bf16):
        family.add("binary_cross_entropy_with_logits", F.binary_cross_entropy_with_logits,
                   [numbers([100.0, -100.0, 0.0, 800.0], dtype), numbers([0.0, 1.0, 0.5, 1.0], dtype)], "mean", length=12)
    for reduction in REDUCTIONS + ["batchmean"]:
        for shape in SHAPES[:2]:
            x, y = torch.log_softmax(real(*shape), -1), torch.softmax(real(*shape), -1)
            family.add("kl_div", lambda p, q: F.kl_div(p, q, reduction=reduction), [x, y], reduction, 0, length=12)
            family.add("kl_div", lambda p, q: F.kl_div(p, q, reduction=reduction, log_target=True), [x, y.log()], reduction, 1,
                       length=12)
    family.add("kl_div", lambda p, q: F.kl_div(p, q, reduction="sum"), [numbers([-1.0, -2.0]), numbers([0.0, 1.0])], "sum", 0,
               gradient=False)


def classes(family):
    for reduction in REDUCTIONS:
        for shape, target in (((3, 5), (3,)), ((7, 4), (7,)), ((5,), ()), ((2, 5, 3), (2, 3)), ((2, 4, 3, 2), (2, 3, 2)), ((1, 1), (1,))):
            axis = 1 if len(shape) > 1 else 0
            wanted = whole(*target, low=0, high=shape[axis])
            for smoothing in (0.0, 0.1):
                family.add("cross_entropy", lambda x, t: F.cross_entropy(x, t, reduction=reduction, label_smoothing=smoothing),
                           [real(*shape), wanted], reduction, -100, smoothing, length=16)
            family.add("nll_loss", lambda x, t: F.nll_loss(x, t, reduction=reduction), [real(*shape), wanted], reduction, -100, length=16)
        ignored = numbers([1, -100, 0, -100], i64)
        for ignore in (-100, 0):
            kept = ignored if ignore == -100 else numbers([1, 0, 2, 0], i64)
            for smoothing in (0.0, 0.2):
                family.add("cross_entropy",
                           lambda x, t: F.cross_entropy(x, t, ignore_index=ignore, reduction=reduction, label_smoothing=smoothing),
                           [real(4, 3), kept], reduction, ignore, smoothing, length=16)
            family.add("nll_loss", lambda x, t: F.nll_loss(x, t, ignore_index=ignore, reduction=reduction), [real(4, 3), kept],
                       reduction, ignore, length=16)
        for smoothing in (0.0, 0.1):  # probabilities as the target
            family.add("cross_entropy", lambda x, t: F.cross_entropy(x, t, reduction=reduction, label_smoothing=smoothing),
                       [real(3, 5), torch.softmax(real(3, 5), 1)], reduction, -100, smoothing, length=16)
    every = numbers([-100, -100], i64)  # nothing counts: 0 / 0
    family.add("cross_entropy", F.cross_entropy, [real(2, 3), every], "mean", -100, 0.0)
    family.add("cross_entropy", F.cross_entropy, [real(0, 3), numbers([], i64)], "mean", -100, 0.0)
    family.add("cross_entropy", F.cross_entropy, [numbers([[1000.0, 0.0], [-INF, 1.0]]), numbers([0, 1], i64)], "mean", -100, 0.0)
    for dtype in (f32, f16, bf16):
        family.add("cross_entropy", F.cross_entropy, [real(7, 17, dtype=dtype), whole(7, low=0, high=17)], "mean", -100, 0.0, length=17)
        family.add("nll_loss", F.nll_loss, [real(7, 17, dtype=dtype), whole(7, low=0, high=17)], "mean", -100, length=7)


def others(family):
    for reduction in REDUCTIONS:
        for dtype in (f64, f32):
            x, y = real(3, 4, dtype=dtype), real(3, 4, dtype=dtype)
            signs = whole(3, 4, dtype=b).to(dtype) * 2 - 1
            row, sign = real(3, dtype=dtype), whole(3, dtype=b).to(dtype) * 2 - 1
            more = {"length": 12}
            family.add("smooth_l1_loss", lambda p, q: F.smooth_l1_loss(p, q, reduction=reduction, beta=0.5), [x, y], reduction, 0.5, **more)
            family.add("binary_cross_entropy", lambda p, q: F.binary_cross_entropy(p, q, reduction=reduction),
                       [real(3, 4, dtype=dtype, low=0.1, high=0.9), real(3, 4, dtype=dtype, low=0, high=1)], reduction, **more)
            family.add("soft_margin_loss", lambda p, q: F.soft_margin_loss(p, q.detach(), reduction=reduction), [x, signs], reduction,
                       gradient=False, **more)
            family.add("hinge_embedding_loss", lambda p, q: F.hinge_embedding_loss(p, q, reduction=reduction), [x, signs], reduction,
                       gradient=False, **more)
            family.add("margin_ranking_loss", lambda p, q, t: F.margin_ranking_loss(p, q, t, 0.3, reduction=reduction),
                       [row, real(3, dtype=dtype), sign], 0.3, reduction, gradient=False, **more)
            family.add("cosine_embedding_loss", lambda p, q, t: F.cosine_embedding_loss(p, q, t, 0.1, reduction=reduction),
                       [x, y, sign], 0.1, reduction, gradient=False, **more)
            family.add("triplet_margin_loss", lambda p, q, t: F.triplet_margin_loss(p, q, t, reduction=reduction),
                       [x, y, real(3, 4, dtype=dtype)], reduction, **more)
            family.add("poisson_nll_loss", lambda p, q: F.poisson_nll_loss(p, q, reduction=reduction), [x, y.abs()], reduction,
                       **more)
            family.add("gaussian_nll_loss", lambda p, q, v: F.gaussian_nll_loss(p, q, v, reduction=reduction),
                       [x, y, real(3, 4, dtype=dtype, low=0.5)], reduction, **more)


def record(family):
    pairs(family)
    classes(family)
    others(family)
