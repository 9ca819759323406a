"""Lists that grow in a loop: how much space they need, which is made before it.

In a loop a list is a room for all the elements that it will have, and how many there are by now.  A loop that appends
in each step alike knows that number from its index; where it depends on conditions, it is carried with the room.

    xs = []                         room = zeros(2 * n)
    for i in range(n):      ~>      for i in range(n):
        xs.append(a)                    room[2 * i] = a
        xs.append(b)                    room[2 * i + 1] = b
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from enum import Enum, auto
from typing import Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from fsmooth.core.build import build, flat_scope, minus, plus, project, reduce, times
from fsmooth.core.signs import at_least_zero
from fsmooth.core.subst import substitute
from fsmooth.core.term import Build, Const, Get, MakeTuple, Proj, Reduction, Term, Var, let
from fsmooth.core.types import INT, Array, Tuple, Type
from fsmooth.frontend.agreement import Fold
from fsmooth.frontend.python.displays import display
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.growing import FirstElement, forget_names
from fsmooth.frontend.python.rooms import Space, before_loop, known_before, last_of, room_of, space_for, zero_like
from fsmooth.frontend.python.syntax import assigned_names, grown_names
from fsmooth.frontend.python.unreturned import Unreturned
from fsmooth.frontend.python.values import Growing, Listed, Missing, Tail, Unfilled, Value
from fsmooth.rewrite.linear import polynomial


class Form(Enum):
    """How a loop carries a list."""

    PLACED = auto()
    """The room alone: how many elements there are is told by the index."""
    COUNTED = auto()
    """The room, and how many elements there are."""
    TALLIED = auto()
    """The last element, and how many there are: to find out how many there will be."""


class Carrier(Protocol):
    """What a loop carries: names, their first values and types."""

    names: list[str]
    inits: list[Term]
    types: list[Type]
    growth: Growth


class Grown(Struct):
    """A list that a loop appends to, and what is known of its growth when a step has been read."""

    before: Growing
    space: Space | None
    """None in a loop inside the one for which the room is made."""
    start: Var = field(default_factory=lambda: Var("start", INT))
    form: Form = Form.PLACED
    after: Growing | None = None
    """The list at the end of a step."""
    found: Term | None = None
    """How many elements the list has after the loop, where a first run of the loop found it out."""
    all_steps: Growing | None = None
    """How many elements come in all steps."""

    @property
    def count(self) -> Term:
        """How many elements there are before the loop."""
        return plus(self.before.start, self.before.added)

    def carried(self) -> Term:
        """What the loop starts with."""
        return self.before.room if self.form is Form.PLACED else MakeTuple((self.before.room, self.count))

    def inside(self, part: Term) -> Growing:
        """The list at the beginning of a step, from its part of the state."""
        if self.form is Form.PLACED:
            return Growing(part, self.start, Const(0), Const(0))
        kind = Tail if self.form is Form.TALLIED else Growing
        return kind(Proj(part, 0), Proj(part, 1), Const(0), Const(0))

    def given(self, frame: Frame, name: str, node: ast.AST) -> Term:
        """What a step gives to the next one."""
        after = frame.names[name]
        if isinstance(after, Missing):
            frame.term(after, node)
        if not isinstance(after, Growing):
            hint = "make the list inside the loop, or append to it only"
            frame.unsupported(node, f"a new value for the list {name}, to which the loop appends,", hint)
        self.after = after
        return after.room if self.form is Form.PLACED else MakeTuple((after.room, plus(after.start, after.added)))

    def afterwards(self, frame: Frame, name: str) -> Value:
        """The list after the loop, from what the loop gives for it; outside all loops it is an array."""
        result, steps = frame.names[name], self.all_steps
        assert isinstance(result, Term)
        assert steps is not None
        room = result if self.form is Form.PLACED else frame.bind(project(result, 0), name)
        if is_certain(steps):
            added = plus(self.before.added, steps.added)
        else:
            added = minus(frame.bind(project(result, 1), "count"), self.before.start)
        if self.space is None:
            most = None if self.before.most is None or steps.most is None else plus(self.before.most, steps.most)
            return type(self.before)(room, self.before.start, added, most, self.before.shared | steps.shared)
        if self.form is Form.TALLIED:
            return plus(self.before.start, added)
        exact = is_certain(steps) or self.found is not None
        whole = room if exact else build(plus(self.before.start, added), lambda i: Get(room, i))
        return frame.bind(frame.as_list(whole), name) if whole is not room else frame.as_list(room)


class Growth(Struct):
    """The lists that a loop appends to; what is younger than `mark` is named in it, `index` is that of its steps."""

    lists: dict[str, Grown]
    mark: int
    index: Var | None


def opened(
    frame: Frame, node: ast.For | ast.While, mark: int, index: Var | None, read: Callable[[Growth], object]
) -> Growth:
    """The lists to which a loop appends; `read` reads one step of it, given those that are known."""
    grows = grown_names(node.body)
    names = [n for n in assigned_names(node.body) if n in grows or isinstance(frame.names.get(n), Growing)]
    given = dict(frame.names)
    lists: dict[str, Grown] = {}
    empty: dict[str, Unfilled] = {}
    for name in names:
        match frame.names.get(name):
            case Growing() as growing:
                form = Form.TALLIED if isinstance(growing, Tail) else Form.PLACED
                lists[name] = Grown(growing, None, form=form)
            case Listed(()):
                empty[name] = Unfilled()
            case Listed(items):
                array = display(frame, [frame.term(x, node) for x in items], node)
                lists[name] = given_room(frame, name, space_for(frame, array, node))
            case Term() as array if isinstance(array.type, Array):
                lists[name] = given_room(frame, name, space_for(frame, array, node))
    before = dict(frame.names)
    for name in [*lists, *empty]:
        if name in empty or lists[name].space is not None:
            forget_names(frame, name, given[name], node)
    frame.names.update(empty)
    while empty:
        try:
            read(Growth(lists, mark, index))
        except FirstElement as first:
            name = next(n for n, unfilled in empty.items() if unfilled is first.found)
            del empty[name]
            zero = zero_like(first.element, lambda size: before_loop(frame, size, mark, node))
            model = frame.with_lists(zero, first.element.type)
            lists[name] = given_room(frame, name, Space(None, Const(0), model))
        except Unreturned:
            refuse_read(frame, empty, node)
            raise
        else:
            refuse_read(frame, empty, node)
            break
    frame.names.update({name: before[name] for name in empty})
    return Growth(lists, mark, index)


def refuse_read(frame: Frame, empty: dict[str, Unfilled], node: ast.AST) -> None:
    """Report a list that is read, and of which no first element was found that says what it is of."""
    for name, unfilled in empty.items():
        if unfilled in frame.shared.read_empty:
            what = f"the list {name}, which is empty before this loop and read in it before it is appended to,"
            frame.unsupported(node, what, "start it with its first element, or write np.zeros(n), and count")


def given_room(frame: Frame, name: str, space: Space) -> Grown:
    """The list called `name` gets a room, whose size is found out when the steps have been read."""
    room = build(Var("space", INT), lambda _: space.model)
    growing = Growing(room, space.count, Const(0), Const(0))
    frame.names[name] = growing
    return Grown(growing, space)


# -- what is known after a step has been read ------------------------------------------------------------------------


def recounted(frame: Frame, growth: Growth) -> list[str]:
    """The lists whose number of elements must be carried, and was not."""
    changed = []
    for name, grown in growth.lists.items():
        after = grown.after
        assert after is not None
        if grown.form is not Form.PLACED:
            continue
        if growth.index is None or known_before(frame, after.added, growth.mark) is None or not is_certain(after):
            grown.form = Form.COUNTED
            changed.append(name)
    return changed


def is_certain(after: Growing) -> bool:
    """Are as many elements appended in every case?"""
    return after.most is not None and polynomial(after.added).plus(polynomial(after.most), -1).is_zero()


def placed(frame: Frame, state: Carrier, body: Term, size: Term | None, node: ast.AST) -> Term:
    """One step, in which the index tells how many elements the lists have; their rooms are made before the loop."""
    starts: dict[Var, Term] = {}
    growth = state.growth
    for name, grown in growth.lists.items():
        after = grown.after
        assert after is not None
        most = total(frame, growth, grown, size) if grown.found is None else minus(grown.found, grown.count)
        added = after.added if most is None or not is_certain(after) else most
        if grown.form is Form.PLACED:
            one = known_before(frame, after.added, growth.mark)
            assert one is not None
            assert growth.index is not None
            assert size is not None
            starts[grown.start] = plus(grown.count, times(one, growth.index))
        grown.all_steps = Growing(after.room, Const(0), added, most, after.shared)
        if grown.space is None:
            continue
        k = state.names.index(name)
        wanted = state.types[k]
        wanted = wanted.items[0] if isinstance(wanted, Tuple) else wanted
        if grown.form is Form.TALLIED:
            room = last_of(frame, grown.space, wanted, node)
        else:
            assert most is not None
            room = room_of(frame, grown.space, wanted, most, node)
        grown.before = replace(grown.before, room=room)
        state.inits[k] = grown.carried()
    return substitute(body, starts)


def total(frame: Frame, growth: Growth, grown: Grown, size: Term | None) -> Term | None:
    """How many elements a loop appends at most; None if that is not known before it."""
    after, index = grown.after, growth.index
    assert after is not None
    each = None if after.most is None or index is None else known_before(frame, after.most, growth.mark, index)
    if each is None or index is None or size is None:
        return None
    if index not in each.free:
        return times(each, at_least_zero(size))
    return reduce(Reduction.SUM, size, lambda i: substitute(each, {index: i}), "i")


def are_bounded(frame: Frame, growth: Growth, size: Term | None) -> bool:
    """Is it known before the loop how many elements it appends at most to the lists for which it makes the rooms?"""
    outer = [g for g in growth.lists.values() if g.space is not None and g.form is not Form.TALLIED]
    return all([total(frame, growth, g, size) is not None for g in outer])


def tallied(frame: Frame, growth: Growth, run: Callable[[Growth], object]) -> None:
    """Find out how many elements the lists of a loop will have: `run` runs all of its steps."""
    saved = dict(frame.names)
    outer = {name: grown for name, grown in growth.lists.items() if grown.space is not None}
    counting = {n: replace(g, form=Form.TALLIED) if n in outer else g for n, g in growth.lists.items()}
    run(Growth(counting, growth.mark, None if growth.index is None else growth.index.renamed()))
    for name, grown in outer.items():
        count = frame.names[name]
        assert isinstance(count, Term)
        grown.found = frame.bind(count, "count")
    frame.names.clear()
    frame.names.update(saved)


def as_arrays(growth: Growth, names: list[str], fold: Fold) -> Term | None:
    """A loop that does nothing but append one element to each of its lists in each step: arrays, made at once."""
    if not names or names != list(growth.lists):
        return None
    bindings, _ = flat_scope(fold.step)
    arrays = []
    for grown in growth.lists.values():
        after, space = grown.after, grown.space
        assert after is not None
        if grown.form is Form.COUNTED or space is None or space.elements is not None or after.only is None:
            return None
        if not isinstance(after.added, Const) or after.added.value != 1:
            return None
        element = needed(bindings, after.only)
        if fold.state in element.free:
            return None
        arrays.append(Build(fold.count, fold.index, substitute(element, {grown.start: fold.index})))
        grown.all_steps = Growing(after.room, Const(0), Const(0), Const(0))
    return arrays[0] if len(arrays) == 1 else MakeTuple(tuple(arrays))


def needed(bindings: list[tuple[Var, Term]], result: Term) -> Term:
    """`result` with those of the bindings around it that it needs."""
    wanted = set(result.free)
    kept = []
    for var, value in reversed(bindings):
        if var in wanted:
            wanted |= value.free
            kept.append((var, value))
    return let(kept[::-1], result)
