"""What does not wait for what calls give is done before them.

    d = back(right, c * l + e)                  x[k] += c * (l * r)
    f = back(left, c * r + g)           ~>      p = c * r;  q = p + g
    x[k] += c * (l * r)                         d = back(right, c * l + e)
    s = c * r + d + f                           f = back(left, q)
                                                s = p + d + f

No number is kept in a register over a call, so each that is live there is stored and loaded.  Statements, and the parts of
others that read nothing of the calls, go before the first of them if no more numbers are live over it then.  What is added to
an array goes before calls that only add to it, too: the sum is made in another order.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from fsmooth.core import primitives as p
from fsmooth.core.types import Int
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import key_of, parts
from fsmooth.loops.names import Names
from fsmooth.loops.passes.places import Places
from fsmooth.loops.rewriting import same_or, with_bodies, with_body
from fsmooth.loops.usage import changed, mentioned_reads, targets, walk

_MOVABLE = t.Declare | t.Assign | t.Store | t.Invoke | t.Unpack


def work_before_calls(function: t.Function, names: Names) -> t.Function:
    """Do before calls what does not wait for them."""
    if not any([isinstance(s, t.Invoke) for s in walk(function.body)]):
        return function
    varying, places = changed(function.body), Places.of(function.body)

    def scheduled(body: t.Body) -> t.Body:
        found: list[t.Statement] = []
        segment: list[t.Statement] = []

        def close() -> None:
            made = _Segment(tuple(segment), varying, places, names) if len(segment) > 1 else None
            found.extend(made.result if made is not None and made.gains() else segment)
            segment.clear()

        for s in body:
            if not isinstance(s, _MOVABLE):
                close()
                found.append(with_bodies(s, scheduled))
            elif segment or isinstance(s, t.Invoke):
                segment.append(s)
            else:
                found.append(s)
        close()
        return same_or(body, found)

    return with_body(function, scheduled(function.body))


class _Segment:
    """Statements from a call on: what goes before it, and what stays.

    `late` are the names that statements change, or that stay; `touched` what those which stay read or fill.
    """

    def __init__(self, old: t.Body, varying: set[str], places: Places, names: Names) -> None:
        self.old = old
        self.varying = varying
        self.places = places
        self.names = names
        self.late = {name for s in old for name in targets(s)}
        self.late |= {s.name for s in old if isinstance(s, t.Declare) and (s.mutable or s.value is None)}
        self.touched: set[str] = set()
        self.early: list[t.Statement] = []
        self.stay: list[t.Statement] = []
        self.known: dict[object, t.Name] = {}
        for s in old:
            self.place(s)

    @property
    def result(self) -> t.Body:
        """The statements in their new order."""
        return (*self.early, *self.stay)

    def gains(self) -> bool:
        """Does something go before the call, and are no more numbers live over it?"""
        return bool(self.early) and len(_live(self.stay)) <= len(_live(self.old))

    def place(self, s: t.Statement) -> None:
        """Put the next statement where it goes."""
        match s:
            case t.Declare() | t.Unpack() if s.name not in self.late and all([self.is_early(e) for e in _read(s)]):
                self.early.append(s)
                return
            case t.Declare() | t.Unpack():
                self.late.add(s.name)
            case t.Store(buffer, index, value, True) if self.touched.isdisjoint(self.places.memory(buffer)):
                if self.is_early(index) and self.is_early(value):
                    self.early.append(s)
                    return
            case _:
                pass
        self.touched.update(*[self.places.memory(name) for name in _touched(s)])
        self.stay.append(self.without(s))

    def without(self, s: t.Statement) -> t.Statement:
        """A statement that stays, with names for the parts of its expressions that are computed before."""
        match s:
            case t.Declare() if s.value is not None:
                return replace(s, value=self.named(s.value))
            case t.Assign():
                return replace(s, value=self.named(s.value))
            case t.Store():
                return replace(s, index=self.named(s.index), value=self.named(s.value))
            case t.Invoke() if self.stay:
                return replace(
                    s, arguments=tuple([a if isinstance(a, t.Place) else self.named(a) for a in s.arguments])
                )
            case _:
                return s

    def named(self, e: t.Expression) -> t.Expression:
        """An expression with names for its largest parts that can be computed before; a branch keeps its parts."""
        is_early, new = self.split(e)
        return self.name(e) if is_early else new

    def name(self, e: t.Expression) -> t.Expression:
        """A name for an expression that is computed before, unless it is one."""
        if isinstance(e, t.Name | t.Literal):
            return e
        key = key_of(e)
        if key not in self.known:
            name = self.known[key] = t.Name(self.names.fresh("early"), e.type)
            self.early.append(t.Declare(name.name, e.type, e))
        return self.known[key]

    def split(self, e: t.Expression) -> tuple[bool, t.Expression]:
        """Has it the same value before the calls?  If not, it with names for the parts of it that have."""
        if not isinstance(e, t.Operation):
            return self.is_early(e), e
        found = [self.split(a) for a in e.arguments]
        if all([is_early for is_early, _ in found]) and not _may_fail(e):
            return True, e
        arguments = [self.name(a) if is_early else a for is_early, a in found]
        return False, t.Operation(e.primitive, tuple(arguments), e.type)

    def is_early(self, e: t.Expression) -> bool:
        """Has it the same value before the calls?"""
        match e:
            case t.Literal():
                return True
            case t.Name(name):
                return name not in self.late
            case t.Load(buffer, index):
                return buffer not in self.varying | self.late and self.is_early(index)
            case t.Search():
                return False
            case _:
                return not _may_fail(e) and all([self.is_early(part) for part in parts(e)])


def _may_fail(e: t.Expression) -> bool:
    """Is it a division that a call which fails would have kept from being made?"""
    return isinstance(e, t.Operation) and e.primitive in (p.floor_divide, p.modulo) and isinstance(e.type, Int)


def _touched(s: t.Statement) -> set[str]:
    """What a statement reads or fills; a call adds to an array without doing either."""
    if not isinstance(s, t.Invoke):
        return targets(s) | mentioned_reads((s,))
    added = {r.buffer for r, is_added in zip(s.results, s.added, strict=True) if is_added and isinstance(r, t.Place)}
    given = {a.buffer for a in s.arguments if isinstance(a, t.Place)}
    return (mentioned_reads((s,)) - added) | (s.changes - added) | given


def _read(s: t.Declare | t.Unpack) -> Sequence[t.Expression]:
    if isinstance(s, t.Unpack):
        return [s.frame]
    return [] if s.value is None else [s.value]


def _live(statements: Sequence[t.Statement]) -> set[str]:
    """The names that are read after the first statement, a call, and were known before it."""
    own = {s.name for s in statements if isinstance(s, t.Declare | t.Unpack)}
    own |= {name for s in statements for name in targets(s)}
    return mentioned_reads(tuple(statements[1:])) - own
