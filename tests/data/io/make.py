#!/usr/bin/env python3
"""Writes the files of this folder; needs numpy and safetensors (made with 2.4.6 and 0.8.0).

Every array has the elements -2, -1, 0, ... unless it says otherwise, so that tests know them.
"""

import io
import pathlib
import zipfile

import numpy as np
import safetensors
import safetensors.numpy

folder = pathlib.Path(__file__).parent


def counting(dtype, shape=(2, 3)):
    first = 0 if np.dtype(dtype).kind in "bu" else -2
    return np.arange(first, first + np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


dtypes = {"boolean": "?", "u8": "u1", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8",
          "f16": "f2", "f32": "f4", "f64": "f8"}


def bfloat16(array):
    """The upper halves of f32."""
    return (array.astype("<f4").view("<u4") >> 16).astype("<u2")


def safetensors_files():
    entries = {name: (array.dtype.name, array.shape, array)
               for name, array in ((name, counting(dtype)) for name, dtype in dtypes.items())}
    entries["bf16"] = ("bfloat16", (2, 3), bfloat16(counting("f4")))
    entries["rank 0"] = ("float32", (), np.float32([7]))
    entries["empty"] = ("int64", (3, 0), np.zeros((3, 0), "i8"))
    entries['"quoted"\n\u00e4\U0001f600'] = ("uint8", (1,), np.uint8([5]))
    specs = {name: safetensors.TensorSpec(dtype=dtype, shape=list(shape), data_len=array.nbytes,
                                           data_ptr=array.ctypes.data)
             for name, (dtype, shape, array) in entries.items()}
    (folder / "dtypes.safetensors").write_bytes(
        bytes(safetensors.serialize(specs, {"step": "17", "note": "a \"b\"\t\u00e4"})))
    # One dtype, so that the order of the tensors is that of their names.
    (folder / "plain.safetensors").write_bytes(safetensors.numpy.save(
        {"a.weight": counting("f4"), "b.bias": counting("f4", (4,))}, {"kind": "plain"}))


def npy_files():
    np.save(folder / "f32.npy", counting("<f4"))
    np.save(folder / "big_endian.npy", counting(">i4"))
    np.save(folder / "fortran.npy", np.asfortranarray(counting("<f8", (2, 3, 4))))
    np.save(folder / "boolean.npy", counting("?"))
    np.save(folder / "rank0.npy", np.float64(2.5))
    np.save(folder / "empty.npy", counting("<i8", (3, 0)))
    np.save(folder / "complex.npy", counting("<c8"))
    np.save(folder / "structure.npy", np.zeros(2, dtype=[("a", "<f4"), ("b", "<i4")]))
    for version in ((2, 0), (3, 0)):
        with open(folder / f"version{version[0]}.npy", "wb") as file:
            np.lib.format.write_array(file, counting("<i2"), version=version)


def npz_files():
    arrays = {"f32": counting("<f4"), "i64": counting("<i8", (4,)), "a.b": counting("?")}
    np.savez(folder / "stored.npz", **arrays)
    np.savez_compressed(folder / "compressed.npz", **arrays)
    file = io.BytesIO()
    np.save(file, counting("<f4"))
    with zipfile.ZipFile(folder / "commented.npz", "w") as archive:
        archive.comment = b"PK\5\6 is in this comment"
        archive.writestr("f32.npy", file.getvalue())


safetensors_files()
npy_files()
npz_files()
