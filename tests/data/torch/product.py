"""Products of matrices, einsum, attention."""

import torch
import torch.nn.functional as F

from recorder import HALVES, ROUNDED, INF, NAN, any_of, b, bf16, f16, f32, f64, i32, i64, numbers, real, u8, whole

MATMUL = [((2, 3), (3, 4)), ((5, 7), (7, 3)), ((1, 1), (1, 1)), ((17, 33), (33, 9)), ((3,), (3,)), ((5,), (5,)),
          ((3,), (3, 4)), ((2, 3), (3,)), ((5, 2, 3), (5, 3, 4)), ((2, 3, 4), (4, 5)), ((3, 4), (2, 4, 5)),
          ((2, 1, 3, 4), (5, 4, 2)), ((4,), (2, 4, 3)), ((2, 3, 4), (4,)), ((0, 3), (3, 2)), ((2, 0), (0, 3)),
          ((2, 3), (3, 0)), ((0, 2, 3), (0, 3, 4)), ((1, 3, 2), (4, 2, 3)), ((2, 2, 3, 2), (2, 2, 2, 3))]


def batch_axes(left, right):
    """The leading axes of extent 1 that meet another extent."""
    fixed = []
    p, q = left[:-2], right[:-2]
    for back in range(1, min(len(p), len(q)) + 1):
        if p[-back] != q[-back]:
            fixed.append((0, len(p) - back) if p[-back] == 1 else (1, len(q) - back))
    return fixed


def matrices(family):
    for left, right in MATMUL:
        family.add("matmul", torch.matmul, [real(*left), real(*right)], length=max(left[-1], 1),
                   fixed=batch_axes(left, right))
    for left, right in MATMUL[:8]:
        family.add("matmul", torch.matmul, [real(*left, dtype=f32), real(*right, dtype=f32)], length=left[-1])
    for dtype in HALVES + [i64, i32, u8]:
        family.add("matmul", torch.matmul, [any_of(5, 17, dtype=dtype), any_of(17, 3, dtype=dtype)], length=17)
        family.add("matmul", torch.matmul, [any_of(2, 5, 3, dtype=dtype), any_of(2, 3, 4, dtype=dtype)], length=3)
    family.add("matmul", torch.matmul, [numbers([[1.0, NAN], [0.0, INF]], f32), numbers([[1.0, 2.0], [0.0, 1.0]], f32)])
    for p, q, r in ((2, 3, 4), (1, 1, 1), (5, 7, 2), (0, 3, 2), (3, 0, 2)):
        family.add("bmm", torch.bmm, [real(2, p, q), real(2, q, r)], length=max(q, 1))
    for shape in ((2, 3), (5, 3), (3,), (4, 2, 3), (0, 3)):
        for dtype in (f64, f32, bf16):
            operands = [real(*shape, dtype=dtype), real(4, 3, dtype=dtype), real(4, dtype=dtype)]
            family.add("linear", F.linear, operands, length=4, accuracy=ROUNDED.get(dtype, 0))
            if dtype == f64:
                family.add("linear", F.linear, operands[:2], length=3)
    for p, q in ((3, 4), (1, 1), (0, 2), (5, 7)):
        family.add("outer", torch.outer, [real(p), real(q)])
    for p, q, r in ((2, 3, 4), (5, 7, 2), (0, 3, 2)):
        family.add("mm", torch.mm, [real(p, q), real(q, r)], length=q)
        family.add("mv", torch.mv, [real(p, q), real(q)], length=q)
        family.add("inner", torch.inner, [real(p, q), real(r, q)], length=q)
        family.add("tensordot", lambda x, y: torch.tensordot(x, y, 1), [real(p, q), real(q, r)], 1, length=q)
    family.add("tensordot", lambda x, y: torch.tensordot(x, y, 2), [real(2, 3, 4), real(3, 4, 5)], 2, length=12)
    family.add("tensordot_axes", lambda x, y: torch.tensordot(x, y, ([0, 2], [1, 0])), [real(2, 3, 4), real(4, 2, 5)], (0, 2),
               (1, 0), length=8)
    for shape in ((3,), (5, 3), (2, 4, 3)):
        family.add("cross", lambda x, y: torch.linalg.cross(x, y), [real(*shape), real(*shape)], length=2,
                   fixed=[(0, len(shape) - 1), (1, len(shape) - 1)])
    for p in (3, 1, 0, 5):
        family.add("dot", torch.dot, [real(p), real(p)], length=max(p, 1))


EINSUM = [("bij,bjk->bik", (2, 3, 4), (2, 4, 5)), ("ij,jk->ik", (2, 3), (3, 4)), ("ij,jk->ik", (5, 7), (7, 2)),
          ("ij,jk", (2, 3), (3, 4)), ("i,i->", (4,), (4,)), ("i,j->ij", (3,), (4,)), ("ij->ji", (2, 3)),
          ("ij->", (2, 3)), ("ij->i", (2, 3)), ("ij->j", (5, 3)), ("ii->i", (3, 3)), ("ii->", (3, 3)),
          ("ij,ij->ij", (2, 3), (2, 3)), ("ij,ij->", (2, 3), (2, 3)), ("bhqd,bhkd->bhqk", (2, 2, 3, 4), (2, 2, 5, 4)),
          ("bhqk,bhkd->bhqd", (1, 2, 3, 4), (1, 2, 4, 5)), ("...ij,...jk->...ik", (2, 3, 4), (2, 4, 5)),
          ("...ij,jk->...ik", (2, 3, 4), (4, 5)), ("...i->...", (2, 3)), ("ij,jk,kl->il", (2, 3), (3, 4), (4, 2)),
          ("i,ij,j->", (2,), (2, 3), (3,)), ("ab,cd->abcd", (2, 3), (2, 2)), ("ijk,ilk->lj", (2, 3, 4), (2, 5, 4)),
          ("ba", (2, 3)), ("i,i->i", (0,), (0,)), ("ij,kj->ik", (3, 0), (2, 0)), (",i->i", (), (3,)),
          ("bi,bj->bij", (2, 3), (2, 4)), ("Aa,aB->AB", (2, 3), (3, 2))]


def sums(family):
    for equation, *shapes in EINSUM:
        size = max([1] + [n for s in shapes for n in s])
        family.add("einsum", lambda *x: torch.einsum(equation, *x), [real(*s) for s in shapes], equation, length=4 * size)
    for dtype in (f32, bf16, f16, i64):
        family.add("einsum", lambda *x: torch.einsum("bij,bjk->bik", *x),
                   [any_of(2, 3, 5, dtype=dtype), any_of(2, 5, 4, dtype=dtype)], "bij,bjk->bik", length=5)


def attention(family):
    call = F.scaled_dot_product_attention
    sets = [((2, 3, 4), (2, 5, 4), (2, 5, 6)), ((2, 2, 3, 4), (2, 2, 5, 4), (2, 2, 5, 4)), ((5, 4), (3, 4), (3, 2)),
            ((1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1)), ((1, 2, 7, 8), (1, 2, 7, 8), (1, 2, 7, 8)),
            ((2, 0, 4), (2, 5, 4), (2, 5, 4))]
    for q, k, v in sets:
        operands = [real(*q), real(*k), real(*v)]
        family.add("attention", call, operands, 0, "-", length=16)
        family.add("attention", lambda *x: call(*x, is_causal=True), operands, 1, "-", length=16)
        family.add("attention", lambda *x: call(*x, scale=0.3), operands, 0, 0.3, length=16)
        rows, columns = q[-2], k[-2]
        bias = real(rows, columns)
        mask = whole(rows, columns, dtype=b)
        if columns:
            mask[:, 0] = True
        family.add("attention", lambda x, y, z, m: call(x, y, z, attn_mask=m), operands + [bias], 0, "-", length=16)
        family.add("attention", lambda x, y, z, m: call(x, y, z, attn_mask=m), operands + [mask], 0, "-", length=16)
    for dtype in (f32, bf16, f16):
        operands = [real(2, 2, 5, 8, dtype=dtype) for _ in range(3)]
        more = {"length": 16, "accuracy": ROUNDED.get(dtype, 0)}
        family.add("attention", call, operands, 0, "-", **more)
        family.add("attention", lambda *x: call(*x, is_causal=True), operands, 1, "-", **more)


def record(family):
    matrices(family)
    sums(family)
    attention(family)
