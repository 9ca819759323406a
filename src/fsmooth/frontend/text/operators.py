"""Infix and prefix operators on terms."""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.build import both, either
from fsmooth.core.term import Term
from fsmooth.core.types import BOOL, INT
from fsmooth.frontend.text.joins import applied

_INFIX = {
    "+": p.add,
    "-": p.subtract,
    "*": p.multiply,
    "×": p.multiply,
    "/": p.divide,
    "//": p.floor_divide,
    "%": p.modulo,
    "**": p.power,
    "<": p.less,
    "<=": p.less_equal,
    ">": p.greater,
    ">=": p.greater_equal,
    "=": p.equal,
    "==": p.equal,
    "<>": p.not_equal,
    "!=": p.not_equal,
    "!": p.logical_not,
}
SYMBOLS = frozenset({*_INFIX, "&&", "||"})
"""Every operator."""


def operated(operator: str, operands: list[Term]) -> Term | None:
    """The operator on the operands, Ints converted where real numbers are wanted; None if they do not suit it.

    >>> from fsmooth.core.term import Const
    >>> operated("+", [Const(1), Const(2.0)])
    1.0 + 2.0
    """
    if operator in ("&&", "||"):
        if len(operands) != 2 or any([o.type != BOOL for o in operands]):
            return None
        return both(operands[0], operands[1]) if operator == "&&" else either(operands[0], operands[1])
    if operator == "-" and len(operands) == 1:
        return applied(p.negate, operands)
    if operator == "**" and all([o.type == INT for o in operands]):
        return applied(p.integer_power, operands)
    return applied(_INFIX[operator], operands)
