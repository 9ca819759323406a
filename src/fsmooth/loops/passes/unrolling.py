"""Loops in blocks of iterations, and statements for other values of their names: what unrolling is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from fsmooth.core import primitives as p
from fsmooth.core.types import INT
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ZERO, integer, is_integer, minus, plus, positive, times, with_values
from fsmooth.loops.names import Names
from fsmooth.loops.usage import mentioned_reads, names_of

Values = Mapping[str, t.Expression]
"""What names stand for."""


def in_blocks_of(
    loop: t.For,
    many: int,
    rest_of: t.Body,
    names: Names,
    facts: t.Facts,
    jam: Callable[[t.For, Sequence[t.Expression], Names], t.Body],
    inside: t.Expression | None = None,
) -> tuple[str, tuple[t.Statement, ...]]:
    """The loop over blocks of iterations, with the name of its index, and over those that are left, which do `rest_of`.

    `inside` is the size of a loop from which loads move out: there are no blocks where it is empty, since what it would read
    need not be there.
    """
    width = integer(many)
    block = t.Name(names.fresh(f"{loop.index}_block"), INT)
    start = t.Name(names.fresh(f"{loop.index}_start"), INT)
    first = t.Declare(start.name, INT, times(block, width))
    last = t.Name(names.fresh(f"{loop.index}_last"), INT)
    indices = [plus(start, integer(k)) for k in range(many)]
    blocks = _divided(loop.size, many, facts)
    if inside is not None and not isinstance(inside, t.Literal):
        blocks = t.Conditional(positive(inside), blocks, ZERO)
    body = _after(first, jam(loop, indices, names))
    made: list[t.Statement] = [t.For(block.name, blocks, body, loop.kind, loop.site)]
    rest = minus(loop.size, times(blocks, width))
    if not is_integer(rest, 0):
        left = t.Name(names.fresh(f"{loop.index}_left"), INT)
        at = t.Declare(last.name, INT, plus(times(blocks, width), left))
        body = _after(at, copied(rest_of, {loop.index: last}, names))
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


def copied(body: t.Body, values: Values, names: Names) -> t.Body:
    """Statements in which names stand for other values; what changes is declared under new names."""
    known = dict(values)
    found: list[t.Statement] = []

    def value(e: t.Expression) -> t.Expression:
        return with_values(e, known)

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
                found.append(replace(s, size=value(s.size), body=copied(s.body, known, names), reduced=reduced))
            case _:
                raise TypeError(f"{s!r} is not copied")
    return tuple(found)


def without_loads(e: t.Expression, varying: set[str], before: list[t.Statement], names: Names) -> t.Expression:
    """An expression of a loop whose loads of what does not vary in it are done before it, under names."""
    if varying.isdisjoint(names_of(e)):
        if isinstance(e, t.Name | t.Literal):
            return e
        name = names.fresh("factor")
        before.append(t.Declare(name, e.type, e))
        return t.Name(name, e.type)
    if isinstance(e, t.Operation):
        arguments = tuple([without_loads(a, varying, before, names) for a in e.arguments])
        return t.Operation(e.primitive, arguments, e.type)
    return e
