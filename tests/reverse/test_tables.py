"""Tables that a fold fills: the way back reads its last state, and nothing is saved that it still holds."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from contextlib import suppress
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.term import IFold, Lam, Let, Term, Verb
from fsmooth.core.traverse import subterms
from fsmooth.differentiate.reverse import folds
from fsmooth.differentiate.reverse.held import Held, with_held
from fsmooth.optimise.schedules import DEFAULT
from tests.frontend.python.test_programs import elaborated
from tests.lower.harness import FAST, STRICT, compile_all
from tests.reverse import random_tables
from tests.reverse.routes import reversed_, vector
from tests.reverse.tables import CHANGED, FILLED, factor, few_steps, substitution
from tests.reverse.test_cost import check

PROGRAMS = [*FILLED, *CHANGED, few_steps]
COMPLEX = SimpleNamespace(
    zeros=lambda shape: np.zeros(shape, complex),
    ones=lambda shape: np.ones(shape, complex),
    **{name: getattr(np, name) for name in ("sin", "exp", "log", "sqrt")},
)


def given(program: Callable[..., object], n: int) -> list[np.ndarray]:
    """Arguments for it."""
    chance = np.random.default_rng(n)
    made = {"x": chance.normal(size=n) + 0.3, "w": chance.normal(size=(n, n))}
    return [made[name] for name in inspect.signature(program).parameters]


def stepped(program: Callable[..., object], arguments: list[np.ndarray]) -> np.ndarray:
    """The gradient by complex steps of the program as Python runs it."""
    assert isinstance(program, FunctionType)
    return steps_of(FunctionType(program.__code__, {"np": COMPLEX, "sum": sum, "len": len, "range": range}), arguments)


def steps_of(run: Callable[..., Any], arguments: list[np.ndarray]) -> np.ndarray:
    """The gradient by complex steps of a function that can compute with complex numbers."""
    slopes = []
    for k, argument in enumerate(arguments):
        for place in np.ndindex(argument.shape):
            moved = [a.astype(complex) for a in arguments]
            moved[k][place] += 1e-30j
            slopes.append(run(*moved).imag / 1e-30)
    return np.array(slopes)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients_by_complex_steps(program) -> None:
    wrt = tuple(inspect.signature(program).parameters)
    gradient = fs.value_and_grad(program, wrt=wrt, method="reverse")
    for n in (3, 1, 2, 6):
        arguments = given(program, n)
        if program is few_steps and n < 3:
            continue
        value, slopes = gradient(*arguments)
        np.testing.assert_allclose(value, program(*[a.copy() for a in arguments]), rtol=1e-12, err_msg=str(n))
        np.testing.assert_allclose(vector(slopes), stepped(program, arguments), rtol=1e-10, atol=1e-13, err_msg=str(n))


def test_the_gradient_of_a_determinant_is_the_inverse() -> None:
    """Only the lower triangle is read: what is off the diagonal stands for two elements."""
    w = np.random.default_rng(2).normal(size=(5, 5))
    whole = np.tril(w) + np.tril(w, -1).T + 20.0 * np.eye(5)
    wanted = np.tril(np.linalg.inv(whole)) * (2.0 - np.eye(5))
    np.testing.assert_allclose(fs.grad(factor, method="reverse")(w), wanted, rtol=1e-12)


def test_the_gradient_of_a_solution_is_a_solution_of_the_transpose() -> None:
    chance = np.random.default_rng(2)
    x, w = chance.normal(size=6), chance.normal(size=(6, 6))
    left = np.tril(w) + 4.0 * np.eye(6)
    y = np.linalg.solve(left, x)
    back = np.linalg.solve(left.T, 2.0 * y)
    dx, dw = fs.grad(substitution, wrt=("x", "w"), method="reverse")(x, w)
    np.testing.assert_allclose(dx, back, rtol=1e-12)
    np.testing.assert_allclose(dw, -np.tril(np.outer(back, y)), rtol=1e-12)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_other_derivatives(program) -> None:
    """In blocks, as a pullback, of a gradient."""
    arguments = given(program, 4)
    wrt = tuple(inspect.signature(program).parameters)
    slopes = vector(fs.grad(program, wrt=wrt, method="forward")(*arguments))
    blocks = fs.grad(program, wrt=wrt, method="reverse", checkpoint=True)
    np.testing.assert_allclose(vector(blocks(*arguments)), slopes, rtol=1e-11, atol=1e-13)
    _, pullback = fs.vjp(program, wrt=wrt)(*arguments)
    np.testing.assert_allclose(vector(pullback(1.0)), slopes, rtol=1e-11, atol=1e-13)
    along = np.random.default_rng(5).normal(size=arguments[0].shape)
    backwards = fs.hvp(program, method="reverse")(*arguments, tangent=along)
    forwards = fs.hvp(program, method="forward")(*arguments, tangent=along)
    np.testing.assert_allclose(backwards, forwards, rtol=1e-10, atol=1e-12)


# -- what is saved ---------------------------------------------------------------------------------------------------------


def saved(program: Callable[..., object]) -> list[str]:
    """The loops that save, of the gradient in all arguments, before it is optimised."""
    wrt = tuple(range(len(inspect.signature(program).parameters)))
    gradient = reversed_(elaborated(program, *given(program, 3)).term, wrt)
    bindings = [b for t in subterms(gradient) if isinstance(t, Let) for b in t.bindings]
    return [x.name for x, value in bindings if isinstance(value, IFold) and x.name.endswith("_saved")]


DEAR = ("two_behind", "alignment")
"""Of these exponentials and sines are saved."""


@pytest.mark.parametrize("program", [f for f in FILLED if f.__name__ not in DEAR], ids=lambda f: f.__name__)
def test_nothing_is_saved_of_a_table_that_is_filled(program) -> None:
    assert saved(program) == []


@pytest.mark.parametrize("program", CHANGED, ids=lambda f: f.__name__)
def test_what_is_written_again_is_saved(program) -> None:
    assert saved(program)


def taken(program: Callable[..., object], n: int) -> int:
    """The numbers that the gradient takes memory for, by its C."""
    wrt = tuple(inspect.signature(program).parameters)
    source = fs.grad(program, wrt=wrt, method="reverse").c_source(*given(program, 4))
    body = source[source.index("int32_t grad_") :]
    scope = dict.fromkeys(re.findall(r"int64_t (\w+_n[01])\b", body), n) | {
        "fs_integer_maximum": max,
        "fs_count": lambda count, size: count * size,
    }
    total = 0
    for line in body.splitlines():
        if found := re.match(r"\s*const int64_t (n\w*) = ([^?]*);", line):
            with suppress(NameError):  # it is of a loop
                scope[found[1]] = eval(found[2], dict(scope))
        elif found := re.search(r"(fs_memory_\d+_size) = (.*);", line):  # of the longest of several
            scope[found[1]] = max(scope.get(found[1], 0), eval(found[2], dict(scope)))
        elif found := re.search(r"fs_take\(&arena, (.*), sizeof", line):
            total += eval(found[1], dict(scope))
    return total


@pytest.mark.parametrize("program", FILLED, ids=lambda f: f.__name__)
def test_memory_is_that_of_the_tables(program) -> None:
    """Of what is given as many numbers, and of each table, its cotangent and what is dear to compute."""
    for n in (50, 200):
        arguments = given(program, n)
        tables = {
            "moments": 3 * n,
            "factor": n * n,
            "factor_by_cases": n * n,
            "warping": n * n,
            "alignment": n * n,
            "rows_of_rows": n * n,
        }
        room = 10 * n + 6 * (tables.get(program.__name__, n) + 4 * n)
        assert taken(program, n) <= room, (program.__name__, n, len(arguments))


def test_few_elements_of_a_large_table_are_saved_by_themselves() -> None:
    """The loop inside reads two; its table is not kept for each step of the loop around."""
    assert taken(few_steps, 1000) - taken(few_steps, 500) <= 8 * 500


@pytest.mark.parametrize("n", [1, 3, 8])
@pytest.mark.parametrize("program", FILLED, ids=lambda f: f.__name__)
def test_a_gradient_costs_as_little_as_any(program, n: int) -> None:
    arguments: list[object] = list(given(program, n))
    term = elaborated(program, *arguments).term
    derivative = reversed_(term, tuple(range(len(arguments))), Verb.VALUE_AND_GRAD)
    check(program.__name__, DEFAULT(term), DEFAULT(derivative), arguments)


# -- random programs -------------------------------------------------------------------------------------------------------


def gradient(seed: int) -> Lam:
    """The value and the gradient, in all arguments, of a random program."""
    program = random_tables.program(seed)
    return reversed_(elaborated(program, *random_tables.arguments(seed, 3)).term, (0, 1, 2), Verb.VALUE_AND_GRAD)


@pytest.mark.parametrize(("first", "flags"), [(0, FAST), (20, STRICT), (40, FAST), (60, STRICT)])
def test_random_programs_by_complex_steps(first: int, flags: tuple[str, ...]) -> None:
    seeds = range(first, first + 20)
    kernels = compile_all([DEFAULT(gradient(seed)) for seed in seeds], flags)
    for seed, kernel in zip(seeds, kernels, strict=True):
        program = random_tables.program(seed)
        for n in (0, 1, 2, 4):
            arguments = random_tables.arguments(seed, n)
            value, *slopes = vector(kernel(*arguments))
            where = f"seed {seed}, n = {n}"
            np.testing.assert_allclose(value, program(*[a.copy() for a in arguments]), rtol=1e-12, err_msg=where)
            np.testing.assert_allclose(slopes, steps_of(program, arguments), rtol=1e-9, atol=1e-11, err_msg=where)


def test_of_many_of_them_the_last_state_holds_something(monkeypatch) -> None:
    """Otherwise they would test nothing."""
    proved = []

    def seen(*given: Any) -> tuple[Term, Held]:
        body, held = with_held(*given)
        proved.append(bool(held.tables or held.values))
        return body, held

    monkeypatch.setattr(folds, "with_held", seen)
    for seed in range(20):
        gradient(seed)
    assert 20 <= sum(proved) < len(proved)
