"""Where straight-line statements of loops read and write memory."""

from __future__ import annotations

from msgspec import Struct, field
from msgspec.structs import replace

from fsmooth.core.types import Int
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import inside, with_values
from fsmooth.loops.passes.vectorise import stays_scalar
from fsmooth.loops.usage import expressions_of, loads


def without_places(body: t.Body) -> t.Body:
    """Statements in which the integers that they declare for their indices stand for what they are made of."""
    known: dict[str, t.Expression] = {}
    found: list[t.Statement] = []
    for s in body:
        match s:
            case t.Declare(name, Int(), e, False) if e is not None and not loads(e):
                known[name] = with_values(e, known)
            case t.Declare() if s.value is not None:
                found.append(replace(s, value=with_values(s.value, known)))
            case t.Assign():
                found.append(replace(s, value=with_values(s.value, known)))
            case t.Store():
                found.append(replace(s, index=with_values(s.index, known), value=with_values(s.value, known)))
            case _:
                return body
    return tuple(found) if known else body


class Accesses(Struct):
    """The indices at which statements read and write each buffer, and the numbers that they declare."""

    reads: dict[str, list[t.Expression]] = field(default_factory=dict)
    writes: dict[str, list[t.Expression]] = field(default_factory=dict)
    locals: set[str] = field(default_factory=set)

    def buffers(self) -> set[str]:
        """All of them."""
        return self.reads.keys() | self.writes.keys()

    @staticmethod
    def of(body: t.Body) -> Accesses | None:
        """Those of statements; None if they are no straight-line code that vectorises."""
        found = Accesses(locals={s.name for s in body if isinstance(s, t.Declare)})
        for s in without_places(body):
            match s:
                case t.Declare(mutable=False) if s.value is not None:
                    pass
                case t.Store():
                    found.writes.setdefault(s.buffer, []).append(s.index)
                    if s.accumulate:
                        found.reads.setdefault(s.buffer, []).append(s.index)
                case _:
                    return None
            for e in inside(*expressions_of(s)):
                if isinstance(e, t.Load):
                    found.reads.setdefault(e.buffer, []).append(e.index)
                elif isinstance(e, t.Search) or stays_scalar(e):
                    return None
        return found
