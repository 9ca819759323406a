"""Complex numbers, which programs do not have (docs/decisions/0019): where one is met, and what is said there."""

from __future__ import annotations

import ast

import numpy as np

from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.instead import INSTEAD_OF_COMPLEX

_MODULES = ("cmath", "numpy.fft", "numpy.lib.scimath", "scipy.fft", "scipy.fftpack")
"""Modules whose functions give complex numbers."""

_ALSO = ("numpy.roots", "numpy.linalg.eig", "numpy.linalg.eigvals")
"""Functions that give them without being asked."""


def is_complex(value: object) -> bool:
    """Is it a complex number, or an array of these?"""
    if isinstance(value, np.ndarray):
        return bool(value.dtype.kind == "c")
    return isinstance(value, complex | np.complexfloating)


def is_complex_dtype(given: object) -> bool:
    """Does it name complex numbers as elements of arrays?"""
    try:
        return np.dtype(given).kind == "c"  # type: ignore[call-overload, no-any-return]
    except TypeError:
        return False


def refuse_complex_function(frame: Frame, function: object, node: ast.Call) -> None:
    """An error for a function that gives complex numbers."""
    module = getattr(function, "__module__", None) or ""
    if module.startswith(_MODULES) or f"{module}.{getattr(function, '__name__', '')}" in _ALSO:
        hint = f"its result is complex: {INSTEAD_OF_COMPLEX}, or compute it outside"
        frame.unsupported(node, frame.source.segment(node.func), hint)
