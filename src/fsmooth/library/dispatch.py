"""NumPy's names that depend on the rank of their arguments, and those whose arguments are shapes."""

from __future__ import annotations

from collections.abc import Sequence

from fsmooth.core.term import If, Reduction, Term
from fsmooth.core.types import BOOL, rank_of
from fsmooth.frontend.text.joins import together
from fsmooth.library.elementwise import elementwise
from fsmooth.library.filling import arange, eye, full, full_like, like, linspace, ones, ones_of, zeros, zeros_of
from fsmooth.library.inlining import LibraryElaborator, WrongArguments
from fsmooth.library.joining import concatenate, ravel, stack, transpose
from fsmooth.library.pieces import PLACE, Expansion, inlined
from fsmooth.library.reductions import extremum, flat, mean, norm, over_all, vdot

BY_RANK: dict[str, dict[tuple[int, ...], str]] = {
    "dot": {(1, 1): "vectorDot", (2, 2): "matrixMul", (2, 1): "matrixVectorMul", (1, 2): "vectorMatrixMul"},
    "matmul": {(1, 1): "vectorDot", (2, 2): "matrixMul", (2, 1): "matrixVectorMul", (1, 2): "vectorMatrixMul"},
    "inner": {(1, 1): "vectorDot", (2, 2): "matrixMulTransposed"},
    "outer": {(1, 1): "vectorOutProd"},
    "cross": {(1, 1): "vectorCross"},
    "trace": {(2,): "matrixTraceAny"},
    "logsumexp": {(1,): "vectorLogSumExp"},
    "softmax": {(1,): "vectorSoftmax"},
    "log_softmax": {(1,): "vectorLogSoftmax"},
    "diag": {(1,): "vectorDiag", (2,): "matrixDiag"},
    "diagonal": {(2,): "matrixDiag"},
    "cumsum": {(1,): "vectorCumsum"},
    "diff": {(1,): "vectorDiff"},
    "flip": {(1,): "vectorReverse"},
    "roll": {(1, 0): "vectorRoll"},
    "tril": {(2,): "matrixTril"},
    "triu": {(2,): "matrixTriu"},
}
"""Name, ranks of the arguments, the definition in M̃."""


def by_rank(elaborator: LibraryElaborator, name: str, arguments: Sequence[Term]) -> Term:
    """The definition for the ranks of the arguments."""
    ranks = tuple([rank_of(a.type) for a in arguments])
    if name == "dot" and 0 in ranks and len(ranks) == 2:
        return elementwise(elaborator, "multiply", arguments)
    chosen = BY_RANK[name].get(ranks)
    if chosen is None:
        known = ", ".join([" and ".join([str(r) for r in rs]) for rs in BY_RANK[name]])
        given = " and ".join([str(r) for r in ranks])
        raise WrongArguments(f"{name} of arrays of rank {given}; it is defined for ranks {known}")
    return inlined(elaborator, chosen, *arguments)


def _where(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    """A choice of numbers, or of whole values, is an `if`: only the branch taken is evaluated."""
    condition = arguments[0]
    if condition.type == BOOL:
        branches = together(list(arguments[1:]))
        if branches is not None and rank_of(branches[0].type) == 0:
            otherwise = elaborator.alike(branches[1], branches[0], PLACE, "the two branches")
            return If(condition, branches[0], otherwise)
    return elementwise(elaborator, "where", arguments)


_MANY = 1000

SPECIAL: dict[str, tuple[int, int, Expansion]] = {
    "sum": (1, 1, over_all(Reduction.SUM)),
    "prod": (1, 1, over_all(Reduction.PRODUCT)),
    "max": (1, 1, over_all(Reduction.MAX)),
    "min": (1, 1, over_all(Reduction.MIN)),
    "amax": (1, 1, over_all(Reduction.MAX)),
    "amin": (1, 1, over_all(Reduction.MIN)),
    "all": (1, 1, over_all(Reduction.ALL)),
    "any": (1, 1, over_all(Reduction.ANY)),
    "argmax": (1, 1, extremum(Reduction.ARGMAX)),
    "argmin": (1, 1, extremum(Reduction.ARGMIN)),
    "mean": (1, 1, mean),
    "average": (1, 1, mean),
    "var": (1, 1, flat("vectorVar")),
    "std": (1, 1, flat("vectorStd")),
    "ravel": (1, 1, ravel),
    "vdot": (2, 2, vdot),
    "transpose": (1, 1, transpose),
    "zeros": (1, 1, zeros),
    "ones": (1, 1, ones),
    "full": (2, 2, full),
    "zeros_like": (1, 1, like(zeros_of)),
    "ones_like": (1, 1, like(ones_of)),
    "full_like": (2, 2, full_like),
    "eye": (1, 2, eye),
    "identity": (1, 1, eye),
    "arange": (1, 3, arange),
    "linspace": (2, 3, linspace),
    "where": (3, 3, _where),
    "norm": (1, 1, norm),
    "concatenate": (1, _MANY, concatenate),
    "hstack": (1, _MANY, concatenate),
    "stack": (1, _MANY, stack),
}
"""Name to the least and the largest number of arguments, and the expansion: what a table of ranks cannot say."""


def special(elaborator: LibraryElaborator, name: str, arguments: Sequence[Term]) -> Term:
    """The function `name` of `SPECIAL`."""
    least, most, expansion = SPECIAL[name]
    if not least <= len(arguments) <= most:
        wanted = str(least) if least == most else f"{least} to {most}" if most < _MANY else f"at least {least}"
        raise WrongArguments(f"{name} takes {wanted} argument{'s' * (wanted != '1')}, not {len(arguments)}")
    return expansion(elaborator, arguments)
