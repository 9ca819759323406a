"""F̃ as text (paper 000, Fig. 3): `parse` gives the typed core term of a program.

>>> from fsmooth.core.types import Array, F64
>>> parse("let n = length v in build n (fun i -> 2 * v[i])", {"v": Array(F64)}).type
Array<Float>
"""

from fsmooth.frontend.text.mistakes import TextError
from fsmooth.frontend.text.parse import parse

__all__ = ["TextError", "parse"]
