"""What the second half of a derivative needs of what the first half computes (paper 001, §6.1): no more is handed over.

x is handed over as x.1 and length x.0   if the second half reads   x.1[i]   and   length x.0
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from fsmooth.core.build import named_part, part_of
from fsmooth.core.term import Length, Proj, Term, Var
from fsmooth.core.traverse import children, transform
from fsmooth.core.types import INT

Positions = tuple[int, ...]


class Handed(Struct, frozen=True):
    """The terms that the first half gives, their names in the second, and the second half in these names."""

    terms: tuple[Term, ...]
    names: tuple[Var, ...]
    second: Term


def handed(second: Term, computed: Iterable[Var]) -> Handed:
    """What `second` reads of the variables that the first half computes."""
    wanted = {x: k for k, x in enumerate(computed) if x in second.free}
    read, lengths = _read(second, wanted)
    read = {(x, at) for x, at in read if not any([(x, at[:k]) in read for k in range(len(at))])}
    lengths = {(x, at, axis) for x, at, axis in lengths if not any([(x, at[:k]) in read for k in range(len(at) + 1)])}
    parts: dict[tuple[Var, Positions], Var] = {}
    terms: list[Term] = []
    for x, at in sorted(read, key=lambda part: (wanted[part[0]], part[1])):
        terms.append(part_of(x, at))
        parts[x, at] = x if not at else Var("_".join([x.name, *[str(k) for k in at]]), terms[-1].type)
    sizes: dict[tuple[Var, Positions, int], Var] = {}
    for x, at, axis in sorted(lengths, key=lambda size: (wanted[size[0]], size[1:])):
        terms.append(Length(part_of(x, at), axis))
        sizes[x, at, axis] = Var(f"{x.name}_n{axis}", INT)

    def change(t: Term) -> Term:
        if isinstance(t, Length):
            found = named_part(t.array)
            return sizes.get((*found, t.axis), t) if found is not None else t
        found = named_part(t) if isinstance(t, Proj) else None
        return parts.get(found, t) if found is not None else t

    return Handed(tuple(terms), (*parts.values(), *sizes.values()), transform(second, change))


def _read(second: Term, wanted: dict[Var, int]) -> tuple[set[tuple[Var, Positions]], set[tuple[Var, Positions, int]]]:
    """The parts that are read, and the lengths that are asked for."""
    read: set[tuple[Var, Positions]] = set()
    lengths: set[tuple[Var, Positions, int]] = set()
    seen: set[Term] = set()
    stack = [second]
    while stack:
        t = stack.pop()
        if t in seen or wanted.keys().isdisjoint(t.free):
            continue
        seen.add(t)
        found = named_part(t.array if isinstance(t, Length) else t)
        if found is None:
            stack.extend(children(t))
        elif found[0] in wanted:
            if isinstance(t, Length):
                lengths.add((*found, t.axis))
            else:
                read.add(found)
    return read, lengths
