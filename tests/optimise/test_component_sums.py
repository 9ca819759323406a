"""A sum that is a component of another sum is read there, if nothing else is made of it."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.workloads import kmeans

from fsmooth.core.evaluate import evaluate
from fsmooth.core.term import Lam, Reduce, Term
from fsmooth.core.traverse import subterms
from fsmooth.core.types import INT, rank_of
from fsmooth.core.values import plain, value_of
from fsmooth.library import parse
from fsmooth.loops import tree as t
from fsmooth.loops.usage import walk
from fsmooth.optimise.schedules import SCHEDULES

_ARGUMENTS = (np.array([0.5, -1.5, 2.5]), np.array([2, 0, 2, 1, 9, -1]))
_READ = "build (length v) (fun j -> (s[j] + fst t[0]) / (snd t[j] + 9.0))"  # both components are read


def _program(body: str) -> Lam:
    term = parse(f"fun (v: Vector) (g: Array<Int>) -> {body}")
    assert isinstance(term, Lam)
    return term


def _value(term: Lam) -> list[np.ndarray]:
    """The result, component by component."""
    values = {q: value_of(a, q.type) for q, a in zip(term.parameters, _ARGUMENTS, strict=True)}
    result = plain(evaluate(term.body, values), term.body.type)
    return [np.array(x, dtype=float) for x in (result if isinstance(result, tuple) else (result,))]


def _sums_of_arrays(term: Term) -> int:
    return len([x for x in subterms(term) if isinstance(x, Reduce) and rank_of(x.type)])


def _sums(slope: str, pair: str) -> str:
    """Two sums over g, named s and t."""
    return f"let s = sum (length g) (fun i -> {slope}) in let t = sum (length g) (fun i -> {pair}) in "


def _row(value: str) -> str:
    """`value` where g says, if that is inside."""
    zero = f"build (length v) (fun j -> {'(zero Float, zero Float)' if ',' in value else 'zero Float'})"
    return f"if 0 <= g[i] then if g[i] < length v then delta (length v) g[i] ({value}) else {zero} else {zero}"


_SCATTERED = _sums(_row("exp v[g[i]]"), _row("exp v[g[i]], 2.0"))
_EXP = "build (length v) (fun j -> exp v[j] * to_float i)"
_EXP_AND = "build (length v) (fun j -> (exp v[j] * to_float i, {}))"
_PLAIN = _sums(_EXP, _EXP_AND.format("1.0 + to_float (i * j)"))


_PAIRS = _sums(
    "delta (length v) (i % length v) (build 2 (fun k -> v[k] * to_float i))",
    "delta (length v) (i % length v) (build 2 (fun k -> (v[k] * to_float i, 2.0)))",
)
_ROWS = _PAIRS.replace("build 2", "build (length v)")
_BOTH = _SCATTERED + f"let u = sum (length g) (fun i -> {_row('2.0')}) in "

CASES = {
    "a scatter": (_SCATTERED + _READ, 1),
    "all elements": (_PLAIN + _READ, 1),
    "some elements": (_SCATTERED + "(s[0] + s[1], build (length v) (fun j -> t[j]))", 1),
    "rows": (_ROWS + "build (length v) (fun j -> let r = s[j] in sum (length v) (fun k -> r[k] * t[j][k].1))", 1),
    "rows of two": (_PAIRS + "build (length v) (fun j -> let r = s[j] in sum 2 (fun k -> r[k] * t[j][k].1))", 1),
    "the other component": (_sums(_row("exp v[g[i]]"), _row("2.0, exp v[g[i]]")) + _READ, 1),
    "below a requirement": (_SCATTERED + f"require 0 < length g, 0, 0 in {_READ}", 1),
    "both components": (_BOTH + "build (length v) (fun j -> s[j] / (u[j] + 9.0) + fst t[j] * snd t[0])", 1),
    "a definition of the other component": (
        _sums(_EXP, f"let z = sin v[g[i] % 3] in {_EXP_AND.format('z * v[j]')}") + _READ,
        1,
    ),
    "what the wider one needs": (_sums(_EXP, _EXP_AND.format("s[j]")) + _READ, 2),
    "a result": (_SCATTERED + "(s, build (length v) (fun j -> fst t[j] * snd t[j]))", 2),
    "a row that is a result": (_ROWS + "(s[0], build (length v) (fun j -> t[j][0].1))", 2),
    "not always evaluated": (
        _SCATTERED.replace("let t =", "(s[0], if v[0] > 0.0 then let t =") + "fst t[0] * snd t[0] else 0.0)",
        2,
    ),
    "another sum": (_sums(_row("exp v[g[i]]"), _row("sin v[g[i]], 2.0")) + _READ, 2),
    "fewer summands": ((_SCATTERED + _READ).replace("sum (length g)", "sum 2", 1), 2),
}


@pytest.mark.parametrize("schedule", ["LICM", "DPS", "DEFAULT", "REAL"])
@pytest.mark.parametrize("name", CASES)
def test_sums_that_are_left(name: str, schedule: str) -> None:
    text, sums = CASES[name]
    program = _program(text)
    optimised = SCHEDULES[schedule](program)
    for found, expected in zip(_value(optimised), _value(program), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-13)
    assert _sums_of_arrays(optimised) == sums
    assert _sums_of_arrays(program) > 1


def test_newton_finds_the_nearest_centroid_and_adds_there_at_once() -> None:
    """One loop over the points: no table says which centroid is nearest, nothing is added in a second loop."""
    points = kmeans.generate(40, 5, 40)
    loops = kmeans.direction.compiled(*points).loops
    assert loops is not None
    body = loops.kernel.body
    over_points = [s for s in walk(body) if isinstance(s, t.For) and s.index.startswith("point")]
    assert len(over_points) == 1
    assert not [s for s in walk(body) if isinstance(s, t.Allocate) and s.type == INT]
    nearest = ((points.points[:, None] - points.centroids) ** 2).sum(2).argmin(1)
    means = np.array([points.points[nearest == k].mean(0) for k in range(5)])
    np.testing.assert_allclose(kmeans.direction(*points), points.centroids - means, rtol=1e-12, atol=1e-14)
