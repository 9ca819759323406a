"""Functions of numbers applied to arrays of any rank, element by element; numbers among the arguments stay."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fsmooth.core import primitives as p
from fsmooth.core.broadcast import Aligned, aligned
from fsmooth.core.subst import substitute1
from fsmooth.core.term import Build, Const, Get, Term, Var, let
from fsmooth.core.types import F32, INT, Float, Int, Type, leaf_of, rank_of
from fsmooth.frontend.text import tree
from fsmooth.frontend.text.joins import converted
from fsmooth.frontend.text.values import Operator, Value, is_path
from fsmooth.library.definitions import definition, scalar_names
from fsmooth.library.inlining import LibraryElaborator, resolved_size

ALIASES = {
    "absolute": "abs",
    "fabs": "abs",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "pow": "power",
    "float_power": "power",
    "negative": "negate",
    "true_divide": "divide",
    "remainder": "modulo",
    "mod": "modulo",
    "deg2rad": "radians",
    "rad2deg": "degrees",
    "psi": "digamma",
    "gammaln": "lgamma",
    "loggamma": "lgamma",
    "expit": "sigmoid",
    "logical_not": "not",
    "fix": "trunc",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "log_expit": "log_sigmoid",
}
"""Other names of primitives and of the functions in `scalar.ft`."""

_SYMBOLS = {"power": "**"}
_PLACE = tree.Node(0, 0)


def is_elementwise(name: str) -> bool:
    """Is `name` a function of numbers, to be mapped over arrays?"""
    name = ALIASES.get(name, name)
    return name in scalar_names() or name in p.TABLE


def elementwise(elaborator: LibraryElaborator, name: str, arguments: Sequence[Term]) -> Term:
    """`name` on the elements of arrays of one shape.

    Raises:
        WrongArguments: if the arrays are of several ranks, or the function does not take such elements.

    """
    name = ALIASES.get(name, name)
    head: Value = definition(name) or Operator(_SYMBOLS.get(name, name))
    return mapped(elaborator, name, head, arguments)


def mapped(elaborator: LibraryElaborator, name: str, head: Value, arguments: Sequence[Term]) -> Term:
    """`head` on the elements of `arguments`, whose shapes go together (core.broadcast)."""
    rank = max([rank_of(a.type) for a in arguments], default=0)
    arguments = _numbers_joined(arguments)
    if rank == 0:
        return elaborator.call(head, list(arguments), _PLACE)
    bound: list[tuple[Var, Term]] = []
    parts: list[Term] = []
    for k, argument in enumerate(arguments):
        if is_path(argument) or _is_written_out(argument, rank_of(argument.type)):
            parts.append(argument)
        else:
            variable = Var(f"{name}{k}" if len(arguments) > 1 else name, argument.type)
            bound.append((variable, argument))
            parts.append(variable)
    values = dict(bound)
    arrays = [a for a in parts if rank_of(a.type)]
    shapes = [[resolved_size(a, axis) for axis in range(rank_of(a.type))] for a in arrays]
    ones = {
        size
        for a, sizes in zip(arrays, shapes, strict=True)
        for axis, size in enumerate(sizes)
        if _is_one(resolved_size(values.get(a, a), axis) if isinstance(a, Var) else size)
    }
    shape = aligned(shapes, lambda size: size in ones)
    return let(bound, _agreeing(elaborator, shape, lambda: _loops(elaborator, head, parts, shape)))


def _is_one(size: Term) -> bool:
    return isinstance(size, Const) and size.value == 1


def _numbers_joined(arguments: Sequence[Term]) -> list[Term]:
    """Ints among the arguments become real numbers of the width of the others, if those are real."""
    reals = [leaf_of(a.type) for a in arguments if isinstance(leaf_of(a.type), Float)]
    if not reals:
        return list(arguments)
    single: Type = F32 if F32 in reals else reals[0]
    joined = [converted(a, single) if isinstance(a.type, Int) or isinstance(a, Const) else a for a in arguments]
    return [a if j is None else j for a, j in zip(arguments, joined, strict=True)]


def _is_written_out(argument: Term, rank: int) -> bool:
    """Is it builds, one for each axis, so that an element of it is the innermost body?"""
    for _ in range(rank):
        if not isinstance(argument, Build):
            return False
        argument = argument.body
    return rank > 0


def _agreeing(elaborator: LibraryElaborator, shape: Aligned, body: Callable[[], Term]) -> Term:
    """`body()` under the requirement that the sizes along each axis are that of the first array that has one."""
    for first, *others in shape.sizes:
        for size in others:
            body = _required(elaborator, first, size, body)
    return body()


def _required(elaborator: LibraryElaborator, left: Term, right: Term, body: Callable[[], Term]) -> Callable[[], Term]:
    return lambda: elaborator.require(p.equal, left, right, body)


def _loops(elaborator: LibraryElaborator, head: Value, parts: list[Term], shape: Aligned) -> Term:
    indices = [Var("ijklmnopq"[axis] if axis < 9 else f"i{axis}", INT) for axis in range(len(shape.sizes))]
    arrays = [a for a in parts if rank_of(a.type)]
    elements = iter([_reduced(shape.element(k, a, indices)) for k, a in enumerate(arrays)])
    result = elaborator.call(head, [next(elements) if rank_of(a.type) else a for a in parts], _PLACE)
    for (size, *_), index in zip(reversed(shape.sizes), reversed(indices), strict=True):
        result = Build(size, index, result)
    return result


def _reduced(element: Term) -> Term:
    """The body of an array that is written out, at its index."""
    if not isinstance(element, Get):
        return element
    array = _reduced(element.array)
    return (
        substitute1(array.body, array.index, element.index) if isinstance(array, Build) else Get(array, element.index)
    )
