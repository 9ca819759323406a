"""Names without a value in some cases, and lists, in compiled programs: values, slopes in each mode, and what has no value."""

from __future__ import annotations

import ast

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.frontend.python.liveness import _Walk, live_at
from tests.frontend.python import late_names as late
from tests.frontend.python import list_values as lists
from tests.sources import function_of

# ruff: noqa: B007, F821, F841

X = np.array([1.5, 0.5, -0.3])


def difference(x):
    d = 0.0
    for i in range(len(x)):
        if i > 0:
            d += (x[i] - prev) ** 2
        prev = x[i]
    return d


def newton(x):
    y = x
    for k in range(40):
        step = (y * y - 2.0 - x) / (2.0 * y)
        y = y - step
        if np.max(np.abs(step)) < 1e-12:
            break
    return np.sum(y) + np.sum(step) + k


def last_that_is_large(x):
    for i in range(len(x)):
        if x[i] > 0.4:
            row = [x[i] ** 2, x[i], 1.0]
    return np.sum(np.array(row + row) ** 2)


def state_by_state(x):
    h, seen = [0.0, 1.0], []
    for v in x:
        h = [np.tanh(h[1] + v), h[0]]
        seen = seen + [h[0]]
    return sum(h + seen) * len(h + h)


@pytest.mark.parametrize(
    ("program", "x"),
    [(difference, X), (newton, X + 1.0), (last_that_is_large, X), (state_by_state, X)],
)
def test_slopes(program, x) -> None:
    value = program(x)
    step = 1e-6
    slopes = [(program(x + step * e) - program(x - step * e)) / (2.0 * step) for e in np.eye(len(x))]
    for method in ("forward", "reverse", "tape"):
        found, gradient = fs.value_and_grad(program, method=method)(x)
        assert found == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(
    ("program", "arguments", "name"),
    [
        (late.behind_a_loop, (0.3, 0), "step"),
        (late.the_last, (np.zeros(0),), "last"),
        (last_that_is_large, (np.zeros(3),), "row"),
    ],
)
def test_what_has_no_value_is_a_mistake_when_it_is_read(program, arguments, name) -> None:
    with pytest.raises(fs.RaisedError, match=f"^{name} has no value\n"):
        fs.function(program)(*arguments)


def test_only_what_is_read_later_is_carried() -> None:
    """In the second loop the name is assigned before it is read, so the first does not carry it."""
    source = "def f(x):\n    t = 0.0\n    for v in x:\n        part = v * 2\n        t += part\n{}    return t\n"
    again = "    for v in x:\n        part = v * 3\n        t += part\n"
    f = function_of(source.format(again), "<read in its own step>", "f")
    assert "kind" not in fs.function(f).c_source(X)
    g = function_of(source.format("    t += part\n"), "<read behind>", "f")
    assert "kind" in fs.function(g).c_source(X)


def test_liveness_is_found_in_linear_time(monkeypatch) -> None:
    """Of loops inside one another, too."""
    visited = []
    own = _Walk.statement
    monkeypatch.setattr(_Walk, "statement", lambda walk, *what: visited.append(what) or own(walk, *what))

    def statements_visited(depth: int) -> int:
        lines = [f"{'    ' * k}for i{k} in x:\n" for k in range(1, depth)]
        text = f"def f(x):\n{''.join(lines)}{'    ' * depth}y = x\n    return y\n"
        node = ast.parse(text).body[0]
        assert isinstance(node, ast.FunctionDef)
        visited.clear()
        assert "y" in live_at(node, node.body[0])
        return len(visited)

    assert statements_visited(40) < 5 * statements_visited(20)


def test_lists_are_what_python_says_when_compiled() -> None:
    for program, arguments in lists.CASES:
        found, expected = fs.function(program)(*arguments), program(*arguments)
        pairs = zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
        for one, other in pairs:
            np.testing.assert_allclose(one, other, rtol=1e-12)
