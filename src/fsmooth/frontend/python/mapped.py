"""Calls of the library's functions of numbers (library/numpy/of_numbers.py), which are mapped over arrays."""

from __future__ import annotations

import ast
import inspect

from fsmooth.core.term import Term
from fsmooth.core.types import Bool, Int
from fsmooth.core.weak import WEAK
from fsmooth.frontend.python.broadcasting import elementwise
from fsmooth.frontend.python.conversion import convert
from fsmooth.frontend.python.custom import source_call
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import matched, run_helper
from fsmooth.frontend.python.values import Value
from fsmooth.library.numpy.of_numbers import OfIntegers, OfNumbers
from fsmooth.library.numpy.ruled import Ruled


def mapped_call(frame: Frame, mapped: OfNumbers, node: ast.Call) -> Value:
    """The function on numbers, or on the elements of arrays; a function of real numbers takes integers as such."""
    function = mapped.function
    program = function.program if isinstance(function, Ruled) else None
    signature = inspect.signature(function) if program is None else program.signature
    values = matched(frame, signature, node)

    def once(*numbers: Term) -> Term:
        taken = numbers if isinstance(mapped, OfIntegers) else [real(frame, x, node) for x in numbers]
        given: dict[str, Value] = dict(zip(values, taken, strict=True))
        if program is not None:
            return frame.term(source_call(frame, program, given, node), node)
        assert not isinstance(function, Ruled)
        return frame.term(run_helper(frame, function, given, node), node)

    return elementwise(frame, once, [frame.term(v, node) for v in values.values()], node)


def real(frame: Frame, number: Term, node: ast.AST) -> Term:
    """A number as a real one."""
    return convert(frame, number, WEAK, node) if isinstance(number.type, Int | Bool) else number
