"""Values of one of several kinds: what is known of the kind, what is asked of it, and what is done for each.

A name that is None or a number, a circle or a square, one function or another is such a value.  Where a condition says of
which kind it is, it is that; elsewhere what is done with it is done for each kind that it may be of.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Sequence

from fsmooth.core import primitives as p
from fsmooth.core.alternatives import Code, is_one_of, kinds_of
from fsmooth.core.build import equals, project
from fsmooth.core.nodes.declaration import Nodes
from fsmooth.core.term import Const, Failure, If, MakeTuple, Prim, Require, Term, Var
from fsmooth.core.trees import Constant, class_of
from fsmooth.core.types import Array, Tuple, Type
from fsmooth.errors import TypeMismatchError
from fsmooth.frontend.python.conversion import convert, join_kinds_of, place_among
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.joins import either_way
from fsmooth.frontend.python.kinds import describe
from fsmooth.frontend.python.narrowing import has_one_of, is_possible, is_same
from fsmooth.frontend.python.parts import can_be_called, seen
from fsmooth.frontend.python.protocols import has_elements
from fsmooth.frontend.python.values import FUNCTIONS, Static, Value


def is_of_kinds(value: Value) -> bool:
    """Is it a value of one of several kinds?"""
    return isinstance(value, Term) and is_one_of(value.type)


def possible_kinds(frame: Frame, value: Term) -> list[int]:
    """The kinds that the value may be of here."""
    tag = project(value, 0)
    if isinstance(tag, Const):
        return [int(tag.value)]
    count = len(kinds_of(value.type))
    found = [k for k in range(count) if is_possible(frame, lambda test: _asked(frame, test, tag), k)]
    return found or list(range(count))  # of what is never evaluated nothing is known


def as_kind(value: Term, kind: int) -> Value:
    """What it is if it is of a kind."""
    return seen(project(value, 1 + kind))


def narrowed(frame: Frame, value: Value) -> Value:
    """The value, as what it is if only one kind is left."""
    if not (isinstance(value, Term) and is_one_of(value.type)):
        return value
    left = possible_kinds(frame, value)
    return as_kind(value, left[0]) if len(left) == 1 else value


def is_of(frame: Frame, value: Term, wanted: Collection[int]) -> Term:
    """Is the value of one of these kinds?  Known while compiling where what holds there says it."""
    tag = project(value, 0)
    return has_one_of(lambda k: equals(tag, Const(k)), possible_kinds(frame, value), wanted)


def _asked(frame: Frame, test: Term, tag: Term) -> int | None:
    match test:
        case Prim(p.equal, (other, Const(wanted))) if is_same(frame, other, tag):
            return int(wanted)
        case _:
            return None


def operand(frame: Frame, value: Value, node: ast.AST) -> Value:
    """The value as a number or an array, which is required where it may be None, a text or a function."""
    if not (isinstance(value, Term) and is_one_of(value.type)):
        return value
    possible = possible_kinds(frame, value)
    kinds = kinds_of(value.type)
    usable = [k for k in possible if not is_known(kinds[k])]
    if len(usable) != 1 or len(possible) == 1:
        return value
    value = value if isinstance(value, Var) else frame.bind(value, "value")
    test = is_of(frame, value, usable)
    return _demanded(frame, value, usable, test, project(value, 1 + usable[0]), node, "TypeError", "")


def with_parts(frame: Frame, value: Value, node: ast.AST) -> Value:
    """The value as what has elements, which is required where it may be None or a number."""
    if not (isinstance(value, Term) and is_one_of(value.type)):
        return value
    value = value if isinstance(value, Var) else frame.bind(value, "value")
    usable = having_parts(frame, value)
    possible = possible_kinds(frame, value)
    if len(usable) != 1:
        others = " or ".join([describe(kinds_of(value.type)[k]) for k in possible])
        frame.fail(TypeMismatchError, node, f"this is {others}", "ask before which it is: `is None`, isinstance, ==")
    if len(possible) == 1:
        return as_kind(value, usable[0])
    test = is_of(frame, value, usable)
    return _demanded(frame, value, usable, test, project(value, 1 + usable[0]), node, "TypeError", _NO_PARTS)


def having_parts(frame: Frame, value: Term) -> list[int]:
    """The kinds that the value may be of here and that have elements."""
    kinds = kinds_of(value.type)
    return [k for k in possible_kinds(frame, value) if _has_parts(kinds[k])]


def _has_parts(kind: Type) -> bool:
    match kind:
        case Array():
            return True
        case Tuple(_, _, Constant(inner)):
            return isinstance(inner, str)
        case Tuple(_, _, record):
            return not isinstance(record, Code | Nodes) and has_elements(record)
        case _:
            return False


def for_parts(frame: Frame, value: Term, use: Callable[[Value], Value], node: ast.AST) -> Value:
    """What `use` makes of each of the kinds with elements."""
    value = value if isinstance(value, Var) else frame.bind(value, "value")
    return for_kinds(frame, value, having_parts(frame, value), use, node, "TypeError", _NO_PARTS)


_NO_PARTS = ", which has no elements"


def is_known(kind: Type) -> bool:
    """Is it a kind of which there is one value, or a function?"""
    return isinstance(kind, Tuple) and isinstance(kind.record, Constant | Code)


def _by_kinds(frame: Frame, value: Term, kinds: list[int], use: Callable[[Value], Value], node: ast.AST) -> Value:
    first, *rest = kinds
    if not rest:
        return use(as_kind(value, first))
    test = equals(project(value, 0), Const(first))
    return either_way(
        frame, test, lambda: use(as_kind(value, first)), lambda: _by_kinds(frame, value, rest, use, node), node
    )


def for_kinds(
    frame: Frame,
    value: Term,
    wanted: list[int],
    use: Callable[[Value], Value],
    node: ast.AST,
    error: str,
    lacks: str,
) -> Value:
    """What `use` makes of the value, which must be of one of the kinds that are wanted."""
    value = value if isinstance(value, Var) else frame.bind(value, "value")
    possible = possible_kinds(frame, value)
    if not wanted:
        others = " or ".join([describe(kinds_of(value.type)[k]) for k in possible])
        frame.fail(TypeMismatchError, node, f"this is {others}{lacks}", "ask isinstance, or `is None`, before")
    if len(wanted) == len(possible):
        return _by_kinds(frame, value, wanted, use, node)
    test = is_of(frame, value, wanted)

    def result() -> Term:
        with frame.shared.assuming(test, True):
            return frame.as_part(_by_kinds(frame, value, wanted, use, node), node)

    made = frame.inside(result, conditional=True)
    if isinstance(made.type, Tuple) and not made.type.items:
        others = " or ".join([describe(kinds_of(value.type)[k]) for k in possible if k not in wanted])
        frame.unsupported(
            node,
            f"what gives no number, of a value that may be {others},",
            "ask before which it is: `is None`, isinstance, ==",
        )
    return _demanded(frame, value, wanted, test, made, node, error, lacks)


def _demanded(
    frame: Frame, value: Term, wanted: list[int], test: Term, made: Term, node: ast.AST, error: str, lacks: str
) -> Value:
    """What was made, which is there only where the test holds."""
    others = [describe(kinds_of(value.type)[k]) for k in possible_kinds(frame, value) if k not in wanted]
    site = frame.site(node, f"{error}: this is {' or '.join(others)}{lacks}")
    at = Var("value", made.type)
    frame.scope.append((at, Require(test, made, Failure.RAISED, (), site)))
    return seen(at)


def one_among(frame: Frame, items: Sequence[Term], index: Term, node: ast.AST) -> Value:
    """The item at an index that is known at run time only, and is one of theirs."""
    wanted = items[0].type
    for item in items[1:]:
        wanted = join_kinds_of(frame, wanted, item.type, node, "the items")
    index = frame.bind(index, "k")
    if not is_one_of(wanted):
        return seen(_at(index, list(enumerate([convert(frame, item, wanted, node) for item in items]))))
    kinds = kinds_of(wanted)
    of_kind: dict[int, list[tuple[int, Term]]] = {}
    tags: list[tuple[int, Term]] = []
    for position, item in enumerate(items):
        own = kinds_of(item.type)
        places = [place_among(kind, kinds) for kind in own]
        for place in dict.fromkeys(places):
            here = [k for k in range(len(own)) if places[k] == place]
            whole = {k: project(item, 1 + k) if is_one_of(item.type) else item for k in here}
            made = [(k, convert(frame, whole[k], kinds[place], node)) for k in here]
            of_kind.setdefault(place, []).append(
                (position, made[0][1] if len(made) == 1 else _at(project(item, 0), made))
            )
        own_tags: list[tuple[int, Term]] = [(k, Const(place)) for k, place in enumerate(places)]
        tags.append((position, _at(project(item, 0), own_tags) if len(own) > 1 else Const(places[0])))
    is_index = all([isinstance(tag, Const) and tag.value == position for position, tag in tags])
    parts = [_at(index, of_kind[k]) for k in range(len(kinds))]
    assert isinstance(wanted, Tuple)
    return frame.bind(MakeTuple((index if is_index else _at(index, tags), *parts), wanted), "item")


def _at(index: Term, items: Sequence[tuple[int, Term]]) -> Term:
    """The item at an index."""
    *rest, (_, result) = items
    for position, item in reversed(rest):
        result = If(equals(index, Const(position)), item, result)
    return result


def is_function(value: Value) -> bool:
    """Can it be called?"""
    match value:
        case Static(inner):
            return callable(inner)
        case Term(type=Tuple(record=record)):
            return can_be_called(record)
        case _:
            return isinstance(value, FUNCTIONS)


def functions_among(frame: Frame, value: Value) -> list[Value]:
    """The functions that a value may be, if it is of one of several kinds of which one is a function."""
    if not (isinstance(value, Term) and is_one_of(value.type)):
        return []
    return [f for k in possible_kinds(frame, value) if is_function(f := as_kind(value, k))]


def has_attribute(kind: Type, name: str) -> bool:
    """Has a value of a kind an attribute of this name?"""
    match kind:
        case Tuple(_, _, Constant(value)):
            return hasattr(value, name)
        case Tuple(_, _, Code()):
            return False
        case Tuple(_, _, Nodes() as record) if not record.is_forest:
            constructors = record.declaration.constructors
            return any([name in [f.name for f in c.fields] or hasattr(c.cls, name) for c in constructors])
        case Tuple(_, names, record):
            cls = class_of(record)
            return name in (names or ()) or (cls is not None and hasattr(cls, name))
        case _:
            return True


def asked(frame: Frame, value: Term, ask: Callable[[Value], Term], node: ast.AST) -> Term:
    """Whether something holds of the value: a test of its kind where that is known of each kind."""
    value = value if isinstance(value, Var) else frame.bind(value, "value")
    possible = possible_kinds(frame, value)
    found: dict[int, Term] = {}
    for k in possible:
        found[k] = frame.inside(lambda k=k: ask(as_kind(value, k)), conditional=True)  # type: ignore[misc]
    if all([isinstance(holds, Const) for holds in found.values()]):
        return is_of(frame, value, {k for k, holds in found.items() if isinstance(holds, Const) and holds.value})
    *rest, last = possible
    result = found[last]
    for k in reversed(rest):
        result = If(equals(project(value, 0), Const(k)), found[k], result)
    return result
