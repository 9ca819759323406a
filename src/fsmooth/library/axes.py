"""Functions of vectors along one axis of an array: `sum M 0`, `softmax M 1` (NumPy's `axis`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fsmooth.core.build import get
from fsmooth.core.term import Build, Const, Term, Var, let
from fsmooth.core.types import INT, Array, Int, rank_of
from fsmooth.frontend.text.values import is_path
from fsmooth.library.inlining import WrongArguments, resolved_size

REDUCING = frozenset(
    {
        "sum",
        "prod",
        "max",
        "min",
        "amax",
        "amin",
        "argmax",
        "argmin",
        "mean",
        "average",
        "var",
        "std",
        "all",
        "any",
        "logsumexp",
    }
)
"""These make a number of a vector, so any axis will do."""

KEEPING = frozenset({"softmax", "log_softmax", "cumsum", "diff", "flip"})
"""These make a vector of a vector, and go along the last axis."""


AXIS_NAMES = REDUCING | KEEPING
"""All that take an axis after their array."""


def has_axis(name: str, arguments: Sequence[Term]) -> bool:
    """Is the second argument an axis?"""
    return len(arguments) == 2 and name in AXIS_NAMES and isinstance(arguments[1].type, Int)


def along(name: str, array: Term, axis: Term, apply: Callable[[Term], Term]) -> Term:
    """`apply`, a function of vectors, along `axis` of `array`; negative axes count from the last.

    Raises:
        WrongArguments: if there is no such axis, or it is not known at compile time.
    """
    rank = rank_of(array.type)
    if not isinstance(axis, Const):
        raise WrongArguments(f"the axis of {name} must be a constant")
    position = int(axis.value) + (rank if axis.value < 0 else 0)
    if not 0 <= position < rank:
        raise WrongArguments(f"{name} along axis {axis.value} of an array of rank {rank}")
    if name in KEEPING and position != rank - 1:
        raise WrongArguments(f"{name} goes along the last axis only; transpose the array first")
    bound: list[tuple[Var, Term]] = []
    if not is_path(array):
        variable = Var("a", array.type)
        bound.append((variable, array))
        array = variable
    indices = [Var("ijklmn"[k % 6], INT) for k in range(rank)]
    inner = indices[position]
    if position == rank - 1:
        vector = get(array, *indices[:position])
    else:
        vector = Build(resolved_size(array, position), inner, get(array, *indices))
    assert isinstance(vector.type, Array)
    result = apply(vector)
    for k in reversed(range(rank)):
        if k != position:
            result = Build(resolved_size(array, k), indices[k], result)
    return let(bound, result)
