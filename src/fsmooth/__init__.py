"""fsmooth: F̃ ("F smooth") for Python.  Exact, fast derivatives of loop-shaped code, compiled to readable C.

>>> import numpy as np, fsmooth as fs
>>> @fs.function
... def nnmf(u, v, A):
...     return sum(fs.log(u[i] * v[j]) + A[i, j] / (u[i] * v[j]) for i in range(len(u)) for j in range(len(v)))
>>> fs.grad(nnmf)(np.array([1.0, 2.0]), np.array([1.0]), np.array([[1.0], [2.0]]))
array([0., 0.])
"""

from importlib import import_module
from typing import TYPE_CHECKING

from fsmooth.api import (
    Function,
    deriv,
    function,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    unroll,
    value_and_grad,
    vjp,
)
from fsmooth.batches import vmap
from fsmooth.checking.derivatives import DerivativeReport, check_derivative
from fsmooth.combinators import build, cond, fold, ifold, sum
from fsmooth.core.nodes.packed import Forest, Packed, pack, references
from fsmooth.core.trees import register_pytree_node, register_pytree_node_class
from fsmooth.custom import custom_derivative
from fsmooth.debugging import debug_print
from fsmooth.errors import (
    ArgumentError,
    ArgumentIndexError,
    ArgumentMismatchError,
    AssertionFailedError,
    CacheError,
    CompilationError,
    CompilerNotFoundError,
    ConstantEmptyError,
    ConstantIndexError,
    ConstantSizeError,
    DerivativeMismatchError,
    DivisionError,
    EmptyError,
    Error,
    IndexOutOfBoundsError,
    LawError,
    MatrixError,
    NotDifferentiableError,
    OutOfMemoryError,
    ProgramError,
    ProgramMethodError,
    RaggedError,
    RaisedError,
    RaisedValueError,
    RankError,
    RecursionDepthError,
    RunError,
    SizeError,
    SourceNotAvailableError,
    StrategyError,
    TypeMismatchError,
    UncheckedRuleWarning,
    UndefinedNameError,
    UnknownMethodError,
    UnprovedError,
    UnsupportedError,
)
from fsmooth.frontend.annotations import Array, Index, Offsets
from fsmooth.functions import *  # noqa: F403
from fsmooth.functions import __all__ as _functions
from fsmooth.logs import set_log
from fsmooth.paper_verbs import diff, jacob, mdiff, mgrad, vdiff
from fsmooth.shards import sum_shards
from fsmooth.shipping import library

if TYPE_CHECKING:
    from fsmooth import strategies
    from fsmooth.laws.law import law
    from fsmooth.shipping.external import casadi_external
    from fsmooth.texts import text
    from fsmooth.tuning import tune

__version__ = "0.1.0"

__all__ = [
    "ArgumentError",
    "ArgumentIndexError",
    "ArgumentMismatchError",
    "AssertionFailedError",
    "Array",
    "CacheError",
    "CompilationError",
    "CompilerNotFoundError",
    "ConstantEmptyError",
    "ConstantSizeError",
    "ConstantIndexError",
    "DerivativeMismatchError",
    "DerivativeReport",
    "DivisionError",
    "EmptyError",
    "Error",
    "Forest",
    "Function",
    "Index",
    "IndexOutOfBoundsError",
    "LawError",
    "MatrixError",
    "NotDifferentiableError",
    "Offsets",
    "OutOfMemoryError",
    "Packed",
    "ProgramMethodError",
    "ProgramError",
    "RaggedError",
    "RaisedError",
    "RecursionDepthError",
    "RaisedValueError",
    "RankError",
    "RunError",
    "SizeError",
    "SourceNotAvailableError",
    "StrategyError",
    "TypeMismatchError",
    "UncheckedRuleWarning",
    "UndefinedNameError",
    "UnknownMethodError",
    "UnprovedError",
    "UnsupportedError",
    "build",
    "casadi_external",
    "check_derivative",
    "cond",
    "custom_derivative",
    "debug_print",
    "deriv",
    "diff",
    "fold",
    "function",
    "grad",
    "hessian",
    "hvp",
    "ifold",
    "jacob",
    "jacobian",
    "jvp",
    "law",
    "library",
    "mdiff",
    "mgrad",
    "pack",
    "references",
    "register_pytree_node",
    "register_pytree_node_class",
    "set_log",
    "sum",
    "strategies",
    "sum_shards",
    "text",
    "tune",
    "unroll",
    "value_and_grad",
    "vdiff",
    "vjp",
    "vmap",
    *_functions,
]

_LATER = {
    "casadi_external": "fsmooth.shipping.external",
    "law": "fsmooth.laws.law",
    "strategies": "fsmooth.strategies",
    "text": "fsmooth.texts",
    "tune": "fsmooth.tuning",
}
"""What is loaded by those who ask for it: the optimiser comes with it."""


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module 'fsmooth' has no attribute {name!r}")
    module = import_module(_LATER[name])
    return getattr(module, name, module)
