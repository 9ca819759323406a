"""Values of the interpreter from NumPy arrays, numbers and tuples, and back.

Arrays of tuples come back as tuples of arrays (`types.unzipped`), as everywhere at the boundary.
"""

from __future__ import annotations

import numpy as np

from fsmooth.core.arithmetic import Arithmetic, single
from fsmooth.core.array_value import ArrayValue, Value
from fsmooth.core.types import Array, Bool, Float, Int, Tuple, Type, array_of, leaf_of, rank_of

_DTYPES = {Float(64): np.float64, Float(32): np.float32, Int(): np.int64, Bool(): np.bool_}


def value_of(given: object, type_: Type) -> Value:
    """`given` (a number, a nested list, a NumPy array, a tuple of such) as a value of type `type_`.

    >>> from fsmooth.core.types import F64
    >>> value_of([[1, 2]], Array(Array(F64))).shape
    (1, 2)
    """
    match type_:
        case Array():
            leaf = leaf_of(type_)
            if isinstance(leaf, Tuple):
                return _of_tuples(given, type_, leaf)
            array: np.ndarray = np.asarray(given, dtype=_DTYPES[leaf])
            rank = rank_of(type_)
            if array.ndim > rank or (array.ndim < rank and array.size):
                raise ValueError(f"an array of {array.ndim} dimensions is no {type_!r}")
            array = array.reshape(array.shape + (0,) * (rank - array.ndim))
            return _nested(array, leaf)
        case Tuple(items):
            assert isinstance(given, tuple | list)
            return tuple([value_of(x, t) for x, t in zip(given, items, strict=True)])
        case Float(width):
            number = float(given)  # type: ignore[arg-type]
            return single(number) if width == 32 else number
        case Int():
            return int(given)  # type: ignore[call-overload, no-any-return]
        case _:
            return bool(given)


def _nested(array: np.ndarray, leaf: Type) -> Value:
    if array.ndim == 0:
        return array.item()  # type: ignore[no-any-return]
    return ArrayValue(array.shape, tuple([_nested(row, leaf) for row in array]))


def _of_tuples(given: object, type_: Array, leaf: Tuple) -> Value:
    """A tuple of arrays, zipped."""
    assert isinstance(given, tuple | list)
    rank = rank_of(type_)
    parts = [value_of(x, array_of(t, rank)) for x, t in zip(given, leaf.items, strict=True)]
    return _zipped(parts, rank)


def _zipped(parts: list[Value], rank: int) -> Value:
    if rank == 0:
        return tuple(parts)
    arrays = [x for x in parts if isinstance(x, ArrayValue)]
    if len({a.shape[0] for a in arrays}) != 1:
        raise ValueError(f"the parts of an array of tuples have lengths {[a.shape[0] for a in arrays]}")
    items = [_zipped([a.items[k] for a in arrays], rank - 1) for k in range(arrays[0].shape[0])]
    return ArrayValue(arrays[0].shape[:rank], tuple(items))


def plain(value: Value, type_: Type) -> object:
    """A value of type `type_` as NumPy arrays, Python numbers and tuples of them.

    >>> from fsmooth.core.types import INT
    >>> plain(ArrayValue((2,), ((1, 2), (3, 4))), Array(Tuple((INT, INT))))
    (array([1, 3]), array([2, 4]))
    """
    match type_:
        case Array():
            leaf, rank = leaf_of(type_), rank_of(type_)
            assert isinstance(value, ArrayValue)
            if isinstance(leaf, Tuple):
                return tuple([_column(value, rank, k, t) for k, t in enumerate(leaf.items)])
            return np.array(_listed(value), dtype=_DTYPES[leaf]).reshape(value.shape)
        case Tuple(items):
            assert isinstance(value, tuple)
            return tuple([plain(x, t) for x, t in zip(value, items, strict=True)])
        case _:
            return value


def _column(value: ArrayValue, rank: int, position: int, type_: Type) -> object:
    """Component `position` of an array of tuples, as an array."""
    return plain(_picked(value, rank, position), array_of(type_, rank))


def _picked(value: Value, rank: int, position: int) -> Value:
    if rank == 0:
        assert isinstance(value, tuple)
        return value[position]
    assert isinstance(value, ArrayValue)
    items = tuple([_picked(x, rank - 1, position) for x in value.items])
    inner = items[0].shape if items and isinstance(items[0], ArrayValue) else value.shape[1:]
    return ArrayValue((value.shape[0], *inner), items)


def lifted(value: Value, type_: Type, arithmetic: Arithmetic) -> Value:
    """A value of ordinary numbers in another arithmetic, as a constant."""
    match value:
        case ArrayValue(shape, items):
            assert isinstance(type_, Array)
            return ArrayValue(shape, tuple([lifted(x, type_.element, arithmetic) for x in items]))
        case tuple():
            assert isinstance(type_, Tuple)
            return tuple([lifted(x, t, arithmetic) for x, t in zip(value, type_.items, strict=True)])
        case _:
            return arithmetic.constant(value, type_)  # type: ignore[arg-type]


def zero_of(value: Value, type_: Type, arithmetic: Arithmetic) -> Value:
    """Zero of the shape of `value`."""
    match value:
        case ArrayValue(shape, items):
            assert isinstance(type_, Array)
            return ArrayValue(shape, tuple([zero_of(x, type_.element, arithmetic) for x in items]))
        case tuple():
            assert isinstance(type_, Tuple)
            return tuple([zero_of(x, t, arithmetic) for x, t in zip(value, type_.items, strict=True)])
        case _:
            return arithmetic.constant(0.0 if isinstance(type_, Float) else 0, type_)


def _listed(value: Value) -> object:
    return [_listed(x) for x in value.items] if isinstance(value, ArrayValue) else value
