"""torch on the chains of main.cpp."""

import peer
import torch

COUNTS = {"16Ki": 16 << 10, "256Ki": 256 << 10, "4Mi": 4 << 20, "16Mi": 16 << 20, "64Mi": 64 << 20}


def multiply_adds(x, y):
    value = x
    for _ in range(8):
        value = value * y + x
    return value


def two_products(x, y):
    return (x * y + x) * y


def case(function, count, compiled):
    def prepare():
        torch._dynamo.reset()  # so that code is made for the present number of threads
        x, y = torch.full((count,), 0.5), torch.full((count,), 0.25)
        run = torch.compile(function) if compiled else function
        return lambda: run(x, y)

    return prepare


cases = {}
for name, function in {"8 multiply-adds": multiply_adds, "(x*y+x)*y": two_products}.items():
    for size, count in COUNTS.items():
        cases[f"eager {name} {size}"] = case(function, count, False)
        cases[f"compile {name} {size}"] = case(function, count, True)

peer.serve(cases, torch.set_num_threads)
