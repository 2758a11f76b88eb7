"""torch.distributed with gloo on the cases of main.cpp: the peer of a rank."""

import os
import time

import peer
import torch
import torch.distributed as dist
from torch import nn

rank, size = (int(os.environ["OMPI_COMM_WORLD_" + what]) for what in ("RANK", "SIZE"))
dist.init_process_group(
    "gloo", init_method="file://" + os.environ["SINTER_BENCH_MEETING"], rank=rank, world_size=size)


sample = 10e-3  # seconds


class Together:
    """As in main.cpp: all ranks time the same number of calls, which rank 0 chooses."""

    def __init__(self, body):
        self.body = body
        self.repeats = 1
        while self.seconds_of(self.repeats) < sample:
            self.repeats *= 2

    def seconds_of(self, repeats):
        dist.barrier()
        begin = time.perf_counter()
        for _ in range(repeats):
            self.body()
        spent = torch.tensor([time.perf_counter() - begin])
        dist.broadcast(spent, 0)
        return spent.item()

    def __call__(self):
        self.seconds_of(max(1, self.repeats // 2))
        return self.seconds_of(self.repeats) / self.repeats


def all_reduce(count):
    x = torch.ones(count)
    return lambda: dist.all_reduce(x)


def step(shape, is_compiled, shares):
    torch.manual_seed(0)
    torch._dynamo.reset()
    width = shape[-1]
    model = nn.TransformerEncoderLayer(width, 8, 4 * width, 0.0, batch_first=True, norm_first=True)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4, fused=True)
    if shares:
        model = nn.parallel.DistributedDataParallel(model)
    if is_compiled:
        model = torch.compile(model)
    x = torch.randn(shape)

    def run():
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    return run


class Cases:
    """ "all_reduce 256", "step eager shared 4x64x512", "step compile alone 4x64x512" """

    def __contains__(self, name):
        return name.split(" ")[0] in ("all_reduce", "step")

    def __getitem__(self, name):
        def prepare():
            what, *rest = name.split(" ")
            sizes = [int(each) for each in rest[-1].split("x")]
            if what == "all_reduce":
                return all_reduce(sizes[0])
            return step(sizes, rest[0] == "compile", rest[1] == "shared")

        return prepare


peer.serve(Cases(), torch.set_num_threads, sampler=Together)
