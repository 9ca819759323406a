"""Kinds of numbers that the interpreter can compute with, a file each.

| arithmetic | a number is | says |
|---|---|---|
| `Floats` | IEEE 754 | what the program computes |
| `Complex` | x + ih | its derivative, by the complex step |
| `Dual` | a value and a tangent | its derivative, by the chain rule |
| `Bounds` | a value and a bound | how far from the truth rounding may take it, and how near another branch is |
| `Counting` | IEEE 754 | what it costs |

`Paired` is what `Dual` has in common with the numbers of `differentiate/backpropagators`.
"""

from fsmooth.core.arithmetic.bounds import Bounded, Bounds
from fsmooth.core.arithmetic.complex_step import COMPLEX, Complex
from fsmooth.core.arithmetic.counting import Counting
from fsmooth.core.arithmetic.dual import Dual, DualNumber
from fsmooth.core.arithmetic.floats import FLOATS, Floats, first_extremum
from fsmooth.core.arithmetic.paired import Paired, PairedNumber, Slopes
from fsmooth.core.arithmetic.protocol import Arithmetic
from fsmooth.core.ieee import single

__all__ = [
    "COMPLEX",
    "FLOATS",
    "Arithmetic",
    "Bounded",
    "Bounds",
    "Complex",
    "Counting",
    "Dual",
    "DualNumber",
    "Floats",
    "Paired",
    "PairedNumber",
    "Slopes",
    "first_extremum",
    "single",
]
