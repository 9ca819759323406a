"""Arrays of tuples as tuples of arrays (paper 000, §5.1 "data layout"; design §6).

    build n (fun i -> (a i, b i))   is   zip (build n (fun i -> a i)) (build n (fun i -> b i))

Fission in this form lets each component be stored or fused by itself: of an array of dual numbers, the tangents
are often sparse and cost nothing where they are read, while the values are worth storing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fsmooth.core.build import get, nested_build
from fsmooth.core.shape import Ragged, shape_of
from fsmooth.core.term import Build, If, Let, MakeTuple, Proj, Term, Zero, let
from fsmooth.core.types import Tuple, leaf_of


def array_components(value: Build) -> list[Term] | None:
    """The arrays of which an array of tuples consists; None if its elements are not tuples that are written out."""
    leaf = leaf_of(value.type)
    if not isinstance(leaf, Tuple) or not is_written_out(value):
        return None
    return [chosen(value, (k,)) for k in range(len(leaf.items))]


def with_components(value: Build, wanted: Sequence[int]) -> Term:
    """The array of the `wanted` components alone: of tuples of them, or of the one component itself."""
    return chosen(value, tuple(wanted))


def zipped_array(value: Build, parts: Mapping[int, Term], stored: Sequence[int], rest: Term | None) -> Term | None:
    """An array equal to `value` whose component k is read from `parts[k]`, or from `rest`, which holds those `stored`.

    None if the sizes of `value` cannot be written down.
    """
    leaf = leaf_of(value.type)
    assert isinstance(leaf, Tuple)
    try:
        sizes = shape_of(value)
    except Ragged:
        return None

    def element(indices: tuple[Term, ...]) -> Term:
        items = []
        for k in range(len(leaf.items)):
            if k in parts:
                items.append(get(parts[k], *indices))
                continue
            assert rest is not None
            found = get(rest, *indices)
            items.append(found if len(stored) == 1 else Proj(found, stored.index(k)))
        return MakeTuple(tuple(items), leaf)

    return nested_build(sizes[: _levels(value)], element)


def _levels(value: Term) -> int:
    """The number of array levels above the tuple."""
    return value.type.rank if not isinstance(value.type, Tuple) else 0  # type: ignore[union-attr]


def is_written_out(term: Term) -> bool:
    """Are the tuples in an array, a scope, or branches, displays?"""
    match term:
        case Build(_, _, body) | Let(_, body):
            return is_written_out(body)
        case If(_, then, otherwise):
            return is_written_out(then) and is_written_out(otherwise)
        case MakeTuple():
            return True
        case _:
            return False


def chosen(term: Term, wanted: tuple[int, ...]) -> Term:
    """`term` with each tuple reduced to the wanted components, without the definitions that only others need."""
    match term:
        case Build(size, index, body):
            return Build(size, index, chosen(body, wanted))
        case Let(bindings, body):
            inner = chosen(body, wanted)
            needed = set(inner.free)
            kept = []
            for var, value in reversed(bindings):
                if var in needed:
                    kept.append((var, value))
                    needed |= value.free
            return let(tuple(reversed(kept)), inner)
        case If(condition, then, otherwise):
            left, right = chosen(then, wanted), chosen(otherwise, wanted)
            return left if isinstance(left, Zero) and isinstance(right, Zero) else If(condition, left, right)
        case MakeTuple(items):
            return items[wanted[0]] if len(wanted) == 1 else MakeTuple(tuple([items[k] for k in wanted]))
        case _:
            raise AssertionError(f"{type(term).__name__} is not an array of tuples")
