"""Functions that move elements and compute nothing."""

import torch
import torch.nn.functional as F

from recorder import DTYPES, any_of, b, bf16, f32, f64, i64, numbers, real, whole


def every_dtype(family, name, call, shape, *options, **more):
    for dtype in DTYPES:
        family.add(name, call, [any_of(*shape, dtype=dtype)], *options, **more)


def shapes(family):
    """Options of reshape: what each new extent is a product of, as input axes; or plain numbers."""
    for shape, target in (((2, 3), (6,)), ((6,), (2, 3)), ((2, 3, 4), (4, 6)), ((4, 6), (2, 2, 3, 2)),
                          ((), (1, 1)), ((1, 1), ()), ((0, 3), (3, 0)), ((2, 3), (3, -1)),
                          ((2, 6), (-1,)), ((1, 2, 1, 3), (2, 3)), ((2, 3, 2, 3), (6, 6))):
        family.add("reshape", lambda x: torch.reshape(x, target), [real(*shape)], target, fixed="all")
    every_dtype(family, "reshape", lambda x: x.reshape(3, 2), (2, 3), (3, 2), fixed="all")
    for groups, shapes_of in (([[0, 1]], ((2, 3), (5, 7), (0, 4), (1, 1))),
                              ([[0], [1, 2]], ((2, 3, 4), (3, 0, 2), (1, 1, 5))),
                              ([[1], [0]], ((2, 3), (7, 5), (0, 2))),
                              ([[0, 1], [2, 3]], ((2, 3, 4, 1), (1, 2, 3, 5)))):
        for shape in shapes_of:
            def merge(x):
                sizes = []
                for group in groups:
                    size = 1
                    for axis in group:
                        size *= shape[axis]
                    sizes.append(size)
                return x.reshape(sizes)
            text = [".".join(str(axis) for axis in group) for group in groups]
            family.add("merge", merge, [real(*shape)], text)
    for shape, first, last in (((2, 3, 4), 0, -1), ((5, 2, 3), 0, -1), ((2, 3, 4), 1, 2),
                               ((2, 3, 4), 0, 1), ((7,), 0, -1), ((), 0, -1), ((2, 0, 3), 0, 1),
                               ((2, 3, 1, 5), -3, -2), ((0, 3, 2), 1, 2)):
        family.add("flatten", lambda x: torch.flatten(x, first, last), [real(*shape)], first, last)
    for shape, dim, sizes in (((6,), 0, (2, 3)), ((2, 12), 1, (3, 4)), ((2, 12), -1, (2, -1, 3)),
                              ((6, 2), 0, (6, 1)), ((3, 0), 0, (3, 1))):
        family.add("unflatten", lambda x: torch.unflatten(x, dim, sizes), [real(*shape)], dim, sizes,
                   fixed="all")
    for shape, axes in (((2, 3), None), ((2, 1, 3), None), ((1, 3, 1), [0]), ((1, 3, 1), [-1]),
                        ((1, 3, 1), [0, 2]), ((1,), [0]), ((1, 1), None), ((2, 3), [0])):
        run = (lambda x: torch.squeeze(x)) if axes is None else (lambda x: torch.squeeze(x, axes))
        family.add("squeeze", run, [real(*shape)], axes, fixed="all")
    for shape, axis in (((), 0), ((3,), 0), ((3,), 1), ((3,), -1), ((2, 3), 1), ((2, 3), -3),
                        ((2, 0, 3), 2), ((5, 7), 1)):
        family.add("unsqueeze", lambda x: torch.unsqueeze(x, axis), [real(*shape)], axis)


def orders(family):
    for shapes_of, axes in ((((2, 3), (7, 5), (0, 1)), (1, 0)), (((2, 3, 4), (5, 1, 7)), (2, 0, 1)),
                            (((2, 3, 4, 5),), (0, -1, 1, 2)), (((3,),), (0,)), (((),), ()),
                            (((2, 1, 2, 3, 2),), (4, 1, 0, 3, 2)),
                            (((2, 1, 2, 1, 2, 1, 3, 2),), (7, 1, 0, 3, 2, 6, 5, 4))):
        for shape in shapes_of:
            family.add("permute", lambda x: torch.permute(x, axes), [real(*shape)], axes)
    every_dtype(family, "permute", lambda x: x.permute(1, 0), (3, 5), (1, 0))
    for shape, p, q in (((2, 3), 0, 1), ((7, 5), 0, 1), ((17, 33), 0, 1), ((2, 3, 4), -1, -2),
                        ((2, 3, 4), 0, 2), ((3,), 0, 0), ((2, 0, 3), 1, 2), ((2, 3, 4, 5), 1, 3)):
        family.add("transpose", lambda x: torch.transpose(x, p, q), [real(*shape)], p, q)
    for shape, axes in (((5,), [0]), ((3, 4), [0]), ((3, 4), [1]), ((3, 4), [0, -1]), ((0, 3), [0]),
                        ((2, 3, 4), [0, 2]), ((1, 7), [0, 1])):
        family.add("flip", lambda x: torch.flip(x, axes), [real(*shape)], axes)
    every_dtype(family, "flip", lambda x: torch.flip(x, [1]), (3, 5), [1])
    for shape, shifts, axes in (((5,), [2], [0]), ((3, 4), [1], [1]), ((3, 4), [-1], [0]),
                                ((3, 4), [7], [1]), ((3, 4), [1, 2], [0, 1]), ((3, 4), [0], [0]),
                                ((2, 3, 4), [-5], [-1]), ((0, 3), [1], [1]), ((7, 2), [1], [1])):
        family.add("roll", lambda x: torch.roll(x, shifts, axes), [real(*shape)], shifts, axes)
    family.add("roll", lambda x: torch.roll(x, 2), [real(3, 4)], [2], None)


def repeats(family):
    for shape, target in (((3,), (2, 3)), ((2, 1), (2, 4)), ((1, 3, 1), (2, 3, 5)), ((), (2, 2)),
                          ((1,), (0,)), ((2, 1), (-1, 3)), ((2, 3), (2, 3))):
        family.add("expand", lambda x: x.expand(target), [real(*shape)], target, fixed="all")
    for shape, times in (((3,), (2,)), ((3,), (2, 2)), ((2, 3), (1, 2)), ((2, 3), (2, 1, 3)),
                         ((2, 3), (0, 1)), ((), (2,)), ((0, 2), (2, 3)), ((5, 7), (1, 2))):
        family.add("tile", lambda x: torch.tile(x, times), [real(*shape)], times)
        family.add("repeat", lambda x: x.repeat(times), [real(*shape)], times)
    every_dtype(family, "tile", lambda x: torch.tile(x, (2, 2)), (2, 3), (2, 2))
    family.add("tile", lambda x: torch.tile(x, (2,)), [real(2, 3)], (2,))


def pads(family):
    for shape, widths, value in (((3,), [(1, 2)], 0.0), ((2, 3), [(0, 0), (1, 1)], 1.5),
                                 ((2, 3), [(2, 0), (0, 3)], -1.0), ((0, 2), [(1, 1), (0, 0)], 2.0),
                                 ((2, 3, 2), [(0, 1), (1, 0), (2, 2)], 0.0), ((5,), [(1, 2)], 0.0),
                                 ((4, 5), [(2, 0), (0, 3)], -1.0)):
        flat = [w for pair in reversed(widths) for w in pair]
        family.add("pad", lambda x: F.pad(x, flat, value=value), [real(*shape)],
                   [w for pair in widths for w in pair], value)
    for dtype in DTYPES:
        family.add("pad", lambda x: F.pad(x, (1, 1), value=1), [any_of(2, 3, dtype=dtype)],
                   [0, 0, 1, 1], 1)


def joins(family):
    for sets, axis in (([(2,), (3,)], 0), ([(2, 3), (2, 3)], 0), ([(2, 3), (2, 5)], 1),
                       ([(2, 3), (2, 0), (2, 1)], -1), ([(2, 3, 2), (2, 1, 2), (2, 2, 2)], 1),
                       ([(5,), (1,)], 0), ([(3,)], 0), ([(7, 3), (1, 3)], 0),
                       ([(1,), (2,), (3,), (0,), (5,)], 0)):
        family.add("concatenate", lambda *x: torch.cat(x, axis), [real(*s) for s in sets], axis)
    for dtype in DTYPES:
        family.add("concatenate", lambda *x: torch.cat(x, 1),
                   [any_of(2, 3, dtype=dtype), any_of(2, 2, dtype=dtype)], 1)
    family.add("concatenate", lambda *x: torch.cat(x, 0), [whole(2), real(3, dtype=f32)], 0)
    for count, shape, axis in ((2, (3,), 0), (2, (3,), 1), (3, (2, 3), 1), (2, (2, 3), -1),
                               (1, (2,), 0), (2, (), 0), (2, (0, 3), 0), (3, (5, 7), 1)):
        family.add("stack", lambda *x: torch.stack(x, axis), [real(*shape) for _ in range(count)], axis)
    for shape, size, axis in (((6,), 2, 0), ((7,), 3, 0), ((2, 5), 2, 1), ((5, 2), 5, 0), ((4, 3), 1, -1)):
        family.add("split", lambda x: torch.split(x, size, axis), [real(*shape)], size, axis, fixed="all")
    for shape, sizes, axis in (((6,), [1, 2, 3], 0), ((2, 5), [0, 5], 1), ((2, 5), [4, 1], -1)):
        family.add("split_sizes", lambda x: torch.split(x, sizes, axis), [real(*shape)], sizes, axis,
                   fixed="all")
    for shape, chunks, axis in (((6,), 3, 0), ((7,), 3, 0), ((2, 5), 4, 1), ((2, 3), 5, 1), ((5, 2), 1, 0)):
        family.add("chunk", lambda x: torch.chunk(x, chunks, axis), [real(*shape)], chunks, axis,
                   fixed="all")


def others(family):
    for shape, source, target in (((2, 3, 4), 0, 2), ((2, 3, 4), -1, 0), ((3, 5), 0, 1)):
        family.add("moveaxis", lambda x: torch.moveaxis(x, source, target), [real(*shape)], source, target)
    for times in (0, 1, 2, 3, -1):
        family.add("rot90", lambda x: torch.rot90(x, times, (0, 1)), [real(3, 4)], times)
    for shape, axis, size, step in (((7,), 0, 3, 2), ((2, 5), 1, 2, 1), ((6, 2), 0, 2, 2), ((3,), 0, 3, 1)):
        family.add("unfold", lambda x: x.unfold(axis, size, step), [real(*shape)], axis, size, step, fixed="all")
    for shape, count, axis in (((3,), 2, 0), ((2, 3), 3, 1), ((2, 3), 2, None), ((5, 2), 2, 0), ((2, 3), 0, 0)):
        family.add("repeat_interleave", lambda x: torch.repeat_interleave(x, count, axis), [real(*shape)], count, axis)
    for shape, axis, start, length in (((5,), 0, 1, 3), ((2, 5), 1, 0, 5), ((5, 2), 0, 2, 0), ((3, 4), -1, 1, 2)):
        family.add("narrow", lambda x: torch.narrow(x, axis, start, length), [real(*shape)], axis, start, length)
    for shape, axis in (((3,), 0), ((2, 3), 1), ((2, 3), 0)):
        family.add("unbind", lambda x: torch.unbind(x, axis), [real(*shape)], axis, fixed="all")
    for sets in ([(2,), (3,)], [(2, 3), (2, 1)], [(2, 3, 2), (2, 1, 2)]):
        family.add("hstack", lambda *x: torch.hstack(x), [real(*s) for s in sets])
    for sets in ([(3,), (3,)], [(2, 3), (1, 3)], [(3,), (2, 3)]):
        family.add("vstack", lambda *x: torch.vstack(x), [real(*s) for s in sets])
    for indexing in ("ij", "xy"):
        family.add("meshgrid", lambda *x: torch.meshgrid(*x, indexing=indexing), [real(2), real(3)], indexing)
        family.add("meshgrid", lambda *x: torch.meshgrid(*x, indexing=indexing), [real(2), real(3), real(1)], indexing)
    for shape in ((3, 3), (2, 5), (5, 2), (4, 4)):
        for offset in (0, 1, -1):
            family.add("diagonal", lambda x: torch.diagonal(x, offset), [real(*shape)], offset)
            family.add("diag", lambda x: torch.diag(x, offset), [real(*shape)], offset)
    for offset in (0, 2, -1):
        family.add("diag", lambda x: torch.diag(x, offset), [real(3)], offset)
    for dtype in (f64, f32, i64):
        family.add("trace", torch.trace, [any_of(3, 3, dtype=dtype)], length=3)
    family.add("trace", torch.trace, [real(2, 5)], length=2)
    for mode in ("reflect", "replicate", "circular"):
        for shape, widths in (((1, 2, 5), [2, 1]), ((1, 2, 7), [0, 3]), ((1, 1, 4, 5), [1, 2, 3, 0])):
            full = [0, 0, 0, 0] + [w for pair in reversed(list(zip(widths[::2], widths[1::2]))) for w in pair]
            family.add("pad_mode", lambda x: F.pad(x, widths, mode=mode), [real(*shape)], full, mode, fixed="all")


def record(family):
    shapes(family)
    orders(family)
    repeats(family)
    pads(family)
    joins(family)
    others(family)
