"""`x[…]` and `x.name` as they are written."""

from __future__ import annotations

import ast
import inspect
from types import FunctionType

import numpy as np

from fsmooth.core.alternatives import kinds_of
from fsmooth.core.build import project
from fsmooth.core.lists import ListOf
from fsmooth.core.term import Const, MakeTuple, Term
from fsmooth.core.trees import class_of
from fsmooth.core.types import Array, Bool, Float, Int, Tuple, Type, is_scalar, rank_of
from fsmooth.errors import RankError, TypeMismatchError, UndefinedNameError
from fsmooth.frontend.python.alternatives import (
    for_kinds,
    for_parts,
    has_attribute,
    is_of_kinds,
    one_among,
    possible_kinds,
)
from fsmooth.frontend.python.arrays.axes import permuted
from fsmooth.frontend.python.arrays.in_brackets import in_brackets
from fsmooth.frontend.python.assignments import copied
from fsmooth.frontend.python.brackets import indices_in
from fsmooth.frontend.python.classes import class_of_value
from fsmooth.frontend.python.container_slices import part_of_container, part_of_sequence
from fsmooth.frontend.python.dtypes import dtype_of
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import evaluated
from fsmooth.frontend.python.growing import position
from fsmooth.frontend.python.indexing import checked, transpose
from fsmooth.frontend.python.instead import SHRINKING
from fsmooth.frontend.python.keyed import entry, entry_of_several
from fsmooth.frontend.python.kinds import describe
from fsmooth.frontend.python.library import library
from fsmooth.frontend.python.names import attribute_of, item_of
from fsmooth.frontend.python.nodes import declaration_of_node, is_forest, require_no_node, trees_of_forest
from fsmooth.frontend.python.own_operators import own_element
from fsmooth.frontend.python.parts import is_part
from fsmooth.frontend.python.protocols import require_parts
from fsmooth.frontend.python.reading import subscript
from fsmooth.frontend.python.records import part_of_node, part_of_record
from fsmooth.frontend.python.sizes import count_elements, shape_of_array
from fsmooth.frontend.python.values import (
    FUNCTIONS,
    Growing,
    Keyed,
    Listed,
    Method,
    Sequence,
    Slice,
    Static,
    Unrolled,
    Value,
)

_METHODS = frozenset(
    {"sum", "prod", "mean", "max", "min", "argmax", "argmin", "dot", "copy", "transpose", "all", "any", "std", "var",
     "ravel", "flatten", "trace", "cumsum", "clip", "astype", "ptp",
     "round", "take", "argsort", "nonzero", "repeat", "searchsorted", "diagonal", "cumprod",
     "reshape", "swapaxes", "squeeze", "item", "tolist"}
)  # fmt: skip


def subscript_expression(frame: Frame, node: ast.Subscript) -> Value:
    """x[i], x[i, j], x[a:b], t[k]."""
    owner = frame.expression(node.value)
    made_of_parts = in_brackets(frame, owner, node)
    if made_of_parts is not None:
        return made_of_parts
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if not isinstance(owner, Static | Keyed | Unrolled) or not any([is_compound(part) for part in parts]):
        return part_at(frame, owner, node)
    indices = [part for part in parts if not isinstance(part, ast.Slice | ast.Starred)]
    with evaluated(frame, indices, "index") as names:
        named = dict(zip(indices, names, strict=True))
        made: list[ast.expr] = [named.get(part, part) for part in parts]
        index = (
            ast.copy_location(ast.Tuple(made, ast.Load()), node.slice) if isinstance(node.slice, ast.Tuple) else made[0]
        )
        return part_at(frame, owner, ast.copy_location(ast.Subscript(node.value, index, node.ctx), node))


def is_compound(index: ast.expr) -> bool:
    """Is it more than names and numbers, so that it is evaluated once and not where each kind of container looks at it?"""
    return any([isinstance(part, ast.Call | ast.Subscript | ast.NamedExpr | ast.IfExp) for part in ast.walk(index)])


def part_at(frame: Frame, owner: Value, node: ast.Subscript) -> Value:
    """What is at an index of a value."""
    if isinstance(owner, Term) and is_of_kinds(owner):
        return for_parts(frame, owner, lambda one: part_at(frame, one, node), node)
    part = part_of_container(frame, owner, node)
    if part is not None:
        return part
    if isinstance(owner, Term) and is_forest(owner):
        owner = trees_of_forest(frame, owner, node)
    if isinstance(owner, Sequence):
        return part_of_sequence(frame, owner, node)
    chosen = chosen_part(frame, owner, node)
    if chosen is not None:
        return chosen
    if isinstance(owner, Static):
        if isinstance(owner.value, dict):
            entry_found = entry_of_several(frame, owner.value, lambda key: item_of(frame, owner, key, node), node)
            if entry_found is not None:
                return entry_found
        key = key_in(frame, owner, node.slice)
        if key is None:
            return subscript(frame, frame.as_term(owner, node.value), indices_in(frame, node.slice), node)
        try:
            return item_of(frame, owner, key, node)
        except (TypeError, KeyError, IndexError) as error:
            frame.fail(TypeMismatchError, node, f"{frame.source.segment(node)}: {error}", "use a key that is there")
    if isinstance(owner, Keyed):
        return entry(frame, owner, node)
    if isinstance(owner, Unrolled) and not isinstance(node.slice, ast.Slice):
        what = "a list of unlike parts" if isinstance(owner, Listed) else "a tuple"
        return owner.items[tuple_position(frame, len(owner.items), node, what)]
    if isinstance(owner, Growing) and not isinstance(node.slice, ast.Slice):
        first, *rest = indices_in(frame, node.slice)
        if isinstance(first, Term):
            at = position(frame, owner, first, node, frame.source.segment(node.value))
            return subscript(frame, owner.room, [at, *rest], node)
    own = None if isinstance(node.slice, ast.Slice | ast.Tuple) else own_element(frame, owner, node)
    if own is not None:
        return own
    array = frame.term(owner, node.value)
    require_no_node(frame, array, node)
    require_parts(frame, array, node)
    if isinstance(array.type, Tuple):
        return project(array, tuple_position(frame, len(array.type.items), node))
    if not isinstance(array.type, Array):
        frame.fail(
            RankError,
            node,
            f"{frame.source.segment(node.value)} is {describe(array.type)}, not an array",
            "index an array, a list or a tuple",
        )
    indices = indices_in(frame, node.slice)
    made = subscript(frame, array, indices, node)
    is_slice = len(indices) == 1 and isinstance(indices[0], Slice)
    return slice_of_list(frame, made, array) if is_slice and isinstance(array.type, ListOf) else made


def slice_of_list(frame: Frame, part: Term, whole: Term) -> Term:
    """A slice of a list is a new list."""
    made = frame.with_lists(copied(part), whole.type)
    if isinstance(whole.type, ListOf) and is_scalar(whole.type.element):
        frame.shared.views.own(made)
    return made


def chosen_part(frame: Frame, owner: Value, node: ast.Subscript) -> Value | None:
    """The part of a list or tuple of functions, or of other parts of several kinds, at an index known at run time only."""
    if isinstance(node.slice, ast.Slice | ast.Tuple):
        return None
    match owner:
        case Static(list() | tuple() as inner) if any([callable(item) or item is None for item in inner]):
            items = [item_of(frame, owner, k, node) for k in range(len(inner))]
        case Unrolled(parts) if any([isinstance(item, Static | FUNCTIONS) or is_of_kinds(item) for item in parts]):
            items = list(parts)
        case _:
            return None
    index = frame.expression(node.slice)
    if not isinstance(index, Term) or isinstance(index, Const) or not isinstance(index.type, Int):
        return None
    if not all([is_part(item) for item in items]):
        return None
    what = frame.source.segment(node.value)
    at = checked(frame, index, Const(len(items)), node, what)
    return one_among(frame, [frame.as_part(item, node) for item in items], at, node)


def key_in(frame: Frame, owner: Static, node: ast.expr) -> object:
    """What a container that is known while compiling is asked for; None for what an array of its values is."""
    if isinstance(node, ast.Slice) or (isinstance(node, ast.Tuple) and isinstance(owner.value, np.ndarray)):
        return None
    index = frame.expression(node)
    return index.value if isinstance(index, Const | Static) else None


def tuple_position(frame: Frame, count: int, node: ast.Subscript, what: str = "a tuple") -> int:
    """The k of t[k], where t is a tuple of `count`, or a list: a constant."""
    index = frame.expression(node.slice)
    if not isinstance(index, Const) or not isinstance(index.type, Int):
        hint = (
            "use an array (a list) instead of a tuple"
            if what == "a tuple"
            else "go over its parts with for, or use an array"
        )
        frame.fail(TypeMismatchError, node, f"{what} is indexed by a constant", hint)
    k = int(index.value)
    if not -count <= k < count:
        frame.fail(TypeMismatchError, node, f"index {k} of {what} of {count}", f"use an index from 0 to {count - 1}")
    return k % count


def attribute_by_kind(frame: Frame, owner: Term, node: ast.Attribute) -> Value:
    """value.name of a value that is of one of several kinds, of which some have the name."""
    kinds = kinds_of(owner.type)
    having = [k for k in possible_kinds(frame, owner) if has_attribute(kinds[k], node.attr)]
    if any([is_method(kinds[k], node.attr) for k in having]):
        return Method(owner, node.attr)

    def read(one: Value) -> Value:
        frame.names["_owner"] = one
        place = ast.copy_location(ast.Name("_owner", ast.Load()), node.value)
        try:
            return attribute(frame, ast.copy_location(ast.Attribute(place, node.attr, ast.Load()), node))
        finally:
            del frame.names["_owner"]

    return for_kinds(frame, owner, having, read, node, "AttributeError", f", which has no {node.attr}")


def is_method(kind: Type, name: str) -> bool:
    """Is an attribute of a kind a method?"""
    if isinstance(kind, Array | Float | Int | Bool):
        return name in _METHODS
    cls = class_of(kind.record) if isinstance(kind, Tuple) else None
    return cls is not None and isinstance(inspect.getattr_static(cls, name, None), FunctionType)


def attribute(frame: Frame, node: ast.Attribute) -> Value:
    """module.name, record.field, array.shape, array.T, array.method."""
    owner = frame.expression(node.value)
    if isinstance(owner, Static):
        if not hasattr(owner.value, node.attr):
            what = getattr(owner.value, "__name__", f"the {type(owner.value).__name__}")
            frame.fail(UndefinedNameError, node, f"{what} has no {node.attr}", "use a name that it has")
        return attribute_of(frame, owner, node.attr, node)
    if isinstance(owner, Keyed):
        return Method(owner, node.attr)
    if isinstance(owner, Term) and is_of_kinds(owner) and node.attr != "__class__":
        return attribute_by_kind(frame, owner, node)
    term = frame.term(owner, node.value)
    if node.attr == "__class__":
        return class_of_value(frame, term, node)
    if declaration_of_node(term) is not None:
        return part_of_node(frame, term, node)
    if isinstance(term.type, Tuple) and term.type.names is not None and node.attr in term.type.names:
        return project(term, term.type.names.index(node.attr))
    cls = class_of(term.type.record) if isinstance(term.type, Tuple) else None
    if cls is not None:
        found = part_of_record(frame, term, cls, node)
        if found is not None:
            return found
    if isinstance(term.type, Array):
        match node.attr:
            case "shape":
                return shape_of_array(frame, term, node)
            case "T":
                if rank_of(term.type) != 2:
                    return library(frame, "transpose", [term], node)
                term = frame.bind(term, "a")
                turned = transpose(term, frame.site(node))
                frame.shared.views.remember(turned, term)
                return turned
            case "mT" if rank_of(term.type) > 1:
                count = rank_of(term.type)
                return permuted(frame, term, [*range(count - 2), count - 1, count - 2], node)
            case "size":
                return count_elements(frame, term, node)
            case "ndim":
                return Const(rank_of(term.type))
    if isinstance(term.type, Float | Int | Bool) and node.attr in ("shape", "ndim", "size"):
        return MakeTuple(()) if node.attr == "shape" else Const(int(node.attr == "size"))
    if isinstance(term.type, Array | Float | Int | Bool) and node.attr in _METHODS:
        return Method(term, node.attr)
    dtype = dtype_of(term.type) if node.attr == "dtype" and isinstance(term.type, Array | Float | Int | Bool) else None
    if dtype is not None:
        return Static(dtype)
    if node.attr in ("real", "imag", "conj", "conjugate") and not isinstance(term.type, Tuple):
        what = f"{describe(term.type)} has no {node.attr} in a compiled function"
        hint = "its numbers are real: " + ("it is zero" if node.attr == "imag" else "leave it out")
        frame.fail(UndefinedNameError, node, what, hint)
    if node.attr in SHRINKING and isinstance(term.type, Array):
        frame.unsupported(node, f"{node.attr} of a list", SHRINKING[node.attr])
    fields = ", ".join(map(str, term.type.names)) if isinstance(term.type, Tuple) and term.type.names else ""
    hint = (
        f"its fields are {fields}"
        if fields
        else "arrays have shape, size, ndim, dtype, T, copy(), sum(), max(), dot(), …"
    )
    frame.fail(UndefinedNameError, node, f"{describe(term.type)} has no {node.attr}", hint)
