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
from fsmooth.loops.rewriting import same_or, with_bodies, with_body
from fsmooth.loops.usage import changed, mentioned_reads, names_of, targets, walk

_MOVABLE = t.Declare | t.Assign | t.Store | t.Invoke | t.Unpack
_MAY_FAIL = (p.floor_divide, p.modulo)
"""Of integers: of what a call that fails would have kept from being computed."""


def work_before_calls(function: t.Function, names: Names) -> t.Function:
    """Do before calls what does not wait for them."""
    if not any([isinstance(s, t.Invoke) for s in walk(function.body)]):
        return function
    varying = changed(function.body)

    def scheduled(body: t.Body) -> t.Body:
        body = same_or(body, [with_bodies(s, scheduled) for s in body])
        first = next((k for k, s in enumerate(body) if isinstance(s, t.Invoke)), len(body))
        end = next((k for k in range(first, len(body)) if not isinstance(body[k], _MOVABLE)), len(body))
        if end - first < 2:
            return body
        segment = _Segment(body[first:end], varying, names)
        return (*body[:first], *segment.result, *body[end:]) if segment.gains() else body

    return with_body(function, scheduled(function.body))


class _Segment:
    """Statements from a call on: what goes before it, and what stays."""

    def __init__(self, old: t.Body, varying: set[str], names: Names) -> None:
        self.old = old
        self.varying = varying
        self.names = names
        self.late = {name for s in old for name in targets(s)}
        self.late |= {s.name for s in old if isinstance(s, t.Declare) and (s.mutable or s.value is None)}
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
            case t.Declare(value=None) | t.Declare(mutable=True):
                self.stay.append(s)
            case t.Declare() | t.Unpack():
                if all([self.is_early(e) for e in _read(s)]):
                    self.early.append(s)
                    return
                self.late.add(s.name)
                self.stay.append(self.without(s))
            case t.Store(accumulate=True) if self.may_be_added_before(s):
                self.early.append(s)
            case _:
                self.stay.append(self.without(s))

    def is_early(self, e: t.Expression) -> bool:
        """Has it the same value before the calls?"""
        if not names_of(e).isdisjoint(self.late):
            return False
        stack = [e]
        while stack:
            x = stack.pop()
            match x:
                case t.Search():
                    return False
                case t.Load(buffer) if buffer in self.varying:
                    return False
                case t.Operation(primitive) if primitive in _MAY_FAIL and isinstance(x.type, Int):
                    return False
                case _:
                    stack.extend(parts(x))
        return True

    def may_be_added_before(self, store: t.Store) -> bool:
        """Do the statements that stay before it only add to its array?"""
        if not (self.is_early(store.index) and self.is_early(store.value)):
            return False
        for s in self.stay:
            if isinstance(s, t.Invoke):
                added = [r for r, is_added in zip(s.results, s.added, strict=True) if is_added]
                others = [r for r, is_added in zip(s.results, s.added, strict=True) if not is_added]
                given = {a.buffer for a in s.arguments if isinstance(a, t.Place)}
                if store.buffer in given | {_buffer(r) for r in others}:
                    return False
                if not names_of(*[r.offset for r in added if isinstance(r, t.Place)]).isdisjoint({store.buffer}):
                    return False
            elif store.buffer in targets(s) | mentioned_reads((s,)):
                return False
        return True

    def without(self, s: t.Statement) -> t.Statement:
        """A statement that stays, with names for the parts of its expressions that are computed before."""
        match s:
            case t.Declare() if s.value is not None:
                return replace(s, value=self.named(s.value))
            case t.Assign():
                return replace(s, value=self.named(s.value))
            case t.Store():
                return replace(s, value=self.named(s.value))
            case t.Invoke() if self.stay:
                return replace(
                    s, arguments=tuple([a if isinstance(a, t.Place) else self.named(a) for a in s.arguments])
                )
            case _:
                return s

    def named(self, e: t.Expression) -> t.Expression:
        """An expression with names for its largest parts that can be computed before."""
        if isinstance(e, t.Name | t.Literal):
            return e
        if self.is_early(e):
            key = key_of(e)
            if key not in self.known:
                name = t.Name(self.names.fresh("early"), e.type)
                self.early.append(t.Declare(name.name, e.type, e))
                self.known[key] = name
            return self.known[key]
        if isinstance(e, t.Operation):
            return t.Operation(e.primitive, tuple([self.named(a) for a in e.arguments]), e.type)
        return e


def _read(s: t.Declare | t.Unpack) -> Sequence[t.Expression]:
    if isinstance(s, t.Unpack):
        return [s.frame]
    return [] if s.value is None else [s.value]


def _buffer(result: str | t.Place) -> str:
    return result.buffer if isinstance(result, t.Place) else result


def _live(statements: Sequence[t.Statement]) -> set[str]:
    """The names that are read after the first statement, a call, and were known before it."""
    own = {s.name for s in statements if isinstance(s, t.Declare | t.Unpack)}
    own |= {name for s in statements for name in targets(s)}
    return mentioned_reads(tuple(statements[1:])) - own
