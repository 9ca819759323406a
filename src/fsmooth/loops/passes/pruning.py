"""The removal of what computes names that nothing reads."""

from __future__ import annotations

from msgspec.structs import replace

from fsmooth.loops import tree as t
from fsmooth.loops.names import Names
from fsmooth.loops.rewriting import same_or, with_bodies, with_body
from fsmooth.loops.usage import (
    buffers_of,
    changed,
    expressions_of,
    mentioned_reads,
    names_in,
    walk,
)


def prune(function: t.Function, _: Names) -> t.Function:
    """Drop declarations, assignments and stores whose names nothing reads."""
    return with_body(function, pruned(function.body, {p.name for p in function.parameters}))


def pruned(body: t.Body, outputs: set[str]) -> t.Body:
    """Statements without those that only compute what nothing reads, if these names are read after them.

    Again, until nothing is dropped: what only dead code in a loop reads is found dead in the next pass.
    """
    dropped = True
    while dropped:
        pruning = _Pruning(outputs, body)
        body, dropped = pruning.body(body), pruning.dropped
    return body


class _Pruning:
    def __init__(self, outputs: set[str], body: t.Body) -> None:
        self.used: set[str] = set(outputs)
        self.mutable = changed(body)
        self.dropped = False
        self.aliases: dict[str, set[str]] = {}
        for s in walk(body):
            if isinstance(s, t.Choose):
                near = buffers_of(s)
                self.aliases[s.pointer] = near.union(*[self.aliases.get(b, set()) for b in near])

    def body(self, statements: t.Body) -> t.Body:
        kept: list[t.Statement] = []
        for s in reversed(statements):
            new = self.statement(s)
            if new is None:
                self.dropped = True
            else:
                kept.append(new)
        kept.reverse()
        return same_or(statements, kept)

    def is_read(self, buffer: str) -> bool:
        """Is the buffer, or what a pointer of that name points to, used later?  Then the pointer is used now."""
        if buffer not in self.used:
            if self.used.isdisjoint(self.aliases.get(buffer, ())):
                return False
            self.used.add(buffer)
        return True

    def is_dead(self, s: t.Statement) -> bool:
        """Does the statement itself only compute what nothing reads later?"""
        match s:
            case t.Declare() | t.Assign() | t.Reserve() | t.Pack() | t.Unpack():
                return s.name not in self.used
            case t.Choose():
                return s.pointer not in self.used
            case t.LocalArray() | t.Allocate() | t.Keep():
                return s.buffer not in self.used
            case t.Store() | t.Fill():
                return not self.is_read(s.buffer)
            case t.Copy():
                return not self.is_read(s.target)
            case t.Multiply():
                return not self.is_read(s.target.buffer)
            case _:
                return False

    def statement(self, s: t.Statement) -> t.Statement | None:
        """What is left of a statement; None if nothing is."""
        if self.is_dead(s):
            return None
        new = self.inside(s)
        if new is None:
            return None
        self.use(new)
        return self.in_block(new) if isinstance(new, t.Block) else new

    def inside(self, s: t.Statement) -> t.Statement | None:
        """The statement with what is left of those in it; None if it is nothing without them."""
        match s:
            case t.For():
                self.used |= mentioned_reads(s.body) & self.mutable
                body = self.body(s.body)
                if not body:
                    return None
                reduced = tuple([name for name in s.reduced if name in self.used])
                extrema = tuple([pair for pair in s.extrema if pair[0] in self.used])
                if body is s.body and reduced == s.reduced and extrema == s.extrema:
                    return s
                return replace(s, body=body, reduced=reduced, extrema=extrema)
            case t.Parallel():
                self.used |= mentioned_reads(s.body) & self.mutable
                body = self.body(s.body)
                return None if not body else s if body is s.body else replace(s, body=body)
            case t.While():
                self.used |= mentioned_reads([s]) & self.mutable
                body = self.body(s.body)
                names_in(s.condition, self.used)
                test = self.body(s.test)
                return s if body is s.body and test is s.test else replace(s, body=body, test=test)
            case t.If():
                otherwise = self.body(s.otherwise)
                then = self.body(s.then)
                if not then and not otherwise:
                    return None
                return s if then is s.then and otherwise is s.otherwise else replace(s, then=then, otherwise=otherwise)
            case t.CheckAll():
                self.use(s.check)
                body = self.body(s.body)
                return s if body is s.body else replace(s, body=body)
            case _:
                return s

    def use(self, s: t.Statement) -> None:
        """Note what a statement itself reads."""
        for e in expressions_of(s):
            names_in(e, self.used)
        match s:
            case t.Copy():
                self.used.add(s.source)
            case t.Choose():
                self.used |= buffers_of(s)
            case t.Swap():
                self.used |= {s.left, s.right}
            case t.Invoke():
                self.used |= s.changes
            case t.Block():
                self.used |= {output.buffer for output in s.outputs}
            case _:
                pass

    def in_block(self, s: t.Block) -> t.Statement:
        return with_bodies(s, self.body)
