"""How many entries a tape has, and operands: no more than the program has operations on real numbers, and twice as many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.arithmetic import FLOATS as ARITHMETIC
from fsmooth.core.arithmetic.floats import Floats
from fsmooth.core.evaluate import _Evaluation, evaluate
from fsmooth.core.primitives import Primitive
from fsmooth.core.term import Lam, Method, Verb
from fsmooth.core.types import Float, Type
from fsmooth.core.values import value_of
from fsmooth.optimise.schedules import DEFAULT
from tests.accuracy.cases import cases
from tests.recursion.programs import PROGRAMS, REAL, known
from tests.recursion.test_random import cases as recursive_cases
from tests.reverse.routes import derivative, made
from tests.strategies import FLOATS
from tests.tape.programs import product_of_sines


def counted(
    program: Lam, wrt: tuple[int, ...], arguments: tuple[object, ...], verb: Verb = Verb.GRAD
) -> tuple[int, int]:
    """The entries and the operands of the tape of a derivative, as it is compiled."""
    term = cast(Lam, DEFAULT(made(derivative(program, wrt, verb, Method.TAPE))))
    values = [value_of(a, x.type) for a, x in zip(arguments, term.parameters, strict=True)]
    run = _Evaluation(ARITHMETIC)
    run.of(term.body, dict(zip(term.parameters, values, strict=True)))
    return run.tape.entries, run.tape.pairs


class Operations(Floats):
    """Floats that count the operations that give real numbers."""

    def __init__(self) -> None:
        self.made = 0

    def apply(self, primitive: Primitive, arguments: Sequence[object], type_: Type) -> object:
        self.made += isinstance(type_, Float)
        return super().apply(primitive, arguments, type_)

    def add(self, a: object, b: object, type_: Type) -> object:
        self.made += isinstance(type_, Float)
        return super().add(a, b, type_)

    def multiply(self, a: object, b: object, type_: Type) -> object:
        self.made += isinstance(type_, Float)
        return super().multiply(a, b, type_)


def check(program: Lam, wrt: tuple[int, ...], arguments: tuple[object, ...]) -> tuple[int, int]:
    """A sum of one number is no operation of the interpreter, but may be an entry: hence one more for each sum."""
    entries, pairs = counted(program, wrt, arguments)
    run = Operations()
    values = [value_of(a, x.type) for a, x in zip(arguments, program.parameters, strict=True)]
    evaluate(program.body, dict(zip(program.parameters, values, strict=True)), run)
    assert entries <= run.made + 2, (entries, run.made)
    assert pairs <= 2 * run.made + 2, (pairs, run.made)
    return entries, run.made


@pytest.mark.parametrize("first", [290_000, 291_000])
def test_random_programs(first: int) -> None:
    found = [check(case.program, FLOATS, tuple(case.arguments)) for case in cases(first, 25)]
    assert sum([entries for entries, _ in found]) < 0.7 * sum([most for _, most in found])


def test_random_programs_that_call_themselves() -> None:
    for case in recursive_cases(27_000, 15):
        check(case.program, FLOATS, tuple(case.arguments))


def term_of(f: Callable[..., object], arguments: tuple[object, ...]) -> Lam:
    return fs.function(f).compiled(*arguments).elaborated.term


@pytest.mark.parametrize(
    "f", [f for f in REAL if f is not known and isinstance(f(*PROGRAMS[f]), float)], ids=lambda f: f.__name__
)
def test_recursion(f: Callable[..., object]) -> None:
    """Not `known`: when compiled it is a loop, which is made of the whole; its definition by itself calls twice until that is optimised."""
    check(term_of(f, PROGRAMS[f]), (0,), PROGRAMS[f])


def quaternion(v, q):
    """Rotate a vector, as in Table 1."""
    d = q[0] * v[0] + q[1] * v[1] + q[2] * v[2]
    s = q[3]
    x = 2.0 * d * q[0] + (2.0 * s * s - 1.0) * v[0] + 2.0 * s * (q[1] * v[2] - q[2] * v[1])
    y = 2.0 * d * q[1] + (2.0 * s * s - 1.0) * v[1] + 2.0 * s * (q[2] * v[0] - q[0] * v[2])
    return x * y


def matrix(m, v):
    return sum(sum(m[i, j] * v[j] for j in range(len(v))) for i in range(len(m)))


def dot(a, b):
    return sum(a[i] * b[i] for i in range(len(a)))


def test_an_expression_is_one_entry() -> None:
    v, q = np.ones(3), np.ones(4)
    entries, pairs = counted(term_of(quaternion, (v, q)), (0, 1), (v, q))
    assert (entries, pairs <= 20) == (1, True)


@pytest.mark.parametrize(
    ("f", "made_of", "whole", "single"),
    [
        (dot, lambda n: (np.ones(n), np.ones(n)), lambda n: (1, 0), lambda n: (1, 2 * n)),
        (matrix, lambda n: (np.ones((n, 4)), np.ones(4)), lambda n: (1, 0), lambda n: (n + 1, 9 * n)),
        (product_of_sines, lambda n: (np.ones(n),), lambda n: (n, 2 * n), lambda n: (n, 2 * n)),
    ],
)
def test_linear(
    f: Callable[..., object],
    made_of: Callable[[int], tuple[object, ...]],
    whole: Callable[[int], object],
    single: Callable[[int], object],
) -> None:
    """Of regions, and of single statements, which are what a Jacobian has."""
    term = term_of(f, made_of(3))
    wrt = tuple(range(len(term.parameters)))
    for n in (50, 100, 200):
        assert counted(term, wrt, made_of(n)) == whole(n)
        assert counted(term, wrt, made_of(n), Verb.JACOBIAN) == single(n)


def test_a_constant_costs_nothing() -> None:
    def f(x, c, n):
        total = c
        for _ in range(n):
            total = total * c + 1.0
        return x * total

    assert counted(term_of(f, (2.0, 0.5, 3)), (0,), (2.0, 0.5, 1000)) == (1, 1)
