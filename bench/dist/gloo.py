"""What main.cpp measures, with torch.distributed and gloo: gloo.py <rank> <ranks> <file>."""

import sys
import time

import torch
import torch.distributed as dist
from torch import nn

rank, size, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
dist.init_process_group("gloo", init_method="file://" + path, rank=rank, world_size=size)
torch.set_num_threads(max(1, torch.get_num_threads()))


def median(calls, body):
    times = []
    for i in range(calls + 2):
        dist.barrier()
        begin = time.perf_counter()
        body()
        if i >= 2:
            times.append(time.perf_counter() - begin)
    return sorted(times)[len(times) // 2]


def show(what, seconds):
    if rank == 0:
        print(f"torch   {what:<28} {seconds * 1e6:10.1f} us", flush=True)


for name, count in [("1 KB", 256), ("1 MB", 1 << 18), ("100 MB", 25 << 20)]:
    x = torch.ones(count)
    show(f"all_reduce of {name}", median(5 if count > 1 << 20 else 50, lambda: dist.all_reduce(x)))

torch.manual_seed(0)
block = nn.TransformerEncoderLayer(256, 4, 1024, 0.0, batch_first=True, norm_first=True)
x = torch.randn(8, 64, 256)


def timed(model):
    optimizer = torch.optim.SGD(model.parameters(), 1e-3)

    def step():
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()

    return median(10, step)


show("step of a block, alone", timed(block))
show("step of a block, shared", timed(nn.parallel.DistributedDataParallel(block)))
dist.destroy_process_group()
