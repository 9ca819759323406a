"""Small arrays that a loop carries are carried element by element: in registers, and each like any other component.

Unrolling makes displays of small arrays (design §6); where a loop reads them only at known places, no array is needed.
"""

from __future__ import annotations

from fsmooth import thresholds
from fsmooth.core.build import components
from fsmooth.core.subst import refresh, substitute1
from fsmooth.core.term import Const, Get, IFold, Length, Let, MakeTuple, Proj, Term, Var, Vector, Zero, let
from fsmooth.core.traverse import children, subterms, transform
from fsmooth.core.types import Bool, Float, Int, Tuple
from fsmooth.optimise.regions import component
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule


@rule(
    "ifold (fun a i -> [e (a[0]) (a[1]) i, b (a[0]) (a[1]) i]) [x, y] n"
    " ~> let t = ifold (fun a i -> (e (fst a) (snd a) i, b (fst a) (snd a) i)) (x, y) n in [fst t, snd t]",
    source="design §6, static sizes",
    heads=IFold,
)
def split_display(t: Term, facts: Facts) -> Term | None:
    """Arrays in the state whose elements are written out before the loop and in it, and read at known places only."""
    match t:
        case IFold(size, init, state, index, body):
            bindings, result = (body.bindings, body.body) if isinstance(body, Let) else ((), body)
        case _:
            return None
    if isinstance(t.type, Tuple) and not isinstance(result, MakeTuple):
        return None
    before = components(init) if isinstance(t.type, Tuple) else (init,)
    after = result.items if isinstance(t.type, Tuple) and isinstance(result, MakeTuple) else (result,)
    chosen: dict[int, list[Term]] = {}
    for k, (a, b) in enumerate(zip(before, after, strict=True)):
        elements = _elements(a, len(b.items)) if isinstance(b, Vector) and _is_small(b) else None
        if elements is not None:
            chosen[k] = elements
    chosen = _read_at_places(t, chosen) if chosen else chosen
    if not chosen:
        return None
    outside: list[tuple[Var, Term]] = []
    inside: list[tuple[Var, Term]] = list(bindings)
    start: list[Term] = []
    new: list[Term] = []
    for k, (a, b) in enumerate(zip(before, after, strict=True)):
        if isinstance(b, Vector) and k in chosen:
            start += [number for x in chosen[k] for number in _numbers(x, outside)]
            new += [number for x in b.items for number in _numbers(x, inside)]
        else:
            start.append(a)
            new.append(b)
    first = MakeTuple(tuple(start)) if len(start) > 1 else start[0]
    own = Var(state.name, first.type, state.site)
    step = let(inside, MakeTuple(tuple(new)) if len(new) > 1 else new[0])
    loop = IFold(size, first, own, index, _reading(step, state, _parts(t, chosen, own)))
    whole = Var(state.name, loop.type, state.site)
    return Let((*outside, (whole, loop)), _together(_parts(t, chosen, whole), t))


def _is_small(value: Vector) -> bool:
    element = value.items[0].type
    inside = element.items if isinstance(element, Tuple) else (element,)
    return len(inside) * len(value.items) <= thresholds.DISPLAY and all(
        [isinstance(x, Float | Int | Bool) for x in inside]
    )


def _elements(value: Term, count: int) -> list[Term] | None:
    """The elements of an array that is written out."""
    match value:
        case Vector(items) if len(items) == count:
            return list(items)
        case Zero((Const(size),), Float() as leaf) if size == count:
            return [Zero((), leaf)] * count
        case _:
            return None


def _width(element: Term) -> int:
    return len(element.type.items) if isinstance(element.type, Tuple) else 1


def _numbers(element: Term, definitions: list[tuple[Var, Term]]) -> list[Term]:
    """The numbers of an element, which is one or a tuple of some; what it defines is added to the definitions."""
    if isinstance(element, Let):
        own = refresh(element)
        assert isinstance(own, Let)
        definitions += own.bindings
        return _numbers(own.body, definitions)
    return [component(element, k) for k in range(_width(element))] if isinstance(element.type, Tuple) else [element]


def _read_at_places(loop: IFold, arrays: dict[int, list[Term]]) -> dict[int, list[Term]]:
    """Those of the arrays in the state of which the body reads elements at constant places, or the length, and nothing else."""
    found = dict(arrays)
    if loop.body is loop.state or _position(loop.body, loop.state) is not None:
        return {}
    for t in subterms(loop.body):
        for child in children(t):
            k = _position(child, loop.state)
            if k is None and child is loop.state and not isinstance(t, Proj):
                return {}
            if k in found and not (isinstance(t, Length) or _is_at_place(t, len(found[k]))):
                del found[k]
    return found


def _is_at_place(t: Term, count: int) -> bool:
    return isinstance(t, Get) and isinstance(t.index, Const) and 0 <= t.index.value < count


def _position(t: Term, state: Var) -> int | None:
    """Which component of the state it is."""
    if not isinstance(state.type, Tuple):
        return 0 if t is state else None
    return t.position if isinstance(t, Proj) and t.tuple is state else None


def _parts(loop: IFold, chosen: dict[int, list[Term]], whole: Var) -> list[Term | list[Term]]:
    """The components of the old state in terms of the new one: an array that is split is a list of its elements."""
    count = len(loop.type.items) if isinstance(loop.type, Tuple) else 1
    total = sum([sum(map(_width, chosen[k])) if k in chosen else 1 for k in range(count)])
    flat: list[Term] = [Proj(whole, j) for j in range(total)] if total > 1 else [whole]
    parts: list[Term | list[Term]] = []
    for k in range(count):
        if k not in chosen:
            parts.append(flat.pop(0))
            continue
        elements: list[Term] = []
        for x in chosen[k]:
            own, flat = flat[: _width(x)], flat[_width(x) :]
            elements.append(MakeTuple(tuple(own), x.type) if isinstance(x.type, Tuple) else own[0])
        parts.append(elements)
    return parts


def _together(parts: list[Term | list[Term]], loop: IFold) -> Term:
    arrays = [Vector(tuple(part)) if isinstance(part, list) else part for part in parts]
    return MakeTuple(tuple(arrays), loop.type) if isinstance(loop.type, Tuple) else arrays[0]


def _reading(body: Term, state: Var, parts: list[Term | list[Term]]) -> Term:
    whole = state.renamed()

    def change(t: Term) -> Term:
        if isinstance(t, Get | Length):
            k = _position(t.array, whole)
            part = None if k is None else parts[k]
            if isinstance(part, list):
                return Const(len(part)) if isinstance(t, Length) else part[int(t.index.value)]  # type: ignore[attr-defined]
        return t

    def rest(t: Term) -> Term:
        k = _position(t, whole)
        part = None if k is None else parts[k]
        return part if isinstance(part, Term) else t

    return transform(transform(substitute1(body, state, whole), change), rest)
