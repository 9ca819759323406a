"""The functions of M̃ by name, for use inside programs: `fs.log(x)`, `fs.logsumexp(v)`, `fs.vectorDot(u, v)`.

Outside a program each compiles itself for its arguments and runs, so that it can be tried at a prompt:

>>> import fsmooth as fs
>>> fs.vectorDot([1.0, 2.0], [3.0, 4.0])
11.0
"""

from __future__ import annotations

import functools
from typing import Any


class Named:  # a function of M̃: a name inside programs, a compiled function outside
    __module__ = "fsmooth.functions"

    def __init__(self, name: str) -> None:
        self.__name__ = name
        self.__qualname__ = name

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        """What it is, in F̃ where it is written in it."""
        from fsmooth.library.description import description  # noqa: PLC0415  (only for those who ask)

        return description(self.__name__)

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
all = Named("all")
any = Named("any")
arange = Named("arange")
argmax = Named("argmax")
argmin = Named("argmin")
asin = Named("asin")
atan = Named("atan")
atan2 = Named("atan2")
cbrt = Named("cbrt")
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
erfc = Named("erfc")
exp = Named("exp")
exp2 = Named("exp2")
expm1 = Named("expm1")
eye = Named("eye")
flip = Named("flip")
floor = Named("floor")
full = Named("full")
hypot = Named("hypot")
inner = Named("inner")
isfinite = Named("isfinite")
isinf = Named("isinf")
isnan = Named("isnan")
lgamma = Named("lgamma")
linspace = Named("linspace")
log = Named("log")
log10 = Named("log10")
log1p = Named("log1p")
log2 = Named("log2")
log_sigmoid = Named("log_sigmoid")
log_softmax = Named("log_softmax")
logaddexp = Named("logaddexp")
logsumexp = Named("logsumexp")
matmul = Named("matmul")
matrixAdd = Named("matrixAdd")
matrixCols = Named("matrixCols")
matrixEMul = Named("matrixEMul")
matrixEye = Named("matrixEye")
matrixFill = Named("matrixFill")
matrixHot = Named("matrixHot")
matrixMap = Named("matrixMap")
matrixMap2 = Named("matrixMap2")
matrixMul = Named("matrixMul")
matrixMulTransposed = Named("matrixMulTransposed")
matrixMult = Named("matrixMult")
matrixOnes = Named("matrixOnes")
matrixRows = Named("matrixRows")
matrixSMul = Named("matrixSMul")
matrixSub = Named("matrixSub")
matrixSum = Named("matrixSum")
matrixTrace = Named("matrixTrace")
matrixTranspose = Named("matrixTranspose")
matrixVectorMul = Named("matrixVectorMul")
matrixZeros = Named("matrixZeros")
matrixZip = Named("matrixZip")
max = Named("max")
maximum = Named("maximum")
mean = Named("mean")
min = Named("min")
minimum = Named("minimum")
norm = Named("norm")
ones = Named("ones")
ones_like = Named("ones_like")
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
std = Named("std")
stop_gradient = Named("stop_gradient")
tan = Named("tan")
tanh = Named("tanh")
trace = Named("trace")
transpose = Named("transpose")
tril = Named("tril")
triu = Named("triu")
var = Named("var")
vdot = Named("vdot")
vectorAdd = Named("vectorAdd")
vectorCross = Named("vectorCross")
vectorDot = Named("vectorDot")
vectorEDiv = Named("vectorEDiv")
vectorEMul = Named("vectorEMul")
vectorFill = Named("vectorFill")
vectorHot = Named("vectorHot")
vectorMap = Named("vectorMap")
vectorMap2 = Named("vectorMap2")
vectorMatrixMul = Named("vectorMatrixMul")
vectorMax = Named("vectorMax")
vectorMin = Named("vectorMin")
vectorNeg = Named("vectorNeg")
vectorNorm = Named("vectorNorm")
vectorOnes = Named("vectorOnes")
vectorOutProd = Named("vectorOutProd")
vectorRange = Named("vectorRange")
vectorSMul = Named("vectorSMul")
vectorSlice = Named("vectorSlice")
vectorSqNorm = Named("vectorSqNorm")
vectorSub = Named("vectorSub")
vectorSum = Named("vectorSum")
vectorToMatrix = Named("vectorToMatrix")
vectorZeros = Named("vectorZeros")
vectorZip = Named("vectorZip")
where = Named("where")
zeros = Named("zeros")
zeros_like = Named("zeros_like")

__all__ = [
    "abs",
    "acos",
    "all",
    "any",
    "arange",
    "argmax",
    "argmin",
    "asin",
    "atan",
    "atan2",
    "cbrt",
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
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "eye",
    "flip",
    "floor",
    "full",
    "hypot",
    "inner",
    "isfinite",
    "isinf",
    "isnan",
    "lgamma",
    "linspace",
    "log",
    "log10",
    "log1p",
    "log2",
    "log_sigmoid",
    "log_softmax",
    "logaddexp",
    "logsumexp",
    "matmul",
    "matrixAdd",
    "matrixCols",
    "matrixEMul",
    "matrixEye",
    "matrixFill",
    "matrixHot",
    "matrixMap",
    "matrixMap2",
    "matrixMul",
    "matrixMulTransposed",
    "matrixMult",
    "matrixOnes",
    "matrixRows",
    "matrixSMul",
    "matrixSub",
    "matrixSum",
    "matrixTrace",
    "matrixTranspose",
    "matrixVectorMul",
    "matrixZeros",
    "matrixZip",
    "max",
    "maximum",
    "mean",
    "min",
    "minimum",
    "norm",
    "ones",
    "ones_like",
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
    "std",
    "stop_gradient",
    "tan",
    "tanh",
    "trace",
    "transpose",
    "tril",
    "triu",
    "var",
    "vdot",
    "vectorAdd",
    "vectorCross",
    "vectorDot",
    "vectorEDiv",
    "vectorEMul",
    "vectorFill",
    "vectorHot",
    "vectorMap",
    "vectorMap2",
    "vectorMatrixMul",
    "vectorMax",
    "vectorMin",
    "vectorNeg",
    "vectorNorm",
    "vectorOnes",
    "vectorOutProd",
    "vectorRange",
    "vectorSMul",
    "vectorSlice",
    "vectorSqNorm",
    "vectorSub",
    "vectorSum",
    "vectorToMatrix",
    "vectorZeros",
    "vectorZip",
    "where",
    "zeros",
    "zeros_like",
]
