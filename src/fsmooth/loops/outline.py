"""Statements of large functions outlined: they become functions of their own, which the C compiler may take one by one.

    s1; s2; …; s600    ~>    outlined { s1; …; s200 }; outlined { s201; …; s400 }; s401; …; s600

What the C compiler does to a function takes more than linear time, and one function takes one processor.  What others read of
the numbers that such statements declare or set, these give back.  Memory is taken, pointers are set, functions of the program are
called, frames are made, and tapes are opened and read, outside of them.  It comes after all that sees several functions at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from fsmooth import thresholds
from fsmooth.core.types import Data
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import zero_of
from fsmooth.loops.names import Names
from fsmooth.loops.parameters import types_of
from fsmooth.loops.rewriting import same_or, with_bodies, with_body
from fsmooth.loops.substitution import renamed
from fsmooth.loops.usage import bodies_of, changed, declared, mentioned, names_of, walk

_STAYING = (
    *(t.Allocate, t.Room, t.Parallel, t.Invoke, t.Keep, t.Reserve, t.Pack, t.Unpack),
    *(t.OpenTape, t.Sweep, t.CloseTape, t.KeepTape, t.OpenBars, t.SweepBars, t.SaveRegion, t.OpenSweep, t.NextRegion),
)
"""What is never part of an outlined function."""


def outline(function: t.Function, names: Names) -> t.Function:
    """The function with its statements in functions of their own, if it is large, and not so large that it is not optimised."""
    total = size(function.body)
    if not thresholds.OUTLINED_FROM <= total < thresholds.OUTLINED_BELOW:
        return function
    others = {name for s in walk(function.body) if not isinstance(s, t.Declare) for name in declared(s)}
    named = with_body(function, _OwnNames(names, others | {q.name for q in function.parameters}).body(function.body))
    types = types_of(named)
    pointers = {s.pointer for s in walk(named.body) if isinstance(s, t.Choose)}
    straight = total >= thresholds.OUTLINED_STRAIGHT
    body = _Outlining(pointers, _staying(named, types), straight).body(named.body)
    outlined = [s for s in walk(body) if isinstance(s, t.Outlined)]
    if not outlined:
        return function
    given = {name for s in outlined for name in s.gives}
    read = {name for s in outlined for name in s.sets} - given
    return with_body(named, _Shared(names, types, read | given, read).body(body))


def size(body: t.Body) -> int:
    """How many statements there are."""
    return sum([1 for _ in walk(body)])


class _OwnNames(Struct):
    """No number that is declared has the name of another, as in bodies that are copies; `seen` are the names there are."""

    names: Names
    seen: set[str]

    def body(self, body: t.Body) -> t.Body:
        """The statements of one scope, and those inside them."""
        return same_or(body, [self.inside(s) for s in self.fresh(body, body)])

    def inside(self, s: t.Statement) -> t.Statement:
        match s:
            case t.Block() | t.CheckAll():  # what they say beside their bodies has the names of these
                (s,) = self.fresh((s,), walk((s,)))
                return s
            case t.While():
                (loop,) = self.fresh((s,), walk(s.test))
                assert isinstance(loop, t.While)
                body = self.body(loop.body)
                return loop if body is loop.body else replace(loop, body=body)
            case _:
                return with_bodies(s, self.body)

    def fresh(self, scope: t.Body, declaring: Iterable[t.Statement]) -> t.Body:
        own = {s.name: s.type for s in declaring if isinstance(s, t.Declare)}
        new = {name: t.Name(self.names.fresh(name), type_) for name, type_ in own.items() if name in self.seen}
        self.seen.update(own)
        return renamed(scope, new) if new else scope


def _staying(function: t.Function, types: Mapping[str, t.Parameter]) -> set[str]:
    """The names of what an outlined function does not know: frames, and what a tape is opened with."""
    found = {name for name, q in types.items() if isinstance(q.type, Data)}
    others = [s for s in walk(function.body) if not isinstance(s, t.Entry)]
    return found | {name for s in others for name in declared(s) if name not in types}


class _Outlining(Struct):
    """`pointers` that are set, which one function uses or none, names that are `staying` in the function itself, and whether also
    statements are outlined that have no long loop.
    """

    pointers: set[str]
    staying: set[str]
    straight: bool

    def body(self, body: t.Body) -> t.Body:
        """Statements side by side outlined together; in those that are too large for one function, those inside them."""
        if size(body) < thresholds.OUTLINED_FROM:
            return body
        last = {name: k for k, s in enumerate(body) for name in mentioned((s,))}
        found: list[t.Statement] = []
        group: list[t.Statement] = []
        total = done = 0

        def close() -> None:
            nonlocal total
            if total < max(1, thresholds.OUTLINED_LEAST) or not (self.straight or _has_long_loop(group)):
                found.extend(group)
            else:
                found.extend(_outlined(group, lambda name: last.get(name, -1) >= done))
            group.clear()
            total = 0

        for unit in _units(body, last):
            own = size(unit)
            stays = own > thresholds.OUTLINED or not self.may_move(unit, group)
            if stays or total + own > thresholds.OUTLINED:
                close()
            if stays:
                found.extend([self.inside(s) for s in unit])
            else:
                group += unit
                total += own
            done += len(unit)
        close()
        return same_or(body, found)

    def inside(self, s: t.Statement) -> t.Statement:
        match s:
            case t.While():  # what the condition reads stays beside it
                body = self.body(s.body)
                return s if body is s.body else replace(s, body=body)
            case t.For(vectors=t.Vectors.IMPLIED | t.Vectors.STRIP):
                body = self.body(s.body)  # no vectors of iterations in which functions are called
                return s if body is s.body else replace(s, body=body, simd=False, reduced=(), extrema=())
            case t.If() | t.Parallel():
                return with_bodies(s, self.body)
            case _:
                return s

    def may_move(self, unit: t.Body, group: Sequence[t.Statement]) -> bool:
        """Do statements only compute, with memory and pointers that are there or are theirs, and are they never left?  Or can the
        memory that one takes be taken before the `group` beside it?
        """
        if isinstance(unit[0], t.Allocate):
            return names_of(unit[0].count).isdisjoint(changed(group) | _declared_in(group))
        used, own = mentioned(unit), _declared_in(unit)
        if not self.pointers.isdisjoint(used - own) or not self.staying.isdisjoint(used | own):
            return False
        if any([isinstance(s, t.Operand) and s.entry.name not in own for s in walk(unit)]):
            return False
        return not any([_breaks(s) for s in unit]) and not any([isinstance(s, _STAYING) for s in walk(unit)])


def _units(body: t.Body, last: Mapping[str, int]) -> Iterator[t.Body]:
    """Statements one by one, but those together that mention a pointer from the one on that makes it, and an entry of a tape with
    its operands.
    """
    operands = {x.entry.name: k for k, s in enumerate(body) for x in walk((s,)) if isinstance(x, t.Operand)}
    start = end = 0
    for k, s in enumerate(body):
        end = max(end, k)
        if isinstance(s, t.Choose):
            end = max(end, last[s.pointer])
        elif isinstance(s, t.Entry):
            end = max(end, operands.get(s.name, k))
        if end == k:
            yield body[start : k + 1]
            start = k + 1


def _has_long_loop(body: Sequence[t.Statement]) -> bool:
    """Is there a loop that is not known to be so short that it could be written out?  The others take no longer than calls."""
    for s in walk(body):
        match s:
            case t.For(size=t.Literal(value)) if value <= thresholds.UNROLLED:
                pass
            case t.For() | t.While() | t.Block():
                return True
            case _:
                pass
    return False


def _breaks(s: t.Statement) -> bool:
    """Does it leave a loop that is around it?"""
    if isinstance(s, t.For | t.While | t.CheckAll):
        return False
    return isinstance(s, t.Break) or any([_breaks(x) for inner in bodies_of(s) for x in inner])


def _declared_in(body: Sequence[t.Statement]) -> set[str]:
    return {name for s in walk(body) for name in declared(s)}


def _outlined(group: Sequence[t.Statement], later: Callable[[str], bool]) -> Sequence[t.Statement]:
    """Statements as one, after the declarations of what is used `later`, and the memory that they take."""
    before: list[t.Statement] = []
    body: list[t.Statement] = []
    gives: list[str] = []
    for s in group:
        if isinstance(s, t.Declare) and later(s.name):
            before.append(t.Declare(s.name, s.type, None, mutable=True))
            gives.append(s.name)
            body.append(t.Assign(s.name, zero_of(s.type) if s.value is None else s.value))
        elif isinstance(s, t.Entry) and later(s.name):
            gives.append(s.name)
            body.append(s)
        elif isinstance(s, t.Allocate) or (isinstance(s, t.LocalArray) and later(s.buffer)):
            before.append(s)
        else:
            body.append(s)
    own = _declared_in(group)
    assigned = {s.name: None for s in walk(group) if isinstance(s, t.Assign)}
    sets = [name for name in assigned if name not in own]
    return (*before, t.Outlined(tuple(body), tuple(sets), tuple(gives)))


class _Shared(Struct):
    """The numbers that outlined functions change, and those of them whose values they are handed."""

    names: Names
    types: Mapping[str, t.Parameter]
    changed: set[str]
    read: set[str]

    def body(self, body: t.Body) -> t.Body:
        """Statements in which these have values before, and loops change locals of their own."""
        found: list[t.Statement] = []
        for s in body:
            match s:
                case t.Declare(name, type_, None) if name in self.read:
                    found.append(replace(s, value=zero_of(type_)))
                case t.For() | t.While() if not any([isinstance(x, t.Outlined) for x in walk((s,))]):
                    found += self.on_locals(s)
                case _:
                    found.append(with_bodies(s, self.body))
        return same_or(body, found)

    def on_locals(self, loop: t.For | t.While) -> Sequence[t.Statement]:
        own = {
            name: t.Name(self.names.fresh(name), self.types[name].type)
            for name in dict.fromkeys([s.name for s in walk((loop,)) if isinstance(s, t.Assign)])
            if name in self.changed
        }
        before = [t.Declare(new.name, new.type, t.Name(old, new.type), mutable=True) for old, new in own.items()]
        return (*before, *renamed((loop,), own), *[t.Assign(old, new) for old, new in own.items()])
