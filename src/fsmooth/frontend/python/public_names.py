"""Which function of NumPy's or SciPy's an object is: the one that a public module has under its name.

The name by itself says nothing: `np.random.gamma` draws numbers, `scipy.signal.square` is a wave, the functions of
`numpy.polynomial.polynomial` take coefficients in another order, and those of `numpy.ma` know masks.
"""

from __future__ import annotations

import sys

import numpy as np

MODULES = {
    "numpy": "",
    "numpy.linalg": "linalg.",
    "scipy.special": "scipy.special.",
    "scipy.linalg": "scipy.linalg.",
    "scipy.integrate": "scipy.integrate.",
}
"""The modules whose functions programs can call, and what stands before their names in the tables of the library."""


def public_name(name: str, function: object) -> str | None:
    """The name of a function of NumPy's or SciPy's with its module before it, or None of what none of these modules has.

    Those of NumPy's main module have nothing before them, a method of a function of numbers is `add.reduce`, one of a
    distribution of SciPy's `stats.norm_logpdf`.
    """
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        return name if public_name(owner.__name__, owner) == owner.__name__ else None
    distribution = type(owner).__name__.removesuffix("_gen")
    if owner is not None and _is_in("scipy.stats", distribution, owner):
        return f"stats.{distribution}_{name}"
    for module, before in MODULES.items():
        if _is_in(module, name, function):
            return before + name
    return None


def _is_in(module: str, name: str, found: object) -> bool:
    """Is it what a module has under this name?  A module that nobody imported has nothing."""
    holder = sys.modules.get(module)
    return holder is not None and name in vars(holder) and vars(holder)[name] is found
