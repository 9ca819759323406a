"""Structures around the call shim, which takes and gives leaves: a few lines of Python, written for the types of a program.

For `f({"w": array, "layers": [(array, array)]}, x)` they are

    def fast(*args, out=None):
        try:
            a0, a1, = args
            if type(a0) is not dict or (*a0,) != c0: return None
            x0, x1, = a0.values()
            if type(x1) is not list or len(x1) != 1 or not c1(x1): return None
            x2, = x1
            if type(x2) is not tuple or len(x2) != 2: return None
            if out is None: found = call(x0, *x2, a1)
            …
        except (AttributeError, ValueError):
            return None
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fsmooth.core.alternatives import Code, OneOf
from fsmooth.core.nodes.declaration import Nodes
from fsmooth.core.nodes.packed import Forest, Packed, packed, taken_apart
from fsmooth.core.trees import Constant, Registered, apart, together
from fsmooth.core.types import Tuple, Type, rank_of


def structured(call: Callable[..., object], parameters: Sequence[Type], result: Type) -> Callable[..., object]:
    """`call` for arguments and results with structure (unzipped types); gives None where `call` does."""
    text = _Text(call)
    given = [f"a{k}" for k in range(len(parameters))]
    text.line(f"[{', '.join(given)}] = args")
    leaves = [leaf for name, type_ in zip(given, parameters, strict=True) for leaf in text.leaves(name, type_)]
    text.line(f"if out is None: found = call({', '.join(leaves)})")
    text.line("else:")
    text.indent += "    "
    places = text.leaves("out", result)
    into = f"({''.join([f'{place}, ' for place in places])})" if isinstance(result, Tuple) else "out"
    text.line(f"found = call({', '.join([*leaves, f'out={into}'])})")
    text.indent = text.indent[4:]
    return text.function(result)


class _Text:
    """The function that is written, and what it names."""

    def __init__(self, call: Callable[..., object]) -> None:
        self.names: dict[str, object] = {"call": call}
        self.lines: list[str] = []
        self.indent = "        "
        self.count = 0

    def line(self, text: str) -> None:
        """One more line."""
        self.lines.append(self.indent + text)

    def name(self, value: object) -> str:
        """A name for something that is there already."""
        made = f"c{len(self.names)}"
        self.names[made] = value
        return made

    def leaves(self, value: str, type_: Type) -> list[str]:
        """The leaves of `value` as arguments, after a line that gives None if it has another structure."""
        if not isinstance(type_, Tuple):
            return [value]
        parts = self.parts(value, type_)
        if not any([isinstance(item, Tuple) for item in type_.items]):
            return [f"*{parts}"] if type_.items else []  # the shim counts the leaves
        names = [f"x{self.count + k}" for k in range(len(type_.items))]
        self.count += len(names)
        self.line(f"[{', '.join(names)}] = {parts}")
        return [leaf for name, item in zip(names, type_.items, strict=True) for leaf in self.leaves(name, item)]

    def parts(self, value: str, type_: Tuple) -> str:
        """The parts of `value`, after a line that gives None if it has another structure."""
        record, names, count = type_.record, type_.names, len(type_.items)
        if isinstance(record, Constant):
            self.unless(f"{value} is {self.name(record.value)} or {self.name(record.is_equal)}({value})")
            return "()"
        if isinstance(record, Registered | Nodes):
            parts, own = f"x{self.count}", self.name(record)
            self.count += 1
            taken = f"{self.name(_parts_of_registered)}({value}, {own})"
            if isinstance(record, Nodes):
                cls = self.name(Forest if record.is_forest else Packed)
                slow = f"{self.name(_parts_of_nodes)}({value}, {own})"
                taken = f"{value}.parts if type({value}) is {cls} and {value}.record is {own} else {slow}"
            self.line(f"{parts} = {taken}")
            self.unless(f"{parts} is not None")
            return parts
        if record is dict:
            self.unless(f"type({value}) is dict and (*{value},) == {self.name(names)}")
            return f"{value}.values()"
        if record is list:
            is_list = _is_never_an_array(type_)
            also = "" if is_list is None else f" and {self.name(is_list)}({value})"
            self.unless(f"type({value}) is list and len({value}) == {count}{also}")
            return value
        is_tuple = record is None or isinstance(record, OneOf | Code)
        own = "tuple" if is_tuple else self.name(record)
        if is_tuple or _is_named_tuple(type_):
            self.unless(f"type({value}) is {own} and len({value}) == {count}")
            return value
        self.unless(f"type({value}) is {own}")
        return f"({''.join([f'{value}.{field}, ' for field in names or ()])})"

    def unless(self, condition: str) -> None:
        """None, unless a condition holds."""
        self.line(f"if not ({condition}): return None")

    def whole(self, leaves: Iterator[str], type_: Type) -> str:
        """The structure of leaves, as an expression."""
        if not isinstance(type_, Tuple):
            return next(leaves)
        parts = [self.whole(leaves, item) for item in type_.items]
        if type_.record is dict:
            return f"{{{', '.join([f'{n!r}: {part}' for n, part in zip(type_.names or (), parts, strict=True)])}}}"
        if type_.record is list:
            return f"[{', '.join(parts)}]"
        whole = f"({''.join([f'{part}, ' for part in parts])})"
        return whole if type_.record is None else f"{self.name(with_parts)}({self.name(type_)}, {whole})"

    def function(self, result: Type) -> Callable[..., object]:
        """The function, compiled."""
        end = ["    return found"]
        if isinstance(result, Tuple):
            names = [f"r{k}" for k in range(_count(result))]
            end = ["    if found is None: return None", f"    [{', '.join(names)}] = found"]
            end.append(f"    return {self.whole(iter(names), result)}")
        missed = ["    except (AttributeError, ValueError):", "        return None"]
        lines = ["def fast(*args, out=None):", "    try:", *self.lines, *missed, *end]
        exec("\n".join(lines), self.names)
        made: Callable[..., object] = self.names["fast"]  # type: ignore[assignment]
        return made


def _count(type_: Type) -> int:
    return sum([_count(item) for item in type_.items]) if isinstance(type_, Tuple) else 1


def _parts_of_registered(value: object, record: Registered) -> Sequence[object] | None:
    found = apart(value) if type(value) is record.cls else None
    return found.parts if found is not None and found.record == record else None


def _parts_of_nodes(value: object, record: Nodes) -> Sequence[object] | None:
    found = taken_apart(value)
    return found[1] if found is not None and found[0] == record else None


def _is_never_an_array(type_: Tuple) -> Callable[[list[object]], bool] | None:
    """What tells that a list of arrays has parts of unlike shapes: else it is an array (fsmooth.runtime.arrays)."""
    if _depth(type_) is None:
        return None
    if any([isinstance(item, Tuple) for item in type_.items]):
        return lambda value: False  # the slow path knows
    return lambda value: len({getattr(part, "shape", ()) for part in value}) > 1


def _depth(type_: Type) -> int | None:
    """The rank of the array that NumPy might make of a value; None if it makes none."""
    if not isinstance(type_, Tuple):
        return rank_of(type_)
    if not type_.items or (type_.record not in (None, list) and not _is_named_tuple(type_)):
        return None
    depths = {_depth(item) for item in type_.items}
    first = depths.pop()
    return None if depths or first is None else first + 1


def _is_named_tuple(type_: Tuple) -> bool:
    return isinstance(type_.record, type) and issubclass(type_.record, tuple)


def as_columns(type_: Tuple, parts: tuple[object, ...]) -> object:
    """The structure of these parts, to be taken apart again: trees stay columns."""
    return packed(type_.record, parts) if isinstance(type_.record, Nodes) else with_parts(type_, parts)


def with_parts(type_: Tuple, parts: tuple[object, ...]) -> object:
    """The structure of these parts."""
    return together(type_.record, type_.names, parts)
