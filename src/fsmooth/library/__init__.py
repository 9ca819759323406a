"""M̃, the linear-algebra library, written in F̃ itself (paper 000, Fig. 4 and Table 1).

Every function of Fig. 4 is here under its paper name (`vector.ft`, `matrix.ft`), and under NumPy's names what
users know (`numpy.ft`, `scalar.ft`, chosen by rank in `dispatch.py`, mapped over arrays in `elementwise.py`).
It is loaded, with the reader of F̃ text, when a program first uses it.

>>> from fsmooth.library import expand, names
>>> from fsmooth.core.term import Var
>>> from fsmooth.core.types import Array, F64
>>> v = Var("v", Array(F64))
>>> expand("vectorDot", (v, v)).type
Float
>>> "matrixTranspose" in names()
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsmooth.library import algebra

if TYPE_CHECKING:
    from fsmooth.library.axes import AXIS_NAMES
    from fsmooth.library.elementwise import is_elementwise
    from fsmooth.library.expand import expand, names, parse
    from fsmooth.library.inlining import WrongArguments

__all__ = ["AXIS_NAMES", "WrongArguments", "expand", "is_elementwise", "names", "parse"]


def __getattr__(name: str) -> object:
    return getattr(algebra, name)
