"""Strips are used where meant and only there, agree with the interpreter at every length, and take little memory."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.workloads import gmm

import fsmooth as fs
from fsmooth.backend.c.emit import emit
from fsmooth.core.types import F64, INT
from fsmooth.library import parse
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import integer, plus, times
from fsmooth.loops.names import Names
from fsmooth.loops.passes.strips.in_strips import in_strips
from fsmooth.loops.usage import walk
from fsmooth.lower.functions import lower
from tests.accuracy.judge import bounded, disagreement
from tests.lower.harness import FAST, STRICT, Compiled, compile_all
from tests.lower.strip_programs import PAIRS, POINTS, STRIP_PROGRAMS, WHOLE

ALL = STRIP_PROGRAMS | PAIRS


@pytest.fixture(scope="module", params=[STRICT, FAST], ids=["strict", "fast"])
def compiled(request: pytest.FixtureRequest) -> dict[str, Compiled]:
    terms = [term for term, _ in ALL.values()] + [parse(text) for text in WHOLE.values()]
    return dict(zip([*ALL, *WHOLE], compile_all(terms, request.param), strict=True))


@pytest.mark.parametrize("name", ALL)
def test_agrees_with_the_interpreter(name: str, compiled: dict[str, Compiled]) -> None:
    term, cases = ALL[name]
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


@pytest.mark.parametrize("name", ["sums over points", "sums that are read after the strips"])
def test_where_sums_are_taken_again_and_again_whole_strips_have_constant_width(name: str) -> None:
    body = lower(STRIP_PROGRAMS[name][0], "f").kernel.body
    (strip,) = _strips(body)
    sizes = [s.size for s in walk(strip.body) if isinstance(s, t.For) and s.vectors is t.Vectors.WRITTEN]
    assert [size.value for size in sizes if isinstance(size, t.Literal)] == [64] * len(sizes)
    source = emit(lower(STRIP_PROGRAMS[name][0], "f")).source
    assert "_others += " in source[source.index("while (") :]


def test_other_strips_have_one_body() -> None:
    body = lower(STRIP_PROGRAMS["a triangle"][0], "f").kernel.body
    (strip,) = _strips(body)
    assert [s.name for s in strip.body if isinstance(s, t.Declare)] == ["k_count"]


def test_multiples_of_a_sum_are_added_after_the_strips_once() -> None:
    body = lower(STRIP_PROGRAMS["sums that are read after the strips"][0], "f").kernel.body
    (strip,) = _strips(body)
    assert not [s for s in walk(strip.body) if isinstance(s, t.Store) and s.buffer == "a"]
    (loop,) = [s for s in walk(body) if isinstance(s, t.For) and s.index == "k" and strip in s.body]
    behind = loop.body[loop.body.index(strip) + 2 :]  # what remains of the points is between them
    assert [s.index for s in walk(behind[:1]) if isinstance(s, t.For)] == ["r", "c"]
    assert [s.buffer for s in walk(behind[:1]) if isinstance(s, t.Store)] == ["a"]


@pytest.mark.parametrize(("again", "strips"), [(False, 1), (True, 0)])
def test_what_is_read_after_the_strips_is_whole_by_then(again: bool, strips: int) -> None:
    assert len(_strips(_sums_in_a_buffer(again))) == strips


def _sums_in_a_buffer(again: bool) -> t.Body:
    """for k: { sums of what was computed of the points go to b; what b has goes to out; if `again`, b gets more of them }"""
    c, i, n, d = (t.Name(name, INT) for name in "cind")
    element = plus(times(c, n), i)

    def over_points(s: t.Statement, reduced: tuple[str, ...] = ()) -> t.For:
        return t.For(
            "i", n, (s,), t.Kind.REDUCTION if reduced else t.Kind.PARALLEL, reduced=reduced, simd=bool(reduced)
        )

    def sums(name: str) -> t.For:
        total = t.Declare(name, F64, t.Literal(0.0, F64), mutable=True)
        adding = over_points(t.Assign(name, t.Load("y", element, F64), accumulate=True), (name,))
        into = t.Store("b", c, t.Name(name, F64), accumulate=True)
        return t.For("c", d, (total, adding, into), t.Kind.SEQUENTIAL)

    computed = t.For("c", d, (over_points(t.Store("y", element, t.Load("x", i, F64))),), t.Kind.PARALLEL)
    read = t.For("c", d, (t.Store("out", c, t.Load("b", c, F64), accumulate=True),), t.Kind.SEQUENTIAL)
    body = (computed, sums("s"), read, *([sums("u")] if again else []))
    function = t.Function(
        "f", (), (t.Allocate("y", F64, times(d, n)), t.For("k", t.Name("m", INT), body, t.Kind.SEQUENTIAL))
    )
    return in_strips(function, Names()).body


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


@pytest.mark.parametrize(
    ("name", "tables"),
    [
        ("two loops over the same points", 1),
        ("two loops, not both of which need run", 2),
        ("two loops, and the points change between them", 2),
    ],
)
def test_loops_share_what_is_gathered_if_it_is_there(name: str, tables: int) -> None:
    """The second loop always runs when the first does, and the points are the same."""
    body = lower(PAIRS[name][0], "f").kernel.body
    assert len(_strips(body)) == 2
    gathering = [s for s in walk(body) if isinstance(s, t.Store) and "_rows" in s.buffer]
    assert len(gathering) == tables


@pytest.mark.parametrize(("between", "tables"), [(None, 1), ("unrelated", 1), ("x", 2), ("d", 2), ("m", 2)])
def test_loops_share_what_is_gathered_if_nothing_changes_it(between: str | None, tables: int) -> None:
    """Not the numbers, not how many there are, and not whether they are gathered."""
    c, i, n, d, m = (t.Name(name, INT) for name in "cindm")
    number = t.Load("x", plus(times(i, d), c), F64)

    def loop(out: str) -> list[t.Statement]:
        at = plus(times(c, n), i)
        computed = t.For("i", n, (t.Store(f"y_{out}", at, number),), t.Kind.PARALLEL)
        total = t.Declare("s", F64, t.Literal(0.0, F64), mutable=True)
        adding = t.Assign("s", t.Load(f"y_{out}", at, F64), accumulate=True)
        summed = t.For("i", n, (adding,), t.Kind.REDUCTION, reduced=("s",), simd=True)
        result = t.Store(out, c, t.Name("s", F64), accumulate=True)
        body = (
            t.For("c", d, (computed,), t.Kind.PARALLEL),
            t.For("c", d, (total, summed, result), t.Kind.SEQUENTIAL),
        )
        return [t.Allocate(f"y_{out}", F64, times(d, n)), t.For("k", m, body, t.Kind.SEQUENTIAL)]

    change = [] if between is None else [t.Assign(between, integer(5))]
    function = t.Function("f", (), (*loop("a"), *change, *loop("b")))
    function = in_strips(function, Names())
    assert len(_strips(function.body)) == 2
    gathering = [s for s in walk(function.body) if isinstance(s, t.Store) and "_rows" in s.buffer]
    assert len(gathering) == tables


def test_rows_of_a_strip_are_on_the_stack_and_matrices_do_not_grow_with_the_points() -> None:
    body = lower(STRIP_PROGRAMS["a triangle"][0], "f").kernel.body
    assert {s.buffer: s.count for s in walk(body) if isinstance(s, t.LocalArray)} == {"b": 64}
    (y,) = [s for s in walk(body) if isinstance(s, t.Allocate) and s.buffer == "y"]
    assert isinstance(y.count, t.Operation)
    assert [a.value for a in y.count.arguments if isinstance(a, t.Literal)] == [64]


def test_the_gradient_of_a_mixture_runs_in_strips_and_is_right() -> None:
    for n in POINTS[1:]:
        alpha, mu, q, l, x, gamma, m = gmm.generate(3, 4, n)
        arguments = (alpha, mu, q, l, x, gamma, m, 1.0)
        found = gmm.gradient(*arguments)[1]
        for k, given in enumerate((alpha, mu, q, l)):
            place = tuple([size // 2 for size in given.shape])
            forward = fs.grad(gmm.log_posterior, wrt=("alpha", "mu", "q", "l")[k], method="forward")(*arguments)
            assert np.isclose(found[k][place], forward[place], rtol=1e-11), (n, k)
    source = gmm.gradient.c_source(*arguments)
    assert source.count("FS_RARELY(x_n0 < 8)") == 1  # columns
    assert source.count("FS_RARELY(x_n0 < 1)") == 1  # what sums over no points are stored to
    assert "x_n0 < 1)" not in gmm.objective.c_source(*arguments)  # there are none
    assert source.count("i < x_n0") == 1  # of few columns; no other loop over points is there twice


def _density(alpha, mu, q, l, x, gamma):  # type: ignore[no-untyped-def]
    """The log-posterior of gmm.py for m = 0 but for what is constant, of complex numbers."""
    K, d = mu.shape
    terms = []
    for k in range(K):
        Q = np.diag(np.exp(q[k]))
        Q.T[np.triu_indices(d, 1)] = l[k]  # column by column
        y = (x - mu[k]) @ Q.T
        terms.append(alpha[k] + q[k].sum() - 0.5 * (y * y).sum(axis=1))
    prior = 0.5 * gamma**2 * (np.exp(2.0 * q).sum() + (l * l).sum())
    return sum(np.log(np.exp(np.array(terms)).sum(axis=0))) - len(x) * np.log(np.exp(alpha).sum()) + prior


@pytest.mark.parametrize("n", [17, 64, 65, 103, 135])
def test_the_gradient_of_a_mixture_is_that_of_the_complex_step(n: int) -> None:
    alpha, mu, q, l, x, gamma, _ = gmm.generate(4, 3, n)
    q, l = 0.3 * q, 0.2 * l
    found = gmm.gradient(alpha, mu, q, l, x, gamma, 0, 1.0)[1]
    for k, given in enumerate((alpha, mu, q, l)):
        for place in np.ndindex(given.shape):
            moved = [a.astype(complex) for a in (alpha, mu, q, l)]
            moved[k][place] += 1e-30j
            assert np.isclose(found[k][place], _density(*moved, x, gamma).imag / 1e-30, rtol=1e-11, atol=1e-11), (
                k,
                place,
            )
