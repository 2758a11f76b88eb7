"""The models of main.cpp in torch, with the same weights."""

import numpy
import peer
import torch
from torch import nn
from torch.nn import functional

WIDTH, HEADS, DEPTH = 768, 12, 12


def layers(norm_first):
    return nn.ModuleList([
        nn.TransformerEncoderLayer(
            WIDTH, HEADS, 4 * WIDTH, dropout=0.0, activation="gelu", batch_first=True,
            norm_first=norm_first) for _ in range(DEPTH)
    ])


class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        self.word, self.position = nn.Embedding(30522, WIDTH), nn.Embedding(512, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = layers(False)
        self.pooler = nn.Linear(WIDTH, WIDTH)

    def forward(self, ids):
        h = self.norm(self.word(ids) + self.position(torch.arange(ids.shape[1])))
        for layer in self.layers:
            h = layer(h)
        return torch.tanh(self.pooler(h[:, 0]))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.word, self.position = nn.Embedding(50257, WIDTH), nn.Embedding(1024, WIDTH)
        self.layers = layers(True)
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, ids):
        h = self.word(ids) + self.position(torch.arange(ids.shape[1]))
        mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1])
        for layer in self.layers:
            h = layer(h, src_mask=mask, is_causal=True)
        return self.norm(h) @ self.word.weight.T


class Residual(nn.Module):
    def __init__(self, cin, out):
        super().__init__()
        stride = 1 if cin == out else 2
        self.conv1 = nn.Conv2d(cin, out, 3, stride=stride, padding=1, bias=False)
        self.conv2 = nn.Conv2d(out, out, 3, padding=1, bias=False)
        self.bn1, self.bn2 = nn.BatchNorm2d(out), nn.BatchNorm2d(out)
        self.shortcut = None
        if cin != out:
            self.shortcut = nn.Conv2d(cin, out, 1, stride=2, bias=False)
            self.shortcut_bn = nn.BatchNorm2d(out)

    def forward(self, x):
        h = self.bn2(self.conv2(functional.relu(self.bn1(self.conv1(x)))))
        return functional.relu(h + (x if self.shortcut is None else self.shortcut_bn(self.shortcut(x))))


class Resnet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        widths = [64, 64, 64, 128, 128, 256, 256, 512, 512]
        self.blocks = nn.ModuleList([Residual(a, b) for a, b in zip(widths, widths[1:])])
        self.last = nn.Linear(512, 1000)

    def forward(self, x):
        h = functional.max_pool2d(functional.relu(self.bn1(self.conv1(x))), 3, stride=2, padding=1)
        for block in self.blocks:
            h = block(h)
        return self.last(h.mean((2, 3)))


def fill(name, tensor):
    state = 1
    for letter in name.encode():
        state = (state * 31 + letter) & 0xFFFFFFFF
    place = numpy.arange(tensor.numel(), dtype=numpy.uint32)
    hashed = (place + numpy.uint32(state)) * numpy.uint32(2654435761)
    values = (hashed >> numpy.uint32(8)).astype(numpy.float32) / 16777216 - numpy.float32(0.5)
    is_gain = tensor.ndim == 1 and "weight" in name
    values = 1 + numpy.float32(0.1) * values if is_gain else numpy.float32(0.08) * values
    tensor.copy_(torch.from_numpy(values).reshape(tensor.shape))


def numbers(shape):
    count, state, values = int(numpy.prod(shape)), 2654435761, []
    for _ in range(count):
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
        values.append((state >> 8) / 8388608 - 1)
    return torch.tensor(values, dtype=torch.float32).reshape(shape)


def case(model, *shape):
    model = model().eval()
    with torch.no_grad():
        for name, value in model.named_parameters():
            fill(name, value)
    if len(shape) == 2:
        return model, torch.arange(shape[1])[None, :] * 7919 % 30000
    return model, numbers(shape)


def no_grad(model, argument):
    return torch.no_grad()(model), argument


class Results:
    """What the models give, in lines of a few numbers."""

    def __contains__(self, name):
        return name.split(" ")[0] in MODELS

    def __getitem__(self, name):
        model, size = name.split(" ")

        def tell():
            run, argument = no_grad(*case(MODELS[model], *map(int, size.split("x"))))
            return " ".join(f"{value:.6g}" for value in run(argument).flatten()[:16].tolist())

        return tell


MODELS = {"bert": Bert, "gpt2": Gpt, "resnet": Resnet}
peer.serve(
    peer.Functions({
        name: lambda *shape, model=model: no_grad(*case(model, *shape))
        for name, model in MODELS.items()
    }), torch.set_num_threads, Results())
