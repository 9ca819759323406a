"""Python's `sorted`."""

from __future__ import annotations

import ast

from fsmooth.core.types import is_scalar, leaf_of, rank_of
from fsmooth.errors import ArgumentMismatchError, TypeMismatchError
from fsmooth.frontend.python.built_in import list_call
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.library_calls import own_python_call
from fsmooth.frontend.python.values import Value
from fsmooth.library.numpy import written


def sorted_call(frame: Frame, node: ast.Call) -> Value:
    """`sorted(numbers, reverse=…)`, `sorted(parts, key=…)`: a list."""
    name = frame.source.segment(node.func)
    if len(node.args) != 1:
        hint = "give it what is sorted; its other parameters are key= and reverse="
        frame.fail(ArgumentMismatchError, node, f"{name} takes 1 argument by position, not {len(node.args)}", hint)
    numbers = frame.term(list_call(frame, ast.copy_location(ast.Call(node.func, node.args, []), node)), node)
    by_key = any([k.arg == "key" for k in node.keywords])
    if not by_key and (rank_of(numbers.type) != 1 or not is_scalar(leaf_of(numbers.type))):
        frame.fail(TypeMismatchError, node, f"{name} orders numbers, and these are something else", "give key=…")
    in_python = written("sorted")
    assert in_python is not None
    rest = ast.copy_location(ast.Call(node.func, [], node.keywords), node)
    return frame.as_list(frame.term(own_python_call(frame, in_python, rest, numbers), node))
