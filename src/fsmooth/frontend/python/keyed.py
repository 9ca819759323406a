"""The entries of dictionaries: `d[key]` and `d.get(key, default)`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection

from fsmooth.core import primitives as p
from fsmooth.core.alternatives import one_of
from fsmooth.core.build import equals
from fsmooth.core.nodes.texts import number_of
from fsmooth.core.term import Const, Failure, If, MakeTuple, Prim, Require, Term, Var
from fsmooth.core.trees import part
from fsmooth.core.types import Bool, Int, Tuple, has_array
from fsmooth.errors import TypeMismatchError, UndefinedNameError
from fsmooth.frontend.python.alternatives import as_kind, for_kinds, is_of_kinds, one_among, possible_kinds
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import constant_object
from fsmooth.frontend.python.joins import branch
from fsmooth.frontend.python.parts import is_part, seen
from fsmooth.frontend.python.values import Keyed, Static, Text, Value


def key_of(frame: Frame, node: ast.expr) -> object:
    """A key, which is known at compile time."""
    key = constant_object(frame, node)
    try:
        hash(key)
    except TypeError as error:
        frame.fail(TypeMismatchError, node, f"{frame.source.segment(node)}: {error}", "use a number or a text as a key")
    return key


Find = Callable[[object], Value]
"""What gives the entry of a dictionary for a key that is in it."""


def entry_of_several(frame: Frame, keys: Collection[object], find: Find, node: ast.Subscript) -> Value | None:
    """d[key], where the key is one of several that are known, or a text or an integer that is known at run time only; None if
    it is neither.
    """
    key = frame.expression(node.slice)
    if isinstance(key, Term) and is_of_kinds(key):
        return _entry_by_kind(frame, key, keys, find, node)
    asked = _asked(frame, key, keys)
    if asked is None:
        return None
    what = f"{frame.source.segment(node.slice)} is no key of {frame.source.segment(node.value)}"
    if not asked:
        frame.fail(UndefinedNameError, node, what, f"its keys are {_said(keys)}")
    holds = _any([test for _, test in asked])
    found = _among(frame, [find(own) for own, _ in asked], [test for _, test in asked[:-1]], node)
    site = frame.site(node, f"KeyError: {what}, whose keys are {_said(keys)}")
    if isinstance(found.type, Tuple) and not found.type.items:  # a function that captures nothing is asked for nothing
        nothing = part(None)
        found = MakeTuple((Const(0), found, MakeTuple((), nothing)), one_of((found.type, nothing)))
    at = Var("entry", found.type)
    frame.scope.append((at, Require(holds, found, Failure.RAISED, (), site)))
    return seen(at)


def got(frame: Frame, keys: Collection[object], find: Find, node: ast.Call) -> Value:
    """d.get(key, default)."""
    asking, *rest = node.args

    def default() -> Value:
        return frame.expression(rest[0]) if rest else Static(None)

    def of(own: object) -> Value:
        return find(own) if own in keys else default()

    key = frame.expression(asking)
    if isinstance(key, Term) and is_of_kinds(key):
        key = key if isinstance(key, Var) else frame.bind(key, "key")
        return for_kinds(frame, key, possible_kinds(frame, key), lambda one: of(known_key(one)), node, "TypeError", "")
    asked = _asked(frame, key, keys)
    if asked is None:
        return of(key_of(frame, asking))
    items = [*[find(own) for own, _ in asked], default()]
    return seen(_among(frame, items, [test for _, test in asked], node))


def _asked(frame: Frame, key: Value, keys: Collection[object]) -> list[tuple[object, Term]] | None:
    """The keys that a text or an integer may be which is known at run time only, and the test for each; None for others."""
    match key:
        case Text(number):
            at = frame.bind(number, "key")
            return [(own, equals(at, Const(number_of(own)))) for own in keys if isinstance(own, str)]
        case Term(type=Int() | Bool()) if not isinstance(key, Const):
            at = frame.bind(Prim(p.to_int, (key,)) if isinstance(key.type, Bool) else key, "key")
            return [(own, equals(at, Const(int(own)))) for own in keys if isinstance(own, int)]
        case _:
            return None


def _any(tests: list[Term]) -> Term:
    *rest, holds = tests
    for test in reversed(rest):
        holds = If(test, Const(True), holds)
    return holds


def _among(frame: Frame, items: list[Value], tests: list[Term], node: ast.AST) -> Term:
    """The item whose test holds; the last one has none."""
    for item in items:
        if not is_part(item):
            what = "an entry that is known while compiling only, for a key that is not,"
            frame.unsupported(node, what, "ask for the key with if, or match")
    terms = [frame.as_part(item, node) for item in items]
    if any([has_array(term.type) for term in terms]):
        *first, last = terms
        for test, term in zip(reversed(tests), reversed(first), strict=True):
            last = branch(frame, test, term, last, node)
        return frame.bind(last, "entry")
    index: Term = Const(len(tests))
    for k, test in reversed(list(enumerate(tests))):
        index = If(test, Const(k), index)
    return frame.as_part(one_among(frame, terms, index, node), node)


def _said(keys: Collection[object]) -> str:
    return ", ".join([repr(key) for key in keys])


def _entry_by_kind(frame: Frame, key: Term, keys: Collection[object], find: Find, node: ast.Subscript) -> Value:
    key = key if isinstance(key, Var) else frame.bind(key, "key")

    def use(one: Value) -> Value:
        return find(known_key(one))

    wanted = [kind for kind in possible_kinds(frame, key) if known_key(as_kind(key, kind)) in keys]
    return for_kinds(frame, key, wanted, use, node, "KeyError", f", and no key of {frame.source.segment(node.value)}")


def known_key(one: Value) -> object:
    """A key of a kind of which there is one value."""
    return one.value if isinstance(one, Static | Const) else one


def entry(frame: Frame, owner: Keyed, node: ast.Subscript) -> Value:
    """d[key]."""
    chosen = entry_of_several(frame, owner.entries, owner.entries.__getitem__, node)
    if chosen is not None:
        return chosen
    key = key_of(frame, node.slice)
    if key not in owner.entries:
        frame.fail(UndefinedNameError, node, f"there is no key {key!r}", f"its keys are {_said(owner.entries)}")
    return owner.entries[key]
