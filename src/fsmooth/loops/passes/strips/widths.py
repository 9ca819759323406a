"""Whole strips have constant width, and what remains of the points another body, where that pays.

A sum over the points of a strip must end with the last of them.  Inside other loops its few steps, of a number that is
not known, cost more than what is summed: for whole strips, there is a body in which that number is the width.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from fsmooth.core import primitives as p
from fsmooth.core.types import BOOL, INT
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ZERO, integer, minus, plus, times
from fsmooth.loops.names import Names
from fsmooth.loops.passes.strips.strip import RECURRENCES, WIDTH, Strip
from fsmooth.loops.usage import bodies_of, declared, targets, walk


def strip_by_strip(strip: Strip, inside: t.Body, names: Names) -> t.Body:
    """The loop over the strips, of which each does `inside`."""
    if not _sums_up(strip, inside):
        return (independent_strips(strip.size, strip.start, strip.count, inside, names),)
    start, size, width = t.Name(strip.start, INT), strip.size, integer(WIDTH)
    rest = minus(size, start)
    begin = t.Declare(start.name, INT, ZERO, mutable=True)
    step = t.Assign(start.name, width, accumulate=True)
    if not _sums_again_and_again(strip, inside):
        count = t.Conditional(t.Operation(p.less, (rest, width), BOOL), rest, width)
        each = (t.Declare(strip.count, INT, count), *inside, step)
        return begin, t.While((), t.Operation(p.less, (start, size), BOOL), each)
    whole = t.Operation(p.less, (integer(WIDTH - 1), rest), BOOL)
    remains = t.Operation(p.less, (start, size), BOOL)
    return (
        begin,
        t.While((), whole, (*_of_whole_strips(strip.count, inside, WIDTH), step)),
        t.If(remains, (t.Declare(strip.count, INT, rest), *inside)),
    )


def independent_strips(
    size: t.Expression, start: str, count: str, inside: t.Body, names: Names, most: int = WIDTH
) -> t.For:
    """A loop over strips of so many points that share nothing: from its `start`, a strip has `count` of them, `most` at most."""
    width = integer(most)
    first = t.Name(start, INT)
    number = t.Name(names.beside(start, "strip"), INT)
    strips = t.Operation(p.floor_divide, (plus(size, integer(most - 1)), width), INT)
    begin = t.Declare(start, INT, times(number, width))
    many = t.Declare(count, INT, t.Operation(p.minimum, (minus(size, first), width), INT))
    return t.For(number.name, strips, (begin, many, *inside), t.Kind.PARALLEL)


def with_whole_strips(strips: t.For, width: int) -> t.For:
    """The same loop with a body for whole strips, in which the number of points is the width."""
    begin, many, *inside = strips.body
    assert isinstance(many, t.Declare)
    whole = t.Operation(p.equal, (t.Name(many.name, INT), integer(width)), BOOL)
    either = t.If(whole, _of_whole_strips(many.name, inside, width), tuple(inside))
    return replace(strips, body=(begin, many, either))


def is_over_strips(loop: t.For) -> bool:
    """Is this such a loop?"""
    match loop.body:
        case (t.Declare(_, _, t.Operation(p.multiply, (t.Name(name), t.Literal(int(width))))), *_):
            return name == loop.index and width in (WIDTH, RECURRENCES)
        case _:
            return False


def _sums_up(strip: Strip, inside: t.Body) -> bool:
    """Do strips add to numbers or arrays that are not theirs?"""
    own = {*strip.own, *[name for s in walk(inside) for name in declared(s)]}
    adding = [s for s in walk(inside) if isinstance(s, t.Assign) or (isinstance(s, t.Store) and s.accumulate)]
    return not set().union(*[targets(s) for s in adding]) <= own


def _sums_again_and_again(strip: Strip, inside: t.Body) -> bool:
    """Are there sums over the points of a strip inside other loops?"""
    loops = [s for s in inside if isinstance(s, t.For)]
    nested = [x for s in loops for x in walk(s.body)]
    return any([isinstance(x, t.For) and bool(x.reduced) and _is_count(strip.count, x.size) for x in nested])


def _is_count(count: str, e: t.Expression) -> bool:
    return isinstance(e, t.Name) and e.name == count


def _of_whole_strips(count: str, body: Sequence[t.Statement], width: int) -> t.Body:
    """A copy of the statements in which the number of points, of this name, is the width of a strip."""
    return tuple([_of_a_whole_strip(count, s, width) for s in body])


def _of_a_whole_strip(count: str, s: t.Statement, width: int) -> t.Statement:
    match s:
        case t.For():
            size = integer(width) if _is_count(count, s.size) else s.size
            body = _of_whole_strips(count, s.body, width)
            vectors = t.Vectors.WRITTEN if s.vectors is t.Vectors.WHOLE else s.vectors
            return t.For(s.index, size, body, s.kind, s.site, s.reduced, s.extrema, s.simd, vectors)
        case t.Fill(buffer, offset, number) if _is_count(count, number):
            return t.Fill(buffer, offset, integer(width), s.type)
        case t.If():
            then, otherwise = _of_whole_strips(count, s.then, width), _of_whole_strips(count, s.otherwise, width)
            return t.If(s.condition, then, otherwise, s.rare)
        case _:
            assert not any(bodies_of(s))
            return s
