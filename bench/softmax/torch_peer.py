"""torch on the row functions of main.cpp."""

import peer
import torch
from torch.nn import functional


def softmax(x):
    return torch.softmax(x, -1)


def residual_norm(x, residual, weight, bias):
    return functional.layer_norm(x + residual, weight.shape, weight, bias)


peer.serve(
    peer.Functions({
        "softmax": lambda m, n: (softmax, torch.rand(m, n)),
        "residual_norm": lambda m, n: (
            residual_norm, torch.rand(m, n), torch.rand(m, n), torch.rand(n), torch.rand(n)),
    }), torch.set_num_threads)
