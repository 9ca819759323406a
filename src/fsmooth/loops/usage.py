"""Which names statements read, and which they change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

from fsmooth.core import primitives as p
from fsmooth.core.types import INT
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import inside, same, with_values

_TAPE = t.Name(t.TAPE, INT)


def names_in(e: t.Expression, into: set[str]) -> None:
    """Add the variables and buffers of an expression."""
    for x in inside(e):
        if isinstance(x, t.Name):
            into.add(x.name)
        elif isinstance(x, t.Load | t.Search):
            into.add(x.buffer)


def names_of(*expressions: t.Expression) -> set[str]:
    """The variables and buffers of expressions."""
    found: set[str] = set()
    for e in expressions:
        names_in(e, found)
    return found


def loads(e: t.Expression) -> bool:
    """Does it read memory?"""
    return any([isinstance(x, t.Load | t.Search) for x in inside(e)])


def expressions_of(s: t.Statement) -> Iterator[t.Expression]:
    """The expressions directly in a statement (not those of nested statements)."""
    match s:
        case t.Declare():
            if s.value is not None:
                yield s.value
        case t.Assign():
            yield s.value
        case t.Store():
            yield s.index
            yield s.value
        case t.For() | t.CheckAll():
            yield s.size
        case t.Block():
            yield s.size
            for output in s.outputs:
                yield output.base
                yield from output.values.values()
                yield from output.vector_values.values()
            for rows in s.rows:
                yield rows.start
                yield t.Name(rows.buffer, INT)
        case t.Parallel():
            yield s.count
        case t.If() | t.Break() | t.While():
            yield s.condition
        case t.Check():
            yield s.index
            yield s.size
        case t.Demand():
            yield s.condition
            yield from s.numbers
        case t.Fill():
            yield s.offset
            yield s.count
        case t.Copy():
            yield s.target_offset
            yield s.source_offset
            yield s.count
        case t.Multiply():
            yield from (s.rows, s.columns, s.summed)
            for matrix in (s.target, s.left, s.right):
                yield from (matrix.offset, matrix.row, matrix.column)
            for matrix in (s.left, s.right, *((s.target,) if s.adds else ())):
                yield t.Name(matrix.buffer, INT)
        case t.Allocate() | t.Keep():
            yield s.count
        case t.Choose():
            yield s.then_offset
            if s.steps is not None:
                yield s.steps
            if s.otherwise_offset is not None:
                yield s.otherwise_offset
        case t.Pack():
            if s.reserved is not None:
                yield t.Name(s.reserved, s.layout.data)
            for value in s.values:
                if isinstance(value, t.Place):
                    yield value.offset
                    yield t.Name(value.buffer, INT)
                else:
                    yield value
        case t.Unpack():
            yield s.frame
        case t.Invoke():
            for result, is_added in zip(s.results, s.added, strict=True):
                if isinstance(result, t.Place):
                    yield result.offset
                    if is_added:
                        yield t.Name(result.buffer, INT)
            for argument in s.arguments:
                if isinstance(argument, t.Place):
                    yield argument.offset
                    yield t.Name(argument.buffer, INT)
                else:
                    yield argument
        case t.OpenTape():
            yield s.size
        case t.Entry():
            yield s.count
            yield _TAPE
        case t.Operand():
            yield s.position
            yield s.id
            yield s.slope
            yield t.Name(s.entry.name, INT)
        case t.Sweep():
            yield s.offset
            yield s.count
            yield s.start
            yield s.root
            yield _TAPE
        case t.SaveRegion():
            yield s.size
            yield from s.integers
            yield from s.reals
            for place, count in zip(s.arrays, s.counts, strict=True):
                yield place.offset
                yield t.Name(place.buffer, INT)
                yield count
            yield _TAPE
        case t.OpenSweep():
            yield s.count
            yield s.start
            yield s.root
            yield _TAPE
        case t.NextRegion():
            yield s.after
            yield t.Name(s.bars, INT)
            yield _TAPE
        case t.CloseTape():
            yield t.Name(s.start, INT)
        case t.KeepTape():
            yield _TAPE
        case t.OpenBars():
            yield s.tape
        case t.SweepBars():
            yield s.offset
            yield s.count
            yield s.tape
            yield t.Name(s.bars, INT)
        case t.Room():
            if s.bound is not None:
                yield s.bound
        case t.LocalArray() | t.Reserve() | t.Swap() | t.Outlined():
            return
        case _:
            assert_never(s)


def loads_of(s: t.Statement) -> list[t.Load]:
    """What a statement itself reads of buffers."""
    return [e for e in inside(*expressions_of(s)) if isinstance(e, t.Load)]


def bodies_of(s: t.Statement) -> tuple[t.Body, ...]:
    """What is nested in a statement."""
    match s:
        case t.For() | t.Parallel() | t.Outlined():
            return (s.body,)
        case t.Block():
            return (s.body, s.vector_body, *[rows.body for rows in s.rows])
        case t.CheckAll():
            return (s.body, (s.check,))
        case t.If():
            return (s.then, s.otherwise)
        case t.While():
            return (s.test, s.body)
        case _:
            return ()


def walk(body: Sequence[t.Statement]) -> Iterator[t.Statement]:
    """All statements, each before those inside it."""
    stack = list(reversed(body))
    while stack:
        s = stack.pop()
        yield s
        for inner in reversed(bodies_of(s)):
            stack.extend(reversed(inner))


def mentioned(body: Sequence[t.Statement]) -> set[str]:
    """Every name and buffer that the statements read or write."""
    found: set[str] = set()
    for s in walk(body):
        for e in expressions_of(s):
            names_in(e, found)
        found |= targets(s)
        match s:
            case t.Copy():
                found.add(s.source)
            case t.Choose():
                found |= buffers_of(s)
            case _:
                pass
    return found


def own_names(s: t.Statement) -> set[str]:
    """Every name and buffer that the statement itself mentions, not those nested in it."""
    found = targets(s)
    for e in expressions_of(s):
        names_in(e, found)
    match s:
        case t.Allocate() | t.LocalArray() | t.Keep():
            found.add(s.buffer)
        case t.Copy():
            found.add(s.source)
        case t.Choose():
            found |= buffers_of(s)
        case _:
            pass
    return found


def occurrences(body: Sequence[t.Statement]) -> Counter[str]:
    """How many statements mention each name themselves."""
    return Counter([name for s in walk(body) for name in own_names(s)])


def declared(s: t.Statement) -> tuple[str, ...]:
    """The names that a statement introduces."""
    match s:
        case t.Declare() | t.Reserve() | t.Pack() | t.Unpack():
            return (s.name,)
        case t.LocalArray() | t.Allocate() | t.Keep():
            return (s.buffer,)
        case t.Choose():
            return (s.pointer,)
        case t.OpenTape():
            return (s.start,)
        case t.KeepTape():
            return (s.name,)
        case t.OpenBars():
            return (s.buffer,)
        case t.Entry():
            return (s.name, s.slopes, s.operands)
        case t.SaveRegion():
            return (s.name,)
        case t.OpenSweep():
            return (s.bars,)
        case t.NextRegion():
            return (s.number, s.first, s.size, s.integers, s.reals)
        case t.For() | t.Block() | t.CheckAll():
            return (s.index,)
        case t.Parallel():
            return (s.chunk,)
        case _:
            return ()


def buffers_of(s: t.Choose) -> set[str]:
    """The buffers that a pointer may point to."""
    return {s.then} if s.otherwise is None else {s.then, s.otherwise}


def targets(s: t.Statement) -> set[str]:
    """Locals and buffers that a statement itself changes."""
    match s:
        case t.Assign():
            return {s.name}
        case t.Store() | t.Fill():
            return {s.buffer}
        case t.Copy():
            return {s.target}
        case t.Multiply():
            return {s.target.buffer}
        case t.Swap():
            return {s.left, s.right}
        case t.Choose():
            return {s.pointer}
        case t.Block():
            return {output.buffer for output in s.outputs}
        case t.Invoke():
            return s.changes
        case t.Sweep():
            return {s.buffer, t.TAPE}
        case t.SweepBars():
            return {s.buffer, s.bars}
        case t.NextRegion():
            return {s.bars, t.TAPE}
        case t.OpenTape() | t.Entry() | t.Operand() | t.SaveRegion() | t.OpenSweep() | t.CloseTape() | t.KeepTape():
            return {t.TAPE}
        case _:
            return set()


def pointed_to(body: Sequence[t.Statement]) -> dict[str, set[str]]:
    """For each pointer that is set in the statements, the buffers that it may point to."""
    found: dict[str, set[str]] = {}
    for s in walk(body):
        if isinstance(s, t.Choose):
            near = buffers_of(s)
            found[s.pointer] = near.union(*[found.get(b, set()) for b in near])
    for s in walk(body):
        if isinstance(s, t.Swap) and (s.left in found or s.right in found):
            found[s.left] = found[s.right] = found.get(s.left, set()) | found.get(s.right, set())
    return found


def with_pointed_to(names: set[str], pointers: Mapping[str, set[str]]) -> set[str]:
    """The names, and what those that are pointers may point to."""
    return names.union(*[pointers[name] for name in names if name in pointers])


def changed(body: Sequence[t.Statement]) -> set[str]:
    """Locals and buffers changed anywhere in the statements, by their names or through pointers set there."""
    found: set[str] = set()
    writing: set[str] = set()
    for s in walk(body):
        found |= targets(s)
        writing |= targets(s) if not isinstance(s, t.Choose) else set()
    return found | with_pointed_to(writing, pointed_to(body))


def mentioned_reads(body: Sequence[t.Statement]) -> set[str]:
    """Every name and buffer that the statements read."""
    found: set[str] = set()
    for s in walk(body):
        for e in expressions_of(s):
            names_in(e, found)
        match s:
            case t.Copy():
                found.add(s.source)
            case t.Choose():
                found |= buffers_of(s)
            case t.Swap():
                found |= {s.left, s.right}
            case _:
                pass
    return found


def are_definitions(statements: Sequence[t.Statement]) -> bool:
    """Do the statements do nothing but define names?"""
    return all([isinstance(s, t.Declare) and not s.mutable and s.value is not None for s in statements])


def definitions(statements: Sequence[t.Statement], known: Mapping[str, t.Expression]) -> dict[str, t.Expression]:
    """What names stand for, those that the statements, not what is in them, define and those known before."""
    found = dict(known)
    for s in statements:
        if isinstance(s, t.Declare) and not s.mutable and s.value is not None:
            found[s.name] = with_values(s.value, found)
    return found


def change_of(store: t.Store, known: Mapping[str, t.Expression]) -> tuple[p.Primitive, t.Expression] | None:
    """How a store changes the number that is there: what it adds or subtracts; None if it puts another one there.

    What names stand for is put in their place.
    """
    value = with_values(store.value, known)
    if store.accumulate:
        return p.add, value
    match value:
        case t.Operation(p.add | p.subtract as how, (t.Load(buffer, at), change)) if buffer == store.buffer:
            return (how, change) if same(at, with_values(store.index, known)) else None
        case _:
            return None


def addition(store: t.Store, known: Mapping[str, t.Expression]) -> t.Expression | None:
    """What a store adds to the number that is there; None if it does anything else."""
    change = change_of(store, known)
    return None if change is None or change[0] is not p.add else change[1]


def is_only_added_to(body: t.Body, buffer: str) -> bool:
    """Is the memory never read, nor written but by additions?"""
    known: dict[str, t.Expression] = {}
    for s in walk(body):
        if isinstance(s, t.Declare) and s.value is not None and not s.mutable:
            known[s.name] = with_values(s.value, known)
        if buffer not in own_names(s):
            continue
        match s:
            case t.Store() if s.buffer == buffer:
                value = addition(s, known)
                if value is None or buffer in names_of(s.index, value):
                    return False
            case t.Multiply(adds=True) if buffer not in (s.left.buffer, s.right.buffer):
                pass
            case t.Invoke():
                given = [x for x in s.arguments if isinstance(x, t.Place)]
                results = [
                    x for x, is_added in zip(s.results, s.added, strict=True) if is_added and isinstance(x, t.Place)
                ]
                mentioned = [x for x in (*given, *s.results) if isinstance(x, t.Place) and x.buffer == buffer]
                if len(mentioned) != len([x for x in results if x.buffer == buffer]):
                    return False
            case _:
                return False
    return True
