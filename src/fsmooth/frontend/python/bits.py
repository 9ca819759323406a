"""& | ^ << >> ~ of integers, which have 64 bits: by quotients and remainders of powers of two."""

from __future__ import annotations

import ast

from fsmooth.core import primitives as p
from fsmooth.core.build import both, minus, plus, reduce, times
from fsmooth.core.term import Const, Failure, If, Prim, Reduction, Require, Term
from fsmooth.frontend.python.frame import Frame

_SIGN = 63
"""The bit that says that an integer is negative."""


def bitwise(frame: Frame, op: ast.operator, a: Term, b: Term) -> Term:
    """& | ^ of two integers."""
    a, b = frame.bind(a, "a"), frame.bind(b, "b")
    common = frame.bind(conjunction(a, b), "common")
    if isinstance(op, ast.BitAnd):
        return common
    rest = minus(a, common)
    return plus(rest, b) if isinstance(op, ast.BitOr) else plus(rest, minus(b, common))


def conjunction(a: Term, b: Term) -> Term:
    """The bits that both integers have."""
    if isinstance(a, Const) and isinstance(b, Const):
        return Const(int(a.value) & int(b.value))
    if isinstance(a, Const):
        a, b = b, a
    if isinstance(b, Const) and b.value >= 0:
        return masked(a, int(b.value))
    shared = reduce(
        Reduction.SUM, Const(_SIGN), lambda k: times(times(bit(a, power(k)), bit(b, power(k))), power(k)), "bit"
    )
    negative = both(Prim(p.less, (a, Const(0))), Prim(p.less, (b, Const(0))))
    return If(negative, plus(shared, Const(-(2**_SIGN))), shared)


def masked(a: Term, mask: int) -> Term:
    """The bits of an integer that a mask has: those of each run of ones at once."""
    total: Term = Const(0)
    start = 0
    while mask >> start:
        if not mask >> start & 1:
            start += 1
            continue
        end = start
        while mask >> end & 1:
            end += 1
        run = (
            quotient(a, 2**start)
            if end >= _SIGN
            else Prim(p.modulo, (quotient(a, 2**start), Const(2 ** (end - start))))
        )
        total = plus(total, times(run, Const(2**start)))
        start = end
    return total


def quotient(a: Term, divisor: int) -> Term:
    """A // divisor."""
    return a if divisor == 1 else Prim(p.floor_divide, (a, Const(divisor)))


def bit(a: Term, place: Term) -> Term:
    """A bit of an integer, whose place is a power of two."""
    return Prim(p.modulo, (Prim(p.floor_divide, (a, place)), Const(2)))


def power(exponent: Term) -> Term:
    """2 ** exponent."""
    return (
        Const(2 ** int(exponent.value)) if isinstance(exponent, Const) else Prim(p.integer_power, (Const(2), exponent))
    )


def shifted(frame: Frame, op: ast.operator, a: Term, b: Term, node: ast.AST) -> Term:
    """A << b, a >> b."""
    if isinstance(b, Const) and not 0 <= b.value < _SIGN:
        frame.unsupported(node, f"a shift by {b.value}", "integers have 64 bits; shift by 0 to 62")
    if not isinstance(b, Const):
        b = frame.bind(b, "b")
        site = frame.site(node, f"a shift by {frame.source.segment(node)}: by 0 to 62")
        allowed = both(Prim(p.less_equal, (Const(0), b)), Prim(p.less, (b, Const(_SIGN))))
        b = frame.bind(Require(allowed, b, Failure.ASSERTION, (), site), "b")
    if isinstance(op, ast.LShift):
        return times(a, power(b))
    divisor = power(b)
    if isinstance(a, Const) and isinstance(divisor, Const):
        return Const(int(a.value) >> int(b.value)) if isinstance(b, Const) else a
    return a if isinstance(divisor, Const) and divisor.value == 1 else Prim(p.floor_divide, (a, divisor))
