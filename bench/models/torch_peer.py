"""The models of problems.hpp in torch, torchvision and transformers, ONNX Runtime and OpenVINO.

A case is "KIND MODEL train|infer BATCH". Kinds are eager, compile and best (max-autotune, frozen);
for inference also onnxruntime and openvino, which run what torch exports. What is not installed is
unknown. After a case is prepared, "result" tells what it gave first, "first" the seconds of its
first call, and "peak" the peak memory of the process while it was prepared.
"""

import ctypes
import gc
import importlib.util
import pathlib
import tempfile
import time

import numpy
import peer
import torch
from torch.nn import functional

SGD = ["alexnet", "resnet18", "resnet50", "resnext50"]
NO_DROPOUT = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
NO_DROPOUT_GPT2 = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
# As in problems.hpp: the edge of an image, tokens, words, classes.
SHAPES = {
    "bert": (0, 128, 30522, 2),
    "gpt2": (0, 128, 50257, 0),
    "captioner": (224, 20, 10000, 0),
}


class Logits(torch.nn.Module):
    """A model of transformers that gives its logits alone."""

    def __init__(self, model, **options):
        super().__init__()
        self.model, self.options = model, options

    def forward(self, ids):
        return self.model(input_ids=ids, **self.options).logits


class Captioner(torch.nn.Module):
    """As VisionEncoderDecoderModel, with torchvision's encoder, which gives all of its tokens."""

    def __init__(self):
        import transformers

        super().__init__()
        self.encoder = vit()
        del self.encoder.heads
        self.decoder = transformers.GPT2LMHeadModel(transformers.GPT2Config(
            vocab_size=10000, n_positions=64, n_embd=384, n_layer=6, n_head=6,
            add_cross_attention=True, bos_token_id=0, eos_token_id=0, **NO_DROPOUT_GPT2))

    def forward(self, images, ids):
        x = self.encoder._process_input(images)
        x = torch.cat([self.encoder.class_token.expand(len(x), -1, -1), x], 1)
        return self.decoder(input_ids=ids, encoder_hidden_states=self.encoder.encoder(x),
                            use_cache=False).logits


def vit():
    import torchvision

    return torchvision.models.VisionTransformer(
        image_size=224, patch_size=16, num_layers=12, num_heads=6, hidden_dim=384, mlp_dim=1536)


def bert():
    import transformers

    return Logits(transformers.BertForSequenceClassification(
        transformers.BertConfig(num_labels=2, **NO_DROPOUT)))


def gpt2():
    import transformers

    return Logits(transformers.GPT2LMHeadModel(transformers.GPT2Config(**NO_DROPOUT_GPT2)),
                  use_cache=False)


def convolutional(name):
    import torchvision

    if name == "alexnet":
        return torchvision.models.AlexNet(dropout=0.0)
    return getattr(torchvision.models, name + ("_32x4d" if name == "resnext50" else ""))()


def hashed(name, count):
    state = 1
    for letter in name.encode():
        state = (state * 31 + letter) & 0xFFFFFFFF
    place = numpy.arange(count, dtype=numpy.uint32)
    mixed = (place + numpy.uint32(state)) * numpy.uint32(2654435761)
    mixed = (mixed ^ (mixed >> 16)) * numpy.uint32(0x85EBCA6B)
    mixed = (mixed ^ (mixed >> 13)) * numpy.uint32(0xC2B2AE35)
    return ((mixed ^ (mixed >> 16)) >> 8).astype(numpy.float32) / 16777216 - numpy.float32(0.5)


def fill(model):
    with torch.no_grad():
        for name, tensor in model.named_parameters():
            name = name.removeprefix("model.")
            values = hashed(name, tensor.numel())
            is_gain = tensor.ndim == 1 and name.endswith("weight")
            values = 1 + numpy.float32(0.1) * values if is_gain else numpy.float32(0.08) * values
            tensor.copy_(torch.from_numpy(values).reshape(tensor.shape))


def spread(first, below, *shape):
    count = int(numpy.prod(shape))
    return ((torch.arange(count) + first) * 7919 % below).reshape(shape)


def make_model(name):
    own = {"vit": vit, "bert": bert, "gpt2": gpt2, "captioner": Captioner}
    model = own[name]() if name in own else convolutional(name)
    fill(model)
    return model


def make_batch(name, count):
    """The inputs of the model, and the labels."""
    image, length, words, classes = SHAPES.get(name, (224, 0, 0, 1000))
    inputs = []
    if image:
        pixels = 4 * hashed("images", count * 3 * image * image)
        inputs.append(torch.from_numpy(pixels.reshape(count, 3, image, image)))
    if length:
        inputs.append(spread(0, words, count, length))
    return inputs, spread(0, classes, count) if classes else spread(1, words, count, length)


def compiled(function, kind):
    import torch._inductor.config

    torch._dynamo.reset()  # so that code is generated for the current number of threads
    torch._inductor.config.freezing = kind == "best"
    if kind == "eager":
        return function
    return torch.compile(function, mode="max-autotune" if kind == "best" else None)


def training(kind, name, count):
    model = make_model(name).train()
    inputs, labels = make_batch(name, count)
    if name in SGD:
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-5, momentum=0.9, weight_decay=1e-4,
                                    fused=True)
    else:
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=True)

    def loss_of():
        return functional.cross_entropy(model(*inputs).flatten(0, -2), labels.flatten())

    loss_of = compiled(loss_of, kind)

    def step():
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        optimizer.step()
        return loss

    return step


def inference(kind, name, count):
    model = torch.no_grad()(compiled(make_model(name).eval(), kind))
    inputs, _ = make_batch(name, count)
    return lambda: model(*inputs)


def export(name, count, folder):
    inputs, _ = make_batch(name, count)
    path = pathlib.Path(folder) / "model.onnx"
    torch.onnx.export(make_model(name).eval(), tuple(inputs), path, dynamo=True, external_data=True)
    return path, [tensor.numpy() for tensor in inputs]


def onnxruntime_session(path, inputs):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    arguments = dict(zip([i.name for i in session.get_inputs()], inputs))
    return lambda: session.run(None, arguments)[0]


def openvino_request(path, inputs):
    import openvino

    request = openvino.Core().compile_model(path, "CPU", {
        "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32",
        "INFERENCE_NUM_THREADS": torch.get_num_threads()}).create_infer_request()
    return lambda: request.infer(inputs, share_inputs=True, share_outputs=True)[0]


def exported(kind, name, count):
    with tempfile.TemporaryDirectory() as folder:
        path, inputs = export(name, count, folder)
        return (onnxruntime_session if kind == "onnxruntime" else openvino_request)(path, inputs)


def is_installed(*modules):
    return all(importlib.util.find_spec(module) for module in modules)


def begin_peak():
    """The peak of the process starts at what it holds now; what is free goes back to the system."""
    torch._dynamo.reset()
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    pathlib.Path("/proc/self/clear_refs").write_text("5")


def peak_bytes():
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM"))


class Cases:
    """The cases of the table; told has what the latest of them has to tell."""

    def __init__(self):
        self.told = {}

    def __contains__(self, case):
        kind, name, work, _ = case.split(" ")
        needs = ["transformers"] if name in SHAPES else []
        needs += ["torchvision"] if name not in ("bert", "gpt2") else []
        if kind in ("onnxruntime", "openvino"):
            needs += [kind, "onnx", "onnxscript"]
        return is_installed(*needs) and (work == "infer" or kind in ("eager", "compile"))

    def __getitem__(self, case):
        kind, name, work, count = case.split(" ")
        make = training if work == "train" else inference
        if kind in ("onnxruntime", "openvino"):
            make = exported

        def prepare():
            begin_peak()
            body = make(kind, name, int(count))
            start = time.perf_counter()
            values = [body()]
            seconds = time.perf_counter() - start
            if work == "train":
                values = [values[0], body(), body()]
            numbers = numbers_of(values)
            self.told = {"result": lambda: numbers, "first": lambda: f"{seconds:.6g}",
                         "peak": lambda: str(peak_bytes())}
            return body

        return prepare


def numbers_of(values):
    """A few numbers of the results: of many, those at equal distances."""
    flat = numpy.concatenate([numpy.asarray(value.detach() if torch.is_tensor(value) else value)
                              .reshape(-1) for value in values])
    return " ".join(f"{value:.7g}" for value in flat[::max(1, len(flat) // 15)][:16])


class Told:
    """What the latest case of `cases` tells."""

    def __init__(self, cases):
        self.cases = cases

    def __contains__(self, name):
        return name in self.cases.told

    def __getitem__(self, name):
        return self.cases.told[name]


CASES = Cases()
peer.serve(CASES, torch.set_num_threads, Told(CASES))
