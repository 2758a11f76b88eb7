"""Records what torch computes, as cases that tests/reference reads.

A family is one file, FAMILY.npz, with one flat array for each dtype, and the array `cases` of characters,
which has a line for each case (unzip -p FAMILY.npz cases.npy | tail -n +2 shows them):

    function;option;option length=7 accuracy=1e-7 in=f64[2*,3]@0 out=f64[2]@6 dout=f64[2]@8 grad=f64[2,3]@10

An array is named by dtype, sizes and where it begins in the flat array; * is behind sizes that the
symbolic run of the test marks as dynamic. `dout` is the cotangent of an output, `grad` the gradient
of sum(out * dout) with respect to an input; "-" stands for an input or output that has none. The
elements of a list in an option are separated by colons; "-" is None. bf16, which NumPy does not
have, is stored as the same numbers in f32.
"""

import os

import numpy as np
import torch

NAMES = {
    torch.bool: "bool", torch.uint8: "u8", torch.int8: "i8", torch.int16: "i16",
    torch.int32: "i32", torch.int64: "i64", torch.float16: "f16", torch.bfloat16: "bf16",
    torch.float32: "f32", torch.float64: "f64",
}
DTYPES = list(NAMES)
INTEGERS = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
FLOATING = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
HALVES = [torch.float16, torch.bfloat16]
b, i8, u8, i32, i64 = torch.bool, torch.int8, torch.uint8, torch.int32, torch.int64
f16, bf16, f32, f64 = FLOATING

generator = torch.Generator().manual_seed(20260)


def real(*shape, dtype=f64, low=-2.0, high=2.0):
    """Numbers in [low, high), all different."""
    numbers = torch.rand(shape, generator=generator, dtype=f64) * (high - low) + low
    return numbers.to(dtype)


def whole(*shape, dtype=i64, low=-5, high=6):
    """Integers in [low, high)."""
    if dtype == b:
        low, high = 0, 2
    elif dtype == u8:
        low = max(low, 0)
    return torch.randint(low, high, shape, generator=generator).to(dtype)


def any_of(*shape, dtype, low=-2.0, high=2.0):
    """Numbers that `dtype` has."""
    if dtype.is_floating_point:
        return real(*shape, dtype=dtype, low=low, high=high)
    return whole(*shape, dtype=dtype)


def numbers(values, dtype=f64):
    return torch.tensor(values, dtype=dtype)


ROUNDED = {torch.float16: 4 * 2**-11, torch.bfloat16: 4 * 2**-8}  # accuracy of steps in halves
INF, NAN = float("inf"), float("nan")
EDGES = [NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.5, 3.0, 1e-40, -1e-40, 1e-20,
         1e20, 3e38, -3e38, 10.0, -10.0]


def edges(dtype=f32):
    """Not a number, infinities, zeros, denormals, the smallest and the largest."""
    if dtype == f16:
        return numbers([x if abs(x) < 60000 or x in (INF, -INF) else 6e4 for x in EDGES]
                       + [6e-8, 1e-6, -65504.0], f16)
    return numbers(EDGES, dtype)


def option_text(option):
    if option is None:
        return "-"
    if isinstance(option, (list, tuple)):
        return ":".join(option_text(x) for x in option)
    if isinstance(option, bool):
        return str(int(option))
    if isinstance(option, torch.dtype):
        return NAMES[option]
    return repr(option) if isinstance(option, float) else str(option)


def as_list(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


def broadcast_from(x, outputs):
    """The dimensions of `x` that are repeated: those of extent 1 where an output has another."""
    shape = outputs[0].shape
    offset = len(shape) - x.dim()
    return [d for d in range(x.dim()) if x.shape[d] == 1 and shape[offset + d] != 1]


class Family:
    def __init__(self, name):
        self.name = name
        self.lines = []
        self.refused = []
        self.flat = {}
        self.known = {}

    def add(self, function, call, inputs, *options, length=1, fixed=(), broadcasts=False,
            gradient=True, accuracy=0.0):
        """Adds the case `call(*inputs)`.

        length      the elements that one element of a result is a sum of: scales the tolerance
        fixed       "all", or pairs (input, dimension): sizes that the program needs as numbers
        broadcasts  inputs broadcast: a repeated dimension is 1 in all sizes
        accuracy    an error relative to the largest element that is no fault: of torch itself, or of
                    a half that both round in between
        gradient    whether the gradients of f64 inputs are recorded
        """
        inputs = [x.detach().clone() for x in inputs]
        wants = [gradient and x.dtype == f64 for x in inputs]
        for x, wanted in zip(inputs, wants):
            x.requires_grad_(wanted)
        try:
            outputs = as_list(call(*inputs))
        except (NotImplementedError, RuntimeError, IndexError) as error:
            self.refused.append(f"{function} {[str(x.dtype)[6:] for x in inputs]}: {error}")
            return
        words = [";".join([function] + [option_text(x) for x in options])]
        if length != 1:
            words.append(f"length={length}")
        if accuracy:
            words.append(f"accuracy={accuracy}")
        for number, x in enumerate(inputs):
            pinned = {d for n, d in fixed if n == number} if fixed != "all" else set(range(x.dim()))
            if broadcasts:
                pinned |= set(broadcast_from(x, outputs))
            words.append("in=" + self.store(x, [d not in pinned for d in range(x.dim())]))
        words += ["out=" + self.store(y) for y in outputs]
        words += self.gradients(inputs, wants, outputs)
        self.lines.append(" ".join(words))

    def gradients(self, inputs, wants, outputs):
        roots = [y.requires_grad for y in outputs]
        if not any(wants) or not any(roots):
            return []
        seeds = [real(*y.shape, low=0.5, high=1.5) if root else None
                 for y, root in zip(outputs, roots)]
        found = torch.autograd.grad([y for y, r in zip(outputs, roots) if r],
                                    [x for x, w in zip(inputs, wants) if w],
                                    [s for s in seeds if s is not None], allow_unused=True)
        found = iter(found)
        words = ["dout=" + (self.store(s) if s is not None else "-") for s in seeds]
        for x, wanted in zip(inputs, wants):
            g = next(found) if wanted else None
            if wanted and g is None:
                g = torch.zeros_like(x)
            words.append("grad=" + (self.store(g) if wanted else "-"))
        return words

    def store(self, x, dynamic=()):
        x = x.detach().contiguous()
        name = NAMES[x.dtype]
        array = (x.float() if x.dtype == bf16 else x).numpy().reshape(-1)
        key = (name, array.tobytes())
        if key not in self.known:
            parts = self.flat.setdefault(name, [])
            self.known[key] = sum(len(part) for part in parts)
            parts.append(array)
        marks = list(dynamic) or [False] * x.dim()
        sizes = ",".join(f"{n}{'*' if mark else ''}" for n, mark in zip(x.shape, marks))
        return f"{name}[{sizes}]@{self.known[key]}"

    def write(self, folder):
        path = os.path.join(folder, self.name)
        arrays = {name: np.concatenate(parts) for name, parts in self.flat.items()}
        cases = np.frombuffer(("\n".join(self.lines) + "\n").encode(), dtype=np.uint8)
        np.savez(path + ".npz", cases=cases, **arrays)
        size = os.path.getsize(path + ".npz")
        functions = {line.split(" ")[0].split(";")[0] for line in self.lines}
        for refusal in self.refused:
            print(f"{self.name}: torch refuses {refusal.splitlines()[0]}")
        print(f"{self.name}: {len(self.lines)} cases of {len(functions)} functions, {size} bytes")
