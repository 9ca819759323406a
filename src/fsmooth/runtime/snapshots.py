"""Arguments kept beyond a call: what the caller changes afterwards must not show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fsmooth.core.alternatives import holds_alternatives, is_one_of, kinds_of
from fsmooth.core.trees import Constant, apart, labels
from fsmooth.core.types import UNIT, Array, Tuple, Type, leaf_of
from fsmooth.errors import ArgumentError
from fsmooth.runtime.arrays import DTYPES, flatten, parts_of
from fsmooth.runtime.structure import as_columns


def snapshot(value: object, type_: Type, name: str) -> object:
    """`value`, of an unzipped type, as C takes it; arrays are copied unless they are read-only."""
    return _kept(value, type_, name, _is_frozen)


def private(value: object, type_: Type, name: str) -> object:
    """`value`, of an unzipped type, as C takes it; arrays are copied, since what is read-only can be made writable again."""
    return _kept(value, type_, name, lambda array: False)


def _kept(value: object, type_: Type, name: str, stays: Callable[[Any], bool]) -> object:
    """Arrays are copied unless they stay as they are, or are copies already."""
    if isinstance(type_, Tuple):
        parts = zip(parts_of(value, type_, name), type_.items, strict=True)
        return as_columns(type_, tuple([_kept(part, item, name, stays) for part, item in parts]))
    flat: list[Any] = []
    flatten(value, type_, name, flat)
    own = flat[0]
    if not isinstance(own, np.ndarray) or stays(own) or not np.may_share_memory(own, np.asarray(value)):
        return own
    return own.copy()


def measured(value: object, type_: Type, name: str) -> object:
    """`value` where only lengths are asked for: the array itself, whose elements may change, with the shape it has now."""
    if not isinstance(type_, Array):
        return snapshot(value, type_, name)
    flat: list[Any] = []
    flatten(value, type_, name, flat)
    return flat[0]


def _is_frozen(array: object) -> bool:
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return False
        array = array.base
    return array is None or isinstance(array, bytes)


def size_in_bytes(value: object) -> int:
    """The memory of the arrays in a value."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    found = apart(value)
    return sum(map(size_in_bytes, found.parts)) if found is not None else 0


def written(type_: Type, shapes: object) -> str:
    """A cotangent in words, by what `shapes_of` gave."""
    if isinstance(type_, Tuple) and is_one_of(type_):
        assert isinstance(shapes, tuple)
        return written(kinds_of(type_)[shapes[0]], shapes[1 + shapes[0]])
    if isinstance(type_, Tuple) and isinstance(type_.record, Constant):
        return repr(type_.record.value)
    if isinstance(type_, Tuple):
        assert isinstance(shapes, tuple)
        return "(" + ", ".join([written(t, s) for t, s in zip(type_.items, shapes, strict=True)]) + ")"
    return f"an array of shape {shapes}" if isinstance(type_, Array) else "a number"


def fitted(given: object, type_: Type, model: object, name: str) -> object:
    """A cotangent of the value `model`, whose unzipped tangents have `type_`: the same structure and shapes.

    What stands for an integer or a truth value is not looked at.

    Raises:
        ArgumentError: naming the part, what was expected and what was found.

    """
    if type_ == UNIT:
        return as_columns(type_, ())
    if isinstance(type_, Tuple) and is_one_of(type_):
        return _fitted_kinds(given, kinds_of(type_), model, name)
    if isinstance(type_, Tuple):
        assert isinstance(model, tuple)
        where = labels(type_.record, type_.names, len(type_.items))
        parts = zip(parts_of(given, type_, name), type_.items, model, where, strict=True)
        return as_columns(type_, tuple([fitted(part, item, own, name + label) for part, item, own, label in parts]))
    if isinstance(type_, Array):
        flat: list[Any] = []
        flatten(given, type_, name, flat)
        if flat[0].shape != model:
            raise ArgumentError(f"{name}: expected an array of shape {model}, that of the value, not {flat[0].shape}")
        return flat[0]
    return given


def _fitted_kinds(given: object, kinds: tuple[Type, ...], model: object, name: str) -> object:
    """The cotangent of a value of one of several kinds: for those that it is not of, zeros, which are never read."""
    assert isinstance(model, tuple)
    tag, *shapes = model
    own = kinds[tag]
    if isinstance(own, Tuple) and isinstance(own.record, Constant):
        parts_of(given, own, name)
    made = [_zeros(kind, shape) for kind, shape in zip(kinds, shapes, strict=True)]
    made[tag] = fitted(given, own, shapes[tag], name)
    return ((), *made)


def _zeros(type_: Type, shapes: object) -> object:
    """The cotangent of zeros of a value with arrays of these shapes."""
    if isinstance(type_, Tuple):
        assert isinstance(shapes, tuple)
        if is_one_of(type_):
            return ((), *[_zeros(t, s) for t, s in zip(kinds_of(type_), shapes[1:], strict=True)])
        return as_columns(type_, tuple([_zeros(t, s) for t, s in zip(type_.items, shapes, strict=True)]))
    return np.zeros(shapes, DTYPES[leaf_of(type_)]) if isinstance(type_, Array) else 0.0  # type: ignore[call-overload]


def of_its_kinds(value: object, type_: Type) -> object:
    """A value, with all that it would be if it were of other kinds, as what it is; its unzipped tangents have the type."""
    if not holds_alternatives(type_):
        return value
    assert isinstance(type_, Tuple)
    if is_one_of(type_):
        assert isinstance(value, tuple)
        tag, *kinds = value
        return of_its_kinds(kinds[tag], kinds_of(type_)[tag])
    parts = zip(parts_of(value, type_, "value"), type_.items, strict=True)
    return as_columns(type_, tuple([of_its_kinds(part, item) for part, item in parts]))


def shapes_of(value: object, type_: Type) -> object:
    """The shapes of the arrays in a value, whose unzipped tangents have the type, in its structure."""
    if type_ == UNIT:
        return ()
    if isinstance(type_, Tuple) and is_one_of(type_):
        assert isinstance(value, tuple)
        tag, *kinds = value
        return (tag, *[shapes_of(k, t) for k, t in zip(kinds, kinds_of(type_), strict=True)])
    if isinstance(type_, Tuple):
        return tuple([shapes_of(p, t) for p, t in zip(parts_of(value, type_, "value"), type_.items, strict=True)])
    return value.shape if isinstance(value, np.ndarray) else None
