#!/usr/bin/env python3
"""Writes models/*: weights that torchvision and Hugging Face save, and what they compute with them.

NAME.safetensors has the weights, as the library saves them. NAME.expected.safetensors has the
inputs (in.NAME), the output, `dout`, and the gradients of sum(output * dout) with respect to the
weights (grad.NAME), computed in f64. AlexNet and ResNet are too large to store: both sides fill
them with the same numbers, fill() below, and that file has the norm of each gradient, its product
with such numbers, and the norm of its error in torch's f32. tests/models compares.

Needs numpy, torch, torchvision, transformers, safetensors (made with torch 2.15, torchvision 0.29,
transformers 5.24). Nothing is downloaded.
"""

import copy
import pathlib

import numpy
import torch
import torchvision
import transformers
from safetensors.numpy import save_file as save_numpy
from safetensors.torch import save_file

FOLDER = pathlib.Path(__file__).parent / "models"


def hashed(count, seed):
    """Numbers in [-0.5, 0.5), the same as tests/models/reference.hpp makes."""
    x = numpy.arange(count, dtype=numpy.uint32) * numpy.uint32(2654435761)
    x += numpy.uint32(seed * 40503 % 2**32)
    x ^= x >> 16
    x *= numpy.uint32(0x85EBCA6B)
    x ^= x >> 13
    x *= numpy.uint32(0xC2B2AE35)
    x ^= x >> 16
    return x / 2.0**32 - 0.5


def like(tensor, seed):
    return torch.from_numpy(hashed(tensor.numel(), seed).reshape(tuple(tensor.shape)))


def dout_of(output):
    return like(output, 1)


def randomise(model):
    """Weights that are not as small as initial ones, so that every path counts."""
    with torch.no_grad():
        for seed, parameter in enumerate(model.parameters()):
            scale = 2 * (3 / parameter.shape[-1]) ** 0.5 if parameter.dim() > 1 else 0.4
            offset = 0 if parameter.dim() > 1 or bool((parameter == 0).all()) else 1
            parameter.copy_(offset + scale * like(parameter, seed + 10))


def record(name, model, inputs, run, mask=None):
    randomise(model)
    save_file({key: value.contiguous() for key, value in unshared(model).items()},
              FOLDER / f"{name}.safetensors", {"format": "pt"})
    model.double().eval()
    output = run(model, **inputs)
    dout = dout_of(output)
    if mask is not None:
        dout = dout * mask
        output = output * mask
    grads = torch.autograd.grad(output, list(model.parameters()), dout)
    arrays = {f"in.{key}": value.numpy().astype(numpy.float32 if value.is_floating_point() else numpy.int64)
              for key, value in inputs.items()}
    arrays["output"] = output.detach().numpy().astype(numpy.float32)
    arrays["dout"] = dout.numpy().astype(numpy.float32)
    for (key, _), grad in zip(model.named_parameters(), grads):
        arrays[f"grad.{key}"] = grad.numpy().astype(numpy.float32)
    arrays = {key: numpy.ascontiguousarray(array) for key, array in arrays.items()}
    save_numpy(arrays, FOLDER / f"{name}.expected.safetensors")


def unshared(model):
    """The state without what is tied to another entry, as save_pretrained() leaves it out."""
    state, seen = {}, set()
    for key, value in model.state_dict().items():
        if value.data_ptr() not in seen:
            state[key] = value
        seen.add(value.data_ptr())
    return state


def padding(lengths, length, left=False):
    mask = torch.tensor([[int(i < n) for i in range(length)] for n in lengths])
    return mask.flip(1) if left else mask


def ids(count, *shape):
    return ((like(torch.empty(shape), 5) + 0.5) * count).long()


def bert():
    model = transformers.BertModel(transformers.BertConfig(
        vocab_size=32, hidden_size=16, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=24, max_position_embeddings=12))
    mask = padding([7, 4], 7)
    inputs = {"input_ids": ids(32, 2, 7), "attention_mask": mask,
              "token_type_ids": (torch.arange(7) > 2).long().expand(2, 7)}

    def run(model, **inputs):
        result = model(**inputs)
        hidden = result.last_hidden_state * mask[..., None]
        return torch.cat([hidden, result.pooler_output[:, None]], 1)
    record("bert", model, inputs, run)


def gpt2():
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(
        vocab_size=32, n_positions=12, n_embd=16, n_layer=2, n_head=4, n_inner=32,
        scale_attn_by_inverse_layer_idx=True, bos_token_id=0, eos_token_id=0))
    mask = padding([7, 4], 7, left=True)
    inputs = {"input_ids": ids(32, 2, 7), "attention_mask": mask,
              "position_ids": (mask.cumsum(1) - 1).clamp(min=0)}
    record("gpt2", model, inputs, lambda model, **inputs: model(**inputs).logits, mask[..., None])


def llama():
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(
        vocab_size=32, hidden_size=16, intermediate_size=24, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, head_dim=8, max_position_embeddings=64,
        attention_bias=True,
        rope_parameters={"rope_type": "llama3", "rope_theta": 500.0, "factor": 8.0,
                         "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                         "original_max_position_embeddings": 32}))
    record("llama", model, {"input_ids": ids(32, 2, 9)},
           lambda model, **inputs: model(**inputs).logits)


def vision_transformer(layers, width):
    return torchvision.models.VisionTransformer(
        image_size=8, patch_size=4, num_layers=layers, num_heads=4, hidden_dim=width, mlp_dim=20,
        num_classes=5)


def vit():
    record("vit", vision_transformer(2, 16), {"images": like(torch.empty(2, 3, 8, 8), 3)},
           lambda model, images: model(images))


class Captioner(torch.nn.Module):
    """As VisionEncoderDecoderModel, with torchvision's encoder, which gives all of its tokens."""

    def __init__(self):
        super().__init__()
        self.encoder = vision_transformer(1, 12)
        del self.encoder.heads
        self.decoder = transformers.GPT2LMHeadModel(transformers.GPT2Config(
            vocab_size=24, n_positions=8, n_embd=8, n_layer=1, n_head=2, add_cross_attention=True,
            bos_token_id=0, eos_token_id=0))
        self.enc_to_dec_proj = torch.nn.Linear(12, 8)

    def forward(self, images, input_ids):
        encoder = self.encoder
        x = encoder._process_input(images)
        x = torch.cat([encoder.class_token.expand(len(x), -1, -1), x], 1)
        hidden = self.enc_to_dec_proj(encoder.encoder(x))
        return self.decoder(input_ids=input_ids, encoder_hidden_states=hidden).logits


def captioner():
    record("captioner", Captioner(),
           {"images": like(torch.empty(2, 3, 8, 8), 3), "input_ids": ids(24, 2, 6)},
           lambda model, **inputs: model(**inputs))


def fill(model):
    with torch.no_grad():
        for seed, parameter in enumerate(model.parameters()):
            numbers = like(parameter, seed + 10)
            if parameter.dim() > 1:
                parameter.copy_(numbers * 2 * (6 / parameter[0].numel()) ** 0.5)
            else:
                parameter.copy_(0.5 + 0.2 * numbers)


def record_filled(name, model):
    fill(model)
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0
    images = like(torch.empty(4, 3, 64, 64), 5)

    def gradients(dtype):
        of = copy.deepcopy(model).to(dtype).train()
        output = of(images.to(dtype))
        grads = torch.autograd.grad(output, list(of.parameters()), dout_of(output).to(dtype))
        return output.detach().double(), [grad.double() for grad in grads]
    output, grads = gradients(torch.float64)
    narrow_output, narrow = gradients(torch.float32)
    names = "\n".join(key for key, _ in model.named_parameters())
    save_numpy({"names": numpy.frombuffer(names.encode(), numpy.uint8), "output": output.numpy(),
                "output_error": numpy.array([float((output - narrow_output).norm())]),
                "norms": numpy.array([float(grad.norm()) for grad in grads]),
                "errors": numpy.array([float((a - b).norm()) for a, b in zip(grads, narrow)]),
                "products": numpy.array([float((grad * like(grad, 2)).sum()) for grad in grads])},
               FOLDER / f"{name}.expected.safetensors")


def alexnet():
    record_filled("alexnet", torchvision.models.AlexNet(num_classes=10))


def resnet():
    block = torchvision.models.resnet.BasicBlock
    record_filled("resnet", torchvision.models.ResNet(block, [2, 1, 1, 1], num_classes=10))


def resnext():
    block = torchvision.models.resnet.Bottleneck
    record_filled("resnext", torchvision.models.ResNet(
        block, [2, 1, 1, 1], num_classes=10, groups=32, width_per_group=4))


def main():
    FOLDER.mkdir(exist_ok=True)
    numpy.seterr(over="ignore")
    for model in [bert, gpt2, llama, vit, captioner, alexnet, resnet, resnext]:
        torch.manual_seed(20260)
        model()


if __name__ == "__main__":
    main()
