"""torch on the convolutions and pools of main.cpp."""

import peer
import torch
from torch.nn import functional


def random(*shape, grad=False):
    return (torch.rand(shape) * 2 - 1).requires_grad_(grad)


def convolution(n, c, h, w, out, window, stride, padding, dilation, groups):
    x, weight = random(n, c, h, w), random(out, c // groups, window, window)
    return x, weight, dict(stride=stride, padding=padding, dilation=dilation, groups=groups)


def forward(*sizes):
    x, weight, options = convolution(*sizes)
    return lambda a, b: functional.conv2d(a, b, **options), x, weight


def backward(*sizes, mask):
    x, weight, options = convolution(*sizes)
    g = torch.rand_like(functional.conv2d(x, weight, **options))
    pair = [(options[name],) * 2 for name in ("stride", "padding", "dilation")]

    def run(g, a, b):
        return torch.ops.aten.convolution_backward(
            g, a, b, None, *pair, False, (0, 0), options["groups"], mask)

    return run, g, x, weight


def pool(function):
    def case(n, c, h, w, _, window, stride, padding, *rest):
        return lambda a: function(a, window, stride, padding), random(n, c, h, w)

    return case


def training(function):
    def case(n, c, h, w, _, window, stride, padding, *rest):
        x = random(n, c, h, w, grad=True)
        g = torch.rand_like(function(x, window, stride, padding))

        def run(a, g):
            y = function(a, window, stride, padding)
            return y, torch.autograd.grad(y, a, g)

        return run, x, g

    return case


peer.serve(
    peer.Functions({
        "forward": forward,
        "input_gradient": lambda *sizes: backward(*sizes, mask=(True, False, False)),
        "weight_gradient": lambda *sizes: backward(*sizes, mask=(False, True, False)),
        "max_pool": pool(functional.max_pool2d),
        "max_pool_training": training(functional.max_pool2d),
        "avg_pool": pool(functional.avg_pool2d),
        "avg_pool_training": training(functional.avg_pool2d),
    }), torch.set_num_threads)
