"""The functions of M̃ by name, for use inside programs: `fs.log(x)`, `fs.logsumexp(v)`, `fs.vectorDot(u, v)`.

Outside a program each compiles itself for its arguments and runs, so that it can be tried at a prompt:

>>> import fsmooth as fs
>>> fs.vectorDot([1.0, 2.0], [3.0, 4.0])
11.0
"""

from __future__ import annotations

import functools
from typing import Any


class Named:
    """A function of M̃: a name inside programs, a compiled function outside."""

    __module__ = "fsmooth.functions"

    def __init__(self, name: str) -> None:
        self.__name__ = name
        self.__qualname__ = name
        self.__doc__ = f"M̃'s {name} (fsmooth.library)."

    def __repr__(self) -> str:
        return f"<fsmooth.{self.__name__}>"

    def __call__(self, *arguments: Any) -> Any:
        return _compiled(self.__name__, len(arguments))(*arguments)


@functools.cache
def _compiled(name: str, count: int) -> Any:
    from fsmooth.api import Function  # noqa: PLC0415  (made when first called outside a program)
    from fsmooth.frontend.programs import LibraryProgram  # noqa: PLC0415

    return Function(LibraryProgram(name, count))


abs = Named("abs")
acos = Named("acos")
arange = Named("arange")
argmax = Named("argmax")
argmin = Named("argmin")
asin = Named("asin")
atan = Named("atan")
atan2 = Named("atan2")
ceil = Named("ceil")
clip = Named("clip")
cos = Named("cos")
cosh = Named("cosh")
cross = Named("cross")
cumsum = Named("cumsum")
diag = Named("diag")
digamma = Named("digamma")
dot = Named("dot")
erf = Named("erf")
exp = Named("exp")
expm1 = Named("expm1")
eye = Named("eye")
floor = Named("floor")
full = Named("full")
hypot = Named("hypot")
inner = Named("inner")
lgamma = Named("lgamma")
linspace = Named("linspace")
log = Named("log")
log1p = Named("log1p")
logaddexp = Named("logaddexp")
logsumexp = Named("logsumexp")
matmul = Named("matmul")
matrixAdd = Named("matrixAdd")
matrixCols = Named("matrixCols")
matrixEye = Named("matrixEye")
matrixHot = Named("matrixHot")
matrixMap = Named("matrixMap")
matrixMap2 = Named("matrixMap2")
matrixMul = Named("matrixMul")
matrixMult = Named("matrixMult")
matrixOnes = Named("matrixOnes")
matrixRows = Named("matrixRows")
matrixTrace = Named("matrixTrace")
matrixTranspose = Named("matrixTranspose")
matrixZeros = Named("matrixZeros")
matrixZip = Named("matrixZip")
maximum = Named("maximum")
mean = Named("mean")
minimum = Named("minimum")
norm = Named("norm")
ones = Named("ones")
outer = Named("outer")
prod = Named("prod")
relu = Named("relu")
sigmoid = Named("sigmoid")
sign = Named("sign")
sin = Named("sin")
sinh = Named("sinh")
softmax = Named("softmax")
softplus = Named("softplus")
sqrt = Named("sqrt")
square = Named("square")
tan = Named("tan")
tanh = Named("tanh")
trace = Named("trace")
transpose = Named("transpose")
vdot = Named("vdot")
vectorAdd = Named("vectorAdd")
vectorCross = Named("vectorCross")
vectorDot = Named("vectorDot")
vectorEMul = Named("vectorEMul")
vectorFill = Named("vectorFill")
vectorHot = Named("vectorHot")
vectorMap = Named("vectorMap")
vectorMap2 = Named("vectorMap2")
vectorNorm = Named("vectorNorm")
vectorOutProd = Named("vectorOutProd")
vectorRange = Named("vectorRange")
vectorSMul = Named("vectorSMul")
vectorSlice = Named("vectorSlice")
vectorSub = Named("vectorSub")
vectorSum = Named("vectorSum")
vectorToMatrix = Named("vectorToMatrix")
vectorZeros = Named("vectorZeros")
vectorZip = Named("vectorZip")
where = Named("where")
zeros = Named("zeros")

__all__ = [
    "abs",
    "acos",
    "arange",
    "argmax",
    "argmin",
    "asin",
    "atan",
    "atan2",
    "ceil",
    "clip",
    "cos",
    "cosh",
    "cross",
    "cumsum",
    "diag",
    "digamma",
    "dot",
    "erf",
    "exp",
    "expm1",
    "eye",
    "floor",
    "full",
    "hypot",
    "inner",
    "lgamma",
    "linspace",
    "log",
    "log1p",
    "logaddexp",
    "logsumexp",
    "matmul",
    "matrixAdd",
    "matrixCols",
    "matrixEye",
    "matrixHot",
    "matrixMap",
    "matrixMap2",
    "matrixMul",
    "matrixMult",
    "matrixOnes",
    "matrixRows",
    "matrixTrace",
    "matrixTranspose",
    "matrixZeros",
    "matrixZip",
    "maximum",
    "mean",
    "minimum",
    "norm",
    "ones",
    "outer",
    "prod",
    "relu",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "softmax",
    "softplus",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trace",
    "transpose",
    "vdot",
    "vectorAdd",
    "vectorCross",
    "vectorDot",
    "vectorEMul",
    "vectorFill",
    "vectorHot",
    "vectorMap",
    "vectorMap2",
    "vectorNorm",
    "vectorOutProd",
    "vectorRange",
    "vectorSMul",
    "vectorSlice",
    "vectorSub",
    "vectorSum",
    "vectorToMatrix",
    "vectorZeros",
    "vectorZip",
    "where",
    "zeros",
]
