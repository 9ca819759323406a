"""Values at the types that others need: conversions, common types, conditions, branches."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import NamedTuple

from fsmooth.core import primitives as p
from fsmooth.core.alternatives import is_one_of, kinds_of
from fsmooth.core.build import build, equals, number, project
from fsmooth.core.lists import no_list
from fsmooth.core.nodes.built import Built, is_like_built
from fsmooth.core.shape import size_of
from fsmooth.core.term import Const, Get, If, MakeTuple, Prim, Proj, Term, Var, Zero, scalar_constant
from fsmooth.core.trees import Constant, Registered, known_parts
from fsmooth.core.types import F32, Array, Bool, Float, Int, Tuple, Type, is_scalar, leaf_of, rank_of
from fsmooth.core.weak import is_weak
from fsmooth.errors import TypeMismatchError
from fsmooth.frontend.python.built_nodes import as_built
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.kinds import describe, identical, is_same_record, join_kinds, join_types
from fsmooth.frontend.python.outer_sizes import outer_size
from fsmooth.frontend.python.weak import narrowed, strengthened


class Model(NamedTuple):
    """A value that is what the one that is converted may be instead; `outside` gives a part of it where it is known here."""

    value: Term
    outside: Callable[[Term], Term | None]

    def part(self, k: int) -> Model:
        """A component of it."""
        return Model(project(self.value, k), self.outside)


Models = Sequence[Model]


def convert(frame: Frame, term: Term, wanted: Type, node: ast.AST, models: Models = ()) -> Term:
    """`term` at type `wanted`: Int and Bool to Float, constants at once, arrays and tuples part by part.

    Values of one of several kinds have the arrays of `models` for what they are not.
    """
    have = term.type
    if have == wanted and known_parts(have) == known_parts(wanted):
        return frame.with_lists(term if is_weak(wanted) else strengthened(term), wanted)
    if isinstance(wanted, Built) and is_like_built(have, wanted):
        return as_built(frame, term, wanted, node, convert)
    if isinstance(wanted, Float) and isinstance(have, Float | Int | Bool):
        made = real(frame, term, wanted)
        return made if is_weak(wanted) else strengthened(made)
    if isinstance(wanted, Int) and isinstance(have, Bool):
        return Prim(p.to_int, (term,))
    if isinstance(wanted, Array) and isinstance(have, Array):
        term, element = frame.bind(frame.as_array(term)), no_list(wanted.element)
        return frame.with_lists(build(size_of(term), lambda i: convert(frame, Get(term, i), element, node)), wanted)
    if isinstance(wanted, Tuple) and is_one_of(wanted):
        return _as_one_of(frame, term, wanted, node, models)
    if isinstance(wanted, Tuple) and isinstance(have, Tuple) and (places := places_of(have, wanted)):
        term = frame.bind(term)
        own = [m for m in models if isinstance(m.value.type, Tuple) and places_of(m.value.type, wanted) == places]
        parts = [
            convert(frame, project(term, k), t, node, [m.part(k) for m in own])
            for k, t in zip(places, wanted.items, strict=True)
        ]
        return MakeTuple(tuple(parts), wanted)
    frame.fail(
        TypeMismatchError, node, f"expected {describe(wanted)}, found {describe(have)}", "give it a value of that type"
    )


def _as_one_of(frame: Frame, term: Term, wanted: Tuple, node: ast.AST, models: Models) -> Term:
    """A value as one of several kinds.  What it would be if it were of the others is never read: arrays are those of `models`."""
    kinds = kinds_of(wanted)
    if not is_one_of(term.type):
        only = place_among(term.type, kinds)
        tag: Term = Const(only)
        values: dict[int, list[tuple[Term, Term]]] = {only: [(tag, term)]}
    else:
        term = term if isinstance(term, MakeTuple) else frame.bind(term)
        own = project(term, 0)
        places = [place_among(kind, kinds) for kind in kinds_of(term.type)]
        tag = own if places == list(range(len(places))) else Const(places[-1])
        if tag is not own:
            for k, place in reversed(list(enumerate(places[:-1]))):
                tag = If(equals(own, Const(k)), Const(place), tag)
        values = {}
        for k, place in enumerate(places):
            values.setdefault(place, []).append((Const(k), project(term, 1 + k)))
    items: list[Term] = []
    for place, kind in enumerate(kinds):
        if place not in values:
            items.append(_never_read(frame, kind, _of_kind(kind, models), wanted, node))
            continue
        (_, value), *others = values[place]
        item = convert(frame, value, kind, node)
        for own_tag, other in others:
            item = If(equals(project(term, 0), own_tag), convert(frame, other, kind, node), item)
        items.append(item)
    return MakeTuple((tag, *items), wanted)


def place_among(type_: Type, kinds: Sequence[Type]) -> int:
    """The place of the kind that a value of a type is of, or converts to; numbers of Python and of NumPy are of one."""
    joined = [join_types(kind, type_) for kind in kinds]
    return next(
        k for k, j in enumerate(joined) if j is not None and j == kinds[k] and known_parts(j) == known_parts(kinds[k])
    )


def _of_kind(kind: Type, models: Models) -> Models:
    """The models of a kind."""
    found: list[Model] = []
    for model in models:
        type_ = model.value.type
        parts = [model.part(1 + k) for k in range(len(kinds_of(type_)))] if is_one_of(type_) else [model]
        found += [q for q in parts if join_types(kind, q.value.type) is not None]
    return found


def _never_read(frame: Frame, type_: Type, models: Models, wanted: Type, node: ast.AST) -> Term:
    """A value that nobody reads."""
    match type_:
        case Float() | Int():
            return number(0, type_)
        case Bool():
            return Const(False)
        case Tuple(items):
            parts = [[model.part(k) for model in models] for k in range(len(items))]
            made = [_never_read(frame, t, part, wanted, node) for t, part in zip(items, parts, strict=True)]
            return MakeTuple(tuple(made), type_)
        case _:
            for model, outside in models:
                array = outside(model)
                if array is not None and array.type == type_:
                    return array
            for model, outside in models:
                sizes = _sizes_outside(frame, model, outside) if model.type == type_ else None
                if sizes is not None:
                    return Zero(sizes, leaf_of(type_))
            what = f"this is {describe(wanted)}, whose arrays have no size where it is the other"
            frame.fail(TypeMismatchError, node, what, "start with a value of the kind that has the arrays")


def _sizes_outside(frame: Frame, array: Term, outside: Callable[[Term], Term | None]) -> tuple[Term, ...] | None:
    """The sizes of an array of numbers, if they are known outside."""
    if not is_scalar(leaf_of(array.type)):
        return None
    sizes = [outer_size(frame, array, axis, outside) for axis in range(rank_of(array.type))]
    return None if None in sizes else tuple([size for size in sizes if size is not None])


def places_of(have: Tuple, wanted: Tuple) -> list[int] | None:
    """Where the components that are wanted are: those of a dictionary by their keys; None if it has others.

    What is known of two objects while compiling is the same.
    """
    is_known = isinstance(have.record, Constant | Registered) or isinstance(wanted.record, Constant | Registered)
    if len(have.items) != len(wanted.items) or (is_known and have.record != wanted.record):
        return None
    if have.record is not dict or wanted.record is not dict:
        return list(range(len(have.items)))
    own = have.names or ()
    return [own.index(key) for key in wanted.names or ()] if set(own) == set(wanted.names or ()) else None


def real(frame: Frame, term: Term, wanted: Float) -> Term:
    """A number as a real number of the width that is wanted; that of an integer is weak."""
    if term.type == wanted:
        return Const(term.value, wanted) if isinstance(term, Const) else term
    if isinstance(term, Const):
        return scalar_constant(float(term.value), wanted)
    if isinstance(term, Zero):
        return Zero((), wanted)
    if wanted == F32:
        return narrowed(frame, term)
    return Prim(p.conversion_to(wanted), (term,))


def join(frame: Frame, a: Type, b: Type, node: ast.AST, what: str = "these values") -> Type:
    """The one type that both can have."""
    joined = join_types(a, b)
    if joined is None:
        frame.fail(TypeMismatchError, node, f"{what} are {describe(a)} and {describe(b)}", "make them the same type")
    return joined


def join_kinds_of(frame: Frame, a: Type, b: Type, node: ast.AST, what: str = "these values") -> Type:
    """The one type that values of both types can have, which may be that of one of several kinds."""
    joined = join_kinds(a, b)
    return join(frame, a, b, node, what) if joined is None else joined


def assembled(parts: tuple[Term, ...], type_: Tuple) -> Term:
    """A structure of these parts; the variable itself, if they are all its components."""
    for whole in [item.tuple for item in parts if isinstance(item, Proj)][:1]:
        if isinstance(whole, Var) and same_structure(whole.type, type_):
            own = [is_component(item, whole, k) for k, item in enumerate(parts)]
            if all(own):
                return whole
    return MakeTuple(parts, type_)


def same_structure(a: Type, b: Type) -> bool:
    """Are the types the same, and of the same class?"""
    return identical(a, b) and isinstance(a, Tuple) and isinstance(b, Tuple) and is_same_record(a.record, b.record)


def is_component(item: Term, whole: Var, k: int) -> bool:
    """Is it component k of the variable, or a constant, as that is?"""
    match item:
        case Proj(Var() as var, position):
            return var is whole and position == k
        case MakeTuple(()):
            return len(known_parts(item.type)) == 1
        case _:
            return False


def common(frame: Frame, a: Term, b: Term, node: ast.AST) -> tuple[Term, Term]:
    """Both numbers at their common type, ready for one primitive; a weak one takes the width of the other."""
    joined = join(frame, a.type, b.type, node, "the operands")
    if isinstance(joined, Float) and not isinstance(a.type, Bool) and not isinstance(b.type, Bool):
        return real(frame, a, joined), real(frame, b, joined)
    return convert(frame, a, joined, node), convert(frame, b, joined, node)


def truth(frame: Frame, term: Term, node: ast.AST) -> Term:
    """A condition."""
    match term.type:
        case Bool():
            return term
        case Int() | Float() if isinstance(term, Const):
            return Const(term.value != 0)
        case Int() | Float():
            return Prim(p.not_equal, (term, number(0, term.type)))
        case _:
            frame.fail(
                TypeMismatchError,
                node,
                f"a condition is a truth value, not {describe(term.type)}",
                "use any(…) or all(…) of its elements",
            )
