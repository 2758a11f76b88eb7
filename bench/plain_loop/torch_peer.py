"""torch on the steps of main.cpp: a plain loop whose model is compiled, with the fused AdamW."""

import peer
import torch
from torch.nn import functional


class Mlp(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = torch.nn.Linear(512, 2048), torch.nn.Linear(2048, 512)

    def forward(self, x):
        return x + self.down(functional.gelu(self.up(x)))


def digits():
    model = torch.nn.Sequential(
        torch.nn.Linear(64, 128), torch.nn.GELU(), torch.nn.Linear(128, 128), torch.nn.GELU(),
        torch.nn.Linear(128, 10))
    return model, functional.cross_entropy, torch.randn(64, 64), torch.randint(10, (64,))


def mlp():
    return Mlp(), functional.mse_loss, torch.randn(1024, 512), torch.randn(1024, 512)


def block():
    model = torch.nn.TransformerEncoderLayer(
        256, 8, 2048, dropout=0, activation="gelu", batch_first=True, norm_first=True)
    return model, functional.mse_loss, torch.randn(4, 128, 256), torch.randn(4, 128, 256)


def case(make, compiled):
    def prepare():
        torch._dynamo.reset()  # so that code is generated for the current number of threads
        model, loss_of, x, target = make()
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
        forward = torch.compile(model) if compiled else model

        def step():
            optimizer.zero_grad()
            loss = loss_of(forward(x), target)
            loss.backward()
            optimizer.step()
            loss.item()

        step()
        return step

    return prepare


MODELS = {"digits": digits, "mlp": mlp, "block": block}
peer.serve(
    {f"{kind} {name}": case(make, kind == "compile")
     for kind in ("eager", "compile") for name, make in MODELS.items()}, torch.set_num_threads)
