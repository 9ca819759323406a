"""Arrays from shapes: zeros, ones, full, eye, arange, linspace, and their kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fsmooth.core.build import components
from fsmooth.core.term import Build, Const, Term, Vector, Zero, let
from fsmooth.core.types import Array, Bool, Float, Int, Tuple, leaf_of
from fsmooth.frontend.text.joins import converted
from fsmooth.library.inlining import LibraryElaborator, WrongArguments
from fsmooth.library.pieces import Expansion, index_along, inlined, shape_of, shared


def _sizes(name: str, shape: Term) -> tuple[Term, ...]:
    if isinstance(shape.type, Int):
        return (shape,)
    if isinstance(shape, Vector) and isinstance(shape.type, Array) and isinstance(shape.type.element, Int):
        return shape.items
    if isinstance(shape.type, Tuple) and all([isinstance(t, Int) for t in shape.type.items]):
        return components(shape)
    raise WrongArguments(f"{name} wants a size or a tuple of sizes, not a {shape.type!r}")


def _filled(sizes: Sequence[Term], value: Term) -> Term:
    bound, value = shared(value, "value")
    for axis in reversed(range(len(sizes))):
        value = Build(sizes[axis], index_along(axis), value)
    return let(bound, value)


def zeros(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    """`zeros n`, `zeros (m, n)`."""
    return Zero(_sizes("zeros", arguments[0]))


def ones(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    """`ones n`, `ones (m, n)`."""
    return _filled(_sizes("ones", arguments[0]), Const(1.0))


def full(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    """`full n x`, `full (m, n) x`."""
    return _filled(_sizes("full", arguments[0]), arguments[1])


def like(fill: Callable[[Sequence[Term], Term], Term]) -> Expansion:
    """An array of the shape and elements of the argument."""
    return lambda elaborator, arguments: fill(shape_of(arguments[0]), arguments[0])


def full_like(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    """`full_like a x`: x in the shape of a."""
    return _filled(shape_of(arguments[0]), arguments[1])


def zeros_of(sizes: Sequence[Term], array: Term) -> Term:
    """Zeros of these sizes, as the elements of `array`."""
    leaf = leaf_of(array.type)
    if isinstance(leaf, Bool):
        return _filled(sizes, Const(False))
    return Zero(tuple(sizes), leaf)


def ones_of(sizes: Sequence[Term], array: Term) -> Term:
    """Ones of these sizes, as the elements of `array`."""
    leaf = leaf_of(array.type)
    return _filled(sizes, Const(1.0, leaf) if isinstance(leaf, Float) else Const(1))


def eye(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    """`eye n`, `eye m n`."""
    if len(arguments) == 2:
        return inlined(elaborator, "matrixEyeAny", *arguments)
    return inlined(elaborator, "matrixEye", arguments[0])


def arange(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    """`arange n`, `arange start stop`, `arange start stop step`, of integers if all are."""
    if not all([isinstance(a.type, Int) for a in arguments]):
        reals = [converted(a, Float()) for a in arguments]
        if len(reals) == 1:
            reals = [Const(0.0), *reals]
        if len(reals) == 2:
            reals = [*reals, Const(1.0)]
        return inlined(elaborator, "rangeReal", *[r for r in reals if r is not None])
    chosen = ("vectorRange", "rangeFrom", "rangeStep")[len(arguments) - 1]
    return inlined(elaborator, chosen, *arguments)


def linspace(elaborator: LibraryElaborator, arguments: Sequence[Term]) -> Term:
    """`linspace a b`, `linspace a b n`."""
    ends = [converted(a, Float()) for a in arguments[:2]]
    number = arguments[2] if len(arguments) == 3 else Const(50)
    return inlined(elaborator, "linspace", *[e for e in ends if e is not None], number)
