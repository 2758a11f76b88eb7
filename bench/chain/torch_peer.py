"""torch on the chains of main.cpp."""

import peer
import torch

COUNT = 16 << 20


def multiply_adds(x, y):
    value = x
    for _ in range(8):
        value = value * y + x
    return value


def two_products(x, y):
    return (x * y + x) * y


def case(function, compiled):
    def prepare():
        torch._dynamo.reset()  # so that code is made for the present number of threads
        x, y = torch.full((COUNT,), 0.5), torch.full((COUNT,), 0.25)
        run = torch.compile(function) if compiled else function
        return lambda: run(x, y)

    return prepare


cases = {}
for name, function in {"8 multiply-adds": multiply_adds, "(x*y+x)*y": two_products}.items():
    cases[f"eager {name}"] = case(function, False)
    cases[f"compile {name}"] = case(function, True)

peer.serve(cases, torch.set_num_threads)
