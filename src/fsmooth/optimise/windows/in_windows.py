"""Loops inside a sequential loop run where what they make is not zero, and is read (optimise/windows/supports.py, demands.py).

    ifold (fun s t -> build n (fun i -> e)) (delta n k v) m
    ~>
    ifold (fun s t -> let first = k - P - P*t in let end = k + 1 + Q + Q*t in
                      build n (fun i -> if first <= i && i < end then e else 0)) (delta n k v) m

if e is zero elsewhere.  So the gradient of one cell of a table, or of one sensor, visits only what that depends on: the
one-hot arrays of linear maps (paper 001, §6) are not made again by the loops they pass through.  What the next step does not
read is not even set to zero; and the loop that ran before, forward, computes and saves only what is read on the way back
(optimise/windows/saved_windows.py).  Lowering makes the conditions ranges of loops (lower/ranges.py).
"""

from __future__ import annotations

from collections.abc import Container
from math import inf

from fsmooth.core import primitives as p
from fsmooth.core.build import flat_scope, part_of, plus, prim
from fsmooth.core.subst import refresh
from fsmooth.core.term import (
    Build,
    Const,
    Delta,
    If,
    IFold,
    Let,
    Proj,
    Reduce,
    Term,
    Var,
    let,
)
from fsmooth.core.traverse import children, rebuild, subterms
from fsmooth.optimise.failing import StaticSizes, postorder
from fsmooth.optimise.windows.demands import Demands, settled
from fsmooth.optimise.windows.saved_windows import Backward, saved_windows
from fsmooth.optimise.windows.support import EVERYWHERE, NOWHERE, Support, arrays_in, is_simple
from fsmooth.optimise.windows.supports import Supports
from fsmooth.optimise.windows.window import ALL_ZEROS, Kept, Window, Zeros, can_be_left_out, is_long
from fsmooth.rewrite.trace import Trace


def in_windows(term: Term, trace: Trace, static_sizes: StaticSizes) -> Term:
    """The term in which arrays with a cone are computed there."""
    if not (_has(term, IFold) and (_has(term, Delta) or _has(term, If))):
        return term
    own = refresh(term)
    kept, opened = _planned(own)
    if not kept:
        return term
    trace.record("windows")
    done: dict[Term, Term] = {}
    for t in postorder(own):
        new = rebuild(t, [done.get(c, c) for c in children(t)])
        if t in kept:
            assert isinstance(new, Build | Reduce)
            new = rebuild(new, (new.size, kept[t].element(new)))
        if isinstance(new, IFold):
            for window in opened.get(t, ()):
                ends = [end for end in window.definitions if end[0] in new.body.free]
                new = IFold(new.size, new.init, new.state, new.index, let(ends, new.body))
        done[t] = new
    return done[own]


def _has(term: Term, kind: type[Term]) -> bool:
    return any([isinstance(t, kind) for t in subterms(term)])


def _planned(term: Term) -> tuple[dict[Term, Kept], dict[Term, list[Window]]]:
    """What loops are kept to, and the windows of sequential loops, by their terms."""
    definitions = {var: value for t in subterms(term) if isinstance(t, Let) for var, value in t.bindings}
    used, shared = _used(term), _shared(term)
    kept: dict[Term, Kept] = {}
    opened: dict[Term, list[Window]] = {}
    for loop in [t for t in subterms(term) if isinstance(t, IFold)]:
        fixed = shared | kept.keys()
        back = _backward(loop, Supports(loop, definitions), fixed)
        if back is None:
            continue
        opened.setdefault(loop, []).append(back.window)
        kept.update(_zeros_set(loop, back, used[loop]))
        for forward in saved_windows(term, back, definitions, shared | kept.keys()):
            opened.setdefault(forward.loop, []).append(forward.window)
            kept.update(forward.kept)
    return kept, opened


def _shared(term: Term) -> set[Term]:
    """What occurs in several places."""
    met: set[Term] = set()
    found: set[Term] = set()
    for t in subterms(term):
        for c in children(t):
            (found if c in met else met).add(c)
    return found


def _backward(loop: IFold, supports: Supports, fixed: Container[Term]) -> Backward | None:
    """The window of a loop, and which loops in its step, but for those that are `fixed`, are kept to it."""
    if supports.cone is None:
        return None
    found: dict[Term, Support] = {}
    for t in postorder(loop.body):
        if is_long(t) and t not in fixed:
            assert isinstance(t, Build | Reduce)
            support = supports.over(t)
            if support != NOWHERE and min(support) < inf and can_be_left_out(t):
                found[t] = support
    if not found:
        return None
    inside = {k: Support(*[0 if x < inf else inf for x in support]) for k, support in found.items()}
    window = Window.around(supports.cone, loop.index, list(found.values()))
    return Backward(loop, supports.cone.anchors, window, inside)


def _zeros_set(loop: IFold, back: Backward, used: set[int]) -> dict[Term, Kept]:
    """What the loops of a step are kept to, with the zeros that the rest of it, the next step, or what follows reads."""
    kept = {k: Kept(back.window, inside, ALL_ZEROS) for k, inside in back.inside.items()}
    bindings, body = flat_scope(loop.body)
    last = prim(p.less_equal, loop.size, plus(loop.index, Const(1))) if is_simple(loop.size) else None
    results = {path: part_of(body, path) for path in arrays_in(loop.type)}
    follows = {path for path in results if _ALL in used or not path or path[0] in used}
    whole = {path for path in follows if last is None or results[path] not in kept}
    demands, exits = settled(
        loop,
        lambda entry: {
            path: EVERYWHERE if path in whole else Support(s.before + back.window.before, s.after + back.window.after)
            for path, s in entry.items()
        },
        lambda exits: Demands(loop, exits, back.over),
    )
    for var, value in bindings:
        if value in kept and isinstance(value, Build):
            kept[value] = kept[value]._replace(zeros=Zeros(demands.of(var)))
    for path, value in results.items():
        if value in kept and isinstance(value, Build):
            kept[value] = kept[value]._replace(zeros=Zeros(exits[path], last if path in follows else None))
    return kept


_ALL = -1


def _used(root: Term) -> dict[IFold, set[int]]:
    """Which components of each sequential loop's result are used; _ALL: all of it."""
    named = {}
    for t in subterms(root):
        if isinstance(t, Let):
            named.update({var: value for var, value in t.bindings if isinstance(value, IFold)})
    used: dict[IFold, set[int]] = {t: {_ALL} if t is root else set() for t in subterms(root) if isinstance(t, IFold)}
    for t in subterms(root):
        for c in children(t):
            is_definition = isinstance(t, Let) and c is not t.body
            loop = named.get(c) if isinstance(c, Var) else None if is_definition else c
            if isinstance(loop, IFold):
                used[loop].add(t.position if isinstance(t, Proj) else _ALL)
    return used
