"""Starred parts: `f(*x, **d)`, `[*x, e]`, `a, *rest = x`."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence as SequenceOf

from fsmooth.core import primitives as p
from fsmooth.core.build import minus
from fsmooth.core.term import Build, Check, Const, Failure, Get, Length, Prim, Require, Term, Var
from fsmooth.core.types import INT, Array, is_scalar
from fsmooth.frontend.python.displays import is_array
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.iterables import iterable_value
from fsmooth.frontend.python.names import item_of
from fsmooth.frontend.python.sizes import constant_size, length_of, required_size
from fsmooth.frontend.python.values import Keyed, Listed, Static, Uneven, Unrolled, Value


def items_of(frame: Frame, value: Value, node: ast.AST) -> list[Value] | None:
    """The elements of something iterable, if it is known at compile time how many they are."""
    source = iterable_value(frame, value, node)
    if isinstance(source, Unrolled):
        return list(source.items)
    count = constant_size(frame, source.size)
    if count is not None:
        return [source.element(Const(k)) for k in range(count)]
    longest = cut_off_at(frame, source.size)
    if longest is None or not isinstance(value, Term):
        return None
    array = required_size(frame, frame.bind(value, "a"), 0, Const(longest), node, "these elements")
    return [Get(array, Const(k)) for k in range(longest)]


def cut_off_at(frame: Frame, size: Term) -> int | None:
    """The size of a slice with constant bounds of an array that is long enough; None for any other size."""
    size = frame.shared.definitions.get(size, size) if isinstance(size, Var) else size
    match size:
        case Prim(p.minimum, (Const(value), Length()) | (Length(), Const(value))):
            return int(value)
        case Prim(p.subtract, (whole, Const(value))):
            end = cut_off_at(frame, whole)
            return None if end is None else max(end - int(value), 0)
        case _:
            return None


def is_spread(node: ast.Call) -> bool:
    """Has a call starred arguments, or **?"""
    return any([isinstance(a, ast.Starred) for a in node.args]) or any([k.arg is None for k in node.keywords])


def spread_call(frame: Frame, signature: inspect.Signature | None, node: ast.Call) -> ast.Call:
    """A call whose starred arguments are names, one for each; those of an array are as many as the function takes."""
    arguments: list[ast.expr] = []
    keywords: list[ast.keyword] = []
    place = f"{node.lineno}_{node.col_offset}"

    def name(value: Value) -> ast.Name:
        made = f"_spread_{place}_{len(arguments)}_{len(keywords)}"
        frame.names[made] = value
        return ast.copy_location(ast.Name(made, ast.Load()), node)

    for argument in node.args:
        if not isinstance(argument, ast.Starred):
            arguments.append(argument)
            continue
        value = frame.expression(argument.value)
        items = items_of(frame, value, argument)
        if items is None:
            items = as_many_as_wanted(frame, value, signature, len(node.args) - 1 + len(node.keywords), argument)
        for item in items:
            arguments.append(name(item))
    for keyword in node.keywords:
        if keyword.arg is not None:
            keywords.append(keyword)
            continue
        for key, item in entries_of(frame, frame.expression(keyword.value), keyword.value).items():
            keywords.append(ast.copy_location(ast.keyword(str(key), name(item)), node))
    return ast.copy_location(ast.Call(node.func, arguments, keywords), node)


def forget_spread(frame: Frame) -> None:
    """The names of starred arguments are not needed any more."""
    for name in [n for n in frame.names if n.startswith("_spread_")]:
        del frame.names[name]


def as_many_as_wanted(
    frame: Frame, value: Value, signature: inspect.Signature | None, others: int, node: ast.Starred
) -> list[Value]:
    """The elements of an array, whose size must be what the function still takes."""
    kinds = inspect.Parameter
    wanted = None
    if signature is not None:
        parameters = list(signature.parameters.values())
        fixed = [q for q in parameters if q.default is q.empty and q.kind is not q.KEYWORD_ONLY]
        if all([q.kind not in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD) and q.default is q.empty for q in parameters]):
            wanted = len(fixed) - others
    if wanted is None:
        hint = "iterate over A.T for the columns of A; else write the arguments out, or annotate the size of the array"
        frame.unsupported(node, "a starred argument of a size that is known at run time only", hint)
    what = f"{frame.source.segment(node.value)}, for {wanted} arguments"
    array = required_size(frame, frame.bind(frame.term(value, node), "a"), 0, Const(wanted), node, what)
    return [Get(array, Const(k)) for k in range(wanted)]


def entries_of(frame: Frame, value: Value, node: ast.AST) -> dict[object, Value]:
    """The entries of a dictionary known at compile time."""
    if isinstance(value, Keyed):
        return dict(value.entries)
    if isinstance(value, Static) and isinstance(value.value, dict):
        return {key: item_of(frame, value, key, node) for key in value.value}
    frame.unsupported(node, "** of this", "write the keywords out, or give it a dictionary")


def starred_display(frame: Frame, elements: SequenceOf[ast.expr], node: ast.AST) -> list[Value] | None:
    """The elements of a display with starred parts; None if it is not known how many they are."""
    found: list[Value] = []
    for element in elements:
        if not isinstance(element, ast.Starred):
            found.append(frame.expression(element))
            continue
        items = items_of(frame, frame.expression(element.value), node)
        if items is None:
            return None
        found.extend(items)
    return found


def starred_items(frame: Frame, targets: SequenceOf[ast.expr], value: Value, node: ast.AST) -> list[Value]:
    """The values of targets of which one is starred: it gets the list of those that are left."""
    place = next(k for k, target in enumerate(targets) if isinstance(target, ast.Starred))
    after = len(targets) - place - 1
    items = items_of(frame, value, node)
    if items is not None:
        if len(items) < place + after:
            what = f"{len(items)} values for {place + after} names and a starred one"
            frame.unsupported(node, what, "give each name a value")
        end = len(items) - after
        rest = tuple(items[place:end])
        terms = [x for x in rest if isinstance(x, Term)]
        of_array = isinstance(value, Term) and isinstance(value.type, Array)
        may_differ = not of_array and any([not is_scalar(x.type) for x in terms])
        packed: Value = Uneven(rest) if may_differ else Listed(rest)
        if not may_differ and terms and len(terms) == len(rest) and is_array(rest):
            packed = frame.as_list(frame.as_term(packed, node))
        return [*items[:place], packed, *items[end:]]
    array = frame.bind(frame.term(value, node), "a")
    assert isinstance(array.type, Array)
    size = length_of(frame, array, node)
    enough = Prim(p.less_equal, (Const(place + after), size))
    site = frame.site(node, f"at least {place + after} values are needed")
    array = frame.bind(Require(enough, array, Failure.ASSERTION, (), site), "a")
    index = Var("i", INT, frame.site(node))
    rest_of = Build(minus(size, Const(place + after)), index, Get(array, Prim(p.add, (index, Const(place)))))
    last = [Get(array, Check(minus(size, Const(after - k)), size, site)) for k in range(after)]
    return [*[Get(array, Const(k)) for k in range(place)], frame.as_list(rest_of), *last]
