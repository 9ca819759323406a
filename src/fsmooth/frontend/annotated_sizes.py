"""Sizes in annotations: a number, a name, or sums, differences and products of these (`"n + 1"`, `"2 * n"`), and what is left of
them by whole division by a number (`"n * (n + 1) // 2"`).

A name is the size of an array that is annotated with it alone, `mesh.n` that of a field of the argument `mesh`.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

Size = TypeVar("Size")
Operations = Mapping[type[ast.operator], Callable[[Size, Size], Size]]

_OF_NUMBERS: Operations[int] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}


class Written(str):
    """The text of a size whose names stand bare: linters turn `"n + 1"` into `n + 1`."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Written:
        if name.startswith("__"):
            raise AttributeError(name)
        return Written(f"{self}.{name}")

    def __add__(self, other: object) -> Written:
        return Written(f"{self} + {_factor(other)}")

    def __radd__(self, other: object) -> Written:
        return Written(f"{other} + {_factor(self)}")

    def __sub__(self, other: object) -> Written:
        return Written(f"{self} - {_factor(other)}")

    def __rsub__(self, other: object) -> Written:
        return Written(f"{other} - {_factor(self)}")

    def __mul__(self, other: object) -> Written:
        return Written(f"{_factor(self)} * {_factor(other)}")

    def __rmul__(self, other: object) -> Written:
        return Written(f"{_factor(other)} * {_factor(self)}")

    def __floordiv__(self, other: object) -> Written:
        return Written(f"{_factor(self)} // {_factor(other)}")


def _factor(part: object) -> str:
    return f"({part})" if " " in str(part) else str(part)


def expression(text: str) -> ast.expr | None:
    """The size that is written; None if it is anything but arithmetic of names and numbers, or is negative."""
    try:
        found = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None
    if not _is_size(found):
        return None
    is_negative = not any(names(found)) and value(found, int, _OF_NUMBERS, {}) < 0
    return None if is_negative else found


def _is_size(node: ast.expr) -> bool:
    match node:
        case ast.Name():
            return True
        case ast.Attribute(whole):
            return isinstance(whole, ast.Name | ast.Attribute) and _is_size(whole)
        case ast.Constant(value):
            return type(value) is int
        case ast.BinOp(left, ast.FloorDiv(), ast.Constant(value)):
            return type(value) is int and value > 0 and _is_size(left)
        case ast.BinOp(_, ast.FloorDiv(), _):
            return False
        case ast.BinOp(left, op, right):
            return type(op) in _OF_NUMBERS and _is_size(left) and _is_size(right)
        case _:
            return False


def names(node: ast.expr) -> Iterator[str]:
    """The names in a size, with those before their dots."""
    match node:
        case ast.Name() | ast.Attribute():
            yield ast.unparse(node)
        case ast.BinOp(left, _, right):
            yield from names(left)
            yield from names(right)
        case _:
            return


def value(
    node: ast.expr, number: Callable[[int], Size], operations: Operations[Size], sizes: Mapping[str, Size]
) -> Size:
    """A size, made of numbers by these operations, where its names stand for these sizes."""
    match node:
        case ast.Name() | ast.Attribute():
            return sizes[ast.unparse(node)]
        case ast.BinOp(left, op, right):
            first, second = [value(part, number, operations, sizes) for part in (left, right)]
            return operations[type(op)](first, second)
        case _:
            assert isinstance(node, ast.Constant)
            assert isinstance(node.value, int)
            return number(node.value)
