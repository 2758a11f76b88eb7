"""torch's own operator samples (torch.testing._internal.op_db): numbers of rank 0 and empty tensors are
among them. A case of f64 comes twice: NAME with its gradients, and grad_NAME, whose outputs are the
gradients of the sum of squares of NAME and whose gradients are second ones.

The files hold a few samples of each operation. All of them, some 5,000 cases, are written to a folder
that SINTER_SAMPLES names, where tests/reference/samples_test.cpp reads them:
SINTER_SAMPLES=/tmp python tests/data/make_reference.py samples
"""

import os

import torch
from torch.testing._internal.common_methods_invocations import op_db

from recorder import as_list, b, f32, f64, i32, i64, u8

ALL = "SINTER_SAMPLES" in os.environ
DTYPES = [f64, f32, i64, i32, u8, b] if ALL else [f64, f32, i64]
MOST = 60 if ALL else 5  # of each operation in f64; half as many of other dtypes
LARGE = 100  # elements of a sample that a few have room for

UNARY = """abs exp expm1 log log1p sqrt rsqrt reciprocal square sin cos tan atan tanh sinh cosh erf sigmoid
nn.functional.relu nn.functional.silu nn.functional.softsign nn.functional.logsigmoid floor isnan
trunc sign neg""".split()
BINARY = """add sub mul div pow atan2 hypot maximum minimum logaddexp eq lt where clamp
isclose""".split()
ELEMENTWISE = set(UNARY + BINARY) - {"logaddexp"}  # which are rounded once; logaddexp cancels near 0
REDUCED = "sum mean amax amin nansum prod all any".split()
PRODUCTS = "matmul bmm mm mv dot outer inner nn.functional.linear".split()
LOSSES = """nn.functional.mse_loss nn.functional.l1_loss nn.functional.smooth_l1_loss
nn.functional.binary_cross_entropy_with_logits""".split()


class Skipped(Exception):
    """A sample of an argument that this function has in another form, or not at all."""


def arguments(sample, names, defaults):
    """The arguments behind the first, by name, and nothing else."""
    given = dict(zip(names, sample.args)) | dict(sample.kwargs)
    if len(sample.args) > len(names) or not set(given) <= set(names):
        raise Skipped
    return [given.get(name, default) for name, default in zip(names, defaults)]


def tensors_only(sample):
    if sample.kwargs or not all(isinstance(x, torch.Tensor) for x in sample.args):
        raise Skipped
    return [sample.input, *sample.args], []


def options(*names, defaults=None, only=()):
    """Arguments that are no tensors. `only`: names, and the one value of each that is taken."""
    only = dict(only)
    def taken(sample):
        filler = defaults or [None] * len(names)
        found = arguments(sample, list(names) + list(only), list(filler) + list(only.values()))
        if any(isinstance(x, torch.Tensor) for x in found):
            raise Skipped
        for value, wanted in zip(found[len(names):], only.values()):
            if value != wanted:
                raise Skipped
        return [sample.input], [list(x) if isinstance(x, torch.Size) else x for x in found[:len(names)]]
    return taken


def reduced(sample):
    dim, keepdim = arguments(sample, ["dim", "keepdim"], [None, False])
    return [sample.input], [None if dim == () else dim, keepdim]


def spread(sample):
    dim, unbiased, keepdim, correction = arguments(
        sample, ["dim", "unbiased", "keepdim", "correction"], [None, True, False, None])
    if isinstance(dim, bool) or dim == ():
        raise Skipped
    return [sample.input], [dim, keepdim, correction if correction is not None else int(unbiased)]


def placed(*before):
    """Tensors behind options: gather(x, dim, index)."""
    def taken(sample):
        count = len(before)
        if sample.kwargs or not all(isinstance(x, torch.Tensor) for x in sample.args[count:]):
            raise Skipped
        if any(isinstance(x, torch.Tensor) for x in sample.args[:count]):
            raise Skipped
        return [sample.input, *sample.args[count:]], list(sample.args[:count])
    return taken


def added(sample):
    """index_add, whose alpha multiplies the source."""
    dim, index, source = sample.args
    return [sample.input, index, source], [dim, sample.kwargs.get("alpha", 1)]


def behind(*names):
    """Options behind one tensor more: take_along_dim(x, index, dim)."""
    def taken(sample):
        found = arguments(sample, ["other", *names], [None] * (1 + len(names)))
        if not isinstance(found[0], torch.Tensor) or any(isinstance(x, torch.Tensor) for x in found[1:]):
            raise Skipped
        return [sample.input, found[0]], found[1:]
    return taken


def mixed(*names, defaults=None):
    """Arguments that may be tensors: the option of one is "t", that of another is its value."""
    def taken(sample):
        found = arguments(sample, names, defaults or [None] * len(names))
        chosen = ["t" if isinstance(x, torch.Tensor) else x for x in found]
        return [sample.input] + [x for x in found if isinstance(x, torch.Tensor)], chosen
    def wrapped(function):
        def call(*x):
            tensors, chosen = iter(x[:-len(names)]), x[-len(names):]
            return function(next(tensors), *(next(tensors) if o == "t" else o for o in chosen))
        return call
    return taken, wrapped, 1


def searched(sample):
    given = dict(sample.kwargs)
    if given.pop("sorter", None) is not None or given.pop("out_int32", False):
        raise Skipped
    right = given.pop("right", False) or given.pop("side", "left") == "right"
    if given or not isinstance(sample.args[0], torch.Tensor):
        raise Skipped
    return [sample.input, sample.args[0]], [right]


def lossy(sample):
    if set(sample.kwargs) - {"reduction"} or len(sample.args) != 1:
        raise Skipped
    return [sample.input, sample.args[0]], [sample.kwargs.get("reduction", "mean")]


def equation(sample):
    return list(sample.input), [sample.args[0].replace(" ", "")]


def moved(sample):
    found = sample.args or tuple(sample.kwargs.values())
    if len(found) == 1 and isinstance(found[0], (tuple, list)):
        found = found[0]
    if not all(isinstance(x, int) for x in found):
        raise Skipped
    return [sample.input], [list(found)]


def first(function):
    return lambda *x: as_list(function(*x))[0]


# operation: how its samples are taken, what is computed of tensors and options, of how long sums
TABLE = {name: (tensors_only, None, 1) for name in UNARY + BINARY + PRODUCTS}
TABLE |= {name: (reduced, lambda f: lambda x, dim, keep: f(x, dim=dim, keepdim=keep) if dim is not None
                 else f(x) if not keep else None, 1) for name in REDUCED}
TABLE |= {name: (spread, lambda f: lambda x, dim, keep, correction:
                 f(x, dim, keepdim=keep, correction=correction), 1) for name in ("var", "std")}
TABLE |= {name: (lossy, lambda f: lambda x, y, reduction: f(x, y, reduction=reduction), 1)
          for name in LOSSES}
TABLE |= {
    "logsumexp": (options("dim", "keepdim", defaults=[None, False]), None, 1),
    "softmax": (options("dim"), None, 1), "log_softmax": (options("dim"), None, 1),
    "cumsum": (options("dim"), None, 1), "cumprod": (options("dim"), None, 1),
    "lerp": mixed("end", "weight"), "clamp": mixed("min", "max"),
    "masked_fill": mixed("mask", "value"),
    "isclose": mixed("other", "rtol", "atol", "equal_nan", defaults=[None, 1e-5, 1e-8, False]),
    "logit": (options("eps"), None, 1),
    "nn.functional.hardtanh": (options("min_val", "max_val", defaults=[-1.0, 1.0]), None, 1),
    "nn.functional.elu": (options("alpha", defaults=[1.0]), None, 1),
    "nn.functional.softplus": (options("beta", "threshold", defaults=[1.0, 20.0]), None, 1),
    "nn.functional.gelu": (options("approximate", defaults=["none"]),
                           lambda f: lambda x, kind: f(x, approximate=kind), 1),
    "einsum": (equation, lambda f: lambda *x: f(list(x[:-1]), x[-1]), 25),
    "sort": (options("dim", "descending", defaults=[-1, False], only={"stable": True}), first, 1),
    "topk": (options("k", "dim", "largest", defaults=[1, -1, True], only={"sorted": True}), first, 1),
    "kthvalue": (options("k", "dim", "keepdim", defaults=[1, -1, False]), first, 1),
    "searchsorted": (searched, lambda f: lambda x, y, right: f(x, y, right=right), 1),
    "bucketize": (searched, lambda f: lambda x, y, right: f(x, y, right=right), 1),
    "gather": (placed("dim"), lambda f: lambda x, i, dim: f(x, dim, i), 1),
    "scatter": (placed("dim"), lambda f: lambda x, i, y, dim: f(x, dim, i, y), 1),
    "scatter_add": (placed("dim"), lambda f: lambda x, i, y, dim: f(x, dim, i, y), 10),
    "index_select": (placed("dim"), lambda f: lambda x, i, dim: f(x, dim, i), 1),
    "index_add": (added, lambda f: lambda x, i, y, dim, alpha: f(x, dim, i, y, alpha=alpha), 10),
    "masked_scatter": (tensors_only, None, 1),
    "take_along_dim": (behind("dim"), None, 1),
    "flip": (moved, None, 1), "permute": (moved, None, 1), "repeat": (moved, None, 1),
    "tile": (moved, None, 1), "transpose": (moved, lambda f: lambda x, axes: f(x, *axes), 1),
    "roll": (options("shifts", "dims"), None, 1), "unsqueeze": (moved, lambda f: lambda x, at: f(x, *at), 1),
    "squeeze": (moved, lambda f: lambda x, at: f(x, *at), 1),
    "cross": (behind("dim"), lambda f: lambda x, y, dim: f(x, y, dim=-1 if dim is None else dim), 1),
}
FIXED = {"unsqueeze", "squeeze", "repeat", "tile", "cross", "topk", "kthvalue", "scatter", "scatter_add",
         "index_add", "gather", "take_along_dim", "masked_scatter"}


def slopes(call):
    """The gradients of the sum of squares."""
    def found(*inputs):
        outputs = [y for y in as_list(call(*inputs)) if y.requires_grad]
        if not outputs:
            raise NotImplementedError("no gradient")
        total = sum((y * y).sum() for y in outputs)
        leaves = [x for x in inputs if x.requires_grad]
        slopes = torch.autograd.grad(total, leaves, create_graph=True, allow_unused=True)
        return [torch.zeros_like(x) if g is None else g for x, g in zip(leaves, slopes)]
    return found


def as_listed(name, call, tensors):
    """`call`, with the dtype of its result where docs/coming_from_torch.md lists another than torch's."""
    dtype = tensors[0].dtype
    if name in ("any", "all"):
        return lambda *x: call(*x).to(b)
    if name == "square" or (name == "einsum" and len(tensors) > 1):
        return lambda *x: call(*x).to(dtype)
    if name == "sign" and dtype == b:
        raise Skipped  # refused
    if name == "gather" and tensors[1].numel() == 0 and tensors[1].dim() != tensors[0].dim():
        raise Skipped  # refused
    if name == "hypot" and any(((x.abs() > 1e300) & ~x.isinf()).any() for x in tensors):
        raise Skipped  # of other gradients
    return call


def record_sample(family, name, sample, dtype):
    taken, wrapped, length = TABLE[name]
    tensors, chosen = taken(sample)
    if not all(isinstance(x, torch.Tensor) and not x.is_complex() for x in tensors):
        raise Skipped
    if name in UNARY and not ALL:
        tensors = [x if x.numel() <= LARGE else x.reshape(-1)[:12] for x in tensors]
    torch_name = name.split(".")[-1]
    function = next(o for o in op_db if o.name == name).op
    applied = wrapped(function) if wrapped else function
    count = len(tensors)
    call = as_listed(name, lambda *x: applied(*x[:count], *chosen), tensors)
    how = {"length": length, "fixed": "all" if name in FIXED or any(1 in x.shape for x in tensors) else ()}
    how["accuracy"] = {f64: 1e-12, f32: 1e-6}.get(dtype, 0.0)  # sums that cancel
    if name == "logsumexp":
        how["accuracy"] *= 1e3  # torch's second gradients of numbers of 1e6: 1e-10 off for one of rank 0
    if dtype == f64:
        family.add("grad_" + torch_name, slopes(call), tensors, *chosen, **how)
    if name in ELEMENTWISE:
        how["accuracy"] = 0.0
    family.add(torch_name, call, tensors, *chosen, **how)


def size_of(sample):
    tensors = [x for x in (*as_list(sample.input), *sample.args) if isinstance(x, torch.Tensor)]
    return sum(x.numel() for x in tensors)


def varied(samples, most):
    """At most `most`: those of rank 0 and empty ones first, then some of all; small ones if few."""
    if ALL and len(samples) <= most:
        return samples
    odd = [s for s in samples if as_list(s.input)[0].numel() < 2][:most // 2]
    rest = [s for s in samples if as_list(s.input)[0].numel() >= 2 and (ALL or size_of(s) <= LARGE)]
    rest = rest or sorted(samples, key=size_of)[:1]
    step = max(1, len(rest) // max(1, most - len(odd)))
    return odd + rest[::step][:most - len(odd)]


def record(family):
    torch.manual_seed(0)
    for name in TABLE:
        operation = next(o for o in op_db if o.name == name)
        for dtype in DTYPES:
            if dtype not in operation.dtypes:
                continue
            samples = []
            for sample in operation.sample_inputs("cpu", dtype, requires_grad=False):
                try:
                    TABLE[name][0](sample)
                except (Skipped, IndexError, TypeError):
                    continue
                samples.append(sample)
            for sample in varied(samples, MOST if dtype == f64 else MOST // 2):
                try:
                    record_sample(family, name, sample, dtype)
                except (Skipped, TypeError, AttributeError):
                    continue
