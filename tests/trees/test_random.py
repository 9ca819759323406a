"""Random programs over random trees: Python, the interpreter and the C agree; forward, reverse, complex steps and differences too."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.checking.interpreted import along, without_derivatives
from fsmooth.checking.structures import as_columns, as_tuples, contracted, like
from fsmooth.core.arithmetic import FLOATS
from fsmooth.core.evaluate import evaluate
from fsmooth.core.nodes.reading import declaration_of
from fsmooth.core.term import Lam
from fsmooth.core.values import plain, value_of
from tests.trees.objects import differences, is_alike, reals
from tests.trees.random_programs import Case, case_at


def taken(term: Lam, program: Any, arguments: list[Any]) -> list[Any]:
    """The arguments that the program takes when it runs: an object without fields is known while compiling."""
    given = dict(zip(inspect.signature(program).parameters, arguments, strict=True))
    return [given[q.name] for q in term.parameters]


def interpreted(term: Lam, arguments: list[Any]) -> Any:
    """What the definitional interpreter makes of the program as it was read."""
    values = [value_of(as_tuples(a), q.type) for a, q in zip(arguments, term.parameters, strict=True)]
    return plain(evaluate(term.body, dict(zip(term.parameters, values, strict=True)), FLOATS), term.body.type)


def check(case: Case) -> int:
    """Does everything agree?  How many real numbers the trees have."""
    program, arguments = case.program, case.arguments
    wanted = pytest.approx(program(*arguments), rel=1e-11, abs=1e-11)
    compiled = fs.function(program)
    columns = [as_columns(a) for a in arguments]
    assert compiled(*arguments) == wanted
    assert compiled(*columns) == wanted
    assert fs.function(program, schedule="NONE")(*arguments) == wanted
    term = without_derivatives(compiled.compiled(*columns).elaborated.term)
    assert interpreted(term, taken(term, program, columns)) == wanted
    numbers = 0
    for k in range(len(arguments)):
        expected = differences(program, arguments, k)
        if not expected:
            continue
        numbers += len(expected)
        by_mode = {}
        for method in ("forward", "reverse"):
            value, by_mode[method] = fs.value_and_grad(program, wrt=k, method=method)(*arguments)
            assert value == wanted
            assert is_alike(by_mode[method], arguments[k])
            np.testing.assert_allclose(reals(by_mode[method]), expected, rtol=1e-5, atol=1e-6, err_msg=method)
        np.testing.assert_allclose(reals(by_mode["forward"]), reals(by_mode["reverse"]), rtol=1e-8, atol=1e-10)
        check_stepped(case, term, columns, k)
    check_forest(case)
    return numbers


def check_stepped(case: Case, term: Lam, columns: list[Any], k: int) -> None:
    """Along a direction by complex steps, and by the pullback of C."""
    direction = like(columns[k], np.random.default_rng(case.seed))
    moving = [direction if j == k else None for j in range(len(columns))]
    stepped = along(term, *[taken(term, case.program, x) for x in (columns, moving)])
    _, pullback = fs.vjp(case.program, wrt=k)(*columns)
    assert contracted(direction, pullback(1.0)) == pytest.approx(stepped, rel=1e-8, abs=1e-9)


def check_forest(case: Case) -> None:
    """A loop over a forest."""
    x = case.arguments[-1]
    wanted = pytest.approx(case.over_forest(case.forest, x), rel=1e-11, abs=1e-11)
    forest = fs.pack(case.forest, case.union)
    if declaration_of(type(case.forest[0])) is not None:  # a list of NamedTuples is an array
        assert fs.function(case.over_forest)(case.forest, x) == wanted
    assert fs.function(case.over_forest)(forest, x) == wanted
    expected = differences(case.over_forest, (case.forest, x), 0)
    if expected:
        found = fs.grad(case.over_forest, wrt=0)(forest, x).unpack()
        np.testing.assert_allclose(reals(found), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("first", range(0, 30, 3))
def test_every_route_agrees(first: int, tmp_path: Path) -> None:
    assert sum([check(case_at(seed, tmp_path)) for seed in range(first, first + 3)]) > 0
