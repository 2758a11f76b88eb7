"""torch on the chains of main.cpp."""

import peer
import torch


def multiply_adds(x, y):
    value = x
    for _ in range(8):
        value = value * y + x
    return value


def two_products(x, y):
    return (x * y + x) * y


def case(function):
    return lambda count: (function, torch.rand(count), torch.rand(count))


peer.serve(
    peer.Functions({"multiply_adds": case(multiply_adds), "two_products": case(two_products)}),
    torch.set_num_threads)
