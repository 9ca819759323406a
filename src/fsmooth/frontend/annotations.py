"""Annotations of parameters: optional, and checked when a program is elaborated.

    def project(camera: fs.Array[11], points: fs.Array["n", 3], scale: float): ...

A string names a size: all sizes of one name must be equal.  A number is that size, and so is arithmetic of names and
numbers, `"n + 1"`, `"n * (n + 1) // 2"`.  The type of the elements comes last and is float if it is left out.

    def rows(starts: fs.Array["n + 1", fs.Offsets["m"]], columns: fs.Array["m", fs.Index["k"]], row: fs.Index["n"]): ...

Integers that are places in arrays say in which: they are checked once, at entry, and indices that are these not again.
"""

from __future__ import annotations

import builtins
import inspect
import sys
import types
from collections.abc import Callable
from typing import ForwardRef

from fsmooth.core.array_annotation import ANY, ArrayAnnotation, IndexAnnotation, OffsetsAnnotation, Places
from fsmooth.core.types import BOOL, F64, INT, Bool, Float, Int, Type, array_of, leaf_of, rank_of
from fsmooth.errors import ArgumentError
from fsmooth.frontend import annotated_sizes

_LEAVES: dict[object, type[Type]] = {float: Float, int: Int, bool: Bool}
_NAMES: dict[object, str] = {float: "numbers", int: "integers", bool: "truth values"}


class Array:
    """The annotation of an array: `fs.Array["n", 3]`, `fs.Array["n", int]`.

    `"*"` is any size: `fs.Array["*"]`.

    >>> Array["n", 3]
    fs.Array['n', 3]
    """

    def __class_getitem__(cls, sizes: object) -> ArrayAnnotation:
        parts = sizes if isinstance(sizes, tuple) else (sizes,)
        leaf: type = float
        places: Places | None = None
        if parts and isinstance(parts[-1], type) and parts[-1] in _LEAVES:
            leaf, parts = parts[-1], parts[:-1]
        elif parts and isinstance(parts[-1], IndexAnnotation | OffsetsAnnotation):
            leaf, places, parts = int, parts[-1], parts[:-1]
        if not parts or not all([_is_size(s) for s in parts]):
            raise ArgumentError(
                f"fs.Array{list(parts)}: a size is a name, a number that is not negative, or a sum, difference or product of"
                " these, or what is left of one by whole division (//) by a number\n"
                '  hint: write fs.Array["n", 3], or fs.Array["2 * n + 1"]'
            )
        if isinstance(places, OffsetsAnnotation) and len(parts) != 1:
            raise ArgumentError(
                f"fs.Array[{', '.join(map(repr, (*parts, places)))}]: offsets have one axis\n"
                '  hint: write fs.Array["n + 1", fs.Offsets["m"]]'
            )
        return ArrayAnnotation(parts, leaf, places)


class Index:
    """The annotation of an integer, or of the elements of an array, from 0 to less than a size.

    It is checked when a compiled function is called; indices that are such integers are not checked again.

    >>> Index["n"]
    fs.Index['n']
    >>> Array["m", Index["n"]]
    fs.Array['m', fs.Index['n']]
    """

    def __class_getitem__(cls, size: object) -> IndexAnnotation:
        return IndexAnnotation(_place_size("fs.Index", size))


class Offsets:
    """The annotation of elements of an array that say where parts of `m` elements begin and end, as the row pointers of CSR
    do: from 0 to `m`, none less than the one before it.

    >>> Array["n + 1", Offsets["m"]]
    fs.Array['n + 1', fs.Offsets['m']]
    """

    def __class_getitem__(cls, size: object) -> OffsetsAnnotation:
        return OffsetsAnnotation(_place_size("fs.Offsets", size))


def _place_size(what: str, size: object) -> int | str:
    if size != ANY and _is_size(size):
        assert isinstance(size, int | str)
        return size
    raise ArgumentError(
        f"{what}[{size!r}]: indices are below a size: a name, a number that is not negative, or arithmetic of these\n"
        f'  hint: write {what}["n"]'
    )


def _is_size(size: object) -> bool:
    if isinstance(size, str):
        return size == ANY or annotated_sizes.expression(size) is not None
    return isinstance(size, int) and not isinstance(size, bool) and size >= 0


def annotations_of(function: Callable[..., object]) -> dict[str, object]:
    """The annotations of a function, or of a class, that fsmooth understands; all others are left to other tools.

    Raises:
        ArgumentError: for sizes that mean nothing.

    """
    try:
        found = inspect.get_annotations(function, eval_str=True)
    except ArgumentError:
        raise
    except (NameError, SyntaxError, TypeError, AttributeError):
        found = _one_by_one(function)
    if any([isinstance(a, ForwardRef) for a in found.values()]):  # what a NamedTuple makes of texts
        found = _one_by_one(function)
    for name, a in found.items():
        if isinstance(a, OffsetsAnnotation):
            raise ArgumentError(
                f'{name}: {a!r} is for the elements of an array\n  hint: write fs.Array["n + 1", {a!r}]'.replace(
                    "'", '"'
                )
            )
    known = (ArrayAnnotation, IndexAnnotation)
    return {name: a for name, a in found.items() if isinstance(a, known) or a in (float, int, bool)}


def written_annotation(function: types.FunctionType, text: str) -> object:
    """What an annotation in the body of a function means, as it is written there; None if fsmooth does not understand it.

    Raises:
        ArgumentError: for sizes that mean nothing.

    """
    inside = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    captured = {name: cell.cell_contents for name, cell in inside.items() if cell != types.CellType()}
    try:
        found: object = eval(text, {}, _Names({**function.__globals__, **captured}))
        found = eval(found, {}, _Names({**function.__globals__, **captured})) if isinstance(found, str) else found
    except ArgumentError:
        raise
    except (NameError, SyntaxError, TypeError, AttributeError):
        return None
    return found if isinstance(found, ArrayAnnotation | IndexAnnotation) else None


def field_annotations(record: type) -> dict[str, object]:
    """The fields of a class, and of those that it is made from, that are annotated as arrays or as indices.

    Raises:
        ArgumentError: for sizes that mean nothing.

    """
    found = {name: a for cls in reversed(record.__mro__) for name, a in annotations_of(cls).items()}
    return {name: a for name, a in found.items() if isinstance(a, ArrayAnnotation | IndexAnnotation)}


class _Names(dict[str, object]):
    """The names of a module; a name that it does not have is that of a size: linters turn `"n"` into `n`."""

    def __missing__(self, name: str) -> object:
        return getattr(builtins, name, annotated_sizes.Written(name))


def _one_by_one(function: Callable[..., object]) -> dict[str, object]:
    module = sys.modules.get(function.__module__)
    around = function.__globals__ if isinstance(function, types.FunctionType) else vars(module) if module else {}
    result: dict[str, object] = {}
    for name, written in inspect.get_annotations(function).items():
        given = written.__forward_arg__ if isinstance(written, ForwardRef) else written
        try:
            result[name] = eval(given, {}, _Names(around)) if isinstance(given, str) else given
        except ArgumentError:
            raise
        except (NameError, SyntaxError, TypeError, AttributeError):
            continue
    return result


def type_said(annotation: object) -> Type | None:
    """The type that an annotation says; None if it says none."""
    leaves: dict[object, Type] = {float: F64, int: INT, bool: BOOL}
    match annotation:
        case ArrayAnnotation(sizes, leaf):
            return array_of(leaves[leaf], len(sizes))
        case IndexAnnotation():
            return INT
        case type():
            return leaves.get(annotation)
        case _:
            return None


def mismatch(annotation: object, type_: Type) -> str | None:
    """What an annotation asks for, if a value of type `type_` is something else; an integer is a float too."""
    if isinstance(annotation, ArrayAnnotation):
        rank = len(annotation.sizes)
        leaf = leaf_of(type_)
        fits = isinstance(leaf, _LEAVES[annotation.leaf]) or (annotation.leaf is float and leaf == INT)
        if rank_of(type_) == rank and fits:
            return None
        return f"{annotation!r}, a {rank}-dimensional array of {_NAMES[annotation.leaf]}"
    if isinstance(annotation, IndexAnnotation):
        return None if type_ == INT else f"{annotation!r}, an integer"
    if annotation is float and (isinstance(type_, Float) or type_ in (INT, BOOL)):
        return None
    if annotation is int and type_ == INT:
        return None
    if annotation is bool and type_ == BOOL:
        return None
    assert isinstance(annotation, type)
    return annotation.__name__
