"""Dictionaries and sets: known at compile time, with run-time values in them."""

from __future__ import annotations

import ast
from collections.abc import Callable

from fsmooth.core.term import Const, Term
from fsmooth.core.types import Array
from fsmooth.errors import TypeMismatchError
from fsmooth.frontend.python.assignments import updated
from fsmooth.frontend.python.brackets import indices_in
from fsmooth.frontend.python.displays import display_element, known
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import keywords
from fsmooth.frontend.python.growing import forget_names
from fsmooth.frontend.python.iterables import iterable
from fsmooth.frontend.python.keyed import got, key_of
from fsmooth.frontend.python.logic import condition
from fsmooth.frontend.python.spreading import entries_of, items_of
from fsmooth.frontend.python.values import Keyed, Listed, Static, Unrolled, Value

Target = Callable[[Frame, ast.expr, Value, ast.AST], None]


def keyed_display(frame: Frame, node: ast.Dict) -> Keyed:
    """{"a": e, **d}."""
    entries: dict[object, Value] = {}
    for key, item in zip(node.keys, node.values, strict=True):
        if key is None:
            entries.update(entries_of(frame, frame.expression(item), item))
        else:
            entries[key_of(frame, key)] = named(frame, display_element(frame, item), "item")
    return Keyed(entries)


def named(frame: Frame, value: Value, name: str) -> Value:
    """A value that is computed once."""
    return frame.bind(value, name) if isinstance(value, Term) else value


def keyed_call(frame: Frame, node: ast.Call) -> Keyed:
    """dict(), dict(a=e), dict(d), dict(pairs)."""
    entries: dict[object, Value] = {}
    for argument in node.args:
        value = frame.expression(argument)
        if isinstance(value, Keyed) or (isinstance(value, Static) and isinstance(value.value, dict)):
            entries.update(entries_of(frame, value, argument))
            continue
        for pair in items_of(frame, value, argument) or ():
            parts = items_of(frame, pair, argument) or []
            if len(parts) != 2 or not isinstance(parts[0], Const | Static):
                frame.fail(TypeMismatchError, argument, "dict takes pairs of a key and a value", "write dict(a=…)")
            entries[parts[0].value] = parts[1]
    for keyword in node.keywords:
        assert keyword.arg is not None
        entries[keyword.arg] = named(frame, display_element(frame, keyword.value), keyword.arg)
    return Keyed(entries)


def keyed_comprehension(frame: Frame, node: ast.DictComp, assign: Target) -> Keyed:
    """{k: e for k in …} over what is known at compile time."""
    entries: dict[object, Value] = {}

    def add() -> None:
        entries[key_of(frame, node.key)] = named(frame, display_element(frame, node.value), "item")

    each(frame, node.generators, add, assign)
    return Keyed(entries)


def set_display(frame: Frame, node: ast.Set | ast.SetComp, assign: Target) -> Static:
    """{a, b}, {e for a in …} of what is known at compile time."""
    found: set[object] = set()
    if isinstance(node, ast.Set):
        found.update([key_of(frame, element) for element in node.elts])
    else:
        each(frame, node.generators, lambda: found.add(key_of(frame, node.elt)), assign)
    return Static(frozenset(found))


def each(frame: Frame, generators: list[ast.comprehension], make: Callable[[], object], assign: Target) -> None:
    """Do something for each element of generators, at compile time."""
    saved = dict(frame.names)
    try:
        _nested(frame, generators, make, assign)
    finally:
        frame.names.clear()
        frame.names.update(saved)


def _nested(frame: Frame, generators: list[ast.comprehension], make: Callable[[], object], assign: Target) -> None:
    if not generators:
        make()
        return
    first, *rest = generators
    source = iterable(frame, first.iter)
    items = list(source.items) if isinstance(source, Unrolled) else items_of(frame, source, first.iter)
    if items is None:
        hint = "go over a tuple, a dictionary or a constant range, or use a list comprehension"
        frame.unsupported(first.iter, "a dictionary of as many entries as are known only at run time", hint)
    for item in items:
        assign(frame, first.target, item, first.target)
        tests = [condition(frame, test) for test in first.ifs]
        if not all([isinstance(test, Const) for test in tests]):
            frame.unsupported(first.iter, "a condition on the entries of a dictionary", "use a list comprehension")
        if all([test.value for test in tests if isinstance(test, Const)]):
            _nested(frame, rest, make, assign)


def keyed_method(frame: Frame, owner: Keyed, name: str, node: ast.Call) -> Value:
    """d.keys(), d.values(), d.items(), d.get(key, default), d.copy()."""
    keywords(frame, node, ())
    entries = owner.entries
    match name:
        case "keys":
            return Unrolled(tuple([known(key) for key in entries]))
        case "values":
            return Unrolled(tuple(entries.values()))
        case "items":
            return Unrolled(tuple([Unrolled((known(key), value)) for key, value in entries.items()]))
        case "copy":
            return Keyed(dict(entries))
        case "get" if 1 <= len(node.args) <= 2:
            return got(frame, entries, entries.__getitem__, node)
        case _:
            hint = "use d[key], d[key] = e, keys, values, items, get, copy or update"
            frame.unsupported(node, f"the method {name} of a dictionary", hint)


def is_keyed(frame: Frame, name: str) -> bool:
    """Does a name stand for a dictionary of the program's?"""
    return isinstance(frame.names.get(name), Keyed)


def update(frame: Frame, name: str, node: ast.Call) -> None:
    """d.update(other, a=e)."""
    old = frame.names[name]
    assert isinstance(old, Keyed)
    forget_names(frame, name, old, node)
    frame.names[name] = Keyed({**old.entries, **keyed_call(frame, node).entries})


def assign_item(frame: Frame, target: ast.Subscript, value: Value, node: ast.AST) -> bool:
    """d["a"] = e, xs[0] = e, d["w"][i] = e of dictionaries and lists known at compile time; is it one of them?"""
    slices: list[ast.expr] = []
    place: ast.expr = target
    while isinstance(place, ast.Subscript):
        slices.insert(0, place.slice)
        place = place.value
    if not isinstance(place, ast.Name):
        return False
    owner = frame.names.get(place.id)
    if not isinstance(owner, Keyed | Listed):
        return False
    new = with_item(frame, owner, slices, value, node, place.id)
    if new is None:
        return False
    forget_names(frame, place.id, owner, node)
    frame.names[place.id] = new
    return True


def with_item(
    frame: Frame, owner: Keyed | Listed, slices: list[ast.expr], value: Value, node: ast.AST, name: str
) -> Keyed | Listed | None:
    """A container with one of its items replaced; None for a list whose place is not known."""
    first, *rest = slices
    if isinstance(owner, Keyed):
        key = key_of(frame, first)
        return Keyed({**owner.entries, key: item(frame, owner.entries.get(key), rest, value, node, name)})
    at = None if isinstance(first, ast.Slice) else frame.expression(first)
    if not isinstance(at, Const) or not -len(owner.items) <= at.value < len(owner.items):
        return None
    items = list(owner.items)
    items[int(at.value)] = item(frame, items[int(at.value)], rest, value, node, name)
    return type(owner)(tuple(items))


def item(frame: Frame, inner: Value | None, slices: list[ast.expr], value: Value, node: ast.AST, name: str) -> Value:
    """What stands in a container for an item, or for an item with an element replaced."""
    if slices:
        return changed_inside(frame, inner, slices, value, node, name)
    return frame.bind(value, "item") if isinstance(value, Term) else value


def changed_inside(
    frame: Frame, inner: Value | None, slices: list[ast.expr], value: Value, node: ast.AST, name: str
) -> Value:
    """An item of a container with an element replaced."""
    if isinstance(inner, Keyed | Listed):
        made = with_item(frame, inner, slices, value, node, name)
        if made is not None:
            return made
    if inner is None or not isinstance(array := frame.term(inner, node), Term) or not isinstance(array.type, Array):
        frame.fail(TypeMismatchError, node, f"{name} has no array there", "assign the array first")
    indices = [index for part in slices for index in indices_in(frame, part)]
    terms = [index for index in indices if isinstance(index, Term)]
    if len(terms) < len(indices):
        frame.unsupported(node, "assignment to a slice of an item", "give the array a name first")
    frame.changed(name, array, node)
    return frame.bind(updated(frame, array, terms, frame.term(value, node), node, name), "item")
