"""Nests that add products to rows are unrolled and jammed, so that what one iteration loads serves the next ones.

    for i: for k: for j: x[i, j] += a[i, k] * b[k, j]

loads two numbers and stores one for each product.  With four rows i and four k at once, one row of b is loaded for four
rows of x, and a number of x for four products (Carr and Kennedy, *Improving the ratio of memory operations to
floating-point operations in loops*, TOPLAS 16, 1994).  Each number is added up in the order in which it was before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeGuard

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.types import INT
from fsmooth.loops import tree as t
from fsmooth.loops.affine import is_next
from fsmooth.loops.arithmetic import ZERO, integer, is_integer, minus, parts, plus, same, times
from fsmooth.loops.arithmetic import replace as replaced
from fsmooth.loops.names import Names
from fsmooth.loops.rewriting import each_loop
from fsmooth.loops.usage import expressions_of, mentioned_reads, names_of, walk

Values = Mapping[str, t.Expression]
"""What names stand for."""


def jam_loops(function: t.Function, names: Names) -> t.Function:
    """Unroll and jam the nests of a function that add products to rows."""
    if thresholds.JAMMED < 2 or sum([1 for _ in walk(function.body)]) > thresholds.JAMMED_STATEMENTS:
        return function
    jammed: dict[str, t.For] = {}

    def is_jammed(s: t.Statement) -> TypeGuard[t.For]:
        return isinstance(s, t.For) and s.index in jammed

    def change(loop: t.For) -> Sequence[t.Statement]:
        if _is_short(loop.size):
            return (loop,)
        if _adds_to_row(loop):
            block, made = _in_blocks(loop, thresholds.JAMMED, loop.body, names, function.facts, _together)
            jammed[block] = loop
            return made
        if not _can_be_side_by_side(loop) or not any([is_jammed(s) and _is_shared(s, loop.index) for s in loop.body]):
            return (loop,)
        rest = _as_it_was(loop.body, jammed)
        return _in_blocks(loop, thresholds.JAMMED_ROWS, rest, names, function.facts, _side_by_side)[1]

    return each_loop(function, change)


def _is_short(size: t.Expression) -> bool:
    return isinstance(size, t.Literal) and int(size.value) < 2 * thresholds.JAMMED


def _adds_to_row(loop: t.For) -> bool:
    """Is it a loop that in each iteration adds numbers to those of the same row?"""
    *before, inner = loop.body
    if not isinstance(inner, t.For) or _is_short(inner.size) or inner.kind is not t.Kind.PARALLEL:
        return False
    if inner.vectors is not t.Vectors.IMPLIED:  # strips are in the fastest cache
        return False
    *found, store = inner.body
    if not isinstance(store, t.Store) or _added(store) is None or loop.own or inner.own:
        return False
    if any([not isinstance(s, t.Declare) or s.mutable or s.value is None for s in (*before, *found)]):
        return False
    own = {s.name for s in (*before, *found) if isinstance(s, t.Declare)} | {loop.index}
    if not names_of(store.index).isdisjoint(own) or not is_next(store.index, inner.index):
        return False
    if not names_of(inner.size).isdisjoint(own):
        return False
    return all([store.buffer not in names_of(*_read(s)) for s in walk(loop.body)])


def _added(store: t.Store) -> t.Expression | None:
    """What a store adds to the number that is there; None if it puts another one there."""
    if store.accumulate:
        return store.value
    match store.value:
        case t.Operation(p.add, (t.Load(buffer, index), value)) if buffer == store.buffer and same(index, store.index):
            return value
        case _:
            return None


def _read(s: t.Statement) -> list[t.Expression]:
    if not isinstance(s, t.Store):
        return list(expressions_of(s))
    added = _added(s)
    return [s.value if added is None else added]


def _is_shared(nest: t.For, index: str) -> bool:
    """Does a nest load in its innermost loop what does not depend on `index`?"""
    inner = nest.body[-1]
    assert isinstance(inner, t.For)
    varying = {index} | {
        s.name
        for s in walk(nest.body)
        if isinstance(s, t.Declare) and s.value is not None and index in names_of(s.value)
    }
    for s in walk(inner.body):
        stack = _read(s)
        while stack:
            e = stack.pop()
            if isinstance(e, t.Load) and inner.index in names_of(e.index) and varying.isdisjoint(names_of(e.index)):
                return True
            stack.extend(parts(e))
    return False


def _can_be_side_by_side(loop: t.For) -> bool:
    """May iterations run at once?"""
    return loop.kind is t.Kind.PARALLEL and not loop.own and thresholds.JAMMED_ROWS > 1 and _can_be_copied(loop.body)


def _can_be_copied(body: t.Body) -> bool:
    """Is it made of what can be done for several iterations in turn?"""
    declared = {s.name for s in walk(body) if isinstance(s, t.Declare)}
    for s in walk(body):
        match s:
            case t.Declare() | t.Store() | t.Fill() | t.Copy():
                pass
            case t.Assign(name) if name in declared:
                pass
            case t.For() if not s.own and not s.extrema:
                pass
            case _:
                return False
    return True


def _as_it_was(body: t.Body, jammed: Mapping[str, t.For]) -> t.Body:
    """A body with the loops in it that run in blocks as they were: for few iterations they are not worth their code."""
    found: list[t.Statement] = []
    is_rest = False
    for s in body:
        if not is_rest:
            found.append(jammed.get(s.index, s) if isinstance(s, t.For) else s)
        is_rest = isinstance(s, t.For) and s.index in jammed and not _is_divided_evenly(jammed[s.index].size)
    return tuple(found)


def _is_divided_evenly(size: t.Expression) -> bool:
    """Is it known that no iterations are left after those in blocks?"""
    return isinstance(size, t.Literal) and int(size.value) % thresholds.JAMMED == 0


def _in_blocks(
    loop: t.For,
    many: int,
    rest_of: t.Body,
    names: Names,
    facts: t.Facts,
    jam: Callable[[t.For, Sequence[t.Expression], Names], t.Body],
) -> tuple[str, tuple[t.Statement, ...]]:
    """The loop over blocks of iterations, with the name of its index, and over those that are left, which do `rest_of`."""
    width = integer(many)
    block = t.Name(names.fresh(f"{loop.index}_block"), INT)
    start = t.Name(names.fresh(f"{loop.index}_start"), INT)
    first = t.Declare(start.name, INT, times(block, width))
    last = t.Name(names.fresh(f"{loop.index}_last"), INT)
    indices = [plus(start, integer(k)) for k in range(many)]
    blocks = _divided(loop.size, many, facts)
    body = _after(first, jam(loop, indices, names))
    made: list[t.Statement] = [t.For(block.name, blocks, body, loop.kind, loop.site)]
    rest = minus(loop.size, times(blocks, width))
    if not is_integer(rest, 0):
        left = t.Name(names.fresh(f"{loop.index}_left"), INT)
        at = t.Declare(last.name, INT, plus(times(blocks, width), left))
        body = _after(at, _copied(rest_of, {loop.index: last}, names))
        made.append(t.For(left.name, rest, body, loop.kind, loop.site))
    return block.name, tuple(made)


def _after(definition: t.Declare, body: t.Body) -> t.Body:
    """Statements after a definition, if they read it."""
    return (definition, *body) if definition.name in mentioned_reads(body) else body


def _divided(size: t.Expression, many: int, facts: t.Facts) -> t.Expression:
    """How many blocks there are; none of a size that is negative."""
    if isinstance(size, t.Literal):
        return integer(max(int(size.value), 0) // many)
    blocks = t.Operation(p.floor_divide, (size, integer(many)), INT)
    if isinstance(size, t.Name) and size.name in facts.nonnegative:
        return blocks
    return t.Operation(p.maximum, (blocks, ZERO), INT)


# -- four iterations as one ------------------------------------------------------------------------------------------


def _together(loop: t.For, indices: Sequence[t.Expression], names: Names) -> t.Body:
    """Iterations of a loop that adds to a row: one loop over the row adds what they all would."""
    before: list[t.Statement] = []
    found: list[t.Statement] = []
    values: list[t.Expression] = []
    seen: list[t.Declare] = []
    _, inner, _, store = _row_of(loop.body)
    for index in indices:
        above, own_loop, own, added = _row_of(_copied(loop.body, {loop.index: index}, names))
        before += [s for s in above if s not in before]
        varying = {own_loop.index}
        for s in own:
            assert s.value is not None
            if varying.isdisjoint(names_of(s.value)):
                before += [s] if s not in before else []
                continue
            varying.add(s.name)
            if s not in seen:
                seen.append(s)
                found.append(replace(s, value=_without_loads(s.value, varying, before, names)))
        value = _added(added)
        assert value is not None
        values.append(_without_loads(value, varying, before, names))
    total: t.Expression = t.Load(store.buffer, store.index, store.value.type)
    for value in values:
        total = t.Operation(p.add, (total, value), value.type)
    return (*before, replace(inner, body=(*found, t.Store(store.buffer, store.index, total)), simd=True))


def _row_of(body: t.Body) -> tuple[t.Body, t.For, Sequence[t.Declare], t.Store]:
    """The body of a loop that adds to a row: what is before the loop over the row, this, its definitions, and its store."""
    *before, inner = body
    assert isinstance(inner, t.For)
    *_, store = inner.body
    assert isinstance(store, t.Store)
    return tuple(before), inner, [s for s in inner.body if isinstance(s, t.Declare)], store


def _without_loads(e: t.Expression, varying: set[str], before: list[t.Statement], names: Names) -> t.Expression:
    """An expression of a loop whose loads of what does not vary in it are done before it, under names."""
    if varying.isdisjoint(names_of(e)):
        if isinstance(e, t.Name | t.Literal):
            return e
        name = names.fresh("factor")
        before.append(t.Declare(name, e.type, e))
        return t.Name(name, e.type)
    if isinstance(e, t.Operation):
        arguments = tuple([_without_loads(a, varying, before, names) for a in e.arguments])
        return t.Operation(e.primitive, arguments, e.type)
    return e


def _side_by_side(loop: t.For, indices: Sequence[t.Expression], names: Names) -> t.Body:
    """Iterations that are independent: each statement for all of them, loops of the same size as one."""
    return _jammed([_copied(loop.body, {loop.index: index}, names) for index in indices])


def _jammed(copies: Sequence[t.Body]) -> t.Body:
    found: list[t.Statement] = []
    for statements in zip(*copies, strict=True):
        first = statements[0]
        loops = [s for s in statements if isinstance(s, t.For)]
        if loops and all([s.index == loops[0].index and same(s.size, loops[0].size) for s in loops]):
            found.append(_one_loop(loops))
        elif all([s is first for s in statements]):
            found.append(first)
        else:
            found += statements
    return tuple(found)


def _one_loop(loops: Sequence[t.For]) -> t.For:
    """Loops over the same range as one; the C compiler does not know that the rows of different iterations are apart."""
    first = loops[0]
    reduced = tuple(dict.fromkeys([name for s in loops for name in s.reduced]))
    simd = first.simd or first.kind is t.Kind.PARALLEL
    return replace(first, body=_jammed([s.body for s in loops]), reduced=reduced, simd=simd)


def _copied(body: t.Body, values: Values, names: Names) -> t.Body:
    """Statements in which names stand for other values; what changes is declared under new names."""
    known = dict(values)
    found: list[t.Statement] = []

    def value(e: t.Expression) -> t.Expression:
        used = names_of(e) & known.keys()
        for name in used:
            e = replaced(e, name, known[name])
        return e

    def renamed(name: str) -> str:
        new = known.get(name)
        return new.name if isinstance(new, t.Name) else name

    for s in body:
        match s:
            case t.Declare():
                new = None if s.value is None else value(s.value)
                if new is s.value and not s.mutable:
                    found.append(s)
                    continue
                own = names.fresh(s.name)
                known[s.name] = t.Name(own, s.type)
                found.append(replace(s, name=own, value=new))
            case t.Assign():
                found.append(replace(s, name=renamed(s.name), value=value(s.value)))
            case t.Store():
                found.append(replace(s, index=value(s.index), value=value(s.value)))
            case t.Fill():
                found.append(replace(s, offset=value(s.offset), count=value(s.count)))
            case t.Copy():
                to, of = value(s.target_offset), value(s.source_offset)
                found.append(replace(s, target_offset=to, source_offset=of, count=value(s.count)))
            case t.For():
                reduced = tuple([renamed(name) for name in s.reduced])
                found.append(replace(s, size=value(s.size), body=_copied(s.body, known, names), reduced=reduced))
            case _:
                raise TypeError(f"{s!r} is not copied")
    return tuple(found)
