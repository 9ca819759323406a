"""`xs.append(e)`, `xs.extend(ys)`, `xs += [e]`: lists that grow, one element at a time."""

from __future__ import annotations

import ast
from typing import NoReturn

from msgspec.structs import replace

from fsmooth.core.build import minus, plus
from fsmooth.core.lists import is_list
from fsmooth.core.term import Check, Const, Get, Term, Update, Var, Vector
from fsmooth.core.types import Array
from fsmooth.errors import ArgumentMismatchError, TypeMismatchError
from fsmooth.frontend.python.assignments import updated
from fsmooth.frontend.python.conversion import convert, join, join_kinds_of
from fsmooth.frontend.python.displays import display
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import keywords
from fsmooth.frontend.python.indexing import checked
from fsmooth.frontend.python.kinds import describe, identical
from fsmooth.frontend.python.library import library
from fsmooth.frontend.python.sizes import alike
from fsmooth.frontend.python.values import Growing, Keyed, Listed, Missing, Tail, Unfilled, Unrolled, Value


class FirstElement(Exception):  # noqa: N818  (not a mistake: the search for it ends here)
    """The first element of a list was found that is empty before the loop."""

    def __init__(self, found: Unfilled, element: Term) -> None:
        self.found = found
        self.element = element


def grow(frame: Frame, node: ast.Call, name: ast.Name, method: str) -> None:
    """xs.append(e), xs.extend(ys) as a statement."""
    keywords(frame, node, ())
    if len(node.args) != 1 or isinstance(node.args[0], ast.Starred):
        frame.fail(ArgumentMismatchError, node, f"{method} takes one argument", f"write {name.id}.{method}(e)")
    if method == "append":
        append(frame, name, frame.expression(node.args[0]), node)
    else:
        extend(frame, name, node.args[0], node)


def append(frame: Frame, name: ast.Name, element: Value, node: ast.AST) -> None:
    """The list called `name` gets one more element; where it is assigned, as by xs = xs + [e], its other names keep theirs."""
    old = frame.expression(ast.copy_location(ast.Name(name.id, ast.Load()), name))
    new = longer(frame, name.id, old, element, node)
    if not isinstance(node, ast.Assign):
        forget_names(frame, name.id, old, node)
    frame.names[name.id] = new


def longer(frame: Frame, name: str, old: Value, element: Value, node: ast.AST) -> Value:
    """The list with one more element."""
    match old:
        case Unfilled():
            raise FirstElement(old, frame.bind(frame.as_part(element, node), "element"))
        case Growing():
            return appended(frame, old, frame.bind(frame.as_part(element, node), "element"), node)
        case Listed(items):
            return Listed((*items, element))
        case Term() if is_list(old.type):
            written = written_out(frame, old)
            if written is not None:
                return Listed((*written, element))
            one = display(frame, [frame.term(element, node)], node)
            wanted = join(frame, old.type, one.type, node, f"the elements of {name}")
            parts = [convert(frame, part, wanted, node) for part in (old, one)]
            return frame.bind(frame.as_list(library(frame, "concatenate", parts, node)), name)
        case Term():
            what = describe(old.type)
        case _:
            what = "no list of this function"
    hint = f"start a list with [], or with list({name})"
    frame.fail(TypeMismatchError, node, f"{name} is {what}, to which nothing can be appended", hint)


def written_out(frame: Frame, array: Term) -> tuple[Term, ...] | None:
    """The elements of an array that was written out as a list; None for any other."""
    made = frame.shared.definitions.get(array) if isinstance(array, Var) else array
    return made.items if isinstance(made, Vector) else None


def appended(frame: Frame, old: Growing, element: Term, node: ast.AST) -> Growing:
    """The list in a loop with one more element, for which there is space."""
    room = old.room
    assert isinstance(room.type, Array)
    wanted = join_kinds_of(frame, room.type.element, element.type, node, "the elements of a list")
    if not identical(wanted, room.type.element):
        room = frame.bind(convert(frame, room, Array(wanted), node), "room")
    at = Const(0) if isinstance(old, Tail) else plus(old.start, old.added)
    given = convert(frame, element, wanted, node)
    new = alike(frame, given, Get(room, at), node, "the elements of a list")
    most = None if old.most is None else plus(old.most, Const(1))
    shared = old.shared | frame.shared.views.within(element)
    only = given if isinstance(old.added, Const) and old.added.value == 0 else None
    room = frame.bind(Update(room, at, new), "room")
    return replace(old, room=room, added=plus(old.added, Const(1)), most=most, shared=shared, only=only)


def position(frame: Frame, growing: Growing, index: Term, node: ast.AST, name: str) -> Term:
    """Where an element of a list in a loop is in its room."""
    count = plus(growing.start, growing.added)
    if not isinstance(growing, Tail):
        return checked(frame, index, count, node, name)
    if not isinstance(index, Const) or index.value != -1:
        refuse_tail(frame, node)
    return Check(minus(count, count), count, frame.site(node, name))


def refuse_tail(frame: Frame, node: ast.AST) -> NoReturn:
    """Of a list in a while loop no element but the last is known when its elements are counted."""
    hint = "read its last element [-1], or write fs.zeros(n) with an n that suffices, and count"
    frame.unsupported(node, "an element of a list that grows in a while loop", hint)


def with_element(frame: Frame, old: Growing, indices: list[Term], value: Term, node: ast.AST, name: str) -> Growing:
    """The list in a loop with one of its elements replaced."""
    first, *rest = indices
    at = position(frame, old, first, node, name)
    room = frame.bind(updated(frame, old.room, [at, *rest], value, node, name), "room")
    return replace(old, room=room, only=None)


def extend(frame: Frame, name: ast.Name, more: ast.expr, node: ast.AST) -> None:
    """The list called `name` gets the elements of something iterable, as if they were appended one by one."""
    if isinstance(more, ast.List | ast.Tuple) and not any([isinstance(e, ast.Starred) for e in more.elts]):
        for element in [frame.expression(e) for e in more.elts]:
            append(frame, name, element, node)
        return
    one = ast.Name("_element", ast.Load())
    method = ast.Attribute(ast.Name(name.id, ast.Load()), "append", ast.Load())
    body = ast.Expr(ast.Call(method, [one], []))
    made = ast.For(ast.Name("_element", ast.Store()), more, [body], [])
    parts: tuple[ast.AST, ...] = (made, made.target, body, body.value, method, method.value, one)
    for part in parts:
        ast.copy_location(part, node)
    frame.statement(made)
    frame.names.pop("_element", None)


def is_list_value(value: Value | None) -> bool:
    """Is a value a list, and no array?"""
    return isinstance(value, Listed | Growing | Unfilled) or (isinstance(value, Term) and is_list(value.type))


def forget_names(frame: Frame, name: str, old: Value, node: ast.AST) -> None:
    """The other names of a list that grows lose their value, here and in the callers."""
    if isinstance(old, Term):
        frame.changed(name, old, node)
        return
    line = frame.site(node).line
    around: Frame | None = frame
    while around is not None:
        for other, value in around.names.items():
            if holds(value, old) and not (around is frame and other == name):
                why = f"{other} is a list to which {name} on line {line} appends"
                if other == name:
                    why = f"{name} grows inside a function that is called, on line {line}"
                around.names[other] = Missing(why, f"append to {other} where it is made, or return what is to be added")
        around = around.outer


def holds(value: Value, part: Value) -> bool:
    """Is a list this one, or does it have this one in it?"""
    if isinstance(value, Keyed):
        return value is part or any([holds(item, part) for item in value.entries.values()])
    return value is part or (isinstance(value, Unrolled) and any([holds(item, part) for item in value.items]))
