"""Arrays that a step computes and keeps: computed in the row of the state where they are kept (design §6).

    ifold (fun (s, a) i -> let k = build n (fun j -> e s j) in (f s k, update a i k)) …

Reverse mode saves what a step computes so.  Where nothing else reads a after k is computed, k is computed in a[i].
"""

from __future__ import annotations

from collections.abc import Sequence

from fsmooth.core.term import Build, Const, MakeTuple, Plus, Reduce, Term, Update, Var
from fsmooth.core.types import Array
from fsmooth.lower.aliases import alias
from fsmooth.lower.context import Context
from fsmooth.lower.destination import Destination, destination_at
from fsmooth.lower.places import Part, reads


def saved_row(ctx: Context, var: Var, value: Term, parts: Sequence[Part], later: Sequence[Term]) -> Destination | None:
    """The row in which the last of `later` keeps the array `value` that is bound to `var`."""
    if not isinstance(value, Build | Plus | Reduce) or not isinstance(value.type, Array):
        return None
    ends = _ends(later[-1])
    for end in ends:
        match end:
            case Update(array, Var() | Const() as index, kept) if kept is var:
                pass
            case _:
                continue
        for part in parts:
            if not part.is_held(array) or (isinstance(index, Var) and index not in ctx.environment):
                continue
            if any([reads(x, part) for x in (value, *later[:-1], *[x for x in ends if x is not end])]):
                continue
            if isinstance(value, Build) and alias(ctx, value) is not None:
                return None
            return destination_at(part.place, ctx.scalar(index))
    return None


def _ends(body: Term) -> list[Term]:
    """The next values of the parts, as far as they are written out."""
    if isinstance(body, MakeTuple):
        return [x for item in body.items for x in _ends(item)]
    return [body]
