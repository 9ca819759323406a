"""Loops whose iterations read columns run in strips of columns where meant and only there, and compute what they did."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.backend.c.emit import emit
from fsmooth.library import parse
from fsmooth.loops import tree as t
from fsmooth.loops.passes.schedule import ALL, with_threads
from fsmooth.loops.passes.strips.widths import is_over_strips
from fsmooth.loops.usage import walk
from fsmooth.lower.functions import lower
from tests.accuracy.judge import bounded, disagreement
from tests.lower import random_columns
from tests.lower.harness import FAST, STRICT, Compiled, compile_all
from tests.lower.strip_programs import POINTS

_GIVEN = "fun (a: Matrix) (b: Vector) (c: Vector) ->"
COLUMNS = {
    "a sum of functions of sums": f"""
        {_GIVEN} sum (length a[0]) (fun i -> let s = sum (length a) (fun k -> exp (a[k][i] * b[k])) in s / (1.0 + s * s))""",
    "a number for each column": f"""
        {_GIVEN} build (length a[0]) (fun i ->
          let s = sum (length a) (fun k -> a[k][i]) in
          c[i] + sum (length a) (fun k -> exp (a[k][i] - s) * b[k]))""",
    "two numbers for each column": f"""
        {_GIVEN} build (length a[0]) (fun i ->
          let s = sum (length a) (fun k -> (a[k][i], exp a[k][i])) in (s.0 * c[i], s.0 + s.1))""",
    "branches of columns": f"""
        {_GIVEN} sum (length a[0]) (fun i ->
          let s = sum (length a) (fun k -> a[k][i] * b[k]) in
          if s > 0.0 then log s * 2.0 else sum (length a) (fun k -> exp (a[k][i] - s)))""",
    "branches in branches": f"""
        {_GIVEN} sum (length a[0]) (fun i ->
          let s = sum (length a) (fun k -> a[k][i]) in
          if s > 0.0 then (if s > 1.5 then log s else sum (length a) (fun k -> a[k][i] * s))
          else (if s > -1.5 then 1.0 / (2.0 - s) else s))""",
    "an array of each column": f"""
        {_GIVEN} sum (length a[0]) (fun i ->
          let w = ifold (fun w k -> build (length a) (fun r -> exp (a[r][i] * b[r]) + w[r] * 0.5))
            (build (length a) (fun r -> a[r][i])) 3 in
          sum (length a) (fun k -> w[k] * w[length a - 1 - k]) * c[i])""",
    "a fold over the rows": f"""
        {_GIVEN} build (length a[0]) (fun i -> ifold (fun s k -> s * 0.5 + exp (a[k][i] * s)) c[i] (length a))""",
    "a recurrence": f"""
        {_GIVEN} build (length c) (fun i -> ifold (fun s k -> s * 0.5 + exp (b[k] * s)) c[i] (length b))""",
    "a recurrence of two numbers in rows": f"""
        {_GIVEN} sum (length a) (fun i ->
          let s = ifold (fun s k -> (s.0 * 0.5 + s.1, a[i][k] - s.0)) (b[i], 1.0) (length c) in s.0 * s.1)""",
    "branches in a recurrence": f"""
        {_GIVEN} build (length c) (fun i ->
          ifold (fun s k -> if s > b[k] then s * 0.5 else (if s < -1.0 then -s else s + c[i])) 0.0 (length b))""",
    "an array that all recurrences add to": f"""
        {_GIVEN} sum (length c) (fun i ->
          let s = ifold (fun s k -> s * 0.5 + exp (b[k] * s)) c[i] (length b) in
          build (length b) (fun r -> s * b[r]))""",
    "elements that some recurrences add to": f"""
        {_GIVEN} sum (length c) (fun i ->
          let s = ifold (fun s k -> s * 0.5 + exp (b[k] * s)) c[i] (length b) in
          (delta (length b) (if c[i] > 0.0 then 1 else 2) s, if s > 1.0 then delta (length b) 3 (s * c[i]) else zero Float (length b)))""",
    "a count of rows": f"""
        {_GIVEN} build (length a[0]) (fun i ->
          let n = sum (length a) (fun k -> if a[k][i] > b[k] then 1 else 0) in (n, c[i] * n))""",
}
AS_THEY_ARE = {
    "rows": "fun (a: Matrix) (b: Vector) (c: Vector) -> "
    "sum (length a) (fun k -> let s = sum (length c) (fun i -> exp a[k][i]) in s * s)",
    "what only some columns read": f"""
        {_GIVEN} sum (length a[0]) (fun i ->
          let s = sum (length b) (fun k -> exp (b[k] * c[i])) in
          if s > 3.0 then sum (length a) (fun k -> exp a[k][i] * s) else 0.0)""",
    "more of a column than all read": f"""
        {_GIVEN} sum (length a[0]) (fun i ->
          let s = sum 3 (fun k -> exp a[k][i]) in
          if s > 3.0 then sum (length a) (fun k -> exp (a[k][i] - s)) else 0.0)""",
    "what a choice reads": f"""
        {_GIVEN} sum (length a[0]) (fun i ->
          let s = sum (length a) (fun k -> exp (if b[k] > 0.0 then a[k][i] else 0.5)) in
          if s > 3.0 then sum (length a) (fun k -> exp (a[k][i] - s)) else 0.0)""",
    "a recurrence that some columns have": f"""
        {_GIVEN} build (length c) (fun i ->
          if c[i] > 0.0 then ifold (fun s k -> s * 0.5 + exp (b[k] * s)) c[i] (length b) else 0.0)""",
    "as many steps as the column says": f"""
        {_GIVEN} build (length c) (fun i -> ifold (fun s k -> s * 0.5 + exp s) c[i] (if c[i] > 0.0 then 3 else 2))""",
    "a recurrence beside sums of rows": f"""
        {_GIVEN} sum (length a) (fun i ->
          ifold (fun s k -> s * 0.5 + exp s) b[i] 3 * sum (length c) (fun k -> a[i][k] * c[k]))""",
    "a column whose length differs": f"""
        {_GIVEN} sum (length a[0]) (fun i -> let s = sum (if i > 2 then 3 else 2) (fun k -> exp a[k][i]) in s * s)""",
    "steps that nobody knows": f"""
        {_GIVEN} sum (length a[0]) (fun i ->
          let s = sum (length a) (fun k -> a[k][i]) in while (fun x -> x > 0.1) (fun x -> x * 0.5) (s * s + a[0][i]))""",
}


def _arguments(n: int) -> tuple[object, ...]:
    rng = np.random.default_rng(n)
    return rng.normal(size=(5, n)), rng.normal(size=5), rng.normal(size=n)


def _strips(body: t.Body) -> list[t.For]:
    return [s for s in walk(body) if isinstance(s, t.For) and is_over_strips(s)]


@pytest.fixture(scope="module", params=[STRICT, FAST], ids=["strict", "fast"])
def compiled(request: pytest.FixtureRequest) -> dict[str, Compiled]:
    terms = [parse(text) for text in (COLUMNS | AS_THEY_ARE).values()]
    return dict(zip(COLUMNS | AS_THEY_ARE, compile_all(terms, request.param), strict=True))


@pytest.mark.parametrize("name", COLUMNS | AS_THEY_ARE)
def test_agrees_with_the_interpreter(name: str, compiled: dict[str, Compiled]) -> None:
    term = parse((COLUMNS | AS_THEY_ARE)[name])
    for n in POINTS if name in COLUMNS else POINTS[2:]:
        arguments = _arguments(n)
        assert not disagreement(compiled[name](*arguments), bounded(term, list(arguments)), 1e-12)


@pytest.mark.parametrize("name", COLUMNS)
def test_runs_in_strips_of_columns(name: str) -> None:
    body = lower(parse(COLUMNS[name]), "f").kernel.body
    (strips,) = _strips(body)
    rows = [s for s in walk(strips.body) if isinstance(s, t.For) and any([isinstance(x, t.For) for x in s.body])]
    assert rows
    innermost = [s for s in walk(strips.body) if isinstance(s, t.For) and s not in rows]
    assert {s.size.name for s in innermost if isinstance(s.size, t.Name)} == {"i_count"}


@pytest.mark.parametrize("name", AS_THEY_ARE)
def test_other_loops_stay_as_they_are(name: str) -> None:
    assert not _strips(lower(parse(AS_THEY_ARE[name]), "f").kernel.body)


def test_both_branches_are_computed_where_columns_differ_and_numbers_of_a_branch_need_no_choice() -> None:
    source = emit(lower(parse(COLUMNS["branches of columns"]), "f")).source
    (strips,) = _strips(lower(parse(COLUMNS["branches of columns"]), "f").kernel.body)
    assert not [s for s in walk(strips.body) if isinstance(s, t.If)]
    assert source.count("holds_row[i_lane] ?") == 2  # what is added to the total in each branch


def test_few_columns_run_as_they_did() -> None:
    source = emit(lower(parse(COLUMNS["a sum of functions of sums"]), "f")).source
    assert source.count("if (FS_RARELY(a_n1 < 8))") == 1


def test_three_recurrences_run_one_after_the_other_and_so_do_long_ones_that_are_kept() -> None:
    """Of those whose steps are kept for the way back, 16 at a time need 16 times the memory."""
    source = emit(lower(parse(COLUMNS["a recurrence"]), "f")).source
    assert source.count("if (FS_RARELY(c_n0 < 4))") == 1
    x = np.ones(5)
    source = fs.grad(predators, wrt=("a", "b", "x", "y")).c_source(x, x, x, x, 3)
    assert source.count("if (FS_RARELY(a_n0 < 4 || 65536 < fs_integer_maximum(steps, 0)))") == 1
    assert source.count("fs_count(fs_integer_minimum(fs_integer_maximum(steps, 0), 65536), 16)") >= 2


def predators(a, b, x, y, steps):  # type: ignore[no-untyped-def]
    """Predators and prey in so many places."""
    total = 0.0
    for i in range(len(a)):
        prey, hunters = x[i], y[i]
        for _ in range(steps):
            caught = b[i] * prey * hunters
            prey, hunters = prey + 0.1 * (a[i] * prey - caught), hunters + 0.1 * (caught - 0.5 * hunters)
        total += prey * hunters if prey > hunters else prey - hunters
    return total


def fitted(p, x, y, which, steps):  # type: ignore[no-untyped-def]
    """How far recurrences with the same parameters end from what was seen."""
    total = 0.0
    for i in range(len(x)):
        s = x[i]
        for k in range(steps):
            s = s + 0.1 * (p[0] * s - p[k] * s * s)
        off = p[2] * s - y[which[i]]
        if off > 0.1:
            total += off * off
    return total


def _fitted(p, x, y, which, steps):  # type: ignore[no-untyped-def]
    s = x
    for k in range(steps):
        s = s + 0.1 * (p[0] * s - p[k] * s * s)
    off = p[2] * s - y[which]
    return np.sum(np.where(off.real > 0.1, off * off, 0.0))


@pytest.mark.parametrize("method", ["reverse", "tape"])
def test_recurrences_that_share_parameters_add_to_their_derivatives(method: str) -> None:
    """To elements that all of them share, and to such as some share, of which one is known only when the program runs."""
    gradient = fs.grad(fitted, wrt=("p", "x", "y"), method=method)
    for n in (1, 5, 64, 139):
        rng = np.random.default_rng(n)
        given = [rng.random(8), rng.random(n), rng.random(6)]
        which = rng.integers(0, 6, n)
        for steps in (0, 5):
            found = gradient(*given, which, steps)
            for k, of in enumerate(found):
                for j in range(len(of)):
                    moved = [x + 1e-30j * ((m == k) * (np.arange(len(x)) == j)) for m, x in enumerate(given)]
                    expected = _fitted(*moved, which, steps).imag / 1e-30
                    np.testing.assert_allclose(of[j], expected, rtol=1e-10, atol=1e-13)


def test_what_strips_add_to_one_place_is_a_sum_of_the_strip() -> None:
    """Then added to the place once; if only some columns add to it, where any of them did: it may not be there otherwise."""
    source = emit(lower(parse(COLUMNS["elements that some recurrences add to"]), "f")).source
    strips = source[source.index("_strip = 0;") :]
    assert strips.count("if (!(sum == 0.0)) {") == 2
    assert strips.count("result_1[3] += sum;") == 2
    assert strips.count("result_0[k_1_row[i_lane]] += part_row[i_lane];") == 2


def _caught(a, b, x, y, steps):  # type: ignore[no-untyped-def]
    """The terms of `predators`, of real or complex numbers."""
    prey, hunters = x, y
    for _ in range(steps):
        caught = b * prey * hunters
        prey, hunters = prey + 0.1 * (a * prey - caught), hunters + 0.1 * (caught - 0.5 * hunters)
    return np.where(prey.real > hunters.real, prey * hunters, prey - hunters)


@pytest.mark.parametrize("method", ["reverse", "tape"])
def test_recurrences_go_back_in_strips(method: str) -> None:
    """Against the complex step: each term depends on its own numbers only."""
    gradient = fs.grad(predators, wrt=("a", "b", "x", "y"), method=method)
    for n in (0, 1, 4, 7, 8, 64, 133):
        rng = np.random.default_rng(n)
        given = [rng.random(n), rng.random(n), rng.random(n), 0.5 + rng.random(n)]
        for steps in (0, 1, 20):
            found = gradient(given[0], np.append(given[1], 1.0), *given[2:], steps)
            for k, of in enumerate(found):
                moved = [x + 1e-30j * (j == k) for j, x in enumerate(given)]
                np.testing.assert_allclose(of[:n], _caught(*moved, steps).imag / 1e-30, rtol=1e-11, atol=1e-14)
            assert found[1][n] == 0.0


@pytest.mark.parametrize("method", ["value", "reverse"])
def test_recurrences_have_the_same_bits_on_any_number_of_threads(method: str) -> None:
    rng = np.random.default_rng(0)
    given = [rng.random(3_000) for _ in range(4)]
    make = fs.function if method == "value" else partial(fs.grad, wrt=("a", "b", "x", "y"), method=method)
    one, *others = [np.asarray(make(predators, threads=k)(*given, 30)) for k in (1, 2, 3, 7)]
    assert all([np.array_equal(one, other) for other in others])


def test_what_is_added_to_zeros_once_is_stored_and_conditions_are_no_rows() -> None:
    source = fs.grad(by_columns).c_source(np.ones((5, 100)))
    strips = source[source.index("_strip = 0;") :]
    assert "unsigned char" not in source
    assert strips.count("FS_LANES_AT(result + ") == 1
    assert not [line for line in strips.splitlines() if "result" in line and ("+=" in line or "= 0.0" in line)]


def test_iterations_of_strips_run_in_chunks() -> None:
    for text in COLUMNS.values():
        body = lower(parse(text), "f", passes=with_threads(ALL, 0)).kernel.body
        chunks = [s for s in walk(body) if isinstance(s, t.Parallel)]
        assert any([s.index.endswith("strip_own") for x in chunks for s in walk(x.body) if isinstance(s, t.For)])


def by_columns(a):  # type: ignore[no-untyped-def]
    return sum(fs.logsumexp([a[k, i] for k in range(len(a))]) for i in range(len(a[0])))


def by_rows(a):  # type: ignore[no-untyped-def]
    return sum(fs.logsumexp(a[i]) for i in range(len(a)))


def _with_bad_numbers(n: int) -> np.ndarray:
    a = np.random.default_rng(n).normal(size=(7, n))
    if n > 5:
        a[2, 3], a[4, 5] = math.inf, -math.inf
    return a


@pytest.mark.parametrize("n", POINTS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_mixtures_by_columns_are_mixtures_by_rows(n: int, dtype: type) -> None:
    a = _with_bad_numbers(n).astype(dtype)
    tolerance = {"rtol": 1e-12 if dtype is np.float64 else 1e-5}
    expected, derivative = fs.value_and_grad(by_rows)(np.ascontiguousarray(a.T))
    value, found = fs.value_and_grad(by_columns)(a)
    np.testing.assert_allclose(value, expected, **tolerance)
    np.testing.assert_allclose(found, derivative.T, **tolerance, atol=1e-7)
    np.testing.assert_allclose(fs.function(by_columns)(a), expected, **tolerance)


def test_a_column_without_a_number_makes_the_sum_none() -> None:
    a = _with_bad_numbers(130)
    a[1, 100] = math.nan
    assert math.isnan(fs.function(by_columns)(a))
    found = fs.grad(by_columns)(a)
    finite = np.delete(np.arange(130), [3, 100])
    softmax = np.exp(a[:, finite] - a[:, finite].max(axis=0))
    np.testing.assert_allclose(found[:, finite], softmax / softmax.sum(axis=0), rtol=1e-12, atol=1e-300)


def test_columns_are_set_to_zero_where_they_are_used() -> None:
    source = fs.grad(by_columns).c_source(_with_bad_numbers(130))
    first, second = source[source.rindex("FS_RARELY") :].split("} else {", 1)
    assert first.count("memset") == 1
    assert "memset" not in second
    assert "memset" not in source[source.rindex("int32_t grad_by_columns(") : source.rindex("FS_RARELY")]


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_the_same_bits_on_any_number_of_threads(threads: int) -> None:
    a = np.random.default_rng(3).normal(size=(9, 20_000))
    value, found = fs.value_and_grad(by_columns, threads=threads)(a)
    expected, derivative = fs.value_and_grad(by_columns, threads=1)(a)
    assert value == expected
    assert np.array_equal(found, derivative)
    assert value == pytest.approx(fs.function(by_columns)(a), rel=1e-13)


@pytest.mark.parametrize("first", range(0, 60, 30))
def test_random_loops_over_columns(first: int) -> None:
    terms = [parse(random_columns.program(seed)) for seed in range(first, first + 30)]
    for chunked in (False, True):
        passes = with_threads(ALL, 0) if chunked else ALL
        kernels = compile_all(terms, FAST, lambda term, name: lower(term, name, passes=passes))  # noqa: B023
        for n in (1, 17, 130):
            arguments = _arguments(n)
            for seed, term, kernel in zip(range(first, first + 30), terms, kernels, strict=True):
                assert not disagreement(kernel(*arguments), bounded(term, list(arguments)), 1e-11), (seed, n, chunked)


def test_many_random_loops_run_in_strips() -> None:
    found = [bool(_strips(lower(parse(random_columns.program(seed)), "f").kernel.body)) for seed in range(150)]
    assert sum(found) > 50
