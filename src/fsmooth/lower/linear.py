"""Linear destinations (design §6): what is only added to a destination is lowered straight into it.

`let a = e in build n (i. a[i] + b)`, with a nowhere else, becomes `dest := build n (i. b)` and `dest += e`: no storage
for a, and if e is a sum of one-hot arrays, a few additions in place.
"""

from __future__ import annotations

from msgspec import Struct

from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.shape import size_of
from fsmooth.core.term import Build, Get, Length, Let, MakeTuple, Prim, Term, Var
from fsmooth.core.types import Array, Tuple, leaf_of, rank_of
from fsmooth.lower.cardinality import is_path
from fsmooth.lower.context import Context
from fsmooth.lower.destination import Destination, Group, Mode


class Split(Struct, frozen=True):
    """The body of a scope without a variable that is only added to part `path` of its result.

    `rest` is what else that part is (None: nothing), `others` are the other parts of the result.
    """

    binding: int
    path: tuple[int, ...]
    rest: Term | None
    others: tuple[tuple[tuple[int, ...], Term], ...]


def linear_binding(term: Let) -> Split | None:
    """The binding of a scope that can go straight to the destination of its body, if there is one."""
    for k, (var, value) in enumerate(term.bindings):
        if not isinstance(value.type, Array) or isinstance(leaf_of(value.type), Tuple) or is_path(value):
            continue
        if var not in term.body.free or any([var in later.free or v is var for v, later in term.bindings[k + 1 :]]):
            continue
        if any([v in value.free for v, _ in term.bindings[k:]]):
            continue
        found = _split(k, term.body, var, value)
        if found is not None:
            return found
    return None


def linear_into(ctx: Context, term: Let, split: Split, dest: Destination, mode: Mode) -> None:
    """Lower a split scope; its bindings, but for the one that was split off, are in the environment."""
    for path, other in split.others:
        ctx.into(other, _part(dest, path), mode)
    value = term.bindings[split.binding][1]
    place = _part(dest, split.path)
    if split.rest is None:
        ctx.into(value, place, mode)
        return
    ctx.into(split.rest, place, mode)
    ctx.into(value, place, Mode.ACCUMULATE)


def _part(dest: Destination, path: tuple[int, ...]) -> Destination:
    for k in path:
        assert isinstance(dest, Group)
        dest = dest.items[k]  # type: ignore[assignment]
    return dest


def _split(binding: int, body: Term, var: Var, value: Term) -> Split | None:
    if body is var:
        return Split(binding, (), None, ())
    if isinstance(body, MakeTuple):
        users = [k for k, item in enumerate(body.items) if var in item.free]
        if len(users) != 1:
            return None
        [user] = users
        inner = _split(binding, body.items[user], var, value)
        if inner is None:
            return None
        others: list[tuple[tuple[int, ...], Term]] = [((k,), item) for k, item in enumerate(body.items) if k != user]
        others += [((user, *path), item) for path, item in inner.others]
        return Split(binding, (user, *inner.path), inner.rest, tuple(others))
    rest = _without(body, var, value)
    return None if rest is None else Split(binding, (), rest, ())


def _without(body: Term, var: Var, value: Term) -> Term | None:
    """The builds around a sum of which `var[i]…` is a summand, without it, if they are of the size of `var`."""
    nest: list[Build] = []
    inner: Term = body
    while isinstance(inner, Build):
        size = size_of(value, len(nest)) if len(nest) < rank_of(value.type) else inner.size
        if not alpha_equal(size, inner.size) and not _is_length(inner.size, var, len(nest)):
            return None
        if var in size.free:
            return None
        nest.append(Build(size, inner.index, inner.body))
        inner = inner.body
    rest = _rest(inner, var, [level.index for level in nest]) if nest else None
    if rest is None or var in rest.free:
        return None
    for level in reversed(nest):
        rest = Build(level.size, level.index, rest)
    return rest


def _is_length(size: Term, var: Var, axis: int) -> bool:
    return isinstance(size, Length) and size.array is var and size.axis == axis


def _rest(sum_: Term, var: Var, indices: list[Var]) -> Term | None:
    if not isinstance(sum_, Prim) or sum_.primitive not in (p.add, p.subtract):
        return None
    left, right = sum_.arguments
    if _is_element(left, var, indices):
        return right if sum_.primitive is p.add else Prim(p.negate, (right,))
    if sum_.primitive is p.add and _is_element(right, var, indices):
        return left
    inner = _rest(left, var, indices)
    if inner is not None:
        return Prim(sum_.primitive, (inner, right))
    inner = _rest(right, var, indices) if sum_.primitive is p.add else None
    return None if inner is None else Prim(p.add, (left, inner))


def _is_element(t: Term, var: Var, indices: list[Var]) -> bool:
    for index in reversed(indices):
        if not (isinstance(t, Get) and t.index is index):
            return False
        t = t.array
    return t is var
