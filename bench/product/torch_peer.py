"""torch on the products of main.cpp: a case is made for whatever shape is asked for."""

import peer
import torch


def product_of(kind):
    def make(*sizes):
        *batch, rows, columns, depth = sizes
        left = (depth, rows) if kind == "tn" else (rows, depth)
        right = (columns, depth) if kind == "nt" else (depth, columns)
        dtype = {"bf16": torch.bfloat16, "f16": torch.float16}.get(kind, torch.float32)
        x, w = (torch.randn(*batch, *shape).to(dtype) for shape in (left, right))
        if kind == "nt":
            return lambda: x @ w.transpose(-1, -2)
        if kind == "tn":
            return lambda: x.transpose(-1, -2) @ w
        if kind == "gelu":
            bias = torch.randn(columns)
            return lambda: torch.nn.functional.gelu(x @ w + bias)
        return lambda: x @ w

    return lambda *sizes: (make(*sizes),)


functions = {kind: product_of(kind) for kind in ("nn", "nt", "tn", "gelu", "bf16", "f16")}
peer.serve(peer.Functions(functions), torch.set_num_threads)
