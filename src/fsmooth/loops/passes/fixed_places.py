"""What a loop adds to the same place in each iteration is added up in a register, and added to the place after the loop.

    for j < n: { g[i] += e[j];  g[j] += f[j] }   ~>   s = 0;  for j < n: { s += e[j];  g[j] += f[j] };  if 0 < n: g[i] += s

Each iteration would wait for the number that the one before has stored, and no iterations could run side by side.  That other
places of the same array are added to meanwhile, perhaps this one, too, does no harm: it is a sum.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.types import BOOL, Float
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ZERO, key_of, zero_of
from fsmooth.loops.names import Names
from fsmooth.loops.passes.places import Places
from fsmooth.loops.passes.vectorise import marked
from fsmooth.loops.rewriting import each_loop
from fsmooth.loops.usage import expressions_of, names_of


def sums_at_fixed_places(function: t.Function, names: Names) -> t.Function:
    """Add up in registers what innermost loops add to the same places."""
    places = Places.of(function.body)

    def change(loop: t.For) -> Sequence[t.Statement]:
        if not all([isinstance(s, t.Declare | t.Store | t.Assign) for s in loop.body]) or loop.own:
            return (loop,)
        fixed = _fixed(loop, places)
        return _in_registers(loop, fixed, names) if 0 < len(fixed) <= thresholds.FIXED_PLACES else (loop,)

    return each_loop(function, change)


def _fixed(loop: t.For, places: Places) -> dict[object, t.Store]:
    """One of the stores that add to a place, for each place that is the same in each iteration; by `_place`."""
    own = {s.name for s in loop.body if isinstance(s, t.Declare)} | {loop.index}
    own |= {s.name for s in loop.body if isinstance(s, t.Assign)}
    stores = [s for s in loop.body if isinstance(s, t.Store)]
    touched = names_of(*[e for s in loop.body for e in expressions_of(s)])
    touched |= {s.buffer for s in stores if not s.accumulate}
    found: dict[object, t.Store] = {}
    for s in stores:
        is_sum = s.accumulate and isinstance(s.value.type, Float) and own.isdisjoint(names_of(s.index))
        if is_sum and all([name != s.buffer and places.apart(s.buffer, name) for name in touched]):
            found.setdefault(_place(s), s)
    return found


def _place(s: t.Store) -> object:
    return s.buffer, key_of(s.index)


def _in_registers(loop: t.For, fixed: dict[object, t.Store], names: Names) -> Sequence[t.Statement]:
    """The loop with sums of its own, before and after which is what they begin with and where they go."""
    sums = {place: t.Name(names.fresh("sum"), s.value.type) for place, s in fixed.items()}
    body: list[t.Statement] = []
    for s in loop.body:
        if isinstance(s, t.Store) and s.accumulate and _place(s) in sums:
            body.append(t.Assign(sums[_place(s)].name, s.value, accumulate=True))
        else:
            body.append(s)
    before = [t.Declare(own.name, own.type, zero_of(own.type), mutable=True) for own in sums.values()]
    after = [replace(s, value=sums[place]) for place, s in fixed.items()]
    is_sequential = loop.kind is t.Kind.SEQUENTIAL
    reduced = loop.reduced if is_sequential else (*loop.reduced, *[own.name for own in sums.values()])
    kind = loop.kind if is_sequential else t.Kind.REDUCTION
    new = replace(loop, body=tuple(body), reduced=reduced, kind=kind)
    runs = t.Operation(p.less, (ZERO, loop.size), BOOL)
    return (*before, marked(new), t.If(runs, tuple(after), ()))
