"""torch on the functions of main.cpp."""

import peer
import torch

NAMES = ["exp", "expm1", "log", "log1p", "sin", "cos", "tanh", "atan", "erf", "sqrt", "sigmoid"]
FUNCTIONS = {name: getattr(torch, name) for name in NAMES}
FUNCTIONS["pow"] = lambda x: torch.pow(x, x)


def case(function, dtype):
    return lambda count: (function, torch.rand(count, dtype=dtype) * 2 + 0.25)


peer.serve(
    peer.Functions({
        f"{name}_{suffix}": case(function, dtype)
        for name, function in FUNCTIONS.items()
        for suffix, dtype in (("f32", torch.float32), ("f64", torch.float64))
    }), torch.set_num_threads)
