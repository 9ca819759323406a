"""An array of which one loop reads a row in each step is computed row by row there; any other stays an array."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core import primitives as p
from fsmooth.core.evaluate import evaluate
from fsmooth.core.term import Build, Const, Get, Lam, Length, Let, MakeTuple, Prim, Reduce, Reduction, Term, Var
from fsmooth.core.types import F64, INT, array_of
from fsmooth.core.values import plain, value_of
from fsmooth.library import parse
from fsmooth.optimise.schedules import DEFAULT
from fsmooth.rewrite.trace import Trace
from tests.lower.harness import agree
from tests.optimise.counting import Computed

_ROWS = "let p = build (length A) (fun i -> build (length A[0]) (fun j -> exp A[i][j])) in"
_TOTALS = "let t = build (length A) (fun i -> sum (length A[0]) (fun j -> A[i][j] * A[i][j])) in"

CONTRACTED = {
    "a number that a loop computes": f"{_TOTALS} build (length A) (fun i -> build (length A[0]) (fun j -> A[i][j] / t[i]))",
    "a row that is read twice": f"""{_ROWS}
        build (length A) (fun i -> let s = sum (length A[0]) (fun j -> p[i][j]) in build (length A[0]) (fun j -> p[i][j] / s))""",
    "by a sum": f"{_TOTALS} sum (length A) (fun i -> t[i] * sum (length A[0]) (fun j -> t[i] + A[i][j]))",
    "one by another": f"""{_ROWS}
        let t = build (length A) (fun i -> sum (length A[0]) (fun j -> p[i][j])) in
        build (length A) (fun i -> build (length A[0]) (fun j -> p[i][j] / t[i]))""",
    "in a branch": f"""{_TOTALS} if length A > 1 then build (length A) (fun i -> build (length A[0]) (fun j -> A[i][j] / t[i]))
        else build 0 (fun i -> build (length A[0]) (fun j -> 0.0))""",
    "inside of a loop": f"""
        build 2 (fun k -> {_TOTALS} sum (length A) (fun i -> sum (length A[0]) (fun j -> A[i][j] / t[i]) * A[i][k]))""",
}

STORED = {
    "another row": f"""{_TOTALS}
        build (length A) (fun i -> build (length A[0]) (fun j -> A[i][j] / t[length A - 1 - i]))""",
    "two loops": f"""{_TOTALS} let s = sum (length A) (fun k -> sum (length A[0]) (fun j -> A[k][j] / t[k])) in
        build (length A) (fun i -> build (length A[0]) (fun j -> A[i][j] / t[i] * s))""",
    "in each step of a loop around": f"""{_TOTALS}
        build 3 (fun k -> sum (length A) (fun i -> sum (length A[0]) (fun j -> A[i][j] / t[i]) * A[k][0]))""",
    "fewer steps": f"""{_TOTALS}
        build (length A - 1) (fun i -> build (length A[0]) (fun j -> A[i][j] / t[i]))""",
    "a step that needs the one before": f"""{_TOTALS}
        ifold (fun (s: Double) (i: Index) -> s * 0.5 + sum (length A[0]) (fun j -> A[i][j] / t[i] * s)) 1.0 (length A)""",
    "numbers that no loop computes": """let t = build (length A) (fun i -> exp (A[i][0] * A[i][1])) in
        build (length A) (fun i -> build (length A[0]) (fun j -> A[i][j] / t[i]))""",
}
A = np.random.default_rng(5).normal(size=(4, 3))
A_MATRIX = Var("A", array_of(F64, 2))


def program(body: str) -> Lam:
    term = parse(f"fun (A: Matrix) -> {body}")
    assert isinstance(term, Lam)
    return term


def simplified(term: Term) -> tuple[Term, int]:
    """The term without code motion, and how often arrays were contracted."""
    trace = Trace()
    return DEFAULT.before_derivative(trace, {})(term), trace.fired["array contraction"]


@pytest.mark.parametrize("name", CONTRACTED)
def test_contracted(name: str) -> None:
    _, count = simplified(program(CONTRACTED[name]))
    assert count > 0


@pytest.mark.parametrize("name", STORED)
def test_stored(name: str) -> None:
    _, count = simplified(program(STORED[name]))
    assert count == 0


@pytest.mark.parametrize("name", [*CONTRACTED, *STORED])
def test_same_result_and_no_more_work(name: str) -> None:
    term = program({**CONTRACTED, **STORED}[name])
    counts: list[Counter[str]] = []
    results = []
    for t in (term, simplified(term)[0], DEFAULT(term)):
        arithmetic = Computed()
        assert isinstance(t, Lam)
        results.append(
            plain(evaluate(t.body, {t.parameters[0]: value_of(A, t.parameters[0].type)}, arithmetic), t.body.type)
        )
        counts.append(arithmetic.counts)
    for result, count in zip(results[1:], counts[1:], strict=True):
        agree(result, results[0], 1e-14)
        assert all([count[name] <= counts[0][name] for name in ("exp", "multiply", "divide")])


def softmax(A):
    powers = np.exp(A - np.max(A, axis=1, keepdims=True))
    return powers / np.sum(powers, axis=1, keepdims=True)


def weighted(weights, A):
    return np.sum(weights * softmax(A))


def test_whole_arrays_are_computed_as_rows_are() -> None:
    source = fs.function(softmax).c_source(A)
    assert "double *restrict powers = (double *)fs_take(&arena, A_n1, sizeof(double));" in source
    assert source.count("fs_take(&arena") == 1


def test_gradient_of_whole_arrays_stores_rows() -> None:
    source = fs.grad(weighted, wrt=1).c_source(A, A)
    assert source.count("fs_take(&arena, x_n1") + source.count("fs_take(&arena, A_n1") == source.count(
        "fs_take(&arena, "
    )


def test_arrays_made_by_loops_with_one_index() -> None:
    """Copies of a term share the index of their loop; each is read by a loop of its own."""
    n = Length(A_MATRIX)
    i = Var("i", INT)
    j, k = Var("j", INT), Var("k", INT)

    def squares(factor: float) -> Term:
        inner = Var("l", INT)
        each = Get(Get(A_MATRIX, i), inner)
        product = Prim(p.multiply, (Const(factor), Prim(p.multiply, (each, each))))
        return Build(n, i, Reduce(Reduction.SUM, Const(3), inner, product))

    a, b = Var("a", array_of(F64)), Var("b", array_of(F64))
    first, second = Get(a, j), Get(b, k)
    body = MakeTuple(
        (Build(n, j, Prim(p.multiply, (first, first))), Build(n, k, Prim(p.multiply, (second, Get(b, k)))))
    )
    term = Lam((A_MATRIX,), Let(((a, squares(1.0)), (b, squares(2.0))), body))
    expected = [np.sum(A * A, axis=1) ** 2, 4.0 * np.sum(A * A, axis=1) ** 2]
    for t in (term, simplified(term)[0], DEFAULT(term)):
        assert isinstance(t, Lam)
        value = plain(evaluate(t.body, {t.parameters[0]: value_of(A, t.parameters[0].type)}), t.body.type)
        agree(value, tuple(expected), 1e-14)
