"""Python values to the flat leaves that C takes, and back (the C ABI of fsmooth.lower.interface).

A value of an array-free type is passed as numbers, an array leaf as a pointer and its sizes.  Arrays of tuples
are tuples of arrays on both sides.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from fsmooth.core.alternatives import OneOf
from fsmooth.core.narrow import Narrow
from fsmooth.core.nodes.declaration import Nodes
from fsmooth.core.trees import Apart, Constant, Registered, apart, is_constant, labels, part
from fsmooth.core.types import BOOL, F32, F64, INT, Array, Bool, Float, Int, Tuple, Type, array_of, leaf_of, rank_of
from fsmooth.core.weak import WEAK
from fsmooth.errors import ArgumentError, OutOfMemoryError
from fsmooth.runtime.foreign import as_numpy
from fsmooth.runtime.memory import Memory
from fsmooth.runtime.structure import with_parts

DTYPES: dict[Type, Any] = {F64: np.float64, F32: np.float32, INT: np.int64, BOOL: np.bool_}
C_TYPES: dict[Type, Any] = {F64: ctypes.c_double, F32: ctypes.c_float, INT: ctypes.c_int64, BOOL: ctypes.c_bool}


def infer_type(value: object, name: str) -> Type:
    """The core type of an argument.

    Raises:
        ArgumentError: if fsmooth cannot take such a value.

    >>> infer_type([[1.0, 2.0]], "A")
    Array<Array<Float>>

    """
    if isinstance(value, np.ndarray) and hasattr(value, "mask"):  # asking numpy.ma would load it, which is slow
        raise ArgumentError(f"{name}: masked arrays cannot be used; fill the missing values first")
    if isinstance(value, np.ndarray | np.generic):
        return _array_type(value.dtype, value.ndim, name)
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return INT
    if isinstance(value, float):
        return WEAK
    if isinstance(value, list) and (array := _array_of_list(value, name)) is not None:
        return infer_type(array, name)
    found = apart(value)
    if found is not None:
        return _structure(found, name)
    if isinstance(value, complex):
        return infer_type(np.asarray(value), name)
    array = as_numpy(value, name)
    if array is not value:
        return infer_type(array, name)
    raise ArgumentError(
        f"{name}: expected a number, an array, a list, a tuple, a dictionary or a record, found {type(value).__name__}"
        "\n  hint: fs.register_pytree_node says what the parts of the objects of a class are"
    )


def _structure(found: Apart, name: str) -> Tuple:
    _refuse_unhashable(found, name)
    items = [
        part(value) if is_constant(value) and apart(value) is None else infer_type(value, f"{name}{found.label(k)}")
        for k, value in enumerate(found.parts)
    ]
    return Tuple(tuple(items), found.names, found.record)


def _refuse_unhashable(found: Apart, name: str) -> None:
    """Keys and what is said of an object beside its parts belong to the type."""
    if found.record is dict:
        for key in found.names or ():
            if not isinstance(key, str) and type(key) is not int:
                raise ArgumentError(f"{name}: expected texts or integers as keys, found {key!r}")
    if isinstance(found.record, Registered):
        try:
            hash(found.record.rest)
        except TypeError as error:
            what = f"what the flatten of {found.record.__name__} gives beside the parts"
            raise ArgumentError(f"{name}: {error}, in {what}\n  hint: give a tuple there, arrays as parts") from None


def _array_of_list(value: list[object], name: str) -> np.ndarray[Any, Any] | None:
    """A list as an array; None if NumPy makes none of numbers of it: then it is a list of unlike parts."""
    try:
        made = np.asarray(as_numpy(value, name))
    except (ValueError, TypeError, RuntimeError):
        return None
    return made if made.dtype.kind not in "OUSV" else None


def _as_array(value: object, name: str) -> np.ndarray[Any, Any]:
    """The array of a value, a new object that nobody else has: its shape stays, and is not what a subclass makes of it."""
    try:
        made = np.asarray(as_numpy(value, name))[...]
    except ValueError as error:
        raise ArgumentError(f"{name}: a list whose rows have different lengths is not an array ({error})") from error
    return made


def _array_type(dtype: np.dtype[Any], rank: int, name: str) -> Type:
    if dtype.kind == "f" and dtype.itemsize == 4:
        return array_of(F32, rank)
    if dtype.kind == "f" and dtype.itemsize == 8:
        return array_of(F64, rank)
    if dtype.kind in "iu":
        return array_of(INT, rank)
    if dtype.kind == "b":
        return array_of(BOOL, rank)
    if dtype.kind == "f":
        hint = f"convert it first: {name}.astype(np.{'float32' if dtype.itemsize < 4 else 'float64'})"
        raise ArgumentError(f"{name}: programs compute in float64 and float32, not in {dtype}\n  hint: {hint}")
    if dtype.kind == "c":
        hint = f"pass the real and the imaginary part as two arguments: {name}.real, {name}.imag"
        raise ArgumentError(f"{name} is complex, and programs are of real numbers\n  hint: {hint}")
    raise ArgumentError(f"{name}: arrays of {dtype} cannot be used; convert to float64, float32, int64 or bool")


def leaves(type_: Type) -> list[Type]:
    """The scalar and array leaves of an unzipped type, left to right."""
    if isinstance(type_, Tuple):
        return [leaf for item in type_.items for leaf in leaves(item)]
    return [type_]


def flatten(value: object, type_: Type, name: str, out: list[Any]) -> None:
    """Append the C arguments for `value` at `type_` to `out`; arrays are kept alive by their presence in `out`.

    Raises:
        ArgumentError: naming the argument, what was expected and what was found.

    """
    match type_:
        case Float() | Int() | Bool():
            out.append(_scalar(value, type_, name))
        case Array():
            array = _array(value, type_, name)
            out.append(array)
            out.extend(array.shape)
        case Tuple(items, names):
            where = labels(type_.record, names, len(items))
            for item, value_of, label in zip(items, parts_of(value, type_, name), where, strict=True):
                flatten(value_of, item, f"{name}{label}", out)
        case _:
            raise ArgumentError(f"{name}: a function cannot be an argument of a compiled program")


def _scalar(value: object, type_: Type, name: str) -> float | int | bool:
    value = as_numpy(value, name)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(type_, Float) and isinstance(value, float | int | np.floating | np.integer | np.bool_):
        return _real(value, name)
    if isinstance(type_, Int) and isinstance(value, int | np.integer | np.bool_):
        number = int(value)
        if not -(2**63) <= number < 2**63:
            raise ArgumentError(f"{name}: {number} does not fit into 64 bits")
        return number
    if isinstance(type_, Bool) and isinstance(value, bool | np.bool_):
        return bool(value)
    raise ArgumentError(f"{name}: expected {_said(type_)}, found {_found(value)}")


def _real(value: Any, name: str) -> float:
    try:
        return float(value)
    except OverflowError as error:
        raise ArgumentError(f"{name}: {type(value).__name__} too large for a float") from error


def _array(value: object, type_: Array, name: str) -> np.ndarray[Any, Any]:
    leaf = leaf_of(type_)
    array = _as_array(value, name)
    wanted = np.int32 if isinstance(leaf, Narrow) else DTYPES[leaf]
    if array.ndim != rank_of(type_):
        raise ArgumentError(f"{name}: expected {_said(type_)}, found {_found(value)}")
    if array.dtype != wanted:
        kinds = {F64: "fiub", F32: "f", INT: "iub", BOOL: "b"}[leaf]
        if array.dtype.kind not in kinds:
            raise ArgumentError(f"{name}: expected {_said(type_)}, found {_found(value)}")
        if array.dtype == np.uint64 and leaf == INT and array.size and array.max() > np.iinfo(np.int64).max:
            raise ArgumentError(f"{name}: {array.max()} does not fit into 64 bits with a sign")
        if wanted is np.int32 and not np.array_equal(array, array.astype(wanted)):
            raise ArgumentError(f"{name}: its dtype changed during the call")
        array = array.astype(wanted)
    return np.require(array, requirements=["C", "A"])


def parts_of(value: object, type_: Tuple, name: str) -> Sequence[object]:
    """The components of a structure, in the order of its type."""
    names, record = type_.names, type_.record
    if isinstance(record, Constant):
        if Constant(value) != record:
            raise ArgumentError(f"{name}: expected {record.value!r}, found {_found(value)}")
        return ()
    if record is dict:
        return _items_of(value, names or (), name)
    if isinstance(record, Registered | Nodes):
        found = apart(value)
        if found is None or found.record != record:
            raise ArgumentError(f"{name}: expected a {record.__name__}, found {_found(value)}")
        return found.parts
    if names is not None and not isinstance(value, tuple):
        missing = [n for n in names if not hasattr(value, str(n))]
        if missing:
            raise ArgumentError(f"{name}: expected the fields {', '.join(map(str, names))}, found {_found(value)}")
        return [getattr(value, str(n)) for n in names]
    if not isinstance(value, tuple | list) or len(value) != len(type_.items):
        raise ArgumentError(f"{name}: expected {_said(type_)}, found {_found(value)}")
    return value


def _items_of(value: object, keys: Sequence[str | int], name: str) -> Sequence[object]:
    """The items of a dictionary with these keys and no others."""
    wanted = f"a dictionary with the keys {', '.join(map(repr, keys))}"
    if not isinstance(value, Mapping):
        raise ArgumentError(f"{name}: expected {wanted}, found {_found(value)}")
    missing, others = [k for k in keys if k not in value], [k for k in value if k not in keys]
    if missing or others:
        found = f"none of {', '.join(map(repr, missing))}" if missing else f"{', '.join(map(repr, others))}, too"
        raise ArgumentError(f"{name}: expected {wanted}, found {found}")
    return [value[key] for key in keys]


def _said(type_: Type) -> str:
    match type_:
        case Float(64):
            return "a number"
        case Float():
            return "a float32 number"
        case Int():
            return "an integer"
        case Bool():
            return "True or False"
        case Array():
            return f"a {rank_of(type_)}-dimensional array of {np.dtype(DTYPES[leaf_of(type_)]).name}"
        case Tuple(items, _, record):
            return f"a {'list' if record is list else 'tuple'} of {len(items)}"
        case _:
            return repr(type_)


def _found(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"a {value.ndim}-dimensional array of {value.dtype} of shape {value.shape}"
    return f"{type(value).__name__} {value!r}"[:80]


def allocate(type_: Type, shape: list[int], out: object | None, name: str, memory: Memory) -> tuple[object, list[Any]]:
    """Memory for a result of unzipped type `type_`: the structure to return, and its leaves in order.

    `shape` holds the sizes of the array leaves and is used up from the front.  `out` reuses a result's arrays; what is made
    anew is taken from `memory`.
    """
    if isinstance(type_, Tuple):
        parts, buffers = [], []
        if out is not None and isinstance(type_.record, OneOf):
            raise ArgumentError(f"{name}: this result is of one of several kinds\n  hint: leave out=… away")
        given = [None] * len(type_.items) if out is None else parts_of(out, type_, name)
        for k, (item, o) in enumerate(zip(type_.items, given, strict=True)):
            label = labels(type_.record, type_.names, len(type_.items))[k]
            made_part, more = allocate(item, shape, o, name + label, memory)
            parts.append(made_part)
            buffers.extend(more)
        return _Record(parts, type_), buffers
    leaf = leaf_of(type_)
    rank = rank_of(type_)
    if rank == 0:
        if not (out is None or isinstance(out, float | int | np.bool_ | np.number)):
            raise ArgumentError(f"{name}: this result is a number, which needs no memory, found {_found(out)}")
        cell = C_TYPES[leaf]()
        return cell, [cell]
    sizes = tuple(shape[:rank])
    del shape[:rank]
    if out is not None:
        fits = isinstance(out, np.ndarray) and out.shape == sizes and out.dtype == DTYPES[leaf]
        if not fits or not out.flags.carray:  # type: ignore[attr-defined]
            raise ArgumentError(
                f"{name}: expected a writable, aligned C-contiguous array of shape {sizes} and dtype "
                f"{np.dtype(DTYPES[leaf]).name}, found {_found(out)}"
            )
        return out, [out]
    made = _empty(sizes, DTYPES[leaf], name, memory)
    return made, [made]


def _empty(sizes: tuple[int, ...], dtype: Any, name: str, memory: Memory) -> np.ndarray[Any, Any]:
    try:
        return memory.empty(sizes, dtype)
    except (MemoryError, ValueError):  # a ValueError where the number of bytes has no 64 bits
        what = "the result" if name == "out" else f"the part {name.removeprefix('out')} of the result"
        raise OutOfMemoryError(f"there is not enough memory for {what}, of shape {sizes}", name) from None


class _Record(Struct):
    parts: list[object]
    type: Tuple


def finished(structure: object) -> object:
    """The Python value of what `allocate` gave, once it is filled."""
    if isinstance(structure, _Record):
        return with_parts(structure.type, tuple([finished(part) for part in structure.parts]))
    if isinstance(structure, np.ndarray):
        return structure
    return structure.value  # type: ignore[attr-defined]
