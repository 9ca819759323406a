"""Strips are used where meant and only there, agree with the interpreter at every length, and take little memory."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.workloads import gmm

import fsmooth as fs
from fsmooth.library import parse
from fsmooth.loops import tree as t
from fsmooth.loops.usage import walk
from fsmooth.lower.functions import lower
from tests.accuracy.judge import bounded, disagreement
from tests.lower.harness import FAST, STRICT, Compiled, compile_all
from tests.lower.strip_programs import POINTS, STRIP_PROGRAMS, WHOLE


@pytest.fixture(scope="module", params=[STRICT, FAST], ids=["strict", "fast"])
def compiled(request: pytest.FixtureRequest) -> dict[str, Compiled]:
    terms = [term for term, _ in STRIP_PROGRAMS.values()] + [parse(text) for text in WHOLE.values()]
    return dict(zip([*STRIP_PROGRAMS, *WHOLE], compile_all(terms, request.param), strict=True))


@pytest.mark.parametrize("name", STRIP_PROGRAMS)
def test_agrees_with_the_interpreter(name: str, compiled: dict[str, Compiled]) -> None:
    term, cases = STRIP_PROGRAMS[name]
    for arguments in cases:
        assert not disagreement(compiled[name](*arguments), bounded(term, list(arguments)), 1e-12)


@pytest.mark.parametrize("name", WHOLE)
def test_what_stays_whole_agrees_too(name: str, compiled: dict[str, Compiled]) -> None:
    for arguments in STRIP_PROGRAMS["a triangle"][1]:
        wanted = bounded(parse(WHOLE[name]), list(arguments))
        assert not disagreement(compiled[name](*arguments), wanted, 1e-12)


def _strips(body: list[t.Statement]) -> list[t.While]:
    return [s for s in walk(body) if isinstance(s, t.While)]


@pytest.mark.parametrize("name", STRIP_PROGRAMS)
def test_runs_in_strips(name: str) -> None:
    body = lower(STRIP_PROGRAMS[name][0], "f").kernel.body
    (strip,) = _strips(body)
    over_points = [s for s in walk(strip.body) if isinstance(s, t.For) and s.vectors is t.Vectors.WRITTEN]
    assert len(over_points) >= 2
    assert not [s for s in walk(strip.body) if isinstance(s, t.Allocate)]


@pytest.mark.parametrize("name", WHOLE)
def test_stays_whole(name: str) -> None:
    assert not _strips(lower(parse(WHOLE[name]), "f").kernel.body)


def test_a_dear_number_is_not_computed_for_each_strip() -> None:
    (strip,) = _strips(lower(STRIP_PROGRAMS["points in rows of the result"][0], "f").kernel.body)
    declared = [s for s in walk(strip.body) if isinstance(s, t.Declare) and s.name == "e"]
    assert [type(s.value) for s in declared] == [t.Load]


def test_points_are_gathered_once() -> None:
    body = lower(STRIP_PROGRAMS["sums over points"][0], "f").kernel.body
    gathering = [s for s in walk(body) if isinstance(s, t.Store) and s.buffer == "x_rows"]
    assert len(gathering) == 1
    (strip,) = _strips(body)
    assert gathering[0] not in list(walk(strip.body))


def test_rows_of_a_strip_are_on_the_stack_and_matrices_do_not_grow_with_the_points() -> None:
    body = lower(STRIP_PROGRAMS["a triangle"][0], "f").kernel.body
    assert {s.buffer: s.count for s in walk(body) if isinstance(s, t.LocalArray)} == {"b": 64}
    (y,) = [s for s in walk(body) if isinstance(s, t.Allocate) and s.buffer == "y"]
    assert isinstance(y.count, t.Operation)
    assert [a.value for a in y.count.arguments if isinstance(a, t.Literal)] == [64]


def test_the_gradient_of_a_mixture_runs_in_two_loops_over_strips_and_is_right() -> None:
    for n in POINTS[1:]:
        alpha, mu, q, l, x, gamma, m = gmm.generate(3, 4, n)
        arguments = (alpha, mu, q, l, x, gamma, m, 1.0)
        found = gmm.gradient(*arguments)[1]
        for k, given in enumerate((alpha, mu, q, l)):
            place = tuple([size // 2 for size in given.shape])
            forward = fs.grad(gmm.log_posterior, wrt=("alpha", "mu", "q", "l")[k], method="forward")(*arguments)
            assert np.isclose(found[k][place], forward[place], rtol=1e-11), (n, k)
    assert gmm.gradient.c_source(*arguments).count("FS_RARELY(x_n0 < 16)") == 2
