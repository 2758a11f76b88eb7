"""torch on the row functions of main.cpp."""

import peer
import torch
from torch.nn import functional

SHAPE = (4096, 1024)


def softmax(x, residual, weight, bias):
    return torch.softmax(x, -1)


def layer_norm(x, residual, weight, bias):
    return functional.layer_norm(x + residual, (SHAPE[1],), weight, bias)


def case(function, compiled):
    def prepare():
        torch._dynamo.reset()  # so that code is made for the present number of threads
        arguments = torch.rand(SHAPE), torch.rand(SHAPE), torch.rand(SHAPE[1]), torch.rand(SHAPE[1])
        run = torch.compile(function) if compiled else function
        return lambda: run(*arguments)

    return prepare


cases = {}
for name, function in {"softmax": softmax, "residual, layer_norm": layer_norm}.items():
    cases[f"eager {name}"] = case(function, False)
    cases[f"compile {name}"] = case(function, True)

peer.serve(cases, torch.set_num_threads)
