"""Functions of a library that works in the caller's memory, called from Python with as much memory as they say they need."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np

from fsmooth.core.types import unzipped
from fsmooth.runtime.arrays import allocate, finished, flatten
from fsmooth.runtime.compiler import find_compiler
from fsmooth.runtime.library import _passed
from fsmooth.runtime.memory import Memory

_EDGE = 256


class Error(ctypes.Structure):
    _fields_ = (("site", ctypes.c_int32), ("kind", ctypes.c_int32), ("numbers", ctypes.c_int64 * 2))


def loaded(source: Path, *flags: str) -> ctypes.CDLL:
    """A library, built."""
    target = source.with_suffix(".so")
    line = [
        *find_compiler().command,
        *flags,
        "-Wall",
        "-Wextra",
        "-Werror",
        "-shared",
        "-fPIC",
        "-o",
        str(target),
        str(source),
        "-lm",
    ]
    subprocess.run(line, check=True)
    return ctypes.CDLL(str(target))


def call(handle: ctypes.CDLL, name: str, f, example) -> tuple[int, object]:
    """The status and the result of one function, in exactly the memory that it asks for, around which nothing is written."""
    entry, values = f._entry(tuple(example), {})
    code = f.compiled(*example).code
    flat: list[object] = []
    for value, q in zip(entry.inputs(values), entry.interface.inputs, strict=True):
        flatten(value, unzipped(q.type), q.name, flat)
    inputs = [_passed(x) if isinstance(x, np.ndarray) else x for x in flat]
    inputs = [
        ctypes.c_void_p(x) if isinstance(y, np.ndarray) else _number(x) for x, y in zip(inputs, flat, strict=True)
    ]
    error, sizes = Error(), []
    if hasattr(handle, f"{name}_shape"):
        found = (ctypes.c_int64 * 64)()
        status = handle[f"{name}_shape"](*inputs, found, ctypes.byref(error))
        if status:
            return status, None
        sizes = list(found)
    structure, given = allocate(unzipped(code.result), sizes, None, "out", Memory.beside(flat))
    work = handle[f"{name}_work"]
    work.restype = ctypes.c_size_t
    needed = work(*_sizes_of(handle, name, flat, inputs))
    memory = np.full(needed + 2 * _EDGE, 165, np.uint8)
    start = ctypes.c_void_p(memory.ctypes.data + _EDGE)
    results = [ctypes.c_void_p(_passed(x)) for x in given]
    status = handle[name](*inputs, *results, start, ctypes.c_size_t(needed), ctypes.byref(error))
    assert (memory[:_EDGE] == 165).all()
    assert (memory[_EDGE + needed :] == 165).all()
    return status, None if status else finished(structure)


def _number(x: object) -> object:
    return (
        x
        if isinstance(x, ctypes._SimpleCData)
        else ctypes.c_bool(x)
        if isinstance(x, bool)
        else ctypes.c_int64(x)
        if isinstance(x, int)
        else ctypes.c_double(x)
    )


def _sizes_of(handle: ctypes.CDLL, name: str, flat: list[object], inputs: list[object]) -> list[object]:
    """The arguments of NAME_work: the parameters of these names."""
    header = Path(handle._name).with_suffix(".h").read_text()

    def parameters(of: str) -> list[str]:
        start = header.index(f" {of}(") + len(of) + 2
        return [x.split()[-1].lstrip("*") for x in header[start : header.index(");", start)].split(",")]

    names = parameters(name)
    wanted = parameters(f"{name}_work")
    return [] if wanted == ["void"] else [inputs[names.index(x)] for x in wanted]
