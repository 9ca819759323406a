"""Arrays that are as large in every iteration of a loop are allocated once, before it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from fsmooth import thresholds
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import replace as replaced
from fsmooth.loops.names import Names
from fsmooth.loops.rewriting import same_or, with_bodies, with_body
from fsmooth.loops.usage import changed, declared, names_of, walk


def storage_before_loops(function: t.Function, _: Names) -> t.Function:
    """Allocate before loops what they need in each iteration."""
    return with_body(function, _Motion(function.facts.lengths).body(function.body))


class _Motion:
    """`lengths` are those of arguments."""

    def __init__(self, lengths: frozenset[str]) -> None:
        self.lengths = lengths

    def body(self, statements: t.Body) -> t.Body:
        """The statements, the innermost loops first."""
        found: list[t.Statement] = []
        for s in statements:
            new = with_bodies(s, self.body)
            match new:
                case t.For():
                    found.extend(self.loop(new))
                case t.While():
                    found.extend(self.while_(new))
                case _:
                    found.append(new)
        return same_or(statements, found)

    def loop(self, loop: t.For) -> Sequence[t.Statement]:
        body, moved = self.before(loop.body, loop.body, {loop.index})
        if not moved:
            return (loop,)
        rest = replace(loop, body=body, own=(*loop.own, *[s.buffer for s in moved]))
        return [*moved, rest] if body else moved

    def while_(self, loop: t.While) -> Sequence[t.Statement]:
        whole = (*loop.test, *loop.body)
        test, first = self.before(loop.test, whole, set())
        body, second = self.before(loop.body, whole, set())
        return [*first, *second, replace(loop, test=test, body=body)] if first or second else (loop,)

    def before(self, body: t.Body, loop: t.Body, own: set[str]) -> tuple[t.Body, list[t.Allocate]]:
        """A part of a loop without the storage that is of the same size in every iteration, and that storage.

        `loop` is all that is done in each iteration, and `own` are names that it changes besides.
        """
        if not any([isinstance(s, t.Allocate | t.If) for s in body]):
            return body, []
        varying = {name for s in walk(loop) for name in declared(s)} | own | changed(loop)
        moved: list[t.Allocate] = []
        return self.without(body, varying, {}, moved, in_branch=False), moved

    def without(
        self,
        body: t.Body,
        varying: set[str],
        definitions: dict[str, t.Expression],
        moved: list[t.Allocate],
        *,
        in_branch: bool,
    ) -> t.Body:
        """Out of a branch, which may never be taken, goes only what is no longer than an axis of an argument: there is
        room for that.
        """
        stay: list[t.Statement] = []
        branches: list[tuple[int, t.If, dict[str, t.Expression]]] = []
        for s in body:
            if isinstance(s, t.Declare) and s.value is not None and not s.mutable:
                value = _resolved(s.value, definitions)
                if value.weight <= thresholds.MOVED_COUNT:
                    definitions[s.name] = value
            if isinstance(s, t.Allocate):
                count = _resolved(s.count, definitions)
                names = names_of(count)
                if not names & varying and (not in_branch or self.is_length(count)):
                    moved.append(t.Allocate(s.buffer, s.type, count))
                    continue
            if isinstance(s, t.If):
                branches.append((len(stay), s, dict(definitions)))
            stay.append(s)
        for place, s, known in reversed(branches):
            otherwise = self.without(s.otherwise, varying, dict(known), moved, in_branch=True)
            then = self.without(s.then, varying, dict(known), moved, in_branch=True)
            if then is not s.then or otherwise is not s.otherwise:
                stay[place] = replace(s, then=then, otherwise=otherwise)
        return same_or(body, stay)

    def is_length(self, count: t.Expression) -> bool:
        return isinstance(count, t.Literal) or (isinstance(count, t.Name) and count.name in self.lengths)


def _resolved(e: t.Expression, definitions: dict[str, t.Expression]) -> t.Expression:
    names = names_of(e)
    for name in names & definitions.keys():
        e = replaced(e, name, definitions[name])
    return e
