"""D³: a backpropagator gives a function that adds to what is there, not something to be added (paper 003, §5, Fig. 9).

The monoid of `Staged c` becomes that of functions on it (Cayley): zero is the identity, plus is composition.  What is collected
are the numbers alone, by input (§6), so that no vector of zeros is made or added.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from msgspec import Struct

from fsmooth.core.arithmetic import Slopes
from fsmooth.core.types import Type
from fsmooth.differentiate.backpropagators.stage import Numbered, Seeds, Varying


class Staged(Struct, frozen=True):
    """Cotangents by input, and by number the calls that are still to be made: of what, and with what."""

    cotangents: dict[int, object]
    calls: dict[int, tuple[Backpropagator, object]]


Updater = Callable[[Staged], Staged]
Backpropagator = Callable[[object], Updater]


class Number(Varying, frozen=True):
    """(x, (id, ℝ ⊸ (Staged c → Staged c)))."""

    id: int
    backpropagator: Backpropagator


class Cayley(Numbered):
    """D³ of paper 003."""

    def input(self, value: object) -> Number:
        """`SCotan` adds to one number."""
        position = self.inputs
        self.inputs += 1
        return Number(value, self.next(), lambda z: lambda s: self._collected(s, position, z))

    def operation(self, value: object, slopes: Slopes, type_: Type) -> Number:
        """D³[op]: λz. SCall d₁ (∂₁op z) ∘ … ∘ SCall dₙ (∂ₙop z)."""
        operands = [(operand, slope) for operand, slope in slopes if isinstance(operand, Number)]
        return Number(
            value, self.next(), lambda z: _all([self._call(d, self.times(z, slope)) for d, slope in operands])
        )

    def pulled(self, seeds: Seeds) -> list[object]:
        """`SResolve`: undo the transformation with the one zero that there is, then make the calls."""
        update = _all([self._call(number, z) for number, z in seeds if isinstance(number, Number)])
        staged = update(Staged({}, {}))
        while staged.calls:
            last = max(staged.calls)
            backpropagator, z = staged.calls[last]
            rest = {k: call for k, call in staged.calls.items() if k != last}
            self.calls += 1
            staged = backpropagator(z)(Staged(staged.cotangents, rest))
        return [staged.cotangents.get(k, self.zero()) for k in range(self.inputs)]

    def _call(self, number: Number, z: object) -> Updater:
        """`SCall`."""

        def update(staged: Staged) -> Staged:
            known = staged.calls.get(number.id)
            given = z if known is None else self.plus(known[1], z)
            return Staged(staged.cotangents, {**staged.calls, number.id: (number.backpropagator, given)})

        return update

    def _collected(self, staged: Staged, position: int, z: object) -> Staged:
        known = staged.cotangents.get(position)
        total = z if known is None else self.plus(known, z)
        return Staged({**staged.cotangents, position: total}, staged.calls)


def _all(updaters: list[Updater]) -> Updater:
    """The composition; of none, the identity."""
    return lambda staged: reduce(lambda s, update: update(s), reversed(updaters), staged)
