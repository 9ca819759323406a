"""What never decreases is between its ends: offsets are tested in one pass (docs/decisions/0041).

all (n - 1) (fun i -> a[i] <= a[i + 1])  and  0 <= a[0] && a[n - 1] < m   say that   0 <= a[i] < m  for all i < n
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fsmooth.core import primitives as p
from fsmooth.core.build import plus
from fsmooth.core.element_ranges import Said, matched
from fsmooth.core.term import Const, Prim, Term

Same = Callable[[Term, Term], bool]
"""Are two integers equal?"""


def between_ends(
    known: Sequence[Said], limits: Sequence[tuple[Term, Term | None]], same: Same, if_any: Term | None
) -> Iterator[Said]:
    """Of what is known never to decrease, that it is below the limit of its last, if its first is not negative.

    With `if_any`, the limits hold if that is not 0: then it must be how many there are.
    """
    for said in known:
        rising = _rising(said, same)
        if rising is None:
            continue
        each, steps = rising
        ((_, count),) = each.indices
        above = [limit for a, limit in limits if limit is not None and _is_at(each, a, steps, same)]
        is_first = any([limit is None and _is_at(each, a, Const(0), same) for a, limit in limits])
        if above and is_first and (if_any is None or same(if_any, count)):
            yield Said(each.indices, each.value, above[0])


def _rising(said: Said, same: Same) -> tuple[Said, Term] | None:
    """What never decreases in so many steps, if that is what is said."""
    match said:
        case Said(((index, steps),), Prim(p.less_equal, (before, after)), None):
            each = Said(((index, plus(steps, Const(1))),), before)
            return (each, steps) if _is_at(each, after, plus(index, Const(1)), same) else None
        case _:
            return None


def _is_at(said: Said, term: Term, index: Term, same: Same) -> bool:
    """Is a term what is said something of, at this index?"""
    values = matched(said, term)
    return values is not None and same(values[said.indices[0][0]], index)
