#!/usr/bin/env python3
"""Writes training/*.npz: what torch trains, and the losses that it finds.

Each file has the state that a model starts with (state.NAME), the batch (x and target), the losses
of 20 steps, and the state after them (after.NAME). tests/nn/training_test.cpp and
tests/optim/training_test.cpp compare. Needs numpy and torch (made with 2.15).
"""

import pathlib

import numpy
import torch
from torch import nn

STEPS = 20
FOLDER = pathlib.Path(__file__).parent / "training"


class Lion(torch.optim.Optimizer):
    """As in the paper, which torch does not have: https://arxiv.org/abs/2302.06675"""

    def __init__(self, parameters, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(parameters, {"lr": lr, "betas": betas, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for parameter in group["params"]:
                state = self.state[parameter]
                mean = state.setdefault("mean", torch.zeros_like(parameter))
                direction = torch.sign(beta1 * mean + (1 - beta1) * parameter.grad)
                parameter.mul_(1 - group["lr"] * group["weight_decay"])
                parameter.sub_(group["lr"] * direction)
                mean.mul_(beta2).add_(parameter.grad, alpha=1 - beta2)


class Recurrent(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.recurrent = layer
        width = layer.hidden_size * (2 if layer.bidirectional else 1)
        self.head = nn.Linear(width, 4)

    def forward(self, x):
        return self.head(self.recurrent(x)[0].mean(0))


class Encoder(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(8, 2, dim_feedforward=12, dropout=0, **options)
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        return self.head(self.layer(x).mean(0))


class Decoder(nn.Module):
    """Continues the second half of x, with the first half as the memory."""

    def __init__(self, **options):
        super().__init__()
        layer = nn.TransformerDecoderLayer(8, 2, dim_feedforward=12, dropout=0, **options)
        self.decoder = nn.TransformerDecoder(layer, 2, nn.LayerNorm(8))
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        padding = torch.arange(3).expand(x.shape[1], 3) == 2
        later = torch.arange(2) > torch.arange(2)[:, None]
        found = self.decoder(x[3:], x[:3], tgt_mask=later, memory_key_padding_mask=padding)
        return self.head(found.mean(0))


class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.transformer = nn.Transformer(8, 2, 2, 2, 12, dropout=0, activation="gelu",
                                          batch_first=True, norm_first=True)
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        padding = torch.arange(3).expand(x.shape[0], 3) == 2
        later = nn.Transformer.generate_square_subsequent_mask(2)
        found = self.transformer(x[:, :3], x[:, 3:], tgt_mask=later, src_key_padding_mask=padding,
                                 memory_key_padding_mask=padding)
        return self.head(found.mean(1))


class Attention(nn.Module):
    """Cross attention, masked both ways."""

    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 4, batch_first=True)
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        padding = torch.arange(4).expand(x.shape[0], 4) == 3
        later = torch.arange(4) > torch.arange(5)[:, None]
        memory = x[:, 1:]
        found, _ = self.attention(x, memory, memory, key_padding_mask=padding, attn_mask=later)
        return self.head(found.mean(1))


class Embedded(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(7, 8, padding_idx=0)
        self.norm = nn.LayerNorm(8)
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        return self.head(self.norm(self.embedding(x)).mean(1))


class Convolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(2, 4, 3, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.conv2 = nn.Conv2d(4, 4, 3, stride=2, bias=False)
        self.head = nn.Linear(4, 4)

    def forward(self, x):
        h = torch.relu(self.norm(self.conv1(x)))
        h = nn.functional.max_pool2d(h, 2)
        return self.head(torch.relu(self.conv2(h)).mean((2, 3)))


def write(name, model, optimizer, x, clip=None, schedule=None):
    length_first = isinstance(model, (Recurrent, Encoder, Decoder))
    target = torch.arange(x.shape[1 if length_first else 0]) % 4
    arrays = {"x": x.numpy(), "target": target.numpy()}
    for key, value in model.state_dict().items():
        arrays["state." + key] = value.numpy().copy()
    optimizer = optimizer(model.parameters())
    schedule = schedule and schedule(optimizer)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), target)
        loss.backward()
        if clip:
            clip(model.parameters())
        optimizer.step()
        if schedule:
            schedule.step()
        losses.append(loss.item())
    arrays["losses"] = numpy.array(losses)
    for key, value in model.state_dict().items():
        arrays["after." + key] = value.numpy()
    numpy.savez(FOLDER / (name + ".npz"), **arrays)
    print(f"{name:24} {losses[0]:.6f} -> {losses[-1]:.6f}")


def groups(parameters, rate):
    """Biases without weight decay, and the second layer with a learning rate of its own."""
    weight, bias, head_weight, head_bias = parameters
    return [{"params": [weight]}, {"params": [bias], "weight_decay": 0},
            {"params": [head_weight], "lr": rate},
            {"params": [head_bias], "lr": rate, "weight_decay": 0}]


def optimizers():
    """The same model and data with each optimizer, and each of its options."""
    optim = torch.optim
    clip_norm = lambda parameters: nn.utils.clip_grad_norm_(parameters, 0.1)
    clip_value = lambda parameters: nn.utils.clip_grad_value_(parameters, 0.01)
    cosine = lambda optimizer: optim.lr_scheduler.CosineAnnealingLR(optimizer, 15)
    runs = {
        "sgd": (lambda p: optim.SGD(p, lr=0.5),),
        "sgd_momentum": (lambda p: optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.01),),
        "sgd_dampening": (lambda p: optim.SGD(p, lr=0.2, momentum=0.9, dampening=0.3),),
        "sgd_nesterov": (lambda p: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),),
        "sgd_maximize": (lambda p: optim.SGD(p, lr=0.05, maximize=True, weight_decay=0.1),),
        "sgd_clip_norm": (lambda p: optim.SGD(p, lr=0.5), clip_norm),
        "sgd_clip_value": (lambda p: optim.SGD(p, lr=0.5), clip_value),
        "sgd_cosine": (lambda p: optim.SGD(p, lr=0.5), None, cosine),
        "adam": (lambda p: optim.Adam(p, lr=0.02),),
        "adam_decay": (lambda p: optim.Adam(p, lr=0.02, betas=(0.8, 0.95), weight_decay=0.1),),
        "adam_amsgrad": (lambda p: optim.Adam(p, lr=0.05, betas=(0.9, 0.5), amsgrad=True),),
        "adamw": (lambda p: optim.AdamW(p, lr=0.02, weight_decay=0.1),),
        "rmsprop": (lambda p: optim.RMSprop(p, lr=0.01, alpha=0.9),),
        "rmsprop_centered": (lambda p: optim.RMSprop(p, lr=0.01, alpha=0.9, momentum=0.5,
                                                     centered=True, weight_decay=0.01),),
        "adagrad": (lambda p: optim.Adagrad(p, lr=0.1),),
        "adagrad_decay": (lambda p: optim.Adagrad(p, lr=0.1, lr_decay=0.1, weight_decay=0.01,
                                                  initial_accumulator_value=0.1),),
        "lion": (lambda p: Lion(p, lr=0.01, weight_decay=0.1),),
        "sgd_groups": (lambda p: optim.SGD(groups(p, 0.4), lr=0.1, momentum=0.9, weight_decay=0.1),),
        "adam_groups": (lambda p: optim.Adam(groups(p, 0.05), lr=0.01, weight_decay=0.1),),
        "adamw_groups": (lambda p: optim.AdamW(groups(p, 0.05), lr=0.01, weight_decay=0.1),),
        "rmsprop_groups": (lambda p: optim.RMSprop(groups(p, 0.03), lr=0.01, alpha=0.9,
                                                   weight_decay=0.1),),
        "adagrad_groups": (lambda p: optim.Adagrad(groups(p, 0.2), lr=0.1, lr_decay=0.1,
                                                   weight_decay=0.1),),
        "lion_groups": (lambda p: Lion(groups(p, 0.02), lr=0.01, weight_decay=0.1),),
    }
    for name, options in runs.items():
        torch.manual_seed(7)
        model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 4))
        write(name, model, options[0], torch.randn(12, 6), *options[1:])


def models():
    """Models of one layer each. By SGD: Adam goes where rounding leads if a gradient is 0."""
    def run(name, make, *shape, integers=None):
        torch.manual_seed(7)
        model = make()
        x = torch.randint(0, integers, shape) if integers else torch.randn(*shape)
        write(name, model, lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9), x)

    run("lstm", lambda: Recurrent(nn.LSTM(3, 5)), 6, 8, 3)
    both = {"num_layers": 2, "bidirectional": True}
    run("lstm_two_ways", lambda: Recurrent(nn.LSTM(3, 4, **both)), 5, 8, 3)
    run("gru", lambda: Recurrent(nn.GRU(3, 5)), 6, 8, 3)
    run("gru_two_layers", lambda: Recurrent(nn.GRU(3, 4, num_layers=2, bias=False)), 5, 8, 3)
    run("rnn", lambda: Recurrent(nn.RNN(3, 5, nonlinearity="relu")), 6, 8, 3)
    run("attention", Attention, 8, 5, 8)
    run("encoder", Encoder, 5, 8, 8)
    run("encoder_norm_first", lambda: Encoder(norm_first=True, activation="gelu"), 5, 8, 8)
    run("decoder", Decoder, 5, 8, 8)
    run("decoder_norm_first", lambda: Decoder(norm_first=True, activation="gelu"), 5, 8, 8)
    run("transformer", Translator, 8, 5, 8)
    run("embedding", Embedded, 8, 5, integers=7)
    run("convolution", Convolution, 8, 2, 8, 8)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    optimizers()
    models()
