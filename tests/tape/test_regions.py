"""Regions: what makes arrays between calls is one entry of a tape, and gives what an entry for each number gives."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import cast

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.definitions import reachable
from fsmooth.core.term import Lam, Method, RecordRegion, Term, Verb
from fsmooth.core.traverse import subterms
from fsmooth.frontend.text import parse
from fsmooth.optimise.schedules import DEFAULT
from tests.reverse.routes import derivative, made, result, reversed_, vector
from tests.tape.region_programs import REGIONS, TREE, W3, W36, E, by_complex_step, downwards, network, packed
from tests.tape.test_counts import counted, term_of


def gradient_of(f: Callable[..., object], arguments: tuple[object, ...], wrt: tuple[int, ...]) -> Lam:
    """By a tape, as a term."""
    return made(derivative(term_of(f, packed(arguments)), wrt, Verb.GRAD, Method.TAPE))


def regions_in(term: Term) -> int:
    """How many regions are recorded, in a program and what it calls."""
    parts = [term, *[header.definition for header in reachable(term)]]
    return sum([isinstance(t, RecordRegion) for part in parts for t in subterms(part)])


@pytest.mark.parametrize("name", REGIONS)
def test_slopes_are_those_at_complex_numbers(name: str) -> None:
    f, arguments, wrt = REGIONS[name]
    value, found = fs.value_and_grad(f, wrt=wrt, method="tape")(*packed(arguments))
    assert value == pytest.approx(f(*arguments), rel=1e-12)
    for k, part in zip(wrt, found, strict=True):
        np.testing.assert_allclose(part, by_complex_step(f, arguments, k), rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("name", [name for name in REGIONS if name not in ("reads little", "a single word")])
def test_there_are_regions(name: str) -> None:
    f, arguments, wrt = REGIONS[name]
    term = fs.function(f).compiled(*packed(arguments)).elaborated.term
    assert regions_in(made(derivative(term, _positions(term, f, wrt), Verb.GRAD, Method.TAPE))) > 0


def _positions(term: Lam, f: Callable[..., object], wrt: tuple[int, ...]) -> tuple[int, ...]:
    """The same arguments among the parameters of a term."""
    names = f.__code__.co_varnames[: f.__code__.co_argcount]
    chosen = [names[k] for k in wrt]
    return tuple([k for k, x in enumerate(term.parameters) if x.name in chosen])


@pytest.mark.parametrize("name", REGIONS)
def test_second_derivatives_pullbacks_and_rows(name: str) -> None:
    f, arguments, wrt = REGIONS[name]
    given = packed(arguments)
    tangents = tuple([np.ones_like(arguments[k]) if np.ndim(arguments[k]) else 1.0 for k in wrt])
    along = fs.hvp(f, wrt=wrt, method="tape")(*given, tangent=tangents)
    for a, b in zip(along, fs.hvp(f, wrt=wrt, method="reverse")(*given, tangent=tangents), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-10)
    wanted = fs.grad(f, wrt=wrt, method="tape")(*given)
    _, pullback = fs.vjp(f, wrt=wrt, method="tape")(*given)
    rows = fs.jacobian(f, wrt=wrt, method="tape")(*given)
    for a, b, c in zip(wanted, pullback(1.0), rows, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(a, c, rtol=1e-12, atol=1e-14)


def test_entries_are_linear_where_little_is_read_of_much() -> None:
    """A region that saved the whole array in each call would keep n² numbers."""
    f, _, _ = REGIONS["reads little"]
    kept = [counted(term_of(f, (0, np.ones(n))), (1,), (0, np.ones(n))) for n in (20, 40, 80)]
    for few, more in pairwise(kept):
        assert more[0] < 2.2 * few[0]
        assert more[1] < 2.2 * few[1]


def test_what_is_handed_down_is_saved_once_a_call() -> None:
    def handed_down(n, x, h):
        return x if n == 0 else sum(h * x) + handed_down(n - 1, x * 0.5, h)

    def f(x, v, n):
        return handed_down(n, x, v * x)

    arguments = (0.5, np.ones(50), 20)
    _, pairs = counted(term_of(f, arguments), (0, 1), arguments)
    assert pairs < 5000  # of 20 calls each with 50 numbers, which are two operands by themselves
    found = fs.grad(f, wrt=(0, 1), method="tape")(*arguments)
    np.testing.assert_allclose(found[0], by_complex_step(f, arguments, 0), rtol=1e-12)
    np.testing.assert_allclose(found[1], by_complex_step(f, arguments, 1), rtol=1e-12)


def test_a_product_is_no_entry_for_each_number() -> None:
    def f(n, h, W):
        return sum(h) if n == 0 else f(n - 1, np.tanh(W @ h), W)

    for n in (10, 20, 40):
        arguments = (5, np.ones(n), 0.1 * np.ones((n, n)))
        entries, pairs = counted(term_of(f, arguments), (1, 2), arguments)
        assert entries == 5 * 2 * n + 1
        assert pairs <= 5 * 4 * n + 20  # not n² in each step


def test_an_infinite_slope_to_which_nothing_comes_back() -> None:
    def f(n, v):
        if n == 0:
            return 0.0
        roots = np.sqrt(v)
        return (sum(roots) if v[0] > 1.0 else sum(v)) + 0.0 * n + f(n - 1, v)

    np.testing.assert_array_equal(fs.grad(f, wrt="v", method="tape")(3, np.array([0.0, 1.0])), [3.0, 3.0])


def test_single_precision_has_entries() -> None:
    given = (5, np.ones(3, np.float32), W3.astype(np.float32), W3.astype(np.float32))
    found = fs.grad(downwards, wrt=("h", "W"), method="tape")(*given)
    wanted = fs.grad(downwards, wrt=("h", "W"), method="reverse")(*given)
    for a, b in zip(found, wanted, strict=True):
        assert a.dtype == np.float32
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_no_numbers_at_all() -> None:
    def f(n, h, W):
        return sum(h) if n == 0 else f(n - 1, np.tanh(W @ h), W)

    found = fs.grad(f, wrt=("h", "W"), method="tape")(2, np.zeros(0), np.zeros((0, 0)))
    assert [part.shape for part in found] == [(0,), (0, 0)]


def test_more_than_the_machine_has(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FSMOOTH_CFLAGS", "-DFS_MEMORY=60000000")
    monkeypatch.setenv("FSMOOTH_CACHE_DIR", str(tmp_path))

    def f(n, h, W):
        total = 0.0
        for k in range(n):
            g = np.tanh(W @ (h * k))
            total = (total + sum(g)) * 0.5
        return total

    gradient = fs.grad(f, wrt=("h", "W"), method="tape")
    h, W = np.ones(40), 0.01 * np.ones((40, 40))
    with pytest.raises(fs.OutOfMemoryError, match="the tape of this call"):
        gradient(10**7, h, W)
    wanted = fs.grad(f, wrt=("h", "W"), method="reverse")(3, h, W)
    for a, b in zip(gradient(3, h, W), wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_threads() -> None:
    gradient = fs.grad(network, wrt=("W", "E"), method="tape")
    arguments = [packed((TREE, W36 * (k + 1), E)) for k in range(8)]
    wanted = [gradient(*given) for given in arguments]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(20):
            for found, right in zip(pool.map(lambda x: gradient(*x), arguments), wanted, strict=True):
                assert all([np.array_equal(a, b) for a, b in zip(found, right, strict=True)])


def test_ids_of_a_name_for_a_part_of_a_region() -> None:
    """The second array of a region by a name of its own: its ids begin after those of the first, once."""
    text = """fun (x : Vector) ->
        let s = sum 2 (fun i -> (delta 2 i x[i], delta 2 i (2.0 * x[i]))) in
        let b = s.1 in
        let y = ifold (fun y k -> [y[1] * b[0], y[0] * b[1]]) s.0 3 in y[0] * y[1]"""
    program, x = cast(Lam, parse(text)), np.array([3.0, 5.0])
    taped = made(derivative(program, (0,), Verb.GRAD, Method.TAPE))
    np.testing.assert_allclose(vector(result(taped, x)), vector(result(reversed_(program, (0,)), x)), rtol=1e-12)


def test_sums_of_arrays_of_tuples_of_arrays() -> None:
    """Numbers with ids are added element by element, to any depth."""
    text = """fun (x : Vector) ->
        let s = ifold (fun s k -> plus s (delta 2 k ([x[0] * x[k], s[0].1[0]], [x[1]])))
          (build 2 (fun i -> ([x[0], x[1]], [x[i]]))) 2 in
        s[0].0[1] * s[1].1[0] * s[0].0[0] * s[1].0[1]"""
    program, x = cast(Lam, parse(text)), np.array([3.0, 5.0])
    taped, forward = [made(derivative(program, (0,), Verb.GRAD, way)) for way in (Method.TAPE, Method.FORWARD)]
    np.testing.assert_allclose(vector(result(taped, x)), vector(result(forward, x)), rtol=1e-12)


def test_one_region_reads_what_another_gave_by_the_first_id() -> None:
    """Ids that follow each other are one number, not an array of them."""
    term = cast(Lam, DEFAULT(gradient_of(downwards, (2, np.ones(3), W3, W3), (1, 2, 3))))
    found = [t for h in reachable(term) for t in subterms(h.definition) if isinstance(t, RecordRegion)]
    assert found
