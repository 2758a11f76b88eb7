"""A row of the table in torch: torch_peer.py eager|blocks|padded|dynamic BATCHES.npz WIDTH.

The model, the batches and the step are those of model.hpp. The last line is that of run_row().
"""

import resource
import sys
import time

import numpy
import torch
from torch import nn
from torch.nn import functional

LONGEST, PIECES, HEADS, PATCH = 40, 28, 4, 12


def attention(query, key, value, causal):
    split = lambda x: x.unflatten(-1, (HEADS, -1)).transpose(1, 2)
    return functional.scaled_dot_product_attention(
        split(query), split(key), split(value), is_causal=causal).transpose(1, 2).flatten(2)


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x, causal):
        return self.out(attention(*self.qkv(x).chunk(3, -1), causal))


class CrossAttention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.q, self.kv = nn.Linear(width, width), nn.Linear(width, 2 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x, source):
        return self.out(attention(self.q(x), *self.kv(source).chunk(2, -1), False))


class Block(nn.Module):
    def __init__(self, width, cross):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width)
        self.cross = CrossAttention(width) if cross else None
        self.norm3 = nn.LayerNorm(width) if cross else None
        self.mlp1, self.mlp2 = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.approximate = "tanh" if cross else "none"

    def forward(self, x, source=None):
        x = x + self.attention(self.norm1(x), self.cross is not None)
        if self.cross is not None:
            x = x + self.cross(self.norm3(x), source)
        hidden = functional.gelu(self.mlp1(self.norm2(x)), approximate=self.approximate)
        return x + self.mlp2(hidden)


class Captioner(nn.Module):
    def __init__(self, width):
        super().__init__()
        patches = (96 // PATCH)**2
        self.patches = nn.Conv2d(1, width, PATCH, stride=PATCH)
        self.first = nn.Parameter(torch.zeros(1, 1, width))
        self.positions = nn.Parameter(torch.randn(1, 1 + patches, width) * 0.3)
        self.encoder = nn.ModuleList([Block(width, False) for _ in range(4)])
        self.norm = nn.LayerNorm(width)
        self.words, self.places = nn.Embedding(PIECES, width), nn.Embedding(LONGEST, width)
        self.decoder = nn.ModuleList([Block(width, True) for _ in range(2)])
        self.last = nn.LayerNorm(width)
        for table in (self.words, self.places):
            nn.init.normal_(table.weight, std=0.1)

    def forward(self, images, ids):
        pixels = (images.float() / 255 - 0.13) / 0.29
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        x = torch.cat([self.first.expand(len(x), 1, -1), x], 1) + self.positions
        for block in self.encoder:
            x = block(x)
        x = self.norm(x)
        y = self.words(ids) + self.places.weight[:ids.shape[1]]
        for block in self.decoder:
            y = block(y, x)
        return self.last(y) @ self.words.weight.T


def main():
    mode, path, width = sys.argv[1], sys.argv[2], int(sys.argv[3])
    torch.manual_seed(0)
    torch.set_num_threads(int(sys.argv[4]) if len(sys.argv) > 4 else torch.get_num_threads())
    arrays = numpy.load(path)
    batches = [(torch.from_numpy(arrays[f"images{i}"]), torch.from_numpy(arrays[f"tokens{i}"]))
               for i in range(len(arrays) // 2)]
    if mode == "padded":
        batches = [(i, functional.pad(t, (0, LONGEST - t.shape[1]))) for i, t in batches]
    model = Captioner(width)
    decay = [p for p in model.parameters() if p.ndim > 1]
    other = [p for p in model.parameters() if p.ndim <= 1]
    optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": 0.05},
                                   {"params": other, "weight_decay": 0.0}],
                                  lr=1e-3, betas=(0.9, 0.98), fused=True)

    def loss_of(images, tokens):
        logits = model(images, tokens[:, :-1])
        return functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(),
                                        ignore_index=0)

    if mode == "blocks":
        for block in [*model.encoder, *model.decoder]:
            block.compile(dynamic=True)
    elif mode != "eager":
        loss_of = torch.compile(loss_of, dynamic=mode == "dynamic")

    def step(images, tokens):
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(images, tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.item()

    times, processor = [], []
    for _ in range(4):
        for images, tokens in batches:
            start, processor_start = time.perf_counter(), time.process_time()
            step(images, tokens)
            times.append(time.perf_counter() - start)
            processor.append(time.process_time() - processor_start)
    median = lambda values: 1e3 * sorted(values[len(batches):])[(len(values) - len(batches)) // 2]
    from torch._dynamo.utils import counters
    graphs = counters["stats"]["unique_graphs"]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print("row %.6f %.6f %.6f %.6f %d %d 0 0 %.3f" %
          (times[0], sum(times[:len(batches)]), median(times), median(processor), graphs,
           max(0, graphs - 1), peak))


main()
