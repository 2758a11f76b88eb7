"""Tensors from nothing, and triangles."""

import torch

from recorder import DTYPES, any_of, b, f16, f32, f64, i32, i64, real, whole


def record(family):
    for shape in ((), (0,), (3,), (2, 3), (2, 0, 3)):
        for dtype in (f32, f64, i64, b, f16) if shape == (2, 3) else (f32,):
            family.add("zeros", lambda: torch.zeros(shape, dtype=dtype), [], shape, dtype)
            family.add("ones", lambda: torch.ones(shape, dtype=dtype), [], shape, dtype)
    for dtype in DTYPES:
        value = 1 if dtype == b else 3
        family.add("full", lambda: torch.full((2, 3), value, dtype=dtype), [], (2, 3), value, dtype)
        x = any_of(2, 3, dtype=dtype)
        family.add("zeros_like", torch.zeros_like, [x], gradient=False)
        family.add("ones_like", torch.ones_like, [x], gradient=False)
        family.add("full_like", lambda v: torch.full_like(v, value), [x], value, gradient=False)
        family.add("tril", lambda v: torch.tril(v, 0), [x], 0)
        family.add("triu", lambda v: torch.triu(v, 0), [x], 0)
    for stop in (0, 1, 5):
        family.add("arange", lambda: torch.arange(stop), [], stop)
    for start, stop, step in ((2, 7, 1), (0, 10, 3), (10, 0, -3), (5, 5, 1), (-3, 3, 2), (0.0, 1.0, 0.25), (1.0, -1.0, -0.5),
                              (0.0, 2.0, 0.3), (0.5, 4, 1)):
        family.add("arange", lambda: torch.arange(start, stop, step), [], start, stop, step)
    for start, stop, steps in ((0.0, 1.0, 5), (-1.0, 1.0, 3), (2.0, 2.0, 2), (0.0, 1.0, 1), (0.0, 1.0, 0), (5.0, -5.0, 11), (0.0, 1.0, 7)):
        family.add("linspace", lambda: torch.linspace(start, stop, steps), [], start, stop, steps)
        family.add("logspace", lambda: torch.logspace(start, stop, steps, 2.0), [], start, stop, steps, 2.0, length=4)
    for n, m in ((3, 3), (2, 4), (4, 2), (0, 0), (1, 1)):
        if n == m:
            family.add("eye", lambda: torch.eye(n), [], n, length=2)
        else:
            family.add("eye_rectangle", lambda: torch.eye(n, m), [], n, m)
    for shape in ((3, 3), (2, 5), (5, 2), (2, 3, 4), (0, 3), (1, 1), (7, 7)):
        for diagonal in (0, 1, -1, -2):
            family.add("tril", lambda v: torch.tril(v, diagonal), [real(*shape)], diagonal)
            family.add("triu", lambda v: torch.triu(v, diagonal), [real(*shape)], diagonal)
