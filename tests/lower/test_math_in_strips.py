"""Functions with vector versions are computed in strips where loops cannot run in vectors, and only where that may gain."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.compiling.programs import logistic, network

import fsmooth as fs
from fsmooth.library import parse
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import inside
from fsmooth.loops.passes.schedule import ALL, with_threads
from fsmooth.loops.usage import expressions_of, walk
from fsmooth.loops.vector_math import VECTOR_MATH
from fsmooth.lower.functions import lower
from tests.accuracy.judge import bounded, disagreement
from tests.lower.harness import FAST, STRICT, Compiled, compile_all
from tests.lower.strip_programs import POINTS

_GIVEN = "fun (a: Vector) (b: Vector) (at: Array<Index>) ->"
STRIPS = {
    "what is added somewhere": f"""
        {_GIVEN} sum (length a) (fun i ->
          let e = exp (a[i] * 0.5) in delta 20 (i % 20) (e * b[i] + e))""",
    "numbers that short loops share": f"""
        {_GIVEN} sum (length a) (fun i ->
          let e = sin (a[i]) in let f = exp (e * b[i]) in
          plus (sum 3 (fun k -> delta 20 (k + 2) (f * b[i]))) (sum 3 (fun k -> delta 20 (k + 7) (e * f))))""",
    "what is made of rows": f"""
        {_GIVEN} sum (length a) (fun i ->
          let s = sum (length b) (fun k -> a[i] * b[k] / (1.0 + to_float k)) in
          let e = exp (sin s) in
          sum (length b) (fun k -> delta (length b) k (e * b[k] * a[i])))""",
    "a number of each row": f"""
        {_GIVEN} build (length a) (fun i -> let s = sum (length b) (fun k -> abs (a[i] - b[k])) in exp (-s) * s)""",
    "what is added at places that are read": f"""
        {_GIVEN} sum (length a) (fun i ->
          let e = tanh (a[i] + b[i]) in delta 20 (check (to_int (2.0 + b[i])) 20) (e * e))""",
}
AS_THEY_ARE = {
    "what is in vectors": f"{_GIVEN} sum (length a) (fun i -> exp a[i] * b[i])",
    "what waits for the number before": f"""
        {_GIVEN} ifold (fun s i -> let e = exp a[i] in sin (s * e) + e) 0.5 (length a)""",
    "what long loops hide": f"""
        {_GIVEN} sum (length a) (fun i ->
          let e = exp (a[i] * 0.1) in sum (length b) (fun k -> if k < i then delta 20 (k % 20) (e * b[k]) else zero 20))""",
    "rows known to be long": f"""
        {_GIVEN} sum (length a) (fun i ->
          let s = sum 100 (fun k -> a[i] / (1.0 + to_float k)) in
          let e = exp s in sum 100 (fun k -> delta 100 k (e * to_float k)))""",
    "sums of what a loop changes": f"""
        {_GIVEN} ifold (fun v i ->
          let s = sum (length v) (fun k -> v[k] * b[0]) in
          let e = exp (-s * s) in plus v (sum (length v) (fun k -> delta (length v) k (e * a[i]))))
          (build 20 (fun i -> 0.1)) (length a)""",
    "what a loop changes": f"""
        {_GIVEN} ifold (fun v i -> let e = exp (-v[i % 20]) in
          plus v (delta 20 (i % 20) (e * a[i])) ) (build 20 (fun i -> 0.1)) (length a)""",
    "few iterations": f"{_GIVEN} sum 15 (fun i -> let e = exp (to_float i * 0.1) in delta 20 (i + 2) (e * e))",
}


def _arguments(n: int) -> tuple[object, ...]:
    rng = np.random.default_rng(n)
    return rng.normal(size=n), rng.random(n), rng.integers(0, 20, n)


def _strips(body: t.Body) -> list[t.For]:
    return [s for s in walk(body) if isinstance(s, t.For) and any([name.endswith("_kept") for name in s.own])]


@pytest.fixture(scope="module", params=[STRICT, FAST], ids=["strict", "fast"])
def compiled(request: pytest.FixtureRequest) -> dict[str, Compiled]:
    terms = [parse(text) for text in (STRIPS | AS_THEY_ARE).values()]
    return dict(zip(STRIPS | AS_THEY_ARE, compile_all(terms, request.param), strict=True))


@pytest.mark.parametrize("name", STRIPS | AS_THEY_ARE)
def test_agrees_with_the_interpreter(name: str, compiled: dict[str, Compiled]) -> None:
    term = parse((STRIPS | AS_THEY_ARE)[name])
    for n in POINTS:
        arguments = _arguments(n)
        assert not disagreement(compiled[name](*arguments), bounded(term, list(arguments)), 1e-12)


@pytest.mark.parametrize("name", STRIPS)
def test_math_runs_in_strips(name: str) -> None:
    (strips,) = _strips(lower(parse(STRIPS[name]), "f").kernel.body)
    loops = [s for s in strips.body if isinstance(s, t.For)]
    (vectors,) = [s for s in loops if s.simd]
    others = [s for s in loops if not s.simd]
    assert {s.buffer for s in vectors.body if isinstance(s, t.Store)} <= set(strips.own)
    assert not any([x.primitive in VECTOR_MATH for s in walk(others) for x in _operations(s)])


def _operations(s: t.Statement) -> list[t.Operation]:
    return [x for x in inside(*expressions_of(s)) if isinstance(x, t.Operation)]


@pytest.mark.parametrize("name", AS_THEY_ARE)
def test_other_loops_stay_as_they_are(name: str) -> None:
    assert not _strips(lower(parse(AS_THEY_ARE[name]), "f").kernel.body)


def _network(n: int, dtype: type = np.float64) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(n)
    return tuple([x.astype(dtype) for x in (rng.normal(size=17), rng.normal(size=(n, 3)), rng.normal(size=n))])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n", [1, 63, 64, 65, 200])
def test_a_gradient_agrees_with_numpy_by_hand(n: int, dtype: type) -> None:
    w, X, y = _network(n, dtype)
    W, c, v0 = w[:12].reshape(4, 3), w[12:16], w[16]
    h = np.tanh(X @ W.T + c)
    r = 2.0 * (v0 + h.sum(axis=1) - y) / n
    back = r[:, None] * (1.0 - h * h)
    expected = np.concatenate([(back.T @ X).ravel(), back.sum(axis=0), [r.sum()]])
    found = fs.grad(network)(w, X, y)
    assert found.dtype == dtype
    np.testing.assert_allclose(
        found, expected, rtol=1e-9 if dtype is np.float64 else 2e-4, atol=1e-9 if dtype is np.float64 else 1e-4
    )


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_the_same_bits_on_any_number_of_threads(threads: int) -> None:
    given = _network(20_000)
    assert np.array_equal(fs.grad(network, threads=threads)(*given), fs.grad(network, threads=1)(*given))


def test_strips_of_math_run_in_chunks() -> None:
    for text in STRIPS.values():
        body = lower(parse(text), "f", passes=with_threads(ALL, 0)).kernel.body
        chunks = [s for s in walk(body) if isinstance(s, t.Parallel)]
        assert any([s.index.endswith("strip_own") for x in chunks for s in walk(x.body) if isinstance(s, t.For)])


def reciprocals(a, b):  # type: ignore[no-untyped-def]
    """What a check guards is not computed before it."""
    out = np.zeros(20)
    for i in range(len(a)):
        k = int(a[i])
        e = np.exp(b[k])
        out[k % 20] += e
    return out


def test_what_a_check_guards_stays_after_it() -> None:
    a, b = np.arange(70.0) % 5, np.linspace(0.0, 1.0, 5)
    expected = np.zeros(20)
    np.add.at(expected, a.astype(int), np.exp(b[a.astype(int)]))
    np.testing.assert_allclose(fs.function(reciprocals)(a, b), expected, rtol=1e-12)
    a[66] = 5.0
    with pytest.raises(IndexError):
        fs.function(reciprocals)(a, b)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("n", "d"), [(1, 1), (3, 40), (15, 5), (16, 8), (17, 9), (70, 30), (5, 0)])
def test_a_regression_agrees_with_numpy_by_hand(n: int, d: int, dtype: type) -> None:
    rng = np.random.default_rng(n)
    w, X, y = (x.astype(dtype) for x in (rng.normal(size=d), rng.normal(size=(n, d)), np.sign(rng.normal(size=n))))
    margin = y * (X @ w)
    tolerance = {"rtol": 1e-10, "atol": 1e-10} if dtype is np.float64 else {"rtol": 1e-4, "atol": 1e-5}
    value, found = fs.value_and_grad(logistic)(w, X, y)
    assert found.dtype == dtype
    penalty = 0.01 * (w @ w)
    np.testing.assert_allclose(value, np.mean(np.log1p(np.exp(-margin))) + penalty, **tolerance)
    np.testing.assert_allclose(fs.function(logistic)(w, X, y), value, **tolerance)
    np.testing.assert_allclose(found, (-y / (1.0 + np.exp(margin))) @ X / n + 0.02 * w, **tolerance)


def test_rows_are_added_up_before_functions_of_their_sums_and_threads_give_the_same_bits() -> None:
    rng = np.random.default_rng(4)
    given = rng.normal(size=30), rng.normal(size=(20_000, 30)), np.sign(rng.normal(size=20_000))
    source = fs.grad(logistic).c_source(*given)
    assert source.count("omp simd\n") == 1
    assert "_kept[16]" in source
    assert "double exp(" not in source[source.index("int32_t grad_logistic(") :]
    results = [fs.grad(logistic, threads=n)(*given) for n in (1, 2, 3, 7)]
    assert all([np.array_equal(results[0], other) for other in results])
