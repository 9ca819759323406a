"""`while` backwards: the steps are counted in a first run, and then it is a fold of so many (docs/decisions/0022).

    while (fun s -> c) (fun s -> e) z   =   let n = (steps of it) in ifold (fun s i -> e) z n

The same body makes the same states, so the fold does the same steps; its states can be saved, since their number is known
when it starts.
"""

from __future__ import annotations

from fsmooth.core.build import plus
from fsmooth.core.subst import refresh, substitute1
from fsmooth.core.term import Const, IFold, MakeTuple, Proj, Term, Var, While
from fsmooth.core.types import INT, Tuple


def steps_of(term: While) -> Term:
    """How many steps the loop makes."""
    both = Var(term.state.name, Tuple((term.state.type, INT)), term.state.site)
    state = Proj(both, 0)
    step = MakeTuple((substitute1(term.body, term.state, state), plus(Proj(both, 1), Const(1))))
    counted = While(MakeTuple((term.init, Const(0))), both, substitute1(term.condition, term.state, state), step)
    return refresh(Proj(counted, 1))


def as_fold(term: While, steps: Term) -> IFold:
    """The loop as a fold of so many steps."""
    return IFold(steps, term.init, term.state, Var("i", INT), term.body)
