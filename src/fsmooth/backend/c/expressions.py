"""Expressions as C text, with as few parentheses as are clear."""

from __future__ import annotations

import math

from fsmooth.backend.c import spelling as s
from fsmooth.backend.c.conditions import from_end, within
from fsmooth.backend.c.helpers import helper_name
from fsmooth.backend.c.lanes import suffix_of
from fsmooth.backend.c.searches import search_name
from fsmooth.core import primitives as p
from fsmooth.core.narrow import Narrow
from fsmooth.core.types import Bool, Data, Float, Type
from fsmooth.loops import tree as t
from fsmooth.loops.usage import names_of
from fsmooth.loops.vector_math import LIBRARY, VECTOR_MATH


class ExpressionWriter:
    """Writes expressions and remembers which helpers and vector functions they need.

    `vector` asks for functions that have a vector version; `lanes` is the index that stands for a whole vector of them.
    `lengths` are names of numbers that are never negative.  `counts_from_end`: is there an index that may count from the end?
    """

    def __init__(self) -> None:
        self.helpers: set[tuple[str, bool, bool]] = set()
        self.vector_functions: set[tuple[p.Primitive, bool]] = set()
        self.searches: set[tuple[t.Extremum, Type]] = set()
        self.counts_from_end = False
        self.vector = False
        self.lengths: frozenset[str] = frozenset()
        self.lanes: str | None = None
        self.elsewhere: dict[str, str] = {}

    def name(self, name: str) -> str:
        """What a variable or a buffer is called, which may be `elsewhere`."""
        return self.elsewhere.get(name, name)

    def write(self, e: t.Expression, level: int = 0) -> str:
        """`e`, in parentheses if it binds less tightly than `level`."""
        text, own = self._write(e)
        return f"({text})" if own < level else text

    def _write(self, e: t.Expression) -> tuple[str, int]:
        match e:
            case t.Literal(value):
                text = literal(value, e.type)
                return text, s.UNARY if text.startswith("-") else s.ATOM
            case t.Name(name):
                return self.name(name), s.ATOM
            case t.Load(buffer, index) if self.lanes is not None and mentions(index, self.lanes):
                return f"FS_LANES_AT{suffix_of(e.type)}({self.name(buffer)} + {self.write(index, 5)})", s.ATOM
            case t.Load(buffer, index) if isinstance(e.type, Narrow):
                return f"(int64_t){self.name(buffer)}[{self.write(index)}]", s.UNARY
            case t.Load(buffer, index):
                return f"{self.name(buffer)}[{self.write(index)}]", s.ATOM
            case t.Conditional(condition, then, otherwise):
                if from_end(e) is not None:  # a branch that is foreseen costs less than adding and selecting
                    self.counts_from_end = True
                    return f"FS_RARELY({self.write(condition)}) ? {self.write(then, 1)} : {self.write(otherwise, 1)}", 0
                if self.vector and (found := within(e, self.lengths)) is not None:
                    return " < ".join([f"(uint64_t){self.write(x, s.UNARY)}" for x in found]), s.LEVELS["<"]
                return self._conditional(condition, then, otherwise)
            case t.Operation():
                return self._operation(e)
            case t.Search(extremum, buffer, offset, count):
                self.searches.add((extremum, e.leaf))
                start = self.name(buffer)
                place = (
                    start
                    if isinstance(offset, t.Literal) and offset.value == 0
                    else f"{start} + {self.write(offset, 5)}"
                )
                return f"{search_name(extremum, e.leaf)}({place}, {self.write(count)})", s.ATOM
            case _:
                raise TypeError(f"{e!r} is no expression")

    def _conditional(self, c: t.Expression, a: t.Expression, b: t.Expression) -> tuple[str, int]:
        if isinstance(a.type, Bool):
            if isinstance(b, t.Literal) and not b.value:
                return f"{self.write(c, 3)} && {self.write(a, 3)}", 2
            if isinstance(a, t.Literal) and a.value:
                return f"{self.write(c, 3)} || {self.write(b, 3)}", 1
        return f"{self.write(c, 1)} ? {self.write(a, 1)} : {self.write(b, 1)}", 0

    def _operation(self, e: t.Operation) -> tuple[str, int]:
        bits = _bits(e)
        if bits is not None:  # towards minus infinity, as both primitives are
            operand = self.write(e.arguments[0], s.ATOM)
            return f"({operand} >> {bits})" if e.primitive is p.floor_divide else f"({operand} & {2**bits - 1})", s.ATOM
        first = e.arguments[0].type
        found = s.spelling(e.primitive, first)
        single = first == Float(32)
        match found:
            case s.Operator(symbol, level):
                left, right = e.arguments
                # comparisons do not chain; - and / are not associative, nor are + and * of floats
                low = level + 1 if level in (3, 4) else level
                return f"{self.write(left, low)} {symbol} {self.write(right, level + 1)}", level
            case s.Call(name):
                arguments = ", ".join([self.write(a) for a in e.arguments])
                suffix = "f" if single else ""
                if self.vector and e.primitive in LIBRARY:
                    self.vector_functions.add((e.primitive, single))
                    return f"fs_{name}{suffix}({arguments})", s.ATOM
                return f"{name}{suffix}({arguments})", s.ATOM
            case s.Helper(name):
                arguments = ", ".join([self.write(a) for a in e.arguments])
                vector = self.vector and e.primitive in VECTOR_MATH
                if vector:
                    self.vector_functions.add((p.exp, single))
                self.helpers.add((name, single, vector))
                return f"{helper_name(name, single, vector)}({arguments})", s.ATOM
            case s.Template(text):
                if e.primitive is p.select:
                    a, b, c = e.arguments
                    return self._conditional(a, b, c)
                level = s.UNARY
                inner = [self.write(a, s.ATOM if e.primitive is not p.is_nan else 0) for a in e.arguments]
                return text.format(*inner), s.ATOM if e.primitive is p.is_nan else level
            case None:
                raise TypeError(f"{e.primitive.name} of {first!r} has no spelling in C")


def _bits(e: t.Operation) -> int | None:
    """Of a quotient by a power of two, or a remainder, the exponent."""
    if e.primitive not in (p.floor_divide, p.modulo):
        return None
    match e.arguments[1]:
        case t.Literal(int() as value) if 1 < value < 2**31 and value & (value - 1) == 0:
            return value.bit_length() - 1
        case _:
            return None


def mentions(e: t.Expression, name: str) -> bool:
    """Does the expression mention the name?"""
    names = names_of(e)
    return name in names


def literal(value: float | int | bool, type_: Type) -> str:
    """A constant in C."""
    if isinstance(type_, Data):
        return "NULL"
    if isinstance(type_, Bool):
        return "true" if value else "false"
    if isinstance(type_, Float):
        if math.isnan(value):
            return "NAN"
        if math.isinf(value):
            return "INFINITY" if value > 0 else "-INFINITY"
        return repr(float(value)) + ("f" if type_.width == 32 else "")
    if value == -(2**63):
        return "INT64_MIN"
    return str(value) if -(2**31) < value < 2**31 else f"INT64_C({value})"
