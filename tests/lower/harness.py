"""Compile many programs in one go, call them through ctypes, and compare with the interpreter.

`FSMOOTH_CC` chooses the compiler here too: `FSMOOTH_CC="python -m ziglang cc" pytest tests/lower` is a test of clang.
"""

from __future__ import annotations

import ctypes
import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from fsmooth.backend.c.emit import emit
from fsmooth.backend.c.program import CProgram
from fsmooth.core.evaluate import ArrayValue, Value, evaluate
from fsmooth.core.term import App, Lam, Var
from fsmooth.core.types import Array, Bool, Float, Int, Tuple, Type, leaf_of, rank_of, unzipped
from fsmooth.core.values import value_of
from fsmooth.loops.tree import Program
from fsmooth.lower.functions import lower

COMPILER = shlex.split(os.environ.get("FSMOOTH_CC", "gcc"))
STRICT = ("-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-fno-math-errno")
FAST = (
    "-std=gnu99",
    "-O3",
    "-march=native",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fopenmp-simd",
    "-fPIC",
    "-shared",
)

_DTYPES = {Float(64): np.float64, Float(32): np.float32, Int(): np.int64, Bool(): np.bool_}
_C = {Float(64): ctypes.c_double, Float(32): ctypes.c_float, Int(): ctypes.c_int64, Bool(): ctypes.c_bool}


class Failed(Exception):
    """The program reported an error."""


class _Error(ctypes.Structure):
    _fields_ = (("site", ctypes.c_int32), ("reserved", ctypes.c_int32), ("numbers", ctypes.c_int64 * 2))


def compile_all(
    terms: Sequence[Lam], flags: Sequence[str] = STRICT, lowering: Callable[[Lam, str], Program] = lower
) -> list[Compiled]:
    """One shared object with all the programs."""
    programs = [emit(lowering(term, f"program_{k}")) for k, term in enumerate(terms)]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "programs.c")
        source.write_text("\n".join(["#define _GNU_SOURCE", *[p.source for p in programs]]))
        library = Path(folder, "programs.so")
        done = subprocess.run(
            [*COMPILER, *flags, "-o", str(library), str(source), "-lm"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[:4000]
        handle = ctypes.CDLL(str(library))
    return [Compiled(p, handle) for p in programs]


class Compiled:
    """A compiled program as a Python function from NumPy arrays to NumPy arrays."""

    def __init__(self, program: CProgram, handle: ctypes.CDLL) -> None:
        self.program, self.handle = program, handle
        self.kernel = handle[program.name]
        self.shape = handle[f"{program.name}_shape"] if _array_ranks(unzipped(program.result)) else None

    def __call__(self, *arguments: object) -> object:
        inputs: list[object] = []
        keep: list[object] = []
        for given, type_ in zip(arguments, self.program.parameters, strict=True):
            _flatten(given, unzipped(type_), inputs, keep)
        error = _Error()
        ranks = _array_ranks(unzipped(self.program.result))
        shape = (ctypes.c_int64 * (sum(ranks) + 1))()
        if self.shape is not None:
            self._check(self.shape(*inputs, shape, ctypes.byref(error)), error)
        outputs: list[np.ndarray] = []
        self._allocate(unzipped(self.program.result), iter(shape), outputs)
        pointers = [ctypes.c_void_p(o.ctypes.data) for o in outputs]
        self._check(self.kernel(*inputs, *pointers, ctypes.byref(error)), error)
        return _gather(unzipped(self.program.result), iter(outputs))

    def _check(self, status: int, error: _Error) -> None:
        if status:
            failure, _ = self.program.sites[error.site]
            raise Failed(failure, tuple(error.numbers))

    def _allocate(self, type_: Type, sizes: object, outputs: list[np.ndarray]) -> None:
        if isinstance(type_, Tuple):
            for item in type_.items:
                self._allocate(item, sizes, outputs)
            return
        shape = tuple([next(sizes) for _ in range(rank_of(type_))])
        leaf = _DTYPES[leaf_of(type_)]
        outputs.append(np.full(shape, 77, dtype=leaf))


def _array_ranks(type_: Type) -> list[int]:
    if isinstance(type_, Tuple):
        return [r for item in type_.items for r in _array_ranks(item)]
    return [rank_of(type_)] if isinstance(type_, Array) else []


def _flatten(given: object, type_: Type, inputs: list[object], keep: list[object]) -> None:
    if isinstance(type_, Tuple):
        for x, item in zip(given, type_.items, strict=True):
            _flatten(x, item, inputs, keep)
    elif isinstance(type_, Array):
        a = np.ascontiguousarray(given, dtype=_DTYPES[leaf_of(type_)])
        keep.append(a)
        inputs.append(ctypes.c_void_p(a.ctypes.data))
        inputs.extend([ctypes.c_int64(n) for n in a.shape])
    else:
        inputs.append(_C[type_](given))


def _gather(type_: Type, outputs: object) -> object:
    if isinstance(type_, Tuple):
        return tuple([_gather(item, outputs) for item in type_.items])
    return next(outputs)


def expected(term: Lam, *arguments: object) -> object:
    """What the interpreter says, as (tuples of) NumPy arrays."""
    variables = [Var(p.name, p.type) for p in term.parameters]
    values = {v: value_of(a, v.type) for v, a in zip(variables, arguments, strict=True)}
    return as_arrays(evaluate(App(term, tuple(variables)), values), term.body.type)


def as_arrays(value: Value, type_: Type) -> object:
    """A value of the interpreter as NumPy arrays, arrays of tuples as tuples of arrays."""
    if isinstance(type_, Tuple):
        assert isinstance(value, tuple)
        return tuple([as_arrays(x, t) for x, t in zip(value, type_.items, strict=True)])
    leaf = leaf_of(type_)
    if isinstance(leaf, Tuple):
        target = unzipped(type_)
        assert isinstance(target, Tuple)
        return tuple(
            [
                as_arrays(_component(value, k, rank_of(type_)), _lift(leaf.items[k], rank_of(type_)))
                for k in range(len(leaf.items))
            ]
        )
    if isinstance(type_, Array):
        assert isinstance(value, ArrayValue)
        return np.array(_nested(value), dtype=_DTYPES[leaf]).reshape(value.shape)
    return np.array(value, dtype=_DTYPES[leaf])


def _lift(type_: Type, rank: int) -> Type:
    for _ in range(rank):
        type_ = Array(type_)
    return type_


def _component(value: Value, k: int, rank: int) -> Value:
    if rank == 0:
        assert isinstance(value, tuple)
        return value[k]
    assert isinstance(value, ArrayValue)
    items = tuple([_component(x, k, rank - 1) for x in value.items])
    shape = value.shape[:rank]
    if items and isinstance(items[0], ArrayValue):
        shape = (value.shape[0], *items[0].shape)
    return ArrayValue(shape, items)


def _nested(value: Value) -> object:
    return [_nested(x) for x in value.items] if isinstance(value, ArrayValue) else value


def agree(left: object, right: object, tolerance: float = 1e-12) -> None:
    """Assert that two results are equal up to rounding."""
    if isinstance(right, tuple):
        assert isinstance(left, tuple)
        assert len(left) == len(right)
        for a, b in zip(left, right, strict=True):
            agree(a, b, tolerance)
        return
    np.testing.assert_allclose(left, right, rtol=tolerance, atol=tolerance)


def built(folder: Path, name: str, text: str, *flags: str) -> Path:
    """A shared object of C that a test has written."""
    source, library = folder / f"{name}.c", folder / f"{name}.so"
    source.write_text(text)
    subprocess.run([*COMPILER, *STRICT, *flags, "-o", str(library), str(source)], check=True)
    return library
