"""torch on the updates of main.cpp: a loop over parameters, its fused kernel, and torch.compile of
the list of them, which takes up to a minute and is made once, for all threads. Lion is a function
here: torch has none."""

import peer
import torch


def parameters(count, width):
    shapes = [(1 + i % 13,) if i % 5 == 0 else (3 + i % 7, width + i % 11) for i in range(count)]
    values = [torch.randn(shape, requires_grad=True) for shape in shapes]
    for value in values:
        value.grad = torch.randn_like(value)
    return values


def lion(values):
    momenta = [torch.zeros_like(value) for value in values]

    @torch.no_grad()
    def step():
        gradients = [value.grad for value in values]
        updates = torch._foreach_lerp(momenta, gradients, 0.1)
        torch._foreach_sign_(updates)
        torch._foreach_add_(values, updates, alpha=-1e-4)
        torch._foreach_lerp_(momenta, gradients, 0.01)

    return step


def adamw(values, **options):
    return torch.optim.AdamW(values, **options).step


def sgd(values, **options):
    return torch.optim.SGD(values, lr=1e-2, momentum=0.9, **options).step


class Updates:
    """The cases "eager adamw 200x5", "fused ..." and "compile ..."."""

    RULES = {"adamw": adamw, "sgd": sgd, "lion": lion}
    COMPILED_SIZE = "200x5"  # others would take another minute

    def __contains__(self, name):
        kind, rule, size = name.split(" ")
        if kind == "fused":
            return rule != "lion"
        if kind == "compile":
            return rule == "adamw" and size == self.COMPILED_SIZE and torch.get_num_threads() > 1
        return rule in self.RULES

    def __getitem__(self, name):
        kind, rule, size = name.split(" ")

        def prepare():
            torch._dynamo.reset()
            values = parameters(*map(int, size.split("x")))
            if rule == "lion":
                return lion(values)
            options = {"fused": True} if kind == "fused" else {"foreach": True}
            step = self.RULES[rule](values, **options)
            return torch.compile(step) if kind == "compile" else step

        return prepare


peer.serve(Updates(), torch.set_num_threads)
