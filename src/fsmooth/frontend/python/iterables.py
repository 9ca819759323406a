"""What `for … in` runs over: ranges, arrays, containers, enumerate, zip, reversed."""

from __future__ import annotations

import ast
from collections.abc import ItemsView, KeysView, ValuesView

from fsmooth.core import primitives as p
from fsmooth.core.build import minus, plus, times
from fsmooth.core.term import Check, Const, Get, MakeTuple, Prim, Term, Var
from fsmooth.core.types import INT, Array, Int, Tuple
from fsmooth.errors import ArgumentMismatchError, TypeMismatchError
from fsmooth.frontend.python.conversion import project
from fsmooth.frontend.python.displays import known
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import apply_value, constant_object, keywords
from fsmooth.frontend.python.kinds import describe
from fsmooth.frontend.python.names import item_of
from fsmooth.frontend.python.sizes import at_least_zero, length_of, same_size
from fsmooth.frontend.python.values import Sequence, Static, Unrolled, Value
from fsmooth.rewrite.linear import polynomial


def iterable(frame: Frame, node: ast.expr) -> Sequence | Unrolled:
    """What `for … in node` runs over."""
    if isinstance(node, ast.GeneratorExp):
        return iterable(frame, ast.copy_location(ast.ListComp(node.elt, node.generators), node))
    if isinstance(node, ast.Call):
        made = iterator_call(frame, node)
        if made is not None:
            return made
    return iterable_value(frame, frame.expression(node), node)


def iterable_value(frame: Frame, value: Value, node: ast.AST) -> Sequence | Unrolled:
    """A value as something to iterate over."""
    match value:
        case Sequence() | Unrolled():
            return value
        case Static(inner) if isinstance(inner, range):
            start, step = inner.start, inner.step
            return Sequence(Const(len(inner)), lambda i: plus(Const(start), times(Const(step), i)))
        case Static(inner) if isinstance(inner, list | tuple):
            return Unrolled(tuple([item_of(value, k, x) for k, x in enumerate(inner)]))
        case Static(inner) if isinstance(inner, dict | set | frozenset | str):
            return Unrolled(tuple([known(x) for x in inner]))
        case Static(inner) if isinstance(inner, ItemsView | KeysView | ValuesView):
            return Unrolled(tuple([known(x) for x in inner]))
    term = frame.term(value, node)
    if isinstance(term.type, Tuple):
        bound = frame.bind(term, "t")
        return Unrolled(tuple([project(bound, k) for k in range(len(term.type.items))]))
    if isinstance(term.type, Array):
        array = frame.bind(term, "a")
        return Sequence(length_of(frame, array, node), lambda i: Get(array, i))
    frame.fail(TypeMismatchError, node, f"{describe(term.type)} cannot be iterated over", "use range(n), or an array")


def iterator_call(frame: Frame, node: ast.Call) -> Sequence | Unrolled | None:
    """range, enumerate, zip, reversed, map, fs.unroll."""
    callee = frame.expression(node.func) if isinstance(node.func, ast.Name | ast.Attribute) else None
    if not isinstance(callee, Static):
        return None
    function, arguments = callee.value, node.args
    for argument in arguments:
        if isinstance(argument, ast.Starred):
            hint = "iterate over A.T for the columns of A" if function is zip else "write the arguments out"
            frame.unsupported(argument, "a starred argument", hint)
    if function is range:
        return range_of(frame, node)
    if function is enumerate and 1 <= len(arguments) <= 2:
        return enumerated(frame, node)
    if function is zip and arguments:
        given = keywords(frame, node, ("strict",))
        strict = constant_object(frame, given["strict"]) if given else False
        parts = [iterable(frame, a) for a in arguments]
        return zipped(frame, equally_long(frame, parts, node) if strict else parts, node)
    if function is reversed and len(arguments) == 1:
        return backwards(iterable(frame, arguments[0]))
    if function is map and len(arguments) == 2:
        return mapped(frame, arguments[0], arguments[1])
    if getattr(function, "__name__", "") == "unroll" and getattr(function, "__module__", "").startswith("fsmooth."):
        return unrolled(frame, iterable(frame, arguments[0]), node)
    return None


def enumerated(frame: Frame, node: ast.Call) -> Sequence | Unrolled:
    """enumerate(xs), enumerate(xs, start)."""
    inner = iterable(frame, node.args[0])
    given = [*node.args[1:], *keywords(frame, node, ("start",)).values()]
    start = frame.bind(frame.value(given[0]), "start") if given else Const(0)
    if not isinstance(start.type, Int):
        frame.fail(
            TypeMismatchError, given[0], f"enumerate starts at an integer, not at {describe(start.type)}", "use int(…)"
        )
    if isinstance(inner, Unrolled):
        return Unrolled(tuple([paired(plus(start, Const(k)), x) for k, x in enumerate(inner.items)]))
    return Sequence(inner.size, lambda i: paired(plus(start, i), inner.element(i)))


def backwards(inner: Sequence | Unrolled) -> Sequence | Unrolled:
    """The same, last first."""
    if isinstance(inner, Unrolled):
        return Unrolled(inner.items[::-1])
    last = minus(inner.size, Const(1))
    return Sequence(inner.size, lambda i: inner.element(minus(last, i)))


def mapped(frame: Frame, function: ast.expr, over: ast.expr) -> Sequence | Unrolled:
    """map(f, xs)."""
    value, inner = frame.expression(function), iterable(frame, over)
    if isinstance(inner, Unrolled):
        return Unrolled(tuple([apply_value(frame, value, [x], function) for x in inner.items]))
    return Sequence(inner.size, lambda i: apply_value(frame, value, [inner.element(i)], function))


def unrolled(frame: Frame, inner: Sequence | Unrolled, node: ast.AST) -> Unrolled:
    """fs.unroll(range(3)): one copy of the body for each step."""
    if isinstance(inner, Unrolled):
        return inner
    if not isinstance(inner.size, Const):
        frame.unsupported(node, "unrolling over a size known only at run time", "remove fs.unroll")
    return Unrolled(tuple([inner.element(Const(k)) for k in range(int(inner.size.value))]))


def paired(first: Term, second: Value) -> Value:
    """A pair of values; parts that are not run-time values stay apart."""
    if isinstance(second, Term):
        return MakeTuple((first, second))
    return Unrolled((first, second))


def range_of(frame: Frame, node: ast.Call) -> Sequence:
    """range(stop), range(start, stop), range(start, stop, step)."""
    keywords(frame, node, ())
    if not 1 <= len(node.args) <= 3:
        frame.fail(ArgumentMismatchError, node, f"range takes 1 to 3 arguments, not {len(node.args)}", "write range(n)")
    bounds = [frame.value(a) for a in node.args]
    for bound, part in zip(bounds, node.args, strict=True):
        if not isinstance(bound.type, Int):
            frame.fail(TypeMismatchError, part, f"range wants integers, not {describe(bound.type)}", "use int(…)")
    if len(bounds) == 1:
        size = frame.bind(bounds[0], "n")
        return Sequence(size, lambda i: i)
    start, stop = frame.bind(bounds[0], "start"), frame.bind(bounds[1], "stop")
    step = bounds[2] if len(bounds) == 3 else Const(1)
    if not isinstance(step, Const) or step.value == 0:
        frame.unsupported(node, "range with a computed step", "use a constant step that is not 0")
    s = int(step.value)
    gap = minus(stop, start) if s > 0 else minus(start, stop)
    if isinstance(gap, Const):
        count: Term = Const(max((int(gap.value) + abs(s) - 1) // abs(s), 0))
    else:
        count = Prim(p.floor_divide, (plus(gap, Const(abs(s) - 1)), Const(abs(s)))) if abs(s) != 1 else gap
    return Sequence(count, lambda i: plus(start, times(Const(s), i)))


def zipped(frame: Frame, parts: list[Sequence | Unrolled], node: ast.AST) -> Sequence | Unrolled:
    """zip: as long as the shortest."""
    if any([isinstance(q, Unrolled) for q in parts]):
        lengths = [len(q.items) for q in parts if isinstance(q, Unrolled)]
        count = min(
            lengths + [int(q.size.value) for q in parts if isinstance(q, Sequence) and isinstance(q.size, Const)]
        )
        site = frame.site(node, "zip")
        columns = []
        for q in parts:
            if isinstance(q, Unrolled):
                columns.append(list(q.items[:count]))
            else:
                columns.append([q.element(Check(Const(k), q.size, site)) for k in range(count)])
        return Unrolled(tuple([Unrolled(row) for row in zip(*columns, strict=True)]))
    sequences = [q for q in parts if isinstance(q, Sequence)]
    size = sequences[0].size
    for q in sequences[1:]:
        if not polynomial(size).plus(polynomial(q.size), -1).is_zero():
            size = Prim(p.minimum, (size, q.size))
    size = frame.bind(size, "n")

    def element(i: Term) -> Value:
        items = [q.element(i) for q in sequences]
        terms = [x for x in items if isinstance(x, Term)]
        return MakeTuple(tuple(terms)) if len(terms) == len(items) else Unrolled(tuple(items))

    return Sequence(size, element)


def equally_long(frame: Frame, parts: list[Sequence | Unrolled], node: ast.AST) -> list[Sequence | Unrolled]:
    """zip(…, strict=True): all as long as the first."""
    size = length_of_iterable(parts[0])
    result = [parts[0]]
    for q in parts[1:]:
        same = same_size(frame, size, length_of_iterable(q), node, "zip with strict=True")
        if isinstance(q, Unrolled) or isinstance(same, Const):
            result.append(q)
        else:
            size = same
            result.append(Sequence(same, q.element))
    first = parts[0]
    return [first if isinstance(first, Unrolled) else Sequence(size, first.element), *result[1:]]


def length_of_iterable(part: Sequence | Unrolled) -> Term:
    """The number of steps, never negative."""
    return Const(len(part.items)) if isinstance(part, Unrolled) else at_least_zero(part.size)


def loop_index(frame: Frame, target: ast.expr, node: ast.AST) -> Var:
    """The index of a loop, named after its target."""
    name = "i"
    if isinstance(target, ast.Name):
        name = target.id if target.id != "_" else "i"
    elif isinstance(target, ast.Tuple) and isinstance(target.elts[0], ast.Name):
        name = target.elts[0].id if target.elts[0].id != "_" else "i"
    index = Var(name, INT, frame.site(node))
    frame.shared.counters.add(index)
    return index
