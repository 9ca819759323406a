"""`np.r_[a, b, 0:n]` and `np.c_[a, b]`: parts in brackets, put together as rows or as columns."""

from __future__ import annotations

import ast

import numpy as np

from fsmooth.core.term import Term
from fsmooth.frontend.python.arrays.arguments import array_of, rank
from fsmooth.frontend.python.arrays.axes import expanded
from fsmooth.frontend.python.arrays.joining import at_least, joined
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.library_calls import numpy_call
from fsmooth.frontend.python.values import Static, Value


def in_brackets(frame: Frame, owner: Value, node: ast.Subscript) -> Term | None:
    """What `np.r_` or `np.c_` makes of its parts; None if the owner is neither."""
    if not isinstance(owner, Static) or (owner.value is not np.r_ and owner.value is not np.c_):
        return None
    written = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    parts = [at_least(frame, _part(frame, part, node), 1, node) for part in written]
    if owner.value is np.r_:
        return joined(frame, parts, 0, node)
    columns = [expanded(frame, part, [1], node) if rank(part) == 1 else part for part in parts]
    return joined(frame, columns, rank(columns[0]) - 1, node)


def _part(frame: Frame, part: ast.expr, node: ast.Subscript) -> Term:
    """An array or a number; a slice as the numbers that it goes through."""
    if isinstance(part, ast.Slice):
        return array_of(frame, _range(frame, part), part)
    value = frame.expression(part)
    if isinstance(value, Static) and isinstance(value.value, str):
        frame.unsupported(node, "a text in np.r_ or np.c_", "use np.concatenate(parts, axis)")
    return array_of(frame, value, part)


def _range(frame: Frame, part: ast.Slice) -> Value:
    """`a:b:step` as np.arange does it, `a:b:5j` as five numbers with both ends."""
    if part.upper is None:
        frame.unsupported(part, "a slice without an end in np.r_ or np.c_", "write its end: np.r_[0:n]")
    arguments = [ast.Constant(0) if part.lower is None else part.lower, part.upper]
    name = "arange"
    match part.step:
        case ast.Constant(complex() as count):
            name = "linspace"
            arguments.append(ast.Constant(int(abs(count))))
        case ast.expr() as step:
            arguments.append(step)
    call = ast.Call(ast.Name(name, ast.Load()), arguments, [])
    return numpy_call(frame, name, getattr(np, name), ast.fix_missing_locations(ast.copy_location(call, part)))
