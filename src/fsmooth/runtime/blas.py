"""SciPy's BLAS as C functions, for programs with `blas="scipy"`: those that `scipy.linalg.cython_blas` has for Cython."""

from __future__ import annotations

import ctypes
import functools
import re
from typing import Any

import numpy as np

from fsmooth.errors import ArgumentError

_NAMES = ("dgemm", "dgemv", "sgemm", "sgemv")
_OF_MATRICES = "char *, char *, int *, int *, int *, {T} *, {T} *, int *, {T} *, int *, {T} *, {T} *, int *"
_OF_VECTORS = "char *, int *, int *, {T} *, {T} *, int *, {T} *, int *, {T} *, {T} *, int *"
_SIDE = 96
"""So large are the matrices that are tried: BLAS may compute small ones by other means."""


@functools.lru_cache(maxsize=1)
def scipy_blas() -> ctypes.Array[ctypes.c_void_p]:
    """Pointers to dgemm, dgemv, sgemm and sgemv as Fortran has them, with integers of 32 bits, as `NAME_blas` takes them.

    Raises:
        ArgumentError: without SciPy, or if its BLAS is none that programs can call.

    """
    try:
        from scipy.linalg import cython_blas  # noqa: PLC0415  (an extra)
    except ImportError as error:
        raise ArgumentError(
            f'blas="scipy" wants SciPy, which cannot be imported ({error})\n'
            "  hint: pip install scipy, or leave blas out: products have kernels of their own"
        ) from error
    found = [_pointer(cython_blas.__pyx_capi__, name) for name in _NAMES]
    refuse_other_numbers(found[0], found[1], np.float64)
    refuse_other_numbers(found[2], found[3], np.float32)
    return (ctypes.c_void_p * len(found))(*found)


def _pointer(capsules: dict[str, object], name: str) -> int:
    """The address of a function, which is described by the name of its capsule."""
    name_of, pointer_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    capsule = capsules.get(name)
    signature = b"" if capsule is None else name_of(capsule)
    wanted = (_OF_MATRICES if name.endswith("gemm") else _OF_VECTORS).replace("{T}", f"T_{name[0]}")
    if re.sub(r"\b\w+_([sd]) \*", r"T_\1 *", signature.decode()) != f"void ({wanted})":
        raise ArgumentError(
            f'blas="scipy": {name} of this SciPy is {signature.decode() or "not there"}, where integers of 32 bits are wanted\n'
            "  hint: leave blas out: products have kernels of their own"
        )
    address = pointer_of(capsule, signature)
    assert address is not None
    return int(address)


def refuse_other_numbers(gemm: int, gemv: int, dtype: type[np.floating]) -> None:
    """Raise for a BLAS that takes 0 · ∞ for 0, or reads the memory of a result before it writes it."""
    a = np.ones((_SIDE, _SIDE), dtype)
    a[3, 5], a[7, 9] = np.inf, np.nan
    b = np.zeros((_SIDE, _SIDE), dtype)
    b[:, :9] = 1.0
    product, vectors = np.full_like(a, np.nan), np.zeros((2, _SIDE), dtype)
    n, step, one, zero = ctypes.c_int(_SIDE), ctypes.c_int(1), *[_number(x, dtype) for x in (1.0, 0.0)]
    size, by_one = ctypes.byref(n), ctypes.byref(step)
    multiply = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 13)(gemm)
    multiply(b"N", b"N", size, size, size, one, *_matrix(b, size), *_matrix(a, size), zero, *_matrix(product, size))
    multiply = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 11)(gemv)
    x = b[0].copy()
    for order, y in zip((b"T", b"N"), vectors, strict=True):
        multiply(order, size, size, one, *_matrix(a, size), x.ctypes.data, by_one, one, y.ctypes.data, by_one)
    with np.errstate(invalid="ignore"):
        wanted = (a[:, :, None] * b).sum(axis=1), np.array([(a * x).sum(axis=1), (a.T * x).sum(axis=1)])
    if not all([np.array_equal(*pair, equal_nan=True) for pair in zip((product, vectors), wanted, strict=True)]):
        raise ArgumentError(
            f'blas="scipy": the BLAS of this SciPy takes 0 · ∞ for 0, or does not multiply {np.dtype(dtype)}\n'
            "  hint: leave blas out: products have kernels of their own"
        )


def _number(value: float, dtype: type[np.floating]) -> Any:
    return ctypes.byref((ctypes.c_double if dtype is np.float64 else ctypes.c_float)(value))


def _matrix(a: np.ndarray, size: Any) -> tuple[Any, Any]:
    return a.ctypes.data, size
