"""The source of a function is its own, wherever it stands."""

# ruff: noqa
# fmt: off

import math

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.frontend.python import source
from fsmooth.frontend.python.source import source_of


def value(f, x=3.0):
    assert fs.function(f)(x) == f(x)
    return f(x)


def test_lambdas_on_one_line() -> None:
    for f in (lambda x: x + 1.0, lambda x: x * 5.0, lambda x: -x): value(f)
    named = dict(a=lambda x: x + 10.0, b=lambda x: x * 50.0)
    assert [value(f) for f in named.values()] == [13.0, 150.0]
    assert [value(f) for f in [lambda x: x + 1.0, lambda x: x + 2.0]] == [4.0, 5.0]
    if True: f, g = (lambda x: x - 1.0), (lambda x: x - 2.0)
    assert (value(f), value(g)) == (2.0, 1.0)


def test_lambdas_in_the_middle_of_a_statement() -> None:
    table = {
        "add": lambda x: x + 1.0, "twice": lambda x: 2.0 * x,
        "nested": lambda x: (lambda y: y * y)(x) + 1.0,
        "branch": lambda x: x if x > 2.0 else -x, "other branch": lambda x: x if x > 4.0 else -x,
        "lines": lambda x: (
            x
            + 1.0
        ),
    }
    assert [value(f) for f in table.values()] == [4.0, 6.0, 10.0, 3.0, -3.0, 4.0]


def test_lambdas_that_differ_by_their_defaults_and_parameters() -> None:
    f, g, h = lambda x, k=1.0: x + k, lambda x, k=2.0: x + k, lambda y: y * 7.0
    assert (value(f), value(g), value(h)) == (4.0, 5.0, 21.0)


def test_definitions_with_text_at_the_margin() -> None:
    def commented(x):
# a comment at the margin
        return x + 1.0

    def documented(x):
        """Text
at the margin."""
        return x + 2.0

    assert (value(commented), value(documented)) == (4.0, 5.0)


def test_equal_functions_of_two_files_have_their_own_places(tmp_path) -> None:
    made = []
    for name in ("one", "two"):
        path = tmp_path / f"{name}.py"
        path.write_text("def f(x):\n    return x[7]\n")
        space = {"__name__": name}
        exec(compile(path.read_text(), str(path), "exec"), space)
        made.append(space["f"])
    assert [source_of(f).file for f in made] == [f.__code__.co_filename for f in made]
    for f, name in zip(made, ("one.py", "two.py")):
        with pytest.raises(fs.IndexOutOfBoundsError, match=name):
            fs.function(f)(np.ones(2))


def test_the_latest_sources_are_remembered(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(source, "_cache", {})
    monkeypatch.setattr(source, "_MOST", 3)
    path = tmp_path / "five.py"
    path.write_text("".join([f"def f{k}(x):\n    return x + {k}.0\n" for k in range(5)]))
    space = {}
    exec(compile(path.read_text(), str(path), "exec"), space)
    functions = [space[f"f{k}"] for k in range(5)]
    for count, f in enumerate([*functions, *functions], start=1):
        assert source_of(f).function is f
        assert len(source._cache) == min(count, 3)
    assert [kept.function for kept in source._cache.values()] == functions[-3:]


def test_a_coroutine() -> None:
    async def later(x):
        return x

    with pytest.raises(fs.SourceNotAvailableError, match="^later is a coroutine\n  hint: write def, not async def$"):
        fs.function(later)(1.0)
