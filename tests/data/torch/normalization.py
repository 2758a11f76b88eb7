"""softmax and the norms."""

import torch
import torch.nn.functional as F

from recorder import HALVES, INF, NAN, bf16, f16, f32, f64, i64, numbers, real

ROWS = [((5,), 0), ((3, 7), 1), ((3, 7), 0), ((17, 33), -1), ((2, 3, 5), 1), ((2, 3, 2, 3), -2), ((3, 0), 1), ((0, 3), 1),
        ((1, 1), 1), ((3, 1), 1)]


def rows(family):
    for name, call in (("softmax", torch.softmax), ("log_softmax", torch.log_softmax)):
        for shape, axis in ROWS:
            family.add(name, lambda v: call(v, axis), [real(*shape, low=-4, high=4)], axis, length=33)
            family.add(name, lambda v: call(v, axis), [real(*shape, dtype=f32, low=-4, high=4)], axis, length=33)
        for dtype in HALVES:
            family.add(name, lambda v: call(v, 1), [real(3, 17, dtype=dtype, low=-4, high=4)], 1, length=17)
        for values in ([1000.0, 1000.0, -1000.0], [-INF, 0.0, 1.0], [0.0, 0.0, 0.0], [1e300, -1e300, 0.0]):
            family.add(name, lambda v: call(v, 0), [numbers(values)], 0)
        for values in ([-INF, -INF], [INF, 1.0], [NAN, 1.0]):
            family.add(name, lambda v: call(v, 0), [numbers(values, f32)], 0)


def layers(family):
    for shape, axes in (((3, 7), 1), ((5, 7), 1), ((2, 3, 4), 1), ((2, 3, 4), 2), ((7,), 1), ((0, 5), 1), ((17, 33), 1), ((2, 1), 1)):
        tail = shape[len(shape) - axes:]
        for dtype in (f64, f32, bf16, f16):
            x, w, bias = real(*shape, dtype=dtype), real(*tail, dtype=dtype), real(*tail, dtype=dtype)
            for eps in (1e-5, 0.1) if dtype == f64 else (1e-5,):
                family.add("layer_norm", lambda *v: F.layer_norm(v[0], tail, v[1], v[2], eps), [x, w, bias], axes, eps, length=300)
            if dtype in (f64, f32):
                family.add("layer_norm", lambda *v: F.layer_norm(v[0], tail, v[1]), [x, w], axes, 1e-5, length=300)
                family.add("layer_norm", lambda *v: F.layer_norm(v[0], tail), [x], axes, 1e-5, length=300)
            if axes == 1:
                family.add("rms_norm", lambda *v: F.rms_norm(v[0], tail, v[1], 1e-5), [x, w], 1e-5, length=300)
    family.add("layer_norm", lambda v: F.layer_norm(v, (3,)), [numbers([[2.0, 2.0, 2.0], [0.0, 0.0, 0.0]])], 1, 1e-5, length=300)
    family.add("rms_norm", lambda v, w: F.rms_norm(v, (3,), w, 1e-6), [numbers([[2.0, 2.0, 2.0], [0.0, 0.0, 0.0]]), real(3)], 1e-6, length=300)


def channels(family):
    for shape in ((4, 3), (5, 3), (2, 3, 5), (2, 3, 4, 5), (3, 2, 1, 1), (2, 2, 3, 2, 2)):
        count = shape[1]
        for dtype in (f64, f32):
            mean, var = real(count, dtype=dtype), real(count, dtype=dtype, low=0.5)
            x, w, bias = real(*shape, dtype=dtype), real(count, dtype=dtype), real(count, dtype=dtype)
            family.add("batch_norm", lambda x, m, v, w, c: F.batch_norm(x, m.detach(), v.detach(), w, c, False, 0.1, 1e-5),
                       [x, mean, var, w, bias], 0, 1e-5, length=8, gradient=False)
            family.add("batch_norm_train", lambda x, w, c: F.batch_norm(x, None, None, w, c, True, 0.1, 1e-5),
                       [x, w, bias], 1e-5, length=300)
    for shape, groups in (((2, 4), 2), ((2, 4, 5), 2), ((2, 6, 3, 2), 3), ((1, 4, 2, 2), 1), ((2, 4, 3, 3), 4), ((0, 4, 3), 2)):
        for dtype in (f64, f32, bf16):
            x, w, bias = real(*shape, dtype=dtype), real(shape[1], dtype=dtype), real(shape[1], dtype=dtype)
            family.add("group_norm", lambda x, w, c: F.group_norm(x, groups, w, c, 1e-5), [x, w, bias], groups, 1e-5, length=300,
                       fixed=[(0, 1), (1, 0), (2, 0)])
            if dtype == f64:
                family.add("group_norm", lambda x: F.group_norm(x, groups), [x], groups, 1e-5, length=300, fixed=[(0, 1)])


def others(family):
    for shape in ((2, 3, 5), (2, 3, 4, 5)):
        for dtype in (f64, f32):
            x, w, bias = real(*shape, dtype=dtype), real(3, dtype=dtype), real(3, dtype=dtype)
            family.add("instance_norm", lambda x, w, c: F.instance_norm(x, None, None, w, c, True, 0.1, 1e-5), [x, w, bias], 1e-5, length=300)
            family.add("local_response_norm", lambda x: F.local_response_norm(x, 2), [x], 2, length=8, fixed=[(0, 1)])
    for dtype in (f64, f32, bf16):
        for p in (2.0, 1.0):
            family.add("normalize", lambda x: F.normalize(x, p, 1), [real(3, 5, dtype=dtype)], p, 1, length=5)
            family.add("pairwise_distance", lambda x, y: F.pairwise_distance(x, y, p), [real(3, 5, dtype=dtype), real(3, 5, dtype=dtype)], p,
                       length=5)
        if dtype != bf16:
            family.add("cosine_similarity", lambda x, y: F.cosine_similarity(x, y, 1), [real(3, 5, dtype=dtype), real(3, 5, dtype=dtype)], 1,
                       length=5)
        family.add("softmin", lambda x: F.softmin(x, 1), [real(3, 5, dtype=dtype)], 1, length=5)
    family.add("normalize", lambda x: F.normalize(x, 2.0, 1), [numbers([[0.0, 0.0], [3.0, 4.0]])], 2.0, 1, length=5)


def record(family):
    rows(family)
    layers(family)
    channels(family)
    others(family)
