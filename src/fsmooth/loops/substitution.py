"""Statements in which a name stands for something else, whatever statements they are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from fsmooth.core.term import Site
from fsmooth.core.types import Type
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import plus
from fsmooth.loops.arithmetic import replace as replaced
from fsmooth.loops.rewriting import same_or, with_bodies
from fsmooth.loops.usage import mentioned, names_of, walk


def substituted(body: t.Body, name: str, value: t.Expression) -> t.Body:
    """The statements with `value` wherever they read the name, which none of them sets."""
    return _changed(body, {name: value}, {})


def renamed(body: t.Body, names: Mapping[str, t.Name]) -> t.Body:
    """The statements with other names for numbers that they read or set."""
    return _changed(body, names, {old: new.name for old, new in names.items()})


def with_buffers(body: t.Body, names: Mapping[str, str]) -> t.Body:
    """The statements with other arrays in the place of these."""

    def value(e: t.Expression) -> t.Expression:
        match e:
            case _ if names.keys().isdisjoint(names_of(e)):
                return e
            case t.Load():
                return t.Load(names.get(e.buffer, e.buffer), value(e.index), e.type)
            case t.Search():
                return t.Search(e.extremum, names.get(e.buffer, e.buffer), value(e.offset), value(e.count), e.leaf)
            case _:
                return _inside(e, value)

    return _rewritten(body, value, names)


def with_loads(body: t.Body, buffers: Collection[str], type_: Type) -> t.Body:
    """The statements in which the elements of these buffers are read as numbers of an equal type."""

    def value(e: t.Expression) -> t.Expression:
        match e:
            case t.Load() if e.buffer in buffers:
                return t.Load(e.buffer, value(e.index), type_)
            case t.Load():
                return t.Load(e.buffer, value(e.index), e.type)
            case t.Search():
                return t.Search(e.extremum, e.buffer, value(e.offset), value(e.count), e.leaf)
            case _:
                return _inside(e, value)

    def changed(e: t.Expression) -> t.Expression:
        return e if names_of(e).isdisjoint(buffers) else value(e)

    return _rewritten(body, changed, {})


def _changed(body: t.Body, read: Mapping[str, t.Expression], set_: Mapping[str, str]) -> t.Body:
    def value(e: t.Expression) -> t.Expression:
        for name in names_of(e) & read.keys():
            e = replaced(e, name, read[name])
        return e

    return _rewritten(body, value, set_)


def _inside(e: t.Expression, value: Callable[[t.Expression], t.Expression]) -> t.Expression:
    """An operation, or a choice, of other values."""
    match e:
        case t.Operation():
            return t.Operation(e.primitive, tuple([value(a) for a in e.arguments]), e.type)
        case t.Conditional():
            return t.Conditional(value(e.condition), value(e.then), value(e.otherwise))
        case _:
            return e


def _rewritten(body: t.Body, value: Callable[[t.Expression], t.Expression], set_: Mapping[str, str]) -> t.Body:
    """The statements with other expressions, and other names where they have names."""

    def change(part: Any) -> Any:
        if isinstance(part, t.Expression):
            return value(part)
        if isinstance(part, str):
            return set_.get(part, part)
        if isinstance(part, Site | Type):
            return part
        if isinstance(part, tuple) and part:
            new = [change(item) for item in part]
            return part if all([a is b for a, b in zip(part, new, strict=True)]) else tuple(new)
        if isinstance(part, Mapping):
            items = {key: change(item) for key, item in part.items()}
            return items if any([items[key] is not item for key, item in part.items()]) else part
        if isinstance(part, Struct):
            old = {key: getattr(part, key) for key in part.__struct_fields__}
            other = {key: new for key, x in old.items() if (new := change(x)) is not x}
            return replace(part, **other) if other else part
        return part

    return change(body)  # type: ignore[no-any-return]


def without_pointers(body: t.Body, inside: set[str]) -> t.Body:
    """The statements without pointers to a part of an array that is not made `inside` them, which are names for that part.

    A pointer stays that is chosen of two, exchanged, or handed on.
    """
    exchanged = {name for s in walk(body) if isinstance(s, t.Swap) for name in (s.left, s.right)}
    parts: dict[str, tuple[str, t.Expression]] = {}
    for s in walk(body):
        if isinstance(s, t.Choose) and s.steps is None and not s.exchanged and s.pointer not in exchanged:
            buffer, offset = parts.get(s.then, (s.then, None))
            if buffer not in inside:
                parts[s.pointer] = buffer, s.then_offset if offset is None else plus(offset, s.then_offset)

    def place(buffer: str, at: t.Expression) -> tuple[str, t.Expression]:
        found = parts.get(buffer)
        return (buffer, value(at)) if found is None else (found[0], plus(found[1], value(at)))

    def value(e: t.Expression) -> t.Expression:
        if parts.keys().isdisjoint(names_of(e)):
            return e
        match e:
            case t.Load():
                buffer, index = place(e.buffer, e.index)
                return t.Load(buffer, index, e.type)
            case t.Search():
                buffer, offset = place(e.buffer, e.offset)
                return t.Search(e.extremum, buffer, offset, value(e.count), e.leaf)
            case _:
                return _inside(e, value)

    def matrix(m: t.Matrix) -> t.Matrix:
        buffer, offset = place(m.buffer, m.offset)
        return t.Matrix(buffer, offset, value(m.row), value(m.column))

    def change(statements: t.Body) -> t.Body:
        found: list[t.Statement] = []
        for s in statements:
            new = with_bodies(s, change)
            match new:
                case t.Choose() if new.pointer in parts:
                    continue
                case t.Store():
                    buffer, index = place(new.buffer, new.index)
                    new = t.Store(buffer, index, value(new.value), new.accumulate)
                case t.Fill():
                    buffer, offset = place(new.buffer, new.offset)
                    new = replace(new, buffer=buffer, offset=offset, count=value(new.count))
                case t.Copy():
                    target, target_offset = place(new.target, new.target_offset)
                    source, source_offset = place(new.source, new.source_offset)
                    new = t.Copy(target, target_offset, source, source_offset, value(new.count), new.type)
                case t.Multiply():
                    new = replace(new, target=matrix(new.target), left=matrix(new.left), right=matrix(new.right))
                case t.Declare() | t.Assign() if new.value is not None:
                    new = replace(new, value=value(new.value))
                case _:
                    pass
            found.append(new)
        return same_or(statements, found)

    changed = change(body) if parts else body
    return body if not parts.keys().isdisjoint(mentioned(changed)) else changed
