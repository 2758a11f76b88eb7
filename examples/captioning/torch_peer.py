"""A row of the table in torch: torch_peer.py MODE BATCHES.npz WIDTH [THREADS].

MODE is eager, blocks, padded or dynamic. The step is that of model.hpp, on its batches and from its
parameters, which the file has. Each pass is reported on standard error as it ends. The last lines
are those of run_row(): the losses of the first steps, and the figures.
"""

import resource
import sys
import time

import numpy
import torch
from torch import nn
from torch.nn import functional

LONGEST, PIECES, HEADS, PATCH = 40, 28, 4, 12
ENOUGH_SECONDS = 30  # of later steps


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
        eps = 1e-5 if cross else 1e-6
        self.norm1, self.norm2 = nn.LayerNorm(width, eps), nn.LayerNorm(width, eps)
        self.attention = Attention(width)
        self.cross = CrossAttention(width) if cross else None
        self.norm3 = nn.LayerNorm(width, eps) if cross else None
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
        self.positions = nn.Parameter(torch.zeros(1, 1 + patches, width))
        self.encoder = nn.ModuleList([Block(width, False) for _ in range(4)])
        self.norm = nn.LayerNorm(width, 1e-6)
        self.words, self.places = nn.Embedding(PIECES, width), nn.Embedding(LONGEST, width)
        self.decoder = nn.ModuleList([Block(width, True) for _ in range(2)])
        self.last = nn.LayerNorm(width)

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


# Our names of the parts of a block, in the encoder and in the decoder.
ENCODER = {"norm1": "ln_1", "norm2": "ln_2", "attention.out": "self_attention.out_proj",
           "mlp1": "mlp.0", "mlp2": "mlp.3"}
DECODER = {"norm1": "ln_1", "norm2": "ln_2", "norm3": "ln_cross_attn",
           "attention.qkv": "attn.c_attn", "attention.out": "attn.c_proj",
           "cross.q": "crossattention.q_attn", "cross.kv": "crossattention.c_attn",
           "cross.out": "crossattention.c_proj", "mlp1": "mlp.c_fc", "mlp2": "mlp.c_proj"}
OTHERS = {"patches": "encoder.conv_proj", "norm": "encoder.encoder.ln",
          "words": "decoder.transformer.wte", "places": "decoder.transformer.wpe",
          "last": "decoder.transformer.ln_f"}


def our_name(name):
    """That of a parameter in the file."""
    if name == "first":
        return "encoder.class_token"
    if name == "positions":
        return "encoder.encoder.pos_embedding"
    part, kind = name.rsplit(".", 1)
    if part in OTHERS:
        return f"{OTHERS[part]}.{kind}"
    side, number, part = part.split(".", 2)
    if side == "decoder":
        return f"decoder.transformer.h.{number}.{DECODER[part]}.{kind}"
    layer = f"encoder.encoder.layers.encoder_layer_{number}"
    if part == "attention.qkv":
        return f"{layer}.self_attention.in_proj_{kind}"
    return f"{layer}.{ENCODER[part]}.{kind}"


def load(model, arrays):
    for name, parameter in model.named_parameters():
        value = torch.from_numpy(arrays["model." + our_name(name)])
        in_decoder = name.startswith("decoder.") and value.ndim == 2  # (in, out) there
        with torch.no_grad():
            parameter.copy_(value.T if in_decoder else value)


def is_decayed(name):
    name = our_name(name)
    return not name.endswith(".bias") and "ln" not in name


def report(*words):
    print("torch_peer:", *words, file=sys.stderr, flush=True)


def main():
    mode, path, width = sys.argv[1], sys.argv[2], int(sys.argv[3])
    torch.set_num_threads(int(sys.argv[4]) if len(sys.argv) > 4 else torch.get_num_threads())
    arrays = numpy.load(path)
    count = sum(name.startswith("images") for name in arrays)
    batches = [(torch.from_numpy(arrays[f"images{i}"]), torch.from_numpy(arrays[f"tokens{i}"]))
               for i in range(count)]
    if mode == "padded":
        batches = [(i, functional.pad(t, (0, LONGEST - t.shape[1]))) for i, t in batches]
    model = Captioner(width)
    load(model, arrays)
    decay = [p for name, p in model.named_parameters() if is_decayed(name)]
    other = [p for name, p in model.named_parameters() if not is_decayed(name)]
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

    times, processor, losses = [], [], []
    began = time.perf_counter()
    for turn in range(4):
        for images, tokens in batches:
            start, processor_start = time.perf_counter(), time.process_time()
            losses.append(step(images, tokens))
            times.append(time.perf_counter() - start)
            processor.append(time.process_time() - processor_start)
            if len(times) == 1:
                report(f"{mode}: first step after {times[0]:.1f} s")
        report(f"{mode}: pass {turn + 1} of at most 4 after {time.perf_counter() - began:.1f} s")
        if turn > 0 and sum(times[len(batches):]) > ENOUGH_SECONDS:
            break
    median = lambda values: 1e3 * sorted(values[len(batches):])[(len(values) - len(batches)) // 2]
    from torch._dynamo.utils import counters
    graphs = counters["stats"]["unique_graphs"]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print("losses %.6f %.6f" % (losses[0], losses[1]))
    print("row %.6f %.6f %.6f %.6f %d %d 0 0 %.3f" %
          (times[0], sum(times[:len(batches)]), median(times), median(processor), graphs,
           max(0, graphs - 1), peak))


main()
