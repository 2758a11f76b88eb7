"""torch on the epoch of main.cpp; times are of an epoch."""

import pathlib

import numpy
import peer
import torch
from torch.nn import functional

DATA = pathlib.Path(__file__).parents[2] / "examples/data/digits.csv"


def read_batches():
    table = numpy.loadtxt(DATA, delimiter=",", dtype=numpy.float32)
    table = table[numpy.arange(len(table)) % 5 != 0]
    images = torch.from_numpy(table[:, :64] / 16)
    digits = torch.from_numpy(table[:, 64].astype(numpy.int64))
    return list(zip(images.split(64), digits.split(64)))


def case(compiled):
    def prepare():
        torch._dynamo.reset()  # so that code is generated for the current number of threads
        batches = read_batches()
        network = torch.nn.Sequential(
            torch.nn.Linear(64, 128), torch.nn.GELU(), torch.nn.Linear(128, 128), torch.nn.GELU(),
            torch.nn.Linear(128, 10))
        optimizer = torch.optim.AdamW(network.parameters(), lr=5e-3, fused=not compiled)

        def loss_of(images, digits):
            return functional.cross_entropy(network(images), digits)

        update = optimizer.step
        if compiled:
            loss_of = torch.compile(loss_of, dynamic=True)
            update = torch.compile(optimizer.step)

        def epoch():
            for images, digits in batches:
                optimizer.zero_grad()
                loss = loss_of(images, digits)
                loss.backward()
                update()
                loss.item()

        epoch()
        return epoch

    return prepare


peer.serve({"eager": case(False), "compile": case(True)}, torch.set_num_threads)
