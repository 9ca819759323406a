"""What is inlined: names are for what costs more to compute again than to store and load (design §5).

Inline when evaluations after x weight <= evaluations before x (weight + store) + loads, by core/cost.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.cost import Costs
from fsmooth.core.matrix_products import has_product
from fsmooth.core.term import (
    Build,
    Check,
    Const,
    Delta,
    Get,
    If,
    Lam,
    Length,
    Let,
    MakeTuple,
    Prim,
    Proj,
    Term,
    Var,
    Zero,
)
from fsmooth.core.traverse import size_of_tree
from fsmooth.core.types import Function, Int, Tuple, has_map, leaf_of
from fsmooth.optimise.tuples_of_arrays import with_components


def is_trivial(value: Term) -> bool:
    """Always inlined: constants, variables, paths, sizes, structural zeros, functions, linear maps (paper 001, §3)."""
    match value:
        case Const() | Var() | Zero() | Lam():
            return True
        case Length(array):
            return is_trivial(array)
        case Proj(inner, _):
            return is_trivial(inner)
        case Get(array, index):
            return is_trivial(array) and is_cheap_index(index)
        case Prim(_, arguments) if isinstance(value.type, Int):
            return size_of_tree(value) <= thresholds.COPIED_SIZE and all([is_cheap_index(a) for a in arguments])
        case _:
            return isinstance(value.type, Function) or (has_map(value.type) and not isinstance(value, MakeTuple))


def is_cheap_index(index: Term) -> bool:
    match index:
        case Const() | Var():
            return True
        case Length(array):
            return is_trivial(array)
        case Get(array, inner):
            return is_trivial(array) and is_cheap_index(inner)
        case Prim(primitive, arguments):
            cheap = primitive in (p.add, p.subtract, p.multiply, p.negate)
            return (
                cheap and size_of_tree(index) <= thresholds.COPIED_SIZE and all([is_cheap_index(a) for a in arguments])
            )
        case If(Prim(p.less, (given, Const(0))), from_end, otherwise) if given is otherwise:  # counted from the end
            return is_cheap_index(from_end) and is_cheap_index(given)
        case _:
            return False


def is_virtual(value: Term) -> bool:
    """Costs no more than reading it: paths, constants, deltas, and arrays and tuples of those."""
    match value:
        case Build(_, _, body):
            return is_virtual(body)
        case Get(array, Check(index, size)) if is_trivial(array):  # an element of a slice
            return is_cheap_index(index) and is_cheap_index(size)
        case MakeTuple(items):
            return all([is_virtual(item) for item in items])
        case Delta(_, index, element):
            return is_cheap_index(index) and is_virtual(element)
        case Get(Delta() as delta, index):
            return is_virtual(delta) and is_cheap_index(index)
        case If(condition, then, Zero()):
            return on_indices(condition) and is_virtual(then)
        case _:
            return is_trivial(value)


def pays(value: Term, read: float | None, costs: Costs) -> bool:
    """Is evaluating the elements that are `read` there cheaper than storing all of them first?"""
    if is_virtual(value):
        return True
    all_stored, stores = costs.of(value).at(), costs.elements(value).at()
    leaf = leaf_of(value.type)
    count = stores / len(leaf.items) if isinstance(leaf, Tuple) and leaf.items else stores
    each = costs.alone(value).at() / count if count else 0.0
    if count and _is_hot(value):
        each = 1.0 + each / count
    if read is None:
        return each <= 2.0
    if has_product(value):
        all_stored *= thresholds.IN_TILES
    return read * each <= all_stored + read


def with_shared_work(
    array: Build, parts: Sequence[Term], stored: Sequence[int], reads: Mapping[int, float], costs: Costs
) -> list[int]:
    """The components to store, given that some are: also those whose work is done for the others anyway.

    If none is, but most of the work of several is the same, these are stored rather than computed each by itself.
    """
    if stored:
        return _sharing(array, parts, stored, reads, costs)[0]
    leaf = leaf_of(array.type)
    candidates = [k for k in reads if not is_virtual(parts[k])]
    if len(candidates) < 2 or not isinstance(leaf, Tuple):
        return []
    dearest = max(candidates, key=lambda k: costs.of(parts[k]).at())
    together, gain = _sharing(array, parts, [dearest], reads, costs)
    return together if gain > costs.elements(parts[dearest]).at() + reads[dearest] else []


def _sharing(
    array: Build, parts: Sequence[Term], stored: Sequence[int], reads: Mapping[int, float], costs: Costs
) -> tuple[list[int], float]:
    """The components that are cheaper together with those stored, these among them; and what they save."""
    chosen, gain = list(stored), 0.0
    for k, read in reads.items():
        if k in chosen or is_virtual(parts[k]):
            continue
        together = costs.of(with_components(array, sorted([*chosen, k]))).at()
        more = together - costs.of(with_components(array, chosen)).at()
        count = costs.elements(parts[k]).at()
        alone = read * (costs.of(parts[k]).at() - count) / count if count else 0.0
        if more + read < alone:
            chosen = sorted([*chosen, k])
            gain += alone - more - read
    return chosen, gain


def _is_hot(array: Term) -> bool:
    """Is only the element at one index not zero?"""
    if not isinstance(array, Build):
        return False
    body = array.body
    while isinstance(body, Let):
        body = body.body
    match body:
        case If(Prim(primitive, (a, b)), _, Zero()) if primitive is p.equal:
            return a is array.index or b is array.index
        case _:
            return False


def on_indices(condition: Term) -> bool:
    match condition:
        case Prim(primitive, (a, _)) if primitive is p.equal:
            return isinstance(a.type, Int)
        case _:
            return False
