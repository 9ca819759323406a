"""Functions that have vector versions are computed strip by strip in loops that cannot run in vectors.

    for i < n: { e = exp(a[i]);  for j < m: out[index[i]][j] += e * b[j] }
    ~>  for each strip of 64: { simd for l: kept[l] = exp(a[start + l]);
                                for l: { e = kept[l];  for j < m: out[index[start + l]][j] += e * b[j] } }

So is what they are computed from, if that neither fails nor is changed by the loop.  The rest runs in its order.  A store and a
load are a fraction of a function that costs tens of them (loop distribution with scalar expansion: R. Allen, K. Kennedy,
Optimizing Compilers for Modern Architectures, 2001, §5).
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

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
from fsmooth.loops.usage import changed, declared, names_of, pointed_to, walk, with_pointed_to
from fsmooth.loops.vector_math import VECTOR_MATH

MOST = 8
"""Numbers that are kept of an iteration: a chunk of a parallel loop has 16 kB of stack, of which these take a quarter."""


def math_in_strips(function: t.Function, names: Names) -> t.Function:
    """Compute functions that have vector versions in strips, in loops that run one iteration at a time."""
    pointers = pointed_to(function.body)

    def change(loop: t.For) -> Sequence[t.Statement]:
        if loop.simd or loop.extrema or loop.vectors is not t.Vectors.IMPLIED:
            return (loop,)
        if _is_short(loop.size) or not _may_gain(loop):
            return (loop,)
        before = _computed_before(loop, pointers)
        dear = [s for s in before if _has_math(s)]
        if not 0 < len(dear) <= MOST:
            return (loop,)
        return _in_strips(loop, _needed(before, dear), dear, names)

    return each_loop(function, change)


def _is_short(size: t.Expression) -> bool:
    return isinstance(size, t.Literal) and int(size.value) < WIDTH // 4


def _may_gain(loop: t.For) -> bool:
    """Are these functions not hidden, by long loops in an iteration or by numbers for which it waits?  And is it never left?"""
    own = {s.name for s in walk(loop.body) if isinstance(s, t.Declare)}
    for s in walk(loop.body):
        match s:
            case t.Assign(name, accumulate=False) if name not in own:
                return False
            case t.For(size=size) if not isinstance(size, t.Literal):
                return False
            case t.While() | t.Break() | t.Invoke():
                return False
            case _:
                pass
    return True


def _has_math(s: t.Declare) -> bool:
    assert s.value is not None
    return any([isinstance(e, t.Operation) and e.primitive in VECTOR_MATH for e in inside(s.value)])


def _computed_before(loop: t.For, pointers: dict[str, set[str]]) -> list[t.Declare]:
    """What iterations define from what the loop does not change, before anything in them may fail or leave it."""
    found: list[t.Declare] = []
    others = with_pointed_to(changed(loop.body), pointers)
    others |= {name for s in walk(loop.body) for name in declared(s)}
    for s in loop.body:
        match s:
            case t.Declare(name, _, t.Expression() as value, mutable=False):
                read = with_pointed_to(names_of(value), pointers)
                if read.isdisjoint(others) and not stays_scalar(value):
                    others.discard(name)
                    found.append(s)
            case t.Declare() | t.Assign() | t.Store() | t.Fill() | t.Copy() | t.LocalArray():
                pass
            case t.For() if all([isinstance(x, t.Declare | t.Assign | t.Store | t.For) for x in walk(s.body)]):
                pass
            case _:
                break
    return found


def _needed(before: Sequence[t.Declare], dear: Sequence[t.Declare]) -> list[t.Declare]:
    """Those of the definitions that these are computed from, and they themselves."""
    needed = {s.name for s in dear}
    found: list[t.Declare] = []
    for s in reversed(before):
        if s.name in needed:
            assert s.value is not None
            needed |= names_of(s.value)
            found.append(s)
    return found[::-1]


def _in_strips(
    loop: t.For, needed: Sequence[t.Declare], dear: Sequence[t.Declare], names: Names
) -> Sequence[t.Statement]:
    """The loop over strips: first what is `needed` for what is `dear`, in vectors, then everything else."""
    if not all([isinstance(s.type, Float) for s in dear]):
        return (loop,)
    start, count = names.beside(loop.index, "start"), names.beside(loop.index, "count")
    kept = {s.name: names.beside(s.name, "kept") for s in dear}
    at, again = names.beside(loop.index, "lane"), names.beside(loop.index, "lane")

    def of(lane: str) -> t.Expression:
        return plus(t.Name(start, INT), t.Name(lane, INT))

    stores = [t.Store(kept[s.name], t.Name(at, INT), t.Name(s.name, s.type)) for s in dear]
    body = copied((*needed, *stores), {loop.index: of(at)}, names)
    size = t.Name(count, INT)
    first = marked(t.For(at, size, body, t.Kind.PARALLEL, loop.site))
    if not first.simd:
        return (loop,)
    rest = [
        replace(s, value=t.Load(kept[s.name], t.Name(again, INT), s.type))
        if isinstance(s, t.Declare) and s.name in kept
        else s
        for s in loop.body
    ]
    own = {name for s in walk(rest) for name in declared(s)}
    others = pruned(substituted(tuple(rest), loop.index, of(again)), changed(rest) - own)
    second = replace(loop, index=again, size=size, body=others)
    strips = independent_strips(loop.size, start, count, (first, second), names)
    strips = replace(strips, kind=loop.kind, site=loop.site, reduced=loop.reduced, own=(*loop.own, *kept.values()))
    return (*[t.LocalArray(kept[s.name], s.type, WIDTH) for s in dear], strips)
