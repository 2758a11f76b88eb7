"""torch on the problems of problems.hpp, on its GPU: "<clock> <mode> <problem> <sizes>"."""

import peer
import sample
import torch
from torch.nn import functional

torch.set_default_device("cuda")
torch.set_float32_matmul_precision("highest")


class TorchSample(sample.Sample):
    def wait(self, result):
        torch.cuda.synchronize()

    def seconds(self, repeats, clock):
        torch.cuda.synchronize()
        if clock != "events":
            return super().seconds(repeats, clock)
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(repeats):
            self.body()
        stop.record()
        torch.cuda.synchronize()
        return start.elapsed_time(stop) * 1e-3


def called(function, *arguments):
    """A case that is one function of tensors, without gradients."""

    def make(compiled):
        run = compiled(function)

        @torch.no_grad()
        def body():
            run(*arguments)

        return body

    return make


def pointwise(n):
    return called(lambda x, y: functional.gelu(x * y + 1) * x, torch.randn(n), torch.randn(n))


def softmax(m, n):
    return called(lambda x: torch.softmax(x, -1), torch.randn(m, n))


def norm(x, w, b):
    return functional.layer_norm(x, w.shape, w, b)


def layer_norm(m, n):
    return called(norm, torch.randn(m, n), torch.randn(n), torch.randn(n))


def layer_norm_gradients(m, n):
    def make(compiled):
        run = compiled(norm)
        x, w, b = (torch.randn(*shape, requires_grad=True) for shape in ((m, n), (n,), (n,)))
        g = torch.randn(m, n)
        return lambda: torch.autograd.grad(run(x, w, b), (x, w, b), g)

    return make


def adamw(count, m, n):
    def make(compiled):
        values = [torch.randn(m, n, requires_grad=True) for _ in range(count)]
        for value in values:
            value.grad = torch.randn_like(value)
        is_eager = compiled(None) is None
        rule = torch.optim.AdamW(values, fused=True) if is_eager else torch.optim.AdamW(values)
        return rule.step if is_eager else compiled(rule.step)

    return make


def product(m, n, k):
    x, w = (torch.randn(m, k, dtype=torch.bfloat16) for _ in range(2))
    b = torch.randn(n, dtype=torch.bfloat16)
    return called(lambda x, w, b: functional.gelu(functional.linear(x, w, b), approximate="tanh"),
                  x, w, b)


def attention(*sizes, causal=False):
    q, k, v = (torch.randn(sizes, dtype=torch.bfloat16) for _ in range(3))
    return called(
        lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, is_causal=causal), q, k, v)


def layers(depth):
    linear = lambda: torch.nn.Linear(10, 10)
    blocks = [torch.nn.Sequential(linear(), torch.nn.ReLU(), torch.nn.Sigmoid(), linear(),
                                  torch.nn.ReLU()) for _ in range(depth)]
    return called(torch.nn.Sequential(linear(), *blocks), torch.randn(10, 10))


def digits(steps):
    def make(compiled):
        network = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.GELU(),
                                      torch.nn.Linear(128, 128), torch.nn.GELU(),
                                      torch.nn.Linear(128, 10))
        rule = torch.optim.AdamW(network.parameters(), fused=True)
        x, y = torch.randn(64, 64), torch.randint(0, 10, (64,))
        loss_of = compiled(lambda x, y: functional.cross_entropy(network(x), y))

        def body():
            for _ in range(steps):
                rule.zero_grad()
                loss_of(x, y).backward()
                rule.step()

        return body

    return make


class Cases:
    TABLE = {
        "pointwise": pointwise,
        "softmax": softmax,
        "layer_norm": layer_norm,
        "layer_norm_gradients": layer_norm_gradients,
        "adamw": adamw,
        "product": product,
        "attention": attention,
        "attention_causal": lambda *sizes: attention(*sizes, causal=True),
        "layers": layers,
        "digits": digits,
    }

    def __contains__(self, name):
        return torch.cuda.is_available() and name.split(" ")[2] in self.TABLE

    def __getitem__(self, name):
        def prepare():
            torch._dynamo.reset()
            clock, mode, problem, sizes = name.split(" ")
            options = {} if mode == "compile" else {"mode": mode}

            def compiled(function):
                if mode == "eager":
                    return function
                return torch.compile(function, **options) if function is not None else True

            return sample.Body(self.TABLE[problem](*map(int, sizes.split("x")))(compiled), clock)

        return prepare


peer.serve(Cases(), torch.set_num_threads, sampler=TorchSample)
