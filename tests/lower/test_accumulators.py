"""What is only a summand is added where it goes: once, and nothing is lost."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.evaluate import evaluate
from fsmooth.core.term import Lam, Require
from fsmooth.core.traverse import transform
from fsmooth.core.values import plain, value_of
from fsmooth.library import parse
from fsmooth.loops import tree as t
from fsmooth.loops.usage import walk
from fsmooth.lower.functions import lower
from fsmooth.optimise.schedules import DEFAULT
from tests.lower.harness import agree, expected
from tests.lower.test_loops import leaves_of, run

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
    "of an array of which one element is replaced": """
        let y = build (length v) (fun j -> (exp v[j] * to_float i, v[j])) in
        let x = update y 1 (y[0].1, y[0].0) in build (length v) (fun j -> x[j].0)""",
    "of an element alone": """
        let x = delta (length v) 1 (exp v[i] * to_float i, v[i]) in build (length v) (fun j -> x[j].0)""",
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


_P = """
    let p = sum n (fun k -> let e = exp v[k] in (delta (length v) (k * k % length v) e, e * 2.0)) in
    let r = plus v p.0 in """
_Q = """
    let p = sum n (fun k -> let e = exp v[k] in delta (length v) (k * k % length v) (e, e * 2.0)) in
    let r = plus (build (length v) (fun j -> (v[j], 1.0))) p in """
_FIRST = "build (length v) (fun j -> r[j].0)"
_SECOND = "build (length v) (fun j -> r[j].1)"

NAMED_SUMS = {
    "a result": f"{_P} (r, r[0], p.1)",
    "two results": f"{_P} (r, r, p.1)",
    "a summand": f"{_P} (plus v r, p.1)",
    "a row": f"{_P} (delta 2 1 r, r[0], p.1)",
    "a row that is a summand": f"{_P} (plus (delta 2 1 r) (delta 2 0 v), p.1)",
    "two rows": f"{_P} (plus (delta 2 1 r) (delta 2 0 r), p.1)",
    "a summand of another": f"{_P} let q = plus r (build (length v) (fun j -> v[j] * p.1)) in (q, q[1])",
    "a result and a summand": f"{_P} let q = plus r (build (length v) (fun j -> v[j] * p.1)) in (q, r, q[1])",
    "pairs": f"{_Q} (r, r[0].0)",
    "a component": f"{_Q} ({_FIRST}, r[0].1)",
    "both components": f"{_Q} ({_FIRST}, {_SECOND})",
    "a row of the state": f"ifold (fun s i -> {_P} (s.0 + r[0], update s.1 i r)) (0.0, zero Float n (length v)) n",
    "the next state, and a row": f"ifold (fun s i -> {_P} (r, update s.1 i r)) (v, zero Float n (length v)) n",
    "a summand of the state": f"ifold (fun s i -> {_P} (plus s.0 r, s.1 + p.1)) (v, 0.0) n",
    "a component of the state": f"ifold (fun s i -> {_Q} ({_FIRST}, s.1 + r[0].1)) (v, 0.0) n",
    "a component in a row": f"""
        ifold (fun s i -> {_Q} (update s.0 i ({_FIRST}), s.1 + r[0].1)) (zero Float n (length v), 0.0) n""",
    "a summand of a sum": f"sum n (fun i -> {_P} (r, p.1 * to_float i))",
    "two summands of a sum": f"sum n (fun i -> {_P} (r, plus v r))",
    "a component in a sum": f"sum n (fun i -> {_Q} {_FIRST})",
    "a row in a sum": f"sum n (fun i -> {_P} (delta 2 1 r, p.1))",
}


@pytest.mark.parametrize("optimise", [lambda term: term, DEFAULT], ids=["as it is", "optimised"])
@pytest.mark.parametrize("name", NAMED_SUMS)
def test_a_summand_of_a_sum_with_a_name_is_not_lost(name: str, optimise) -> None:
    """`p.0` is added where the sum r goes, before the rest of r is: then the rest is added, too."""
    program = parse(f"fun (v: Vector) (n: Index) -> {NAMED_SUMS[name]}")
    without = transform(program, lambda term: term.body if isinstance(term, Require) else term)  # sizes agree
    assert isinstance(without, Lam)
    v = np.array([1.0, 0.2, -0.3])
    for a, b in zip(run(optimise(without), v, 3), leaves_of(expected(program, v, 3)), strict=True):
        agree(a, np.asarray(b, dtype=float))


EMPTY = """
    fun (v: Vector) (n: Index) -> sum n (fun i ->
      let p = if v[0] < to_float i then
          (v[0], zero_pairs)
        else
          (v[1], plus (delta n i (v, (), v[0])) (delta n i (zero Float (length v), (), v[2]))) in
      (p.1, delta n i p.0))""".replace("zero_pairs", "build n (fun j -> (zero Float (length v), (), 0.0))")


@pytest.mark.parametrize("optimise", [lambda term: term, DEFAULT], ids=["as it is", "optimised"])
def test_an_empty_tuple_among_what_is_added_to_has_no_say(optimise) -> None:
    program = parse(EMPTY)
    v = np.array([1.5, 0.2, -0.3])
    for a, b in zip(run(optimise(program), v, 4), leaves_of(expected(program, v, 4)), strict=True):
        agree(a, np.asarray(b, dtype=float))


def test_a_hessian_whose_branches_add_to_arrays_of_tuples() -> None:
    """The forward algorithm of a hidden Markov model: the reverse Hessian is the forward one."""

    def likelihood(logits, mu, x):
        k = len(mu)
        alpha = [-0.5 * (x[0] - mu[j]) ** 2 for j in range(k)]
        moves = [[logits[i, j] - fs.logsumexp(logits[i]) for j in range(k)] for i in range(k)]
        for s in range(1, len(x)):
            alpha = [fs.logsumexp([alpha[i] + moves[i][j] for i in range(k)]) - (x[s] - mu[j]) ** 2 for j in range(k)]
        return fs.logsumexp(alpha)

    rng = np.random.default_rng(0)
    arguments = rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=6)
    forward, reverse = [fs.hessian(likelihood, method=m)(*arguments) for m in ("forward", "reverse")]
    np.testing.assert_allclose(reverse, forward, atol=1e-12)
