"""Functions that have vector versions are computed strip by strip in loops that cannot run in vectors.

    for i < n: { e = exp(a[i]);  for j < 3: out[index[i]][j] += e * b[j] }
    ~>  for each strip of 64: { simd for l: kept[l] = exp(a[start + l]);
                                for l: { e = kept[l];  for j < 3: out[index[start + l]][j] += e * b[j] } }

So is what they are computed from, if that neither fails nor is changed by the loop.  The rest runs in its order.  A store and a
load are a fraction of a function that costs tens of them (loop distribution with scalar expansion: R. Allen, K. Kennedy,
Optimizing Compilers for Modern Architectures, 2001, §5).

Functions of sums over rows, as of a regression, come after those of 16 rows, which then are read again in the fastest cache:

    for i < n: { s = sum over j of x[i][j] * w[j];  e = exp(s);  for j: g[j] += e * x[i][j] }
    ~>  for each strip of 16: { for l: { s = sum …;  sums[l] = s };  simd for l: kept[l] = exp(sums[l]);
                                for l: { e = kept[l];  for j: g[j] += e * x[start + l][j] } }
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct
from msgspec.structs import replace

from fsmooth import thresholds
from fsmooth.core.types import INT, Float
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import inside, plus
from fsmooth.loops.names import Names
from fsmooth.loops.passes.pruning import pruned
from fsmooth.loops.passes.strips.strip import WIDTH
from fsmooth.loops.passes.strips.widths import independent_strips
from fsmooth.loops.passes.unrolling import copied
from fsmooth.loops.passes.vectorise import marked, stays_scalar
from fsmooth.loops.rewriting import each_loop
from fsmooth.loops.substitution import substituted
from fsmooth.loops.usage import (
    changed,
    declared,
    expressions_of,
    mentioned_reads,
    names_of,
    pointed_to,
    walk,
    with_pointed_to,
)
from fsmooth.loops.vector_math import VECTOR_MATH


def math_in_strips(function: t.Function, names: Names) -> t.Function:
    """Compute functions that have vector versions in strips, in loops that run one iteration at a time."""
    pointers = pointed_to(function.body)

    def change(loop: t.For) -> Sequence[t.Statement]:
        if loop.simd or loop.extrema or loop.vectors is not t.Vectors.IMPLIED or _is_short(loop.size):
            return (loop,)
        named = _with_names(loop, names)
        split = _split(_computed_before(named, pointers))
        if split is None or not _may_gain(named, split.sums):
            return (loop,)
        return _in_strips(named, split, names) or (loop,)

    return each_loop(function, change)


def _is_short(size: t.Expression) -> bool:
    return isinstance(size, t.Literal) and int(size.value) < WIDTH // 4


def _with_names(loop: t.For, names: Names) -> t.For:
    """The loop in which what has such functions in it, and is added or stored, has a name."""
    body: list[t.Statement] = []
    for s in loop.body:
        if isinstance(s, t.Assign | t.Store) and _has_math(s):
            name = names.fresh("t")
            body += [t.Declare(name, s.value.type, s.value), replace(s, value=t.Name(name, s.value.type))]
        else:
            body.append(s)
    return loop if len(body) == len(loop.body) else replace(loop, body=tuple(body))


def _may_gain(loop: t.For, sums: t.Body) -> bool:
    """Are these functions not hidden, by long loops in an iteration or by numbers for which it waits?  And is it never left?

    Loops over a row do not hide what is computed of its sums, unless it is known to be long.
    """
    own = {s.name for s in walk(loop.body) if isinstance(s, t.Declare)}
    for s in walk(loop.body):
        match s:
            case t.Assign(name, accumulate=False) if name not in own:
                return False
            case t.For(size=t.Literal(value)) if value <= WIDTH:
                pass
            case t.For(size=size):
                over_row = s in sums or all([isinstance(x, t.Declare | t.Store) for x in s.body])
                if isinstance(size, t.Literal) or not sums or not over_row:
                    return False
            case t.While() | t.Break() | t.Invoke():
                return False
            case _:
                pass
    return True


class _Split(Struct, frozen=True):
    """What is computed before the rest of an iteration: rows that are added up, with what these read, and the definitions
    after them, of which some are `dear`, and are kept.
    """

    sums: t.Body
    after: t.Body
    dear: tuple[t.Declare, ...]

    @property
    def summed(self) -> list[t.Declare]:
        """The sums."""
        return [s for s in self.sums if isinstance(s, t.Declare) and s.mutable]


def _split(before: t.Body) -> _Split | None:
    """These statements, as far as they are needed for functions that have vector versions; None if there are none or too many."""
    last = max([k for k, s in enumerate(before) if isinstance(s, t.For)], default=-1)
    for sums, after in ((before[: last + 1], before[last + 1 :]), ((), _definitions(before))):
        dear = [s for s in after if isinstance(s, t.Declare) and _has_math(s)]
        if 0 < len(dear) <= thresholds.MATH_KEPT and all([isinstance(s.type, Float) for s in dear]):
            needed = _needed((*sums, *after), {s.name for s in dear})
            rows = tuple([s for s in needed if s in sums])
            if not any([isinstance(s, t.For) for s in rows]):
                rows = ()
            return _Split(rows, tuple([s for s in needed if not _is_sum(s)]), tuple(dear))
    return None


def _definitions(before: t.Body) -> t.Body:
    """Those that wait for no sum."""
    found: list[t.Statement] = []
    sums = {name for s in before if isinstance(s, t.For) for name in s.reduced}
    for s in before:
        if isinstance(s, t.Declare) and not s.mutable:
            if sums.isdisjoint(names_of(*expressions_of(s))):
                found.append(s)
            else:
                sums.add(s.name)
    return tuple(found)


def _is_sum(s: t.Statement) -> bool:
    return isinstance(s, t.For) or (isinstance(s, t.Declare) and s.mutable)


def _has_math(s: t.Statement) -> bool:
    return any([isinstance(e, t.Operation) and e.primitive in VECTOR_MATH for e in inside(*expressions_of(s))])


def _computed_before(loop: t.For, pointers: dict[str, set[str]]) -> t.Body:
    """What iterations define, and add up, of what the loop does not change, before anything in them may fail or leave it."""
    found: list[t.Statement] = []
    started: dict[str, t.Declare] = {}
    others = with_pointed_to(changed(loop.body), pointers)
    others |= {name for s in walk(loop.body) for name in declared(s)}
    for s in loop.body:
        match s:
            case t.Declare(name, _, t.Expression() as value, mutable=False):
                read = with_pointed_to(names_of(value), pointers)
                if read.isdisjoint(others) and not stays_scalar(value):
                    others.discard(name)
                    found.append(s)
            case t.Declare(name, _, t.Literal()):
                started[name] = s
            case t.For() if _adds_up(s, loop, started, others, pointers):
                others -= {*s.reduced}
                found += [*[started[name] for name in s.reduced], s]
            case t.Declare() | t.Assign() | t.Store() | t.Fill() | t.Copy() | t.LocalArray():
                pass
            case t.For() if all([isinstance(x, t.Declare | t.Assign | t.Store | t.For) for x in walk(s.body)]):
                pass
            case _:
                break
    return tuple(found)


def _adds_up(s: t.For, loop: t.For, started: Collection[str], others: set[str], pointers: dict[str, set[str]]) -> bool:
    """Does it add to sums that start before it, and to which nothing else is added?"""
    if s.kind is not t.Kind.REDUCTION or not s.reduced or s.extrema or s.own or not {*s.reduced} <= {*started}:
        return False
    if not all([isinstance(x, t.Assign) or (isinstance(x, t.Declare) and not x.mutable) for x in s.body]):
        return False
    own = {s.index, *s.reduced, *[x.name for x in s.body if isinstance(x, t.Declare)]}
    adding = [x for x in walk(loop.body) if isinstance(x, t.Assign) and x.name in s.reduced]
    if not all([any([x is y for y in s.body]) for x in adding]):
        return False
    read = names_of(s.size, *[e for x in s.body for e in expressions_of(x)])
    return with_pointed_to(read - own, pointers).isdisjoint(others - own)


def _needed(before: Sequence[t.Statement], needed: set[str]) -> t.Body:
    """Those of the statements that these are computed from, and that define them."""
    needed = {*needed}
    found: list[t.Statement] = []
    for s in reversed(before):
        own = {*s.reduced} if isinstance(s, t.For) else {s.name} if isinstance(s, t.Declare) else set()
        if not own.isdisjoint(needed):
            needed |= names_of(*[e for x in walk((s,)) for e in expressions_of(x)])
            found.append(s)
    return tuple(found[::-1])


def _in_strips(loop: t.For, split: _Split, names: Names) -> Sequence[t.Statement] | None:
    """The loop over strips: first the rows that are added up, then what is dear, in vectors, then everything else.

    None if C compilers have no vectors for what is dear.
    """
    start, count = names.beside(loop.index, "start"), names.beside(loop.index, "count")
    defined = [*split.summed, *split.dear]
    kept = {s.name: names.beside(s.name, "kept") for s in defined}
    rows, lane, again = [names.beside(loop.index, "lane") for _ in range(3)]
    most = thresholds.ROWS_IN_STRIP if split.sums else WIDTH
    size = t.Name(count, INT)

    def of(lane: str) -> t.Expression:
        return plus(t.Name(start, INT), t.Name(lane, INT))

    def from_kept(s: t.Declare, at: str) -> t.Declare:
        return t.Declare(s.name, s.type, t.Load(kept[s.name], t.Name(at, INT), s.type))

    def keeping(body: t.Body, what: Sequence[t.Declare], at: str) -> t.For:
        stores = [t.Store(kept[s.name], t.Name(at, INT), t.Name(s.name, s.type)) for s in what]
        inner = copied((*body, *stores), {loop.index: of(at)}, names)
        return t.For(at, size, inner, t.Kind.PARALLEL, loop.site)

    rest: list[t.Statement] = []
    for s in loop.body:
        if isinstance(s, t.Declare) and s.name in kept:
            rest.append(from_kept(s, again))
        elif not (isinstance(s, t.For) and s in split.sums):
            rest.append(s)
    own = {name for s in walk(rest) for name in declared(s)}
    others = pruned(substituted(tuple(rest), loop.index, of(again)), changed(rest) - own)
    dear = [s for s in split.dear if kept[s.name] in mentioned_reads(others)]
    read = [from_kept(s, lane) for s in split.summed]
    vectors = marked(keeping(_needed((*read, *split.after), {s.name for s in dear}), dear, lane))
    if not dear or not vectors.simd:
        return None
    summed = [s for s in split.summed if kept[s.name] in mentioned_reads((vectors, *others))]
    first = [keeping(split.sums, summed, rows)] if summed else []
    last = replace(loop, index=again, size=size, body=others)
    arrays = [t.LocalArray(kept[s.name], s.type, most) for s in (*summed, *dear)]
    strips = independent_strips(loop.size, start, count, (*first, vectors, last), names, most)
    strips = replace(
        strips, kind=loop.kind, site=loop.site, reduced=loop.reduced, own=(*loop.own, *[s.buffer for s in arrays])
    )
    return (*arrays, strips)
