"""Tuples and records around the call shim, which takes and gives leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fsmooth.core.types import Tuple, Type


def structured(call: Callable[..., object], parameters: Sequence[Type], result: Type) -> Callable[..., object]:
    """`call` for arguments and results with structure (unzipped types); gives None where `call` does."""
    is_single = not isinstance(result, Tuple)

    def fast(*args: object, out: object | None = None) -> object:
        if len(args) != len(parameters):
            return None
        flat: list[object] = []
        for value, type_ in zip(args, parameters, strict=True):
            if not _spread(value, type_, flat):
                return None
        if out is None:
            found = call(*flat)
        else:
            given: list[object] = []
            if not _spread(out, result, given):
                return None
            found = call(*flat, out=given[0] if is_single else tuple(given))
        if is_single or not isinstance(found, tuple):
            return found
        return _gathered(iter(found), result)

    return fast


def _spread(value: object, type_: Type, flat: list[object]) -> bool:
    """Append the leaves of `value`; False if it has another structure."""
    if not isinstance(type_, Tuple):
        flat.append(value)
        return True
    if type(value) is not (tuple if type_.record is None else type_.record):
        return False
    if isinstance(value, tuple):
        parts: Sequence[object] = value
    elif type_.names is not None and type_.record is not None:
        parts = [getattr(value, name) for name in type_.names]
    else:
        return False
    if len(parts) != len(type_.items):
        return False
    for part, item in zip(parts, type_.items, strict=True):
        if not _spread(part, item, flat):
            return False
    return True


def _gathered(leaves: Iterator[object], type_: Type) -> object:
    if not isinstance(type_, Tuple):
        return next(leaves)
    return with_parts(type_, tuple([_gathered(leaves, item) for item in type_.items]))


def with_parts(type_: Tuple, parts: tuple[object, ...]) -> object:
    """The tuple, NamedTuple or dataclass of these parts.

    Its constructor does not run: a derivative has the fields of a record, and need not pass the record's checks.
    """
    if type_.record is None:
        return parts
    assert isinstance(type_.record, type)
    if issubclass(type_.record, tuple):
        return tuple.__new__(type_.record, parts)
    made: object = object.__new__(type_.record)
    for name, part in zip(type_.names or (), parts, strict=True):
        object.__setattr__(made, name, part)
    return made
