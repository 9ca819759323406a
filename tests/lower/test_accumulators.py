"""One component of the elements of an array of tuples, as a summand: it is added once."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.evaluate import evaluate
from fsmooth.core.term import Lam
from fsmooth.core.values import plain, value_of
from fsmooth.library import parse
from fsmooth.loops import tree as t
from fsmooth.loops.usage import walk
from fsmooth.lower.functions import lower
from fsmooth.optimise.schedules import DEFAULT
from tests.lower.test_loops import run

_PAIRS = "sum n (fun k -> let a = to_float (k + i) in delta (length v) k (exp (v[k] * a), a))"
_MATRIX = "sum n (fun k -> let a = to_float (k + i) in delta 3 k (build (length v) (fun j -> (a, exp (v[j] * a)))))"

SUMS = {
    "the first": f"let x = {_PAIRS} in build (length v) (fun j -> x[j].0)",
    "the second": f"let x = {_PAIRS} in build (length v) (fun j -> x[j].1)",
    "beside a number": f"let x = {_PAIRS} in (build (length v) (fun j -> x[j].0), 1.0)",
    "both": f"let x = {_PAIRS} in (build (length v) (fun j -> x[j].0), build (length v) (fun j -> x[j].1))",
    "twice": f"let x = {_PAIRS} in (build (length v) (fun j -> x[j].0), build (length v) (fun j -> x[j].0))",
    "of a matrix": f"let x = {_MATRIX} in build 3 (fun k -> build (length v) (fun j -> x[k][j].1))",
    "of an array without loops": """
        let x = build (length v) (fun j -> (exp v[j] * to_float i, v[j])) in build (length v) (fun j -> x[j].0)""",
}


def _program(body: str) -> Lam:
    term = parse(f"fun (v: Vector) (n: Index) -> sum n (fun i -> {body})")
    assert isinstance(term, Lam)
    return term


@pytest.mark.parametrize("optimise", [lambda term: term, DEFAULT], ids=["as it is", "optimised"])
@pytest.mark.parametrize("name", SUMS)
def test_sums_of_components(name: str, optimise) -> None:
    program, v = _program(SUMS[name]), np.array([1.0, 0.2, 0.3])
    values = {q: value_of(a, q.type) for q, a in zip(program.parameters, (v, 3), strict=True)}
    wanted = plain(evaluate(program.body, values), program.body.type)
    found = run(optimise(program), v, 3)
    for a, b in zip(found, wanted if isinstance(wanted, tuple) else (wanted,), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13)


def test_they_are_computed_where_they_are_added() -> None:
    body = lower(_program(SUMS["the first"]), "f").kernel.body
    assert {s.buffer for s in walk(body) if isinstance(s, t.Store)} == {"result"}
    assert not [s for s in walk(body) if isinstance(s, t.Allocate | t.LocalArray)]


def _cubes(w, g):
    return sum(w[k] ** 3 for k in g)


@fs.function
def _sum_of_products(v, g, scales):
    return sum(fs.hvp(_cubes, wrt="w")([x * a for x in v], g, tangent=v) for a in scales)


def test_a_sum_of_products_with_hessians() -> None:
    v, g, scales = np.array([1.0, 0.2, 0.3]), np.array([0, 1, 1, 2]), np.array([1.0, 2.0, 5.0])
    wanted = 6.0 * v * v * scales.sum() * np.bincount(g)
    np.testing.assert_allclose(_sum_of_products(v, g, scales), wanted, rtol=1e-13)
