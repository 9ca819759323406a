"""NumPy's names that depend on the rank of their arguments, and those whose arguments are shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from fsmooth.core import primitives as p
from fsmooth.core.build import components, get, times
from fsmooth.core.term import Build, Const, If, Prim, Reduce, Reduction, Term, Var, Vector, Zero, let
from fsmooth.core.types import BOOL, INT, Array, Bool, Float, Int, Tuple, leaf_of, rank_of
from fsmooth.frontend.text import tree
from fsmooth.frontend.text.joins import converted, together
from fsmooth.frontend.text.values import is_path
from fsmooth.library.definitions import definition
from fsmooth.library.elementwise import elementwise
from fsmooth.library.inlining import LibraryElaborator, WrongArguments, resolved_size

Expansion = Callable[[LibraryElaborator, Sequence[Term]], Term]
_PLACE = tree.Node(0, 0)

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


def inlined(elaborator: LibraryElaborator, name: str, *arguments: Term) -> Term:
    """The definition `name` of M̃ on the arguments."""
    head = definition(name)
    assert head is not None, name
    return elaborator.call(head, list(arguments), _PLACE)


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


# -- reductions over every axis ------------------------------------------------------------------------------------


def _reduction(reduction: Reduction) -> Expansion:
    def expand(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
        array = arguments[0]
        if not isinstance(array.type, Array):
            return array
        rank = rank_of(array.type)
        bound, array = _shared(array, "a")
        sizes = _shape(array)
        indices = [Var("ijklmn"[axis % 6], INT) for axis in range(rank)]
        result = get(array, *indices)
        for size, index in zip(reversed(sizes), reversed(indices), strict=True):
            result = Reduce(reduction, size, index, result)
        if reduction in (Reduction.MAX, Reduction.MIN):
            for size in reversed(sizes):
                result = _not_empty(elaborator, size, result)
        return let(bound, result)

    return expand


def _not_empty(elaborator: LibraryElaborator, size: Term, result: Term) -> Term:
    return elaborator.require(p.greater, size, Const(0), lambda: result)


def _extremum(reduction: Reduction) -> Expansion:
    """The place of the extremum, in the array read row by row."""

    def expand(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
        array = arguments[0]
        rank = rank_of(array.type)
        if rank == 0:
            return Const(0)
        bound, array = _shared(array, "a")
        sizes = _shape(array)
        index = Var("k", INT)
        place: Term = index
        indices: list[Term] = []
        for size in reversed(sizes[1:]):
            indices.append(Prim(p.modulo, (place, size)))
            place = Prim(p.floor_divide, (place, size))
        element = get(array, place, *reversed(indices))
        result: Term = Reduce(reduction, reduce(times, sizes), index, element)
        for size in reversed(sizes):
            result = _not_empty(elaborator, size, result)
        return let(bound, result)

    return expand


def _mean(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    bound, array = _shared(arguments[0], "a")
    total = _sum(elaborator, (array,))
    one: Term = Const(1)
    count = reduce(times, _shape(array), one)
    return let(bound, elementwise(elaborator, "divide", (total, count)))


def _flat(chosen: str) -> Expansion:
    def expand(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
        array = _ravel(elaborator, (arguments[0],))
        return inlined(elaborator, chosen, array)

    return expand


def _ravel(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    array = arguments[0]
    if rank_of(array.type) == 0:
        return Vector((array,))
    if rank_of(array.type) == 1:
        return array
    bound, array = _shared(array, "a")
    sizes = _shape(array)
    index = Var("k", INT)
    place: Term = index
    indices: list[Term] = []
    for size in reversed(sizes[1:]):
        indices.append(Prim(p.modulo, (place, size)))
        place = Prim(p.floor_divide, (place, size))
    return let(bound, Build(reduce(times, sizes), index, get(array, place, *reversed(indices))))


def _vdot(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    return _sum(elaborator, (elementwise(elaborator, "multiply", arguments),))


def _transpose(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    array = arguments[0]
    rank = rank_of(array.type)
    if rank < 2:
        return array
    bound, array = _shared(array, "a")
    indices = [Var("ijklmn"[axis % 6], INT) for axis in range(rank)]
    result = get(array, *reversed(indices))
    for axis, index in zip(range(rank), reversed(indices), strict=True):
        result = Build(resolved_size(array, axis), index, result)
    return let(bound, result)


# -- arrays from shapes --------------------------------------------------------------------------------------------


def _sizes(name: str, shape: Term) -> tuple[Term, ...]:
    if isinstance(shape.type, Int):
        return (shape,)
    if isinstance(shape, Vector) and isinstance(shape.type, Array) and isinstance(shape.type.element, Int):
        return shape.items
    if isinstance(shape.type, Tuple) and all([isinstance(t, Int) for t in shape.type.items]):
        return components(shape)
    raise WrongArguments(f"{name} wants a size or a tuple of sizes, not a {shape.type!r}")


def _filled(sizes: Sequence[Term], value: Term) -> Term:
    bound, value = _shared(value, "value")
    for axis in reversed(range(len(sizes))):
        value = Build(sizes[axis], Var("ijklmn"[axis % 6], INT), value)
    return let(bound, value)


def _zeros(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    return Zero(_sizes("zeros", arguments[0]))


def _ones(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    return _filled(_sizes("ones", arguments[0]), Const(1.0))


def _full(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    return _filled(_sizes("full", arguments[0]), arguments[1])


def _shape(array: Term) -> list[Term]:
    return [resolved_size(array, axis) for axis in range(rank_of(array.type))]


def _like(fill: Callable[[Sequence[Term], Term], Term]) -> Expansion:
    return lambda elaborator, arguments: fill(_shape(arguments[0]), arguments[0])


def _full_like(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    return _filled(_shape(arguments[0]), arguments[1])


def _zeros_of(sizes: Sequence[Term], array: Term) -> Term:
    leaf = leaf_of(array.type)
    if isinstance(leaf, Bool):
        return _filled(sizes, Const(False))
    return Zero(tuple(sizes), leaf)


def _ones_of(sizes: Sequence[Term], array: Term) -> Term:
    leaf = leaf_of(array.type)
    return _filled(sizes, Const(1.0, leaf) if isinstance(leaf, Float) else Const(1))


def _eye(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    if len(arguments) == 2:
        return inlined(elaborator, "matrixEyeAny", *arguments)
    return inlined(elaborator, "matrixEye", arguments[0])


def _arange(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    if not all([isinstance(a.type, Int) for a in arguments]):
        reals = [converted(a, Float()) for a in arguments]
        if len(reals) == 1:
            reals = [Const(0.0), *reals]
        if len(reals) == 2:
            reals = [*reals, Const(1.0)]
        return inlined(elaborator, "rangeReal", *[r for r in reals if r is not None])
    chosen = ("vectorRange", "rangeFrom", "rangeStep")[len(arguments) - 1]
    return inlined(elaborator, chosen, *arguments)


def _linspace(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    ends = [converted(a, Float()) for a in arguments[:2]]
    number = arguments[2] if len(arguments) == 3 else Const(50)
    return inlined(elaborator, "linspace", *[e for e in ends if e is not None], number)


# -- the rest ------------------------------------------------------------------------------------------------------


def _where(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    """A choice of numbers, or of whole values, is an `if`: only the branch taken is evaluated."""
    condition = arguments[0]
    if condition.type == BOOL:
        branches = together(list(arguments[1:]))
        if branches is not None and rank_of(branches[0].type) == 0:
            otherwise = elaborator.alike(branches[1], branches[0], _PLACE, "the two branches")
            return If(condition, branches[0], otherwise)
    return elementwise(elaborator, "where", arguments)


def _norm(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    array = arguments[0]
    if rank_of(array.type) == 0:
        return elementwise(elaborator, "abs", (array,))
    return inlined(elaborator, "vectorNormStable", _ravel(elaborator, (array,)))


def _concatenate(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    parts = components(arguments[0]) if isinstance(arguments[0].type, Tuple) else tuple(arguments)
    if any([not isinstance(q.type, Array) for q in parts]):
        raise WrongArguments("concatenate wants arrays")
    bound: list[tuple[Var, Term]] = []
    named: list[Term] = []
    for part in parts:
        more, name = _shared(part, "part")
        bound.extend(more)
        named.append(name)
    whole: Callable[[], Term] = lambda: reduce(lambda a, b: inlined(elaborator, "vectorConcat", a, b), named)
    return let(bound, _same_shapes(elaborator, named, 1, whole)())


def _same_shapes(
    elaborator: LibraryElaborator, parts: Sequence[Term], first: int, body: Callable[[], Term]
) -> Callable[[], Term]:
    """`body` under the requirement that the sizes of all parts agree from axis `first` on."""
    for other in parts[1:]:
        if rank_of(other.type) != rank_of(parts[0].type):
            raise WrongArguments("arrays of different ranks cannot be put together")
        for axis in range(first, rank_of(other.type)):
            body = _agreeing(elaborator, resolved_size(parts[0], axis), resolved_size(other, axis), body)
    return body


def _stack(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    parts = list(components(arguments[0])) if isinstance(arguments[0].type, Tuple) else list(arguments)
    same = together(parts)
    if same is None:
        raise WrongArguments("stack of values of several types")
    return _same_shapes(elaborator, same, 0, lambda: Vector(tuple(same)))()


def _agreeing(elaborator: LibraryElaborator, left: Term, right: Term, body: Callable[[], Term]) -> Callable[[], Term]:
    return lambda: elaborator.require(p.equal, left, right, body)


def _shared(term: Term, name: str) -> tuple[list[tuple[Var, Term]], Term]:
    """The bindings that make `term` cheap to mention often, and what to mention."""
    if is_path(term):
        return [], term
    variable = Var(name, term.type)
    return [(variable, term)], variable


_sum = _reduction(Reduction.SUM)

_MANY = 1000

SPECIAL: dict[str, tuple[int, int, Expansion]] = {
    "sum": (1, 1, _sum),
    "prod": (1, 1, _reduction(Reduction.PRODUCT)),
    "max": (1, 1, _reduction(Reduction.MAX)),
    "min": (1, 1, _reduction(Reduction.MIN)),
    "amax": (1, 1, _reduction(Reduction.MAX)),
    "amin": (1, 1, _reduction(Reduction.MIN)),
    "all": (1, 1, _reduction(Reduction.ALL)),
    "any": (1, 1, _reduction(Reduction.ANY)),
    "argmax": (1, 1, _extremum(Reduction.ARGMAX)),
    "argmin": (1, 1, _extremum(Reduction.ARGMIN)),
    "mean": (1, 1, _mean),
    "average": (1, 1, _mean),
    "var": (1, 1, _flat("vectorVar")),
    "std": (1, 1, _flat("vectorStd")),
    "ravel": (1, 1, _ravel),
    "vdot": (2, 2, _vdot),
    "transpose": (1, 1, _transpose),
    "zeros": (1, 1, _zeros),
    "ones": (1, 1, _ones),
    "full": (2, 2, _full),
    "zeros_like": (1, 1, _like(_zeros_of)),
    "ones_like": (1, 1, _like(_ones_of)),
    "full_like": (2, 2, _full_like),
    "eye": (1, 2, _eye),
    "identity": (1, 1, _eye),
    "arange": (1, 3, _arange),
    "linspace": (2, 3, _linspace),
    "where": (3, 3, _where),
    "norm": (1, 1, _norm),
    "concatenate": (1, _MANY, _concatenate),
    "hstack": (1, _MANY, _concatenate),
    "stack": (1, _MANY, _stack),
}
"""Name to the least and the largest number of arguments, and the expansion: what a table of ranks cannot say."""


def special(elaborator: LibraryElaborator, name: str, arguments: Sequence[Term]) -> Term:
    """The function `name` of `SPECIAL`."""
    least, most, expansion = SPECIAL[name]
    if not least <= len(arguments) <= most:
        wanted = str(least) if least == most else f"{least} to {most}" if most < _MANY else f"at least {least}"
        raise WrongArguments(f"{name} takes {wanted} argument{'s' * (wanted != '1')}, not {len(arguments)}")
    return expansion(elaborator, arguments)
