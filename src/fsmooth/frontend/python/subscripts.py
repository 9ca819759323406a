"""`x[…]` and `x.name` as they are written."""

from __future__ import annotations

import ast

from fsmooth.core.term import Const, Term
from fsmooth.core.types import Array, Int, Tuple, rank_of
from fsmooth.errors import RankError, TypeMismatchError, UndefinedNameError
from fsmooth.frontend.python.conversion import project
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.indexing import subscript, transpose
from fsmooth.frontend.python.kinds import describe
from fsmooth.frontend.python.library import library
from fsmooth.frontend.python.names import attribute_of, item_of
from fsmooth.frontend.python.records import part_of_record
from fsmooth.frontend.python.sizes import count_elements, shape_of_array
from fsmooth.frontend.python.values import Method, Static, Unrolled, Value

_METHODS = frozenset(
    {"sum", "prod", "mean", "max", "min", "argmax", "argmin", "dot", "copy", "transpose", "all", "any", "std", "var",
     "ravel", "flatten", "trace", "cumsum", "clip", "astype"}
)  # fmt: skip


def subscript_expression(frame: Frame, node: ast.Subscript) -> Value:
    """x[i], x[i, j], x[a:b], t[k]."""
    owner = frame.expression(node.value)
    if isinstance(owner, Static):
        index = frame.expression(node.slice)
        key = index.value if isinstance(index, Const | Static) else None
        if key is None:
            return subscript(frame, frame.as_term(owner, node.value), index_values(frame, node.slice), node)
        try:
            return item_of(owner, key, owner.value[key])  # type: ignore[index]
        except (TypeError, KeyError, IndexError) as error:
            frame.fail(TypeMismatchError, node, f"{frame.source.segment(node)}: {error}", "use a key that is there")
    if isinstance(owner, Unrolled):
        return owner.items[tuple_position(frame, len(owner.items), node)]
    array = frame.term(owner, node.value)
    if isinstance(array.type, Tuple):
        return project(array, tuple_position(frame, len(array.type.items), node))
    if not isinstance(array.type, Array):
        frame.fail(
            RankError,
            node,
            f"{frame.source.segment(node.value)} is {describe(array.type)}, not an array",
            "index an array, a list or a tuple",
        )
    return subscript(frame, array, index_values(frame, node.slice), node)


def tuple_position(frame: Frame, count: int, node: ast.Subscript) -> int:
    """The k of t[k], where t is a tuple of `count`: a constant."""
    index = frame.expression(node.slice)
    if not isinstance(index, Const) or not isinstance(index.type, Int):
        frame.fail(
            TypeMismatchError, node, "a tuple is indexed by a constant", "use an array (a list) instead of a tuple"
        )
    k = int(index.value)
    if not -count <= k < count:
        frame.fail(TypeMismatchError, node, f"index {k} of a tuple of {count}", f"use an index from 0 to {count - 1}")
    return k % count


def index_values(frame: Frame, node: ast.expr) -> list[Term | slice]:
    """The indices in brackets."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    result: list[Term | slice] = []
    for part in parts:
        if isinstance(part, ast.Slice):
            bounds = [None if b is None else frame.value(b) for b in (part.lower, part.upper, part.step)]
            result.append(slice(*bounds))
        elif isinstance(part, ast.Constant) and part.value in (None, Ellipsis):
            frame.unsupported(part, "None or … as an index", "write a comprehension")
        else:
            index = frame.value(part)
            if isinstance(index.type, Array):
                frame.unsupported(part, "an array as an index", "write [x[k] for k in indices]")
            result.append(index)
    return result


def attribute(frame: Frame, node: ast.Attribute) -> Value:
    """module.name, record.field, array.shape, array.T, array.method."""
    owner = frame.expression(node.value)
    if isinstance(owner, Static):
        if not hasattr(owner.value, node.attr):
            what = getattr(owner.value, "__name__", f"the {type(owner.value).__name__}")
            frame.fail(UndefinedNameError, node, f"{what} has no {node.attr}", "use a name that it has")
        return attribute_of(frame, owner, node.attr, node)
    term = frame.term(owner, node.value)
    if isinstance(term.type, Tuple) and term.type.names is not None and node.attr in term.type.names:
        return project(term, term.type.names.index(node.attr))
    if isinstance(term.type, Tuple) and isinstance(term.type.record, type):
        found = part_of_record(frame, term, term.type.record, node)
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
            case "size":
                return count_elements(frame, term, node)
            case "ndim":
                return Const(rank_of(term.type))
        if node.attr in _METHODS:
            return Method(term, node.attr)
    fields = ", ".join(term.type.names) if isinstance(term.type, Tuple) and term.type.names else ""
    hint = f"its fields are {fields}" if fields else "arrays have shape, size, ndim, T, copy(), sum(), max(), dot(), …"
    frame.fail(UndefinedNameError, node, f"{describe(term.type)} has no {node.attr}", hint)
