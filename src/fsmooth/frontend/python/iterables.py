"""What `for … in` runs over: ranges, arrays, containers, enumerate, zip, reversed."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, ItemsView, KeysView, ValuesView

from fsmooth.core import primitives as p
from fsmooth.core.build import minus, plus, times
from fsmooth.core.signs import at_least_zero
from fsmooth.core.term import Check, Const, Failure, Get, If, MakeTuple, Prim, Require, Term, Var
from fsmooth.core.types import INT, Array, Int, Tuple
from fsmooth.errors import ArgumentMismatchError, TypeMismatchError
from fsmooth.frontend.python.alternatives import is_of_kinds, with_parts
from fsmooth.frontend.python.displays import known
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import apply_value, constant_object, keywords
from fsmooth.frontend.python.kinds import describe
from fsmooth.frontend.python.names import item_of, part_of
from fsmooth.frontend.python.nodes import is_forest, require_no_node, trees_of_forest
from fsmooth.frontend.python.parts import parts_seen
from fsmooth.frontend.python.protocols import require_parts
from fsmooth.frontend.python.sizes import length_of, same_size
from fsmooth.frontend.python.values import Growing, Keyed, Sequence, Static, Tail, Uneven, Unfilled, Unrolled, Value
from fsmooth.rewrite.linear import polynomial


def iterable(frame: Frame, node: ast.expr) -> Sequence | Unrolled:
    """What `for … in node` runs over."""
    if isinstance(node, ast.GeneratorExp):
        return iterable(frame, ast.copy_location(ast.ListComp(node.elt, node.generators), node))
    if isinstance(node, ast.Call) and not any([isinstance(a, ast.Starred) for a in node.args]):
        made = iterator_call(frame, node)
        if made is not None:
            return made
    return iterable_value(frame, frame.expression(node), node)


def iterable_value(frame: Frame, value: Value, node: ast.AST) -> Sequence | Unrolled:
    """A value as something to iterate over."""
    match value:
        case Sequence() | Unrolled():
            return value
        case Unfilled():
            return Unrolled(())
        case Growing(room, before, added) if not isinstance(value, Tail):
            return Sequence(plus(before, added), lambda i: Get(room, i))
        case Static(inner) if isinstance(inner, range):
            start, step = inner.start, inner.step
            return Sequence(Const(len(inner)), lambda i: plus(Const(start), times(Const(step), i)))
        case Static(inner) if isinstance(inner, list | tuple):
            return Unrolled(tuple([item_of(frame, value, k, node) for k in range(len(inner))]))
        case Keyed(entries):
            return Unrolled(tuple([known(key) for key in entries]))
        case Static(inner) if isinstance(inner, dict | set | frozenset | str | ItemsView | KeysView | ValuesView):
            return Unrolled(tuple([part_of(frame, x) for x in inner]))
    if isinstance(value, Term) and is_of_kinds(value):
        return iterable_value(frame, with_parts(frame, value, node), node)
    term = frame.term(value, node)
    if is_forest(term):
        return trees_of_forest(frame, term, node)
    require_no_node(frame, term, node)
    require_parts(frame, term, node)
    if isinstance(term.type, Tuple):
        bound = frame.bind(term, "t")
        return Unrolled(tuple(parts_seen(bound)))
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
    if function is range:
        return range_of(frame, node)
    if function is enumerate:
        take(frame, node, "one iterable and a start", 1, 2)
        return enumerated(frame, node)
    if function is zip:
        given = keywords(frame, node, ("strict",))
        strict = constant_object(frame, given["strict"]) if given else False
        parts = [iterable(frame, a) for a in arguments]
        return zipped(frame, equally_long(frame, parts, node) if strict else parts, node)
    if function is reversed:
        take(frame, node, "one iterable", 1, 1)
        return backwards(iterable(frame, arguments[0]))
    if function is map:
        keywords(frame, node, ())
        take(frame, node, "a function and what it is applied to", 2)
        return mapped(frame, node)
    if getattr(function, "__name__", "") == "unroll" and getattr(function, "__module__", "").startswith("fsmooth."):
        take(frame, node, "one iterable", 1, 1)
        return unrolled(frame, iterable(frame, arguments[0]), node)
    return None


def take(frame: Frame, node: ast.Call, what: str, least: int, most: float = math.inf) -> None:
    """Has the call of an iterator as many arguments as that takes?"""
    if not least <= len(node.args) <= most:
        given = f"{len(node.args)} argument{'s' * (len(node.args) != 1)}"
        hint = "give it what it goes over" if len(node.args) < least else "leave the others out"
        message = f"{frame.source.segment(node.func)} takes {what}; here it has {given}"
        frame.fail(ArgumentMismatchError, node, message, hint)


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
        kind = Uneven if isinstance(inner, Uneven) else Unrolled
        return kind(tuple([paired(plus(start, Const(k)), x) for k, x in enumerate(inner.items)]))
    return Sequence(inner.size, lambda i: paired(plus(start, i), inner.element(i)))


def backwards(inner: Sequence | Unrolled) -> Sequence | Unrolled:
    """The same, last first."""
    if isinstance(inner, Unrolled):
        return Unrolled(inner.items[::-1])
    last = minus(inner.size, Const(1))
    return Sequence(inner.size, lambda i: inner.element(minus(last, i)))


def mapped(frame: Frame, node: ast.Call) -> Sequence | Unrolled:
    """map(f, xs), map(f, xs, ys): as long as the shortest."""
    function, *over = node.args
    value = frame.expression(function)
    rows = side_by_side(frame, [iterable(frame, part) for part in over], node)
    return each(rows, lambda row: apply_value(frame, value, row.items, function))


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
    if not isinstance(step, Const):
        return _by_steps(start, stop, _not_zero(frame, step, node), frame)
    if step.value == 0:
        frame.fail(ArgumentMismatchError, node, "the step of a range is 0", "use a step that is not 0")
    s = int(step.value)
    gap = minus(stop, start) if s > 0 else minus(start, stop)
    if isinstance(gap, Const):
        count: Term = Const(max((int(gap.value) + abs(s) - 1) // abs(s), 0))
    else:
        count = Prim(p.floor_divide, (plus(gap, Const(abs(s) - 1)), Const(abs(s)))) if abs(s) != 1 else gap
    return Sequence(count, lambda i: plus(start, times(Const(s), i)))


def _not_zero(frame: Frame, step: Term, node: ast.AST) -> Term:
    """The step of a range, which is known when the program runs."""
    site = frame.site(node, "ValueError: range() arg 3 must not be zero")
    return frame.bind(Require(Prim(p.not_equal, (step, Const(0))), step, Failure.RAISED, (), site), "step")


def _by_steps(start: Term, stop: Term, step: Term, frame: Frame) -> Sequence:
    """The numbers from `start` towards `stop` by `step`, upwards or downwards."""
    is_up = Prim(p.less, (Const(0), step))
    gap = If(is_up, minus(stop, start), minus(start, stop))
    size = frame.bind(If(is_up, step, minus(Const(0), step)), "width")
    count = Prim(p.floor_divide, (plus(gap, minus(size, Const(1))), size))
    return Sequence(frame.bind(count, "n"), lambda i: plus(start, times(step, i)))


def zipped(frame: Frame, parts: list[Sequence | Unrolled], node: ast.Call) -> Sequence | Unrolled:
    """zip: tuples of one element of each, as many as the shortest has."""
    rows = side_by_side(frame, parts, node)
    return rows if isinstance(rows, Unrolled) else each(rows, tupled)


def tupled(row: Unrolled) -> Value:
    """The tuple of run-time values; others stay apart."""
    terms = [x for x in row.items if isinstance(x, Term)]
    return MakeTuple(tuple(terms)) if len(terms) == len(row.items) else row


def side_by_side(frame: Frame, parts: list[Sequence | Unrolled], node: ast.Call) -> Sequence | Unrolled:
    """Rows of one element of each, an `Unrolled` each, as many as the shortest has."""
    if not parts or any([isinstance(q, Unrolled) for q in parts]):
        lengths = [len(q.items) for q in parts if isinstance(q, Unrolled)]
        lengths += [int(q.size.value) for q in parts if isinstance(q, Sequence) and isinstance(q.size, Const)]
        count = min(lengths, default=0)
        site = frame.site(node, frame.source.segment(node.func))
        columns = []
        for q in parts:
            if isinstance(q, Unrolled):
                columns.append(list(q.items[:count]))
            else:
                columns.append([q.element(Check(Const(k), q.size, site)) for k in range(count)])
        kind = Uneven if any([isinstance(q, Uneven) for q in parts]) else Unrolled
        return kind(tuple([Unrolled(row) for row in zip(*columns, strict=True)]))
    sequences = [q for q in parts if isinstance(q, Sequence)]
    size = sequences[0].size
    for q in sequences[1:]:
        if not polynomial(size).plus(polynomial(q.size), -1).is_zero():
            size = Prim(p.minimum, (size, q.size))
    size = frame.bind(size, "n") if len(sequences) > 1 else size
    return Sequence(size, lambda i: Unrolled(tuple([q.element(i) for q in sequences])))


def each(rows: Sequence | Unrolled, change: Callable[[Unrolled], Value]) -> Sequence | Unrolled:
    """`change` of each row."""

    def changed(row: Value) -> Value:
        assert isinstance(row, Unrolled)
        return change(row)

    if isinstance(rows, Unrolled):
        return Unrolled(tuple([changed(row) for row in rows.items]))
    return Sequence(rows.size, lambda i: changed(rows.element(i)))


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


def loop_index(frame: Frame, target: ast.expr, node: ast.AST, size: Term | None = None) -> Var:
    """The index of a loop of `size` steps, named after its target."""
    name = "i"
    if isinstance(target, ast.Name):
        name = target.id if target.id != "_" else "i"
    elif isinstance(target, ast.Tuple) and isinstance(target.elts[0], ast.Name):
        name = target.elts[0].id if target.elts[0].id != "_" else "i"
    index = Var(name, INT, frame.site(node))
    frame.shared.counters.add(index)
    if size is not None:
        frame.shared.ranges[index] = size
    return index
