"""Integers in the state of a loop to which each step adds the same number: they say how many steps there were.

    while (fun s -> s.0 < n) (fun s -> (s.0 + 1, e)) (0, z)        ifold (fun s i -> (s.0 + 2, e)) (k, z) n

In a loop over i such a component of the state is k + 2 i, which need not be carried from step to step, and so not be saved
for the way back.
"""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.build import components, flat_scope, plus, times
from fsmooth.core.subst import refresh, substitute, substitute1
from fsmooth.core.term import Carrying, Const, IFold, MakeTuple, Prim, Proj, Term, Var
from fsmooth.core.traverse import subterms, transform
from fsmooth.core.types import INT, Int


def counters(loop: Carrying) -> dict[int, int]:
    """What each step adds, by the position of the counter in the state."""
    bindings, result = flat_scope(loop.body)
    if not isinstance(result, MakeTuple):
        return {}
    definitions = dict(bindings)

    def defined(term: Term) -> Term:
        while isinstance(term, Var) and term in definitions:
            term = definitions[term]
        return term

    found: dict[int, int] = {}
    for k, item in enumerate(result.items):
        match defined(item) if isinstance(item.type, Int) else None:
            case Prim(p.add, (a, Const(added))) | Prim(p.add, (Const(added), a)):
                read = defined(a)
                if isinstance(read, Proj) and read.position == k and read.tuple is loop.state:
                    found[k] = int(added)
    return found


def count_of(loop: Carrying) -> int | None:
    """The position of the counter that is the number of the step, 0 in the first; None if the state has none."""
    found = counters(loop)
    for k in from_zero(loop):
        start = components(loop.init)[k]
        if found[k] == 1 and isinstance(start, Const) and start.value == 0:
            return k
    return None


def from_zero(loop: Carrying) -> tuple[int, ...]:
    """The counters that start at a constant from 0 on and never fall."""
    rising = [k for k, added in counters(loop).items() if added >= 0]
    starts = components(loop.init) if rising else ()
    return tuple([k for k in rising if _is_natural(starts[k])])


def by_index(fold: IFold) -> IFold:
    """The loop with its counters computed from its index, where they start at a constant or a variable."""
    found = counters(fold)
    starts = components(fold.init) if found else ()
    found = {k: added for k, added in found.items() if isinstance(starts[k], Const | Var)}
    if not found or not any([_reads(x, fold.state, found) for x in subterms(fold.body)]):
        return fold
    if fold.state in fold.init.free or fold.index in fold.init.free:
        renamed = refresh(fold)
        assert isinstance(renamed, IFold)
        return by_index(renamed)
    whole = fold.state.renamed()
    names = {k: Var("count", INT) for k in found}
    values = {names[k]: plus(starts[k], times(Const(added), fold.index)) for k, added in found.items()}

    def change(t: Term) -> Term:
        return names[t.position] if isinstance(t, Proj) and _reads(t, whole, found) else t

    body = transform(substitute1(fold.body, fold.state, whole), change)
    return IFold(fold.size, fold.init, whole, fold.index, substitute(body, values))


def _is_natural(t: Term) -> bool:
    return isinstance(t, Const) and int(t.value) >= 0


def _reads(t: Term, state: Var, found: dict[int, int]) -> bool:
    return isinstance(t, Proj) and t.tuple is state and t.position in found
