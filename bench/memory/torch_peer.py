"""The peak of what torch's allocator holds during a call, beyond what it held before."""

import peer
import torch
from torch.nn import functional
from torch.profiler import ProfilerActivity, profile


class Mlp(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(functional.gelu(self.up(x)))


def block(width):
    return torch.nn.TransformerEncoderLayer(
        width, 8, 2048, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)


def forward(sizes, compiled):
    layer = block(sizes[-1])
    layer = torch.compile(layer) if compiled else layer
    x = torch.rand(sizes)

    @torch.no_grad()
    def call():
        return layer(x)

    return call


def step(module, sizes, compiled):
    optimizer = torch.optim.AdamW(module.parameters(), lr=1e-4, fused=True)
    module = torch.compile(module) if compiled else module
    x, target = torch.rand(sizes), torch.rand(sizes)

    def call():
        loss = functional.mse_loss(module(x), target)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss

    return call


CASES = {
    "mlp": lambda sizes, compiled: step(Mlp(sizes[-1]), sizes, compiled),
    "block": lambda sizes, compiled: step(block(sizes[-1]), sizes, compiled),
    "forward": forward,
}


def peak_bytes(call):
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as recorded:
        call()
    held = peak = 0
    events = [event for event in recorded.profiler.kineto_results.events()
              if event.name() == "[memory]"]
    for event in sorted(events, key=lambda event: event.start_ns()):
        held += event.nbytes()
        peak = max(peak, held)
    return peak


class Peaks:
    """The peaks of "eager mlp 1024x256", "compile ..."."""

    def __contains__(self, name):
        return name.split(" ")[1] in CASES

    def __getitem__(self, name):
        kind, case, size = name.split(" ")

        def tell():
            torch._dynamo.reset()
            call = CASES[case](list(map(int, size.split("x"))), kind == "compile")
            for _ in range(3):
                call()
            return str(peak_bytes(call))

        return tell


peer.serve({}, torch.set_num_threads, Peaks())
