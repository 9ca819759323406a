"""Frames in the order in which what made them is met, and calls that go back in the order of their frames.

    l, a = forward(left)                        reserve m
    r, b = forward(right)               ~>      l, a = forward(left)
    frame s = (l, a, r, b)                      r, b = forward(right)
                                                frame s = (l, a, r, b) in m

    d = back(right, s.b, c)             ~>      e = back(left, s.a, c)
    e = back(left, s.a, c)                      d = back(right, s.b, c)

Then the frame of a node lies before those of its children, as rows of nodes do in columns, and the way back meets both in
the order of their addresses.  What such calls add to an array is added in another order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from fsmooth.core.types import Data
from fsmooth.loops import tree as t
from fsmooth.loops.names import Names
from fsmooth.loops.passes.places import Places
from fsmooth.loops.rewriting import same_or, with_bodies, with_body
from fsmooth.loops.usage import mentioned_reads, own_names, targets, walk

Slots = Mapping[str, tuple[str, int]]
"""Of names of frames that were read in frames: the frame, and the slot."""


def frames_in_order(function: t.Function, names: Names) -> t.Function:
    """Reserve frames before the calls of which they keep frames, and go back in the order of these."""
    statements = list(walk(function.body))
    if any([isinstance(s, t.Pack) for s in statements]):
        return with_body(function, _everywhere(function.body, lambda body: _reserved(body, names)))
    slots = {s.name: (s.frame.name, s.slot) for s in statements if _is_frame(s)}  # type: ignore[union-attr]
    if len(slots) < 2:
        return function
    places = Places.of(function.body)
    return with_body(function, _everywhere(function.body, lambda body: _back_in_order(body, slots, places)))


def _everywhere(body: t.Body, change: Callable[[t.Body], t.Body]) -> t.Body:
    return same_or(body, change(same_or(body, [with_bodies(s, lambda b: _everywhere(b, change)) for s in body])))


def _is_frame(s: t.Statement) -> bool:
    """Is it a frame that is read in one?"""
    return isinstance(s, t.Unpack) and isinstance(s.type, Data) and not s.pointer and isinstance(s.frame, t.Name)


def _reserved(body: t.Body, names: Names) -> t.Body:
    """The statements, where the memory of a frame is there before the first call of which it keeps a frame."""
    found = list(body)
    for pack in body:
        if not isinstance(pack, t.Pack) or pack.reserved is not None:
            continue
        kept = {v.name for v in pack.values if isinstance(v, t.Name) and isinstance(v.type, Data)}
        first = next((s for s in body if isinstance(s, t.Invoke) and not kept.isdisjoint(_names(s.frames))), None)
        if first is not None:
            room = names.fresh(f"{pack.name}_room")
            found[found.index(pack)] = replace(pack, reserved=room)
            found.insert(found.index(first), t.Reserve(room, pack.layout))
    return tuple(found)


def _names(results: Sequence[str | t.Place]) -> list[str]:
    return [r for r in results if isinstance(r, str)]


def _back_in_order(body: t.Body, slots: Slots, places: Places) -> t.Body:
    """The statements, each call behind those that are given earlier frames of the same one, as far as they do not need it."""
    found = list(body)
    for k in reversed(range(len(found))):
        frame = _given(found[k], slots)
        if frame is None:
            continue
        before = [j for j in range(k + 1, len(found)) if _is_earlier(_given(found[j], slots), frame)]
        last = max(before, default=k)
        if all([_may_pass(found[k], m, places) for m in found[k + 1 : last + 1]]):  # type: ignore[arg-type]
            found.insert(last, found.pop(k))
    return tuple(found)


def _given(s: t.Statement, slots: Slots) -> tuple[str, int] | None:
    """Where the frame that a call is given was read."""
    if not isinstance(s, t.Invoke):
        return None
    return next((slots[a.name] for a in s.arguments if isinstance(a, t.Name) and a.name in slots), None)


def _is_earlier(one: tuple[str, int] | None, other: tuple[str, int]) -> bool:
    return one is not None and one[0] == other[0] and one[1] < other[1]


def _may_pass(call: t.Invoke, s: t.Statement, places: Places) -> bool:
    """Can the call be made after the statement that follows it?"""
    added = _added(call)
    match s:
        case t.Invoke():
            both = added & _added(s)
        case t.Store(buffer, _, _, True):
            both = added & {buffer}
        case t.Declare() | t.Unpack():
            both = set[str]()
        case _:
            return False
    reads = mentioned_reads((call,)) - both | {a.buffer for a in call.arguments if isinstance(a, t.Place)}
    changes, touched = targets(s) - both, own_names(s) - both
    if isinstance(s, t.Invoke):
        touched |= {a.buffer for a in s.arguments if isinstance(a, t.Place)}
    return _are_apart(reads, changes, places) and _are_apart(call.changes - both, touched, places)


def _added(s: t.Invoke) -> set[str]:
    """The arrays that a call adds to."""
    return {r.buffer for r, is_added in zip(s.results, s.added, strict=True) if is_added and isinstance(r, t.Place)}


def _are_apart(some: set[str], others: set[str], places: Places) -> bool:
    return (
        set[str]()
        .union(*[places.memory(x) for x in some])
        .isdisjoint(set[str]().union(*[places.memory(x) for x in others]))
    )
