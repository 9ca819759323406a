"""Lowering without destination-passing style: the ablation of paper 000, §6 ("+ DPS" is `to_loops`).

Every array is computed in storage of its own and then copied to where it belongs.
"""

from __future__ import annotations

from fsmooth.core.hints import Hint
from fsmooth.core.shape import Ragged
from fsmooth.core.term import Build, Carrying, Collect, Delta, Plus, Reduce, Term, Update, Vector
from fsmooth.core.types import is_scalar
from fsmooth.lower.arrays import copy_into
from fsmooth.lower.destination import Destination, Mode, Value, readable
from fsmooth.lower.storage import storage_for
from fsmooth.lower.to_loops import Lowering


class Copying(Lowering):
    """The dispatch of one function, in which nobody is told where a result will go."""

    accumulators = False

    def into(self, term: Term, dest: Destination, mode: Mode) -> None:
        if isinstance(term, Build | Vector | Delta | Update | Plus | Reduce | Carrying | Collect) and not is_scalar(
            term.type
        ):
            try:
                place = storage_for(self, term, "a")
            except Ragged:
                super().into(term, dest, mode)
                return
            super().into(term, place, Mode.ASSIGN)
            copy_into(self, readable(place), dest, mode)
            return
        super().into(term, dest, mode)

    def _stored(self, term: Term, hint: str | Hint) -> Value:
        place = storage_for(self, term, hint)
        super().into(term, place, Mode.ASSIGN)
        return readable(place)
